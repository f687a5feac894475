/* SPDX-License-Identifier: MIT */
/* Garbage collections, which are paired when the profile is finished, and the pauses of threads. */
#include "model/records/collections.h"

#include <mprof/profile.h>

#include "base/allocator.h"
#include "base/sort.h"

#include <string.h>

#define NONE SIZE_MAX

/*
 * The number of latest collections that are searched for the one an event belongs to. Real logs have one or two at a
 * time; a log with many collections that never end must not take long to read.
 */
#define RECENT_COUNT 64

/*
 * Maximum number of threads that stop the world at the same time, as far as the counters of two processors can be
 * compared.
 */
#define STOP_COUNT 8

/* A stop of the world that has not ended. */
typedef struct world_stop {
	uint64_t thread;
	uint64_t start;
	size_t record; /**< Index of the collection that it is for, NONE while that is not known. */
} world_stop;

/* The collections and the stops that the next event may belong to. */
typedef struct pairing {
	size_t recent[RECENT_COUNT]; /**< Indexes of records in order of their starts. */
	size_t recent_count;
	world_stop stops[STOP_COUNT]; /**< In order of their starts. */
	size_t stop_count;
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
	allocator_release(&all->allocator, all->stops, all->stop_capacity * sizeof(*all->stops));
	collections_init(all, &all->allocator);
}

/* Reserves an element of what collections_pair() makes of an event, so that it needs no memory. */
static int reserve_result(collection_list *all, uint32_t kind)
{
	void *records = all->records;
	void *resizes = all->resizes;
	void *stops = all->stops;
	int is_reserved = 1;

	if (kind == MPROF_EVENT_GC_START)
		is_reserved = array_reserve(&all->allocator, &records, &all->capacity, all->started + 1,
					    sizeof(*all->records));
	if (kind == MPROF_EVENT_GC_RESIZE)
		is_reserved = array_reserve(&all->allocator, &resizes, &all->resize_capacity, all->resized + 1,
					    sizeof(*all->resizes));
	/* Each collection may have no stop. */
	if (is_reserved && (kind == MPROF_EVENT_GC_START || kind == MPROF_EVENT_GC_STOP_WORLD_START))
		is_reserved = array_reserve(&all->allocator, &stops, &all->stop_capacity,
					    all->started + all->stopped + 1, sizeof(*all->stops));
	all->records = records;
	all->resizes = resizes;
	all->stops = stops;
	return is_reserved;
}

int collections_add(collection_list *all, const mprof_event *event, uint64_t thread, uint64_t counter)
{
	void *events = all->events;
	collection_event *added;

	if (all->event_count >= UINT32_MAX || !reserve_result(all, event->kind) ||
	    !array_reserve(&all->allocator, &events, &all->event_capacity, all->event_count + 1, sizeof(*all->events)))
		return 0;
	all->events = events;
	all->started += event->kind == MPROF_EVENT_GC_START;
	all->resized += event->kind == MPROF_EVENT_GC_RESIZE;
	all->stopped += event->kind == MPROF_EVENT_GC_STOP_WORLD_START;
	added = &all->events[all->event_count];
	added->counter = counter;
	added->value = event->value;
	added->thread = thread;
	added->number = event->id;
	added->sequence = (uint32_t)all->event_count++;
	added->kind = event->kind;
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

/*
 * Sorts by the time since the origin, so that a counter that wraps around at 2^64 does not reverse the order. Returns 0
 * if it was stopped.
 */
static int sort_events(collection_list *all, uint64_t origin, progress *going)
{
	const uint64_t to_unsigned_order = UINT64_C(1) << 63;
	int is_sorted;

	if (all->event_count == 0)
		return 1;
	for (size_t i = 0; i < all->event_count; i++)
		all->events[i].counter = all->events[i].counter - origin + to_unsigned_order;
	is_sorted = sort_with_progress(all->events, all->event_count, sizeof(*all->events), compare_events, going);
	for (size_t i = 0; i < all->event_count; i++)
		all->events[i].counter = all->events[i].counter - to_unsigned_order + origin;
	return is_sorted;
}

/* An event without a number belongs to a collection of its generation. */
static int has_key(const collection_record *record, const collection_event *event)
{
	if (event->number != 0)
		return !record->is_counted && record->number == event->number;
	return record->generation == (uint32_t)event->value;
}

/*
 * The collection that an event belongs to: one that is in progress takes precedence over one that has ended, then one
 * that the same thread began, then the latest. Sweeping may continue after the end. NONE if none.
 */
static size_t find_collection(const collection_list *all, const pairing *now, const collection_event *event)
{
	size_t found = NONE;
	int found_rank = -1;

	for (size_t i = now->recent_count; i > 0 && found_rank < 3; i--) {
		const collection_record *record = &all->records[now->recent[i - 1]];
		int rank = 2 * !record->is_finished + (record->thread == event->thread);

		if (rank > found_rank && !record->is_abandoned && has_key(record, event)) {
			found = now->recent[i - 1];
			found_rank = rank;
		}
	}
	return found;
}

/*
 * Of the collections in progress, the one that began last; one that \p thread began takes precedence. NONE if there is
 * none.
 */
static size_t current_collection(const collection_list *all, const pairing *now, uint64_t thread)
{
	size_t found = NONE;

	for (size_t i = now->recent_count; i > 0; i--) {
		const collection_record *record = &all->records[now->recent[i - 1]];

		if (record->is_finished || record->is_abandoned)
			continue;
		if (record->thread == thread)
			return now->recent[i - 1];
		if (found == NONE)
			found = now->recent[i - 1];
	}
	return found;
}

static void add_recent(pairing *now, size_t record)
{
	if (now->recent_count == RECENT_COUNT)
		memmove(&now->recent[0], &now->recent[1], --now->recent_count * sizeof(now->recent[0]));
	now->recent[now->recent_count++] = record;
}

/*
 * The stop that the events of a thread belong to: the one that the thread began or, without such a stop, the latest.
 * NULL if the world runs.
 */
static world_stop *find_stop(pairing *now, uint64_t thread)
{
	for (size_t i = now->stop_count; i > 0; i--) {
		if (now->stops[i - 1].thread == thread)
			return &now->stops[i - 1];
	}
	return now->stop_count > 0 ? &now->stops[now->stop_count - 1] : NULL;
}

static void remove_stop(pairing *now, world_stop *stop)
{
	memmove(stop, stop + 1, (size_t)(&now->stops[now->stop_count] - (stop + 1)) * sizeof(*stop));
	now->stop_count--;
}

/*
 * Assigns a stop of the world to the first collection that begins or ends on the same thread while the world is
 * stopped. A concurrent collection begins in one stop and ends in another, and between the two the world is stopped for
 * other collections. The number of the event that stops the world is not used for this: the recorder had to guess it.
 */
static void note_pause(pairing *now, const collection_event *event, size_t record)
{
	world_stop *stop = find_stop(now, event->thread);

	if (stop != NULL && stop->thread == event->thread && stop->record == NONE)
		stop->record = record;
}

static void start_collection(collection_list *all, pairing *now, const collection_event *event)
{
	size_t former = find_collection(all, now, event);
	collection_record *record = &all->records[all->count];

	if (former != NONE && all->records[former].thread == event->thread)
		all->records[former].is_abandoned = !all->records[former].is_finished;
	memset(record, 0, sizeof(*record));
	record->is_counted = event->number == 0;
	record->number = event->number != 0 ? event->number : all->count + 1;
	record->thread = event->thread;
	record->generation = (uint32_t)event->value;
	record->start = event->counter;
	add_recent(now, all->count);
	note_pause(now, event, all->count);
	all->count++;
}

static void end_collection(collection_list *all, pairing *now, const collection_event *event)
{
	size_t found = find_collection(all, now, event);

	if (found == NONE || all->records[found].is_finished)
		return;
	all->records[found].duration = event->counter - all->records[found].start;
	all->records[found].is_finished = 1;
	note_pause(now, event, found);
}

static void start_phase(uint64_t *start, uint8_t *is_going_on, const collection_event *event)
{
	*start = event->counter;
	*is_going_on = 1;
}

static uint64_t end_phase(uint64_t start, uint8_t *is_going_on, const collection_event *event)
{
	uint64_t duration = *is_going_on ? event->counter - start : 0;

	*is_going_on = 0;
	return duration;
}

static void apply_phase(collection_list *all, const pairing *now, const collection_event *event)
{
	size_t found = find_collection(all, now, event);
	collection_record *record;

	/* Before the first collection, there are no records to point to. */
	if (found == NONE)
		return;
	record = &all->records[found];
	switch (event->kind) {
	case MPROF_EVENT_GC_MARK_START:
		start_phase(&record->mark_start, &record->is_marking, event);
		break;
	case MPROF_EVENT_GC_MARK_END:
		record->mark += end_phase(record->mark_start, &record->is_marking, event);
		break;
	case MPROF_EVENT_GC_SWEEP_START:
		start_phase(&record->sweep_start, &record->is_sweeping, event);
		break;
	default:
		record->sweep += end_phase(record->sweep_start, &record->is_sweeping, event);
		break;
	}
}

static void begin_pause(pairing *now, const collection_event *event)
{
	world_stop *stop = find_stop(now, event->thread);

	if (stop != NULL && stop->thread == event->thread)
		remove_stop(now, stop);
	if (now->stop_count == STOP_COUNT)
		remove_stop(now, &now->stops[0]);
	stop = &now->stops[now->stop_count++];
	stop->thread = event->thread;
	stop->start = event->counter;
	stop->record = NONE;
}

static void keep_stop(collection_list *all, const world_stop *stop, uint64_t end, uint8_t is_finished)
{
	all->stops[all->stop_count++] = (collection_stop){.thread = stop->thread,
							  .start = stop->start,
							  .end = end,
							  .record = stop->record,
							  .is_finished = is_finished};
}

static void end_pause(collection_list *all, pairing *now, const collection_event *event)
{
	world_stop *stop = find_stop(now, event->thread);

	if (stop == NULL)
		return;
	if (stop->record == NONE)
		stop->record = current_collection(all, now, event->thread);
	if (stop->record != NONE)
		all->records[stop->record].pause += event->counter - stop->start;
	keep_stop(all, stop, event->counter, 1);
	remove_stop(now, stop);
}

static void apply_event(collection_list *all, pairing *now, const collection_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_GC_START:
		start_collection(all, now, event);
		break;
	case MPROF_EVENT_GC_END:
		end_collection(all, now, event);
		break;
	case MPROF_EVENT_GC_RESIZE:
		all->resizes[all->resize_count].counter = event->counter;
		all->resizes[all->resize_count].number = event->number;
		all->resizes[all->resize_count++].bytes = event->value;
		break;
	/* The pause is the time from before the world is stopped until after it is started again. */
	case MPROF_EVENT_GC_STOP_WORLD_START:
		begin_pause(now, event);
		break;
	case MPROF_EVENT_GC_START_WORLD_END:
		end_pause(all, now, event);
		break;
	case MPROF_EVENT_GC_STOP_WORLD_END:
	case MPROF_EVENT_GC_START_WORLD_START:
		break;
	default:
		apply_phase(all, now, event);
	}
}

/*
 * The time covered by finished collections; time in two collections counts once. Records are in the order of their
 * starts.
 */
static uint64_t covered_time(const collection_list *all, uint64_t origin, const profile_window *window)
{
	uint64_t covered = 0;
	uint64_t reached = 0;
	int has_reached = 0;

	for (size_t i = 0; i < all->count; i++) {
		uint64_t start = window_clamp(window, all->records[i].start) - origin;
		uint64_t end = window_clamp(window, all->records[i].start + all->records[i].duration) - origin;

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

/* Compares times since the origin: differences of counters alone would not be an order if they are far apart. */
static int compare_stops(const void *left, const void *right)
{
	const collection_stop *a = left;
	const collection_stop *b = right;
	if (a->start != b->start)
		return (int64_t)a->start < (int64_t)b->start ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->end != b->end)
		return (int64_t)a->end < (int64_t)b->end ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static void move_stops(collection_list *all, uint64_t distance)
{
	for (size_t i = 0; i < all->stop_count; i++) {
		all->stops[i].start += distance;
		all->stops[i].end += distance;
	}
}

/*
 * Completes the list of stops: those that have not ended, and the collections that have none. Returns 0 if it was
 * stopped.
 */
static int complete_stops(collection_list *all, const pairing *now, uint64_t origin, progress *going)
{
	int is_sorted;

	for (size_t i = 0; i < now->stop_count; i++)
		keep_stop(all, &now->stops[i], now->stops[i].start, 0);
	for (size_t i = 0; i < all->stop_count; i++) {
		collection_stop *stop = &all->stops[i];

		if (stop->record == NONE)
			continue;
		stop->has_collection = 1;
		stop->number = all->records[stop->record].number;
		stop->generation = all->records[stop->record].generation;
		all->records[stop->record].has_stop = 1;
	}
	for (size_t i = 0; i < all->count; i++) {
		const collection_record *record = &all->records[i];

		if (!record->has_stop && !record->is_abandoned)
			all->stops[all->stop_count++] = (collection_stop){.thread = record->thread,
									  .start = record->start,
									  .end = record->start + record->duration,
									  .record = i,
									  .number = record->number,
									  .generation = record->generation,
									  .has_collection = 1,
									  .is_collection = 1,
									  .is_finished = record->is_finished};
	}
	move_stops(all, 0 - origin);
	is_sorted = sort_with_progress(all->stops, all->stop_count, sizeof(*all->stops), compare_stops, going);
	move_stops(all, origin);
	return is_sorted;
}

/* Removes everything that began outside the window. */
static void leave_out_others(collection_list *all, const profile_window *window)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++) {
		if (window_has_counter(window, all->records[i].start))
			all->records[kept++] = all->records[i];
	}
	all->count = kept;
	kept = 0;
	for (size_t i = 0; i < all->resize_count; i++) {
		if (window_has_counter(window, all->resizes[i].counter))
			all->resizes[kept++] = all->resizes[i];
	}
	all->resize_count = kept;
}

static void forget_records(collection_list *all)
{
	all->count = 0;
	all->resize_count = 0;
	all->stop_count = 0;
}

static int is_paired(const collection_list *all)
{
	return all->paired_count == all->event_count;
}

uint64_t collections_steps(const collection_list *all)
{
	return is_paired(all)
		       ? 0
		       : sort_steps(all->event_count) + all->event_count + sort_steps(all->started + all->stopped);
}

/* Returns 0 if it was stopped. */
static int pair_events(collection_list *all, uint64_t origin, progress *going)
{
	pairing now;

	forget_records(all);
	if (!sort_events(all, origin, going))
		return 0;
	memset(&now, 0, sizeof(now));
	for (size_t i = 0; i < all->event_count; i++) {
		if (!progress_step(going))
			return 0;
		apply_event(all, &now, &all->events[i]);
	}
	return complete_stops(all, &now, origin, going);
}

int collections_pair(collection_list *all, uint64_t origin, const profile_window *window, progress *going)
{
	if (!progress_begin(going, collections_steps(all)))
		return 0;
	if (is_paired(all) && all->paired_origin == origin)
		return 1;
	if (!pair_events(all, origin, going)) {
		forget_records(all);
		all->paired_count = SIZE_MAX;
		return 0;
	}
	all->time = covered_time(all, origin, window);
	leave_out_others(all, window);
	all->paired_count = all->event_count;
	all->paired_origin = origin;
	return 1;
}

void pauses_init(pause_list *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	all->allocator = *allocator;
}

void pauses_destroy(pause_list *all)
{
	allocator_release(&all->allocator, all->records, all->capacity * sizeof(*all->records));
	all->records = NULL;
	all->count = 0;
	all->capacity = 0;
}

static int compare_signed(uint64_t left, uint64_t right)
{
	return ((int64_t)left > (int64_t)right) - ((int64_t)left < (int64_t)right);
}

/* Compares times since the origin: differences of counters alone would not be an order if they are far apart. */
static int compare_pauses(const void *left, const void *right)
{
	const pause_record *a = left;
	const pause_record *b = right;
	int order = compare_signed(a->start, b->start);

	if (order == 0)
		order = compare_signed(b->end, a->end);
	if (order == 0)
		order = (a->thread > b->thread) - (a->thread < b->thread);
	if (order == 0)
		order = (a->kind > b->kind) - (a->kind < b->kind);
	return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

static void move_pauses(pause_list *all, uint64_t distance)
{
	for (size_t i = 0; i < all->count; i++) {
		all->records[i].start += distance;
		all->records[i].end += distance;
	}
}

/* Returns 0 if it was stopped. */
static int sort_pauses(pause_list *all, uint64_t origin, progress *going)
{
	int is_sorted;

	move_pauses(all, 0 - origin);
	is_sorted = sort_with_progress(all->records, all->count, sizeof(*all->records), compare_pauses, going);
	move_pauses(all, origin);
	return is_sorted;
}

/* Keeps a pause if a part of it is inside the window. */
static void add_pause(pause_list *all, const profile_window *window, const pause_record *pause)
{
	int is_inside = window_has_counter(window, pause->start) ||
			(int64_t)(window_clamp(window, pause->end) - window_clamp(window, pause->start)) > 0;

	if (is_inside)
		all->records[all->count++] = *pause;
}

static void add_stops(pause_list *all, const profile_window *window, const collection_list *collections,
		      uint64_t latest)
{
	for (size_t i = 0; i < collections->stop_count; i++) {
		const collection_stop *stop = &collections->stops[i];
		const pause_record pause = {.start = stop->start,
					    .end = stop->is_finished ? stop->end : latest,
					    .thread = stop->thread,
					    .number = stop->number,
					    .generation = stop->generation,
					    .kind = stop->is_collection ? MPROF_PAUSE_COLLECTION
									: MPROF_PAUSE_STOPPED_WORLD,
					    .is_unfinished = !stop->is_finished,
					    .has_collection = stop->has_collection};

		add_pause(all, window, &pause);
	}
}

static void add_wait(pause_list *all, const profile_window *window, const timeline_wait *wait, uint64_t thread,
		     uint64_t end, uint8_t is_unfinished)
{
	const pause_record pause = {.start = wait->start,
				    .end = end,
				    .thread = thread,
				    .kind = MPROF_PAUSE_WAIT,
				    .object = wait->object,
				    .holder = wait->holder,
				    .class_id = wait->class_id,
				    .stack = wait->stack,
				    .is_unfinished = is_unfinished};

	add_pause(all, window, &pause);
}

/* Lists all pauses. Waits are added last, so that those before are the stops. Returns the number of stops. */
static size_t list_pauses(pause_list *all, const timeline *slices, const thread_table *threads,
			  const collection_list *collections, uint64_t latest)
{
	size_t stops;

	all->count = 0;
	add_stops(all, slices->window, collections, latest);
	stops = all->count;
	for (size_t i = 0; i < slices->wait_count; i++)
		add_wait(all, slices->window, &slices->waits[i].wait, slices->waits[i].thread, slices->waits[i].end,
			 (uint8_t)slices->waits[i].is_unfinished);
	for (size_t i = 0; i < threads->count; i++) {
		const thread_record *thread = &threads->records[i];

		if (thread->wait.is_waiting)
			add_wait(all, slices->window, &thread->timeline.wait, thread->id, thread_end(thread, latest),
				 1);
	}
	return stops;
}

/*
 * Adds the stops to a thread, as far as it existed. The stops are in the order of their starts; time in two stops
 * counts once. Returns 0 if there is no memory or it was stopped.
 */
static int add_stopped_time(timeline *slices, timeline_row *row, const pause_record *stops, size_t count, uint64_t last,
			    progress *going)
{
	uint64_t reached = row->first;

	for (size_t i = 0; i < count; i++) {
		uint64_t start = stops[i].start;
		uint64_t end = stops[i].end;

		if (!progress_step(going))
			return 0;
		if (stops[i].kind != MPROF_PAUSE_STOPPED_WORLD)
			continue;
		if ((int64_t)(start - reached) < 0)
			start = reached;
		if ((int64_t)(end - last) > 0)
			end = last;
		if (!timeline_add(slices, row, TIMELINE_STOPPED, start, end))
			return 0;
		if ((int64_t)(end - reached) > 0)
			reached = end;
	}
	return 1;
}

static int add_open_time(timeline *slices, thread_record *thread, uint64_t latest)
{
	return thread->extension == 0 ||
	       timeline_add(slices, &thread->timeline, TIMELINE_OPEN, thread->last_counter, thread_end(thread, latest));
}

static int show_threads(const pause_list *all, size_t stops, timeline *slices, thread_table *threads, uint64_t latest,
			progress *going)
{
	for (size_t i = 0; i < threads->count; i++) {
		thread_record *thread = &threads->records[i];
		timeline_row *row = &thread->timeline;
		const int continues = thread->wait.is_waiting || thread->extension > 0;
		const uint64_t last = continues ? thread_end(thread, latest) : row->last;

		/* There are fewer slices than steps between two reports. */
		if (!progress_report(going))
			return 0;
		timeline_prepare_shown(slices, row);
		if (row->has_time && (!timeline_add(slices, row, TIMELINE_EXISTING, row->first, last) ||
				      !add_open_time(slices, thread, latest) ||
				      !add_stopped_time(slices, row, all->records, stops, last, going)))
			return 0;
	}
	for (size_t i = stops; i < all->count; i++) {
		size_t position = thread_map_find(&threads->positions, all->records[i].thread);

		if (!progress_step(going))
			return 0;
		if (position != THREAD_MAP_NONE &&
		    !timeline_add(slices, &threads->records[position].timeline, TIMELINE_WAITING, all->records[i].start,
				  all->records[i].end))
			return 0;
	}
	return 1;
}

uint64_t pauses_steps(const timeline *slices, const thread_table *threads, const collection_list *collections)
{
	const size_t stops = collections->started + collections->stopped;

	return threads->count * (PROGRESS_SPAN + (uint64_t)stops) + slices->wait_count + threads->count +
	       sort_steps(stops + slices->wait_count + threads->count);
}

int pauses_show(pause_list *all, timeline *slices, thread_table *threads, const collection_list *collections,
		uint64_t latest, progress *going)
{
	void *records = all->records;
	size_t stops;

	all->count = 0;
	if (!progress_begin(going, pauses_steps(slices, threads, collections)))
		return 0;
	for (size_t i = 0; i < threads->count; i++) {
		const timeline_row *row = &threads->records[i].timeline;

		if (row->has_time && (int64_t)(row->last - latest) > 0)
			latest = row->last;
	}
	if (!array_reserve(&all->allocator, &records, &all->capacity,
			   collections->stop_count + slices->wait_count + threads->count, sizeof(*all->records)))
		return 0;
	all->records = records;
	all->slice_count = timeline_count(slices, latest);
	stops = list_pauses(all, slices, threads, collections, latest);
	if (show_threads(all, stops, slices, threads, latest, going) && sort_pauses(all, slices->origin, going))
		return 1;
	all->count = 0;
	return 0;
}
