/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench.h
 * \brief Rows of `make bench`: what a thing costs for each event, beside its floor, measured in turns in one run.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stddef.h>
#include <stdint.h>

/** Runs once and returns nanoseconds for one event. */
typedef double (*bench_function)(void *user);

/** A thing to measure and what it is held against. */
typedef struct bench_row {
	const char *name;
	bench_function measure;
	bench_function floor;
	const char *floor_name;
	double bytes_per_event; /**< 0 if it does not apply. */
} bench_row;

/** Measures in turns and prints medians and the median of the ratios of neighbours. */
void bench_print(const bench_row *row, void *user);

/** Nanoseconds of processor time that the calling thread has used. */
double bench_thread_time(void);

/** Nanoseconds since a fixed but unspecified time. */
double bench_wall_time(void);

/** Keeps the compiler from leaving out the work that makes \p value. */
void bench_keep(uint64_t value);

/** Ends the program with a message if \p condition is 0: a bench that failed has no figures. */
void bench_require(int condition, const char *message);

/** A small generator of numbers that branch prediction cannot learn. */
static inline uint32_t bench_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

void bench_record(void);
void bench_sample(void);
void bench_encode(void);
void bench_decode(void);
void bench_dialects(void);
void bench_heap(void);
void bench_graph(void);
void bench_model(void);

#endif
