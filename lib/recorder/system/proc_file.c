/* SPDX-License-Identifier: MIT */
/* Reads a file of /proc with one call: a second one may find other content. */
#include "recorder/system/proc_file.h"

#include <fcntl.h>
#include <unistd.h>

int proc_file_read(const char *path, char *text, size_t size)
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
