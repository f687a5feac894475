/* SPDX-License-Identifier: MIT */
/* Samples, records, markers and heap snapshots can be written and read again, with edge cases of numbers and names. */
#include "logs/log_fixture.h"

#include "format/blocks/records.h"

#include <criterion/criterion.h>

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const uint64_t edges[] = {
	0,
	1,
	2,
	63,
	64,
	127,
	128,
	16383,
	16384,
	UINT32_MAX,
	UINT64_C(1) << 32,
	(UINT64_C(1) << 56) - 1,
	UINT64_C(1) << 56,
	INT64_MAX,
	UINT64_C(1) << 63,
	UINT64_MAX,
};

#define EDGE_COUNT COUNT_OF(edges)

static char long_name[(1 << 20) + 1];

static const char *edge_name(size_t i)
{
	static const char *const names[] = {"", "a", "Größe", "with\nlines\tand\x01", "\xff\xfe", NULL, long_name};

	memset(long_name, 'n', sizeof(long_name) - 1);
	return names[i % COUNT_OF(names)];
}

/* Edge cases of IDs, too. */
static uint32_t edge_id(size_t i)
{
	static const uint32_t ids[] = {1, 127, 128, 1 << 23, INT32_MAX, UINT32_MAX};

	return ids[i % COUNT_OF(ids)];
}

static mprof_writer *open_writer(void)
{
	mprof_writer *writer;

	cr_assert_eq(mprof_writer_open_memory(NULL, &writer), MPROF_OK);
	for (size_t i = 0; i < 6; i++) {
		const mprof_class_definition class_definition = {
			.struct_size = sizeof(mprof_class_definition), .id = edge_id(i), .name = "C", .name_length = 1};
		const mprof_method_definition method_definition = {.struct_size = sizeof(mprof_method_definition),
								   .id = edge_id(i),
								   .name = "M",
								   .name_length = 1};

		cr_assert_eq(mprof_writer_define_class(writer, &class_definition), MPROF_OK);
		cr_assert_eq(mprof_writer_define_method(writer, &method_definition), MPROF_OK);
	}
	return writer;
}

/* Closes the log and reads it up to a block. */
static mprof_reader *open_at(mprof_writer *writer, mprof_block_kind kind, mprof_block *block)
{
	const uint8_t *bytes;
	mprof_reader *reader;
	size_t length;

	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	cr_assert_eq(mprof_reader_open_memory(bytes, length, NULL, &reader), MPROF_OK);
	mprof_block_init(block, sizeof(*block));
	do
		cr_assert_eq(mprof_reader_next_block(reader, block), MPROF_OK);
	while (block->kind != kind);
	return reader;
}

static void close_both(mprof_reader *reader, mprof_writer *writer)
{
	mprof_reader_destroy(reader);
	mprof_writer_destroy(writer);
}

static void expect_same(const mprof_record *expected, const mprof_record *actual)
{
	mprof_record wanted = *expected;
	mprof_record found = *actual;
	const char **wanted_texts[] = {record_name(&wanted), record_second_text(&wanted), record_third_text(&wanted)};
	const char **found_texts[] = {record_name(&found), record_second_text(&found), record_third_text(&found)};

	cr_assert_eq(found.kind, wanted.kind);
	for (size_t i = 0; i < COUNT_OF(wanted_texts); i++) {
		if (wanted_texts[i] == NULL)
			continue;
		cr_assert_str_eq(*found_texts[i], *wanted_texts[i] != NULL ? *wanted_texts[i] : "");
		*found_texts[i] = *wanted_texts[i];
	}
	cr_assert_eq(memcmp(&wanted, &found, sizeof(found)), 0, "record %u of kind %u", (unsigned)expected->id,
		     (unsigned)expected->kind);
}

#define MAX_RECORDS 64

/* Writes a block of records and reads it, in batches of three; looks definitions up by ID. */
static void check_records(mprof_writer *writer, mprof_block_kind kind, uint32_t number, const mprof_record *records,
			  size_t count)
{
	mprof_record batch[3];
	mprof_reader *reader;
	mprof_block block;
	mprof_status status;
	size_t total = 0;
	size_t taken;

	cr_assert_eq(mprof_writer_write_records(writer, kind, number, records, sizeof(*records), count), MPROF_OK);
	reader = open_at(writer, kind, &block);
	cr_assert_eq(block.as.heap_summary.collection, number);
	cr_assert_eq(block.has_clocks, 1);
	while ((status = mprof_reader_next_records(reader, batch, sizeof(*batch), 3, &taken)) == MPROF_OK) {
		for (size_t i = 0; i < taken; i++)
			expect_same(&records[total++], &batch[i]);
	}
	cr_assert_eq(status, MPROF_END);
	cr_assert_eq(total, count);
	for (size_t i = 0; i < count; i++) {
		if (records[i].kind > MPROF_RECORD_METRIC)
			continue;
		cr_assert_eq(mprof_reader_lookup_record(reader, records[i].kind, records[i].id, &batch[0],
							sizeof(mprof_record)),
			     MPROF_OK);
		expect_same(&records[i], &batch[0]);
	}
	close_both(reader, writer);
}

static mprof_record record_of(uint32_t kind, uint32_t id)
{
	mprof_record record;

	memset(&record, 0, sizeof(record));
	record.kind = kind;
	record.id = id;
	return record;
}

Test(round_trip_records, stacks)
{
	mprof_record records[MAX_RECORDS];

	for (uint32_t i = 0; i < MAX_RECORDS; i++) {
		records[i] = record_of(MPROF_RECORD_STACK, i + 1);
		records[i].as.stack.target = i % 7 == 6 ? 0 : edge_id(i);
		records[i].as.stack.caller = i % 3 == 0 ? 0 : i / (i % 5 + 1);
	}
	check_records(open_writer(), MPROF_BLOCK_STACKS, 0, records, MAX_RECORDS);
}

Test(round_trip_records, code)
{
	mprof_record records[3 * EDGE_COUNT];

	for (uint32_t i = 0; i < EDGE_COUNT; i++) {
		mprof_record *module = &records[i];
		mprof_record *function = &records[EDGE_COUNT + i];
		mprof_record *location = &records[2 * EDGE_COUNT + i];

		*module = record_of(MPROF_RECORD_MODULE, i + 1);
		module->as.module.address = edges[i];
		module->as.module.size = edges[(i + 5) % EDGE_COUNT];
		module->as.module.file = edge_name(i);
		module->as.module.build_id = edge_name(i + 1);
		*function = record_of(MPROF_RECORD_FUNCTION, i + 1);
		function->as.function.module = i;
		function->as.function.offset = edges[(i + 3) % EDGE_COUNT];
		function->as.function.size = edges[i];
		function->as.function.name = edge_name(i + 2);
		*location = record_of(MPROF_RECORD_LOCATION, i + 1);
		location->as.location.module = i;
		location->as.location.function = EDGE_COUNT - i;
		location->as.location.offset = edges[i];
	}
	check_records(open_writer(), MPROF_BLOCK_CODE, 0, records, 3 * EDGE_COUNT);
}

Test(round_trip_records, native_stacks)
{
	mprof_writer *writer = open_writer();
	mprof_record records[2] = {record_of(MPROF_RECORD_LOCATION, 1), record_of(MPROF_RECORD_LOCATION, 2)};

	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_CODE, 0, records, sizeof(*records), 2), MPROF_OK);
	for (uint32_t i = 0; i < 2; i++) {
		records[i] = record_of(MPROF_RECORD_STACK, i + 1);
		records[i].as.stack.target = 2 - i;
		records[i].as.stack.caller = i;
		records[i].as.stack.is_native = 1;
	}
	check_records(writer, MPROF_BLOCK_STACKS, 0, records, 2);
}

/* All values are 64 bits, for integers and doubles alike. */
Test(round_trip_records, metrics)
{
	mprof_record records[EDGE_COUNT + 2 * EDGE_COUNT];

	for (uint32_t i = 0; i < EDGE_COUNT; i++) {
		mprof_record *values = &records[EDGE_COUNT + 2 * i];

		records[i] = record_of(MPROF_RECORD_METRIC, i + 1);
		records[i].as.metric.flags =
			i % 2 == 0 ? (uint32_t)edges[i] & UINT32_C(0xff0) : MPROF_METRIC_FLAG_DOUBLE;
		if ((records[i].as.metric.flags & MPROF_METRIC_FLAG_THREAD) != 0)
			records[i].as.metric.thread = edges[EDGE_COUNT - 1 - i];
		records[i].as.metric.name = edge_name(i);
		records[i].as.metric.section = edge_name(i + 1);
		if ((records[i].as.metric.flags & MPROF_METRIC_UNIT_MASK) == MPROF_METRIC_UNIT_NAMED)
			records[i].as.metric.unit = edge_name(i + 2);
		for (uint32_t j = 0; j < 2; j++) {
			values[j] = record_of(MPROF_RECORD_METRIC_VALUE, j == 0 ? i + 1 : EDGE_COUNT - i);
			values[j].as.metric_value.is_double = records[i].as.metric.flags & MPROF_METRIC_FLAG_DOUBLE;
			values[j].as.metric_value.value = edges[i];
			values[j].as.metric_value.counter = edges[EDGE_COUNT - 1 - i];
			values[j].as.metric_value.lower = edges[(i + j) % EDGE_COUNT];
			values[j].as.metric_value.count = edges[(i + 2 * j) % EDGE_COUNT];
		}
		/* The metric at the other end has the other type. */
		values[1].as.metric_value.is_double ^= MPROF_METRIC_FLAG_DOUBLE;
	}
	check_records(open_writer(), MPROF_BLOCK_METRICS, 0, records, COUNT_OF(records));
}

Test(round_trip_records, roots)
{
	mprof_record records[EDGE_COUNT];

	for (uint32_t i = 0; i < EDGE_COUNT; i++) {
		records[i] = record_of(MPROF_RECORD_ROOT, i + 1);
		records[i].as.root.kind = (uint32_t)edges[i];
		records[i].as.root.class_id = i % 3 == 0 ? 0 : edge_id(i);
		records[i].as.root.thread = edges[(i + 1) % EDGE_COUNT];
		records[i].as.root.address = edges[(i + 2) % EDGE_COUNT];
		records[i].as.root.size = edges[(i + 3) % EDGE_COUNT];
		records[i].as.root.name = edge_name(i);
	}
	check_records(open_writer(), MPROF_BLOCK_ROOTS, 0, records, EDGE_COUNT);
}

Test(round_trip_records, summary)
{
	mprof_record records[EDGE_COUNT];

	for (uint32_t i = 0; i < EDGE_COUNT; i++) {
		records[i] = record_of(MPROF_RECORD_SUMMARY, edge_id(i));
		records[i].as.summary.live_objects = edges[i];
		records[i].as.summary.live_bytes = edges[(i + 5) % EDGE_COUNT];
		records[i].as.summary.dead_objects = edges[(i + 10) % EDGE_COUNT];
		records[i].as.summary.dead_bytes = edges[(i + 15) % EDGE_COUNT];
	}
	check_records(open_writer(), MPROF_BLOCK_HEAP_SUMMARY, UINT32_MAX, records, EDGE_COUNT);
	check_records(open_writer(), MPROF_BLOCK_HEAP_SUMMARY, 0, NULL, 0);
}

Test(round_trip_records, marks)
{
	for (size_t i = 0; i < EDGE_COUNT; i++) {
		const char *text = edge_name(i) != NULL ? edge_name(i) : "";
		mprof_writer *writer = open_writer();
		mprof_reader *reader;
		mprof_block block;

		cr_assert_eq(mprof_writer_write_mark(writer, edges[i], edges[EDGE_COUNT - 1 - i], text, strlen(text)),
			     MPROF_OK);
		reader = open_at(writer, MPROF_BLOCK_MARK, &block);
		cr_assert_eq(block.thread, edges[i]);
		cr_assert_eq(block.as.mark.counter, edges[EDGE_COUNT - 1 - i]);
		cr_assert_str_eq(block.as.mark.text, text);
		cr_assert_eq(block.as.mark.text_length, strlen(text));
		cr_assert_eq(block.has_clocks, 0);
		close_both(reader, writer);
	}
}

Test(round_trip_records, applications)
{
	uint8_t bytes[300];

	for (size_t i = 0; i < EDGE_COUNT; i++) {
		const size_t size = i * sizeof(bytes) / EDGE_COUNT;
		mprof_writer *writer = open_writer();
		mprof_reader *reader;
		mprof_block block;

		memset(bytes, (int)(i * 37), sizeof(bytes));
		cr_assert_eq(mprof_writer_write_application(writer, "org.example", 11, edge_id(i), (uint32_t)i % 4,
							    bytes, size),
			     MPROF_OK);
		reader = open_at(writer, MPROF_BLOCK_APPLICATION, &block);
		cr_assert_str_eq(block.as.application.name, "org.example");
		cr_assert_eq(block.as.application.name_length, 11);
		cr_assert_eq(block.as.application.kind, edge_id(i));
		cr_assert_eq(block.as.application.flags, i % 4);
		cr_assert_eq(block.as.application.size, size);
		cr_assert(size == 0 || memcmp(block.as.application.bytes, bytes, size) == 0);
		cr_assert_eq(block.has_clocks, 1);
		close_both(reader, writer);
	}
}

Test(round_trip_records, samples)
{
	mprof_event samples[EDGE_COUNT];
	mprof_event read[EDGE_COUNT + 1];
	mprof_record stacks[200];

	for (uint32_t i = 0; i < 200; i++) {
		stacks[i] = record_of(MPROF_RECORD_STACK, i + 1);
		stacks[i].as.stack.caller = i;
	}
	for (size_t i = 0; i < EDGE_COUNT; i++) {
		memset(&samples[i], 0, sizeof(samples[i]));
		samples[i].kind = MPROF_EVENT_SAMPLE;
		samples[i].value = 1 + i * 199 / (EDGE_COUNT - 1);
		samples[i].counter = edges[(i * 7) % EDGE_COUNT];
	}
	for (size_t i = 0; i < EDGE_COUNT; i++) {
		mprof_writer *writer = open_writer();
		mprof_reader *reader;
		mprof_block block;
		size_t count;

		cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_STACKS, 0, stacks, sizeof(*stacks), 200),
			     MPROF_OK);
		cr_assert_eq(
			mprof_writer_write_samples(writer, edges[i], edges[EDGE_COUNT - 1 - i], samples, EDGE_COUNT),
			MPROF_OK);
		reader = open_at(writer, MPROF_BLOCK_SAMPLES, &block);
		cr_assert_eq(block.thread, edges[i]);
		cr_assert_eq(block.as.samples.base_counter, edges[EDGE_COUNT - 1 - i]);
		cr_assert_eq(mprof_reader_next_events(reader, read, EDGE_COUNT + 1, &count), MPROF_OK);
		cr_assert_eq(count, EDGE_COUNT);
		cr_assert_eq(memcmp(read, samples, sizeof(samples)), 0);
		close_both(reader, writer);
	}
}

/* All addresses, so that each difference of two edge cases occurs, and edge cases of sizes and counters. */
Test(round_trip_records, heap)
{
	static mprof_event events[EDGE_COUNT * EDGE_COUNT];
	static mprof_event_detail details[EDGE_COUNT * EDGE_COUNT];
	static mprof_event read[EDGE_COUNT * EDGE_COUNT];
	mprof_writer *writer = open_writer();
	mprof_reader *reader;
	mprof_block block;
	size_t total = 0;
	size_t count;

	for (size_t i = 0; i < COUNT_OF(events); i++) {
		memset(&events[i], 0, sizeof(events[i]));
		memset(&details[i], 0, sizeof(details[i]));
		details[i].struct_size = sizeof(details[i]);
		events[i].kind = MPROF_EVENT_HEAP_OBJECT;
		events[i].id = edge_id(i);
		events[i].value = edges[(i / 3) % EDGE_COUNT];
		events[i].counter = UINT64_MAX;
		events[i].more.detail = &details[i];
		details[i].object = edges[i / EDGE_COUNT];
		details[i].reference_count = 1 + i % 3;
		details[i].references = &edges[i % (EDGE_COUNT - 3)];
	}
	cr_assert_eq(mprof_writer_write_heap(writer, UINT32_MAX, UINT32_MAX, UINT64_MAX, events, COUNT_OF(events)),
		     MPROF_OK);
	reader = open_at(writer, MPROF_BLOCK_HEAP_DATA, &block);
	cr_assert_eq(block.as.heap_data.number, UINT32_MAX);
	cr_assert_eq(block.as.heap_data.flags, UINT32_MAX);
	cr_assert_eq(block.as.heap_data.counter, UINT64_MAX);
	while (mprof_reader_next_events(reader, read, COUNT_OF(read), &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++, total++) {
			const mprof_event_detail *detail = read[i].more.detail;

			cr_assert_eq(memcmp(&read[i], &events[total], offsetof(mprof_event, more)), 0);
			cr_assert_eq(detail->object, details[total].object);
			cr_assert_eq(detail->reference_count, details[total].reference_count);
			cr_assert_arr_eq(detail->references, details[total].references, detail->reference_count * 8);
		}
	}
	cr_assert_eq(total, COUNT_OF(events));
	close_both(reader, writer);
}
