/* SPDX-License-Identifier: MIT */
/*
 * oracle [--without FAULT]... LOG prints the text of the decoder of Mono 2; oracle.h has the details. oracle --list
 * prints the faults.
 */
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void print_separator(void)
{
	fputs("\n\n------------------------------------------------\n", stdout);
}

static void print_all(oracle *all)
{
	allocations_print(all);
	calls_print(all);
	compilations_print(all);
	hits_print(all);
	waits_print(all);
	collections_print(all);
	heap_print_summaries(all);
	heap_print_shots(all);
}

static void release(oracle *all)
{
	hits_release(all);
	waits_release(all);
	collections_release(all);
	heap_release(all);
	stacks_release(all);
	facts_release(&all->allocations);
	facts_release(&all->paths);
	names_release(&all->classes);
	names_release(&all->methods);
}

int main(int argc, char **argv)
{
	static oracle all = {.faults = (1U << FAULT_COUNT) - 1};
	int is_read;
	int next = 1;

	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		faults_list();
		return 0;
	}
	while (next + 1 < argc && strcmp(argv[next], "--without") == 0 && faults_without(&all.faults, argv[next + 1]))
		next += 2;
	if (next + 1 != argc) {
		fputs("Usage: oracle [--without FAULT]... LOG\n", stderr);
		return 2;
	}
	is_read = oracle_read(&all, argv[next]);
	if (is_read) {
		stacks_end(&all);
		names_finish(&all.classes);
		names_finish(&all.methods);
		print_all(&all);
	}
	release(&all);
	return is_read ? 0 : 1;
}
