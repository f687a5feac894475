/* SPDX-License-Identifier: MIT */
/**
 * \file oprofile_agent.h
 * \brief Tells oprofile of compiled code, through its library libopagent, which is looked for when the program runs.
 *
 * Its callers see to it that one thread at a time is here.
 */
#ifndef OPROFILE_AGENT_H
#define OPROFILE_AGENT_H

#include <stddef.h>

/** Finds the library and opens its agent. Returns 1; 0 after a message. */
int oprofile_agent_open(void);

/** Code is ready to be run. After an error, which is said once, this does nothing. */
void oprofile_agent_code(const void *start, size_t size, const char *name);

/** Code that was told of is gone. */
void oprofile_agent_unload(const void *start);

void oprofile_agent_close(void);

#endif
