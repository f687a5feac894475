/* SPDX-License-Identifier: MIT */
/**
 * \file stack_copies.h
 * \brief Copies of the stacks of interrupted threads, made in signal handlers and unwound by another thread.
 */
#ifndef NATIVE_STACK_COPIES_H
#define NATIVE_STACK_COPIES_H

#include "shared/unwind_rules.h"

#include <stdatomic.h>
#include <stddef.h>

/** Maximum number of copied bytes of a stack. */
#define STACK_COPY_SIZE ((size_t)32 << 10)

typedef struct stack_copy {
	uint64_t thread; /**< ID in the log. */
	uint64_t registers[REGISTER_COUNT];
	uint64_t start;     /**< The address of the first copied byte. */
	uint64_t length;    /**< Copied bytes. */
	uint64_t outermost; /**< See sampled_stack::outermost. */
	uint8_t bytes[STACK_COPY_SIZE];
} stack_copy;

/** Allocates the memory. Returns 0 if the system refuses. */
int stack_copies_init(void);

/** Releases all copies: in a child of fork(), the threads that made or used them do not exist. */
void stack_copies_forget(void);

/** Returns memory for a copy, NULL if all of it is in use. Async-signal-safe. */
stack_copy *stack_copies_claim(void);

/** Hands a filled copy over. Async-signal-safe. */
void stack_copies_publish(stack_copy *copy);

/** Takes the oldest copy that was handed over, NULL if none. Only one thread may call this. */
stack_copy *stack_copies_take(void);

/** Makes the memory of a copy available again. */
void stack_copies_release(stack_copy *copy);

/** The number of copies that were claimed so far. */
uint64_t stack_copies_count(void);

/** Whether copies of the first \p count that were claimed are published and not released. Any thread. */
int stack_copies_are_left(uint64_t count);

#endif
