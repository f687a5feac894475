/* SPDX-License-Identifier: MIT */
/*
 * Makes two profiles of a log, one of them with several threads, which must be the same, and compares them as mprof diff
 * does; finds what stands out; and compares the heap snapshots of the log. Memory is limited and counted.
 */
#include "fuzz_memory.h"

#include <mprof/heap.h>
#include <mprof/profile.h>

#include <string.h>

enum { MAX_ROWS = 1000, MAX_SNAPSHOTS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* A profile and its reader. */
typedef struct made_profile {
	mprof_reader *reader;
	mprof_profile *profile;
	mprof_status status;
} made_profile;

static made_profile make_profile(const uint8_t *bytes, size_t length, uint32_t threads)
{
	made_profile created = {fuzz_open_reader(bytes, length, threads), NULL, MPROF_OK};
	mprof_profile_options options;

	if (created.reader == NULL)
		return created;
	mprof_profile_options_init(&options, sizeof(options));
	options.allocator = &fuzz_allocator;
	options.max_memory = 16 << 20;
	options.with_compilations = length % 2;
	options.with_call_sites = length / 2 % 2;
	options.with_durations = length / 4 % 2;
	options.with_ages = length / 8 % 4 == 0;
	options.fold_idle = length / 16 % 2;
	options.timeline_slices = length / 32 % 2 * 16;
	if (mprof_profile_create(&options, &created.profile) != MPROF_OK)
		fuzz_fail("no profile was made");
	created.status = mprof_profile_read(created.profile, created.reader, NULL, NULL);
	return created;
}

static void release_profile(made_profile *created)
{
	mprof_profile_destroy(created->profile);
	mprof_reader_destroy(created->reader);
}

static void compare_totals(const made_profile *one, const made_profile *other)
{
	static mprof_profile_totals totals[2];

	for (int i = 0; i < 2; i++) {
		memset(&totals[i], 0, sizeof(totals[i]));
		totals[i].struct_size = sizeof(totals[i]);
		if (mprof_profile_get_row(i == 0 ? one->profile : other->profile, MPROF_TABLE_TOTALS, 0, &totals[i]) !=
		    MPROF_OK)
			fuzz_fail("a profile without totals");
	}
	/* Which data is left out at the limit depends on the order. */
	if (one->status == MPROF_OK && other->status == MPROF_OK && memcmp(&totals[0], &totals[1], sizeof(totals[0])))
		fuzz_fail("a profile made with threads differs");
}

static mprof_frame_tree *make_tree(const made_profile *created, uint32_t source)
{
	mprof_frame_tree_options options;
	mprof_frame_tree *tree = NULL;

	mprof_frame_tree_options_init(&options, sizeof(options));
	options.allocator = &fuzz_allocator;
	options.source = source;
	if (mprof_frame_tree_create(created->profile, created->reader, &options, &tree) != MPROF_OK)
		return NULL;
	return tree;
}

static void take_difference(const mprof_profile_diff *diff)
{
	mprof_diff_row row = {.struct_size = sizeof(row)};
	mprof_diff_name name = {.struct_size = sizeof(name)};
	mprof_diff_node node = {.struct_size = sizeof(node)};
	uint32_t names[8];
	size_t count;

	for (uint32_t table = 0; table <= MPROF_TABLE_MONITOR_SITES + 1; table++) {
		for (size_t i = 0; i < mprof_profile_diff_get_row_count(diff, table) && i < MAX_ROWS; i++)
			(void)mprof_profile_diff_get_row(diff, table, i, &row);
		(void)mprof_profile_diff_get_sum(diff, table, &row);
	}
	for (uint32_t i = 0; i < MAX_ROWS; i++) {
		(void)mprof_profile_diff_get_name(diff, i, &name);
		(void)mprof_profile_diff_get_stack(diff, i, names, 8, &count);
	}
	for (uint32_t i = 0; i < mprof_profile_diff_get_node_count(diff) && i < MAX_ROWS; i++)
		(void)mprof_profile_diff_get_node(diff, i, &node);
}

static void compare_profiles(const made_profile *before, const made_profile *after, uint32_t source)
{
	mprof_profile_diff_options options;
	mprof_profile_diff *diff = NULL;
	mprof_frame_tree *trees[2] = {make_tree(before, source), make_tree(after, source)};

	mprof_profile_diff_options_init(&options, sizeof(options));
	options.allocator = &fuzz_allocator;
	if (trees[0] != NULL && trees[1] != NULL) {
		options.before_tree = trees[0];
		options.after_tree = trees[1];
	}
	if (mprof_profile_diff_create(before->profile, before->reader, after->profile, after->reader, &options,
				      &diff) == MPROF_OK)
		take_difference(diff);
	mprof_profile_diff_destroy(diff);
	mprof_frame_tree_destroy(trees[0]);
	mprof_frame_tree_destroy(trees[1]);
}

/* Finds what stands out, and checks what every finding has. */
static void take_findings(const made_profile *created, size_t length)
{
	mprof_finding found = {.struct_size = sizeof(found)};
	mprof_finding_list_options options;
	mprof_finding_list *findings = NULL;
	mprof_status status;
	uint32_t severity = 100;

	mprof_finding_list_options_init(&options, sizeof(options));
	options.allocator = &fuzz_allocator;
	options.max_count = (uint32_t)(length % 64);
	status = mprof_finding_list_create(created->profile, created->reader, &options, &findings);
	if (status != MPROF_OK && status != MPROF_ERR_LIMIT)
		fuzz_fail("no findings were made");
	if (status == MPROF_OK && mprof_finding_list_get_count(findings) == 0)
		fuzz_fail("a profile without findings");
	for (size_t i = 0; i < mprof_finding_list_get_count(findings); i++) {
		if (mprof_finding_list_get(findings, i, &found) != MPROF_OK || *found.kind == '\0' ||
		    *found.text == '\0' || strchr(found.text, '\n') != NULL)
			fuzz_fail("a finding without a kind, or without a text on one line");
		if (found.severity > severity)
			fuzz_fail("findings out of order");
		severity = found.severity;
	}
	mprof_finding_list_destroy(findings);
}

static void take_set(mprof_heap_graph *graph)
{
	mprof_heap_set *set = NULL;
	mprof_heap_set *other = NULL;
	mprof_heap_set_totals totals = {.struct_size = sizeof(totals)};
	uint64_t bytes;

	if (mprof_heap_set_create(graph, &set) == MPROF_OK && mprof_heap_set_create(graph, &other) == MPROF_OK) {
		(void)mprof_heap_set_add_class(set, 0);
		(void)mprof_heap_set_add_object(set, 3);
		(void)mprof_heap_set_add_referencing(other, set);
		(void)mprof_heap_set_add_referenced(other, set);
		(void)mprof_heap_set_unite(set, other);
		(void)mprof_heap_set_get_totals(set, &totals);
		(void)!mprof_heap_set_get_retained(set, &bytes);
		(void)mprof_heap_set_subtract(set, other);
		(void)mprof_heap_set_intersect(set, other);
	}
	mprof_heap_set_destroy(set);
	mprof_heap_set_destroy(other);
}

static void add_snapshot(mprof_heap_diff *diff, const uint8_t *bytes, size_t length, uint32_t snapshot)
{
	mprof_reader *reader = fuzz_open_reader(bytes, length, 0);
	mprof_heap_graph_options options;
	mprof_heap_graph *graph = NULL;

	if (reader == NULL)
		return;
	mprof_heap_graph_options_init(&options, sizeof(options));
	options.allocator = &fuzz_allocator;
	options.snapshot = snapshot;
	options.max_memory = 16 << 20;
	if (mprof_heap_graph_create(&options, &graph) == MPROF_OK) {
		(void)!mprof_heap_graph_read(graph, reader, NULL, NULL);
		(void)!mprof_heap_graph_build_dominators(graph);
		(void)!mprof_heap_graph_build_referrers(graph);
		(void)!mprof_heap_diff_add(diff, graph, reader, 1);
		take_set(graph);
	}
	mprof_heap_graph_destroy(graph);
	mprof_reader_destroy(reader);
}

static void compare_snapshots(const uint8_t *bytes, size_t length)
{
	mprof_heap_diff_options options;
	mprof_heap_diff_totals totals = {.struct_size = sizeof(totals)};
	mprof_heap_growth growths[8];
	mprof_heap_diff *diff = NULL;
	size_t count;

	mprof_heap_diff_options_init(&options, sizeof(options));
	options.allocator = &fuzz_allocator;
	options.max_memory = 16 << 20;
	options.max_shapes = 4096;
	if (mprof_heap_diff_create(&options, &diff) != MPROF_OK)
		fuzz_fail("no comparison of snapshots was made");
	for (uint32_t snapshot = 1; snapshot <= MAX_SNAPSHOTS; snapshot++)
		add_snapshot(diff, bytes, length, snapshot);
	(void)mprof_heap_diff_get_totals(diff, &totals);
	(void)!mprof_heap_diff_get_growth(diff, growths, sizeof(*growths), 8, &count);
	mprof_heap_diff_destroy(diff);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	/* The second one is of the log without its last quarter. */
	made_profile one = make_profile(bytes, length, 1);
	made_profile other = make_profile(bytes, length, 3);
	made_profile shorter = make_profile(bytes, length - length / 4, 1);

	if (one.profile != NULL && other.profile != NULL)
		compare_totals(&one, &other);
	if (one.profile != NULL)
		take_findings(&one, length);
	if (one.profile != NULL && shorter.profile != NULL)
		compare_profiles(&one, &shorter, (uint32_t)(length % 8));
	release_profile(&one);
	release_profile(&other);
	release_profile(&shorter);
	fuzz_check_memory("profiles did not return their memory");
	compare_snapshots(bytes, length);
	fuzz_check_memory("snapshots did not return their memory");
	return 0;
}
