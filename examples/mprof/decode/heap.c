/* SPDX-License-Identifier: MIT */
/* Prints heap summaries, and the live allocations at the time each heap block was written. */
#include "decode/decode.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

static int compare_rows(const void *left, const void *right)
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
	qsort(balance->rows, balance->row_count, sizeof(*balance->rows), compare_rows);
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
