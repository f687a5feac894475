/* SPDX-License-Identifier: MIT */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 9

static volatile uint64_t kept;

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

double bench_wall_time(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

static int compare(const void *a, const void *b)
{
	double difference = *(const double *)a - *(const double *)b;

	return (difference > 0) - (difference < 0);
}

/* Sorts the values. */
static double median(double *values)
{
	qsort(values, ROUNDS, sizeof(*values), compare);
	return values[ROUNDS / 2];
}

void bench_print(const bench_row *row, void *user)
{
	double measured[ROUNDS];
	double floors[ROUNDS];
	double ratios[ROUNDS];
	double ratio;

	/* One round unmeasured: caches, page faults, frequency. */
	row->measure(user);
	row->floor(user);
	for (int i = 0; i < ROUNDS; i++) {
		floors[i] = row->floor(user);
		measured[i] = row->measure(user);
		ratios[i] = measured[i] / floors[i];
	}
	ratio = median(ratios);
	printf("%-44s %7.2f ns", row->name, median(measured));
	if (row->bytes_per_event > 0)
		printf(" %6.2f bytes", row->bytes_per_event);
	else
		printf("             ");
	printf("   %s %.2f ns, ratio %.2f (%.2f to %.2f)\n", row->floor_name, median(floors), ratio, ratios[0],
	       ratios[ROUNDS - 1]);
	fflush(stdout);
}

/* A group of rows, and the argument that selects it. */
typedef struct bench_group {
	const char *name;
	void (*run)(void);
} bench_group;

static const bench_group groups[] = {
	{"record", bench_record}, {"heap", bench_heap},     {"graph", bench_graph},       {"sample", bench_sample},
	{"encode", bench_encode}, {"decode", bench_decode}, {"dialects", bench_dialects}, {"model", bench_model},
};

#define GROUPS (sizeof(groups) / sizeof(groups[0]))

static int is_selected(const bench_group *group, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], group->name) == 0)
			return 1;
	}
	return argc == 1;
}

int main(int argc, char **argv)
{
	size_t selected = 0;

	for (size_t i = 0; i < GROUPS; i++)
		selected += (size_t)is_selected(&groups[i], argc, argv);
	bench_require(selected == (argc == 1 ? GROUPS : (size_t)argc - 1),
		      "arguments: record, heap, graph, sample, encode, decode, dialects, model, each once");
	printf("Figures are for one event: medians of %d rounds, each beside its floor in the same round.\n\n", ROUNDS);
	for (size_t i = 0; i < GROUPS; i++) {
		if (is_selected(&groups[i], argc, argv))
			groups[i].run();
	}
	return 0;
}
