/* SPDX-License-Identifier: MIT */
/**
 * \file jit_dump.h
 * \brief Writes compiled code to a file for perf: "perf record -k mono", then "perf inject --jit".
 *
 * There is one file for the process. Not thread-safe: callers serialize their calls.
 */
#ifndef JIT_DUMP_H
#define JIT_DUMP_H

#include <stddef.h>

/** Creates jit-PID.dump in a directory. Returns 1; 0 after a message. */
int jit_dump_open(const char *directory);

/** Reports code that is ready to run. Does nothing after an error, which is printed once. */
void jit_dump_code(const void *start, size_t size, const char *name);

/** Writes the end of the file and closes it. Does nothing if it is not open. */
void jit_dump_close(void);

#endif
