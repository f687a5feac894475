/* SPDX-License-Identifier: MIT */
/**
 * \file reader/errors.h
 * \brief Errors of the reader.
 */
#ifndef READER_ERRORS_H
#define READER_ERRORS_H

#include <mprof/reader.h>

/** Takes over the parser's error. If compressed data is damaged, the error says so. */
mprof_status reader_fail_parser(mprof_reader *reader, mprof_status status);

/** Notes why something that a block defines could not be kept. Returns \p status. */
mprof_status reader_fail_names(mprof_reader *reader, mprof_status status, const mprof_block *block);

/**
 * Notes that memory was refused. That is final: what was learnt from the log so far may be incomplete, so nothing more
 * is read by any function. Returns #MPROF_ERR_MEMORY.
 */
mprof_status reader_fail_memory(mprof_reader *reader, const char *what);

/** Notes a failed system call of the source. Returns #MPROF_ERR_IO, or #MPROF_ERR_MEMORY for ENOMEM. */
mprof_status reader_fail_system(mprof_reader *reader, int system_error, const char *what);

/** Notes why the events of the loaded block are not complete. mprof_reader_next_events() reports it at their end. */
void reader_note_fault(mprof_reader *reader, mprof_status status);

/** Whether something can be read: #MPROF_OK, or why the source could not be opened, or that memory was refused. */
mprof_status reader_check(mprof_reader *reader);

/** Refuses a call without the reader, or without a pointer that it needs. Returns #MPROF_OK if both are there. */
mprof_status reader_check_pointer(mprof_reader *reader, const void *needed);

/** The status of a function that fetches. If memory was refused meanwhile, it delivers nothing of what it fetched. */
mprof_status reader_end_fetch(mprof_reader *reader, mprof_status status, size_t *count);

/** The status of a fetch of events from the parser. After an error the open calls are no longer known. */
mprof_status reader_end_parsed(mprof_reader *reader, mprof_status status);

#endif
