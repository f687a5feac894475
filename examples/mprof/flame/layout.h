/* SPDX-License-Identifier: MIT */
/**
 * \file flame/layout.h
 * \brief Where the frames of a flame graph are drawn, and which ones are too small for that.
 */
#ifndef FLAME_LAYOUT_H
#define FLAME_LAYOUT_H

#include "export/stack_tree.h"

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
