/* SPDX-License-Identifier: MIT */
/**
 * \file export/stack_calls.h
 * \brief Adds call paths of a report to a tree, for what was allocated or awaited in them.
 *
 * The filters of frames apply to a call path as they do to a call stack.
 */
#ifndef STACK_CALLS_H
#define STACK_CALLS_H

#include "export/stack_nodes.h"

/** Initialized with 0. */
typedef struct stack_calls {
	size_t count;
	uint32_t *nodes;       /**< By node of the call tree: that of the tree. */
	unsigned char *states; /**< By node of the call tree. */
	key_map choices;       /**< What the filters do with a method. */
} stack_calls;

/** Marks a node of the call tree, before stack_calls_add(). Returns 0 if out of memory. */
int stack_calls_mark(stack_calls *calls, const log_report *report, uint32_t call);

/** Adds the paths of all marked nodes that the filters keep. Returns 0 if out of memory. */
int stack_calls_add(stack_calls *calls, stack_tree *tree, const log_report *report);

/** Gets the node of the tree for a marked node of the call tree. Returns 0 if the filters leave it out. */
int stack_calls_get(const stack_calls *calls, const log_report *report, uint32_t call, uint32_t *node);
void stack_calls_release(stack_calls *calls);

#endif
