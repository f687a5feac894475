/* SPDX-License-Identifier: MIT */
/* Reads the system clocks of Windows. */
#include "io/clock.h"

#include <windows.h>

/* FILETIME counts units of 100 ns from the year 1601 on. */
#define UNITS_UNTIL_1970 UINT64_C(116444736000000000)

void clock_read_system(void *user, mprof_clock *clock)
{
	LARGE_INTEGER frequency;
	LARGE_INTEGER ticks;
	uint64_t hz;
	uint64_t count;
	FILETIME wall;

	(void)user;
	/* Neither fails on any Windows since XP. */
	QueryPerformanceFrequency(&frequency);
	QueryPerformanceCounter(&ticks);
	GetSystemTimeAsFileTime(&wall);
	hz = (uint64_t)frequency.QuadPart;
	count = (uint64_t)ticks.QuadPart;
	/* Whole seconds and the rest are converted separately, so that neither product overflows. */
	clock->counter = count / hz * 1000000000 + count % hz * 1000000000 / hz;
	clock->time = (((uint64_t)wall.dwHighDateTime << 32 | wall.dwLowDateTime) - UNITS_UNTIL_1970) / 10;
}
