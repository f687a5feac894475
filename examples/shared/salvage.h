/* SPDX-License-Identifier: MIT */
/**
 * \file shared/salvage.h
 * \brief Opens recorders with a salvage file, from which 'mprof recover' completes the log if the program dies.
 */
#ifndef SALVAGE_H
#define SALVAGE_H

#include <mprof/recorder.h>

#include <stddef.h>

/** The salvage file of a log has the path of the log and this. */
#define SALVAGE_SUFFIX ".salvage"

/** Bytes for its path. */
#define SALVAGE_PATH_MAX 4096

/**
 * Opens a recorder with a salvage file; without one if it cannot be made, after a line that states why. \p asked: its
 * path; NULL: the path of the log with #SALVAGE_SUFFIX; "no": none. If another process of the program has the path
 * that was asked for, the file is beside the log. \p ring_bytes: as for mprof_recorder_open_ring(); 0: the log is a
 * file. Logs that cannot be continued have none. mprof_recorder_options::salvage_path is ignored.
 */
mprof_status salvage_open(const char *asked, const char *log_path, uint64_t ring_bytes,
			  const mprof_recorder_options *options, mprof_recorder **recorder, mprof_error *error);

/** The path of the salvage file of a log. Returns 0 if it is too long. */
int salvage_path_of(const char *log_path, char path[SALVAGE_PATH_MAX]);

#endif
