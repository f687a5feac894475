/* SPDX-License-Identifier: MIT */
/* Reads the times and context switches of threads from the system. */
#include "recorder/threads/thread_clock.h"

#include <string.h>

#if defined(__linux__)

#include "recorder/system/proc_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
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

static void set_value(thread_clock *clock, thread_metric metric, uint64_t value)
{
	clock->values[metric] = value;
	clock->available |= UINT32_C(1) << metric;
}

/* Reads the second number in schedstat, which contains the processor time, the time spent ready, and a count. */
static void read_ready(uint32_t id, thread_clock *clock)
{
	char path[64];
	char text[96];
	char *end;

	snprintf(path, sizeof(path), "/proc/self/task/%u/schedstat", (unsigned)id);
	if (!proc_file_read(path, text, sizeof(text)))
		return;
	end = strchr(text, ' ');
	if (end != NULL)
		set_value(clock, THREAD_READY_TIME, strtoull(end, NULL, 10));
}

static void read_switch_line(const char *text, const char *key, thread_metric metric, thread_clock *clock)
{
	const char *line = strstr(text, key);

	if (line != NULL)
		set_value(clock, metric, strtoull(line + strlen(key), NULL, 10));
}

/*
 * For other threads the system has only a text, whose last lines contain the numbers. Not inlined: the stack of a
 * thread that asks for its own may be small.
 */
__attribute__((noinline)) static void read_other_switches(uint32_t id, thread_clock *clock)
{
	char path[64];
	char text[4096];

	snprintf(path, sizeof(path), "/proc/self/task/%u/status", (unsigned)id);
	if (!proc_file_read(path, text, sizeof(text)))
		return;
	read_switch_line(text, "\nvoluntary_ctxt_switches:", THREAD_YIELDS, clock);
	read_switch_line(text, "\nnonvoluntary_ctxt_switches:", THREAD_PREEMPTIONS, clock);
}

/* The calling thread asks the system. */
static void read_switches(uint32_t id, thread_clock *clock)
{
	struct rusage usage;

	if (id == thread_clock_own_id()) {
		if (getrusage(RUSAGE_THREAD, &usage) == 0) {
			set_value(clock, THREAD_YIELDS, (uint64_t)usage.ru_nvcsw);
			set_value(clock, THREAD_PREEMPTIONS, (uint64_t)usage.ru_nivcsw);
		}
		return;
	}
	read_other_switches(id, clock);
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
	set_value(clock, THREAD_CPU_TIME, nanoseconds(&cpu));
	set_value(clock, THREAD_WALL_TIME, nanoseconds(&wall));
	read_ready(id, clock);
	read_switches(id, clock);
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
	if (!times->is_counted)
		return;
	/* Pairs with the load in read_times(). */
	atomic_store_explicit(&times->is_ending, 1, memory_order_seq_cst);
	/* If the thread has ended, nothing is available, and the times that were written before remain. */
	(void)thread_clock_read(times->system_id, &times->end);
}
