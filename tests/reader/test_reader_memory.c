/* SPDX-License-Identifier: MIT */
/*
 * A log in memory is read in place: it is not copied, nothing outside of it is read, and whatever is wrong with it, the
 * result is that of a source that is read in pieces.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/failing_allocator.h"
#include "logs/log_fixture.h"

#include <mprof/reader.h>

#include <criterion/criterion.h>

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define METHODS 40
#define DIRECTIVES MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE)

/* Events of the small logs, each byte of which is changed, and of the one that is too large to be copied unnoticed. */
#define FEW_EVENTS 150
#define MANY_EVENTS 1500000

/* Longest log that is tested byte by byte. */
#define MAX_BYTES 16384

TestSuite(reader_memory, .timeout = 120);

/* A source that copies the log in small pieces. */
typedef struct piece_source {
	const uint8_t *bytes;
	size_t length;
	size_t position;
} piece_source;

static int read_piece(void *user, void *bytes, size_t length, size_t *got)
{
	piece_source *self = user;
	const size_t remaining = self->length - self->position;

	*got = length < 97 ? length : 97;
	if (*got > remaining)
		*got = remaining;
	if (*got > 0)
		memcpy(bytes, self->bytes + self->position, *got);
	self->position += *got;
	return 0;
}

static int seek_piece(void *user, uint64_t offset)
{
	piece_source *self = user;

	self->position = offset < self->length ? (size_t)offset : self->length;
	return 0;
}

/* Writes calls in columns, in blocks of 30 events and more. */
static log_bytes write_columns(size_t events, uint32_t codec)
{
	mprof_writer_options options;
	mprof_writer *writer;
	uint64_t counter = 1000;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = DIRECTIVES;
	options.has_columns = 1;
	options.codec = codec;
	options.allow_undefined_ids = 1;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	for (size_t i = 0; i < events; i++) {
		const mprof_event event = {.kind = i % 5 < 2 ? MPROF_EVENT_METHOD_ENTER
							     : MPROF_EVENT_METHOD_LEAVE_IMPLICIT,
					   .id = i % 5 < 2 ? (uint32_t)(i * 7 % METHODS) + 1 : 0,
					   .counter = counter += i % 13 + (i % 100 == 0 ? 70000 : 0)};

		if (i % (events / 5) == 0)
			cr_assert_eq(mprof_writer_begin_events(writer, 7, counter), MPROF_OK);
		cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
		if (i % (events / 5) == events / 5 - 1)
			cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	}
	return log_take(writer);
}

static void digest_reader(mprof_reader *reader, mprof_status opened, log_digest *digest)
{
	memset(digest, 0, sizeof(*digest));
	digest->last = opened;
	digest->first = reader_error_of(reader);
	if (opened == MPROF_OK)
		log_digest_read(digest, reader);
	mprof_reader_destroy(reader);
}

static void expect_equal_errors(const mprof_error *one, const mprof_error *other, size_t change)
{
	cr_assert_eq(one->status, other->status, "change %zu", change);
	cr_assert_eq(one->severity, other->severity, "change %zu", change);
	cr_assert_eq(one->offset, other->offset, "change %zu", change);
	cr_assert_str_eq(one->what, other->what, "change %zu", change);
}

/* Reads a log in place and in pieces. \p change is what was changed in it, for messages. */
static void expect_equal(const uint8_t *bytes, size_t length, size_t change)
{
	piece_source pieces = {bytes, length, 0};
	const mprof_source source = {
		.struct_size = sizeof(source), .read = read_piece, .seek = seek_piece, .user = &pieces};
	mprof_reader *reader;
	mprof_status opened;
	log_digest in_place;
	log_digest in_pieces;

	opened = mprof_reader_open_memory(bytes, length, NULL, &reader);
	digest_reader(reader, opened, &in_place);
	opened = mprof_reader_open_source(&source, NULL, &reader);
	digest_reader(reader, opened, &in_pieces);
	cr_assert_eq(in_place.last, in_pieces.last, "change %zu", change);
	cr_assert_eq(in_place.hash, in_pieces.hash, "change %zu", change);
	cr_assert_eq(in_place.blocks, in_pieces.blocks, "change %zu", change);
	cr_assert_eq(in_place.events, in_pieces.events, "change %zu", change);
	cr_assert_eq(in_place.faults, in_pieces.faults, "change %zu", change);
	expect_equal_errors(&in_place.first, &in_pieces.first, change);
}

/* Memory that ends where nothing can be read. */
typedef struct guarded_memory {
	uint8_t *bytes;
	size_t length; /* Without the last page. */
	size_t page;
} guarded_memory;

static guarded_memory guarded_map(size_t length)
{
	guarded_memory memory = {.page = (size_t)sysconf(_SC_PAGESIZE)};
	void *mapped;

	memory.length = (length + memory.page - 1) / memory.page * memory.page;
	mapped = mmap(NULL, memory.length + memory.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(mapped, MAP_FAILED);
	memory.bytes = mapped;
	cr_assert_eq(mprotect(memory.bytes + memory.length, memory.page, PROT_NONE), 0);
	return memory;
}

/* Puts the bytes before the end of the memory. */
static uint8_t *guarded_put(const guarded_memory *memory, const uint8_t *bytes, size_t length)
{
	return memcpy(memory->bytes + memory->length - length, bytes, length);
}

static void expect_equal_when_truncated(const log_bytes *log)
{
	const guarded_memory memory = guarded_map(log->length);

	for (size_t length = 0; length <= log->length; length++)
		expect_equal(guarded_put(&memory, log->bytes, length), length, length);
	munmap(memory.bytes, memory.length + memory.page);
}

static void expect_equal_when_flipped(const log_bytes *log)
{
	const guarded_memory memory = guarded_map(log->length);
	uint8_t *bytes = guarded_put(&memory, log->bytes, log->length);

	for (size_t i = 0; i < log->length; i++) {
		bytes[i] ^= (uint8_t)(1 << i % 8);
		expect_equal(bytes, log->length, i);
		bytes[i] = log->bytes[i];
	}
	munmap(memory.bytes, memory.length + memory.page);
}

static void expect_equal_when_damaged(log_bytes log)
{
	cr_assert_leq(log.length, MAX_BYTES);
	expect_equal_when_truncated(&log);
	expect_equal_when_flipped(&log);
	log_free(&log);
}

Test(reader_memory, rows_are_read_like_pieces)
{
	expect_equal_when_damaged(log_make(MPROF_DIALECT_MPROF2, 0));
}

Test(reader_memory, logs_without_checksums_are_read_like_pieces)
{
	expect_equal_when_damaged(log_make(MPROF_DIALECT_MAIL, 0));
}

Test(reader_memory, columns_are_read_like_pieces)
{
	expect_equal_when_damaged(write_columns(FEW_EVENTS, MPROF_CODEC_NONE));
}

#ifdef MPROF_WITH_ZLIB
Test(reader_memory, compressed_blocks_are_read_like_pieces)
{
	expect_equal_when_damaged(write_columns(FEW_EVENTS, MPROF_CODEC_DEFLATE));
}

Test(reader_memory, compressed_logs_are_read_like_pieces)
{
	expect_equal_when_damaged(log_make_compressed(MPROF_DIALECT_MPROF2, 0));
}
#endif

Test(reader_memory, blocks_are_not_copied)
{
	log_bytes log = write_columns(MANY_EVENTS, MPROF_CODEC_NONE);
	failing_allocator counting = {0};
	const mprof_allocator allocator = failing_allocator_interface(&counting);
	mprof_reader_options options;
	mprof_reader *reader;
	log_digest digest;

	mprof_reader_options_init(&options, sizeof(options));
	options.allocator = &allocator;
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, &options, &reader), MPROF_OK);
	log_digest_read(&digest, reader);
	cr_assert_eq(digest.last, MPROF_END);
	cr_assert_eq(digest.events, MANY_EVENTS);
	cr_assert_lt(counting.most_bytes, log.length / digest.blocks, "%zu bytes are allocated", counting.most_bytes);
	mprof_reader_destroy(reader);
	cr_assert_eq(counting.blocks, 0);
	log_free(&log);
}

/* Unwanted blocks are skipped, and the end of a truncated log is noticed all the same. */
Test(reader_memory, unwanted_blocks_are_skipped)
{
	log_bytes log = write_columns(MANY_EVENTS, MPROF_CODEC_NONE);
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_reader_options options;
	mprof_reader *reader;
	mprof_status status;
	uint64_t last = 0;

	mprof_reader_options_init(&options, sizeof(options));
	mprof_number_set_add(&options.wanted, MPROF_BLOCK_INTRO);
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length - 100, &options, &reader), MPROF_OK);
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK)
		last = block.offset;
	cr_assert_eq(status, MPROF_ERR_TRUNCATED);
	cr_assert_eq(mprof_reader_seek(reader, last), MPROF_OK);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	cr_assert_eq(block.offset, last);
	cr_assert_eq(mprof_reader_seek(reader, log.length + 1000), MPROF_OK);
	cr_assert_neq(mprof_reader_next_block(reader, &block), MPROF_OK);
	mprof_reader_destroy(reader);
	log_free(&log);
}

/* The error is permanent, and so is the lack of events. */
Test(reader_memory, columns_have_no_events_after_refused_memory)
{
	log_bytes log = write_columns(FEW_EVENTS, MPROF_CODEC_NONE);
	failing_allocator memory = {0};
	const mprof_allocator allocator = failing_allocator_interface(&memory);
	mprof_columns columns = {.struct_size = sizeof(columns)};
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_reader_options options;
	mprof_reader *reader;

	mprof_reader_options_init(&options, sizeof(options));
	options.allocator = &allocator;
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, &options, &reader), MPROF_OK);
	do
		cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	while (block.kind != MPROF_BLOCK_EVENTS);
	memory.fail_at = memory.requests + 1;
	for (int call = 0; call < 3; call++) {
		columns.event_count = 7;
		columns.row_count = 7;
		cr_assert_eq(mprof_reader_next_columns(reader, MPROF_COLUMN_TIMES, &columns), MPROF_ERR_MEMORY);
		cr_assert_eq(columns.event_count, 0);
		cr_assert_eq(columns.row_count, 0);
	}
	mprof_reader_destroy(reader);
	cr_assert_eq(memory.blocks, 0);
	log_free(&log);
}
