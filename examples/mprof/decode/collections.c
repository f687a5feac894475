/* SPDX-License-Identifier: MIT */
/* Collections and compilations, as the original decoder printed them. */
#include "decode/decode.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A collection, or a change of the heap's size. */
typedef struct collection_row {
	uint64_t number;
	int64_t start; /**< Counter since the log began. */
	int is_resize;
	uint64_t bytes;
	mprof_collection collection;
} collection_row;

static int compare_rows(const void *left, const void *right)
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
	qsort(rows, collections + resizes, sizeof(*rows), compare_rows);
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

static int compare_methods(const void *left, const void *right)
{
	const mprof_method_stats *a = left;
	const mprof_method_stats *b = right;
	int order = decode_larger_first(a->jit_ns, b->jit_ns);

	return order != 0 ? order : decode_larger_first(b->id, a->id);
}

static void print_methods(const log_decode *decode, const mprof_method_stats *methods, size_t count, uint64_t counters)
{
	char text[DECODE_NUMBER_SIZE];

	for (size_t i = 0; i < count && methods[i].jit_ns > 0; i++) {
		double seconds = decode_seconds(decode, methods[i].jit_ns);

		decode_percent((double)methods[i].jit_ns, (double)counters);
		printf(" (%sms) ", decode_number(text, seconds * 1000.0, 3));
		decode_method(decode, methods[i].id);
		putchar('\n');
	}
}

void decode_compilations(log_decode *decode)
{
	size_t count = mprof_profile_get_row_count(decode->profile, MPROF_TABLE_METHODS);
	mprof_method_stats *methods = decode_room(decode, count, sizeof(*methods));
	uint64_t defined = mprof_reader_get_method_count(decode->input.reader);
	uint64_t counters = 0;

	if (methods == NULL)
		return;
	mprof_profile_get_rows(decode->profile, MPROF_TABLE_METHODS, 0, methods, sizeof(*methods), count, &count);
	for (size_t i = 0; i < count; i++)
		counters += methods[i].jit_ns;
	if (counters > 0) {
		qsort(methods, count, sizeof(*methods), compare_methods);
		decode_separator();
		printf("Reporting jit time (on %" PRIu64 " methods)\n", defined);
		print_methods(decode, methods, count, counters);
	} else if (decode->session.flags & MPROF_INTRO_FLAG_JIT) {
		printf("No jit time reported (on %" PRIu64 " methods)\n", defined);
	}
	free(methods);
}
