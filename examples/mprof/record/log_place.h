/* SPDX-License-Identifier: MIT */
/**
 * \file record/log_place.h
 * \brief Where the log goes. One program may be several processes that each write one; and the name that is wanted may
 * be one that the module cannot be told. Then each process writes a part of its own, and parts become logs at the end.
 */
#ifndef LOG_PLACE_H
#define LOG_PLACE_H

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

typedef struct log_place {
	char *name;      /**< What names the log, where %p stands for the process and %% for a percent sign. */
	char *wanted;    /**< The name of the log; if it has the process in it, not before the end. */
	char *directory; /**< Of the log, or of the parts. */
	char *part;      /**< Start of the names of parts in it; NULL if the log is written under its own name. */
	char *pattern;   /**< What the recording module is told: %p stands for the process, %% for a percent sign. */
	int is_stream;   /**< The log goes where it can be written only once: to a FIFO or a device. */
	int was_there;   /**< There was a file of that name before, */
	struct timespec changed; /**< last changed then. */
	int is_misplaced; /**< A log was written and is not where it should be: set by log_place_collect() after a message. */
} log_place;

/**
 * Prepares a place. \p output: the name asked for, NULL for one made from \p subject. In it %p becomes the process, %n
 * the name of \p subject, %t the time, %% a percent sign. \p for_processes: each process writes its own log. Returns -1
 * to go on, or an exit status after a message.
 */
int log_place_init(log_place *place, const char *output, const char *subject, int for_processes);
void log_place_release(log_place *place);

/** Called for each log. \p path is where it can be read now, NULL if nowhere; \p name what it is called. */
typedef void (*log_function)(void *user, const char *path, const char *name);

/**
 * Gives parts their names and tells of each log that was written, that of \p process first. Returns how many; 1 for a
 * stream that the program wrote to itself, since that cannot be looked at.
 */
size_t log_place_collect(log_place *place, pid_t process, log_function found, void *user);

#endif
