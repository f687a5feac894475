/* SPDX-License-Identifier: MIT */
/**
 * \file record/target.h
 * \brief Determines the kind of program to record.
 */
#ifndef TARGET_H
#define TARGET_H

#include "record/program_file.h"

#include <stddef.h>

typedef enum target_kind {
	TARGET_MONO,     /**< Mono itself, with a program as its argument. */
	TARGET_ASSEMBLY, /**< A .NET program, which Mono runs. */
	TARGET_BINARY,   /**< A native program: instrumented, or one that embeds or runs Mono. */
	TARGET_SCRIPT    /**< A script, which may run Mono. */
} target_kind;

typedef struct record_target {
	target_kind kind;
	char *path;          /**< Path of the program. */
	const char *subject; /**< Path or name from which the name of the log is made. Borrowed. */
	program_file file;   /**< TARGET_BINARY: what its file shows. */
} record_target;

/** Examines the program in \p arguments. Returns 0, or the errno value with the reason why it cannot be run. */
int target_find(record_target *target, char *const *arguments);
void target_release(record_target *target);

/** Reads the path of the interpreter from the first line of a script. Returns 0 if there is none. */
int target_read_interpreter(const record_target *target, char *path, size_t size);

/** The index of the first argument of Mono that is not an option, which is the program, or the number of arguments. */
int target_mono_program(char *const *arguments);

/** Finds a program as execvp(3) does. The caller frees the path; NULL if none. */
char *target_search_path(const char *name);

#endif
