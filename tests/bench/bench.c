/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench.c
 * \brief Runs the parts of `make bench` that the arguments name, or all.
 */
#include "bench.h"

#include "bench_input.h"

#include <stdio.h>
#include <string.h>

/* A part, the argument that selects it, and its title. */
typedef struct bench_part {
	const char *name;
	void (*run)(void);
	const char *title;
} bench_part;

static const bench_part parts[] = {
	{"record", bench_record, "Recording: processor time of the recorded thread"},
	{"drain", bench_drain, "Draining: processor time of the writer thread, from buffers to the file"},
	{"layouts", bench_layouts, "Layouts of the input log: size, and reading it into structs"},
	{"columns", bench_columns, "Reading the input log in columns, with some of its fields"},
	{"encode", bench_encode, "Writing events"},
	{"decode", bench_decode, "Reading events of random kinds and IDs"},
	{"definitions", bench_definitions, "Reading definitions, for each definition"},
	{"dialects", bench_dialects, "Reading the dialect of Mono 2"},
	{"model", bench_model, "Building a profile"},
	{"ahead", bench_ahead, "Building a profile with several threads: time"},
	{"sample", bench_sample, "Samples"},
	{"heap", bench_heap, "Heap snapshots, for each object"},
	{"graph", bench_graph, "Analysis of a heap snapshot, for each object"},
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))
#define LOG_OPTION "--log="
#define QUICK_OPTION "--quick"

/* Returns 0 if it is not an option. */
static int take_option(const char *argument)
{
	if (strncmp(argument, LOG_OPTION, strlen(LOG_OPTION)) == 0)
		bench_input_set_path(argument + strlen(LOG_OPTION));
	else if (strcmp(argument, QUICK_OPTION) == 0)
		bench_set_quick();
	else
		return 0;
	return 1;
}

static int is_selected(const bench_part *part, int argc, char **argv)
{
	int names = 0;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], part->name) == 0)
			return 1;
		names += argv[i][0] != '-';
	}
	return names == 0;
}

static int is_part(const char *argument)
{
	for (size_t i = 0; i < PARTS; i++) {
		if (strcmp(argument, parts[i].name) == 0)
			return 1;
	}
	return 0;
}

static int print_usage(void)
{
	fprintf(stderr, "usage: bench [--log=FILE] [--quick] [PART...]\nparts:\n");
	for (size_t i = 0; i < PARTS; i++)
		fprintf(stderr, "  %-11s %s\n", parts[i].name, parts[i].title);
	return 2;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!take_option(argv[i]) && !is_part(argv[i]))
			return print_usage();
	}
	printf("Figures are for one event: the best of several rounds, in nanoseconds of processor time unless stated\n"
	       "otherwise. What each is compared with is measured in turns with it. In parentheses: the quartiles of\n"
	       "the ratios of single rounds.\n");
	for (size_t i = 0; i < PARTS; i++) {
		if (!is_selected(&parts[i], argc, argv))
			continue;
		printf("\n%s (%s)\n", parts[i].title, parts[i].name);
		parts[i].run();
	}
	bench_input_free();
	return 0;
}
