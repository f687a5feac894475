/* SPDX-License-Identifier: MIT */
/* Seeking in compressed logs: its cost in bytes of compressed data that are read. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "logs/log_fixture.h"

#include <criterion/criterion.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef MPROF_WITH_ZLIB

#include <zlib.h>

#define BLOCKS 600
#define BLOCK_LENGTH 20000
#define INTRO_LENGTH 11
#define SPAN (6 + BLOCK_LENGTH)

/* Maximum cost of one access: the distance of two access points, the read-ahead of both buffers, and a margin. */
#define MAX_READ ((uint64_t)1500000)

typedef struct counted_source {
	const log_bytes *log;
	size_t position;
	uint64_t read;
} counted_source;

static int counted_read(void *user, void *bytes, size_t length, size_t *got)
{
	counted_source *self = user;
	size_t remaining = self->log->length - self->position;

	*got = length < remaining ? length : remaining;
	memcpy(bytes, self->log->bytes + self->position, *got);
	self->position += *got;
	self->read += *got;
	return 0;
}

static int counted_seek(void *user, uint64_t offset)
{
	counted_source *self = user;

	if (offset > self->log->length)
		return EINVAL;
	self->position = (size_t)offset;
	return 0;
}

/* A log of mail with blocks of an unknown kind, whose bytes are not compressible. */
static log_bytes make_log(void)
{
	log_bytes log = {malloc(INTRO_LENGTH + (size_t)BLOCKS * SPAN), INTRO_LENGTH};
	uint32_t random = 1;

	cr_assert_not_null(log.bytes);
	memcpy(log.bytes, "\x01\x00\x05\x00\x00\x00\x81\x00\x80\x81\x81", INTRO_LENGTH);
	for (int i = 0; i < BLOCKS; i++) {
		const uint8_t header[6] = {42, 0, BLOCK_LENGTH & 0xff, BLOCK_LENGTH >> 8, 0, 0};

		memcpy(log.bytes + log.length, header, sizeof(header));
		log.length += sizeof(header);
		for (int j = 0; j < BLOCK_LENGTH; j++) {
			random = random * 1664525 + 1013904223;
			log.bytes[log.length++] = (uint8_t)(random >> 24);
		}
	}
	return log;
}

/* Compresses a log in members of \p piece bytes. */
static log_bytes compress_log(const log_bytes *log, size_t piece)
{
	log_bytes result = {malloc(log->length * 2), 0};

	cr_assert_not_null(result.bytes);
	for (size_t done = 0; done < log->length; done += piece) {
		size_t length = log->length - done < piece ? log->length - done : piece;
		z_stream stream;

		memset(&stream, 0, sizeof(stream));
		cr_assert_eq(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
		stream.next_in = log->bytes + done;
		stream.avail_in = (uInt)length;
		stream.next_out = result.bytes + result.length;
		stream.avail_out = (uInt)(log->length * 2 - result.length);
		cr_assert_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
		result.length = log->length * 2 - stream.avail_out;
		deflateEnd(&stream);
	}
	return result;
}

static mprof_reader *open_counted(counted_source *source)
{
	mprof_source functions = {
		.struct_size = sizeof(functions), .read = counted_read, .seek = counted_seek, .user = source};
	mprof_reader *reader;

	cr_assert_eq(mprof_reader_open_source(&functions, NULL, &reader), MPROF_OK);
	return reader;
}

static void expect_block(mprof_reader *reader, uint64_t offset)
{
	mprof_block block;

	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_seek(reader, offset), MPROF_OK);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK, "%s", reader_error_of(reader).what);
	cr_assert_eq(block.offset, offset);
	cr_assert_eq(block.length, BLOCK_LENGTH);
	cr_assert_eq(block.code, 42);
}

static void read_all(mprof_reader *reader)
{
	mprof_block block;
	mprof_status status;

	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK)
		continue;
	cr_assert_eq(status, MPROF_END);
}

static void check_random_seeks(size_t piece)
{
	log_bytes log = make_log();
	log_bytes compressed = compress_log(&log, piece);
	counted_source source = {&compressed, 0, 0};
	mprof_reader *reader = open_counted(&source);
	uint32_t random = 7;

	/* The first seek indicates that more will follow: access points are saved while everything is read once more. */
	cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_OK);
	read_all(reader);
	for (int i = 0; i < 200; i++) {
		source.read = 0;
		random = random * 214013 + 2531011;
		expect_block(reader, INTRO_LENGTH + (uint64_t)((random >> 16) % BLOCKS) * SPAN);
		cr_assert_leq(source.read, MAX_READ, "seek %d", i);
	}
	mprof_reader_destroy(reader);
	log_free(&compressed);
	log_free(&log);
}

Test(reader_gzip_seek, random_seeks_read_little)
{
	check_random_seeks(SIZE_MAX / 2);
}

Test(reader_gzip_seek, random_seeks_across_members)
{
	check_random_seeks(300007);
}

/* The reader has read ahead of the block that it returned; going to the next block reads none of it again. */
Test(reader_gzip_seek, forward_within_the_read_ahead_reads_nothing_twice)
{
	log_bytes log = make_log();
	log_bytes compressed = compress_log(&log, SIZE_MAX / 2);
	counted_source source = {&compressed, 0, 0};
	mprof_reader *reader = open_counted(&source);

	for (uint64_t i = 0; i < BLOCKS; i++)
		expect_block(reader, INTRO_LENGTH + i * SPAN);
	cr_assert_leq(source.read, compressed.length);
	mprof_reader_destroy(reader);
	log_free(&compressed);
	log_free(&log);
}

/* The checksum of a member is verified though most of it was decompressed before the seek. */
Test(reader_gzip_seek, checksums_are_verified_after_a_seek)
{
	log_bytes log = make_log();
	log_bytes compressed = compress_log(&log, SIZE_MAX / 2);
	counted_source source = {&compressed, 0, 0};
	mprof_reader *reader;
	mprof_block block;
	mprof_status status;

	compressed.bytes[compressed.length - 8] ^= 1;
	reader = open_counted(&source);
	mprof_block_init(&block, sizeof(block));
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(mprof_reader_seek(reader, INTRO_LENGTH + (uint64_t)i * (BLOCKS - 1) * SPAN), MPROF_OK);
		while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK)
			continue;
		cr_assert_eq(status, MPROF_ERR_MALFORMED);
	}
	mprof_reader_destroy(reader);
	log_free(&compressed);
	log_free(&log);
}

#else

Test(reader_gzip_seek, not_built_in)
{
	cr_skip("the library has no zlib");
}

#endif
