/* SPDX-License-Identifier: MIT */
/* Completes the logs of processes that were killed, from shared memory or from their salvage files. */
#include "record/salvaged.h"

#include "common/modules.h"
#include "record/log_parts.h"
#include "shared/salvage.h"

#include <mprof/recorder.h>

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define LOCK_WAIT_MS 2000
#define LOCK_ATTEMPTS 100

void salvaged_create(salvaged_logs *salvaged, char option[SALVAGE_OPTION_SIZE])
{
	memset(salvaged, 0, sizeof(*salvaged));
	option[0] = '\0';
	salvaged->fd = memfd_create("mprof-salvage", MFD_CLOEXEC);
	/* The program opens the memory by this path. Unlike a descriptor, it need not be inherited through a shell. */
	if (salvaged->fd >= 0)
		snprintf(option, SALVAGE_OPTION_SIZE, "/proc/%ld/fd/%d", (long)getpid(), salvaged->fd);
}

/* Whether the process executed another recorded program. \p number: position of the program among those it ran. */
static int is_superseded(const log_output *log, uint64_t process, long number)
{
	char label[64];
	char *path;
	char *next;
	int exists;

	if (log->part == NULL)
		return 0;
	snprintf(label, sizeof(label), "%" PRIu64 "-%ld" PART_EXTENSION, process, number + 1);
	path = modules_join(log->directory, "/", log->part);
	next = path != NULL ? modules_join(path, label, "") : NULL;
	exists = next != NULL && access(next, F_OK) == 0;
	free(path);
	free(next);
	return exists;
}

/*
 * A child that a process made just before it ended has the lock on its log until the child closes what
 * it inherited.
 */
static mprof_status recover(const char *path, mprof_recovery *recovery, mprof_error *error)
{
	const struct timespec pause = {0, LOCK_WAIT_MS * 1000000L / LOCK_ATTEMPTS};
	mprof_status status = mprof_recorder_recover(path, NULL, recovery, error);

	for (int i = 1;
	     i < LOCK_ATTEMPTS && status == MPROF_ERR_IO && error->system_error == EBUSY && !recovery->is_recording;
	     i++) {
		nanosleep(&pause, NULL);
		status = mprof_recorder_recover(path, NULL, recovery, error);
	}
	return status;
}

static void complete_log(salvaged_logs *salvaged, const log_output *log, const char *path, const char *name,
			 long number)
{
	mprof_recovery recovery = {.struct_size = sizeof(recovery)};
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_status status = recover(path, &recovery, &error);

	if (status == MPROF_OK && !recovery.was_complete) {
		/* A program that executes another one cannot close its log. */
		salvaged->logs += !is_superseded(log, recovery.process, number);
		salvaged->events += recovery.events;
		salvaged->lost += recovery.lost_events;
	}
	/* A process that is still running in the background completes its log itself. */
	if (status == MPROF_OK || status == MPROF_ERR_TRUNCATED || recovery.is_recording)
		return;
	/* The log ends with this cause and with the number of lost events, which are printed with its name. */
	if (status == MPROF_ERR_IO &&
	    (error.system_error == ENOSPC || error.system_error == EFBIG || error.system_error == EDQUOT))
		return;
	fprintf(stderr, "mprof: %s: the end of the log cannot be salvaged: %s%s%s\n", name, error.what,
		error.system_error != 0 ? ": " : "", error.system_error != 0 ? strerror(error.system_error) : "");
}

static int is_salvage_file(const log_output *log, const char *name)
{
	size_t length = strlen(name);
	size_t suffix = strlen(SALVAGE_SUFFIX);

	return strncmp(name, log->part, strlen(log->part)) == 0 && length > suffix &&
	       strcmp(name + length - suffix, SALVAGE_SUFFIX) == 0;
}

/* The position of a program among those that its process ran, which the names of all but the first contain. */
static long number_of(const log_output *log, const char *name)
{
	char *end;

	(void)strtol(name + strlen(log->part), &end, 10);
	return *end == '-' ? strtol(end + 1, NULL, 10) : 1;
}

/* Each process that writes a part has a salvage file beside it, except the one that uses the shared memory. */
static void complete_parts(salvaged_logs *salvaged, const log_output *log)
{
	DIR *directory = opendir(log->directory);
	struct dirent *entry;

	while (directory != NULL && (entry = readdir(directory)) != NULL) {
		char *path =
			is_salvage_file(log, entry->d_name) ? modules_join(log->directory, "/", entry->d_name) : NULL;

		if (path != NULL)
			complete_log(salvaged, log, path, entry->d_name, number_of(log, entry->d_name));
		free(path);
	}
	if (directory != NULL)
		closedir(directory);
}

void salvaged_complete(salvaged_logs *salvaged, const log_output *log, const char *file)
{
	char path[SALVAGE_PATH_MAX];

	if (salvaged->fd >= 0) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", salvaged->fd);
		complete_log(salvaged, log, path, log->wanted, 1);
	}
	if (file != NULL && access(file, F_OK) == 0)
		complete_log(salvaged, log, file, file, 1);
	if (log->part != NULL)
		complete_parts(salvaged, log);
	else if (salvage_path_of(log->wanted, path) && access(path, F_OK) == 0)
		complete_log(salvaged, log, path, log->wanted, 1);
}

void salvaged_release(salvaged_logs *salvaged)
{
	if (salvaged->fd >= 0)
		close(salvaged->fd);
	salvaged->fd = -1;
}
