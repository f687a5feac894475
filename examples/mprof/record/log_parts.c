/* SPDX-License-Identifier: MIT */
/* The log that record writes, and its parts. */
#include "record/log_parts.h"

#include "common/arguments.h"
#include "common/input.h"
#include "common/modules.h"
#include "common/summary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* The library creates logs with the same mode. */
#define LOG_MODE 0600

/* If all names up to this number exist, the log with the requested name is replaced. */
#define MAX_NUMBER 1000000

/*
 * Creates an empty file, which the module that writes the log opens again. \p created receives its identity. Returns 0
 * or an errno value.
 */
static int create_empty(const char *path, struct stat *created)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, LOG_MODE);
	int error;

	if (fd < 0)
		return errno;
	error = fstat(fd, created) == 0 ? 0 : errno;
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

claim_result claim_path(const char *path, int replaces, struct stat *created)
{
	const int error = create_empty(path, created);
	struct stat status;

	if (error == 0)
		return CLAIM_MADE;
	errno = error;
	if (error != EEXIST)
		return CLAIM_REFUSED;
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

claim_result claim_numbered(char **path, struct stat *created)
{
	int error = create_empty(*path, created);
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
		error = create_empty(name, created);
		if (error == EEXIST) {
			free(name);
			continue;
		}
		free(*path);
		*path = name;
	}
	errno = error;
	return error == 0 ? CLAIM_MADE : error == EEXIST ? CLAIM_EMPTY : CLAIM_REFUSED;
}

static int is_same(const struct stat *status, const struct stat *other)
{
	return status->st_dev == other->st_dev && status->st_ino == other->st_ino;
}

void claim_release(const char *path, const struct stat *created)
{
	struct stat status;

	if (lstat(path, &status) == 0 && status.st_size == 0 && is_same(&status, created))
		unlink(path);
}

int claim_may_replace(const char *path, const struct stat *created, int replaces, int lock_fd)
{
	struct stat status;
	struct stat locked;

	if (lstat(path, &status) != 0)
		return errno == ENOENT;
	if (status.st_size == 0 && created != NULL && is_same(&status, created))
		return 1;
	if (!S_ISREG(status.st_mode) || is_foreign(path, &status))
		return 0;
	if ((lock_fd < 0 || fstat(lock_fd, &locked) != 0 || !is_same(&status, &locked)) && claim_is_busy(path))
		return 0;
	return replaces || status.st_size == 0;
}

#define MAX_EMPTY_SIZE 65536

static int is_part(const char *prefix, const char *name)
{
	size_t start = strlen(prefix);
	size_t length = strlen(name);

	return length > start + strlen(PART_EXTENSION) && strncmp(name, prefix, start) == 0 &&
	       strcmp(name + length - strlen(PART_EXTENSION), PART_EXTENSION) == 0;
}

static void release_part(log_part *part)
{
	free(part->path);
	free(part->label);
}

/* Returns 0 if out of memory. */
static int add_part(log_parts *found, const char *directory, const char *prefix, const char *name, pid_t ended)
{
	size_t start = strlen(prefix);
	log_part part = {.number = 1};
	log_part *larger = realloc(found->parts, (found->count + 1) * sizeof(*larger));
	struct stat status;
	char *end;

	if (larger == NULL)
		return 0;
	found->parts = larger;
	part.label = strndup(name + start, strlen(name) - start - strlen(PART_EXTENSION));
	part.path = modules_join(directory, "/", name);
	if (part.label == NULL || part.path == NULL) {
		release_part(&part);
		return 0;
	}
	part.process = strtol(part.label, &end, 10);
	if (*end == '-')
		part.number = strtol(end + 1, NULL, 10);
	/* A process that executed another program holds no lock on its first log. */
	part.is_running = part.process != ended && claim_is_busy(part.path);
	part.size = stat(part.path, &status) == 0 ? status.st_size : 0;
	found->parts[found->count++] = part;
	return 1;
}

static int compare_parts(const void *left, const void *right)
{
	const log_part *one = left;
	const log_part *other = right;

	if (one->process != other->process)
		return one->process < other->process ? -1 : 1;
	return (one->number > other->number) - (one->number < other->number);
}

static int is_of_mono(const mprof_session *session)
{
	return session->runtime != NULL && strcmp(session->runtime, "mono") == 0;
}

/* Whether nothing was recorded of a native program. */
static int is_empty(const log_part *part)
{
	static log_summary summary;
	log_input input;
	int is_without_events = 0;

	/* A larger log contains more than the description of the session. */
	if (part->size > MAX_EMPTY_SIZE)
		return 0;
	if (input_open_quietly(&input, part->path) != STATUS_NOTHING && summary_read(&summary, &input))
		is_without_events = input_failure(&input) == MPROF_OK && !is_of_mono(&summary.session) &&
				    summary.events == 0 && summary.session.lost_events == 0;
	input_close(&input);
	return is_without_events;
}

static void remove_part(log_parts *found, size_t index)
{
	release_part(&found->parts[index]);
	found->count--;
	memmove(&found->parts[index], &found->parts[index + 1], (found->count - index) * sizeof(found->parts[0]));
}

static int is_part_of_mono(const log_part *part)
{
	mprof_session session = {.struct_size = sizeof(session)};
	mprof_block block;
	log_input input;
	int result = 0;

	if (input_open_quietly(&input, part->path) != STATUS_NOTHING && input_next_block(&input, &block)) {
		mprof_reader_get_session(input.reader, &session);
		result = is_of_mono(&session);
	}
	input_close(&input);
	return result;
}

/* Programs that only start others, such as env and shells, often run too short a time for a sample. */
static void remove_empty(log_parts *found)
{
	int has_mono = 0;

	for (size_t i = 0; i + 1 < found->count; i++)
		found->parts[i].is_superseded = found->parts[i].process == found->parts[i + 1].process;
	for (size_t i = 0; i < found->count && !has_mono; i++)
		has_mono = is_part_of_mono(&found->parts[i]);
	for (size_t i = found->count; i > 0; i--) {
		const log_part *part = &found->parts[i - 1];

		if (!part->is_running && (part->is_superseded || has_mono) && is_empty(part) && unlink(part->path) == 0)
			remove_part(found, i - 1);
	}
}

/* The last program of a process is the one that counts, so its label is the process ID alone. */
static int relabel(log_parts *found)
{
	for (size_t i = 0; i < found->count; i++) {
		log_part *part = &found->parts[i];
		char label[48];
		char *copy;

		snprintf(label, sizeof(label), part->is_superseded ? "%ld-%ld" : "%ld", part->process, part->number);
		copy = strdup(label);
		if (copy == NULL)
			return ENOMEM;
		free(part->label);
		part->label = copy;
	}
	return 0;
}

int log_parts_find(log_parts *found, const char *directory, const char *prefix, pid_t ended)
{
	DIR *opened = opendir(directory);
	const struct dirent *entry = NULL;

	*found = (log_parts){NULL, 0};
	if (opened == NULL)
		return errno;
	while ((entry = readdir(opened)) != NULL)
		if (is_part(prefix, entry->d_name) && !add_part(found, directory, prefix, entry->d_name, ended))
			break;
	closedir(opened);
	if (found->count > 0)
		qsort(found->parts, found->count, sizeof(found->parts[0]), compare_parts);
	remove_empty(found);
	return entry != NULL ? ENOMEM : relabel(found);
}

/* The index of the largest part; if \p only_of_mono, of the largest one that Mono ran. The number of parts if none. */
static size_t find_largest(const log_parts *parts, int only_of_mono)
{
	size_t largest = parts->count;

	for (size_t i = 0; i < parts->count; i++)
		if (!parts->parts[i].is_running &&
		    (largest == parts->count || parts->parts[i].size > parts->parts[largest].size) &&
		    (!only_of_mono || is_part_of_mono(&parts->parts[i])))
			largest = i;
	return largest;
}

size_t log_parts_choose(const log_parts *parts, pid_t process)
{
	size_t of_mono;

	for (size_t i = 0; i < parts->count; i++) {
		if (parts->parts[i].process != process || parts->parts[i].is_superseded)
			continue;
		if (is_part_of_mono(&parts->parts[i]))
			return i;
		of_mono = find_largest(parts, 1);
		return of_mono < parts->count && parts->parts[of_mono].size > parts->parts[i].size ? of_mono : i;
	}
	return find_largest(parts, 0);
}

void log_parts_release(log_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		release_part(&parts->parts[i]);
	free(parts->parts);
	*parts = (log_parts){NULL, 0};
}

void log_part_program(const log_part *part, char program[LOG_PROGRAM_SIZE])
{
	static log_summary summary;
	mprof_block block;
	log_input input;

	summary.program[0] = '\0';
	if (input_open_part(&input, part->path, MPROF_BLOCK_BIT(MPROF_BLOCK_SESSION)) != STATUS_NOTHING) {
		input.is_quiet = 1;
		while (summary.program[0] == '\0' && input_next_block(&input, &block))
			if (block.loaded && block.kind == MPROF_BLOCK_SESSION)
				summary_read_properties(&summary, &input);
	}
	input_close(&input);
	snprintf(program, LOG_PROGRAM_SIZE, "%s", summary.program);
}
