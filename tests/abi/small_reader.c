/* SPDX-License-Identifier: MIT */
/**
 * \file small_reader.c
 * \brief The smallest useful reader, which counts the events of a log: what it brings into a program is measured.
 */
#include <mprof.h>

#include <stdio.h>

int main(int argc, char **argv)
{
	static mprof_event events[256];
	mprof_reader *reader;
	mprof_block block;
	size_t count;
	size_t sum = 0;

	if (argc < 2 || mprof_reader_open_path(argv[1], NULL, &reader) != MPROF_OK)
		return 1;
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		while (block.kind == MPROF_BLOCK_EVENTS &&
		       mprof_reader_next_events(reader, events, 256, &count) == MPROF_OK)
			sum += count;
	}
	printf("%lu\n", (unsigned long)sum);
	mprof_reader_destroy(reader);
	return 0;
}
