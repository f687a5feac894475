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

MPROF_END_DECLS

#endif
