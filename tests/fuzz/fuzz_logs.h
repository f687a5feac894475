/* SPDX-License-Identifier: MIT */
/**
 * \file fuzz_logs.h
 * \brief Good logs to change, and the numbers that decide how: the same in each run.
 */
#ifndef FUZZ_FUZZ_LOGS_H
#define FUZZ_FUZZ_LOGS_H

#include <mprof/writer.h>

#include <stddef.h>
#include <stdint.h>

/** The bytes of a log, to be freed. */
typedef struct fuzz_log {
	uint8_t *bytes;
	size_t length;
} fuzz_log;

uint64_t fuzz_random_below(uint64_t limit);

/** Has the numbers that follow be others than in each run. */
void fuzz_random_seed(uint64_t seed);

/** Ends the program if a good log could not be made. */
void fuzz_require(int is_right);

/**
 * A log of all that mail has, or mprof2 with some directives, written with these options. With \p event_blocks, it has
 * that many more EVENTS blocks, which are long enough to be decoded on another thread.
 */
fuzz_log fuzz_log_write(const mprof_writer_options *options, int event_blocks);

#endif
