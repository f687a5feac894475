/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/system/proc_file.h
 * \brief Reads the short text files in which the system states what a process or thread does.
 */
#ifndef RECORDER_SYSTEM_PROC_FILE_H
#define RECORDER_SYSTEM_PROC_FILE_H

#include <stddef.h>

/**
 * Reads a file up to \p size - 1 bytes and terminates the text with NUL. Returns 0 if it cannot be read or is empty.
 * Any thread; may change errno.
 */
int proc_file_read(const char *path, char *text, size_t size);

#endif
