/* SPDX-License-Identifier: MIT */
/* Heap summaries, and the allocated objects that were left when a heap block was written. */
#include "oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A class in a heap snapshot. */
typedef struct shot_row {
	uint32_t class_id;
	uint64_t bytes;
	uint64_t freed;
} shot_row;

typedef struct shot {
	uint32_t number;
	uint64_t start;
	uint64_t end;
	shot_row *rows; /* Indexed by ID. */
	size_t count;
	size_t defined;
} shot;

typedef struct summary {
	uint32_t number;
	uint64_t time;
	mprof_record *rows;
	size_t count;
	size_t capacity;
} summary;

typedef struct heap_state {
	shot *shots;
	size_t shot_count;
	size_t shot_capacity;
	summary *summaries;
	size_t summary_count;
	size_t summary_capacity;
} heap_state;

static heap_state *state(oracle *all)
{
	all->heap = room_once(all->heap, sizeof(*all->heap));
	return all->heap;
}

void heap_begin_shot(oracle *all, const mprof_block *block)
{
	heap_state *heap = state(all);
	size_t capacity = 0;
	shot *added;

	heap->shots = room_for(heap->shots, heap->shot_count + 1, &heap->shot_capacity, sizeof(*heap->shots));
	added = &heap->shots[heap->shot_count++];
	added->number = block->as.heap_data.number;
	added->start = block->as.heap_data.start.counter;
	added->end = block->as.heap_data.end.counter;
	added->count = all->classes.count;
	added->defined = all->classes.defined;
	added->rows = room_for(NULL, added->count + 1, &capacity, sizeof(*added->rows));
	for (size_t i = 0; i < added->count; i++) {
		added->rows[i].class_id = (uint32_t)i;
		added->rows[i].bytes = all->classes.entries[i].remaining;
	}
}

void heap_free(oracle *all, const mprof_event *event)
{
	heap_state *heap = state(all);
	shot *current = &heap->shots[heap->shot_count - 1];

	names_get(&all->classes, event->id)->remaining -= event->value;
	current->rows[event->id].bytes -= event->value;
	current->rows[event->id].freed += event->value;
}

void heap_begin_summary(oracle *all, const mprof_block *block)
{
	heap_state *heap = state(all);
	summary *added;

	heap->summaries =
		room_for(heap->summaries, heap->summary_count + 1, &heap->summary_capacity, sizeof(*heap->summaries));
	added = &heap->summaries[heap->summary_count++];
	added->number = block->as.heap_summary.collection;
	added->time = block->start.time - all->start.time;
}

void heap_summarize(oracle *all, const mprof_record *record)
{
	summary *current = &all->heap->summaries[all->heap->summary_count - 1];

	current->rows = room_for(current->rows, current->count + 1, &current->capacity, sizeof(*current->rows));
	current->rows[current->count++] = *record;
}

static int by_live_bytes(const void *left, const void *right)
{
	return order_numbers(((const mprof_record *)left)->as.summary.live_bytes,
			     ((const mprof_record *)right)->as.summary.live_bytes);
}

static int by_class(const void *left, const void *right)
{
	return order_numbers(((const mprof_record *)left)->id, ((const mprof_record *)right)->id);
}

static void print_summary(oracle *all, const summary *printed)
{
	size_t capacity = 0;
	const mprof_record **rows = room_for(NULL, printed->count + 1, &capacity, sizeof(*rows));

	uint64_t seconds = has_fault(all, FAULT_SECONDS) ? 0 : printed->time / 1000000;

	printf("Data for collection %" PRIu32 " written %" PRIu64 ".%03" PRIu64 "s since the application started\n",
	       printed->number, seconds, printed->time / 1000 % 1000);
	for (size_t i = 0; i < printed->count; i++)
		rows[i] = &printed->rows[i];
	sort_items(all, rows, printed->count, by_live_bytes, 1, by_class);
	for (size_t i = 0; i < printed->count; i++) {
		const mprof_summary_record *sums = &rows[i]->as.summary;

		fputs("  Class ", stdout);
		print_class(all, rows[i]->id);
		printf(": %" PRIu64 " bytes in %" PRIu64 " instances (freed: %" PRIu64 " bytes in %" PRIu64
		       " instances)\n",
		       sums->live_bytes, sums->live_objects, sums->dead_bytes, sums->dead_objects);
	}
	free(rows);
}

void heap_print_summaries(oracle *all)
{
	heap_state *heap = state(all);

	if (heap->summary_count == 0)
		return;
	print_separator();
	printf("Reporting allocation summaries for %zu collections\n", heap->summary_count);
	for (size_t i = 0; i < heap->summary_count; i++)
		print_summary(all, &heap->summaries[i]);
}

static int by_bytes(const void *left, const void *right)
{
	return order_numbers(((const shot_row *)left)->bytes, ((const shot_row *)right)->bytes);
}

static int by_row(const void *left, const void *right)
{
	return order_numbers(((const shot_row *)left)->class_id, ((const shot_row *)right)->class_id);
}

/* Negative for a class if more bytes died than were allocated. */
static uint64_t shown_bytes(const oracle *all, uint64_t bytes)
{
	if ((int64_t)bytes < 0 && !has_fault(all, FAULT_EARLY_DEATHS))
		return 0;
	return has_fault(all, FAULT_SUMS) ? (uint32_t)bytes : bytes;
}

static void print_shot(oracle *all, const shot *printed)
{
	double ticks = clicks_to_seconds(all, printed->start - all->start.counter) * 1e7;
	time_t seconds = (time_t)((all->start.time + (uint64_t)ticks / 10) / 1000000);
	const shot_row **rows;
	size_t capacity = 0;
	size_t count = 0;
	uint64_t bytes = 0;
	char date[32];

	strftime(date, sizeof(date), "%m/%d/%Y %H:%M:%S", gmtime(&seconds));
	printf("Heap data collection %" PRIu32 " started at %s (duration ", printed->number, date);
	print_number(clicks_to_seconds(all, printed->end - printed->start) * 1000.0, 3);
	puts("ms)");
	if (printed->defined == 0)
		puts("No allocation statistics for this collection)");
	rows = room_for(NULL, printed->count + 1, &capacity, sizeof(*rows));
	for (size_t i = 0; i < printed->count; i++) {
		if (all->classes.entries[i].name == NULL)
			continue;
		rows[count] = &printed->rows[i];
		printed->rows[i].bytes = shown_bytes(all, rows[count]->bytes);
		add_bytes(all, &bytes, rows[count++]->bytes);
	}
	sort_items(all, rows, count, by_bytes, 1, by_row);
	for (size_t i = 0; i < count && rows[i]->bytes > 0; i++) {
		fputs("    ", stdout);
		print_percent((double)rows[i]->bytes, (double)bytes);
		putchar(' ');
		print_class(all, rows[i]->class_id);
		printf(" %" PRIu64 " bytes (%" PRIu64 " freed)\n", rows[i]->bytes, shown_bytes(all, rows[i]->freed));
	}
	free(rows);
}

void heap_print_shots(oracle *all)
{
	heap_state *heap = state(all);

	if (heap->shot_count == 0)
		return;
	print_separator();
	printf("Reporting heap data for %zu collections\n", heap->shot_count);
	for (size_t i = 0; i < heap->shot_count; i++)
		print_shot(all, &heap->shots[i]);
}

void heap_release(oracle *all)
{
	heap_state *heap = state(all);

	for (size_t i = 0; i < heap->shot_count; i++)
		free(heap->shots[i].rows);
	for (size_t i = 0; i < heap->summary_count; i++)
		free(heap->summaries[i].rows);
	free(heap->shots);
	free(heap->summaries);
	free(heap);
}
