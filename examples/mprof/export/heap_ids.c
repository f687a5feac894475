/* SPDX-License-Identifier: MIT */
/* Makes 32-bit IDs from the addresses of the objects of a heap snapshot. */
#include "export/heap_ids.h"

#include <string.h>

#define SEGMENT_BITS 24
#define UNIT_BITS 3
#define SEGMENT_UNITS_BITS (SEGMENT_BITS - UNIT_BITS)

/*
 * The slot that a segment has, or would get. Neighbouring segments have neighbouring slots, so only a heap that is
 * spread over more than 16 GiB of addresses has two segments that want the same one; the second one then takes the next
 * that is free, which depends on the other segments. Returns HEAP_IDS_SLOTS if no slot is free.
 */
static size_t find_slot(const heap_ids *ids, uint64_t segment)
{
	size_t first = segment % HEAP_IDS_SLOTS;

	for (size_t i = 0; i < HEAP_IDS_SLOTS; i++) {
		size_t slot = (first + i) % HEAP_IDS_SLOTS;

		if (ids->segments[slot] == 0 || ids->segments[slot] == segment + 1)
			return slot;
	}
	return HEAP_IDS_SLOTS;
}

static void use_order(heap_ids *ids)
{
	ids->is_by_order = 1;
	ids->is_stable = 0;
}

void heap_ids_init(heap_ids *ids, const heap_view *view)
{
	memset(ids, 0, sizeof(*ids));
	ids->is_stable = 1;
	for (uint32_t i = 0; i < view->totals.objects && !ids->is_by_order; i++) {
		uint64_t address = heap_view_object(view, i).address;
		uint64_t segment = address >> SEGMENT_BITS;
		size_t slot = find_slot(ids, segment);

		if (slot == HEAP_IDS_SLOTS || (address & ((1U << UNIT_BITS) - 1)) != 0) {
			use_order(ids);
		} else {
			ids->segments[slot] = segment + 1;
			if (slot != segment % HEAP_IDS_SLOTS)
				ids->is_stable = 0;
		}
	}
}

uint32_t heap_ids_get(const heap_ids *ids, uint32_t index, uint64_t address)
{
	uint32_t number = index;

	if (!ids->is_by_order) {
		uint32_t unit = (uint32_t)(address >> UNIT_BITS) & ((UINT32_C(1) << SEGMENT_UNITS_BITS) - 1);

		number = (uint32_t)find_slot(ids, address >> SEGMENT_BITS) << SEGMENT_UNITS_BITS | unit;
	}
	return number * 2 + 1;
}
