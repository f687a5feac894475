/* SPDX-License-Identifier: MIT */
/*
 * Prints thrown exceptions by class, and by class and call stack, and the clauses that ran because of them by method;
 * the most frequent first.
 */
#include "report/exceptions.h"

#include "report/filters.h"
#include "report/frames.h"
#include "report/parts.h"
#include "report/site_merge.h"
#include "report/stacks.h"
#include "shared/kinds.h"
#include "shared/text.h"

#include <inttypes.h>
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
	mprof_profile_get_row(report->profile, MPROF_TABLE_EXCEPTION_SITES, index, site);
	return site->stack != 0 && site->exceptions > 0 && report_wants_class(report, site->class_id) &&
	       report_frames_keep_stack(report, site->stack);
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
	mprof_class_stats *rows = report_collect(report, report->class_count, sizeof(mprof_class_stats), fetch_class,
						 compare_classes, count);

	report_apply_order(report, ORDER_EXCEPTIONS, rows, *count, sizeof(*rows));
	return rows;
}

static const mprof_stack_frame *frames_of(const log_report *report, const void *row, size_t *count, int *is_owned)
{
	return site_merge_frames(report, ((const mprof_exception_site *)row)->stack, 0, 0, count, is_owned);
}

static int compare_owners(const void *left, const void *right)
{
	return report_larger_first(((const mprof_exception_site *)right)->class_id,
				   ((const mprof_exception_site *)left)->class_id);
}

static void add_site(void *sum, const void *row)
{
	((mprof_exception_site *)sum)->exceptions += ((const mprof_exception_site *)row)->exceptions;
}

static mprof_exception_site *collect_sites(const log_report *report, size_t *count)
{
	static const site_merge merge = {sizeof(mprof_exception_site), frames_of, compare_owners, add_site};
	mprof_exception_site *rows =
		report_collect(report, mprof_profile_get_row_count(report->profile, MPROF_TABLE_EXCEPTION_SITES),
			       sizeof(mprof_exception_site), fetch_site, compare_sites, count);

	report_merge_sites(report, &merge, rows, count, compare_sites);
	report_apply_order(report, ORDER_EXCEPTION_SITES, rows, *count, sizeof(*rows));
	return rows;
}

static int fetch_clause(const log_report *report, size_t index, void *row)
{
	mprof_exception_clause *clause = row;

	clause->struct_size = sizeof(*clause);
	mprof_profile_get_row(report->profile, MPROF_TABLE_EXCEPTION_CLAUSES, index, clause);
	return clause->runs > 0 && report_wants_method(report, clause->method) &&
	       report_wants_class(report, clause->class_id);
}

static int compare_clauses(const void *left, const void *right)
{
	const mprof_exception_clause *a = left;
	const mprof_exception_clause *b = right;
	int order = report_larger_first(a->runs, b->runs);

	order = order != 0 ? order : report_larger_first(b->method, a->method);
	order = order != 0 ? order : report_larger_first(b->number, a->number);
	order = order != 0 ? order : report_larger_first(b->kind, a->kind);
	return order != 0 ? order : report_larger_first(b->class_id, a->class_id);
}

static mprof_exception_clause *collect_clauses(const log_report *report, size_t *count)
{
	return report_collect(report, mprof_profile_get_row_count(report->profile, MPROF_TABLE_EXCEPTION_CLAUSES),
			      sizeof(mprof_exception_clause), fetch_clause, compare_clauses, count);
}

static void print_clauses(const log_report *report)
{
	size_t count;
	mprof_exception_clause *rows = collect_clauses(report, &count);
	size_t shown = report_rows(report, count);
	char text[TEXT_NUMBER_SIZE];

	if (count > 0) {
		report_title(report, "Exception clauses by method", shown, count, TABLE_EXCEPTION_CLAUSES);
		puts("        runs  clause      exception, method");
	}
	for (size_t i = 0; i < shown; i++) {
		printf("  %10s  %-7s %2" PRIu32 "  ", text_count(text, rows[i].runs), kind_of_clause(rows[i].kind),
		       rows[i].number);
		report_class(report, rows[i].class_id);
		printf("%26s", "");
		report_method(report, rows[i].method);
	}
	free(rows);
}

static void print_sites(const log_report *report)
{
	size_t count;
	mprof_exception_site *rows = collect_sites(report, &count);
	size_t shown = report_rows(report, count);
	char text[TEXT_NUMBER_SIZE];

	if (count > 0)
		report_title(report, "Exceptions by call site", shown, count, TABLE_EXCEPTION_SITES);
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
		report_title(report, "Exceptions", shown, count, TABLE_EXCEPTIONS);
	for (size_t i = 0; i < shown; i++) {
		printf("  %10s  ", text_count(text, rows[i].exceptions));
		report_class(report, rows[i].id);
	}
	free(rows);
	print_sites(report);
	print_clauses(report);
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
		if (!report_json_begin_site(report, json, rows[i].class_id, rows[i].stack, ROW_SIZE, &room))
			break;
		json_unsigned(json, "count", rows[i].exceptions);
		report_json_end_site(report, json, rows[i].stack);
	}
	json_end_array(json);
	report->left_out.exception_stacks = shown - i;
	free(rows);
}

static void print_clauses_json(log_report *report, json_writer *json)
{
	size_t count;
	mprof_exception_clause *rows = collect_clauses(report, &count);
	size_t shown = report_rows(report, count);
	uint64_t room = report_room(report);
	size_t i;

	json_begin_array(json, "exception_clauses");
	for (i = 0; i < shown && report_takes_room(&room, ROW_SIZE); i++) {
		json_begin_object(json, NULL);
		report_json_class(report, json, rows[i].class_id);
		json_string(json, "method",
			    rows[i].method != 0 ? names_full_method(report->input.names, rows[i].method) : NULL);
		json_string(json, "kind", kind_of_clause(rows[i].kind));
		json_unsigned(json, "clause", rows[i].number);
		json_unsigned(json, "count", rows[i].runs);
		json_end_object(json);
	}
	json_end_array(json);
	report->left_out.exception_clauses = shown - i;
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
	print_clauses_json(report, json);
}
