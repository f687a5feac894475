/* SPDX-License-Identifier: MIT */
/**
 * \file live/log_writer.h
 * \brief The process that writes a log: found by the files that processes have open.
 */
#ifndef LOG_WRITER_H
#define LOG_WRITER_H

#include <sys/types.h>

typedef struct log_writer {
	pid_t process; /**< 0 if none was found. */
	int fd;        /**< Its descriptor of the log. */
	dev_t device;  /**< The log. */
	ino_t inode;
} log_writer;

/** Searches for the process that has the open file \p fd open for writing. Returns 1 if there is one. */
int log_writer_find(log_writer *writer, int fd);

/** Whether the process that was found still has the log open for writing. */
int log_writer_is_there(const log_writer *writer);

/**
 * Finds the log that a process writes: the first regular file that it has open for writing and that starts like a log.
 * Returns the path in /proc of its descriptor, which the caller frees; NULL if there is none, with errno set.
 */
char *log_writer_find_log(const char *process);

#endif
