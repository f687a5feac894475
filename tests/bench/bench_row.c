/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_row.c
 * \brief Measures and prints the rows of `make bench`.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MIN_ROUNDS 5
#define MAX_ROUNDS 25
#define ROW_NS 7e8

static volatile uint64_t kept;
static int is_quick;

void bench_set_quick(void)
{
	is_quick = 1;
}

void bench_keep(uint64_t value)
{
	kept = value;
}

void bench_require(int condition, const char *message)
{
	if (condition)
		return;
	fprintf(stderr, "bench: %s\n", message);
	exit(1);
}

static double read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double bench_thread_time(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double bench_process_time(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_wall_time(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

static int compare(const void *a, const void *b)
{
	double difference = *(const double *)a - *(const double *)b;

	return (difference > 0) - (difference < 0);
}

static const char *met_or_not(double value, double target)
{
	return value <= target ? "met" : "not met";
}

static void print_targets(const bench_target *target, double floor, double ns, double bytes)
{
	if (target->ratio > 0)
		printf("  target: ratio %.2f, %s", target->ratio, met_or_not(ns / floor, target->ratio));
	if (target->above > 0)
		printf(", %.2f ns above  target: %.1f ns above, %s", ns - floor, target->above,
		       met_or_not(ns - floor, target->above));
	if (target->ns > 0)
		printf("  target: %.1f ns, %s", target->ns, met_or_not(ns, target->ns));
	if (target->bytes > 0 && bytes > 0)
		printf("  target: %.2f bytes, %s", target->bytes, met_or_not(bytes, target->bytes));
}

static int needs_round(size_t rounds, double start)
{
	if (is_quick)
		return 0;
	return rounds < MIN_ROUNDS || (rounds < MAX_ROUNDS && bench_wall_time() - start < ROW_NS);
}

/* The best times are what the work needs where nothing disturbs it; the quartiles of the rounds show how far the
 * machine did. */
void bench_print_target(const bench_row *row, void *user, const bench_target *target)
{
	double ratios[MAX_ROUNDS];
	double measured = 0;
	double floor = 0;
	double start;
	size_t rounds = 0;

	/* One round unmeasured: caches, page faults, frequency. */
	if (!is_quick) {
		row->measure(user);
		row->floor(user);
	}
	start = bench_wall_time();
	do {
		double floor_ns = row->floor(user);
		double ns = row->measure(user);

		floor = rounds == 0 || floor_ns < floor ? floor_ns : floor;
		measured = rounds == 0 || ns < measured ? ns : measured;
		ratios[rounds++] = ns / floor_ns;
	} while (needs_round(rounds, start));
	qsort(ratios, rounds, sizeof(*ratios), compare);
	printf("  %-46s %7.2f ns ", row->name, measured);
	if (row->bytes_per_event > 0)
		printf("%6.2f bytes", row->bytes_per_event);
	else
		printf("%12s", "");
	printf("  %s %.2f ns, ratio %.2f (%.2f to %.2f)", row->floor_name, floor, measured / floor, ratios[rounds / 4],
	       ratios[rounds - 1 - rounds / 4]);
	print_targets(target, floor, measured, row->bytes_per_event);
	putchar('\n');
	fflush(stdout);
}

void bench_print(const bench_row *row, void *user)
{
	static const bench_target none = {0, 0, 0, 0};

	bench_print_target(row, user, &none);
}

void bench_print_value(const char *name, double value, const char *unit, double floor, const char *floor_name,
		       double target)
{
	printf("  %-46s %10s %6.2f %s  %s %.2f", name, "", value, unit, floor_name, floor);
	if (floor > 0)
		printf(", ratio %.2f", value / floor);
	if (target > 0)
		printf("  target: %.2f, %s", target, met_or_not(value, target));
	putchar('\n');
	fflush(stdout);
}

void bench_print_missing(const char *name, const char *reason)
{
	printf("  %-46s left out: %s\n", name, reason);
	fflush(stdout);
}
