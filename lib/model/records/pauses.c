/* SPDX-License-Identifier: MIT */
/* Lists pauses, and adds them to the slices of threads. */
#include "model/records/pauses.h"

#include "base/checked.h"
#include "base/sort.h"

#include <mprof/profile.h>

#include <string.h>

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
