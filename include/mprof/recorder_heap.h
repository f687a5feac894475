/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/recorder_heap.h
 * \brief Records what a collector reports to a recorder: memory areas with roots, heap snapshots, and objects that
 * moved or died. Included by mprof/recorder.h.
 *
 * NULL is refused as in mprof/recorder.h: functions that return a status return #MPROF_ERR_ARGUMENT, others do nothing
 * or return 0.
 */
#ifndef MPROF_RECORDER_HEAP_H
#define MPROF_RECORDER_HEAP_H

#include <mprof/recorder_types.h>
#include <mprof/status.h>
#include <mprof/format.h>

MPROF_BEGIN_DECLS

/**
 * \brief A memory area that the collector treats as roots.
 * \since 0.1
 */
typedef struct mprof_root_area {
	size_t struct_size;  /**< sizeof (mprof_root_area), set by the caller. */
	uint64_t start;      /**< Address of its first byte. */
	uint64_t size;       /**< In bytes. */
	uint32_t kind;       /**< An #mprof_root_kind. */
	uint32_t reserved;   /**< 0. */
	mprof_key class_key; /**< The class whose static fields it holds, 0 if none. */
	uint64_t thread;     /**< ID of the thread it belongs to, 0 if none. */
	const char *name;    /**< UTF-8, NUL-terminated; may be NULL. Copied. */
} mprof_root_area;

/**
 * \brief Records that the collector treats an area as roots from now on. An area registered before with the same start
 * is replaced.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param area The area, of at least 1 byte. Copied.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, struct_size is too small, the size is 0 or exceeds the address space, or
 *   the kind is unknown.
 * - #MPROF_ERR_NAME if the name is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if more markers, metric values and changes of roots than
 *   mprof_recorder_options::max_message_bytes wait to be written: this one is lost, and counted
 *   (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_register_root(mprof_recorder *recorder, const mprof_root_area *area);

/**
 * \brief Records that the collector no longer treats an area as roots.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param start Address of the first byte of the area.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p recorder is NULL.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if more markers, metric values and changes of roots than
 *   mprof_recorder_options::max_message_bytes wait to be written: this one is lost, and counted
 *   (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_unregister_root(mprof_recorder *recorder, uint64_t start);

/**
 * \brief A field in which the objects of a class have a reference, or the elements of an array (section 3.21 of
 * doc/format.md).
 *
 * Passed in arrays together with its size, so it has no struct_size.
 * \since 0.1
 */
typedef struct mprof_class_field {
	const char *name;    /**< UTF-8, NUL-terminated: "a"; "a.b" in a struct; "[]", "[].b" in the elements of an
	                          array. Copied. */
	mprof_key class_key; /**< The base class that declares the field, 0 if the class itself does. */
	uint32_t offset;     /**< In bytes from the start of the object; of an array: of the field in the first
	                          element. */
	uint32_t stride;     /**< Arrays: the size of an element in bytes; else 0. */
} mprof_class_field;

/**
 * \brief Defines the fields in which objects of a class have references. Call it after mprof_recorder_define_class()
 * and before the first heap snapshot that contains such an object.
 *
 * The fields are written before the first object of the class in a heap snapshot, and not at all if there is none.
 * Further calls for the same class have no effect, nor has one for a class that is not defined. Without
 * mprof_recorder_options::heap_offsets the arguments are only checked.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param class_key Key of the class.
 * \param fields The fields in ascending order of their offsets, with base classes and the members of structs. Copied.
 * \param field_size sizeof (mprof_class_field) as the caller was compiled.
 * \param count Number of elements in \p fields.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p recorder or a name is NULL, \p fields is NULL although \p count is not 0, a key is not
 *   valid, the size is too small, the offsets do not ascend, the strides differ, or a field of an array is farther from
 *   the first one than the stride.
 * - #MPROF_ERR_NAME if a name is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_fields(mprof_recorder *recorder, mprof_key class_key,
						    const mprof_class_field *fields, size_t field_size, size_t count);

/**
 * \brief What mprof_recorder_begin_heap() collects data for.
 * \since 0.1
 */
typedef enum mprof_heap_use {
	MPROF_HEAP_USE_SHOT = 1,   /**< A heap snapshot: objects with references, and roots. */
	MPROF_HEAP_USE_FREED = 2,  /**< The objects that died since the last time; requires track_objects, or calls of
	                                mprof_recorder_add_heap_free(). Until a later mprof_recorder_begin_heap() omits
	                                this flag, an object is reported dead as soon as its address is reused, as
	                                before the first one. */
	MPROF_HEAP_USE_SUMMARY = 4 /**< Totals by class (HEAP_SUMMARY): of the objects added, and of those found or
	                                reported dead since the last totals. Left out if the snapshot is incomplete. */
} mprof_heap_use;

/**
 * \brief Begins a heap snapshot.
 *
 * This function, mprof_recorder_end_heap() and those named mprof_recorder_add_heap_... may be called where the world is
 * stopped: they take no lock, call no allocator, do not wait, and keep errno. Memory comes from the system in chunks,
 * up to max_heap_bytes, and is kept for the next snapshot; the writer thread encodes it afterwards. One thread at a
 * time may call them for a recorder. Outside a snapshot, only mprof_recorder_add_heap_move() and
 * mprof_recorder_add_heap_free() have an effect.
 * \param recorder The recorder.
 * \param use Bits of #mprof_heap_use. 0: the data up to mprof_recorder_end_heap() is only recorded as belonging to one
 * collection.
 * \param collection Number of the collection, for HEAP_SUMMARY, and for dialects in which snapshots have that number
 * (drop, mono, unity).
 * \return 1 if the snapshot has begun. 0 if the recorder is closed or NULL, in a child made by fork(), if a snapshot
 * was begun and not ended, if \p use has other bits, or if there is no memory at all.
 * \since 0.1
 */
MPROF_API int mprof_recorder_begin_heap(mprof_recorder *recorder, uint32_t use, uint32_t collection);

/**
 * \brief Adds a live object to a heap snapshot. Objects that do not fit max_heap_bytes make the snapshot incomplete,
 * which is recorded in the log.
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \param address Address of the object.
 * \param class_key Key of its class, defined before.
 * \param size Size of the object in bytes.
 * \param references Addresses of the objects it refers to. Copied; may be NULL if \p count is 0.
 * \param count Number of elements in \p references.
 * \since 0.1
 */
MPROF_API void mprof_recorder_add_heap_object(mprof_recorder *recorder, uint64_t address, mprof_key class_key,
					      uint64_t size, const uint64_t *references, size_t count);

/**
 * \brief Adds references to the last object added to a heap snapshot, for runtimes that report them in several parts.
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \param references Addresses of the objects it refers to. Copied; may be NULL if \p count is 0.
 * \param count Number of elements in \p references.
 * \since 0.1
 */
MPROF_API void mprof_recorder_add_heap_references(mprof_recorder *recorder, const uint64_t *references, size_t count);

/**
 * \brief Adds a live object to a heap snapshot, with the offsets of its references. Objects that do not fit
 * max_heap_bytes make the snapshot incomplete, which is recorded in the log.
 *
 * The offsets are recorded only with mprof_recorder_options::heap_offsets. They take least memory if they ascend and
 * are multiples of 8.
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \param address Address of the object.
 * \param class_key Key of its class, defined before.
 * \param size Size of the object in bytes.
 * \param references Addresses of the objects it refers to. Copied; may be NULL if \p count is 0.
 * \param offsets Offset of each reference from the start of the object, in bytes. Copied; NULL if not known.
 * \param count Number of elements in \p references and \p offsets.
 * \since 0.1
 */
MPROF_API void mprof_recorder_add_heap_object_with_offsets(mprof_recorder *recorder, uint64_t address,
							   mprof_key class_key, uint64_t size,
							   const uint64_t *references, const uint64_t *offsets,
							   size_t count);

/**
 * \brief Adds references with their offsets to the last object added to a heap snapshot, for runtimes that report them
 * in several parts.
 *
 * The offsets are recorded only with mprof_recorder_options::heap_offsets.
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \param references Addresses of the objects it refers to. Copied; may be NULL if \p count is 0.
 * \param offsets Offset of each reference from the start of the object, in bytes. Copied; NULL if not known.
 * \param count Number of elements in \p references and \p offsets.
 * \since 0.1
 */
MPROF_API void mprof_recorder_add_heap_references_with_offsets(mprof_recorder *recorder, const uint64_t *references,
							       const uint64_t *offsets, size_t count);

/**
 * \brief Adds a root to a heap snapshot.
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \param kind Why the collector keeps the object. If \p slot is in a registered area, the kind of the area takes
 * precedence.
 * \param slot Address of the reference, which is looked up in the registered areas; 0 if none.
 * \param object Address of the object.
 * \since 0.1
 */
MPROF_API void mprof_recorder_add_heap_root(mprof_recorder *recorder, mprof_root_kind kind, uint64_t slot,
					    uint64_t object);

/**
 * \brief Reports a dead object, for runtimes that can.
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \param address Address that the object had, 0 if not known.
 * \param class_key Key of its class.
 * \param size Size of the object in bytes.
 * \since 0.1
 */
MPROF_API void mprof_recorder_add_heap_free(mprof_recorder *recorder, uint64_t address, mprof_key class_key,
					    uint64_t size);

/**
 * \brief Reports that the collector moved an object.
 *
 * Consecutive moves are one set: an address may be left by one object and taken by another, in any order. Any other
 * call about the heap ends a set, and so does an allocation or the start of a collection (#MPROF_EVENT_GC_START) in
 * between.
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \param from Address of the object before the move.
 * \param to Address of the object after the move.
 * \since 0.1
 */
MPROF_API void mprof_recorder_add_heap_move(mprof_recorder *recorder, uint64_t from, uint64_t to);

/**
 * \brief Ends a heap snapshot and wakes the writer thread.
 *
 * May be called where the world is stopped: takes no lock, calls no allocator, does not wait, and keeps errno. One
 * thread at a time.
 * \param recorder The recorder.
 * \since 0.1
 */
MPROF_API void mprof_recorder_end_heap(mprof_recorder *recorder);

MPROF_END_DECLS

#endif
