/* SPDX-License-Identifier: MIT */
#include "recorder/queues/buffer_pool.h"

#include <criterion/criterion.h>
#include <pthread.h>

Test(buffer_pool, is_bounded_and_gives_back)
{
	buffer_pool pool;
	event_buffer *buffers[4];

	cr_assert(buffer_pool_init(&pool, 3, 16, NULL));
	for (int i = 0; i < 3; i++) {
		buffers[i] = buffer_pool_take(&pool, 0);
		cr_assert_not_null(buffers[i]);
		cr_assert_eq(buffers[i]->capacity, 16);
	}
	cr_assert_null(buffer_pool_take(&pool, 0));
	cr_assert_eq(buffer_pool_created(&pool), 3);
	atomic_store(&buffers[1]->published, 16);
	buffers[1]->drained = 16;
	buffer_pool_give(&pool, buffers[1]);
	buffers[3] = buffer_pool_take(&pool, 0);
	cr_assert_eq(buffers[3], buffers[1]);
	cr_assert_eq(atomic_load(&buffers[3]->published), 0);
	cr_assert_eq(buffers[3]->drained, 0);
	buffer_pool_destroy(&pool);
}

Test(buffer_pool, full_buffers_come_in_order)
{
	buffer_pool pool;
	event_buffer *buffers[3];
	event_buffer *taken;

	cr_assert(buffer_pool_init(&pool, 3, 16, NULL));
	cr_assert_null(buffer_pool_take_full(&pool));
	for (int i = 0; i < 3; i++) {
		buffers[i] = buffer_pool_take(&pool, 0);
		buffer_pool_push_full(&pool, buffers[i]);
	}
	taken = buffer_pool_take_full(&pool);
	for (int i = 0; i < 3; i++, taken = taken->next_full)
		cr_assert_eq(taken, buffers[i]);
	cr_assert_null(taken);
	cr_assert_null(buffer_pool_take_full(&pool));
	buffer_pool_destroy(&pool);
}

enum { THREADS = 4, TURNS = 20000, BUFFERS = 3 };

/* Takes and returns buffers as fast as possible; a buffer with two owners at once would show in its first slot. */
static void *take_and_give(void *argument)
{
	buffer_pool *pool = argument;

	for (uint64_t turn = 0; turn < TURNS; turn++) {
		event_buffer *buffer = buffer_pool_take(pool, 0);

		if (buffer == NULL)
			continue;
		buffer->slots[0].subject = (uint64_t)(uintptr_t)&turn ^ turn;
		buffer->slots[0].stamp = turn;
		if (buffer->slots[0].subject != ((uint64_t)(uintptr_t)&turn ^ turn) || buffer->slots[0].stamp != turn)
			return pool;
		buffer_pool_give(pool, buffer);
	}
	return NULL;
}

Test(buffer_pool, a_buffer_is_in_one_hand_at_a_time, .timeout = 120)
{
	buffer_pool pool;
	pthread_t threads[THREADS];
	void *failed;

	cr_assert(buffer_pool_init(&pool, BUFFERS, 16, NULL));
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, take_and_give, &pool), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &failed);
		cr_assert_null(failed);
	}
	buffer_pool_destroy(&pool);
}
