/* SPDX-License-Identifier: MIT */
/*
 * Parser and reader with each request for memory refused: the same is read, or an error is returned; and it terminates.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "fault_content.h"

#include <criterion/criterion.h>

#include <string.h>
#ifdef MPROF_WITH_ZLIB
#include <zlib.h>
#endif

/* Seconds, for an endless loop inside the library, which no step counts. */
#define LAST_RESORT 3000

/* Feeds up to \p more bytes, or ends the input if none. */
static mprof_status feed(mprof_parser *parser, const log_bytes *log, size_t piece, size_t *fed)
{
	size_t remaining = log->length - *fed;
	size_t length = piece < remaining ? piece : remaining;

	if (length == 0)
		mprof_parser_finish(parser);
	*fed += length;
	return mprof_parser_feed(parser, log->bytes + *fed - length, length);
}

static mprof_status lend(mprof_parser *parser, const log_bytes *log, size_t piece, size_t *fed)
{
	size_t remaining = log->length - *fed;
	size_t length = piece < remaining ? piece : remaining;
	mprof_status status;
	size_t room_length;
	void *room;

	if (length == 0) {
		mprof_parser_finish(parser);
		return MPROF_OK;
	}
	status = mprof_parser_reserve(parser, length, &room, &room_length);
	if (status != MPROF_OK)
		return status;
	memcpy(room, log->bytes + *fed, length);
	*fed += length;
	return mprof_parser_commit(parser, length);
}

typedef mprof_status (*feed_function)(mprof_parser *parser, const log_bytes *log, size_t piece, size_t *fed);
typedef mprof_status (*next_function)(mprof_parser *parser, mprof_block *block);

static mprof_status parse(fault_run *run, const log_bytes *log, feed_function feed_some, size_t piece,
			  next_function next)
{
	mprof_parser_options options;
	log_input input = {NULL, NULL};
	mprof_block block;
	mprof_status status;
	size_t fed = 0;
	int goes_on;

	mprof_parser_options_init(&options, sizeof(options));
	options.allocator = &run->allocator;
	status = mprof_parser_create(&options, &input.parser);
	if (status != MPROF_OK)
		return status;
	do {
		mprof_block_init(&block, sizeof(block));
		block.loaded = 0;
		status = next(input.parser, &block);
		if (status == MPROF_AGAIN) {
			fault_step(run);
			status = feed_some(input.parser, log, piece, &fed);
			/* Nothing can be fed after the end. */
			goes_on = status == MPROF_OK || status == MPROF_ERR_STATE;
		} else {
			goes_on = fault_process_block(run, &input, &block, &status);
		}
	} while (goes_on);
	fault_hash_number(run, mprof_parser_get_valid_bytes(input.parser));
	mprof_parser_destroy(input.parser);
	return status;
}

static mprof_status parse_in_pieces(fault_run *run, const log_bytes *log)
{
	return parse(run, log, feed, 13, mprof_parser_next_block);
}

static mprof_status parse_in_room(fault_run *run, const log_bytes *log)
{
	return parse(run, log, lend, 500, mprof_parser_next_block);
}

static mprof_status parse_headers(fault_run *run, const log_bytes *log)
{
	return parse(run, log, feed, 200, mprof_parser_next_header);
}

Test(faults_parser, in_pieces, .timeout = LAST_RESORT)
{
	fault_try_all(parse_in_pieces);
}

Test(faults_parser, in_room_lent, .timeout = LAST_RESORT)
{
	fault_try_all(parse_in_room);
}

Test(faults_parser, headers_alone, .timeout = LAST_RESORT)
{
	fault_try_all(parse_headers);
}

/* Closes a reader after a scenario. If it could not be opened, the status of opening it is the result. */
static mprof_status read_opened(fault_run *run, mprof_reader *reader, mprof_status status)
{
	if (reader == NULL)
		return status;
	status = fault_read_blocks(run, reader);
	fault_hash_dictionary(run, reader);
	mprof_reader_destroy(reader);
	return status;
}

static mprof_status read_memory(fault_run *run, const log_bytes *log)
{
	const mprof_reader_options options = fault_reader_options(run);
	mprof_reader *reader = NULL;
	mprof_status status = mprof_reader_open_memory(log->bytes, log->length, &options, &reader);

	return read_opened(run, reader, status);
}

Test(faults_reader, from_memory, .timeout = LAST_RESORT)
{
	fault_try_all(read_memory);
}

/* A log that grows: every other read returns nothing new. */
typedef struct growing_log {
	const log_bytes *log;
	size_t position;
	int rests;
} growing_log;

static int read_growing(void *user, void *bytes, size_t length, size_t *got)
{
	growing_log *growing = user;
	size_t remaining = growing->log->length - growing->position;

	*got = 0;
	growing->rests = !growing->rests;
	if (growing->rests)
		return 0;
	if (length > 11)
		length = 11;
	*got = length < remaining ? length : remaining;
	memcpy(bytes, growing->log->bytes + growing->position, *got);
	growing->position += *got;
	return 0;
}

static mprof_status follow_log(fault_run *run, const log_bytes *log)
{
	mprof_reader_options options = fault_reader_options(run);
	growing_log growing = {log, 0, 0};
	const mprof_source source = {.struct_size = sizeof(source), .read = read_growing, .user = &growing};
	mprof_reader *reader = NULL;
	mprof_status status;

	options.follow = 1;
	status = mprof_reader_open_source(&source, &options, &reader);
	if (reader == NULL)
		return status;
	do {
		fault_step(run);
		status = fault_read_blocks(run, reader);
	} while (status == MPROF_AGAIN && (growing.position < log->length || growing.rests));
	fault_hash_dictionary(run, reader);
	mprof_reader_destroy(reader);
	return status;
}

Test(faults_reader, following, .timeout = LAST_RESORT)
{
	fault_try_all(follow_log);
}

#ifdef MPROF_WITH_ZLIB
static log_bytes compress_log(const log_bytes *log)
{
	z_stream stream = {0};
	log_bytes compressed;

	cr_assert_eq(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	compressed.length = deflateBound(&stream, log->length);
	compressed.bytes = malloc(compressed.length);
	cr_assert_not_null(compressed.bytes);
	stream.next_in = log->bytes;
	stream.avail_in = (unsigned)log->length;
	stream.next_out = compressed.bytes;
	stream.avail_out = (unsigned)compressed.length;
	cr_assert_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
	compressed.length -= stream.avail_out;
	deflateEnd(&stream);
	return compressed;
}

static mprof_status read_compressed(fault_run *run, const log_bytes *log)
{
	log_bytes compressed = compress_log(log);
	mprof_status status = read_memory(run, &compressed);

	log_free(&compressed);
	return status;
}

Test(faults_reader, compressed, .timeout = LAST_RESORT)
{
	fault_try_all(read_compressed);
}
#endif

/* Builds an index and reads the blocks in another order than that of the log. */
static mprof_status read_backwards(fault_run *run, mprof_reader *reader)
{
	const log_input input = {NULL, reader};
	mprof_index_entry entry = {.struct_size = sizeof(entry)};
	mprof_status status;
	mprof_error error;

	status = mprof_reader_build_index(reader);
	if (status != MPROF_OK)
		return status;
	error = log_input_error(&input);
	fault_hash_error(run, &error);
	for (uint64_t i = mprof_reader_get_index_count(reader); i > 0; i--) {
		mprof_block block;

		fault_step(run);
		mprof_block_init(&block, sizeof(block));
		block.loaded = 0;
		cr_assert_eq(mprof_reader_get_index_entry(reader, i - 1, &entry), MPROF_OK);
		status = mprof_reader_seek(reader, entry.offset);
		if (status == MPROF_OK)
			status = mprof_reader_next_block(reader, &block);
		if (!fault_process_block(run, &input, &block, &status))
			return status;
	}
	return MPROF_OK;
}

static mprof_status read_index(fault_run *run, const log_bytes *log)
{
	const mprof_reader_options options = fault_reader_options(run);
	mprof_reader *reader = NULL;
	mprof_status status = mprof_reader_open_memory(log->bytes, log->length, &options, &reader);

	if (reader == NULL)
		return status;
	if (status == MPROF_OK)
		status = read_backwards(run, reader);
	fault_hash_dictionary(run, reader);
	mprof_reader_destroy(reader);
	return status;
}

Test(faults_reader, with_an_index, .timeout = LAST_RESORT)
{
	fault_try_all(read_index);
}

#define MAX_FRAMES 32

/* Looks up the call stack of the thread of each block at its end, and the block after that. */
static mprof_status read_open_frames(fault_run *run, mprof_reader *reader)
{
	const log_input input = {NULL, reader};
	mprof_index_entry entry = {.struct_size = sizeof(entry)};
	mprof_stack_frame frames[MAX_FRAMES];
	mprof_status status = MPROF_OK;
	mprof_block block;

	for (uint64_t i = 0; i < mprof_reader_get_index_count(reader); i++) {
		size_t count = 0;
		int64_t time = 0;

		fault_step(run);
		cr_assert_eq(mprof_reader_get_index_entry(reader, i, &entry), MPROF_OK);
		memset(frames, 0, sizeof(frames));
		status = mprof_reader_get_open_frames(reader, entry.thread, entry.end_counter, frames,
						      sizeof(frames[0]), MAX_FRAMES, &count);
		fault_hash_number(run, status | (uint64_t)count << 32);
		fault_hash_bytes(run, frames, sizeof(frames));
		if (status == MPROF_ERR_MEMORY)
			return status;
		/* A log may have no clock. */
		(void)mprof_reader_get_time(reader, entry.end_counter, &time);
		fault_hash_bytes(run, &time, sizeof(time));
		status = mprof_reader_seek_time(reader, time, entry.thread);
		mprof_block_init(&block, sizeof(block));
		block.loaded = 0;
		if (status == MPROF_OK)
			status = mprof_reader_next_block(reader, &block);
		if (status != MPROF_END && !fault_process_block(run, &input, &block, &status))
			return status;
	}
	return MPROF_OK;
}

static mprof_status read_frames(fault_run *run, const log_bytes *log)
{
	const mprof_reader_options options = fault_reader_options(run);
	mprof_reader *reader = NULL;
	mprof_status status = mprof_reader_open_memory(log->bytes, log->length, &options, &reader);

	if (status == MPROF_OK)
		status = mprof_reader_build_index(reader);
	if (status == MPROF_OK)
		status = read_open_frames(run, reader);
	if (reader != NULL)
		fault_hash_dictionary(run, reader);
	mprof_reader_destroy(reader);
	return status;
}

Test(faults_reader, with_open_frames, .timeout = LAST_RESORT)
{
	fault_try_all(read_frames);
}
