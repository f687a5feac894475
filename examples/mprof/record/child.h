/* SPDX-License-Identifier: MIT */
/**
 * \file record/child.h
 * \brief Runs another program.
 */
#ifndef CHILD_H
#define CHILD_H

#include <stddef.h>
#include <sys/types.h>

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

#endif
