/* SPDX-License-Identifier: MIT */
/**
 * \file flame/comparison.h
 * \brief Two trees of call stacks as one, matched by the names of their frames.
 */
#ifndef FLAME_COMPARISON_H
#define FLAME_COMPARISON_H

#include "export/stack_tree.h"

/** A tree with the values of one log, and those of an earlier one for the same nodes. */
typedef struct flame_comparison {
	stack_tree *tree;       /**< All nodes of both; the values are those of the later log. */
	uint64_t *before_self;  /**< By node, in the unit of the earlier log, like the next. */
	uint64_t *before_total; /**< With all nodes below. */
	uint64_t *removed;      /**< By node: the part of before_total in nodes without a value in the later log. */
} flame_comparison;

/** Compares two trees. Returns 0 after a message if out of memory. Call flame_comparison_release() in both cases. */
int flame_comparison_make(flame_comparison *comparison, const stack_tree *after, const stack_tree *before);
void flame_comparison_release(flame_comparison *comparison);

/** Scales a value of the earlier log by \p whole / \p before_whole. */
uint64_t flame_comparison_scale(uint64_t value, uint64_t whole, uint64_t before_whole);

#endif
