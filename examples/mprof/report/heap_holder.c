/* SPDX-License-Identifier: MIT */
/* Finds what holds the objects by which the heap grew, in the first and the last heap snapshot of a log. */
#include "report/heap_holder.h"

#include "common/growth_path.h"
#include "report/parts.h"

#include <mprof/heap.h>

#include <stdlib.h>
#include <string.h>

/* Objects of both snapshots together, and the length of a log that is read once more: well below a second each. */
#define MAX_OBJECTS UINT64_C(2000000)
#define MAX_BYTES (UINT64_C(256) << 20)

#define MAX_MEMORY (UINT64_C(1) << 30)

#define WANTED_BLOCKS                                                                                                  \
	(MPROF_BLOCK_BIT(MPROF_BLOCK_INTRO) | MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING) |                                   \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_LOADED) | MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_DATA) |                                \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_ROOTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_FIELDS) |                                    \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_OBJECT_LABELS) | MPROF_BLOCK_BIT(MPROF_BLOCK_DIRECTIVES))

/* The number of the last snapshot to compare, from 1; 0 if there are no two of a size that can be compared at once. */
static uint32_t choose_last(const log_report *report)
{
	const size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_HEAP_SHOTS);
	mprof_heap_shot first = {.struct_size = sizeof(first)};
	mprof_heap_shot last = {.struct_size = sizeof(last)};
	mprof_session session = {.struct_size = sizeof(session)};
	uint64_t number = count;

	if (mprof_reader_get_session(report->input.reader, &session) == MPROF_OK &&
	    session.snapshots_before_shutdown < number)
		number = session.snapshots_before_shutdown;
	if (number < 2 || !report->input.is_file || strcmp(report->input.name, "-") == 0 ||
	    report->input.file_size > MAX_BYTES ||
	    mprof_profile_get_row(report->profile, MPROF_TABLE_HEAP_SHOTS, 0, &first) != MPROF_OK ||
	    mprof_profile_get_row(report->profile, MPROF_TABLE_HEAP_SHOTS, (size_t)number - 1, &last) != MPROF_OK)
		return 0;
	return first.objects + last.objects <= MAX_OBJECTS ? (uint32_t)number : 0;
}

/* Adds the snapshot that is \p number after the latest one that was read. */
static int add_snapshot(mprof_heap_diff *diff, log_input *input, uint32_t number)
{
	mprof_heap_graph_options options;
	mprof_heap_graph_totals totals = {.struct_size = sizeof(totals)};
	mprof_heap_graph *graph = NULL;
	int is_added;

	mprof_heap_graph_options_init(&options, sizeof(options));
	options.snapshot = number;
	options.max_memory = MAX_MEMORY;
	is_added = mprof_heap_graph_create(&options, &graph) == MPROF_OK &&
		   mprof_heap_graph_read(graph, input->reader, NULL, NULL) == MPROF_OK;
	if (is_added)
		mprof_heap_graph_get_totals(graph, &totals);
	is_added = is_added && totals.snapshot != 0 && !totals.incomplete && totals.has_roots &&
		   mprof_heap_diff_add(diff, graph, input->reader, 0) == MPROF_OK;
	mprof_heap_graph_destroy(graph);
	return is_added;
}

static void write_path(const mprof_heap_diff *diff, uint32_t shape, char *text, size_t size)
{
	FILE *file = fmemopen(text, size, "w");

	if (file == NULL)
		return;
	growth_path_text(file, diff, 1, shape);
	fclose(file);
	text[size - 1] = '\0';
}

/* Writes the path that holds most additional memory. Returns by how many bytes. */
static uint64_t describe_growth(mprof_heap_diff *diff, char *text, size_t size)
{
	mprof_heap_growth most = {0};
	size_t count = 0;

	if (mprof_heap_diff_get_growth(diff, &most, sizeof(most), 1, &count) != MPROF_OK || count == 0 ||
	    most.bytes_last <= most.bytes_first)
		return 0;
	write_path(diff, most.shape, text, size);
	return most.bytes_last - most.bytes_first;
}

uint64_t heap_holder_find(const log_report *report, char *text, size_t size)
{
	const uint32_t last = choose_last(report);
	mprof_heap_diff_options options;
	mprof_heap_diff *diff = NULL;
	uint64_t bytes = 0;
	log_input input;

	if (last == 0)
		return 0;
	if (input_open_again(&input, report->input.name, WANTED_BLOCKS) == STATUS_OK) {
		input.is_quiet = 1;
		mprof_heap_diff_options_init(&options, sizeof(options));
		options.max_memory = MAX_MEMORY;
		if (mprof_heap_diff_create(&options, &diff) == MPROF_OK && add_snapshot(diff, &input, 1) &&
		    add_snapshot(diff, &input, last - 1))
			bytes = describe_growth(diff, text, size);
		mprof_heap_diff_destroy(diff);
	}
	input_close(&input);
	return bytes;
}
