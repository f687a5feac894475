/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/recorder_definitions.h
 * \brief Names what keys of a recorder identify: classes, methods and code units; names of threads. Included by
 * mprof/recorder.h.
 *
 * NULL is refused as in mprof/recorder.h: functions that return a status return #MPROF_ERR_ARGUMENT, others do nothing
 * or return 0.
 *
 * Definitions wait in memory until the writer thread has processed them, at most
 * mprof_recorder_options::max_message_bytes of them. A thread that defines more waits for the writer thread. It does
 * not wait with #MPROF_OVERFLOW_DROP, on the writer thread, nor long while the writer thread waits for the dynamic
 * loader; then the definition is lost. Events that use its key from then on do not get the meaning of an earlier
 * definition: they get the name that mprof_recorder_options::resolve_method or resolve_class returns, or else one made
 * from the key, until the key is defined again. If many definitions are lost within one round of the writer thread,
 * this applies to the keys of all earlier definitions. The same holds if the allocator refuses.
 *
 * Example: examples/tutorial/12_source_lines.c.
 */
#ifndef MPROF_RECORDER_DEFINITIONS_H
#define MPROF_RECORDER_DEFINITIONS_H

#include <mprof/recorder_types.h>
#include <mprof/writer.h>

MPROF_BEGIN_DECLS

/**
 * \brief Describes a method or a class. Pointers need to be valid only during the call; everything is copied.
 * \since 0.1
 */
typedef struct mprof_description {
	size_t struct_size;        /**< Set by mprof_description_init(). */
	const char *name;          /**< UTF-8. Methods: name and signature without the class. */
	size_t name_length;        /**< In bytes. */
	mprof_key class_key;       /**< Methods: the key of their class, 0 if none. */
	mprof_key assembly_key;    /**< Classes: the key of their assembly, as passed to mprof_recorder_record_loaded();
	                                0 if not known. */
	uint32_t flags;            /**< Methods: bits of #mprof_method_flag. */
	uint32_t object_size;      /**< Classes: size of an object in bytes, as in allocation events, if all objects
	                                have the same size; else 0. Allocations of that size are then written without
	                                it. */
	const char *source_file;   /**< Methods: UTF-8, the source file; NULL or "" if not known. */
	size_t source_file_length; /**< In bytes. */
	uint32_t source_line;      /**< Methods: the line in the source file, from 1; 0 if not known. */
	uint32_t reserved;         /**< 0. */
} mprof_description;

/**
 * \brief Sets all fields to 0, and struct_size.
 *
 * Thread-safe for different structs.
 * \param description The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_description) as the caller was compiled; a size smaller than that of size_t does
 * nothing.
 * \since 0.1
 */
MPROF_API void mprof_description_init(mprof_description *description, size_t struct_size);

/**
 * \brief Names a key that was not defined.
 *
 * Called on the writer thread, once for each key, and again after the key was retired or a definition of it was lost.
 * It may define other keys, such as the class of a method; these definitions apply at once.
 * \param user mprof_recorder_options::resolve_user.
 * \param key The key.
 * \param description Initialized, to be filled. What it points to must stay valid until the next call of a resolve
 * function.
 * \return 0 if \p description was filled. Any other value if the key has no name: the recorder then makes one from the
 * key.
 * \since 0.1
 */
typedef int (*mprof_resolve_function)(void *user, mprof_key key, mprof_description *description);

/**
 * \brief Defines a class. Call it before any thread records the first event that uses the key.
 *
 * A key defined again with the same description is the same class. With another description it is a new class from now
 * on, since its address was reused. An object_size of 0 does not make it another class: the size can be added later,
 * and is used if the class has not been written by then. A class that no event uses is not written.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param key A valid key.
 * \param description The class. Copied.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer or the name is NULL, the key is not valid, or struct_size is too small.
 * - #MPROF_ERR_NAME if the name contains a NUL byte or is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if too many definitions wait to be written and the thread did not wait, see above: this one is
 *   lost, and counted (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_class(mprof_recorder *recorder, mprof_key key,
						   const mprof_description *description);

/**
 * \brief Defines a method. Call it before any thread records the first event that uses the key. Its class must be
 * defined too, before or afterwards.
 *
 * A key defined again with the same description is the same method. With another description it is a new method from
 * now on, since its address was reused. A method that no event uses is not written.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param key A valid key.
 * \param description The method. Copied.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer or the name is NULL, the key is not valid, the source file is NULL although its
 *   length is not 0, or struct_size is too small.
 * - #MPROF_ERR_NAME if the name or the source file contains a NUL byte or is longer than
 *   mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if too many definitions wait to be written and the thread did not wait, see above: this one is
 *   lost, and counted (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_define_method(mprof_recorder *recorder, mprof_key key,
						    const mprof_description *description);

/**
 * \brief Records that a code unit was loaded. Classes may refer to an assembly by the key from now on.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param key Key of the code unit.
 * \param element The code unit. Copied; its id is chosen by the recorder.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer or the name is NULL, the kind does not have exactly one type, or a struct_size is
 *   too small.
 * - #MPROF_ERR_NAME if the name contains a NUL byte or is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if too many definitions wait to be written and the thread did not wait, see above: this one is
 *   lost, and counted (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_record_loaded(mprof_recorder *recorder, mprof_key key,
						    const mprof_element *element);

/**
 * \brief Records that a code unit was unloaded. Its key may be used again.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param key Key of the code unit.
 * \param element The code unit. Copied.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer or the name is NULL, the kind does not have exactly one type, or a struct_size is
 *   too small.
 * - #MPROF_ERR_NAME if the name contains a NUL byte or is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if too many definitions wait to be written and the thread did not wait, see above: this one is
 *   lost, and counted (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_record_unloaded(mprof_recorder *recorder, mprof_key key,
						      const mprof_element *element);

/**
 * \brief Records the name of a thread, which need not be the calling one.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param id ID of the thread in the log.
 * \param name UTF-8. Copied.
 * \param name_length Length of \p name in bytes.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_NAME if the name contains a NUL byte or is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if too many definitions wait to be written and the thread did not wait, see above: this one is
 *   lost, and counted (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_set_thread_name(mprof_recorder *recorder, uint64_t id, const char *name,
						      size_t name_length);

/**
 * \brief Adds a property to the session, or replaces its value. For what is known only after the recording began;
 * mprof_recorder_options::properties is for the rest.
 *
 * Dialects without SESSION blocks do not record it.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param key UTF-8, NUL-terminated, not empty. Copied.
 * \param value UTF-8, NUL-terminated. Copied.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or the key is empty.
 * - #MPROF_ERR_NAME if a text is longer than mprof_writer_options::max_name_length.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_LIMIT if too many definitions wait to be written and the thread did not wait, see above: this one is
 *   lost, and counted (#MPROF_LOSS_NO_BUFFER).
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_set_property(mprof_recorder *recorder, const char *key, const char *value);

/**
 * \brief A range of keys that includes both ends. Passed together with its size, so that it may grow at its end.
 * \since 0.1
 */
typedef struct mprof_key_range {
	mprof_key first; /**< The lowest key. */
	mprof_key last;  /**< The highest key; equal to first for a single key. */
} mprof_key_range;

/**
 * \brief Announces that the structures identified by these keys are about to be freed. Call it before freeing them.
 *
 * When it returns, all events that any thread published before the call are in the log under the names that their keys
 * had, and these keys have no meaning any more. To be used again they must be defined again; they then get new IDs,
 * even if the names are the same. Events that use them without a new definition are written as unknown. Other threads
 * continue to record meanwhile and need not be stopped, but must not record events with these keys any more. Keys that
 * are IDs (keys_are_ids) keep their meaning for ever: the call only drains.
 *
 * Thread-safe. Must not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \param ranges Ranges of keys of methods and classes, in any order. Copied.
 * \param range_size sizeof (mprof_key_range) as the caller was compiled: the distance in bytes from one element to the
 * next. Bytes beyond the library's own size must be 0.
 * \param count Number of elements in \p ranges.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, a range has its first key above its last, or \p range_size is invalid.
 * - #MPROF_ERR_STATE if the recorder is closed, on the writer thread, or in a child made by fork().
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * - The error that stopped the writing.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_retire_keys(mprof_recorder *recorder, const mprof_key_range *ranges,
						  size_t range_size, size_t count);

/**
 * \brief Reads the list of the libraries that are loaded at this time. A client calls it immediately before and after a
 * library is unloaded, as by dlclose().
 *
 * The recorder reads the list by itself when it drains events. A library that was unloaded before that, or replaced by
 * another one at the same addresses, is only known with these calls. The addresses of an event belong to the library
 * that was loaded at the time of the event. An address has no library if it is not certain which one it was.
 *
 * Waits for no other thread of the recorder's to drain events. Calls the loader (dl_iterate_phdr()). Thread-safe. Must
 * not be called in a signal handler, nor where the world is stopped.
 * \param recorder The recorder.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p recorder is NULL.
 * - #MPROF_ERR_STATE if the recorder is closed, or in a child made by fork().
 * - The error that ended the writing of the log, such as #MPROF_ERR_IO: see mprof_recorder_options::failed.
 * - #MPROF_ERR_MEMORY if the allocator refused: what was loaded or unloaded since the last time is not known.
 * \since 0.1
 */
MPROF_API mprof_status mprof_recorder_update_modules(mprof_recorder *recorder);

MPROF_END_DECLS

#endif
