/* SPDX-License-Identifier: MIT */
/**
 * \file writer/stack_sections.h
 * \brief Call chains as stack sections: how logs of Mono tell the stack in front of an allocation or monitor event.
 *
 * A section says how many of the outermost frames stay, and which come on top of them. Readers of the time change the
 * same stack at enters, leaves and compilations too, so none of it is relied on behind such an event; nor at the begin
 * of a block, which can be read by itself.
 */
#ifndef WRITER_STACK_SECTIONS_H
#define WRITER_STACK_SECTIONS_H

#include "format/encode_buffer.h"
#include "dictionary/definition_table.h"

/** Frames, the innermost first, as sections have them: method << 1, with bit 0 set if it is being compiled. */
typedef struct stack_frames {
	uint32_t *frames;
	size_t count;
	size_t capacity;
} stack_frames;

typedef struct stack_sections {
	const definition_table *definitions; /**< Has the chains. Borrowed. */
	mprof_allocator allocator;
	uint32_t chain; /**< Its call chain in the log; 0: not relied on. */
	int is_partial; /**< 1: frames of it were left out. */
	int wanted_is_partial;
	int is_in_force;      /**< 1: readers take events without a section to have a stack. */
	stack_frames written; /**< The frames of chain. */
	stack_frames wanted;  /**< Memory for those of the next one. */
} stack_sections;

void stack_sections_init(stack_sections *sections, const mprof_allocator *allocator,
			 const definition_table *definitions);
void stack_sections_destroy(stack_sections *sections);

/** Whether an event with this call chain, 0 if it has none, needs a section in front of it. */
static inline int stack_sections_needs(const stack_sections *sections, uint32_t chain)
{
	return chain == 0 ? sections->is_in_force : chain != sections->chain;
}

/** What was written is not relied on any more. */
static inline void stack_sections_disturb(stack_sections *sections)
{
	sections->chain = 0;
	sections->written.count = 0;
}

/** A block of events begins. \p is_in_force says whether the block of the thread before left a stack behind. */
static inline void stack_sections_begin(stack_sections *sections, int is_in_force)
{
	stack_sections_disturb(sections);
	sections->is_in_force = is_in_force;
}

/**
 * Appends the section that leads to a chain, and keeps room for \p tail_room bytes behind it. Returns #MPROF_OK;
 * #MPROF_ERR_MEMORY; #MPROF_ERR_LIMIT. On an error the buffer is as it was.
 */
mprof_status stack_sections_encode(stack_sections *sections, encode_buffer *buffer, uint32_t chain, size_t tail_room);

#endif
