/* SPDX-License-Identifier: MIT */
/**
 * \file export/stack_size.h
 * \brief How large the call stacks of an export become, and a warning before a file is written that viewers cannot
 * open.
 *
 * Formats without a table of callers write all frames of a call stack with each of its nodes, so that the size of the
 * file grows with the square of the depth.
 */
#ifndef EXPORT_STACK_SIZE_H
#define EXPORT_STACK_SIZE_H

#include "export/stack_tree.h"
#include "export/targets.h"

/** Bytes of a frame in a call stack. */
typedef uint64_t (*stack_frame_size)(const stack_tree *tree, uint32_t frame);

/** A frame that is written as a number in decimal digits, and a comma. */
uint64_t stack_size_digits(const stack_tree *tree, uint32_t frame);

/** A frame that is written as a varint of Protocol Buffers. */
uint64_t stack_size_varint(const stack_tree *tree, uint32_t frame);

/** A frame that is written as its name and a separator. */
uint64_t stack_size_name(const stack_tree *tree, uint32_t frame);

/**
 * The greatest number of frames with which the call stacks of a tree take no more room than export files may without
 * being asked for: 64 MB, or twenty times the size of the log. Returns no less than 16, and stack_tree::max_depth if
 * that fits, or if memory is exhausted.
 */
uint32_t stack_size_fit(const log_report *report, const stack_tree *tree, stack_frame_size size_of);

/**
 * Prints a warning if the call stacks of a tree need more bytes than export_target::stack_limit, with the depth at
 * which they need less. export_file::is_size_noted is then set. Returns 0 if out of memory.
 */
int stack_size_check(const export_job *job, const log_report *report, const stack_tree *tree, stack_frame_size size_of,
		     export_file *file);

#endif
