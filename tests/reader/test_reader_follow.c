/* SPDX-License-Identifier: MIT */
/* A log that is still being written: complete blocks are returned, and the reader waits for the rest. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "logs/encoded_log.h"
#include "logs/log_fixture.h"

#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file that grows, and a reader that follows it. */
typedef struct growing {
	char path[64];
	int fd;
	mprof_reader *reader;
	mprof_status status;
	uint64_t blocks;
	uint64_t events;
} growing;

static void growing_open(growing *self, uint64_t wanted)
{
	mprof_reader_options options;

	memset(self, 0, sizeof(*self));
	strcpy(self->path, "mprof-test-follow-XXXXXX");
	self->fd = mkstemp(self->path);
	cr_assert_geq(self->fd, 0);
	mprof_reader_options_init(&options, sizeof(options));
	options.follow = 1;
	options.wanted.bits[0] = wanted;
	self->status = mprof_reader_open_path(self->path, &options, &self->reader);
	cr_assert_eq(self->status, MPROF_AGAIN, "an empty file");
	cr_assert_not_null(self->reader);
}

static void growing_append(growing *self, const uint8_t *bytes, size_t length)
{
	cr_assert_eq(write(self->fd, bytes, length), (ssize_t)length);
}

/* Reads all available blocks. */
static void growing_take(growing *self)
{
	mprof_event events[64];
	mprof_block block;
	size_t count;

	mprof_block_init(&block, sizeof(block));
	while ((self->status = mprof_reader_next_block(self->reader, &block)) == MPROF_OK) {
		self->blocks++;
		while (block.loaded && block.kind == MPROF_BLOCK_EVENTS &&
		       mprof_reader_next_events(self->reader, events, 64, &count) == MPROF_OK)
			self->events += count;
	}
}

static void growing_close(growing *self)
{
	mprof_reader_destroy(self->reader);
	close(self->fd);
	unlink(self->path);
}

static void follow(const log_bytes *log, const log_bytes *plain, size_t piece, uint64_t wanted)
{
	growing file;
	mprof_session session = {.struct_size = sizeof(session)};

	growing_open(&file, wanted);
	for (size_t done = 0; done < log->length; done += piece) {
		growing_take(&file);
		/* END may be available before the last bytes of the compressed stream are. */
		if (file.status == MPROF_END)
			break;
		cr_assert_eq(file.status, MPROF_AGAIN, "at %zu: %s", done, mprof_status_get_text(file.status));
		growing_append(&file, log->bytes + done, piece < log->length - done ? piece : log->length - done);
	}
	growing_take(&file);
	cr_assert_eq(file.status, MPROF_END, "the reader does not wait for a closed log");
	cr_assert_eq(file.blocks, log_block_count(plain));
	cr_assert_eq(file.events, wanted == 0 ? 2 * FIXTURE_BLOCK_EVENTS : 0);
	cr_assert_eq(mprof_reader_get_session(file.reader, &session), MPROF_OK);
	cr_assert_eq(session.complete, 1);
	cr_assert_eq(mprof_reader_get_method_count(file.reader), 40);
	growing_close(&file);
}

Test(reader_follow, by_bytes)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES);

	follow(&log, &log, 1, 0);
	follow(&log, &log, 13, 0);
	follow(&log, &log, 1, MPROF_BLOCK_BIT(MPROF_BLOCK_END));
	log_free(&log);
}

Test(reader_follow, mail)
{
	log_bytes log = log_make(MPROF_DIALECT_MAIL, 0);

	follow(&log, &log, 1, 0);
	log_free(&log);
}

/* Calls a function for a log with columns and an index, compressed with each codec. */
static void with_encoded_logs(void (*check)(const log_bytes *log))
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES);

	for (uint32_t codec = MPROF_CODEC_NONE; codec <= MPROF_CODEC_ZSTD; codec++) {
		log_bytes encoded;

		if (!log_has_codec(codec))
			continue;
		encoded = log_encode(&log, codec);
		check(&encoded);
		log_free(&encoded);
	}
	log_free(&log);
}

static void follow_in_pieces(const log_bytes *log)
{
	follow(log, log, 1, 0);
	follow(log, log, 13, 0);
	follow(log, log, 1, MPROF_BLOCK_BIT(MPROF_BLOCK_END));
}

Test(reader_follow, compressed_blocks_columns_and_index)
{
	with_encoded_logs(follow_in_pieces);
}

#ifdef MPROF_WITH_ZLIB
Test(reader_follow, compressed)
{
	log_bytes plain = log_make(MPROF_DIALECT_MPROF2, 0);
	log_bytes log = log_make_compressed(MPROF_DIALECT_MPROF2, 0);

	follow(&log, &plain, 1, 0);
	follow(&log, &plain, 100, 0);
	log_free(&log);
	log_free(&plain);
}
#endif

/* Flushed blocks can be read before more is written, compressed or not. */
static void check_flush(uint32_t gzip_level)
{
	growing file;
	mprof_writer_options options;
	mprof_writer *writer;
	mprof_event event = {.kind = MPROF_EVENT_THREAD_START, .counter = 5};

	growing_open(&file, 0);
	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.gzip_level = gzip_level;
	cr_assert_eq(mprof_writer_open_fd(file.fd, &options, &writer), MPROF_OK);
	for (uint64_t i = 1; i < 20; i++) {
		cr_assert_eq(mprof_writer_begin_events(writer, 1, i), MPROF_OK);
		cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
		cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
		cr_assert_eq(mprof_writer_flush(writer), MPROF_OK);
		growing_take(&file);
		cr_assert_eq(file.status, MPROF_AGAIN);
		cr_assert_eq(file.blocks, i + 1);
		cr_assert_eq(file.events, i);
	}
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	growing_take(&file);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
	growing_take(&file);
	cr_assert_eq(file.status, MPROF_END);
	cr_assert_eq(file.blocks, 21);
	growing_close(&file);
}

Test(reader_follow, flushed)
{
	check_flush(0);
#ifdef MPROF_WITH_ZLIB
	check_flush(6);
#endif
}

/* A block whose content is not available yet: its header is not returned alone, unless only headers are wanted. */
Test(reader_follow, position_stays)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, 0);
	size_t events = log_block_offset(&log, 5);
	growing file;
	mprof_block block;

	growing_open(&file, 0);
	growing_append(&file, log.bytes, events + 100);
	growing_take(&file);
	cr_assert_eq(file.blocks, 5);
	mprof_block_init(&block, sizeof(block));
	for (int i = 0; i < 3; i++)
		cr_assert_eq(mprof_reader_next_block(file.reader, &block), MPROF_AGAIN);
	growing_append(&file, log.bytes + events + 100, log.length - events - 100);
	cr_assert_eq(mprof_reader_next_block(file.reader, &block), MPROF_OK);
	cr_assert_eq(block.offset, events);
	cr_assert_eq(block.loaded, 1);
	growing_close(&file);
	log_free(&log);
}

Test(reader_follow, no_log)
{
	growing file;
	mprof_block block;

	growing_open(&file, 0);
	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_build_index(file.reader), MPROF_ERR_STATE);
	growing_append(&file, (const uint8_t *)"this is no log", 14);
	cr_assert_eq(mprof_reader_next_block(file.reader, &block), MPROF_ERR_NOT_MPROF);
	growing_close(&file);
}

/* A descriptor that would block has no data now. */
Test(reader_follow, pipe)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, 0);
	mprof_reader_options options;
	mprof_reader *reader;
	mprof_block block;
	size_t blocks = 0;
	size_t done = 0;
	mprof_status status;
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
	cr_assert_eq(mprof_reader_open_fd(ends[0], NULL, &reader), MPROF_ERR_IO, "not following, this is an error");
	cr_assert_eq(reader_error_of(reader).system_error, EAGAIN);
	mprof_reader_destroy(reader);
	mprof_reader_options_init(&options, sizeof(options));
	options.follow = 1;
	cr_assert_eq(mprof_reader_open_fd(ends[0], &options, &reader), MPROF_AGAIN);
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) != MPROF_END) {
		cr_assert(status == MPROF_OK || status == MPROF_AGAIN);
		blocks += status == MPROF_OK;
		if (status == MPROF_AGAIN) {
			size_t piece = log.length - done < 50 ? log.length - done : 50;

			cr_assert_eq(write(ends[1], log.bytes + done, piece), (ssize_t)piece);
			done += piece;
		}
	}
	cr_assert_eq(blocks, log_block_count(&log));
	mprof_reader_destroy(reader);
	close(ends[0]);
	close(ends[1]);
	log_free(&log);
}

/*
 * After mprof_reader_finish(), a reader that follows a truncated log returns the same blocks and errors as a reader
 * that does not follow.
 */
static void expect_end_as_plain(const log_bytes *log, size_t cut)
{
	mprof_reader *plain = NULL;
	log_bytes part = {log->bytes, cut};
	growing file;
	log_digest expected;
	log_digest digest;

	cr_assert_neq(mprof_reader_open_memory(part.bytes, part.length, NULL, &plain), MPROF_ERR_MEMORY);
	log_digest_read(&expected, plain);
	growing_open(&file, 0);
	growing_append(&file, log->bytes, cut);
	cr_assert_eq(mprof_reader_finish(file.reader), MPROF_OK);
	cr_assert_eq(mprof_reader_finish(file.reader), MPROF_OK, "a second time changes nothing");
	log_digest_read(&digest, file.reader);
	cr_assert_eq(digest.last, expected.last, "cut at %zu", cut);
	cr_assert_eq(digest.hash, expected.hash, "cut at %zu", cut);
	cr_assert_eq(digest.events, expected.events);
	cr_assert_eq(digest.first.status, expected.first.status, "cut at %zu", cut);
	cr_assert_eq(digest.first.offset, expected.first.offset);
	growing_close(&file);
	mprof_reader_destroy(plain);
}

Test(reader_follow, finish_gives_what_a_plain_reader_gives)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES);

	for (size_t cut = 0; cut <= log.length; cut += 7)
		expect_end_as_plain(&log, cut);
	log_free(&log);
}

static void expect_each_end_as_plain(const log_bytes *log)
{
	for (size_t length = 0; length <= log->length; length += 3)
		expect_end_as_plain(log, length);
}

Test(reader_follow, finish_in_a_compressed_block)
{
	with_encoded_logs(expect_each_end_as_plain);
}

/*
 * The same if the reader has already waited in the middle of the block: its complete events are returned, then the end.
 */
Test(reader_follow, finish_after_waiting_in_a_block)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, 0);
	size_t start = log_block_offset(&log, 5);
	size_t cut = start + (log_block_offset(&log, 6) - start) / 2;
	mprof_event events[FIXTURE_BLOCK_EVENTS];
	mprof_block block;
	growing file;
	size_t count;

	growing_open(&file, 0);
	growing_append(&file, log.bytes, cut);
	growing_take(&file);
	cr_assert_eq(file.status, MPROF_AGAIN);
	cr_assert_eq(file.blocks, 5);
	cr_assert_eq(mprof_reader_finish(file.reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_next_block(file.reader, &block), MPROF_ERR_TRUNCATED);
	cr_assert_eq(block.loaded, 1);
	cr_assert_eq(mprof_reader_next_events(file.reader, events, FIXTURE_BLOCK_EVENTS, &count), MPROF_OK);
	cr_assert_gt(count, 20);
	for (int i = 0; i < 3; i++)
		cr_assert_eq(mprof_reader_next_block(file.reader, &block), MPROF_ERR_TRUNCATED,
			     "as in any truncated log");
	growing_close(&file);
	log_free(&log);
}

/* A connection whose other end is open but sends nothing: finishing does not wait for it. */
Test(reader_follow, finish_with_a_source_that_has_nothing_now)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, 0);
	mprof_reader_options options;
	mprof_reader *reader;
	mprof_block block;
	int ends[2];
	int blocks = 0;
	mprof_status status;

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
	cr_assert_eq(write(ends[1], log.bytes, log_block_offset(&log, 5)), (ssize_t)log_block_offset(&log, 5));
	mprof_reader_options_init(&options, sizeof(options));
	options.follow = 1;
	cr_assert_eq(mprof_reader_open_fd(ends[0], &options, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK)
		blocks++;
	cr_assert_eq(status, MPROF_AGAIN);
	cr_assert_eq(mprof_reader_finish(reader), MPROF_OK);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_END);
	cr_assert_eq(blocks, 5);
	cr_assert_eq(mprof_reader_finish(NULL), MPROF_ERR_ARGUMENT);
	mprof_reader_destroy(reader);
	close(ends[0]);
	close(ends[1]);
	log_free(&log);
}
