/* SPDX-License-Identifier: MIT */
/* Keeps offsets of blocks in order. Blocks are read in order except after seeks, so nearly all are appended. */
#include "reader/learned_blocks.h"

#include <string.h>

void learned_blocks_destroy(learned_blocks *blocks, const memory_budget *budget)
{
	allocator_release(&budget->allocator, blocks->offsets, blocks->capacity * sizeof(*blocks->offsets));
}

/* Returns the index of the first offset that is not below \p offset. */
static size_t first_from(const learned_blocks *blocks, uint64_t offset)
{
	size_t low = 0;
	size_t high = blocks->count;

	if (high == 0 || blocks->offsets[high - 1] < offset)
		return high;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (blocks->offsets[middle] < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int learned_blocks_has(const learned_blocks *blocks, uint64_t offset)
{
	const size_t index = first_from(blocks, offset);

	return index < blocks->count && blocks->offsets[index] == offset;
}

mprof_status learned_blocks_add(learned_blocks *blocks, memory_budget *budget, uint64_t offset)
{
	const size_t index = first_from(blocks, offset);
	void *offsets = blocks->offsets;
	mprof_status status;

	if (index < blocks->count && blocks->offsets[index] == offset)
		return MPROF_OK;
	status = memory_budget_reserve(budget, &offsets, &blocks->capacity, blocks->count + 1, sizeof(uint64_t));
	blocks->offsets = offsets;
	if (status != MPROF_OK)
		return status;
	memmove(blocks->offsets + index + 1, blocks->offsets + index, (blocks->count - index) * sizeof(uint64_t));
	blocks->offsets[index] = offset;
	blocks->count++;
	return MPROF_OK;
}
