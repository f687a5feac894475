/* SPDX-License-Identifier: MIT */
/**
 * \file model/call_stack.h
 * \brief What methods a thread is in.
 *
 * The stack is not stored: it is the path from a node of the call tree to the root. If no call tree is kept, the tree
 * holds the stacks of all threads and nothing else, and what a node has gathered goes to its method when it is popped.
 */
#ifndef MODEL_CALL_STACK_H
#define MODEL_CALL_STACK_H

#include "model/call_tree.h"
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
	uint64_t fruitless_steps;    /**< How many frames were looked at for leaves that match none. */
} call_model;

typedef struct call_stack {
	uint32_t top;    /**< Node of the top frame, #CALL_TREE_ROOT if there is none. */
	int needs_care;  /**< The short ways do not hold: there is no call tree, frames are folded, or one compiles. */
	uint64_t folded; /**< Frames above the greatest depth; they count as one with that below them. */
	uint64_t compilations; /**< Frames in which a method is being compiled. */
	hash_map live;         /**< Without a call tree: number of frames by method. */
} call_stack;

/** Returns 0 if there is no memory; call_model_destroy() is right then too. */
int call_model_init(call_model *model, const mprof_allocator *allocator, record_table *methods, int keeps_tree,
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

/** Time passes in the method on top. */
static inline void call_stack_pass(call_model *model, const call_stack *stack, uint64_t counters)
{
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

	/* There is none where frames are folded, nor without a call tree. */
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
