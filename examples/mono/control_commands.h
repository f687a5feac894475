/* SPDX-License-Identifier: MIT */
/**
 * \file control_commands.h
 * \brief The commands that clients send to the module, one per line, and their answers.
 *
 * Commands to the Unix socket:
 *   enable, disable, flush, heapshot, status, cost, mark TEXT, and those of control_changes.h
 * are answered by "DONE", or by "ERROR" and the reason. Before that, some print lines of the form NAME=VALUE.
 *
 * Commands to the TCP port, those of the module for Mono 2:
 *   enable, disable, heap-snapshot, heap-snapshot-counter=all, =none or =N
 * are answered by "DONE" or "ERROR" alone.
 */
#ifndef CONTROL_COMMANDS_H
#define CONTROL_COMMANDS_H

#include "profiler.h"

#include "shared/control_reply.h"

/** Executes the command in a line without line feed. \p is_classic: it was received by TCP. */
void control_command(void *profiler, const char *line, int is_classic, command_reply *reply);

#endif
