/* SPDX-License-Identifier: MIT */
#include "stream/block_index.h"

#include "base/array.h"

#include <string.h>

void block_index_init(block_index *index, const mprof_allocator *allocator)
{
	memset(index, 0, sizeof(*index));
	index->allocator = *allocator;
}

void block_index_destroy(block_index *index)
{
	allocator_release(&index->allocator, index->entries, index->capacity * sizeof(*index->entries));
	index->entries = NULL;
	index->capacity = 0;
	index->count = 0;
}

void block_index_clear(block_index *index)
{
	index->count = 0;
}

static void entry_set_counters(mprof_index_entry *entry, const mprof_block *block)
{
	switch (block->kind) {
	case MPROF_BLOCK_EVENTS:
	case MPROF_BLOCK_SAMPLES:
		entry->thread = block->thread;
		entry->start_counter = block->base_counter;
		entry->end_counter = block->end.counter;
		break;
	case MPROF_BLOCK_STATISTICAL:
	case MPROF_BLOCK_LOADED:
	case MPROF_BLOCK_UNLOADED:
		entry->start_counter = block->base_counter;
		entry->end_counter = block->end_counter;
		break;
	case MPROF_BLOCK_MARK:
		entry->thread = block->thread;
		entry->start_counter = block->base_counter;
		entry->end_counter = block->base_counter;
		break;
	default:
		entry->start_counter = block->start.counter;
		entry->end_counter = block->end.counter;
		break;
	}
}

int block_index_add(block_index *index, const mprof_block *block)
{
	void *entries = index->entries;
	mprof_index_entry *entry;

	if (!array_reserve(&index->allocator, &entries, &index->capacity, index->count + 1, sizeof(*index->entries)))
		return 0;
	index->entries = entries;
	entry = &index->entries[index->count++];
	memset(entry, 0, sizeof(*entry));
	entry->offset = block->offset;
	entry->length = block->length;
	entry->kind = block->kind;
	if (block->loaded)
		entry_set_counters(entry, block);
	return 1;
}
