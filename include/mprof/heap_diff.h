/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/heap_diff.h
 * \brief Compares heap snapshots of one or several logs: what grew, and what holds it.
 *
 * mprof_heap_diff_add() adds a snapshot, which mprof_heap_graph_read() has read, and keeps only sums of it: by class
 * and by path shape. The graph can be destroyed afterwards, so that any number of snapshots can be compared in little
 * memory. One thread at a time may add a snapshot; while no thread does, several threads may call the other functions.
 * Every function refuses NULL: functions that return a status return #MPROF_ERR_ARGUMENT. No function is
 * async-signal-safe.
 *
 * **Classes** are matched by their names, so snapshots of different runs, and of programs that were built again, can be
 * compared. Several classes of a snapshot with the same name count as one; their retained sizes are added up. A class
 * without a name matches only the class with the same ID in the same log.
 *
 * **Path shapes.** Collectors move objects, so an address does not identify an object in another snapshot. What stays
 * the same is how the program holds an object: the root and the fields and classes on a path from the root to the
 * object, such as "static Shop.orders (List), _items (Order[]), [] (Order)". The shape of an object is that of a
 * shortest path: from a static field or a handle if there is one, else from a stack, else from the queue of objects
 * that wait to be finalized. So an object does not change its shape because a local variable refers to it for a while.
 * If a class occurs twice on a path, the part between is left out: all elements of a linked list have one shape. The
 * objects that the shape holds are those that have the shape, or a shape that continues it.
 *
 * **Growth.** mprof_heap_diff_get_growth() finds the shapes whose objects increase from snapshot to snapshot, and
 * orders them by the memory that they hold. It leaves out incomplete snapshots and those without roots.
 *
 * **Missing data.** mprof_heap_diff_snapshot reports for each snapshot whether a part is missing, and how many objects
 * have no exact shape because of a limit. Objects that no root reaches have no shape.
 *
 * **Limits.** Adding a snapshot takes 8 bytes for each object, which are freed before the function returns. The sums of
 * a snapshot take 40 bytes for each shape and for each class. mprof_heap_diff_options::max_memory limits all of it.
 *
 * Not stable before version 1.0: functions and structs of this header may change between any two releases. A program
 * that accepts that defines MPROF_UNSTABLE before it includes the header.
 */
#ifndef MPROF_HEAP_DIFF_H
#define MPROF_HEAP_DIFF_H

#ifndef MPROF_UNSTABLE
#error "mprof/heap_diff.h is not stable before 1.0: define MPROF_UNSTABLE to use it, and expect it to change"
#endif

#include <mprof/heap_graph.h>

MPROF_BEGIN_DECLS

/**
 * \brief Not a path shape.
 * \since 0.1
 */
#define MPROF_HEAP_NO_SHAPE UINT32_MAX

/**
 * \brief Sums of several heap snapshots.
 * \since 0.1
 */
typedef struct mprof_heap_diff mprof_heap_diff;

/**
 * \brief Values of mprof_heap_diff_options::is_last_at_exit.
 * \since 0.1
 */
typedef enum mprof_heap_diff_end {
	MPROF_HEAP_DIFF_END_LOG = 0,    /**< Snapshots after mprof_session::snapshots_before_shutdown are not evidence;
	                                      if the log does not state it, as #MPROF_HEAP_DIFF_END_EXIT. */
	MPROF_HEAP_DIFF_END_EXIT = 1,   /**< The last snapshot that was added may be that of the program's end. */
	MPROF_HEAP_DIFF_END_RUNNING = 2 /**< All snapshots were taken while the program ran. */
} mprof_heap_diff_end;

/**
 * \brief Options of a comparison. If all fields except struct_size are 0, the defaults apply.
 * \since 0.1
 */
typedef struct mprof_heap_diff_options {
	size_t struct_size;               /**< Set by mprof_heap_diff_options_init(). */
	const mprof_allocator *allocator; /**< Allocator; NULL: malloc. Copied. */
	uint64_t max_memory;              /**< Maximum memory, in bytes; 0 means 1 GiB. */
	uint32_t max_shapes;              /**< Maximum number of path shapes, at most 2^30; 0 means 2^18. */
	uint32_t max_depth;               /**< Maximum number of steps of a path shape; 0 means 64. */
	uint32_t is_last_at_exit; /**< Whether the last snapshot may have been taken while the program ended, so that it
	                             need not show growth: an #mprof_heap_diff_end. 0: as the log states it, else
	                             yes. See mprof_heap_diff_get_growth(). */
	uint32_t reserved;        /**< 0. */
	mprof_progress_function progress; /**< Called by mprof_heap_diff_add() and mprof_heap_diff_get_growth(). May be
	                                       NULL. */
	void *progress_user;              /**< Passed as the first argument. */
} mprof_heap_diff_options;

/**
 * \brief Sets all options to their defaults.
 *
 * Thread-safe for different structs.
 * \param options The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_heap_diff_options) as the caller was compiled; a size smaller than that of size_t
 * does nothing.
 * \since 0.1
 */
MPROF_API void mprof_heap_diff_options_init(mprof_heap_diff_options *options, size_t struct_size);

/**
 * \brief Creates a comparison without snapshots.
 *
 * Thread-safe.
 * \param options Options, or NULL for the defaults. Copied.
 * \param diff Receives the comparison. The caller frees it with mprof_heap_diff_destroy().
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p diff is NULL, struct_size is too small, or max_shapes or is_last_at_exit is too large.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_heap_diff_create(const mprof_heap_diff_options *options,
							      mprof_heap_diff **diff);

/**
 * \brief Frees a comparison.
 * \param diff The comparison, or NULL.
 * \since 0.1
 */
MPROF_API void mprof_heap_diff_destroy(mprof_heap_diff *diff);

/**
 * \brief Adds the snapshot of a graph, after the snapshots that were added before.
 *
 * Retained sizes are added if mprof_heap_graph_build_dominators() was called. Paths and referrers of the graph are not
 * needed. One thread at a time.
 * \param diff The comparison.
 * \param graph A graph that has read a snapshot. Needed only until the function returns.
 * \param reader The reader that the graph was read from; it has the names of classes, fields and roots, which are
 * copied.
 * \param log A number that the caller chooses for the log: the same for all snapshots of one log.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_STATE if the graph has no snapshot.
 * - #MPROF_ERR_INTERRUPTED if mprof_heap_diff_options::progress asked for it: the comparison is as before.
 * - #MPROF_ERR_LIMIT if max_memory is too small: the comparison is as before.
 * - #MPROF_ERR_MEMORY if the allocator refused: the comparison is as before.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_heap_diff_add(mprof_heap_diff *diff, const mprof_heap_graph *graph,
							   const mprof_reader *reader, uint32_t log);

/**
 * \brief How much a comparison contains.
 * \since 0.1
 */
typedef struct mprof_heap_diff_totals {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint64_t snapshots;   /**< Snapshots that were added. */
	uint64_t classes;     /**< Classes of all snapshots. */
	uint64_t shapes;      /**< Path shapes of all snapshots. */
	uint64_t used_memory; /**< Memory of the comparison, in bytes. */
} mprof_heap_diff_totals;

/**
 * \brief Gets the totals.
 *
 * Thread-safe while no thread adds a snapshot.
 * \param diff The comparison.
 * \param totals Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_diff_get_totals(const mprof_heap_diff *diff, mprof_heap_diff_totals *totals);

/**
 * \brief A snapshot of a comparison.
 * \since 0.1
 */
typedef struct mprof_heap_diff_snapshot {
	size_t struct_size;          /**< sizeof, set by the caller. */
	uint32_t log;                /**< As passed to mprof_heap_diff_add(). */
	uint32_t snapshot;           /**< Which snapshot of its log it is, from 1. */
	uint32_t number;             /**< Its number in the log, which need not be unique; 0 if the log has none. */
	uint32_t incomplete;         /**< 1: a part of the snapshot is missing. */
	uint32_t has_roots;          /**< 1: it has roots; without, its objects have no shapes. */
	uint32_t has_retained;       /**< 1: retained sizes are known. */
	int64_t time_ns;             /**< When it was taken, from the start of the session. */
	uint64_t objects;            /**< Objects. */
	uint64_t bytes;              /**< Their bytes. */
	uint64_t reachable_objects;  /**< Those that roots reach: they have a shape. */
	uint64_t reachable_bytes;    /**< Their bytes. */
	uint64_t inexact_objects;    /**< Those whose path has too many steps, or that would need too many shapes: they
	                                  count for a shape that their path continues. */
	uint64_t missing_references; /**< References to objects that are not in the snapshot. */
} mprof_heap_diff_snapshot;

/**
 * \brief Gets a snapshot.
 *
 * Thread-safe while no thread adds a snapshot.
 * \param diff The comparison.
 * \param index 0 to mprof_heap_diff_totals::snapshots - 1, in the order in which they were added.
 * \param snapshot Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_diff_get_snapshot(const mprof_heap_diff *diff, size_t index,
						    mprof_heap_diff_snapshot *snapshot);

/**
 * \brief The objects of a class in one snapshot of a comparison.
 * \since 0.1
 */
typedef struct mprof_heap_diff_class {
	size_t struct_size; /**< sizeof, set by the caller. */
	const char *name;   /**< The name, or "#ID" if the log has none; valid until the comparison is destroyed. */
	uint32_t has_name;  /**< 1: the log has the name. */
	uint32_t reserved;  /**< 0. */
	uint64_t objects;   /**< Objects; 0 if the snapshot has none, as all that follow. */
	uint64_t bytes;     /**< Their bytes. */
	uint64_t reachable_objects; /**< Those that roots reach. */
	uint64_t reachable_bytes;   /**< Their bytes. */
	uint64_t retained_bytes;    /**< As mprof_heap_class::retained_bytes; 0 if not known. */
} mprof_heap_diff_class;

/**
 * \brief Gets a class in one of the snapshots.
 *
 * Thread-safe while no thread adds a snapshot.
 * \param diff The comparison.
 * \param index 0 to mprof_heap_diff_totals::classes - 1. The order depends on nothing but the logs.
 * \param snapshot Index of the snapshot.
 * \param stats Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, an index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_diff_get_class(const mprof_heap_diff *diff, size_t index, size_t snapshot,
						 mprof_heap_diff_class *stats);

/**
 * \brief A path shape, and its objects in one snapshot of a comparison.
 * \since 0.1
 */
typedef struct mprof_heap_shape {
	size_t struct_size;   /**< sizeof, set by the caller. */
	uint32_t parent;      /**< The shape that this one continues by one step; its index is smaller than that of this
	                             one. #MPROF_HEAP_NO_SHAPE if a root refers to the objects. */
	uint32_t class_index; /**< The class of the objects, for mprof_heap_diff_get_class(). */
	uint32_t root_kind;   /**< The #mprof_root_kind of the root of the path. */
	uint32_t depth;       /**< Number of steps: 1 if a root refers to the objects. */
	uint32_t is_recursive;  /**< 1: at least one path leads through several objects of the class. */
	uint32_t reserved;      /**< 0. */
	const char *class_name; /**< Its name; valid until the comparison is destroyed, as the next one. */
	const char *name;       /**< The field of the parent's objects that refers to these, such as "entries" or
	                             "[].value"; without a parent the name of the root. "" if not known. */
	uint64_t objects;       /**< Objects with this shape. */
	uint64_t bytes;         /**< Their bytes. */
	uint64_t held_objects;  /**< Objects with this shape or one that continues it. */
	uint64_t held_bytes;    /**< Their bytes. */
	uint64_t example;       /**< Address of one of the objects; 0 if the snapshot has none. */
} mprof_heap_shape;

/**
 * \brief Gets a path shape in one of the snapshots.
 *
 * Thread-safe while no thread adds a snapshot.
 * \param diff The comparison.
 * \param index 0 to mprof_heap_diff_totals::shapes - 1. The order depends on nothing but the logs.
 * \param snapshot Index of the snapshot.
 * \param shape Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, an index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_diff_get_shape(const mprof_heap_diff *diff, size_t index, size_t snapshot,
						 mprof_heap_shape *shape);

/**
 * \brief A path shape that grew. Passed together with its size, so that it may grow at its end.
 * \since 0.1
 */
typedef struct mprof_heap_growth {
	uint32_t shape;           /**< The shape, for mprof_heap_diff_get_shape(). */
	uint32_t snapshots;       /**< Number of snapshots that were compared. */
	uint32_t is_by_size;      /**< 1: the number of objects did not grow in each snapshot, but their size did. */
	uint32_t grown_snapshots; /**< In how many of them it was larger than in all before, the first one included. */
	uint64_t objects_first;   /**< Objects with this shape in the first of these snapshots. */
	uint64_t objects_last;    /**< The same in the last one. */
	uint64_t bytes_first;     /**< Bytes that the shape held in the first of these snapshots. */
	uint64_t bytes_last;      /**< The same in the last one. */
} mprof_heap_growth;

/**
 * \brief Gets the path shapes that grew from each snapshot to the next, those that hold the most additional memory
 * first.
 *
 * Compares the snapshots that are complete and have roots. With only two of them, the result is all that was added and
 * kept in between; three or more show what grows without end. A shape has grown if it has more objects in each of these
 * snapshots than in the one before, holds more memory in the last one than in the first, and if its class has more
 * objects in the last one, too. Of several such shapes on a path only the one nearest to the root is listed: the others
 * are what it holds. A shape of which only the bytes increase in this way, such as an array that is replaced by larger
 * ones, is listed unless a shape that it continues, or that continues it, is.
 *
 * Several snapshots may be taken while a shape does not change, for instance because the program collects twice in a
 * row. So a shape has also grown if it increased at least three times, the last time in the second half of the
 * snapshots, and was never more than 2 percent below its maximum. Changes in between may then be decreases if no more
 * than half of them are, and if the shape increased by more than 10 percent altogether.
 *
 * A program that ends does not add objects any more, and may already have dropped some. Snapshots that the runtime took
 * while it shut down are therefore not compared, if the log states which ones are: those with a higher number than
 * mprof_session::snapshots_before_shutdown. If it does not state it, the last snapshot that was added may be one of
 * them: a shape that grew in three or more snapshots before (the first one counts) need not grow in it, it is enough if
 * at least 90 percent of its objects, or bytes, are left. mprof_heap_diff_options::is_last_at_exit changes that.
 *
 * One thread at a time, since it needs temporary memory: 1 byte for each shape.
 * \param diff The comparison.
 * \param growths Array that receives the shapes; may be NULL if \p capacity is 0.
 * \param growth_size sizeof (mprof_heap_growth) as the caller was compiled.
 * \param capacity Number of elements in \p growths.
 * \param count Receives the number of such shapes, which may be larger than \p capacity.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or \p growth_size is smaller than in release 0.1.
 * - #MPROF_ERR_UNSUPPORTED if fewer than two snapshots are complete and have roots.
 * - #MPROF_ERR_INTERRUPTED if mprof_heap_diff_options::progress asked for it.
 * - #MPROF_ERR_LIMIT if max_memory is too small.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_heap_diff_get_growth(mprof_heap_diff *diff, mprof_heap_growth *growths,
								  size_t growth_size, size_t capacity, size_t *count);

MPROF_END_DECLS

#endif
