/* SPDX-License-Identifier: MIT */
/* Tests the queue in which actions of threads are sorted by time. */
#include "base/action_queue.h"
#include "base/caller_structs.h"

#include <criterion/criterion.h>

typedef struct timed_number {
	uint64_t counter;
	uint64_t number;
} timed_number;

static mprof_allocator allocator;

static void init(void)
{
	cr_assert(allocator_init(&allocator, NULL));
}

TestSuite(action_queue, .init = init);

static uint64_t take_number(action_queue *queue)
{
	const timed_number *taken = action_queue_take(queue, 8);

	cr_assert_not_null(taken);
	return taken->number;
}

Test(action_queue, actions_of_many_threads_come_in_order)
{
	action_queue queue;
	const timed_number *entry;
	uint64_t last = 0;
	size_t taken = 0;

	action_queue_init(&queue, &allocator, sizeof(timed_number));
	cr_assert_null(action_queue_take(&queue, UINT64_MAX / 2));
	for (int round = 0; round < 10; round++) {
		/* Those of each thread in order, one thread after the other. */
		for (uint64_t thread = 0; thread < 5; thread++) {
			for (uint64_t i = 0; i < 700; i++) {
				const timed_number added = {(uint64_t)round * 1000 + i + thread % 3 * 100, 0};

				cr_assert(action_queue_add(&queue, &added, 1));
			}
		}
		cr_assert(action_queue_sort(&queue, NULL));
		/* The last of them stay for the next round. */
		while ((entry = action_queue_take(&queue, (uint64_t)round * 1000 + 850)) != NULL) {
			cr_assert_geq(entry->counter, last);
			cr_assert_lt(entry->counter, (uint64_t)round * 1000 + 850);
			last = entry->counter;
			taken++;
		}
	}
	while ((entry = action_queue_take(&queue, 100000)) != NULL)
		taken++;
	cr_assert_eq(taken, 10 * 5 * 700);
	action_queue_destroy(&queue);
}

Test(action_queue, actions_at_the_same_time_keep_their_order)
{
	action_queue queue;

	action_queue_init(&queue, &allocator, sizeof(timed_number));
	for (uint64_t i = 0; i < 100; i++) {
		const timed_number added = {i % 2 == 0 ? 7 : 3, i + 1};

		cr_assert(action_queue_add(&queue, &added, 1));
	}
	cr_assert(action_queue_sort(&queue, NULL));
	for (uint64_t i = 0; i < 50; i++)
		cr_assert_eq(take_number(&queue), 2 * i + 2);
	for (uint64_t i = 0; i < 50; i++)
		cr_assert_eq(take_number(&queue), 2 * i + 1);
	action_queue_destroy(&queue);
}
