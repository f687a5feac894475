/* SPDX-License-Identifier: MIT */
/*
 * Records samples of three kinds: record_kinds FILE. Their sums:
 *   cpu           of the main thread, processor 0, in the program: 3 of 1,000,000 ns in "work", called by "run"
 *   cache-misses  of the other thread, processors 1 and 2, in the kernel: 5 of 64 in "load", called by "run"
 *   heap          by a signal handler in both threads: 100, 200 and 300 bytes in "make", without callers; and one of 50
 *                 bytes without a call stack, on no known processor
 * and 2 samples of no kind in "run", each of which stands for 5 ms of real time. The times of the samples of heap
 * decrease from that of the start of the log.
 */
#include <mprof/recorder.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUN = 1, WORK, LOAD, MAKE, MAIN_THREAD = 16, OTHER_THREAD = 17 };

static mprof_recorder *recorder;
static uint32_t cpu_kind, miss_kind, heap_kind;
static uint64_t first_counter;
static volatile sig_atomic_t signals;

static void expect(int is_done, const char *what)
{
	if (is_done)
		return;
	fprintf(stderr, "record_kinds: %s\n", what);
	exit(1);
}

static void define_method(mprof_key key, const char *name)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	expect(mprof_recorder_define_method(recorder, key, &description) == MPROF_OK, name);
}

/* Defines a kind with a call stack, a weight, a processor and a mode. */
static uint32_t define_kind(const char *name, uint32_t unit, const char *source)
{
	const mprof_argument_record arguments[] = {
		{MPROF_ARGUMENT_STACK, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_STACK, MPROF_ARGUMENT_UNIT_NONE, "stack",
		 ""},
		{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_WEIGHT, unit, "weight", ""},
		{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_CPU, MPROF_ARGUMENT_UNIT_NONE, "cpu", ""},
		{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_MODE, MPROF_ARGUMENT_UNIT_NONE, "mode", ""},
	};
	mprof_type_record type = {.form = MPROF_TYPE_SAMPLE, .argument_count = 4, .name = name, .source = source};
	uint32_t id = 0;

	expect(mprof_recorder_define_arguments(recorder, arguments, sizeof(arguments[0]), 4, &type.first_argument) ==
		       MPROF_OK,
	       "arguments");
	expect(mprof_recorder_define_type(recorder, &type, sizeof(type), &id) == MPROF_OK, name);
	return id;
}

static void record_heap(int signal_number)
{
	const mprof_frame frame = MAKE;
	const uint64_t number = (uint64_t)++signals;
	const mprof_sample sample = {.struct_size = sizeof(sample),
				     .type = heap_kind,
				     .cpu = number <= 3 ? 0 : MPROF_CPU_UNKNOWN,
				     .thread = number <= 2 ? MAIN_THREAD : OTHER_THREAD,
				     .counter = first_counter - number,
				     .weight = number <= 3 ? 100 * number : 50,
				     .frames = number <= 3 ? &frame : NULL,
				     .frame_count = number <= 3};

	(void)signal_number;
	mprof_recorder_record_typed_sample(recorder, &sample);
}

static void *run_other(void *unused)
{
	const mprof_frame frames[] = {LOAD, RUN};
	mprof_sample sample = {.struct_size = sizeof(sample),
			       .type = miss_kind,
			       .thread = OTHER_THREAD,
			       .weight = 64,
			       .frames = frames,
			       .frame_count = 2,
			       .mode = MPROF_MODE_KERNEL};

	for (uint32_t i = 0; i < 5; i++) {
		sample.cpu = 1 + i % 2;
		expect(mprof_recorder_record_typed_sample(recorder, &sample), "sample of cache misses");
	}
	expect(raise(SIGUSR1) == 0 && raise(SIGUSR1) == 0, "signal");
	return unused;
}

static void run_main(void)
{
	const mprof_frame frames[] = {WORK, RUN};
	mprof_sample sample = {.struct_size = sizeof(sample),
			       .type = cpu_kind,
			       .thread = MAIN_THREAD,
			       .weight = 1000000,
			       .frames = frames,
			       .frame_count = 2,
			       .mode = MPROF_MODE_USER};

	for (int i = 0; i < 3; i++)
		expect(mprof_recorder_record_typed_sample(recorder, &sample), "sample of time");
	for (int i = 0; i < 2; i++)
		expect(mprof_recorder_record_sample(recorder, MAIN_THREAD, &frames[1], 1), "sample");
	expect(raise(SIGUSR1) == 0 && raise(SIGUSR1) == 0, "signal");
	/* Types that are not kinds, and kinds that are not defined. */
	sample.type = heap_kind + 1;
	expect(!mprof_recorder_record_typed_sample(recorder, &sample), "kind that is not defined");
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = record_heap};
	mprof_recorder_options options;
	pthread_t other;

	mprof_recorder_options_init(&options, sizeof(options));
	options.sample_interval_ns = 999;
	expect(argc == 2 && mprof_recorder_open_path(argv[1], &options, &recorder, NULL) == MPROF_ERR_ARGUMENT,
	       "interval");
	options.sample_interval_ns = 5000000;
	options.sample_clock = MPROF_SAMPLE_CLOCK_REAL + 1;
	expect(mprof_recorder_open_path(argv[1], &options, &recorder, NULL) == MPROF_ERR_ARGUMENT, "clock");
	options.sample_clock = MPROF_SAMPLE_CLOCK_REAL;
	expect(mprof_recorder_open_path(argv[1], &options, &recorder, NULL) == MPROF_OK, argv[1]);
	first_counter = mprof_recorder_read_counter(recorder);
	define_method(RUN, "run");
	define_method(WORK, "work");
	define_method(LOAD, "load");
	define_method(MAKE, "make");
	cpu_kind = define_kind("cpu", MPROF_ARGUMENT_UNIT_NANOSECONDS, "processor");
	miss_kind = define_kind("cache-misses", MPROF_ARGUMENT_UNIT_COUNT, "");
	heap_kind = define_kind("heap", MPROF_ARGUMENT_UNIT_BYTES, "malloc");
	expect(sigaction(SIGUSR1, &action, NULL) == 0, "sigaction");
	run_main();
	expect(pthread_create(&other, NULL, run_other, NULL) == 0 && pthread_join(other, NULL) == 0, "thread");
	expect(mprof_recorder_close(recorder) == MPROF_OK, "close");
	mprof_recorder_destroy(recorder);
	return 0;
}
