/* SPDX-License-Identifier: MIT */
/*
 * Makes everything that the explore page shows of a log: profiles with all options, timelines and windows among them,
 * every row of every table, frame trees, heap graphs, and the events of each block. This is the code of the WebAssembly
 * module, compiled for this machine.
 */
#include "module.h"

#include "fuzz_logs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CAPACITY = 64,
	/* Rows of a table that are read, from its start and from its end. */
	MAX_ROWS = 512,
	MAX_BLOCKS = 4096,
	MAX_BATCHES = 4096,
	MAX_OBJECTS = 200
};

#define PROFILE_MEMORY (UINT64_C(16) << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* The functions that the module exports. */
log_view *mprof_js_view_create(uint32_t source);
void mprof_js_view_destroy(log_view *view);
mprof_status mprof_js_view_open(log_view *view, uint32_t follow, uint64_t wanted);
mprof_status mprof_js_profile_create(log_view *view, uint32_t flags, uint64_t max_memory, uint32_t max_stack_depth,
				     uint32_t slow_calls, uint32_t timeline_slices, uint32_t max_spans,
				     double window_start_ns, double window_end_ns, double alive_at_ns,
				     const uint64_t *threads, size_t thread_count);
mprof_status mprof_js_profile_read(log_view *view);
double mprof_js_profile_get_percentile(const log_view *view, uint32_t method, double percent);
mprof_status mprof_js_graph_create(log_view *view, uint32_t snapshot, uint32_t list_only, uint64_t max_memory);
mprof_status mprof_js_graph_read(log_view *view);
mprof_status mprof_js_graph_build_dominators(log_view *view);
mprof_status mprof_js_graph_build_paths(log_view *view);
mprof_status mprof_js_graph_build_referrers(log_view *view);
double mprof_js_graph_get_dominated(const log_view *view, uint32_t dominator, uint32_t *objects, uint32_t capacity);
double mprof_js_graph_get_retained(log_view *view, const uint32_t *objects, uint32_t count);
double mprof_js_graph_get_references(const log_view *view, uint32_t is_referrer, uint32_t object, uint32_t first,
				     mprof_heap_reference *references, uint32_t capacity);
mprof_status mprof_js_graph_get_parent(const log_view *view, uint32_t object, mprof_heap_reference *reference);
double mprof_js_graph_get_path(const log_view *view, uint32_t object, uint32_t root[3], mprof_heap_step *steps,
			       uint32_t capacity);
mprof_status mprof_js_tree_create(log_view *view, const log_view *profile, uint32_t source, uint32_t inverted,
				  uint32_t max_depth, uint32_t has_focus, uint32_t has_choice, uint32_t with_lines,
				  uint32_t with_locations);
mprof_status mprof_js_findings_create(log_view *view, const char *log, uint32_t max_count);
double mprof_js_view_get_time(const log_view *view, uint64_t counter);
uint64_t mprof_js_view_get_counter(const log_view *view, double nanoseconds);
mprof_status mprof_js_next_block(log_view *view);
mprof_status mprof_js_load_block(log_view *view);
mprof_status mprof_js_build_index(log_view *view);
mprof_status mprof_js_seek(log_view *view, double offset);
mprof_status mprof_js_seek_time(log_view *view, double nanoseconds, uint64_t thread);
int32_t mprof_js_get_open_frames(log_view *view, uint64_t thread, uint64_t counter, mprof_stack_frame *frames,
				 uint32_t capacity);
mprof_status mprof_js_next_events(log_view *view, uint32_t capacity, uint32_t result[3]);
mprof_status mprof_js_next_metric_values(log_view *view, uint32_t *ids, double *values, uint64_t *counters,
					 uint32_t capacity, uint32_t *count);
const char *mprof_js_get_name(const log_view *view, uint32_t what, uint32_t id);
uint32_t mprof_js_get_stack(const log_view *view, uint32_t stack, mprof_stack_frame *frames, uint32_t capacity);
uint32_t mprof_js_get_age_site_stack(const log_view *view, uint32_t index, mprof_stack_frame *frames,
				     uint32_t capacity);
uint32_t mprof_js_table_get_count(void);
uint32_t mprof_js_table_get_column_count(uint32_t number);
uint32_t mprof_js_table_get_column_length(uint32_t number, uint32_t column);
uint32_t mprof_js_table_get_row_count(const log_view *view, uint32_t number, uint32_t which);
uint32_t mprof_js_table_fill(const log_view *view, uint32_t number, uint32_t which, uint32_t first, uint32_t capacity,
			     uint8_t *out, uint32_t exact);

/* The log that is read, and numbers that it determines: the same input always does the same. */
static const uint8_t *input;
static size_t input_length;
static uint64_t choices;

static uint64_t choose_below(uint64_t limit)
{
	choices = choices * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (choices >> 33) % limit;
}

int32_t wasm_read(uint32_t source, double position, void *bytes, size_t length)
{
	const size_t offset = position < (double)input_length ? (size_t)position : input_length;

	(void)source;
	if (length > input_length - offset)
		length = input_length - offset;
	if (length > 0)
		memcpy(bytes, input + offset, length);
	return (int32_t)length;
}

int32_t wasm_progress(log_view *view, double done_bytes)
{
	(void)view;
	(void)done_bytes;
	return 0;
}

void wasm_fault(log_view *view)
{
	if (view->fault->what == NULL || view->fault->status == MPROF_OK) {
		fputs("fuzz_explore: a fault without a text\n", stderr);
		abort();
	}
}

void wasm_name(log_view *view, uint32_t kind, uint32_t id, char *text, size_t size)
{
	const char *name = kind != MPROF_SAMPLE_CLASS ? mprof_js_get_name(view, kind, id) : NULL;

	snprintf(text, size, "%s", name != NULL ? name : "");
}

uint32_t wasm_choose(uint32_t kind, uint32_t id)
{
	return (kind + id) % 7;
}

static size_t size_of_row(uint32_t table)
{
	size_t size = 0;

	for (uint32_t i = 0; i < mprof_js_table_get_column_count(table); i++)
		size += (size_t)mprof_js_table_get_column_length(table, i) * sizeof(uint64_t) + sizeof(uint64_t);
	return size;
}

static void take_rows(const log_view *view, uint32_t table, uint32_t which)
{
	const uint32_t count = mprof_js_table_get_row_count(view, table, which);
	/* Memory of exactly the length that is needed at most, so that sanitizers detect writes after its end. */
	const size_t size = size_of_row(table) * CAPACITY;
	uint8_t *rows = malloc(size);

	fuzz_require(rows != NULL);
	for (uint32_t first = 0; first < count && first < MAX_ROWS; first += CAPACITY)
		(void)mprof_js_table_fill(view, table, which, first, CAPACITY, rows, first % 2);
	if (count > MAX_ROWS)
		(void)mprof_js_table_fill(view, table, which, count - CAPACITY / 2, CAPACITY, rows, 0);
	free(rows);
}

static void take_tables(const log_view *view)
{
	for (uint32_t table = 0; table < mprof_js_table_get_count(); table++) {
		for (uint32_t which = 0; which < 3; which++)
			take_rows(view, table, which);
		take_rows(view, table, (uint32_t)choose_below(1000));
	}
}

static void take_names(const log_view *view)
{
	static const uint32_t kinds[] = {
		MPROF_SAMPLE_METHOD, MPROF_SAMPLE_FUNCTION, MPROF_SAMPLE_MODULE, MPROF_SAMPLE_LOCATION, 16, 17};
	mprof_stack_frame frames[8];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		for (uint32_t id = 0; id < 20; id++)
			(void)mprof_js_get_name(view, kinds[i], id);
	}
	for (uint32_t stack = 0; stack < 40; stack++)
		(void)mprof_js_get_stack(view, stack, frames, 8);
}

static void take_tree(const log_view *profile)
{
	log_view *view = mprof_js_view_create(0);

	fuzz_require(view != NULL);
	if (mprof_js_tree_create(view, profile, (uint32_t)choose_below(8), (uint32_t)choose_below(2),
				 (uint32_t)choose_below(2) * (uint32_t)choose_below(20), (uint32_t)choose_below(2),
				 (uint32_t)choose_below(2), (uint32_t)choose_below(2),
				 (uint32_t)choose_below(2)) == MPROF_OK)
		take_tables(view);
	mprof_js_view_destroy(view);
}

static double choose_time(void)
{
	switch (choose_below(5)) {
	case 0:
	case 1:
		return 0;
	case 2:
		return (double)(choose_below(4000) * 1000);
	case 3:
		return choose_below(100000);
	default:
		return choose_below(2) == 0 ? 1e30 : -1e9;
	}
}

static uint64_t choose_counter(const log_view *view)
{
	switch (choose_below(3)) {
	case 0:
		return mprof_js_view_get_counter(view, (double)(choose_below(4000) * 1000));
	case 1:
		return choose_below(100000);
	default:
		return UINT64_MAX - choose_below(3);
	}
}

static void take_profile(void)
{
	static const uint32_t slices[] = {0, 2, 3, 16, 100, 1000};
	const uint64_t threads[] = {7, 77, 8};
	log_view *view = mprof_js_view_create(0);
	const uint32_t flags = (uint32_t)choose_below(256);
	mprof_stack_frame frames[8];

	fuzz_require(view != NULL);
	if (mprof_js_view_open(view, 0, 0) == MPROF_OK) {
		const double start = choose_time();
		const double end = choose_time();

		if (mprof_js_profile_create(view, flags, PROFILE_MEMORY, (uint32_t)(choose_below(3) * choose_below(40)),
					    flags & 16 ? (uint32_t)choose_below(4) : 0,
					    slices[choose_below(sizeof(slices) / sizeof(*slices))],
					    (uint32_t)choose_below(20), start, end, choose_time(), threads,
					    choose_below(5) == 0 ? 3 : 0) == MPROF_OK) {
			(void)mprof_js_profile_read(view);
			(void)mprof_js_findings_create(view, "log", (uint32_t)choose_below(20));
			take_tables(view);
			take_names(view);
			for (uint32_t id = 0; id < 20; id++) {
				(void)mprof_js_profile_get_percentile(view, id, 50);
				(void)mprof_js_get_age_site_stack(view, id, frames, 8);
			}
			take_tree(view);
		}
	}
	mprof_js_view_destroy(view);
}

static void take_objects(log_view *view)
{
	mprof_heap_reference references[8];
	mprof_heap_step steps[8];
	uint32_t objects[8];
	uint32_t root[3];

	for (uint32_t object = 0; object < MAX_OBJECTS; object++) {
		(void)mprof_js_graph_get_dominated(view, object, objects, 8);
		(void)mprof_js_graph_get_references(view, object % 2, object, object % 3, references, 8);
		(void)mprof_js_graph_get_references(view, object % 2, object, 0, references, 8);
		(void)mprof_js_graph_get_parent(view, object, references);
		(void)mprof_js_graph_get_path(view, object, root, steps, 8);
	}
	for (uint32_t i = 0; i < 8; i++)
		objects[i] = i * 3;
	(void)mprof_js_graph_get_retained(view, objects, 8);
}

static void take_graph(void)
{
	log_view *view = mprof_js_view_create(0);

	fuzz_require(view != NULL);
	if (mprof_js_view_open(view, 0, 0) == MPROF_OK &&
	    mprof_js_graph_create(view, (uint32_t)choose_below(3), choose_below(8) == 0, PROFILE_MEMORY) == MPROF_OK) {
		(void)mprof_js_graph_read(view);
		(void)mprof_js_graph_build_dominators(view);
		(void)mprof_js_graph_build_paths(view);
		(void)mprof_js_graph_build_referrers(view);
		take_tables(view);
		take_objects(view);
	}
	mprof_js_view_destroy(view);
}

static void take_lists(log_view *view)
{
	const uint32_t capacity = 1 + (uint32_t)choose_below(200);
	uint32_t result[3];
	uint32_t ids[CAPACITY];
	double values[CAPACITY];
	uint64_t counters[CAPACITY];
	uint32_t count;

	for (int i = 0; i < MAX_BATCHES && mprof_js_next_events(view, capacity, result) == MPROF_OK; i++)
		fuzz_require(result[0] > 0 && result[0] <= capacity);
	for (int i = 0; i < MAX_BATCHES; i++) {
		if (mprof_js_next_metric_values(view, ids, values, counters, CAPACITY, &count) != MPROF_OK)
			break;
		fuzz_require(count <= CAPACITY);
	}
}

static void take_blocks(log_view *view)
{
	for (int i = 0; i < MAX_BLOCKS; i++) {
		mprof_status status = mprof_js_next_block(view);
		mprof_error error = {.struct_size = sizeof(error)};

		if (status == MPROF_END)
			break;
		(void)mprof_js_load_block(view);
		take_lists(view);
		if (status == MPROF_OK)
			continue;
		(void)mprof_reader_get_error(view->reader, &error);
		if (error.severity != MPROF_SEVERITY_BLOCK)
			break;
	}
}

static void take_events(void)
{
	log_view *view = mprof_js_view_create(0);
	mprof_stack_frame frames[8];

	fuzz_require(view != NULL);
	if (mprof_js_view_open(view, (uint32_t)choose_below(2), 0) == MPROF_OK) {
		take_blocks(view);
		take_tables(view);
		(void)mprof_js_build_index(view);
		take_tables(view);
		(void)mprof_js_get_open_frames(view, 77, choose_counter(view), frames, 8);
		if (mprof_js_seek_time(view, (double)choose_below(4000) * 1000, 77) == MPROF_OK)
			take_blocks(view);
		if (mprof_js_seek(view, 0) == MPROF_OK)
			take_blocks(view);
		(void)mprof_js_view_get_time(view, choose_counter(view));
	}
	mprof_js_view_destroy(view);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	input = bytes;
	input_length = length;
	choices = length;
	for (size_t i = 0; i < length; i++)
		choices = (choices ^ bytes[i]) * UINT64_C(0x100000001b3);
	take_profile();
	if (choose_below(2) == 0)
		take_profile();
	if (choose_below(3) == 0)
		take_graph();
	if (choose_below(3) == 0)
		take_events();
	return 0;
}
