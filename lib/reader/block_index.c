/* SPDX-License-Identifier: MIT */
/* Stores one entry for each block of the log, and finds blocks by offset, thread and counter. */
#include "reader/block_index.h"

#include "base/allocator.h"

#include <string.h>

void block_index_init(block_index *index, const mprof_allocator *allocator)
{
	memset(index, 0, sizeof(*index));
	index->allocator = *allocator;
	thread_map_init(&index->by_thread, allocator);
}

static void index_list_destroy(block_index *index, index_list *list)
{
	allocator_release(&index->allocator, list->entries, list->capacity * sizeof(*list->entries));
}

void block_index_destroy(block_index *index)
{
	for (size_t i = 0; i < index->thread_count; i++)
		index_list_destroy(index, &index->threads[i]);
	index_list_destroy(index, &index->all);
	allocator_release(&index->allocator, index->threads, index->thread_capacity * sizeof(*index->threads));
	allocator_release(&index->allocator, index->blocks, index->capacity * sizeof(*index->blocks));
	thread_map_destroy(&index->by_thread);
}

void block_index_clear(block_index *index)
{
	const mprof_allocator allocator = index->allocator;

	block_index_destroy(index);
	block_index_init(index, &allocator);
}

index_block block_index_describe(const mprof_block *block)
{
	index_block created = {.offset = block->offset, .length = block->length, .kind = block->kind};

	if (!block->loaded)
		return created;
	switch (block->kind) {
	case MPROF_BLOCK_EVENTS:
		created.thread = block->thread;
		created.start_counter = block->as.events.base_counter;
		created.end_counter = block->end.counter;
		break;
	case MPROF_BLOCK_SAMPLES:
	case MPROF_BLOCK_TYPED:
		created.thread = block->thread;
		created.start_counter = block->as.samples.base_counter;
		created.end_counter = block->end.counter;
		break;
	case MPROF_BLOCK_STATISTICAL:
		created.start_counter = block->as.statistical.start_counter;
		created.end_counter = block->as.statistical.end_counter;
		break;
	case MPROF_BLOCK_LOADED:
	case MPROF_BLOCK_UNLOADED:
		created.start_counter = block->as.element.start_counter;
		created.end_counter = block->as.element.end_counter;
		break;
	case MPROF_BLOCK_WATERMARK:
		created.start_counter = block->as.watermark.counter;
		created.end_counter = block->as.watermark.counter;
		break;
	case MPROF_BLOCK_MARK:
		created.thread = block->thread;
		created.start_counter = block->as.mark.counter;
		created.end_counter = block->as.mark.counter;
		break;
	default:
		created.start_counter = block->start.counter;
		created.end_counter = block->end.counter;
		break;
	}
	return created;
}

static int is_of_thread(const index_block *block)
{
	return block->kind == MPROF_BLOCK_EVENTS || block->kind == MPROF_BLOCK_SAMPLES ||
	       block->kind == MPROF_BLOCK_TYPED || block->kind == MPROF_BLOCK_MARK;
}

static int has_events(const index_block *block)
{
	return is_of_thread(block) || block->kind == MPROF_BLOCK_STATISTICAL || block->kind == MPROF_BLOCK_HEAP_DATA;
}

static int64_t relative_to_origin(const block_index *index, uint64_t counter)
{
	return (int64_t)(counter - index->origin);
}

static int index_list_reserve(block_index *index, index_list *list)
{
	void *entries = list->entries;
	int has_room =
		array_reserve(&index->allocator, &entries, &list->capacity, list->count + 1, sizeof(*list->entries));

	list->entries = entries;
	return has_room;
}

/* The caller has reserved memory for the entry. */
static void index_list_add(const block_index *index, index_list *list, const index_block *block)
{
	const int64_t before = list->count > 0 ? list->entries[list->count - 1].latest : INT64_MIN;
	const int64_t end = relative_to_origin(index, block->end_counter);

	list->entries[list->count++] = (index_list_entry){index->count, end > before ? end : before};
}

/* Returns the list of a thread, which is created if missing; NULL if out of memory. */
static index_list *find_list(block_index *index, uint64_t thread)
{
	const size_t position = thread_map_find(&index->by_thread, thread);
	void *threads = index->threads;
	int is_added;

	if (position != THREAD_MAP_NONE)
		return &index->threads[position];
	is_added = thread_map_add(&index->by_thread, thread, &threads, &index->thread_capacity, index->thread_count,
				  sizeof(*index->threads));
	index->threads = threads;
	if (!is_added)
		return NULL;
	return &index->threads[index->thread_count++];
}

static int add_to_lists(block_index *index, const index_block *block)
{
	index_list *list = is_of_thread(block) ? find_list(index, block->thread) : NULL;

	if (list == NULL && is_of_thread(block))
		return 0;
	if (!index_list_reserve(index, &index->all) || (list != NULL && !index_list_reserve(index, list)))
		return 0;
	index_list_add(index, &index->all, block);
	if (list != NULL)
		index_list_add(index, list, block);
	return 1;
}

int block_index_add(block_index *index, const index_block *block)
{
	void *blocks = index->blocks;

	if (!array_reserve(&index->allocator, &blocks, &index->capacity, index->count + 1, sizeof(*index->blocks)))
		return 0;
	index->blocks = blocks;
	/* INTRO is the first block and contains the clock at the start of the session. */
	if (index->count == 0)
		index->origin = block->start_counter;
	if (has_events(block) && !add_to_lists(index, block))
		return 0;
	index->blocks[index->count++] = *block;
	return 1;
}

size_t block_index_find(const block_index *index, uint64_t offset)
{
	size_t low = 0;
	size_t high = index->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (index->blocks[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < index->count && index->blocks[low].offset == offset ? low : SIZE_MAX;
}

uint32_t block_index_frames(const block_index *index, uint64_t offset)
{
	size_t number = offset < index->end ? block_index_find(index, offset) : SIZE_MAX;

	return number != SIZE_MAX ? index->blocks[number].frames : 0;
}

const index_list *block_index_thread(const block_index *index, uint64_t thread)
{
	const size_t position = thread_map_get(&index->by_thread, thread);

	if (thread == MPROF_THREAD_ANY)
		return &index->all;
	return position != THREAD_MAP_NONE ? &index->threads[position] : NULL;
}

size_t block_index_from(const block_index *index, const index_list *list, uint64_t counter)
{
	const int64_t wanted = relative_to_origin(index, counter);
	size_t low = 0;
	size_t high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->entries[middle].latest < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->count ? list->entries[low].number : SIZE_MAX;
}

int block_index_starts_after(const block_index *index, const index_block *block, uint64_t counter)
{
	return relative_to_origin(index, block->start_counter) > relative_to_origin(index, counter);
}

int block_index_ends_after(const block_index *index, const index_block *block, uint64_t counter)
{
	return relative_to_origin(index, block->end_counter) > relative_to_origin(index, counter);
}
