/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_heap_stress.c
 * \brief A heap snapshot in every collection while many objects are allocated: all threads stop at safe points, one of
 * them visits the heap, and the log accounts for every object.
 */
#include "heap_log.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, PLACES = 600, ROUNDS = 60, ALLOCATIONS = 400, CLASSES = 4, METHOD = 0x7000 };

#define CLASS_KEY(number) (UINT64_C(0x5000) + (uint64_t)(number)*96)
#define ADDRESS(position) (UINT64_C(0x7f4500000000) + (uint64_t)(position)*32)

typedef struct stress_object {
	int class_number; /* -1 for a free place. */
	uint64_t size;
	int is_reachable;
} stress_object;

typedef struct stress {
	mprof_recorder *recorder;
	pthread_barrier_t stopped; /* All threads are at a safe point. */
	pthread_barrier_t started; /* The world runs again. */
	pthread_mutex_t lock;      /* Protects the heap below. */
	stress_object heap[PLACES];
	uint64_t allocated[CLASSES];
	uint64_t allocated_bytes[CLASSES];
	uint64_t moved;
	uint32_t random;
} stress;

typedef struct stress_thread {
	stress *shared;
	int number;
	pthread_t handle;
} stress_thread;

static uint32_t next_random(stress *shared)
{
	shared->random ^= shared->random << 13;
	shared->random ^= shared->random >> 17;
	shared->random ^= shared->random << 5;
	return shared->random;
}

/* Uses a free place, or that of an unreachable object, whose death no snapshot has reported. */
static void allocate(stress *shared, mprof_thread *thread)
{
	stress_object *object;
	size_t position;

	pthread_mutex_lock(&shared->lock);
	position = next_random(shared) % PLACES;
	object = &shared->heap[position];
	if (object->class_number < 0 || !object->is_reachable) {
		object->class_number = (int)(next_random(shared) % CLASSES);
		object->size = 16 + next_random(shared) % 100;
		object->is_reachable = 1;
		shared->allocated[object->class_number]++;
		shared->allocated_bytes[object->class_number] += object->size;
		mprof_thread_record_allocation_detailed(thread, CLASS_KEY(object->class_number), object->size,
							ADDRESS(position), NULL, 0);
	} else {
		object->is_reachable = next_random(shared) % 4 != 0;
	}
	pthread_mutex_unlock(&shared->lock);
}

/* Removes dead objects and moves the others, each to the place of another one. */
static void compact(stress *shared, uint32_t step)
{
	stress_object before[PLACES];

	memcpy(before, shared->heap, sizeof(before));
	for (size_t i = 0; i < PLACES; i++) {
		size_t to = (i + step) % PLACES;

		shared->heap[to] = before[i];
		if (!before[i].is_reachable)
			shared->heap[to].class_number = -1;
		if (before[i].class_number < 0 || !before[i].is_reachable || step == 0)
			continue;
		mprof_recorder_add_heap_move(shared->recorder, ADDRESS(i), ADDRESS(to));
		shared->moved++;
	}
}

static void walk(stress *shared)
{
	uint64_t references[CLASSES] = {ADDRESS(1), ADDRESS(2), ADDRESS(3), ADDRESS(4)};

	for (size_t i = 0; i < PLACES; i++) {
		const stress_object *object = &shared->heap[i];

		if (object->class_number >= 0)
			mprof_recorder_add_heap_object(shared->recorder, ADDRESS(i), CLASS_KEY(object->class_number),
						       object->size, references, NULL, (size_t)object->class_number);
	}
}

/* The world is stopped. Nothing here may wait for a thread, nor for the writer thread. */
static void collect(stress *shared, mprof_thread *thread, uint32_t collection)
{
	mprof_thread_record_event(thread, MPROF_EVENT_GC_START, 0, 0);
	compact(shared, collection % 3 * 7);
	cr_assert_eq(mprof_recorder_begin_heap(shared->recorder,
					       MPROF_HEAP_USE_SHOT | MPROF_HEAP_USE_FREED | MPROF_HEAP_USE_SUMMARY,
					       collection),
		     1);
	walk(shared);
	mprof_recorder_add_heap_root(shared->recorder, MPROF_ROOT_STACK, 0, ADDRESS(0));
	mprof_recorder_end_heap(shared->recorder);
	mprof_thread_record_event(thread, MPROF_EVENT_GC_END, 0, 0);
}

static void *run(void *argument)
{
	stress_thread *copy = argument;
	stress *shared = copy->shared;
	mprof_thread *thread;

	if (mprof_recorder_attach(shared->recorder, 100 + (uint64_t)copy->number, &thread) != MPROF_OK)
		abort();
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		for (int i = 0; i < ALLOCATIONS; i++) {
			mprof_thread_enter_method(thread, METHOD);
			allocate(shared, thread);
			mprof_thread_leave_method(thread, METHOD);
		}
		pthread_barrier_wait(&shared->stopped);
		/* Another one each time. */
		if (round % THREADS == (uint32_t)copy->number)
			collect(shared, thread, round);
		pthread_barrier_wait(&shared->started);
	}
	mprof_thread_detach(thread);
	return NULL;
}

static void check_classes(const stress *shared, const heap_log *log)
{
	for (int number = 0; number < CLASSES; number++) {
		char name[8] = {'C', (char)('0' + number), '\0'};
		const heap_log_sum *last = heap_log_sum_of(log, ROUNDS, name);
		uint64_t dead = 0;
		uint64_t dead_bytes = 0;
		uint64_t deaths = 0;

		cr_assert_not_null(last);
		for (size_t i = 0; i < log->sum_count; i++) {
			dead += strcmp(log->sums[i].class_name, name) == 0 ? log->sums[i].counts[2] : 0;
			dead_bytes += strcmp(log->sums[i].class_name, name) == 0 ? log->sums[i].counts[3] : 0;
		}
		for (size_t i = 0; i < log->event_count; i++)
			deaths += log->events[i].kind == MPROF_EVENT_HEAP_FREE &&
				  strcmp(log->events[i].class_name, name) == 0;
		cr_assert_eq(last->counts[0] + dead, shared->allocated[number]);
		cr_assert_eq(last->counts[1] + dead_bytes, shared->allocated_bytes[number]);
		cr_assert_eq(deaths, dead);
	}
}

static void check_log(const stress *shared, const recorded_log *recorded)
{
	heap_log log = heap_log_read(recorded);
	uint64_t moved = 0;

	cr_assert_eq(log.status, MPROF_END);
	for (uint32_t shot = 1; shot <= ROUNDS; shot++) {
		heap_log_check_shot(&log, shot, 0);
		cr_assert_eq(heap_log_count(&log, shot, MPROF_EVENT_HEAP_ROOT), 1);
	}
	for (size_t i = 0; i < log.event_count; i++)
		moved += log.events[i].kind == MPROF_EVENT_HEAP_MOVE;
	cr_assert_eq(moved, shared->moved);
	cr_assert_eq(log.summaries, ROUNDS);
	check_classes(shared, &log);
	for (size_t i = 0; i < PLACES; i++) {
		const heap_log_event *event = heap_log_find(&log, ROUNDS, MPROF_EVENT_HEAP_OBJECT, ADDRESS(i));

		cr_assert_eq(event != NULL, shared->heap[i].class_number >= 0);
		cr_assert(event == NULL || event->value == shared->heap[i].size);
	}
	heap_log_free(&log);
}

static void init_stress(stress *shared)
{
	memset(shared, 0, sizeof(*shared));
	shared->random = 2463534242U;
	for (size_t i = 0; i < PLACES; i++)
		shared->heap[i].class_number = -1;
	cr_assert_eq(pthread_barrier_init(&shared->stopped, NULL, THREADS), 0);
	cr_assert_eq(pthread_barrier_init(&shared->started, NULL, THREADS), 0);
	cr_assert_eq(pthread_mutex_init(&shared->lock, NULL), 0);
}

Test(heap_stress, a_shot_in_every_collection_of_an_allocation_storm, .timeout = 300)
{
	static stress shared;
	recorded_log recorded = {0};
	mprof_recorder_options options;
	mprof_recorder_stats stats;
	stress_thread threads[THREADS];

	init_stress(&shared);
	mprof_recorder_options_init(&options, sizeof(options));
	options.counter = counting_counter;
	options.buffer_events = 128;
	options.max_buffers = 2;
	options.allocation_detail = MPROF_ALLOCATION_DETAIL_OBJECT;
	options.track_objects = 1;
	options.drain_interval_ms = 1;
	shared.recorder = recorded_log_open(&recorded, &options);
	for (int i = 0; i < CLASSES; i++) {
		char name[8] = {'C', (char)('0' + i), '\0'};

		define_class(shared.recorder, CLASS_KEY(i), name);
	}
	define_method(shared.recorder, METHOD, 0, "M ()");
	for (int i = 0; i < THREADS; i++) {
		threads[i] = (stress_thread){.shared = &shared, .number = i};
		cr_assert_eq(pthread_create(&threads[i].handle, NULL, run, &threads[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i].handle, NULL);
	cr_assert_eq(mprof_recorder_close(shared.recorder), MPROF_OK);
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_recorder_get_stats(shared.recorder, &stats), MPROF_OK);
	/* Only the two events of each collection do not wait for a buffer. */
	cr_assert_leq(stats.lost_events, 2 * ROUNDS);
	cr_assert_eq(stats.lost_events, stats.lost[MPROF_LOSS_NO_BUFFER]);
	cr_assert_eq(stats.heap_shots, ROUNDS);
	cr_assert_eq(stats.incomplete_shots, 0);
	mprof_recorder_destroy(shared.recorder);
	check_log(&shared, &recorded);
	recorded_log_free(&recorded);
}
