/* SPDX-License-Identifier: MIT */
/**
 * \file oprofile_agent.h
 * \brief Reports compiled code to oprofile through its library libopagent, which is loaded at run time.
 *
 * Not thread-safe: callers serialize their calls.
 */
#ifndef OPROFILE_AGENT_H
#define OPROFILE_AGENT_H

#include <stddef.h>

/** Loads the library and opens its agent. Returns 1; 0 after a message. */
int oprofile_agent_open(void);

/** Reports code that is ready to run. Does nothing after an error, which is printed once. */
void oprofile_agent_code(const void *start, size_t size, const char *name);

/** Reports that code reported before is freed. */
void oprofile_agent_unload(const void *start);

void oprofile_agent_close(void);

#endif
