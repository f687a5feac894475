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

#include <mprof/format.h>

#include "base/call_frames.h"
#include "base/hash_map.h"
#include "base/memory_budget.h"

/** An open call of a method. */
typedef struct open_frame {
	uint32_t method;
	uint32_t node; /**< Node of this frame and those under it; 0 if it was not stored yet. */
} open_frame;

/** A call stack. */
typedef struct open_stack {
	call_frames calls;  /**< Its frames are #open_frame. */
	uint32_t mark_base; /**< Its base at the mark. */
	size_t mark;        /**< Its depth at the mark. */
	size_t low;         /**< Frames from low up to mark were overwritten since the mark. */
	open_frame *saved;  /**< The overwritten frames as they were at the mark, last one first. */
	size_t saved_capacity;
} open_stack;

/** A thread's own call stack, or one that threads switch to (doc/format.md, 4.8), between events. */
typedef struct open_slot {
	open_stack stack;
	uint64_t number;     /**< Number of the stack in the log; 0: a thread's own. */
	uint64_t generation; /**< The slot is current if this equals open_frames::generation. */
	uint64_t left_at;    /**< Counter when it was last left. */
	size_t holder;       /**< Index of the thread that is on the stack, plus 1; 0: none. Unused for own stacks. */
	uint64_t block;      /**< open_frames::block at the last block that touched the stack. */
	size_t touch;        /**< Index of its open_touch for that block. */
	int is_ended;        /**< The block that is being followed ended it. */
	uint32_t end_node;   /**< Node of the stack at the end of the index; 0: no block of the index touches the stack,
	                          or it has ended. */
	uint32_t end_gaps;   /**< Number of unreadable blocks in the index when end_node was set. end_node is invalid if
	                          there are more now. */
	uint64_t end_left;   /**< left at the end of the index. */
	size_t end_holder;   /**< holder at the end of the index. */
} open_slot;

/** A thread of the log. */
typedef struct open_thread {
	uint64_t thread;
	open_slot own;
	size_t other;        /**< Index in slots of the stack that it is on, plus 1; 0: its own. */
	int is_lost;         /**< Its current stack is unknown. Events are followed in own until it switches. */
	uint64_t generation; /**< Its state is current if this equals open_frames::generation. */
	size_t end_other;    /**< other at the end of the index. */
	uint32_t end_gaps;   /**< As in open_slot. */
} open_thread;

/** A stack that the followed block touched, with the state that its slot had before. */
typedef struct open_touch {
	size_t other; /**< Which stack: as open_thread::other. */
	uint64_t generation;
	uint64_t left_at;
	size_t holder;
	uint32_t node; /**< Node of the stack when the block first touched it. Set only while the index is built. */
} open_touch;

/** The node of a stack when a block of the index first touched it. */
typedef struct open_switch {
	uint64_t number;
	uint32_t node;
} open_switch;

/** Where the state at the start of a block comes from. */
typedef enum open_source {
	OPEN_FROM_NOTHING, /**< Events are missing before it. */
	OPEN_FROM_START,   /**< All blocks from the start of the log were read. */
	OPEN_FROM_INDEX,   /**< The block is in the index. */
	OPEN_FROM_END      /**< All blocks from the end of the index were read. */
} open_source;

/** The state at the start of a block, from the index. */
typedef struct open_origin {
	open_source source;
	uint32_t frames;     /**< Node of the stack that the block's thread is on; 0 if not known. */
	uint64_t stack;      /**< The number of that stack. */
	uint64_t gap;        /**< As in open_frames. */
	size_t first_switch; /**< Index of the block's first switch. They are in the order of the touches. */
	size_t switch_count;
	uint32_t gaps; /**< Number of unreadable blocks found when the index was built. */
} open_origin;

/** A node of the tree. */
typedef struct open_node {
	uint32_t parent; /**< A smaller number; 0 for a #call_base. */
	uint32_t method;
} open_node;

typedef struct open_frames {
	memory_budget *budget; /**< Accounts for the memory. Borrowed. */
	open_thread *threads;
	size_t thread_count;
	size_t thread_capacity;
	thread_map by_thread; /**< Maps thread IDs to indices in threads. */
	open_slot *slots;     /**< Stacks that are not a thread's own. */
	size_t slot_count;
	size_t slot_capacity;
	size_t free_slot;    /**< Index of a free slot, plus 1; 0: none. holder of a free slot is the index of
	                                  the next free slot, plus 1. */
	hash_map by_number;  /**< Maps numbers of stacks to indices in slots. */
	uint64_t generation; /**< Incremented to invalidate the state of all stacks. */
	uint64_t searched;   /**< Frames that failed searches visited: see #CALL_FRAMES_MAX_SEARCHED. */
	open_node *nodes;
	size_t node_count;
	size_t node_capacity;
	hash_map by_step; /**< Maps parent << 32 | method to nodes. */
	uint64_t gap;     /**< Latest counter at which recording was paused; 0: never. */
	uint64_t gap_generation;
	/* The block that is being followed. */
	uint64_t block; /**< Number of blocks followed. */
	size_t current; /**< Index of its thread. */
	open_origin origin;
	open_touch *touches; /**< The first entry is the stack on which the block starts. */
	size_t touch_count;
	size_t touch_capacity;
	int misses_touch; /**< An entry could not be added, so the block cannot be rolled back. */
	uint64_t start_gap;
	size_t start_other;
	int start_is_lost;
	/* The index. */
	int makes_index;
	open_switch *switches;
	size_t switch_count;
	size_t switch_capacity;
	uint64_t end_gap; /**< gap at the end of the index. */
} open_frames;

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

	return found->other != 0 ? &frames->slots[found->other - 1] : &found->own;
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
 * Begins a block of a thread. The previous block can no longer be rolled back. Returns #MPROF_OK; #MPROF_ERR_MEMORY or
 * #MPROF_ERR_LIMIT, and the stack is then unknown.
 */
mprof_status open_frames_begin(open_frames *frames, size_t thread, const open_origin *origin);

/**
 * Restores all stacks to their state at the start of the block. Returns 0 if that is not possible; the state of all
 * stacks is then invalidated.
 */
int open_frames_roll_back(open_frames *frames);

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

#endif
