/* SPDX-License-Identifier: MIT */
/*
 * Writes the reachable objects of a heap snapshot as a V8 heap snapshot, and what the library found about them as text,
 * for a comparison with other heap engines.
 *
 * heapsnapshot LOG|random:SEED OUTPUT: OUTPUT.heapsnapshot is the snapshot. OUTPUT.objects has a line for each node in
 * the order of nodes: its number, retained size and the number of its immediate dominator; node 0 is the root.
 * OUTPUT.classes has a sorted line for each class: its name, objects and retained size.
 *
 * All roots are shortcut edges of node 0, and all references are property edges: the engines follow both, and treat
 * what shortcut edges reach as objects of the program, whose references all retain. Unreachable objects are left out:
 * the engines would add them to the root.
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
#define BATCH 64U

/* Numbers of the types in the meta data below. */
#define NODE_OBJECT 3
#define NODE_SYNTHETIC 9
#define EDGE_PROPERTY 2
#define EDGE_SHORTCUT 5

#define META                                                                                                           \
	"{\"snapshot\":{\"meta\":{"                                                                                    \
	"\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\",\"detachedness\"],"                    \
	"\"node_types\":[[\"hidden\",\"array\",\"string\",\"object\",\"code\",\"closure\",\"regexp\",\"number\","      \
	"\"native\",\"synthetic\",\"concatenated string\",\"sliced string\",\"symbol\",\"bigint\",\"object shape\"],"  \
	"\"string\",\"number\",\"number\",\"number\",\"number\"],"                                                     \
	"\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],"                                                    \
	"\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\",\"hidden\",\"shortcut\",\"weak\"],"        \
	"\"string_or_number\",\"node\"],"                                                                              \
	"\"trace_function_info_fields\":[],\"trace_node_fields\":[],\"sample_fields\":[],\"location_fields\":[]},"

#define NODE_FIELDS 6U

static void require(int condition, const char *message)
{
	if (condition)
		return;
	fprintf(stderr, "heapsnapshot: %s\n", message);
	exit(1);
}

typedef struct written_heap {
	mprof_reader *reader;
	mprof_heap_graph *graph;
	mprof_heap_graph_totals totals;
	uint32_t *nodes; /**< By object: the number of its node; 0 if it is not reachable. */
	uint64_t edges;
	uint64_t roots; /**< Objects that a root refers to. */
} written_heap;

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

static mprof_reader *open_random(const char *seed)
{
	mprof_reader_options options;
	mprof_writer *writer;
	mprof_reader *reader;
	const uint8_t *bytes;
	size_t length;
	void *log;

	random_state = strtoull(seed, NULL, 10) * 977 + 1;
	require(mprof_writer_open_memory(NULL, &writer) == MPROF_OK, "cannot write a log");
	for (uint32_t id = 1; id <= RANDOM_CLASSES; id++) {
		char name[32];
		mprof_class_definition definition = {sizeof(definition), id, 0, name, 0, 0, 0};

		definition.name_length = (size_t)snprintf(name, sizeof(name), "Class%u", (unsigned)id);
		require(mprof_writer_define_class(writer, &definition) == MPROF_OK, "cannot define a class");
	}
	write_random_objects(writer);
	require(mprof_writer_close(writer) == MPROF_OK && mprof_writer_get_memory(writer, &bytes, &length) == MPROF_OK,
		"cannot write a log");
	/* The reader does not copy it, and lives as long as the program. */
	log = malloc(length);
	require(log != NULL, "no memory");
	memcpy(log, bytes, length);
	mprof_writer_destroy(writer);
	mprof_reader_options_init(&options, sizeof(options));
	require(mprof_reader_open_memory(log, length, &options, &reader) == MPROF_OK, "cannot read the log");
	return reader;
}

static mprof_heap_object object_at(const written_heap *heap, uint32_t index)
{
	mprof_heap_object object = {.struct_size = sizeof(object)};

	require(mprof_heap_graph_get_object(heap->graph, index, &object) == MPROF_OK, "cannot get an object");
	return object;
}

/* Numbers the reachable objects, and counts the edges that are written. */
static void number_nodes(written_heap *heap)
{
	uint32_t count = 0;

	heap->nodes = calloc((size_t)heap->totals.objects + 1, sizeof(*heap->nodes));
	require(heap->nodes != NULL, "no memory");
	for (uint32_t i = 0; i < heap->totals.objects; i++) {
		mprof_heap_object object = object_at(heap, i);

		if (!object.is_reachable)
			continue;
		require(object.bytes <= UINT32_MAX, "an object is too large for the format");
		heap->nodes[i] = ++count;
		heap->edges += object.references + object.is_root;
		heap->roots += object.is_root;
	}
	require(count == heap->totals.reachable_objects, "the number of reachable objects is wrong");
}

static void write_nodes(const written_heap *heap, FILE *file)
{
	/* Strings 0 and 1 are the name of the root and of all edges. */
	fprintf(file, "\"nodes\":[%d,0,1,0,%" PRIu64 ",0", NODE_SYNTHETIC, heap->roots);
	for (uint32_t i = 0; i < heap->totals.objects; i++) {
		mprof_heap_object object = object_at(heap, i);

		if (heap->nodes[i] != 0)
			fprintf(file, ",\n%d,%u,%u,%" PRIu64 ",%u,0", NODE_OBJECT, (unsigned)object.class_index + 2,
				(unsigned)heap->nodes[i] * 2 + 1, object.bytes, (unsigned)object.references);
	}
	fprintf(file, "],\n");
}

static void write_references(const written_heap *heap, uint32_t index, FILE *file)
{
	mprof_heap_reference references[BATCH];
	uint32_t first = 0;
	size_t count;

	do {
		require(mprof_heap_graph_get_references(heap->graph, index, first, references, sizeof(*references),
							BATCH, &count) == MPROF_OK,
			"cannot get references");
		for (size_t i = 0; i < count; i++) {
			/* A reference of a reachable object to a missing one has no node. */
			require(references[i].object != MPROF_HEAP_NO_OBJECT, "an object is missing");
			fprintf(file, ",\n%d,1,%u", EDGE_PROPERTY,
				(unsigned)(heap->nodes[references[i].object] * NODE_FIELDS));
		}
		first += (uint32_t)count;
	} while (count == BATCH);
}

static void write_edges(const written_heap *heap, FILE *file)
{
	const char *separator = "";

	fprintf(file, "\"edges\":[");
	for (uint32_t i = 0; i < heap->totals.objects; i++) {
		if (!object_at(heap, i).is_root)
			continue;
		fprintf(file, "%s%d,1,%u", separator, EDGE_SHORTCUT, (unsigned)(heap->nodes[i] * NODE_FIELDS));
		separator = ",\n";
	}
	for (uint32_t i = 0; i < heap->totals.objects; i++) {
		if (heap->nodes[i] != 0)
			write_references(heap, i, file);
	}
	fprintf(file, "],\n\"trace_function_infos\":[],\"trace_tree\":[],\"samples\":[],\"locations\":[],\n");
}

/* The name of a class, with its ID: several classes may have the same name. Spaces separate fields of lines. */
static void write_class_name(const written_heap *heap, const mprof_heap_class *stats, FILE *file)
{
	mprof_mapping mapping;

	if (mprof_reader_lookup_class(heap->reader, stats->class_id, &mapping, sizeof(mapping)) == MPROF_OK) {
		for (const char *c = mapping.name; *c != '\0'; c++)
			fputc(*c == '"' || *c == '\\' || (unsigned char)*c <= ' ' ? '_' : *c, file);
	}
	fprintf(file, "#%u", (unsigned)stats->class_id);
}

static void write_strings(const written_heap *heap, FILE *file)
{
	mprof_heap_class stats = {.struct_size = sizeof(stats)};

	fprintf(file, "\"strings\":[\"\",\"to\"");
	for (size_t i = 0; mprof_heap_graph_get_class(heap->graph, i, &stats) == MPROF_OK; i++) {
		fprintf(file, ",\n\"");
		write_class_name(heap, &stats, file);
		fprintf(file, "\"");
	}
	fprintf(file, "]}\n");
}

static FILE *create_file(const char *path, const char *suffix)
{
	char name[4096];
	FILE *file;

	require(strlen(path) + strlen(suffix) < sizeof(name), "the path is too long");
	snprintf(name, sizeof(name), "%s%s", path, suffix);
	file = fopen(name, "w");
	require(file != NULL, "cannot create a file");
	return file;
}

static void close_file(FILE *file)
{
	int failed = ferror(file);

	require(fclose(file) == 0 && !failed, "cannot write a file");
}

static void write_snapshot(const written_heap *heap, const char *path)
{
	FILE *file = create_file(path, ".heapsnapshot");

	fprintf(file,
		META "\"node_count\":%" PRIu64 ",\"edge_count\":%" PRIu64
		     ",\"trace_function_count\":0,\"extra_native_bytes\":0},\n",
		heap->totals.reachable_objects + 1, heap->edges);
	write_nodes(heap, file);
	write_edges(heap, file);
	write_strings(heap, file);
	close_file(file);
}

static void write_expected(const written_heap *heap, const char *path)
{
	mprof_heap_class stats = {.struct_size = sizeof(stats)};
	FILE *objects = create_file(path, ".objects");
	FILE *classes = create_file(path, ".classes");

	for (uint32_t i = 0; i < heap->totals.objects; i++) {
		mprof_heap_object object = object_at(heap, i);

		if (heap->nodes[i] != 0)
			fprintf(objects, "%u %" PRIu64 " %u\n", (unsigned)heap->nodes[i], object.retained_bytes,
				object.dominator != MPROF_HEAP_NO_OBJECT ? (unsigned)heap->nodes[object.dominator] : 0);
	}
	for (size_t i = 0; mprof_heap_graph_get_class(heap->graph, i, &stats) == MPROF_OK; i++) {
		if (stats.reachable_objects == 0)
			continue;
		write_class_name(heap, &stats, classes);
		fprintf(classes, " %" PRIu64 " %" PRIu64 "\n", stats.reachable_objects, stats.retained_bytes);
	}
	close_file(objects);
	close_file(classes);
}

int main(int argc, char **argv)
{
	written_heap heap = {.totals = {.struct_size = sizeof(heap.totals)}};

	require(argc == 3, "usage: heapsnapshot LOG|random:SEED OUTPUT");
	if (strncmp(argv[1], "random:", strlen("random:")) == 0)
		heap.reader = open_random(argv[1] + strlen("random:"));
	else
		require(mprof_reader_open_path(argv[1], NULL, &heap.reader) == MPROF_OK, "cannot open the log");
	require(mprof_heap_graph_create(NULL, &heap.graph) == MPROF_OK &&
			mprof_heap_graph_read(heap.graph, heap.reader, NULL, NULL) == MPROF_OK &&
			mprof_heap_graph_build_dominators(heap.graph) == MPROF_OK &&
			mprof_heap_graph_get_totals(heap.graph, &heap.totals) == MPROF_OK,
		"cannot read the graph");
	require(heap.totals.reachable_objects != 0, "no object is reachable");
	number_nodes(&heap);
	write_snapshot(&heap, argv[2]);
	write_expected(&heap, argv[2]);
	free(heap.nodes);
	mprof_heap_graph_destroy(heap.graph);
	mprof_reader_destroy(heap.reader);
	return 0;
}
