/* SPDX-License-Identifier: MIT */
/**
 * \file record/log_parts.h
 * \brief The logs of several processes, under the names that they have until the end of mprof record.
 */
#ifndef RECORD_LOG_PARTS_H
#define RECORD_LOG_PARTS_H

#include <stddef.h>
#include <sys/types.h>

/** The log of one program that one process ran. */
typedef struct log_part {
	char *path;
	char *label;       /**< Process ID, and a number if the process then executed another recorded program. */
	long process;      /**< Process ID. */
	long number;       /**< Position among the programs that the process ran one after the other, from 1. */
	off_t size;        /**< In bytes. */
	int is_superseded; /**< The process then executed another recorded program. */
	int is_running;    /**< The process still writes the log, and gives it its name itself when it ends. */
} log_part;

typedef struct log_parts {
	log_part *parts;
	size_t count;
} log_parts;

/**
 * Finds the parts in a directory, in the order of their processes and programs. Removes those of native programs that
 * are empty if the process executed another recorded program, or if Mono ran another process. Returns 0, or an errno
 * value; the parts that were found are valid then, too. Release them with log_parts_release().
 * \param found Set to the parts.
 * \param directory Absolute path.
 * \param prefix Start of the names of all parts, before the process ID.
 * \param ended A process that has ended.
 */
int log_parts_find(log_parts *found, const char *directory, const char *prefix, pid_t ended);

/**
 * The index of the log that gets the requested name: that of the last program that \p process ran, or the largest one
 * of those that Mono ran, if Mono did not run the former and its log is smaller. Otherwise the largest of all.
 */
size_t log_parts_choose(const log_parts *parts, pid_t process);

void log_parts_release(log_parts *parts);

/** The extension of the names of parts. */
#define PART_EXTENSION ".part"

#endif
