/* SPDX-License-Identifier: MIT */
/* Threads that work on numbered items. */
#include "io/work_queue.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

/* The number of the owner's thread. */
#define OWNER 0

typedef enum item_state {
	ITEM_IDLE, /* Or done. */
	ITEM_QUEUED,
	ITEM_RUNNING
} item_state;

typedef struct work_item {
	item_state state;
	uint64_t order; /* Of items that are queued, the one with the least order is begun first. */
} work_item;

struct work_queue {
	mprof_allocator allocator;
	work_function work;
	void *user;
	pthread_t *threads;
	size_t thread_capacity; /* Of threads. */
	size_t thread_count;    /* Threads that were created. */
	uint64_t added;         /* Items that were added; only the owner uses it. */

	/* The lock protects what follows, and publishes what was written during the work on an item. */
	pthread_mutex_t lock;
	pthread_cond_t has_work; /* Threads wait here for items. */
	pthread_cond_t has_done; /* The owner waits here until an item is done. */
	int owner_waits;
	size_t numbered_threads; /* Threads that have a number. */
	size_t idle_threads;     /* That wait for has_work. */
	int is_paused;
	int is_ending;
	size_t running;
	size_t item_count;
	work_item items[];
};

static size_t queue_size(size_t item_count)
{
	return sizeof(work_queue) + item_count * sizeof(work_item);
}

/* Returns the item to begin next, or item_count if there is none. There are few items, so all of them are examined. */
static size_t next_item(const work_queue *queue)
{
	size_t first = queue->item_count;

	for (size_t i = 0; i < queue->item_count && !queue->is_paused; i++) {
		if (queue->items[i].state == ITEM_QUEUED &&
		    (first == queue->item_count || queue->items[i].order < queue->items[first].order))
			first = i;
	}
	return first;
}

/* Works on an item. Called with the lock held, which is released meanwhile. */
static void run_item(work_queue *queue, size_t worker, size_t item)
{
	queue->items[item].state = ITEM_RUNNING;
	queue->running++;
	pthread_mutex_unlock(&queue->lock);
	queue->work(queue->user, worker, item);
	pthread_mutex_lock(&queue->lock);
	queue->running--;
	queue->items[item].state = ITEM_IDLE;
	if (queue->owner_waits)
		pthread_cond_signal(&queue->has_done);
}

static void *thread_main(void *argument)
{
	work_queue *queue = argument;
	size_t worker;

	pthread_mutex_lock(&queue->lock);
	worker = ++queue->numbered_threads;
	while (!queue->is_ending) {
		const size_t item = next_item(queue);

		if (item < queue->item_count) {
			run_item(queue, worker, item);
			continue;
		}
		queue->idle_threads++;
		pthread_cond_wait(&queue->has_work, &queue->lock);
		queue->idle_threads--;
	}
	pthread_mutex_unlock(&queue->lock);
	return NULL;
}

static void wait_for_done(work_queue *queue)
{
	queue->owner_waits = 1;
	pthread_cond_wait(&queue->has_done, &queue->lock);
	queue->owner_waits = 0;
}

static void start_threads(work_queue *queue)
{
	sigset_t all;
	sigset_t before;

	/* The new threads inherit the mask: signals are handled by threads of the program. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (queue->thread_count < queue->thread_capacity &&
	       pthread_create(&queue->threads[queue->thread_count], NULL, thread_main, queue) == 0) {
#if defined(__GLIBC__)
		pthread_setname_np(queue->threads[queue->thread_count], "mprof-reader");
#endif
		queue->thread_count++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

work_queue *work_queue_create(const mprof_allocator *allocator, size_t thread_count, size_t item_count,
			      work_function work, void *user)
{
	work_queue *queue = allocator_allocate_zeroed(allocator, queue_size(item_count));

	if (queue == NULL)
		return NULL;
	queue->allocator = *allocator;
	queue->work = work;
	queue->user = user;
	queue->item_count = item_count;
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->has_work, NULL);
	pthread_cond_init(&queue->has_done, NULL);
	queue->threads = allocator_allocate(allocator, thread_count * sizeof(*queue->threads));
	if (queue->threads != NULL) {
		queue->thread_capacity = thread_count;
		start_threads(queue);
	}
	if (queue->thread_count > 0)
		return queue;
	work_queue_destroy(queue);
	return NULL;
}

void work_queue_destroy(work_queue *queue)
{
	mprof_allocator allocator;

	if (queue == NULL)
		return;
	pthread_mutex_lock(&queue->lock);
	queue->is_ending = 1;
	pthread_cond_broadcast(&queue->has_work);
	pthread_mutex_unlock(&queue->lock);
	for (size_t i = 0; i < queue->thread_count; i++)
		pthread_join(queue->threads[i], NULL);
	pthread_cond_destroy(&queue->has_done);
	pthread_cond_destroy(&queue->has_work);
	pthread_mutex_destroy(&queue->lock);
	allocator = queue->allocator;
	allocator_release(&allocator, queue->threads, queue->thread_capacity * sizeof(*queue->threads));
	allocator_release(&allocator, queue, queue_size(queue->item_count));
}

static void add_item(work_queue *queue, size_t item, uint64_t order)
{
	int is_awaited;

	pthread_mutex_lock(&queue->lock);
	queue->items[item].state = ITEM_QUEUED;
	queue->items[item].order = order;
	is_awaited = queue->idle_threads > 0;
	pthread_mutex_unlock(&queue->lock);
	/* After the unlock, or the thread that wakes up would wait for the lock first. */
	if (is_awaited)
		pthread_cond_signal(&queue->has_work);
}

void work_queue_add(work_queue *queue, size_t item)
{
	add_item(queue, item, ++queue->added);
}

void work_queue_add_first(work_queue *queue, size_t item)
{
	add_item(queue, item, 0);
}

int work_queue_is_idle(work_queue *queue, size_t item)
{
	int is_idle;

	pthread_mutex_lock(&queue->lock);
	is_idle = queue->items[item].state == ITEM_IDLE;
	pthread_mutex_unlock(&queue->lock);
	return is_idle;
}

int work_queue_finish(work_queue *queue, size_t item)
{
	work_item *wanted = &queue->items[item];
	int is_done;

	pthread_mutex_lock(&queue->lock);
	is_done = wanted->state != ITEM_QUEUED;
	wanted->state = is_done ? wanted->state : ITEM_IDLE;
	while (wanted->state == ITEM_RUNNING) {
		const size_t other = next_item(queue);

		if (other < queue->item_count)
			run_item(queue, OWNER, other);
		else
			wait_for_done(queue);
	}
	pthread_mutex_unlock(&queue->lock);
	return is_done;
}

void work_queue_cancel(work_queue *queue, size_t item)
{
	work_item *wanted = &queue->items[item];

	pthread_mutex_lock(&queue->lock);
	if (wanted->state == ITEM_QUEUED)
		wanted->state = ITEM_IDLE;
	while (wanted->state == ITEM_RUNNING)
		wait_for_done(queue);
	pthread_mutex_unlock(&queue->lock);
}

void work_queue_pause(work_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->is_paused = 1;
	while (queue->running > 0)
		wait_for_done(queue);
	pthread_mutex_unlock(&queue->lock);
}

void work_queue_resume(work_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->is_paused = 0;
	if (queue->idle_threads > 0)
		pthread_cond_broadcast(&queue->has_work);
	pthread_mutex_unlock(&queue->lock);
}
