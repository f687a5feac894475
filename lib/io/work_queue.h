/* SPDX-License-Identifier: MIT */
/**
 * \file io/work_queue.h
 * \brief Threads that work on numbered items for one owner: either work_queue_posix.c or work_queue_windows.c is built.
 *
 * All functions are called on the owner's thread. The function that works on an item runs on any thread, but for each
 * item on one at a time; what it writes is visible to the owner once the item is done.
 */
#ifndef IO_WORK_QUEUE_H
#define IO_WORK_QUEUE_H

#include "base/allocator.h"

typedef struct work_queue work_queue;

/** \p worker is 0 on the owner's thread, and on the others a number of their own up to their number. */
typedef void (*work_function)(void *user, size_t worker, size_t item);

/**
 * Creates a queue and up to \p thread_count threads, which block all signals and never call the allocator. Returns NULL
 * if memory or all threads are refused, and on Windows.
 */
work_queue *work_queue_create(const mprof_allocator *allocator, size_t thread_count, size_t item_count,
			      work_function work, void *user);

/** Waits for the items that are being worked on, and ends the threads. NULL does nothing. */
void work_queue_destroy(work_queue *queue);

/** Adds an item that is idle or done. Items are begun in the order in which they are added. */
void work_queue_add(work_queue *queue, size_t item);

/** As work_queue_add(), but the item is begun before those that are in the queue. */
void work_queue_add_first(work_queue *queue, size_t item);

/** Whether an item is idle or done. */
int work_queue_is_idle(work_queue *queue, size_t item);

/**
 * Waits until an item is done, working on others meanwhile. Returns 0 if no thread has begun it: it is then removed
 * from the queue.
 */
int work_queue_finish(work_queue *queue, size_t item);

/** Removes an item from the queue, or waits until it is done. It is idle then. */
void work_queue_cancel(work_queue *queue, size_t item);

/** Waits until no item is being worked on; no other is begun before work_queue_resume(). */
void work_queue_pause(work_queue *queue);
void work_queue_resume(work_queue *queue);

#endif
