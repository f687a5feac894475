/* SPDX-License-Identifier: MIT */
/* Prints native memory: leaks, the peak, temporary allocations, and their call sites. */
#include "report/contents.h"

#include "report/findings.h"
#include "report/filters.h"
#include "report/parts.h"
#include "report/stacks.h"
#include "report/view.h"

#include <inttypes.h>

static mprof_memory_stats totals_of(const log_report *report)
{
	mprof_memory_stats totals = {.struct_size = sizeof(totals)};

	mprof_profile_get_row(report->profile, MPROF_TABLE_MEMORY, 0, &totals);
	return totals;
}

/* Native code has no classes, so with a filter of methods or classes the section is left out. */
static int is_there(const log_report *report, const mprof_memory_stats *totals)
{
	return report_wants_all(report) && totals->allocations + totals->unmatched_frees > 0;
}

/* Lifetimes of sites that are merged: the shortest and the longest are not added. */
static void add_site(void *sum, const void *before, const void *row)
{
	mprof_memory_site *into = sum;
	const mprof_memory_site *old = before;
	const mprof_memory_site *site = row;

	into->shortest_ns = old->shortest_ns;
	if (site->frees > 0 && (old->frees == 0 || site->shortest_ns < old->shortest_ns))
		into->shortest_ns = site->shortest_ns;
	into->longest_ns = site->longest_ns > old->longest_ns ? site->longest_ns : old->longest_ns;
}

static void print_folded(const log_report *report, const void *row)
{
	(void)report;
	putchar('\n');
	if (((const mprof_memory_site *)row)->is_folded)
		printf("  %28s%s\n", "", "(other call sites: too little memory to distinguish them)");
}

#define SITE_ROWS                                                                                                      \
	.table = REPORT_TABLE_MEMORY_PLACES, .source = MPROF_TABLE_MEMORY_SITES, .filters = "stack",                   \
	.merged = "is_folded", .add = add_site
#define SITE_COLUMNS(bytes, count)                                                                                     \
	{                                                                                                              \
		VIEW_COLUMN(10, "bytes", bytes), VIEW_COLUMN(14, "blocks", count),                                     \
			VIEW_COLUMN(14, "of allocated", "allocations"),                                                \
			VIEW_COLUMN_BY(0, "call site", .print = print_folded)                                          \
	}

/* Not known unless the memory was searched when the program ended. */
#define REACHABILITY_FIELDS                                                                                            \
	VIEW_FIELD_NEEDS(unreachable, is_searched), VIEW_FIELD_NEEDS(unreachable_bytes, is_searched),                  \
		VIEW_FIELD_NEEDS(indirect, is_searched), VIEW_FIELD_NEEDS(indirect_bytes, is_searched),                \
		VIEW_FIELD_NEEDS(interior, is_searched), VIEW_FIELD_NEEDS(interior_bytes, is_searched),                \
		VIEW_FIELD(unsearched), VIEW_FIELD(unsearched_bytes), VIEW_WITHOUT(is_searched)

/* Documents have all sites, in the order of this one. */
static const report_view live_sites = {
	SITE_ROWS,
	.order = "live_bytes live bytes allocations <stack",
	.json = {VIEW_ALL_OTHERS, REACHABILITY_FIELDS, VIEW_FIELD_AS(is_folded, "folded"), VIEW_FRAMES},
	.row_bytes = 450,
	.left_out = LEFT_OUT_MEMORY_PLACES,
};

/* On the first screen, unless there is none. */
static const report_view unreachable_sites = {
	SITE_ROWS,
	.title = "Native memory that was unreachable, by call site",
	.remaining = "unreachable",
	.order = "unreachable_bytes unreachable bytes allocations <stack",
	.columns = SITE_COLUMNS("unreachable_bytes", "unreachable"),
};

static const report_view text_sites[] = {
	{
		SITE_ROWS,
		.title = "Native memory not freed, by call site",
		.remaining = "live",
		.order = "live_bytes live bytes allocations <stack",
		.columns = SITE_COLUMNS("live_bytes", "live"),
	},
	{
		SITE_ROWS,
		.title = "Native memory at the peak, by call site",
		.remaining = "peak_live",
		.order = "peak_bytes bytes allocations <stack",
		.columns = SITE_COLUMNS("peak_bytes", "peak_live"),
	},
	{
		SITE_ROWS,
		.title = "Temporary native memory, by call site",
		.remaining = "temporaries",
		.order = "temporaries bytes allocations <stack",
		.columns = SITE_COLUMNS("bytes", "temporaries"),
	},
};

static void print_size_range(const log_report *report, const void *row)
{
	const mprof_memory_size *size = row;

	(void)report;
	printf("  %" PRIu64, size->smallest);
	if (size->largest > size->smallest)
		printf(" to %" PRIu64, size->largest);
	putchar('\n');
}

static const report_view text_sizes = {
	.table = REPORT_TABLE_MEMORY,
	.source = MPROF_TABLE_MEMORY_SIZES,
	.present = "allocations",
	.title = "Native memory by size",
	.shows_all = 1,
	.columns = {VIEW_COLUMN(14, "allocations", "allocations"), VIEW_COLUMN(10, "bytes", "bytes"),
		    VIEW_COLUMN_BY(0, "size", .print = print_size_range)},
};

static const report_view sizes = {
	.table = REPORT_TABLE_MEMORY_SIZES,
	.source = MPROF_TABLE_MEMORY_SIZES,
	.present = "allocations",
	.json = {VIEW_ALL_OTHERS},
	.has_all_rows = 1,
	.row_bytes = 100,
	.left_out = LEFT_OUT_MEMORY_SIZES,
};

static const report_view memory_totals = {
	.table = REPORT_TABLE_MEMORY,
	.source = MPROF_TABLE_MEMORY,
	.json = {VIEW_ALL_OTHERS, REACHABILITY_FIELDS, VIEW_FIELD_AS(is_estimate, "estimate"),
		 VIEW_FIELD_AS(is_peak_estimate, "peak_estimate"), VIEW_FIELD(folded_sites), VIEW_FIELD(untracked)},
};

static void print_totals(const log_report *report, const mprof_memory_stats *totals)
{
	static const view_total lines[] = {
		{"allocations", "allocations", NULL},
		{"bytes allocated", "bytes", NULL},
		{"by resizing", "resizes", "resizes"},
		{"freed", "frees", NULL},
		{"not freed", "live", NULL},
		{"bytes not freed", "live_bytes", NULL},
		{"unreachable", "unreachable", "is_searched"},
		{"bytes unreachable", "unreachable_bytes", "is_searched"},
		{"by unreachable blocks", "indirect_bytes", "indirect"},
		{"by interior pointers", "interior_bytes", "interior"},
		{"peak", "peak_bytes", NULL},
		{"allocations at the peak", "peak_live", NULL},
		{"time of the peak", "peak_ns", NULL},
		{"temporary", "temporaries", NULL},
		{"frees of unknown memory", "unmatched_frees", "unmatched_frees"},
		{"frees missing", "missing_frees", "missing_frees"},
		{"events out of order", "late_events", "late_events"},
		{"without a call site", "folded_sites", "folded_sites"},
		{"not followed", "untracked", "untracked"},
		{NULL, NULL, NULL},
	};

	report_title(report, "Native memory", 0, 0, REPORT_TABLE_MEMORY);
	report_view_totals(MPROF_TABLE_MEMORY, totals, lines, 24);
	if (totals->is_estimate)
		puts("  events are missing, out of order or not followed: these numbers and those below are estimates");
	else if (totals->is_peak_estimate)
		puts("  events are out of order: the peak and the temporary allocations are estimates, all others are "
		     "exact");
	if (totals->is_searched && totals->unsearched > 0)
		printf("  %" PRIu64 " of the blocks not freed are of processes whose memory was not searched\n",
		       totals->unsearched);
	if (!totals->is_searched && totals->live > 0)
		puts("  record --malloc --leaks shows which of the memory not freed was unreachable");
	puts("  without memory that the program maps itself, as by mmap()");
}

static void print_memory(const log_report *report)
{
	const mprof_memory_stats totals = totals_of(report);

	if (!is_there(report, &totals))
		return;
	print_totals(report, &totals);
	if (totals.unreachable > 0)
		report_view_text(report, &unreachable_sites);
	if (report_is_first_screen(report)) {
		if (totals.unreachable == 0)
			report_view_text(report, &text_sites[0]);
		return;
	}
	for (size_t i = 0; i < sizeof(text_sites) / sizeof(text_sites[0]); i++)
		report_view_text(report, &text_sites[i]);
	report_view_text(report, &text_sizes);
}

static void write_memory(log_report *report, json_writer *json)
{
	const mprof_memory_stats totals = totals_of(report);

	json_begin_object(json, sections_table_key(REPORT_TABLE_MEMORY));
	report_view_fields(report, json, &memory_totals, &totals);
	report_view_json(report, json, &live_sites);
	report_view_json(report, json, &sizes);
	json_end_object(json);
}

const report_view memory_view = {.print_text = print_memory, .print_json = write_memory};
