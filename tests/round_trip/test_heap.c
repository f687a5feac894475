/* SPDX-License-Identifier: MIT */
/*
 * Writes heap snapshots and reads them: any number of objects and references, in batches of any size, complete,
 * truncated and damaged.
 */
#include "parser/parser_fixture.h"

#include "base/bytes.h"

#include <stdlib.h>

/* The capacity of the parser. */
#define REFERENCE_BATCH 8192
#define EVENT_BATCH 512

#define OBJECT_SIZE 40

/* Class 1 has objects of OBJECT_SIZE bytes; the size of class 2 is not defined. */
static mprof_writer *open_writer_of(uint32_t dialect, uint64_t directives, uint32_t lossy)
{
	const mprof_class_definition sized = {.struct_size = sizeof(mprof_class_definition),
					      .id = 1,
					      .name = "Sized",
					      .name_length = 5,
					      .size = OBJECT_SIZE};
	const mprof_class_definition array = {
		.struct_size = sizeof(mprof_class_definition), .id = 2, .name = "Array", .name_length = 5};
	mprof_writer_options options;
	mprof_writer *writer;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = directives | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.dialect = dialect;
	options.lossy = lossy;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	cr_assert_eq(mprof_writer_define_class(writer, &sized), MPROF_OK);
	cr_assert_eq(mprof_writer_define_class(writer, &array), MPROF_OK);
	return writer;
}

static mprof_writer *open_writer(uint64_t directives)
{
	return open_writer_of(MPROF_DIALECT_MPROF2, directives, 0);
}

/* Copies the log and destroys the writer. */
static log_bytes take_log(mprof_writer *writer)
{
	const uint8_t *bytes;
	log_bytes log;

	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &log.length), MPROF_OK);
	log.bytes = malloc(log.length);
	cr_assert_not_null(log.bytes);
	memcpy(log.bytes, bytes, log.length);
	mprof_writer_destroy(writer);
	return log;
}

static mprof_event event_of(uint32_t kind, uint32_t id, uint64_t value, const mprof_event_detail *detail)
{
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = (uint8_t)kind;
	event.id = id;
	event.value = value;
	event.more.detail = detail;
	return event;
}

/* A parser at its HEAP_DATA block, which is loaded. */
static mprof_parser *open_at_heap(const log_bytes *log, mprof_block *block)
{
	mprof_parser *parser = open_fed(log);

	*block = fresh_block();
	do
		cr_assert_eq(mprof_parser_next_block(parser, block), MPROF_OK);
	while (block->kind != MPROF_BLOCK_HEAP_DATA);
	return parser;
}

/* Fields are found by the offsets of references; a log without directive 26 loses the offsets, which is counted. */
Test(heap, offsets_of_references)
{
	const uint64_t references[] = {1000, 2000};
	const uint64_t offsets[] = {48, 88};
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail),
					   .object = 1000,
					   .reference_count = 2,
					   .references = references,
					   .offsets = offsets};
	const mprof_event written = event_of(MPROF_EVENT_HEAP_OBJECT, 2, 104, &detail);
	const mprof_record field = {
		.kind = MPROF_RECORD_FIELD, .id = 2, .as.field = {.offset = 48, .stride = 40, .name = "[].value"}};
	const mprof_record unknown = {.kind = MPROF_RECORD_FIELD, .id = 3, .as.field = {.offset = 16, .name = "a"}};
	mprof_writer *writer = open_writer(MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_REFERENCE_OFFSETS));
	mprof_reader *reader;
	mprof_record found;
	mprof_block block = fresh_block();
	mprof_event events[2];
	uint64_t index = 0;
	log_bytes log;
	size_t count;

	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_FIELDS, 0, &unknown, sizeof(unknown), 1),
		     MPROF_ERR_UNDEFINED_ID);
	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_FIELDS, 0, &field, sizeof(field), 1), MPROF_OK);
	cr_assert_eq(mprof_writer_write_heap(writer, 1, 0, 5, &written, 1), MPROF_OK);
	log = take_log(writer);
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &reader), MPROF_OK);
	do
		cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	while (block.kind != MPROF_BLOCK_HEAP_DATA);
	cr_assert_eq(mprof_reader_next_events(reader, events, 2, &count), MPROF_OK);
	cr_assert_eq(count, 1);
	cr_assert_arr_eq(events[0].more.detail->offsets, offsets, sizeof(offsets));
	cr_assert_eq(mprof_reader_lookup_field(reader, 2, 88, &found, sizeof(found), &index), MPROF_OK);
	cr_assert_str_eq(found.as.field.name, "[].value");
	cr_assert_eq(index, 1);
	cr_assert_eq(mprof_reader_lookup_field(reader, 2, 80, &found, sizeof(found), &index), MPROF_ERR_UNDEFINED_ID);
	cr_assert_eq(mprof_reader_get_record_count(reader, MPROF_RECORD_FIELD), 1);
	mprof_reader_destroy(reader);
	log_free(&log);
}

Test(heap, lost_offsets_are_counted)
{
	static const uint32_t dialects[] = {MPROF_DIALECT_MPROF2, MPROF_DIALECT_MONO};
	const uint64_t reference = 1000;
	const uint64_t offset = 16;
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail),
					   .object = 1000,
					   .reference_count = 1,
					   .references = &reference,
					   .offsets = &offset};
	const mprof_event written = event_of(MPROF_EVENT_HEAP_OBJECT, 2, 104, &detail);

	for (size_t i = 0; i < 2; i++) {
		mprof_writer *writer = open_writer_of(dialects[i], 0, 1);
		mprof_writer_stats stats = {.struct_size = sizeof(stats)};
		log_bytes log;

		cr_assert_eq(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, 5,
						     &written, 1),
			     MPROF_OK);
		cr_assert_eq(mprof_writer_get_stats(writer, &stats), MPROF_OK);
		cr_assert_eq(stats.shortened_events[MPROF_EVENT_HEAP_OBJECT], 1);
		log = take_log(writer);
		log_free(&log);
	}
}

Test(heap, fields)
{
	const uint64_t references[] = {1000, 2000};
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail),
					   .object = 1000,
					   .reference_count = 2,
					   .references = references};
	const mprof_event written = event_of(MPROF_EVENT_HEAP_OBJECT, 2, 300, &detail);
	mprof_writer *writer = open_writer(0);
	mprof_parser *parser;
	mprof_block block;
	mprof_event events[2];
	log_bytes log;
	size_t count;

	cr_assert_eq(mprof_writer_write_heap(writer, 7, MPROF_HEAP_FLAG_LAST | MPROF_HEAP_FLAG_INCOMPLETE, 12345,
					     &written, 1),
		     MPROF_OK);
	log = take_log(writer);
	parser = open_at_heap(&log, &block);
	cr_assert_eq(block.as.heap_data.number, 7);
	cr_assert_eq(block.as.heap_data.flags, MPROF_HEAP_FLAG_LAST | MPROF_HEAP_FLAG_INCOMPLETE);
	cr_assert_eq(block.as.heap_data.counter, 12345);
	cr_assert_eq(block.has_clocks, 1);
	cr_assert_eq(mprof_parser_next_events(parser, events, 2, &count), MPROF_OK);
	cr_assert_eq(count, 1);
	cr_assert_eq(events[0].kind, MPROF_EVENT_HEAP_OBJECT);
	cr_assert_eq(events[0].id, 2);
	cr_assert_eq(events[0].value, 300);
	cr_assert_eq(events[0].counter, 12345);
	cr_assert_eq(events[0].more.detail->object, 1000);
	cr_assert_eq(events[0].more.detail->reference_count, 2);
	cr_assert_eq(events[0].more.detail->references[1], 2000);
	cr_assert_eq(mprof_parser_next_events(parser, events, 2, &count), MPROF_END);
	cr_assert_eq(count, 0);
	cr_assert_eq(mprof_parser_next_events(parser, events, 2, &count), MPROF_END);
	/* From the start again. */
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	cr_assert_eq(mprof_parser_next_events(parser, events, 2, &count), MPROF_OK);
	cr_assert_eq(events[0].more.detail->object, 1000);
	mprof_parser_destroy(parser);
	log_free(&log);
}

/* A sequence of objects; object i has i % 17 references. */
#define MANY 5000

static void make_many(mprof_event *events, mprof_event_detail *details, uint64_t *references)
{
	for (uint32_t i = 0; i < MANY; i++) {
		memset(&details[i], 0, sizeof(details[i]));
		details[i].struct_size = sizeof(details[i]);
		details[i].object = UINT64_C(0x7f0012000000) + i * OBJECT_SIZE;
		details[i].reference_count = i % 17;
		details[i].references = references;
		for (uint32_t j = 0; j < i % 17; j++)
			*references++ = UINT64_C(0x7f0012000000) + (i * 7919 + j) % MANY * OBJECT_SIZE;
		events[i] = event_of(MPROF_EVENT_HEAP_OBJECT, 1 + i % 2, i % 2 == 0 ? OBJECT_SIZE : i, &details[i]);
	}
}

static void expect_object(const mprof_event *expected, const mprof_event *actual)
{
	const mprof_event_detail *before = expected->more.detail;
	const mprof_event_detail *after = actual->more.detail;

	cr_assert_eq(actual->kind, expected->kind);
	cr_assert_eq(actual->id, expected->id);
	cr_assert_eq(actual->value, expected->value);
	cr_assert_eq(after->object, before->object);
	cr_assert_eq(after->reference_count, before->reference_count);
	for (uint32_t i = 0; i < before->reference_count; i++)
		cr_assert_eq(after->references[i], before->references[i]);
}

static void check_batches(const log_bytes *log, const mprof_event *written, size_t capacity)
{
	mprof_block block;
	mprof_parser *parser = open_at_heap(log, &block);
	mprof_event *events = malloc(capacity * sizeof(*events));
	mprof_status status;
	size_t total = 0;
	size_t count;

	while ((status = mprof_parser_next_events(parser, events, capacity, &count)) == MPROF_OK) {
		cr_assert_leq(count, capacity);
		for (size_t i = 0; i < count; i++)
			expect_object(&written[total++], &events[i]);
	}
	cr_assert_eq(status, MPROF_END);
	cr_assert_eq(total, MANY);
	free(events);
	mprof_parser_destroy(parser);
}

Test(heap, in_batches)
{
	static mprof_event events[MANY];
	static mprof_event_detail details[MANY];
	static uint64_t references[MANY * 17];
	static const uint64_t directives[] = {0, MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES)};
	size_t lengths[2];

	make_many(events, details, references);
	for (size_t i = 0; i < 2; i++) {
		mprof_writer *writer = open_writer(directives[i]);
		log_bytes log;

		cr_assert_eq(mprof_writer_write_heap(writer, 1, 0, 0, events, MANY), MPROF_OK);
		log = take_log(writer);
		check_batches(&log, events, 1);
		check_batches(&log, events, 7);
		check_batches(&log, events, 100);
		check_batches(&log, events, EVENT_BATCH);
		check_batches(&log, events, 100000);
		lengths[i] = log.length;
		log_free(&log);
	}
	cr_assert_lt(lengths[1], lengths[0], "sizes need space");
}

/* An object with more references than the capacity of the parser. */
Test(heap, in_pieces)
{
	const uint32_t total = 2 * REFERENCE_BATCH + 100;
	uint64_t *references = malloc(total * sizeof(*references));
	const uint64_t last_reference = 8;
	mprof_event_detail details[] = {{.struct_size = sizeof(mprof_event_detail), .object = 16},
					{.struct_size = sizeof(mprof_event_detail),
					 .object = 8,
					 .reference_count = total,
					 .references = references},
					{.struct_size = sizeof(mprof_event_detail),
					 .object = 24,
					 .reference_count = 1,
					 .references = &last_reference}};
	const mprof_event written[] = {event_of(MPROF_EVENT_HEAP_OBJECT, 1, OBJECT_SIZE, &details[0]),
				       event_of(MPROF_EVENT_HEAP_OBJECT, 2, 99, &details[1]),
				       event_of(MPROF_EVENT_HEAP_OBJECT, 1, 1, &details[2])};
	mprof_writer *writer = open_writer(0);
	mprof_parser *parser;
	mprof_block block;
	mprof_event events[5];
	log_bytes log;
	size_t count;

	for (uint32_t i = 0; i < total; i++)
		references[i] = (i * UINT64_C(2654435761)) % 100000 * 8;
	cr_assert_eq(mprof_writer_write_heap(writer, 1, 0, 0, written, 3), MPROF_OK);
	log = take_log(writer);
	parser = open_at_heap(&log, &block);
	cr_assert_eq(mprof_parser_next_events(parser, events, 5, &count), MPROF_OK);
	cr_assert_eq(count, 2);
	expect_object(&written[0], &events[0]);
	cr_assert_eq(events[1].kind, MPROF_EVENT_HEAP_OBJECT);
	cr_assert_eq(events[1].value, 99);
	cr_assert_eq(events[1].more.detail->reference_count, REFERENCE_BATCH);
	cr_assert_eq(memcmp(events[1].more.detail->references, references, REFERENCE_BATCH * 8), 0);
	cr_assert_eq(mprof_parser_next_events(parser, events, 5, &count), MPROF_OK);
	cr_assert_eq(count, 1);
	cr_assert_eq(events[0].kind, MPROF_EVENT_HEAP_REFERENCES);
	cr_assert_eq(events[0].more.detail->reference_count, REFERENCE_BATCH);
	cr_assert_eq(memcmp(events[0].more.detail->references, references + REFERENCE_BATCH, REFERENCE_BATCH * 8), 0);
	cr_assert_eq(mprof_parser_next_events(parser, events, 5, &count), MPROF_OK);
	cr_assert_eq(count, 2);
	cr_assert_eq(events[0].kind, MPROF_EVENT_HEAP_REFERENCES);
	cr_assert_eq(events[0].more.detail->reference_count, 100);
	cr_assert_eq(memcmp(events[0].more.detail->references, references + 2 * REFERENCE_BATCH, 800), 0);
	expect_object(&written[2], &events[1]);
	cr_assert_eq(mprof_parser_next_events(parser, events, 5, &count), MPROF_END);
	mprof_parser_destroy(parser);
	free(references);
	log_free(&log);
}

/* Sizes come from a MAPPING block, even if it was skipped. */
Test(heap, sizes_of_passed_mapping)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .object = 8};
	const mprof_event written = event_of(MPROF_EVENT_HEAP_OBJECT, 1, OBJECT_SIZE, &detail);
	mprof_writer *writer = open_writer(MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES));
	mprof_parser *parser;
	mprof_block block;
	mprof_event event;
	log_bytes log;
	size_t count;

	cr_assert_eq(mprof_writer_write_heap(writer, 1, 0, 0, &written, 1), MPROF_OK);
	log = take_log(writer);
	parser = open_fed(&log);
	for (int i = 0; i < 4; i++)
		expect_next_header(parser,
				   (mprof_block_kind[]){MPROF_BLOCK_INTRO, MPROF_BLOCK_DIRECTIVES, MPROF_BLOCK_MAPPING,
							MPROF_BLOCK_HEAP_DATA}[i],
				   &block);
	cr_assert_eq(mprof_parser_load(parser, &block), MPROF_OK);
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_OK);
	cr_assert_eq(event.value, OBJECT_SIZE);
	/* Without the block, the sizes are not known. */
	mprof_parser_destroy(parser);
	log.bytes[log_block_offset(&log, 2) + 20] ^= 1;
	parser = open_fed(&log);
	block = fresh_block();
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_ERR_CHECKSUM);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count), MPROF_ERR_MALFORMED);
	cr_assert_eq(parser_error_of(parser).severity, MPROF_SEVERITY_BLOCK);
	cr_assert_eq(mprof_parser_next_block(parser, &block), MPROF_OK);
	cr_assert_eq(block.kind, MPROF_BLOCK_END);
	mprof_parser_destroy(parser);
	log_free(&log);
}

/*
 * A DIRECTIVES block that cannot be decoded may have changed the layout of later HEAP_DATA, MAPPING and EVENTS blocks.
 */
Test(heap, directives_lost)
{
	log_bytes log = log_make_more(FIXTURE_ALL_DIRECTIVES);
	mprof_parser *parser;
	mprof_block block = fresh_block();
	mprof_status status;
	int refused = 0;

	log.bytes[log_block_offset(&log, MORE_DIRECTIVES) + 20] ^= 1;
	parser = open_fed(&log);
	while ((status = mprof_parser_next_block(parser, &block)) != MPROF_END) {
		if (block.kind == MPROF_BLOCK_HEAP_DATA || block.kind == MPROF_BLOCK_MAPPING ||
		    block.kind == MPROF_BLOCK_EVENTS) {
			cr_assert_eq(status, MPROF_ERR_UNSUPPORTED);
			refused++;
		} else if (block.kind != MPROF_BLOCK_DIRECTIVES) {
			cr_assert_eq(status, MPROF_OK, "%s", mprof_status_get_text(status));
		}
	}
	cr_assert_eq(refused, 4);
	mprof_parser_destroy(parser);
	log_free(&log);
}

/* The events of a block whose end is truncated. */
Test(heap, cut)
{
	static mprof_event events[MANY];
	static mprof_event_detail details[MANY];
	static uint64_t references[MANY * 17];
	mprof_writer *writer = open_writer(0);
	mprof_parser *parser;
	mprof_block block = fresh_block();
	mprof_event event;
	mprof_status status;
	log_bytes log;
	size_t count;
	size_t total = 0;

	make_many(events, details, references);
	cr_assert_eq(mprof_writer_write_heap(writer, 1, 0, 0, events, MANY), MPROF_OK);
	log = take_log(writer);
	log.length = log_block_offset(&log, 2) + (log.length - log_block_offset(&log, 2)) / 2;
	parser = open_fed(&log);
	while ((status = mprof_parser_next_block(parser, &block)) == MPROF_OK)
		continue;
	cr_assert_eq(status, MPROF_ERR_TRUNCATED);
	cr_assert_eq(block.kind, MPROF_BLOCK_HEAP_DATA);
	cr_assert_eq(block.loaded, 1);
	cr_assert_eq(block.as.heap_data.number, 1);
	cr_assert_eq(block.has_clocks, 0);
	while ((status = mprof_parser_next_events(parser, &event, 1, &count)) == MPROF_OK)
		expect_object(&events[total++], &event);
	cr_assert_eq(status, MPROF_ERR_TRUNCATED);
	cr_assert_gt(total, MANY / 3);
	cr_assert_lt(total, MANY * 2 / 3);
	expect_error(parser, MPROF_ERR_TRUNCATED, MPROF_SEVERITY_FATAL, log.length);
	mprof_parser_destroy(parser);
	log_free(&log);
}

/* Events and records can only be fetched from blocks of their kinds. */
Test(heap, wrong_block)
{
	log_bytes log = log_make_more(0);
	mprof_parser *parser = open_fed(&log);
	mprof_block block = fresh_block();
	mprof_record record;
	mprof_event event;
	size_t count;

	while (mprof_parser_next_block(parser, &block) == MPROF_OK) {
		uint64_t kind = MPROF_BLOCK_BIT(block.kind);
		size_t has_records =
			(kind & (MPROF_BLOCK_BIT(MPROF_BLOCK_STACKS) | MPROF_BLOCK_BIT(MPROF_BLOCK_CODE) |
				 MPROF_BLOCK_BIT(MPROF_BLOCK_METRICS) | MPROF_BLOCK_BIT(MPROF_BLOCK_ROOTS) |
				 MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_SUMMARY))) != 0;
		size_t has_events = block.kind == MPROF_BLOCK_SAMPLES || block.kind == MPROF_BLOCK_HEAP_DATA;

		count = 99;
		cr_assert_eq(mprof_parser_next_records(parser, &record, sizeof(record), 1, &count),
			     has_records ? MPROF_OK : MPROF_ERR_STATE);
		cr_assert_eq(count, has_records);
		cr_assert_eq(mprof_parser_next_events(parser, &event, 1, &count),
			     has_events ? MPROF_OK : MPROF_ERR_STATE);
		cr_assert_eq(count, has_events);
		cr_assert_eq(mprof_parser_next_records(parser, &record, sizeof(record), 0, &count), MPROF_ERR_ARGUMENT);
		cr_assert_eq(mprof_parser_next_events(parser, &event, 0, &count), MPROF_ERR_ARGUMENT);
	}
	mprof_parser_destroy(parser);
	log_free(&log);
}
