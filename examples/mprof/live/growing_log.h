/* SPDX-License-Identifier: MIT */
/**
 * \file live/growing_log.h
 * \brief A log that a program may still be writing: finding it, whether more can come, and waiting for it.
 */
#ifndef LIVE_GROWING_LOG_H
#define LIVE_GROWING_LOG_H

#include "common/control_connection.h"
#include "common/input.h"

#include <limits.h>
#include <sys/types.h>

/** The process that writes a log: found by the files that processes have open. */
typedef struct log_writer {
	pid_t process; /**< 0 if none was found. */
	int fd;        /**< Its descriptor of the log. */
	dev_t device;  /**< The log. */
	ino_t inode;
} log_writer;

/** Requests to the program to write what it has recorded. */
typedef struct flush_requests {
	control_connection connection; /**< Its fd is -1 without a connection. */
	int is_pending;                /**< A request has no answer yet. */
	uint64_t sent_ns;              /**< When the latest request was sent. */
	uint64_t served_ns;            /**< When the latest request with an answer was sent: all events recorded before
	                                    are in the log. 0 if none. */
} flush_requests;

/** What an argument of the command line stands for: a file, standard input, or the log of a process. */
typedef struct log_source {
	char path[PATH_MAX]; /**< Where to open it. */
	char name[PATH_MAX]; /**< What to call it. */
	int spool;           /**< Descriptor of a copy of standard input; -1 if there is none. */
} log_source;

/**
 * Finds the log. \p is_whole: standard input is read to its end, so that it can be read twice. Returns 0 after a
 * message. Call log_source_release() in any case.
 */
int log_source_find(log_source *source, const char *argument, int is_whole);

void log_source_release(log_source *source);

typedef struct growing_log {
	log_input input;
	const char *path;
	char part[PATH_MAX]; /**< The path of the part that is read instead, if there is one. */
	log_writer writer;
	flush_requests flushes;
	int waits_forever;       /**< More may come although no writer was found. */
	uint64_t next_search_ns; /**< With waits_forever: when to search for the writer again. */
	int is_finished;         /**< No more bytes will come. */
} growing_log;

/** Makes SIGINT and SIGTERM end waits and set the flag that growing_log_is_interrupted() returns. */
void growing_log_catch_signals(void);
int growing_log_is_interrupted(void);

/** Nanoseconds of a monotonic clock. */
uint64_t growing_log_clock(void);

/** Sleeps, unless interrupted by a signal. */
void growing_log_sleep(unsigned milliseconds);

/**
 * Opens a log; "-" is standard input. \p waits: waits until the file exists, and for more bytes although no writer can
 * be found. Returns #STATUS_OK, or #STATUS_NOTHING after a message. Call growing_log_close() in both cases.
 */
int growing_log_open(growing_log *log, const char *path, int waits);

/**
 * After input_next_block() has returned 0 although the log is not over: asks the program to write what it has recorded,
 * and determines whether more can come. If not, the next input_next_block() returns the rest of the log.
 */
void growing_log_update(growing_log *log);

/** Waits until there may be more bytes, at most for a time. */
void growing_log_wait(growing_log *log, unsigned milliseconds);

/** The exit status: that of the input; #STATUS_NOTHING if it turned out later that the file is not a log. */
int growing_log_status(const growing_log *log);

void growing_log_close(growing_log *log);

typedef enum part_search {
	PART_NONE,  /**< The log is at its own path, or there is none. */
	PART_FOUND, /**< The log is a part. */
	PART_SOON   /**< The path has just been created: the program may be about to start. */
} part_search;

/**
 * If the path is that of a log that a program is still to get, finds the part that the program writes now: that of the
 * process that mprof record started, or else the largest one. \p part, of \p size bytes, receives its path.
 */
part_search part_log_find(const char *path, char *part, size_t size);

#endif
