/* SPDX-License-Identifier: MIT */
/* On Windows and in WebAssembly no threads are created, so there is never a queue. */
#include "io/work_queue.h"

work_queue *work_queue_create(const mprof_allocator *allocator, size_t thread_count, size_t item_count,
			      work_function work, void *user)
{
	(void)allocator;
	(void)thread_count;
	(void)item_count;
	(void)work;
	(void)user;
	return NULL;
}

void work_queue_destroy(work_queue *queue)
{
	(void)queue;
}

void work_queue_add(work_queue *queue, size_t item)
{
	(void)queue;
	(void)item;
}

void work_queue_add_first(work_queue *queue, size_t item)
{
	(void)queue;
	(void)item;
}

int work_queue_is_idle(work_queue *queue, size_t item)
{
	(void)queue;
	(void)item;
	return 1;
}

int work_queue_finish(work_queue *queue, size_t item)
{
	(void)queue;
	(void)item;
	return 0;
}

void work_queue_cancel(work_queue *queue, size_t item)
{
	(void)queue;
	(void)item;
}

void work_queue_pause(work_queue *queue)
{
	(void)queue;
}

void work_queue_resume(work_queue *queue)
{
	(void)queue;
}
