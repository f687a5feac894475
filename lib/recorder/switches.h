/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/switches.h
 * \brief The call stacks that threads switch between, as a reader of the log sees them (doc/format.md, 4.8): which one
 * a thread is on, and the shadow stack of each. The writer thread's.
 */
#ifndef RECORDER_SWITCHES_H
#define RECORDER_SWITCHES_H

#include "base/stack_table.h"
#include "recorder/shadow_stack.h"

typedef struct thread_stacks thread_stacks;

/** A call stack that is no thread's own. */
typedef struct switched_stack {
	stack_state state; /**< Its thread is the serial of the thread. */
	shadow_stack leaves;
	struct thread_stacks *holder; /**< Of the thread that is on it, or NULL. */
	uint32_t round;               /**< The round that what follows is of: see recorder/stack_order.c. */
	uint32_t user;     /**< Serial of the thread that used it last in this round, as far as it was looked at. */
	uint8_t is_shared; /**< More than one thread uses it. */
	uint8_t is_needed; /**< Something drained later depends on what was done on it before. */
} switched_stack;

/** What a thread keeps of its stacks. */
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

/** Frees the stacks that no thread owns. */
void switches_destroy(stack_table *table);

/**
 * A thread goes on on another stack. A thread that the log left on that stack is on its own from then on. Returns 0,
 * changing nothing, if there is no memory.
 */
int switches_enter(stack_table *table, thread_stacks *stacks, uint32_t serial, uint64_t number, uint64_t counter);

/** A stack is done with: a thread that is on it is on its own from then on. */
void switches_end(stack_table *table, uint64_t number);

/** A thread is on its own stack from now on, whichever it was on. */
void switches_leave(thread_stacks *stacks, uint64_t counter);

/** Keys in ranges mean other methods from now on: shadow_stack_forget() for all stacks that are no thread's own. */
void switches_forget(const stack_table *table, const mprof_key_range *ranges, size_t count);

#endif
