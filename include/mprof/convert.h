/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/convert.h
 * \brief Rewrites a log in another dialect, or to another sink, in one pass and in memory that does not grow with it.
 *
 * What grows is what a log defines (names, call chains, native code), and one heap shot where the target has a shot in
 * one block. What the target cannot say is left out and counted: mprof_writer_get_stats().
 *
 *     mprof_writer_options_init(&options, sizeof(options));
 *     options.dialect = MPROF_DIALECT_MONO;
 *     options.lossy = 1;
 *     mprof_converter_create(reader, &options, &converter);
 *     mprof_writer_open_path("copy.mprof", &options, &writer);
 *     mprof_converter_run(converter, writer, NULL, NULL);
 *
 * Not stable before version 1.0: functions and structs of this header may change between any two releases. A program
 * that accepts that defines MPROF_UNSTABLE before it includes the header.
 */
#ifndef MPROF_CONVERT_H
#define MPROF_CONVERT_H

#ifndef MPROF_UNSTABLE
#error "mprof/convert.h is not stable before 1.0: define MPROF_UNSTABLE to use it, and expect it to change"
#endif

#include <mprof/reader.h>
#include <mprof/writer.h>

MPROF_BEGIN_DECLS

/** \brief What copies one log. One thread at a time. \since 0.1 */
typedef struct mprof_converter mprof_converter;

/**
 * \brief Begins a copy, and says how its writer has to be opened.
 *
 * The block after INTRO is read, since it tells what the log declares.
 * \param reader The log, open, with all kinds of blocks wanted and none read besides INTRO. Borrowed until the
 * converter is destroyed, and nobody else's until the copy is done.
 * \param options Options of the writer. The caller sets dialect, allocator, compression, limits, and lossy: without it
 * the copy ends behind the first block of which the dialect cannot say all. Receives all others: INTRO's fields,
 * directives, that IDs need not be defined, that the writer counts what it leaves out in either case, and the clock,
 * which the converter drives.
 * \param converter Receives it; NULL on an error. Destroy it after the writer.
 * \return #MPROF_OK; #MPROF_ERR_ARGUMENT, also for a dialect that is none; #MPROF_ERR_STATE if neither INTRO nor the
 * block behind it tells when the log began, or the reader is further on; #MPROF_ERR_MEMORY. \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_converter_create(mprof_reader *reader, mprof_writer_options *options,
							      mprof_converter **converter);

/** \brief Frees a converter. \param converter The converter, or NULL. \since 0.1 */
MPROF_API void mprof_converter_destroy(mprof_converter *converter);

/**
 * \brief Copies all blocks up to the end, going on behind blocks that are damaged, and closes the writer if the log was
 * closed.
 * \param converter The converter. \param writer A writer opened with the options. A writer of a log that was not closed
 * is flushed and left open: the caller may close it.
 * \param damage Called for each error met in the log; may be NULL. \param user Passed to \p damage.
 * \return #MPROF_OK if the log is complete; #MPROF_ERR_TRUNCATED if END is missing; otherwise the first error met in
 * the log, what is valid having been copied; #MPROF_AGAIN when following, and #MPROF_ERR_INTERRUPTED where the reader was
 * interrupted: calling again goes on; or an error of the writer or #MPROF_ERR_MEMORY, also the reader's, which end the
 * copy, and which every later call returns again: mprof_converter_has_failed() tells which of both it is.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_converter_run(mprof_converter *converter, mprof_writer *writer,
							   mprof_damage_function damage, void *user);

/**
 * \brief Whether the copy ended early, by an error that is not one of the log. \param converter The converter.
 * \return 1: memory was refused, or the writer failed, whose error mprof_writer_get_error() tells. 0: all was copied
 * that could be read. \since 0.1
 */
MPROF_API int mprof_converter_has_failed(const mprof_converter *converter);

MPROF_END_DECLS

#endif
