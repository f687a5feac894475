/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/switches.h
 * \brief The call stacks that threads switch between, as a reader of the log sees them (doc/format.md, 4.8): which one
 * a thread is on, and the shadow stack of each. Owner: the writer thread.
 */
#ifndef RECORDER_SWITCHES_H
#define RECORDER_SWITCHES_H

#include "base/stack_table.h"
#include "recorder/shadow_stack.h"

typedef struct thread_stacks thread_stacks;

/** A call stack that is not a thread's own one. */
typedef struct switched_stack {
	stack_state state; /**< Its thread is the serial of the thread. */
	shadow_stack leaves;
	struct thread_stacks *holder; /**< Of the thread that is on it, or NULL. */
	uint32_t round;    /**< The round in which the following fields are valid: see recorder/stack_order.c. */
	uint32_t user;     /**< Serial of the last thread found to use it in this round. */
	uint8_t is_shared; /**< More than one thread uses it. */
	uint8_t is_needed; /**< An event that is drained in this round depends on earlier events of the stack. */
} switched_stack;

/** The stacks of a thread. */
struct thread_stacks {
	shadow_stack own;
	uint64_t own_left;     /**< Counter when it switched from its own stack to another one. */
	switched_stack *other; /**< The stack that it is on, whose holder this is; NULL: its own. */
};

/** The shadow stack that a thread is on. */
static inline shadow_stack *thread_stacks_current(thread_stacks *stacks)
{
	return stacks->other != NULL ? &stacks->other->leaves : &stacks->own;
}

/** Frees the stacks that are not a thread's own one. */
void switches_destroy(stack_table *table);

/**
 * Switches a thread to another stack. If another thread is still on that stack, it is on its own one from then on.
 * Returns 0 and changes nothing if there is no memory.
 */
int switches_enter(stack_table *table, thread_stacks *stacks, uint32_t serial, uint64_t number, uint64_t counter);

/** Ends a stack. A thread that is on it is on its own one from then on. */
void switches_end(stack_table *table, uint64_t number);

/** Switches a thread to its own stack. */
void switches_leave(thread_stacks *stacks, uint64_t counter);

/** Calls shadow_stack_forget() for all stacks that are not a thread's own one. */
void switches_forget(const stack_table *table, const mprof_key_range *ranges, size_t count);

#endif
