/* SPDX-License-Identifier: MIT */
/**
 * \file fuzz_memory.h
 * \brief An allocator that fails the test if an input takes more memory than its length allows, or does not return it.
 */
#ifndef FUZZ_FUZZ_MEMORY_H
#define FUZZ_FUZZ_MEMORY_H

#include <mprof/reader.h>

/** Memory that one input may take; far above what these lengths need, far below what damaged lengths ask for. */
#define FUZZ_MEMORY_LIMIT ((size_t)96 << 20)

/** Memory from which on a copy gets none. */
#define FUZZ_COPY_LIMIT ((size_t)16 << 20)

/** Thread-safe. */
extern const mprof_allocator fuzz_allocator;

/**
 * The same for what copies logs into memory: more than #FUZZ_COPY_LIMIT is refused instead. A counted hit becomes as many
 * samples as its count, far more than the bytes of a log.
 */
extern const mprof_allocator fuzz_copy_allocator;

/** Ends the program, with a message. */
void fuzz_fail(const char *what);

/** Fails if memory is still in use. */
void fuzz_check_memory(const char *what);

/** A reader of these bytes with this allocator and low limits; NULL if it cannot be opened. */
mprof_reader *fuzz_open_reader(const uint8_t *bytes, size_t length, uint32_t threads);

#endif
