/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_switches.c
 * \brief Threads that switch between call stacks: the events in the log and their order.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <ucontext.h>

enum { METHOD_F = 1, METHOD_G = 2, METHOD_H = 3 };

static mprof_recorder *open_as(recorded_log *log, mprof_dialect dialect, uint32_t buffer_events)
{
	mprof_writer_options writer;
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_writer_options_init(&writer, sizeof(writer));
	writer.dialect = (uint32_t)dialect;
	writer.lossy = dialect != MPROF_DIALECT_MPROF2;
	mprof_recorder_options_init(&options, sizeof(options));
	options.writer = &writer;
	options.counter = counting_counter;
	options.buffer_events = buffer_events;
	recorder = recorded_log_open(log, &options);
	define_method(recorder, METHOD_F, 0, "F ()");
	define_method(recorder, METHOD_G, 0, "G ()");
	define_method(recorder, METHOD_H, 0, "H ()");
	return recorder;
}

static void finish(mprof_recorder *recorder, recorded_log *log)
{
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	mprof_recorder_destroy(recorder);
	recorded_log_read(log);
	cr_assert_eq(log->status, MPROF_END);
}

static void switch_to(mprof_thread *thread, uint64_t stack)
{
	cr_assert_eq(mprof_thread_switch_stack(thread, stack), MPROF_OK);
}

static void expect(const recorded_log *log, size_t position, mprof_event_kind kind, uint64_t value, const char *name)
{
	const recorded_event *found = &log->events[position];

	cr_assert_lt(position, log->event_count);
	cr_assert_eq(found->event.kind, kind, "event %zu is %s", position, mprof_event_get_name(found->event.kind));
	cr_assert_eq(found->event.value, value, "event %zu", position);
	cr_assert_str_eq(found->name, name, "event %zu", position);
}

static void record_on_two_stacks(mprof_thread *thread)
{
	mprof_thread_enter_method(thread, METHOD_F);
	switch_to(thread, 0x7f0012345678);
	mprof_thread_enter_method(thread, METHOD_G);
	switch_to(thread, 0);
	mprof_thread_leave_method(thread, 0);
	switch_to(thread, 0x7f0012345678);
	mprof_thread_leave_method(thread, METHOD_G);
	cr_assert_eq(mprof_thread_end_stack(thread, 0x7f0012345678), MPROF_OK);
	mprof_thread_enter_method(thread, METHOD_H);
	mprof_thread_leave_method(thread, 0);
}

Test(switches, leaves_are_those_of_the_stack_that_the_thread_is_on)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_as(&log, MPROF_DIALECT_MPROF2, 0);
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	record_on_two_stacks(thread);
	mprof_thread_detach(thread);
	finish(recorder, &log);
	cr_assert_eq(log.event_count, 10);
	expect(&log, 1, MPROF_EVENT_STACK_SWITCH, 0x7f0012345678, "");
	expect(&log, 2, MPROF_EVENT_METHOD_ENTER, 0, "G ()");
	expect(&log, 3, MPROF_EVENT_STACK_SWITCH, 0, "");
	expect(&log, 4, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, "");
	expect(&log, 5, MPROF_EVENT_STACK_SWITCH, 0x7f0012345678, "");
	expect(&log, 6, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, "");
	expect(&log, 7, MPROF_EVENT_STACK_END, 0x7f0012345678, "");
	expect(&log, 9, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, "");
	recorded_log_free(&log);
}

/* The switches are left out, and leaves name their methods. */
Test(switches, a_dialect_without_them_counts_what_is_left_out)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_as(&log, MPROF_DIALECT_MAIL, 0);
	mprof_writer_stats written = {.struct_size = sizeof(written)};
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	record_on_two_stacks(thread);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_get_writer_stats(recorder, &written), MPROF_OK);
	cr_assert_eq(written.left_out_events[MPROF_EVENT_STACK_SWITCH], 3);
	cr_assert_eq(written.left_out_events[MPROF_EVENT_STACK_END], 1);
	finish(recorder, &log);
	cr_assert_eq(log.event_count, 6);
	expect(&log, 2, MPROF_EVENT_METHOD_LEAVE, 0, "F ()");
	expect(&log, 3, MPROF_EVENT_METHOD_LEAVE, 0, "G ()");
	expect(&log, 5, MPROF_EVENT_METHOD_LEAVE, 0, "H ()");
	recorded_log_free(&log);
}

Test(switches, refuses_what_is_no_stack)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_as(&log, MPROF_DIALECT_MPROF2, 0);
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	cr_assert_eq(mprof_thread_switch_stack(NULL, 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_end_stack(NULL, 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_end_stack(thread, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_event(thread, MPROF_EVENT_STACK_END, 0, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_thread_record_event(thread, MPROF_EVENT_STACK_SWITCH, 0, 5), MPROF_OK);
	/* The thread is on this stack already. */
	switch_to(thread, 5);
	mprof_thread_detach(thread);
	finish(recorder, &log);
	/* The next handle with the ID starts on its own stack. */
	cr_assert_eq(log.event_count, 2);
	expect(&log, 0, MPROF_EVENT_STACK_SWITCH, 5, "");
	expect(&log, 1, MPROF_EVENT_STACK_SWITCH, 0, "");
	recorded_log_free(&log);
}

Test(switches, the_stack_is_repeated_after_a_pause)
{
	recorded_log log = {0};
	mprof_recorder *recorder = open_as(&log, MPROF_DIALECT_MPROF2, 0);
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	switch_to(thread, 5);
	mprof_thread_enter_method(thread, METHOD_F);
	cr_assert_eq(mprof_recorder_set_enabled(recorder, 0), MPROF_OK);
	switch_to(thread, 6);
	mprof_thread_enter_method(thread, METHOD_G);
	cr_assert_eq(mprof_thread_end_stack(thread, 8), MPROF_OK);
	cr_assert_eq(mprof_recorder_set_enabled(recorder, 1), MPROF_OK);
	mprof_thread_leave_method(thread, METHOD_G);
	switch_to(thread, 5);
	/* Its frames are not known any more: the leave has to name the method. */
	mprof_thread_leave_method(thread, METHOD_F);
	switch_to(thread, 0);
	mprof_thread_detach(thread);
	finish(recorder, &log);
	cr_assert_eq(log.event_count, 9);
	expect(&log, 2, MPROF_EVENT_STACK_END, 8, "");
	cr_assert_eq(log.events[3].event.kind, MPROF_EVENT_RECORDING_RESUMED);
	expect(&log, 4, MPROF_EVENT_STACK_SWITCH, 6, "");
	expect(&log, 5, MPROF_EVENT_METHOD_LEAVE, 0, "G ()");
	expect(&log, 6, MPROF_EVENT_STACK_SWITCH, 5, "");
	expect(&log, 7, MPROF_EVENT_METHOD_LEAVE, 0, "F ()");
	recorded_log_free(&log);
}

/* The profile of a log of these tests. */
typedef struct stats {
	mprof_profile_totals totals;
	mprof_method_stats methods[4]; /* By ID; IDs are assigned in the order of first use. */
} stats;

static stats read_profile(const recorded_log *log)
{
	stats found = {.totals.struct_size = sizeof(found.totals)};
	mprof_profile_options options;
	mprof_profile *profile;
	mprof_reader *reader;

	mprof_profile_options_init(&options, sizeof(options));
	/* Times are values of the counter of the tests. */
	options.raw_counters = 1;
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	cr_assert_eq(mprof_profile_create(&options, &profile), MPROF_OK);
	cr_assert_eq(mprof_profile_read(profile, reader, NULL, NULL), MPROF_OK);
	cr_assert_eq(mprof_profile_get_row(profile, MPROF_TABLE_TOTALS, 0, &found.totals), MPROF_OK);
	for (size_t i = 0; i < mprof_profile_get_row_count(profile, MPROF_TABLE_METHODS); i++) {
		mprof_method_stats method = {.struct_size = sizeof(method)};

		cr_assert_eq(mprof_profile_get_row(profile, MPROF_TABLE_METHODS, i, &method), MPROF_OK);
		cr_assert_leq(method.id, 3);
		found.methods[method.id] = method;
	}
	mprof_profile_destroy(profile);
	mprof_reader_destroy(reader);
	return found;
}

/* No event of a stack has a counter less than that of the previous event of the stack in the log, on any thread. */
static void expect_stacks_in_order(const recorded_log *log, uint64_t threads, uint64_t stacks)
{
	uint64_t *running = calloc(threads + 1, sizeof(*running));
	uint64_t *latest = calloc(stacks + 1, sizeof(*latest));

	for (size_t i = 0; i < log->event_count; i++) {
		const recorded_event *found = &log->events[i];
		uint64_t *stack = &running[found->thread];

		if (*stack != 0) {
			cr_assert_geq(found->event.counter, latest[*stack], "event %zu", i);
			latest[*stack] = found->event.counter;
		}
		if (found->event.kind == MPROF_EVENT_STACK_SWITCH) {
			*stack = found->event.value;
			cr_assert_geq(found->event.counter, latest[*stack], "event %zu", i);
			latest[*stack] = *stack != 0 ? found->event.counter : 0;
		}
	}
	free(running);
	free(latest);
}

enum { THREADS = 4, STACKS = 40, STEPS = 20000, DEEPEST = 20 };

/* Stacks that are free, for any thread to run, as in a scheduler. */
typedef struct stack_queue {
	pthread_mutex_t lock;
	uint64_t stacks[STACKS];
	size_t first;
	size_t count;
	uint32_t depths[STACKS + 1];
	mprof_recorder *recorder;
	_Atomic uint64_t threads;
	_Atomic uint64_t enters;
} stack_queue;

static uint64_t queue_take(stack_queue *queue)
{
	uint64_t stack = 0;

	pthread_mutex_lock(&queue->lock);
	if (queue->count > 0) {
		stack = queue->stacks[queue->first];
		queue->first = (queue->first + 1) % STACKS;
		queue->count--;
	}
	pthread_mutex_unlock(&queue->lock);
	return stack;
}

static void queue_give(stack_queue *queue, uint64_t stack)
{
	pthread_mutex_lock(&queue->lock);
	queue->stacks[(queue->first + queue->count++) % STACKS] = stack;
	pthread_mutex_unlock(&queue->lock);
}

/* Some calls on a stack, starting at the depth at which the previous thread stopped. */
static void run_stack(stack_queue *queue, mprof_thread *thread, uint64_t stack, uint32_t *random)
{
	uint32_t *depth = &queue->depths[stack];

	for (int i = 0; i < 5; i++) {
		*random = *random * 1664525 + 1013904223;
		if (*depth < DEEPEST && (*depth == 0 || (*random >> 16 & 1) != 0)) {
			mprof_thread_enter_method(thread, 1 + stack % 3);
			atomic_fetch_add(&queue->enters, 1);
			++*depth;
		} else {
			mprof_thread_leave_method(thread, 0);
			--*depth;
		}
	}
}

static void *run_stacks(void *user)
{
	stack_queue *queue = user;
	uint64_t id = atomic_fetch_add(&queue->threads, 1) + 1;
	uint32_t random = (uint32_t)id;
	mprof_thread *thread;

	cr_assert_eq(mprof_recorder_attach(queue->recorder, id, &thread), MPROF_OK);
	for (int i = 0; i < STEPS; i++) {
		uint64_t stack = queue_take(queue);

		if (stack == 0)
			continue;
		switch_to(thread, stack);
		run_stack(queue, thread, stack, &random);
		/* The thread switches away from a stack before another thread takes it. */
		switch_to(thread, 0);
		queue_give(queue, stack);
		mprof_thread_enter_method(thread, METHOD_H);
		mprof_thread_leave_method(thread, METHOD_H);
	}
	mprof_thread_detach(thread);
	return NULL;
}

Test(switches, stacks_go_from_thread_to_thread, .timeout = 120)
{
	recorded_log log = {0};
	stack_queue queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .count = STACKS};
	pthread_t threads[THREADS];
	mprof_recorder_options options;
	uint64_t open = 0;
	stats found;

	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = counting_counter;
	options.buffer_events = 128;
	options.max_buffers = 8;
	options.drain_interval_ms = 1;
	queue.recorder = recorded_log_open(&log, &options);
	define_method(queue.recorder, METHOD_F, 0, "F ()");
	define_method(queue.recorder, METHOD_G, 0, "G ()");
	define_method(queue.recorder, METHOD_H, 0, "H ()");
	for (uint64_t i = 0; i < STACKS; i++)
		queue.stacks[i] = i + 1;
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, run_stacks, &queue), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	finish(queue.recorder, &log);
	expect_stacks_in_order(&log, THREADS, STACKS);
	for (int i = 1; i <= STACKS; i++)
		open += queue.depths[i];
	found = read_profile(&log);
	cr_assert_eq(found.totals.unmatched_leaves, 0);
	cr_assert_eq(found.totals.unclosed_frames, open);
	cr_assert_eq(found.totals.lost_events, 0);
	cr_assert_geq(found.totals.calls, atomic_load(&queue.enters));
	recorded_log_free(&log);
}

/* Recording is what needs memory here: the coroutines themselves were created before. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

enum { COROUTINES = 20000, COROUTINE_BYTES = 16384 };

static ucontext_t scheduler;
static ucontext_t *coroutines;
static mprof_thread *scheduled;
static _Atomic uint64_t clock_now = 1;

static uint64_t read_clock(void *user)
{
	(void)user;
	return atomic_load(&clock_now);
}

static void pass(uint64_t counters)
{
	atomic_fetch_add(&clock_now, counters);
}

static void coroutine(unsigned number)
{
	swapcontext(&coroutines[number], &scheduler);
	mprof_thread_enter_method(scheduled, METHOD_F);
	pass(1);
	mprof_thread_enter_method(scheduled, METHOD_G);
	pass(2);
	swapcontext(&coroutines[number], &scheduler);
	pass(3);
	mprof_thread_leave_method(scheduled, 0);
	pass(4);
	mprof_thread_leave_method(scheduled, METHOD_F);
	swapcontext(&coroutines[number], &scheduler);
}

/* Not inlined into the loop, since getcontext() may return twice. */
__attribute__((noinline)) static void create_coroutine(unsigned number, char *stack)
{
	cr_assert_eq(getcontext(&coroutines[number]), 0);
	coroutines[number].uc_stack.ss_sp = stack;
	coroutines[number].uc_stack.ss_size = COROUTINE_BYTES;
	makecontext(&coroutines[number], (void (*)(void))coroutine, 1, number);
	swapcontext(&scheduler, &coroutines[number]);
}

static void create_coroutines(char *memory)
{
	for (unsigned i = 0; i < COROUTINES; i++)
		create_coroutine(i, memory + (size_t)i * COROUTINE_BYTES);
}

/* Runs a coroutine until it yields; the number of its stack is its address. */
static void resume(unsigned number)
{
	pass(10);
	switch_to(scheduled, (uint64_t)(uintptr_t)&coroutines[number]);
	swapcontext(&scheduler, &coroutines[number]);
}

static long peak_kilobytes(void)
{
	struct rusage usage;

	cr_assert_eq(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_maxrss;
}

Test(switches, twenty_thousand_coroutines, .timeout = 120)
{
	recorded_log log = {0};
	char *memory = malloc((size_t)COROUTINES * COROUTINE_BYTES);
	mprof_recorder_options options;
	mprof_recorder *recorder;
	long before;
	stats found;

	coroutines = calloc(COROUTINES, sizeof(*coroutines));
	create_coroutines(memory);
	before = peak_kilobytes();
	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = read_clock;
	recorder = recorded_log_open(&log, &options);
	define_method(recorder, METHOD_H, 0, "H ()");
	define_method(recorder, METHOD_F, 0, "F ()");
	define_method(recorder, METHOD_G, 0, "G ()");
	cr_assert_eq(mprof_recorder_attach(recorder, 7, &scheduled), MPROF_OK);
	mprof_thread_enter_method(scheduled, METHOD_H);
	for (unsigned i = 0; i < COROUTINES; i++) {
		resume(i);
		switch_to(scheduled, 0);
	}
	for (unsigned i = COROUTINES; i-- > 0;) {
		resume(i);
		cr_assert_eq(mprof_thread_end_stack(scheduled, (uint64_t)(uintptr_t)&coroutines[i]), MPROF_OK);
	}
	mprof_thread_leave_method(scheduled, METHOD_H);
	mprof_thread_detach(scheduled);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_assert_lt(peak_kilobytes() - before, 100 << 10);
	mprof_recorder_destroy(recorder);

	found = read_profile(&log);
	/* IDs follow the order of first use: H, F, G. */
	cr_assert_eq(found.methods[1].calls, 1);
	cr_assert_eq(found.methods[1].self_ns, 20 * (uint64_t)COROUTINES);
	cr_assert_eq(found.methods[1].total_ns, 20 * (uint64_t)COROUTINES);
	cr_assert_eq(found.methods[2].calls, COROUTINES);
	cr_assert_eq(found.methods[2].self_ns, 5 * (uint64_t)COROUTINES);
	cr_assert_eq(found.methods[2].total_ns, 10 * (uint64_t)COROUTINES);
	cr_assert_eq(found.methods[3].calls, COROUTINES);
	cr_assert_eq(found.methods[3].self_ns, 5 * (uint64_t)COROUTINES);
	cr_assert_eq(found.totals.unmatched_leaves, 0);
	cr_assert_eq(found.totals.unclosed_frames, 0);
	cr_assert_eq(found.totals.method_ns, 30 * (uint64_t)COROUTINES);
	recorded_log_free(&log);
	free(coroutines);
	free(memory);
}

#endif
