/* SPDX-License-Identifier: MIT */
/* The getters for ages of objects and the history of the heap. */
#include "model/profile_internal.h"
#include "model/profile_table.h"

#include "base/options.h"

#include <string.h>

static int is_estimate(const mprof_profile *profile)
{
	const age_sums *sums = &profile->ages.state.sums;

	return profile->totals.lost_events > 0 || sums->missing_deaths > 0 || sums->untracked > 0 ||
	       sums->uncertain_moves > 0 || sums->folded.amounts[AGE_ALLOCATED].objects > 0 ||
	       profile->ages.lacks_classes || profile->totals.event_counts[MPROF_EVENT_RECORDING_RESUMED] > 0;
}

mprof_status mprof_profile_get_ages(const mprof_profile *profile, mprof_age_stats *stats)
{
	const age_sums *sums;
	const age_amount *amounts;
	mprof_age_stats made = {0};

	if (profile == NULL || stats == NULL)
		return MPROF_ERR_ARGUMENT;
	if (!profile->ages.is_enabled)
		return struct_copy_out(stats, &made, sizeof(made));
	sums = &profile->ages.state.sums;
	amounts = sums->all.amounts;
	made.allocations = amounts[AGE_ALLOCATED].objects;
	made.bytes = amounts[AGE_ALLOCATED].bytes;
	made.dead = amounts[AGE_DEAD].objects;
	made.dead_bytes = amounts[AGE_DEAD].bytes;
	made.live = amounts[AGE_LIVE].objects;
	made.live_bytes = amounts[AGE_LIVE].bytes;
	made.peak_live = amounts[AGE_PEAK].objects;
	made.peak_bytes = amounts[AGE_PEAK].bytes;
	made.peak_ns = sums->peak > 0 ? profile_clock_time(&profile->clock, sums->peak_counter) : 0;
	made.temporaries = amounts[AGE_TEMPORARY].objects;
	made.temporary_bytes = amounts[AGE_TEMPORARY].bytes;
	made.ages = object_ages_sum(&profile->ages, &sums->all);
	made.collections = sums->epoch;
	made.sample_interval = profile->ages.interval;
	made.without_address = sums->without_address;
	made.untracked = sums->untracked;
	made.folded = sums->folded.amounts[AGE_ALLOCATED].objects;
	made.deaths_read = sums->deaths_read;
	made.unmatched_deaths = sums->unmatched_deaths;
	made.missing_deaths = sums->missing_deaths;
	made.unmatched_moves = sums->unmatched_moves;
	made.uncertain_moves = sums->uncertain_moves;
	made.is_estimate = (uint32_t)is_estimate(profile);
	return struct_copy_out(stats, &made, sizeof(made));
}

size_t mprof_profile_get_age_class_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->ages.classes.count : 0;
}

static void store_age_class(const mprof_profile *profile, size_t index, void *row)
{
	mprof_age_class *made = row;
	const age_class *record = record_table_at(&profile->ages.classes, index);
	const age_amount *amounts = record->sums.amounts;

	made->class_id = record->id;
	made->sites = record->sites;
	made->allocations = amounts[AGE_ALLOCATED].objects;
	made->bytes = amounts[AGE_ALLOCATED].bytes;
	made->dead = amounts[AGE_DEAD].objects;
	made->dead_bytes = amounts[AGE_DEAD].bytes;
	made->live = amounts[AGE_LIVE].objects;
	made->live_bytes = amounts[AGE_LIVE].bytes;
	made->peak_live = amounts[AGE_PEAK].objects;
	made->peak_bytes = amounts[AGE_PEAK].bytes;
	made->temporaries = amounts[AGE_TEMPORARY].objects;
	made->temporary_bytes = amounts[AGE_TEMPORARY].bytes;
	made->ages = object_ages_sum(&profile->ages, &record->sums);
}

static const profile_table age_class_rows =
	PROFILE_TABLE(mprof_age_class, mprof_profile_get_age_class_count, store_age_class);

mprof_status mprof_profile_get_age_class(const mprof_profile *profile, size_t index, mprof_age_class *row)
{
	return profile_table_get(&age_class_rows, profile, index, row);
}

size_t mprof_profile_get_age_site_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->ages.state.site_count : 0;
}

static void store_amount(uint64_t *objects, uint64_t *bytes, const age_amount *amount)
{
	*objects = amount->objects;
	*bytes = amount->bytes;
}

static void store_estimate(uint64_t *objects, uint64_t *bytes, const allocation_estimate *estimate)
{
	*objects = allocation_estimate_round(estimate->objects);
	*bytes = allocation_estimate_round(estimate->bytes);
}

static void store_estimates(const mprof_profile *profile, size_t index, mprof_age_site *site)
{
	const allocation_estimate *amounts = profile->ages.state.estimates[index].amounts;
	const age_site *record = &profile->ages.state.sites[index];
	const allocation_estimate *peak = &amounts[record->peak == profile->ages.state.sums.peak ? AGE_PEAK : AGE_LIVE];

	site->samples = amounts[AGE_ALLOCATED].samples;
	store_estimate(&site->allocations, &site->bytes, &amounts[AGE_ALLOCATED]);
	store_estimate(&site->dead, &site->dead_bytes, &amounts[AGE_DEAD]);
	store_estimate(&site->live, &site->live_bytes, &amounts[AGE_LIVE]);
	store_estimate(&site->peak_live, &site->peak_bytes, peak);
	store_estimate(&site->temporaries, &site->temporary_bytes, &amounts[AGE_TEMPORARY]);
	site->allocations_error = allocation_estimate_error(amounts[AGE_ALLOCATED].objects_variance);
	site->bytes_error = allocation_estimate_error(amounts[AGE_ALLOCATED].bytes_variance);
	site->live_error = allocation_estimate_error(amounts[AGE_LIVE].objects_variance);
	site->live_bytes_error = allocation_estimate_error(amounts[AGE_LIVE].bytes_variance);
	site->peak_bytes_error = allocation_estimate_error(peak->bytes_variance);
	site->temporary_bytes_error = allocation_estimate_error(amounts[AGE_TEMPORARY].bytes_variance);
}

static void store_age_site(const mprof_profile *profile, size_t index, void *row)
{
	mprof_age_site *site = row;
	const object_ages *ages = &profile->ages;
	const site_key *key = &ages->keys.records[index].key;
	const age_site *record = &ages->state.sites[index];
	const age_amount peak = object_ages_peak(ages, record);

	site->class_id = key->class_id;
	site->stack = folded_stacks_id(&ages->stacks, key->stack);
	site->caller = key->detail;
	site->flags = (uint32_t)key->other;
	store_amount(&site->allocations, &site->bytes, &record->amounts[AGE_ALLOCATED]);
	store_amount(&site->dead, &site->dead_bytes, &record->amounts[AGE_DEAD]);
	store_amount(&site->live, &site->live_bytes, &record->amounts[AGE_LIVE]);
	store_amount(&site->peak_live, &site->peak_bytes, &peak);
	store_amount(&site->temporaries, &site->temporary_bytes, &record->amounts[AGE_TEMPORARY]);
	site->ages = object_ages_sum(ages, record);
	if (ages->interval != 0 && key->stack != 0)
		store_estimates(profile, index, site);
}

static const profile_table age_site_rows =
	PROFILE_TABLE(mprof_age_site, mprof_profile_get_age_site_count, store_age_site);

mprof_status mprof_profile_get_age_site(const mprof_profile *profile, size_t index, mprof_age_site *site)
{
	return profile_table_get(&age_site_rows, profile, index, site);
}

mprof_status mprof_profile_get_age_site_frames(const mprof_profile *profile, size_t index, mprof_stack_frame *frames,
					       size_t frame_size, size_t capacity, size_t *count)
{
	uint32_t stack;

	if (profile == NULL || count == NULL || (frames == NULL && capacity > 0) ||
	    frame_size < sizeof(mprof_stack_frame) || index >= mprof_profile_get_age_site_count(profile))
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	for (stack = profile->ages.keys.records[index].key.stack; stack != 0; ++*count) {
		mprof_stack_frame frame;

		stack = folded_stacks_frame(&profile->ages.stacks, stack, &frame);
		if (*count < capacity)
			memcpy((unsigned char *)frames + *count * frame_size, &frame, sizeof(frame));
	}
	return MPROF_OK;
}

/* The number of entries before the window. */
static size_t skipped_changes(const mprof_profile *profile)
{
	const age_state *state = &profile->ages.state;
	size_t skipped = 0;
	size_t end = state->sums.history_count;

	/* The entries are in the order of time. */
	while (skipped < end) {
		size_t middle = skipped + (end - skipped) / 2;

		if (profile->alive_window.is_bounded && state->history[middle].counter < profile->alive_window.start)
			skipped = middle + 1;
		else
			end = middle;
	}
	return skipped;
}

size_t mprof_profile_get_heap_change_count(const mprof_profile *profile)
{
	if (profile == NULL || !profile->ages.is_enabled)
		return 0;
	return profile->ages.state.sums.history_count - skipped_changes(profile) + 2;
}

static uint64_t rest_of(uint64_t before, uint64_t collected)
{
	return before > collected ? before - collected : 0;
}

/*
 * The heap before an entry, and what it freed. A resize is usually recorded during a collection, whose deaths follow in
 * the log; its heap is that without these.
 */
static void get_amounts(const age_state *state, size_t index, age_amount *before, age_amount *collected)
{
	const heap_change *change = &state->history[index];
	size_t collection = index;

	*before = change->before;
	*collected = change->collected;
	if (change->kind == MPROF_HEAP_CHANGE_COLLECTION)
		return;
	memset(collected, 0, sizeof(*collected));
	while (collection > 0 && state->history[collection].kind != MPROF_HEAP_CHANGE_COLLECTION)
		collection--;
	if (state->history[collection].kind != MPROF_HEAP_CHANGE_COLLECTION)
		return;
	before->objects =
		rest_of(before->objects, state->history[collection].collected.objects - change->collected.objects);
	before->bytes = rest_of(before->bytes, state->history[collection].collected.bytes - change->collected.bytes);
}

/* The start, whose heap is that after the entry before the window. */
static void store_start(const mprof_profile *profile, size_t skipped, mprof_heap_change_entry *entry)
{
	const profile_window *window = &profile->alive_window;
	age_amount before;
	age_amount collected;

	entry->kind = MPROF_HEAP_CHANGE_START;
	if (window->is_bounded && window->start > profile->clock.origin)
		entry->time_ns = profile_clock_time(&profile->clock, window->start);
	if (skipped == 0)
		return;
	get_amounts(&profile->ages.state, skipped - 1, &before, &collected);
	entry->objects_before = rest_of(before.objects, collected.objects);
	entry->bytes_before = rest_of(before.bytes, collected.bytes);
	entry->heap_bytes = profile->ages.state.history[skipped - 1].heap_bytes;
}

static void store_end(const mprof_profile *profile, mprof_heap_change_entry *entry)
{
	const age_sums *sums = &profile->ages.state.sums;
	const profile_window *window = &profile->alive_window;

	entry->kind = MPROF_HEAP_CHANGE_END;
	entry->time_ns = (int64_t)profile->totals.wall_ns;
	if (window->is_bounded && window->end != UINT64_MAX &&
	    profile_clock_time(&profile->clock, window->end) < entry->time_ns)
		entry->time_ns = profile_clock_time(&profile->clock, window->end);
	entry->objects_before = sums->heap.objects;
	entry->bytes_before = sums->heap.bytes;
	entry->heap_bytes = sums->heap_bytes;
}

static void store_heap_change(const mprof_profile *profile, size_t index, void *row)
{
	mprof_heap_change_entry *entry = row;
	size_t skipped = skipped_changes(profile);
	const heap_change *change;
	age_amount before;
	age_amount collected;

	if (index == 0) {
		store_start(profile, skipped, entry);
		return;
	}
	index += skipped - 1;
	if (index == profile->ages.state.sums.history_count) {
		store_end(profile, entry);
		return;
	}
	change = &profile->ages.state.history[index];
	entry->kind = change->kind;
	entry->generation = change->generation;
	entry->number = change->number;
	entry->time_ns = profile_clock_time(&profile->clock, change->counter);
	get_amounts(&profile->ages.state, index, &before, &collected);
	entry->objects_before = before.objects;
	entry->bytes_before = before.bytes;
	entry->collected_objects = collected.objects;
	entry->collected_bytes = collected.bytes;
	entry->heap_bytes = change->heap_bytes;
}

static const profile_table heap_change_rows =
	PROFILE_TABLE(mprof_heap_change_entry, mprof_profile_get_heap_change_count, store_heap_change);

mprof_status mprof_profile_get_heap_change(const mprof_profile *profile, size_t index, mprof_heap_change_entry *entry)
{
	return profile_table_get(&heap_change_rows, profile, index, entry);
}
