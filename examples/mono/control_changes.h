/* SPDX-License-Identifier: MIT */
/**
 * \file control_changes.h
 * \brief Commands that change what is recorded while the program runs:
 *
 *   sample HZ, sample on, sample off
 *   alloc on, alloc off, alloc stack
 *   calls on, calls off, calls PATTERN
 *
 * Each is answered by a line with the new setting, and writes a marker to the log. They stop and resume the kinds of
 * data with which the program was started; others need preparation at the start.
 */
#ifndef CONTROL_CHANGES_H
#define CONTROL_CHANGES_H

#include "profiler.h"

#include "shared/control_reply.h"

/**
 * Executes the command if it is one of these. Returns 1 if it was, and then sets \p failure to the reason why it
 * failed, or NULL. Control thread only.
 */
int control_change(MonoProfiler *profiler, const char *line, command_reply *reply, const char **failure);

/** Adds the present settings. Control thread only. */
void control_changes_describe(MonoProfiler *profiler, command_reply *reply);

#endif
