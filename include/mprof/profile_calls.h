/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/profile_calls.h
 * \brief Results of a profile: methods and the call tree. Included by mprof/profile.h.
 */
#ifndef MPROF_PROFILE_CALLS_H
#define MPROF_PROFILE_CALLS_H

#include <mprof/profile_types.h>

MPROF_BEGIN_DECLS

/**
 * \brief Statistics of a method.
 * \since 0.1
 */
typedef struct mprof_method_stats {
	size_t struct_size;     /**< sizeof, set by the caller. */
	uint32_t id;            /**< Method ID. */
	uint32_t reserved;      /**< 0. */
	uint64_t calls;         /**< Number of times it was entered. */
	uint64_t total_ns;      /**< Inclusive time, of outermost calls only. */
	uint64_t self_ns;       /**< Exclusive time. */
	uint64_t jit_ns;        /**< Time spent compiling it, with nested compilations. */
	uint64_t samples;       /**< Samples in which it is the innermost frame. */
	uint64_t samples_total; /**< Samples in which it is any frame. */
} mprof_method_stats;

/**
 * \brief Number of methods that have statistics. They are in no particular order.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_method_count(const mprof_profile *profile);

/**
 * \brief Gets the statistics of a method.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_method_count() - 1.
 * \param stats Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_method(const mprof_profile *profile, size_t index, mprof_method_stats *stats);

/**
 * \brief Gets the statistics of several methods in one call.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param first Index of the first entry to get, 0 to mprof_profile_get_method_count().
 * \param methods Array that receives the entries. The function sets the struct_size of each.
 * \param method_size sizeof(*methods) as the caller was compiled: the distance in bytes from one element to the next.
 * Fields that do not fit are left out.
 * \param capacity Number of elements in \p methods.
 * \param count Receives the number of entries stored: less than \p capacity only at the end of the table, 0 on an
 * error.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p first is past the end, or \p method_size is smaller than struct_size.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_methods(const mprof_profile *profile, size_t first,
						 mprof_method_stats *methods, size_t method_size, size_t capacity,
						 size_t *count);

/**
 * \brief The code of a method that has the same origin (section 4.4 of doc/format.md).
 * \since 0.1
 */
typedef struct mprof_method_code {
	size_t struct_size;  /**< sizeof, set by the caller. */
	uint32_t method;     /**< The method, 0 for code that belongs to none. */
	uint32_t origin;     /**< An #mprof_code_origin. */
	uint64_t count;      /**< How often code was compiled or loaded. */
	uint64_t bytes;      /**< Sum of the sizes. */
	uint64_t compile_ns; /**< Time of the compilations that made or loaded it, without nested compilations. */
} mprof_method_code;

/**
 * \brief Number of pairs of a method and an origin of its code. They are in no particular order.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL, or if the log has no sizes of code.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_method_code_count(const mprof_profile *profile);

/**
 * \brief Gets the size of the code of a method, of one origin.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param index 0 to mprof_profile_get_method_code_count() - 1.
 * \param code Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_method_code(const mprof_profile *profile, size_t index,
						     mprof_method_code *code);

/**
 * \brief Nodes of the call tree with a special meaning.
 * \since 0.1
 */
enum {
	MPROF_CALL_ROOT = 0 /**< The root, which is no method: the parent of the outermost methods of all threads. */
};

/**
 * \brief A node of the call tree, which all threads share: a method as reached by one call path.
 * \since 0.1
 */
typedef struct mprof_call_stats {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t method;       /**< The method; 0 for the root and for unknown methods. */
	uint32_t parent;       /**< Node of the caller. */
	uint32_t first_child;  /**< Node of the first callee, 0 if none. */
	uint32_t next_sibling; /**< Node of the caller's next callee, 0 if none. */
	uint64_t calls;        /**< Number of times the method was entered on this path. */
	uint64_t total_ns;     /**< Inclusive time on this path. */
	uint64_t self_ns;      /**< Exclusive time on this path. */
	uint64_t allocations;  /**< Objects that the method allocated on this path; of the root: objects allocated in no
	                            method. */
	uint64_t bytes;        /**< Their bytes. */
	uint32_t flags;        /**< #MPROF_EVENT_FLAG_COMPILING: a compilation of the method, which counts no calls. */
	uint32_t reserved;     /**< 0. */
} mprof_call_stats;

/**
 * \brief Number of nodes of the call tree, including the root; 0 if no tree is kept.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \return The count; 0 if \p profile is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_profile_get_call_count(const mprof_profile *profile);

/**
 * \brief Gets the statistics of a node of the call tree.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param node #MPROF_CALL_ROOT to mprof_profile_get_call_count() - 1.
 * \param stats Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p node is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_call(const mprof_profile *profile, uint32_t node, mprof_call_stats *stats);

/**
 * \brief Gets several nodes of the call tree in one call.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param first Index of the first entry to get, 0 to mprof_profile_get_call_count().
 * \param nodes Array that receives the entries. The function sets the struct_size of each.
 * \param node_size sizeof(*nodes) as the caller was compiled: the distance in bytes from one element to the next.
 * Fields that do not fit are left out.
 * \param capacity Number of elements in \p nodes.
 * \param count Receives the number of entries stored: less than \p capacity only at the end of the table, 0 on an
 * error.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p first is past the end, or \p node_size is smaller than struct_size.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_calls(const mprof_profile *profile, size_t first, mprof_call_stats *nodes,
					       size_t node_size, size_t capacity, size_t *count);

MPROF_END_DECLS

#endif
