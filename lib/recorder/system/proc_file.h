/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/system/proc_file.h
 * \brief Reads the short text files in which the system states what a process or thread does.
 */
#ifndef RECORDER_SYSTEM_PROC_FILE_H
#define RECORDER_SYSTEM_PROC_FILE_H

#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

/**
 * Reads a file up to \p size - 1 bytes and terminates the text with NUL. Returns 0 if it cannot be read or is empty.
 * One call, since a second one may find other content. Any thread; may change errno.
 */
static inline int proc_file_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return 0;
	length = read(fd, text, size - 1);
	close(fd);
	if (length <= 0)
		return 0;
	text[length] = '\0';
	return 1;
}

#endif
