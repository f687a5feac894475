/* SPDX-License-Identifier: MIT */
/**
 * \file control_commands.h
 * \brief The commands that clients send to the module, one per line, and their answers.
 *
 * Commands to the Unix socket:
 *   enable, disable, flush, heapshot, status, cost, mark TEXT, and those of control_commands.h
 * are answered by "DONE", or by "ERROR" and the reason. Before that, some print lines of the form NAME=VALUE.
 *
 * Commands to the TCP port, those of the module for Mono 2:
 *   enable, disable, heap-snapshot, heap-snapshot-counter=all, =none or =N
 * are answered by "DONE" or "ERROR" alone.
 */
#ifndef MONO_CONTROL_COMMANDS_H
#define MONO_CONTROL_COMMANDS_H

#include "profiler.h"
#include "shared/control_reply.h"

/** Disables recording if it is enabled, otherwise enables it. */
const char *control_toggle(MonoProfiler *profiler);

/** Writes all events recorded so far, also those in a ring buffer. When it returns, they are in the log. */
const char *control_flush(MonoProfiler *profiler);

/** Runs a full collection with a heap snapshot. When it returns, the snapshot is in the log. */
const char *control_heapshot(MonoProfiler *profiler);

/** Executes the command in a line without line feed. \p is_classic: it was received by TCP. */
void control_command(void *profiler, const char *line, int is_classic, command_reply *reply);

/** Registers the internal calls. Call it once the runtime accepts them. */
void runtime_controls_define(MonoProfiler *profiler);

#endif
