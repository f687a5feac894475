/* SPDX-License-Identifier: MIT */
/* Reads the times of threads from the system. */
#include "recorder/thread_clock.h"

#include <string.h>

#if defined(__linux__)

#include "recorder/proc_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * The processor time of any thread of the process, as in the kernel's clockid_t: the inverted ID of the thread, the
 * type of the clock (2: as the scheduler counts), and whether it is that of one thread (4).
 */
#define THREAD_CPU_CLOCK(id) ((clockid_t)(~(uint32_t)(id) << 3 | 2 | 4))

uint32_t thread_clock_own_id(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

static uint64_t nanoseconds(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}

/* Reads the second number in schedstat, which contains the processor time, the time spent ready, and a count. */
static int read_ready(uint32_t id, uint64_t *ready)
{
	char path[64];
	char text[96];
	char *end;

	snprintf(path, sizeof(path), "/proc/self/task/%u/schedstat", (unsigned)id);
	if (!proc_file_read(path, text, sizeof(text)))
		return 0;
	end = strchr(text, ' ');
	if (end == NULL)
		return 0;
	*ready = strtoull(end, NULL, 10);
	return 1;
}

int thread_clock_read(uint32_t id, thread_clock *clock)
{
	int saved_errno = errno;
	struct timespec cpu;
	struct timespec wall;

	memset(clock, 0, sizeof(*clock));
	if (id == 0 || clock_gettime(THREAD_CPU_CLOCK(id), &cpu) != 0 || clock_gettime(CLOCK_MONOTONIC, &wall) != 0) {
		errno = saved_errno;
		return 0;
	}
	clock->cpu = nanoseconds(&cpu);
	clock->wall = nanoseconds(&wall);
	clock->has_ready = read_ready(id, &clock->ready);
	errno = saved_errno;
	return 1;
}

#else

uint32_t thread_clock_own_id(void)
{
	return 0;
}

int thread_clock_read(uint32_t id, thread_clock *clock)
{
	(void)id;
	memset(clock, 0, sizeof(*clock));
	return 0;
}

#endif

void attached_times_begin(attached_times *times, uint64_t id)
{
	times->system_id = thread_clock_own_id();
	times->is_counted = id == times->system_id && thread_clock_read(times->system_id, &times->begin);
}

void attached_times_end(attached_times *times)
{
	if (times->is_counted && !thread_clock_read(times->system_id, &times->end))
		times->end = times->begin;
}
