/* SPDX-License-Identifier: MIT */
/* Counts waits by kind, name and call site. */
#include "model/records/wait_list.h"

#include "base/checked.h"
#include "model/records/lists.h"

#include <string.h>

/* The waits of more call sites are counted together. */
#define MAX_RECORDS 65536

static uint64_t hash_of(const wait_list *all, const wait_record *record)
{
	const uint64_t hash = hash_key(all->numbers.seed, (uint64_t)record->stack << 32 | record->call);

	return hash_mix_text(hash_mix_text(hash, record->kind) + 1, record->name);
}

static uint64_t slot_hash(const void *owner, const void *slot)
{
	const wait_list *all = owner;

	return hash_of(all, &all->records[*(const uint32_t *)slot - 1]);
}

static int slot_matches(const void *owner, const void *slot, const void *searched)
{
	const uint32_t position = *(const uint32_t *)slot;
	const wait_record *wanted = searched;
	const wait_record *record;

	if (position == 0)
		return 0;
	record = &((const wait_list *)owner)->records[position - 1];
	return record->stack == wanted->stack && record->call == wanted->call &&
	       strcmp(record->kind, wanted->kind) == 0 && strcmp(record->name, wanted->name) == 0;
}

static const hash_index_type slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 16,
	.used_eighths = 4,
	.is_used = hash_index_has_position,
	.hash = slot_hash,
};

void wait_list_init(wait_list *all, memory_budget *budget)
{
	memset(all, 0, sizeof(*all));
	all->budget = budget;
	hash_index_init(&all->numbers, &budget->paths);
	call_durations_init(&all->durations, budget, 0);
}

void wait_list_destroy(wait_list *all)
{
	for (size_t i = 0; i < all->count; i++) {
		text_release(&all->budget->allocator, all->records[i].kind);
		text_release(&all->budget->allocator, all->records[i].name);
	}
	allocator_release(&all->budget->allocator, all->records, all->capacity * sizeof(*all->records));
	hash_index_destroy(&all->numbers, &slots);
	call_durations_destroy(&all->durations);
}

/* Returns the number of the new record plus 1, or 0 if \p allocator has no memory. */
static uint32_t add_record(wait_list *all, const mprof_allocator *allocator, const wait_record *record)
{
	wait_record added = *record;
	void *records = all->records;
	const int is_reserved = array_reserve(allocator, &records, &all->capacity, all->count + 1, sizeof(added));

	all->records = records;
	if (!is_reserved)
		return 0;
	if (!added.is_rest) {
		added.kind = text_copy(allocator, record->kind);
		added.name = added.kind != NULL ? text_copy(allocator, record->name) : NULL;
		if (added.name == NULL) {
			text_release(allocator, added.kind);
			return 0;
		}
	}
	all->records[all->count++] = added;
	return (uint32_t)all->count;
}

static uint32_t find_rest(wait_list *all)
{
	const wait_record rest = {.is_rest = 1};

	if (all->rest == 0)
		all->rest = add_record(all, &all->budget->allocator, &rest);
	return (uint32_t)all->rest;
}

uint32_t wait_list_find(wait_list *all, const meaning_event *known, uint32_t call, uint32_t counts)
{
	char kind[MEANING_TEXT_ROOM];
	char name[MEANING_TEXT_ROOM];
	wait_record wanted = {.kind = kind, .name = name};
	const uint32_t *slot;
	uint64_t hash;
	uint32_t number;

	meaning_event_copy(known, MEANING_KIND, kind);
	meaning_event_copy(known, MEANING_NAME, name);
	if (known->numbers[MEANING_STACK] <= UINT32_MAX)
		wanted.stack = (uint32_t)known->numbers[MEANING_STACK];
	wanted.call = wanted.stack == 0 ? call : 0;
	hash = hash_of(all, &wanted);
	slot = hash_index_find(&all->numbers, &slots, hash, slot_matches, all, &wanted);
	if (slot != NULL) {
		all->records[*slot - 1].begun += counts;
		return *slot;
	}
	number = 0;
	if (all->count < MAX_RECORDS && hash_index_reserve(&all->numbers, &slots, all))
		number = add_record(all, &all->budget->paths, &wanted);
	if (number != 0)
		*(uint32_t *)hash_index_take_slot(&all->numbers, &slots, hash) = number;
	else
		number = find_rest(all);
	if (number != 0)
		all->records[number - 1].begun += counts;
	return number;
}

int wait_list_end(wait_list *all, uint32_t number, uint64_t duration, uint32_t counts)
{
	all->records[number - 1].ended += counts;
	(void)call_durations_add(&all->durations, number, duration);
	return !all->durations.has_failed;
}
