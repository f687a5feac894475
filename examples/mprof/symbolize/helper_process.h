/* SPDX-License-Identifier: MIT */
/**
 * \file symbolize/helper_process.h
 * \brief Starts and stops the process that reads debug information, and waits for its answers for a limited time.
 */
#ifndef SYMBOLIZE_HELPER_PROCESS_H
#define SYMBOLIZE_HELPER_PROCESS_H

#include "symbolize/protocol.h"

#include <sys/types.h>

typedef struct helper_process {
	int fd; /**< -1 if the process is not running. */
	pid_t process;
	unsigned failures; /**< Number of processes that crashed or did not answer in time. */
	unsigned serial;   /**< Number of processes that were started. */
} helper_process;

/** Whether this program was built with a library that reads debug information. */
int helper_process_is_supported(void);

void helper_process_init(helper_process *helper);
void helper_process_stop(helper_process *helper);

/** Starts the process unless it is running. Returns 0 if it cannot be started, or if too many processes failed. */
int helper_process_start(helper_process *helper);

/** Sends a request; \p build_id and \p file have the lengths in it. Returns 0, and stops the process, if it failed. */
int helper_process_send(helper_process *helper, const lines_request *request, const char *build_id, const char *file);

/** Receives a part of an answer. Returns 0, and stops the process, if it ended or did not answer in time. */
int helper_process_receive(helper_process *helper, void *bytes, size_t length);

/** Stops the process because an answer is invalid. */
void helper_process_fail(helper_process *helper);

#endif
