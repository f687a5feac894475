/* SPDX-License-Identifier: MIT */
/* Collections and changes of the heap size. */
#include "oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct gc_row {
	uint32_t number;
	uint32_t generation;
	int is_resize;
	int is_ended;
	size_t ended; /* Position in the order in which collections ended. */
	uint64_t bytes;
	uint64_t start;
	uint64_t end;
	uint64_t mark_start;
	uint64_t mark_end;
	uint64_t sweep_start;
	uint64_t sweep_end;
} gc_row;

typedef struct collection_state {
	gc_row *rows;
	size_t count;
	size_t capacity;
	size_t ended;
} collection_state;

static collection_state *state(oracle *all)
{
	all->collections = room_once(all->collections, sizeof(*all->collections));
	return all->collections;
}

static gc_row *begin(collection_state *collections, uint32_t number)
{
	gc_row *row;

	collections->rows =
		room_for(collections->rows, collections->count + 1, &collections->capacity, sizeof(*collections->rows));
	row = &collections->rows[collections->count++];
	row->number = number;
	return row;
}

static void end(collection_state *collections, gc_row *row)
{
	row->is_ended = 1;
	row->ended = collections->ended++;
}

/* The collection with a number that is in progress. */
static gc_row *find(collection_state *collections, uint32_t number)
{
	for (size_t i = collections->count; i > 0; i--) {
		if (collections->rows[i - 1].number == number && !collections->rows[i - 1].is_ended)
			return &collections->rows[i - 1];
	}
	return begin(collections, number);
}

void collections_add(oracle *all, const mprof_event *event, uint64_t now)
{
	uint32_t number = event->id;
	collection_state *collections = state(all);
	gc_row *row;

	switch (event->kind) {
	case MPROF_EVENT_GC_START:
		row = begin(collections, number);
		row->generation = (uint32_t)event->value;
		row->start = now;
		break;
	case MPROF_EVENT_GC_END:
		row = find(collections, number);
		row->end = now;
		end(collections, row);
		break;
	case MPROF_EVENT_GC_MARK_START:
		find(collections, number)->mark_start = now;
		break;
	case MPROF_EVENT_GC_MARK_END:
		find(collections, number)->mark_end = now;
		break;
	case MPROF_EVENT_GC_SWEEP_START:
		find(collections, number)->sweep_start = now;
		break;
	case MPROF_EVENT_GC_SWEEP_END:
		find(collections, number)->sweep_end = now;
		break;
	case MPROF_EVENT_GC_RESIZE:
		row = begin(collections, number);
		row->is_resize = 1;
		row->bytes = event->value;
		row->start = now;
		end(collections, row);
		break;
	default:
		break;
	}
}

static int by_number(const void *left, const void *right)
{
	return order_numbers(((const gc_row *)left)->number, ((const gc_row *)right)->number);
}

static int by_end(const void *left, const void *right)
{
	return order_numbers(((const gc_row *)left)->ended, ((const gc_row *)right)->ended);
}

static int by_start(const void *left, const void *right)
{
	const gc_row *a = left;
	const gc_row *b = right;
	int order = order_numbers(a->start, b->start);

	return order != 0 ? order : a->is_resize - b->is_resize;
}

/* Logs that the decoder cannot read have no collection numbers: the oracle numbers them by counting. */
static void number_rows(const oracle *all, gc_row **rows, size_t count)
{
	uint32_t number = 0;

	if (all->dialect != MPROF_DIALECT_DROP && all->dialect != MPROF_DIALECT_MAIL)
		return;
	sort_items(all, rows, count, by_start, 0, by_end);
	for (size_t i = 0; i < count; i++) {
		number += (uint32_t)!rows[i]->is_resize;
		rows[i]->number = number;
	}
}

static void print_milliseconds(const char *before, double seconds)
{
	fputs(before, stdout);
	print_number(seconds * 1000.0, 3);
	fputs("ms", stdout);
}

static void print_title(const oracle *all, gc_row **rows, size_t count)
{
	size_t collections = 0;
	double total = 0;
	double mark = 0;
	double sweep = 0;

	for (size_t i = 0; i < count; i++) {
		if (rows[i]->is_resize)
			continue;
		collections++;
		total += clicks_to_seconds(all, rows[i]->end - rows[i]->start);
		mark += clicks_to_seconds(all, rows[i]->mark_end - rows[i]->mark_start);
		sweep += clicks_to_seconds(all, rows[i]->sweep_end - rows[i]->sweep_start);
	}
	print_separator();
	printf("Reporting GC statistics for %zu collections", collections);
	print_milliseconds(" (total ", total);
	fputs(", ", stdout);
	print_percent(total, clicks_to_seconds(all, all->last.counter - all->start.counter));
	fputs(" of total time, mark ", stdout);
	print_percent(mark, total);
	fputs(", sweep ", stdout);
	print_percent(sweep, total);
	puts(")");
}

static void print_row(const oracle *all, const gc_row *row)
{
	if (row->is_resize) {
		printf("[%" PRIu32 "] Heap resized to %" PRIu64 " bytes\n", row->number, row->bytes);
		return;
	}
	printf("[%" PRIu32 "] Collection starting at ", row->number);
	print_number(clicks_to_seconds(all, row->start - all->start.counter), 3);
	printf("s (generation %" PRIu32 "):", row->generation);
	print_milliseconds(" duration ", clicks_to_seconds(all, row->end - row->start));
	print_milliseconds(", mark ", clicks_to_seconds(all, row->mark_end - row->mark_start));
	print_milliseconds(", sweep ", clicks_to_seconds(all, row->sweep_end - row->sweep_start));
	putchar('\n');
}

void collections_print(oracle *all)
{
	collection_state *collections = state(all);
	size_t capacity = 0;
	gc_row **rows = room_for(NULL, collections->count + 1, &capacity, sizeof(gc_row *));
	size_t count = 0;

	for (size_t i = 0; i < collections->count; i++) {
		if (collections->rows[i].is_ended)
			rows[count++] = &collections->rows[i];
	}
	sort_items(all, rows, count, by_end, 0, by_end);
	number_rows(all, rows, count);
	sort_items(all, rows, count, by_number, 0, by_start);
	if (count > 0)
		print_title(all, rows, count);
	for (size_t i = 0; i < count; i++)
		print_row(all, rows[i]);
	free(rows);
}

void collections_release(oracle *all)
{
	free(state(all)->rows);
	free(all->collections);
}
