/* SPDX-License-Identifier: MIT */
/**
 * \file flame/invert.h
 * \brief The inverse of a tree of call stacks: the children of a frame are its callers.
 */
#ifndef FLAME_INVERT_H
#define FLAME_INVERT_H

#include "export/stack_tree.h"

/**
 * Makes the inverse of a tree: the nodes below the root are the frames with a value of their own, and the totals of
 * these are the sums of all nodes of the frame. Callers beyond \p max_depth frames are left out, and so are those of
 * frames whose own value is less than \p least. NULL after a message if out of memory. The caller frees the result with
 * stack_tree_destroy().
 */
stack_tree *flame_invert(const stack_tree *tree, uint32_t max_depth, uint64_t least);

#endif
