/* SPDX-License-Identifier: MIT */
/**
 * \file contexts.h
 * \brief Follows makecontext(), swapcontext() and setcontext(): which call stack a thread is on.
 */
#ifndef NATIVE_CONTEXTS_H
#define NATIVE_CONTEXTS_H

#include "open_calls.h"

#include <stdatomic.h>

/** A stack that makecontext() was given. */
typedef struct context_stack {
	struct context_stack *next;
	uintptr_t start;
	uintptr_t end;
	uint64_t id; /**< Unique among all stacks; a stack that is used again gets another one. */
	open_calls calls;
} context_stack;

/** Whether the program has made a context. Relaxed: the program orders makecontext() before a thread runs on it. */
extern _Atomic int contexts_are_used __attribute__((visibility("hidden")));

/**
 * The functions that are called on the thread: \p pause, whose result \p resume gets, around all that is done here;
 * \p end when the stack of a context ends, before it is used for another one; and \p change before the thread runs on
 * another stack, at this address.
 */
typedef struct context_client {
	int (*pause)(void);
	void (*resume)(int paused);
	void (*end)(context_stack *stack);
	void (*change)(uintptr_t stack_pointer);
} context_client;

void contexts_set(const context_client *client);

/** The stack that contains an address; NULL if it is not one that makecontext() was given. */
context_stack *contexts_find(uintptr_t address);

/** In a child of fork(): abandons the lock. */
void contexts_forget(void);

#endif
