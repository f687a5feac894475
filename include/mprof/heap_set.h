/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/heap_set.h
 * \brief Sets of objects of a heap graph: by class, by what they refer to, by what refers to them, and combinations.
 *
 * A set takes one bit for each object of the graph, which counts as memory of the graph. The graph must outlive its
 * sets. One thread at a time may call functions with the sets of a graph, and none then that changes the graph. Every
 * function refuses NULL: functions that return a status return #MPROF_ERR_ARGUMENT, the others 0. No function is
 * async-signal-safe.
 *
 * Not stable before version 1.0: functions and structs of this header may change between any two releases. A program
 * that accepts that defines MPROF_UNSTABLE before it includes the header.
 */
#ifndef MPROF_HEAP_SET_H
#define MPROF_HEAP_SET_H

#ifndef MPROF_UNSTABLE
#error "mprof/heap_set.h is not stable before 1.0: define MPROF_UNSTABLE to use it, and expect it to change"
#endif

#include <mprof/heap_graph.h>

MPROF_BEGIN_DECLS

/**
 * \brief A set of objects of one heap graph.
 * \since 0.1
 */
typedef struct mprof_heap_set mprof_heap_set;

/**
 * \brief Creates an empty set.
 *
 * One thread at a time.
 * \param graph The graph, borrowed until the set is destroyed.
 * \param set Receives the set. The caller frees it with mprof_heap_set_destroy(), before the graph.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_STATE if no snapshot has been read.
 * - #MPROF_ERR_LIMIT if max_memory of the graph is too small.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_heap_set_create(mprof_heap_graph *graph, mprof_heap_set **set);

/**
 * \brief Frees a set.
 *
 * One thread at a time.
 * \param set The set, or NULL.
 * \since 0.1
 */
MPROF_API void mprof_heap_set_destroy(mprof_heap_set *set);

/**
 * \brief Adds all objects of the graph.
 *
 * One thread at a time.
 * \param set The set.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p set is NULL.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_set_add_all(mprof_heap_set *set);

/**
 * \brief Adds an object.
 *
 * One thread at a time.
 * \param set The set.
 * \param object The object. If it is in the set, nothing changes.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p set is NULL or \p object is out of range.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_set_add_object(mprof_heap_set *set, uint32_t object);

/**
 * \brief Adds all objects of a class.
 *
 * One thread at a time.
 * \param set The set.
 * \param class_index Index of the class, as for mprof_heap_graph_get_class().
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p set is NULL or \p class_index is out of range.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_set_add_class(mprof_heap_set *set, size_t class_index);

/**
 * \brief Adds the objects that have a reference to an object of another set.
 *
 * One thread at a time.
 * \param set The set.
 * \param others Another set of the same graph.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or the sets are the same or of different graphs.
 * - #MPROF_ERR_INTERRUPTED if mprof_heap_graph_options::progress of the graph asked for it: some of the objects were
 *   added, and the same call adds all.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_set_add_referencing(mprof_heap_set *set, const mprof_heap_set *others);

/**
 * \brief Adds the objects that an object of another set has a reference to.
 *
 * One thread at a time.
 * \param set The set.
 * \param others Another set of the same graph.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or the sets are the same or of different graphs.
 * - #MPROF_ERR_INTERRUPTED if mprof_heap_graph_options::progress of the graph asked for it: some of the objects were
 *   added, and the same call adds all.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_set_add_referenced(mprof_heap_set *set, const mprof_heap_set *others);

/**
 * \brief Adds the objects of another set: the union.
 *
 * One thread at a time.
 * \param set The set.
 * \param others Another set of the same graph, or the same set.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or the sets are of different graphs.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_set_unite(mprof_heap_set *set, const mprof_heap_set *others);

/**
 * \brief Removes the objects that are not in another set: the intersection.
 *
 * One thread at a time.
 * \param set The set.
 * \param others Another set of the same graph, or the same set.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or the sets are of different graphs.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_set_intersect(mprof_heap_set *set, const mprof_heap_set *others);

/**
 * \brief Removes the objects that are in another set: the difference.
 *
 * One thread at a time.
 * \param set The set.
 * \param others Another set of the same graph, or the same set.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or the sets are of different graphs.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_set_subtract(mprof_heap_set *set, const mprof_heap_set *others);

/**
 * \brief Gets objects of a set, in ascending order.
 *
 * Thread-safe while no thread changes the set.
 * \param set The set.
 * \param first The least object to get.
 * \param objects Array that receives the objects; may be NULL if \p capacity is 0.
 * \param capacity Number of elements in \p objects.
 * \param count Receives the number of objects stored; fewer than \p capacity at the end of the set.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_set_get_objects(const mprof_heap_set *set, uint32_t first, uint32_t *objects,
						  size_t capacity, size_t *count);

/**
 * \brief What a set contains.
 * \since 0.1
 */
typedef struct mprof_heap_set_totals {
	size_t struct_size;         /**< sizeof, set by the caller. */
	uint64_t objects;           /**< Objects. */
	uint64_t bytes;             /**< Their bytes. */
	uint64_t reachable_objects; /**< Those that roots reach. 0 without dominators and paths, as the next one. */
	uint64_t reachable_bytes;   /**< Their bytes. */
} mprof_heap_set_totals;

/**
 * \brief Gets the totals of a set.
 *
 * Thread-safe while no thread changes the set or the graph.
 * \param set The set.
 * \param totals Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_set_get_totals(const mprof_heap_set *set, mprof_heap_set_totals *totals);

/**
 * \brief Gets the retained size of a set: the bytes of all objects that would be dead without its objects, as
 * mprof_heap_graph_get_retained() does.
 *
 * One thread at a time, since it needs temporary memory.
 * \param set The set.
 * \param bytes Receives the retained size.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_STATE before mprof_heap_graph_build_dominators().
 * - #MPROF_ERR_INTERRUPTED if mprof_heap_graph_options::progress of the graph asked for it.
 * - #MPROF_ERR_LIMIT if max_memory of the graph is too small.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_heap_set_get_retained(mprof_heap_set *set, uint64_t *bytes);

MPROF_END_DECLS

#endif
