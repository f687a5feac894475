/* SPDX-License-Identifier: MIT */
/**
 * \file flame/layout.h
 * \brief Which frames a flame graph draws and where, and two trees of call stacks as one for a comparison.
 */
#ifndef FLAME_LAYOUT_H
#define FLAME_LAYOUT_H

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

/** Sizes in pixels, which the script has, too: of a row, of a frame in it, and of the margin on each side. */
enum { FLAME_ROW = 17, FLAME_HEIGHT = 16, FLAME_MARGIN = 10 };

/** A frame to draw. */
typedef struct flame_box {
	uint32_t node;
	uint32_t depth;  /**< 0 for the root. */
	uint64_t left;   /**< Distance from the left edge, in the unit of the weights. */
	uint64_t weight; /**< Width in that unit. */
} flame_box;

typedef struct flame_limits {
	uint64_t least;      /**< The smallest weight that is drawn, at least 1. */
	uint32_t max_depth;  /**< The number of levels that are drawn, with the root. */
	uint64_t max_length; /**< Bytes that the frames may have in the document; 0 for no limit. */
	uint64_t max_small;  /**< Bytes that frames may have of which only the script has the names. */
} flame_limits;

typedef struct flame_layout {
	flame_box *boxes; /**< Callers before what they call, the heaviest first. */
	size_t count;
	uint32_t levels;
	uint64_t least;         /**< The smallest weight that is drawn. */
	uint64_t named;         /**< The smallest weight of frames with a name of their own in the document. */
	uint64_t hidden_count;  /**< Nodes that are not drawn. */
	uint64_t hidden_weight; /**< Their weight. */
	int is_too_deep;        /**< Some of them are too deep. */
} flame_layout;

/**
 * Places the nodes of a tree. \p weights: by node, those of children do not exceed that of their parent. \p length: the
 * number of bytes that a node with its name takes in the document. Returns 0 after a message if out of memory. Call
 * flame_layout_release() in both cases.
 */
int flame_layout_make(flame_layout *layout, const stack_tree *tree, const uint64_t *weights, const flame_limits *limits,
		      size_t (*length)(const stack_frame *frame));
void flame_layout_release(flame_layout *layout);

#endif
