/* SPDX-License-Identifier: MIT */
/* Decides which times and threads are inside the window. */
#include "model/window.h"

#include <string.h>

void window_init(profile_window *window, const mprof_allocator *allocator)
{
	memset(window, 0, sizeof(*window));
	window->end = WINDOW_OPEN;
	hash_map_init(&window->threads, allocator);
}

void window_destroy(profile_window *window)
{
	hash_map_destroy(&window->threads);
}

void window_bound(profile_window *window, uint64_t start, uint64_t end)
{
	window->is_bounded = 1;
	window->start = start;
	window->end = end > start ? end : start + 1;
}

int window_choose_thread(profile_window *window, uint64_t thread)
{
	window->has_threads = 1;
	return hash_map_put(&window->threads, thread, 1);
}
