/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/convert.h
 * \brief Converts a log to another dialect, or copies it to another sink, in one pass and in memory that does not grow
 * with the number of events.
 *
 * Memory grows with the definitions of the log (names, call stacks, native code), and with one heap snapshot if a
 * snapshot is one block in the target dialect. Data that the target cannot represent is left out and counted:
 * mprof_writer_get_stats().
 *
 *     mprof_writer_options_init(&wanted, sizeof(wanted));
 *     wanted.dialect = MPROF_DIALECT_MONO;
 *     wanted.lossy = 1;
 *     mprof_converter_options_init(&options, sizeof(options));
 *     options.writer = &wanted;
 *     mprof_converter_create(reader, &options, &converter);
 *     mprof_converter_get_writer_options(converter, &complete);
 *     mprof_writer_open_path("copy.mprof", &complete, &writer);
 *     mprof_converter_run(converter, writer, NULL, NULL);
 *
 * One converter belongs to one thread at a time. No function is async-signal-safe. NULL is refused: functions that
 * return a status return #MPROF_ERR_ARGUMENT, others do nothing.
 *
 * Several logs of one machine, such as those of a program and its child processes, can be merged into one:
 * mprof_merger_create().
 *
 * Example: examples/small/tutorial/08_convert.c.
 */
#ifndef MPROF_CONVERT_H
#define MPROF_CONVERT_H

#include <mprof/reader.h>
#include <mprof/writer.h>

MPROF_BEGIN_DECLS

/**
 * \brief Copies one log. One thread at a time.
 * \since 0.1
 */
typedef struct mprof_converter mprof_converter;

/**
 * \brief Options of mprof_converter_create(); set by mprof_converter_options_init().
 * \since 0.1
 */
typedef struct mprof_converter_options {
	size_t struct_size; /**< sizeof (mprof_converter_options), set by the caller. */
	/**
	 * \brief The writer that is wanted: its dialect, allocator, compression, limits, and lossy. Without lossy the
	 * copy ends after the first block that the dialect cannot represent completely. All other fields are ignored.
	 * NULL: the defaults of a writer. Borrowed during the call; what it refers to is used until the writer is
	 * destroyed.
	 */
	const mprof_writer_options *writer;
	/**
	 * \brief Longest unit of the counters of the copy, in nanoseconds: a coarser unit makes a smaller log. If the
	 * log's own unit is not shorter, as always with 0, the copy keeps it.
	 *
	 * All counters are divided by the same number, rounded down: the largest one that makes a unit at most that
	 * long. The order of events stays. A call that is shorter than the unit lasts zero or one of them; sums over
	 * many calls stay right on average. In mprof2 the SESSION property `resolution` states the unit (section 3.8).
	 */
	uint64_t resolution_ns;
	/**
	 * \brief With resolution_ns: frequency of the log's counter, mprof_session::counters_per_second of a reader
	 * that has read the log, or of one that has skipped over its blocks.
	 */
	double counters_per_second;
	/**
	 * \brief Called when everything is copied, before the writer of a log that is closed is closed: it can write
	 * further blocks, whose IDs must not collide with those of the log. A status other than #MPROF_OK ends the
	 * copy, as an error of the writer does. NULL: not called.
	 */
	mprof_status (*at_end)(void *user, mprof_writer *writer);
	void *user; /**< Passed to at_end. */
} mprof_converter_options;

/**
 * \brief Sets all options to their defaults.
 *
 * Thread-safe for different structs.
 * \param options The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_converter_options) as the caller was compiled; a size smaller than that of size_t
 * does nothing.
 * \since 0.1
 */
MPROF_API void mprof_converter_options_init(mprof_converter_options *options, size_t struct_size);

/**
 * \brief Begins a copy.
 *
 * The block after INTRO is read, since it contains the directives of the log. One thread at a time.
 * \param reader The log: a reader that is open, loads blocks of all kinds, and has read no block except INTRO. Borrowed
 * until the converter is destroyed; it must not be used otherwise until the copy is complete.
 * \param options Options, or NULL for the defaults. Copied.
 * \param converter Receives the converter; NULL on an error. The caller frees it with mprof_converter_destroy(), after
 * it has destroyed the writer, which calls the converter's clock.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p reader or \p converter is NULL, a struct_size is wrong, the dialect is invalid, or
 *   resolution_ns is set and counters_per_second is not a finite number above 0.
 * - #MPROF_ERR_STATE if neither INTRO nor the block after it contains the start time of the log, or the reader has read
 *   further blocks.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_converter_create(mprof_reader *reader,
							      const mprof_converter_options *options,
							      mprof_converter **converter);

/**
 * \brief Gets the options with which the writer of the copy must be opened.
 *
 * They are those of mprof_converter_options::writer, with the fields of INTRO, the directives and the clock of the
 * copy, which the converter controls; allow_undefined_ids and lossy are 1. If the caller did not set lossy, the
 * converter itself ends the copy. The options refer to the converter. One thread at a time.
 * \param converter The converter.
 * \param options Receives the options, up to its struct_size, which the caller sets.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or struct_size has no room for what the converter controls.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_converter_get_writer_options(const mprof_converter *converter,
									  mprof_writer_options *options);

/**
 * \brief Frees a converter.
 * \param converter The converter, or NULL.
 * \since 0.1
 */
MPROF_API void mprof_converter_destroy(mprof_converter *converter);

/**
 * \brief Copies all blocks up to the end of the log, skipping damage, and closes the writer if the log is closed.
 *
 * One thread at a time.
 * \param converter The converter.
 * \param writer A writer opened with the options of mprof_converter_get_writer_options(). The writer of a log that is
 * not closed is flushed and left open: the caller may close it.
 * \param damage Called for each error in the log, on the calling thread; may be NULL.
 * \param user Passed to \p damage.
 * \return
 * - #MPROF_OK if the log is complete.
 * - #MPROF_AGAIN if the reader follows the log and has read all that is available: the same call continues.
 * - #MPROF_ERR_INTERRUPTED if the reader was interrupted: the same call continues.
 * - #MPROF_ERR_TRUNCATED if END is missing.
 * - #MPROF_ERR_ARGUMENT if \p converter or \p writer is NULL.
 * - #MPROF_ERR_MEMORY, also of the reader, or an error of the writer: the copy ends, and every later call returns the
 *   error again. mprof_converter_has_failed() then returns 1.
 * - Otherwise the first error in the log; all valid content has been copied.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_converter_run(mprof_converter *converter, mprof_writer *writer,
							   mprof_damage_function damage, void *user);

/**
 * \brief Whether the copy ended early, because of an error other than damage in the log.
 * \param converter The converter.
 * \return 1 if the allocator refused or the writer failed (mprof_writer_get_error() returns its error). 0 if everything
 * that can be read was copied.
 * \since 0.1
 */
MPROF_API int mprof_converter_has_failed(const mprof_converter *converter);

/**
 * \brief Merges logs. One thread at a time.
 * \since 0.1
 */
typedef struct mprof_merger mprof_merger;

/**
 * \brief Options of mprof_merger_create(); set by mprof_merger_options_init().
 * \since 0.1
 */
typedef struct mprof_merger_options {
	size_t struct_size; /**< sizeof (mprof_merger_options), set by the caller. */
	/**
	 * \brief The writer that is wanted, as mprof_converter_options::writer; its dialect must be
	 * #MPROF_DIALECT_MPROF2, or #MPROF_DIALECT_DEFAULT, which is the same here. NULL: the defaults of a writer.
	 */
	const mprof_writer_options *writer;
	/**
	 * \brief Opens a log again: \p input is its number, from 0, in the order of mprof_merger_add(). The reader
	 * loads blocks of all kinds and has read INTRO only. A status other than #MPROF_OK ends mprof_merger_run(),
	 * which returns it. Required.
	 */
	mprof_status (*open)(void *user, size_t input, mprof_reader **reader);
	/**
	 * \brief Takes a reader back, at the end of its log or in mprof_merger_destroy(). Only logs of processes that
	 * ran at the same time are open at the same time. Required.
	 */
	void (*close)(void *user, size_t input, mprof_reader *reader);
	/**
	 * \brief Called for each error in a log, on the calling thread; may be NULL. \p error has the offset in that
	 * log, and is borrowed during the call.
	 */
	void (*damage)(void *user, size_t input, const mprof_error *error);
	void *user; /**< Passed to the functions. */
} mprof_merger_options;

/**
 * \brief Sets all options to their defaults.
 *
 * Thread-safe for different structs.
 * \param options The struct to initialize; NULL does nothing.
 * \param struct_size sizeof (mprof_merger_options) as the caller was compiled; a size smaller than that of size_t does
 * nothing.
 * \since 0.1
 */
MPROF_API void mprof_merger_options_init(mprof_merger_options *options, size_t struct_size);

/**
 * \brief Creates a merger, to which logs are added.
 *
 * The merged log describes the process of each log (section 3.30), and each thread as one of its process (section
 * 3.29); all times are those of one clock. Definitions with the same content, such as a function of a library that two
 * processes use, are written once. Memory grows with the definitions of the logs, not with their events.
 * \param options Options; open and close are required. Copied.
 * \param merger Receives the merger; NULL on an error. The caller frees it with mprof_merger_destroy(), after it has
 * destroyed the writer.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, a struct_size is wrong, a required function is missing, or the dialect is
 *   not mprof2.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_merger_create(const mprof_merger_options *options, mprof_merger **merger);

/**
 * \brief Adds a log. Its first blocks are read, for what its session states.
 *
 * One thread at a time.
 * \param merger A merger that has not begun to merge.
 * \param reader The log: a reader that is open and has read no block except INTRO. Not kept, and not usable for
 * anything else: mprof_merger_options::open opens the log again.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_STATE if the log does not state when it began, or merging has begun.
 * - #MPROF_ERR_UNSUPPORTED if the log cannot be merged with the ones before it; mprof_merger_get_error() explains it.
 * - #MPROF_AGAIN, #MPROF_ERR_INTERRUPTED from the reader.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 *
 * After an error, the log does not belong to the merger.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_merger_add(mprof_merger *merger, mprof_reader *reader);

/**
 * \brief Gets the options with which the writer of the merged log must be opened, when all logs have been added.
 *
 * One thread at a time. Of a single log they are those of its copy: mprof_converter_get_writer_options().
 * \param merger The merger.
 * \param options Receives the options, up to its struct_size, which the caller sets. They refer to the merger.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL, or struct_size has no room for what the merger controls.
 * - #MPROF_ERR_STATE if no log was added.
 * - #MPROF_ERR_UNSUPPORTED if the times of the logs cannot be related.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * - The status of mprof_merger_options::open.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_merger_get_writer_options(mprof_merger *merger,
								       mprof_writer_options *options);

/**
 * \brief Merges the logs, in the order of the times of their blocks, and closes the writer.
 *
 * A log that has no end, such as that of a process that was killed, is merged as far as it goes; the property
 * `incomplete` of its process (section 3.8) states that, and the merged log is closed all the same. If only one log was
 * added, the merged log is its copy: mprof_converter_run(). One thread at a time.
 * \param merger The merger.
 * \param writer A writer opened with the options of mprof_merger_get_writer_options().
 * \return
 * - #MPROF_OK if all logs are complete.
 * - #MPROF_ERR_INTERRUPTED if a reader was interrupted: the same call continues.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_STATE before mprof_merger_get_writer_options().
 * - #MPROF_ERR_MEMORY, an error of the writer, or a status of mprof_merger_options::open: merging ends.
 *   mprof_merger_has_failed() then returns 1.
 * - Otherwise the first error in a log; all valid content of all logs has been copied.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_merger_run(mprof_merger *merger, mprof_writer *writer);

/**
 * \brief Whether merging ended early, because of an error other than damage in a log.
 * \param merger The merger.
 * \return 1 if it did; 0 if everything that can be read was copied.
 * \since 0.1
 */
MPROF_API int mprof_merger_has_failed(const mprof_merger *merger);

/**
 * \brief Gets why a log could not be added, or why merging could not begin.
 * \param merger The merger.
 * \param error Receives what fits its struct_size, which the caller sets. Its text is static.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or struct_size is too small.
 * \since 0.1
 */
MPROF_API mprof_status mprof_merger_get_error(const mprof_merger *merger, mprof_error *error);

/**
 * \brief Frees a merger, and closes the readers that are open.
 * \param merger The merger, or NULL.
 * \since 0.1
 */
MPROF_API void mprof_merger_destroy(mprof_merger *merger);

MPROF_END_DECLS

#endif
