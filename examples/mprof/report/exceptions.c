/* SPDX-License-Identifier: MIT */
/* Prints thrown exceptions by class, and by class and call stack, the most frequent first. */
#include "report/exceptions.h"

#include "report/filters.h"
#include "report/parts.h"
#include "shared/text.h"

#include <stdlib.h>

static int fetch_class(const log_report *report, size_t index, void *row)
{
	*(mprof_class_stats *)row = report->classes[index];
	return report->classes[index].exceptions > 0;
}

static int compare_classes(const void *left, const void *right)
{
	const mprof_class_stats *a = left;
	const mprof_class_stats *b = right;
	int order = report_larger_first(a->exceptions, b->exceptions);

	return order != 0 ? order : report_larger_first(b->id, a->id);
}

static int fetch_site(const log_report *report, size_t index, void *row)
{
	mprof_exception_site *site = row;

	site->struct_size = sizeof(*site);
	mprof_profile_get_exception_site(report->profile, index, site);
	return site->stack != 0 && site->exceptions > 0 && report_wants_class(report, site->class_id);
}

static int compare_sites(const void *left, const void *right)
{
	const mprof_exception_site *a = left;
	const mprof_exception_site *b = right;
	int order = report_larger_first(a->exceptions, b->exceptions);

	order = order != 0 ? order : report_larger_first(b->class_id, a->class_id);
	return order != 0 ? order : report_larger_first(b->stack, a->stack);
}

static mprof_class_stats *collect_classes(const log_report *report, size_t *count)
{
	return report_collect(report, report->class_count, sizeof(mprof_class_stats), fetch_class, compare_classes,
			      count);
}

static mprof_exception_site *collect_sites(const log_report *report, size_t *count)
{
	return report_collect(report, mprof_profile_get_exception_site_count(report->profile),
			      sizeof(mprof_exception_site), fetch_site, compare_sites, count);
}

static void print_sites(const log_report *report)
{
	size_t count;
	mprof_exception_site *rows = collect_sites(report, &count);
	size_t shown = report_rows(report, count);
	char text[TEXT_NUMBER_SIZE];

	if (count > 0)
		report_title(report, "Exceptions by call site", shown, count, REPORT_IGNORES_NONE);
	for (size_t i = 0; i < shown; i++) {
		printf("  %10s  ", text_count(text, rows[i].exceptions));
		report_class(report, rows[i].class_id);
		report_stack(report, rows[i].stack);
	}
	free(rows);
}

void report_exceptions_text(const log_report *report)
{
	size_t count;
	mprof_class_stats *rows = collect_classes(report, &count);
	size_t shown = report_rows(report, count);
	char text[TEXT_NUMBER_SIZE];

	if (count > 0)
		report_title(report, "Exceptions", shown, count, REPORT_IGNORES_NONE);
	for (size_t i = 0; i < shown; i++) {
		printf("  %10s  ", text_count(text, rows[i].exceptions));
		report_class(report, rows[i].id);
	}
	free(rows);
	print_sites(report);
}

/* Estimated size of a row in JSON without its stack, with names of average length. */
#define ROW_SIZE 120

static void print_sites_json(log_report *report, json_writer *json)
{
	size_t count;
	mprof_exception_site *rows = collect_sites(report, &count);
	size_t shown = report_rows(report, count);
	uint64_t room = report_room(report);
	size_t i;

	json_begin_array(json, "exception_stacks");
	for (i = 0; i < shown; i++) {
		if (!report_takes_room(&room, ROW_SIZE + report_json_stack_size(report, rows[i].stack, room)))
			break;
		json_begin_object(json, NULL);
		report_json_class(report, json, rows[i].class_id);
		json_unsigned(json, "count", rows[i].exceptions);
		report_json_stack(report, json, "stack", rows[i].stack);
		json_end_object(json);
	}
	json_end_array(json);
	report->left_out.exception_stacks = shown - i;
	free(rows);
}

void report_exceptions_json(log_report *report, json_writer *json)
{
	size_t count;
	mprof_class_stats *rows = collect_classes(report, &count);
	size_t shown = report_rows(report, count);

	json_begin_array(json, "exceptions");
	for (size_t i = 0; i < shown; i++) {
		json_begin_object(json, NULL);
		report_json_class(report, json, rows[i].id);
		json_unsigned(json, "count", rows[i].exceptions);
		json_end_object(json);
	}
	json_end_array(json);
	free(rows);
	print_sites_json(report, json);
}
