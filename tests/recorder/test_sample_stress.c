/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_sample_stress.c
 * \brief Samples in signal handlers at 10 kHz, in threads that record all the time and are started and ended.
 *
 * Each call of the handler must be in the log as a sample or as a loss, and each sample must be complete. Runs for two
 * seconds, or for the number of seconds in the variable MPROF_STRESS_SECONDS.
 */
#include "format/events/event_kinds.h"

#include <mprof.h>

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

#if defined(__linux__) && defined(SIGEV_THREAD_ID)

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { THREADS = 4, DEPTH = 40, INTERVAL_NS = 100000, FIRST_THREAD = 100 };

#define METHOD_KEY(depth) (UINT64_C(0x10000) + (uint64_t)(depth)*16)
#define CLASS_KEY UINT64_C(0x90000)

typedef struct worker {
	int number;
	pthread_t handle;
	timer_t timer;
	/* Call stack for the handler: methods 0 to depth - 1. */
	volatile sig_atomic_t depth;
	/* Incremented by the handler of any signal, which may interrupt itself. */
	_Atomic uint64_t calls;
	_Atomic uint64_t recorded;
	_Atomic uint64_t errno_changed;
	uint64_t enters;
	uint64_t allocations;
	uint64_t handles;
} worker;

static mprof_recorder *recorder;
static atomic_int stopping;
static worker workers[THREADS];
static _Thread_local worker *self;

/* The innermost method first, and native code outermost. */
static size_t make_chain(mprof_frame *frames, size_t depth)
{
	for (size_t i = 0; i < depth; i++)
		frames[i] = METHOD_KEY(depth - 1 - i);
	frames[depth] = MPROF_FRAME_NATIVE | (uint64_t)(uintptr_t)&make_chain;
	return depth + 1;
}

static void handle_signal(int number)
{
	mprof_frame frames[DEPTH + 1];
	worker *copy = self;
	int before = errno;
	size_t count;

	(void)number;
	if (copy == NULL)
		return;
	count = make_chain(frames, (size_t)copy->depth);
	atomic_fetch_add(&copy->calls, 1);
	errno = 12345;
	if (mprof_recorder_record_sample(recorder, (uint64_t)(FIRST_THREAD + copy->number), frames, count))
		atomic_fetch_add(&copy->recorded, 1);
	if (errno != 12345)
		atomic_fetch_add(&copy->errno_changed, 1);
	errno = before;
}

static void start_timer(worker *copy)
{
	struct sigevent event;
	struct itimerspec interval = {{0, INTERVAL_NS}, {0, INTERVAL_NS}};

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = SIGPROF;
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	cr_assert_eq(timer_create(CLOCK_MONOTONIC, &event, &copy->timer), 0);
	cr_assert_eq(timer_settime(copy->timer, 0, &interval, NULL), 0);
}

/* Does some work between events, so that logs stay small. */
static void compute(void)
{
	for (volatile int i = 0; i < 3000; i++)
		;
}

/* One attachment: enters and leaves methods. */
static void record(worker *copy, mprof_thread *thread)
{
	mprof_frame frames[DEPTH + 1];

	for (int round = 0; round < 20 && !atomic_load(&stopping); round++) {
		for (int depth = 0; depth < DEPTH; depth++) {
			mprof_thread_enter_method(thread, METHOD_KEY(depth));
			copy->depth = depth + 1;
			copy->enters++;
			compute();
			if (depth % 8 == 0) {
				mprof_thread_record_allocation_detailed(thread, CLASS_KEY, 24,
									0x1000 + (uint64_t)depth * 8, frames,
									make_chain(frames, (size_t)depth + 1));
				copy->allocations++;
			}
		}
		for (int depth = DEPTH - 1; depth >= 0; depth--) {
			mprof_thread_leave_method(thread, METHOD_KEY(depth));
			copy->depth = depth;
			compute();
		}
	}
}

static void *work(void *argument)
{
	worker *copy = argument;

	self = copy;
	start_timer(copy);
	while (!atomic_load(&stopping)) {
		mprof_thread *thread;

		if (mprof_recorder_attach(recorder, (uint64_t)(FIRST_THREAD + copy->number), &thread) != MPROF_OK)
			return copy;
		copy->handles++;
		record(copy, thread);
		mprof_thread_detach(thread);
	}
	timer_delete(copy->timer);
	return NULL;
}

static void define(mprof_key key, const char *name, int is_method)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	cr_assert_eq(is_method ? mprof_recorder_define_method(recorder, key, &description)
			       : mprof_recorder_define_class(recorder, key, &description),
		     MPROF_OK);
}

static void open_recorder(int fd)
{
	mprof_recorder_options options;
	char name[16];

	mprof_recorder_options_init(&options, sizeof(options));
	options.allocation_detail =
		MPROF_ALLOCATION_DETAIL_CALLER | MPROF_ALLOCATION_DETAIL_STACK | MPROF_ALLOCATION_DETAIL_OBJECT;
	options.buffer_events = 256;
	options.drain_interval_ms = 20;
	/* Little memory, so that it is sometimes used up. */
	options.max_sample_bytes = UINT64_C(512) << 10;
	cr_assert_eq(mprof_recorder_open_fd(fd, &options, &recorder, NULL), MPROF_OK);
	for (int depth = 0; depth < DEPTH; depth++) {
		snprintf(name, sizeof(name), "M%d", depth);
		define(METHOD_KEY(depth), name, 1);
	}
	define(CLASS_KEY, "C", 0);
}

/* Sends other signals and requests rounds while the workers run. */
static void disturb(double seconds)
{
	struct timespec pause = {0, 700000};
	struct timespec begin;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		nanosleep(&pause, NULL);
		for (int i = 0; i < THREADS; i++)
			pthread_kill(workers[i].handle, SIGUSR2);
		if (pause.tv_nsec % 7 == 0)
			(void)mprof_recorder_drain(recorder);
		pause.tv_nsec = 600000 + (pause.tv_nsec * 31 + 17) % 400000;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - begin.tv_sec) + (double)(now.tv_nsec - begin.tv_nsec) * 1e-9 < seconds);
}

/* The content of the log. */
typedef struct contents {
	uint64_t kinds[EVENT_KIND_COUNT];
	uint64_t samples[THREADS];
	uint64_t lost[LOSS_CAUSE_COUNT];
} contents;

/* Methods in descending order from the innermost one, then native code. */
static void check_chain(const mprof_reader *reader, uint32_t stack)
{
	mprof_stack_frame frames[DEPTH + 2];
	mprof_mapping method;
	char name[16];
	size_t count;

	cr_assert_eq(mprof_reader_lookup_stack(reader, stack, frames, sizeof(*frames), DEPTH + 2, &count), MPROF_OK);
	cr_assert(count >= 1 && count <= DEPTH + 1);
	cr_assert(frames[count - 1].is_native);
	for (size_t i = 0; i + 1 < count; i++) {
		cr_assert_not(frames[i].is_native);
		cr_assert_eq(mprof_reader_lookup_method(reader, frames[i].id, &method, sizeof(method)), MPROF_OK);
		snprintf(name, sizeof(name), "M%zu", count - 2 - i);
		cr_assert_str_eq(method.name, name);
	}
}

static void read_block(mprof_reader *reader, const mprof_block *block, contents *found)
{
	mprof_event events[256];
	mprof_status status;
	size_t count;

	do {
		status = mprof_reader_next_events(reader, events, 256, &count);
		for (size_t i = 0; i < count; i++) {
			found->kinds[events[i].kind]++;
			if (events[i].kind == MPROF_EVENT_SAMPLE) {
				cr_assert_lt(block->thread - FIRST_THREAD, THREADS);
				found->samples[block->thread - FIRST_THREAD]++;
				check_chain(reader, (uint32_t)events[i].value);
			} else if (events[i].kind == MPROF_EVENT_ALLOCATION) {
				check_chain(reader, events[i].more.detail->stack);
			}
		}
	} while (status == MPROF_OK);
	cr_assert_eq(status, MPROF_END);
}

static void read_log(int fd, contents *found)
{
	mprof_reader *reader;
	mprof_block block;
	mprof_status status;
	mprof_session session;

	memset(found, 0, sizeof(*found));
	cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
	cr_assert_eq(mprof_reader_open_fd(fd, NULL, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		if (block.kind == MPROF_BLOCK_EVENTS || block.kind == MPROF_BLOCK_SAMPLES)
			read_block(reader, &block, found);
		for (int cause = 0; block.kind == MPROF_BLOCK_LOST && cause < LOSS_CAUSE_COUNT; cause++)
			found->lost[cause] += block.as.lost.counts[cause];
	}
	cr_assert_eq(status, MPROF_END, "%s", mprof_status_get_text(status));
	session.struct_size = sizeof(session);
	cr_assert_eq(mprof_reader_get_session(reader, &session), MPROF_OK);
	cr_assert(session.complete);
	mprof_reader_destroy(reader);
}

static void check_log(const contents *found)
{
	uint64_t lost = 0;
	uint64_t enters = 0;
	uint64_t allocations = 0;

	for (int i = 0; i < THREADS; i++) {
		const worker *copy = &workers[i];
		uint64_t calls = atomic_load(&copy->calls);
		uint64_t recorded = atomic_load(&copy->recorded);

		cr_assert_gt(recorded, 0);
		cr_assert_eq(found->samples[i], recorded);
		cr_assert_eq(atomic_load(&copy->errno_changed), 0);
		cr_assert_gt(copy->handles, 0);
		lost += calls - recorded;
		enters += copy->enters;
		allocations += copy->allocations;
		cr_log_info("thread %d: %llu calls, %llu recorded, %llu times attached", i, (unsigned long long)calls,
			    (unsigned long long)recorded, (unsigned long long)copy->handles);
	}
	cr_assert_eq(found->lost[MPROF_LOSS_NO_SAMPLE_ROOM], lost);
	for (int cause = 0; cause < LOSS_CAUSE_COUNT; cause++)
		cr_assert(cause == MPROF_LOSS_NO_SAMPLE_ROOM || found->lost[cause] == 0);
	cr_assert_eq(found->kinds[MPROF_EVENT_METHOD_ENTER], enters);
	cr_assert_eq(found->kinds[MPROF_EVENT_METHOD_LEAVE] + found->kinds[MPROF_EVENT_METHOD_LEAVE_IMPLICIT], enters);
	cr_assert_eq(found->kinds[MPROF_EVENT_ALLOCATION], allocations);
}

Test(sample_stress, every_call_of_the_handler_is_accounted_for, .timeout = 600)
{
	const char *wanted = getenv("MPROF_STRESS_SECONDS");
	char path[] = "sample-stress-XXXXXX";
	int fd = mkstemp(path);
	struct sigaction action;
	static contents found;

	cr_assert_geq(fd, 0);
	unlink(path);
	open_recorder(fd);
	memset(&action, 0, sizeof(action));
	action.sa_handler = handle_signal;
	action.sa_flags = SA_RESTART;
	sigaction(SIGPROF, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	for (int i = 0; i < THREADS; i++) {
		workers[i].number = i;
		cr_assert_eq(pthread_create(&workers[i].handle, NULL, work, &workers[i]), 0);
	}
	disturb(wanted != NULL ? atof(wanted) : 2.0);
	atomic_store(&stopping, 1);
	for (int i = 0; i < THREADS; i++) {
		void *failed;

		pthread_join(workers[i].handle, &failed);
		cr_assert_null(failed);
	}
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	read_log(fd, &found);
	close(fd);
	check_log(&found);
}

#else

Test(sample_stress, every_call_of_the_handler_is_accounted_for)
{
	cr_skip_test("needs timers that send signals to a thread");
}

#endif
