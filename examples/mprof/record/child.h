/* SPDX-License-Identifier: MIT */
/**
 * \file record/child.h
 * \brief Runs another program.
 */
#ifndef CHILD_H
#define CHILD_H

#include <stddef.h>
#include <sys/types.h>

/** What the program gets in its environment beside what we have. */
typedef struct child_variable {
	const char *name;
	const char *value;
} child_variable;

typedef struct child_program {
	char *const *arguments; /**< The first is the program, which is looked up in PATH if it has no slash. */
	const child_variable *variables;
	size_t variable_count;
	pid_t process; /**< Once it runs. */
	int failure;   /**< errno if it could not be run, or 0. */
	int signal;    /**< The signal that ended it, or 0. */
} child_program;

/**
 * Runs the program and waits for its end. Signals that are to end us are passed on to it; what the terminal sends
 * reaches it anyway. Returns its exit status, 128 + N if signal N ended it, 127 or 126 if it could not be run.
 */
int child_run(child_program *child);

/** Runs the program; puts the start of what it prints into \p output. As above. */
int child_capture(child_program *child, char *output, size_t size);

#endif
