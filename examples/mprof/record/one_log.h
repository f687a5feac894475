/* SPDX-License-Identifier: MIT */
/**
 * \file record/one_log.h
 * \brief Makes one log of those of all processes of a recorded program.
 */
#ifndef RECORD_ONE_LOG_H
#define RECORD_ONE_LOG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct one_log {
	char **paths; /**< The logs, that with the requested name first. */
	size_t count;
	uint32_t codec; /**< How the blocks of the log are compressed. */
	uint32_t level;
	int lacks_memory;
} one_log;

/** Adds a log: a log_function (log_output.h). A log that is still written stays apart, with a message. */
void one_log_add(void *user, const char *path, const char *name);

/**
 * Merges the logs into one with the name of the first, and removes them when it is complete. If there is only one log,
 * or merging fails, the logs stay as they are. \p process: that of the first log. Returns the exit status.
 */
int one_log_merge(one_log *logs, pid_t process);

void one_log_release(one_log *logs);

#endif
