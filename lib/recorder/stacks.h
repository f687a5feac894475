/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/stacks.h
 * \brief Call stacks, interned as a tree: equal ones have one ID, and they share what their outer ends have in
 * common. All of this is the writer thread's.
 */
#ifndef RECORDER_STACKS_H
#define RECORDER_STACKS_H

#include <mprof/recorder.h>

#include "base/hash_map.h"
#include "recorder/keys.h"
#include "recorder/native_code.h"

/**
 * Most chains, parts of others included: 256 MiB of memory, or half as much again while the table grows. Chains beyond
 * are 0.
 */
#define STACKS_MAX (UINT32_C(1) << 23)

/** Chains that wait to be written before a block is made of them. */
#define STACKS_PENDING_MAX 512

/** The last chain of a thread. All zero at first. */
typedef struct stack_memory {
	struct remembered_chain *last; /**< NULL before the first. */
} stack_memory;

typedef struct stack_store {
	mprof_allocator allocator;
	recorder_keys *keys; /**< For the methods of frames. */
	recorder_output *output;
	hash_map chains;       /**< Caller's chain and frame → chain. */
	uint32_t count;        /**< Chains known, whose IDs are 1 to this. */
	mprof_record *pending; /**< Chains that are not in the log yet. */
	size_t pending_count;
	native_code code;
	stack_memory sample_memory; /**< For chains of samples. */
} stack_store;

/** The key of a frame's method, which may be 0. The frame is not native. */
static inline mprof_key frame_method(mprof_frame frame)
{
	return frame & ~MPROF_FRAME_COMPILING;
}

/** \p with_symbols 0: native functions get no names. Returns 0 if there is no memory. */
int stack_store_init(stack_store *stacks, recorder_shared *shared, recorder_keys *keys, int with_symbols);
void stack_store_destroy(stack_store *stacks);

/**
 * The ID of a chain, whose innermost frame comes first; the #MPROF_STACK_MAX innermost frames count. Keys mean what
 * they meant at \p counter. Native frames but the innermost are addresses to return to. \p memory is that of the
 * thread whose chain it is, or of several: chains that follow on each other should have much in common.
 *
 * Returns 0 if there are no frames, and where one gets no ID: there is no memory, there are #STACKS_MAX chains, or
 * nothing is written any more. A chain without its inner frames would blame callers for what they call.
 *
 * May write blocks: not to be called inside of one. The ID may be used in a block after stacks_write().
 */
uint32_t stacks_intern(stack_store *stacks, stack_memory *memory, const mprof_frame *frames, size_t count,
		       uint64_t counter);

/** Writes the chains that are not in the log yet, and before them what native code they need. */
void stacks_write(stack_store *stacks);

void stack_memory_destroy(stack_memory *memory, const mprof_allocator *allocator);

#endif
