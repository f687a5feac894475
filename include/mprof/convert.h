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
 *     mprof_writer_options_init(&options, sizeof(options));
 *     options.dialect = MPROF_DIALECT_MONO;
 *     options.lossy = 1;
 *     mprof_converter_create(reader, &options, &converter);
 *     mprof_writer_open_path("copy.mprof", &options, &writer);
 *     mprof_converter_run(converter, writer, NULL, NULL);
 *
 * One converter belongs to one thread at a time. No function is async-signal-safe. NULL is refused: functions that
 * return a status return #MPROF_ERR_ARGUMENT, others do nothing.
 *
 * Not stable before version 1.0: functions and structs of this header may change between any two releases. A program
 * that accepts that defines MPROF_UNSTABLE before it includes the header.
 *
 * Example: examples/tutorial/08_convert.c.
 */
#ifndef MPROF_CONVERT_H
#define MPROF_CONVERT_H

#ifndef MPROF_UNSTABLE
#error "mprof/convert.h is not stable before 1.0: define MPROF_UNSTABLE to use it, and expect it to change"
#endif

#include <mprof/reader.h>
#include <mprof/writer.h>

MPROF_BEGIN_DECLS

/**
 * \brief Copies one log. One thread at a time.
 * \since 0.1
 */
typedef struct mprof_converter mprof_converter;

/**
 * \brief Begins a copy, and determines how its writer must be opened.
 *
 * The block after INTRO is read, since it contains the directives of the log. One thread at a time.
 * \param reader The log: a reader that is open, loads blocks of all kinds, and has read no block except INTRO. Borrowed
 * until the converter is destroyed; it must not be used otherwise until the copy is complete.
 * \param options Options of the writer. The caller sets dialect, allocator, compression, limits, and lossy; without
 * lossy the copy ends after the first block that the dialect cannot represent completely. The function sets all others:
 * the fields of INTRO, the directives, and the clock, which the converter controls; it also sets allow_undefined_ids
 * and lossy to 1. If the caller did not set lossy, the converter itself ends the copy.
 * \param converter Receives the converter; NULL on an error. The caller frees it with mprof_converter_destroy(), after
 * it has destroyed the writer, which calls the converter's clock.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL or the dialect is invalid.
 * - #MPROF_ERR_STATE if neither INTRO nor the block after it contains the start time of the log, or the reader has read
 *   further blocks.
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_converter_create(mprof_reader *reader, mprof_writer_options *options,
							      mprof_converter **converter);

/**
 * \brief Chooses a coarser unit for the counters of the copy, which makes a smaller log.
 *
 * All counters are divided by the same number, rounded down: the largest one that makes a unit of the copy at most
 * \p nanoseconds long. The order of events stays. A call that is shorter than the unit lasts zero or one of them; sums
 * over many calls stay right on average. In mprof2 the SESSION property `resolution` states the unit (section 3.8).
 * One thread at a time.
 * \param converter A converter whose writer is not open yet, since the writer begins with a clock pair.
 * \param nanoseconds Longest unit of the copy, in nanoseconds. If the log's own unit is not shorter, as always with 0,
 * the copy keeps it.
 * \param counters_per_second Frequency of the log's counter: mprof_session::counters_per_second of a reader that has
 * read the log, or of one that has skipped over its blocks.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if \p converter is NULL, or \p counters_per_second is not a finite number above 0.
 * - #MPROF_ERR_STATE if a writer was opened with the options, or a coarser unit was chosen before.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_converter_set_resolution(mprof_converter *converter, uint64_t nanoseconds,
								      double counters_per_second);

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
 * \param writer A writer opened with the options of mprof_converter_create(). The writer of a log that is not closed is
 * flushed and left open: the caller may close it.
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

MPROF_END_DECLS

#endif
