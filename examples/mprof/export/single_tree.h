/* SPDX-License-Identifier: MIT */
/**
 * \file export/single_tree.h
 * \brief The call stacks of an export whose format holds one value, and a warning before a file is written that
 * viewers cannot open.
 *
 * Formats without a table of callers write all frames of a call stack with each of its nodes, so that the size of the
 * file grows with the square of the depth.
 */
#ifndef EXPORT_SINGLE_TREE_H
#define EXPORT_SINGLE_TREE_H

#include "export/stack_tree.h"
#include "export/targets.h"
#include "export/text_stream.h"

/** Bytes of a frame in a call stack. */
typedef uint64_t (*stack_frame_size)(const stack_tree *tree, uint32_t frame);

/** A frame that is written as a number in decimal digits, and a comma. */
uint64_t stack_size_digits(const stack_tree *tree, uint32_t frame);

/** A frame that is written as a varint of Protocol Buffers. */
uint64_t stack_size_varint(const stack_tree *tree, uint32_t frame);

/** A frame that is written as its name and a separator. */
uint64_t stack_size_name(const stack_tree *tree, uint32_t frame);

/** All values, for export_target::values. */
#define EXPORT_ALL_VALUES ((UINT32_C(1) << EXPORT_VALUES) - 1)

/** The name of what belongs to no frame: the value of the root itself. */
#define SINGLE_TREE_NO_FRAME "(no method)"

/**
 * Makes the tree of a value for a job. Returns a status like stack_tree_create(). The caller frees the tree with
 * stack_tree_destroy(). \p size_of: the size of a frame, for a format that writes all frames of each call stack: unless
 * a depth was requested, the tree is only so deep that the file does not become very large. NULL for other formats.
 */
int single_tree_create(const export_job *job, const log_report *report, export_value value, stack_frame_size size_of,
		       stack_tree **tree);

/**
 * Prints what the frames of a tree lack, before it is written: see stack_size_check(). Returns 0 if out of memory.
 */
int single_tree_check(const export_job *job, const log_report *report, const stack_tree *tree, stack_frame_size size_of,
		      export_file *file);

/** Prints that memory was exhausted. Returns #STATUS_NOTHING. */
int single_tree_lack_memory(const log_report *report);

/** Memory for the frames of one call stack. Initialized with 0. */
typedef struct single_stack {
	uint32_t *frames; /**< Indexes of frames, outermost first. */
	size_t count;
	size_t capacity;
} single_stack;

/** Gets the call stack of a node; the root has none. Returns 0 if out of memory. */
int single_tree_stack(const stack_tree *tree, uint32_t node, single_stack *stack);
void single_stack_release(single_stack *stack);

#endif
