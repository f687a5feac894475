/* SPDX-License-Identifier: MIT */
#include "base/caller_structs.h"
#include "recorder/queues/message_queue.h"

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

static void release_all(message_queue *queue)
{
	message *taken = message_queue_take(queue);

	while (taken != NULL) {
		message *next = taken->next;

		message_queue_release(queue, taken);
		taken = next;
	}
}

static void init_queue(message_queue *queue, size_t most_bytes)
{
	mprof_allocator allocator = system_allocator();

	memset(queue, 0, sizeof(*queue));
	message_queue_init(queue, &allocator, most_bytes, NULL, NULL);
}

/* Markers and definitions have limits of the same size; each is counted until its messages are released. */
Test(message_queue, has_no_room_when_too_much_waits)
{
	enum { LIMIT = 1 << 20, TEXT = LIMIT / 8 };
	static message_queue queue;
	char *text = calloc(1, TEXT);

	cr_assert_not_null(text);
	init_queue(&queue, LIMIT);
	for (int kind = 0; kind < 2; kind++) {
		int wakes = 0;
		int is_filling;

		/* Not eight: a message is larger than its text. */
		for (int i = 0; i < 8; i++) {
			message *sent = kind == 0 ? message_thread_name(&queue.allocator, 1, text, TEXT)
						  : message_mark(&queue.allocator, 1, text, TEXT, 2);

			cr_assert_eq(message_is_optional(sent), kind);
			cr_assert_eq(message_queue_reserve(&queue, sent, LIMIT, &is_filling), i < 7);
			if (i < 7) {
				message_queue_push(&queue, sent);
				wakes += is_filling;
			} else {
				message_release(&queue.allocator, sent);
			}
		}
		cr_assert_eq(wakes, 1);
	}
	cr_assert_gt(atomic_load(&queue.waiting_bytes[0]), 7 * TEXT);
	cr_assert_eq(atomic_load(&queue.waiting_bytes[1]), atomic_load(&queue.waiting_bytes[0]));
	release_all(&queue);
	cr_assert_eq(atomic_load(&queue.waiting_bytes[0]), 0);
	cr_assert_eq(atomic_load(&queue.waiting_bytes[1]), 0);
	free(text);
}

/* A message that exceeds the limit alone would otherwise never be sent. */
Test(message_queue, an_empty_queue_has_room_for_any_message)
{
	static message_queue queue;
	char text[1000] = "";
	message *first;
	message *second;
	int is_filling;

	init_queue(&queue, 100);
	first = message_thread_name(&queue.allocator, 1, text, sizeof(text));
	second = message_thread_name(&queue.allocator, 1, text, 1);
	cr_assert(message_queue_reserve(&queue, first, 100, &is_filling));
	cr_assert(is_filling);
	cr_assert_not(message_queue_reserve(&queue, second, 100, &is_filling));
	message_queue_release(&queue, first);
	cr_assert(message_queue_reserve(&queue, second, 100, &is_filling));
	message_queue_release(&queue, second);
}

/* They need no memory, and are used again once all of them were released. */
Test(message_queue, lost_definitions_are_noted_in_order)
{
	static message_queue queue;
	message *taken;

	init_queue(&queue, 1 << 20);
	for (int round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < MESSAGE_QUEUE_MAX_LOST; i++)
			message_queue_note_lost(&queue, MESSAGE_DEFINE_METHOD, i + 1, i + 100);
		taken = message_queue_take(&queue);
		cr_assert_not(message_queue_take_lost_more(&queue));
		for (uint64_t i = 0; i < MESSAGE_QUEUE_MAX_LOST; i++) {
			message *next = taken->next;

			cr_assert_eq(taken->key, i + 1);
			cr_assert_eq(taken->counter, i + 100);
			cr_assert_null(taken->name);
			if (i == 0) {
				message_queue_note_lost(&queue, MESSAGE_DEFINE_CLASS, 9, 9);
				cr_assert(message_queue_take_lost_more(&queue));
				cr_assert_not(message_queue_take_lost_more(&queue));
			}
			message_queue_release(&queue, taken);
			taken = next;
		}
		cr_assert_null(taken);
		cr_assert_null(message_queue_take(&queue));
	}
}
