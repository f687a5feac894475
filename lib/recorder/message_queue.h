/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/message_queue.h
 * \brief What threads tell the writer thread besides events: definitions, loaded elements, thread names.
 *
 * Any thread pushes without a lock; the writer thread takes all at once. A message that was pushed before an event was
 * published is taken before that event is drained, because the writer thread looks at the buffers first.
 */
#ifndef RECORDER_MESSAGE_QUEUE_H
#define RECORDER_MESSAGE_QUEUE_H

#include <mprof/recorder.h>

#include "base/allocator.h"

#include <stdatomic.h>

typedef enum message_kind {
	MESSAGE_DEFINE_CLASS,
	MESSAGE_DEFINE_METHOD,
	MESSAGE_LOADED,
	MESSAGE_UNLOADED,
	MESSAGE_THREAD_NAME
} message_kind;

typedef struct message message;
struct message {
	message *next;
	size_t size; /**< Of the whole allocation, text included. */
	message_kind kind;
	uint32_t flags;          /**< Methods. */
	mprof_key key;           /**< What is defined or loaded. */
	mprof_key owner;         /**< A method's class, a class's assembly. */
	uint64_t counter;        /**< When a definition was made. */
	uint64_t thread;         /**< Thread names. */
	const char *name;        /**< Points into text. */
	size_t name_length;
	mprof_element element;   /**< Loaded and unloaded; its name and assembly point into text. */
	mprof_assembly_name assembly;
	char text[];
};

typedef struct message_queue {
	_Atomic(message *) newest;
} message_queue;

/** A definition as a message, or NULL without memory. */
message *message_definition(const mprof_allocator *allocator, message_kind kind, mprof_key key,
			    const mprof_description *description, uint64_t counter);

/** A loaded or unloaded element as a message, or NULL without memory. */
message *message_element(const mprof_allocator *allocator, message_kind kind, mprof_key key,
			 const mprof_element *element);

/** A thread's name as a message, or NULL without memory. */
message *message_thread_name(const mprof_allocator *allocator, uint64_t thread, const char *name, size_t name_length);

void message_release(const mprof_allocator *allocator, message *released);

/** Any thread. */
void message_queue_push(message_queue *queue, message *message);

/** All messages in the order of pushing. Writer thread only. */
message *message_queue_take(message_queue *queue);

#endif
