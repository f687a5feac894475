/* SPDX-License-Identifier: MIT */
/**
 * \file shared/function_name.h
 * \brief Names of native functions.
 */
#ifndef SHARED_FUNCTION_NAME_H
#define SHARED_FUNCTION_NAME_H

#include <mprof/reader.h>

/**
 * The name of a function, or "module+0xoffset" if only its bounds are known, truncated and NUL-terminated like
 * snprintf. Returns the length of the whole name; 0 if the log does not define the function.
 */
size_t function_name_format(const mprof_reader *reader, uint32_t function, char *text, size_t size);

#endif
