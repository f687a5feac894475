/* SPDX-License-Identifier: MIT */
/*
 * Records the work of a device that has a clock of its own: a simulated graphics processor. A thread submits commands,
 * which the device executes later; it states when in ticks of its clock, which begins anywhere and is somewhat faster
 * than its data sheet states. Pairs of that clock and the counter of the log make counters of these times.
 *
 *     ./gpu gpu.mprof && mprof report --sections=clocks gpu.mprof && mprof export --to=perfetto gpu.mprof
 */
#include <mprof/recorder.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NANOSECONDS UINT64_C(1000000000)

enum { FRAMES = 10, COMMANDS = 5, PASSES = 3 };

/* The number of the device's queue in the log: the client chooses one that no thread has. */
#define QUEUE UINT64_C(0x6770750001)
#define RECORDED_PROCESS 1

/*
 * The device: it executes one command after the other. What it is to do is known at once, so it needs no thread.
 */

#define STATED_HERTZ UINT64_C(19200000)
/* The clock is faster by 312 parts in a million. */
#define REAL_HERTZ UINT64_C(19206000)
#define FIRST_TICK UINT64_C(1234567890123)
/* How long it takes from a call until the device begins. */
#define LATENCY (STATED_HERTZ / 50000)

typedef struct command {
	uint64_t number; /* Also of the flow from the call to the execution. */
	uint64_t ticks;  /* How long it takes. */
	uint64_t started;
	uint64_t ended;
} command;

static uint64_t device_origin;
static uint64_t device_free; /* When the last command ends. */

static uint64_t nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
}

static uint64_t device_clock(void)
{
	return FIRST_TICK + (nanoseconds() - device_origin) * (REAL_HERTZ / 1000) / (NANOSECONDS / 1000);
}

static void device_submit(command *submitted)
{
	const uint64_t earliest = device_clock() + LATENCY;

	submitted->started = earliest > device_free ? earliest : device_free;
	submitted->ended = submitted->started + submitted->ticks;
	device_free = submitted->ended;
}

static void device_wait(void)
{
	while (device_clock() < device_free)
		usleep(500);
}

/*
 * Recording.
 */

static mprof_recorder *recorder;
static mprof_thread *thread; /* Of the program. */
static mprof_thread *queue;  /* Of the device. */
static uint32_t device;      /* The clock. */
static uint32_t launch_type;
static uint32_t execute_type;
static uint32_t texts[PASSES];
static const char *const passes[PASSES] = {"shadows", "scene", "blur"};

static void expect(mprof_status status, const char *what)
{
	if (status == MPROF_OK)
		return;
	fprintf(stderr, "gpu: %s: %s\n", what, mprof_status_get_text(status));
	exit(EXIT_FAILURE);
}

/* Defines a type of spans, which has the name of the pass, the duration, the flow and the length in ticks. */
static uint32_t define_type(const char *name, uint32_t flow)
{
	const mprof_argument_record arguments[] = {
		{MPROF_ARGUMENT_TEXT_ID, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_NAME, 0, "pass", NULL},
		{MPROF_ARGUMENT_DURATION, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_DURATION, 0, "time", NULL},
		{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, flow, 0, "command", NULL},
		{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_NONE, MPROF_ARGUMENT_UNIT_COUNT, "ticks",
		 NULL},
	};
	mprof_type_record type = {.form = MPROF_TYPE_SPAN, .name = name, .argument_count = 4};
	uint32_t id;

	expect(mprof_recorder_define_arguments(recorder, arguments, sizeof(arguments[0]), 4, &type.first_argument),
	       "arguments");
	expect(mprof_recorder_define_type(recorder, &type, sizeof(type), &id), "type");
	return id;
}

/* Of several readings, the one that took the shortest time has the least error. */
static void calibrate(void)
{
	uint64_t best = UINT64_MAX;
	uint64_t value = 0;
	uint64_t counter = 0;

	for (int i = 0; i < 8; i++) {
		const uint64_t before = mprof_recorder_read_counter(recorder);
		const uint64_t ticks = device_clock();
		const uint64_t between = mprof_recorder_read_counter(recorder) - before;

		if (between >= best)
			continue;
		best = between;
		value = ticks;
		counter = before + between / 2;
	}
	expect(mprof_recorder_record_clock_pair(recorder, device, value, counter, best / 2 + 1), "pair of clocks");
}

static void describe(void)
{
	const mprof_clock_record clock = {STATED_HERTZ, 1, MPROF_CLOCK_DEVICE, 0, "gpu"};
	const mprof_process_record process = {.number = RECORDED_PROCESS,
					      .system_id = (uint64_t)getpid(),
					      .start = mprof_recorder_read_counter(recorder),
					      .name = "renderer"};
	mprof_timeline_record timeline = {.thread = mprof_thread_get_id(thread),
					  .process = RECORDED_PROCESS,
					  .kind = MPROF_TIMELINE_THREAD,
					  .name = "main"};

	expect(mprof_recorder_define_clock(recorder, &clock, sizeof(clock), &device), "clock");
	expect(mprof_recorder_define_process(recorder, &process, sizeof(process)), "process");
	expect(mprof_recorder_define_timeline(recorder, &timeline, sizeof(timeline)), "thread");
	timeline.thread = QUEUE;
	timeline.kind = MPROF_TIMELINE_QUEUE;
	timeline.clock = device;
	timeline.rank = 1;
	timeline.name = "GPU queue";
	expect(mprof_recorder_define_timeline(recorder, &timeline, sizeof(timeline)), "queue");
	for (int i = 0; i < PASSES; i++)
		expect(mprof_recorder_define_text(recorder, passes[i], strlen(passes[i]), &texts[i]), "text");
	launch_type = define_type("launch", MPROF_ROLE_FLOW_OUT);
	execute_type = define_type("execute", MPROF_ROLE_FLOW_IN);
}

static void record_launch(const command *submitted, uint64_t started)
{
	const mprof_argument_value values[] = {{.number = texts[submitted->number % PASSES]},
					       {.number = submitted->number},
					       {.number = submitted->ticks}};

	expect(mprof_thread_record_span(thread, launch_type, started, values, 3), "launch");
}

/* The device has executed the command, and a pair was taken since. */
static void record_execution(const command *done)
{
	const mprof_argument_value values[] = {
		{.number = texts[done->number % PASSES]}, {.number = done->number}, {.number = done->ticks}};
	uint64_t started;
	uint64_t ended;

	expect(mprof_recorder_convert_time(recorder, device, done->started, &started), "start");
	expect(mprof_recorder_convert_time(recorder, device, done->ended, &ended), "end");
	expect(mprof_thread_record_span_at(queue, execute_type, started, ended, values, 3), "execution");
}

/* Returns the ticks that the device was busy. */
static uint64_t run(void)
{
	command commands[COMMANDS];
	uint64_t number = 0;
	uint64_t busy = 0;

	for (int frame = 0; frame < FRAMES; frame++) {
		for (int i = 0; i < COMMANDS; i++) {
			const uint64_t started = mprof_recorder_read_counter(recorder);

			number++;
			commands[i] = (command){.number = number, .ticks = STATED_HERTZ / 5000 * (1 + number % 4)};
			device_submit(&commands[i]);
			record_launch(&commands[i], started);
			busy += commands[i].ticks;
			usleep(300);
		}
		device_wait();
		calibrate();
		for (int i = 0; i < COMMANDS; i++)
			record_execution(&commands[i]);
	}
	return busy;
}

int main(int argc, char **argv)
{
	uint64_t busy;

	if (argc != 2) {
		fputs("usage: gpu FILE\n", stderr);
		return 2;
	}
	device_origin = nanoseconds();
	expect(mprof_recorder_open_path(argv[1], NULL, &recorder, NULL), argv[1]);
	expect(mprof_recorder_attach(recorder, 0, &thread), "thread");
	/* Before the first command: times before this are refused. */
	expect(mprof_recorder_attach(recorder, QUEUE, &queue), "queue");
	describe();
	calibrate();
	busy = run();
	mprof_thread_detach(queue);
	mprof_thread_detach(thread);
	expect(mprof_recorder_close(recorder), "close");
	mprof_recorder_destroy(recorder);
	printf("%llu commands, %llu ns\n", (unsigned long long)FRAMES * COMMANDS,
	       (unsigned long long)(busy * (NANOSECONDS / 1000) / (REAL_HERTZ / 1000)));
	return EXIT_SUCCESS;
}
