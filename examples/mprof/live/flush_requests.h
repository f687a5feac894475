/* SPDX-License-Identifier: MIT */
/**
 * \file live/flush_requests.h
 * \brief Asks a program that is being recorded to write what it has recorded. Never waits for the program.
 */
#ifndef FLUSH_REQUESTS_H
#define FLUSH_REQUESTS_H

#include "common/control_connection.h"

#include <stdint.h>
#include <sys/types.h>

typedef struct flush_requests {
	control_connection connection; /**< Its fd is -1 without a connection. */
	int is_pending;                /**< A request has no answer yet. */
	uint64_t sent_ns;              /**< When the latest request was sent. */
	uint64_t served_ns;            /**< When the latest request with an answer was sent: all events recorded before
	                                    are in the log. 0 if none. */
} flush_requests;

/** Connects to a process, if it accepts commands and does not keep its log in a ring buffer. */
void flush_requests_open(flush_requests *requests, pid_t process);

/** Receives the answer to the latest request, and sends the next one. \p now_ns is the time of a monotonic clock. */
void flush_requests_update(flush_requests *requests, uint64_t now_ns);

void flush_requests_close(flush_requests *requests);

#endif
