/* SPDX-License-Identifier: MIT */
/* Prints contention of monitors, and finalizers. */
#include "report/waits.h"

#include "report/filters.h"
#include "report/frames.h"
#include "report/parts.h"
#include "report/site_merge.h"
#include "report/stacks.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>

static int fetch_monitor(const log_report *report, size_t index, void *row)
{
	mprof_monitor_stats *stats = row;

	stats->struct_size = sizeof(*stats);
	mprof_profile_get_row(report->profile, MPROF_TABLE_MONITORS, index, stats);
	/* Rows without events and without time are of another time. */
	return stats->contentions + stats->acquired + stats->failures + stats->contended_ns > 0 &&
	       report_wants_class(report, stats->class_id);
}

static int fetch_site(const log_report *report, size_t index, void *row)
{
	mprof_monitor_site *site = row;

	site->struct_size = sizeof(*site);
	mprof_profile_get_row(report->profile, MPROF_TABLE_MONITOR_SITES, index, site);
	return site->stack != 0 && site->contentions + site->contended_ns > 0 &&
	       report_wants_class(report, site->class_id) && report_frames_keep_stack(report, site->stack);
}

static int compare_monitors(const void *left, const void *right)
{
	const mprof_monitor_stats *a = left;
	const mprof_monitor_stats *b = right;
	int order = report_larger_first(a->contended_ns, b->contended_ns);

	order = order != 0 ? order : report_larger_first(a->contentions, b->contentions);
	return order != 0 ? order : report_larger_first(b->class_id, a->class_id);
}

static int compare_sites(const void *left, const void *right)
{
	const mprof_monitor_site *a = left;
	const mprof_monitor_site *b = right;
	int order = report_larger_first(a->contended_ns, b->contended_ns);

	order = order != 0 ? order : report_larger_first(a->contentions, b->contentions);
	order = order != 0 ? order : report_larger_first(b->class_id, a->class_id);
	return order != 0 ? order : report_larger_first(b->stack, a->stack);
}

static mprof_monitor_stats *collect_monitors(const log_report *report, size_t *count)
{
	mprof_monitor_stats *rows =
		report_collect(report, mprof_profile_get_row_count(report->profile, MPROF_TABLE_MONITORS),
			       sizeof(mprof_monitor_stats), fetch_monitor, compare_monitors, count);

	report_apply_order(report, ORDER_MONITORS, rows, *count, sizeof(*rows));
	return rows;
}

static const mprof_stack_frame *frames_of(const log_report *report, const void *row, size_t *count, int *is_owned)
{
	return site_merge_frames(report, ((const mprof_monitor_site *)row)->stack, 0, 0, count, is_owned);
}

static int compare_owners(const void *left, const void *right)
{
	const mprof_monitor_site *a = left;
	const mprof_monitor_site *b = right;
	int order = report_larger_first(b->class_id, a->class_id);

	return order != 0 ? order : report_larger_first(b->object, a->object);
}

static void add_site(void *sum, const void *row)
{
	mprof_monitor_site *into = sum;
	const mprof_monitor_site *site = row;

	into->contentions += site->contentions;
	into->contended_ns += site->contended_ns;
	into->failures += site->failures;
	into->unfinished += site->unfinished;
}

static mprof_monitor_site *collect_sites(const log_report *report, size_t *count)
{
	static const site_merge merge = {sizeof(mprof_monitor_site), frames_of, compare_owners, add_site};
	mprof_monitor_site *rows =
		report_collect(report, mprof_profile_get_row_count(report->profile, MPROF_TABLE_MONITOR_SITES),
			       sizeof(mprof_monitor_site), fetch_site, compare_sites, count);

	report_merge_sites(report, &merge, rows, count, compare_sites);
	report_apply_order(report, ORDER_MONITOR_SITES, rows, *count, sizeof(*rows));
	return rows;
}

/* The column with the waits that have not ended is there if any wait has not. */
static int has_unfinished(const log_report *report)
{
	return report->totals.unfinished_waits > 0;
}

static const char *unfinished_title(const log_report *report)
{
	return has_unfinished(report) ? " not ended" : "";
}

static void print_unfinished(const log_report *report, uint64_t unfinished)
{
	char text[TEXT_NUMBER_SIZE];

	if (has_unfinished(report))
		printf(" %9s", unfinished > 0 ? text_count(text, unfinished) : "");
	fputs("  ", stdout);
}

static void print_sites(const log_report *report)
{
	size_t count;
	mprof_monitor_site *rows = collect_sites(report, &count);
	size_t shown = report_rows(report, count);
	char time[TEXT_NUMBER_SIZE];
	char contentions[TEXT_NUMBER_SIZE];

	if (count > 0) {
		report_title(report, "Waits for monitors by call site", shown, count, TABLE_MONITOR_SITES);
		printf("  %10s %14s%s  %s\n", "waited", "times", unfinished_title(report), "class");
	}
	for (size_t i = 0; i < shown; i++) {
		printf("  %10s %14s", text_duration(time, rows[i].contended_ns),
		       text_count(contentions, rows[i].contentions));
		print_unfinished(report, rows[i].unfinished);
		report_class(report, rows[i].class_id);
		report_stack(report, rows[i].stack);
	}
	free(rows);
}

static int fetch_holder(const log_report *report, size_t index, void *row)
{
	mprof_monitor_holder *holder = row;

	holder->struct_size = sizeof(*holder);
	mprof_profile_get_row(report->profile, MPROF_TABLE_MONITOR_HOLDERS, index, holder);
	return holder->contentions + holder->contended_ns > 0 && report_wants_class(report, holder->class_id);
}

static int compare_holders(const void *left, const void *right)
{
	const mprof_monitor_holder *a = left;
	const mprof_monitor_holder *b = right;
	int order = report_larger_first(a->contended_ns, b->contended_ns);

	order = order != 0 ? order : report_larger_first(a->contentions, b->contentions);
	order = order != 0 ? order : report_larger_first(b->class_id, a->class_id);
	return order != 0 ? order : report_larger_first(b->thread, a->thread);
}

static mprof_monitor_holder *collect_holders(const log_report *report, size_t *count)
{
	mprof_monitor_holder *rows =
		report_collect(report, mprof_profile_get_row_count(report->profile, MPROF_TABLE_MONITOR_HOLDERS),
			       sizeof(mprof_monitor_holder), fetch_holder, compare_holders, count);

	report_apply_order(report, ORDER_MONITOR_HOLDERS, rows, *count, sizeof(*rows));
	return rows;
}

/* The name of a thread, NULL if it has none. */
static const char *name_of_thread(const log_report *report, uint64_t id)
{
	mprof_thread_stats stats = {.struct_size = sizeof(stats)};

	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS); i++) {
		if (mprof_profile_get_row(report->profile, MPROF_TABLE_THREADS, i, &stats) == MPROF_OK &&
		    stats.id == id)
			return stats.name;
	}
	return NULL;
}

static void print_holders(const log_report *report)
{
	size_t count;
	mprof_monitor_holder *rows = collect_holders(report, &count);
	size_t shown = report_rows(report, count);
	char time[TEXT_NUMBER_SIZE];
	char contentions[TEXT_NUMBER_SIZE];

	if (count > 0) {
		report_title(report, "Monitors by the thread that held them", shown, count, TABLE_MONITOR_HOLDERS);
		printf("  %10s %14s%s  %18s  %s\n", "waited", "times", unfinished_title(report), "held by", "class");
	}
	for (size_t i = 0; i < shown; i++) {
		const char *name = name_of_thread(report, rows[i].thread);

		printf("  %10s %14s", text_duration(time, rows[i].contended_ns),
		       text_count(contentions, rows[i].contentions));
		print_unfinished(report, rows[i].unfinished);
		printf("%#18" PRIx64 "  ", rows[i].thread);
		if (name != NULL) {
			text_name(stdout, name);
			fputs(": ", stdout);
		}
		report_class(report, rows[i].class_id);
	}
	free(rows);
}

void report_monitors_text(const log_report *report)
{
	size_t count;
	mprof_monitor_stats *rows = collect_monitors(report, &count);
	size_t shown = report_rows(report, count);
	char time[TEXT_NUMBER_SIZE];
	char contentions[TEXT_NUMBER_SIZE];
	char failures[TEXT_NUMBER_SIZE];

	if (count > 0) {
		report_title(report, "Monitors", shown, count, TABLE_MONITORS);
		printf("  %10s %14s %10s%s  %s\n", "waited", "times", "given up", unfinished_title(report), "class");
	}
	for (size_t i = 0; i < shown; i++) {
		printf("  %10s %14s %10s", text_duration(time, rows[i].contended_ns),
		       text_count(contentions, rows[i].contentions), text_count(failures, rows[i].failures));
		print_unfinished(report, rows[i].unfinished);
		report_class(report, rows[i].class_id);
	}
	free(rows);
	print_holders(report);
	print_sites(report);
}

/* Estimated size of a row in JSON without its stack, with names of average length. */
#define ROW_SIZE 200

static void print_sites_json(log_report *report, json_writer *json)
{
	size_t count;
	mprof_monitor_site *rows = collect_sites(report, &count);
	size_t shown = report_rows(report, count);
	uint64_t room = report_room(report);
	size_t i;

	json_begin_array(json, "monitor_stacks");
	for (i = 0; i < shown; i++) {
		if (!report_json_begin_site(report, json, rows[i].class_id, rows[i].stack, ROW_SIZE, &room))
			break;
		report_json_figures(json, MPROF_TABLE_MONITOR_SITES, &rows[i], NULL, NULL);
		report_json_end_site(report, json, rows[i].stack);
	}
	json_end_array(json);
	report->left_out.monitor_stacks = shown - i;
	free(rows);
}

static void print_holders_json(const log_report *report, json_writer *json)
{
	size_t count;
	mprof_monitor_holder *rows = collect_holders(report, &count);
	size_t shown = report_rows(report, count);

	json_begin_array(json, "monitor_holders");
	for (size_t i = 0; i < shown; i++) {
		json_begin_object(json, NULL);
		report_json_class(report, json, rows[i].class_id);
		json_hexadecimal(json, "holder", rows[i].thread);
		json_string(json, "holder_name", name_of_thread(report, rows[i].thread));
		report_json_figures(json, MPROF_TABLE_MONITOR_HOLDERS, &rows[i], NULL, NULL);
		json_end_object(json);
	}
	json_end_array(json);
	free(rows);
}

void report_monitors_json(log_report *report, json_writer *json)
{
	size_t count;
	mprof_monitor_stats *rows = collect_monitors(report, &count);
	size_t shown = report_rows(report, count);

	json_begin_array(json, "monitors");
	for (size_t i = 0; i < shown; i++) {
		json_begin_object(json, NULL);
		report_json_class(report, json, rows[i].class_id);
		report_json_figures(json, MPROF_TABLE_MONITORS, &rows[i], "contentions contended_ns", NULL);
		json_end_object(json);
	}
	json_end_array(json);
	free(rows);
	print_holders_json(report, json);
	print_sites_json(report, json);
}

static int fetch_finalizer(const log_report *report, size_t index, void *row)
{
	mprof_finalizer_stats *stats = row;

	stats->struct_size = sizeof(*stats);
	mprof_profile_get_row(report->profile, MPROF_TABLE_FINALIZERS, index, stats);
	return stats->count > 0 && report_wants_class(report, stats->class_id);
}

static int compare_finalizers(const void *left, const void *right)
{
	const mprof_finalizer_stats *a = left;
	const mprof_finalizer_stats *b = right;
	int order = report_larger_first(a->total_ns, b->total_ns);

	order = order != 0 ? order : report_larger_first(a->count, b->count);
	return order != 0 ? order : report_larger_first(b->class_id, a->class_id);
}

static mprof_finalizer_stats *collect_finalizers(const log_report *report, size_t *count)
{
	mprof_finalizer_stats *rows =
		report_collect(report, mprof_profile_get_row_count(report->profile, MPROF_TABLE_FINALIZERS),
			       sizeof(mprof_finalizer_stats), fetch_finalizer, compare_finalizers, count);

	report_apply_order(report, ORDER_FINALIZERS, rows, *count, sizeof(*rows));
	return rows;
}

void report_finalizers_text(const log_report *report)
{
	size_t count;
	mprof_finalizer_stats *rows = collect_finalizers(report, &count);
	size_t shown = report_rows(report, count);
	char time[TEXT_NUMBER_SIZE];
	char objects[TEXT_NUMBER_SIZE];

	if (count > 0) {
		report_title(report, "Finalizers", shown, count, TABLE_FINALIZERS);
		printf("  %10s %14s  %s\n", "time", "objects", "class");
	}
	for (size_t i = 0; i < shown; i++) {
		printf("  %10s %14s  ", text_duration(time, rows[i].total_ns), text_count(objects, rows[i].count));
		report_class(report, rows[i].class_id);
	}
	free(rows);
}

void report_finalizers_json(const log_report *report, json_writer *json)
{
	size_t count;
	mprof_finalizer_stats *rows = collect_finalizers(report, &count);
	size_t shown = report_rows(report, count);

	json_begin_array(json, "finalizers");
	for (size_t i = 0; i < shown; i++) {
		json_begin_object(json, NULL);
		report_json_class(report, json, rows[i].class_id);
		report_json_figures(json, MPROF_TABLE_FINALIZERS, &rows[i], NULL, NULL);
		json_end_object(json);
	}
	json_end_array(json);
	free(rows);
}
