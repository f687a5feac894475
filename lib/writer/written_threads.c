/* SPDX-License-Identifier: MIT */
/* Keeps the state at the end of the last EVENTS block of each thread. */
#include "writer/written_threads.h"

#include "base/checked.h"

#include <string.h>

void written_threads_init(written_threads *table, const mprof_allocator *allocator)
{
	memset(table, 0, sizeof(*table));
	table->allocator = *allocator;
	thread_map_init(&table->positions, allocator);
}

void written_threads_destroy(written_threads *table)
{
	thread_map_destroy(&table->positions);
	allocator_release(&table->allocator, table->threads, table->capacity * sizeof(*table->threads));
}

/* Adds a thread, which becomes the current one. NULL if out of memory. */
static written_thread *add_written_thread(written_threads *table, uint64_t thread)
{
	void *threads = table->threads;
	int is_added = thread_map_add(&table->positions, thread, &threads, &table->capacity, table->count,
				      sizeof(*table->threads));

	table->threads = threads;
	if (!is_added)
		return NULL;
	table->current = table->count++;
	return &table->threads[table->current];
}

written_thread *written_threads_begin(written_threads *table, uint64_t thread)
{
	const size_t position = thread_map_find(&table->positions, thread);

	if (position == THREAD_MAP_NONE)
		return add_written_thread(table, thread);
	table->current = position;
	return &table->threads[table->current];
}
