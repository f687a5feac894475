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

#include <stddef.h>

struct memory_copy_range;

/** The allocator, for any thread. */
extern const mprof_allocator own_memory;

/** Stores the ranges of memory that it has from the system. Returns their number, at most \p capacity. */
size_t own_memory_list(struct memory_copy_range *ranges, size_t capacity);

/**
 * In a child made by fork(), where another thread may have held the lock: what was allocated stays, and is never
 * released.
 */
void own_memory_forget(void);

#endif
