/* SPDX-License-Identifier: MIT */
/* Prints objects by class and by call stack, with their ages. */
#include "report/ages.h"

#include "report/filters.h"
#include "report/frames.h"
#include "report/orders.h"
#include "report/parts.h"
#include "report/site_merge.h"
#include "report/stacks.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Estimated size in JSON of a row without its frames, and of a frame, with names of average length. */
#define ROW_SIZE 520
#define FRAME_SIZE 60

/* A row of all these tables: a class, a call site of the managed heap, or one of native memory. */
typedef struct age_row {
	mprof_age_site site; /**< Of a class, without a stack. */
	size_t index;        /**< Of a call site of the managed heap. */
	int is_native;
	int is_folded;
	uint32_t sites;     /**< Of a class. */
	double average_age; /**< In collections; of native memory, the average lifetime in nanoseconds. */
} age_row;

/* The amounts of a row that were alive. */
typedef struct alive_amount {
	uint64_t objects;
	uint64_t bytes;
	uint64_t error;
} alive_amount;

typedef int (*row_compare)(const void *, const void *);

int report_wants_ages(const log_report *report)
{
	return report_wants(report, REPORT_SECTION_HISTORY) || report_wants(report, REPORT_SECTION_TYPES) ||
	       report_wants(report, REPORT_SECTION_BACKTRACES) || report_wants(report, REPORT_SECTION_TEMPORARIES) ||
	       report_wants(report, REPORT_SECTION_ALIVE);
}

static double share(uint64_t sum, uint64_t count)
{
	return count > 0 ? (double)sum / (double)count : 0;
}

static int fetch_class(const log_report *report, size_t index, void *fetched)
{
	mprof_age_class stats = {.struct_size = sizeof(stats)};
	age_row *row = fetched;

	mprof_profile_get_row(report->profile, MPROF_TABLE_AGE_CLASSES, index, &stats);
	*row = (age_row){.sites = stats.sites, .average_age = share(stats.ages, stats.dead + stats.live)};
	row->site.class_id = stats.class_id;
	row->site.allocations = stats.allocations;
	row->site.bytes = stats.bytes;
	row->site.dead = stats.dead;
	row->site.dead_bytes = stats.dead_bytes;
	row->site.live = stats.live;
	row->site.live_bytes = stats.live_bytes;
	row->site.peak_live = stats.peak_live;
	row->site.peak_bytes = stats.peak_bytes;
	row->site.temporaries = stats.temporaries;
	row->site.temporary_bytes = stats.temporary_bytes;
	return report_wants_class(report, stats.class_id);
}

static int fetch_native(const log_report *report, size_t index, age_row *row)
{
	mprof_memory_site site = {.struct_size = sizeof(site)};

	mprof_profile_get_row(report->profile, MPROF_TABLE_MEMORY_SITES, index, &site);
	*row = (age_row){.is_native = 1, .is_folded = (int)site.is_folded};
	row->average_age = share(site.lifetime_ns, site.frees);
	row->site.stack = site.stack;
	row->site.allocations = site.allocations;
	row->site.bytes = site.bytes;
	row->site.dead = site.frees;
	row->site.live = site.live;
	row->site.live_bytes = site.live_bytes;
	row->site.peak_live = site.peak_live;
	row->site.peak_bytes = site.peak_bytes;
	row->site.temporaries = site.temporaries;
	return report_wants_all(report) && report_frames_keep_stack(report, site.stack);
}

/* Call sites of the managed heap, then those of native memory. */
static int fetch_site(const log_report *report, size_t index, void *fetched)
{
	size_t managed = mprof_profile_get_row_count(report->profile, MPROF_TABLE_AGE_SITES);
	mprof_age_stats totals = {.struct_size = sizeof(totals)};
	age_row *row = fetched;

	if (index >= managed)
		return fetch_native(report, index - managed, row);
	*row = (age_row){.index = index};
	row->site.struct_size = sizeof(row->site);
	mprof_profile_get_row(report->profile, MPROF_TABLE_AGE_SITES, index, &row->site);
	mprof_profile_get_row(report->profile, MPROF_TABLE_AGES, 0, &totals);
	/* With a sample of call stacks, the estimates cover the objects without one as well. */
	if (totals.sample_interval > 0 && row->site.samples == 0)
		return 0;
	row->average_age =
		share(row->site.ages, row->site.samples > 0 ? row->site.samples : row->site.dead + row->site.live);
	return report_wants_class(report, row->site.class_id) &&
	       report_frames_keep_site(report, row->site.stack, row->site.caller);
}

static int larger_average_first(double left, double right)
{
	return (left < right) - (left > right);
}

static int compare_total(const void *left, const void *right)
{
	const age_row *a = left;
	const age_row *b = right;
	int order = report_larger_first(a->site.bytes, b->site.bytes);

	order = order != 0 ? order : report_larger_first(a->site.allocations, b->site.allocations);
	order = order != 0 ? order : report_larger_first(b->site.class_id, a->site.class_id);
	order = order != 0 ? order : report_larger_first(b->site.stack, a->site.stack);
	order = order != 0 ? order : report_larger_first(b->site.caller, a->site.caller);
	return order != 0 ? order : report_larger_first(b->site.flags, a->site.flags);
}

static int compare_count(const void *left, const void *right)
{
	int order = report_larger_first(((const age_row *)left)->site.allocations,
					((const age_row *)right)->site.allocations);

	return order != 0 ? order : compare_total(left, right);
}

static int compare_average(const void *left, const void *right)
{
	const mprof_age_site *a = &((const age_row *)left)->site;
	const mprof_age_site *b = &((const age_row *)right)->site;
	int order = larger_average_first(share(a->bytes, a->allocations), share(b->bytes, b->allocations));

	return order != 0 ? order : compare_total(left, right);
}

static int compare_age(const void *left, const void *right)
{
	int order = larger_average_first(((const age_row *)left)->average_age, ((const age_row *)right)->average_age);

	return order != 0 ? order : compare_total(left, right);
}

static int compare_sites(const void *left, const void *right)
{
	int order = report_larger_first(((const age_row *)left)->sites, ((const age_row *)right)->sites);

	return order != 0 ? order : compare_total(left, right);
}

static int compare_temporaries(const void *left, const void *right)
{
	const mprof_age_site *a = &((const age_row *)left)->site;
	const mprof_age_site *b = &((const age_row *)right)->site;
	int order = report_larger_first(a->temporary_bytes, b->temporary_bytes);

	order = order != 0 ? order : report_larger_first(a->temporaries, b->temporaries);
	return order != 0 ? order : compare_total(left, right);
}

static int compare_live(const void *left, const void *right)
{
	int order = report_larger_first(((const age_row *)left)->site.live_bytes,
					((const age_row *)right)->site.live_bytes);

	return order != 0 ? order : compare_total(left, right);
}

static int compare_peak(const void *left, const void *right)
{
	int order = report_larger_first(((const age_row *)left)->site.peak_bytes,
					((const age_row *)right)->site.peak_bytes);

	return order != 0 ? order : compare_total(left, right);
}

/* The order that --sort requests for a table, or the usual one. */
static row_compare compare_of(const log_report *report, order_table table, row_compare usual)
{
	static const char *const names[] = {"count", "total", "average", "age", "backtraces"};
	static const row_compare orders[] = {compare_count, compare_total, compare_average, compare_age, compare_sites};
	const char *name = orders_key(report->options.orders, table);

	for (size_t i = 0; name != NULL && i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], name) == 0)
			return orders[i];
	}
	return usual;
}

static age_row *collect_classes(const log_report *report, order_table table, row_compare usual, size_t *count)
{
	return report_collect(report, mprof_profile_get_row_count(report->profile, MPROF_TABLE_AGE_CLASSES),
			      sizeof(age_row), fetch_class, compare_of(report, table, usual), count);
}

static mprof_stack_frame caller_of(const age_row *row)
{
	return (mprof_stack_frame){.id = row->site.caller,
				   .is_compiling = (row->site.flags & MPROF_EVENT_FLAG_COMPILING) != 0};
}

/* The frames of a call site of the managed heap, which the caller frees; without a call stack, the caller alone. */
static mprof_stack_frame *managed_frames(const log_report *report, const age_row *row, size_t *count)
{
	mprof_stack_frame *frames;

	*count = 0;
	mprof_profile_get_age_site_frames(report->profile, row->index, NULL, sizeof(*frames), 0, count);
	frames = calloc(*count + 1, sizeof(*frames));
	if (frames == NULL) {
		*count = 0;
		return NULL;
	}
	if (*count > 0) {
		mprof_profile_get_age_site_frames(report->profile, row->index, frames, sizeof(*frames), *count, count);
	} else {
		frames[0] = caller_of(row);
		*count = 1;
	}
	return frames;
}

static const mprof_stack_frame *frames_of(const log_report *report, const void *row, size_t *count, int *is_owned)
{
	const age_row *of = row;

	if (of->is_native)
		return site_merge_frames(report, of->site.stack, 0, 0, count, is_owned);
	*is_owned = 1;
	return managed_frames(report, of, count);
}

/* Exact figures are not added to estimates. */
static int compare_places(const void *left, const void *right)
{
	const age_row *a = left;
	const age_row *b = right;
	int order = report_larger_first((uint64_t)b->is_native, (uint64_t)a->is_native);

	order = order != 0 ? order : report_larger_first((uint64_t)b->is_folded, (uint64_t)a->is_folded);
	order = order != 0 ? order : report_larger_first(b->site.class_id, a->site.class_id);
	return order != 0 ? order : report_larger_first(b->site.samples != 0, a->site.samples != 0);
}

static void add_errors(mprof_age_site *into, const mprof_age_site *site)
{
	into->allocations_error = site_merge_add_error(into->allocations_error, site->allocations_error);
	into->bytes_error = site_merge_add_error(into->bytes_error, site->bytes_error);
	into->live_error = site_merge_add_error(into->live_error, site->live_error);
	into->live_bytes_error = site_merge_add_error(into->live_bytes_error, site->live_bytes_error);
	into->peak_bytes_error = site_merge_add_error(into->peak_bytes_error, site->peak_bytes_error);
	into->temporary_bytes_error = site_merge_add_error(into->temporary_bytes_error, site->temporary_bytes_error);
}

/* The number of objects or blocks that the average age of a row is that of. */
static double aged(const age_row *row)
{
	if (row->is_native)
		return (double)row->site.dead;
	return (double)(row->site.samples > 0 ? row->site.samples : row->site.dead + row->site.live);
}

static void add_site(void *sum, const void *row)
{
	age_row *into_row = sum;
	mprof_age_site *into = &into_row->site;
	const mprof_age_site *site = &((const age_row *)row)->site;
	double all = aged(into_row) + aged(row);

	if (all > 0)
		into_row->average_age =
			(into_row->average_age * aged(into_row) + ((const age_row *)row)->average_age * aged(row)) /
			all;
	into->samples += site->samples;
	into->allocations += site->allocations;
	into->bytes += site->bytes;
	into->dead += site->dead;
	into->dead_bytes += site->dead_bytes;
	into->live += site->live;
	into->live_bytes += site->live_bytes;
	into->peak_live += site->peak_live;
	into->peak_bytes += site->peak_bytes;
	into->temporaries += site->temporaries;
	into->temporary_bytes += site->temporary_bytes;
	into->ages += site->ages;
	add_errors(into, site);
}

static age_row *collect_sites(const log_report *report, order_table table, row_compare usual, size_t *count)
{
	static const site_merge merge = {sizeof(age_row), frames_of, compare_places, add_site};
	size_t all = mprof_profile_get_row_count(report->profile, MPROF_TABLE_AGE_SITES) +
		     mprof_profile_get_row_count(report->profile, MPROF_TABLE_MEMORY_SITES);
	row_compare compare = compare_of(report, table, usual);
	age_row *rows = report_collect(report, report->options.with_ages ? all : 0, sizeof(age_row), fetch_site,
				       compare, count);

	report_merge_sites(report, &merge, rows, count, compare);
	return rows;
}

/* Prints where the objects of a row were allocated. */
static void print_place(const log_report *report, const age_row *row)
{
	mprof_stack_frame *frames;
	size_t count;

	if (row->is_native) {
		if (row->is_folded)
			printf("  %28s(other call sites: too little memory to distinguish them)\n", "");
		report_stack(report, row->site.stack);
		return;
	}
	frames = managed_frames(report, row, &count);
	report_frame_list(report, frames, count);
	free(frames);
}

static void print_subject(const log_report *report, const age_row *row)
{
	if (row->is_native)
		puts("(native memory)");
	else
		report_class(report, row->site.class_id);
}

static void print_age(const age_row *row)
{
	char text[TEXT_NUMBER_SIZE];

	if (row->is_native)
		printf(" %10s", row->site.dead > 0 ? text_duration(text, (uint64_t)row->average_age) : "-");
	else
		printf(" %10.2f", row->average_age);
}

static int has_estimates(const age_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (rows[i].site.samples > 0)
			return 1;
	}
	return 0;
}

static void print_error(const age_row *row, uint64_t error)
{
	char text[TEXT_NUMBER_SIZE];

	printf(" %10s", row->site.samples > 0 ? text_bytes(text, error) : "exact");
}

void report_types_text(const log_report *report)
{
	char text[TEXT_NUMBER_SIZE];
	size_t count;
	age_row *rows = collect_classes(report, ORDER_AGE_TYPES, compare_total, &count);
	size_t shown = report_rows(report, count);

	if (count > 0) {
		report_title(report, "Types", shown, count, TABLE_TYPES);
		printf("  %14s %10s %10s %10s %14s  %s\n", "count", "total", "average", "age", "call stacks", "class");
	}
	for (size_t i = 0; i < shown; i++) {
		printf("  %14s", text_count(text, rows[i].site.allocations));
		printf(" %10s", text_bytes(text, rows[i].site.bytes));
		printf(" %10.1f", share(rows[i].site.bytes, rows[i].site.allocations));
		print_age(&rows[i]);
		printf(" %14s  ", text_count(text, rows[i].sites));
		print_subject(report, &rows[i]);
	}
	free(rows);
}

void report_backtraces_text(const log_report *report)
{
	char text[TEXT_NUMBER_SIZE];
	size_t count;
	age_row *rows = collect_sites(report, ORDER_AGE_BACKTRACES, compare_total, &count);
	size_t shown = report_rows(report, count);
	int is_estimated = has_estimates(rows, count);

	if (count > 0) {
		report_title(report, "Types by call stack, without recursion", shown, count, TABLE_BACKTRACES);
		printf("  %14s %10s%s %10s %10s  %s\n", "count", "total", is_estimated ? "         +-" : "", "average",
		       "age", "class, and what allocated it");
	}
	for (size_t i = 0; i < shown; i++) {
		printf("  %14s", text_count(text, rows[i].site.allocations));
		printf(" %10s", text_bytes(text, rows[i].site.bytes));
		if (is_estimated)
			print_error(&rows[i], rows[i].site.bytes_error);
		printf(" %10.1f", share(rows[i].site.bytes, rows[i].site.allocations));
		print_age(&rows[i]);
		fputs("  ", stdout);
		print_subject(report, &rows[i]);
		print_place(report, &rows[i]);
	}
	free(rows);
}

void report_temporaries_text(const log_report *report)
{
	char text[TEXT_NUMBER_SIZE];
	size_t count;
	age_row *rows = collect_sites(report, ORDER_AGE_TEMPORARIES, compare_temporaries, &count);
	size_t there = 0;
	size_t shown;
	int is_estimated = has_estimates(rows, count);

	/* Other orders than the usual one do not have the rows without temporaries last. */
	for (size_t i = 0; i < count; i++) {
		if (rows[i].site.temporaries > 0)
			rows[there++] = rows[i];
	}
	shown = report_rows(report, there);
	if (there > 0) {
		report_title(report, "Temporary objects, by call stack", shown, there, TABLE_TEMPORARIES);
		printf("  %14s %10s%s %14s  %s\n", "temporary", "bytes", is_estimated ? "         +-" : "",
		       "of allocated", "class, and what allocated it");
	}
	for (size_t i = 0; i < shown; i++) {
		printf("  %14s", text_count(text, rows[i].site.temporaries));
		printf(" %10s", rows[i].is_native ? "" : text_bytes(text, rows[i].site.temporary_bytes));
		if (is_estimated)
			print_error(&rows[i], rows[i].site.temporary_bytes_error);
		printf(" %14s  ", text_count(text, rows[i].site.allocations));
		print_subject(report, &rows[i]);
		print_place(report, &rows[i]);
	}
	free(rows);
}

static alive_amount alive_of(const log_report *report, const age_row *row)
{
	const mprof_age_site *site = &row->site;

	if (report->options.alive_at_peak)
		return (alive_amount){site->peak_live, site->peak_bytes, site->peak_bytes_error};
	return (alive_amount){site->live, site->live_bytes, site->live_bytes_error};
}

static void print_alive_rows(const log_report *report, const char *title, age_row *rows, size_t count, int has_places)
{
	int is_estimated = has_estimates(rows, count);
	char text[TEXT_NUMBER_SIZE];
	char heading[96];
	size_t there = 0;
	size_t shown;

	for (size_t i = 0; i < count; i++) {
		if (alive_of(report, &rows[i]).objects > 0)
			rows[there++] = rows[i];
	}
	shown = report_rows(report, there);
	if (there == 0)
		return;
	snprintf(heading, sizeof(heading), "Alive at %s%s, by %s",
		 report->options.alive_at_peak           ? "the peak"
		 : report->options.alive_at.text == NULL ? "the end"
							 : "",
		 report->options.alive_at.text != NULL ? report->options.alive_at.text + 1 : "", title);
	report_title(report, heading, shown, there, has_places ? TABLE_ALIVE : TABLE_ALIVE_CLASSES);
	printf("  %14s %10s%s %14s  %s\n", "alive", "bytes", is_estimated ? "         +-" : "", "of allocated",
	       has_places ? "class, and what allocated it" : "class");
	for (size_t i = 0; i < shown; i++) {
		const alive_amount alive = alive_of(report, &rows[i]);

		printf("  %14s", text_count(text, alive.objects));
		printf(" %10s", text_bytes(text, alive.bytes));
		if (is_estimated)
			print_error(&rows[i], alive.error);
		printf(" %14s  ", text_count(text, rows[i].site.allocations));
		print_subject(report, &rows[i]);
		if (has_places)
			print_place(report, &rows[i]);
	}
}

void report_alive_text(const log_report *report)
{
	row_compare usual = report->options.alive_at_peak ? compare_peak : compare_live;
	size_t count;
	age_row *rows = collect_classes(report, ORDER_AGE_ALIVE, usual, &count);

	print_alive_rows(report, "class", rows, count, 0);
	free(rows);
	rows = collect_sites(report, ORDER_AGE_ALIVE, usual, &count);
	print_alive_rows(report, "call stack", rows, count, 1);
	free(rows);
}

static void print_amounts_json(json_writer *json, const age_row *row)
{
	const mprof_age_site *site = &row->site;

	json_unsigned(json, "allocations", site->allocations);
	json_unsigned(json, "bytes", site->bytes);
	json_double(json, "average_bytes", share(site->bytes, site->allocations));
	if (row->is_native)
		json_null(json, "average_age");
	else
		json_double(json, "average_age", row->average_age);
	json_unsigned(json, "dead", site->dead);
	json_unsigned(json, "live", site->live);
	json_unsigned(json, "live_bytes", site->live_bytes);
	json_unsigned(json, "peak_live", site->peak_live);
	json_unsigned(json, "peak_bytes", site->peak_bytes);
	json_unsigned(json, "temporaries", site->temporaries);
	if (row->is_native)
		json_null(json, "temporary_bytes");
	else
		json_unsigned(json, "temporary_bytes", site->temporary_bytes);
}

static void print_place_json(const log_report *report, json_writer *json, const age_row *row)
{
	mprof_stack_frame *frames;
	size_t count;

	json_string(json, "caller",
		    row->site.caller != 0 ? names_full_method(report->input.names, row->site.caller) : NULL);
	json_boolean(json, "compiling", (row->site.flags & MPROF_EVENT_FLAG_COMPILING) != 0);
	if (row->is_native) {
		report_json_stack(report, json, "stack", row->site.stack);
		return;
	}
	frames = row->site.stack != 0 ? managed_frames(report, row, &count) : NULL;
	report_json_frame_list(report, json, "stack", frames, frames != NULL ? count : 0);
	free(frames);
}

static void print_site_json(const log_report *report, json_writer *json, const age_row *row)
{
	const mprof_age_site *site = &row->site;

	json_begin_object(json, NULL);
	report_json_class(report, json, site->class_id);
	json_boolean(json, "native", row->is_native);
	print_amounts_json(json, row);
	if (row->is_native && site->dead > 0)
		json_unsigned(json, "average_lifetime_ns", (uint64_t)row->average_age);
	else
		json_null(json, "average_lifetime_ns");
	json_unsigned(json, "samples", site->samples);
	json_unsigned(json, "bytes_error", site->bytes_error);
	json_unsigned(json, "live_bytes_error", site->live_bytes_error);
	json_unsigned(json, "peak_bytes_error", site->peak_bytes_error);
	json_unsigned(json, "temporary_bytes_error", site->temporary_bytes_error);
	print_place_json(report, json, row);
	json_end_object(json);
}

typedef int (*row_filter)(const log_report *report, const age_row *row);

static int is_any(const log_report *report, const age_row *row)
{
	(void)report;
	(void)row;
	return 1;
}

static int is_temporary(const log_report *report, const age_row *row)
{
	(void)report;
	return row->site.temporaries > 0;
}

static int is_alive(const log_report *report, const age_row *row)
{
	return alive_of(report, row).objects > 0;
}

static uint64_t size_of_row(const log_report *report, const age_row *row)
{
	size_t frames = 0;

	if (row->is_native)
		return ROW_SIZE + report_json_stack_size(report, row->site.stack, UINT64_MAX - 1);
	mprof_profile_get_age_site_frames(report->profile, row->index, NULL, sizeof(mprof_stack_frame), 0, &frames);
	return ROW_SIZE + frames * FRAME_SIZE;
}

static void print_sites_json(log_report *report, json_writer *json, const char *key, order_table table,
			     row_compare usual, row_filter filter)
{
	uint64_t room = report_room(report);
	size_t count;
	age_row *rows = collect_sites(report, table, usual, &count);
	size_t there = 0;
	size_t shown;
	size_t i;

	for (i = 0; i < count; i++) {
		if (filter(report, &rows[i]))
			rows[there++] = rows[i];
	}
	shown = report_rows(report, there);
	json_begin_array(json, key);
	for (i = 0; i < shown && report_takes_room(&room, size_of_row(report, &rows[i])); i++)
		print_site_json(report, json, &rows[i]);
	json_end_array(json);
	report->left_out.age_sites += shown - i;
	free(rows);
}

void report_types_json(log_report *report, json_writer *json)
{
	size_t count;
	age_row *rows = collect_classes(report, ORDER_AGE_TYPES, compare_total, &count);
	size_t shown = report_rows(report, count);

	json_begin_array(json, "types");
	for (size_t i = 0; i < shown; i++) {
		json_begin_object(json, NULL);
		report_json_class(report, json, rows[i].site.class_id);
		json_unsigned(json, "id", rows[i].site.class_id);
		print_amounts_json(json, &rows[i]);
		json_unsigned(json, "backtraces", rows[i].sites);
		json_end_object(json);
	}
	json_end_array(json);
	free(rows);
}

void report_backtraces_json(log_report *report, json_writer *json)
{
	print_sites_json(report, json, "backtraces", ORDER_AGE_BACKTRACES, compare_total, is_any);
}

void report_temporaries_json(log_report *report, json_writer *json)
{
	print_sites_json(report, json, "temporaries", ORDER_AGE_TEMPORARIES, compare_temporaries, is_temporary);
}

void report_alive_json(log_report *report, json_writer *json)
{
	print_sites_json(report, json, "alive", ORDER_AGE_ALIVE,
			 report->options.alive_at_peak ? compare_peak : compare_live, is_alive);
}
