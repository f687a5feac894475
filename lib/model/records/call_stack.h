/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/call_stack.h
 * \brief The methods that a thread is in.
 *
 * The stack is not stored: it is the path from a node of the call tree to the root. If no call tree is kept, the tree
 * holds only the stacks of all threads, and the sums of a node are added to its method when it is popped.
 *
 * When there is no memory for more paths, calls that would need a new node become folded frames above the top node:
 * their times are added to their methods, and in the tree to that node.
 */
#ifndef MODEL_RECORDS_CALL_STACK_H
#define MODEL_RECORDS_CALL_STACK_H

#include "base/call_frames.h"
#include "base/memory_budget.h"
#include "model/records/call_tree.h"
#include "model/records/durations.h"
#include "model/records/record_table.h"

/** A call that is open, by its depth on a stack. */
typedef struct open_call {
	uint64_t time;    /**< Of the stack, when it began: call_stack::time. */
	uint64_t counter; /**< Of the log, when it began. */
} open_call;

/** Entries of the cache of calls. With more, it would displace the nodes from the processor's second level cache. */
#define CALL_MODEL_CACHED 65536

/** State that the stacks of all threads share. */
typedef struct call_model {
	call_tree tree;
	record_table *methods;
	int keeps_tree;
	uint32_t max_depth;
	uint32_t free_node; /**< Without a call tree: free nodes, linked by next_sibling; 0 if none. */
	uint64_t unmatched_leaves;
	uint64_t unclosed_frames;    /**< Frames that were open when their thread or stack ended. */
	uint64_t interrupted_frames; /**< Frames of stacks that became unknown: see
	                                  mprof_profile_totals::interrupted_frames. */
	mprof_allocator allocator;   /**< For the folded frames. */
	const memory_budget *budget; /**< Consulted when memory is refused; may be NULL. */
	uint64_t folded_calls;       /**< Calls that have no node. */
	uint64_t left_out;           /**< Calls that were left out because there was no memory even for a folded
	                                  frame. */
	uint64_t folded_at_root;     /**< Time in folded frames that have no node below them. */
	uint64_t shown_at_root;      /**< folded_at_root as of the last mprof_profile_finish(). */
	uint32_t changed;            /**< Head of the list of methods whose method_record::closed or jit is not 0: see
	                                  link_method(). */
	uint32_t open;               /**< Head of the list of methods whose method_record::open is not 0. */
	uint32_t counts;             /**< 1; 0 outside of the window: calls are tracked but not counted. */
	uint64_t searched;           /**< By leaves: see #CALL_FRAMES_MAX_SEARCHED. */
	uint64_t searched_otherwise; /**< Frames visited by other searches. */
	call_durations durations;    /**< Of single calls, if requested. */
	/**
	 * By call_model_cache_index(): a node of the tree, or #CALL_TREE_ROOT. For methods that are called on several
	 * paths in turn, whose next node is not in call_tree::latest. Results do not depend on it, so its size is
	 * fixed, and not part of the memory budget.
	 */
	uint32_t cached[CALL_MODEL_CACHED];
} call_model;

/** A frame that has no node because there was no memory for one. Times are those of call_stack::folded_time. */
typedef struct folded_frame {
	uint32_t method;
	uint32_t is_outermost; /**< No frame below it is of the same method. */
	uint64_t start;
	uint64_t inner; /**< Time in frames that it called and that are closed. */
	open_call open; /**< If durations are measured. */
} folded_frame;

typedef struct call_stack {
	uint32_t top;          /**< Node of the top frame, #CALL_TREE_ROOT if none. */
	int needs_slow_path;   /**< The fast path does not apply: there is no call tree, calls are folded, or a method
	                            is being compiled. */
	uint64_t folded;       /**< Calls above the maximum depth; their time goes to the frame below them. */
	call_frames deeper;    /**< The methods of the outermost of these: of all up to #CALL_FRAMES_MAX. */
	uint64_t compilations; /**< Frames in which a method is being compiled. */
	hash_map live;         /**< Without a call tree: number of frames by method. */
	folded_frame *frames;  /**< Folded frames, above the top node. */
	size_t frame_count;
	size_t frame_capacity;
	uint64_t folded_time; /**< Time, in counters, since the oldest of these frames was pushed. */
	/*
	 * If durations are measured: the calls of the nodes on the path, by depth - 1, and the time that has passed on
	 * this stack, also outside the window. It does not pass while the thread is on another stack.
	 */
	open_call *open;
	size_t open_capacity;
	uint64_t time;
	/**
	 * As of the last mprof_profile_finish(), if a thread is on it and a call is open: counters from the last event
	 * of the thread to the end of the log. Not part of the sums above.
	 */
	uint64_t extension;
} call_stack;

/** The entry of a call in call_model::cached. A weak hash: a collision only costs a search. */
static inline uint32_t call_model_cache_index(uint32_t parent, uint32_t method)
{
	return (parent * UINT32_C(0x9e3779b1) ^ method * UINT32_C(0x85ebca6b)) >> 16;
}

/** Returns 0 if there is no memory; call_model_destroy() may be called in that case, too. */
int call_model_init(call_model *model, memory_budget *budget, record_table *methods, int keeps_tree,
		    uint32_t max_depth);
void call_model_destroy(call_model *model);

void call_stack_init(call_stack *stack, const call_model *model);
void call_stack_destroy(call_stack *stack);

/**
 * The slow path, which handles all cases: enters a method, leaves a method, or leaves the method on top. Entering
 * returns 0, changing nothing, if there is no memory.
 */
int call_stack_enter_slow(call_model *model, call_stack *stack, uint32_t method);
void call_stack_leave_slow(call_model *model, call_stack *stack, uint32_t method);
void call_stack_leave_top_slow(call_model *model, call_stack *stack);

/**
 * The start of a compilation pushes a frame; the end pops it and all frames above it. Requires a call tree. The start
 * returns 0, changing nothing, if there is no memory. A compilation above the maximum depth, or one whose start is not
 * found, changes nothing either.
 */
int call_stack_begin_compilation(call_model *model, call_stack *stack, uint32_t method);
void call_stack_end_compilation(call_model *model, call_stack *stack, uint32_t method);

/** Closes all frames. Returns the number of frames that were open. */
uint64_t call_stack_clear(call_model *model, call_stack *stack);

/** The number of open frames of methods, including folded ones, without compilations. */
uint64_t call_stack_depth(const call_model *model, const call_stack *stack);

/** Links a method before its method_record::counted, closed or jit changes: for call_model_show_methods(). */
void call_model_mark_changed(call_model *model, method_record *record);

/**
 * Adds method_record::counted, closed and jit of the linked methods to the sums that they show, and sets all
 * method_record::open to 0. Nothing stops it halfway.
 */
void call_model_show_methods(call_model *model, progress *going);

/** Sets method_record::counted and active to 0. */
void call_model_forget_counts(call_model *model);

/** The method_record::open of a method, to be added to; it is valid until the next call_model_show_methods(). */
call_sums *call_model_open_sums(call_model *model, method_record *record);

/** Adds the times of open folded frames to method_record::open, and leaves the frames open. */
void call_stack_show_folded(call_model *model, const call_stack *stack);

/** The slow path of call_stack_measure(): keeps a call of a node if it is one of the slowest of its method. */
void call_stack_keep_slow(call_model *model, duration_record *record, uint32_t number, const slow_call *call);

/**
 * Counts the duration of a call on a stack: that of a node of the tree, which began as \p open states and ends at a
 * time of the stack.
 */
static inline void call_stack_measure(call_model *model, uint32_t number, const open_call *open, uint64_t time)
{
	const slow_call call = {.duration = time - open->time,
				.start = open->counter,
				.thread = model->durations.thread,
				.node = model->keeps_tree ? number : CALL_TREE_ROOT};
	duration_record *record =
		call_durations_add(&model->durations, model->tree.nodes[number].method, call.duration);

	if (record != NULL)
		call_stack_keep_slow(model, record, number, &call);
}

/** Adds a time, in counters, to the top method. */
static inline void call_stack_pass(call_model *model, call_stack *stack, uint64_t counters)
{
	if (stack->frame_count > 0) {
		stack->folded_time += counters;
		/* The time of the root is time in no method. */
		if (stack->top == CALL_TREE_ROOT) {
			model->folded_at_root += counters;
			return;
		}
	}
	call_tree_mark_changed(&model->tree, stack->top);
	model->tree.nodes[stack->top].self += counters;
}

/** No node: the slow path is required. */
#define CALL_STACK_SLOW_PATH UINT32_MAX

/**
 * The fast path, for a caller that keeps the top of the stack in a variable while it reads events. These functions
 * return the new top node after a call or a return, or #CALL_STACK_SLOW_PATH if the slow path is required. They change
 * nothing: the caller counts the call.
 */
static inline uint32_t call_stack_after_enter(call_model *model, uint32_t top, uint32_t method)
{
	uint32_t child = call_tree_latest(&model->tree, top, method);

	if (child == CALL_TREE_ROOT)
		child = call_tree_known(&model->tree, model->cached[call_model_cache_index(top, method)], top, method);
	/*
	 * There is no such node if frames are folded, or without a call tree. A node that is not marked as changed is
	 * not returned either, so that this path need not mark any.
	 */
	return __builtin_expect(child == CALL_TREE_ROOT, 0) ? CALL_STACK_SLOW_PATH : child;
}

/** \p below is the node below the top, or #CALL_TREE_ROOT. */
static inline uint32_t call_stack_after_leave_top(const call_stack *stack, uint32_t top, uint32_t below)
{
	return top != CALL_TREE_ROOT && !stack->needs_slow_path ? below : CALL_STACK_SLOW_PATH;
}

static inline uint32_t call_stack_after_leave(const call_model *model, const call_stack *stack, uint32_t top,
					      uint32_t below, uint32_t method)
{
	return model->tree.nodes[top].method == method ? call_stack_after_leave_top(stack, top, below)
						       : CALL_STACK_SLOW_PATH;
}

#endif
