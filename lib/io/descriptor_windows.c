/* SPDX-License-Identifier: MIT */
/* Opens and writes descriptors on Windows. */
#include "io/descriptor.h"

#include "io/windows_path.h"

#include <mprof/base.h>

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <unistd.h>

int descriptor_open_to_read(const char *path, int *fd)
{
	windows_path wide;
	int error = windows_path_convert(&wide, path);

	*fd = -1;
	if (error != 0)
		return error;
	*fd = _wopen(wide.units, _O_RDONLY | _O_BINARY | _O_NOINHERIT);
	if (*fd >= 0)
		return 0;
	error = errno;
	/* For a directory the error is EACCES. */
	return error == EACCES && windows_path_is_directory(&wide) ? EISDIR : error;
}

int descriptor_read_at(int fd, uint64_t offset, void *bytes, size_t length, size_t *got)
{
	(void)fd;
	(void)offset;
	(void)bytes;
	(void)length;
	*got = 0;
	return ENOTSUP;
}

int descriptor_make_binary(int fd)
{
	return _setmode(fd, _O_BINARY) < 0 ? errno : 0;
}

int descriptor_look_at_mode(int fd, int *appends)
{
	/* Windows cannot report the mode: a descriptor that is not writable fails at the first write. */
	(void)fd;
	*appends = 1;
	return 0;
}

int descriptor_resolve_path(const char *path, char *absolute, size_t size)
{
	(void)path;
	(void)absolute;
	(void)size;
	return 0;
}

int descriptor_write_all(int fd, int raises_sigpipe, const uint8_t *bytes, size_t length, size_t *written)
{
	/* Windows has no SIGPIPE, and its descriptors always block. */
	(void)raises_sigpipe;
	while (*written < length) {
		size_t rest = length - *written;
		int result = write(fd, bytes + *written,
				   (unsigned)(rest < DESCRIPTOR_MAX_LENGTH ? rest : DESCRIPTOR_MAX_LENGTH));

		if (result <= 0)
			return result < 0 ? errno : EIO;
		*written += (size_t)result;
	}
	return 0;
}

/* There are no recorders, and so no programs that are recorded. */
int mprof_descriptor_move(int fd)
{
	return fd;
}
