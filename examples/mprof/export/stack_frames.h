/* SPDX-License-Identifier: MIT */
/**
 * \file export/stack_frames.h
 * \brief Adds methods, native code and classes of a report to the frames of a tree.
 *
 * All functions return 0 if out of memory.
 */
#ifndef STACK_FRAMES_H
#define STACK_FRAMES_H

#include "export/stack_nodes.h"

/** A method. \p flags: 0 or #STACK_FRAME_COMPILING. */
int stack_frames_method(stack_tree *tree, const log_report *report, uint32_t method, uint32_t flags, uint32_t *frame);

/** A method or a native function of samples. */
int stack_frames_item(stack_tree *tree, const log_report *report, const sample_item *item, uint32_t *frame);

/** A method, function or module of a tree of frames. \p kind: an #mprof_sample_kind. */
int stack_frames_sampled(stack_tree *tree, const log_report *report, uint32_t kind, uint32_t id, uint32_t flags,
			 uint32_t *frame);

/** Objects of a class; 0 is an unknown class. */
int stack_frames_class(stack_tree *tree, const log_report *report, uint32_t class_id, uint32_t *frame);

/** A text that stands for a missing call stack. */
int stack_frames_note(stack_tree *tree, const char *text, uint32_t *frame);

/**
 * Adds the functions at a location of native code below a node, the inlined ones last. \p node receives the innermost
 * one. \p is_return: the location is a return address.
 */
int stack_frames_add_location(stack_tree *tree, const log_report *report, uint32_t location, int is_return,
			      uint32_t *node);

/**
 * Adds the frames of a sample below the root, of which the first is the innermost one: in native code, it is where the
 * thread was, while all others are return addresses. \p node receives the innermost one.
 */
int stack_frames_add_sample(stack_tree *tree, const log_report *report, const mprof_stack_frame *frames, size_t count,
			    uint32_t *node);

#endif
