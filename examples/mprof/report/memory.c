/* SPDX-License-Identifier: MIT */
/* Prints native memory: leaks, the peak, temporary allocations, and their call sites. */
#include "report/memory.h"

#include "report/filters.h"
#include "report/frames.h"
#include "report/parts.h"
#include "report/site_merge.h"
#include "report/stacks.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>

typedef int (*compare_function)(const void *, const void *);

static mprof_memory_stats totals_of(const log_report *report)
{
	mprof_memory_stats totals;

	totals.struct_size = sizeof(totals);
	mprof_profile_get_row(report->profile, MPROF_TABLE_MEMORY, 0, &totals);
	return totals;
}

/* Native code has no classes, so with a filter of methods or classes the section is left out. */
static int is_there(const log_report *report, const mprof_memory_stats *totals)
{
	return report_wants_all(report) && totals->allocations + totals->unmatched_frees > 0;
}

static int fetch_site(const log_report *report, size_t index, void *row)
{
	mprof_memory_site *site = row;

	site->struct_size = sizeof(*site);
	mprof_profile_get_row(report->profile, MPROF_TABLE_MEMORY_SITES, index, site);
	return report_frames_keep_stack(report, site->stack);
}

static int compare_allocated(const void *left, const void *right)
{
	const mprof_memory_site *a = left;
	const mprof_memory_site *b = right;
	int order = report_larger_first(a->bytes, b->bytes);

	order = order != 0 ? order : report_larger_first(a->allocations, b->allocations);
	return order != 0 ? order : report_larger_first(b->stack, a->stack);
}

static int compare_live(const void *left, const void *right)
{
	const mprof_memory_site *a = left;
	const mprof_memory_site *b = right;
	int order = report_larger_first(a->live_bytes, b->live_bytes);

	order = order != 0 ? order : report_larger_first(a->live, b->live);
	return order != 0 ? order : compare_allocated(left, right);
}

static int compare_peak(const void *left, const void *right)
{
	const mprof_memory_site *a = left;
	const mprof_memory_site *b = right;
	int order = report_larger_first(a->peak_bytes, b->peak_bytes);

	return order != 0 ? order : compare_allocated(left, right);
}

static int compare_temporaries(const void *left, const void *right)
{
	const mprof_memory_site *a = left;
	const mprof_memory_site *b = right;
	int order = report_larger_first(a->temporaries, b->temporaries);

	return order != 0 ? order : compare_allocated(left, right);
}

static const mprof_stack_frame *frames_of(const log_report *report, const void *row, size_t *count, int *is_owned)
{
	return site_merge_frames(report, ((const mprof_memory_site *)row)->stack, 0, 0, count, is_owned);
}

static int compare_folded(const void *left, const void *right)
{
	return report_larger_first(((const mprof_memory_site *)right)->is_folded,
				   ((const mprof_memory_site *)left)->is_folded);
}

static void add_site(void *sum, const void *row)
{
	mprof_memory_site *into = sum;
	const mprof_memory_site *site = row;

	if (site->frees > 0 && (into->frees == 0 || site->shortest_ns < into->shortest_ns))
		into->shortest_ns = site->shortest_ns;
	if (site->longest_ns > into->longest_ns)
		into->longest_ns = site->longest_ns;
	if (__builtin_add_overflow(into->lifetime_ns, site->lifetime_ns, &into->lifetime_ns))
		into->lifetime_ns = UINT64_MAX;
	into->allocations += site->allocations;
	into->bytes += site->bytes;
	into->frees += site->frees;
	into->live += site->live;
	into->live_bytes += site->live_bytes;
	into->peak_live += site->peak_live;
	into->peak_bytes += site->peak_bytes;
	into->temporaries += site->temporaries;
}

static mprof_memory_site *collect_memory_sites(const log_report *report, size_t *count)
{
	static const site_merge merge = {sizeof(mprof_memory_site), frames_of, compare_folded, add_site};
	mprof_memory_site *rows =
		report_collect(report, mprof_profile_get_row_count(report->profile, MPROF_TABLE_MEMORY_SITES),
			       sizeof(mprof_memory_site), fetch_site, compare_live, count);

	report_merge_sites(report, &merge, rows, count, compare_live);
	return rows;
}

static void print_total(const char *label, const char *value)
{
	printf("  %-24s %14s\n", label, value);
}

static void print_count(const char *label, uint64_t count)
{
	char text[TEXT_NUMBER_SIZE];

	print_total(label, text_count(text, count));
}

static void print_totals(const log_report *report, const mprof_memory_stats *totals)
{
	char text[TEXT_NUMBER_SIZE];

	report_title(report, "Native memory", 0, 0, TABLE_MEMORY);
	print_count("allocations", totals->allocations);
	print_total("bytes allocated", text_bytes(text, totals->bytes));
	if (totals->resizes > 0)
		print_count("by resizing", totals->resizes);
	print_count("freed", totals->frees);
	print_count("not freed", totals->live);
	print_total("bytes not freed", text_bytes(text, totals->live_bytes));
	print_total("peak", text_bytes(text, totals->peak_bytes));
	print_count("allocations at the peak", totals->peak_live);
	print_total("time of the peak", text_duration(text, totals->peak_ns > 0 ? (uint64_t)totals->peak_ns : 0));
	print_count("temporary", totals->temporaries);
	if (totals->unmatched_frees > 0)
		print_count("frees of unknown memory", totals->unmatched_frees);
	if (totals->missing_frees > 0)
		print_count("frees missing", totals->missing_frees);
	if (totals->late_events > 0)
		print_count("events out of order", totals->late_events);
	if (totals->folded_sites > 0)
		print_count("without a call site", totals->folded_sites);
	if (totals->untracked > 0)
		print_count("not followed", totals->untracked);
	if (totals->is_estimate)
		puts("  events are missing, out of order or not followed: these numbers and those below are estimates");
	else if (totals->is_peak_estimate)
		puts("  events are out of order: the peak and the temporary allocations are estimates, all others are "
		     "exact");
	puts("  without memory that the program maps itself, as by mmap()");
}

/* A table by call site, and the numbers of a site that it shows. */
typedef struct place_table {
	const char *title;
	compare_function compare;
	uint64_t (*bytes_of)(const mprof_memory_site *site);
	uint64_t (*count_of)(const mprof_memory_site *site);
} place_table;

static uint64_t live_bytes_of(const mprof_memory_site *site)
{
	return site->live_bytes;
}

static uint64_t live_of(const mprof_memory_site *site)
{
	return site->live;
}

static uint64_t peak_bytes_of(const mprof_memory_site *site)
{
	return site->peak_bytes;
}

static uint64_t peak_of(const mprof_memory_site *site)
{
	return site->peak_live;
}

static uint64_t bytes_of(const mprof_memory_site *site)
{
	return site->bytes;
}

static uint64_t temporaries_of(const mprof_memory_site *site)
{
	return site->temporaries;
}

static void print_places(const log_report *report, const place_table *table, mprof_memory_site *sites, size_t count)
{
	size_t there = 0;
	size_t shown;
	char bytes[TEXT_NUMBER_SIZE];
	char blocks[TEXT_NUMBER_SIZE];
	char allocations[TEXT_NUMBER_SIZE];

	qsort(sites, count, sizeof(*sites), table->compare);
	while (there < count && table->count_of(&sites[there]) > 0)
		there++;
	shown = report_rows(report, there);
	if (there == 0)
		return;
	report_title(report, table->title, shown, there, TABLE_MEMORY_SITES);
	printf("  %10s %14s %14s  %s\n", "bytes", "blocks", "of allocated", "call site");
	for (size_t i = 0; i < shown; i++) {
		printf("  %10s %14s %14s\n", text_bytes(bytes, table->bytes_of(&sites[i])),
		       text_count(blocks, table->count_of(&sites[i])), text_count(allocations, sites[i].allocations));
		if (sites[i].is_folded)
			printf("  %28s%s\n", "", "(other call sites: too little memory to distinguish them)");
		report_stack(report, sites[i].stack);
	}
}

static void print_sizes(const log_report *report)
{
	size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_MEMORY_SIZES);
	char text[TEXT_NUMBER_SIZE];
	char bytes[TEXT_NUMBER_SIZE];

	if (count == 0)
		return;
	report_title(report, "Native memory by size", 0, 0, TABLE_MEMORY);
	printf("  %14s %10s  %s\n", "allocations", "bytes", "size");
	for (size_t i = 0; i < count; i++) {
		mprof_memory_size size;

		size.struct_size = sizeof(size);
		mprof_profile_get_row(report->profile, MPROF_TABLE_MEMORY_SIZES, i, &size);
		if (size.allocations == 0)
			continue;
		printf("  %14s %10s  %" PRIu64, text_count(text, size.allocations), text_bytes(bytes, size.bytes),
		       size.smallest);
		if (size.largest > size.smallest)
			printf(" to %" PRIu64, size.largest);
		putchar('\n');
	}
}

void report_memory_text(const log_report *report)
{
	const mprof_memory_stats totals = totals_of(report);
	static const place_table tables[] = {
		{"Native memory not freed, by call site", compare_live, live_bytes_of, live_of},
		{"Native memory at the peak, by call site", compare_peak, peak_bytes_of, peak_of},
		{"Temporary native memory, by call site", compare_temporaries, bytes_of, temporaries_of},
	};
	mprof_memory_site *sites;
	size_t count;

	if (!is_there(report, &totals))
		return;
	sites = collect_memory_sites(report, &count);
	print_totals(report, &totals);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		print_places(report, &tables[i], sites, count);
	print_sizes(report);
	free(sites);
}

static void print_totals_json(json_writer *json, const mprof_memory_stats *totals)
{
	report_json_figures(json, MPROF_TABLE_MEMORY, totals, NULL, "folded_sites untracked");
	json_boolean(json, "estimate", totals->is_estimate != 0);
	json_boolean(json, "peak_estimate", totals->is_peak_estimate != 0);
	json_unsigned(json, "folded_sites", totals->folded_sites);
	json_unsigned(json, "untracked", totals->untracked);
}

static void print_site_json(const log_report *report, json_writer *json, const mprof_memory_site *site)
{
	json_begin_object(json, NULL);
	report_json_figures(json, MPROF_TABLE_MEMORY_SITES, site, NULL, NULL);
	json_boolean(json, "folded", site->is_folded != 0);
	report_json_stack(report, json, "stack", site->stack);
	json_end_object(json);
}

/* Estimated size in JSON of a call site without its stack, and of a size range, with numbers of average length. */
#define PLACE_SIZE 300
#define RANGE_SIZE 100

static void print_places_json(log_report *report, json_writer *json)
{
	size_t count;
	mprof_memory_site *sites = collect_memory_sites(report, &count);
	size_t shown = report_rows(report, count);
	uint64_t room = report_room(report);
	size_t i;

	json_begin_array(json, "places");
	for (i = 0; i < shown; i++) {
		if (!report_takes_room(&room, PLACE_SIZE + report_json_stack_size(report, sites[i].stack, room)))
			break;
		print_site_json(report, json, &sites[i]);
	}
	json_end_array(json);
	report->left_out.memory_places = shown - i;
	free(sites);
}

static void print_sizes_json(log_report *report, json_writer *json)
{
	size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_MEMORY_SIZES);
	uint64_t room = report_room(report);

	json_begin_array(json, "sizes");
	for (size_t i = 0; i < count; i++) {
		mprof_memory_size size;

		size.struct_size = sizeof(size);
		mprof_profile_get_row(report->profile, MPROF_TABLE_MEMORY_SIZES, i, &size);
		if (size.allocations == 0)
			continue;
		if (!report_takes_room(&room, RANGE_SIZE)) {
			report->left_out.memory_sizes++;
			continue;
		}
		json_begin_object(json, NULL);
		report_json_figures(json, MPROF_TABLE_MEMORY_SIZES, &size, NULL, NULL);
		json_end_object(json);
	}
	json_end_array(json);
}

void report_memory_json(log_report *report, json_writer *json)
{
	const mprof_memory_stats totals = totals_of(report);

	json_begin_object(json, "memory");
	print_totals_json(json, &totals);
	print_places_json(report, json);
	print_sizes_json(report, json);
	json_end_object(json);
}
