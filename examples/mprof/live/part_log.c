/* SPDX-License-Identifier: MIT */
/* Finds the part of a log that a program writes: "log.mprof.RECORD-NUMBER.PROCESS.part". */
#include "live/part_log.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PART_EXTENSION ".part"

/* A program that has been started writes the first block of its log within this time. */
#define START_SECONDS 5

/* What the name of a part contains. */
typedef struct part_name {
	long record; /* The process of mprof record. */
	long process;
} part_name;

/* The name of the log in those of parts lacks the characters that the options of modules cannot contain. */
static int has_prefix(const char *name, const char *log)
{
	for (; *log != '\0'; log++, name++)
		if (*name != (*log == ',' || *log == '%' ? '_' : *log))
			return 0;
	return *name == '.';
}

static int parse_name(const char *name, const char *log, part_name *found)
{
	char *end;

	if (!has_prefix(name, log))
		return 0;
	found->record = strtol(name + strlen(log) + 1, &end, 10);
	if (found->record <= 0 || *end != '-')
		return 0;
	(void)strtoul(end + 1, &end, 16);
	if (*end != '.')
		return 0;
	found->process = strtol(end + 1, &end, 10);
	if (found->process > 0 && *end == '-')
		(void)strtol(end + 1, &end, 10);
	return found->process > 0 && strcmp(end, PART_EXTENSION) == 0;
}

static int is_alive(long process)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%ld", process);
	return access(path, F_OK) == 0;
}

static int is_child(long process, long parent)
{
	char path[40];
	char line[128];
	long found = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%ld/status", process);
	status = fopen(path, "re");
	if (status == NULL)
		return 0;
	while (found == 0 && fgets(line, sizeof(line), status) != NULL)
		if (strncmp(line, "PPid:", 5) == 0)
			found = strtol(line + 5, NULL, 10);
	fclose(status);
	return found == parent;
}

static int choose_part(const char *folder, const char *log, char *part, size_t size)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;
	off_t largest = -1;

	while (directory != NULL && (entry = readdir(directory)) != NULL) {
		char path[PATH_MAX];
		struct stat status;
		part_name found;
		off_t rank;

		if (!parse_name(entry->d_name, log, &found) || !is_alive(found.record) ||
		    (size_t)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >= sizeof(path) ||
		    stat(path, &status) != 0 || status.st_size == 0)
			continue;
		rank = is_child(found.process, found.record) ? (off_t)1 << 62 : status.st_size;
		if (rank <= largest)
			continue;
		largest = rank;
		snprintf(part, size, "%s", path);
	}
	if (directory != NULL)
		closedir(directory);
	return largest >= 0;
}

/* Whether the path is that of an empty file; \p is_new: whether it was created a short time ago. */
static int is_empty(const char *path, int *is_new)
{
	struct stat status;

	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > 0)
		return 0;
	*is_new = time(NULL) - status.st_mtime <= START_SECONDS;
	return 1;
}

part_search part_log_find(const char *path, char *part, size_t size)
{
	const char *slash = strrchr(path, '/');
	const char *log = slash != NULL ? slash + 1 : path;
	char folder[PATH_MAX];
	int is_new;

	if ((size_t)(log - path) >= sizeof(folder) || !is_empty(path, &is_new))
		return PART_NONE;
	snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? (int)(log - path) : 1, slash != NULL ? path : ".");
	if (choose_part(folder, log, part, size))
		return PART_FOUND;
	return is_new ? PART_SOON : PART_NONE;
}
