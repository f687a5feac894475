/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/profile_samples.h
 * \brief Results of a profile: samples. Included by mprof/profile.h.
 */
#ifndef MPROF_PROFILE_SAMPLES_H
#define MPROF_PROFILE_SAMPLES_H

#include <mprof/profile_types.h>

MPROF_BEGIN_DECLS

/**
 * \brief What a frame of a sample is. Values are fixed; new ones are appended.
 * \since 0.1
 */
typedef enum mprof_sample_kind {
	MPROF_SAMPLE_METHOD = 1,    /**< id is the method, 0 if unknown. */
	MPROF_SAMPLE_FUNCTION = 2,  /**< Native code: id is the function (CODE). */
	MPROF_SAMPLE_MODULE = 3,    /**< Native code in an unknown function: id is the module (CODE). */
	MPROF_SAMPLE_LOCATION = 4,  /**< Native code in no module, or all native code with
	                                mprof_profile_options::with_locations: id is the location, 0 if the log does not
	                                contain it. */
	MPROF_SAMPLE_TRUNCATED = 5, /**< Outer frames that were not recorded: the root of all truncated call stacks.
	                                 id is 0. */
	MPROF_SAMPLE_COLLAPSED = 6, /**< Only in frame trees: frames with #MPROF_FRAME_COLLAPSE. id is 0. */
	MPROF_SAMPLE_CLASS = 7,     /**< Only in frame trees: objects of a class; id is the class, 0 if unknown. */
	MPROF_SAMPLE_NO_STACK = 8   /**< Only in frame trees: a missing call stack. id is 0. */
} mprof_sample_kind;

/**
 * \brief What a thread waited for when a sample was taken, as far as the names in its call stack show it: the
 * innermost frame is a function of the C library that waits, and its callers show what for. Values are fixed; new ones
 * are appended.
 * \since 0.1
 */
typedef enum mprof_wait_kind {
	MPROF_WAIT_NONE = 0,      /**< The innermost frame is not a function that is known to wait. */
	MPROF_WAIT_LOCK = 1,      /**< To enter a monitor or to lock a mutex. */
	MPROF_WAIT_CONDITION = 2, /**< For a notification: Monitor.Wait, a condition variable. */
	MPROF_WAIT_EVENT = 3,     /**< For a wait handle or a semaphore. */
	MPROF_WAIT_JOIN = 4,      /**< For the end of a thread. */
	MPROF_WAIT_SLEEP = 5,     /**< For time to pass. */
	MPROF_WAIT_ACCEPT = 6,    /**< For a connection: accept, connect. */
	MPROF_WAIT_IO = 7,        /**< To read or write. */
	MPROF_WAIT_POLL = 8,      /**< For any of several files: poll, select, epoll. */
	MPROF_WAIT_OTHER = 9      /**< It waits, and the call stack does not show for what. */
} mprof_wait_kind;

/**
 * \brief Number of samples that hit a method or native code.
 * \since 0.1
 */
typedef struct mprof_sample_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t kind;      /**< An #mprof_sample_kind. */
	uint32_t id;        /**< Method, function, module or location, depending on kind. */
	uint64_t self;      /**< Samples in which it is the innermost frame. */
	uint64_t total;     /**< Samples in which it is any frame; each sample counts once. */
} mprof_sample_stats;

/**
 * \brief A node of the tree of samples, which all threads share: a frame as reached by one call stack. Node 0 is the
 * root.
 * \since 0.1
 */
typedef struct mprof_sample_node {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t kind;         /**< An #mprof_sample_kind; 0 for the root. */
	uint32_t id;           /**< Method, function, module or location, depending on kind. */
	uint32_t parent;       /**< Node of the caller. */
	uint32_t first_child;  /**< Node of the first callee, 0 if none. */
	uint32_t next_sibling; /**< Node of the caller's next callee, 0 if none. */
	uint32_t wait;         /**< An #mprof_wait_kind: what threads wait for in the samples of self. */
	uint64_t self;         /**< Samples whose innermost frame is this node. */
	uint64_t total;        /**< Samples whose innermost frame is this node or below it. */
} mprof_sample_node;

MPROF_END_DECLS

#endif
