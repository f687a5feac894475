/* SPDX-License-Identifier: MIT */
/**
 * \file record/program_file.h
 * \brief What the file of a native program shows before it runs: whether it can be recorded, and what it could do.
 */
#ifndef PROGRAM_FILE_H
#define PROGRAM_FILE_H

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
	char detail[64];      /**< File name of the dynamic linker or of the sanitizer's library. */
	int is_instrumented;  /**< It calls the functions of -finstrument-functions. */
	int contains_mono;    /**< It contains Mono or is linked with it. */
	int can_reach_others; /**< It can start other programs, or load libraries while it runs. */
} program_file;

/** Examines the program \p path, a file in ELF format. A file that cannot be read has no obstacles. */
void program_file_read(program_file *file, const char *path);

/** Prints to standard error why \p name cannot be recorded, as the end of a line. Only with an obstacle. */
void program_file_explain(const program_file *file, const char *name);

#endif
