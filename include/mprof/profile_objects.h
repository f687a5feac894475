/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/profile_objects.h
 * \brief Results of a profile: classes, allocations, heap snapshots, handles and finalizers. Included by
 * mprof/profile.h.
 */
#ifndef MPROF_PROFILE_OBJECTS_H
#define MPROF_PROFILE_OBJECTS_H

#include <mprof/profile_types.h>

MPROF_BEGIN_DECLS

/**
 * \brief Statistics of a class.
 * \since 0.1
 */
typedef struct mprof_class_stats {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint32_t id;          /**< Class ID. */
	uint32_t reserved;    /**< 0. */
	uint64_t allocations; /**< Objects allocated. */
	uint64_t bytes;       /**< Their bytes. */
	uint64_t freed;       /**< Objects found dead. */
	uint64_t freed_bytes; /**< Their bytes. */
	uint64_t exceptions;  /**< Number of times an exception of the class was thrown. */
	uint64_t load_ns;     /**< Time spent loading it. */
	uint64_t samples;     /**< If not 0, only a sample of the allocations is in the log: allocations and bytes are
	                           unbiased estimates from this number of objects. See section 3.8 of the format. */
	uint64_t allocations_error; /**< The standard error of allocations; 0 if exact. */
	uint64_t bytes_error;       /**< The standard error of bytes; 0 if exact. */
} mprof_class_stats;

/**
 * \brief Objects of a class that were allocated at one call site.
 * \since 0.1
 */
typedef struct mprof_allocation_site {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint32_t class_id;    /**< Class ID. */
	uint32_t stack;       /**< Stack ID, 0 if not known. */
	uint32_t caller;      /**< The method that allocated, 0 if not known. */
	uint32_t flags;       /**< #MPROF_EVENT_FLAG_COMPILING: the method was being compiled. */
	uint64_t allocations; /**< Objects allocated. */
	uint64_t bytes;       /**< Their bytes. */
	uint32_t call;        /**< Node of the call tree if stack is 0; 0 if not known or not requested. */
	uint32_t reserved;    /**< 0. */
	uint64_t samples;     /**< If not 0, call stacks were recorded for a sample of the allocations: allocations and
	                           bytes are unbiased estimates from this number of objects. See section 3.8 of the
	                           format. */
	uint64_t allocations_error; /**< The standard error of allocations: the estimate differs from the true number by
	                                 less than twice this in 19 of 20 cases, if there are enough samples. 0 if
	                                 exact. */
	uint64_t bytes_error;       /**< The standard error of bytes; 0 if exact. */
} mprof_allocation_site;

/**
 * \brief Exceptions of a class that were thrown at one call site.
 * \since 0.1
 */
typedef struct mprof_exception_site {
	size_t struct_size;  /**< sizeof, set by the caller. */
	uint32_t class_id;   /**< Class of the exceptions. */
	uint32_t stack;      /**< Stack ID, 0 if not known. */
	uint64_t exceptions; /**< Exceptions thrown. */
	uint32_t call;       /**< Node of the call tree if stack is 0; 0 if not known or not requested. */
	uint32_t reserved;   /**< 0. */
} mprof_exception_site;

/**
 * \brief How often a clause of a method ran because of exceptions of a class.
 * \since 0.1
 */
typedef struct mprof_exception_clause {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t method;    /**< The method that has the clause, 0 if not known. */
	uint32_t class_id;  /**< Class of the exceptions. */
	uint32_t kind;      /**< An #mprof_clause_kind. */
	uint32_t number;    /**< Number of the clause in its method, from 0. */
	uint64_t runs;      /**< How often it ran. */
} mprof_exception_clause;

/**
 * \brief A heap snapshot: the live objects at one time.
 * \since 0.1
 */
typedef struct mprof_heap_shot {
	size_t struct_size;          /**< sizeof, set by the caller. */
	uint32_t number;             /**< Its number in the log, which need not be unique; counted from 1 if the log has
	                                  none. */
	uint32_t incomplete;         /**< 1: objects are missing, since the recorder ran out of memory or the end of the
	                                  snapshot is not in the log. */
	int64_t time_ns;             /**< When it was taken, from the start of the session. */
	uint64_t objects;            /**< Objects alive. */
	uint64_t bytes;              /**< Their bytes. */
	uint64_t references;         /**< References from one object to another. */
	uint64_t freed;              /**< Objects found dead. */
	uint64_t freed_bytes;        /**< Their bytes. */
	uint64_t moved;              /**< Objects that collections moved since the previous snapshot. */
	uint64_t roots;              /**< Number of roots. */
	uint64_t roots_by_kind[256]; /**< roots by #mprof_root_kind. */
	uint64_t classes;            /**< Classes that have live objects. */
} mprof_heap_shot;

/**
 * \brief Objects of a class in a heap snapshot.
 * \since 0.1
 */
typedef struct mprof_heap_shot_class {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t class_id;  /**< Class ID. */
	uint32_t reserved;  /**< 0. */
	uint64_t objects;   /**< Objects alive. */
	uint64_t bytes;     /**< Their bytes. */
} mprof_heap_shot_class;

/**
 * \brief Gets the objects of a class in a heap snapshot.
 *
 * Thread-safe while no thread adds to the profile or finishes it.
 * \param profile The profile.
 * \param shot Row of #MPROF_TABLE_HEAP_SHOTS.
 * \param index 0 to mprof_heap_shot::classes - 1, in the order of class IDs.
 * \param stats Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p shot or \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_profile_get_heap_shot_class(const mprof_profile *profile, size_t shot, size_t index,
							 mprof_heap_shot_class *stats);

/**
 * \brief Objects of a class at a collection.
 * \since 0.1
 */
typedef struct mprof_heap_summary {
	size_t struct_size;    /**< sizeof, set by the caller. */
	uint32_t collection;   /**< Number of the collection in the log. */
	uint32_t class_id;     /**< Class ID. */
	int64_t time_ns;       /**< Time of the block that contains it, from the start of the session. */
	uint64_t live_objects; /**< Objects alive. */
	uint64_t live_bytes;   /**< Their bytes. */
	uint64_t dead_objects; /**< Objects found dead. */
	uint64_t dead_bytes;   /**< Their bytes. */
} mprof_heap_summary;

/**
 * \brief Handles of one type to objects of one class.
 * \since 0.1
 */
typedef struct mprof_handle_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t class_id;  /**< Class ID, 0 if they had no object or its class is not known. */
	uint32_t type;      /**< An #mprof_handle_type. */
	uint64_t created;   /**< Handles created. */
	uint64_t alive;     /**< Created handles that exist at the end. */
	uint64_t deleted;   /**< Created handles that were deleted. */
} mprof_handle_stats;

/**
 * \brief Handles that were created by one call stack.
 * \since 0.1
 */
typedef struct mprof_handle_site {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t class_id;  /**< Class ID, 0 if they had no object or its class is not known. */
	uint32_t type;      /**< An #mprof_handle_type. */
	uint32_t stack;     /**< Stack ID, 0 if not known. */
	uint32_t reserved;  /**< 0. */
	uint64_t created;   /**< Handles created. */
	uint64_t alive;     /**< Created handles that exist at the end. */
} mprof_handle_site;

/**
 * \brief Finalizers of a class.
 * \since 0.1
 */
typedef struct mprof_finalizer_stats {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t class_id;  /**< Class ID, 0 if not known. */
	uint32_t reserved;  /**< 0. */
	uint64_t count;     /**< Objects finalized. */
	uint64_t total_ns;  /**< Time in their finalizers. */
} mprof_finalizer_stats;

MPROF_END_DECLS

#endif
