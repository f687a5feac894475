/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_salvage.c
 * \brief Programs that are killed while they record, at any time: their logs are completed from their salvage files,
 * and contain each event whose call had returned, exactly once, with its name.
 */
#include <mprof.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	THREADS = 3,
	METHODS = 200,
	DEATHS_OF_EACH_KIND = 3,
	SAMPLE_EVERY = 64,
	MARK_EVERY = 1000,
	SPAN_EVERY = 16,
	SPAN_TEXTS = 300,
	MIN_EVENTS = 2000,
	/* In a compressed log, at least one member ends within this number. */
	MORE_EVENTS = 2000000,
	EXIT_STATUS = 3
};

/* Names are made from the number of the thread and that of the method, so each thread has its own. */
#define METHOD_KEY(thread, method) (((mprof_key)(thread) << 20 | (mprof_key)(method)) * 16 + 0x1000)

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "test_salvage.c:%d: %s\n", __LINE__, #condition);                              \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

/* What a thread has recorded, as it counts itself. */
typedef struct thread_truth {
	_Atomic uint64_t calls; /* Returned calls of mprof_thread_enter_method(). */
	_Atomic uint64_t samples;
	_Atomic uint64_t marks;
	_Atomic uint64_t spans;
} thread_truth;

/* In memory that outlives the program, too. */
typedef struct truth {
	thread_truth threads[THREADS + 1];
	_Atomic int must_exit; /* The program calls _exit(). */
} truth;

static char directory[] = "mprof-test-salvage-XXXXXX";
static char log_path[256];
static char salvage_path[256];
static truth *known;
static mprof_recorder *recorder;

static void remove_files(void)
{
	unlink(log_path);
	unlink(salvage_path);
}

static void define_named(unsigned thread, unsigned method, const char *name)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	CHECK(mprof_recorder_define_method(recorder, METHOD_KEY(thread, method), &description) == MPROF_OK);
}

static void define_method(unsigned thread, unsigned method)
{
	char name[32];

	snprintf(name, sizeof(name), "%u:%u", thread, method);
	define_named(thread, method, name);
}

/* The type of spans of a thread. */
static uint32_t define_span(unsigned thread)
{
	const mprof_argument_record arguments[] = {
		{MPROF_ARGUMENT_DURATION, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_DURATION, 0, "duration", ""},
		{MPROF_ARGUMENT_TEXT_ID, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_NAME, 0, "name", ""},
		{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_SIGNED, 0, 0, "number", ""},
		{MPROF_ARGUMENT_TEXT, MPROF_ENCODING_BYTES, 0, 0, "content", ""},
	};
	char name[32];
	mprof_type_record type = {.form = MPROF_TYPE_SPAN, .argument_count = 4, .name = name};
	uint32_t id;

	snprintf(name, sizeof(name), "span %u", thread);
	CHECK(mprof_recorder_define_arguments(recorder, arguments, sizeof(*arguments), 4, &type.first_argument) ==
	      MPROF_OK);
	CHECK(mprof_recorder_define_type(recorder, &type, sizeof(type), &id) == MPROF_OK);
	return id;
}

/* Describes a thread, with a clock of its own. */
static uint32_t define_timeline(unsigned thread)
{
	char name[32];
	const mprof_clock_record clock = {thread, 1, MPROF_CLOCK_DEVICE, 0, name};
	mprof_timeline_record timeline = {.thread = thread, .process = 1, .name = name};

	snprintf(name, sizeof(name), "clock %u", thread);
	CHECK(mprof_recorder_define_clock(recorder, &clock, sizeof(clock), &timeline.clock) == MPROF_OK);
	snprintf(name, sizeof(name), "timeline %u", thread);
	CHECK(mprof_recorder_define_timeline(recorder, &timeline, sizeof(timeline)) == MPROF_OK);
	return timeline.clock;
}

/* Records span number \p i of a thread, whose text is defined late, too. */
static void record_span(mprof_thread *handle, unsigned thread, uint32_t type, uint64_t i)
{
	mprof_argument_value values[] = {{0, NULL, 0}, {0 - i, NULL, 0}, {0, (const uint8_t *)"content", i % 8}};
	uint32_t text;
	char name[32];

	snprintf(name, sizeof(name), "%u:%u", thread, (unsigned)(i % SPAN_TEXTS));
	CHECK(mprof_recorder_define_text(recorder, name, strlen(name), &text) == MPROF_OK);
	values[0].number = text;
	CHECK(mprof_thread_record_span(handle, type, mprof_recorder_read_counter(recorder), values, 3) == MPROF_OK);
}

/* Records until the process is killed. The truth lacks at most one event of each kind. */
static void *record_for_ever(void *argument)
{
	unsigned number = (unsigned)(uintptr_t)argument;
	thread_truth *copy = &known->threads[number];
	mprof_thread *thread;
	uint32_t span = 0;
	uint32_t clock = 0;

	CHECK(mprof_recorder_attach(recorder, number, &thread) == MPROF_OK);
	for (uint64_t i = 0;; i++) {
		unsigned method = (unsigned)(i % METHODS);

		/* Defined late, so that definitions are under way at any time. */
		if (i < METHODS)
			define_method(number, method);
		mprof_thread_enter_method(thread, METHOD_KEY(number, method));
		atomic_store_explicit(&copy->calls, i + 1, memory_order_release);
		mprof_thread_leave_method(thread, METHOD_KEY(number, method));
		if (i % SAMPLE_EVERY == 0) {
			mprof_frame frame = METHOD_KEY(number, method);

			(void)mprof_recorder_record_sample(recorder, number, &frame, 1);
			atomic_store_explicit(&copy->samples, i / SAMPLE_EVERY + 1, memory_order_release);
		}
		if (i % SPAN_EVERY == 0) {
			if (span == 0) {
				span = define_span(number);
				clock = define_timeline(number);
			}
			CHECK(mprof_recorder_record_clock_pair(recorder, clock, i,
							       mprof_recorder_read_counter(recorder), 1) == MPROF_OK);
			record_span(thread, number, span, i / SPAN_EVERY);
			atomic_store_explicit(&copy->spans, i / SPAN_EVERY + 1, memory_order_release);
		}
		if (i % MARK_EVERY == 0) {
			CHECK(mprof_recorder_record_mark(recorder, number, "mark", 4) == MPROF_OK);
			atomic_store_explicit(&copy->marks, i / MARK_EVERY + 1, memory_order_release);
		}
	}
	return NULL;
}

/* How a log is written. */
typedef struct log_form {
	uint64_t ring_bytes;
	uint32_t gzip_level;
	uint32_t resolution_ns;
} log_form;

static const log_form plain = {0, 0, 0};
static const log_form coarse = {0, 0, 1000};

/* More than is recorded, so that nothing is evicted. */
static const log_form large_ring = {UINT64_C(1) << 30, 0, 0};
static const log_form small_ring = {UINT64_C(4) << 20, 0, 0};
static const log_form compressed = {0, 1, 0};

static void open_recorder(const log_form *form)
{
	mprof_writer_options writer;
	mprof_recorder_options options;
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_status status;

	mprof_writer_options_init(&writer, sizeof(writer));
	writer.gzip_level = form->gzip_level;
	mprof_recorder_options_init(&options, sizeof(options));
	options.writer = &writer;
	options.salvage_path = salvage_path;
	options.salvage_log_path = log_path;
	/* Many small buffers, which change hands all the time. */
	options.buffer_events = 256;
	options.drain_interval_ms = 3;
	options.resolution_ns = form->resolution_ns;
	options.drain_threads = 2;
	if (form->ring_bytes != 0)
		status = mprof_recorder_open_ring(form->ring_bytes, &options, &recorder, &error);
	else
		status = mprof_recorder_open_path(log_path, &options, &recorder, &error);
	if (status != MPROF_OK)
		fprintf(stderr, "%s: %s\n", error.what, strerror(error.system_error));
	CHECK(status == MPROF_OK);
}

static void sleep_microseconds(unsigned microseconds)
{
	struct timespec time = {microseconds / 1000000, (long)(microseconds % 1000000) * 1000};

	nanosleep(&time, NULL);
}

static pid_t start_program(const log_form *form)
{
	pid_t child;

	memset(known, 0, sizeof(*known));
	remove_files();
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		pthread_t threads[THREADS];

		/* A sanitizer would report it, and end the program by another signal. */
		signal(SIGSEGV, SIG_DFL);
		open_recorder(form);
		for (unsigned i = 0; i < THREADS; i++)
			CHECK(pthread_create(&threads[i], NULL, record_for_ever, (void *)(uintptr_t)(i + 1)) == 0);
		while (!atomic_load(&known->must_exit))
			sleep_microseconds(50);
		_exit(EXIT_STATUS);
	}
	return child;
}

static uint64_t recorded_calls(void)
{
	uint64_t calls = 0;

	for (unsigned i = 1; i <= THREADS; i++)
		calls += atomic_load_explicit(&known->threads[i].calls, memory_order_acquire);
	return calls;
}

/* By a signal, or by _exit() if \p number is 0. */
static void end_program(pid_t child, int number)
{
	int status;

	if (number == 0)
		atomic_store(&known->must_exit, 1);
	else
		CHECK(kill(child, number) == 0);
	CHECK(waitpid(child, &status, 0) == child);
	if (number == 0)
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_STATUS);
	else
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == number);
}

static void kill_program(pid_t child)
{
	end_program(child, SIGKILL);
}

/* What a log has. */
typedef struct found {
	uint64_t calls[THREADS + 1];
	uint64_t samples[THREADS + 1];
	uint64_t marks[THREADS + 1];
	uint64_t spans[THREADS + 1];
	uint64_t lost;
	int has_end;
	uint64_t last_counter[THREADS + 1];
} found;

/* The calls of each thread are those of its methods, in their order. */
static void check_call(mprof_reader *reader, found *log, uint64_t thread, const mprof_event *event)
{
	char expected[32];
	mprof_mapping method;

	if (log->calls[thread] == 0) {
		mprof_session session = {.struct_size = sizeof(session)};

		mprof_reader_get_session(reader, &session);
		log->last_counter[thread] = session.start.counter;
	}
	CHECK(event->counter >= log->last_counter[thread]);
	log->last_counter[thread] = event->counter;
	CHECK(mprof_reader_lookup_method(reader, event->id, &method, sizeof(method)) == MPROF_OK);
	snprintf(expected, sizeof(expected), "%u:%u", (unsigned)thread, (unsigned)(log->calls[thread] % METHODS));
	CHECK(method.name_length == strlen(expected) && memcmp(method.name, expected, method.name_length) == 0);
	log->calls[thread]++;
}

static uint64_t decode_next(const mprof_event *event, uint32_t encoding, size_t *position)
{
	mprof_argument_value value;

	CHECK(mprof_argument_decode(event->more.detail, encoding, position, &value) == 1);
	return encoding == MPROF_ENCODING_BYTES ? value.length : value.number;
}

/* The description of the thread is in the log, and the clock that it refers to. */
static void check_timeline(mprof_reader *reader, uint64_t thread)
{
	const uint64_t count = mprof_reader_get_record_count(reader, MPROF_RECORD_TIMELINE);
	mprof_record clock;
	mprof_record timeline;
	char expected[32];
	uint32_t id = 0;

	do {
		CHECK(id < count);
		CHECK(mprof_reader_lookup_record(reader, MPROF_RECORD_TIMELINE, ++id, &timeline, sizeof(timeline)) ==
		      MPROF_OK);
	} while (timeline.as.timeline.thread != thread);
	snprintf(expected, sizeof(expected), "timeline %u", (unsigned)thread);
	CHECK(strcmp(timeline.as.timeline.name, expected) == 0);
	CHECK(mprof_reader_lookup_record(reader, MPROF_RECORD_CLOCK, timeline.as.timeline.clock, &clock,
					 sizeof(clock)) == MPROF_OK);
	snprintf(expected, sizeof(expected), "clock %u", (unsigned)thread);
	CHECK(strcmp(clock.as.clock.name, expected) == 0 && clock.as.clock.numerator == thread);
}

/* The spans of each thread are in their order, with their types, texts and arguments. */
static void check_span(mprof_reader *reader, found *log, uint64_t thread, const mprof_event *event, int is_ring)
{
	char expected[32];
	mprof_record record;
	size_t position = 0;
	uint64_t number;
	uint64_t text;

	CHECK(mprof_reader_lookup_record(reader, MPROF_RECORD_TYPE, event->id, &record, sizeof(record)) == MPROF_OK);
	snprintf(expected, sizeof(expected), "span %u", (unsigned)thread);
	CHECK(strcmp(record.as.type.name, expected) == 0 && record.as.type.argument_count == 4);
	(void)decode_next(event, MPROF_ENCODING_UNSIGNED, &position);
	text = decode_next(event, MPROF_ENCODING_UNSIGNED, &position);
	number = 0 - decode_next(event, MPROF_ENCODING_SIGNED, &position);
	CHECK(is_ring || number == log->spans[thread]);
	CHECK(decode_next(event, MPROF_ENCODING_BYTES, &position) == number % 8);
	CHECK(position == event->more.detail->argument_size);
	snprintf(expected, sizeof(expected), "%u:%u", (unsigned)thread, (unsigned)(number % SPAN_TEXTS));
	CHECK(mprof_reader_lookup_record(reader, MPROF_RECORD_TEXT, (uint32_t)text, &record, sizeof(record)) ==
	      MPROF_OK);
	CHECK(strcmp(record.as.text.text, expected) == 0);
	check_timeline(reader, thread);
	log->spans[thread]++;
}

static void read_events(mprof_reader *reader, found *log, const mprof_block *block, int is_ring)
{
	mprof_event events[256];
	size_t count;

	CHECK(block->thread >= 1 && block->thread <= THREADS);
	for (;;) {
		mprof_status status = mprof_reader_next_events(reader, events, 256, &count);

		CHECK(status == MPROF_OK || status == MPROF_END);
		if (count == 0)
			return;
		for (size_t i = 0; i < count; i++) {
			if (events[i].kind == MPROF_EVENT_SAMPLE)
				log->samples[block->thread]++;
			else if (events[i].kind == MPROF_EVENT_METHOD_ENTER && is_ring)
				log->calls[block->thread]++;
			else if (events[i].kind == MPROF_EVENT_METHOD_ENTER)
				check_call(reader, log, block->thread, &events[i]);
			else if (events[i].kind == MPROF_EVENT_TYPED)
				check_span(reader, log, block->thread, &events[i], is_ring);
		}
	}
}

static void read_log(found *log, int is_ring)
{
	mprof_reader *reader;
	mprof_block block;
	mprof_session session = {.struct_size = sizeof(session)};
	mprof_status status;

	memset(log, 0, sizeof(*log));
	mprof_block_init(&block, sizeof(block));
	CHECK(mprof_reader_open_path(log_path, NULL, &reader) == MPROF_OK);
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		CHECK(mprof_reader_load(reader, &block) == MPROF_OK);
		if (block.kind == MPROF_BLOCK_EVENTS || block.kind == MPROF_BLOCK_SAMPLES)
			read_events(reader, log, &block, is_ring);
		else if (block.kind == MPROF_BLOCK_MARK)
			log->marks[block.thread]++;
		log->has_end |= block.kind == MPROF_BLOCK_END;
		for (size_t i = 0; block.kind == MPROF_BLOCK_LOST && i < block.as.lost.count; i++)
			log->lost += block.as.lost.counts[i];
	}
	CHECK(status == MPROF_END);
	mprof_reader_get_session(reader, &session);
	for (unsigned i = 1; i <= THREADS; i++)
		CHECK(log->last_counter[i] <= session.last.counter);
	mprof_reader_destroy(reader);
}

static int is_exact(uint64_t in_log, uint64_t counted)
{
	/* The process may have died between an event and its count. */
	return in_log == counted || in_log == counted + 1;
}

static void recover_log(mprof_recovery *recovery)
{
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_status status;

	recovery->struct_size = sizeof(*recovery);
	status = mprof_recorder_recover(salvage_path, NULL, recovery, &error);
	if (status != MPROF_OK)
		fprintf(stderr, "%s: %s\n", error.what, strerror(error.system_error));
	CHECK(status == MPROF_OK);
	CHECK(!recovery->is_recording && !recovery->was_complete);
	CHECK(access(salvage_path, F_OK) != 0);
}

/* \p number: a signal, or 0 for _exit(). */
static void die_once(const log_form *form, int number, uint64_t events, unsigned microseconds)
{
	mprof_recovery recovery;
	pid_t child = start_program(form);
	found log;

	while (recorded_calls() < events)
		sleep_microseconds(100);
	sleep_microseconds(microseconds);
	end_program(child, number);
	recover_log(&recovery);
	read_log(&log, 0);
	CHECK(log.has_end);
	CHECK(log.lost == recovery.lost_events);
	for (unsigned i = 1; i <= THREADS; i++) {
		const thread_truth *truth = &known->threads[i];

		CHECK(is_exact(log.calls[i], atomic_load(&truth->calls)));
		CHECK(is_exact(log.marks[i], atomic_load(&truth->marks)));
		CHECK(is_exact(log.spans[i], atomic_load(&truth->spans)));
		/* Samples are dropped where there is no room for them, which is counted. */
		CHECK(log.samples[i] <= atomic_load(&truth->samples) + 1);
		CHECK(log.lost > 0 || log.samples[i] >= atomic_load(&truth->samples));
	}
}

/* MPROF_STRESS_DEATHS: how many of each kind. */
static void test_deaths(void)
{
	static const int signals[] = {SIGKILL, SIGTERM, SIGINT, SIGABRT, SIGSEGV, 0};
	const char *wanted = getenv("MPROF_STRESS_DEATHS");
	long count = wanted != NULL ? strtol(wanted, NULL, 10) : DEATHS_OF_EACH_KIND;
	unsigned seed = 1;

	for (size_t kind = 0; kind < sizeof(signals) / sizeof(signals[0]); kind++) {
		for (long i = 0; i < count; i++) {
			const unsigned delay = (seed = seed * 1103515245 + 12345) / 65536 % 20000;

			die_once(&plain, signals[kind], MIN_EVENTS, delay);
			die_once(&coarse, signals[kind], MIN_EVENTS, delay);
			die_once(&large_ring, signals[kind], MIN_EVENTS, delay);
			/* Half of them before the first member has ended. */
			if (mprof_version_has_feature(MPROF_FEATURE_GZIP))
				die_once(&compressed, signals[kind], i % 2 == 0 ? MIN_EVENTS : MORE_EVENTS, delay);
		}
	}
}

static void test_ring(void)
{
	mprof_recovery recovery;
	pid_t child = start_program(&small_ring);
	struct stat status;
	found log;

	/* More than the ring holds. */
	while (recorded_calls() < 3000000)
		sleep_microseconds(1000);
	kill_program(child);
	CHECK(access(log_path, F_OK) != 0);
	recover_log(&recovery);
	read_log(&log, 1);
	CHECK(log.has_end);
	CHECK(stat(log_path, &status) == 0 && (uint64_t)status.st_size == recovery.log_bytes);
	CHECK(log.calls[1] + log.calls[2] + log.calls[3] > 300000);
	CHECK(log.calls[1] + log.calls[2] + log.calls[3] < recorded_calls());
}

/* The parts that recover refuses, each with what is still possible after it. */
static void test_refusals(void)
{
	mprof_recovery recovery = {.struct_size = sizeof(recovery)};
	mprof_error error = {.struct_size = sizeof(error)};
	pid_t child = start_program(&plain);
	mprof_recovery_options options;
	struct stat status;
	found log;

	mprof_recovery_options_init(&options, sizeof(options));
	options.log_path = "missing";
	while (recorded_calls() < MIN_EVENTS)
		sleep_microseconds(100);
	CHECK(mprof_recorder_recover(salvage_path, NULL, &recovery, &error) == MPROF_ERR_STATE);
	CHECK(recovery.is_recording == 1 && recovery.process == (uint64_t)child);
	kill_program(child);
	CHECK(mprof_recorder_recover(log_path, NULL, &recovery, &error) == MPROF_ERR_NOT_MPROF);
	CHECK(mprof_recorder_recover("missing", NULL, &recovery, &error) == MPROF_ERR_IO);
	CHECK(error.system_error == ENOENT);
	CHECK(mprof_recorder_recover(salvage_path, &options, &recovery, &error) == MPROF_ERR_IO);
	/* A log that lost its end cannot be continued. */
	CHECK(stat(log_path, &status) == 0);
	CHECK(rename(log_path, "whole") == 0);
	CHECK(symlink("whole", log_path) == 0);
	recover_log(&recovery);
	read_log(&log, 0);
	CHECK(log.has_end);
	CHECK(unlink("whole") == 0);
	CHECK(mprof_recorder_recover(salvage_path, NULL, &recovery, &error) == MPROF_ERR_IO);
}

enum { ROUNDS = 300, KEYS_OF_ROUND = 300, WARM_ROUNDS = 50 };

static void define_again(unsigned round, unsigned number)
{
	char name[64];

	snprintf(name, sizeof(name), "%u:%u of a name of usual length", round, number);
	define_named(1, number, name);
}

/* The bytes of the salvage file that are not holes. */
static uint64_t salvage_bytes(void)
{
	struct stat status;

	CHECK(stat(salvage_path, &status) == 0);
	return (uint64_t)status.st_blocks * 512;
}

/* Defines the same keys with other names in each round. */
static void define_until_killed(void)
{
	const mprof_key_range range = {METHOD_KEY(1, 0), METHOD_KEY(1, KEYS_OF_ROUND)};
	mprof_thread *thread;

	open_recorder(&plain);
	CHECK(mprof_recorder_attach(recorder, 1, &thread) == MPROF_OK);
	for (unsigned round = 0;; round++) {
		for (unsigned i = 0; i < KEYS_OF_ROUND; i++) {
			define_again(round, i);
			mprof_thread_enter_method(thread, METHOD_KEY(1, i));
			atomic_fetch_add(&known->threads[1].calls, 1);
			mprof_thread_leave_method(thread, METHOD_KEY(1, i));
		}
		CHECK(mprof_recorder_retire_keys(recorder, &range, sizeof(range), 1) == MPROF_OK);
	}
}

/* Every call is in the log with the name that its key had then. */
static void check_redefinitions(uint64_t calls)
{
	mprof_event events[256];
	mprof_reader *reader;
	mprof_block block;
	uint64_t found = 0;
	size_t count;

	mprof_block_init(&block, sizeof(block));
	CHECK(mprof_reader_open_path(log_path, NULL, &reader) == MPROF_OK);
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		CHECK(mprof_reader_load(reader, &block) == MPROF_OK);
		while (block.kind == MPROF_BLOCK_EVENTS &&
		       mprof_reader_next_events(reader, events, 256, &count) == MPROF_OK) {
			for (size_t i = 0; i < count; i++) {
				mprof_mapping method;
				char expected[64];

				if (events[i].kind != MPROF_EVENT_METHOD_ENTER)
					continue;
				CHECK(mprof_reader_lookup_method(reader, events[i].id, &method, sizeof(method)) ==
				      MPROF_OK);
				snprintf(expected, sizeof(expected), "%u:%u of a name of usual length",
					 (unsigned)(found / KEYS_OF_ROUND), (unsigned)(found % KEYS_OF_ROUND));
				CHECK(strcmp(method.name, expected) == 0);
				found++;
			}
		}
	}
	mprof_reader_destroy(reader);
	CHECK(is_exact(found, calls));
}

/* The journal of a program that defines and retires all the time does not grow. */
static void test_redefinitions(void)
{
	mprof_recovery recovery;
	uint64_t warm;
	pid_t child;

	memset(known, 0, sizeof(*known));
	remove_files();
	child = fork();
	CHECK(child >= 0);
	if (child == 0)
		define_until_killed();
	while (recorded_calls() < WARM_ROUNDS * KEYS_OF_ROUND)
		sleep_microseconds(100);
	warm = salvage_bytes();
	while (recorded_calls() < ROUNDS * KEYS_OF_ROUND)
		sleep_microseconds(100);
	kill_program(child);
	/* Without a limit, it would have grown by 9 MiB. */
	CHECK(salvage_bytes() < warm + (UINT64_C(2) << 20));
	recover_log(&recovery);
	check_redefinitions(recorded_calls());
}

static void test_cut_log(void)
{
	mprof_recovery recovery = {.struct_size = sizeof(recovery)};
	mprof_error error = {.struct_size = sizeof(error)};
	pid_t child = start_program(&plain);

	while (recorded_calls() < 100000)
		sleep_microseconds(100);
	kill_program(child);
	CHECK(truncate(log_path, 100) == 0);
	CHECK(mprof_recorder_recover(salvage_path, NULL, &recovery, &error) == MPROF_ERR_TRUNCATED);
	CHECK(access(salvage_path, F_OK) == 0);
}

/* Overwrites bytes of a file that are not in a hole. */
static void damage(const char *path, unsigned seed)
{
	int fd = open(path, O_RDWR);
	off_t end;

	CHECK(fd >= 0);
	end = lseek(fd, 0, SEEK_HOLE);
	CHECK(end > 0);
	for (int i = 0; i < 40; i++) {
		unsigned char byte;
		off_t offset;

		seed = seed * 1103515245 + 12345;
		/* Half of them near the start, where the header is. */
		offset = (off_t)(seed / 7) % (i % 2 == 0 ? end : 16384);
		seed = seed * 1103515245 + 12345;
		byte = (unsigned char)(seed >> 16);
		CHECK(pwrite(fd, &byte, 1, offset) == 1);
	}
	close(fd);
}

/* A damaged file may lose events, but recovery ends, and never by a signal. */
static void test_damage(void)
{
	for (unsigned seed = 1; seed <= 12; seed++) {
		pid_t child = start_program(seed % 4 == 0 ? &small_ring : seed % 4 == 1 ? &compressed : &plain);
		pid_t reader;
		int status;

		while (recorded_calls() < 20000)
			sleep_microseconds(100);
		kill_program(child);
		damage(salvage_path, seed);
		reader = fork();
		CHECK(reader >= 0);
		if (reader == 0) {
			alarm(60);
			(void)mprof_recorder_recover(salvage_path, NULL, NULL, NULL);
			_exit(0);
		}
		CHECK(waitpid(reader, &status, 0) == reader && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
}

/* A recorder that is closed leaves nothing, and one that starts again takes the place of what a dead one left. */
static void test_closing(void)
{
	pid_t child = start_program(&plain);
	mprof_thread *thread;

	while (recorded_calls() < MIN_EVENTS)
		sleep_microseconds(100);
	kill_program(child);
	CHECK(access(salvage_path, F_OK) == 0);
	open_recorder(&plain);
	CHECK(mprof_recorder_attach(recorder, 1, &thread) == MPROF_OK);
	mprof_thread_enter_method(thread, METHOD_KEY(1, 0));
	mprof_thread_detach(thread);
	CHECK(mprof_recorder_close(recorder) == MPROF_OK);
	CHECK(access(salvage_path, F_OK) != 0);
	mprof_recorder_destroy(recorder);
}

/* What a child of fork() records is not in the buffers of its parent. */
static void test_fork(void)
{
	mprof_thread *thread;
	found log;
	pid_t child;
	int status;

	remove_files();
	open_recorder(&plain);
	for (unsigned i = 0; i < METHODS; i++)
		define_method(1, i);
	CHECK(mprof_recorder_attach(recorder, 1, &thread) == MPROF_OK);
	for (unsigned i = 0; i < 100; i++)
		mprof_thread_enter_method(thread, METHOD_KEY(1, i));
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		for (unsigned i = 0; i < 10000; i++)
			mprof_thread_enter_method(thread, METHOD_KEY(1, 7));
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	for (unsigned i = 100; i < 200; i++)
		mprof_thread_enter_method(thread, METHOD_KEY(1, i));
	mprof_thread_detach(thread);
	CHECK(mprof_recorder_close(recorder) == MPROF_OK);
	mprof_recorder_destroy(recorder);
	read_log(&log, 0);
	CHECK(log.calls[1] == 200);
}

int main(void)
{
	char absolute[128];

	CHECK(mkdtemp(directory) != NULL && chdir(directory) == 0);
	CHECK(getcwd(absolute, sizeof(absolute)) != NULL);
	snprintf(log_path, sizeof(log_path), "%s/a.mprof", absolute);
	snprintf(salvage_path, sizeof(salvage_path), "%s/a.mprof.salvage", absolute);
	known = mmap(NULL, sizeof(*known), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(known != MAP_FAILED);
	test_deaths();
	test_ring();
	test_refusals();
	test_redefinitions();
	test_cut_log();
	test_damage();
	test_closing();
	test_fork();
	remove_files();
	CHECK(chdir("..") == 0 && rmdir(directory) == 0);
	return 0;
}
