/* SPDX-License-Identifier: MIT */
/* Decides which times and threads are inside the window. */
#include "model/window.h"

#include <string.h>

void window_init(profile_window *window, const mprof_allocator *allocator)
{
	memset(window, 0, sizeof(*window));
	hash_map_init(&window->threads, allocator);
}

void window_destroy(profile_window *window)
{
	hash_map_destroy(&window->threads);
}

void window_bound(profile_window *window, uint64_t start, uint64_t end)
{
	window->is_bounded = start != 0 || end != 0;
	window->start = start;
	window->end = end != 0 ? end : UINT64_MAX;
}

int window_choose_thread(profile_window *window, uint64_t thread)
{
	window->has_threads = 1;
	return hash_map_put(&window->threads, thread, 1);
}
