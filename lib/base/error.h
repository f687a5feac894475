/* SPDX-License-Identifier: MIT */
/**
 * \file base/error.h
 * \brief The error record that every object keeps.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <mprof/base.h>

/** Empties a record: no error. */
void error_clear(mprof_error *error);

/** Fills a record without an offset or a block. \p what is static text. Returns \p status. */
mprof_status error_set(mprof_error *error, mprof_status status, mprof_severity severity, const char *what);

/** Fills a record for a failed system call. Returns #MPROF_ERR_IO. */
mprof_status error_set_system(mprof_error *error, int system_error, const char *what);

/** Copies a record to a caller, as struct_copy_out(). For the public getters. */
mprof_status error_copy(const mprof_error *error, mprof_error *out);

#endif
