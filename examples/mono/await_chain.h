/* SPDX-License-Identifier: MIT */
/**
 * \file await_chain.h
 * \brief Finds the async methods that wait for an async method, by following the class library's objects.
 *
 * The compiler turns an async method into a state machine: a class or structure with the method's code in MoveNext(),
 * and a builder that holds the task of the call. What continues when the task has completed is stored in the task: for
 * an awaiting async method, its state machine, reached through a delegate and other objects. All fields are looked up
 * by name, so that a class library that has others yields no chain.
 */
#ifndef AWAIT_CHAIN_H
#define AWAIT_CHAIN_H

#include <mono/metadata/class.h>
#include <mono/metadata/object.h>

#include <stddef.h>
#include <stdint.h>

/** Number of state machines and of fields that a cache holds; powers of two. */
#define AWAIT_MACHINES 64
#define AWAIT_FIELDS 128

/** A type of state machine. */
typedef struct await_machine {
	MonoClass *type;     /**< NULL if unused. */
	MonoMethod *method;  /**< Its MoveNext(). */
	uint32_t task;       /**< Offset of the task in the fields of the state machine. */
	uint32_t is_awaited; /**< 0 if it has no task: nothing can await it. */
} await_machine;

typedef struct await_field {
	MonoClass *type;
	const char *name;
	uint32_t offset; /**< In the object; 0 if the class has no such field. */
} await_field;

/** What is known of classes; valid until something is unloaded. All zero at first. */
typedef struct await_cache {
	unsigned unloads; /**< MonoProfiler::unloads when it was filled. */
	await_machine machines[AWAIT_MACHINES];
	await_field fields[AWAIT_FIELDS];
} await_cache;

/** Whether objects of a class are state machines of async methods. */
int await_chain_is_machine(MonoClass *type);

/** Whether a state machine has a task. Like await_chain_follow(). */
int await_chain_has_task(await_cache *cache, MonoClass *type, const void *fields);

/**
 * Stores the MoveNext() methods of the state machines that wait for one, innermost first. Returns their number.
 *
 * The objects must not move meanwhile: the calling thread runs in the runtime's mode for managed code, in which the
 * collector regards what is on its stack as references.
 *
 * \param type The class or structure of the state machine.
 * \param fields The first field of the state machine.
 */
size_t await_chain_follow(await_cache *cache, MonoClass *type, const void *fields, MonoMethod **methods, size_t limit);

#endif
