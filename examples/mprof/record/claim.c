/* SPDX-License-Identifier: MIT */
/* Claims the paths of logs. */
#include "record/claim.h"

#include "common/input.h"
#include "common/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The library creates logs with the same mode. */
#define LOG_MODE 0600

/* If all names up to this number exist, the log with the requested name is replaced. */
#define MAX_NUMBER 1000000

/*
 * Creates an empty file, which the module that writes the log opens again. \p made receives its identity. Returns 0 or
 * an errno value.
 */
static int create_empty(const char *path, struct stat *made)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, LOG_MODE);
	int error;

	if (fd < 0)
		return errno;
	error = fstat(fd, made) == 0 ? 0 : errno;
	close(fd);
	return error;
}

int claim_is_busy(const char *path)
{
	return input_is_being_written(path);
}

/* The library refuses these files, too: any user could have put them into a directory that all users may write to. */
static int is_foreign(const char *path, const struct stat *status)
{
	struct stat link;

	if (lstat(path, &link) == 0 && S_ISLNK(link.st_mode) && link.st_uid != geteuid() && link.st_uid != 0)
		return 1;
	return (status->st_uid != geteuid() && status->st_uid != 0) || status->st_nlink > 1;
}

claim_result claim_path(const char *path, int replaces, struct stat *made)
{
	struct stat status;

	if (create_empty(path, made) == 0)
		return CLAIM_MADE;
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return CLAIM_EMPTY;
	if (is_foreign(path, &status))
		return CLAIM_FOREIGN;
	if (claim_is_busy(path))
		return CLAIM_BUSY;
	return status.st_size > 0 && !replaces ? CLAIM_EXISTS : CLAIM_EMPTY;
}

int claim_lock(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	/* Some file systems do not support locks: recording continues without one. */
	if (fd >= 0)
		(void)flock(fd, LOCK_EX | LOCK_NB);
	return fd;
}

char *claim_labelled_name(const char *path, const char *label)
{
	size_t length = strlen(path);
	char *stem;
	char *labelled;
	char *name;

	if (length > strlen(LOG_EXTENSION) && strcmp(path + length - strlen(LOG_EXTENSION), LOG_EXTENSION) == 0)
		length -= strlen(LOG_EXTENSION);
	stem = strndup(path, length);
	labelled = stem != NULL ? modules_join(stem, ".", label) : NULL;
	name = labelled != NULL ? modules_join(labelled, LOG_EXTENSION, "") : NULL;
	free(stem);
	free(labelled);
	return name;
}

claim_result claim_numbered(char **path, struct stat *made)
{
	int error = create_empty(*path, made);
	struct stat status;

	/* A FIFO or a device is written to. */
	if (error == EEXIST && stat(*path, &status) == 0 && !S_ISREG(status.st_mode))
		return CLAIM_EMPTY;
	for (int number = 2; error == EEXIST && number <= MAX_NUMBER; number++) {
		char label[16];
		char *name;

		snprintf(label, sizeof(label), "%d", number);
		name = claim_labelled_name(*path, label);
		if (name == NULL)
			return CLAIM_NO_MEMORY;
		error = create_empty(name, made);
		if (error == EEXIST) {
			free(name);
			continue;
		}
		free(*path);
		*path = name;
	}
	return error == 0 ? CLAIM_MADE : CLAIM_EMPTY;
}

static int is_same(const struct stat *status, const struct stat *other)
{
	return status->st_dev == other->st_dev && status->st_ino == other->st_ino;
}

void claim_release(const char *path, const struct stat *made)
{
	struct stat status;

	if (lstat(path, &status) == 0 && status.st_size == 0 && is_same(&status, made))
		unlink(path);
}

int claim_may_replace(const char *path, const struct stat *made, int replaces, int lock_fd)
{
	struct stat status;
	struct stat locked;

	if (lstat(path, &status) != 0)
		return errno == ENOENT;
	if (status.st_size == 0 && made != NULL && is_same(&status, made))
		return 1;
	if (!S_ISREG(status.st_mode) || is_foreign(path, &status))
		return 0;
	if ((lock_fd < 0 || fstat(lock_fd, &locked) != 0 || !is_same(&status, &locked)) && claim_is_busy(path))
		return 0;
	return replaces || status.st_size == 0;
}
