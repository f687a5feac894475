/* SPDX-License-Identifier: MIT */
/**
 * \file reader/errors.h
 * \brief Errors of the reader.
 */
#ifndef READER_ERRORS_H
#define READER_ERRORS_H

#include <mprof/reader.h>

/** Copies the parser's error. If compressed data is damaged, the message states that instead. */
mprof_status reader_fail_parser(mprof_reader *reader, mprof_status status);

/** Records why a definition of a block could not be stored. Returns \p status. */
mprof_status reader_fail_names(mprof_reader *reader, mprof_status status, const mprof_block *block);

/**
 * Records that an allocation failed. The error is permanent: the definitions stored so far may be incomplete, so no
 * function reads any more. Returns #MPROF_ERR_MEMORY.
 */
mprof_status reader_fail_memory(mprof_reader *reader, const char *what);

/** Records a failed system call of the source. Returns #MPROF_ERR_IO, or #MPROF_ERR_MEMORY for ENOMEM. */
mprof_status reader_fail_system(mprof_reader *reader, int system_error, const char *what);

/**
 * Records why the events of the loaded block are not complete. mprof_reader_next_events() reports it after the last of
 * them.
 */
void reader_note_fault(mprof_reader *reader, mprof_status status);

/**
 * Whether the reader can read: #MPROF_OK, or the error of opening the source, or #MPROF_ERR_MEMORY if an allocation
 * failed before.
 */
mprof_status reader_check(mprof_reader *reader);

/** Refuses a call whose reader or other required pointer is NULL. Returns #MPROF_OK if neither is. */
mprof_status reader_check_pointer(mprof_reader *reader, const void *needed);

/**
 * Returns the status that a fetching function returns. If an allocation failed during the fetch, that is
 * #MPROF_ERR_MEMORY, and \p count is set to 0, so that no partial result is delivered.
 */
mprof_status reader_end_fetch(mprof_reader *reader, mprof_status status, size_t *count);

/**
 * Records the error of a fetch of events from the parser, if \p status is one, and that the open calls are unknown
 * after it. Returns \p status.
 */
mprof_status reader_end_parsed(mprof_reader *reader, mprof_status status);

void reader_watch_init(mprof_reader *reader, const mprof_reader_options *options);

/**
 * Calls the progress function if enough bytes were read since the last call, and checks for an interruption. Returns
 * #MPROF_OK or #MPROF_ERR_INTERRUPTED.
 */
mprof_status reader_watch_look(mprof_reader *reader);

/**
 * Records why a seek of the source failed or was interrupted. Returns #MPROF_ERR_IO, #MPROF_ERR_INTERRUPTED, or
 * #MPROF_ERR_MEMORY for ENOMEM.
 */
mprof_status reader_watch_fail_seek(mprof_reader *reader, int fault);

#endif
