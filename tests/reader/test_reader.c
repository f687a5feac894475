/* SPDX-License-Identifier: MIT */
/* Opening logs of all kinds, names, times, wanted blocks, and files that are not logs. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "logs/log_fixture.h"

#include "base/failing_allocator.h"

#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MPROF2 MPROF_DIALECT_MPROF2
#define MAIL MPROF_DIALECT_MAIL

static mprof_session session_of(const mprof_reader *reader)
{
	mprof_session session = {.struct_size = sizeof(session)};

	cr_assert_eq(mprof_reader_get_session(reader, &session), MPROF_OK);
	return session;
}

static mprof_reader *open_memory(const log_bytes *log)
{
	mprof_reader *reader;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	return reader;
}

/* Writes a file in the current directory. The caller frees the path. */
static char *write_file(const void *bytes, size_t length)
{
	char *path = strdup("mprof-test-reader-XXXXXX");
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, bytes, length), (ssize_t)length);
	close(fd);
	return path;
}

static void expect_whole(mprof_reader *reader, const log_bytes *log)
{
	log_digest expected;
	log_digest digest;

	log_digest_parse(&expected, log, 0, NULL);
	log_digest_read(&digest, reader);
	cr_assert_eq(digest.last, MPROF_END, "%s", digest.first.what);
	cr_assert_eq(digest.hash, expected.hash);
	cr_assert_eq(digest.blocks, expected.blocks);
	cr_assert_eq(session_of(reader).complete, 1);
	cr_assert_eq(session_of(reader).valid_bytes, log->length);
	mprof_reader_destroy(reader);
}

Test(reader, memory)
{
	log_bytes log = log_make(MPROF2, FIXTURE_ALL_DIRECTIVES);

	expect_whole(open_memory(&log), &log);
	log_free(&log);
	log = log_make(MAIL, 0);
	expect_whole(open_memory(&log), &log);
	log_free(&log);
}

Test(reader, path)
{
	log_bytes log = log_make(MPROF2, 0);
	char *path = write_file(log.bytes, log.length);
	mprof_reader *reader;

	cr_assert_eq(mprof_reader_open_path(path, NULL, &reader), MPROF_OK);
	expect_whole(reader, &log);
	unlink(path);
	free(path);
	log_free(&log);
}

/* Reads from the current position of a descriptor, which stays open. */
Test(reader, descriptor)
{
	log_bytes log = log_make(MPROF2, 0);
	char *path = write_file("in front", 8);
	int fd = open(path, O_RDWR);
	mprof_reader *reader;
	size_t count;

	cr_assert_eq(lseek(fd, 8, SEEK_SET), 8);
	cr_assert_eq(write(fd, log.bytes, log.length), (ssize_t)log.length);
	lseek(fd, 8, SEEK_SET);
	cr_assert_eq(mprof_reader_open_fd(fd, NULL, &reader), MPROF_OK);
	(void)fetch_index(reader, &count);
	cr_assert_eq(count, log_block_count(&log));
	expect_whole(reader, &log);
	cr_assert_neq(fcntl(fd, F_GETFD), -1);
	close(fd);
	unlink(path);
	free(path);
	log_free(&log);
}

Test(reader, pipe)
{
	log_bytes log = log_make(MPROF2, 0);
	mprof_reader *reader;
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], log.bytes, log.length), (ssize_t)log.length);
	close(ends[1]);
	cr_assert_eq(mprof_reader_open_fd(ends[0], NULL, &reader), MPROF_OK);
	expect_whole(reader, &log);
	close(ends[0]);
	log_free(&log);
}

/* A source that returns short reads, or fails. */
typedef struct test_source {
	const log_bytes *log;
	size_t position;
	size_t piece;
	int fail_at; /* Number of the read call that fails; 0 for none. */
	int reads;
	int closed;
} test_source;

static int source_read(void *user, void *bytes, size_t length, size_t *got)
{
	test_source *self = user;
	size_t remaining = self->log->length - self->position;

	if (++self->reads == self->fail_at)
		return EIO;
	*got = remaining < self->piece ? remaining : self->piece;
	*got = *got < length ? *got : length;
	memcpy(bytes, self->log->bytes + self->position, *got);
	self->position += *got;
	return 0;
}

static void source_close(void *user)
{
	((test_source *)user)->closed++;
}

Test(reader, source)
{
	log_bytes log = log_make(MPROF2, FIXTURE_ALL_DIRECTIVES);

	for (size_t piece = 1; piece < 20; piece++) {
		test_source state = {&log, 0, piece, 0, 0, 0};
		mprof_source source = {sizeof(mprof_source), source_read, NULL, source_close, &state, NULL};
		mprof_reader *reader;

		cr_assert_eq(mprof_reader_open_source(&source, NULL, &reader), MPROF_OK);
		expect_whole(reader, &log);
		cr_assert_eq(state.closed, 1);
	}
	log_free(&log);
}

Test(reader, failing_source)
{
	log_bytes log = log_make(MPROF2, 0);

	for (int fail_at = 1; fail_at < 30; fail_at++) {
		test_source state = {&log, 0, 200, fail_at, 0, 0};
		mprof_source source = {sizeof(mprof_source), source_read, NULL, source_close, &state, NULL};
		mprof_reader *reader = NULL;
		mprof_block block;
		mprof_status status;
		mprof_error error;
		size_t blocks = 0;

		mprof_block_init(&block, sizeof(block));
		status = mprof_reader_open_source(&source, NULL, &reader);
		cr_assert_not_null(reader);
		while (status == MPROF_OK) {
			status = mprof_reader_next_block(reader, &block);
			blocks += status == MPROF_OK;
		}
		error = reader_error_of(reader);
		cr_assert_eq(status, state.reads < fail_at ? MPROF_END : MPROF_ERR_IO);
		if (status == MPROF_ERR_IO) {
			cr_assert_eq(error.status, MPROF_ERR_IO);
			cr_assert_eq(error.system_error, EIO);
			/* The source works again. */
			while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK)
				blocks++;
			cr_assert_eq(status, MPROF_END);
		}
		cr_assert_eq(blocks, log_block_count(&log));
		mprof_reader_destroy(reader);
		cr_assert_eq(state.closed, 1);
	}
	log_free(&log);
}

Test(reader, source_is_closed_in_all_cases)
{
	log_bytes log = log_make(MPROF2, 0);
	test_source state = {&log, 0, 200, 0, 0, 0};
	mprof_source source = {sizeof(mprof_source), source_read, NULL, source_close, &state, NULL};
	mprof_reader_options options;
	mprof_reader *reader;

	mprof_reader_options_init(&options, sizeof(options));
	options.follow = 2;
	cr_assert_eq(mprof_reader_open_source(&source, &options, &reader), MPROF_ERR_ARGUMENT);
	cr_assert_null(reader);
	cr_assert_eq(state.closed, 1);
	source.read = NULL;
	cr_assert_eq(mprof_reader_open_source(&source, NULL, &reader), MPROF_ERR_ARGUMENT);
	cr_assert_eq(state.closed, 2);
	log_free(&log);
}

static void expect_not_opened(const char *path, mprof_status status, int system_error, const char *what)
{
	mprof_reader *reader = NULL;
	mprof_block block;
	mprof_event event;
	mprof_error error;
	mprof_mapping mapping;
	size_t count;
	int64_t time;

	cr_assert_eq(mprof_reader_open_path(path, NULL, &reader), status, "%s", path);
	cr_assert_not_null(reader);
	error = reader_error_of(reader);
	cr_assert_eq(error.status, status);
	cr_assert_eq(error.severity, MPROF_SEVERITY_FATAL);
	cr_assert_eq(error.system_error, system_error);
	cr_assert_not_null(strstr(error.what, what), "%s", error.what);
	/* All other calls are safe. */
	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_next_block(reader, &block), status);
	cr_assert_eq(mprof_reader_load(reader, &block), status);
	cr_assert_neq(mprof_reader_next_events(reader, &event, 1, &count), MPROF_OK);
	cr_assert_neq(mprof_reader_next_mappings(reader, &mapping, sizeof(mapping), 1, &count), MPROF_OK);
	cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_ERR_STATE);
	cr_assert_eq(mprof_reader_get_time(reader, 1, &time), MPROF_AGAIN);
	cr_assert_eq(session_of(reader).complete, 0);
	cr_assert_str_eq(session_of(reader).runtime, "");
	mprof_reader_destroy(reader);
}

Test(reader, no_log)
{
	char *empty = write_file("", 0);
	char *mlpd = write_file("\x01ZPM\x0a\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a", 15);
	char *text = write_file("Hello, this is some text.", 25);

	expect_not_opened(".", MPROF_ERR_IO, EISDIR, "cannot open");
	expect_not_opened("/nowhere/to/be/found", MPROF_ERR_IO, ENOENT, "cannot open");
	expect_not_opened("/dev/null", MPROF_ERR_NOT_MPROF, 0, "empty");
	expect_not_opened(empty, MPROF_ERR_NOT_MPROF, 0, "empty");
	expect_not_opened(mlpd, MPROF_ERR_NOT_MPROF, 0, ".mlpd");
	expect_not_opened(text, MPROF_ERR_NOT_MPROF, 0, "does not start");
	unlink(empty);
	unlink(mlpd);
	unlink(text);
	free(empty);
	free(mlpd);
	free(text);
}

Test(reader, bad_descriptor)
{
	mprof_reader *reader = NULL;

	cr_assert_eq(mprof_reader_open_fd(-1, NULL, &reader), MPROF_ERR_IO);
	cr_assert_eq(reader_error_of(reader).system_error, EBADF);
	mprof_reader_destroy(reader);
	mprof_reader_destroy(NULL);
}

Test(reader, session)
{
	log_bytes log = log_make(MPROF2, 0);
	mprof_reader *reader = open_memory(&log);
	mprof_session session = session_of(reader);
	mprof_block block;

	cr_assert_eq(session.dialect, MPROF2);
	cr_assert_eq(session.version, 2);
	cr_assert_eq(session.flags, MPROF_INTRO_FLAG_ENTER_LEAVE);
	cr_assert_str_eq(session.runtime, "fixture");
	cr_assert_eq(session.start.counter, 5100000);
	cr_assert_eq(session.last.counter, 5100000);
	cr_assert_eq(session.counters_per_second, 0);
	cr_assert_eq(session.complete, 0);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		continue;
	session = session_of(reader);
	cr_assert_eq(session.complete, 1);
	cr_assert_eq(session.counters_per_second, 1e9);
	cr_assert_eq(session.lost_events, 7);
	cr_assert_gt(session.last.counter, 5100000);
	cr_assert_eq(session.compressed, 0);
	session.struct_size = 3;
	cr_assert_eq(mprof_reader_get_session(reader, &session), MPROF_ERR_ARGUMENT);
	mprof_reader_destroy(reader);
	log_free(&log);
}

Test(reader, time)
{
	log_bytes log = log_make(MPROF2, 0);
	mprof_reader *reader = open_memory(&log);
	mprof_block block;
	int64_t time;

	cr_assert_eq(mprof_reader_get_time(reader, 5100010, &time), MPROF_AGAIN);
	cr_assert_eq(time, 10);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		continue;
	cr_assert_eq(mprof_reader_get_time(reader, 5100000, &time), MPROF_OK);
	cr_assert_eq(time, 0);
	cr_assert_eq(mprof_reader_get_time(reader, 6100000, &time), MPROF_OK);
	cr_assert_eq(time, 1000000);
	cr_assert_eq(mprof_reader_get_time(reader, 5099999, &time), MPROF_OK);
	cr_assert_eq(time, -1);
	mprof_reader_destroy(reader);
	log_free(&log);
}

Test(reader, names)
{
	log_bytes log = log_make(MPROF2, FIXTURE_ALL_DIRECTIVES);
	mprof_reader *reader = open_memory(&log);
	mprof_mapping mapping;
	mprof_block block;
	const char *name;
	char text[64];

	cr_assert_eq(mprof_reader_lookup_class(reader, 3, &mapping, sizeof(mapping)), MPROF_ERR_UNDEFINED_ID);
	mprof_block_init(&block, sizeof(block));
	do
		cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	while (block.kind != MPROF_BLOCK_MAPPING);
	cr_assert_eq(mprof_reader_get_class_count(reader), 10);
	cr_assert_eq(mprof_reader_get_method_count(reader), 20);
	cr_assert_eq(mprof_reader_lookup_class(reader, 4, &mapping, sizeof(mapping)), MPROF_OK);
	cr_assert_str_eq(mapping.name, "Space.Class4");
	cr_assert_eq(mapping.assembly_id, 1);
	name = mapping.name;
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		continue;
	cr_assert_eq(mprof_reader_get_class_count(reader), 20);
	cr_assert_eq(mprof_reader_get_method_count(reader), 40);
	cr_assert_str_eq(name, "Space.Class4", "it stays where it is");
	cr_assert_eq(mprof_reader_lookup_method(reader, 7, &mapping, sizeof(mapping)), MPROF_OK);
	cr_assert_eq(mapping.class_id, 4);
	cr_assert_eq(mapping.flags, 1);
	cr_assert_eq(mprof_reader_format_method(reader, 7, text, sizeof(text)), strlen("Space.Class4.Method7 (int)"));
	cr_assert_str_eq(text, "Space.Class4.Method7 (int)");
	cr_assert_eq(mprof_reader_lookup_method(reader, 41, &mapping, sizeof(mapping)), MPROF_ERR_UNDEFINED_ID);
	mprof_reader_destroy(reader);
	log_free(&log);
}

Test(reader, names_memory)
{
	log_bytes log = log_make(MPROF2, 0);
	mprof_reader_options options;
	mprof_reader *reader;
	mprof_block block;
	mprof_status status;
	int limits = 0;

	mprof_reader_options_init(&options, sizeof(options));
	options.max_names_memory = 1000;
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, &options, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) != MPROF_END) {
		if (status == MPROF_ERR_LIMIT) {
			cr_assert_eq(block.kind, MPROF_BLOCK_MAPPING);
			cr_assert_eq(reader_error_of(reader).severity, MPROF_SEVERITY_BLOCK);
			cr_assert_eq(reader_error_of(reader).offset, block.offset);
			limits++;
		} else {
			cr_assert_eq(status, MPROF_OK);
		}
	}
	cr_assert_eq(limits, 2);
	cr_assert_eq(session_of(reader).complete, 1);
	mprof_reader_destroy(reader);
	log_free(&log);
}

/* Headers of all blocks, contents of some; names and losses are collected from all. */
static void check_wanted(const log_bytes *log, uint64_t wanted)
{
	mprof_reader_options options;
	mprof_reader *reader;
	mprof_block block;
	size_t blocks = 0;

	mprof_reader_options_init(&options, sizeof(options));
	options.wanted.bits[0] = wanted;
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, &options, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		cr_assert_eq(block.offset, log_block_offset(log, blocks++));
		cr_assert_eq(block.loaded, (wanted >> block.kind & 1), "kind %u", (unsigned)block.kind);
		if (!block.loaded) {
			cr_assert_null(block.as.intro.runtime);
			cr_assert_eq(block.has_clocks, 0);
		}
	}
	cr_assert_eq(blocks, log_block_count(log));
	cr_assert_eq(mprof_reader_get_method_count(reader), 40);
	cr_assert_eq(session_of(reader).complete, 1);
	cr_assert_eq(session_of(reader).lost_events, 7);
	cr_assert_eq(session_of(reader).valid_bytes, log->length);
	mprof_reader_destroy(reader);
}

Test(reader, wanted)
{
	log_bytes log = log_make(MPROF2, FIXTURE_ALL_DIRECTIVES);

	for (uint32_t kind = 0; kind < 40; kind++)
		check_wanted(&log, MPROF_BLOCK_BIT(kind));
	log_free(&log);
}

Test(reader, load)
{
	log_bytes log = log_make(MPROF2, 0);
	mprof_reader_options options;
	mprof_reader *reader;
	mprof_block block;
	mprof_block loaded;
	mprof_event events[FIXTURE_BLOCK_EVENTS];
	uint64_t total = 0;
	size_t count;

	mprof_reader_options_init(&options, sizeof(options));
	options.wanted.bits[0] = MPROF_BLOCK_BIT(MPROF_BLOCK_END);
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, &options, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	mprof_block_init(&loaded, sizeof(loaded));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		cr_assert_eq(mprof_reader_load(reader, &loaded), MPROF_OK);
		cr_assert_eq(loaded.loaded, 1);
		cr_assert_eq(loaded.offset, block.offset);
		if (loaded.kind == MPROF_BLOCK_INTRO)
			cr_assert_str_eq(loaded.as.intro.runtime, "fixture");
		if (loaded.kind == MPROF_BLOCK_EVENTS) {
			cr_assert_eq(mprof_reader_next_events(reader, events, FIXTURE_BLOCK_EVENTS, &count), MPROF_OK);
			total += count;
		}
	}
	cr_assert_eq(total, 2 * FIXTURE_BLOCK_EVENTS);
	cr_assert_eq(session_of(reader).lost_events, 7, "not counted twice");
	mprof_reader_destroy(reader);
	log_free(&log);
}

/* Blocks that are not wanted are skipped by seeking. */
typedef struct counting_source {
	test_source inner;
	uint64_t read;
	int seeks;
} counting_source;

static int counting_read(void *user, void *bytes, size_t length, size_t *got)
{
	counting_source *self = user;
	int fault = source_read(&self->inner, bytes, length, got);

	self->read += *got;
	return fault;
}

static int counting_seek(void *user, uint64_t offset)
{
	counting_source *self = user;

	self->seeks++;
	self->inner.position = offset < self->inner.log->length ? (size_t)offset : self->inner.log->length;
	return 0;
}

static log_bytes make_long_log(size_t length)
{
	log_bytes log = {malloc(24 + length), 24 + length};

	cr_assert_not_null(log.bytes);
	memset(log.bytes, 0, log.length);
	memcpy(log.bytes, "\x01\x00\x05\x00\x00\x00\x81\x00\x80\x81\x81\x2a", 12);
	log.bytes[13] = (uint8_t)length;
	log.bytes[14] = (uint8_t)(length >> 8);
	log.bytes[15] = (uint8_t)(length >> 16);
	memcpy(log.bytes + 17 + length, "\x2b\x00\x01\x00\x00\x00x", 7);
	return log;
}

Test(reader, seeks_over)
{
	log_bytes log = make_long_log(10000000);
	counting_source state = {{&log, 0, SIZE_MAX, 0, 0, 0}, 0, 0};
	mprof_source source = {sizeof(mprof_source), counting_read, counting_seek, NULL, &state, NULL};
	mprof_reader_options options;
	mprof_reader *reader;
	mprof_block block;

	mprof_reader_options_init(&options, sizeof(options));
	options.wanted.bits[0] = MPROF_BLOCK_BIT(MPROF_BLOCK_INTRO);
	cr_assert_eq(mprof_reader_open_source(&source, &options, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	for (uint32_t code = 1; code < 44; code += code == 1 ? 41 : 1) {
		cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
		cr_assert_eq(block.code, code);
	}
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_END);
	cr_assert_eq(state.seeks, 1);
	cr_assert_lt(state.read, 200000);
	cr_assert_eq(session_of(reader).valid_bytes, log.length);
	mprof_reader_destroy(reader);
	/* A log that is truncated inside a skipped block. */
	log.length -= 8;
	state = (counting_source){{&log, 0, SIZE_MAX, 0, 0, 0}, 0, 0};
	cr_assert_eq(mprof_reader_open_source(&source, &options, &reader), MPROF_OK);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_ERR_TRUNCATED);
	cr_assert_eq(reader_error_of(reader).offset, log.length, "where it is cut");
	cr_assert_eq(state.seeks, 2, "there, and back");
	mprof_reader_destroy(reader);
	log_free(&log);
}

/* A damaged length that exceeds both the limit and the end of the log. */
Test(reader, damaged_length_beyond_limit)
{
	log_bytes log = log_make(MPROF2, 0);
	size_t number = 5;
	log_digest digest;
	mprof_reader *reader;

	log.bytes[log_block_offset(&log, number) + 5] = 0x7f;
	reader = open_memory(&log);
	log_digest_read(&digest, reader);
	cr_assert_eq(digest.first.status, MPROF_ERR_LIMIT);
	cr_assert_eq(digest.last, MPROF_END);
	cr_assert_eq(digest.blocks, 13 - 1);
	cr_assert_eq(digest.faults, 2);
	cr_assert_eq(session_of(reader).complete, 0);
	mprof_reader_destroy(reader);
	log_free(&log);
}

Test(reader, bad_intro_can_be_passed)
{
	log_bytes log = log_make(MPROF2, 0);
	mprof_reader *reader = NULL;
	mprof_block block;
	size_t blocks = 0;

	log.bytes[8] ^= 1;
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &reader), MPROF_ERR_CHECKSUM);
	cr_assert_eq(reader_error_of(reader).severity, MPROF_SEVERITY_BLOCK);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		blocks++;
	cr_assert_eq(blocks, log_block_count(&log) - 1);
	cr_assert_eq(session_of(reader).complete, 0);
	cr_assert_eq(session_of(reader).dialect, MPROF2);
	mprof_reader_destroy(reader);
	log_free(&log);
}

static uint64_t definition_count(const mprof_reader *reader)
{
	uint64_t count = mprof_reader_get_class_count(reader) + mprof_reader_get_method_count(reader);

	for (uint32_t kind = MPROF_RECORD_STACK; kind <= MPROF_RECORD_METRIC; kind++)
		count += mprof_reader_get_record_count(reader, kind);
	return count;
}

/* After refused memory neither reading nor seeking is possible. */
static void expect_no_more(mprof_reader *reader)
{
	mprof_block block;

	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(reader_error_of(reader).severity, MPROF_SEVERITY_FATAL);
	cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_ERR_MEMORY);
	cr_assert_eq(mprof_reader_load(reader, &block), MPROF_ERR_MEMORY);
	cr_assert_eq(mprof_reader_seek(reader, 0), MPROF_ERR_MEMORY);
	cr_assert_eq(mprof_reader_build_index(reader), MPROF_ERR_MEMORY);
	cr_assert_eq(reader_error_of(reader).status, MPROF_ERR_MEMORY);
}

/* One request for memory is refused: the call returns the error, and the reader cannot be used any more. */
static void read_with_failures(const log_bytes *log, uint64_t definitions, const log_digest *expected,
			       failing_allocator *memory)
{
	mprof_allocator allocator = failing_allocator_interface(memory);
	mprof_reader_options options;
	mprof_reader *reader = NULL;
	mprof_block block;
	mprof_status status;
	uint64_t blocks = 0;

	mprof_reader_options_init(&options, sizeof(options));
	options.allocator = &allocator;
	mprof_block_init(&block, sizeof(block));
	status = mprof_reader_open_memory(log->bytes, log->length, &options, &reader);
	while (status == MPROF_OK) {
		status = mprof_reader_next_block(reader, &block);
		blocks += status == MPROF_OK;
	}
	if (status == MPROF_END)
		status = mprof_reader_build_index(reader);
	/* Some tables can do without more memory: they use another representation. */
	if (status == MPROF_OK || memory->refused == 0) {
		cr_assert_eq(status, MPROF_OK);
		cr_assert_eq(blocks, expected->blocks);
		cr_assert_eq(definition_count(reader), definitions);
		cr_assert_eq(mprof_reader_get_index_count(reader), expected->blocks);
	} else {
		cr_assert_eq(status, MPROF_ERR_MEMORY);
		if (reader != NULL)
			expect_no_more(reader);
	}
	mprof_reader_destroy(reader);
	cr_assert_eq(memory->blocks, 0);
}

static void check_memory_failures(log_bytes log, uint64_t definitions, const log_bytes *plain)
{
	log_digest expected;

	log_digest_parse(&expected, plain, 0, NULL);
	for (size_t fail_at = 1;; fail_at++) {
		failing_allocator memory = {0};

		memory.fail_at = fail_at;
		memory.fail_once = 1;
		read_with_failures(&log, definitions, &expected, &memory);
		if (memory.refused == 0)
			break;
	}
	log_free(&log);
}

Test(reader, no_memory)
{
	log_bytes plain = log_make(MPROF2, FIXTURE_ALL_DIRECTIVES);
	log_bytes more = log_make_more(FIXTURE_ALL_DIRECTIVES);

	check_memory_failures(log_make(MPROF2, FIXTURE_ALL_DIRECTIVES), 60, &plain);
	check_memory_failures(log_make_more(FIXTURE_ALL_DIRECTIVES), 20 + 24 + 120 + 3 + 2, &more);
#ifdef MPROF_WITH_ZLIB
	check_memory_failures(log_make_compressed(MPROF2, FIXTURE_ALL_DIRECTIVES), 60, &plain);
	check_memory_failures(log_make_more_compressed(FIXTURE_ALL_DIRECTIVES), 20 + 24 + 120 + 3 + 2, &more);
#endif
	log_free(&plain);
	log_free(&more);
}

/* After MPROF_ERR_LIMIT a block is loaded with a higher limit. */
Test(reader, raises_the_limit_of_a_block)
{
	log_bytes log = log_make(MPROF2, 0);
	mprof_reader_options options;
	mprof_reader *reader;
	mprof_block block;
	mprof_status status;
	size_t loaded = 0;

	mprof_reader_options_init(&options, sizeof(options));
	options.max_block_length = 100;
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, &options, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) != MPROF_END) {
		if (status == MPROF_OK)
			continue;
		cr_assert_eq(status, MPROF_ERR_LIMIT);
		cr_assert_eq(block.loaded, 0);
		cr_assert_neq(block.kind, 0, "the fields of the header are there");
		mprof_reader_set_max_block_length(reader, 1 << 20);
		cr_assert_eq(mprof_reader_load(reader, &block), MPROF_OK);
		cr_assert_eq(block.loaded, 1);
		mprof_reader_set_max_block_length(reader, 100);
		loaded++;
	}
	cr_assert_gt(loaded, 1);
	mprof_reader_destroy(reader);
	log_free(&log);
}
