/* SPDX-License-Identifier: MIT */
/* The clock, descriptors and files of logs on Windows. */
/* For rand_s(), the system's random numbers. */
#define _CRT_RAND_S

#include "io/system.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>
#include <windows.h>

/* FILETIME counts units of 100 ns from the year 1601 on. */
#define UNITS_UNTIL_1970 UINT64_C(116444736000000000)

void clock_read_system(void *user, mprof_clock *clock)
{
	LARGE_INTEGER frequency;
	LARGE_INTEGER ticks;
	uint64_t hz;
	uint64_t count;
	FILETIME wall;

	(void)user;
	/* Neither fails on any Windows since XP. */
	QueryPerformanceFrequency(&frequency);
	QueryPerformanceCounter(&ticks);
	GetSystemTimeAsFileTime(&wall);
	hz = (uint64_t)frequency.QuadPart;
	count = (uint64_t)ticks.QuadPart;
	/* Whole seconds and the rest are converted separately, so that neither product overflows. */
	clock->counter = count / hz * 1000000000 + count % hz * 1000000000 / hz;
	clock->time = (((uint64_t)wall.dwHighDateTime << 32 | wall.dwLowDateTime) - UNITS_UNTIL_1970) / 10;
}

/*
 * The UTF-8 paths of the public functions are converted to UTF-16 for the Windows functions that take it. Those that
 * take other encodings are limited to the characters of the system's code page.
 */

/*
 * Maximum length of a path in UTF-16 units, including the terminating 0; longer paths are refused. Windows itself
 * limits paths to 260 units in programs without a manifest.
 */
#define WINDOWS_PATH_UNITS 1024

typedef struct windows_path {
	wchar_t units[WINDOWS_PATH_UNITS];
} windows_path;

/* Converts a path. Returns 0, EILSEQ if it is not UTF-8, or ENAMETOOLONG. */
static int windows_path_convert(windows_path *self, const char *path)
{
	if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, self->units, WINDOWS_PATH_UNITS) > 0)
		return 0;
	return GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : EILSEQ;
}

/* Whether the path is that of an existing directory. */
static int windows_path_is_directory(const windows_path *self)
{
	DWORD attributes = GetFileAttributesW(self->units);

	return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

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
