/* SPDX-License-Identifier: MIT */
/**
 * \file shared/salvage.h
 * \brief Opens recorders with a salvage file, from which 'mprof recover' completes the log if the program is killed.
 */
#ifndef SHARED_SALVAGE_H
#define SHARED_SALVAGE_H

#include <mprof/recorder.h>

#include <stddef.h>

/** The path of a salvage file is the path of the log with this suffix. */
#define SALVAGE_SUFFIX ".salvage"

/** Maximum size of its path, in bytes including the final NUL. */
#define SALVAGE_PATH_MAX 4096

/**
 * Opens a recorder with a salvage file. If the file cannot be created, prints the reason on standard error and opens a
 * recorder without one. \p requested: the path of the salvage file; NULL for that of the log with #SALVAGE_SUFFIX, "no"
 * for no salvage file. If another process uses that path, or it is in /proc and cannot be opened since its process has
 * ended or belongs to another user, the file is beside the log. \p ring_bytes: size of the ring buffer, or 0 to write
 * the log to a file. Logs that cannot be completed by another process have no salvage file.
 * mprof_recorder_options::salvage_path is ignored. \p is_salvaged receives whether there is a salvage file; NULL if the
 * caller need not know.
 */
mprof_status salvage_open(const char *requested, const char *log_path, uint64_t ring_bytes,
			  const mprof_recorder_options *options, mprof_recorder **recorder, int *is_salvaged,
			  mprof_error *error);

/** The path of the salvage file of a log. Returns 0 if it is too long. */
int salvage_path_of(const char *log_path, char path[SALVAGE_PATH_MAX]);

#endif
