/* SPDX-License-Identifier: MIT */
/**
 * \file native/own_memory.h
 * \brief Memory of the recorder, apart from that of the program.
 *
 * With malloc(), the threads of the recorder would have arenas of their own, each of which takes 64 MiB of the
 * program's address space, and a child made by fork() would need locks of the program's allocator.
 */
#ifndef NATIVE_OWN_MEMORY_H
#define NATIVE_OWN_MEMORY_H

#include <mprof/base.h>

/** The allocator, for any thread. */
extern const mprof_allocator own_memory;

/**
 * In a child made by fork(), where another thread may have held the lock: what was allocated stays, and is never
 * released.
 */
void own_memory_forget(void);

#endif
