/* SPDX-License-Identifier: MIT */
/* Keeps the state at the end of the last EVENTS block of each thread. */
#include "writer/written_threads.h"

#include "base/array.h"

#include <string.h>

void written_threads_init(written_threads *table, const mprof_allocator *allocator)
{
	memset(table, 0, sizeof(*table));
	table->allocator = *allocator;
	hash_map_init(&table->places, allocator);
}

void written_threads_destroy(written_threads *table)
{
	hash_map_destroy(&table->places);
	allocator_release(&table->allocator, table->threads, table->capacity * sizeof(*table->threads));
}

/* Adds a thread. */
static written_thread *thread_add(written_threads *table, uint64_t thread)
{
	void *threads = table->threads;
	int reserved =
		array_reserve(&table->allocator, &threads, &table->capacity, table->count + 1, sizeof(*table->threads));

	table->threads = threads;
	if (!reserved || !hash_map_put(&table->places, thread, table->count))
		return NULL;
	table->current = table->count++;
	memset(&table->threads[table->current], 0, sizeof(*table->threads));
	return &table->threads[table->current];
}

written_thread *written_threads_begin(written_threads *table, uint64_t thread)
{
	const uint64_t *place = hash_map_get(&table->places, thread);

	if (place == NULL)
		return thread_add(table, thread);
	table->current = (size_t)*place;
	return &table->threads[table->current];
}
