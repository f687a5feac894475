/* SPDX-License-Identifier: MIT */
/* Creates and writes files with predictable names. */
#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

int output_file_create(const char *path)
{
	/* Opened for reading too, since mmap() requires it. */
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(path, flags, 0600);

	/*
	 * The file is left over from a process with the same ID. In a sticky directory, only its owner can remove it.
	 */
	if (fd < 0 && errno == EEXIST && unlink(path) == 0)
		fd = open(path, flags, 0600);
	return fd;
}

static void skip_written(struct iovec **parts, int *count, size_t written)
{
	while (*count > 0 && written >= (*parts)->iov_len) {
		written -= (*parts)->iov_len;
		(*parts)++;
		(*count)--;
	}
	if (*count > 0) {
		(*parts)->iov_base = (char *)(*parts)->iov_base + written;
		(*parts)->iov_len -= written;
	}
}

int output_file_write(int fd, struct iovec *parts, int count)
{
	while (count > 0) {
		ssize_t written = writev(fd, parts, count);

		if (written < 0 && errno != EINTR)
			return 0;
		if (written >= 0)
			skip_written(&parts, &count, (size_t)written);
	}
	return 1;
}
