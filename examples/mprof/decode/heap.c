/* SPDX-License-Identifier: MIT */
/* Allocations, collections, heap summaries and snapshots, as the original decoder printed them. */
#include "decode/decode.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/*
 * Sorts as the first decoder's runtime does.
 *
 * Of items with equal keys, the first decoder prints only some: which ones depends on the order in which its sort
 * leaves them. Its runtime uses quicksort with the median of three, insertion sort for short ranges, and heap sort for
 * degenerate ones. This sort makes the same steps, so that the same items are printed.
 */

#define SHORT_RANGE 16

/* A comparison function for items, as for qsort(). */
typedef int (*decode_compare)(const void *left, const void *right);

typedef struct sorting {
	const void **items;
	decode_compare compare;
} sorting;

static void swap_items(const sorting *sorting, size_t left, size_t right)
{
	const void *item = sorting->items[left];

	sorting->items[left] = sorting->items[right];
	sorting->items[right] = item;
}

static int is_less(const sorting *sorting, const void *left, const void *right)
{
	return sorting->compare(left, right) < 0;
}

static void swap_if_greater(const sorting *sorting, size_t left, size_t right)
{
	if (left != right && is_less(sorting, sorting->items[right], sorting->items[left]))
		swap_items(sorting, left, right);
}

/* All ranges are inclusive, from \p low to \p high. */
static void sort_short(const sorting *sorting, size_t low, size_t high)
{
	for (size_t i = low; i < high; i++) {
		const void *item = sorting->items[i + 1];
		size_t index = i + 1;

		for (; index > low && is_less(sorting, item, sorting->items[index - 1]); index--)
			sorting->items[index] = sorting->items[index - 1];
		sorting->items[index] = item;
	}
}

/* \p node is a 1-based index in the heap of \p count items that starts at \p low. */
static void sift_down(const sorting *sorting, size_t low, size_t node, size_t count)
{
	const void *item = sorting->items[low + node - 1];

	while (node <= count / 2) {
		size_t child = 2 * node;

		if (child < count && is_less(sorting, sorting->items[low + child - 1], sorting->items[low + child]))
			child++;
		if (!is_less(sorting, item, sorting->items[low + child - 1]))
			break;
		sorting->items[low + node - 1] = sorting->items[low + child - 1];
		node = child;
	}
	sorting->items[low + node - 1] = item;
}

static void sort_by_heap(const sorting *sorting, size_t low, size_t high)
{
	size_t count = high - low + 1;

	for (size_t node = count / 2; node >= 1; node--)
		sift_down(sorting, low, node, count);
	for (size_t remaining = count; remaining > 1; remaining--) {
		swap_items(sorting, low, low + remaining - 1);
		sift_down(sorting, low, 1, remaining - 1);
	}
}

/* Returns the index of the pivot. */
static size_t partition_items(const sorting *sorting, size_t low, size_t high)
{
	size_t middle = low + (high - low) / 2;
	size_t left = low;
	size_t right = high - 1;
	const void *pivot;

	swap_if_greater(sorting, low, middle);
	swap_if_greater(sorting, low, high);
	swap_if_greater(sorting, middle, high);
	pivot = sorting->items[middle];
	swap_items(sorting, middle, high - 1);
	while (left < right) {
		do {
			left++;
		} while (is_less(sorting, sorting->items[left], pivot));
		do {
			right--;
		} while (is_less(sorting, pivot, sorting->items[right]));
		if (left >= right)
			break;
		swap_items(sorting, left, right);
	}
	swap_items(sorting, left, high - 1);
	return left;
}

static void sort_range(const sorting *sorting, size_t low, size_t high, unsigned steps)
{
	while (high > low) {
		size_t parted;

		if (high - low < SHORT_RANGE) {
			/*
			 * For three items, some of them equal, three swaps may result in another order than insertion
			 * sort.
			 */
			if (high - low == 2) {
				swap_if_greater(sorting, low, high - 1);
				swap_if_greater(sorting, low, high);
				swap_if_greater(sorting, high - 1, high);
			} else {
				sort_short(sorting, low, high);
			}
			return;
		}
		if (steps-- == 0) {
			sort_by_heap(sorting, low, high);
			return;
		}
		parted = partition_items(sorting, low, high);
		sort_range(sorting, parted + 1, high, steps);
		if (parted == low)
			return;
		high = parted - 1;
	}
}

/* Sorts pointers to items, the largest first; equal items in the order of the first decoder's runtime. */
static void decode_sort(const void **items, size_t count, decode_compare compare)
{
	sorting sorting = {items, compare};
	unsigned steps = 0;

	if (count < 2)
		return;
	for (size_t i = count; i > 0; i /= 2)
		steps += 2;
	sort_range(&sorting, 0, count - 1, steps);
	for (size_t i = 0; i < count / 2; i++)
		swap_items(&sorting, i, count - 1 - i);
}

/*
 * Allocations.
 */

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

static int compare_allocations(const void *left, const void *right)
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
	qsort(table->rows, table->row_count, sizeof(*table->rows), compare_allocations);
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

/*
 * Collections.
 */

/* A collection, or a change of the heap's size. */
typedef struct collection_row {
	uint64_t number;
	int64_t start; /**< Counter since the log began. */
	int is_resize;
	uint64_t bytes;
	mprof_collection collection;
} collection_row;

static int compare_collections(const void *left, const void *right)
{
	const collection_row *a = left;
	const collection_row *b = right;
	int order = decode_larger_first(b->number, a->number);

	order = order != 0 ? order : (a->start > b->start) - (a->start < b->start);
	return order != 0 ? order : a->is_resize - b->is_resize;
}

/*
 * Whether collections without a number in the log are printed with their position. Not in dialects that number
 * collections: their first logs lack the numbers, and the decoder of these dialects prints 0 for all of them.
 */
static int prints_counted_numbers(const log_decode *decode)
{
	mprof_dialect_info dialect = {.struct_size = sizeof(dialect)};

	return mprof_dialect_get_info(decode->session.dialect, &dialect) != MPROF_OK || !dialect.counts_collections;
}

/* Collections without an end are left out. */
static size_t fetch_collections(const log_decode *decode, collection_row *rows)
{
	int prints_counted = prints_counted_numbers(decode);
	size_t count = 0;

	for (size_t i = 0; i < mprof_profile_get_row_count(decode->profile, MPROF_TABLE_COLLECTIONS); i++) {
		mprof_collection *collection = &rows[count].collection;

		collection->struct_size = sizeof(*collection);
		mprof_profile_get_row(decode->profile, MPROF_TABLE_COLLECTIONS, i, collection);
		if (collection->unfinished)
			continue;
		rows[count].number = collection->is_counted && !prints_counted ? 0 : collection->number;
		rows[count++].start = collection->start_ns;
	}
	return count;
}

/* Changes of size without a number get that of the preceding collection. */
static void fetch_resizes(const log_decode *decode, collection_row *rows, size_t collections)
{
	size_t next = 0;

	for (size_t i = 0; i < mprof_profile_get_row_count(decode->profile, MPROF_TABLE_HEAP_RESIZES); i++) {
		collection_row *row = &rows[collections + i];
		mprof_heap_resize resize;

		resize.struct_size = sizeof(resize);
		mprof_profile_get_row(decode->profile, MPROF_TABLE_HEAP_RESIZES, i, &resize);
		while (next < collections && rows[next].start <= resize.time_ns)
			next++;
		row->number = resize.number != 0 ? resize.number : next > 0 ? rows[next - 1].number : 0;
		row->start = resize.time_ns;
		row->is_resize = 1;
		row->bytes = resize.bytes;
	}
}

static void print_milliseconds(const char *before, double seconds)
{
	char text[DECODE_NUMBER_SIZE];

	printf("%s%sms", before, decode_number(text, seconds * 1000.0, 3));
}

static void print_title(const log_decode *decode, const collection_row *rows, size_t count, size_t collections)
{
	double whole = decode_seconds(decode, decode->session.last.counter - decode->session.start.counter);
	double total = 0;
	double mark = 0;
	double sweep = 0;

	for (size_t i = 0; i < count; i++) {
		if (rows[i].is_resize)
			continue;
		total += decode_seconds(decode, rows[i].collection.duration_ns);
		mark += decode_seconds(decode, rows[i].collection.mark_ns);
		sweep += decode_seconds(decode, rows[i].collection.sweep_ns);
	}
	decode_separator();
	printf("Reporting GC statistics for %zu collections", collections);
	print_milliseconds(" (total ", total);
	fputs(", ", stdout);
	decode_percent(total, whole);
	fputs(" of total time, mark ", stdout);
	decode_percent(mark, total);
	fputs(", sweep ", stdout);
	decode_percent(sweep, total);
	puts(")");
}

static void print_collection(const log_decode *decode, const collection_row *row)
{
	const mprof_collection *collection = &row->collection;
	char text[DECODE_NUMBER_SIZE];
	uint64_t start = row->start > 0 ? (uint64_t)row->start : 0;

	printf("[%" PRIu64 "] Collection starting at %ss (generation %" PRIu32 "):", row->number,
	       decode_number(text, decode_seconds(decode, start), 3), collection->generation);
	print_milliseconds(" duration ", decode_seconds(decode, collection->duration_ns));
	print_milliseconds(", mark ", decode_seconds(decode, collection->mark_ns));
	print_milliseconds(", sweep ", decode_seconds(decode, collection->sweep_ns));
	putchar('\n');
}

void decode_collections(log_decode *decode)
{
	size_t resizes = mprof_profile_get_row_count(decode->profile, MPROF_TABLE_HEAP_RESIZES);
	size_t room = mprof_profile_get_row_count(decode->profile, MPROF_TABLE_COLLECTIONS) + resizes;
	collection_row *rows = decode_room(decode, room, sizeof(*rows));
	size_t collections;

	if (rows == NULL)
		return;
	collections = fetch_collections(decode, rows);
	fetch_resizes(decode, rows, collections);
	qsort(rows, collections + resizes, sizeof(*rows), compare_collections);
	if (collections + resizes > 0)
		print_title(decode, rows, collections + resizes, collections);
	for (size_t i = 0; i < collections + resizes; i++) {
		if (rows[i].is_resize)
			printf("[%" PRIu64 "] Heap resized to %" PRIu64 " bytes\n", rows[i].number, rows[i].bytes);
		else
			print_collection(decode, &rows[i]);
	}
	free(rows);
}

/*
 * Summaries and snapshots.
 */

static int compare_summaries(const void *left, const void *right)
{
	const mprof_heap_summary *a = left;
	const mprof_heap_summary *b = right;
	int order = decode_larger_first(a->live_bytes, b->live_bytes);

	return order != 0 ? order : decode_larger_first(b->class_id, a->class_id);
}

static void print_summary(log_decode *decode, size_t first, size_t end)
{
	size_t count = end - first;
	mprof_heap_summary *rows = decode_room(decode, count, sizeof(*rows));

	if (rows == NULL)
		return;
	for (size_t i = 0; i < count; i++) {
		rows[i].struct_size = sizeof(rows[i]);
		mprof_profile_get_row(decode->profile, MPROF_TABLE_HEAP_SUMMARIES, first + i, &rows[i]);
	}
	qsort(rows, count, sizeof(*rows), compare_summaries);
	for (size_t i = 0; i < count; i++) {
		fputs("  Class ", stdout);
		decode_class(decode, rows[i].class_id);
		printf(": %" PRIu64 " bytes in %" PRIu64 " instances (freed: %" PRIu64 " bytes in %" PRIu64
		       " instances)\n",
		       rows[i].live_bytes, rows[i].live_objects, rows[i].dead_bytes, rows[i].dead_objects);
	}
	free(rows);
}

void decode_summaries(log_decode *decode)
{
	if (decode->summary_count == 0)
		return;
	decode_separator();
	printf("Reporting allocation summaries for %zu collections\n", decode->summary_count);
	for (size_t i = 0; i < decode->summary_count; i++) {
		const summary_header *header = &decode->summaries[i];
		size_t end = i + 1 < decode->summary_count
				     ? decode->summaries[i + 1].first_row
				     : mprof_profile_get_row_count(decode->profile, MPROF_TABLE_HEAP_SUMMARIES);

		/* The time is in microseconds; it is truncated to milliseconds, not rounded. */
		printf("Data for collection %" PRIu32 " written %" PRIu64 ".%03" PRIu64
		       "s since the application started\n",
		       header->collection, header->time / 1000000, header->time / 1000 % 1000);
		print_summary(decode, header->first_row, end);
	}
}

/* "01/31/2008 23:59:59" */
static void print_date(const log_decode *decode, uint64_t counter)
{
	double ticks = decode->ticks_per_counter * (double)(counter - decode->session.start.counter);
	uint64_t microseconds = decode->session.start.time;
	char text[64] = "";
	struct tm date;
	time_t seconds;

	/* The wall clock may have been set back. */
	if (ticks > 0 && ticks < 9e18)
		microseconds += (uint64_t)ticks / 10;
	seconds = (time_t)(microseconds / 1000000);
	if (gmtime_r(&seconds, &date) != NULL)
		strftime(text, sizeof(text), "%m/%d/%Y %H:%M:%S", &date);
	fputs(text, stdout);
}

static int compare_balances(const void *left, const void *right)
{
	const heap_balance_row *a = left;
	const heap_balance_row *b = right;
	int order = decode_larger_first(a->bytes, b->bytes);

	return order != 0 ? order : decode_larger_first(b->class_id, a->class_id);
}

static void print_rows(const log_decode *decode, const heap_balance *balance)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < balance->row_count; i++)
		bytes += balance->rows[i].bytes;
	qsort(balance->rows, balance->row_count, sizeof(*balance->rows), compare_balances);
	for (size_t i = 0; i < balance->row_count && balance->rows[i].bytes > 0; i++) {
		const heap_balance_row *row = &balance->rows[i];

		fputs("    ", stdout);
		decode_percent((double)row->bytes, (double)bytes);
		putchar(' ');
		decode_class(decode, row->class_id);
		printf(" %" PRIu64 " bytes (%" PRIu64 " freed)\n", row->bytes, row->freed);
	}
}

void decode_heap(const log_decode *decode)
{
	if (decode->balance_count == 0)
		return;
	decode_separator();
	printf("Reporting heap data for %zu collections\n", decode->balance_count);
	for (size_t i = 0; i < decode->balance_count; i++) {
		const heap_balance *balance = &decode->balances[i];
		char text[DECODE_NUMBER_SIZE];
		uint64_t counters = balance->end - balance->start;
		double seconds = decode_seconds(decode, (int64_t)counters > 0 ? counters : 0);

		printf("Heap data collection %" PRIu32 " started at ", balance->number);
		print_date(decode, balance->start);
		printf(" (duration %sms)\n", decode_number(text, seconds * 1000.0, 3));
		if (balance->class_count == 0)
			puts("No allocation statistics for this collection)");
		print_rows(decode, balance);
	}
}
