/* SPDX-License-Identifier: MIT */
#include "recorder/message_queue.h"

#include "base/checked.h"

#include <string.h>

static message *message_create(const mprof_allocator *allocator, message_kind kind, size_t text_size)
{
	size_t size;
	message *created;

	if (!checked_add(sizeof(*created), text_size, &size))
		return NULL;
	created = allocator_allocate(allocator, size);
	if (created == NULL)
		return NULL;
	memset(created, 0, sizeof(*created));
	created->size = size;
	created->kind = kind;
	return created;
}

/* Copies a text with its terminator to *end, which moves behind it. */
static const char *copy_text(char **end, const char *text, size_t length)
{
	char *copy = *end;

	if (length > 0)
		memcpy(copy, text, length);
	copy[length] = '\0';
	*end = copy + length + 1;
	return copy;
}

message *message_definition(const mprof_allocator *allocator, message_kind kind, mprof_key key,
			    const mprof_description *description, uint64_t counter)
{
	message *created = message_create(allocator, kind, description->name_length + 1);
	char *end;

	if (created == NULL)
		return NULL;
	end = created->text;
	created->key = key;
	created->owner = kind == MESSAGE_DEFINE_METHOD ? description->class_key : description->assembly_key;
	created->flags = description->flags;
	created->counter = counter;
	created->name = copy_text(&end, description->name, description->name_length);
	created->name_length = description->name_length;
	return created;
}

message *message_element(const mprof_allocator *allocator, message_kind kind, mprof_key key,
			 const mprof_element *element)
{
	const mprof_assembly_name *given = element->assembly;
	size_t text_size = element->name_length + 1;
	message *created;
	char *end;

	if (given != NULL)
		text_size += strlen(given->base_name) + strlen(given->culture) + strlen(given->public_key_token) + 3;
	created = message_create(allocator, kind, text_size);
	if (created == NULL)
		return NULL;
	end = created->text;
	created->key = key;
	created->element = *element;
	created->element.name = copy_text(&end, element->name, element->name_length);
	if (given != NULL) {
		created->assembly = *given;
		created->assembly.base_name = copy_text(&end, given->base_name, strlen(given->base_name));
		created->assembly.culture = copy_text(&end, given->culture, strlen(given->culture));
		created->assembly.public_key_token =
			copy_text(&end, given->public_key_token, strlen(given->public_key_token));
		created->element.assembly = &created->assembly;
	}
	return created;
}

message *message_thread_name(const mprof_allocator *allocator, uint64_t thread, const char *name, size_t name_length)
{
	message *created = message_create(allocator, MESSAGE_THREAD_NAME, name_length + 1);
	char *end;

	if (created == NULL)
		return NULL;
	end = created->text;
	created->thread = thread;
	created->name = copy_text(&end, name, name_length);
	created->name_length = name_length;
	return created;
}

void message_release(const mprof_allocator *allocator, message *released)
{
	allocator_release(allocator, released, released->size);
}

void message_queue_push(message_queue *queue, message *pushed)
{
	message *newest = atomic_load_explicit(&queue->newest, memory_order_relaxed);

	do {
		pushed->next = newest;
	} while (!atomic_compare_exchange_weak_explicit(&queue->newest, &newest, pushed, memory_order_release,
							memory_order_relaxed));
}

message *message_queue_take(message_queue *queue)
{
	message *newest = atomic_exchange_explicit(&queue->newest, NULL, memory_order_acquire);
	message *oldest = NULL;

	while (newest != NULL) {
		message *next = newest->next;

		newest->next = oldest;
		oldest = newest;
		newest = next;
	}
	return oldest;
}
