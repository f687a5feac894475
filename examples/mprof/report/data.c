/* SPDX-License-Identifier: MIT */
/* Reads a log and collects the data of a report. */
#include "common/arguments.h"
#include "common/input.h"
#include "common/output.h"
#include "report/contents.h"
#include "report/filters.h"
#include "report/findings.h"
#include "report/frames.h"
#include "report/parts.h"
#include "shared/text.h"

#include <stdlib.h>
#include <string.h>

int report_has_calls(const log_report *report)
{
	return report->totals.calls > 0 || report->totals.method_ns > 0;
}

size_t report_rows(const log_report *report, size_t count)
{
	const int is_limited = report_is_first_screen(report) && !report->options.has_top;
	const uint64_t top = is_limited ? FIRST_SCREEN_ROWS : report->options.top;

	return top != 0 && top < count ? (size_t)top : count;
}

static int compare_by_id(const void *left, const void *right)
{
	return report_larger_first(((const mprof_class_stats *)right)->id, ((const mprof_class_stats *)left)->id);
}

static mprof_allocation_site site_at(const log_report *report, size_t index)
{
	mprof_allocation_site site = {.struct_size = sizeof(site)};

	mprof_profile_get_row(report->profile, MPROF_TABLE_ALLOCATION_SITES, index, &site);
	return site;
}

static int has_stacks(const log_report *report, size_t sites)
{
	for (size_t i = 0; i < sites; i++) {
		if (site_at(report, i).stack != 0)
			return 1;
	}
	return 0;
}

/* Figures of a sample of call stacks are estimates, so their sum may exceed that of the class. */
static uint64_t subtract(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

/*
 * Replaces the allocations of classes by those of the call stacks that the filters keep, and sorts the classes by ID.
 * Returns 0, without a change, if no filter leaves out call stacks or if no allocation has one.
 */
static int filter_classes(const log_report *report, mprof_class_stats *classes, size_t count)
{
	const size_t sites = mprof_profile_get_row_count(report->profile, MPROF_TABLE_ALLOCATION_SITES);
	/* Allocations without a call stack are in no site; only a focus leaves them out. */
	const int has_focus = report->options.focus_pattern != NULL;

	if ((!has_focus && report->options.ignore_pattern == NULL) || !has_stacks(report, sites))
		return 0;
	qsort(classes, count, sizeof(*classes), compare_by_id);
	for (size_t i = 0; has_focus && i < count; i++) {
		classes[i].allocations = 0;
		classes[i].bytes = 0;
	}
	for (size_t i = 0; i < sites; i++) {
		const mprof_allocation_site site = site_at(report, i);
		const mprof_class_stats wanted = {.id = site.class_id};
		mprof_class_stats *found = bsearch(&wanted, classes, count, sizeof(*classes), compare_by_id);
		const int is_kept = report_frames_keep_site(report, site.stack, site.caller);

		if (found == NULL || is_kept != has_focus)
			continue;
		found->allocations = has_focus ? found->allocations + site.allocations
					       : subtract(found->allocations, site.allocations);
		found->bytes = has_focus ? found->bytes + site.bytes : subtract(found->bytes, site.bytes);
	}
	return 1;
}

/* Sorts rows as the view of their table does. */
static void sort_rows(const log_report *report, const report_view *view, void *rows, size_t count, size_t size)
{
	view_rows sorted = {rows, count, size};

	report_view_arrange(report, view, &sorted);
}

/* Collects the statistics of methods and classes that pass the filters. */
static int collect_tables(log_report *report)
{
	size_t method_count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_METHODS);
	size_t class_count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_CLASSES);
	mprof_method_stats *methods = calloc(method_count + 1, sizeof(*methods));
	mprof_class_stats *classes = calloc(class_count + 1, sizeof(*classes));

	report->methods = methods;
	report->classes = classes;
	if (methods == NULL || classes == NULL)
		return 0;
	mprof_profile_get_rows(report->profile, MPROF_TABLE_METHODS, 0, methods, sizeof(*methods), method_count,
			       &method_count);
	mprof_profile_get_rows(report->profile, MPROF_TABLE_CLASSES, 0, classes, sizeof(*classes), class_count,
			       &class_count);
	method_count = report_frames_filter_methods(report, methods, method_count);
	for (size_t i = 0; i < method_count; i++) {
		methods[report->method_count] = methods[i];
		report->method_count += (size_t)report_wants_method(report, methods[i].id);
	}
	report->has_filtered_classes = filter_classes(report, classes, class_count);
	for (size_t i = 0; i < class_count; i++) {
		classes[report->class_count] = classes[i];
		report->class_count += (size_t)report_wants_class(report, classes[i].id);
	}
	sort_rows(report, &tables_methods, methods, report->method_count, sizeof(*methods));
	sort_rows(report, &tables_classes, classes, report->class_count, sizeof(*classes));
	return 1;
}

/* Whether a block passes the thread filter. */
static int is_wanted(log_report *report, const mprof_block *block)
{
	const uint64_t of_threads = MPROF_BLOCK_BIT(MPROF_BLOCK_EVENTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_SAMPLES) |
				    MPROF_BLOCK_BIT(MPROF_BLOCK_MARK);

	/* Its events may be of several threads: the profile chooses them. */
	report->filters.has_thread |=
		(MPROF_BLOCK_BIT(block->kind) & (of_threads | MPROF_BLOCK_BIT(MPROF_BLOCK_TYPED))) != 0 &&
		thread_choice_names(&report->options.threads, block->thread);
	return (MPROF_BLOCK_BIT(block->kind) & of_threads) == 0 || report_wants_thread(report, block->thread);
}

static void read_profile(log_report *report)
{
	mprof_block block;

	while (input_next_block(&report->input, &block)) {
		if (!is_wanted(report, &block)) {
			report_filters_skip_thread(report, block.thread);
			/*
			 * Other threads may free the native memory that this one allocated, so their blocks are read;
			 * the profile leaves out their other events.
			 */
			if (block.kind != MPROF_BLOCK_EVENTS)
				continue;
		} else {
			summary_count_block(&report->summary, &block);
		}
		profile_input_add(&report->input, report->profile, &block);
	}
	profile_input_finish(&report->input, report->profile, &block);
}

static void read_properties(log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_PROPERTIES); i++) {
		mprof_profile_property property = {.struct_size = sizeof(property)};

		if (mprof_profile_get_row(report->profile, MPROF_TABLE_PROPERTIES, i, &property) != MPROF_OK)
			continue;
		summary_take_property(&report->summary, property.key, property.value);
	}
}

static void read_threads(log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS); i++) {
		mprof_thread_stats stats = {.struct_size = sizeof(stats)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_THREADS, i, &stats);
		report->has_thread_times |= stats.wall_ns > 0;
		report->has_switches |= stats.voluntary_switches > 0 || stats.involuntary_switches > 0;
	}
}

static void summarize_profile(log_report *report)
{
	log_summary *summary = &report->summary;

	report->totals.struct_size = sizeof(report->totals);
	mprof_profile_get_row(report->profile, MPROF_TABLE_TOTALS, 0, &report->totals);
	memcpy(summary->event_counts, report->totals.event_counts, sizeof(summary->event_counts));
	summary->events = report->totals.events;
	summary->threads = mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS);
	read_properties(report);
	read_threads(report);
	sampling_set_unit(&summary->sampling, report->totals.sample_period_ns);
	summary_complete(summary, &report->input);
}

/* Single spans that are kept if all rows are wanted. */
#define ALL_SPANS 100000

static uint32_t spans_to_keep(const log_report *report)
{
	const report_options *options = &report->options;

	if (options->max_spans != 0)
		return options->max_spans;
	/* What the first screen has depends on the profile, which is made after this. */
	if (report_is_first_screen(report) || !report_wants(report, REPORT_SECTION_SPANS))
		return 0;
	return options->top == 0 || options->top > ALL_SPANS ? ALL_SPANS : (uint32_t)options->top;
}

static mprof_status make_profile(log_report *report)
{
	const thread_choice *choice = &report->options.threads;
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.threads = choice->threads;
	options.thread_count = choice->thread_count;
	options.processes = choice->processes;
	/* A thread is one of one process: both choices together are that of the threads. */
	if (choice->wanted == NULL)
		options.process_count = choice->process_count;
	options.with_durations = report->options.with_percentiles || report->options.slow_calls > 0;
	options.slow_calls = (uint32_t)report->options.slow_calls;
	options.max_spans = spans_to_keep(report);
	options.with_locations = 1;
	/* What chosen threads wait for is of interest. */
	options.fold_idle = report->options.folds_idle && choice->wanted == NULL && choice->wanted_process == NULL;
	options.with_call_sites = report->options.with_call_sites != 0;
	options.with_ages = (uint32_t)report->options.with_ages;
	if (report->options.alive_at.is_bounded)
		options.alive_at_ns = time_window_end(&report->options.alive_at);
	if (report->options.window.is_bounded) {
		options.window_start_ns = report->options.window.start_ns;
		options.window_end_ns = time_window_end(&report->options.window);
	}
	options.timeline_slices = (uint32_t)report->options.timeline_slices;
	/* Pauses need a timeline, of any number of slices. */
	if (report->options.with_pauses && options.timeline_slices == 0)
		options.timeline_slices = 2;
	return mprof_profile_create(&options, &report->profile);
}

static int lacks_memory(const log_report *report)
{
	text_begin_message(report->input.name);
	fprintf(stderr, "%s for the report\n", mprof_status_get_text(MPROF_ERR_MEMORY));
	return STATUS_NOTHING;
}

/* Reports on standard error if the log has nothing inside the window. */
static void check_window(const log_report *report)
{
	const time_window *window = &report->options.window;
	char end[TEXT_NUMBER_SIZE];

	if (!window->is_bounded || window->start_ns <= window->log_end_ns)
		return;
	text_begin_message(report->input.name);
	fprintf(stderr, "nothing is inside the time window: the log ends after %s\n",
		text_duration(end, window->log_end_ns > 0 ? (uint64_t)window->log_end_ns : 0));
}

/* Whether each process of the log has its own addresses. */
static int log_has_processes(const log_report *report)
{
	mprof_age_stats ages = {.struct_size = sizeof(ages)};

	/* Nothing is tracked then, though objects were allocated. */
	return mprof_profile_get_row_count(report->profile, MPROF_TABLE_PROCESSES) > 1 &&
	       mprof_profile_get_row(report->profile, MPROF_TABLE_AGES, 0, &ages) == MPROF_OK && ages.allocations == 0;
}

/* Objects are tracked of one process, since each has its own addresses. */
static void check_ages(const log_report *report)
{
	if (!report->options.with_ages || report->options.threads.process_count == 1 ||
	    report->totals.event_counts[MPROF_EVENT_ALLOCATION] == 0 || !log_has_processes(report))
		return;
	text_begin_message(report->input.name);
	fputs("objects are tracked of one process at a time: --process chooses it\n", stderr);
}

int report_read(log_report *report, const char *path, const report_options *options)
{
	int status;

	memset(report, 0, sizeof(*report));
	report->options = *options;
	report->has_own_choice = !options->threads.is_found;
	status = thread_choice_find(&report->options.threads, path);
	if (status != STATUS_OK)
		return status;
	status = time_window_find(&report->options.alive_at, path);
	if (status == STATUS_OK)
		status = time_window_find(&report->options.window, path);
	if (status != STATUS_OK)
		return status;
	status = options->is_quiet ? input_open_quietly(&report->input, path) : input_open(&report->input, path, 0);
	if (status != STATUS_OK)
		return STATUS_NOTHING;
	if (make_profile(report) != MPROF_OK ||
	    (options->collapse_pattern != NULL && !names_use_collapsed(report->input.names, options->collapse_pattern)))
		return lacks_memory(report);
	if (options->compiler_names)
		names_use_symbols(report->input.names);
	report_filters_begin(report);
	read_profile(report);
	if (input_begin_again(&report->input)) {
		mprof_profile_destroy(report->profile);
		report->profile = NULL;
		memset(&report->summary, 0, sizeof(report->summary));
		if (make_profile(report) != MPROF_OK)
			return lacks_memory(report);
		read_profile(report);
	}
	summarize_profile(report);
	if (!report_frames_make(report))
		return STATUS_NOTHING;
	if (!assembly_names_init(&report->assemblies, report->profile) || !collect_tables(report))
		return lacks_memory(report);
	if (!options->is_quiet) {
		report_filters_check(report);
		check_window(report);
		check_ages(report);
	}
	if (!options->without_lines)
		report->lines = native_lines_create(report->input.reader, options->compiler_names);
	if (!sample_view_build(&report->samples, report->profile, report->input.reader, report->lines,
			       report->frames.filtered[REPORT_SOURCE_SAMPLES]))
		return lacks_memory(report);
	return report->input.status;
}

void report_release(log_report *report)
{
	free(report->methods);
	free(report->classes);
	report_filters_release(report);
	if (report->has_own_choice)
		thread_choice_release(&report->options.threads);
	sample_view_release(&report->samples);
	native_lines_destroy(report->lines);
	report_frames_release(report);
	assembly_names_release(&report->assemblies);
	mprof_profile_destroy(report->profile);
	input_close(&report->input);
}

int report_wants(const log_report *report, report_section section)
{
	const report_options *options = &report->options;

	if (report_is_first_screen(report))
		return report_first_screen_has(report, section);
	if (options->sections.sections != 0)
		return sections_have(&options->sections, section);
	if (options->as_document)
		return 1;
	if (options->with_pauses || options->timeline_slices > 0)
		return (section == REPORT_SECTION_PAUSES && options->with_pauses) ||
		       (section == REPORT_SECTION_TIMELINE && options->timeline_slices > 0);
	if (section == REPORT_SECTION_PAUSES || section == REPORT_SECTION_TIMELINE)
		return 0;
	if (report_frames_are_alone(report))
		return section == REPORT_SECTION_FRAMES;
	/* A filter by name is a question of its own. */
	if (section == REPORT_SECTION_FINDINGS && (!report_wants_all(report) || report_filters_frames(report)))
		return 0;
	if (options->tree_only)
		return section == (report_has_calls(report) ? REPORT_SECTION_TREE : REPORT_SECTION_SAMPLE_TREE);
	return 1;
}
