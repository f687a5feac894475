/* SPDX-License-Identifier: MIT */
/**
 * \file session.h
 * \brief The program that this process runs, and the path of its log.
 */
#ifndef MONO_SESSION_H
#define MONO_SESSION_H

#include <stddef.h>

typedef struct session_info {
	char *command_line;  /**< As the system provides it: words, each terminated by NUL. */
	size_t length;       /**< Length of command_line, in bytes. */
	const char *program; /**< The managed program's file; points into command_line or to static text. */
	char *arguments;     /**< The arguments of the program, separated by blanks. */
} session_info;

/** Reads the command line of the process. If that fails, program is "" and the other pointers are NULL. */
void session_read(session_info *session);

void session_release(session_info *session);

/**
 * Returns the path of the log: the pattern with %n, %p, %t, %h and %% replaced; the pattern %n.mprof if it is NULL. %n
 * is the program's name without directory and last extension. The caller frees it; NULL if out of memory.
 */
char *session_log_path(const session_info *session, const char *pattern);

/**
 * Returns the absolute form of a path, for a program that may change its directory. The caller frees it; NULL if out of
 * memory.
 */
char *session_full_path(const char *path);

#endif
