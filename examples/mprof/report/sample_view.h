/* SPDX-License-Identifier: MIT */
/**
 * \file report/sample_view.h
 * \brief Samples as they are shown: by method and by native function, with inlined functions as frames of their own.
 *
 * The profile counts native code by location. The view replaces each location by its functions, merges the nodes of the
 * tree that are then equal, and counts the lines that samples hit.
 */
#ifndef REPORT_SAMPLE_VIEW_H
#define REPORT_SAMPLE_VIEW_H

#include "symbolize/native_lines.h"

#include "shared/key_map.h"

#include <mprof/profile.h>

/** A method or a function. */
typedef struct sample_item {
	uint32_t kind; /**< An mprof_sample_kind; #SAMPLE_ITEM_NAMED for a function that only debug information has. */
	uint32_t id;   /**< Of the kind; 0 for #SAMPLE_ITEM_NAMED. */
	uint32_t module;    /**< ID of the module of native code, 0 if unknown. */
	uint32_t line;      /**< Of the definition; 0 if unknown. */
	const char *name;   /**< The name that debug information has; NULL if the name follows from kind and ID. */
	const char *symbol; /**< See native_frame::symbol; NULL without a name. */
	const char *file;   /**< Of the definition; NULL if unknown. */
	int is_inlined;
	uint32_t active; /**< While totals are computed: frames of the item on the current path. */
	uint64_t self;   /**< Samples in which it is the innermost frame. */
	uint64_t total;  /**< Samples in which it is any frame. */
} sample_item;

/** A kind of #sample_item in addition to those of mprof_sample_kind. */
#define SAMPLE_ITEM_NAMED UINT32_C(1000)

/** A frame as reached by one call stack. Node 0 is the root. */
typedef struct sample_view_node {
	uint32_t item; /**< Index of a #sample_item; not used for the root. */
	uint32_t parent;
	uint32_t first_child;  /**< 0 if none. */
	uint32_t next_sibling; /**< 0 if none. */
	uint64_t self;
	uint64_t total;
} sample_view_node;

/** Samples whose innermost frame is in a line. */
typedef struct sample_line {
	uint32_t item; /**< The function, as an index of a #sample_item. */
	uint32_t line;
	const char *file;
	uint64_t hits;
} sample_line;

typedef struct sample_view {
	sample_item *items;
	size_t item_count;
	size_t item_capacity;
	sample_view_node *nodes;
	size_t node_count;
	size_t node_capacity;
	sample_line *lines;
	size_t line_count;
	size_t line_capacity;
	key_map item_indexes; /**< While the view is built: indexes by hash, as are the next two. */
	key_map node_indexes;
	key_map line_indexes;
} sample_view;

/**
 * Builds the view of a profile, which was created with mprof_profile_options::with_locations. \p lines may be NULL.
 * \p filtered: if not NULL, the samples that filters of frames keep; they have no inlined functions and no lines.
 * Returns 0 if out of memory; call sample_view_release() in both cases.
 */
int sample_view_build(sample_view *view, const mprof_profile *profile, const mprof_reader *reader, native_lines *lines,
		      const mprof_frame_tree *filtered);
void sample_view_release(sample_view *view);

#endif
