/* SPDX-License-Identifier: MIT */
/**
 * \file writer/stack_sections.h
 * \brief Writes call stacks as stack sections, which logs of Mono have before allocation and monitor events.
 *
 * A section specifies how many of the outermost frames stay, and which frames are pushed on them. The original readers
 * change the same stack at enters, leaves and compilations too, so the first section after such an event repeats all
 * frames. So does the first section of a block, because a block can be read by itself.
 */
#ifndef WRITER_STACK_SECTIONS_H
#define WRITER_STACK_SECTIONS_H

#include "dictionary/definition_table.h"
#include "format/values/encode_buffer.h"

/** Frames as sections have them, innermost first: method << 1, with bit 0 set if the method is being compiled. */
typedef struct stack_frames {
	uint32_t *frames;
	size_t count;
	size_t capacity;
} stack_frames;

typedef struct stack_sections {
	const definition_table *definitions; /**< Contains the interned call stacks. Borrowed. */
	mprof_allocator allocator;
	uint32_t stack;        /**< Stack ID of the frames written last; 0 if they are not valid any more. */
	int is_partial;        /**< 1: frames of that stack were left out. */
	int wanted_is_partial; /**< The same for the next stack. */
	int is_in_force;       /**< 1: readers attach a stack to events without a section. */
	stack_frames written;  /**< The frames of stack. */
	stack_frames wanted;   /**< The frames of the next stack, while its section is encoded. */
} stack_sections;

void stack_sections_init(stack_sections *sections, const mprof_allocator *allocator,
			 const definition_table *definitions);
void stack_sections_destroy(stack_sections *sections);

/** Whether an event with this stack ID, 0 if it has none, needs a section before it. */
static inline int stack_sections_needs(const stack_sections *sections, uint32_t stack)
{
	return stack == 0 ? sections->is_in_force : stack != sections->stack;
}

/** Invalidates the frames written last. */
static inline void stack_sections_invalidate(stack_sections *sections)
{
	sections->stack = 0;
	sections->written.count = 0;
}

/** Begins an EVENTS block. \p is_in_force: a stack was in force at the end of the thread's previous block. */
static inline void stack_sections_begin(stack_sections *sections, int is_in_force)
{
	stack_sections_invalidate(sections);
	sections->is_in_force = is_in_force;
}

/**
 * Appends the section for a call stack, and keeps room for \p tail_room bytes after it. Returns #MPROF_OK;
 * #MPROF_ERR_MEMORY; #MPROF_ERR_LIMIT. On an error the buffer is as it was.
 */
mprof_status stack_sections_encode(stack_sections *sections, encode_buffer *buffer, uint32_t stack, size_t tail_room);

#endif
