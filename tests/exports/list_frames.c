/* SPDX-License-Identifier: MIT */
/*
 * Lists the methods that the reader finds open in a log of make_events: list_frames FILE SECONDS THREAD... A line for each
 * second and thread, after the event at that time: second, thread, methods from the outermost one.
 */
#include <mprof/reader.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define START 1000
#define STEP UINT64_C(1000000000)
#define MAX_FRAMES 256

static void expect(mprof_status status, const char *what)
{
	if (status == MPROF_OK)
		return;
	fprintf(stderr, "list_frames: %s: %s\n", what, mprof_status_get_text(status));
	exit(1);
}

static void list(mprof_reader *reader, uint64_t second, uint64_t thread)
{
	mprof_stack_frame frames[MAX_FRAMES];
	size_t count = 0;

	expect(mprof_reader_get_open_frames(reader, thread, START + second * STEP, frames, sizeof(*frames), MAX_FRAMES,
					    &count),
	       "open frames");
	printf("%" PRIu64 " %" PRIu64, second, thread);
	while (count > 0)
		printf(" %" PRIu32, frames[--count].id);
	putchar('\n');
}

int main(int argc, char **argv)
{
	mprof_reader *reader = NULL;

	if (argc < 3) {
		fputs("usage: list_frames FILE SECONDS THREAD...\n", stderr);
		return 2;
	}
	expect(mprof_reader_open_path(argv[1], NULL, &reader), argv[1]);
	expect(mprof_reader_build_index(reader), "index");
	for (uint64_t second = 1; second <= strtoull(argv[2], NULL, 10); second++) {
		for (int i = 3; i < argc; i++)
			list(reader, second, strtoull(argv[i], NULL, 10));
	}
	mprof_reader_destroy(reader);
	return 0;
}
