/* SPDX-License-Identifier: MIT */
/**
 * \file record/target.h
 * \brief Determines the kind of program to record.
 */
#ifndef RECORD_TARGET_H
#define RECORD_TARGET_H

#include "shared/elf_program.h"

#include <stddef.h>

/** Why the system cannot load the recorder into a program. */
typedef enum program_obstacle {
	OBSTACLE_NONE,          /**< As far as the file shows. */
	OBSTACLE_STATIC,        /**< The program needs no dynamic linker. */
	OBSTACLE_PRIVILEGES,    /**< The program gets privileges that its caller does not have. */
	OBSTACLE_OTHER_MACHINE, /**< Code for another processor or word size. */
	OBSTACLE_OTHER_LIBRARY, /**< Another C library, such as musl. */
	OBSTACLE_SANITIZER      /**< A sanitizer that does not run together with the recorder. */
} program_obstacle;

typedef struct program_file {
	program_obstacle obstacle;
	char detail[ELF_PROGRAM_NAME_SIZE]; /**< File name of the dynamic linker or of the sanitizer's library. */
	int is_instrumented;                /**< It calls the functions of -finstrument-functions. */
	int contains_mono;                  /**< It contains Mono or is linked with it. */
	int can_reach_others;               /**< It can start other programs, or load libraries while it runs. */
} program_file;

/** Examines the program \p path, a file in ELF format. A file that cannot be read has no obstacles. */
void program_file_read(program_file *file, const char *path);

/** Prints to standard error why \p name cannot be recorded, as the end of a line. Only with an obstacle. */
void program_file_explain(const program_file *file, const char *name);

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
