/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/heap.h
 * \brief The objects of heap snapshots: what keeps an object alive, how much memory it retains, sets of objects, and
 * what grew from snapshot to snapshot.
 */
#ifndef MPROF_HEAP_H
#define MPROF_HEAP_H

#include <mprof/reader.h>

MPROF_BEGIN_DECLS

/**
 * \name One snapshot as a graph
 * \{
 *
 * mprof_heap_graph_read() reads one snapshot of a log. Its objects are numbered from 0 in the order of their addresses.
 * Three functions then compute more, each when it is called: mprof_heap_graph_build_dominators() retained sizes,
 * mprof_heap_graph_build_paths() shortest paths from roots, mprof_heap_graph_build_referrers() the references to each
 * object. One thread at a time may call a function that changes the graph; while no thread does, several threads may
 * call the others. No function is async-signal-safe.
 *
 * **Reachable objects and retained sizes.** An object is reachable if a chain of references leads to it from a root. An
 * object dominates another one if every such chain leads through it. It retains the objects that it dominates, and
 * itself: they would be dead without it. The retained size is the sum of their sizes. An object that two others hold is
 * retained by neither, but by their common dominator, or by the roots alone. The retained size of a class is the sum of
 * those of its objects that no other object of the class dominates, so nothing counts twice. It does not include what
 * only several of them together keep alive; mprof_heap_graph_get_retained() does, for any set of objects.
 *
 * **What the log states.** References and roots are those that the runtime recorded. Weak references and weak handles
 * are neither, so they retain nothing; mprof_heap_graph_get_weak_references() returns the weak references that the log
 * has. Objects may have a label, and references a name of their own, beside those of fields (mprof_heap_object::label,
 * mprof_heap_reference::name). A synthetic object (#MPROF_OBJECT_FLAG_SYNTHETIC) is no memory of the program: its
 * references are roots of the kind #MPROF_ROOT_RUNTIME or, if a root refers to it, of the kind of that root, and its
 * size is 0; nothing dominates it, and no root reaches it. A runtime that reports the value of a live ephemeron (such
 * as an entry of a ConditionalWeakTable) as a root does so once, with the kind #MPROF_ROOT_RUNTIME: the value is then
 * dominated by no object, not by the key that keeps it alive. An object that only waits for its finalizer is reachable
 * from a root of the kind #MPROF_ROOT_FINALIZER. A snapshot without roots, as all of the dialects before mprof2 are,
 * has no reachable objects, dominators or paths: mprof_heap_graph_totals::has_roots is 0.
 *
 * **Missing data.** mprof_heap_graph_totals::incomplete is 1 if a part of the snapshot is not in the log or could not
 * be read. References and roots whose object is not in the snapshot are counted and lead nowhere. If any of these
 * figures is not 0, objects may be reachable that seem not to be, and retained sizes may be too small or too large.
 *
 * **Limits.** A snapshot may have 2^32 - 2 objects and as many references; more are #MPROF_ERR_LIMIT. The graph takes
 * about 14 bytes for each object and 5 for each reference; while dominators are computed, another 35 bytes for each
 * object. mprof_heap_graph_options::max_memory limits all of it.
 *
 * **Speed.** Only INTRO, MAPPING, LOADED, HEAP_DATA, ROOTS, FIELDS, TEXTS, OBJECT_LABELS, REFERENCE_NAMES and
 * DIRECTIVES blocks are needed: a reader that wants only these (mprof_reader_options::wanted) reads a large log faster.
 *
 * Example: examples/small/tutorial/10_heap.c.
 */

/**
 * \brief Not an object.
 * \since 0.1
 */
#define MPROF_HEAP_NO_OBJECT UINT32_MAX

/**
 * \brief The graph of a heap snapshot.
 * \since 0.1
 */
typedef struct mprof_heap_graph mprof_heap_graph;

/**
 * \brief Options of a heap graph. If all fields except struct_size are 0, the defaults apply.
 * \since 0.1
 */
typedef struct mprof_heap_graph_options {
	size_t struct_size;               /**< Set by mprof_heap_graph_options_init(). */
	const mprof_allocator *allocator; /**< Allocator of the graph; NULL: malloc. Copied. */
	uint64_t max_memory;              /**< Maximum memory of the graph, in bytes; 0 means 4 GiB. */
	uint32_t snapshot;                /**< Number of the snapshot in the order of the log, from 1; 0: the last. */
	uint32_t list_only;               /**< 1: only count the objects of each snapshot; keep none. */
	mprof_progress_function progress; /**< May be NULL. Called by mprof_heap_graph_read() while it links the
	                                       objects, by mprof_heap_graph_build_dominators(), _paths() and
	                                       _referrers(), mprof_heap_graph_get_retained(), and sets. */
	void *progress_user;              /**< Passed as the first argument. */
} mprof_heap_graph_options;

/**
 * \brief Sets all options to their defaults.
 *
 * Thread-safe for different structs.
 * \param options The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_heap_graph_options) as the caller was compiled; a size smaller than that of size_t
 * does nothing.
 * \since 0.1
 */
MPROF_API void mprof_heap_graph_options_init(mprof_heap_graph_options *options, size_t struct_size);

/**
 * \brief Creates an empty graph.
 *
 * Thread-safe.
 * \param options Options, or NULL for the defaults. Copied.
 * \param graph Receives the graph. The caller frees it with mprof_heap_graph_destroy().
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p graph is NULL, struct_size is too small, list_only is neither 0 nor 1, or a snapshot is
 *   chosen together with list_only.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_heap_graph_create(const mprof_heap_graph_options *options,
							       mprof_heap_graph **graph);

/**
 * \brief Frees a graph.
 * \param graph The graph, or NULL.
 * \since 0.1
 */
MPROF_API void mprof_heap_graph_destroy(mprof_heap_graph *graph);

/**
 * \brief Reads blocks up to the end of the log, or of the snapshot that was chosen by its number, skipping damage, and
 * links the objects of the snapshot.
 *
 * If the log has no such snapshot, mprof_heap_graph_totals::snapshot is 0. One thread at a time.
 * \param graph The graph.
 * \param reader The reader.
 * \param damage Called for each error in the log, on the calling thread; may be NULL.
 * \param user Passed to \p damage.
 * \return
 * - #MPROF_OK if the log was read to the end of the snapshot without an error, or is complete.
 * - #MPROF_AGAIN if the reader follows the log and has read all that is available: nothing is linked yet, and the same
 *   call continues.
 * - #MPROF_ERR_INTERRUPTED if the reader was interrupted, or mprof_heap_graph_options::progress asked for it: likewise.
 * - #MPROF_ERR_TRUNCATED if END is missing.
 * - #MPROF_ERR_ARGUMENT if \p graph or \p reader is NULL.
 * - #MPROF_ERR_STATE if the snapshot has already been read.
 * - #MPROF_ERR_LIMIT if the snapshot exceeds max_memory or 2^32 - 2 objects or references: the graph has no objects,
 *   mprof_heap_graph_totals::limited is 1, and every later call returns it again.
 * - #MPROF_ERR_MEMORY if the allocator refused; every later call returns it again.
 * - Otherwise the first error in the log.
 *
 * After an error in the log the graph has all that was valid.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_heap_graph_read(mprof_heap_graph *graph, mprof_reader *reader,
							     mprof_damage_function damage, void *user);

/**
 * \brief Computes the immediate dominator and the retained size of each object, and the retained size of each class.
 *
 * Takes time in proportion to the references, about one second for four million of them; of a graph that was made to
 * take long, times the logarithm of the objects. Does nothing if it was done before. One thread at a time.
 * \param graph The graph.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p graph is NULL.
 * - #MPROF_ERR_STATE if no snapshot has been read.
 * - #MPROF_ERR_UNSUPPORTED if the snapshot has no roots.
 * - #MPROF_ERR_LIMIT if max_memory is too small; the graph is unchanged.
 * - #MPROF_ERR_INTERRUPTED if mprof_heap_graph_options::progress asked for it; the graph is unchanged.
 * - #MPROF_ERR_MEMORY if the allocator refused; the graph is unchanged.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_heap_graph_build_dominators(mprof_heap_graph *graph);

/**
 * \brief Finds a shortest path from a root to each object.
 *
 * If several roots are equally near, the order is: static fields, thread-local static fields, handles, structures of
 * the runtime, other roots, stacks, objects that wait to be finalized. Does nothing if it was done before. One thread
 * at a time.
 * \param graph The graph.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p graph is NULL.
 * - #MPROF_ERR_STATE if no snapshot has been read.
 * - #MPROF_ERR_UNSUPPORTED if the snapshot has no roots.
 * - #MPROF_ERR_LIMIT if max_memory is too small; the graph is unchanged.
 * - #MPROF_ERR_INTERRUPTED if mprof_heap_graph_options::progress asked for it; the graph is unchanged.
 * - #MPROF_ERR_MEMORY if the allocator refused; the graph is unchanged.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_heap_graph_build_paths(mprof_heap_graph *graph);

/**
 * \brief Sorts the references by the object that they refer to, for mprof_heap_graph_get_referrers().
 *
 * Does nothing if it was done before. One thread at a time.
 * \param graph The graph.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p graph is NULL.
 * - #MPROF_ERR_STATE if no snapshot has been read.
 * - #MPROF_ERR_LIMIT if max_memory is too small; the graph is unchanged.
 * - #MPROF_ERR_INTERRUPTED if mprof_heap_graph_options::progress asked for it; the graph is unchanged.
 * - #MPROF_ERR_MEMORY if the allocator refused; the graph is unchanged.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_heap_graph_build_referrers(mprof_heap_graph *graph);

/**
 * \brief What the graph contains. All figures are 0 before a snapshot has been read.
 * \since 0.1
 */
typedef struct mprof_heap_graph_totals {
	size_t struct_size;          /**< sizeof, set by the caller. */
	uint32_t snapshot;           /**< Which snapshot of the log it is, from 1; 0 if the log has no such one. */
	uint32_t number;             /**< Its number in the log, which need not be unique; 0 if the log has none. */
	int64_t time_ns;             /**< When it was taken, from the start of the session. */
	uint32_t incomplete;         /**< 1: a part of the snapshot is missing; also if orphan_references is not 0. */
	uint32_t limited;            /**< 1: the snapshot was not kept, since it exceeds a limit. */
	uint32_t has_roots;          /**< 1: at least one root refers to an object of the snapshot. */
	uint32_t has_offsets;        /**< 1: the offset of at least one reference is known. */
	uint32_t has_dominators;     /**< 1: mprof_heap_graph_build_dominators() succeeded. */
	uint32_t has_paths;          /**< 1: mprof_heap_graph_build_paths() succeeded. */
	uint32_t has_referrers;      /**< 1: mprof_heap_graph_build_referrers() succeeded. */
	uint32_t reserved;           /**< 0. */
	uint64_t objects;            /**< Objects. */
	uint64_t bytes;              /**< Their bytes. */
	uint64_t references;         /**< References of these objects, also to missing objects; null references do not
	                                  count. */
	uint64_t classes;            /**< Classes that have objects. */
	uint64_t roots;              /**< Roots that refer to one of these objects. */
	uint64_t roots_by_kind[256]; /**< roots by #mprof_root_kind. */
	uint64_t reachable_objects;  /**< Objects that roots reach; 0 unless has_dominators or has_paths is 1. */
	uint64_t reachable_bytes;    /**< Their bytes. */
	uint64_t missing_references; /**< References to objects that are not in the snapshot. */
	uint64_t missing_roots;      /**< Roots of objects that are not in the snapshot. */
	uint64_t orphan_references;  /**< References that belong to an object whose record could not be read. */
	uint64_t repeated_objects;   /**< Objects that were left out, since another one has the same address. */
	uint64_t damaged_blocks;     /**< Blocks of any snapshot that could not be read, or only in part. */
	uint64_t used_memory;        /**< Memory of the graph, in bytes. */
	uint64_t labels;             /**< Objects with a label. */
	uint64_t names;              /**< References with a name of their own. */
	uint64_t weak_references;    /**< Weak references of these objects, also to missing objects. */
	uint64_t synthetic_objects;  /**< Those of objects that are no memory of the program. */
	uint64_t missing_notes; /**< Labels, flags, names and weak references that were left out, since the snapshot
	                                  lacks their object or reference, the log lacks their text, or there is one
	                                  already. */
} mprof_heap_graph_totals;

/**
 * \brief Gets the totals.
 *
 * Thread-safe while no thread changes the graph.
 * \param graph The graph.
 * \param totals Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_graph_get_totals(const mprof_heap_graph *graph, mprof_heap_graph_totals *totals);

/**
 * \brief A heap snapshot of the log.
 * \since 0.1
 */
typedef struct mprof_heap_snapshot {
	size_t struct_size;  /**< sizeof, set by the caller. */
	uint32_t number;     /**< Its number in the log, which need not be unique; 0 if the log has none. */
	uint32_t incomplete; /**< 1: a part is missing, since the recorder ran out of memory, a block could not be read,
	                          or the end of the snapshot has not been read. */
	int64_t time_ns;     /**< When it was taken, from the start of the session; 0 before reading has ended. */
	uint64_t objects;    /**< Objects. */
	uint64_t bytes;      /**< Their bytes. */
	uint64_t references; /**< References of these objects. */
	uint64_t roots;      /**< Roots. */
} mprof_heap_snapshot;

/**
 * \brief Number of heap snapshots that were read, in the order of the log. Snapshots after the one that was chosen by
 * its number are not read.
 *
 * Thread-safe while no thread changes the graph.
 * \param graph The graph.
 * \return The count; 0 if \p graph is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_heap_graph_get_snapshot_count(const mprof_heap_graph *graph);

/**
 * \brief Gets a heap snapshot of the log, counted as it is there.
 *
 * Thread-safe while no thread changes the graph.
 * \param graph The graph.
 * \param index 0 to mprof_heap_graph_get_snapshot_count() - 1; mprof_heap_graph_options::snapshot is one more.
 * \param snapshot Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_graph_get_snapshot(const mprof_heap_graph *graph, size_t index,
						     mprof_heap_snapshot *snapshot);

/**
 * \brief The objects of a class.
 * \since 0.1
 */
typedef struct mprof_heap_class {
	size_t struct_size;         /**< sizeof, set by the caller. */
	uint32_t class_id;          /**< Class ID; 0 if not known. */
	uint32_t reserved;          /**< 0. */
	uint64_t objects;           /**< Objects. */
	uint64_t bytes;             /**< Their bytes. */
	uint64_t reachable_objects; /**< Those that roots reach. 0 without dominators, as the next two. */
	uint64_t reachable_bytes;   /**< Their bytes. */
	uint64_t retained_bytes;    /**< Retained sizes of the objects that no object of the class dominates. */
} mprof_heap_class;

/**
 * \brief Number of classes that have objects: mprof_heap_graph_totals::classes.
 *
 * Thread-safe while no thread changes the graph.
 * \param graph The graph.
 * \return The count; 0 if \p graph is NULL.
 * \since 0.1
 */
MPROF_API size_t mprof_heap_graph_get_class_count(const mprof_heap_graph *graph);

/**
 * \brief Gets a class.
 *
 * Thread-safe while no thread changes the graph.
 * \param graph The graph.
 * \param index 0 to mprof_heap_graph_get_class_count() - 1, in the order of class IDs.
 * \param stats Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_graph_get_class(const mprof_heap_graph *graph, size_t index, mprof_heap_class *stats);

/**
 * \brief An object.
 * \since 0.1
 */
typedef struct mprof_heap_object {
	size_t struct_size;       /**< sizeof, set by the caller. */
	uint64_t address;         /**< Its address when the snapshot was taken. */
	uint64_t bytes;           /**< Its size. */
	uint64_t retained_bytes;  /**< Its retained size; 0 without dominators, or if no root reaches it. */
	uint32_t class_id;        /**< Class ID; 0 if not known. */
	uint32_t class_index;     /**< Index of the class, for mprof_heap_graph_get_class(). */
	uint32_t dominator;       /**< The immediate dominator; #MPROF_HEAP_NO_OBJECT if no single object dominates it,
	                              or without dominators. */
	uint32_t is_reachable;    /**< 1: a root reaches it. 0 without dominators and paths. */
	uint32_t is_root;         /**< 1: a root refers to it. */
	uint32_t references;      /**< Number of its references. */
	uint32_t referrers;       /**< Number of references to it; 0 without referrers. */
	uint32_t flags;           /**< Bits of #mprof_object_flag. */
	const char *label;        /**< What distinguishes it from others of its class; "" if none. Borrowed until the
	                              graph is destroyed. */
	uint32_t weak_references; /**< Number of its weak references, which references does not include. */
	uint32_t reserved;        /**< 0. */
} mprof_heap_object;

/**
 * \brief Gets an object.
 *
 * Thread-safe while no thread changes the graph.
 * \param graph The graph.
 * \param object 0 to mprof_heap_graph_totals::objects - 1, in the order of addresses.
 * \param stats Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p object is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_graph_get_object(const mprof_heap_graph *graph, uint32_t object,
						   mprof_heap_object *stats);

/**
 * \brief Looks up the object at an address.
 *
 * Thread-safe while no thread changes the graph.
 * \param graph The graph.
 * \param address The address of the start of an object.
 * \param object Receives the object; #MPROF_HEAP_NO_OBJECT if there is none.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_UNDEFINED_ID if no object of the snapshot is there.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_graph_lookup_object(const mprof_heap_graph *graph, uint64_t address,
						      uint32_t *object);

/**
 * \brief A reference, as seen from one of its two objects. Passed together with its size, so that it may grow at its
 * end.
 *
 * mprof_reader_lookup_field() returns the field at an offset, for the class of the object that has the reference.
 * \since 0.1
 */
typedef struct mprof_heap_reference {
	uint32_t object;     /**< The object at the other end; #MPROF_HEAP_NO_OBJECT if the snapshot lacks it. */
	uint32_t has_offset; /**< 1: the offset is known. */
	uint64_t offset;     /**< Bytes from the start of the object that has the reference; 0 if not known. */
	const char *name; /**< Its name, if it has one of its own; else "". The same name always has the same pointer,
	                          which is borrowed until the graph is destroyed. */
} mprof_heap_reference;

/**
 * \brief Gets the references of an object, in the order of the log.
 *
 * Thread-safe while no thread changes the graph.
 * \param graph The graph.
 * \param object The object.
 * \param first Index of the first reference to get, 0 to mprof_heap_object::references.
 * \param references Array that receives the references; may be NULL if \p capacity is 0.
 * \param reference_size sizeof (mprof_heap_reference) as the caller was compiled.
 * \param capacity Number of elements in \p references.
 * \param count Receives the number of references stored.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p object or \p first is out of range, or \p reference_size is smaller
 *   than in release 0.1.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_graph_get_references(const mprof_heap_graph *graph, uint32_t object, uint32_t first,
						       mprof_heap_reference *references, size_t reference_size,
						       size_t capacity, size_t *count);

/**
 * \brief Gets the weak references of an object, in the order of the log. They keep nothing alive.
 *
 * Thread-safe while no thread changes the graph.
 * \param graph The graph.
 * \param object The object.
 * \param first Index of the first reference to get, 0 to mprof_heap_object::weak_references.
 * \param references Array that receives the references, without offsets; may be NULL if \p capacity is 0.
 * \param reference_size sizeof (mprof_heap_reference) as the caller was compiled.
 * \param capacity Number of elements in \p references.
 * \param count Receives the number of references stored.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p object or \p first is out of range, or \p reference_size is smaller
 *   than in release 0.1.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_graph_get_weak_references(const mprof_heap_graph *graph, uint32_t object,
							    uint32_t first, mprof_heap_reference *references,
							    size_t reference_size, size_t capacity, size_t *count);

/**
 * \brief Gets the references to an object, in the order of the objects that have them.
 *
 * Thread-safe while no thread changes the graph.
 * \param graph The graph.
 * \param object The object.
 * \param first Index of the first reference to get, 0 to mprof_heap_object::referrers.
 * \param references Array that receives the references; may be NULL if \p capacity is 0.
 * \param reference_size sizeof (mprof_heap_reference) as the caller was compiled.
 * \param capacity Number of elements in \p references.
 * \param count Receives the number of references stored.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p object or \p first is out of range, or \p reference_size is smaller
 *   than in release 0.1.
 * - #MPROF_ERR_STATE before mprof_heap_graph_build_referrers().
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_graph_get_referrers(const mprof_heap_graph *graph, uint32_t object, uint32_t first,
						      mprof_heap_reference *references, size_t reference_size,
						      size_t capacity, size_t *count);

/**
 * \brief A root of an object in the snapshot.
 * \since 0.1
 */
typedef struct mprof_heap_root {
	size_t struct_size; /**< sizeof, set by the caller. */
	uint32_t object;    /**< The object. */
	uint32_t kind;      /**< An #mprof_root_kind, or another number below 256 that this library does not have; above
	                         that #MPROF_ROOT_OTHER. */
	uint32_t area;      /**< ID of the root area, for mprof_reader_lookup_record(); 0 if not known. */
	uint32_t holder;    /**< The synthetic object that refers to the object; #MPROF_HEAP_NO_OBJECT if none does. */
} mprof_heap_root;

/**
 * \brief Gets a root.
 *
 * Thread-safe while no thread changes the graph.
 * \param graph The graph.
 * \param index 0 to mprof_heap_graph_totals::roots - 1, in the order of objects.
 * \param root Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_graph_get_root(const mprof_heap_graph *graph, size_t index, mprof_heap_root *root);

/**
 * \brief Gets the objects whose immediate dominator is a given one, those with the largest retained size first.
 *
 * Scans all objects. Thread-safe while no thread changes the graph.
 * \param graph The graph.
 * \param dominator The object; #MPROF_HEAP_NO_OBJECT for reachable objects that no single object dominates.
 * \param objects Array that receives the objects; may be NULL if \p capacity is 0. Objects of the same retained size
 * are in their own order.
 * \param capacity Number of elements in \p objects.
 * \param count Receives the number of such objects, which may be larger than \p capacity.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or \p dominator is out of range.
 * - #MPROF_ERR_STATE before mprof_heap_graph_build_dominators().
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_graph_get_dominated(const mprof_heap_graph *graph, uint32_t dominator,
						      uint32_t *objects, size_t capacity, size_t *count);

/**
 * \brief Gets the retained size of a set of objects: the bytes of all objects that would be dead without these, also of
 * those that only several of them together keep alive. Unreachable objects add nothing.
 *
 * One thread at a time, since it needs temporary memory.
 * \param graph The graph.
 * \param objects The objects; repetitions have no effect. May be NULL if \p count is 0.
 * \param count Number of elements in \p objects.
 * \param bytes Receives the retained size.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or an object is out of range.
 * - #MPROF_ERR_STATE before mprof_heap_graph_build_dominators().
 * - #MPROF_ERR_INTERRUPTED if mprof_heap_graph_options::progress asked for it.
 * - #MPROF_ERR_LIMIT if max_memory is too small.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_heap_graph_get_retained(mprof_heap_graph *graph, const uint32_t *objects,
								     size_t count, uint64_t *bytes);

/**
 * \brief A step of a path: an object, and its reference to the object of the next step. Passed together with its size,
 * so that it may grow at its end.
 * \since 0.1
 */
typedef struct mprof_heap_step {
	uint32_t object;       /**< The object. */
	uint32_t is_dominator; /**< 1: the object of the last step is alive only because of this one: every path leads
	                            through it. Also 1 in the last step. 0 without dominators. */
	uint32_t has_offset;   /**< 1: the offset is known. 0 in the last step. */
	uint32_t reserved;     /**< 0. */
	uint64_t offset;       /**< Offset of the reference to the next object, in bytes; 0 if not known. */
	const char *name;      /**< Its name, as mprof_heap_reference::name; "" in the last step. */
} mprof_heap_step;

/**
 * \brief Gets a shortest path from a root to an object.
 *
 * Thread-safe while no thread changes the graph.
 * \param graph The graph.
 * \param object The object.
 * \param root Receives the root; what fits its struct_size, which the caller sets. Unchanged if \p count is 0.
 * \param steps Array that receives the steps from the root to the object; may be NULL if \p capacity is 0.
 * \param step_size sizeof (mprof_heap_step) as the caller was compiled.
 * \param capacity Number of elements in \p steps.
 * \param count Receives the number of steps of the path, which may be larger than \p capacity: then the first ones are
 * stored. 0 if no root reaches the object.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p object is out of range, struct_size is too small, or \p step_size is
 *   smaller than in release 0.1.
 * - #MPROF_ERR_STATE before mprof_heap_graph_build_paths().
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_graph_get_path(const mprof_heap_graph *graph, uint32_t object, mprof_heap_root *root,
						 mprof_heap_step *steps, size_t step_size, size_t capacity,
						 size_t *count);

/**
 * \brief Gets the last reference on the shortest path from a root to an object, without the rest of the path.
 *
 * The paths of all objects are a tree, which this function climbs by one step. It suits programs that group objects by
 * their paths. Thread-safe while no thread changes the graph.
 * \param graph The graph.
 * \param object The object.
 * \param reference Receives the reference: the object that has it is #MPROF_HEAP_NO_OBJECT if a root refers to the
 * object, or if no root reaches it.
 * \param reference_size sizeof (mprof_heap_reference) as the caller was compiled.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p object is out of range, or \p reference_size is smaller than in
 *   release 0.1.
 * - #MPROF_ERR_STATE before mprof_heap_graph_build_paths().
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_graph_get_parent(const mprof_heap_graph *graph, uint32_t object,
						   mprof_heap_reference *reference, size_t reference_size);

/**
 * \brief The tables of a heap graph. Values are fixed; new ones are appended, without gaps.
 * \since 0.1
 */
typedef enum mprof_heap_table {
	MPROF_HEAP_TABLE_GRAPH = 1,     /**< #mprof_heap_graph_totals: one row. */
	MPROF_HEAP_TABLE_SNAPSHOTS = 2, /**< #mprof_heap_snapshot: those that were read, in their order. */
	MPROF_HEAP_TABLE_CLASSES = 3,   /**< #mprof_heap_class: classes that have objects, by class ID. */
	MPROF_HEAP_TABLE_OBJECTS = 4,   /**< #mprof_heap_object: objects, by address. */
	MPROF_HEAP_TABLE_ROOTS = 5      /**< #mprof_heap_root: roots of these objects. */
} mprof_heap_table;

/**
 * \brief Gets the description of a table.
 *
 * Thread-safe and async-signal-safe.
 * \param table An #mprof_heap_table or, experimental, #MPROF_HEAP_TABLE_GROWTH.
 * \return The description, which is constant; NULL if \p table is not a table of this version of the library.
 * \since 0.1
 */
MPROF_API const mprof_table_info *mprof_heap_table_get_info(uint32_t table);

/**
 * \brief Gets the description of a column.
 *
 * Thread-safe and async-signal-safe.
 * \param table An #mprof_heap_table or, experimental, #MPROF_HEAP_TABLE_GROWTH.
 * \param column 0 to mprof_table_info::column_count - 1.
 * \return The description, which is constant; NULL if \p table or \p column is out of range.
 * \since 0.1
 */
MPROF_API const mprof_table_column *mprof_heap_table_get_column(uint32_t table, size_t column);

/**
 * \brief Number of rows of a table.
 *
 * Thread-safe while no thread changes the graph.
 * \param graph The graph.
 * \param table An #mprof_heap_table.
 * \return The count; 0 if \p graph is NULL or \p table is not a table of a graph.
 * \since 0.1
 */
MPROF_API size_t mprof_heap_graph_get_row_count(const mprof_heap_graph *graph, uint32_t table);

/**
 * \brief Gets a row of a table.
 *
 * Thread-safe while no thread changes the graph.
 * \param graph The graph.
 * \param table An #mprof_heap_table.
 * \param index 0 to mprof_heap_graph_get_row_count() - 1.
 * \param row Receives what fits its struct_size, which the caller sets. Texts are borrowed until the graph changes.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, \p table is not a table of a graph, \p index is out of range, or
 *   struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_graph_get_row(const mprof_heap_graph *graph, uint32_t table, size_t index, void *row);
/** \} */

#ifdef MPROF_UNSTABLE
/**
 * \name Sets of objects
 * \{
 *
 * A set takes one bit for each object of the graph, which counts as memory of the graph. The graph must outlive its
 * sets. One thread at a time may call functions with the sets of a graph, and none then that changes the graph. Every
 * function refuses NULL: functions that return a status return #MPROF_ERR_ARGUMENT, the others 0. No function is
 * async-signal-safe.
 *
 * Experimental: this section may change before version 1.0. A program that accepts that defines MPROF_UNSTABLE before
 * it includes the header.
 */

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
/** \} */
#endif

#ifdef MPROF_UNSTABLE
/**
 * \name Comparing snapshots
 * \{
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
 * Experimental: this section may change before version 1.0. A program that accepts that defines MPROF_UNSTABLE before
 * it includes the header.
 */

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
 * \param snapshot_index Index of the snapshot, in the order in which they were added.
 * \param stats Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, an index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_diff_get_class(const mprof_heap_diff *diff, size_t index, size_t snapshot_index,
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
 * \param snapshot_index Index of the snapshot, in the order in which they were added.
 * \param shape Receives what fits its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, an index is out of range, or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_heap_diff_get_shape(const mprof_heap_diff *diff, size_t index, size_t snapshot_index,
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
 * \brief The table of #mprof_heap_growth, which mprof_heap_diff_get_growth() returns. Not a table of a graph.
 * \since 0.1
 */
#define MPROF_HEAP_TABLE_GROWTH 101

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
/** \} */
#endif

MPROF_END_DECLS

#endif
