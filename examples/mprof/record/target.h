/* SPDX-License-Identifier: MIT */
/**
 * \file record/target.h
 * \brief What kind of program is to be recorded.
 */
#ifndef TARGET_H
#define TARGET_H

typedef enum target_kind {
	TARGET_MONO,     /**< Mono itself, given what to run. */
	TARGET_ASSEMBLY, /**< A .NET program, which Mono runs. */
	TARGET_BINARY,   /**< A program of the machine: instrumented, or one that has Mono inside or runs it. */
	TARGET_SCRIPT    /**< A script, which may run Mono. */
} target_kind;

typedef struct record_target {
	target_kind kind;
	char *path;          /**< Where the program is. */
	const char *subject; /**< What the log is named after: a path or a name. */
	int is_instrumented; /**< TARGET_BINARY: it calls what -finstrument-functions makes programs call. */
} record_target;

/** Looks at what \p arguments run. Returns 0, or the errno value that says why it cannot be run. */
int target_find(record_target *target, char *const *arguments);
void target_release(record_target *target);

/** The first argument of Mono that is not one of its own options: the number of the program, or that of the end. */
int target_mono_program(char *const *arguments);

/** Finds a program as execvp(3) does. To be freed; NULL if there is none. */
char *target_search_path(const char *name);

#endif
