/* SPDX-License-Identifier: MIT */
/**
 * \file io/windows_path.h
 * \brief Paths in UTF-8, as all functions of the library take them, for those functions of Windows that take UTF-16. The
 * other functions of Windows take only what the system's code page can express.
 */
#ifndef IO_WINDOWS_PATH_H
#define IO_WINDOWS_PATH_H

#include <wchar.h>

/** Longer paths are refused. Without a manifest the limit of programs is at 260. */
#define WINDOWS_PATH_UNITS 1024

typedef struct windows_path {
	wchar_t units[WINDOWS_PATH_UNITS];
} windows_path;

/** Converts a path. Returns 0, EILSEQ for what is not UTF-8, or ENAMETOOLONG. */
int windows_path_convert(windows_path *self, const char *path);

/** Whether there is a directory of that name. */
int windows_path_is_directory(const windows_path *self);

#endif
