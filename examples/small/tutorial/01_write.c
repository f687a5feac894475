/* SPDX-License-Identifier: MIT */
/*
 * 01: write a log.
 *
 * A writer encodes definitions and events. The caller chooses the IDs, from 1 on. Events are written in blocks, each of
 * one thread. Times are counters; the clock function relates them to wall-clock time. This one simulates 1 GHz.
 *
 *     ./01_write tutorial.mprof
 */
#include <mprof/writer.h>

enum { CLASS_NODE = 1, METHOD_WORK = 1, METHOD_STEP = 2, THREAD = 1, BLOCKS = 10, CALLS = 100 };

static uint64_t now = 1000;

static void read_clock(void *user, mprof_clock *clock)
{
	(void)user;
	clock->counter = now;
	clock->time = UINT64_C(1700000000000000) + now / 1000;
}

static mprof_status write_block(mprof_writer *writer)
{
	mprof_status status = mprof_writer_begin_events(writer, THREAD, now);

	for (int i = 0; i < CALLS && status == MPROF_OK; i++, now += 1000) {
		const mprof_event events[] = {
			{.kind = MPROF_EVENT_METHOD_ENTER, .id = METHOD_WORK, .counter = now},
			{.kind = MPROF_EVENT_METHOD_ENTER, .id = METHOD_STEP, .counter = now + 100},
			{.kind = MPROF_EVENT_ALLOCATION, .id = CLASS_NODE, .value = 24},
			{.kind = MPROF_EVENT_METHOD_LEAVE, .id = METHOD_STEP, .counter = now + 700},
			{.kind = MPROF_EVENT_METHOD_LEAVE, .id = METHOD_WORK, .counter = now + 900}};

		status = mprof_writer_write_events(writer, events, sizeof(events) / sizeof(events[0]), NULL);
	}
	return status == MPROF_OK ? mprof_writer_end_events(writer) : status;
}

int main(int argc, char **argv)
{
	mprof_class_definition node = {sizeof(node), .id = CLASS_NODE, .name = "Node", .name_length = 4};
	mprof_method_definition work = {sizeof(work), METHOD_WORK, CLASS_NODE, .name = "Work ()", .name_length = 7};
	mprof_method_definition step = {sizeof(step), METHOD_STEP, CLASS_NODE, .name = "Step ()", .name_length = 7};
	mprof_writer_options options;
	mprof_writer *writer = NULL;
	int failed;

	mprof_writer_options_init(&options, sizeof(options));
	options.clock = read_clock;
	failed = argc != 2 || mprof_writer_open_path(argv[1], &options, &writer) != MPROF_OK ||
		 mprof_writer_define_class(writer, &node) != MPROF_OK ||
		 mprof_writer_define_method(writer, &work) != MPROF_OK ||
		 mprof_writer_define_method(writer, &step) != MPROF_OK;
	for (int i = 0; i < BLOCKS && !failed; i++)
		failed = write_block(writer) != MPROF_OK;
	failed = failed || mprof_writer_close(writer) != MPROF_OK;
	return mprof_writer_destroy(writer) != MPROF_OK || failed;
}
