/* SPDX-License-Identifier: MIT */
/**
 * \file control_reply.h
 * \brief The answer to a command: lines of the form NAME=VALUE, and then "DONE", or "ERROR" and the reason.
 */
#ifndef SHARED_CONTROL_REPLY_H
#define SHARED_CONTROL_REPLY_H

#include <mprof/recorder.h>

#include <stddef.h>

/** Maximum length of a line with a command, without its line feed, in bytes. */
#define MAX_COMMAND 1023

typedef struct command_reply {
	size_t length;
	char text[4096];
} command_reply;

/** Adds a line. A line that does not fit is dropped; room is reserved for the last line of the answer. */
void control_reply_add(command_reply *reply, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Adds lines with the numbers of events, samples, heap snapshots, bytes and lost events recorded so far. */
void control_reply_add_counts(command_reply *reply, mprof_recorder *recorder);

/** Adds the last line. \p failure: the reason, or NULL if the command succeeded. */
void control_reply_end(command_reply *reply, const char *failure);

/**
 * Adds lines: time_ns (monotonic), events, bytes, lost_events, waits, cpu_ns of the process, and writer_cpu_ns of the
 * thread that writes the log, where the system provides it.
 */
void control_cost_add(command_reply *reply, mprof_recorder *recorder);

#endif
