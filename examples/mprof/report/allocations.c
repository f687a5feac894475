/* SPDX-License-Identifier: MIT */
/* Prints the call sites of allocations. */
#include "report/allocations.h"

#include "report/filters.h"
#include "report/frames.h"
#include "report/parts.h"
#include "report/site_merge.h"
#include "report/stacks.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>

static int fetch_site(const log_report *report, size_t index, void *row)
{
	mprof_allocation_site *site = row;

	site->struct_size = sizeof(*site);
	mprof_profile_get_row(report->profile, MPROF_TABLE_ALLOCATION_SITES, index, site);
	return report_wants_class(report, site->class_id) && report_frames_keep_site(report, site->stack, site->caller);
}

static int compare_sites(const void *left, const void *right)
{
	const mprof_allocation_site *a = left;
	const mprof_allocation_site *b = right;
	int order = report_larger_first(a->bytes, b->bytes);

	order = order != 0 ? order : report_larger_first(a->allocations, b->allocations);
	order = order != 0 ? order : report_larger_first(b->class_id, a->class_id);
	order = order != 0 ? order : report_larger_first(b->stack, a->stack);
	order = order != 0 ? order : report_larger_first(b->caller, a->caller);
	return order != 0 ? order : report_larger_first(b->flags, a->flags);
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

int report_allocations_filter_classes(const log_report *report, mprof_class_stats *classes, size_t count)
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

/* Whether the JIT compiler allocated while it compiled the method. */
static uint32_t is_compiling(const mprof_allocation_site *site)
{
	return (site->flags & MPROF_EVENT_FLAG_COMPILING) != 0;
}

static const mprof_stack_frame *frames_of(const log_report *report, const void *row, size_t *count, int *is_owned)
{
	const mprof_allocation_site *site = row;

	return site_merge_frames(report, site->stack, site->caller, is_compiling(site), count, is_owned);
}

/* Exact figures are not added to estimates. */
static int compare_places(const void *left, const void *right)
{
	const mprof_allocation_site *a = left;
	const mprof_allocation_site *b = right;
	int order = report_larger_first(b->class_id, a->class_id);

	order = order != 0 ? order : report_larger_first(b->stack != 0, a->stack != 0);
	order = order != 0 ? order : report_larger_first(b->samples != 0, a->samples != 0);
	return order != 0 ? order : report_larger_first(b->flags, a->flags);
}

static void add_site(void *sum, const void *row)
{
	mprof_allocation_site *into = sum;
	const mprof_allocation_site *site = row;

	/* The merged sites may have several callers. */
	if (into->stack != 0 && into->caller != site->caller)
		into->caller = 0;
	into->allocations += site->allocations;
	into->bytes += site->bytes;
	into->samples += site->samples;
	into->allocations_error = site_merge_add_error(into->allocations_error, site->allocations_error);
	into->bytes_error = site_merge_add_error(into->bytes_error, site->bytes_error);
}

static mprof_allocation_site *collect_sites(const log_report *report, size_t *count)
{
	static const site_merge merge = {sizeof(mprof_allocation_site), frames_of, compare_places, add_site};
	mprof_allocation_site *rows =
		report_collect(report, mprof_profile_get_row_count(report->profile, MPROF_TABLE_ALLOCATION_SITES),
			       sizeof(mprof_allocation_site), fetch_site, compare_sites, count);

	report_merge_sites(report, &merge, rows, count, compare_sites);
	report_apply_order(report, ORDER_ALLOCATION_SITES, rows, *count, sizeof(*rows));
	return rows;
}

/* Prints the columns of numbers. Estimates are followed by their standard error. */
static void print_figures(const mprof_allocation_site *row, int is_estimated)
{
	char text[TEXT_NUMBER_SIZE];

	printf("  %10s", text_bytes(text, row->bytes));
	if (is_estimated)
		printf(" %10s", row->samples != 0 ? text_bytes(text, row->bytes_error) : "exact");
	printf(" %14s", text_count(text, row->allocations));
	if (is_estimated)
		printf(" %10s", row->samples != 0 ? text_count(text, row->allocations_error) : "exact");
	printf("  ");
}

/* Returns whether the figures are estimates. */
static int print_heading(const log_report *report, const mprof_allocation_site *rows, size_t shown, size_t count)
{
	uint64_t samples = 0;
	char text[TEXT_NUMBER_SIZE];

	for (size_t i = 0; i < count; i++)
		samples += rows[i].samples;
	report_title(report, "Allocations by call site", shown, count, TABLE_ALLOCATION_SITES);
	if (samples != 0) {
		printf("  Estimates from the call stacks of %s objects; +- is the standard error.\n",
		       text_count(text, samples));
		printf("  %10s %10s %14s %10s  %s\n", "bytes", "+-", "objects", "+-", "class, and what allocated it");
	} else {
		printf("  %10s %14s  %s\n", "bytes", "objects", "class, and what allocated it");
	}
	return samples != 0;
}

void report_allocation_stacks_text(const log_report *report)
{
	size_t count;
	mprof_allocation_site *rows = collect_sites(report, &count);
	size_t shown = report_rows(report, count);
	int is_estimated = count > 0 && print_heading(report, rows, shown, count);

	for (size_t i = 0; i < shown; i++) {
		print_figures(&rows[i], is_estimated);
		report_class(report, rows[i].class_id);
		if (rows[i].stack != 0) {
			report_stack(report, rows[i].stack);
		} else {
			const mprof_stack_frame caller = {.id = rows[i].caller, .is_compiling = is_compiling(&rows[i])};

			report_frame_list(report, &caller, 1);
		}
	}
	free(rows);
}

/* Estimated size of a row in JSON without its stack, with names of average length. */
#define ROW_SIZE 340

static int has_room(const log_report *report, const mprof_allocation_site *row, uint64_t *room)
{
	return report_takes_room(room, ROW_SIZE + report_json_stack_size(report, row->stack, *room));
}

void report_allocation_stacks_json(log_report *report, json_writer *json)
{
	size_t count;
	mprof_allocation_site *rows = collect_sites(report, &count);
	size_t shown = report_rows(report, count);
	uint64_t room = report_room(report);
	size_t i;

	json_begin_array(json, "allocation_stacks");
	for (i = 0; i < shown && has_room(report, &rows[i], &room); i++) {
		json_begin_object(json, NULL);
		report_json_class(report, json, rows[i].class_id);
		json_unsigned(json, "allocations", rows[i].allocations);
		json_unsigned(json, "bytes", rows[i].bytes);
		json_boolean(json, "estimated", rows[i].samples != 0);
		json_unsigned(json, "samples", rows[i].samples);
		json_unsigned(json, "allocations_error", rows[i].allocations_error);
		json_unsigned(json, "bytes_error", rows[i].bytes_error);
		json_string(json, "caller",
			    rows[i].caller != 0 ? names_full_method(report->input.names, rows[i].caller) : NULL);
		json_boolean(json, "compiling", is_compiling(&rows[i]) != 0);
		report_json_stack(report, json, "stack", rows[i].stack);
		json_end_object(json);
	}
	json_end_array(json);
	report->left_out.allocation_stacks = shown - i;
	free(rows);
}
