/* SPDX-License-Identifier: MIT */
/* Sends messages to the writer thread within the limit of the queue. Any thread. */
#include "recorder/message_sending.h"

/*
 * The limit for a definition. While the writer thread is inside the loader it is doubled, as the number of buffers is:
 * threads must not wait then.
 */
static size_t definition_limit(const recorder_shared *shared, uint32_t blocking)
{
	const size_t limit = shared->messages.most_bytes;

	return (blocking & 1) != 0 && limit <= SIZE_MAX / 2 ? 2 * limit : limit;
}

static int reserve(recorder_shared *shared, message *created, size_t limit)
{
	int is_filling;

	if (!message_queue_reserve(&shared->messages, created, limit, &is_filling))
		return 0;
	if (is_filling)
		sem_post(&shared->work);
	return 1;
}

/* Waits until the writer thread has released messages. Returns 0 if there is no room, and no more waiting. */
static int wait_for_room(recorder_shared *shared, message *created)
{
	uint32_t blocking;
	int has_room;

	atomic_fetch_add_explicit(&shared->waits, 1, memory_order_relaxed);
	pthread_mutex_lock(&shared->wait_lock);
	/*
	 * Counted before the room is checked. The writer thread releases messages before it loads the count, so either
	 * this thread finds the room, or the writer thread sees the count.
	 */
	atomic_fetch_add(&shared->waiting_for_room, 1);
	sem_post(&shared->work);
	do {
		blocking = atomic_load(&shared->blocking);
		has_room = reserve(shared, created, definition_limit(shared, blocking));
	} while (!has_room && !atomic_load(&shared->closing) &&
		 recorder_wait(shared, &shared->room_free, blocking, &shared->room_given_up_in));
	atomic_fetch_sub(&shared->waiting_for_room, 1);
	pthread_mutex_unlock(&shared->wait_lock);
	return has_room;
}

mprof_status message_sending_reserve(recorder_shared *shared, message *created)
{
	if (created == NULL)
		return MPROF_ERR_MEMORY;
	if (reserve(shared, created, shared->messages.most_bytes))
		return MPROF_OK;
	/* If the writer thread or a drain thread waited here, it would wait for itself. */
	if (shared->overflow == MPROF_OVERFLOW_WAIT && !recorder_on_own_thread(shared) &&
	    wait_for_room(shared, created))
		return MPROF_OK;
	message_release(&shared->messages.allocator, created);
	if (atomic_load(&shared->closing))
		return MPROF_ERR_STATE;
	message_queue_count_refused(&shared->messages);
	return MPROF_ERR_LIMIT;
}

mprof_status message_sending_send(recorder_shared *shared, message *created)
{
	mprof_status status = message_sending_reserve(shared, created);

	if (status == MPROF_OK)
		message_queue_push(&shared->messages, created);
	return status;
}

mprof_status message_sending_define(recorder_shared *shared, message_kind kind, mprof_key key, uint64_t counter,
				    message *created)
{
	mprof_status status = message_sending_send(shared, created);

	if (status == MPROF_ERR_LIMIT || status == MPROF_ERR_MEMORY)
		message_queue_note_lost(&shared->messages, kind, key, counter);
	return status;
}

mprof_status message_sending_offer(recorder_shared *shared, message *created)
{
	if (created == NULL)
		return MPROF_ERR_MEMORY;
	if (!reserve(shared, created, shared->messages.most_bytes)) {
		message_release(&shared->messages.allocator, created);
		message_queue_count_refused(&shared->messages);
		return MPROF_ERR_LIMIT;
	}
	message_queue_push(&shared->messages, created);
	return MPROF_OK;
}
