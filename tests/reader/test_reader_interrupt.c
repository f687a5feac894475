/* SPDX-License-Identifier: MIT */
/* Progress, and interrupting long operations: nothing is lost. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "logs/log_fixture.h"

#include <criterion/criterion.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#ifdef MPROF_WITH_ZLIB
#include <zlib.h>
#endif

#define LONG_BLOCKS 40
#define LONG_LENGTH ((size_t)500000)
#define INTRO_LENGTH 11

/* A log of mail that is long enough: INTRO is followed by blocks of an unknown kind. */
static log_bytes make_long_log(void)
{
	log_bytes log = {calloc(LONG_BLOCKS, LONG_LENGTH), INTRO_LENGTH};

	cr_assert_not_null(log.bytes);
	memcpy(log.bytes, "\x01\x00\x05\x00\x00\x00\x81\x00\x80\x81\x81", INTRO_LENGTH);
	for (int i = 0; i < LONG_BLOCKS - 1; i++) {
		const uint32_t length = LONG_LENGTH - 6;
		const uint8_t header[6] = {42, 0, (uint8_t)length, (uint8_t)(length >> 8), (uint8_t)(length >> 16), 0};

		memcpy(log.bytes + log.length, header, sizeof(header));
		log.length += LONG_LENGTH;
	}
	return log;
}

typedef struct progress_log {
	uint64_t calls;
	uint64_t last;
	uint64_t total;
	uint64_t longest; /* The longest distance of two calls, in bytes. */
	uint64_t stop_at; /* Number of the call from which on each one interrupts; 0 for none. */
} progress_log;

static int note_progress(void *user, uint64_t done, uint64_t total)
{
	progress_log *self = user;

	self->calls++;
	if (done > self->last && done - self->last > self->longest)
		self->longest = done - self->last;
	self->last = done;
	self->total = total;
	return self->stop_at != 0 && self->calls >= self->stop_at;
}

static mprof_reader *open_with(const log_bytes *log, progress_log *progress)
{
	mprof_reader_options options;
	mprof_reader *reader;

	mprof_reader_options_init(&options, sizeof(options));
	options.progress = progress != NULL ? note_progress : NULL;
	options.progress_user = progress;
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, &options, &reader), MPROF_OK);
	return reader;
}

Test(reader_interrupt, progress_is_reported_at_every_mebibyte)
{
	log_bytes log = make_long_log();
	progress_log progress = {0};
	mprof_reader *reader = open_with(&log, &progress);
	mprof_block block;

	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		continue;
	cr_assert_geq(progress.calls, log.length >> 21);
	cr_assert_leq(progress.longest, 3 << 20);
	cr_assert_eq(progress.total, log.length);
	cr_assert_leq(progress.last, log.length);
	mprof_reader_destroy(reader);
	log_free(&log);
}

Test(reader_interrupt, progress_interrupts)
{
	log_bytes log = make_long_log();
	progress_log progress = {.stop_at = 3};
	mprof_reader *reader = open_with(&log, &progress);
	mprof_block block;
	uint64_t offset = 0;
	int blocks = 0;
	int stops = 0;
	mprof_status status;

	mprof_block_init(&block, sizeof(block));
	for (;;) {
		status = mprof_reader_next_block(reader, &block);
		if (status == MPROF_ERR_INTERRUPTED) {
			cr_assert_eq(reader_error_of(reader).status, MPROF_ERR_INTERRUPTED);
			cr_assert_lt(++stops, 100);
			continue;
		}
		if (status != MPROF_OK)
			break;
		cr_assert_eq(block.offset, offset);
		offset = block.offset + block.header_length + block.length;
		blocks++;
	}
	cr_assert_eq(status, MPROF_END);
	cr_assert_eq(blocks, LONG_BLOCKS);
	cr_assert_gt(stops, 5);
	mprof_reader_destroy(reader);
	log_free(&log);
}

#ifdef MPROF_WITH_ZLIB

/* Stored without compression, so that positions in the compressed log are as far apart. */
static log_bytes wrap_log(const log_bytes *log)
{
	const size_t room = log->length + log->length / 1000 + 1000;
	log_bytes result = {malloc(room), 0};
	z_stream stream;

	memset(&stream, 0, sizeof(stream));
	cr_assert_not_null(result.bytes);
	cr_assert_eq(deflateInit2(&stream, 0, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	stream.next_in = log->bytes;
	stream.avail_in = (uInt)log->length;
	stream.next_out = result.bytes;
	stream.avail_out = (uInt)room;
	cr_assert_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
	result.length = room - stream.avail_out;
	deflateEnd(&stream);
	return result;
}

/* Each call returns to where reading was, and the next one continues: it ends although each call of progress stops. */
Test(reader_interrupt, index_of_a_compressed_log)
{
	log_bytes log = make_long_log();
	log_bytes compressed = wrap_log(&log);
	progress_log progress = {.stop_at = 1};
	mprof_reader *reader = open_with(&compressed, &progress);
	mprof_block block;
	mprof_status status;
	int stops = 0;

	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_ERR_INTERRUPTED)
		cr_assert_lt(++stops, 10);
	while ((status = mprof_reader_build_index(reader)) == MPROF_ERR_INTERRUPTED)
		cr_assert_lt(++stops, 100);
	cr_assert_eq(status, MPROF_OK);
	cr_assert_gt(stops, 5);
	cr_assert_eq(mprof_reader_get_index_count(reader), LONG_BLOCKS);
	mprof_reader_destroy(reader);
	log_free(&compressed);
	log_free(&log);
}

#endif

static mprof_reader *interrupted;

static void interrupt_reader(int number)
{
	(void)number;
	mprof_reader_interrupt(interrupted);
}

/* Interrupted by a signal handler; the repeated call continues and is not interrupted again. */
Test(reader_interrupt, by_a_signal)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES);
	mprof_block block;
	size_t blocks = 0;
	mprof_status status;

	interrupted = open_with(&log, NULL);
	cr_assert_neq(signal(SIGUSR1, interrupt_reader), SIG_ERR);
	cr_assert_eq(mprof_reader_seek(interrupted, 0), MPROF_OK);
	raise(SIGUSR1);
	mprof_block_init(&block, sizeof(block));
	/* All of the log was read ahead: buffered blocks are returned, and only further reading is interrupted. */
	while ((status = mprof_reader_next_block(interrupted, &block)) == MPROF_OK)
		blocks++;
	cr_assert_eq(status, MPROF_ERR_INTERRUPTED);
	cr_assert_eq(blocks, log_block_count(&log));
	cr_assert_eq(mprof_reader_next_block(interrupted, &block), MPROF_END);
	mprof_reader_destroy(interrupted);
	mprof_reader_interrupt(NULL);
	log_free(&log);
}

/* A seek past data that was not read has to read it, and can be interrupted. */
Test(reader_interrupt, seek_ahead)
{
	log_bytes log = make_long_log();
	mprof_reader *reader = open_with(&log, NULL);
	uint64_t last = log.length - LONG_LENGTH;
	mprof_block block;

	mprof_block_init(&block, sizeof(block));
	mprof_reader_interrupt(reader);
	cr_assert_eq(mprof_reader_seek(reader, last), MPROF_ERR_INTERRUPTED);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK, "the next call finishes the seek");
	cr_assert_eq(block.offset, last);
	mprof_reader_destroy(reader);
	reader = open_with(&log, NULL);
	mprof_reader_interrupt(reader);
	cr_assert_eq(mprof_reader_seek(reader, last), MPROF_ERR_INTERRUPTED);
	cr_assert_eq(mprof_reader_seek(reader, INTRO_LENGTH), MPROF_OK, "a seek to another offset");
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	cr_assert_eq(block.offset, INTRO_LENGTH);
	mprof_reader_destroy(reader);
	log_free(&log);
}

#ifdef MPROF_WITH_ZLIB
/* A seek that has to decompress much can be interrupted, and is finished by the next call that reads. */
Test(reader_interrupt, seek_in_a_compressed_log)
{
	log_bytes log = log_make_compressed(MPROF_DIALECT_MPROF2, 0);
	log_bytes plain = log_make(MPROF_DIALECT_MPROF2, 0);
	mprof_reader *reader = open_with(&log, NULL);
	uint64_t last = log_block_offset(&plain, log_block_count(&plain) - 1);
	mprof_block block;

	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		continue;
	mprof_reader_interrupt(reader);
	cr_assert_eq(mprof_reader_seek(reader, last), MPROF_ERR_INTERRUPTED);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	cr_assert_eq(block.offset, last);
	mprof_reader_interrupt(reader);
	cr_assert_eq(mprof_reader_seek(reader, log_block_offset(&plain, 1)), MPROF_ERR_INTERRUPTED);
	cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_OK, "a seek to another offset");
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	cr_assert_eq(block.offset, 0);
	mprof_reader_destroy(reader);
	log_free(&plain);
	log_free(&log);
}
#endif

/* The index is interrupted repeatedly, and is the same in the end. */
Test(reader_interrupt, index)
{
	log_bytes log = make_long_log();
	progress_log progress = {.stop_at = 1};
	mprof_reader *reader = open_with(&log, &progress);
	int stops = 0;
	mprof_status status;

	while ((status = mprof_reader_build_index(reader)) == MPROF_ERR_INTERRUPTED)
		cr_assert_lt(++stops, 100);
	cr_assert_eq(status, MPROF_OK);
	cr_assert_gt(stops, 5);
	cr_assert_eq(mprof_reader_get_index_count(reader), LONG_BLOCKS);
	mprof_reader_destroy(reader);
	log_free(&log);
}
