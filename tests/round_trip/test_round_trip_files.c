/* SPDX-License-Identifier: MIT */
/* Logs written to a file can be read from it, plain and compressed, also while it grows. */
#include <mprof/reader.h>
#include <mprof/writer.h>

#include <criterion/criterion.h>

#include <stdlib.h>
#include <unistd.h>

static uint64_t count_events(mprof_reader *reader)
{
	uint64_t total = 0;
	mprof_event events[64];
	mprof_block block;
	size_t count;

	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		while (block.kind == MPROF_BLOCK_EVENTS &&
		       mprof_reader_next_events(reader, events, sizeof(events) / sizeof(events[0]), &count) == MPROF_OK)
			total += count;
	}
	return total;
}

#ifdef MPROF_WITH_ZLIB
#define MAX_GZIP_LEVEL 9
#else
#define MAX_GZIP_LEVEL 0
#endif

Test(round_trip_files, files)
{
	char path[] = "mprof-test-round-trip-XXXXXX";
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	close(fd);
	for (uint32_t level = 0; level <= MAX_GZIP_LEVEL; level++) {
		mprof_session session = {.struct_size = sizeof(session)};
		mprof_event event = {.kind = MPROF_EVENT_GC_START};
		mprof_writer_options options;
		mprof_writer *writer;
		mprof_reader *reader;

		mprof_writer_options_init(&options, sizeof(options));
		options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
		options.gzip_level = level;
		cr_assert_eq(mprof_writer_open_path(path, &options, &writer), MPROF_OK);
		for (uint64_t i = 1; i <= 200; i++) {
			cr_assert_eq(mprof_writer_begin_events(writer, i, 0), MPROF_OK);
			for (event.counter = 0; event.counter < i; event.counter++)
				cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
			cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
			if (i != 100)
				continue;
			/* Flushed blocks can already be read. */
			cr_assert_eq(mprof_writer_flush(writer), MPROF_OK);
			cr_assert_eq(mprof_reader_open_path(path, NULL, &reader), MPROF_OK);
			cr_assert_eq(count_events(reader), 100 * 101 / 2);
			mprof_reader_destroy(reader);
		}
		cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
		cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
		cr_assert_eq(mprof_reader_open_path(path, NULL, &reader), MPROF_OK);
		cr_assert_eq(count_events(reader), 200 * 201 / 2);
		cr_assert_eq(mprof_reader_get_session(reader, &session), MPROF_OK);
		cr_assert_eq(session.complete, 1);
		cr_assert_eq(session.compressed, level > 0);
		mprof_reader_destroy(reader);
	}
	unlink(path);
}
