/* SPDX-License-Identifier: MIT */
/**
 * \file jit_dump.h
 * \brief Writes compiled code into a file for perf: "perf record -k mono", then "perf inject --jit".
 *
 * One file for the process; its callers see to it that one thread at a time is here.
 */
#ifndef JIT_DUMP_H
#define JIT_DUMP_H

#include <stddef.h>

/** Creates jit-PID.dump in a directory. Returns 1; 0 after a message. */
int jit_dump_open(const char *directory);

/** Code is ready to be run. After an error, which is said once, this does nothing. */
void jit_dump_code(const void *start, size_t size, const char *name);

void jit_dump_close(void);

#endif
