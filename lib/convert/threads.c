/* SPDX-License-Identifier: MIT */
/* Keeps the state of each thread between its blocks. */
#include "convert/threads.h"

thread_state *converter_thread(mprof_converter *converter, uint64_t thread)
{
	const size_t position = thread_map_find(&converter->thread_positions, thread);
	void *threads = converter->threads;
	thread_state *made;
	int is_added;

	if (position != THREAD_MAP_NONE)
		return &converter->threads[position];
	is_added = thread_map_add(&converter->thread_positions, thread, &threads, &converter->thread_capacity,
				  converter->thread_count, sizeof(*converter->threads));
	converter->threads = threads;
	if (!is_added)
		return NULL;
	made = &converter->threads[converter->thread_count++];
	made->thread = thread;
	return made;
}
