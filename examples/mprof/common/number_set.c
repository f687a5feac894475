/* SPDX-License-Identifier: MIT */
#include "common/number_set.h"

#include <stdlib.h>

/*
 * Finds the slot of a number, or the empty slot where it belongs. The hash depends on the address of the slots. An
 * author of a log cannot predict it, and so cannot choose numbers that all start at one slot, which would make each
 * search as long as the set.
 */
static uint64_t *find_slot(uint64_t *slots, size_t capacity, uint64_t number)
{
	const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t hash = (number ^ (uintptr_t)slots) * factor;
	size_t i = (size_t)((hash ^ hash >> 32) * factor >> 16) & (capacity - 1);

	while (slots[i] != 0 && slots[i] != number)
		i = (i + 1) & (capacity - 1);
	return &slots[i];
}

static int grow(number_set *set)
{
	size_t capacity = set->capacity > 0 ? set->capacity * 2 : 256;
	uint64_t *slots = calloc(capacity, sizeof(*slots));

	if (slots == NULL)
		return 0;
	for (size_t i = 0; i < set->capacity; i++) {
		if (set->slots[i] != 0)
			*find_slot(slots, capacity, set->slots[i]) = set->slots[i];
	}
	free(set->slots);
	set->slots = slots;
	set->capacity = capacity;
	return 1;
}

int number_set_add(number_set *set, uint64_t number)
{
	uint64_t *slot;

	if (number_set_has(set, number))
		return 0;
	if (number == 0) {
		set->has_zero = 1;
		set->count++;
		return 1;
	}
	if (set->count * 2 >= set->capacity && !grow(set))
		return -1;
	slot = find_slot(set->slots, set->capacity, number);
	*slot = number;
	set->count++;
	return 1;
}

int number_set_has(const number_set *set, uint64_t number)
{
	if (number == 0)
		return set->has_zero;
	return set->capacity > 0 && *find_slot(set->slots, set->capacity, number) == number;
}

void number_set_clear(number_set *set)
{
	free(set->slots);
	set->slots = NULL;
	set->capacity = 0;
	set->count = 0;
	set->has_zero = 0;
}
