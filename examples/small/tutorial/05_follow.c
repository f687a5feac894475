/* SPDX-License-Identifier: MIT */
/*
 * 05: follow a log while it is being written.
 *
 * With the option follow, a reader returns MPROF_AGAIN at the end of the data written so far, and continues when there
 * is more. The loop ends with the END block. A program that is killed writes none: call mprof_reader_finish() once
 * nothing more can come.
 *
 *     ./05_follow growing.mprof
 */
#include <mprof/reader.h>

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char **argv)
{
	const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
	mprof_reader_options options;
	mprof_reader *reader = NULL;
	mprof_event events[256];
	mprof_status status;
	mprof_block block;
	uint64_t total = 0;
	size_t count;

	if (argc != 2)
		return 2;
	mprof_reader_options_init(&options, sizeof(options));
	options.follow = 1;
	mprof_block_init(&block, sizeof(block));
	status = mprof_reader_open_path(argv[1], &options, &reader);
	while (status == MPROF_OK || status == MPROF_AGAIN) {
		if (status == MPROF_AGAIN)
			nanosleep(&pause, NULL);
		status = mprof_reader_next_block(reader, &block);
		if (status != MPROF_OK || block.kind != MPROF_BLOCK_EVENTS)
			continue;
		while (mprof_reader_next_events(reader, events, 256, &count) == MPROF_OK)
			total += count;
		printf("%" PRIu64 " events so far\n", total);
		fflush(stdout);
	}
	puts(status == MPROF_END ? "the log is closed" : mprof_status_get_text(status));
	mprof_reader_destroy(reader);
	return status != MPROF_END;
}
