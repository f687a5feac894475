/* SPDX-License-Identifier: MIT */
/**
 * \file shared/open_error.h
 * \brief The reason why a log could not be opened for writing, for a one-line message.
 */
#ifndef SHARED_OPEN_ERROR_H
#define SHARED_OPEN_ERROR_H

#include <mprof/base.h>

#include <errno.h>
#include <string.h>

/**
 * Returns the system's text, or the library's if the system's is misleading: a log in use is not a "device or
 * resource", and a file of another user may well be writable.
 */
static inline const char *open_error_text(const mprof_error *error, mprof_status status)
{
	/* As with "LD_PRELOAD=... timeout 60 program": the module is loaded into both. */
	if (error->system_error == EBUSY)
		return "the file is in use by another writer; if that is the program that started this one, such as "
		       "timeout, %p in the name gives each process a log of its own";
	if (error->system_error == ELOOP || error->system_error == EPERM || error->system_error == EMLINK)
		return error->what;
	return error->system_error != 0 ? strerror(error->system_error) : mprof_status_get_text(status);
}

#endif
