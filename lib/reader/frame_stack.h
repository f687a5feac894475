/* SPDX-License-Identifier: MIT */
/**
 * \file reader/frame_stack.h
 * \brief The call stack of a thread, as described by the stack sections of a log. A section specifies how many of the
 * outermost frames stay and which frames are pushed on them.
 */
#ifndef READER_FRAME_STACK_H
#define READER_FRAME_STACK_H

#include <mprof/format.h>

#include "base/allocator.h"
#include "dictionary/definition_interner.h"

/** A frame that the log contains, or one unknown frame that stands for all frames missing between two others. */
typedef struct frame_level {
	uint64_t depth;    /**< Number of frames from the outermost up to this one, including those that an unknown
	                        frame stands for. */
	uint32_t stack_id; /**< Stack ID of the frames up to this one. */
} frame_level;

typedef struct frame_stack {
	frame_level *levels; /**< Outermost first. */
	size_t count;
	size_t capacity;
	size_t mark;        /**< Number of levels at the mark. */
	size_t low;         /**< Levels from low up to mark were overwritten since the mark. */
	frame_level *saved; /**< The overwritten levels as they were at the mark, last one first. */
	size_t saved_capacity;
} frame_stack;

void frame_stack_release(frame_stack *stack, memory_budget *budget);

/** Stack ID of the whole stack; 0 if it is empty. */
static inline uint32_t frame_stack_id(const frame_stack *stack)
{
	return stack->count > 0 ? stack->levels[stack->count - 1].stack_id : 0;
}

/**
 * Applies a stack section: \p keep outermost frames stay, and \p count \p frames, listed innermost first, are pushed on
 * them. Each is a method << 1, with bit 0 set while the method is being compiled. If \p keep is more than the frames
 * known, one unknown frame stands for those between. A frame that cannot be defined is left out of the interned stack.
 * Returns #MPROF_OK; #MPROF_ERR_LIMIT; #MPROF_ERR_MEMORY.
 */
mprof_status frame_stack_apply(frame_stack *stack, definition_interner *interner, uint64_t keep, const uint64_t *frames,
			       size_t count);

/** Sets the mark that frame_stack_roll_back() returns to. Constant time, independent of the number of frames. */
static inline void frame_stack_set_mark(frame_stack *stack)
{
	stack->mark = stack->count;
	stack->low = stack->count;
}

/** Restores the stack to its state at the mark. */
void frame_stack_roll_back(frame_stack *stack);

/** Sets the stack to the frames of an interned call stack, and sets the mark. Returns as frame_stack_apply(). */
mprof_status frame_stack_restore(frame_stack *stack, const definition_table *table, uint32_t stack_id);

typedef struct detail_pool {
	mprof_event_detail *details;
	size_t capacity;
	size_t used;
} detail_pool;

/**
 * Reclaims all details handed out, which become invalid, and makes room for \p count of them. Returns 0 if out of
 * memory.
 */
int detail_pool_prepare(detail_pool *pool, const mprof_allocator *allocator, size_t count);

/** Takes a detail from the pool, with all fields but its size 0. Returns NULL if the pool is used up. */
mprof_event_detail *detail_pool_take(detail_pool *pool);

void detail_pool_destroy(detail_pool *pool, const mprof_allocator *allocator);

#endif
