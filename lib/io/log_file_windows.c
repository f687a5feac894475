/* SPDX-License-Identifier: MIT */
/* Creates and locks log files on Windows. */
/* For rand_s(), the system's random numbers. */
#define _CRT_RAND_S

#include "io/log_file.h"

#include "io/windows_path.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Maximum number of names to try. A collision of 64-bit random names is not expected; the limit ends a loop that an
 * attacker could provoke.
 */
#define NAMES_TRIED 16

/* The mode of a file only has a write bit; access rights are inherited from the directory. */
static int creation_mode(uint32_t mode)
{
	return _S_IREAD | ((mode & 0200) != 0 ? _S_IWRITE : 0);
}

/*
 * The sharing mode is the lock: others can read the file but not write to it until the descriptor is closed. Symbolic
 * links are followed, since creating one requires a privilege.
 */
static int open_exclusive(const char *path, int flags, uint32_t mode, int *fd)
{
	windows_path wide;
	int error = windows_path_convert(&wide, path);

	*fd = -1;
	if (error != 0)
		return error;
	*fd = _wsopen(wide.units, _O_WRONLY | _O_CREAT | _O_BINARY | _O_NOINHERIT | flags, _SH_DENYWR,
		      creation_mode(mode));
	if (*fd >= 0)
		return 0;
	error = errno;
	/* EACCES has several causes. If the file exists and is writable, another writer has it open. */
	if (error == EACCES && !windows_path_is_directory(&wide) && _waccess(wide.units, 2) == 0)
		return EBUSY;
	return error;
}

int log_file_open(const char *path, uint32_t mode, int *fd, int *is_locked)
{
	int error = open_exclusive(path, 0, mode, fd);

	*is_locked = 0;
	if (error != 0)
		return error;
	*is_locked = 1;
	if (ftruncate(*fd, 0) == 0)
		return 0;
	error = errno;
	close(*fd);
	*fd = -1;
	*is_locked = 0;
	return error;
}

int log_file_check_owner(const char *path, int fd)
{
	(void)path;
	(void)fd;
	return 0;
}

int log_file_open_again(const char *path, int *fd)
{
	(void)path;
	*fd = -1;
	return ENOTSUP;
}

int log_file_open_checked(const char *path, int access_mode, uint32_t mode, int *fd)
{
	(void)path;
	(void)access_mode;
	(void)mode;
	*fd = -1;
	return ENOTSUP;
}

int log_file_remove(const char *path, uint64_t device, uint64_t inode)
{
	(void)path;
	(void)device;
	(void)inode;
	return ENOTSUP;
}

void log_file_unlock(int fd)
{
	/* Closing the descriptor, which the caller does next, releases the lock. */
	(void)fd;
}

int log_file_create_beside(const char *path, uint32_t mode, char *name, size_t size, int *fd)
{
	int error = EEXIST;

	*fd = -1;
	for (int i = 0; i < NAMES_TRIED && error == EEXIST; i++) {
		unsigned halves[2] = {0, 0};

		if (rand_s(&halves[0]) != 0 || rand_s(&halves[1]) != 0)
			return EIO;
		snprintf(name, size, "%s.%08x%08x.part", path, halves[0], halves[1]);
		error = open_exclusive(name, _O_EXCL, mode, fd);
	}
	return error;
}
