/* SPDX-License-Identifier: MIT */
/**
 * \file model/results/frame_source.h
 * \brief The calls, samples, allocations, waits or handles of a profile as a tree of frames in one form, without
 * filters.
 */
#ifndef MODEL_RESULTS_FRAME_SOURCE_H
#define MODEL_RESULTS_FRAME_SOURCE_H

#include "base/memory_budget.h"
#include "model/records/call_tree.h"

#include <mprof/profile.h>

/** Sums of an item, in the unit of the source. */
typedef struct frame_sums {
	uint64_t count;
	uint64_t self;
	uint64_t total;
	uint64_t active; /**< While sums are computed: its nodes on the current path. */
	int is_used;     /**< At least one node belongs to it. */
} frame_sums;

/** A distinct frame. Item 0 is the root, which is no frame. */
typedef struct frame_item {
	uint32_t kind; /**< An #mprof_sample_kind. */
	uint32_t id;
	uint32_t flags;
	uint32_t choice; /**< Bits of #mprof_frame_choice. */
	frame_sums own;
	frame_sums caller; /**< Of selected frames that it calls. */
	frame_sums callee; /**< Of its nodes that a selected frame calls. */
} frame_item;

/** A node of the source. A parent has a smaller number than its children; node 0 is the root. */
typedef struct source_node {
	uint32_t parent;
	uint32_t item;
	uint64_t self;
	uint64_t count;
	uint32_t node;      /**< Its node in the filtered tree. */
	uint8_t is_ignored; /**< It or a caller is ignored. */
	uint8_t is_focused; /**< It or a caller is in focus. */
	uint8_t is_kept;    /**< Its own values are part of the result. */
	uint8_t has_kept;   /**< It or a node below it is kept. */
} source_node;

typedef struct frame_source {
	const memory_budget *budget;
	mprof_allocator allocator;
	frame_item *items;
	size_t item_count;
	size_t item_capacity;
	hash_map
		numbers[2]; /**< Numbers of items by kind and ID: those without and with #MPROF_EVENT_FLAG_COMPILING. */
	source_node *nodes;
	size_t node_count;
	size_t node_capacity;
	call_tree stacks; /**< Of call sites: call tree nodes, whose methods are items. */
	progress *going;  /**< While the nodes are read. */
} frame_source;

/** Returns 0 if there is no memory; frame_source_destroy() may be called in that case, too. */
int frame_source_init(frame_source *source, memory_budget *budget);
void frame_source_destroy(frame_source *source);

/** Frees the nodes; the items stay. */
void frame_source_release_nodes(frame_source *source);

/**
 * The number of the item that replaces collapsed frames, which is added if missing. 0 if there is no memory. Before
 * frame_source_release_nodes().
 */
uint32_t frame_source_add_collapsed(frame_source *source);

/** Steps of frame_source_read(); of call sites, their number. */
uint64_t frame_source_steps(const mprof_profile *profile, const mprof_frame_tree_options *options);

/** Adds the nodes and the items of a source. Returns 0 if there is no memory or it was stopped. */
int frame_source_read(frame_source *source, const mprof_profile *profile, const mprof_reader *reader,
		      const mprof_frame_tree_options *options, progress *going);

#endif
