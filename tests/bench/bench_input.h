/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_input.h
 * \brief The log that the targets of sizes and reading are about, in each layout.
 *
 * It is the one that the argument `--log=FILE` names: `make bench` records the C# compiler with calls and allocations.
 * Without the argument it is made of calls alone.
 */
#ifndef BENCH_BENCH_INPUT_H
#define BENCH_BENCH_INPUT_H

#include <mprof/writer.h>

#include <stddef.h>
#include <stdint.h>

/** A log in memory. */
typedef struct bench_input {
	mprof_writer *writer; /**< Owns the bytes. */
	const uint8_t *bytes;
	size_t length;
	uint64_t events; /**< In EVENTS blocks. */
} bench_input;

/** Sets the file to read. Borrowed. */
void bench_input_set_path(const char *path);

/** The log with its events as rows. */
const bench_input *bench_input_rows(void);

/** The same log with its events in columns. */
const bench_input *bench_input_columns(void);

/**
 * Writes the rows again with the given options, in units of at most \p resolution_ns nanoseconds; 0 keeps the times.
 * The caller destroys the writer.
 */
void bench_input_convert(mprof_writer_options *options, uint64_t resolution_ns, bench_input *converted);

/** Reads all events of a log into structs, with checksums verified. Returns nanoseconds of processor time in all. */
double bench_input_read(const bench_input *input);

/** Frees all layouts. */
void bench_input_free(void);

#endif
