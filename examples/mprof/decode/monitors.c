/* SPDX-License-Identifier: MIT */
/* Prints waits for monitors: by class, then by method and call path, and by object. */
#include "decode/decode.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct wait_sums {
	uint64_t counters;
	uint64_t contentions;
	uint64_t failures;
} wait_sums;

/* The keys by which waits are grouped, one for each level of a tree. */
enum { PART_CLASS, PART_METHOD, PART_OBJECT, PART_PATH, PART_COUNT };

typedef struct wait_row {
	uint64_t parts[PART_COUNT]; /**< PART_PATH: stack ID, and call tree node << 32. */
	int is_known;               /**< The path is known. */
	wait_sums sums;
} wait_row;

/* Rows with one key in common. */
typedef struct wait_group {
	wait_sums sums;
	size_t first;
	size_t count;
} wait_group;

/* The levels of the trees below a class. */
static const int by_caller[] = {PART_METHOD, PART_PATH, PART_COUNT};
static const int by_monitor[] = {PART_OBJECT, PART_METHOD, PART_PATH, PART_COUNT};

static call_path path_of(const wait_row *row)
{
	call_path path = {(uint32_t)row->parts[PART_PATH], (uint32_t)(row->parts[PART_PATH] >> 32)};

	return path;
}

static void fetch_row(const log_decode *decode, size_t index, wait_row *row)
{
	mprof_monitor_site site;
	path_frame frame;
	call_path path;

	site.struct_size = sizeof(site);
	mprof_profile_get_row(decode->profile, MPROF_TABLE_MONITOR_SITES, index, &site);
	row->parts[PART_CLASS] = site.class_id;
	row->parts[PART_OBJECT] = site.object;
	row->parts[PART_PATH] = (uint64_t)site.call << 32 | site.stack;
	row->sums.counters = site.contended_ns;
	row->sums.contentions = site.contentions;
	row->sums.failures = site.failures;
	path = path_of(row);
	row->is_known = decode_next_frame(decode, &path, &frame);
	row->parts[PART_METHOD] = row->is_known ? frame.method : 0;
}

static int compare_rows(const void *left, const void *right, void *user)
{
	int part = *(const int *)user;

	return decode_larger_first(((const wait_row *)right)->parts[part], ((const wait_row *)left)->parts[part]);
}

static int compare_groups(const void *left, const void *right)
{
	const wait_group *a = left;
	const wait_group *b = right;
	int order = decode_larger_first(a->sums.counters, b->sums.counters);

	order = order != 0 ? order : decode_larger_first(a->sums.contentions, b->sums.contentions);
	return order != 0 ? order : decode_larger_first(b->first, a->first);
}

/* Sorts rows by a key and groups them by it. The caller frees the groups; NULL if out of memory. */
static wait_group *group_rows(log_decode *decode, wait_row *rows, size_t count, int part, size_t *group_count)
{
	wait_group *groups = decode_room(decode, count, sizeof(*groups));
	wait_group *group = groups;

	*group_count = 0;
	if (groups == NULL)
		return NULL;
	qsort_r(rows, count, sizeof(*rows), compare_rows, &part);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || rows[i].parts[part] != rows[i - 1].parts[part]) {
			group = &groups[(*group_count)++];
			group->first = i;
		}
		group->count++;
		group->sums.counters += rows[i].sums.counters;
		group->sums.contentions += rows[i].sums.contentions;
		group->sums.failures += rows[i].sums.failures;
	}
	qsort(groups, *group_count, sizeof(*groups), compare_groups);
	return groups;
}

static void print_indentation(int depth)
{
	printf("%*s", 8 * depth, "");
}

static void print_sums(const wait_sums *sums, const wait_sums *whole, int depth)
{
	print_indentation(depth);
	decode_percent((double)sums->counters, (double)whole->counters);
	printf(" (%" PRIu64 ".000000 ticks) contention time (%" PRIu64 " contentions, %" PRIu64 " failures) in ",
	       sums->counters, sums->contentions, sums->failures);
}

static void print_path(const log_decode *decode, const wait_row *row, int depth)
{
	call_path path = path_of(row);

	printf("CallStack of id %" PRIu32 "\n", path.stack != 0 ? path.stack : path.call);
	if (!row->is_known) {
		print_indentation(depth + 2);
		puts("(CALL STACK UNAVAILABLE)");
	}
	decode_path(decode, path, 8 * (depth + 2), FRAME_METHOD);
}

static void print_name(const log_decode *decode, const wait_row *row, int part, int depth)
{
	switch (part) {
	case PART_CLASS:
		decode_class(decode, (uint32_t)row->parts[PART_CLASS]);
		break;
	case PART_OBJECT:
		printf("object %" PRIu64, row->parts[PART_OBJECT]);
		break;
	case PART_METHOD:
		if (row->is_known)
			decode_method(decode, (uint32_t)row->parts[PART_METHOD]);
		else
			fputs("(CLASS UNAVAILABLE).(CALL STACK UNAVAILABLE)", stdout);
		break;
	default:
		print_path(decode, row, depth);
		return;
	}
	putchar('\n');
}

/* Prints the levels of a tree from \p parts on. The recursion is as deep as the tree has levels. */
static void print_level(log_decode *decode, wait_row *rows, size_t count, const int *parts, const wait_sums *whole,
			int depth)
{
	size_t group_count;
	wait_group *groups;

	if (*parts == PART_COUNT)
		return;
	groups = group_rows(decode, rows, count, *parts, &group_count);
	for (size_t i = 0; i < group_count; i++) {
		wait_row *first = &rows[groups[i].first];

		print_sums(&groups[i].sums, whole, depth);
		print_name(decode, first, *parts, depth);
		print_level(decode, first, groups[i].count, parts + 1, &groups[i].sums, depth + 1);
	}
	free(groups);
}

static void print_classes(log_decode *decode, wait_row *rows, size_t count, const wait_sums *whole)
{
	size_t group_count;
	wait_group *groups = group_rows(decode, rows, count, PART_CLASS, &group_count);

	for (size_t i = 0; i < group_count; i++) {
		wait_row *first = &rows[groups[i].first];

		print_sums(&groups[i].sums, whole, 1);
		print_name(decode, first, PART_CLASS, 1);
		print_indentation(2);
		puts("Statistics by caller:");
		print_level(decode, first, groups[i].count, by_caller, &groups[i].sums, 3);
		print_indentation(2);
		puts("Statistics by monitor:");
		print_level(decode, first, groups[i].count, by_monitor, &groups[i].sums, 3);
	}
	free(groups);
}

void decode_monitors(log_decode *decode)
{
	size_t count = mprof_profile_get_row_count(decode->profile, MPROF_TABLE_MONITOR_SITES);
	wait_row *rows = decode_room(decode, count, sizeof(*rows));
	wait_sums whole = {0, 0, 0};

	if (rows != NULL && count > 0) {
		for (size_t i = 0; i < count; i++) {
			fetch_row(decode, i, &rows[i]);
			whole.counters += rows[i].sums.counters;
			whole.contentions += rows[i].sums.contentions;
			whole.failures += rows[i].sums.failures;
		}
		decode_separator();
		puts("Reporting monitor statistics.");
		print_sums(&whole, &whole, 0);
		puts("Global statistics");
		print_classes(decode, rows, count, &whole);
	}
	free(rows);
}
