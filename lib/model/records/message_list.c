/* SPDX-License-Identifier: MIT */
/* Counts messages by severity and source. */
#include "model/records/message_list.h"

#include "base/checked.h"
#include "model/records/lists.h"

#include <string.h>

/* More sources are no list that somebody reads: their messages are counted together. */
#define MAX_RECORDS 4096

/* Fatal. Others are not known. */
#define MAX_SEVERITY 6

#define NONE SIZE_MAX

static uint64_t hash_of(const message_list *all, const message_record *record)
{
	return hash_mix_text(hash_key(all->numbers.seed, record->severity), record->source);
}

static uint64_t slot_hash(const void *owner, const void *slot)
{
	const message_list *all = owner;

	return hash_of(all, &all->records[*(const uint32_t *)slot - 1]);
}

static int slot_matches(const void *owner, const void *slot, const void *searched)
{
	const uint32_t position = *(const uint32_t *)slot;
	const message_record *wanted = searched;
	const message_record *record;

	if (position == 0)
		return 0;
	record = &((const message_list *)owner)->records[position - 1];
	return record->severity == wanted->severity && strcmp(record->source, wanted->source) == 0;
}

static const hash_index_type slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 16,
	.used_eighths = 4,
	.is_used = hash_index_has_position,
	.hash = slot_hash,
};

void message_list_init(message_list *all, memory_budget *budget)
{
	memset(all, 0, sizeof(*all));
	all->budget = budget;
	hash_index_init(&all->numbers, &budget->paths);
}

void message_list_destroy(message_list *all)
{
	for (size_t i = 0; i < all->count; i++) {
		text_release(&all->budget->allocator, all->records[i].source);
		text_release(&all->budget->allocator, all->records[i].text);
	}
	allocator_release(&all->budget->allocator, all->records, all->capacity * sizeof(*all->records));
	hash_index_destroy(&all->numbers, &slots);
}

/* Adds a record. Returns its number, or NONE if \p allocator has no memory. */
static size_t add_record(message_list *all, const mprof_allocator *allocator, const message_record *record,
			 const char *text)
{
	message_record added = *record;
	void *records = all->records;
	const int is_reserved = array_reserve(allocator, &records, &all->capacity, all->count + 1, sizeof(added));

	all->records = records;
	if (!is_reserved)
		return NONE;
	if (!added.is_rest)
		added.source = text_copy(allocator, record->source);
	added.text = text[0] != '\0' ? text_copy(allocator, text) : NULL;
	if ((added.source == NULL && !added.is_rest) || (added.text == NULL && text[0] != '\0')) {
		text_release(allocator, added.source);
		text_release(allocator, added.text);
		return NONE;
	}
	all->records[all->count++] = added;
	return all->count - 1;
}

/* Finds or adds the record of a severity and a source; NONE if it is counted with the rest. */
static size_t find_record(message_list *all, const message_record *wanted, const char *text)
{
	const uint64_t hash = hash_of(all, wanted);
	const uint32_t *slot = hash_index_find(&all->numbers, &slots, hash, slot_matches, all, wanted);
	size_t number;

	if (slot != NULL)
		return *slot - 1;
	if (all->count >= MAX_RECORDS || !hash_index_reserve(&all->numbers, &slots, all))
		return NONE;
	number = add_record(all, &all->budget->paths, wanted, text);
	if (number != NONE)
		*(uint32_t *)hash_index_take_slot(&all->numbers, &slots, hash) = (uint32_t)number + 1;
	return number;
}

static int add_rest(message_list *all, const char *text)
{
	const message_record rest = {.is_rest = 1};
	const size_t number = add_record(all, &all->budget->allocator, &rest, text);

	all->rest = number != NONE ? number + 1 : 0;
	return number != NONE;
}

int message_list_add(message_list *all, const meaning_event *known, uint64_t counter, uint64_t thread)
{
	char source[MEANING_TEXT_ROOM];
	char text[MEANING_TEXT_ROOM];
	message_record wanted = {.source = source};
	message_record *record;
	size_t number;

	meaning_event_copy(known, MEANING_SOURCE, source);
	meaning_event_copy(known, MEANING_MESSAGE, text);
	if (known->numbers[MEANING_SEVERITY] <= MAX_SEVERITY)
		wanted.severity = (uint32_t)known->numbers[MEANING_SEVERITY];
	number = find_record(all, &wanted, text);
	if (number == NONE && all->rest == 0 && !add_rest(all, text))
		return 0;
	record = &all->records[number != NONE ? number : all->rest - 1];
	/* Blocks of several threads are in no order of time. */
	if (record->count == 0 || counter < record->first) {
		record->first = counter;
		record->thread = thread;
	}
	if (record->count == 0 || counter > record->last)
		record->last = counter;
	record->count++;
	return 1;
}
