/* SPDX-License-Identifier: MIT */
/* Finds the logs of several processes. */
#include "record/log_parts.h"

#include "record/claim.h"

#include "common/exit_status.h"
#include "common/input.h"
#include "common/modules.h"
#include "common/summary.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
