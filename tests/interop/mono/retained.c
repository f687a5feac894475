/* SPDX-License-Identifier: MIT */
/*
 * Prints the heap graph of the last snapshot of a log: "missing COUNT", then for each class whose name begins with a
 * prefix "class NAME OBJECTS REACHABLE RETAINED", and for its object with the longest path "path NAME STEPS KIND ROOT".
 */
#define MPROF_UNSTABLE
#include <mprof.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static mprof_heap_graph *open_graph(const char *path, mprof_reader **reader)
{
	mprof_heap_graph *graph = NULL;

	if (mprof_reader_open_path(path, NULL, reader) != MPROF_OK || mprof_heap_graph_create(NULL, &graph) != MPROF_OK)
		return NULL;
	if (mprof_heap_graph_read(graph, *reader, NULL, NULL) != MPROF_OK ||
	    mprof_heap_graph_build_dominators(graph) != MPROF_OK || mprof_heap_graph_build_paths(graph) != MPROF_OK)
		return NULL;
	return graph;
}

static void print_path(const mprof_heap_graph *graph, const mprof_reader *reader, size_t class_index, const char *name)
{
	mprof_heap_object object = {.struct_size = sizeof(object)};
	mprof_heap_root root = {.struct_size = sizeof(root)};
	size_t longest = 0;
	mprof_record record;

	for (uint32_t i = 0; mprof_heap_graph_get_object(graph, i, &object) == MPROF_OK; i++) {
		mprof_heap_root found = {.struct_size = sizeof(found)};
		size_t count;

		if (object.class_index != class_index ||
		    mprof_heap_graph_get_path(graph, i, &found, NULL, sizeof(mprof_heap_step), 0, &count) != MPROF_OK)
			continue;
		if (count > longest) {
			longest = count;
			root = found;
		}
	}
	if (longest != 0 &&
	    mprof_reader_lookup_record(reader, MPROF_RECORD_ROOT, root.area, &record, sizeof(record)) == MPROF_OK)
		printf("path %s %zu %u %s\n", name, longest, (unsigned)root.kind, record.as.root.name);
}

int main(int argc, char **argv)
{
	mprof_heap_graph_totals totals = {.struct_size = sizeof(totals)};
	mprof_heap_class stats = {.struct_size = sizeof(stats)};
	mprof_reader *reader = NULL;
	mprof_heap_graph *graph = argc == 3 ? open_graph(argv[1], &reader) : NULL;

	if (graph == NULL || mprof_heap_graph_get_totals(graph, &totals) != MPROF_OK) {
		fprintf(stderr, "retained: cannot read the graph\n");
		return 1;
	}
	printf("missing %" PRIu64 "\n", totals.incomplete + totals.missing_references + totals.missing_roots +
						totals.orphan_references + totals.repeated_objects);
	for (size_t i = 0; mprof_heap_graph_get_class(graph, i, &stats) == MPROF_OK; i++) {
		mprof_mapping mapping;

		if (mprof_reader_lookup_class(reader, stats.class_id, &mapping, sizeof(mapping)) != MPROF_OK ||
		    strncmp(mapping.name, argv[2], strlen(argv[2])) != 0)
			continue;
		printf("class %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", mapping.name, stats.objects,
		       stats.reachable_objects, stats.retained_bytes);
		print_path(graph, reader, i, mapping.name);
	}
	mprof_heap_graph_destroy(graph);
	mprof_reader_destroy(reader);
	return 0;
}
