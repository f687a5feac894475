/* SPDX-License-Identifier: MIT */
/* Creates the locks of a recorder, and wakes threads that wait for a buffer. */
#include "recorder/shared.h"

#include <string.h>
#include <time.h>

int recorder_init_locks(recorder_shared *shared)
{
	return sem_init(&shared->work, 0, 0) == 0 && pthread_mutex_init(&shared->wait_lock, NULL) == 0 &&
	       pthread_cond_init(&shared->buffers_free, NULL) == 0 &&
	       pthread_mutex_init(&shared->threads_lock, NULL) == 0 &&
	       pthread_mutex_init(&shared->state_lock, NULL) == 0 && pthread_cond_init(&shared->drained, NULL) == 0;
}

void recorder_destroy_locks(recorder_shared *shared)
{
	sem_destroy(&shared->work);
	pthread_mutex_destroy(&shared->wait_lock);
	pthread_cond_destroy(&shared->buffers_free);
	pthread_mutex_destroy(&shared->threads_lock);
	pthread_mutex_destroy(&shared->state_lock);
	pthread_cond_destroy(&shared->drained);
}

int recorder_in_child(const recorder_shared *shared)
{
	return fork_guard_is_child(&shared->origin);
}

int recorder_on_writer_thread(const recorder_shared *shared)
{
	return atomic_load_explicit(&shared->writer_self, memory_order_relaxed) == pthread_self();
}

int recorder_name_is_writable(const recorder_shared *shared, const char *name, size_t length)
{
	return length <= shared->max_name_length && (length == 0 || memchr(name, '\0', length) == NULL);
}

void recorder_read_clock(void *user, mprof_clock *now)
{
	const recorder_shared *shared = user;
	struct timespec wall;

	now->counter = counter_read(&shared->counter);
	clock_gettime(CLOCK_REALTIME, &wall);
	now->time = (uint64_t)wall.tv_sec * 1000000 + (uint64_t)wall.tv_nsec / 1000;
}

mprof_thread *recorder_threads(recorder_shared *shared)
{
	mprof_thread *newest;

	pthread_mutex_lock(&shared->threads_lock);
	newest = shared->threads;
	pthread_mutex_unlock(&shared->threads_lock);
	return newest;
}

static void wake_waiting(recorder_shared *shared)
{
	if (atomic_load(&shared->waiting) == 0)
		return;
	pthread_mutex_lock(&shared->wait_lock);
	pthread_cond_broadcast(&shared->buffers_free);
	pthread_mutex_unlock(&shared->wait_lock);
}

void recorder_give_back(recorder_shared *shared, event_buffer *buffer)
{
	buffer_pool_give(&shared->pool, buffer);
	wake_waiting(shared);
}

void recorder_begin_blocking(recorder_shared *shared)
{
	/* Sequentially consistent, as in pop_free_buffer(): a thread that is about to wait sees this, or this thread
	 * sees it in recorder_shared::waiting. */
	atomic_fetch_add(&shared->blocking, 1);
	wake_waiting(shared);
}

void recorder_end_blocking(recorder_shared *shared)
{
	atomic_fetch_add_explicit(&shared->blocking, 1, memory_order_relaxed);
}

uint32_t recorder_define_metric(recorder_shared *shared, message *definition)
{
	uint32_t metric;

	/* Under the lock, so that the log has the definitions in the order of their IDs. */
	pthread_mutex_lock(&shared->state_lock);
	metric = atomic_load_explicit(&shared->metrics_defined, memory_order_relaxed) + 1;
	definition->metric = metric;
	message_queue_push(&shared->messages, definition);
	atomic_store_explicit(&shared->metrics_defined, metric, memory_order_release);
	pthread_mutex_unlock(&shared->state_lock);
	return metric;
}
