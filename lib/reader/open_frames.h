/* SPDX-License-Identifier: MIT */
/**
 * \file reader/open_frames.h
 * \brief Which methods are open on each thread's call stack, by the rules of doc/format.md, 4.3 and 4.8; it resolves
 * implicit leaves.
 *
 * A stack is an array while events are followed. Its state can be kept as one number, a node of a tree that all stacks
 * share: a node is a method on top of another node. What a stack has in common with one that was kept before costs
 * nothing again.
 */
#ifndef READER_OPEN_FRAMES_H
#define READER_OPEN_FRAMES_H

#include <mprof/format.h>

#include "base/hash_map.h"
#include "base/memory_budget.h"

/** What is under the lowest frame of a stack; the first nodes of the tree have the same numbers. */
typedef enum open_base {
	OPEN_BASE_EMPTY = 1,  /**< Nothing. */
	OPEN_BASE_GAP = 2,    /**< Frames that were not recorded; events do not refer to them. */
	OPEN_BASE_UNKNOWN = 3 /**< Frames of events that were not read. */
} open_base;

/** A method that is open. */
typedef struct open_frame {
	uint32_t method;
	uint32_t node; /**< Of the tree: this frame and those under it. 0: none yet. */
} open_frame;

/** A call stack. */
typedef struct open_stack {
	open_frame *frames; /**< The outermost first. */
	size_t depth;
	size_t capacity;
	uint32_t base;      /**< An #open_base. */
	uint32_t mark_base; /**< base at the mark. */
	size_t mark;        /**< depth at the mark. */
	size_t low;         /**< From here up to the mark the frames are not what they were at the mark: */
	open_frame *saved;  /**< they were these, the last one first. */
	size_t saved_capacity;
} open_stack;

/** A thread's own call stack, or one that threads switch to (doc/format.md, 4.8), between events. */
typedef struct open_slot {
	open_stack stack;
	uint64_t number;     /**< 0: a thread's own. */
	uint64_t generation; /**< The slot is current if this is that of open_frames. */
	uint64_t left;       /**< Counter when it was last left. */
	size_t holder;       /**< Place of the thread that is on it, plus 1; 0: none. Not of a thread's own. */
	uint64_t block;      /**< The last block that touched it, as open_frames counts them. */
	size_t touch;        /**< Its record of that block. */
	int is_ended;        /**< The block that is being followed ended it. */
	uint32_t end_node;   /**< The stack where the index ends; 0: the index has no block with it. */
	uint32_t end_gaps;   /**< Blocks that could not be read up to there: if there are more now, it does not hold. */
	uint64_t end_left;   /**< left where the index ends. */
	size_t end_holder;   /**< holder where the index ends. */
} open_slot;

/** A thread of the log. */
typedef struct open_thread {
	uint64_t thread;
	open_slot own;
	size_t other;        /**< Place of the stack that it is on, plus 1; 0: its own. */
	int is_lost;         /**< It is not known which stack it is on. What is followed is in own until it switches. */
	uint64_t generation; /**< What is known of it is current if this is that of open_frames. */
	size_t end_other;    /**< other where the index ends. */
	uint32_t end_gaps;   /**< As in open_slot. */
} open_thread;

/** A stack that the followed block touched, and what undoes that. */
typedef struct open_touch {
	size_t other; /**< As in open_thread. */
	uint64_t generation;
	uint64_t left;
	size_t holder;
	uint32_t node; /**< What was open on it when the block came to it; only while the index is made. */
} open_touch;

/** What was open on a stack when a block of the index first came to it. */
typedef struct open_switch {
	uint64_t number;
	uint32_t node;
} open_switch;

/** Where what is known at the start of a block comes from. */
typedef enum open_source {
	OPEN_FROM_NOTHING, /**< Events are missing before it. */
	OPEN_FROM_START,   /**< All was read from the start of the log. */
	OPEN_FROM_INDEX,   /**< The block is in the index. */
	OPEN_FROM_END      /**< All was read from the end of the index. */
} open_source;

/** What the index says of the start of a block. */
typedef struct open_origin {
	open_source source;
	uint32_t frames;     /**< Node of the stack that its thread is on; 0 if not known. */
	uint64_t stack;      /**< The number of that stack. */
	uint64_t gap;        /**< As in open_frames. */
	size_t first_switch; /**< Of the block, in the order in which it comes to stacks. */
	size_t switch_count;
	uint32_t gaps; /**< Blocks that could not be read when the index was made. */
} open_origin;

/** The first node that is a frame. */
#define OPEN_FRAMES_FIRST_NODE 4

/** A node of the tree. */
typedef struct open_node {
	uint32_t parent; /**< A smaller number; 0 of an #open_base. */
	uint32_t method;
} open_node;

typedef struct open_frames {
	memory_budget *budget; /**< Counts the memory. Borrowed. */
	open_thread *threads;
	size_t thread_count;
	size_t thread_capacity;
	hash_map by_thread; /**< Places in threads. */
	open_slot *slots;   /**< Stacks that are no thread's own. */
	size_t slot_count;
	size_t slot_capacity;
	size_t free_slot;         /**< A free place, plus 1; holder of that is the next one. 0: none. */
	hash_map by_number;       /**< Places in slots. */
	uint64_t generation;      /**< Grows when what is known of the stacks does not hold any more. */
	uint64_t fruitless_steps; /**< Frames looked at for leaves of methods that are not open. */
	open_node *nodes;
	size_t node_count;
	size_t node_capacity;
	hash_map by_step; /**< Nodes by parent and method. */
	uint64_t gap;     /**< The latest counter at which recording was stopped for a while; 0: none. */
	uint64_t gap_generation;
	/* The block that is being followed. */
	uint64_t block; /**< Counts blocks. */
	size_t current; /**< Place of its thread. */
	open_origin origin;
	open_touch *touches; /**< The first one is the stack on which the block starts. */
	size_t touch_count;
	size_t touch_capacity;
	int misses_touch; /**< There was no room for one: the block cannot be taken back. */
	uint64_t start_gap;
	size_t start_other;
	int start_is_lost;
	/* The index. */
	int makes_index;
	open_switch *switches;
	size_t switch_count;
	size_t switch_capacity;
	uint64_t end_gap; /**< gap where the index ends. */
} open_frames;

void open_frames_init(open_frames *frames, memory_budget *budget);
void open_frames_destroy(open_frames *frames);

/** Finds a thread, which is made if there is none; its place stays. Returns #MPROF_OK; #MPROF_ERR_MEMORY or _LIMIT. */
mprof_status open_frames_thread(open_frames *frames, uint64_t thread, size_t *place);

/** What is known of all stacks does not hold any more. */
static inline void open_frames_forget(open_frames *frames)
{
	frames->generation++;
}

void open_stack_destroy(open_stack *stack, const mprof_allocator *allocator);

/** Empties a stack and sets what is under it. */
void open_stack_clear(open_stack *stack, open_base base);

/** Sets the mark, to which open_stack_take_back() goes. Costs nothing, however deep the stack is. */
static inline void open_stack_set_mark(open_stack *stack)
{
	stack->mark = stack->depth;
	stack->low = stack->depth;
	stack->mark_base = stack->base;
}

/** The stack is what it was at the mark. */
void open_stack_take_back(open_stack *stack);

/** The slot of the stack that a thread is on. Valid until the next event is followed. */
static inline open_slot *open_frames_slot(const open_frames *frames, size_t thread)
{
	open_thread *found = &frames->threads[thread];

	return found->other != 0 ? &frames->slots[found->other - 1] : &found->own;
}

/**
 * A block of a thread starts; what the last one did cannot be taken back any more. Returns #MPROF_OK;
 * #MPROF_ERR_MEMORY or #MPROF_ERR_LIMIT, where the stack is not known.
 */
mprof_status open_frames_begin(open_frames *frames, size_t thread, const open_origin *origin);

/** All stacks are what they were at the start of the block. Returns 0 if that cannot be: what is known is lost. */
int open_frames_take_back(open_frames *frames);

/**
 * The block's thread switches to a stack, or a stack ends. Returns #MPROF_OK; #MPROF_ERR_MEMORY or #MPROF_ERR_LIMIT,
 * where it is not known on which stack the thread is.
 */
mprof_status open_frames_switch(open_frames *frames, uint64_t number, uint64_t counter);
mprof_status open_frames_end(open_frames *frames, uint64_t number, uint64_t counter);

/** The block's thread starts: it is on its own stack, which is empty. Returns as open_frames_switch(). */
mprof_status open_frames_start_thread(open_frames *frames, uint64_t counter);

/** Recording was stopped from a counter on. */
void open_frames_resume(open_frames *frames, uint64_t stopped);

/** Finds a stack that is no thread's own, which is made if there is none; \p other as in open_thread. */
mprof_status open_frames_find_slot(open_frames *frames, uint64_t number, size_t *other);

/**
 * The followed block is in the index: keeps what it found on the stacks that it came to, and how it left them.
 * \p is_whole: all its events were followed. \p gaps: as in open_origin. Returns #MPROF_OK; #MPROF_ERR_MEMORY.
 */
mprof_status open_frames_index_block(open_frames *frames, int is_whole, uint32_t gaps);

/**
 * Follows events of the block. Where \p resolves is set, implicit leaves become leaves with their method (0 if it is
 * not known) and #MPROF_EVENT_FLAG_IMPLICIT. Returns #MPROF_OK; #MPROF_ERR_MEMORY or #MPROF_ERR_LIMIT, where the stack
 * was not known from some event on.
 */
mprof_status open_frames_follow(open_frames *frames, mprof_event *events, size_t count, int resolves);

/** The node of a stack. Returns #MPROF_OK; #MPROF_ERR_MEMORY or #MPROF_ERR_LIMIT, and \p node is 0 then. */
mprof_status open_frames_keep(open_frames *frames, open_stack *stack, uint32_t *node);

/** Sets a stack to what was kept, and the mark there. Returns #MPROF_OK; #MPROF_ERR_MEMORY or #MPROF_ERR_LIMIT. */
mprof_status open_frames_restore(open_frames *frames, open_stack *stack, uint32_t node);

/** Adds a node as it was saved. Returns #MPROF_OK; #MPROF_ERR_MALFORMED; #MPROF_ERR_MEMORY; #MPROF_ERR_LIMIT. */
mprof_status open_frames_add_node(open_frames *frames, uint32_t parent, uint32_t method);

#endif
