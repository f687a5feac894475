/* SPDX-License-Identifier: MIT */
/**
 * \file record/log_parts.h
 * \brief The logs of several processes, under the names that they have until the end of mprof record.
 */
#ifndef RECORD_LOG_PARTS_H
#define RECORD_LOG_PARTS_H

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

typedef enum claim_result {
	CLAIM_MADE,      /**< An empty file was created. */
	CLAIM_EMPTY,     /**< There is an empty file, or one that may be replaced, or a FIFO or a device. */
	CLAIM_REFUSED,   /**< The file cannot be created; errno has the reason. */
	CLAIM_EXISTS,    /**< A file exists. */
	CLAIM_BUSY,      /**< A file exists, and another program is writing a log to it. */
	CLAIM_FOREIGN,   /**< A file of another user, or one with another name: others may have put it there. */
	CLAIM_NO_MEMORY, /**< Out of memory. */
} claim_result;

/**
 * Claims this path. A file that is not empty can be claimed only with \p replaces. Errors other than that of an
 * existing file are left to the program that opens the log. \p created: the identity of the file if it was created.
 */
claim_result claim_path(const char *path, int replaces, struct stat *created);

/**
 * Claims this path or, if it exists, the first free one of "log.2.mprof", "log.3.mprof" and so on. \p path is allocated
 * text; if another path is claimed, it is freed and replaced. Returns CLAIM_MADE, CLAIM_EMPTY, CLAIM_REFUSED or
 * CLAIM_NO_MEMORY.
 */
claim_result claim_numbered(char **path, struct stat *created);

/** Whether a program is writing a log to the path. */
int claim_is_busy(const char *path);

/**
 * Locks the file at a claimed path, as a writer of a log does, so that no other run claims it. Returns a descriptor,
 * or -1. Only for a path that no module opens.
 */
int claim_lock(const char *path);

/** Removes a file that was created to claim a path, if it is still there and empty. */
void claim_release(const char *path, const struct stat *created);

/**
 * Whether a log may be moved to a path: nothing is there, or an empty file, such as the one that was created to claim
 * the path (\p created, or NULL), or with \p replaces an earlier log. No file that a program is writing a log to,
 * except through the descriptor \p lock_fd of claim_lock(), and no file of another user.
 */
int claim_may_replace(const char *path, const struct stat *created, int replaces, int lock_fd);

/** "log.LABEL.mprof" for "log.mprof". The caller frees it; NULL if out of memory. */
char *claim_labelled_name(const char *path, const char *label);

/** The extension of logs. */
#define LOG_EXTENSION ".mprof"

/** Size of the path of a program, in bytes. */
#define LOG_PROGRAM_SIZE 256

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

/** Reads the path of the recorded program from a part, shortened if it is long; "" if it is unknown. */
void log_part_program(const log_part *part, char program[LOG_PROGRAM_SIZE]);

/** The extension of the names of parts. */
#define PART_EXTENSION ".part"

#endif
