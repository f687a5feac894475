/* SPDX-License-Identifier: MIT */
/* Finds out of which processes the heap snapshots of a log are. */
#include "heap/snapshot_processes.h"

#include "common/arguments.h"
#include "common/input.h"
#include "shared/text.h"

#include <mprof/reader.h>

#include <inttypes.h>
#include <stdio.h>

/* Calls a function for each snapshot. The log is read without messages: they appear when it is read as a whole. */
static void each_snapshot(const char *path, void (*visit)(void *user, size_t number, uint64_t process), void *user)
{
	log_input input;
	mprof_block block;
	size_t number = 0;
	int status = input_open_part(&input, path,
				     MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_DATA) | MPROF_BLOCK_BIT(MPROF_BLOCK_DIRECTIVES));

	while (status == STATUS_OK && input_next_block(&input, &block)) {
		if (!block.loaded || block.kind != MPROF_BLOCK_HEAP_DATA ||
		    (block.as.heap_data.flags & MPROF_HEAP_FLAG_FIRST) == 0)
			continue;
		visit(user, ++number, block.as.heap_data.process);
	}
	input_close(&input);
}

typedef struct process_count {
	uint64_t first;
	size_t count;
} process_count;

static void count_process(void *user, size_t number, uint64_t process)
{
	process_count *found = user;

	(void)number;
	if (process == 0)
		return;
	if (found->count == 0)
		found->first = process;
	if (found->count == 0 || process != found->first)
		found->count = found->count == 0 ? 1 : 2;
}

size_t snapshot_processes_count(const char *path)
{
	process_count found = {0, 0};

	each_snapshot(path, count_process, &found);
	return found.count;
}

static void print_process(void *user, size_t number, uint64_t process)
{
	text_begin_message(user);
	fprintf(stderr, "heap snapshot %zu is of process %" PRIu64 "\n", number, process);
}

void snapshot_processes_explain(const char *path)
{
	if (snapshot_processes_count(path) > 1)
		each_snapshot(path, print_process, (void *)(uintptr_t)path);
}
