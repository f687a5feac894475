/* SPDX-License-Identifier: MIT */
/*
 * 06: seek by time.
 *
 * An index contains the kind, the thread and the times of each block; building it reads the log once. With an index, a
 * reader seeks to a time without reading the blocks before it, and reports the methods that a thread was in at that
 * time.
 *
 *     ./06_seek tutorial.mprof 500300
 */
#include <mprof/reader.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREAD = 1, FRAMES = 16 };

static void print_frames(mprof_reader *reader, uint64_t counter)
{
	mprof_stack_frame frames[FRAMES];
	size_t count = 0;
	char name[256];

	if (mprof_reader_get_open_frames(reader, THREAD, counter, frames, sizeof(frames[0]), FRAMES, &count) !=
	    MPROF_OK)
		return;
	for (size_t i = 0; i < count && i < FRAMES; i++) {
		mprof_reader_format_method(reader, frames[i].id, name, sizeof(name));
		printf("  in %s\n", name);
	}
}

int main(int argc, char **argv)
{
	int64_t time = argc == 3 ? strtoll(argv[2], NULL, 10) : 0;
	mprof_reader *reader = NULL;
	mprof_block block;
	uint64_t counter;
	int failed;

	mprof_block_init(&block, sizeof(block));
	failed = argc != 3 || mprof_reader_open_path(argv[1], NULL, &reader) != MPROF_OK ||
		 mprof_reader_build_index(reader) != MPROF_OK ||
		 mprof_reader_get_counter(reader, time, &counter) != MPROF_OK;
	if (!failed) {
		printf("%" PRIu64 " blocks; at %" PRId64 " ns thread %d is\n", mprof_reader_get_index_count(reader),
		       time, THREAD);
		print_frames(reader, counter);
		failed = mprof_reader_seek_time(reader, time, THREAD) != MPROF_OK ||
			 mprof_reader_next_block(reader, &block) != MPROF_OK;
		if (!failed)
			printf("in the block at offset %" PRIu64 "\n", block.offset);
	}
	mprof_reader_destroy(reader);
	return failed;
}
