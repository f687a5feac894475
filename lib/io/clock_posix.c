/* SPDX-License-Identifier: MIT */
/* Reads the system clocks of POSIX. */
#include "io/clock.h"

#include <time.h>

void clock_read_system(void *user, mprof_clock *clock)
{
	struct timespec monotonic = {0, 0};
	struct timespec wall = {0, 0};

	(void)user;
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	clock_gettime(CLOCK_REALTIME, &wall);
	clock->counter = (uint64_t)monotonic.tv_sec * 1000000000 + (uint64_t)monotonic.tv_nsec;
	clock->time = (uint64_t)wall.tv_sec * 1000000 + (uint64_t)wall.tv_nsec / 1000;
}
