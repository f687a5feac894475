/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/profile_diff.h
 * \brief The difference of two profiles: methods, allocations, samples and waits, before and after. Included by
 * mprof/profile.h.
 *
 * A difference is a copy: it stays valid when the profiles and the readers that it was made from change or are
 * destroyed. It reflects both profiles as of their last mprof_profile_finish(), within their windows and threads.
 *
 * **Tables.** A difference has six of the tables of a profile (#mprof_profile_table): #MPROF_TABLE_METHODS,
 * #MPROF_TABLE_CLASSES, #MPROF_TABLE_ALLOCATION_SITES, #MPROF_TABLE_SAMPLES (methods and native functions, not
 * locations), #MPROF_TABLE_MONITORS and #MPROF_TABLE_MONITOR_SITES. The rows of classes are those with allocations;
 * call sites are included if they are known.
 *
 * **Values.** Of methods, count is the number of calls, and self and total are nanoseconds. Of allocations, count is
 * the number of objects, and self and total are bytes. Of samples, self and total are samples, and count is 0. Of
 * waits for monitors, count is the number of times that a thread found one taken, and self and total are nanoseconds.
 * All are absolute. To compare runs of different length, divide by the sums of mprof_profile_diff_get_sum().
 *
 * **Names.** Rows are matched by name, because each log numbers methods and classes in its own way. The assembly counts
 * only if one of the logs has the same name in several assemblies; of native functions, the module takes its place. The
 * recorded programs match each other under any name, and libraries without the version that follows ".so".
 * What has the same name in one log is added up, such as a method that was loaded in several AppDomains. Methods and
 * classes that neither log defines are one row without a name.
 *
 * **Names that compilers number.** A lambda, a closure or a state machine has a number in its name, which changes when
 * the program does: "<Main>b__0_1". So do clones of native functions ("work.part.0") and the hashes in names of Rust.
 * If both logs have the same names that differ in such numbers only, they are matched as they are. If they have as many
 * names and none in common, they are matched in the order of the numbers, and have #MPROF_DIFF_RENAMED. Otherwise it is
 * not known which is which: all of them are one row with #MPROF_DIFF_MERGED, whose name has '#' in place of the
 * numbers.
 *
 * Every function refuses NULL: functions that return a status return #MPROF_ERR_ARGUMENT, functions that return a count
 * return 0. No function is async-signal-safe.
 *
 * Not stable before version 1.0, like mprof/profile.h.
 */
#ifndef MPROF_PROFILE_DIFF_H
#define MPROF_PROFILE_DIFF_H

#include <mprof/profile_frames.h>
#include <mprof/profile_types.h>

MPROF_BEGIN_DECLS

/**
 * \brief The difference of two profiles.
 * \since 0.1
 */
typedef struct mprof_profile_diff mprof_profile_diff;

/**
 * \brief Where something is, and how it was matched. Bits; new ones may be added.
 * \since 0.1
 */
typedef enum mprof_diff_match {
	MPROF_DIFF_BEFORE = 1,  /**< The first profile has it. */
	MPROF_DIFF_AFTER = 2,   /**< The second profile has it. */
	MPROF_DIFF_RENAMED = 4, /**< The two names differ in a number that a compiler chose. */
	MPROF_DIFF_MERGED = 8   /**< Several such names that cannot be matched one by one. */
} mprof_diff_match;

/**
 * \brief Options of a difference. If all fields except struct_size are 0, the defaults apply.
 * \since 0.1
 */
typedef struct mprof_profile_diff_options {
	size_t struct_size;                  /**< Set by mprof_profile_diff_options_init(). */
	const mprof_allocator *allocator;    /**< Allocator of the difference; NULL: malloc. Copied. */
	uint64_t max_memory;                 /**< Maximum memory of the difference, in bytes; 0 means 4 GiB. */
	const mprof_frame_tree *before_tree; /**< A tree of the first profile to compare, NULL for none. Borrowed until
	                                          mprof_profile_diff_create() returns. */
	const mprof_frame_tree *after_tree;  /**< The tree of the second profile, made with the same options. NULL if
	                                          and only if before_tree is. Borrowed likewise. */
	mprof_progress_function progress;    /**< Called by mprof_profile_diff_create(). May be NULL. */
	void *progress_user;                 /**< Passed as the first argument. */
} mprof_profile_diff_options;

/**
 * \brief Sets all options to their defaults.
 *
 * Thread-safe for different structs.
 * \param options The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_profile_diff_options) as the caller was compiled; a size smaller than that of size_t
 * does nothing.
 * \since 0.1
 */
MPROF_API void mprof_profile_diff_options_init(mprof_profile_diff_options *options, size_t struct_size);

/**
 * \brief Compares two profiles.
 *
 * Thread-safe while no thread adds to the profiles or finishes them, or uses the readers. Takes time in proportion to
 * the rows of both profiles, and of call sites to the depths of their call stacks.
 * \param before The first profile. It was finished.
 * \param before_reader The reader that its blocks came from, for names and call stacks.
 * \param after The second profile. It was finished. It may be the first one.
 * \param after_reader The reader that its blocks came from.
 * \param options Options, or NULL for the defaults.
 * \param diff Receives the difference. The caller frees it with mprof_profile_diff_destroy().
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if another pointer than \p options is NULL, struct_size is too small, or only one tree is
 *   given.
 * - #MPROF_ERR_INTERRUPTED if mprof_profile_diff_options::progress asked for it.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * - #MPROF_ERR_LIMIT if the difference needs more than max_memory.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_profile_diff_create(
	const mprof_profile *before, const mprof_reader *before_reader, const mprof_profile *after,
	const mprof_reader *after_reader, const mprof_profile_diff_options *options, mprof_profile_diff **diff);

/**
 * \brief Frees a difference. Texts borrowed from it become invalid.
 * \param diff The difference, or NULL.
 * \since 0.1
 */
MPROF_API void mprof_profile_diff_destroy(mprof_profile_diff *diff);

/**
 * \brief Values of one side. The file description states their meaning and their units.
 * \since 0.1
 */
typedef struct mprof_diff_values {
	uint64_t count; /**< Calls, objects or waits. */
	uint64_t self;  /**< The value of the row itself. */
	uint64_t total; /**< The value with all that it calls; equal to self if that has no meaning. */
} mprof_diff_values;

/**
 * \brief A row of a table, or the sum of a table.
 * \since 0.1
 */
typedef struct mprof_diff_row {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t name;      /**< Number of its name, for mprof_profile_diff_get_name(). */
	uint32_t stack;     /**< Of a call site: number of its call stack, for mprof_profile_diff_get_stack(); else
	                         0. */
	uint32_t match;     /**< #MPROF_DIFF_BEFORE, #MPROF_DIFF_AFTER or both: the tables that have the row. */
	uint32_t reserved;  /**< 0. */
	mprof_diff_values before; /**< 0 if the first profile does not have the row. */
	mprof_diff_values after;  /**< 0 if the second profile does not have the row. */
} mprof_diff_row;

/**
 * \brief Number of rows of a table. They are in no particular order.
 *
 * Thread-safe.
 * \param diff The difference.
 * \param table One of the tables of a difference.
 * \return The count; 0 if \p diff is NULL or \p table is not one of its values.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_diff_get_row_count(const mprof_profile_diff *diff, uint32_t table);

/**
 * \brief Gets a row of a table.
 *
 * Thread-safe.
 * \param diff The difference.
 * \param table One of the tables of a difference.
 * \param index 0 to mprof_profile_diff_get_row_count() - 1.
 * \param row Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p table or \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_diff_get_row(const mprof_profile_diff *diff, uint32_t table, size_t index,
						  mprof_diff_row *row);

/**
 * \brief Gets the sums of a table: count and self of all rows. total is the same as self, because a value that several
 * rows share must not count twice; a share of it is what a share of the whole means. name and stack are 0.
 *
 * Thread-safe.
 * \param diff The difference.
 * \param table One of the tables of a difference.
 * \param sum Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p table is not one of its values, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_diff_get_sum(const mprof_profile_diff *diff, uint32_t table, mprof_diff_row *sum);

/**
 * \brief A name that both profiles have, or one of them.
 * \since 0.1
 */
typedef struct mprof_diff_name {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t kind;      /**< An #mprof_sample_kind; 0 for a class, and for the root of a tree. */
	uint32_t flags;     /**< #MPROF_EVENT_FLAG_COMPILING: compilations of the method. */
	uint32_t match;     /**< Bits of #mprof_diff_match. */
	uint32_t before_id; /**< Its ID in the first profile; 0 if there is none or more than one. */
	uint32_t after_id;  /**< Its ID in the second profile; 0 if there is none or more than one. */
	uint32_t reserved;  /**< 0. */
	const char *
		class_name; /**< The class, or that of the method; "" if there is none. Borrowed until the difference is
	                             destroyed, like the next two fields. If both profiles have it, as in the second. */
	const char *name;   /**< The method with its arguments, the function, or the file of the module; "" for a
	                             class, and if not known. */
	const char *assembly; /**< The assembly, or the module of a native function; "" if not known or if there are
	                             several. */
} mprof_diff_name;

/**
 * \brief Gets a name.
 *
 * Thread-safe.
 * \param diff The difference.
 * \param number The number, from a row, a call stack or a node.
 * \param name Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p number is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_diff_get_name(const mprof_profile_diff *diff, uint32_t number,
						   mprof_diff_name *name);

/**
 * \brief Gets the frames of a call stack, the innermost first.
 *
 * Thread-safe.
 * \param diff The difference.
 * \param stack The number, from mprof_diff_row::stack; 0 has no frames.
 * \param names Array that receives the numbers of the names; may be NULL if \p capacity is 0.
 * \param capacity Number of elements in \p names.
 * \param count Receives the number of frames, also if it is larger than \p capacity; the outermost ones are then left
 * out.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL although it must not be, or \p stack is out of range.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_diff_get_stack(const mprof_profile_diff *diff, uint32_t stack, uint32_t *names,
						    size_t capacity, size_t *count);

/**
 * \brief A node of the tree that combines those of both profiles. Node 0 is the root.
 * \since 0.1
 */
typedef struct mprof_diff_node {
	size_t struct_size;       /**< sizeof, set by the caller. */
	uint32_t name;            /**< Number of its name, for mprof_profile_diff_get_name(). */
	uint32_t match;           /**< #MPROF_DIFF_BEFORE, #MPROF_DIFF_AFTER or both: the trees that have the node. */
	uint32_t parent;          /**< Node of the caller; of an inverted tree, of the callee. */
	uint32_t first_child;     /**< The first node below it, 0 if none. */
	uint32_t next_sibling;    /**< The next node with the same parent, 0 if none. */
	uint32_t reserved;        /**< 0. */
	mprof_diff_values before; /**< As those of #mprof_frame_node in the first tree. */
	mprof_diff_values after;  /**< As those of #mprof_frame_node in the second tree. */
} mprof_diff_node;

/**
 * \brief Number of nodes of the combined tree, including the root. A node has a larger number than its parent.
 *
 * Thread-safe.
 * \param diff The difference.
 * \return The count; 0 if \p diff is NULL or was made without trees.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_diff_get_node_count(const mprof_profile_diff *diff);

/**
 * \brief Gets a node of the combined tree.
 *
 * Thread-safe.
 * \param diff The difference.
 * \param node 0 to mprof_profile_diff_get_node_count() - 1.
 * \param found Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p node is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_diff_get_node(const mprof_profile_diff *diff, uint32_t node,
						   mprof_diff_node *found);

MPROF_END_DECLS

#endif
