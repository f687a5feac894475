/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_unload_stress.c
 * \brief Threads that load, run and unload code repeatedly, at addresses that are reused: no event gets a wrong name.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, GENERATIONS = 250, METHODS = 24, CALLS = 4, MISSED_LEAVE = 8 };

/* The method whose last leave is missed. */
#define LEFT_ON_TOP (METHODS - MISSED_LEAVE)

/* The data of a runtime for a class and its methods, whose addresses are the keys. */
typedef struct image {
	struct image *next; /**< In the list of freed images. */
	char klass[64];
	char methods[METHODS][64];
} image;

typedef struct loader {
	mprof_recorder *recorder;
	pthread_mutex_t lock;
	image *freed; /**< Newest first, so that another thread soon gets the memory that one thread freed. */
	uint64_t reused;
	_Atomic int stop;
} loader;

typedef struct worker {
	loader *shared;
	uint64_t id;
	pthread_t handle;
} worker;

static image *take_memory(loader *shared)
{
	image *memory;

	pthread_mutex_lock(&shared->lock);
	memory = shared->freed;
	if (memory != NULL) {
		shared->freed = memory->next;
		shared->reused++;
	}
	pthread_mutex_unlock(&shared->lock);
	return memory != NULL ? memory : malloc(sizeof(*memory));
}

static void give_memory(loader *shared, image *memory, uint64_t generation)
{
	memset(memory, 0xdd, sizeof(*memory));
	if (generation % 8 == 0) {
		free(memory);
		return;
	}
	pthread_mutex_lock(&shared->lock);
	memory->next = shared->freed;
	shared->freed = memory;
	pthread_mutex_unlock(&shared->lock);
}

static mprof_key key_of(const void *structure)
{
	return (mprof_key)(uintptr_t)structure;
}

static void make_class_name(char *name, size_t size, uint64_t thread, uint64_t generation)
{
	snprintf(name, size, "T%d.G%d", (int)thread, (int)generation);
}

static image *load(worker *copy, uint64_t generation)
{
	image *loaded = take_memory(copy->shared);

	if (loaded == NULL)
		return NULL;
	make_class_name(loaded->klass, sizeof(loaded->klass), copy->id, generation);
	define_class(copy->shared->recorder, key_of(loaded->klass), loaded->klass);
	for (int i = 0; i < METHODS; i++) {
		/* The same names repeatedly: only the class distinguishes their threads and generations. */
		snprintf(loaded->methods[i], sizeof(loaded->methods[i]), "M%d ()", i);
		define_method(copy->shared->recorder, key_of(loaded->methods[i]), key_of(loaded->klass),
			      loaded->methods[i]);
	}
	return loaded;
}

static void run(worker *copy, mprof_thread *thread, const image *loaded, uint64_t generation)
{
	/* An event without a counter, before any event that has one. */
	mprof_thread_record_allocation(thread, key_of(loaded->klass), generation);
	/* Later events are of this generation. */
	mprof_thread_record_event(thread, MPROF_EVENT_GC_RESIZE, 0, generation);
	/* Often the key of the method that the previous generation left on top of the stack. */
	mprof_thread_leave_method(thread, key_of(loaded->methods[LEFT_ON_TOP]));
	for (int i = 0; i < METHODS * CALLS; i++) {
		/* All stacks have the same outermost method, so the same key if the address was reused. */
		const mprof_frame frames[] = {key_of(loaded->methods[i % METHODS]),
					      key_of(loaded->methods[METHODS - 1])};

		mprof_thread_enter_method(thread, frames[0]);
		mprof_thread_record_allocation(thread, key_of(loaded->klass), generation);
		if (i % 4 == 0)
			mprof_thread_record_monitor(thread, MPROF_MONITOR_ACQUIRED, key_of(loaded->klass), 8, frames,
						    2);
		if (i % 16 == 0)
			mprof_recorder_record_sample(copy->shared->recorder, copy->id, frames, 2);
		/* Some methods are left by an exception that is not recorded. */
		if (i % MISSED_LEAVE != 0)
			mprof_thread_leave_method(thread, frames[0]);
	}
}

static void *work(void *argument)
{
	worker *copy = argument;
	mprof_thread *thread;

	if (mprof_recorder_attach(copy->shared->recorder, copy->id, &thread) != MPROF_OK)
		return copy;
	for (uint64_t generation = 1; generation <= GENERATIONS; generation++) {
		image *loaded = load(copy, generation);
		mprof_key_range range;

		if (loaded == NULL)
			return copy;
		run(copy, thread, loaded, generation);
		range.first = key_of(loaded);
		range.last = key_of(loaded) + sizeof(*loaded) - 1;
		if (mprof_recorder_retire_keys(copy->shared->recorder, &range, sizeof(range), 1) != MPROF_OK)
			return copy;
		give_memory(copy->shared, loaded, generation);
	}
	mprof_thread_detach(thread);
	return NULL;
}

static void *drain_without_end(void *argument)
{
	loader *shared = argument;

	while (!atomic_load(&shared->stop)) {
		if (mprof_recorder_drain(shared->recorder) != MPROF_OK)
			return argument;
	}
	return NULL;
}

/* A frame of the call stack in the reader. */
typedef struct seen_frame {
	uint32_t method;
	uint32_t generation;
} seen_frame;

/* The events of a thread that were read. */
typedef struct seen_thread {
	uint64_t begins[GENERATIONS + 1]; /* First counter of each generation. */
	uint64_t generation;
	seen_frame stack[GENERATIONS * METHODS * CALLS];
	size_t depth;
} seen_thread;

static seen_thread seen[THREADS + 1];

static int is_class_of(const char *name, uint64_t thread, uint64_t generation)
{
	char expected[32];

	make_class_name(expected, sizeof(expected), thread, generation);
	return strcmp(name, expected) == 0;
}

/* Whether a method is one of a generation, which is part of the name of its class. */
static int is_method_of(mprof_reader *reader, uint32_t id, uint64_t thread, uint64_t generation)
{
	mprof_mapping method;
	mprof_mapping class;

	if (mprof_reader_lookup_method(reader, id, &method, sizeof(method)) != MPROF_OK ||
	    mprof_reader_lookup_class(reader, method.class_id, &class, sizeof(class)) != MPROF_OK)
		return 0;
	return is_class_of(class.name, thread, generation);
}

static int is_stack_of(mprof_reader *reader, uint32_t stack, uint64_t thread, uint64_t generation)
{
	mprof_stack_frame frames[4];
	size_t count;

	return mprof_reader_lookup_stack(reader, stack, frames, sizeof(*frames), 4, &count) == MPROF_OK && count == 2 &&
	       is_method_of(reader, frames[0].id, thread, generation) &&
	       is_method_of(reader, frames[1].id, thread, generation);
}

static uint64_t generation_at(const seen_thread *thread, uint64_t counter)
{
	uint64_t generation = thread->generation;

	while (generation > 0 && thread->begins[generation] > counter)
		generation--;
	return generation;
}

/* A leave that names its method ends the frames above it too, or nothing. */
static void leave(seen_thread *thread, uint32_t method)
{
	for (size_t depth = thread->depth; depth > 0; depth--) {
		if (thread->stack[depth - 1].method == method) {
			thread->depth = depth - 1;
			return;
		}
	}
}

static void check_call(mprof_reader *reader, uint64_t id, const mprof_event *event)
{
	seen_thread *thread = &seen[id];

	if (event->kind == MPROF_EVENT_METHOD_LEAVE_IMPLICIT) {
		cr_assert_gt(thread->depth, 0);
		cr_assert_eq(thread->stack[--thread->depth].generation, thread->generation);
		return;
	}
	cr_assert(is_method_of(reader, event->id, id, thread->generation));
	if (event->kind == MPROF_EVENT_METHOD_ENTER)
		thread->stack[thread->depth++] = (seen_frame){event->id, (uint32_t)thread->generation};
	else
		leave(thread, event->id);
}

static void check_event(mprof_reader *reader, uint64_t id, const mprof_event *event)
{
	seen_thread *thread = &seen[id];
	mprof_mapping class;

	switch (event->kind) {
	case MPROF_EVENT_GC_RESIZE:
		cr_assert_eq(event->value, ++thread->generation);
		thread->begins[event->value] = event->counter;
		break;
	case MPROF_EVENT_METHOD_ENTER:
	case MPROF_EVENT_METHOD_LEAVE:
	case MPROF_EVENT_METHOD_LEAVE_IMPLICIT:
		check_call(reader, id, event);
		break;
	case MPROF_EVENT_MONITOR:
		cr_assert(is_stack_of(reader, event->more.detail->stack, id, thread->generation));
		break;
	case MPROF_EVENT_ALLOCATION:
		cr_assert_eq(mprof_reader_lookup_class(reader, event->id, &class, sizeof(class)), MPROF_OK);
		cr_assert(is_class_of(class.name, id, event->value), "%s", class.name);
		break;
	case MPROF_EVENT_SAMPLE:
		cr_assert(is_stack_of(reader, (uint32_t)event->value, id, generation_at(thread, event->counter)));
		break;
	default:
		cr_assert(0, "an event that was not recorded");
	}
}

/* Reads the log: first the events, so that the generation of each sample is known, then the samples. */
static void check_log(const recorded_log *log, mprof_block_kind kind, uint64_t expected)
{
	mprof_reader_options options;
	mprof_reader *reader;
	mprof_block block;
	mprof_event events[256];
	mprof_status status;
	uint64_t total = 0;
	size_t count;

	mprof_reader_options_init(&options, sizeof(options));
	options.keep_implicit_leaves = 1;
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, &options, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		while (block.kind == (uint32_t)kind &&
		       mprof_reader_next_events(reader, events, 256, &count) == MPROF_OK) {
			cr_assert(block.thread > 0 && block.thread <= THREADS);
			for (size_t i = 0; i < count; i++)
				check_event(reader, block.thread, &events[i]);
			total += count;
		}
	}
	cr_assert_eq(status, MPROF_END);
	cr_assert_eq(total, expected);
	mprof_reader_destroy(reader);
}

static void run_all(loader *shared)
{
	worker workers[THREADS];
	pthread_t drainer;
	void *failed;

	cr_assert_eq(pthread_create(&drainer, NULL, drain_without_end, shared), 0);
	for (uint64_t i = 0; i < THREADS; i++) {
		workers[i] = (worker){shared, i + 1, 0};
		cr_assert_eq(pthread_create(&workers[i].handle, NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(workers[i].handle, &failed);
		cr_assert_null(failed);
	}
	atomic_store(&shared->stop, 1);
	pthread_join(drainer, &failed);
	cr_assert_null(failed);
}

Test(unload_stress, no_event_gets_a_wrong_name, .timeout = 300)
{
	static loader shared = {.lock = PTHREAD_MUTEX_INITIALIZER};
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};
	const uint64_t calls = (uint64_t)THREADS * GENERATIONS * METHODS * CALLS;

	mprof_recorder_options_init(&options, sizeof(options));
	options.buffer_events = 256;
	options.max_buffers = 4;
	options.drain_interval_ms = 1;
	shared.recorder = recorded_log_open(&log, &options);
	run_all(&shared);
	cr_assert_eq(mprof_recorder_close(shared.recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_get_stats(shared.recorder, &stats), MPROF_OK);
	cr_assert_eq(stats.lost_events, 0);
	cr_assert_eq(stats.unresolved_keys, 0);
	/* Each generation is new, whatever its names and addresses are. */
	cr_assert_eq(stats.classes, THREADS * GENERATIONS);
	cr_assert_eq(stats.methods, THREADS * GENERATIONS * METHODS);
	cr_assert_gt(shared.reused, THREADS * GENERATIONS / 2);
	mprof_recorder_destroy(shared.recorder);
	check_log(&log, MPROF_BLOCK_EVENTS, calls * 3 - calls / MISSED_LEAVE + calls / 4 + 3 * THREADS * GENERATIONS);
	check_log(&log, MPROF_BLOCK_SAMPLES, calls / 16);
	recorded_log_free(&log);
	while (shared.freed != NULL) {
		image *next = shared.freed->next;

		free(shared.freed);
		shared.freed = next;
	}
}
