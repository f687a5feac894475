/* SPDX-License-Identifier: MIT */
/**
 * \file record/log_output.h
 * \brief The output path of the log. A program may consist of several processes that each write a log, and the
 * requested name may be one that cannot be passed to the module. Then each process writes a part of its own, and the
 * parts become logs at the end.
 */
#ifndef RECORD_LOG_OUTPUT_H
#define RECORD_LOG_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

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
 * Claims this path or, if it exists, the first free one of "log.2.mprof", "log.3.mprof" and so on. \p path is allocated
 * text; if another path is claimed, it is freed and replaced. Returns CLAIM_MADE, CLAIM_EMPTY, CLAIM_REFUSED or
 * CLAIM_NO_MEMORY.
 */
claim_result claim_numbered(char **path, struct stat *created);

/** Whether a program is writing a log to the path. */
int claim_is_busy(const char *path);

/** "log.LABEL.mprof" for "log.mprof". The caller frees it; NULL if out of memory. */
char *claim_labelled_name(const char *path, const char *label);

typedef struct log_output {
	char *name;   /**< Pattern of the log's name, where %p stands for the process ID and %% for a percent sign. */
	char *wanted; /**< Path of the log, with 0 for a process ID, which is known only at the end. */
	char *directory;     /**< Directory of the log, or of the parts. */
	char *part;          /**< Common prefix of the names of parts; NULL if the log is written under its own name. */
	char *pattern;       /**< Pattern passed to the module: %p stands for the process ID, %% for a percent sign. */
	int replaces;        /**< Existing files may be replaced. */
	int is_claimed;      /**< This process created an empty file at the path. */
	struct stat created; /**< The identity of that file. */
	int stdout_fd;       /**< Duplicate of the standard output if the log goes there, otherwise -1. */
	int lock_fd;         /**< Keeps the path locked until parts become logs; -1 if the path is not locked. */
	int is_stream;       /**< The log goes to a FIFO or a device, which can be written only once. */
	int was_there;       /**< A file existed at the path before the program ran. */
	struct timespec changed; /**< The modification time of that file. */
	int is_misplaced;        /**< Set by log_output_collect() after a message if a log is not at its path. */
} log_output;

typedef struct log_output_options {
	int for_processes; /**< Each process writes its own log. */
	int replaces;      /**< An existing file may be replaced. */
} log_output_options;

/**
 * Prepares the path. \p output: the requested name, "-" for the standard output, NULL for one made from \p subject,
 * with a number if a log of that name exists. In the name, %p becomes the process ID, %n the name of \p subject, %t the
 * time, %h the name of the host, %% a percent sign. Returns -1 to continue, or an exit status after a message.
 */
int log_output_init(log_output *log, const char *output, const char *subject, const log_output_options *options);
void log_output_release(log_output *log);

/**
 * The pattern of the final names of logs, if it cannot be made from that of the parts: the name contains the process
 * ID, and no comma. The caller frees it; NULL if there is none.
 */
char *log_output_final_pattern(const log_output *log);

/** Called for each log. \p path is its current path, NULL if it cannot be read; \p name is its name for messages. */
typedef void (*log_function)(void *user, const char *path, const char *name);

/**
 * Renames parts to their final names and calls \p found for each log that was written, that of \p process first.
 * Returns the number of logs; 1 for a stream that the program wrote to directly, since a stream cannot be examined.
 */
size_t log_output_collect(log_output *log, pid_t process, log_function found, void *user);

/** Size of the value of the modules' option salvage, in bytes. */
#define SALVAGE_OPTION_SIZE 64

typedef struct salvaged_logs {
	int fd;          /**< The memory; -1 if none. */
	size_t logs;     /**< Logs that were completed, except those of programs that executed another one. */
	uint64_t events; /**< Events that were added to them. */
	uint64_t lost;   /**< Lost events that were counted in them. */
} salvaged_logs;

/**
 * Creates the memory, and formats its path as the value of the modules' option salvage. If the system refuses, the
 * value is "", and programs keep salvage files beside their logs.
 */
void salvaged_create(salvaged_logs *salvaged, char option[SALVAGE_OPTION_SIZE]);

/**
 * Completes the logs of the processes that have ended. Prints a line for each that cannot be completed. \p file: a
 * salvage file that was named by the user, or NULL.
 */
void salvaged_complete(salvaged_logs *salvaged, const log_output *log, const char *file);

void salvaged_release(salvaged_logs *salvaged);

#endif
