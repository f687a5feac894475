/* SPDX-License-Identifier: MIT */
/**
 * \file control_commands.h
 * \brief The commands that can be sent to the module, a line each, and what it answers.
 *
 * To a socket of the system:
 *   enable, disable, flush, heapshot, status, mark TEXT
 * are answered by "DONE", or by "ERROR" and the reason; before that, status gives lines of the form NAME=VALUE.
 *
 * To a TCP port, as the module for Mono 2 took them:
 *   enable, disable, heap-snapshot, heap-snapshot-counter=all, =none or =N
 * are answered by "DONE" or "ERROR" alone.
 */
#ifndef CONTROL_COMMANDS_H
#define CONTROL_COMMANDS_H

#include "module.h"

#include <stddef.h>

/** Longest line, without its end. */
#define MAX_COMMAND 1023

typedef struct command_reply {
	size_t length;
	char text[4096];
} command_reply;

/** Does what a line says. It has no line end. */
void control_command(MonoProfiler *profiler, const char *line, command_reply *reply);

/** The same for lines that come by TCP. */
void control_classic_command(MonoProfiler *profiler, const char *line, command_reply *reply);

#endif
