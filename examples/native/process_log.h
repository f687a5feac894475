/* SPDX-License-Identifier: MIT */
/**
 * \file native/process_log.h
 * \brief The log of one process of a recorded program: whether it has one, its path, and its name at the end.
 *
 * The options that these functions read, in words separated by commas, come from "mprof record", which gives logs their
 * names as long as it runs. See shared/late_log.h.
 */
#ifndef NATIVE_PROCESS_LOG_H
#define NATIVE_PROCESS_LOG_H

#include "instrument_options.h"

#include <mprof/recorder.h>

/** Size of the path of the memory by which "mprof record" states whether it collects logs. */
#define COLLECTOR_PATH_SIZE 64

/** That path; "" and 0 if "mprof record" did not start this. */
int process_log_collector(const char *words, char path[COLLECTOR_PATH_SIZE]);

/** Whether this process is to be recorded: without the option children, only the one that was started. */
int process_log_is_wanted(const char *words);

/**
 * Finds the path of the log. \p pattern may be NULL; \p is_next: the process has written a log before, which stays. \p
 * *lock receives a lock to hold until the log is open, for late_log_unlock(). Returns 0 if the path is too long.
 */
int process_log_path(const char *pattern, const char *words, int is_next, char path[INSTRUMENT_PATH_SIZE], int *lock);

/** Names a log that is complete, if "mprof record" has ended before. */
void process_log_name(const char *pattern, const char *words, const char *path);

/** Writes the ring buffer of a recorder to its log. Prints a line if that fails. */
void process_log_write_ring(mprof_recorder *recorder, const char *path, uint32_t gzip_level);

#endif
