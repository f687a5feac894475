/* SPDX-License-Identifier: MIT */
/**
 * \file export/stack_nodes.h
 * \brief A tree of frames with values, the table of its distinct frames, and the frames of methods, native code and
 * classes of a report. Functions that add return 0 if out of memory.
 */
#ifndef EXPORT_STACK_NODES_H
#define EXPORT_STACK_NODES_H

#include "export/value.h"
#include "shared/key_map.h"

/** What a frame is. The first values are those of mprof_sample_kind. */
typedef enum stack_frame_kind {
	STACK_FRAME_ROOT = 0,                           /**< The frame of node 0. */
	STACK_FRAME_METHOD = MPROF_SAMPLE_METHOD,       /**< The ID is that of a method, 0 if unknown. */
	STACK_FRAME_FUNCTION = MPROF_SAMPLE_FUNCTION,   /**< A native function; ID 0: only debug information has it. */
	STACK_FRAME_MODULE = MPROF_SAMPLE_MODULE,       /**< An unknown function of a native module. */
	STACK_FRAME_LOCATION = MPROF_SAMPLE_LOCATION,   /**< Native code in no module. */
	STACK_FRAME_TRUNCATED = MPROF_SAMPLE_TRUNCATED, /**< Outer frames that were not recorded. */
	STACK_FRAME_COLLAPSED = MPROF_SAMPLE_COLLAPSED, /**< Frames that the filters collapse. */
	STACK_FRAME_CLASS = MPROF_SAMPLE_CLASS,         /**< Objects of a class; the ID is that of the class. */
	STACK_FRAME_IDLE = MPROF_SAMPLE_IDLE,           /**< Idle threads. */
	STACK_FRAME_HEAP_ROOT = 17,                     /**< A root; the ID is an mprof_root_kind. */
	STACK_FRAME_FIELD = 18,                         /**< A class and one of its fields that has a reference. */
	STACK_FRAME_NOTE = 19                           /**< What has no frames, such as "(no call stack)". */
} stack_frame_kind;

/** Flags of a frame. */
enum {
	STACK_FRAME_COMPILING = 1, /**< The method was being compiled. */
	STACK_FRAME_INLINED = 2,   /**< The function was inlined. */
	STACK_FRAME_RUNTIME = 4    /**< Work of the runtime, such as "[GC]". */
};

/** A frame. Texts are valid as long as the tree. */
typedef struct stack_frame {
	uint32_t kind; /**< A #stack_frame_kind. */
	uint32_t id;
	uint32_t flags;         /**< Bits of STACK_FRAME_COMPILING and so on. */
	uint32_t line;          /**< Of the definition; 0 if unknown. */
	uint32_t at_line;       /**< The line that the frame is in; 0 if unknown, or not distinguished. */
	const char *name;       /**< The full name, as the report prints it. */
	const char *symbol;     /**< The name in the object file, if that is another one; NULL if not. */
	const char *short_name; /**< Without namespaces and arguments. */
	const char *file;       /**< Source file; NULL if unknown. */
	const char *module;     /**< Assembly, or file of the native module; NULL if unknown. */
} stack_frame;

/** A frame as reached by one path. A node is after its parent; node 0 is the root. */
typedef struct stack_node {
	uint32_t frame; /**< Index of the frame; equal frames have equal indexes. */
	uint32_t parent;
	uint32_t first_child;  /**< 0 if none. */
	uint32_t next_sibling; /**< 0 if none. */
	uint32_t depth;        /**< Number of frames from the root, which has 0. */
	uint64_t count;        /**< Calls, objects, contentions, handles created; 0 for samples. */
	uint64_t self;         /**< The value of the node itself. */
	uint64_t total;        /**< The value with all nodes below it. */
} stack_node;

typedef struct stack_tree {
	export_value value;
	int by_line;      /**< Frames in different lines are different frames. */
	int names_lines;  /**< The line that a frame is in is a part of its names, as in "Work:12". */
	const char *unit; /**< "nanoseconds", "count" or "bytes"; of samples of a kind, also another one. */
	char *kind;       /**< The name of the kind of samples; NULL for other values. Owned, as is its unit. */
	char *kind_unit;
	int is_estimated;   /**< The values are estimates from samples. */
	int is_incomplete;  /**< Heap: the snapshot is incomplete. */
	uint64_t heap_shot; /**< Heap: which snapshot of the log it is, from 1. */
	uint32_t max_depth; /**< 0 for none. See stack_nodes_child(). */
	int is_folded;      /**< Call stacks were deeper than max_depth. */
	stack_node *nodes;
	size_t node_count;
	size_t node_capacity;
	stack_frame *frames;
	size_t frame_count;
	size_t frame_capacity;
	key_map frame_indexes; /**< While the tree is built: indexes by hash, as are the next. */
	key_map node_indexes;
} stack_tree;

/**
 * Initializes a tree with its root. \p max_depth: see stack_tree::max_depth. Returns 0 if out of memory. Call
 * stack_nodes_release() in both cases.
 */
int stack_nodes_init(stack_tree *tree, export_value value, uint32_t max_depth);
void stack_nodes_release(stack_tree *tree);

/**
 * Finds or adds a frame. The texts of \p wanted are copied; its short name is made from its name. Two frames are equal
 * if kind, ID, flags and the line that it is in are, and without an ID or in a line also the texts. Returns 0 if out of
 * memory.
 */
int stack_nodes_frame(stack_tree *tree, const stack_frame *wanted, uint32_t *frame);

/**
 * Finds or adds the child of a node with a frame. \p child may be \p parent's variable. All frames below a node at
 * stack_tree::max_depth are one frame, "(deeper frames)"; only classes, which are the last frame, are kept below it.
 * Returns 0 if out of memory.
 */
int stack_nodes_child(stack_tree *tree, uint32_t parent, uint32_t frame, uint32_t *child);

/** Computes the totals from the values of the nodes, and frees what only building needs. */
void stack_nodes_finish(stack_tree *tree);

/** A method or a native function of samples. */
int stack_frames_item(stack_tree *tree, const log_report *report, const sample_item *item, uint32_t *frame);

/** A method, function or module of a tree of frames. \p kind: an #mprof_sample_kind. */
int stack_frames_sampled(stack_tree *tree, const log_report *report, uint32_t kind, uint32_t id, uint32_t flags,
			 uint32_t *frame);

/** A frame with a position. \p kind and \p id are what the position counts as in a tree of frames. */
int stack_frames_positioned(stack_tree *tree, const log_report *report, uint32_t kind, uint32_t id, uint32_t position,
			    uint32_t *frame);

/** The line to show for a frame: the one that it is in, else that of the definition. */
static inline uint32_t stack_frame_line(const stack_frame *frame)
{
	return frame->at_line != 0 ? frame->at_line : frame->line;
}

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
