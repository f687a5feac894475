/* SPDX-License-Identifier: MIT */
/**
 * \file writer/errors.h
 * \brief Errors of the writer, and the checks at the start of a call.
 */
#ifndef WRITER_ERRORS_H
#define WRITER_ERRORS_H

#include "writer/writer_internal.h"

/** Records a permanent error. Returns \p status. */
mprof_status writer_fail(mprof_writer *writer, mprof_status status, const char *what);

/** Records that element_list_convert() returned an error for an array of the caller. Returns \p status. */
mprof_status writer_refuse_elements(mprof_writer *writer, mprof_status status);

/** Records the error of a sink if \p system_error is not 0. Returns #MPROF_OK; #MPROF_ERR_IO; #MPROF_ERR_MEMORY. */
mprof_status writer_check_sink(mprof_writer *writer, int system_error, const char *what);

/** The first check of every call: #MPROF_OK if the writer is in this state and has no permanent error. */
mprof_status writer_enter(mprof_writer *writer, writer_state state);

/** #MPROF_OK, or refuses a name that has a NUL byte or is too long. */
mprof_status writer_check_name(mprof_writer *writer, const char *name, size_t length);

/** As writer_check_name(), for text that ends with NUL and may be NULL. */
mprof_status writer_check_text(mprof_writer *writer, const char *text);

/** Counts a block that was written without a part other than events. */
void writer_shorten_block(mprof_writer *writer, mprof_block_kind kind);

#endif
