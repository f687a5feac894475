/* SPDX-License-Identifier: MIT */
/*
 * Writes what the library finds about the reachable objects of a heap snapshot as text, for a comparison with the heap
 * engines that read the export of the same log.
 *
 * heapsnapshot LOG OUTPUT, or heapsnapshot random:SEED OUTPUT, which first writes a log with a random graph,
 * OUTPUT.mprof. OUTPUT.objects has a line for each reachable object in the order of addresses: its ID in the export,
 * retained size and the ID of its immediate dominator; 0 is no object.
 */
#include <mprof.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANDOM_OBJECTS 4000U
#define RANDOM_CLASSES 40U
#define FIRST_ADDRESS UINT64_C(0x7f0000000000)
#define ADDRESS_STEP 24U
#define MAX_REFERENCES 6U
#define PATH_SIZE 4096

static void require(int condition, const char *message)
{
	if (condition)
		return;
	fprintf(stderr, "heapsnapshot: %s\n", message);
	exit(1);
}

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)((random_state >> 33) % limit);
}

/* Few references for each object make deep graphs, many make flat ones; some objects are unreachable. */
static void write_random_objects(mprof_writer *writer)
{
	static mprof_event events[2 * RANDOM_OBJECTS];
	static mprof_event_detail details[2 * RANDOM_OBJECTS];
	static uint64_t references[RANDOM_OBJECTS][MAX_REFERENCES];
	uint32_t most = 1 + random_below(MAX_REFERENCES);
	size_t count = RANDOM_OBJECTS;

	for (uint32_t i = 0; i < RANDOM_OBJECTS; i++) {
		events[i].kind = MPROF_EVENT_HEAP_OBJECT;
		events[i].id = 1 + random_below(RANDOM_CLASSES);
		events[i].value = 1 + random_below(500);
		details[i].object = FIRST_ADDRESS + (uint64_t)i * ADDRESS_STEP;
		details[i].references = references[i];
		details[i].reference_count = random_below(most + 1);
		for (size_t j = 0; j < details[i].reference_count; j++) {
			uint32_t target = random_below(3) != 0 ? i + random_below(40) : random_below(RANDOM_OBJECTS);

			references[i][j] = FIRST_ADDRESS + (uint64_t)(target % RANDOM_OBJECTS) * ADDRESS_STEP;
		}
	}
	for (uint32_t roots = 1 + random_below(20); roots > 0; roots--) {
		events[count].kind = MPROF_EVENT_HEAP_ROOT;
		events[count].value = MPROF_ROOT_STATIC;
		details[count++].object = FIRST_ADDRESS + (uint64_t)random_below(RANDOM_OBJECTS) * ADDRESS_STEP;
	}
	for (size_t i = 0; i < count; i++) {
		details[i].struct_size = sizeof(details[i]);
		events[i].more.detail = &details[i];
	}
	require(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, 1, events, count) ==
			MPROF_OK,
		"cannot write a heap snapshot");
}

static void write_random(const char *seed, const char *path)
{
	mprof_writer *writer;

	random_state = strtoull(seed, NULL, 10) * 977 + 1;
	require(mprof_writer_open_path(path, NULL, &writer) == MPROF_OK, "cannot write a log");
	for (uint32_t id = 1; id <= RANDOM_CLASSES; id++) {
		char name[32];
		mprof_class_definition definition = {sizeof(definition), id, 0, name, 0, 0, 0};

		definition.name_length = (size_t)snprintf(name, sizeof(name), "Class%u", (unsigned)id);
		require(mprof_writer_define_class(writer, &definition) == MPROF_OK, "cannot define a class");
	}
	write_random_objects(writer);
	require(mprof_writer_close(writer) == MPROF_OK, "cannot write a log");
	mprof_writer_destroy(writer);
}

static mprof_heap_object object_at(const mprof_heap_graph *graph, uint32_t index)
{
	mprof_heap_object object = {.struct_size = sizeof(object)};

	require(mprof_heap_graph_get_object(graph, index, &object) == MPROF_OK, "cannot get an object");
	return object;
}

/* The export makes IDs from addresses, which are less than 16 GiB apart here. */
static uint32_t id_of(const mprof_heap_object *object)
{
	return (uint32_t)(object->address >> 3) * 2 + 1;
}

static void write_objects(const mprof_heap_graph *graph, FILE *file)
{
	mprof_heap_graph_totals totals = {.struct_size = sizeof(totals)};

	require(mprof_heap_graph_get_totals(graph, &totals) == MPROF_OK && totals.reachable_objects > 0,
		"no object is reachable");
	for (uint32_t i = 0; i < totals.objects; i++) {
		mprof_heap_object object = object_at(graph, i);
		uint32_t dominator = 0;

		if (!object.is_reachable)
			continue;
		if (object.dominator != MPROF_HEAP_NO_OBJECT) {
			mprof_heap_object found = object_at(graph, object.dominator);

			dominator = id_of(&found);
		}
		fprintf(file, "%u %" PRIu64 " %u\n", (unsigned)id_of(&object), object.retained_bytes,
			(unsigned)dominator);
	}
}

static const char *path_of(char path[PATH_SIZE], const char *name, const char *suffix)
{
	require(snprintf(path, PATH_SIZE, "%s%s", name, suffix) < PATH_SIZE, "the path is too long");
	return path;
}

int main(int argc, char **argv)
{
	char path[PATH_SIZE];
	const char *log;
	mprof_heap_graph *graph;
	mprof_reader *reader;
	FILE *file;
	int failed;

	require(argc == 3, "usage: heapsnapshot LOG|random:SEED OUTPUT");
	log = argv[1];
	if (strncmp(log, "random:", strlen("random:")) == 0) {
		log = path_of(path, argv[2], ".mprof");
		write_random(argv[1] + strlen("random:"), log);
	}
	require(mprof_reader_open_path(log, NULL, &reader) == MPROF_OK, "cannot open the log");
	require(mprof_heap_graph_create(NULL, &graph) == MPROF_OK &&
			mprof_heap_graph_read(graph, reader, NULL, NULL) == MPROF_OK &&
			mprof_heap_graph_build_dominators(graph) == MPROF_OK,
		"cannot read the graph");
	file = fopen(path_of(path, argv[2], ".objects"), "w");
	require(file != NULL, "cannot create a file");
	write_objects(graph, file);
	failed = ferror(file);
	require(fclose(file) == 0 && !failed, "cannot write a file");
	mprof_heap_graph_destroy(graph);
	mprof_reader_destroy(reader);
	return 0;
}
