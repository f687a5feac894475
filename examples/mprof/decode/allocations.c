/* SPDX-License-Identifier: MIT */
/* Prints allocations by class, by method, and by call path. */
#include "decode/decode.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Methods of a class and paths of a method are shown in detail until this share of the bytes is covered. */
#define SHOWN_PART 0.7

/* Allocations of a class by a method on a call path. */
typedef struct allocation_row {
	size_t number; /**< In the order of the log. */
	uint32_t class_id;
	uint32_t method;
	int is_compiling;
	call_path path;
	uint64_t bytes;
	uint64_t count;
} allocation_row;

/* Rows of the same class and method. */
typedef struct allocation_group {
	uint32_t class_id;
	uint32_t method;
	int is_compiling;
	uint64_t bytes;
	uint64_t count;
	const allocation_row *rows; /**< In the order of the log. */
	size_t row_count;
} allocation_group;

typedef struct allocation_table {
	allocation_row *rows;
	size_t row_count;
	allocation_group *groups; /**< Sorted by class; those of a class in the order of the log, compilations last. */
	size_t group_count;
	const void **sorted_groups; /**< Buffer for the groups of a class. */
	const void **sorted_rows;   /**< Buffer for the rows of a group. */
} allocation_table;

/* Uses the method in the log, or else the innermost frame of the path. Returns 0 if neither is known. */
static int fetch_row(const log_decode *decode, size_t index, allocation_row *row)
{
	mprof_allocation_site site;
	call_path path;
	path_frame frame;

	site.struct_size = sizeof(site);
	mprof_profile_get_row(decode->profile, MPROF_TABLE_ALLOCATION_SITES, index, &site);
	row->number = index;
	row->class_id = site.class_id;
	row->method = site.caller;
	row->is_compiling = (site.flags & MPROF_EVENT_FLAG_COMPILING) != 0;
	row->path.stack = site.stack;
	row->path.call = site.call;
	row->bytes = site.bytes;
	row->count = site.allocations;
	if (row->method != 0)
		return 1;
	path = row->path;
	if (!decode_next_frame(decode, &path, &frame))
		return 0;
	row->method = frame.method;
	row->is_compiling = frame.is_compiling;
	return 1;
}

static int compare_rows(const void *left, const void *right)
{
	const allocation_row *a = left;
	const allocation_row *b = right;
	int order = decode_larger_first(b->class_id, a->class_id);

	order = order != 0 ? order : decode_larger_first(b->method, a->method);
	order = order != 0 ? order : a->is_compiling - b->is_compiling;
	return order != 0 ? order : decode_larger_first(b->number, a->number);
}

static int compare_groups(const void *left, const void *right)
{
	const allocation_group *a = left;
	const allocation_group *b = right;
	int order = decode_larger_first(b->class_id, a->class_id);

	order = order != 0 ? order : a->is_compiling - b->is_compiling;
	return order != 0 ? order : decode_larger_first(b->rows->number, a->rows->number);
}

static int compare_row_bytes(const void *left, const void *right)
{
	return decode_larger_first(((const allocation_row *)right)->bytes, ((const allocation_row *)left)->bytes);
}

static int compare_group_bytes(const void *left, const void *right)
{
	return decode_larger_first(((const allocation_group *)right)->bytes, ((const allocation_group *)left)->bytes);
}

static int is_of_group(const allocation_group *group, const allocation_row *row)
{
	return group->class_id == row->class_id && group->method == row->method &&
	       group->is_compiling == row->is_compiling;
}

static void group_rows(allocation_table *table)
{
	allocation_group *group = table->groups;

	for (size_t i = 0; i < table->row_count; i++) {
		const allocation_row *row = &table->rows[i];

		if (i == 0 || !is_of_group(group, row)) {
			group = &table->groups[table->group_count++];
			group->class_id = row->class_id;
			group->method = row->method;
			group->is_compiling = row->is_compiling;
			group->rows = row;
		}
		group->row_count++;
		group->bytes += row->bytes;
		group->count += row->count;
	}
	qsort(table->groups, table->group_count, sizeof(*table->groups), compare_groups);
}

static int fill_table(log_decode *decode, allocation_table *table)
{
	size_t count = mprof_profile_get_row_count(decode->profile, MPROF_TABLE_ALLOCATION_SITES);

	table->rows = decode_room(decode, count, sizeof(*table->rows));
	table->groups = decode_room(decode, count, sizeof(*table->groups));
	table->sorted_groups = decode_room(decode, count, sizeof(*table->sorted_groups));
	table->sorted_rows = decode_room(decode, count, sizeof(*table->sorted_rows));
	if (table->rows == NULL || table->groups == NULL || table->sorted_groups == NULL || table->sorted_rows == NULL)
		return 0;
	for (size_t i = 0; i < count; i++)
		table->row_count += (size_t)fetch_row(decode, i, &table->rows[table->row_count]);
	qsort(table->rows, table->row_count, sizeof(*table->rows), compare_rows);
	group_rows(table);
	return 1;
}

static void print_path(const log_decode *decode, const allocation_row *row)
{
	printf("                %" PRIu64 " bytes (%" PRIu64 " instances) inside\n", row->bytes, row->count);
	decode_path(decode, row->path, 24, FRAME_WITH_CLASS);
}

static void print_paths(const log_decode *decode, const allocation_table *table, const allocation_group *group)
{
	double shown = 0;
	size_t count = 0;

	for (size_t i = 0; i < group->row_count; i++) {
		const allocation_row *row = &group->rows[i];

		if (row->path.stack != 0 || row->path.call != MPROF_CALL_ROOT)
			table->sorted_rows[count++] = row;
	}
	decode_sort(table->sorted_rows, count, compare_row_bytes);
	for (size_t i = 0; i < count && shown / (double)group->bytes < SHOWN_PART; i++) {
		const allocation_row *row = table->sorted_rows[i];

		print_path(decode, row);
		shown += (double)row->bytes;
	}
}

static void print_group(const log_decode *decode, const allocation_group *group, int indentation, const char *where)
{
	printf("%*s%" PRIu64 " bytes (%" PRIu64 " instances) %s ", indentation, "", group->bytes, group->count, where);
	decode_method(decode, group->method);
	putchar('\n');
}

/* Methods that ran and methods that were being compiled, together. */
static void print_with_paths(const log_decode *decode, const allocation_table *table, size_t count, uint64_t bytes)
{
	double shown = 0;

	decode_sort(table->sorted_groups, count, compare_group_bytes);
	for (size_t i = 0; i < count; i++) {
		const allocation_group *group = table->sorted_groups[i];

		print_group(decode, group, 8, "from");
		if (shown < (double)bytes * SHOWN_PART)
			print_paths(decode, table, group);
		shown += (double)group->bytes;
	}
}

/* Methods that ran, followed by those that were being compiled. */
static void print_without_paths(const log_decode *decode, const allocation_table *table, size_t count)
{
	size_t running = 0;

	while (running < count && !((const allocation_group *)table->sorted_groups[running])->is_compiling)
		running++;
	decode_sort(table->sorted_groups, running, compare_group_bytes);
	decode_sort(table->sorted_groups + running, count - running, compare_group_bytes);
	for (size_t i = 0; i < running; i++)
		print_group(decode, table->sorted_groups[i], 8, "from");
	for (size_t i = running; i < count; i++)
		print_group(decode, table->sorted_groups[i], 16, "at JIT time in");
}

/* The index of the first group of a class, or where it would be inserted. */
static size_t find_groups(const allocation_table *table, uint32_t class_id)
{
	size_t low = 0;
	size_t high = table->group_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->groups[middle].class_id < class_id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void print_class(const log_decode *decode, const allocation_table *table, const mprof_class_stats *stats)
{
	const allocation_group *groups = &table->groups[find_groups(table, stats->id)];
	const allocation_group *end = &table->groups[table->group_count];
	size_t count = 0;

	decode_percent((double)stats->bytes, (double)decode->totals.allocated_bytes);
	printf(" (%" PRIu64 " bytes) ", stats->bytes);
	decode_class(decode, stats->id);
	putchar('\n');
	for (; groups + count < end && groups[count].class_id == stats->id; count++)
		table->sorted_groups[count] = &groups[count];
	if (decode->has_allocation_stacks)
		print_with_paths(decode, table, count, stats->bytes);
	else
		print_without_paths(decode, table, count);
}

static int compare_classes(const void *left, const void *right)
{
	const mprof_class_stats *a = left;
	const mprof_class_stats *b = right;
	int order = decode_larger_first(a->bytes, b->bytes);

	return order != 0 ? order : decode_larger_first(b->id, a->id);
}

static void print_classes(log_decode *decode, const allocation_table *table)
{
	size_t count = mprof_profile_get_row_count(decode->profile, MPROF_TABLE_CLASSES);
	mprof_class_stats *classes = decode_room(decode, count, sizeof(*classes));

	if (classes == NULL)
		return;
	mprof_profile_get_rows(decode->profile, MPROF_TABLE_CLASSES, 0, classes, sizeof(*classes), count, &count);
	qsort(classes, count, sizeof(*classes), compare_classes);
	for (size_t i = 0; i < count && classes[i].bytes > 0; i++)
		print_class(decode, table, &classes[i]);
	free(classes);
}

void decode_allocations(log_decode *decode)
{
	uint64_t classes = mprof_reader_get_class_count(decode->input.reader);
	allocation_table table = {NULL, 0, NULL, 0, NULL, NULL};

	if (decode->totals.allocated_bytes == 0) {
		if (decode->session.flags & MPROF_INTRO_FLAG_CLASS)
			printf("No allocations reported (on %" PRIu64 " classes)\n", classes);
		return;
	}
	decode_separator();
	printf("Reporting allocations (on %" PRIu64 " classes)\n", classes);
	if (fill_table(decode, &table))
		print_classes(decode, &table);
	free(table.rows);
	free(table.groups);
	free(table.sorted_groups);
	free(table.sorted_rows);
}
