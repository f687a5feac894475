/* SPDX-License-Identifier: MIT */
/**
 * \file session.h
 * \brief Which program this process runs, and where its log goes.
 */
#ifndef SESSION_H
#define SESSION_H

#include <stddef.h>

typedef struct session_info {
	char *command_line;  /**< As the system gives it: words, each ended by NUL. */
	size_t length;       /**< Of command_line. */
	const char *program; /**< The managed program's file; in command_line, or static text. */
	char *arguments;     /**< What follows it, with blanks between. */
} session_info;

/** Reads the process's command line. Fields it cannot tell are "". */
void session_read(session_info *session);

void session_release(session_info *session);

/**
 * The path of the log: the pattern with %n, %p, %t and %% replaced, or that of %n.mprof if it is NULL; %n is the
 * program's name without directory and last extension. The caller frees it; NULL without memory.
 */
char *session_log_path(const session_info *session, const char *pattern);

/** The same path for a program that may go to another directory. The caller frees it; NULL without memory. */
char *session_full_path(const char *path);

#endif
