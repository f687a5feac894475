/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_heap.c
 * \brief What a heap snapshot costs while the world is stopped, compared with the same walk and an empty callback, and
 * what the writer thread needs for it.
 */
#include "bench.h"

#include <mprof/recorder.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define OBJECTS 1000000U
#define CLASSES 1000U
#define REFERENCES 3
#define FIRST_KEY UINT64_C(0x7f0000001000)
#define KEY_STEP 96

typedef struct bench_object {
	uint64_t class_key;
	uint64_t size;
	uint64_t references[REFERENCES];
	struct bench_object *next; /**< In the order of the walk. */
} bench_object;

typedef mprof_status (*object_callback)(mprof_recorder *recorder, uint64_t address, mprof_key class_key, uint64_t size,
					const uint64_t *references, const uint64_t *offsets, size_t count);

typedef struct heap_bench {
	bench_object *objects;
	bench_object *first;
	mprof_recorder *recorder; /**< NULL: each round makes one. */
} heap_bench;

static mprof_status ignore_object(mprof_recorder *recorder, uint64_t address, mprof_key class_key, uint64_t size,
				  const uint64_t *references, const uint64_t *offsets, size_t count)
{
	(void)offsets;
	/* Nothing, but with all arguments made. */
	__asm__ volatile(""
			 :
			 : "r"(recorder), "r"(address), "r"(class_key), "r"(size), "r"(references), "r"(count)
			 : "memory");
	return MPROF_OK;
}

/* Through pointers that the compiler cannot see through, as a collector calls a profiler. */
static volatile object_callback empty_callback = ignore_object;
static volatile object_callback recording_callback = mprof_recorder_add_heap_object;

static void walk(const heap_bench *bench, mprof_recorder *recorder, object_callback callback)
{
	for (const bench_object *object = bench->first; object != NULL; object = object->next)
		(void)callback(recorder, (uint64_t)(uintptr_t)object, object->class_key, object->size,
			       object->references, NULL, REFERENCES);
}

static double measure_empty(void *user)
{
	double start = bench_wall_time();

	walk(user, NULL, empty_callback);
	return (bench_wall_time() - start) / OBJECTS;
}

static int swallow(void *user, const void *bytes, size_t length)
{
	(void)bytes;
	*(uint64_t *)user += length;
	return 0;
}

static uint64_t swallowed;

static mprof_recorder *open_recorder(void)
{
	mprof_sink sink = {sizeof(mprof_sink), swallow, NULL, NULL, &swallowed};
	mprof_description description;
	mprof_recorder *recorder;
	mprof_error error;

	error.struct_size = sizeof(error);
	bench_require(mprof_recorder_open_sink(&sink, NULL, &recorder, &error) == MPROF_OK, "cannot open a recorder");
	for (uint64_t i = 0; i < CLASSES; i++) {
		char name[32];

		mprof_description_init(&description, sizeof(description));
		description.name = name;
		description.name_length = (size_t)snprintf(name, sizeof(name), "Class%d", (int)i);
		bench_require(mprof_recorder_define_class(recorder, FIRST_KEY + i * KEY_STEP, &description) == MPROF_OK,
			      "cannot define");
	}
	bench_require(mprof_recorder_drain(recorder) == MPROF_OK, "cannot drain");
	return recorder;
}

static void close_recorder(mprof_recorder *recorder)
{
	mprof_recorder_stats stats;

	bench_require(mprof_recorder_close(recorder) == MPROF_OK, "the log could not be written");
	stats.struct_size = sizeof(stats);
	mprof_recorder_get_stats(recorder, &stats);
	bench_require(stats.incomplete_shots == 0 && stats.lost_events == 0, "a heap snapshot is incomplete");
	mprof_recorder_destroy(recorder);
}

/* The time that the world stands still. */
static double take_shot(const heap_bench *bench, mprof_recorder *recorder)
{
	double start = bench_wall_time();

	bench_require(mprof_recorder_begin_heap(recorder, MPROF_HEAP_USE_SHOT, 0), "cannot begin a heap snapshot");
	walk(bench, recorder, recording_callback);
	mprof_recorder_end_heap(recorder);
	return (bench_wall_time() - start) / OBJECTS;
}

static double measure_first(void *user)
{
	mprof_recorder *recorder = open_recorder();
	double spent = take_shot(user, recorder);

	close_recorder(recorder);
	return spent;
}

static double measure_later(void *user)
{
	heap_bench *bench = user;
	double spent = take_shot(bench, bench->recorder);

	bench_require(mprof_recorder_drain(bench->recorder) == MPROF_OK, "cannot drain");
	return spent;
}

static double process_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* What is not this thread's is the writer thread's. */
static double measure_writer(void *user)
{
	heap_bench *bench = user;
	double start = process_time() - bench_thread_time();

	take_shot(bench, bench->recorder);
	bench_require(mprof_recorder_drain(bench->recorder) == MPROF_OK, "cannot drain");
	return (process_time() - bench_thread_time() - start) / OBJECTS;
}

static void link_objects(heap_bench *bench, int is_shuffled)
{
	uint32_t *order = malloc(OBJECTS * sizeof(*order));
	uint32_t random = 88172645;

	bench_require(order != NULL, "no memory");
	for (uint32_t i = 0; i < OBJECTS; i++)
		order[i] = i;
	for (uint32_t i = OBJECTS - 1; is_shuffled && i > 0; i--) {
		uint32_t other = bench_random(&random) % (i + 1);
		uint32_t swapped = order[i];

		order[i] = order[other];
		order[other] = swapped;
	}
	for (uint32_t i = 0; i < OBJECTS; i++) {
		bench_object *object = &bench->objects[order[i]];

		object->class_key = FIRST_KEY + bench_random(&random) % CLASSES * KEY_STEP;
		object->size = 24 + bench_random(&random) % 8 * 8;
		for (int j = 0; j < REFERENCES; j++)
			object->references[j] = (uint64_t)(uintptr_t)&bench->objects[bench_random(&random) % OBJECTS];
		object->next = i + 1 < OBJECTS ? &bench->objects[order[i + 1]] : NULL;
	}
	bench->first = &bench->objects[order[0]];
	free(order);
}

void bench_heap(void)
{
	bench_row first = {"heap snapshot, world stopped, first", measure_first, measure_empty, "empty callback", 0};
	bench_row later = {"heap snapshot, world stopped, later ones", measure_later, measure_empty, "empty callback",
			   0};
	bench_row ordered = {"heap snapshot, objects in memory order, later", measure_later, measure_empty,
			     "empty callback", 0};
	bench_row writer = {"heap snapshot, writer thread", measure_writer, measure_empty, "empty callback", 0};
	heap_bench bench = {.objects = malloc(OBJECTS * sizeof(bench_object))};

	bench_require(bench.objects != NULL, "no memory");
	link_objects(&bench, 1);
	bench_print(&first, &bench);
	bench.recorder = open_recorder();
	swallowed = 0;
	measure_later(&bench);
	writer.bytes_per_event = (double)swallowed / OBJECTS;
	bench_print(&later, &bench);
	bench_print(&writer, &bench);
	link_objects(&bench, 0);
	bench_print(&ordered, &bench);
	close_recorder(bench.recorder);
	free(bench.objects);
}
