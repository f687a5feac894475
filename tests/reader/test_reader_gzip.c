/* SPDX-License-Identifier: MIT */
/* Compressed logs: complete, in several members, truncated, damaged, and compressed data that is not a log. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "logs/log_fixture.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#ifdef MPROF_WITH_ZLIB

#include <zlib.h>

static log_bytes compress_bytes(const void *bytes, size_t length)
{
	log_bytes result = {malloc(length + 1000), 0};
	z_stream stream;

	memset(&stream, 0, sizeof(stream));
	cr_assert_not_null(result.bytes);
	cr_assert_eq(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	stream.next_in = (Bytef *)(uintptr_t)bytes;
	stream.avail_in = (uInt)length;
	stream.next_out = result.bytes;
	stream.avail_out = (uInt)(length + 1000);
	cr_assert_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
	result.length = length + 1000 - stream.avail_out;
	deflateEnd(&stream);
	return result;
}

static void append(log_bytes *log, const void *bytes, size_t length)
{
	log->bytes = realloc(log->bytes, log->length + length);
	cr_assert_not_null(log->bytes);
	memcpy(log->bytes + log->length, bytes, length);
	log->length += length;
}

static mprof_session session_of(const mprof_reader *reader)
{
	mprof_session session = {.struct_size = sizeof(session)};

	cr_assert_eq(mprof_reader_get_session(reader, &session), MPROF_OK);
	return session;
}

static void expect_whole(const log_bytes *compressed, const log_bytes *log)
{
	mprof_reader *reader;
	log_digest expected;
	log_digest digest;

	log_digest_parse(&expected, log, 0, NULL);
	cr_assert_eq(mprof_reader_open_memory(compressed->bytes, compressed->length, NULL, &reader), MPROF_OK);
	log_digest_read(&digest, reader);
	cr_assert_eq(digest.last, MPROF_END, "%s", digest.first.what);
	cr_assert_eq(digest.hash, expected.hash);
	cr_assert_eq(session_of(reader).compressed, 1);
	cr_assert_eq(session_of(reader).complete, 1);
	cr_assert_eq(session_of(reader).valid_bytes, log->length, "counted without compression");
	mprof_reader_destroy(reader);
}

Test(reader_gzip, whole)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, 0);
	log_bytes compressed = log_make_compressed(MPROF_DIALECT_MPROF2, 0);

	expect_whole(&compressed, &log);
	log_free(&compressed);
	compressed = compress_bytes(log.bytes, log.length);
	expect_whole(&compressed, &log);
	append(&compressed, "\0\0\0\0\0\0\0\0", 8);
	expect_whole(&compressed, &log);
	log_free(&compressed);
	log_free(&log);
}

Test(reader_gzip, members)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, 0);

	for (size_t piece = 1; piece < log.length; piece += piece < 20 ? 1 : 371) {
		log_bytes compressed = {NULL, 0};

		for (size_t done = 0; done < log.length; done += piece) {
			log_bytes member =
				compress_bytes(log.bytes + done, piece < log.length - done ? piece : log.length - done);

			append(&compressed, member.bytes, member.length);
			log_free(&member);
		}
		expect_whole(&compressed, &log);
		log_free(&compressed);
	}
	log_free(&log);
}

/* Data that expands a thousandfold, so that one read of the compressed bytes yields many pieces. */
Test(reader_gzip, much_from_little)
{
	const size_t length = 20000000;
	log_bytes log = {calloc(1, length + 17), length + 17};
	log_bytes compressed;
	mprof_reader *reader;
	mprof_block block;

	cr_assert_not_null(log.bytes);
	memcpy(log.bytes, "\x01\x00\x05\x00\x00\x00\x81\x00\x80\x81\x81\x2a\x00", 13);
	log.bytes[13] = (uint8_t)length;
	log.bytes[14] = (uint8_t)(length >> 8);
	log.bytes[15] = (uint8_t)(length >> 16);
	log.bytes[16] = (uint8_t)(length >> 24);
	compressed = compress_bytes(log.bytes, log.length);
	cr_assert_lt(compressed.length, 30000);
	cr_assert_eq(mprof_reader_open_memory(compressed.bytes, compressed.length, NULL, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	cr_assert_eq(block.length, length);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_END);
	mprof_reader_destroy(reader);
	log_free(&compressed);
	log_free(&log);
}

/* Truncated at every byte: the decompressed part is read, and the log is not complete. */
Test(reader_gzip, cut)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, 0);
	log_bytes compressed = log_make_compressed(MPROF_DIALECT_MPROF2, 0);
	uint64_t blocks = 0;

	for (size_t cut = 0; cut < compressed.length; cut++) {
		mprof_reader *reader = NULL;
		mprof_status status = mprof_reader_open_memory(compressed.bytes, cut, NULL, &reader);
		log_digest digest;

		if (status != MPROF_OK) {
			cr_assert(status == MPROF_ERR_NOT_MPROF || status == MPROF_ERR_TRUNCATED, "cut at %zu: %s", cut,
				  mprof_status_get_text(status));
		} else {
			log_digest_read(&digest, reader);
			cr_assert(digest.last == MPROF_END || digest.last == MPROF_ERR_TRUNCATED);
			cr_assert_geq(digest.blocks, blocks);
			blocks = digest.blocks;
			/* Only the end of the stream may be missing. */
			cr_assert_eq(session_of(reader).complete, digest.blocks == log_block_count(&log));
		}
		mprof_reader_destroy(reader);
	}
	cr_assert_eq(blocks, log_block_count(&log));
	log_free(&compressed);
	log_free(&log);
}

/* Each bit of the compressed data is wrong in turn: either all is read correctly, or the log is not complete. */
Test(reader_gzip, damaged)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, 0);
	log_bytes compressed = compress_bytes(log.bytes, log.length);
	log_digest expected;
	size_t reported = 0;
	size_t unnoticed = 0;

	log_digest_parse(&expected, &log, 0, NULL);
	for (size_t bit = 10 * 8; bit < compressed.length * 8; bit++) {
		mprof_reader *reader = NULL;
		mprof_status status;
		log_digest digest;

		compressed.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		status = mprof_reader_open_memory(compressed.bytes, compressed.length, NULL, &reader);
		log_digest_read(&digest, reader);
		if (status == MPROF_OK && digest.hash == expected.hash)
			unnoticed++;
		else
			cr_assert_eq(session_of(reader).complete, 0, "bit %zu", bit);
		if (digest.last == MPROF_ERR_MALFORMED || digest.last == MPROF_ERR_TRUNCATED)
			reported += strstr(digest.first.what, "compressed") != NULL;
		mprof_reader_destroy(reader);
		compressed.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	/* Bits after the end of the data have no meaning, and another distance may refer to the same bytes. */
	cr_assert_leq(unnoticed, 20);
	cr_assert_gt(reported, compressed.length, "most damage is reported as damage of the compression");
	log_free(&compressed);
	log_free(&log);
}

static void expect_refused(const void *bytes, size_t length, mprof_status status, const char *what)
{
	log_bytes compressed = compress_bytes(bytes, length);
	mprof_reader *reader = NULL;

	cr_assert_eq(mprof_reader_open_memory(compressed.bytes, compressed.length, NULL, &reader), status);
	cr_assert_not_null(strstr(reader_error_of(reader).what, what), "%s", reader_error_of(reader).what);
	cr_assert_eq(session_of(reader).compressed, 1);
	mprof_reader_destroy(reader);
	log_free(&compressed);
}

Test(reader_gzip, no_log)
{
	log_bytes inner = compress_bytes("x", 1);

	expect_refused("some text and no log", 20, MPROF_ERR_NOT_MPROF, "does not start");
	expect_refused("\x01ZPM and so on and on", 20, MPROF_ERR_NOT_MPROF, ".mlpd");
	expect_refused("", 0, MPROF_ERR_NOT_MPROF, "empty");
	expect_refused(inner.bytes, inner.length, MPROF_ERR_NOT_MPROF, "gzip");
	log_free(&inner);
}

/* Seeking back decompresses the stream again from its start. */
Test(reader_gzip, seek)
{
	log_bytes log = log_make(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES);
	log_bytes compressed = compress_bytes(log.bytes, log.length);
	const mprof_index_entry *entries;
	mprof_reader *reader;
	mprof_block block;
	size_t count;

	cr_assert_eq(mprof_reader_open_memory(compressed.bytes, compressed.length, NULL, &reader), MPROF_OK);
	entries = fetch_index(reader, &count);
	cr_assert_eq(count, log_block_count(&log));
	mprof_block_init(&block, sizeof(block));
	for (size_t i = count; i-- > 0;) {
		cr_assert_eq(mprof_reader_seek(reader, entries[i].offset), MPROF_OK);
		cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
		cr_assert_eq(block.offset, entries[i].offset);
		cr_assert_eq(block.kind, entries[i].kind);
	}
	mprof_reader_destroy(reader);
	log_free(&compressed);
	log_free(&log);
}

#else

Test(reader_gzip, not_built_in)
{
	static const uint8_t start[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
	mprof_reader *reader = NULL;
	mprof_block block;

	cr_assert_eq(mprof_reader_open_memory(start, sizeof(start), NULL, &reader), MPROF_ERR_UNSUPPORTED);
	cr_assert_not_null(strstr(reader_error_of(reader).what, "gzip"));
	cr_assert_eq(reader_error_of(reader).severity, MPROF_SEVERITY_FATAL);
	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_ERR_UNSUPPORTED);
	mprof_reader_destroy(reader);
}

#endif
