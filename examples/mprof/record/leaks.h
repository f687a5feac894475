/* SPDX-License-Identifier: MIT */
/**
 * \file record/leaks.h
 * \brief Finds out which native memory recorded processes cannot reach any more when they end, and adds that to their
 * logs.
 *
 * A thread does it as soon as a process has ended, so that the copy of its memory is released.
 */
#ifndef RECORD_LEAKS_H
#define RECORD_LEAKS_H

#include <pthread.h>
#include <stdint.h>

/** Size of the option for the module, with the comma before it. */
#define LEAKS_OPTION_SIZE 80

/** The logs: how they are compressed, since they are written once more, and their salvage file. */
typedef struct leaks_form {
	uint32_t codec;
	uint32_t level;
	uint32_t gzip_level;
	const char *salvage; /**< Its path, if it is not that of the log with a suffix; NULL. */
} leaks_form;

typedef struct leak_searches {
	int pipe[2]; /**< -1 if there is none. */
	pthread_t thread;
	int has_thread;
	leaks_form form;
	uint64_t searched; /**< Logs that have the result. */
	uint64_t failed;   /**< Processes of which it is not known. */
	char problem[256]; /**< Why, of the first one. */
} leak_searches;

/** Begins to wait for processes. \p option receives the option for the module. Returns 0 after a message. */
int leaks_begin(leak_searches *searches, const leaks_form *form, char option[LEAKS_OPTION_SIZE]);

/** Waits until all processes that have ended are searched, and prints what is not known. */
void leaks_end(leak_searches *searches);

#endif
