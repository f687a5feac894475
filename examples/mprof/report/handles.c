/* SPDX-License-Identifier: MIT */
/* Prints handles created and alive, and the call sites that created them. */
#include "report/handles.h"

#include "shared/kinds.h"
#include "report/filters.h"
#include "report/frames.h"
#include "report/parts.h"
#include "report/site_merge.h"
#include "report/stacks.h"
#include "shared/text.h"

#include <stdlib.h>

/* Number of call stacks that are printed as text for handles of one class and type. */
#define TEXT_STACKS 3

static int fetch_handle(const log_report *report, size_t index, void *row)
{
	mprof_handle_stats *stats = row;

	stats->struct_size = sizeof(*stats);
	mprof_profile_get_row(report->profile, MPROF_TABLE_HANDLES, index, stats);
	return report_wants_class(report, stats->class_id);
}

static int fetch_site(const log_report *report, size_t index, void *row)
{
	mprof_handle_site *site = row;

	site->struct_size = sizeof(*site);
	mprof_profile_get_row(report->profile, MPROF_TABLE_HANDLE_SITES, index, site);
	return site->stack != 0 && report_frames_keep_stack(report, site->stack);
}

static int compare_handles(const void *left, const void *right)
{
	const mprof_handle_stats *a = left;
	const mprof_handle_stats *b = right;
	int order = report_larger_first(a->alive, b->alive);

	order = order != 0 ? order : report_larger_first(a->created, b->created);
	order = order != 0 ? order : report_larger_first(b->class_id, a->class_id);
	return order != 0 ? order : report_larger_first(b->type, a->type);
}

static int compare_owners(const mprof_handle_site *a, uint32_t class_id, uint32_t type)
{
	int order = report_larger_first(class_id, a->class_id);

	return order != 0 ? order : report_larger_first(type, a->type);
}

/* Sorts by class and type, then by the number of handles alive. */
static int compare_sites(const void *left, const void *right)
{
	const mprof_handle_site *a = left;
	const mprof_handle_site *b = right;
	int order = compare_owners(a, b->class_id, b->type);

	order = order != 0 ? order : report_larger_first(a->alive, b->alive);
	order = order != 0 ? order : report_larger_first(a->created, b->created);
	return order != 0 ? order : report_larger_first(b->stack, a->stack);
}

typedef struct handle_tables {
	mprof_handle_stats *handles;
	size_t count;
	mprof_handle_site *sites;
	size_t site_count;
} handle_tables;

static const mprof_stack_frame *frames_of(const log_report *report, const void *row, size_t *count, int *is_owned)
{
	return site_merge_frames(report, ((const mprof_handle_site *)row)->stack, 0, 0, count, is_owned);
}

static int compare_site_owners(const void *left, const void *right)
{
	const mprof_handle_site *b = right;

	return compare_owners(left, b->class_id, b->type);
}

static void add_site(void *sum, const void *row)
{
	mprof_handle_site *into = sum;
	const mprof_handle_site *site = row;

	into->created += site->created;
	into->alive += site->alive;
}

static handle_tables collect_handles(const log_report *report)
{
	static const site_merge merge = {sizeof(mprof_handle_site), frames_of, compare_site_owners, add_site};
	handle_tables tables;

	tables.handles = report_collect(report, mprof_profile_get_row_count(report->profile, MPROF_TABLE_HANDLES),
					sizeof(*tables.handles), fetch_handle, compare_handles, &tables.count);
	report_apply_order(report, ORDER_HANDLES, tables.handles, tables.count, sizeof(*tables.handles));
	tables.sites = report_collect(report, mprof_profile_get_row_count(report->profile, MPROF_TABLE_HANDLE_SITES),
				      sizeof(*tables.sites), fetch_site, compare_sites, &tables.site_count);
	report_merge_sites(report, &merge, tables.sites, &tables.site_count, compare_sites);
	return tables;
}

static void release_handles(handle_tables *tables)
{
	free(tables->handles);
	free(tables->sites);
}

/* The index of the first site of handles of a class and type, or where it would be inserted. */
static size_t first_site(const handle_tables *tables, const mprof_handle_stats *handles)
{
	size_t low = 0;
	size_t high = tables->site_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_owners(&tables->sites[middle], handles->class_id, handles->type) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int is_site_of(const handle_tables *tables, size_t site, const mprof_handle_stats *handles)
{
	return site < tables->site_count && compare_owners(&tables->sites[site], handles->class_id, handles->type) == 0;
}

static void print_sites(const log_report *report, const handle_tables *tables, const mprof_handle_stats *handles)
{
	size_t first = first_site(tables, handles);
	char alive[TEXT_NUMBER_SIZE];

	for (size_t i = first; is_site_of(tables, i, handles) && i < first + TEXT_STACKS; i++) {
		if (tables->sites[i].alive == 0)
			break;
		printf("  %10s created by\n", text_count(alive, tables->sites[i].alive));
		report_stack(report, tables->sites[i].stack);
	}
}

void report_handles_text(const log_report *report)
{
	handle_tables tables = collect_handles(report);
	size_t shown = report_rows(report, tables.count);
	char alive[TEXT_NUMBER_SIZE];
	char created[TEXT_NUMBER_SIZE];

	if (tables.count > 0) {
		report_title(report, "Handles", shown, tables.count, TABLE_HANDLES);
		printf("  %10s %14s %10s  %s\n", "alive", "created", "type", "class");
	}
	for (size_t i = 0; i < shown; i++) {
		const mprof_handle_stats *handles = &tables.handles[i];

		printf("  %10s %14s %10s  ", text_count(alive, handles->alive), text_count(created, handles->created),
		       kind_of_handle(handles->type));
		report_class(report, handles->class_id);
		print_sites(report, &tables, handles);
	}
	release_handles(&tables);
}

/* Estimated size of a row in JSON without its stack. */
#define ROW_SIZE 60

static void print_sites_json(log_report *report, json_writer *json, const handle_tables *tables,
			     const mprof_handle_stats *handles, uint64_t *room)
{
	json_begin_array(json, "stacks");
	for (size_t i = first_site(tables, handles); is_site_of(tables, i, handles); i++) {
		uint32_t stack = tables->sites[i].stack;

		if (!report_takes_room(room, ROW_SIZE + report_json_stack_size(report, stack, *room))) {
			report->left_out.handle_stacks++;
			*room = 0;
			continue;
		}
		json_begin_object(json, NULL);
		report_json_figures(json, MPROF_TABLE_HANDLE_SITES, &tables->sites[i], NULL, NULL);
		report_json_stack(report, json, "stack", stack);
		json_end_object(json);
	}
	json_end_array(json);
}

void report_handles_json(log_report *report, json_writer *json)
{
	handle_tables tables = collect_handles(report);
	size_t shown = report_rows(report, tables.count);
	uint64_t room = report_room(report);

	json_begin_array(json, "handles");
	for (size_t i = 0; i < shown; i++) {
		const mprof_handle_stats *handles = &tables.handles[i];

		json_begin_object(json, NULL);
		report_json_class(report, json, handles->class_id);
		json_string(json, "type", kind_of_handle(handles->type));
		report_json_figures(json, MPROF_TABLE_HANDLES, handles, "created deleted", NULL);
		print_sites_json(report, json, &tables, handles, &room);
		json_end_object(json);
	}
	json_end_array(json);
	release_handles(&tables);
}
