/* SPDX-License-Identifier: MIT */
/* What several of the programs use. No program prints a time, a process ID or an address. */
#ifndef HARMLESS_PROGRAMS_FACTS_H
#define HARMLESS_PROGRAMS_FACTS_H

#include <stdint.h>
#include <time.h>

/* Computes for some time of the calling thread's processor time. */
static inline void compute_for_us(long microseconds)
{
	static volatile uint64_t sink;
	struct timespec time;
	int64_t end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	end = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec + microseconds * 1000;
	do {
		for (int i = 0; i < 500; i++)
			sink = sink * 31 + (uint64_t)i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	} while ((int64_t)time.tv_sec * 1000000000 + time.tv_nsec < end);
}

static inline int64_t real_time_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

#endif
