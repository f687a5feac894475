/* SPDX-License-Identifier: MIT */
/* Events of types in columns are read as those in rows, whatever their types and arguments are. */
#include <criterion/criterion.h>

#include <mprof.h>

#include <stdlib.h>
#include <string.h>

#define TYPES 24
#define EVENTS 20000
#define MAX_BYTES 3000

/* How the arguments of a log are. */
typedef struct log_shape {
	uint32_t encodings[TYPES][MPROF_TYPE_MAX_ARGUMENTS];
	uint32_t counts[TYPES];
	int has_calls;    /* Events of other kinds are between. */
	int is_irregular; /* Arguments are missing at the end, bytes follow the last one, or numbers are too long. */
	uint64_t random;
} log_shape;

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static void choose_types(log_shape *shape)
{
	for (uint32_t type = 0; type < TYPES; type++) {
		/* No argument, the most, and few. */
		shape->counts[type] = type == 0   ? 0
				      : type == 1 ? MPROF_TYPE_MAX_ARGUMENTS
						  : (uint32_t)(next_random(&shape->random) % 6);
		for (uint32_t i = 0; i < shape->counts[type]; i++)
			shape->encodings[type][i] = (uint32_t)(next_random(&shape->random) % 4);
	}
}

static void define_types(mprof_writer *writer, const log_shape *shape)
{
	uint32_t argument = 0;

	for (uint32_t type = 0; type < TYPES; type++) {
		mprof_record records[MPROF_TYPE_MAX_ARGUMENTS + 1];
		size_t count = 0;

		for (uint32_t i = 0; i < shape->counts[type]; i++) {
			mprof_record *record = &records[count++];

			*record = (mprof_record){.kind = MPROF_RECORD_ARGUMENT, .id = argument + i + 1};
			record->as.argument.encoding = shape->encodings[type][i];
			record->as.argument.name = "a";
		}
		records[count] = (mprof_record){.kind = MPROF_RECORD_TYPE, .id = type + 1};
		records[count].as.type.first_argument = shape->counts[type] > 0 ? argument + 1 : 0;
		records[count].as.type.argument_count = shape->counts[type];
		records[count++].as.type.name = "t";
		argument += shape->counts[type];
		cr_assert_eq(
			mprof_writer_write_records(writer, MPROF_BLOCK_TYPES, 0, records, sizeof(records[0]), count),
			MPROF_OK);
	}
}

/* A number of any length, small ones more often. */
static uint64_t random_number(uint64_t *random)
{
	const uint64_t number = next_random(random);

	return number >> (next_random(random) % 64);
}

static size_t encode_argument(uint64_t *random, uint32_t encoding, uint8_t *out)
{
	static uint8_t text[64];
	mprof_argument_value value = {.number = random_number(random), .bytes = text};

	/* Few texts, of which some are longer than others, and one in ten is of its own. */
	memset(text, 'a' + (int)(value.number % 7), sizeof(text));
	value.length = value.number % 7 * 5;
	if (next_random(random) % 10 == 0) {
		memcpy(text, &value.number, sizeof(value.number));
		value.length = sizeof(value.number);
	}
	return mprof_argument_encode(&value, encoding, out, 64);
}

/* The arguments of an event. Returns their length. */
static size_t encode_arguments(log_shape *shape, uint32_t type, uint8_t *bytes)
{
	const uint64_t chosen = next_random(&shape->random);
	uint32_t count = shape->counts[type];
	size_t length = 0;

	if (shape->is_irregular && chosen % 8 == 0 && count > 0)
		count = (uint32_t)(chosen / 8 % count);
	for (uint32_t i = 0; i < count; i++)
		length += encode_argument(&shape->random, shape->encodings[type][i], bytes + length);
	if (shape->is_irregular && chosen % 8 == 1)
		bytes[length++] = (uint8_t)chosen;
	/* A number that is longer than it must be. */
	if (shape->is_irregular && chosen % 8 == 2 && length > 0 && (bytes[0] & 0x80) != 0) {
		memmove(bytes + 1, bytes, length);
		bytes[0] &= 0x7f;
		bytes[1] = 0x80;
		length++;
	}
	return length;
}

static void write_typed(mprof_writer *writer, log_shape *shape, uint64_t counter)
{
	static uint8_t bytes[64 * (MPROF_TYPE_MAX_ARGUMENTS + 1)];
	/* Some types are rare, and all arguments take long. */
	const uint64_t chosen = next_random(&shape->random) % 1000;
	const uint32_t type = chosen < 2 ? 1 : (uint32_t)(chosen * chosen % 1000 * TYPES / 1000 % TYPES);
	mprof_event_detail detail = {.struct_size = sizeof(detail), .arguments = bytes};
	mprof_event event = {.kind = MPROF_EVENT_TYPED, .id = type + 1, .counter = counter};

	if (type != 1 || chosen < 2)
		detail.argument_size = encode_arguments(shape, type, bytes);
	event.more.detail = &detail;
	cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
}

static void write_other(mprof_writer *writer, uint64_t counter, uint64_t i)
{
	mprof_event event = {.kind = MPROF_EVENT_METHOD_ENTER, .id = 1, .counter = counter};

	if (i % 3 == 1)
		event.kind = MPROF_EVENT_METHOD_LEAVE;
	if (i % 31 == 2)
		event = (mprof_event){.kind = MPROF_EVENT_ALLOCATION, .id = 1, .value = 16};
	if (i % 17 == 3)
		event = (mprof_event){.kind = MPROF_EVENT_GC_RESIZE, .value = i, .counter = counter};
	cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
}

/* Writes the log of a shape. The caller destroys the writer, which has it. */
static mprof_writer *write_log(const log_shape *input, int has_columns, uint32_t codec)
{
	static log_shape shape;
	mprof_writer_options options;
	mprof_writer *writer = NULL;
	uint64_t counter = 1000;
	const mprof_class_definition class_definition = {.struct_size = sizeof(class_definition), .id = 1, .name = "C"};
	const mprof_method_definition method = {.struct_size = sizeof(method), .id = 1, .class_id = 1, .name = "m"};

	shape = *input;
	mprof_writer_options_init(&options, sizeof(options));
	options.has_columns = (uint32_t)has_columns;
	options.codec = codec;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	define_types(writer, &shape);
	cr_assert_eq(mprof_writer_define_class(writer, &class_definition), MPROF_OK);
	cr_assert_eq(mprof_writer_define_method(writer, &method), MPROF_OK);
	cr_assert_eq(mprof_writer_begin_events(writer, 7, 900), MPROF_OK);
	for (uint64_t i = 0; i < EVENTS; i++) {
		counter += random_number(&shape.random) % 100000;
		if (shape.has_calls && next_random(&shape.random) % 4 != 0)
			write_other(writer, counter, i);
		else
			write_typed(writer, &shape, counter);
	}
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	return writer;
}

static mprof_reader *open_log(mprof_writer *writer, uint32_t threads)
{
	mprof_reader_options options;
	mprof_reader *reader = NULL;
	const uint8_t *bytes;
	size_t length;

	mprof_reader_options_init(&options, sizeof(options));
	options.threads = threads;
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(bytes, length, &options, &reader), MPROF_OK);
	return reader;
}

static size_t log_length(mprof_writer *writer)
{
	const uint8_t *bytes;
	size_t length;

	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	return length;
}

/* Goes to the next block of events. Returns 0 at the end. */
static int next_events_block(mprof_reader *reader)
{
	mprof_block block;
	mprof_status status;

	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		if (block.kind == MPROF_BLOCK_EVENTS)
			return 1;
	}
	cr_assert_eq(status, MPROF_END);
	return 0;
}

/* A reader, and its events that were fetched. */
typedef struct event_stream {
	mprof_reader *reader;
	mprof_event events[500];
	size_t count;
	size_t next;
	int has_block;
} event_stream;

static const mprof_event *next_event(event_stream *stream)
{
	if (stream->next < stream->count)
		return &stream->events[stream->next++];
	for (;;) {
		if (!stream->has_block && !next_events_block(stream->reader))
			return NULL;
		stream->has_block = 1;
		if (mprof_reader_next_events(stream->reader, stream->events, 500, &stream->count) == MPROF_OK) {
			stream->next = 1;
			return stream->events;
		}
		stream->has_block = 0;
		stream->count = 0;
		stream->next = 0;
	}
}

static void compare(const mprof_event *event, const mprof_event *wanted, uint64_t i)
{
	cr_assert_eq(event->kind, wanted->kind, "event %u", (unsigned)i);
	cr_assert_eq(event->flags, wanted->flags);
	cr_assert_eq(event->id, wanted->id, "event %u: %u, not %u", (unsigned)i, event->id, wanted->id);
	cr_assert_eq(event->counter, wanted->counter, "event %u", (unsigned)i);
	cr_assert_eq(event->value, wanted->value);
	if (event->kind != MPROF_EVENT_TYPED)
		return;
	cr_assert_eq(event->code, wanted->code, "event %u", (unsigned)i);
	cr_assert_eq(event->more.detail == NULL, wanted->more.detail == NULL);
	if (event->more.detail == NULL)
		return;
	cr_assert_eq(event->more.detail->argument_size, wanted->more.detail->argument_size, "event %u", (unsigned)i);
	cr_assert_eq(memcmp(event->more.detail->arguments, wanted->more.detail->arguments,
			    event->more.detail->argument_size),
		     0, "event %u", (unsigned)i);
}

/* Compares all events of two logs. */
static void compare_logs(mprof_writer *log, uint32_t threads, mprof_writer *rows)
{
	event_stream *streams = calloc(2, sizeof(*streams));
	uint64_t i;

	streams[0].reader = open_log(log, threads);
	streams[1].reader = open_log(rows, 0);
	for (i = 0;; i++) {
		const mprof_event *event = next_event(&streams[0]);
		const mprof_event *wanted = next_event(&streams[1]);

		cr_assert_eq(event == NULL, wanted == NULL, "after %u events", (unsigned)i);
		if (event == NULL)
			break;
		compare(event, wanted, i);
	}
	cr_assert_eq(i, EVENTS);
	mprof_reader_destroy(streams[0].reader);
	mprof_reader_destroy(streams[1].reader);
	free(streams);
}

/* Compares the events of arrays by field with those of structs. */
static void compare_arrays(mprof_writer *log, uint32_t wanted_columns, mprof_writer *rows)
{
	event_stream *stream = calloc(1, sizeof(*stream));
	mprof_reader *reader = open_log(log, 0);
	mprof_columns columns = {.struct_size = sizeof(columns)};
	uint64_t i = 0;

	stream->reader = open_log(rows, 0);
	while (next_events_block(reader)) {
		while (mprof_reader_next_columns(reader, wanted_columns, &columns) == MPROF_OK) {
			size_t row = 0;
			size_t time = 0;

			for (size_t event = 0; event < columns.event_count; event++, i++) {
				const mprof_event *wanted = next_event(stream);

				cr_assert_not_null(wanted);
				if (columns.symbols[event] == MPROF_SYMBOL_ROW)
					compare(&columns.rows[row++], wanted, i);
				else if (columns.symbols[event] <= MPROF_SYMBOL_LEAVE && columns.times != NULL)
					cr_assert_eq(columns.times[time++], wanted->counter);
			}
			cr_assert_eq(row, columns.row_count);
			cr_assert(columns.times == NULL || time == columns.time_count);
		}
	}
	cr_assert_eq(i, EVENTS);
	mprof_reader_destroy(reader);
	mprof_reader_destroy(stream->reader);
	free(stream);
}

static void compare_shape(const log_shape *shape, int is_smaller)
{
	mprof_writer *rows = write_log(shape, 0, MPROF_CODEC_NONE);
	mprof_writer *columns = write_log(shape, 1, MPROF_CODEC_NONE);

	compare_logs(columns, 0, rows);
	compare_logs(columns, 2, rows);
	compare_arrays(columns, 0, rows);
	compare_arrays(columns, MPROF_COLUMN_TIMES | MPROF_COLUMN_METHODS, rows);
	compare_arrays(columns, MPROF_COLUMN_SIZES, rows);
	if (is_smaller)
		cr_expect_lt(log_length(columns), log_length(rows));
	mprof_writer_destroy(rows);
	mprof_writer_destroy(columns);
}

Test(typed_columns, events_are_those_of_rows)
{
	for (uint64_t seed = 1; seed <= 4; seed++) {
		static log_shape shape;

		shape = (log_shape){.random = seed * UINT64_C(0x9e3779b97f4a7c15)};
		choose_types(&shape);
		compare_shape(&shape, 1);
	}
}

Test(typed_columns, other_events_between_are_kept)
{
	static log_shape shape;

	shape = (log_shape){.random = 77, .has_calls = 1};
	choose_types(&shape);
	compare_shape(&shape, 1);
}

Test(typed_columns, irregular_arguments_are_kept)
{
	static log_shape shape;

	shape = (log_shape){.random = 78, .has_calls = 1, .is_irregular = 1};
	choose_types(&shape);
	compare_shape(&shape, 0);
}

/* Copies a log. The caller destroys the writer, which has the copy. */
static mprof_writer *copy_log(mprof_writer *log, int has_columns)
{
	mprof_converter_options options;
	mprof_writer_options target;
	mprof_converter *converter = NULL;
	mprof_reader *reader = open_log(log, 0);
	mprof_writer *copy = NULL;

	mprof_writer_options_init(&target, sizeof(target));
	target.has_columns = (uint32_t)has_columns;
	mprof_converter_options_init(&options, sizeof(options));
	options.writer = &target;
	cr_assert_eq(mprof_converter_create(reader, &options, &converter), MPROF_OK);
	mprof_writer_options_init(&target, sizeof(target));
	cr_assert_eq(mprof_converter_get_writer_options(converter, &target), MPROF_OK);
	cr_assert_eq(mprof_writer_open_memory(&target, &copy), MPROF_OK);
	cr_assert_eq(mprof_converter_run(converter, copy, NULL, NULL), MPROF_OK);
	mprof_converter_destroy(converter);
	mprof_reader_destroy(reader);
	return copy;
}

Test(typed_columns, copies_have_the_same_events)
{
	static log_shape shape;
	mprof_writer *logs[2];

	shape = (log_shape){.random = 79, .has_calls = 1, .is_irregular = 1};
	choose_types(&shape);
	for (int i = 0; i < 2; i++)
		logs[i] = write_log(&shape, i, MPROF_CODEC_NONE);
	for (int i = 0; i < 4; i++) {
		mprof_writer *copy = copy_log(logs[i / 2], i % 2);

		compare_logs(copy, 0, logs[0]);
		mprof_writer_destroy(copy);
	}
	mprof_writer_destroy(logs[0]);
	mprof_writer_destroy(logs[1]);
}

Test(typed_columns, compressed_blocks_are_read)
{
	static log_shape shape;
	mprof_writer *rows;
	mprof_writer *columns;

	shape = (log_shape){.random = 80, .has_calls = 1};
	choose_types(&shape);
	rows = write_log(&shape, 0, MPROF_CODEC_NONE);
	columns = write_log(&shape, 1, MPROF_CODEC_DEFLATE);
	compare_logs(columns, 2, rows);
	cr_expect_lt(log_length(columns), log_length(rows));
	mprof_writer_destroy(rows);
	mprof_writer_destroy(columns);
}
