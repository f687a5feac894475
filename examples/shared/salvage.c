/* SPDX-License-Identifier: MIT */
/* Chooses the path of the salvage file of a log, and opens recorders with or without one. */
#include "shared/salvage.h"

#include "shared/dialects.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int salvage_path_of(const char *log_path, char path[SALVAGE_PATH_MAX])
{
	int length = snprintf(path, SALVAGE_PATH_MAX, "%s%s", log_path, SALVAGE_SUFFIX);

	return length > 0 && length < SALVAGE_PATH_MAX;
}

static mprof_status open_any(const char *log_path, uint64_t ring_bytes, const mprof_recorder_options *options,
			     mprof_recorder **recorder, mprof_error *error)
{
	if (ring_bytes != 0)
		return mprof_recorder_open_ring(ring_bytes, options, recorder, error);
	return mprof_recorder_open_path(log_path, options, recorder, error);
}

/* A log in an older dialect cannot be completed by another process: its blocks depend on all that precede them. */
static int can_be_salvaged(const mprof_recorder_options *options)
{
	return options->writer == NULL || !dialects_is_older((mprof_dialect)options->writer->dialect);
}

/* The system's text would mislead: the room is kept for the log, and a file in use is not a device. */
static const char *salvage_failure(int system_error)
{
	switch (system_error) {
	case ENOSPC:
		return "there is too little room for both on the disk";
	case EFBIG:
		return "it would exceed the file size limit";
	case EBUSY:
		return "a file with its name has the end of another log, or is in use";
	case EPERM:
		return "a file with its name belongs to another user";
	default:
		return strerror(system_error);
	}
}

mprof_status salvage_open(const char *requested, const char *log_path, uint64_t ring_bytes,
			  const mprof_recorder_options *options, mprof_recorder **recorder, int *is_salvaged,
			  mprof_error *error)
{
	mprof_recorder_options copy = *options;
	int unused = 0;
	char beside[SALVAGE_PATH_MAX];
	mprof_status status;
	int system_error;

	is_salvaged = is_salvaged != NULL ? is_salvaged : &unused;
	*is_salvaged = 0;
	copy.salvage_path = NULL;
	if ((requested != NULL && strcmp(requested, "no") == 0) || !can_be_salvaged(options) ||
	    !salvage_path_of(log_path, beside))
		return open_any(log_path, ring_bytes, &copy, recorder, error);
	copy.salvage_log_path = log_path;
	copy.salvage_path = requested != NULL ? requested : beside;
	status = open_any(log_path, ring_bytes, &copy, recorder, error);
	if (status == MPROF_ERR_IO && requested != NULL &&
	    (error->system_error == EBUSY || strncmp(requested, "/proc/", sizeof("/proc/") - 1) == 0)) {
		copy.salvage_path = beside;
		status = open_any(log_path, ring_bytes, &copy, recorder, error);
	}
	*is_salvaged = status == MPROF_OK;
	if (status != MPROF_ERR_IO)
		return status;
	/* Try without a salvage file. If it was the log that could not be opened, this fails too. */
	system_error = error->system_error;
	copy.salvage_path = NULL;
	status = open_any(log_path, ring_bytes, &copy, recorder, error);
	if (status == MPROF_OK)
		fprintf(stderr,
			"mprof: no salvage file for %s: %s; if the program is killed, its last events are lost\n",
			log_path, salvage_failure(system_error));
	return status;
}
