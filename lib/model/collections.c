/* SPDX-License-Identifier: MIT */
#include "model/collections.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

/* Generations that can be collected at the same time; a log that says others counts them under the last. */
#define GENERATION_COUNT 8

/* What is going on at a moment. Indexes of records, NONE where there is none. */
typedef struct pairing {
	size_t open[GENERATION_COUNT];   /**< Begun and not ended. */
	size_t latest[GENERATION_COUNT]; /**< Begun last: sweeping may go on after the end. */
	uint64_t mark_start[GENERATION_COUNT];
	uint64_t sweep_start[GENERATION_COUNT];
	uint8_t is_marking[GENERATION_COUNT];
	uint8_t is_sweeping[GENERATION_COUNT];
	int is_stopped;
	uint64_t stop_start;
	size_t stopped_for;
} pairing;

void collections_init(collection_list *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	all->allocator = *allocator;
}

void collections_destroy(collection_list *all)
{
	allocator_release(&all->allocator, all->events, all->event_capacity * sizeof(*all->events));
	allocator_release(&all->allocator, all->records, all->capacity * sizeof(*all->records));
	allocator_release(&all->allocator, all->resizes, all->resize_capacity * sizeof(*all->resizes));
	collections_init(all, &all->allocator);
}

int collections_add(collection_list *all, const mprof_event *event, uint64_t counter)
{
	void *events = all->events;
	collection_event *added;

	if (all->event_count >= UINT32_MAX ||
	    !array_reserve(&all->allocator, &events, &all->event_capacity, all->event_count + 1, sizeof(*all->events)))
		return 0;
	all->events = events;
	added = &all->events[all->event_count];
	added->counter = counter;
	added->value = event->value;
	added->number = event->id;
	added->sequence = (uint32_t)all->event_count++;
	added->kind = event->kind;
	if (event->kind == MPROF_EVENT_GC_START)
		all->started++;
	return 1;
}

static int compare_events(const void *left, const void *right)
{
	const collection_event *a = left;
	const collection_event *b = right;

	if (a->counter != b->counter)
		return a->counter < b->counter ? -1 : 1;
	return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

/* By time counted from the origin, so that a counter that passes 2^64 does not turn the order around. */
static void sort_events(collection_list *all, uint64_t origin)
{
	const uint64_t to_unsigned_order = UINT64_C(1) << 63;

	if (all->event_count == 0)
		return;
	for (size_t i = 0; i < all->event_count; i++)
		all->events[i].counter = all->events[i].counter - origin + to_unsigned_order;
	qsort(all->events, all->event_count, sizeof(*all->events), compare_events);
	for (size_t i = 0; i < all->event_count; i++)
		all->events[i].counter = all->events[i].counter - to_unsigned_order + origin;
}

static int make_room(collection_list *all)
{
	void *records = all->records;
	void *resizes = all->resizes;
	size_t started = 0;
	size_t resized = 0;

	for (size_t i = 0; i < all->event_count; i++) {
		started += all->events[i].kind == MPROF_EVENT_GC_START;
		resized += all->events[i].kind == MPROF_EVENT_GC_RESIZE;
	}
	if (!array_reserve(&all->allocator, &records, &all->capacity, started, sizeof(*all->records)))
		return 0;
	all->records = records;
	if (!array_reserve(&all->allocator, &resizes, &all->resize_capacity, resized, sizeof(*all->resizes)))
		return 0;
	all->resizes = resizes;
	return 1;
}

/*
 * The world is stopped for the first collection that begins or ends while it is. A concurrent collection begins in one
 * stop and ends in another, and between the two the world is stopped for others.
 */
static void note_pause(pairing *now, size_t record)
{
	if (now->is_stopped && now->stopped_for == NONE)
		now->stopped_for = record;
}

static void start_collection(collection_list *all, pairing *now, const collection_event *event, size_t slot)
{
	collection_record *record = &all->records[all->count];

	memset(record, 0, sizeof(*record));
	record->is_counted = event->number == 0;
	record->number = event->number != 0 ? event->number : all->count + 1;
	record->generation = (uint32_t)event->value;
	record->start = event->counter;
	now->open[slot] = all->count;
	now->latest[slot] = all->count;
	now->is_marking[slot] = 0;
	now->is_sweeping[slot] = 0;
	note_pause(now, all->count);
	all->count++;
}

static void end_collection(collection_list *all, pairing *now, const collection_event *event, size_t slot)
{
	size_t open = now->open[slot];

	if (open == NONE)
		return;
	all->records[open].duration = event->counter - all->records[open].start;
	all->records[open].is_finished = 1;
	note_pause(now, open);
	now->open[slot] = NONE;
}

/* The collection that is under way; of several the one that began last. */
static size_t current_collection(const pairing *now)
{
	size_t current = NONE;

	for (size_t slot = 0; slot < GENERATION_COUNT; slot++) {
		if (now->open[slot] != NONE && (current == NONE || now->open[slot] > current))
			current = now->open[slot];
	}
	return current;
}

static void start_phase(uint64_t *start, uint8_t *is_going_on, const collection_event *event)
{
	*start = event->counter;
	*is_going_on = 1;
}

static uint64_t end_phase(const uint64_t *start, uint8_t *is_going_on, const collection_event *event)
{
	uint64_t duration = *is_going_on ? event->counter - *start : 0;

	*is_going_on = 0;
	return duration;
}

/* From before the world is stopped until after it is started again. */
static void apply_pause(collection_list *all, pairing *now, const collection_event *event)
{
	if (event->kind == MPROF_EVENT_GC_STOP_WORLD_START) {
		now->is_stopped = 1;
		now->stop_start = event->counter;
		now->stopped_for = NONE;
	} else if (event->kind == MPROF_EVENT_GC_START_WORLD_END && now->is_stopped) {
		if (now->stopped_for == NONE)
			now->stopped_for = current_collection(now);
		if (now->stopped_for != NONE)
			all->records[now->stopped_for].pause += event->counter - now->stop_start;
		now->is_stopped = 0;
	}
}

static void apply_event(collection_list *all, pairing *now, const collection_event *event)
{
	size_t slot = event->value < GENERATION_COUNT ? (size_t)event->value : GENERATION_COUNT - 1;
	size_t latest = now->latest[slot];
	uint64_t duration;

	switch (event->kind) {
	case MPROF_EVENT_GC_START:
		start_collection(all, now, event, slot);
		break;
	case MPROF_EVENT_GC_END:
		end_collection(all, now, event, slot);
		break;
	case MPROF_EVENT_GC_MARK_START:
		start_phase(&now->mark_start[slot], &now->is_marking[slot], event);
		break;
	case MPROF_EVENT_GC_MARK_END:
		duration = end_phase(&now->mark_start[slot], &now->is_marking[slot], event);
		if (latest != NONE)
			all->records[latest].mark += duration;
		break;
	case MPROF_EVENT_GC_SWEEP_START:
		start_phase(&now->sweep_start[slot], &now->is_sweeping[slot], event);
		break;
	case MPROF_EVENT_GC_SWEEP_END:
		duration = end_phase(&now->sweep_start[slot], &now->is_sweeping[slot], event);
		if (latest != NONE)
			all->records[latest].sweep += duration;
		break;
	case MPROF_EVENT_GC_RESIZE:
		all->resizes[all->resize_count].counter = event->counter;
		all->resizes[all->resize_count].number = event->number;
		all->resizes[all->resize_count++].bytes = event->value;
		break;
	default:
		apply_pause(all, now, event);
	}
}

/* The time covered by finished collections; one inside another counts once. Records are in order of their starts. */
static uint64_t covered_time(const collection_list *all, uint64_t origin)
{
	uint64_t covered = 0;
	uint64_t reached = 0;
	int has_reached = 0;

	for (size_t i = 0; i < all->count; i++) {
		uint64_t start = all->records[i].start - origin;
		uint64_t end = start + all->records[i].duration;

		if (has_reached && (int64_t)(start - reached) < 0)
			start = reached;
		if ((int64_t)(end - start) > 0) {
			covered += end - start;
			reached = end;
			has_reached = 1;
		}
	}
	return covered;
}

int collections_pair(collection_list *all, uint64_t origin)
{
	pairing now;

	if (!make_room(all))
		return 0;
	sort_events(all, origin);
	memset(&now, 0, sizeof(now));
	for (size_t slot = 0; slot < GENERATION_COUNT; slot++)
		now.open[slot] = now.latest[slot] = NONE;
	all->count = 0;
	all->resize_count = 0;
	for (size_t i = 0; i < all->event_count; i++)
		apply_event(all, &now, &all->events[i]);
	all->time = covered_time(all, origin);
	return 1;
}
