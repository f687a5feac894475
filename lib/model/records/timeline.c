/* SPDX-License-Identifier: MIT */
/* Adds times to the slices of threads, and makes slices longer when a log outgrows them. */
#include "model/records/timeline.h"

#include "base/allocator.h"

#include <string.h>

void timeline_init(timeline *all, const mprof_allocator *allocator, const profile_window *window, uint32_t limit)
{
	memset(all, 0, sizeof(*all));
	all->allocator = *allocator;
	all->window = window;
	all->limit = limit;
}

void timeline_destroy(timeline *all)
{
	allocator_release(&all->allocator, all->waits, all->wait_capacity * sizeof(*all->waits));
	all->waits = NULL;
	all->wait_count = 0;
	all->wait_capacity = 0;
}

void timeline_release_row(timeline_row *row, const timeline *all)
{
	allocator_release(&all->allocator, row->slices, all->limit * sizeof(*row->slices));
	row->slices = NULL;
}

static int has_end(const timeline *all)
{
	return all->has_end;
}

void timeline_begin(timeline *all, uint64_t counter, int is_window_final)
{
	if (all->has_origin)
		return;
	all->has_origin = 1;
	all->log_start = counter;
	all->origin = window_clamp(all->window, counter);
	all->width = 1;
	all->has_end = is_window_final && all->window->is_bounded && all->window->end != WINDOW_OPEN;
	if (has_end(all) && all->window->end > all->origin) {
		uint64_t length = all->window->end - all->origin;

		all->width = length / all->limit + (length % all->limit != 0);
	}
}

void timeline_note(timeline_row *row, uint64_t counter)
{
	if (!row->has_time)
		row->first = row->last = counter;
	if ((int64_t)(counter - row->first) < 0)
		row->first = counter;
	if ((int64_t)(counter - row->last) > 0)
		row->last = counter;
	row->has_time = 1;
}

/*
 * Whether one counter is before another, both seen from the origin. Unlike a comparison of the two alone, this is an
 * order: of three counters that are far apart, each can be less than 2^63 after the one before. It is the order of
 * index_of(), so a row that is prepared for the later counter has a slice for the earlier one.
 */
static int is_before(const timeline *all, uint64_t first, uint64_t second)
{
	return (int64_t)(first - all->origin) < (int64_t)(second - all->origin);
}

/* The number of the slice of a counter; times before the start belong to the first one. */
static uint64_t index_of(const timeline *all, uint64_t counter)
{
	uint64_t since = counter - all->origin;
	uint64_t index = (int64_t)since > 0 ? since / all->width : 0;

	return has_end(all) && index >= all->limit ? all->limit - 1 : index;
}

uint64_t timeline_slice_end(const timeline *all, uint64_t counter)
{
	uint64_t index = index_of(all, counter);

	return has_end(all) && index + 1 == all->limit ? UINT64_MAX : all->origin + (index + 1) * all->width;
}

/* How much of the time from \p start to \p end, which is not empty, is in the slice of the start: never 0. */
static uint64_t length_in_slice(const timeline *all, uint64_t start, uint64_t end)
{
	uint64_t length = end - start;
	uint64_t index = index_of(all, start);
	uint64_t rest;

	if (has_end(all) && index + 1 == all->limit)
		return length;
	rest = all->origin + (index + 1) * all->width - start;
	return rest < length ? rest : length;
}

static void widen_until(timeline *all, uint64_t counter)
{
	while (index_of(all, counter) >= all->limit)
		all->width *= 2;
}

static void add_slice(timeline_slice *sum, const timeline_slice *added)
{
	sum->methods += added->methods;
	sum->cpu_ns += added->cpu_ns;
	sum->samples += added->samples;
	sum->waiting_samples += added->waiting_samples;
	sum->open += added->open;
	sum->existing += added->existing;
	sum->waiting += added->waiting;
	sum->stopped += added->stopped;
	sum->in_state += added->in_state;
	sum->running += added->running;
	sum->open_in_state += added->open_in_state;
	sum->open_running += added->open_running;
}

/* Makes one slice of each two. */
static void halve_row(const timeline *all, timeline_row *row)
{
	for (size_t i = 0; i < all->limit; i++) {
		timeline_slice slice = row->slices[i];

		memset(&row->slices[i], 0, sizeof(slice));
		add_slice(&row->slices[i / 2], &slice);
	}
	row->width *= 2;
}

/* Prepares a row for times up to \p counter. Returns 0 if there is no memory. */
static int prepare_row(timeline *all, timeline_row *row, uint64_t counter)
{
	widen_until(all, counter);
	if (row->slices == NULL) {
		row->slices = allocator_allocate_zeroed(&all->allocator, all->limit * sizeof(*row->slices));
		row->width = all->width;
	}
	while (row->slices != NULL && row->width < all->width)
		halve_row(all, row);
	return row->slices != NULL;
}

static uint64_t *field_of(timeline_slice *slice, timeline_field field)
{
	switch (field) {
	case TIMELINE_METHODS:
		return &slice->methods;
	case TIMELINE_OPEN:
		return &slice->open;
	case TIMELINE_EXISTING:
		return &slice->existing;
	case TIMELINE_WAITING:
		return &slice->waiting;
	case TIMELINE_IN_STATE:
		return &slice->in_state;
	case TIMELINE_RUNNING:
		return &slice->running;
	case TIMELINE_OPEN_IN_STATE:
		return &slice->open_in_state;
	case TIMELINE_OPEN_RUNNING:
		return &slice->open_running;
	default:
		return &slice->stopped;
	}
}

int timeline_add(timeline *all, timeline_row *row, timeline_field field, uint64_t start, uint64_t end)
{
	start = window_clamp(all->window, start);
	end = window_clamp(all->window, end);
	if (!is_before(all, start, end))
		return 1;
	if (!prepare_row(all, row, end - 1))
		return 0;
	while (start != end) {
		uint64_t part = length_in_slice(all, start, end);

		*field_of(&row->slices[index_of(all, start)], field) += part;
		start += part;
	}
	return 1;
}

/* A part of a number. The largest numbers are rounded up to 2^64, which is too large. */
static uint64_t part_of(uint64_t whole, double share)
{
	double part = (double)whole * share;

	return part < (double)whole ? (uint64_t)part : whole;
}

int timeline_add_cpu(timeline *all, timeline_row *row, uint64_t start, uint64_t end, uint64_t nanoseconds)
{
	const double length = (double)(end - start);
	uint64_t now = window_clamp(all->window, start);
	uint64_t before;

	if (!is_before(all, start, end) || !is_before(all, now, end) || is_before(all, now, start))
		return 1;
	if (!prepare_row(all, row, end - 1))
		return 0;
	/* Differences of rounded sums: the parts add up to the whole. */
	before = part_of(nanoseconds, (double)(now - start) / length);
	while (now != end) {
		timeline_slice *slice = &row->slices[index_of(all, now)];
		uint64_t after = nanoseconds;

		now += length_in_slice(all, now, end);
		if (now != end)
			after = part_of(nanoseconds, (double)(now - start) / length);
		slice->cpu_ns += after - before;
		before = after;
	}
	return 1;
}

int timeline_add_samples(timeline *all, timeline_row *row, uint64_t counter, uint64_t samples, int is_waiting)
{
	timeline_slice *slice;

	if (!prepare_row(all, row, counter))
		return 0;
	slice = &row->slices[index_of(all, counter)];
	slice->samples += samples;
	slice->waiting_samples += is_waiting ? samples : 0;
	return 1;
}

void timeline_scale_samples(const timeline *all, timeline_row *row, uint64_t factor)
{
	for (size_t i = 0; row->slices != NULL && i < all->limit; i++) {
		row->slices[i].samples *= factor;
		row->slices[i].waiting_samples *= factor;
	}
}

ended_wait *timeline_end_wait(timeline *all, const timeline_row *row, uint64_t thread, uint64_t end)
{
	void *waits = all->waits;
	ended_wait *wait;

	if (!array_reserve(&all->allocator, &waits, &all->wait_capacity, all->wait_count + 1, sizeof(*all->waits)))
		return NULL;
	all->waits = waits;
	wait = &all->waits[all->wait_count++];
	wait->wait = row->wait;
	wait->end = end;
	wait->thread = thread;
	wait->is_unfinished = 0;
	return wait;
}

void timeline_prepare_shown(const timeline *all, timeline_row *row)
{
	while (row->slices != NULL && row->width < all->width)
		halve_row(all, row);
	for (size_t i = 0; row->slices != NULL && i < all->limit; i++) {
		row->slices[i].open = 0;
		row->slices[i].existing = 0;
		row->slices[i].waiting = 0;
		row->slices[i].stopped = 0;
		row->slices[i].open_in_state = 0;
		row->slices[i].open_running = 0;
	}
}

size_t timeline_count(timeline *all, uint64_t latest)
{
	if (!all->has_origin)
		return 0;
	latest = has_end(all) ? all->window->end - 1 : window_clamp(all->window, latest);
	widen_until(all, latest);
	return (size_t)index_of(all, latest) + 1;
}
