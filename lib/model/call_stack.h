/* SPDX-License-Identifier: MIT */
/**
 * \file model/call_stack.h
 * \brief What methods a thread is in.
 *
 * The stack is not stored: it is the path from a node of the call tree to the root. If no call tree is kept, the tree
 * holds the stacks of all threads and nothing else, and what a node has gathered goes to its method when it is popped.
 *
 * When there is no memory for more paths, calls that would need a new node become folded frames above the node on top:
 * what they gather goes to their methods, and in the tree to that node.
 */
#ifndef MODEL_CALL_STACK_H
#define MODEL_CALL_STACK_H

#include "model/call_tree.h"
#include "base/memory_budget.h"
#include "model/record_table.h"

/** What the stacks of all threads have in common. */
typedef struct call_model {
	call_tree tree;
	record_table *methods;
	int keeps_tree;
	uint32_t max_depth;
	uint32_t free_node; /**< Without a call tree: nodes to be used again, linked by next_sibling; 0 if none. */
	uint64_t unmatched_leaves;
	uint64_t unclosed_frames;    /**< Of threads that ended. */
	uint64_t interrupted_frames; /**< Of stacks that were lost when recording was stopped for a while. */
	mprof_allocator allocator;   /**< For the folded frames. */
	const memory_budget *budget; /**< What a refusal of memory is asked of; may be NULL. */
	uint64_t folded_calls;       /**< Calls that have no node. */
	uint64_t left_out;           /**< Calls for which there was not even memory for a folded frame. */
	uint64_t folded_at_root;     /**< Time in folded frames that are above no node. */
	uint64_t shown_at_root;      /**< The same as of the last finish. */
	uint32_t changed;            /**< The methods with method_record::closed or jit, linked: see link_method(). */
	uint32_t open;               /**< Those with method_record::open, likewise. */
	uint32_t counts;             /**< 1; 0 outside of the window: calls are followed and not counted. */
	uint64_t fruitless_steps;    /**< How many frames were looked at for leaves that match none. */
} call_model;

/** A frame without a node, because there is no memory for it. Times are those of call_stack::folded_time. */
typedef struct folded_frame {
	uint32_t method;
	uint32_t is_outermost; /**< The method has no other frame below it. */
	uint64_t start;
	uint64_t inner; /**< Time in the frames that it called and that are closed. */
} folded_frame;

typedef struct call_stack {
	uint32_t top;    /**< Node of the top frame, #CALL_TREE_ROOT if there is none. */
	int needs_care;  /**< The short ways do not hold: there is no call tree, frames are folded, or one compiles. */
	uint64_t folded; /**< Frames above the greatest depth; they count as one with that below them. */
	uint64_t compilations; /**< Frames in which a method is being compiled. */
	hash_map live;         /**< Without a call tree: number of frames by method. */
	folded_frame *frames;  /**< Above the node on top. */
	size_t frame_count;
	size_t frame_capacity;
	uint64_t folded_time; /**< Passed since there are such frames. */
} call_stack;

/** Returns 0 if there is no memory; call_model_destroy() is right then too. */
int call_model_init(call_model *model, memory_budget *budget, record_table *methods, int keeps_tree,
		    uint32_t max_depth);
void call_model_destroy(call_model *model);

void call_stack_init(call_stack *stack, const call_model *model);
void call_stack_destroy(call_stack *stack);

/** The ways that always hold. Entering returns 0 if there is no memory, and changes nothing. */
int call_stack_enter_carefully(call_model *model, call_stack *stack, uint32_t method);
void call_stack_leave_carefully(call_model *model, call_stack *stack, uint32_t method);
void call_stack_leave_top_carefully(call_model *model, call_stack *stack);

/**
 * A compilation begins, as a frame, and ends with all that is above it. Only with a call tree. Beginning returns 0 if
 * there is no memory, and changes nothing; one that is too deep or is not found changes nothing either.
 */
int call_stack_begin_compilation(call_model *model, call_stack *stack, uint32_t method);
void call_stack_end_compilation(call_model *model, call_stack *stack, uint32_t method);

/** Closes all frames. Returns how many were open. */
uint64_t call_stack_clear(call_model *model, call_stack *stack);

/** Frames of methods that are open. */
uint64_t call_stack_depth(const call_model *model, const call_stack *stack);

/** Marks a method of which method_record::closed or jit changes, so that call_model_show_methods() finds it. */
void call_model_mark_changed(call_model *model, method_record *record);

/** Adds method_record::closed and jit of the marked methods to what they show, and sets all method_record::open to 0. */
void call_model_show_methods(call_model *model);

/** The method_record::open of a method, to be added to: until the next call_model_show_methods(). */
call_sums *call_model_open_sums(call_model *model, method_record *record);

/** Adds what folded frames that are open have gathered to method_record::open, and leaves them open. */
void call_stack_show_folded(call_model *model, const call_stack *stack);

/** Time passes in the method on top. */
static inline void call_stack_pass(call_model *model, call_stack *stack, uint64_t counters)
{
	if (stack->frame_count > 0) {
		stack->folded_time += counters;
		/* What the root gathers is time in no method. */
		if (stack->top == CALL_TREE_ROOT) {
			model->folded_at_root += counters;
			return;
		}
	}
	call_tree_mark_changed(&model->tree, stack->top);
	model->tree.nodes[stack->top].self += counters;
}

/** No node: the careful ways are to be taken. */
#define CALL_STACK_CAREFULLY UINT32_MAX

/**
 * The short ways, for who holds the top of the stack while it reads event after event: the node that is the top after
 * entering or leaving, or #CALL_STACK_CAREFULLY if that is not known without care; nothing has changed then.
 */
static inline uint32_t call_stack_after_enter(call_model *model, uint32_t top, uint32_t method)
{
	uint32_t child = call_tree_latest(&model->tree, top, method);

	/*
	 * There is none where frames are folded, nor without a call tree. One that is not marked as changed is as if it
	 * were none, so that marking costs nothing here.
	 */
	if (__builtin_expect(child == CALL_TREE_ROOT, 0))
		return CALL_STACK_CAREFULLY;
	model->tree.nodes[child].calls++;
	return child;
}

static inline uint32_t call_stack_after_leave_top(const call_model *model, const call_stack *stack, uint32_t top)
{
	return top != CALL_TREE_ROOT && !stack->needs_care ? model->tree.nodes[top].parent : CALL_STACK_CAREFULLY;
}

static inline uint32_t call_stack_after_leave(const call_model *model, const call_stack *stack, uint32_t top,
					      uint32_t method)
{
	return model->tree.nodes[top].method == method ? call_stack_after_leave_top(model, stack, top)
						       : CALL_STACK_CAREFULLY;
}

#endif
