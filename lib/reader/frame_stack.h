/* SPDX-License-Identifier: MIT */
/**
 * \file reader/frame_stack.h
 * \brief The call stack of a thread as the stack sections of a log tell it: each says how many of the outermost frames
 * stay, and which come on top of them.
 */
#ifndef READER_FRAME_STACK_H
#define READER_FRAME_STACK_H

#include "dictionary/definition_interner.h"

/** A frame that the log told, or all of those that it did not tell between two others: one frame that is not known. */
typedef struct frame_level {
	uint64_t depth; /**< Frames up to this one, counted from the outermost. */
	uint32_t chain; /**< They, as a call chain. */
} frame_level;

typedef struct frame_stack {
	frame_level *levels; /**< The outermost first. */
	size_t count;
	size_t capacity;
	size_t mark;        /**< How many there were at the mark. */
	size_t low;         /**< From here on up to there they are not what they were then: */
	frame_level *saved; /**< they were these, the last one first. */
	size_t saved_capacity;
} frame_stack;

void frame_stack_release(frame_stack *stack, memory_budget *budget);

/** The whole stack as a call chain; 0 if it is empty. */
static inline uint32_t frame_stack_chain(const frame_stack *stack)
{
	return stack->count > 0 ? stack->levels[stack->count - 1].chain : 0;
}

/**
 * Takes a stack section: \p keep outermost frames stay; then come \p count \p frames, the innermost first, each a
 * method << 1, with bit 0 set while it is compiled. Where more stay than are known, those between are one frame that is
 * not known. A frame that cannot be defined is left out of the chain. Returns #MPROF_OK; #MPROF_ERR_LIMIT;
 * #MPROF_ERR_MEMORY.
 */
mprof_status frame_stack_apply(frame_stack *stack, definition_interner *interner, uint64_t keep, const uint64_t *frames,
			       size_t count);

/** Sets the mark, to which a stack can be taken back. Costs nothing, however many frames there are. */
static inline void frame_stack_set_mark(frame_stack *stack)
{
	stack->mark = stack->count;
	stack->low = stack->count;
}

/** Takes the stack back to what it was at the mark. */
void frame_stack_take_back(frame_stack *stack);

/** Makes a stack of the frames of a call chain, and sets the mark. Returns as frame_stack_apply(). */
mprof_status frame_stack_restore(frame_stack *stack, const definition_table *table, uint32_t chain);

#endif
