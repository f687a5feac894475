/* SPDX-License-Identifier: MIT */
#include "classic_log.h"

#include "base/bytes.h"
#include "base/failing_allocator.h"
#include "format/values/varint.h"

#include <criterion/criterion.h>

#include <string.h>

#define FIRST_COUNTER 1000
#define MAX_EVENTS 64

static size_t header_length(const classic_log *log)
{
	return log->dialect == MPROF_DIALECT_DROP ? 6 : 10;
}

static void make_room(const classic_log *log, size_t length)
{
	cr_assert_leq(log->length + length, sizeof(log->bytes));
}

static void put_int(classic_log *log, uint64_t value)
{
	make_room(log, MPROF_VARINT_MAX_LENGTH);
	log->length = (size_t)(varint_put(log->bytes + log->length, value) - log->bytes);
}

void classic_log_put_byte(classic_log *log, uint8_t byte)
{
	make_room(log, 1);
	log->bytes[log->length++] = byte;
}

void classic_log_put_text(classic_log *log, const char *text)
{
	size_t size = strlen(text) + 1;

	make_room(log, size);
	memcpy(log->bytes + log->length, text, size);
	log->length += size;
}

void classic_log_put(classic_log *log, const uint64_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_int(log, numbers[i]);
}

static void put_clock(classic_log *log)
{
	put_int(log, log->counter);
	put_int(log, log->counter);
	log->counter += 10;
}

static size_t open_block(classic_log *log, uint8_t code)
{
	make_room(log, header_length(log));
	log->block = log->length;
	memset(log->bytes + log->block, 0, header_length(log));
	log->bytes[log->block] = code;
	log->length += header_length(log);
	return log->block;
}

static void close_block(classic_log *log)
{
	bytes_store_32(log->bytes + log->block + 2, (uint32_t)(log->length - log->block - header_length(log)));
}

void classic_log_begin(classic_log *log, mprof_dialect dialect)
{
	log->dialect = dialect;
	log->length = 0;
	log->counter = FIRST_COUNTER;
	open_block(log, CLASSIC_INTRO);
	put_int(log, 1);
	classic_log_put_text(log, "mono");
	put_int(log, 0x119f);
	put_clock(log);
	close_block(log);
}

size_t classic_log_open(classic_log *log, uint8_t code)
{
	size_t start = open_block(log, code);

	put_clock(log);
	return start;
}

void classic_log_close(classic_log *log)
{
	put_clock(log);
	close_block(log);
}

size_t classic_log_open_events(classic_log *log, uint64_t thread)
{
	uint64_t base = log->counter;
	size_t start = classic_log_open(log, CLASSIC_EVENTS);

	put_int(log, thread);
	put_int(log, base);
	return start;
}

void classic_log_close_events(classic_log *log)
{
	classic_log_put_byte(log, 0);
	classic_log_close(log);
}

void classic_log_directives(classic_log *log, uint64_t directives)
{
	classic_log_open(log, CLASSIC_DIRECTIVES);
	for (uint32_t directive = 1; directive < 64; directive++) {
		if (directives >> directive & 1)
			put_int(log, directive);
	}
	put_int(log, 0);
	classic_log_close(log);
}

void classic_log_section(classic_log *log, const uint64_t *numbers, size_t count)
{
	classic_log_put_byte(log, 0x4f);
	put_int(log, numbers[0]);
	put_int(log, count - 1);
	classic_log_put(log, numbers + 1, count - 1);
}

void classic_log_allocation(classic_log *log)
{
	/* The code holds the low five bits of the class ID. */
	classic_log_put_byte(log, 3 << 3 | 4);
	put_int(log, 0);
	put_int(log, 24);
}

void classic_log_monitor(classic_log *log)
{
	classic_log_put_byte(log, 0x1e);
	CLASSIC_PUT(log, 3, 0, MPROF_MONITOR_CONTENDED, 0x7000);
}

void classic_log_end(classic_log *log)
{
	open_block(log, CLASSIC_END);
	put_int(log, 1);
	put_clock(log);
	close_block(log);
}

mprof_reader *classic_log_read(const classic_log *log, const mprof_reader_options *options)
{
	mprof_reader *reader;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, options, &reader), MPROF_OK);
	return reader;
}

/* Returns the first status other than #MPROF_OK. */
static mprof_status read_whole(const classic_log *log, const mprof_reader_options *options, mprof_block_kind kind,
			       size_t capacity)
{
	mprof_reader *reader;
	mprof_block block;
	mprof_status status = mprof_reader_open_memory(log->bytes, log->length, options, &reader);
	mprof_event events[MAX_EVENTS];
	size_t count;

	cr_assert_leq(capacity, MAX_EVENTS);
	mprof_block_init(&block, sizeof(block));
	while (status == MPROF_OK && (status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		if (block.kind != (uint32_t)kind)
			continue;
		do
			status = mprof_reader_next_events(reader, events, capacity, &count);
		while (status == MPROF_OK);
		if (status == MPROF_END)
			status = MPROF_OK;
	}
	mprof_reader_destroy(reader);
	return status;
}

void classic_log_refuse_memory(const classic_log *log, mprof_block_kind kind, size_t capacity, int fail_once)
{
	size_t refused = 1;

	for (size_t fail_at = 1; refused > 0; fail_at++) {
		failing_allocator memory = {.fail_at = fail_at, .fail_once = fail_once};
		mprof_allocator allocator = failing_allocator_interface(&memory);
		mprof_reader_options options;
		mprof_status status;

		mprof_reader_options_init(&options, sizeof(options));
		options.allocator = &allocator;
		status = read_whole(log, &options, kind, capacity);
		cr_assert_eq(memory.blocks, 0);
		refused = memory.refused;
		cr_assert_eq(status, refused > 0 ? MPROF_ERR_MEMORY : MPROF_END, "request %zu", fail_at);
	}
}

void classic_log_go_to(mprof_reader *reader, mprof_block_kind kind, mprof_block *block)
{
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_status status;

	mprof_block_init(block, sizeof(*block));
	do {
		status = mprof_reader_next_block(reader, block);
		(void)mprof_reader_get_error(reader, &error);
		cr_assert_eq(status, MPROF_OK, "%s", error.what);
	} while (block->kind != (uint32_t)kind);
}
