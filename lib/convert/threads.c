/* SPDX-License-Identifier: MIT */
/* Keeps the state of each thread between its blocks. */
#include "convert/threads.h"

#include "base/array.h"

#include <string.h>

thread_state *converter_thread(mprof_converter *converter, uint64_t thread)
{
	const uint64_t *place = hash_map_get(&converter->thread_places, thread);
	void *threads = converter->threads;
	thread_state *made;

	if (place != NULL)
		return &converter->threads[*place];
	if (!array_reserve(&converter->allocator, &threads, &converter->thread_capacity, converter->thread_count + 1,
			   sizeof(*converter->threads)))
		return NULL;
	converter->threads = threads;
	if (!hash_map_put(&converter->thread_places, thread, converter->thread_count))
		return NULL;
	made = &converter->threads[converter->thread_count++];
	memset(made, 0, sizeof(*made));
	made->thread = thread;
	return made;
}
