/* SPDX-License-Identifier: MIT */
/*
 * Records the same spans with any tool of the comparison: spans FILE COUNT. Prints the processor time of the thread that
 * records them, and that of the process from before the file is opened until after it is closed.
 */
#include "spans.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

char span_types[SPAN_TYPES][SPAN_TEXT_SIZE];
char span_texts[SPAN_TEXTS][SPAN_TEXT_SIZE];

static long long read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
	return *state >> 8;
}

static void work(uint32_t rounds)
{
	for (uint32_t i = 0; i < rounds; i++)
		__asm__ volatile("");
}

int main(int argc, char **argv)
{
	const long count = argc == 3 ? atol(argv[2]) : -1;
	const long long process = read_clock(CLOCK_PROCESS_CPUTIME_ID);
	long long thread;
	uint32_t state = 1;

	if (count < 0)
		return 2;
	for (int i = 0; i < SPAN_TYPES; i++)
		snprintf(span_types[i], SPAN_TEXT_SIZE, "stage %d", i);
	for (int i = 0; i < SPAN_TEXTS; i++)
		snprintf(span_texts[i], SPAN_TEXT_SIZE, "/srv/data/customers/orders-%d.csv", 100000 + i);
	spans_open(argv[1]);
	thread = read_clock(CLOCK_THREAD_CPUTIME_ID);
	for (long i = 0; i < count; i++) {
		const uint32_t type = next_random(&state) % SPAN_TYPES;

		span_begin(type);
		work(next_random(&state) % 1000);
		span_end(type, next_random(&state) % 100000, next_random(&state) % SPAN_TEXTS);
	}
	thread = read_clock(CLOCK_THREAD_CPUTIME_ID) - thread;
	spans_close();
	printf("thread_ns %lld\n", thread);
	printf("process_ns %lld\n", read_clock(CLOCK_PROCESS_CPUTIME_ID) - process);
	return 0;
}
