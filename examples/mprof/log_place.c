/* SPDX-License-Identifier: MIT */
#include "log_place.h"

#include "modules.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXTENSION ".mprof"

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* "dir/program.exe" gives "program.mprof" in the current directory. */
static char *default_name(const char *subject)
{
	char *base = strdup(base_of(subject));
	char *dot = base != NULL ? strrchr(base, '.') : NULL;
	char *name;

	if (base == NULL)
		return NULL;
	if (dot != NULL && dot != base)
		*dot = '\0';
	name = modules_join(base, EXTENSION, "");
	free(base);
	return name;
}

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return strdup(".");
	return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* A name that no other run uses at the same time; without what the module's options cannot say. */
static char *part_name(const char *wanted)
{
	char token[64];
	struct timespec now;
	char *name;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(token, sizeof(token), ".%ld-%lx.", (long)getpid(), (unsigned long)now.tv_nsec);
	name = modules_join(base_of(wanted), token, "");
	for (char *cursor = name; cursor != NULL && *cursor != '\0'; cursor++) {
		if (*cursor == ',' || *cursor == '%')
			*cursor = '_';
	}
	return name;
}

/* Percent signs doubled. */
static char *escape_percents(const char *path)
{
	char *escaped = malloc(strlen(path) * 2 + 1);
	char *out = escaped;

	if (escaped == NULL)
		return NULL;
	for (; *path != '\0'; path++) {
		*out++ = *path;
		if (*path == '%')
			*out++ = '%';
	}
	*out = '\0';
	return escaped;
}

static char *make_pattern(const log_place *place)
{
	char *path;
	char *escaped;
	char *pattern = NULL;

	if (place->part == NULL)
		return escape_percents(place->wanted);
	path = modules_join(place->directory, "/", place->part);
	escaped = path != NULL ? escape_percents(path) : NULL;
	if (escaped != NULL)
		pattern = modules_join(escaped, "%p", ".part");
	free(path);
	free(escaped);
	return pattern;
}

/* A program may change its directory before a process of it begins to record. */
static int make_absolute(log_place *place)
{
	char *absolute = realpath(place->directory, NULL);

	if (absolute == NULL)
		return 0;
	free(place->directory);
	place->directory = absolute;
	return 1;
}

static int check_directory(const log_place *place)
{
	struct stat status;

	if (access(place->directory, W_OK | X_OK) != 0) {
		fprintf(stderr, "mprof: record: cannot write to directory %s: %s\n", place->directory, strerror(errno));
		return 0;
	}
	if (stat(place->wanted, &status) == 0 && S_ISDIR(status.st_mode)) {
		fprintf(stderr, "mprof: record: %s: %s\n", place->wanted, strerror(EISDIR));
		return 0;
	}
	if (strchr(place->directory, ',') != NULL) {
		fprintf(stderr,
			"mprof: record: the directory %s has a comma in its name, which cannot be told to the module; "
			"use -o with another\n",
			place->directory);
		return 0;
	}
	return 1;
}

int log_place_init(log_place *place, const char *output, const char *subject, int for_processes)
{
	struct stat status;
	int is_made;

	memset(place, 0, sizeof(*place));
	place->wanted = output != NULL ? strdup(output) : default_name(subject);
	place->directory = place->wanted != NULL ? directory_of(place->wanted) : NULL;
	if (place->directory == NULL)
		return 0;
	if (for_processes && !make_absolute(place)) {
		fprintf(stderr, "mprof: record: %s: %s\n", place->directory, strerror(errno));
		return 0;
	}
	if (!check_directory(place))
		return 0;
	if (for_processes || strchr(base_of(place->wanted), ',') != NULL)
		place->part = part_name(place->wanted);
	place->pattern = make_pattern(place);
	is_made = place->pattern != NULL;
	place->was_there = stat(place->wanted, &status) == 0;
	if (place->was_there)
		place->changed = status.st_mtim;
	return is_made;
}

void log_place_release(log_place *place)
{
	free(place->wanted);
	free(place->directory);
	free(place->part);
	free(place->pattern);
	memset(place, 0, sizeof(*place));
}

typedef struct log_part {
	char *path;
	char *label; /**< The process; with a number if it became another program and began another log. */
	off_t size;
} log_part;

/* What stands for the process in the name of a part; NULL if the file is none of ours. To be freed. */
static char *label_of(const log_place *place, const char *name)
{
	static const char end[] = ".part";
	size_t start = strlen(place->part);
	size_t length = strlen(name);

	if (length <= start + strlen(end) || strncmp(name, place->part, start) != 0 ||
	    strcmp(name + length - strlen(end), end) != 0)
		return NULL;
	return strndup(name + start, length - start - strlen(end));
}

/* Returns 0 if there is no memory. */
static int add_part(log_part **parts, size_t *count, const log_place *place, const char *name)
{
	log_part part = {NULL, label_of(place, name), 0};
	log_part *larger;
	struct stat status;

	if (part.label == NULL)
		return 1;
	part.path = modules_join(place->directory, "/", name);
	larger = realloc(*parts, (*count + 1) * sizeof(*larger));
	if (larger != NULL)
		*parts = larger;
	if (larger == NULL || part.path == NULL) {
		free(part.path);
		free(part.label);
		return 0;
	}
	part.size = stat(part.path, &status) == 0 ? status.st_size : 0;
	larger[(*count)++] = part;
	return 1;
}

static size_t find_parts(const log_place *place, log_part **parts)
{
	DIR *directory = opendir(place->directory);
	const struct dirent *entry;
	size_t count = 0;

	*parts = NULL;
	while (directory != NULL && (entry = readdir(directory)) != NULL) {
		if (!add_part(parts, &count, place, entry->d_name))
			break;
	}
	if (directory != NULL)
		closedir(directory);
	return count;
}

/* The log is that of the process that was started, else the largest. */
static size_t choose_main(const log_part *parts, size_t count, pid_t process)
{
	char label[24];
	size_t chosen = 0;

	snprintf(label, sizeof(label), "%ld", (long)process);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(parts[i].label, label) == 0)
			return i;
		if (parts[i].size > parts[chosen].size)
			chosen = i;
	}
	return chosen;
}

/* The others are named after the log and their process. */
static char *name_beside(const char *wanted, const char *label)
{
	size_t length = strlen(wanted);
	char *stem;
	char *labelled;
	char *name;

	if (length > strlen(EXTENSION) && strcmp(wanted + length - strlen(EXTENSION), EXTENSION) == 0)
		length -= strlen(EXTENSION);
	stem = strndup(wanted, length);
	labelled = stem != NULL ? modules_join(stem, ".", label) : NULL;
	name = labelled != NULL ? modules_join(labelled, EXTENSION, "") : NULL;
	free(stem);
	free(labelled);
	return name;
}

static void rename_part(const log_part *part, const char *name, log_function found, void *user)
{
	if (name != NULL && rename(part->path, name) == 0) {
		found(user, name);
		return;
	}
	fprintf(stderr, "mprof: record: %s cannot be renamed to %s: %s\n", part->path, name != NULL ? name : "a log",
		strerror(errno));
	found(user, part->path);
}

static size_t collect_parts(const log_place *place, pid_t process, log_function found, void *user)
{
	log_part *parts;
	size_t count = find_parts(place, &parts);
	size_t chosen = choose_main(parts, count, process);

	if (count > 0)
		rename_part(&parts[chosen], place->wanted, found, user);
	for (size_t i = 0; i < count; i++) {
		char *name = i != chosen ? name_beside(place->wanted, parts[i].label) : NULL;

		if (i != chosen)
			rename_part(&parts[i], name, found, user);
		free(name);
		free(parts[i].path);
		free(parts[i].label);
	}
	free(parts);
	return count;
}

size_t log_place_collect(log_place *place, pid_t process, log_function found, void *user)
{
	struct stat status;

	if (place->part != NULL)
		return collect_parts(place, process, found, user);
	/* A file that was there before and was not touched is not the log of this run. */
	if (stat(place->wanted, &status) != 0 || (place->was_there && status.st_mtim.tv_sec == place->changed.tv_sec &&
						  status.st_mtim.tv_nsec == place->changed.tv_nsec))
		return 0;
	found(user, place->wanted);
	return 1;
}
