/* SPDX-License-Identifier: MIT */
/**
 * \file control_commands.h
 * \brief The commands that clients send to the module, one per line, and their answers.
 *
 * Commands to the Unix socket:
 *   enable, disable, flush, heapshot, status, mark TEXT
 * are answered by "DONE", or by "ERROR" and the reason. Before that, status prints lines of the form NAME=VALUE.
 *
 * Commands to the TCP port, those of the module for Mono 2:
 *   enable, disable, heap-snapshot, heap-snapshot-counter=all, =none or =N
 * are answered by "DONE" or "ERROR" alone.
 */
#ifndef CONTROL_COMMANDS_H
#define CONTROL_COMMANDS_H

#include "profiler.h"

#include <stddef.h>

/** Maximum length of a line without its line feed, in bytes. */
#define MAX_COMMAND 1023

typedef struct command_reply {
	size_t length;
	char text[4096];
} command_reply;

/** Executes the command in a line without line feed. */
void control_command(MonoProfiler *profiler, const char *line, command_reply *reply);

/** Executes the command in a line that was received by TCP. */
void control_classic_command(MonoProfiler *profiler, const char *line, command_reply *reply);

#endif
