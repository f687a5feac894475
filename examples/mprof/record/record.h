/* SPDX-License-Identifier: MIT */
/**
 * \file record/record.h
 * \brief The steps of mprof record that are one call each: recording a process, running a program, what is printed
 * at the end.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "common/summary.h"
#include "record/options.h"
#include "record/target.h"

#include <mprof/reader.h>

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * record/advice.c: what mprof record prints at its end: why there is no log, and the command that shows what was
 * recorded.
 */

typedef struct missing_log {
	const record_target *target; /**< Borrowed. */
	int status;                  /**< Exit status of the program. */
	int signal;                  /**< The signal that ended it; 0 if none. */
	int has_ring;                /**< --ring was given. */
	int is_native;               /**< The program is not one of Mono, as far as its file shows. */
	int is_sampled;              /**< A native program would have been sampled. */
	int has_memory;              /**< The native memory of any program would have been recorded. */
} missing_log;

/** Prints one line to standard error. */
void missing_log_explain(const missing_log *missing);

/**
 * Prints "; nearest: NAME" to standard error, in the form of --only, if a pattern matches nothing and is similar to a
 * class or method that the log defines. Call it after the log was read to its end.
 */
void filter_hint_print(const mprof_reader *reader, const char *pattern);

/** Whether a log states that the system refused to write all of it. Reads no events. */
int cut_log_is(const char *path);

/**
 * Prints a line on standard error with the command that fits the contents of a log, and a second one where two fit.
 * Prints nothing for a log without events. \p name: the path of the log, for messages; \p has_page: the page of
 * "mprof explore" was built.
 */
void next_command_print(const record_request *request, const log_summary *summary, const char *name, int has_page);

/*
 * record/attach.c: records a process that runs already.
 */

typedef struct attach_request {
	const char *process;  /**< Its ID. */
	const char *output;   /**< The requested name of the log; NULL for the default. */
	uint64_t duration_ns; /**< 0: until the process ends, or an interrupt. */
	int replaces;         /**< An existing file may be replaced. */
	int is_quiet;
} attach_request;

/** Records a process. Returns the exit status. */
int attach_record(const attach_request *request, const record_request *options);

/*
 * record/child.c: runs another program.
 */

/** A variable that is added to the environment of the program. */
typedef struct child_variable {
	const char *name;
	const char *value;
} child_variable;

typedef struct child_program {
	char *const *arguments; /**< The first is the program, which is looked up in PATH if it has no slash. */
	const child_variable *variables;
	size_t variable_count;
	int joins_outputs; /**< The standard output of the program goes to the standard error. */
	pid_t process;     /**< Process ID, once it runs. */
	int failure;       /**< errno if the program could not be run, or 0. */
	int signal;        /**< The signal that ended the program, or 0. */
} child_program;

/**
 * Runs the program and waits for its end. Termination signals are forwarded to it; SIGINT and SIGQUIT of the terminal
 * reach it directly. Returns its exit status, 128 + N if signal N ended it, 127 or 126 if it could not be run.
 */
int child_run(child_program *child);

/**
 * Runs the program as child_run() does, with an empty standard input. Stores the start of its standard output and error
 * in \p output, at most \p size bytes including a final NUL. Returns the same statuses.
 */
int child_capture(child_program *child, char *output, size_t size);

/*
 * record/one_log.c: makes one log of those of all processes of a recorded program.
 */

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
