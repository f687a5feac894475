/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench.h
 * \brief Rows of `make bench`: what something costs for each event, its floor, and its target, measured in one run.
 *
 * A part is a function of this header, listed in bench.c. It prints rows with bench_print() and the like.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stddef.h>
#include <stdint.h>

/** Runs once and returns nanoseconds for one event. */
typedef double (*bench_function)(void *user);

/** What a row is to reach; 0 where there is no target. */
typedef struct bench_target {
	double ratio; /**< Maximum of the time compared with the floor. */
	double ns;    /**< Maximum time of an event in nanoseconds. */
	double bytes; /**< Maximum size of an event in bytes. */
	double above; /**< Maximum difference from the floor in nanoseconds. */
} bench_target;

/** Something to measure, and what it is compared with. */
typedef struct bench_row {
	const char *name;
	bench_function measure;
	bench_function floor;
	const char *floor_name;
	double bytes_per_event; /**< 0 if it does not apply. */
} bench_row;

/** Measures everything once: to test that the parts work. */
void bench_set_quick(void);

/** Measures both in turns, and prints the best times, their ratio, and the quartiles of the ratios of the rounds. */
void bench_print(const bench_row *row, void *user);

/** The same, with targets and whether they are met. */
void bench_print_target(const bench_row *row, void *user, const bench_target *target);

/** Prints a number for each event, such as a size, next to that of another way; a target of 0 is left out. */
void bench_print_value(const char *name, double value, const char *unit, double floor, const char *floor_name,
		       double target);

/** Prints that a row was left out. */
void bench_print_missing(const char *name, const char *reason);

/** Nanoseconds of processor time that the calling thread has used. */
double bench_thread_time(void);

/** Nanoseconds of processor time that all threads of the process have used. */
double bench_process_time(void);

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

void bench_ahead(void);
void bench_layouts(void);
void bench_columns(void);
void bench_drain(void);
void bench_record(void);
void bench_sample(void);
void bench_encode(void);
void bench_decode(void);
void bench_definitions(void);
void bench_dialects(void);
void bench_heap(void);
void bench_graph(void);
void bench_model(void);

#endif
