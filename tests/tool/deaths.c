/* SPDX-License-Identifier: MIT */
/*
 * deaths FILE WAY MICROSECONDS: calls a function in three threads until it dies in the given way after the given time,
 * and counts the calls that have returned, in a file that outlives it. Before it calls exit(), which closes the log
 * while the threads still run, it copies the counts.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 3

/* Of each worker, which then waits: so the ring buffer has room for all. */
#define MAX_CALLS 6000000

/* Only step() is instrumented, so each event is one of its calls. */
#define UNRECORDED __attribute__((no_instrument_function))

/* Each in a cache line of its own. */
typedef struct count {
	volatile long calls;
	char rest[56];
} count;

static count *counts; /* Of the workers, and then their copies. */
static char way[16];
static long microseconds;

void step(void);

__attribute__((noinline)) void step(void)
{
	__asm__ volatile("");
}

UNRECORDED static void *work(void *argument)
{
	count *copy = argument;

	for (long calls = 1; calls <= MAX_CALLS; calls++) {
		step();
		copy->calls = calls;
	}
	for (;;)
		pause();
	return NULL;
}

UNRECORDED static void take_memory(void)
{
	for (;;) {
		char *bytes = malloc(1 << 20);

		if (bytes != NULL)
			memset(bytes, 1, 1 << 20);
	}
}

UNRECORDED static void *die(void *unused)
{
	struct timespec until = {microseconds / 1000000, microseconds % 1000000 * 1000};

	(void)unused;
	while (nanosleep(&until, &until) != 0)
		continue;
	if (strcmp(way, "_exit") == 0)
		_exit(3);
	if (strcmp(way, "quick_exit") == 0)
		quick_exit(5);
	if (strcmp(way, "exec") == 0)
		execl("/bin/sh", "sh", "-c", "exit 6", (char *)NULL);
	if (strcmp(way, "fault") == 0)
		*(volatile int *)(size_t)microseconds = 0;
	if (strcmp(way, "memory") == 0)
		take_memory();
	if (strcmp(way, "exit") != 0)
		abort();
	for (int i = 0; i < WORKERS; i++)
		counts[WORKERS + i].calls = counts[i].calls;
	exit(4);
}

/* The kernel sends the signal, to any thread. */
UNRECORDED static void die_by_signal(int number)
{
	struct sigevent mode = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
	struct itimerspec when = {.it_value = {microseconds / 1000000, microseconds % 1000000 * 1000}};
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &mode, &timer) != 0 || timer_settime(timer, 0, &when, NULL) != 0)
		_exit(99);
}

UNRECORDED int main(int argc, char **argv)
{
	pthread_t thread;
	int fd = argc == 4 ? open(argv[1], O_RDWR) : -1;

	if (fd < 0)
		return 98;
	counts = mmap(NULL, sizeof(count) * 2 * WORKERS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (counts == MAP_FAILED)
		return 97;
	snprintf(way, sizeof(way), "%s", argv[2]);
	microseconds = atol(argv[3]) + 1;
	for (int i = 0; i < WORKERS; i++)
		if (pthread_create(&thread, NULL, work, &counts[i]) != 0)
			return 96;
	for (int i = 0; i < WORKERS; i++)
		while (counts[i].calls == 0)
			sched_yield();
	if (atoi(way) > 0)
		die_by_signal(atoi(way));
	else if (pthread_create(&thread, NULL, die, NULL) != 0)
		return 95;
	for (;;)
		pause();
}
