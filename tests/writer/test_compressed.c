/* SPDX-License-Identifier: MIT */
/*
 * Compressed blocks: a reader delivers the same events and names as from blocks that are not compressed, what is
 * intact in a truncated or damaged log, and nothing that a false length promises.
 */
#include <mprof/parser.h>
#include <mprof/reader.h>
#include <mprof/writer.h>

#include "base/bytes.h"
#include "base/caller_structs.h"
#include "base/checksum.h"
#include "codec/packer.h"
#include "format/blocks/block_decode.h"
#include "format/values/varint.h"
#include "logs/log_fixture.h"
#include "writer/put_block.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define METHODS 30
#define BLOCKS 3
#define BLOCK_EVENTS 150
#define MAX_EVENTS 4096
#define HEADER_LENGTH 6
#define CHECKSUM_LENGTH 4
#define COMPRESSED_CODE 44

/* What was read of a log. */
typedef struct log_result {
	size_t event_count;
	uint64_t counters[MAX_EVENTS];
	uint32_t ids[MAX_EVENTS];
	uint64_t names;        /* Methods that are defined. */
	size_t compressed;     /* Blocks that are compressed. */
	size_t unsupported;    /* Blocks that could not be decompressed. */
	size_t faults;         /* Other blocks that could not be read. */
	mprof_status last;     /* The status that ended the reading. */
	mprof_error error;     /* The last error of a block. */
	uint64_t base_counter; /* Of the last EVENTS block. */
} log_result;

static log_result expected;
static log_result found;

TestSuite(compressed, .timeout = 120);

static void write_methods(mprof_writer *writer)
{
	for (uint32_t id = 1; id <= METHODS; id++) {
		const mprof_method_definition method = {
			.struct_size = sizeof(method), .id = id, .name = "MethodOfTheProgram", .name_length = 18};

		cr_assert_eq(mprof_writer_define_method(writer, &method), MPROF_OK);
	}
}

static void write_block(mprof_writer *writer, uint64_t block)
{
	mprof_event events[BLOCK_EVENTS];
	size_t written;

	memset(events, 0, sizeof(events));
	for (uint32_t i = 0; i < BLOCK_EVENTS; i++) {
		events[i].kind = i % 2 == 0 ? MPROF_EVENT_METHOD_ENTER : MPROF_EVENT_METHOD_LEAVE;
		events[i].id = i / 2 * 7 % METHODS + 1;
		events[i].counter = 1000 * (block + 1) + 5 * i + i % 3;
	}
	cr_assert_eq(mprof_writer_begin_events(writer, 7 + block, 1000 * (block + 1)), MPROF_OK);
	cr_assert_eq(mprof_writer_write_events(writer, events, BLOCK_EVENTS, &written), MPROF_OK);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
}

/* Clocks that are the same in every log. */
static void read_clock(void *user, mprof_clock *clock)
{
	uint64_t *readings = user;

	clock->counter = 1000 + 100 * ++*readings;
	clock->time = 1700000000000000u + *readings;
}

static log_bytes write_log(uint32_t codec, uint32_t level, uint32_t has_columns, const mprof_allocator *allocator)
{
	mprof_writer_options options;
	mprof_writer *writer;
	uint64_t readings = 0;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.codec = codec;
	options.codec_level = level;
	options.has_columns = has_columns;
	options.clock = read_clock;
	options.clock_user = &readings;
	options.allocator = allocator;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	write_methods(writer);
	for (uint64_t block = 0; block < BLOCKS; block++)
		write_block(writer, block);
	return log_take(writer);
}

static void read_events(mprof_reader *reader, log_result *result)
{
	mprof_event events[64];
	size_t count;

	while (mprof_reader_next_events(reader, events, 64, &count) == MPROF_OK) {
		for (size_t i = 0; i < count && result->event_count < MAX_EVENTS; i++, result->event_count++) {
			result->counters[result->event_count] = events[i].counter;
			result->ids[result->event_count] = events[i].id;
		}
	}
}

/* Counts the status of a block. Returns 0 if the reading is over. */
static int note_status(mprof_reader *reader, mprof_status status, log_result *result)
{
	result->last = status;
	if (status == MPROF_OK)
		return 1;
	result->error.struct_size = sizeof(result->error);
	cr_assert_eq(mprof_reader_get_error(reader, &result->error), MPROF_OK);
	if (status == MPROF_END || status == MPROF_AGAIN)
		return 0;
	result->unsupported += status == MPROF_ERR_UNSUPPORTED;
	result->faults += status != MPROF_ERR_UNSUPPORTED && result->error.severity == MPROF_SEVERITY_BLOCK;
	return result->error.severity == MPROF_SEVERITY_BLOCK || status == MPROF_ERR_TRUNCATED;
}

static void read_log(const uint8_t *bytes, size_t length, mprof_reader_options *options, log_result *result)
{
	mprof_reader *reader;
	mprof_block block;
	mprof_status status;

	memset(result, 0, sizeof(*result));
	status = mprof_reader_open_memory(bytes, length, options, &reader);
	mprof_block_init(&block, sizeof(block));
	result->last = status;
	if (reader == NULL)
		return;
	while (note_status(reader, status, result)) {
		int is_over = status == MPROF_ERR_TRUNCATED;

		if (status == MPROF_OK)
			result->compressed += block.codec != MPROF_CODEC_NONE;
		if (block.kind == MPROF_BLOCK_EVENTS && block.loaded) {
			result->base_counter = block.as.events.base_counter;
			read_events(reader, result);
		}
		if (is_over)
			break;
		mprof_block_init(&block, sizeof(block));
		status = mprof_reader_next_block(reader, &block);
	}
	result->names = mprof_reader_get_method_count(reader);
	mprof_reader_destroy(reader);
}

/* The events of \p found are those of a log without damage, in order; some may be missing. */
static void expect_subset(size_t position)
{
	size_t next = 0;

	for (size_t i = 0; i < found.event_count; i++) {
		while (next < expected.event_count &&
		       (found.counters[i] != expected.counters[next] || found.ids[i] != expected.ids[next]))
			next++;
		cr_assert_lt(next, expected.event_count, "event %zu of the log with damage at %zu", i, position);
		next++;
	}
}

static void expect_everything(void)
{
	cr_assert_eq(found.last, MPROF_END);
	cr_assert_eq(found.faults + found.unsupported, 0);
	cr_assert_eq(found.names, METHODS);
	cr_assert_eq(found.event_count, expected.event_count);
	cr_assert_arr_eq(found.counters, expected.counters, sizeof(found.counters));
	cr_assert_arr_eq(found.ids, expected.ids, sizeof(found.ids));
}

/* Reads the log without compression, which the others are compared with. */
static void set_expected(void)
{
	log_bytes plain = write_log(MPROF_CODEC_NONE, 0, 0, NULL);

	read_log(plain.bytes, plain.length, NULL, &expected);
	cr_assert_eq(expected.last, MPROF_END);
	cr_assert_eq(expected.event_count, BLOCKS * BLOCK_EVENTS);
	cr_assert_eq(expected.names, METHODS);
	free(plain.bytes);
}

/* Calls a function for the log with each codec of this build, in rows and in columns. */
static void with_each_log(void (*check)(log_bytes *log))
{
	size_t checked = 0;

	set_expected();
	for (uint32_t codec = MPROF_CODEC_DEFLATE; codec <= MPROF_CODEC_ZSTD; codec++) {
		for (uint32_t has_columns = 0; has_columns <= 1 && codec_max_level(codec) > 0; has_columns++) {
			log_bytes log = write_log(codec, 0, has_columns, NULL);

			check(&log);
			free(log.bytes);
			checked++;
		}
	}
	if (checked == 0)
		cr_skip_test("the library has no codec");
}

static void check_content(log_bytes *log)
{
	read_log(log->bytes, log->length, NULL, &found);
	expect_everything();
	cr_assert_eq(found.compressed, BLOCKS + 1);
}

Test(compressed, blocks_have_the_content_of_others)
{
	with_each_log(check_content);
}

Test(compressed, blocks_have_the_same_content_at_each_level)
{
	set_expected();
	for (uint32_t codec = MPROF_CODEC_DEFLATE; codec <= MPROF_CODEC_ZSTD; codec++) {
		for (uint32_t level = 1; level <= codec_max_level(codec); level++) {
			log_bytes log = write_log(codec, level, 1, NULL);

			read_log(log.bytes, log.length, NULL, &found);
			expect_everything();
			free(log.bytes);
		}
	}
}

static void check_truncated(log_bytes *log)
{
	size_t most = 0;

	for (size_t length = 0; length < log->length; length++) {
		uint8_t *copy = malloc(length + 1);

		memcpy(copy, log->bytes, length);
		read_log(copy, length, NULL, &found);
		cr_assert_geq(found.event_count, most, "at %zu", length);
		cr_assert(found.last != MPROF_OK && found.faults == 0, "at %zu", length);
		most = found.event_count;
		expect_subset(length);
		free(copy);
	}
	cr_assert_eq(most, expected.event_count);
}

Test(compressed, blocks_yield_the_events_before_they_are_truncated)
{
	with_each_log(check_truncated);
}

/* Two thirds of a deflate stream contain at least some events. */
Test(compressed, a_truncated_block_yields_events)
{
	log_bytes log;

	if (codec_max_level(MPROF_CODEC_DEFLATE) == 0)
		cr_skip_test("the library has no codec");
	log = write_log(MPROF_CODEC_DEFLATE, 1, 0, NULL);
	/* END and the checksum of the last block of events are short. */
	read_log(log.bytes, log.length - 60, NULL, &found);
	cr_assert_eq(found.last, MPROF_ERR_TRUNCATED);
	cr_assert_gt(found.event_count, (BLOCKS - 1) * BLOCK_EVENTS);
	cr_assert_lt(found.event_count, BLOCKS * BLOCK_EVENTS);
	free(log.bytes);
}

/* The length of INTRO and its header. */
static size_t intro_span(const log_bytes *log)
{
	return HEADER_LENGTH + bytes_load_32(log->bytes + 2);
}

static void check_damaged(log_bytes *log)
{
	for (size_t i = intro_span(log); i < log->length; i++) {
		const uint8_t right = log->bytes[i];

		for (uint32_t change = 1; change < 256; change = change * 5 + 1) {
			log->bytes[i] = (uint8_t)(right ^ change);
			read_log(log->bytes, log->length, NULL, &found);
			expect_subset(i);
			/* Resynchronisation finds the block after the damaged one. */
			cr_assert_geq(found.event_count, (BLOCKS - 1) * BLOCK_EVENTS, "at %zu", i);
		}
		log->bytes[i] = right;
	}
}

Test(compressed, damage_of_each_byte_concerns_one_block)
{
	with_each_log(check_damaged);
}

static void check_unverified(log_bytes *log)
{
	mprof_reader_options options;

	mprof_reader_options_init(&options, sizeof(options));
	options.ignore_checksums = 1;
	options.max_block_length = 1 << 20;
	for (size_t i = 0; i < log->length; i++) {
		const uint8_t right = log->bytes[i];

		for (uint32_t change = 1; change < 256; change = change * 3 + 1) {
			log->bytes[i] = (uint8_t)(right ^ change);
			read_log(log->bytes, log->length, &options, &found);
			cr_assert_leq(found.event_count, MAX_EVENTS);
		}
		log->bytes[i] = right;
	}
}

Test(compressed, reading_survives_damage_without_checksums)
{
	with_each_log(check_unverified);
}

/* A block made by hand. */
typedef struct made_block {
	uint8_t bytes[512];
	size_t length;
} made_block;

static void put_int(made_block *created, uint64_t value)
{
	created->length += varint_encode(value, created->bytes + created->length);
}

static void begin_block(made_block *created)
{
	memset(created, 0, sizeof(*created));
	created->bytes[0] = COMPRESSED_CODE;
	created->length = HEADER_LENGTH;
}

static void end_block(made_block *created)
{
	bytes_store_32(created->bytes + 2, (uint32_t)(created->length - HEADER_LENGTH + CHECKSUM_LENGTH));
	bytes_store_32(created->bytes + created->length, checksum_update(0, created->bytes, created->length));
	created->length += CHECKSUM_LENGTH;
}

/* The log with a block after INTRO. */
static log_bytes insert_block(const log_bytes *log, const made_block *created)
{
	log_bytes copy = {malloc(log->length + created->length), log->length + created->length};
	size_t start = intro_span(log);

	memcpy(copy.bytes, log->bytes, start);
	memcpy(copy.bytes + start, created->bytes, created->length);
	memcpy(copy.bytes + start + created->length, log->bytes + start, log->length - start);
	return copy;
}

/* Fields of a block, and a zlib stream of one stored deflate block with 40 bytes that make a MARK. */
typedef struct false_fields {
	uint64_t code;
	uint64_t codec;
	uint64_t unpacked_length;
	uint64_t head_length;
	uint64_t tail_length;
	mprof_status status;
} false_fields;

#define MARK_CODE 39
#define MARK_LENGTH 40

/* A MARK: counter 5, thread 7, and a text. */
static void make_mark(uint8_t *content)
{
	memset(content, 'x', MARK_LENGTH);
	content[0] = 0x85;
	content[1] = 0x87;
	content[MARK_LENGTH - 1] = 0;
}

static uint32_t adler(const uint8_t *bytes, size_t length)
{
	uint32_t low = 1;
	uint32_t high = 0;

	for (size_t i = 0; i < length; i++) {
		low = (low + bytes[i]) % 65521;
		high = (high + low) % 65521;
	}
	return high << 16 | low;
}

static void put_stored_stream(made_block *created, const uint8_t *bytes, uint8_t length)
{
	const uint32_t sum = adler(bytes, length);
	const uint8_t start[] = {0x78, 0x01, 0x01, length, 0, (uint8_t)~length, 0xff};

	memcpy(created->bytes + created->length, start, sizeof(start));
	memcpy(created->bytes + created->length + sizeof(start), bytes, length);
	created->length += sizeof(start) + length;
	for (int shift = 24; shift >= 0; shift -= 8)
		created->bytes[created->length++] = (uint8_t)(sum >> shift);
}

static void make_false_block(made_block *created, const false_fields *fields)
{
	uint8_t mark[MARK_LENGTH];

	make_mark(mark);
	begin_block(created);
	put_int(created, fields->code);
	put_int(created, fields->codec);
	put_int(created, fields->unpacked_length);
	put_int(created, fields->head_length);
	put_int(created, fields->tail_length);
	put_stored_stream(created, mark, MARK_LENGTH);
	end_block(created);
}

static void check_false_block(const log_bytes *plain, const made_block *created, mprof_status status)
{
	log_bytes log = insert_block(plain, created);

	read_log(log.bytes, log.length, NULL, &found);
	cr_assert_eq(found.faults + found.unsupported, status == MPROF_OK ? 0 : 1, "%s", found.error.what);
	cr_assert_eq(found.unsupported, status == MPROF_ERR_UNSUPPORTED ? 1 : 0);
	if (status != MPROF_OK) {
		cr_assert_eq(found.error.block_offset, intro_span(plain));
		cr_assert_eq(found.error.status, status, "%s", found.error.what);
	}
	cr_assert_eq(found.event_count, expected.event_count);
	cr_assert_eq(found.names, METHODS);
	free(log.bytes);
}

/* Everything else in the log is delivered. */
Test(compressed, false_fields_are_refused)
{
	static const false_fields fields[] = {
		{MARK_CODE, 1, MARK_LENGTH, 0, 0, MPROF_OK},
		{MARK_CODE, 1, MARK_LENGTH - 1, 0, 0, MPROF_ERR_MALFORMED},
		{MARK_CODE, 1, MARK_LENGTH + 1, 0, 0, MPROF_ERR_MALFORMED},
		{MARK_CODE, 1, UINT64_C(64) << 20, 0, 0, MPROF_ERR_MALFORMED},
		{MARK_CODE, 1, (UINT64_C(64) << 20) + 1, 0, 0, MPROF_ERR_LIMIT},
		{MARK_CODE, 1, UINT32_MAX, 0, 0, MPROF_ERR_LIMIT},
		{MARK_CODE, 1, (uint64_t)UINT32_MAX + 1, 0, 0, MPROF_ERR_MALFORMED},
		{MARK_CODE, 1, UINT64_MAX, 0, 0, MPROF_ERR_MALFORMED},
		{MARK_CODE, 1, MARK_LENGTH, 1, 0, MPROF_ERR_MALFORMED},
		{MARK_CODE, 1, MARK_LENGTH, 0, 1, MPROF_ERR_MALFORMED},
		{MARK_CODE, 1, MARK_LENGTH, MARK_LENGTH + 1, 0, MPROF_ERR_MALFORMED},
		{MARK_CODE, 1, MARK_LENGTH, MARK_LENGTH, 1, MPROF_ERR_MALFORMED},
		{MARK_CODE, 1, 1000, 500, 500, MPROF_ERR_MALFORMED},
		{MARK_CODE, 0, MARK_LENGTH, 0, 0, MPROF_ERR_MALFORMED},
		{MARK_CODE, 99, MARK_LENGTH, 0, 0, MPROF_ERR_UNSUPPORTED},
		{MARK_CODE, UINT64_MAX, MARK_LENGTH, 0, 0, MPROF_ERR_UNSUPPORTED},
		{0, 1, MARK_LENGTH, 0, 0, MPROF_ERR_MALFORMED},
		{1, 1, MARK_LENGTH, 0, 0, MPROF_ERR_MALFORMED},
		{7, 1, MARK_LENGTH, 0, 0, MPROF_ERR_MALFORMED},
		{10, 1, MARK_LENGTH, 0, 0, MPROF_ERR_MALFORMED},
		{44, 1, MARK_LENGTH, 0, 0, MPROF_ERR_MALFORMED},
		{45, 1, MARK_LENGTH, 0, 0, MPROF_ERR_MALFORMED},
		{256, 1, MARK_LENGTH, 0, 0, MPROF_ERR_MALFORMED},
		{UINT64_MAX, 1, MARK_LENGTH, 0, 0, MPROF_ERR_MALFORMED},
		/* A MARK does not follow the grammar of STACKS. */
		{36, 1, MARK_LENGTH, 0, 0, MPROF_ERR_MALFORMED},
	};
	log_bytes plain;

	if (codec_max_level(MPROF_CODEC_DEFLATE) == 0)
		cr_skip_test("the library has no codec");
	set_expected();
	plain = write_log(MPROF_CODEC_NONE, 0, 0, NULL);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		made_block created;

		make_false_block(&created, &fields[i]);
		check_false_block(&plain, &created, fields[i].status);
	}
	free(plain.bytes);
}

/* The position of a fault in decompressed content is not an offset in the log. */
Test(compressed, a_fault_in_the_content_has_the_offset_of_the_block)
{
	const false_fields fields = {36, 1, MARK_LENGTH, 0, 0, MPROF_ERR_MALFORMED};
	log_bytes plain;
	made_block created;
	log_bytes log;

	if (codec_max_level(MPROF_CODEC_DEFLATE) == 0)
		cr_skip_test("the library has no codec");
	plain = write_log(MPROF_CODEC_NONE, 0, 0, NULL);
	make_false_block(&created, &fields);
	log = insert_block(&plain, &created);
	read_log(log.bytes, log.length, NULL, &found);
	cr_assert_eq(found.error.offset, intro_span(&plain));
	cr_assert_gt(found.error.offset_in_block, HEADER_LENGTH);
	cr_assert_leq(found.error.offset_in_block, HEADER_LENGTH + MARK_LENGTH);
	cr_assert_eq(found.error.block_code, 36);
	free(plain.bytes);
	free(log.bytes);
}

typedef struct own_codec {
	codec_set codecs;
	size_t calls;
	mprof_status status; /* What is returned in place of a result. */
	size_t claimed;      /* Claimed in addition to what was produced. */
} own_codec;

static mprof_status decompress(void *user, const void *input, size_t input_length, void *output, size_t output_length,
			       size_t *produced)
{
	own_codec *filled = user;
	mprof_status status;

	filled->calls++;
	status = codec_unpack(&filled->codecs, MPROF_CODEC_DEFLATE, input, input_length, output, output_length,
			      produced);
	*produced += filled->claimed;
	return filled->status != MPROF_OK ? filled->status : status;
}

static void set_codecs(mprof_reader_options *options, const mprof_codec *codec)
{
	mprof_reader_options_init(options, sizeof(*options));
	options->codecs = codec;
	options->codec_count = 1;
}

static void own_codec_init(own_codec *filled)
{
	mprof_allocator allocator;

	memset(filled, 0, sizeof(*filled));
	cr_assert(allocator_init(&allocator, NULL));
	codec_set_init(&filled->codecs, &allocator);
}

Test(compressed, codecs_of_the_caller_are_used)
{
	/* Also those that a codec must not return. */
	static const mprof_status failures[] = {MPROF_ERR_MALFORMED, MPROF_ERR_TRUNCATED,   MPROF_END,
						MPROF_AGAIN,         MPROF_ERR_UNSUPPORTED, MPROF_ERR_INTERRUPTED,
						MPROF_ERR_IO,        MPROF_ERR_LIMIT};
	own_codec filled;
	mprof_codec codec = {sizeof(codec), MPROF_CODEC_DEFLATE, 0, decompress, &filled};
	mprof_reader_options options;
	log_bytes log;

	if (codec_max_level(MPROF_CODEC_DEFLATE) == 0)
		cr_skip_test("the library has no codec");
	set_expected();
	own_codec_init(&filled);
	log = write_log(MPROF_CODEC_DEFLATE, 0, 0, NULL);
	set_codecs(&options, &codec);
	read_log(log.bytes, log.length, &options, &found);
	expect_everything();
	cr_assert_eq(filled.calls, BLOCKS + 1);
	/* What the codec returns is not trusted. */
	filled.claimed = 1;
	read_log(log.bytes, log.length, &options, &found);
	cr_assert_eq(found.event_count, 0);
	cr_assert_eq(found.faults, BLOCKS + 1);
	filled.claimed = (size_t)-1;
	read_log(log.bytes, log.length, &options, &found);
	cr_assert_eq(found.event_count, 0);
	cr_assert_eq(found.faults, BLOCKS + 1);
	filled.claimed = 0;
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		filled.status = failures[i];
		read_log(log.bytes, log.length, &options, &found);
		cr_assert_eq(found.faults, BLOCKS + 1, "%d", failures[i]);
		cr_assert_eq(found.last, MPROF_END, "%d", failures[i]);
	}
	filled.status = MPROF_ERR_MEMORY;
	read_log(log.bytes, log.length, &options, &found);
	cr_assert_eq(found.last, MPROF_ERR_MEMORY);
	codec_set_destroy(&filled.codecs);
	free(log.bytes);
}

/* A number that the library does not have, here with the data of deflate. */
Test(compressed, codecs_of_the_caller_may_be_new)
{
	const false_fields fields = {MARK_CODE, 99, MARK_LENGTH, 0, 0, MPROF_OK};
	own_codec filled;
	mprof_codec codec = {sizeof(codec), 99, 0, decompress, &filled};
	mprof_reader_options options;
	made_block created;
	log_bytes plain;
	log_bytes log;

	if (codec_max_level(MPROF_CODEC_DEFLATE) == 0)
		cr_skip_test("the library has no codec");
	own_codec_init(&filled);
	plain = write_log(MPROF_CODEC_NONE, 0, 0, NULL);
	make_false_block(&created, &fields);
	log = insert_block(&plain, &created);
	set_codecs(&options, &codec);
	read_log(log.bytes, log.length, &options, &found);
	cr_assert_eq(found.faults + found.unsupported, 0);
	cr_assert_eq(filled.calls, 1);
	codec_set_destroy(&filled.codecs);
	free(plain.bytes);
	free(log.bytes);
}

Test(compressed, invalid_codecs_are_refused)
{
	const mprof_codec valid = {sizeof(valid), 99, 0, decompress, NULL};
	const mprof_codec invalid[] = {{0, 99, 0, decompress, NULL},
				       {sizeof(valid), 0, 0, decompress, NULL},
				       {sizeof(valid), 99, 1, decompress, NULL},
				       {sizeof(valid), 99, 0, NULL, NULL}};
	mprof_parser_options options;
	mprof_parser *parser;

	mprof_parser_options_init(&options, sizeof(options));
	options.codec_count = 1;
	cr_assert_eq(mprof_parser_create(&options, &parser), MPROF_ERR_ARGUMENT);
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++) {
		options.codecs = &invalid[i];
		cr_assert_eq(mprof_parser_create(&options, &parser), MPROF_ERR_ARGUMENT);
		cr_assert_null(parser);
	}
	options.codecs = &valid;
	cr_assert_eq(mprof_parser_create(&options, &parser), MPROF_OK);
	mprof_parser_destroy(parser);
	options.codec_count = CODEC_MAX_ADDED + 1;
	cr_assert_eq(mprof_parser_create(&options, &parser), MPROF_ERR_ARGUMENT);
}

Test(compressed, invalid_options_are_refused)
{
	mprof_writer_options options;
	mprof_writer *writer;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.codec = MPROF_CODEC_DEFLATE;
	options.dialect = MPROF_DIALECT_MONO;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_ERR_UNSUPPORTED);
	(void)mprof_writer_destroy(writer);
	options.dialect = MPROF_DIALECT_MPROF2;
	options.codec = MPROF_CODEC_ZSTD + 1;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_ERR_ARGUMENT);
	options.codec = MPROF_CODEC_NONE;
	options.codec_level = 1;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_ERR_ARGUMENT);
	for (uint32_t codec = MPROF_CODEC_DEFLATE; codec <= MPROF_CODEC_ZSTD; codec++) {
		options.codec = codec;
		options.codec_level = codec_max_level(codec) + 1;
		cr_assert_eq(mprof_writer_open_memory(&options, &writer),
			     codec_max_level(codec) > 0 ? MPROF_ERR_ARGUMENT : MPROF_ERR_UNSUPPORTED);
		(void)mprof_writer_destroy(writer);
	}
}

/* Feeds a log byte by byte. The kind of a block is known from its first bytes. */
static void check_fed(log_bytes *log)
{
	mprof_parser *parser;
	mprof_block block;
	size_t fed = 0;
	size_t blocks[2] = {0, 0};
	mprof_status status;

	cr_assert_eq(mprof_parser_create(NULL, &parser), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_parser_next_header(parser, &block)) != MPROF_END) {
		cr_assert(status == MPROF_OK || status == MPROF_AGAIN);
		if (status == MPROF_OK) {
			blocks[0] += block.codec != MPROF_CODEC_NONE && block.kind == MPROF_BLOCK_EVENTS;
			blocks[1] += block.codec != MPROF_CODEC_NONE && block.kind == MPROF_BLOCK_MAPPING;
			cr_assert(block.codec == MPROF_CODEC_NONE || block.unpacked_length > block.length / 2);
			cr_assert(block.code != COMPRESSED_CODE);
			cr_assert_leq(fed, block.offset + block.header_length + COMPRESSED_FIELDS_LENGTH);
		} else if (fed < log->length) {
			cr_assert_eq(mprof_parser_feed(parser, log->bytes + fed++, 1), MPROF_OK);
		} else {
			mprof_parser_finish(parser);
		}
	}
	cr_assert_eq(blocks[0], BLOCKS);
	cr_assert_eq(blocks[1], 1);
	cr_assert(mprof_parser_is_complete(parser));
	mprof_parser_destroy(parser);
}

Test(compressed, the_kind_is_known_from_the_first_bytes)
{
	with_each_log(check_fed);
}

/* Refuses the request after a number of others. */
static size_t requests_left;

static void *reallocate_at_times(void *user, void *memory, size_t old_size, size_t new_size)
{
	(void)user;
	(void)old_size;
	if (requests_left == 0)
		return NULL;
	requests_left--;
	return realloc(memory, new_size);
}

static void *allocate_at_times(void *user, size_t size)
{
	return reallocate_at_times(user, NULL, 0, size);
}

static void release(void *user, void *memory, size_t size)
{
	(void)user;
	(void)size;
	free(memory);
}

static const mprof_allocator refusing = {sizeof(refusing), allocate_at_times, reallocate_at_times, release, NULL};

/* Refuses all requests after a number of others. */
static void check_refused(log_bytes *log)
{
	mprof_reader_options options;
	size_t refused = 0;

	mprof_reader_options_init(&options, sizeof(options));
	options.allocator = &refusing;
	for (size_t request = 0; request < 2000; request++) {
		requests_left = request;
		read_log(log->bytes, log->length, &options, &found);
		expect_subset(request);
		if (found.last != MPROF_ERR_MEMORY)
			break;
		refused++;
	}
	cr_assert_gt(refused, 5);
	expect_everything();
}

Test(compressed, refused_memory_is_reported)
{
	with_each_log(check_refused);
}

/* A block for which there is no memory to compress it is written as it is. */
Test(compressed, refused_memory_loses_no_events)
{
	set_expected();
	for (uint32_t codec = MPROF_CODEC_DEFLATE; codec <= MPROF_CODEC_ZSTD; codec++) {
		for (size_t request = 0; request < 20 && codec_max_level(codec) > 0; request++) {
			codec_packer packer;
			encode_buffer block;
			encode_buffer packed;
			mprof_allocator allocator;
			const block_encoding encoding = {.rules = dialect_get(MPROF_DIALECT_MPROF2)};
			int is_packed;

			cr_assert(allocator_init(&allocator, NULL));
			encode_buffer_init(&block, &allocator, SIZE_MAX);
			encode_buffer_init(&packed, &refusing, SIZE_MAX);
			codec_packer_init(&packer, &refusing, codec, 0);
			block_encode_begin(&block, &encoding, MPROF_BLOCK_MARK);
			for (int i = 0; i < 1000; i++)
				encode_byte(&block, (uint8_t)(i / 100));
			requests_left = request;
			is_packed = block_compress(&packer, &encoding, &block, NULL, &packed);
			cr_assert(request > 0 || !is_packed);
			requests_left = SIZE_MAX;
			/* The same packer compresses the next block. */
			cr_assert(block_compress(&packer, &encoding, &block, NULL, &packed));
			codec_packer_destroy(&packer);
			encode_buffer_destroy(&block);
			encode_buffer_destroy(&packed);
		}
	}
}
