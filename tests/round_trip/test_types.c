/* SPDX-License-Identifier: MIT */
/* Events of types that are written and read back, and what writers and arguments refuse. */
#include <criterion/criterion.h>

#include <mprof.h>

#include <string.h>

#define TYPED MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_TYPED_EVENTS)

static mprof_writer *open_log(int has_columns)
{
	mprof_writer_options options;
	mprof_writer *writer = NULL;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = TYPED | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE);
	options.has_columns = (uint32_t)has_columns;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	return writer;
}

static mprof_record argument_of(uint32_t id, uint32_t kind, uint32_t encoding, const char *name)
{
	mprof_record record = {.kind = MPROF_RECORD_ARGUMENT, .id = id};

	record.as.argument.kind = kind;
	record.as.argument.encoding = encoding;
	record.as.argument.name = name;
	return record;
}

static mprof_record type_of(uint32_t id, uint32_t first, uint32_t count, const char *name)
{
	mprof_record record = {.kind = MPROF_RECORD_TYPE, .id = id};

	record.as.type.first_argument = first;
	record.as.type.argument_count = count;
	record.as.type.name = name;
	return record;
}

static mprof_status write_record(mprof_writer *writer, mprof_block_kind block, const mprof_record *record)
{
	return mprof_writer_write_records(writer, block, 0, record, sizeof(*record), 1);
}

/* Defines type 1 with an argument of each encoding. */
static void define_type(mprof_writer *writer)
{
	const mprof_record records[] = {
		argument_of(1, MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, "unsigned"),
		argument_of(2, MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_SIGNED, "signed"),
		argument_of(3, MPROF_ARGUMENT_DOUBLE, MPROF_ENCODING_FIXED, "double"),
		argument_of(4, MPROF_ARGUMENT_TEXT, MPROF_ENCODING_BYTES, "text"),
		type_of(1, 1, 4, "each"),
	};

	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_TYPES, 0, records, sizeof(records[0]), 5),
		     MPROF_OK);
}

static size_t encode_all(const mprof_argument_value values[4], uint8_t *bytes, size_t room)
{
	size_t length = 0;

	for (uint32_t encoding = 0; encoding < 4; encoding++)
		length += mprof_argument_encode(&values[encoding], encoding, bytes + length, room - length);
	return length;
}

/* The event number i: numbers of all lengths, and texts that may contain 00. */
static void values_of(uint64_t i, mprof_argument_value values[4])
{
	static const uint8_t text[] = "a\0b\xff\x80";

	memset(values, 0, 4 * sizeof(*values));
	values[0].number = UINT64_MAX >> (i % 64);
	values[1].number = (uint64_t)1 << 63 >> (i % 64);
	values[2].number = UINT64_C(0x7ff8000000000000) ^ i;
	values[3].bytes = text;
	values[3].length = i % 6;
}

static void write_event(mprof_writer *writer, uint64_t i)
{
	uint8_t bytes[64];
	mprof_argument_value values[4];
	mprof_event_detail detail = {.struct_size = sizeof(detail), .arguments = bytes};
	mprof_event event = {.kind = MPROF_EVENT_TYPED, .id = 1, .counter = 1000 + 10 * i};

	values_of(i, values);
	detail.argument_size = encode_all(values, bytes, sizeof(bytes));
	event.more.detail = &detail;
	cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
}

static void check_event(const mprof_event *event, uint64_t i)
{
	mprof_argument_value wanted[4];
	mprof_argument_value value;
	size_t position = 0;

	values_of(i, wanted);
	cr_assert_eq(event->kind, MPROF_EVENT_TYPED);
	cr_assert_eq(event->id, 1);
	cr_assert_eq(event->counter, 1000 + 10 * i);
	for (uint32_t encoding = 0; encoding < 4; encoding++) {
		cr_assert_eq(mprof_argument_decode(event->more.detail, encoding, &position, &value), 1);
		cr_assert_eq(value.number, wanted[encoding].number, "event %u, encoding %u", (unsigned)i, encoding);
		cr_assert_eq(value.length, wanted[encoding].length);
		cr_assert(value.length == 0 || memcmp(value.bytes, wanted[encoding].bytes, value.length) == 0);
	}
	cr_assert_eq(mprof_argument_decode(event->more.detail, 0, &position, &value), 0);
}

#define EVENTS 3000

static void check_log(const uint8_t *bytes, size_t length)
{
	mprof_reader *reader = NULL;
	mprof_record record;
	mprof_event events[64];
	mprof_block block;
	uint64_t seen = 0;

	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_open_memory(bytes, length, NULL, &reader), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		size_t count;

		if (block.kind != MPROF_BLOCK_EVENTS)
			continue;
		while (mprof_reader_next_events(reader, events, 64, &count) == MPROF_OK) {
			for (size_t i = 0; i < count; i++)
				check_event(&events[i], seen++);
		}
	}
	cr_assert_eq(seen, EVENTS);
	cr_assert_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_ARGUMENT), 4);
	cr_assert_eq(mprof_reader_lookup_record(reader, MPROF_RECORD_TYPE, 1, &record, sizeof(record)), MPROF_OK);
	cr_assert_str_eq(record.as.type.name, "each");
	cr_assert_eq(record.as.type.argument_count, 4);
	mprof_reader_destroy(reader);
}

Test(types, events_are_read_as_written)
{
	for (int has_columns = 0; has_columns < 2; has_columns++) {
		mprof_writer *writer = open_log(has_columns);
		size_t length;
		const uint8_t *bytes;

		define_type(writer);
		cr_assert_eq(mprof_writer_begin_events(writer, 7, 900), MPROF_OK);
		for (uint64_t i = 0; i < EVENTS; i++)
			write_event(writer, i);
		cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
		cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
		cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
		check_log(bytes, length);
		mprof_writer_destroy(writer);
	}
}

static mprof_status write_typed(mprof_writer *writer, uint32_t type, const uint8_t *arguments, size_t size)
{
	const mprof_event_detail detail = {
		.struct_size = sizeof(detail), .arguments = arguments, .argument_size = size};
	mprof_event event = {.kind = MPROF_EVENT_TYPED, .id = type, .counter = 2000};

	event.more.detail = &detail;
	return mprof_writer_write_events(writer, &event, 1, NULL);
}

Test(types, undefined_types_and_long_arguments_are_refused)
{
	static const uint8_t arguments[MPROF_ARGUMENTS_MAX_SIZE + 1];

	for (int has_columns = 0; has_columns < 2; has_columns++) {
		mprof_writer *writer = open_log(has_columns);

		define_type(writer);
		cr_assert_eq(mprof_writer_begin_events(writer, 7, 900), MPROF_OK);
		cr_expect_eq(write_typed(writer, 0, NULL, 0), MPROF_ERR_UNDEFINED_ID);
		cr_expect_eq(write_typed(writer, 2, NULL, 0), MPROF_ERR_UNDEFINED_ID);
		cr_expect_eq(write_typed(writer, 1, arguments, MPROF_ARGUMENTS_MAX_SIZE + 1), MPROF_ERR_ARGUMENT);
		cr_expect_eq(write_typed(writer, 1, arguments, MPROF_ARGUMENTS_MAX_SIZE), MPROF_OK);
		cr_expect_eq(write_typed(writer, 1, NULL, 0), MPROF_OK);
		cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
		mprof_writer_destroy(writer);
	}
}

/* More arguments than a block may have: with columns, the writer begins another block. */
Test(types, many_long_arguments_fill_several_blocks)
{
	static const uint8_t arguments[MPROF_ARGUMENTS_MAX_SIZE];
	mprof_writer *writer = open_log(1);
	mprof_reader *reader = NULL;
	mprof_event events[32];
	mprof_block block;
	const uint8_t *bytes;
	size_t blocks = 0;
	size_t seen = 0;
	size_t length;
	size_t count;

	define_type(writer);
	cr_assert_eq(mprof_writer_begin_events(writer, 7, 900), MPROF_OK);
	for (int i = 0; i < 300; i++)
		cr_assert_eq(write_typed(writer, 1, arguments, sizeof(arguments)), MPROF_OK);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_open_memory(bytes, length, NULL, &reader), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		blocks += block.kind == MPROF_BLOCK_EVENTS;
		while (block.kind == MPROF_BLOCK_EVENTS &&
		       mprof_reader_next_events(reader, events, 32, &count) == MPROF_OK)
			seen += count;
	}
	cr_expect_gt(blocks, 1);
	cr_expect_eq(seen, 300);
	mprof_reader_destroy(reader);
	mprof_writer_destroy(writer);
}

Test(types, definitions_are_checked)
{
	mprof_writer *writer = open_log(0);
	mprof_record text = {.kind = MPROF_RECORD_TEXT, .id = 1, .as.text.text = "io"};
	mprof_record argument = argument_of(1, 0, 4, "a");
	mprof_record type = type_of(1, 0, 0, "t");

	cr_expect_eq(write_record(writer, MPROF_BLOCK_TYPES, &argument), MPROF_ERR_ARGUMENT);
	/* Some kinds have one encoding. */
	argument = argument_of(1, MPROF_ARGUMENT_DOUBLE, MPROF_ENCODING_UNSIGNED, "a");
	cr_expect_eq(write_record(writer, MPROF_BLOCK_TYPES, &argument), MPROF_ERR_ARGUMENT);
	argument = argument_of(1, MPROF_ARGUMENT_TEXT, MPROF_ENCODING_FIXED, "a");
	cr_expect_eq(write_record(writer, MPROF_BLOCK_TYPES, &argument), MPROF_ERR_ARGUMENT);
	argument = argument_of(1, 0, MPROF_ENCODING_BYTES, "a");
	cr_expect_eq(write_record(writer, MPROF_BLOCK_TEXTS, &argument), MPROF_ERR_ARGUMENT);
	cr_expect_eq(write_record(writer, MPROF_BLOCK_TYPES, &argument), MPROF_OK);
	type.as.type.argument_count = 1;
	cr_expect_eq(write_record(writer, MPROF_BLOCK_TYPES, &type), MPROF_ERR_UNDEFINED_ID);
	type.as.type.first_argument = 1;
	type.as.type.argument_count = 2;
	cr_expect_eq(write_record(writer, MPROF_BLOCK_TYPES, &type), MPROF_ERR_UNDEFINED_ID);
	type.as.type.argument_count = 256;
	cr_expect_eq(write_record(writer, MPROF_BLOCK_TYPES, &type), MPROF_ERR_ARGUMENT);
	type.as.type.argument_count = 1;
	type.as.type.category = 1;
	cr_expect_eq(write_record(writer, MPROF_BLOCK_TYPES, &type), MPROF_ERR_UNDEFINED_ID);
	cr_expect_eq(write_record(writer, MPROF_BLOCK_TEXTS, &text), MPROF_OK);
	type.as.type.pair = 2;
	cr_expect_eq(write_record(writer, MPROF_BLOCK_TYPES, &type), MPROF_ERR_UNDEFINED_ID);
	type.as.type.pair = 0;
	type.as.type.reserved = 1;
	cr_expect_eq(write_record(writer, MPROF_BLOCK_TYPES, &type), MPROF_ERR_ARGUMENT);
	type.as.type.reserved = 0;
	cr_expect_eq(write_record(writer, MPROF_BLOCK_TYPES, &type), MPROF_OK);
	cr_expect_eq(write_record(writer, MPROF_BLOCK_TYPES, &type), MPROF_ERR_REDEFINED_ID);
	mprof_writer_destroy(writer);
}

Test(types, arguments_that_end_too_early_are_not_decoded)
{
	static const uint8_t cut[] = {0x05, 0x01};
	static const uint8_t long_text[] = {0x83, 'a', 'b'};
	mprof_event_detail detail = {.struct_size = sizeof(detail), .arguments = cut, .argument_size = sizeof(cut)};
	mprof_argument_value value = {1, cut, 1};
	size_t position = 0;

	for (uint32_t encoding = 0; encoding <= 4; encoding++) {
		cr_expect_eq(mprof_argument_decode(&detail, encoding, &position, &value), -1);
		cr_expect_eq(position, 0);
		cr_expect(value.number == 0 && value.bytes == NULL && value.length == 0);
	}
	detail.arguments = long_text;
	detail.argument_size = sizeof(long_text);
	cr_expect_eq(mprof_argument_decode(&detail, MPROF_ENCODING_BYTES, &position, &value), -1);
	position = 4;
	cr_expect_eq(mprof_argument_decode(&detail, MPROF_ENCODING_UNSIGNED, &position, &value), -1);
	position = 0;
	cr_expect_eq(mprof_argument_decode(NULL, MPROF_ENCODING_UNSIGNED, &position, &value), 0);
	detail.struct_size = 0;
	cr_expect_eq(mprof_argument_decode(&detail, MPROF_ENCODING_UNSIGNED, &position, &value), -1);
}

Test(types, arguments_that_do_not_fit_are_not_encoded)
{
	static const uint8_t text[MPROF_ARGUMENTS_MAX_SIZE];
	uint8_t out[12];
	mprof_argument_value value = {300, text, sizeof(text)};

	memset(out, 0xaa, sizeof(out));
	cr_expect_eq(mprof_argument_encode(&value, MPROF_ENCODING_UNSIGNED, NULL, 0), 2);
	cr_expect_eq(mprof_argument_encode(&value, MPROF_ENCODING_UNSIGNED, out, 1), 2);
	cr_expect_eq(mprof_argument_encode(&value, MPROF_ENCODING_FIXED, out, 7), 8);
	cr_expect_eq(out[0], 0xaa);
	cr_expect_eq(mprof_argument_encode(&value, MPROF_ENCODING_BYTES, out, sizeof(out)), 0);
	value.length = 3;
	cr_expect_eq(mprof_argument_encode(&value, MPROF_ENCODING_BYTES, out, 3), 4);
	cr_expect_eq(out[0], 0xaa);
	cr_expect_eq(mprof_argument_encode(&value, MPROF_ENCODING_BYTES, out, 4), 4);
	cr_expect_eq(mprof_argument_encode(&value, 4, out, sizeof(out)), 0);
	cr_expect_eq(mprof_argument_encode(NULL, 0, out, sizeof(out)), 0);
}
