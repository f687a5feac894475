/* SPDX-License-Identifier: MIT */
/* Arguments that are IDs or durations, in copies whose IDs or unit differ. */
#include <criterion/criterion.h>

#include <mprof.h>

#include <stdlib.h>
#include <string.h>

static void write_texts(mprof_writer *writer, uint32_t first, const char *name)
{
	const mprof_record record = {.kind = MPROF_RECORD_TEXT, .id = first, .as.text.text = name};

	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_TEXTS, 0, &record, sizeof(record), 1), MPROF_OK);
}

static void define_type(mprof_writer *writer)
{
	mprof_record records[3] = {{.kind = MPROF_RECORD_ARGUMENT, .id = 1},
				   {.kind = MPROF_RECORD_ARGUMENT, .id = 2},
				   {.kind = MPROF_RECORD_TYPE, .id = 1}};

	records[0].as.argument =
		(mprof_argument_record){MPROF_ARGUMENT_DURATION, 0, MPROF_ROLE_DURATION, 0, "time", NULL};
	records[1].as.argument = (mprof_argument_record){MPROF_ARGUMENT_TEXT_ID, 0, 0, 0, "path", NULL};
	records[2].as.type = (mprof_type_record){MPROF_TYPE_SPAN, 0, 3, 1, 2, 0, "read", 0, ""};
	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_TYPES, 0, records, sizeof(records[0]), 3),
		     MPROF_OK);
}

static void write_event(mprof_writer *writer, uint64_t duration, uint64_t text)
{
	/* The last byte is of an argument that the type does not describe. */
	uint8_t bytes[32];
	mprof_argument_value value = {duration, NULL, 0};
	mprof_event_detail detail = {.struct_size = sizeof(detail), .arguments = bytes};
	mprof_event event = {.kind = MPROF_EVENT_TYPED, .id = 1, .counter = 1000000};

	detail.argument_size = mprof_argument_encode(&value, 0, bytes, sizeof(bytes));
	value.number = text;
	detail.argument_size +=
		mprof_argument_encode(&value, 0, bytes + detail.argument_size, sizeof(bytes) - detail.argument_size);
	bytes[detail.argument_size++] = 0x55;
	event.more.detail = &detail;
	cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
}

/* A log in which the second block of texts is damaged: the IDs of the third differ in the copy. */
static uint8_t *damaged_log(size_t *length)
{
	mprof_writer_options options;
	mprof_writer *writer = NULL;
	const uint8_t *bytes;
	uint8_t *copy;
	size_t damage;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_TYPED_EVENTS);
	options.counters_per_second = 1e9;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	write_texts(writer, 1, "one");
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &damage), MPROF_OK);
	write_texts(writer, 2, "two");
	write_texts(writer, 3, "three");
	define_type(writer);
	cr_assert_eq(mprof_writer_begin_events(writer, 7, 900), MPROF_OK);
	write_event(writer, 123456, 3);
	write_event(writer, 5, 2);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, length), MPROF_OK);
	copy = malloc(*length);
	cr_assert_not_null(copy);
	memcpy(copy, bytes, *length);
	copy[damage + 12] ^= 0x10;
	mprof_writer_destroy(writer);
	return copy;
}

static mprof_reader *convert(const uint8_t *bytes, size_t length, uint64_t resolution_ns, mprof_writer **writer)
{
	mprof_converter_options options;
	mprof_writer_options writer_options;
	mprof_converter *converter = NULL;
	mprof_reader *source = NULL;
	mprof_reader *reader = NULL;
	const uint8_t *copy;
	size_t copy_length;

	mprof_converter_options_init(&options, sizeof(options));
	options.resolution_ns = resolution_ns;
	options.counters_per_second = 1e9;
	cr_assert_eq(mprof_reader_open_memory(bytes, length, NULL, &source), MPROF_OK);
	cr_assert_eq(mprof_converter_create(source, &options, &converter), MPROF_OK);
	mprof_writer_options_init(&writer_options, sizeof(writer_options));
	cr_assert_eq(mprof_converter_get_writer_options(converter, &writer_options), MPROF_OK);
	cr_assert_eq(mprof_writer_open_memory(&writer_options, writer), MPROF_OK);
	cr_assert_eq(mprof_converter_run(converter, *writer, NULL, NULL), MPROF_ERR_CHECKSUM);
	mprof_converter_destroy(converter);
	cr_assert_eq(mprof_writer_get_memory(*writer, &copy, &copy_length), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(copy, copy_length, NULL, &reader), MPROF_OK);
	mprof_reader_destroy(source);
	return reader;
}

static void check_argument(const mprof_event *event, size_t *position, uint64_t number)
{
	mprof_argument_value value;

	cr_assert_eq(mprof_argument_decode(event->more.detail, MPROF_ENCODING_UNSIGNED, position, &value), 1);
	cr_expect_eq(value.number, number, "%llu, not %llu", (unsigned long long)value.number,
		     (unsigned long long)number);
}

static void check_copy(mprof_reader *reader, uint64_t divisor)
{
	mprof_event events[4];
	mprof_block block;
	mprof_record record;
	size_t count = 0;
	size_t position = 0;

	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK && block.kind != MPROF_BLOCK_EVENTS)
		continue;
	cr_assert_eq(mprof_reader_next_events(reader, events, 4, &count), MPROF_OK);
	cr_assert_eq(count, 2);
	check_argument(&events[0], &position, 123456 / divisor);
	check_argument(&events[0], &position, 2);
	cr_expect_eq(position + 1, events[0].more.detail->argument_size);
	cr_expect_eq(events[0].more.detail->arguments[position], 0x55);
	position = 0;
	check_argument(&events[1], &position, 5 / divisor);
	/* The text is not defined in the copy. */
	check_argument(&events[1], &position, 0);
	cr_assert_eq(mprof_reader_lookup_record(reader, MPROF_RECORD_TEXT, 2, &record, sizeof(record)), MPROF_OK);
	cr_expect_str_eq(record.as.text.text, "three");
	cr_assert_eq(mprof_reader_lookup_record(reader, MPROF_RECORD_TYPE, 1, &record, sizeof(record)), MPROF_OK);
	cr_expect_eq(record.as.type.category, 2);
}

Test(convert_types, ids_and_durations_are_those_of_the_copy)
{
	for (uint64_t divisor = 1; divisor <= 1000; divisor *= 1000) {
		mprof_writer *writer = NULL;
		size_t length;
		uint8_t *log = damaged_log(&length);
		mprof_reader *reader = convert(log, length, divisor == 1 ? 0 : divisor, &writer);

		check_copy(reader, divisor);
		mprof_reader_destroy(reader);
		mprof_writer_destroy(writer);
		free(log);
	}
}

static mprof_writer *write_applications(void)
{
	mprof_writer_options options;
	mprof_writer *writer = NULL;

	mprof_writer_options_init(&options, sizeof(options));
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	for (uint32_t flags = 0; flags < 4; flags++)
		cr_assert_eq(mprof_writer_write_application(writer, "org.example", 11, flags, flags, "data", 4),
			     MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	return writer;
}

static void expect_applications(mprof_reader *reader)
{
	size_t copied = 0;
	mprof_block block;

	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		if (block.kind != MPROF_BLOCK_APPLICATION)
			continue;
		cr_expect_eq(block.as.application.flags, 2 + copied);
		cr_expect_eq(block.as.application.kind, 2 + copied);
		cr_expect_str_eq(block.as.application.name, "org.example");
		cr_expect(block.as.application.size == 4 && memcmp(block.as.application.bytes, "data", 4) == 0);
		copied++;
	}
	cr_expect_eq(copied, 2);
}

/* Data of applications is copied if it does not refer to the log. */
Test(convert_types, data_of_applications)
{
	mprof_writer *source = write_applications();
	mprof_writer *target = NULL;
	mprof_writer_stats stats = {.struct_size = sizeof(stats)};
	mprof_converter_options wanted;
	mprof_writer_options options;
	mprof_writer_options any_loss;
	mprof_converter *converter = NULL;
	mprof_reader *reader = NULL;
	const uint8_t *bytes;
	size_t length;

	mprof_writer_options_init(&any_loss, sizeof(any_loss));
	any_loss.lossy = 1;
	mprof_converter_options_init(&wanted, sizeof(wanted));
	wanted.writer = &any_loss;
	cr_assert_eq(mprof_writer_get_memory(source, &bytes, &length), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(bytes, length, NULL, &reader), MPROF_OK);
	cr_assert_eq(mprof_converter_create(reader, &wanted, &converter), MPROF_OK);
	mprof_writer_options_init(&options, sizeof(options));
	cr_assert_eq(mprof_converter_get_writer_options(converter, &options), MPROF_OK);
	cr_assert_eq(mprof_writer_open_memory(&options, &target), MPROF_OK);
	cr_assert_eq(mprof_converter_run(converter, target, NULL, NULL), MPROF_OK);
	mprof_converter_destroy(converter);
	mprof_reader_destroy(reader);
	mprof_writer_destroy(source);
	cr_assert_eq(mprof_writer_get_stats(target, &stats), MPROF_OK);
	cr_expect_eq(stats.left_out_blocks[MPROF_BLOCK_APPLICATION], 2);
	cr_assert_eq(mprof_writer_get_memory(target, &bytes, &length), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(bytes, length, NULL, &reader), MPROF_OK);
	expect_applications(reader);
	mprof_reader_destroy(reader);
	mprof_writer_destroy(target);
}
