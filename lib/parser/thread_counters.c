/* SPDX-License-Identifier: MIT */
/* Keeps the last counter of each thread, from which its next EVENTS block may continue. */
#include "parser/thread_counters.h"

#include "base/checked.h"

#include <string.h>

/*
 * Maximum number of threads that are kept, far more than run at once. When a log exceeds it, all are discarded, so that
 * memory stays bounded.
 */
#define MAX_THREADS 65536

/*
 * Maximum number of starts that are kept. If a log has more such blocks, the others start from their base counter when
 * they are read out of order.
 */
#define MAX_STARTS 65536

void thread_counters_init(thread_counters *counters, const mprof_allocator *allocator)
{
	memset(counters, 0, sizeof(*counters));
	counters->allocator = *allocator;
	thread_map_init(&counters->positions, allocator);
	counters->is_complete = 1;
}

void thread_counters_destroy(thread_counters *counters)
{
	thread_map_destroy(&counters->positions);
	allocator_release(&counters->allocator, counters->threads,
			  counters->thread_capacity * sizeof(*counters->threads));
	allocator_release(&counters->allocator, counters->starts, counters->start_capacity * sizeof(*counters->starts));
}

static void discard_threads(thread_counters *counters)
{
	thread_map_destroy(&counters->positions);
	counters->thread_count = 0;
	counters->is_complete = 0;
}

/* Records that no block before this offset is an EVENTS block, provided that all of the log so far was read. */
static void extend_blocks_without_events(thread_counters *counters, uint64_t offset)
{
	if (counters->is_complete && !counters->has_first && offset > counters->first_offset)
		counters->first_offset = offset;
}

/* Records an EVENTS block. It is the first one of the log if there was none before and no block was missed. */
static void record_events_block(thread_counters *counters, uint64_t offset)
{
	extend_blocks_without_events(counters, offset);
	counters->has_first |= counters->is_complete;
}

void thread_counters_miss(thread_counters *counters, uint64_t offset)
{
	record_events_block(counters, offset);
	counters->is_complete = 0;
}

void thread_counters_jump(thread_counters *counters, uint64_t from, uint64_t to)
{
	extend_blocks_without_events(counters, from);
	discard_threads(counters);
	counters->is_complete = to <= counters->first_offset;
}

/* Returns the index of the start of the block at this offset, or the index at which it would be inserted. */
static size_t start_index(const thread_counters *counters, uint64_t offset)
{
	size_t low = 0;
	size_t high = counters->start_count;

	/* Blocks are mostly read in order. */
	if (high > 0 && counters->starts[high - 1].offset < offset)
		return high;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (counters->starts[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const block_start *start_find(const thread_counters *counters, uint64_t offset)
{
	size_t index = start_index(counters, offset);

	if (index == counters->start_count || counters->starts[index].offset != offset)
		return NULL;
	return &counters->starts[index];
}

/* Stores the counter that a block starts from. Returns 0 if out of memory. */
static int start_put(thread_counters *counters, uint64_t offset, uint64_t counter)
{
	size_t index = start_index(counters, offset);
	void *starts = counters->starts;
	int reserved;

	if (counters->start_count >= MAX_STARTS)
		return 1;
	reserved = array_reserve(&counters->allocator, &starts, &counters->start_capacity, counters->start_count + 1,
				 sizeof(*counters->starts));
	counters->starts = starts;
	if (!reserved)
		return 0;
	memmove(&counters->starts[index + 1], &counters->starts[index],
		(counters->start_count - index) * sizeof(*counters->starts));
	counters->starts[index].offset = offset;
	counters->starts[index].counter = counter;
	counters->start_count++;
	return 1;
}

/* Adds a thread. Returns 0 if out of memory. */
static int add_thread_counter(thread_counters *counters, uint64_t thread)
{
	void *threads = counters->threads;
	int is_added;

	if (counters->thread_count == MAX_THREADS)
		discard_threads(counters);
	is_added = thread_map_add(&counters->positions, thread, &threads, &counters->thread_capacity,
				  counters->thread_count, sizeof(*counters->threads));
	counters->threads = threads;
	if (!is_added)
		return 0;
	counters->current = counters->thread_count++;
	return 1;
}

int thread_counters_begin(thread_counters *counters, uint64_t offset, uint64_t thread, uint64_t base, uint64_t *start)
{
	const size_t position = thread_map_find(&counters->positions, thread);
	const block_start *known = start_find(counters, offset);
	thread_counter *current;

	*start = base;
	if (known != NULL)
		*start = known->counter;
	else if (position != THREAD_MAP_NONE && counters->threads[position].base == base)
		*start = counters->threads[position].reached;
	if (counters->is_complete && known == NULL && *start != base && !start_put(counters, offset, *start))
		return 0;
	if (position != THREAD_MAP_NONE)
		counters->current = position;
	else if (!add_thread_counter(counters, thread))
		return 0;
	record_events_block(counters, offset);
	current = &counters->threads[counters->current];
	current->base = base;
	current->reached = *start;
	return 1;
}

void thread_counters_end(thread_counters *counters, uint64_t reached)
{
	counters->threads[counters->current].reached = reached;
}
