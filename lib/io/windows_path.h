/* SPDX-License-Identifier: MIT */
/**
 * \file io/windows_path.h
 * \brief Converts the UTF-8 paths of the public functions to UTF-16 for the Windows functions that take it. Those that
 * take other encodings are limited to the characters of the system's code page.
 */
#ifndef IO_WINDOWS_PATH_H
#define IO_WINDOWS_PATH_H

#include <wchar.h>

/**
 * Maximum length of a path in UTF-16 units, including the terminating 0; longer paths are refused. Windows itself
 * limits paths to 260 units in programs without a manifest.
 */
#define WINDOWS_PATH_UNITS 1024

typedef struct windows_path {
	wchar_t units[WINDOWS_PATH_UNITS];
} windows_path;

/** Converts a path. Returns 0, EILSEQ if it is not UTF-8, or ENAMETOOLONG. */
int windows_path_convert(windows_path *self, const char *path);

/** Whether the path is that of an existing directory. */
int windows_path_is_directory(const windows_path *self);

#endif
