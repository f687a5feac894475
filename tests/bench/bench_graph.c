/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_graph.c
 * \brief What the analysis of a heap snapshot costs for each object, in time and in memory.
 *
 * Reading a snapshot is compared with only counting its objects, and dominators are compared with a search that visits
 * every reference once. MPROF_BENCH_OBJECTS is the number of objects, one million by default. The bytes are the maximum
 * that the graph used, for each object.
 */
#include "bench.h"

#include <mprof/heap.h>
#include <mprof/writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_OBJECTS 1000000U
#define BLOCK_OBJECTS 4096U
#define CLASSES 1000U
#define ROOTS 1000U
#define MAX_REFERENCES 3
#define FIRST_ADDRESS UINT64_C(0x7f0000000000)
#define STEP 48

typedef struct graph_bench {
	uint32_t objects;
	uint8_t *log;
	size_t length;
	mprof_reader *reader; /**< Of the latest graph. */
	mprof_heap_graph *graph;
	uint64_t used; /**< Memory of the graph, in bytes. */
	uint64_t peak;
} graph_bench;

static void *count_allocate(void *user, size_t size)
{
	graph_bench *bench = user;

	bench->used += size;
	bench->peak = bench->used > bench->peak ? bench->used : bench->peak;
	return malloc(size);
}

static void *count_reallocate(void *user, void *memory, size_t old_size, size_t new_size)
{
	graph_bench *bench = user;

	bench->used += new_size - old_size;
	bench->peak = bench->used > bench->peak ? bench->used : bench->peak;
	return realloc(memory, new_size);
}

static void count_release(void *user, void *memory, size_t size)
{
	((graph_bench *)user)->used -= size;
	free(memory);
}

/* Most references lead to objects that are near, some anywhere: 2.7 for each object. */
static uint32_t make_references(const graph_bench *bench, uint32_t object, uint32_t *random, uint64_t *references)
{
	uint32_t count = bench_random(random) % 10 < 7 ? 3 : 2;
	uint32_t targets[MAX_REFERENCES];

	targets[0] = object + 1 + bench_random(random) % 64;
	targets[1] = object + bench_random(random) % 2000 - 1000;
	targets[2] = bench_random(random);
	for (uint32_t i = 0; i < count; i++)
		references[i] = FIRST_ADDRESS + (uint64_t)(targets[i] % bench->objects) * STEP;
	return count;
}

static void write_block(const graph_bench *bench, mprof_writer *writer, uint32_t first, uint32_t count,
			uint32_t *random)
{
	static mprof_event events[BLOCK_OBJECTS + ROOTS];
	static mprof_event_detail details[BLOCK_OBJECTS + ROOTS];
	static uint64_t references[BLOCK_OBJECTS][MAX_REFERENCES];
	uint32_t flags = first == 0 ? MPROF_HEAP_FLAG_FIRST : 0;
	size_t roots = 0;

	memset(events, 0, sizeof(events));
	memset(details, 0, sizeof(details));
	for (uint32_t i = 0; i < count; i++) {
		events[i].kind = MPROF_EVENT_HEAP_OBJECT;
		events[i].id = 1 + bench_random(random) % CLASSES;
		events[i].value = STEP;
		details[i].object = FIRST_ADDRESS + (uint64_t)(first + i) * STEP;
		details[i].references = references[i];
		details[i].reference_count = make_references(bench, first + i, random, references[i]);
	}
	if (first + count == bench->objects) {
		flags |= MPROF_HEAP_FLAG_LAST;
		for (roots = 0; roots < ROOTS; roots++) {
			events[count + roots].kind = MPROF_EVENT_HEAP_ROOT;
			events[count + roots].value = MPROF_ROOT_STATIC;
			details[count + roots].object =
				FIRST_ADDRESS + (uint64_t)(bench_random(random) % bench->objects) * STEP;
		}
	}
	for (size_t i = 0; i < count + roots; i++) {
		details[i].struct_size = sizeof(details[i]);
		events[i].more.detail = &details[i];
	}
	bench_require(mprof_writer_write_heap(writer, 1, flags, 1, events, count + roots) == MPROF_OK,
		      "cannot write a heap snapshot");
}

static void write_log(graph_bench *bench)
{
	mprof_writer *writer;
	const uint8_t *bytes;
	uint32_t random = 2463534242U;

	bench_require(mprof_writer_open_memory(NULL, &writer) == MPROF_OK, "cannot write a log");
	for (uint32_t id = 1; id <= CLASSES; id++) {
		char name[32];
		mprof_class_definition definition = {sizeof(definition), id, 0, name, 0, 0, 0};

		definition.name_length = (size_t)snprintf(name, sizeof(name), "Class%u", (unsigned)id);
		bench_require(mprof_writer_define_class(writer, &definition) == MPROF_OK, "cannot define a class");
	}
	for (uint32_t first = 0; first < bench->objects; first += BLOCK_OBJECTS) {
		uint32_t remaining = bench->objects - first;

		write_block(bench, writer, first, remaining < BLOCK_OBJECTS ? remaining : BLOCK_OBJECTS, &random);
	}
	bench_require(mprof_writer_close(writer) == MPROF_OK &&
			      mprof_writer_get_memory(writer, &bytes, &bench->length) == MPROF_OK,
		      "cannot write a log");
	bench->log = malloc(bench->length);
	bench_require(bench->log != NULL, "no memory");
	memcpy(bench->log, bytes, bench->length);
	mprof_writer_destroy(writer);
}

static void forget_graph(graph_bench *bench)
{
	mprof_heap_graph_destroy(bench->graph);
	mprof_reader_destroy(bench->reader);
	bench->graph = NULL;
	bench->reader = NULL;
}

static double read_graph(graph_bench *bench, uint32_t list_only)
{
	mprof_allocator allocator = {sizeof(mprof_allocator), count_allocate, count_reallocate, count_release, bench};
	mprof_heap_graph_options options;
	double start;

	forget_graph(bench);
	mprof_heap_graph_options_init(&options, sizeof(options));
	options.list_only = list_only;
	options.allocator = &allocator;
	options.max_memory = UINT64_MAX;
	bench_require(mprof_reader_open_memory(bench->log, bench->length, NULL, &bench->reader) == MPROF_OK &&
			      mprof_heap_graph_create(&options, &bench->graph) == MPROF_OK,
		      "cannot open a log");
	start = bench_thread_time();
	bench_require(mprof_heap_graph_read(bench->graph, bench->reader, NULL, NULL) == MPROF_OK, "cannot read a log");
	return (bench_thread_time() - start) / bench->objects;
}

static double measure_list(void *user)
{
	return read_graph(user, 1);
}

static double measure_read(void *user)
{
	return read_graph(user, 0);
}

static double measure_paths(void *user)
{
	graph_bench *bench = user;
	double start;

	(void)read_graph(bench, 0);
	start = bench_thread_time();
	bench_require(mprof_heap_graph_build_paths(bench->graph) == MPROF_OK, "cannot find paths");
	return (bench_thread_time() - start) / bench->objects;
}

static double measure_dominators(void *user)
{
	graph_bench *bench = user;
	double start;

	(void)read_graph(bench, 0);
	start = bench_thread_time();
	bench_require(mprof_heap_graph_build_dominators(bench->graph) == MPROF_OK, "cannot find dominators");
	return (bench_thread_time() - start) / bench->objects;
}

static double measure_referrers(void *user)
{
	graph_bench *bench = user;
	double start;

	(void)read_graph(bench, 0);
	start = bench_thread_time();
	bench_require(mprof_heap_graph_build_referrers(bench->graph) == MPROF_OK, "cannot find referrers");
	return (bench_thread_time() - start) / bench->objects;
}

/* Adds the snapshot to a comparison, with its memory: twice this is a difference of two snapshots. */
static double measure_diff(void *user)
{
	graph_bench *bench = user;
	mprof_allocator allocator = {sizeof(mprof_allocator), count_allocate, count_reallocate, count_release, bench};
	mprof_heap_diff_options options;
	mprof_heap_diff *diff;
	double start;

	(void)read_graph(bench, 0);
	mprof_heap_diff_options_init(&options, sizeof(options));
	options.allocator = &allocator;
	options.max_memory = UINT64_MAX;
	start = bench_thread_time();
	bench_require(mprof_heap_diff_create(&options, &diff) == MPROF_OK &&
			      mprof_heap_diff_add(diff, bench->graph, bench->reader, 1) == MPROF_OK,
		      "cannot compare snapshots");
	start = (bench_thread_time() - start) / bench->objects;
	mprof_heap_diff_destroy(diff);
	return start;
}

/* Runs a function once, to learn how much memory it takes. */
static double peak_of(graph_bench *bench, bench_function function)
{
	forget_graph(bench);
	bench->peak = 0;
	function(bench);
	return (double)bench->peak / bench->objects;
}

void bench_graph(void)
{
	const char *objects = getenv("MPROF_BENCH_OBJECTS");
	graph_bench bench = {.objects = objects != NULL ? (uint32_t)strtoul(objects, NULL, 10) : DEFAULT_OBJECTS};
	bench_row read = {"heap graph, reading", measure_read, measure_list, "counting", 0};
	bench_row paths = {"heap graph, paths from roots", measure_paths, measure_list, "counting", 0};
	bench_row dominators = {"heap graph, dominators and retained sizes", measure_dominators, measure_paths, "paths",
				0};
	bench_row referrers = {"heap graph, referrers", measure_referrers, measure_paths, "paths", 0};
	bench_row diff = {"heap graph, one of the snapshots of a difference", measure_diff, measure_paths, "paths", 0};

	bench_require(bench.objects > ROOTS, "MPROF_BENCH_OBJECTS is too small");
	write_log(&bench);
	read.bytes_per_event = peak_of(&bench, measure_read);
	dominators.bytes_per_event = peak_of(&bench, measure_dominators);
	diff.bytes_per_event = peak_of(&bench, measure_diff);
	bench_print(&read, &bench);
	bench_print(&paths, &bench);
	bench_print(&dominators, &bench);
	bench_print(&referrers, &bench);
	bench_print(&diff, &bench);
	forget_graph(&bench);
	free(bench.log);
}
