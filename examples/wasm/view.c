/* SPDX-License-Identifier: MIT */
/* Opens logs whose bytes JavaScript has, and reads them into profiles, heap graphs and frame trees. */
#include "module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An address space of 4 GiB has the results of several views, so one must not use all of it. */
#define MAX_NAMES_MEMORY (UINT64_C(512) << 20)
#define MAX_RESULTS_MEMORY (UINT64_C(1536) << 20)

static int read_source_at(void *user, uint64_t offset, void *bytes, size_t length, size_t *got)
{
	const log_view *view = user;
	int32_t count = wasm_read(view->source, (double)offset, bytes, length);

	*got = count > 0 ? (size_t)count : 0;
	return count < 0 ? EIO : 0;
}

static int read_source(void *user, void *bytes, size_t length, size_t *got)
{
	log_view *view = user;
	const int fault = read_source_at(user, view->position, bytes, length, got);

	view->position += *got;
	return fault;
}

static int seek_source(void *user, uint64_t offset)
{
	log_view *view = user;

	view->position = offset;
	return 0;
}

static int report_progress(void *user, uint64_t done_bytes, uint64_t total_bytes)
{
	(void)total_bytes;
	return wasm_progress(user, (double)done_bytes);
}

static void report_fault(void *user, const mprof_error *error)
{
	log_view *view = user;

	/* The same faults were reported when the log was read first. */
	if (view->is_again)
		return;
	view->fault = error;
	wasm_fault(view);
	view->fault = NULL;
}

void *WASM_EXPORT(mprof_js_allocate)(size_t size)
{
	return malloc(size != 0 ? size : 1);
}

void WASM_EXPORT(mprof_js_free)(void *memory)
{
	free(memory);
}

log_view *WASM_EXPORT(mprof_js_view_create)(uint32_t source)
{
	log_view *view = calloc(1, sizeof(*view));

	if (view == NULL)
		return NULL;
	view->source = source;
	mprof_block_init(&view->block, sizeof(view->block));
	return view;
}

void WASM_EXPORT(mprof_js_view_destroy)(log_view *view)
{
	mprof_finding_list_destroy(view->findings);
	mprof_frame_tree_destroy(view->tree);
	mprof_heap_graph_destroy(view->graph);
	mprof_profile_destroy(view->profile);
	mprof_reader_destroy(view->reader);
	free(view->threads);
	free(view);
}

/* wanted has the kinds of blocks to load, 0 means all. */
mprof_status WASM_EXPORT(mprof_js_view_open)(log_view *view, uint32_t follow, uint64_t wanted)
{
	mprof_source source = {sizeof(source), read_source, seek_source, NULL, view, read_source_at};
	mprof_reader_options options;

	mprof_reader_options_init(&options, sizeof(options));
	view->is_growing = follow != 0;
	options.follow = follow;
	options.wanted.bits[0] = wanted;
	options.max_names_memory = MAX_NAMES_MEMORY;
	options.progress = report_progress;
	options.progress_user = view;
	return mprof_reader_open_source(&source, &options, &view->reader);
}

mprof_status WASM_EXPORT(mprof_js_view_finish)(log_view *view)
{
	return mprof_reader_finish(view->reader);
}

/* Bits of the flags of a profile. */
enum {
	PROFILE_FLAG_WITHOUT_CALL_TREE = 1,
	PROFILE_FLAG_COMPILATIONS = 2,
	PROFILE_FLAG_CALL_SITES = 4,
	PROFILE_FLAG_MONITOR_OBJECTS = 8,
	PROFILE_FLAG_DURATIONS = 16,
	PROFILE_FLAG_LOCATIONS = 32,
	PROFILE_FLAG_AGES = 64,
	PROFILE_FLAG_RAW_COUNTERS = 128,
	PROFILE_FLAG_FOLD_IDLE = 256
};

static void set_profile_flags(mprof_profile_options *options, uint32_t flags)
{
	options->without_call_tree = (flags & PROFILE_FLAG_WITHOUT_CALL_TREE) != 0;
	options->with_compilations = (flags & PROFILE_FLAG_COMPILATIONS) != 0;
	options->with_call_sites = (flags & PROFILE_FLAG_CALL_SITES) != 0;
	options->with_monitor_objects = (flags & PROFILE_FLAG_MONITOR_OBJECTS) != 0;
	options->with_durations = (flags & PROFILE_FLAG_DURATIONS) != 0;
	options->with_locations = (flags & PROFILE_FLAG_LOCATIONS) != 0;
	options->with_ages = (flags & PROFILE_FLAG_AGES) != 0;
	options->raw_counters = (flags & PROFILE_FLAG_RAW_COUNTERS) != 0;
	options->fold_idle = (flags & PROFILE_FLAG_FOLD_IDLE) != 0;
}

/* Numbers of JavaScript may be out of range. */
static int64_t time_of(double nanoseconds)
{
	if (nanoseconds >= 9223372036854775808.0)
		return INT64_MAX;
	return nanoseconds > -9223372036854775808.0 ? (int64_t)nanoseconds : 0;
}

mprof_status WASM_EXPORT(mprof_js_profile_create)(log_view *view, uint32_t flags, uint64_t max_memory,
						  uint32_t max_stack_depth, uint32_t slow_calls,
						  uint32_t timeline_slices, uint32_t max_spans, double window_start_ns,
						  double window_end_ns, double alive_at_ns, const uint64_t *threads,
						  size_t thread_count)
{
	mprof_profile_options options;

	view->threads = calloc(thread_count + 1, sizeof(*view->threads));
	if (view->threads == NULL)
		return MPROF_ERR_MEMORY;
	if (thread_count > 0)
		memcpy(view->threads, threads, thread_count * sizeof(*threads));
	mprof_profile_options_init(&options, sizeof(options));
	set_profile_flags(&options, flags);
	options.max_memory = max_memory != 0 ? max_memory : MAX_RESULTS_MEMORY;
	options.max_stack_depth = max_stack_depth;
	options.slow_calls = slow_calls;
	options.timeline_slices = timeline_slices;
	options.max_spans = max_spans;
	options.window_start_ns = time_of(window_start_ns);
	options.window_end_ns = time_of(window_end_ns);
	options.alive_at_ns = time_of(alive_at_ns);
	options.threads = view->threads;
	options.thread_count = thread_count;
	view->profile_options = options;
	return mprof_profile_create(&options, &view->profile);
}

/* Code that was defined after the samples in it has its name if the log is read once more. */
mprof_status WASM_EXPORT(mprof_js_profile_read)(log_view *view)
{
	const mprof_status status = mprof_profile_read(view->profile, view->reader, report_fault, view);
	mprof_profile *again;

	if (status == MPROF_ERR_INTERRUPTED || view->is_growing || view->is_again ||
	    !mprof_reader_has_late_code(view->reader) || mprof_reader_seek(view->reader, 0) != MPROF_OK)
		return status;
	if (mprof_profile_create(&view->profile_options, &again) != MPROF_OK)
		return MPROF_ERR_MEMORY;
	mprof_profile_destroy(view->profile);
	view->profile = again;
	view->is_again = 1;
	return mprof_profile_read(view->profile, view->reader, report_fault, view);
}

/* The percentile of the durations of a method's calls, or -1 if none has ended. */
double WASM_EXPORT(mprof_js_profile_get_percentile)(const log_view *view, uint32_t method, double percent)
{
	uint64_t duration;

	if (mprof_profile_get_percentile(view->profile, method, percent, &duration) != MPROF_OK)
		return -1;
	return (double)duration;
}

mprof_status WASM_EXPORT(mprof_js_graph_create)(log_view *view, uint32_t snapshot, uint32_t list_only,
						uint64_t max_memory)
{
	mprof_heap_graph_options options;

	mprof_heap_graph_options_init(&options, sizeof(options));
	options.snapshot = snapshot;
	options.list_only = list_only;
	options.max_memory = max_memory != 0 ? max_memory : MAX_RESULTS_MEMORY;
	return mprof_heap_graph_create(&options, &view->graph);
}

mprof_status WASM_EXPORT(mprof_js_graph_read)(log_view *view)
{
	return mprof_heap_graph_read(view->graph, view->reader, report_fault, view);
}

static uint32_t choose_frame(void *user, uint32_t kind, uint32_t id)
{
	(void)user;
	return wasm_choose(kind, id);
}

/* Makes a tree from a profile; the result is a view of its own, which has to be created before. */
mprof_status WASM_EXPORT(mprof_js_tree_create)(log_view *view, const log_view *profile, uint32_t source,
					       uint32_t inverted, uint32_t max_depth, uint32_t has_focus,
					       uint32_t has_choice, uint32_t with_lines, uint32_t with_locations)
{
	mprof_frame_tree_options options;

	mprof_frame_tree_options_init(&options, sizeof(options));
	options.max_memory = MAX_RESULTS_MEMORY;
	options.source = source;
	options.inverted = inverted;
	options.max_depth = max_depth;
	options.has_focus = has_focus;
	options.choose = has_choice ? choose_frame : NULL;
	options.with_lines = with_lines;
	options.with_locations = with_locations;
	return mprof_frame_tree_create(profile->profile, profile->reader, &options, &view->tree);
}

/* Converts times. Without a time scale, counters are nanoseconds. */
double WASM_EXPORT(mprof_js_view_get_time)(const log_view *view, uint64_t counter)
{
	int64_t nanoseconds = 0;

	(void)mprof_reader_get_time(view->reader, counter, &nanoseconds);
	return (double)nanoseconds;
}

uint64_t WASM_EXPORT(mprof_js_view_get_counter)(const log_view *view, double nanoseconds)
{
	uint64_t counter = 0;

	(void)mprof_reader_get_counter(view->reader, (int64_t)nanoseconds, &counter);
	return counter;
}
