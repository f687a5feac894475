/* SPDX-License-Identifier: MIT */
/**
 * \file sampled_stack.h
 * \brief The stack of a thread that is sampled.
 */
#ifndef SHARED_SAMPLED_STACK_H
#define SHARED_SAMPLED_STACK_H

#include <stdint.h>

typedef struct sampled_stack {
	uintptr_t start; /**< Lowest address; equal to end if it is unknown. */
	uintptr_t end;
	/** Frame address of the function of this module that called the first function of the thread; 0 if unknown. */
	uintptr_t outermost;
} sampled_stack;

/** Distance from the frame address of a function to the stack pointer before the function was called. */
#define FRAME_ADDRESS_TO_BASE 16

#endif
