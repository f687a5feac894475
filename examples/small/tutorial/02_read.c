/* SPDX-License-Identifier: MIT */
/*
 * 02: read a log.
 *
 * The outer loop visits blocks, the inner one fetches events in batches. The reader keeps the names that MAPPING blocks
 * define and converts counters to nanoseconds. Damage has a severity: after an error of severity BLOCK, the loop
 * continues with the next block; any other error ends it.
 *
 *     ./02_read tutorial.mprof
 */
#include <mprof/reader.h>

#include <inttypes.h>
#include <stdio.h>

static void print_event(const mprof_reader *reader, uint64_t thread, const mprof_event *event)
{
	char name[256] = "";
	int64_t time = 0;

	mprof_reader_get_time(reader, event->counter, &time);
	if (event->kind == MPROF_EVENT_METHOD_ENTER || event->kind == MPROF_EVENT_METHOD_LEAVE)
		mprof_reader_format_method(reader, event->id, name, sizeof(name));
	printf("%8" PRId64 " ns  thread %" PRIu64 "  %s %s\n", time, thread, mprof_event_get_name(event->kind), name);
}

int main(int argc, char **argv)
{
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_reader *reader = NULL;
	mprof_event events[256];
	mprof_block block;
	mprof_status status;
	size_t count;

	if (argc != 2)
		return 2;
	mprof_block_init(&block, sizeof(block));
	status = mprof_reader_open_path(argv[1], NULL, &reader);
	while (status == MPROF_OK) {
		status = mprof_reader_next_block(reader, &block);
		/* A log that was cut ends within a block: what there is of it can be fetched. */
		while ((status == MPROF_OK || status == MPROF_ERR_TRUNCATED) && block.kind == MPROF_BLOCK_EVENTS &&
		       mprof_reader_next_events(reader, events, 256, &count) == MPROF_OK)
			for (size_t i = 0; i < count; i++)
				print_event(reader, block.thread, &events[i]);
		if (status == MPROF_OK || status == MPROF_END)
			continue;
		mprof_reader_get_error(reader, &error);
		fprintf(stderr, "%s: offset %" PRIu64 ": %s\n", argv[1], error.offset, error.what);
		if (error.severity == MPROF_SEVERITY_BLOCK)
			status = MPROF_OK;
	}
	mprof_reader_destroy(reader);
	return status != MPROF_END;
}
