/* SPDX-License-Identifier: MIT */
/*
 * Prints sets of the objects of the last heap snapshot of a log, as Sets.cs does: a line for each set with the class,
 * the name of the set, its objects and their bytes.
 */
#define MPROF_UNSTABLE
#include <mprof.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mprof_reader *reader;
static mprof_heap_graph *graph;

static void check(mprof_status status)
{
	if (status == MPROF_OK)
		return;
	fprintf(stderr, "heap_sets: %s\n", mprof_status_get_text(status));
	exit(1);
}

static mprof_heap_set *make_set(void)
{
	mprof_heap_set *set;

	check(mprof_heap_set_create(graph, &set));
	return set;
}

static void print_set(const char *name, const char *what, mprof_heap_set *set)
{
	mprof_heap_set_totals totals = {.struct_size = sizeof(totals)};

	check(mprof_heap_set_get_totals(set, &totals));
	printf("%s\t%s\t%" PRIu64 "\t%" PRIu64 "\n", name, what, totals.objects, totals.bytes);
	mprof_heap_set_destroy(set);
}

static mprof_heap_set *copy_of(const mprof_heap_set *others)
{
	mprof_heap_set *set = make_set();

	check(mprof_heap_set_unite(set, others));
	return set;
}

static void print_class(const char *name, size_t index)
{
	mprof_heap_set *copy = make_set();
	mprof_heap_set *referencing = make_set();
	mprof_heap_set *referenced = make_set();
	mprof_heap_set *both;
	mprof_heap_set *only;
	mprof_heap_set *others;
	mprof_heap_set *before = make_set();
	mprof_heap_set *after = make_set();

	check(mprof_heap_set_add_class(copy, index));
	check(mprof_heap_set_add_referencing(referencing, copy));
	check(mprof_heap_set_add_referenced(referenced, copy));
	both = copy_of(referencing);
	check(mprof_heap_set_intersect(both, referenced));
	only = copy_of(referencing);
	check(mprof_heap_set_subtract(only, referenced));
	others = copy_of(referenced);
	check(mprof_heap_set_subtract(others, referencing));
	check(mprof_heap_set_add_referencing(before, referencing));
	check(mprof_heap_set_add_referenced(after, referenced));
	print_set(name, "class", copy);
	print_set(name, "both", both);
	print_set(name, "referencing only", only);
	print_set(name, "referenced only", others);
	print_set(name, "referencing", referencing);
	print_set(name, "referenced", referenced);
	print_set(name, "referencing those", before);
	print_set(name, "referenced by those", after);
}

int main(int argc, char **argv)
{
	mprof_heap_class stats = {.struct_size = sizeof(stats)};
	mprof_heap_set *all;

	if (argc != 2)
		return 1;
	check(mprof_reader_open_path(argv[1], NULL, &reader));
	check(mprof_heap_graph_create(NULL, &graph));
	check(mprof_heap_graph_read(graph, reader, NULL, NULL));
	check(mprof_heap_graph_build_referrers(graph));
	all = make_set();
	check(mprof_heap_set_add_all(all));
	print_set("*", "all", all);
	for (size_t i = 0; mprof_heap_graph_get_class(graph, i, &stats) == MPROF_OK; i++) {
		mprof_mapping mapping;

		check(mprof_reader_lookup_class(reader, stats.class_id, &mapping, sizeof(mapping)));
		print_class(mapping.name, i);
	}
	mprof_heap_graph_destroy(graph);
	mprof_reader_destroy(reader);
	return 0;
}
