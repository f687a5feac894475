/* SPDX-License-Identifier: MIT */
/**
 * \file export/stack_tree.h
 * \brief One tree of the call stacks of a log, weighted by a value, for exports and flame graphs.
 *
 * The tree has the filters of the report that it is made from, and its total is that of the report. The innermost frame
 * of allocations, waits and handles is the class of the object. Of a heap snapshot, the call stack of an object is its
 * path from a root: the root, then each class with the field that refers to the next object, then the class of the
 * object. Steps that repeat, as in a list, are one.
 */
#ifndef EXPORT_STACK_TREE_H
#define EXPORT_STACK_TREE_H

#include "export/stack_nodes.h"

typedef struct stack_tree_options {
	const char *path;     /**< The log, for #EXPORT_HEAP, which reads it once more. See spooled_path(). */
	uint64_t heap_shot;   /**< Which heap snapshot, from 1; 0 for the last. */
	uint64_t heap_memory; /**< Maximum memory of the heap graph in MiB; 0 for the default. */
	uint32_t max_depth;   /**< See stack_tree::max_depth. */
	int by_line;          /**< Frames in different lines are different frames. */
	int names_lines;      /**< See stack_tree::names_lines. */
	uint32_t sample_kind; /**< Of #EXPORT_KIND: the type of the kind; 0: report_options::sample_kind. */
	int is_only;          /**< Options that make no difference to this value are refused. */
} stack_tree_options;

/**
 * Makes the tree of a value; #EXPORT_VALUE_DEFAULT: of the main content of the log. \p report was read. Returns
 * #STATUS_OK, or #STATUS_DAMAGED after a message if a heap snapshot is incomplete. Without a tree, returns after a
 * message #STATUS_NOTHING if the log has no such data or memory is exhausted, or #STATUS_USAGE if an option has no
 * effect. The caller frees the tree with stack_tree_destroy(). It does not refer to the report.
 */
int stack_tree_create(const log_report *report, export_value value, const stack_tree_options *options,
		      stack_tree **tree);
void stack_tree_destroy(stack_tree *tree);

#endif
