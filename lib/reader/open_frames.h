/* SPDX-License-Identifier: MIT */
/**
 * \file reader/open_frames.h
 * \brief Follows which methods are open on each thread's call stack, by the rules of doc/format.md, 4.3 and 4.8, and
 * resolves implicit leaves.
 *
 * A stack is an array while events are followed. Its state can be stored as one number, a node of a tree that all
 * stacks share: a node is a method on top of another node. Frames that a stack has in common with one stored before
 * need no further memory.
 */
#ifndef READER_OPEN_FRAMES_H
#define READER_OPEN_FRAMES_H

#include "reader/reader_internal.h"

void open_frames_init(open_frames *frames, memory_budget *budget);
void open_frames_destroy(open_frames *frames);

/**
 * Sets \p index to the index of a thread, which is added if it is new. The index never changes. Returns #MPROF_OK;
 * #MPROF_ERR_MEMORY or #MPROF_ERR_LIMIT.
 */
mprof_status open_frames_thread(open_frames *frames, uint64_t thread, size_t *index);

/** Invalidates the state of all stacks. */
static inline void open_frames_forget(open_frames *frames)
{
	frames->generation++;
}

void open_stack_destroy(open_stack *stack, const mprof_allocator *allocator);

/** The frames of a stack, outermost first. */
static inline open_frame *open_stack_frames(const open_stack *stack)
{
	return stack->calls.frames;
}

/** Returns the slot of the stack that a thread is on. Valid until the next event is followed or a thread is added. */
static inline open_slot *open_frames_slot(const open_frames *frames, size_t thread)
{
	open_thread *found = &frames->threads[thread];

	return found->other != 0 ? &frames->slots[found->other - 1] : &found->initial;
}

/**
 * Stores the state of a stack in the tree; \p node receives its node. Returns #MPROF_OK; #MPROF_ERR_MEMORY or
 * #MPROF_ERR_LIMIT, and \p node is then 0.
 */
mprof_status open_frames_keep(open_frames *frames, open_stack *stack, uint32_t *node);

/** Sets a stack to the state of a node, and sets the mark. Returns #MPROF_OK; #MPROF_ERR_MEMORY or #MPROF_ERR_LIMIT. */
mprof_status open_frames_restore(open_frames *frames, open_stack *stack, uint32_t node);

/**
 * Sets \p node to the node of a method on top of the node \p parent. Returns #MPROF_OK; #MPROF_ERR_MEMORY or
 * #MPROF_ERR_LIMIT.
 */
mprof_status open_frames_push(open_frames *frames, uint32_t parent, uint32_t method, uint32_t *node);

/**
 * Stores, for the index, the state in which the followed block found and left each stack that it touched. \p is_whole:
 * all its events were followed. \p gaps: as in open_origin. Returns #MPROF_OK; #MPROF_ERR_MEMORY.
 */
mprof_status open_frames_index_block(open_frames *frames, int is_whole, uint32_t gaps);

/** The node of a stack at the end of the index; #CALL_BASE_UNKNOWN if unreadable blocks may have changed it. */
uint32_t open_frames_end_node(const open_frames *frames, const open_slot *slot);

/**
 * Follows \p count events of the block that open_frames_begin() began. If \p resolves is set, implicit leaves become
 * leaves with their method (0 if not known) and #MPROF_EVENT_FLAG_IMPLICIT. Returns #MPROF_OK; #MPROF_ERR_MEMORY or
 * #MPROF_ERR_LIMIT, and the stack is then unknown from some event on.
 */
mprof_status open_frames_follow(open_frames *frames, mprof_event *events, size_t count, int resolves);

/* The open calls of a reader, from block to block. */

void reader_frames_init(mprof_reader *reader, const mprof_reader_options *options);
void reader_frames_destroy(mprof_reader *reader);

/** Whether the open calls are followed through the events of the loaded block. */
int reader_frames_are_followed(const mprof_reader *reader);

/**
 * Sets the stack that the thread of the loaded EVENTS block is on at the start of the block; has no effect if that was
 * done. Returns #MPROF_OK; #MPROF_ERR_MEMORY; #MPROF_ERR_LIMIT.
 */
mprof_status reader_frames_begin(mprof_reader *reader);

/** Follows the events that were fetched, and sets the methods of implicit leaves. */
void reader_frames_attach(mprof_reader *reader, mprof_event *events, size_t count);

/**
 * Notes that events of the loaded block are not followed: the methods of implicit leaves after them are unknown.
 */
void reader_frames_pass(mprof_reader *reader);

/** Prepares for fetching the events of the loaded block from the first one again. */
void reader_frames_rewind(mprof_reader *reader);

/** Leaves the loaded block. The stack of its thread is kept for the thread's next block. */
void reader_frames_leave(mprof_reader *reader);

/** Discards the open calls, because reading continues at \p offset, or events before \p offset are missing. */
void reader_frames_forget(mprof_reader *reader, uint64_t offset);

#endif
