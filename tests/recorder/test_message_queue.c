/* SPDX-License-Identifier: MIT */
#include "recorder/message_queue.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static mprof_allocator system_allocator(void)
{
	mprof_allocator allocator;

	cr_assert(allocator_init(&allocator, NULL));
	return allocator;
}

Test(message_queue, gives_messages_in_the_order_of_pushing)
{
	mprof_allocator allocator = system_allocator();
	message_queue queue = {.newest = NULL};
	message *taken;

	cr_assert_null(message_queue_take(&queue));
	for (uint64_t i = 0; i < 3; i++)
		message_queue_push(&queue, message_thread_name(&allocator, i, "name", 4));
	taken = message_queue_take(&queue);
	for (uint64_t i = 0; i < 3; i++) {
		message *next = taken->next;

		cr_assert_eq(taken->thread, i);
		message_release(&allocator, taken);
		taken = next;
	}
	cr_assert_null(taken);
}

Test(message_queue, messages_own_their_texts)
{
	mprof_allocator allocator = system_allocator();
	char name[] = "full name";
	char base[] = "base";
	mprof_assembly_name split = {sizeof(mprof_assembly_name), base, "neutral", "null", 1, 2, 3, 4, 1, 0};
	mprof_element element = {sizeof(mprof_element), MPROF_ELEMENT_ASSEMBLY, 0, 1, 2, 3, name, 9, &split};
	message *created = message_element(&allocator, MESSAGE_LOADED, 77, &element);

	memset(name, 'x', 9);
	memset(base, 'x', 4);
	cr_assert_str_eq(created->more.loaded.element.name, "full name");
	cr_assert_str_eq(created->more.loaded.element.assembly->base_name, "base");
	cr_assert_str_eq(created->more.loaded.element.assembly->public_key_token, "null");
	cr_assert_eq(created->more.loaded.element.assembly->revision, 4);
	message_release(&allocator, created);
}

enum { PUSHERS = 4, EACH = 2000 };

static message_queue shared_queue;

static void *push_many(void *argument)
{
	mprof_allocator allocator = system_allocator();

	for (uint64_t i = 0; i < EACH; i++)
		message_queue_push(&shared_queue,
				   message_thread_name(&allocator, (uint64_t)(uintptr_t)argument << 32 | i, "n", 1));
	return NULL;
}

Test(message_queue, loses_nothing_and_keeps_each_thread_s_order, .timeout = 120)
{
	mprof_allocator allocator = system_allocator();
	pthread_t threads[PUSHERS];
	uint64_t next[PUSHERS] = {0};
	uint64_t total = 0;

	for (uintptr_t i = 0; i < PUSHERS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, push_many, (void *)i), 0);
	while (total < (uint64_t)PUSHERS * EACH) {
		message *taken = message_queue_take(&shared_queue);

		while (taken != NULL) {
			message *rest = taken->next;

			cr_assert_eq(taken->thread & 0xffffffff, next[taken->thread >> 32]++);
			total++;
			message_release(&allocator, taken);
			taken = rest;
		}
	}
	for (int i = 0; i < PUSHERS; i++)
		pthread_join(threads[i], NULL);
}

/* Messages that a client can send at any rate are limited; definitions are not. */
Test(message_queue, refuses_marks_when_too_much_waits)
{
	mprof_allocator allocator = system_allocator();
	message_queue queue = {.newest = NULL};
	size_t size = MESSAGE_QUEUE_MOST_BYTES / 8;
	char *text = calloc(1, size);
	message *taken;
	int wakes = 0;
	int pushed = 0;
	int is_filling;

	cr_assert_not_null(text);
	for (;;) {
		message *mark = message_mark(&allocator, 1, text, size, 2);

		if (!message_queue_offer(&queue, mark, &is_filling)) {
			message_release(&allocator, mark);
			break;
		}
		wakes += is_filling;
		cr_assert_lt(++pushed, 8);
	}
	/* Not eight: a message is larger than its text. */
	cr_assert_eq(pushed, 7);
	cr_assert_eq(wakes, 1);
	message_queue_push(&queue, message_thread_name(&allocator, 1, text, size));
	cr_assert_eq(message_queue_take_refused(&queue), 1);
	cr_assert_eq(message_queue_take_refused(&queue), 0);
	for (taken = message_queue_take(&queue); taken != NULL; pushed--) {
		message *next = taken->next;

		message_release(&allocator, taken);
		taken = next;
	}
	cr_assert_eq(pushed, -1);
	cr_assert_eq(atomic_load(&queue.waiting_bytes), 0);
	free(text);
}
