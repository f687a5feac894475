/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/profile_frames.h
 * \brief Trees of frames made from a profile: filtered by frame, inverted, and with the callers and callees of chosen
 * methods. The same functions apply to calls, samples, allocations, waits and handles. Included by mprof/profile.h.
 *
 * A frame tree is a copy: it stays valid when the profile changes or is destroyed. It reflects the profile as of the
 * last mprof_profile_finish(), within its window and its threads.
 *
 * **Values.** Of calls, self and total are nanoseconds and count is the number of calls. Of samples, self and total are
 * samples, and count is 0. Of allocations, self and total are bytes, and count is the number of objects that the frame
 * allocated itself. Of waits, self and total are nanoseconds, and count is the number of waits that the frame began
 * itself. Of handles, self and total are the handles alive, and count is the number that the frame created itself. A
 * total counts a value once, however often a frame occurs in a call stack.
 *
 * **Filters.** The function mprof_frame_tree_options::choose decides for each distinct frame. Call stacks with an
 * ignored frame are left out; if has_focus is 1, so are those without a frame in focus. Hidden frames are removed from
 * the call stacks that are left, and their self value counts for their caller. In what is left then, each run of
 * consecutive collapsed frames becomes one frame of the kind #MPROF_SAMPLE_COLLAPSED, which has all their self values
 * and is called as often as the run was entered from other frames.
 *
 * Not stable before version 1.0, like mprof/profile.h.
 */
#ifndef MPROF_PROFILE_FRAMES_H
#define MPROF_PROFILE_FRAMES_H

#include <mprof/profile_types.h>

MPROF_BEGIN_DECLS

/**
 * \brief A tree of frames.
 * \since 0.1
 */
typedef struct mprof_frame_tree mprof_frame_tree;

/**
 * \brief What a frame tree is made from. Values are fixed; new ones are appended.
 * \since 0.1
 */
typedef enum mprof_frame_source {
	MPROF_FRAME_SOURCE_CALLS = 1,       /**< The call tree. */
	MPROF_FRAME_SOURCE_SAMPLES = 2,     /**< The tree of samples. */
	MPROF_FRAME_SOURCE_ALLOCATIONS = 3, /**< Allocations with a known call stack; if no allocation has one, those in
	                                         the call tree. See mprof_frame_tree_options::with_classes. */
	MPROF_FRAME_SOURCE_WAITS = 4,       /**< Waits for monitors by call site. Those without a known call stack are
	                                         below a frame of the kind #MPROF_SAMPLE_NO_STACK. */
	MPROF_FRAME_SOURCE_HANDLES = 5      /**< Handles by call site, like waits. */
} mprof_frame_source;

/**
 * \brief What to do with a frame. Bits; new ones may be added.
 * \since 0.1
 */
typedef enum mprof_frame_choice {
	MPROF_FRAME_FOCUS = 1,    /**< Keeps the call stacks that contain the frame. */
	MPROF_FRAME_IGNORE = 2,   /**< Leaves out the call stacks that contain the frame. */
	MPROF_FRAME_HIDE = 4,     /**< Removes the frame from call stacks. */
	MPROF_FRAME_SELECT = 8,   /**< The callers and callees of the frame are of interest; ignored if it is hidden or
	                             collapsed. */
	MPROF_FRAME_COLLAPSE = 16 /**< Replaces the frame, with others of this choice that it calls or that call it, by
	                               one frame. */
} mprof_frame_choice;

/**
 * \brief Decides about a frame; called once for each distinct one, on the thread that creates the tree.
 * \since 0.1
 * \param user mprof_frame_tree_options::user.
 * \param kind An #mprof_sample_kind.
 * \param id Method, function, module, location or class, depending on \p kind.
 * \return Bits of #mprof_frame_choice.
 */
typedef uint32_t (*mprof_frame_chooser)(void *user, uint32_t kind, uint32_t id);

/**
 * \brief Options of a frame tree.
 * \since 0.1
 */
typedef struct mprof_frame_tree_options {
	size_t struct_size;               /**< Set by mprof_frame_tree_options_init(). */
	const mprof_allocator *allocator; /**< Allocator of the tree; NULL: malloc. Copied. */
	uint64_t max_memory;              /**< Maximum memory of the tree, in bytes; 0 means 4 GiB. */
	uint32_t source;                  /**< An #mprof_frame_source. */
	uint32_t inverted;          /**< 1: the children of a node are its callers, and the nodes below the root are
	                                       the frames with a value of their own. */
	uint32_t max_depth;         /**< Of an inverted tree: the maximum number of frames from the root; farther
	                                       callers are left out. 0 means 64. */
	uint32_t has_focus;         /**< 1: only call stacks with a frame in focus. */
	mprof_frame_chooser choose; /**< NULL: all frames are kept, and none is selected. */
	void *user;                 /**< Passed to choose. */
	mprof_progress_function progress; /**< Called by mprof_frame_tree_create(). May be NULL. */
	void *progress_user;              /**< Passed as the first argument. */
	uint32_t with_classes;   /**< 1: of allocations, waits and handles, the innermost frame is the class of the
	                              object, of the kind #MPROF_SAMPLE_CLASS, for which choose is called, too. All
	                              allocations are then in the tree: by the call stack, the call path (see
	                              mprof_profile_options::with_call_sites) or else the caller of their call site, and
	                              the others below a frame of the kind #MPROF_SAMPLE_NO_STACK. If no allocation has
	                              a call stack or call path, but the call tree has them, the tree is that, without
	                              classes. */
	uint32_t with_locations; /**< 1: in the call stacks of allocations, waits and handles, frames of native code are
	                              locations (#MPROF_SAMPLE_LOCATION), not functions and modules. */
} mprof_frame_tree_options;

/**
 * \brief Sets all options to their defaults.
 *
 * Thread-safe for different structs.
 * \param options The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_frame_tree_options) as the caller was compiled; a size smaller than that of size_t
 * does nothing.
 * \since 0.1
 */
MPROF_API void mprof_frame_tree_options_init(mprof_frame_tree_options *options, size_t struct_size);

/**
 * \brief Makes a tree of frames.
 *
 * Thread-safe while no thread adds to the profile or finishes it, or uses the reader. Not async-signal-safe. Takes time
 * in proportion to the nodes of the source, and for an inverted tree to the sum of their depths up to max_depth.
 * \param profile The profile. It was finished.
 * \param reader The reader that the blocks of the profile came from, for call stacks and native code.
 * \param options Options.
 * \param tree Receives the tree. The caller frees it with mprof_frame_tree_destroy().
 * \return
 * - #MPROF_OK; the tree has only its root if the source has no data or all of it is filtered out.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, struct_size is too small, or source, inverted, has_focus, with_classes or
 *   with_locations is not one of their values.
 * - #MPROF_ERR_INTERRUPTED if mprof_frame_tree_options::progress asked for it.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * - #MPROF_ERR_LIMIT if the tree needs more than max_memory.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_frame_tree_create(const mprof_profile *profile, const mprof_reader *reader,
							       const mprof_frame_tree_options *options,
							       mprof_frame_tree **tree);

/**
 * \brief Frees a tree.
 * \param tree The tree, or NULL.
 * \since 0.1
 */
MPROF_API void mprof_frame_tree_destroy(mprof_frame_tree *tree);

/**
 * \brief A node of a frame tree: a frame as reached by one call path. Node 0 is the root.
 * \since 0.1
 */
typedef struct mprof_frame_node {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t kind;         /**< An #mprof_sample_kind; 0 for the root. */
	uint32_t id;           /**< Method, function, module, location or class, depending on kind. */
	uint32_t flags;        /**< #MPROF_EVENT_FLAG_COMPILING: a compilation of the method. */
	uint32_t parent;       /**< Node of the caller; of an inverted tree, of the callee. */
	uint32_t first_child;  /**< The first node below it, 0 if none. */
	uint32_t next_sibling; /**< The next node with the same parent, 0 if none. */
	uint64_t count;        /**< Calls, objects, waits or handles. Of an inverted tree: by the outermost parent below
	                            the root, on this path. */
	uint64_t self;         /**< The value of the node itself; of the root, what belongs to no frame. */
	uint64_t total;        /**< The value of the node with all nodes below it. Of an inverted tree: of the outermost
	                            parent below the root itself, on this path. */
} mprof_frame_node;

/**
 * \brief Number of nodes of a frame tree, including the root. A node has a larger number than its parent.
 *
 * Thread-safe.
 * \param tree The tree.
 * \return The count; 0 if \p tree is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_frame_tree_get_node_count(const mprof_frame_tree *tree);

/**
 * \brief Gets a node.
 *
 * Thread-safe.
 * \param tree The tree.
 * \param node 0 to mprof_frame_tree_get_node_count() - 1.
 * \param found Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p node is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_frame_tree_get_node(const mprof_frame_tree *tree, uint32_t node, mprof_frame_node *found);

/**
 * \brief Sums over all nodes of a frame, or over some of them.
 * \since 0.1
 */
typedef struct mprof_frame_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t kind;      /**< An #mprof_sample_kind; 0 for no frame, the root. */
	uint32_t id;        /**< Method, function, module, location or class, depending on kind. */
	uint32_t flags;     /**< #MPROF_EVENT_FLAG_COMPILING: compilations of the method. */
	uint32_t choice;    /**< What mprof_frame_tree_options::choose returned. */
	uint64_t count;     /**< Calls, objects, waits or handles. */
	uint64_t self;      /**< The value of the frame itself. */
	uint64_t total;     /**< The value of the frame with all that it calls, of outermost occurrences only. */
} mprof_frame_stats;

/**
 * \brief Number of distinct frames in the tree after filtering. They are in no particular order.
 *
 * Thread-safe.
 * \param tree The tree.
 * \return The count; 0 if \p tree is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_frame_tree_get_frame_count(const mprof_frame_tree *tree);

/**
 * \brief Gets the sums of a frame; they are those of the tree that is not inverted.
 *
 * Thread-safe.
 * \param tree The tree.
 * \param index 0 to mprof_frame_tree_get_frame_count() - 1.
 * \param stats Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_frame_tree_get_frame(const mprof_frame_tree *tree, size_t index, mprof_frame_stats *stats);

/**
 * \brief Gets the sums of all selected frames together: total counts a value once if several of them are in a call
 * stack. kind and id are 0.
 *
 * Thread-safe.
 * \param tree The tree.
 * \param stats Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_frame_tree_get_selection(const mprof_frame_tree *tree, mprof_frame_stats *stats);

/**
 * \brief Number of distinct frames that call a selected one, including the root if a selected frame is outermost. They
 * are in no particular order.
 *
 * Thread-safe.
 * \param tree The tree.
 * \return The count; 0 if \p tree is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_frame_tree_get_caller_count(const mprof_frame_tree *tree);

/**
 * \brief Gets a caller of the selected frames. count, self and total are those of the selected frames where this
 * caller calls them: the counts of all callers add up to that of the selection, and so do the self values. total counts
 * a value once for each caller.
 *
 * Thread-safe.
 * \param tree The tree.
 * \param index 0 to mprof_frame_tree_get_caller_count() - 1.
 * \param stats Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_frame_tree_get_caller(const mprof_frame_tree *tree, size_t index,
						   mprof_frame_stats *stats);

/**
 * \brief Number of distinct frames that selected ones call. They are in no particular order.
 *
 * Thread-safe.
 * \param tree The tree.
 * \return The count; 0 if \p tree is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_frame_tree_get_callee_count(const mprof_frame_tree *tree);

/**
 * \brief Gets a callee of the selected frames. count, self and total are those of the callee where a selected frame
 * calls it. total counts a value once for each callee.
 *
 * Thread-safe.
 * \param tree The tree.
 * \param index 0 to mprof_frame_tree_get_callee_count() - 1.
 * \param stats Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_frame_tree_get_callee(const mprof_frame_tree *tree, size_t index,
						   mprof_frame_stats *stats);

MPROF_END_DECLS

#endif
