/* SPDX-License-Identifier: MIT */
/* Counts the states of threads, and the time in them. */
#include "model/records/thread_states.h"

#include "base/checked.h"
#include "model/records/lists.h"

#include <string.h>

/* More states are counted together: a text that differs from event to event is no state. */
#define MAX_RECORDS 65536

static uint64_t hash_of(const thread_states *all, const thread_state_record *record)
{
	return hash_mix_text(hash_key(all->numbers.seed, record->thread), record->state);
}

static uint64_t slot_hash(const void *owner, const void *slot)
{
	const thread_states *all = owner;

	return hash_of(all, &all->records[*(const uint32_t *)slot - 1]);
}

static int slot_matches(const void *owner, const void *slot, const void *searched)
{
	const uint32_t position = *(const uint32_t *)slot;
	const thread_state_record *wanted = searched;
	const thread_state_record *record;

	if (position == 0)
		return 0;
	record = &((const thread_states *)owner)->records[position - 1];
	return record->thread == wanted->thread && strcmp(record->state, wanted->state) == 0;
}

static const hash_index_type slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 16,
	.used_eighths = 4,
	.is_used = hash_index_has_position,
	.hash = slot_hash,
};

void thread_states_init(thread_states *all, memory_budget *budget)
{
	memset(all, 0, sizeof(*all));
	all->budget = budget;
	hash_index_init(&all->numbers, &budget->paths);
}

void thread_states_destroy(thread_states *all)
{
	for (size_t i = 0; i < all->count; i++)
		text_release(&all->budget->allocator, all->records[i].state);
	allocator_release(&all->budget->allocator, all->records, all->capacity * sizeof(*all->records));
	hash_index_destroy(&all->numbers, &slots);
}

/* Returns the number of the new record plus 1, or 0 if \p allocator has no memory. */
static uint32_t add_record(thread_states *all, const mprof_allocator *allocator, const thread_state_record *record)
{
	thread_state_record added = *record;
	void *records = all->records;
	const int is_reserved = array_reserve(allocator, &records, &all->capacity, all->count + 1, sizeof(added));

	all->records = records;
	if (!is_reserved)
		return 0;
	if (!added.is_rest) {
		added.state = text_copy(allocator, record->state);
		if (added.state == NULL)
			return 0;
	}
	all->records[all->count++] = added;
	return (uint32_t)all->count;
}

static uint32_t find_record(thread_states *all, const thread_state_record *wanted)
{
	const thread_state_record rest = {.is_rest = 1};
	const uint64_t hash = hash_of(all, wanted);
	const uint32_t *slot = hash_index_find(&all->numbers, &slots, hash, slot_matches, all, wanted);
	uint32_t number = 0;

	if (slot != NULL)
		return *slot;
	if (all->count < MAX_RECORDS && hash_index_reserve(&all->numbers, &slots, all))
		number = add_record(all, &all->budget->paths, wanted);
	if (number != 0)
		*(uint32_t *)hash_index_take_slot(&all->numbers, &slots, hash) = number;
	else if (all->rest == 0)
		all->rest = add_record(all, &all->budget->allocator, &rest);
	return number != 0 ? number : all->rest;
}

/* A thread that is seen in one state after another gives its time to the former. */
static void pass_time(thread_states *all, const thread_state *now, uint64_t clamped)
{
	if (now->number != 0 && (int64_t)(clamped - now->since) > 0)
		all->records[now->number - 1].ended += clamped - now->since;
}

int thread_states_change(thread_states *all, thread_state *now, const meaning_event *known, uint64_t thread,
			 uint64_t clamped, uint32_t counts)
{
	const int has_state = known->texts[MEANING_STATE] != NULL;
	char state[MEANING_TEXT_ROOM];
	thread_state_record *record;

	if (meaning_event_has(known, MEANING_PRIORITY)) {
		now->has_priority = 1;
		now->priority = known->numbers[MEANING_PRIORITY];
	}
	/* One that states only a priority begins no state, unless nothing is known of the thread. */
	if (has_state || now->number == 0) {
		uint32_t number;

		meaning_event_copy(known, MEANING_STATE, state);
		number = find_record(all, &(thread_state_record){.thread = thread, .state = state});
		if (number == 0)
			return 0;
		pass_time(all, now, clamped);
		now->number = number;
		now->since = clamped;
		all->records[number - 1].count += counts;
	}
	record = &all->records[now->number - 1];
	if (now->has_priority && counts && !record->is_rest) {
		record->has_priority = 1;
		record->priority = now->priority;
	}
	return 1;
}

void thread_states_end(thread_states *all, thread_state *now, uint64_t clamped)
{
	pass_time(all, now, clamped);
	memset(now, 0, sizeof(*now));
}

void thread_states_begin_show(thread_states *all)
{
	for (size_t i = 0; i < all->count; i++)
		all->records[i].open = 0;
}

void thread_states_show_open(thread_states *all, const thread_state *now, uint64_t clamped)
{
	if (now->number != 0 && (int64_t)(clamped - now->since) > 0)
		all->records[now->number - 1].open += clamped - now->since;
}
