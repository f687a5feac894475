/* SPDX-License-Identifier: MIT */
/*
 * The program that every tool records: functions that call each other, on 511 call paths, again and again. Prints the
 * number of calls and returns and the processor time of the calling thread. Usage: calls ROUNDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define DEPTH 8

/* The statements keep the compiler from merging or removing calls. */
#define DIRECTION(name, left, right)                                                                                   \
	void name(int depth)                                                                                           \
	{                                                                                                              \
		__asm__ volatile("");                                                                                  \
		if (depth > 0) {                                                                                       \
			left(depth - 1);                                                                               \
			right(depth - 1);                                                                              \
		}                                                                                                      \
		__asm__ volatile("");                                                                                  \
	}

void walk_to_the_north(int depth);
void walk_to_the_east(int depth);
void walk_to_the_south(int depth);
void walk_to_the_west(int depth);

DIRECTION(walk_to_the_north, walk_to_the_east, walk_to_the_south)
DIRECTION(walk_to_the_east, walk_to_the_south, walk_to_the_west)
DIRECTION(walk_to_the_south, walk_to_the_west, walk_to_the_north)
DIRECTION(walk_to_the_west, walk_to_the_north, walk_to_the_east)

__attribute__((no_instrument_function)) static long long read_processor_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 0;
	long long start;

	if (rounds < 1)
		return 2;
	start = read_processor_time();
	for (long i = 0; i < rounds; i++)
		walk_to_the_north(DEPTH);
	start = read_processor_time() - start;
	printf("events %lld\n", rounds * ((1LL << (DEPTH + 2)) - 2));
	printf("thread_ns %lld\n", start);
	return 0;
}
