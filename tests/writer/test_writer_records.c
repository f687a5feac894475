/* SPDX-License-Identifier: MIT */
/* Blocks of samples, records and markers: their bytes, and refused calls, which write nothing. */
#include "writer_fixture.h"

#include <stdlib.h>

#define MPROF2 MPROF_DIALECT_MPROF2
#define MAIL MPROF_DIALECT_MAIL

/* Class 1 and method 1. */
static mprof_writer *open_defined(void)
{
	mprof_writer *writer = open_plain(MPROF2, 0);

	cr_assert_eq(define_class(writer, 1, "C"), MPROF_OK);
	cr_assert_eq(define_method(writer, 1, 1, "M"), MPROF_OK);
	cr_assert_eq(mprof_writer_flush(writer), MPROF_OK);
	return writer;
}

static mprof_record record_of(uint32_t kind, uint32_t id)
{
	mprof_record record;

	memset(&record, 0, sizeof(record));
	record.kind = kind;
	record.id = id;
	return record;
}

static mprof_record stack_of(uint32_t id, uint32_t target, uint32_t caller, uint32_t is_native)
{
	mprof_record record = record_of(MPROF_RECORD_STACK, id);

	record.as.stack.target = target;
	record.as.stack.caller = caller;
	record.as.stack.is_native = is_native;
	return record;
}

static mprof_status put(mprof_writer *writer, mprof_block_kind kind, const mprof_record *records, size_t count)
{
	return mprof_writer_write_records(writer, kind, 0, records, sizeof(*records), count);
}

static mprof_status put_one(mprof_writer *writer, mprof_block_kind kind, mprof_record record)
{
	return put(writer, kind, &record, 1);
}

/* The call is refused, and nothing is written. */
#define EXPECT_REFUSED(writer, expected, call)                                                                         \
	do {                                                                                                           \
		size_t length_before = log_length(writer);                                                             \
		mprof_status status_of_call = call;                                                                    \
                                                                                                                       \
		cr_assert_eq(status_of_call, expected, "%s", mprof_status_get_text(status_of_call));                   \
		expect_error(writer, expected, MPROF_SEVERITY_BLOCK);                                                  \
		cr_assert_eq(log_length(writer), length_before);                                                       \
	} while (0)

Test(writer_records, stacks)
{
	const mprof_record first[] = {stack_of(1, 1, 0, 0), stack_of(2, 0, 1, 0)};
	mprof_writer *writer = open_defined();

	cr_assert_eq(put(writer, MPROF_BLOCK_STACKS, first, 2), MPROF_OK);
	EXPECT_BLOCK(writer, 2, 36,
		     "\x83\x85"
		     "\x81\x82"
		     "\x82\x81"
		     "\x80\x81"
		     "\x83\x85");
	cr_assert_eq(put_one(writer, MPROF_BLOCK_STACKS, stack_of(3, 1, 1, 0)), MPROF_OK);
	EXPECT_BLOCK(writer, 3, 36,
		     "\x84\x85"
		     "\x83\x81"
		     "\x82\x82"
		     "\x84\x85");
	cr_assert_eq(put(writer, MPROF_BLOCK_STACKS, NULL, 0), MPROF_OK);
	EXPECT_BLOCK(writer, 4, 36,
		     "\x85\x85"
		     "\x84\x80"
		     "\x85\x85");
	mprof_writer_destroy(writer);
}

/* New definitions are in a MAPPING block before the block. */
Test(writer_records, definitions_first)
{
	const mprof_event sample = {.kind = MPROF_EVENT_SAMPLE, .value = 1, .counter = 9};
	mprof_writer *writer = open_plain(MPROF2, 0);

	cr_assert_eq(define_method(writer, 7, 0, "M"), MPROF_OK);
	cr_assert_eq(put_one(writer, MPROF_BLOCK_STACKS, stack_of(1, 7, 0, 0)), MPROF_OK);
	cr_assert_eq(define_method(writer, 8, 0, "N"), MPROF_OK);
	cr_assert_eq(mprof_writer_write_samples(writer, 1, 0, &sample, 1), MPROF_OK);
	cr_assert_eq(define_method(writer, 9, 0, "O"), MPROF_OK);
	cr_assert_eq(mprof_writer_write_mark(writer, 1, 0, "x", 1), MPROF_OK);
	cr_assert_eq(define_method(writer, 10, 0, "P"), MPROF_OK);
	cr_assert_eq(mprof_writer_write_heap(writer, 1, 0, 0, NULL, 0), MPROF_OK);
	for (size_t i = 0; i < 4; i++) {
		static const uint32_t codes[] = {36, 35, 39, 8};
		size_t length;

		(void)block_at(writer, 1 + 2 * i, 4, &length);
		(void)block_at(writer, 2 + 2 * i, codes[i], &length);
	}
	mprof_writer_destroy(writer);
}

Test(writer_records, stacks_refused)
{
	mprof_record two[] = {stack_of(1, 1, 0, 0), stack_of(2, 1, 1, 0)};
	mprof_writer *writer = open_defined();

	EXPECT_REFUSED(writer, MPROF_ERR_ARGUMENT, put(writer, MPROF_BLOCK_STACKS, NULL, 1));
	EXPECT_REFUSED(writer, MPROF_ERR_ARGUMENT, put_one(writer, MPROF_BLOCK_STACKS, stack_of(0, 1, 0, 0)));
	EXPECT_REFUSED(writer, MPROF_ERR_ARGUMENT, put_one(writer, MPROF_BLOCK_STACKS, stack_of(2, 1, 0, 0)));
	EXPECT_REFUSED(writer, MPROF_ERR_UNDEFINED_ID, put_one(writer, MPROF_BLOCK_STACKS, stack_of(1, 2, 0, 0)));
	EXPECT_REFUSED(writer, MPROF_ERR_UNDEFINED_ID, put_one(writer, MPROF_BLOCK_STACKS, stack_of(1, 1, 1, 0)));
	EXPECT_REFUSED(writer, MPROF_ERR_UNDEFINED_ID, put_one(writer, MPROF_BLOCK_STACKS, stack_of(1, 1, 0, 1)));
	two[1].id = 1;
	EXPECT_REFUSED(writer, MPROF_ERR_REDEFINED_ID, put(writer, MPROF_BLOCK_STACKS, two, 2));
	two[1].id = 3;
	EXPECT_REFUSED(writer, MPROF_ERR_ARGUMENT, put(writer, MPROF_BLOCK_STACKS, two, 2));
	two[1].id = 2;
	cr_assert_eq(put(writer, MPROF_BLOCK_STACKS, two, 2), MPROF_OK, "the refused calls are not counted");
	cr_assert_eq(put(writer, MPROF_BLOCK_STACKS, two, 2), MPROF_ERR_REDEFINED_ID);
	EXPECT_REFUSED(writer, MPROF_ERR_UNDEFINED_ID, put_one(writer, MPROF_BLOCK_STACKS, stack_of(3, 0, 1, 1)));
	cr_assert_eq(put_one(writer, MPROF_BLOCK_STACKS, stack_of(3, 0, 0, 1)), MPROF_OK, "a truncated call stack");
	mprof_writer_destroy(writer);
}

/* Records of several lists may be in any order. */
Test(writer_records, code)
{
	mprof_record records[] = {record_of(MPROF_RECORD_LOCATION, 1), record_of(MPROF_RECORD_FUNCTION, 1),
				  record_of(MPROF_RECORD_MODULE, 1), record_of(MPROF_RECORD_FUNCTION, 2)};
	mprof_writer *writer = open_defined();

	records[0].as.location.module = 1;
	records[0].as.location.function = 2;
	records[0].as.location.offset = 5;
	records[1].as.function.module = 1;
	records[1].as.function.offset = 4;
	records[1].as.function.size = 3;
	records[1].as.function.name = "f";
	records[2].as.module.address = 128;
	records[2].as.module.size = 2;
	records[2].as.module.file = "m";
	records[2].as.module.build_id = "0f";
	cr_assert_eq(put(writer, MPROF_BLOCK_CODE, records, 4), MPROF_OK);
	EXPECT_BLOCK(writer, 2, 37,
		     "\x83\x85"
		     "\x81\x00\x81\x82"
		     "0f\0"
		     "m\0"
		     "\x80"
		     "\x81\x81\x84\x83"
		     "f\0"
		     "\x82\x80\x80\x80"
		     "\0"
		     "\x80"
		     "\x81\x81\x85\x82"
		     "\x80"
		     "\x83\x85");
	cr_assert_eq(put_one(writer, MPROF_BLOCK_STACKS, stack_of(1, 1, 0, 1)), MPROF_OK);
	EXPECT_BLOCK(writer, 3, 36,
		     "\x84\x85"
		     "\x81\x81"
		     "\x83\x81"
		     "\x84\x85");
	mprof_writer_destroy(writer);
}

Test(writer_records, code_refused)
{
	mprof_writer *writer = open_defined();
	mprof_record function = record_of(MPROF_RECORD_FUNCTION, 1);
	mprof_record location = record_of(MPROF_RECORD_LOCATION, 1);
	mprof_record module = record_of(MPROF_RECORD_MODULE, 1);
	char *long_name = malloc((1 << 20) + 2);

	memset(long_name, 'n', (1 << 20) + 1);
	long_name[(1 << 20) + 1] = 0;
	EXPECT_REFUSED(writer, MPROF_ERR_ARGUMENT, put_one(writer, MPROF_BLOCK_CODE, stack_of(1, 1, 0, 0)));
	EXPECT_REFUSED(writer, MPROF_ERR_ARGUMENT, put_one(writer, MPROF_BLOCK_STACKS, module));
	EXPECT_REFUSED(writer, MPROF_ERR_ARGUMENT, put_one(writer, MPROF_BLOCK_CODE, record_of(0, 1)));
	function.as.function.module = 1;
	EXPECT_REFUSED(writer, MPROF_ERR_UNDEFINED_ID, put_one(writer, MPROF_BLOCK_CODE, function));
	location.as.location.module = 1;
	EXPECT_REFUSED(writer, MPROF_ERR_UNDEFINED_ID, put_one(writer, MPROF_BLOCK_CODE, location));
	location.as.location.module = 0;
	location.as.location.function = 1;
	EXPECT_REFUSED(writer, MPROF_ERR_UNDEFINED_ID, put_one(writer, MPROF_BLOCK_CODE, location));
	module.as.module.file = long_name;
	EXPECT_REFUSED(writer, MPROF_ERR_NAME, put_one(writer, MPROF_BLOCK_CODE, module));
	module.as.module.file = NULL;
	module.as.module.build_id = long_name;
	EXPECT_REFUSED(writer, MPROF_ERR_NAME, put_one(writer, MPROF_BLOCK_CODE, module));
	module.as.module.build_id = NULL;
	module.id = 2;
	EXPECT_REFUSED(writer, MPROF_ERR_ARGUMENT, put_one(writer, MPROF_BLOCK_CODE, module));
	free(long_name);
	mprof_writer_destroy(writer);
}

Test(writer_records, metrics)
{
	const double half = 0.5;
	mprof_record records[] = {record_of(MPROF_RECORD_METRIC, 1), record_of(MPROF_RECORD_METRIC, 2),
				  record_of(MPROF_RECORD_METRIC_VALUE, 2), record_of(MPROF_RECORD_METRIC_VALUE, 1)};
	mprof_writer *writer = open_defined();

	records[0].as.metric.name = "n";
	records[0].as.metric.section = "s";
	records[1].as.metric.flags = MPROF_METRIC_FLAG_DOUBLE | MPROF_METRIC_UNIT_TIME;
	memcpy(&records[2].as.metric_value.value, &half, sizeof(half));
	records[3].as.metric_value.value = (uint64_t)-2;
	/* The flags of a value are those of its metric; this field is ignored. */
	records[3].as.metric_value.is_double = 1;
	cr_assert_eq(put(writer, MPROF_BLOCK_METRICS, records, 4), MPROF_OK);
	EXPECT_BLOCK(writer, 2, 38,
		     "\x83\x85"
		     "\x81\x80"
		     "s\0"
		     "n\0"
		     "\x82\xa1"
		     "\0"
		     "\0"
		     "\x80"
		     "\x85\x3f\x40\x83"
		     "\x82\x83"
		     "\x80"
		     "\x83\x85");
	cr_assert_eq(put(writer, MPROF_BLOCK_METRICS, records + 2, 2), MPROF_OK);
	EXPECT_BLOCK(writer, 3, 38,
		     "\x84\x85"
		     "\x80"
		     "\x85\x3f\x40\x83"
		     "\x82\x83"
		     "\x80"
		     "\x84\x85");
	EXPECT_REFUSED(writer, MPROF_ERR_REDEFINED_ID, put_one(writer, MPROF_BLOCK_METRICS, records[1]));
	records[2].id = 3;
	cr_assert_eq(put_one(writer, MPROF_BLOCK_METRICS, records[2]), MPROF_ERR_UNDEFINED_ID);
	records[2].id = 0;
	cr_assert_eq(put_one(writer, MPROF_BLOCK_METRICS, records[2]), MPROF_ERR_UNDEFINED_ID);
	mprof_writer_destroy(writer);
}

/* A refused definition has no effect on a later one. */
Test(writer_records, metric_defined_after_refusal)
{
	mprof_record records[] = {record_of(MPROF_RECORD_METRIC, 1), record_of(MPROF_RECORD_METRIC_VALUE, 2)};
	mprof_writer *writer = open_defined();

	records[0].as.metric.flags = MPROF_METRIC_FLAG_DOUBLE;
	EXPECT_REFUSED(writer, MPROF_ERR_UNDEFINED_ID, put(writer, MPROF_BLOCK_METRICS, records, 2));
	records[0].as.metric.flags = 0;
	records[1].id = 1;
	records[1].as.metric_value.value = 1;
	cr_assert_eq(put(writer, MPROF_BLOCK_METRICS, records, 2), MPROF_OK);
	EXPECT_BLOCK(writer, 2, 38,
		     "\x83\x85"
		     "\x81\x80"
		     "\0"
		     "\0"
		     "\x80"
		     "\x82\x82"
		     "\x80"
		     "\x83\x85");
	mprof_writer_destroy(writer);
}

Test(writer_records, roots)
{
	mprof_record root = record_of(MPROF_RECORD_ROOT, 1);
	mprof_writer *writer = open_defined();

	root.as.root.class_id = 2;
	EXPECT_REFUSED(writer, MPROF_ERR_UNDEFINED_ID, put_one(writer, MPROF_BLOCK_ROOTS, root));
	root.as.root.kind = MPROF_ROOT_HANDLE;
	root.as.root.class_id = 1;
	root.as.root.thread = 7;
	root.as.root.address = 8;
	root.as.root.size = 9;
	root.as.root.name = "r";
	cr_assert_eq(put_one(writer, MPROF_BLOCK_ROOTS, root), MPROF_OK);
	EXPECT_BLOCK(writer, 2, 40,
		     "\x83\x85"
		     "\x81\x84\x81\x87\x88\x89"
		     "r\0"
		     "\x80"
		     "\x83\x85");
	mprof_writer_destroy(writer);
}

Test(writer_records, summary)
{
	mprof_record summary = record_of(MPROF_RECORD_SUMMARY, 1);
	mprof_writer *writer = open_defined();

	summary.as.summary = (mprof_summary_record){1, 2, 3, 4};
	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_HEAP_SUMMARY, 300, &summary, sizeof(summary), 1),
		     MPROF_OK);
	EXPECT_BLOCK(writer, 2, 9,
		     "\x83\x85"
		     "\x2c\x82"
		     "\x81\x81\x82\x83\x84"
		     "\x80"
		     "\x83\x85");
	summary.id = 2;
	EXPECT_REFUSED(writer, MPROF_ERR_UNDEFINED_ID, put_one(writer, MPROF_BLOCK_HEAP_SUMMARY, summary));
	summary.id = 0;
	cr_assert_eq(put_one(writer, MPROF_BLOCK_HEAP_SUMMARY, summary), MPROF_ERR_UNDEFINED_ID);
	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_ROOTS, 1, NULL, sizeof(mprof_record), 0),
		     MPROF_ERR_ARGUMENT);
	cr_assert_eq(put(writer, MPROF_BLOCK_EVENTS, NULL, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(put(writer, MPROF_BLOCK_UNKNOWN, NULL, 0), MPROF_ERR_ARGUMENT);
	mprof_writer_destroy(writer);
}

Test(writer_records, samples)
{
	mprof_event samples[] = {{.kind = MPROF_EVENT_SAMPLE, .value = 1, .counter = 1005},
				 {.kind = MPROF_EVENT_SAMPLE, .value = 2, .counter = 1004}};
	const mprof_record stacks[] = {stack_of(1, 1, 0, 0), stack_of(2, 1, 1, 0)};
	mprof_writer *writer = open_defined();

	EXPECT_REFUSED(writer, MPROF_ERR_UNDEFINED_ID, mprof_writer_write_samples(writer, 7, 1000, samples, 1));
	cr_assert_eq(put(writer, MPROF_BLOCK_STACKS, stacks, 2), MPROF_OK);
	cr_assert_eq(mprof_writer_write_samples(writer, 7, 1000, samples, 2), MPROF_OK);
	EXPECT_BLOCK(writer, 3, 35,
		     "\x84\x85"
		     "\x87\x68\x87"
		     "\x81\x85"
		     "\x82\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81"
		     "\x80"
		     "\x84\x85");
	cr_assert_eq(mprof_writer_write_samples(writer, 7, 1000, NULL, 0), MPROF_OK);
	EXPECT_BLOCK(writer, 4, 35,
		     "\x85\x85"
		     "\x87\x68\x87"
		     "\x80"
		     "\x85\x85");
	cr_assert_eq(mprof_writer_write_samples(writer, 7, 1000, NULL, 1), MPROF_ERR_ARGUMENT);
	samples[1].value = 3;
	cr_assert_eq(mprof_writer_write_samples(writer, 7, 1000, samples, 2), MPROF_ERR_UNDEFINED_ID);
	samples[1].value = UINT64_C(0x100000001);
	cr_assert_eq(mprof_writer_write_samples(writer, 7, 1000, samples, 2), MPROF_ERR_UNDEFINED_ID);
	samples[1].value = 0;
	cr_assert_eq(mprof_writer_write_samples(writer, 7, 1000, samples, 2), MPROF_ERR_UNDEFINED_ID);
	samples[0].kind = MPROF_EVENT_METHOD_ENTER;
	cr_assert_eq(mprof_writer_write_samples(writer, 7, 1000, samples, 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(stats_of(writer).blocks, 5);
	mprof_writer_destroy(writer);
}

Test(writer_records, mark)
{
	mprof_writer *writer = open_plain(MPROF2, 0);

	cr_assert_eq(mprof_writer_write_mark(writer, 7, 300, "here\n", 5), MPROF_OK);
	EXPECT_BLOCK(writer, 1, 39,
		     "\x2c\x82\x87"
		     "here\n\0");
	cr_assert_eq(mprof_writer_write_mark(writer, 0, 0, NULL, 0), MPROF_OK);
	EXPECT_BLOCK(writer, 2, 39,
		     "\x80\x80"
		     "\0");
	cr_assert_eq(mprof_writer_write_mark(writer, 0, 0, "a\0b", 3), MPROF_ERR_NAME);
	cr_assert_eq(mprof_writer_write_mark(writer, 0, 0, NULL, 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(stats_of(writer).blocks, 3);
	mprof_writer_destroy(writer);
}

Test(writer_records, application)
{
	static uint8_t data[MPROF_APPLICATION_MAX_SIZE + 1];
	mprof_writer *writer = open_plain(MPROF2, 0);

	cr_assert_eq(mprof_writer_write_application(writer, "a.b", 3, 300, 3, "\0x", 2), MPROF_OK);
	EXPECT_BLOCK(writer, 1, 55,
		     "\x82\x85"
		     "a.b\0"
		     "\x2c\x82\x83\x82"
		     "\0x"
		     "\x82\x85");
	cr_assert_eq(mprof_writer_write_application(writer, "a", 1, 0, 0, NULL, 0), MPROF_OK);
	cr_assert_eq(mprof_writer_write_application(writer, "a", 1, UINT32_MAX, 0, data, sizeof(data) - 1), MPROF_OK);
	cr_assert_eq(mprof_writer_write_application(writer, "a", 1, 0, 0, data, sizeof(data)), MPROF_ERR_LIMIT);
	cr_assert_eq(mprof_writer_write_application(writer, "a", 1, 0, 0, NULL, 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_write_application(writer, "a", 1, 0, 4, NULL, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_write_application(writer, "", 0, 0, 0, NULL, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_write_application(writer, NULL, 1, 0, 0, NULL, 0), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_write_application(writer, "a\0b", 3, 0, 0, NULL, 0), MPROF_ERR_NAME);
	cr_assert_eq(stats_of(writer).blocks, 4);
	mprof_writer_destroy(writer);
}

Test(writer_records, heap)
{
	const uint64_t reference = 16;
	const mprof_event_detail detail = {
		.struct_size = sizeof(mprof_event_detail), .object = 8, .reference_count = 1, .references = &reference};
	mprof_event events[] = {{.kind = MPROF_EVENT_HEAP_OBJECT, .id = 1, .value = 24, .more.detail = &detail},
				{.kind = MPROF_EVENT_HEAP_ROOT, .id = 0, .value = 1, .more.detail = &detail}};
	mprof_writer *writer = open_defined();

	cr_assert_eq(mprof_writer_write_heap(writer, 300, MPROF_HEAP_FLAG_FIRST, 400, events, 2), MPROF_OK);
	EXPECT_BLOCK(writer, 2, 8,
		     "\x83\x85"
		     "\x2c\x82\x81\x10\x83\x83"
		     "\x88\x82\x98\x81\x82"
		     "\x85\x81\x81"
		     "\x80"
		     "\x84\x85");
	cr_assert_eq(mprof_writer_write_heap(writer, 0, 0, 0, NULL, 0), MPROF_OK);
	EXPECT_BLOCK(writer, 3, 8,
		     "\x85\x85"
		     "\x80\x80\x80\x8c"
		     "\x80"
		     "\x86\x85");
	EXPECT_REFUSED(writer, MPROF_ERR_ARGUMENT, mprof_writer_write_heap(writer, 0, 0, 0, NULL, 1));
	events[1].id = 1;
	EXPECT_REFUSED(writer, MPROF_ERR_UNDEFINED_ID, mprof_writer_write_heap(writer, 0, 0, 0, events, 2));
	events[1].kind = MPROF_EVENT_SAMPLE;
	EXPECT_REFUSED(writer, MPROF_ERR_ARGUMENT, mprof_writer_write_heap(writer, 0, 0, 0, events, 2));
	mprof_writer_destroy(writer);
}

/* Sizes are left out only if directive 18 provides those of classes. */
Test(writer_records, heap_by_directive)
{
	const mprof_class_definition sized = {
		.struct_size = sizeof(mprof_class_definition), .id = 1, .name = "C", .name_length = 1, .size = 24};
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .object = 1};
	const mprof_event object = {.kind = MPROF_EVENT_HEAP_OBJECT, .id = 1, .value = 24, .more.detail = &detail};
	mprof_writer *writer = open_plain(MPROF2, 0);

	cr_assert_eq(mprof_writer_define_class(writer, &sized), MPROF_OK);
	cr_assert_eq(mprof_writer_write_heap(writer, 1, 0, 0, &object, 1), MPROF_OK);
	EXPECT_BLOCK(writer, 2, 8,
		     "\x83\x85"
		     "\x81\x80\x80\x80"
		     "\x88\x82\x98\x80"
		     "\x80"
		     "\x84\x85");
	mprof_writer_destroy(writer);
	writer = open_plain(MPROF2, BIT(MPROF_DIRECTIVE_CLASS_SIZES));
	cr_assert_eq(mprof_writer_define_class(writer, &sized), MPROF_OK);
	cr_assert_eq(mprof_writer_write_heap(writer, 1, 0, 0, &object, 1), MPROF_OK);
	EXPECT_BLOCK(writer, 3, 8,
		     "\x84\x85"
		     "\x81\x80\x80\x80"
		     "\x89\x82\x80"
		     "\x80"
		     "\x85\x85");
	mprof_writer_destroy(writer);
}

static mprof_status put_kind(mprof_writer *writer, uint32_t kind)
{
	const mprof_event sample = {.kind = MPROF_EVENT_SAMPLE, .value = 1, .counter = 9};
	const mprof_event freed = {.kind = MPROF_EVENT_HEAP_FREE, .id = 1};

	switch (kind) {
	case MPROF_BLOCK_SAMPLES:
		return mprof_writer_write_samples(writer, 1, 0, &sample, 1);
	case MPROF_BLOCK_MARK:
		return mprof_writer_write_mark(writer, 1, 0, "x", 1);
	case MPROF_BLOCK_HEAP_DATA:
		return mprof_writer_write_heap(writer, 1, 0, 0, &freed, 1);
	default:
		return put(writer, (mprof_block_kind)kind, NULL, 0);
	}
}

static const uint8_t all_kinds[] = {MPROF_BLOCK_STACKS,    MPROF_BLOCK_SAMPLES,     MPROF_BLOCK_CODE,
				    MPROF_BLOCK_METRICS,   MPROF_BLOCK_MARK,        MPROF_BLOCK_ROOTS,
				    MPROF_BLOCK_HEAP_DATA, MPROF_BLOCK_HEAP_SUMMARY};

/* Mail has none of these blocks. Definitions are accepted nevertheless: only blocks that use them are left out. */
Test(writer_records, mail)
{
	mprof_writer_options options = options_of(MAIL, 0);
	mprof_writer *writer = NULL;

	for (uint32_t lossy = 0; lossy <= 1; lossy++) {
		size_t left_out = 0;

		options.lossy = lossy;
		cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
		for (size_t i = 0; i < sizeof(all_kinds); i++) {
			if (all_kinds[i] == MPROF_BLOCK_STACKS || all_kinds[i] == MPROF_BLOCK_CODE) {
				cr_assert_eq(put_kind(writer, all_kinds[i]), MPROF_OK);
				continue;
			}
			left_out++;
			cr_assert_eq(put_kind(writer, all_kinds[i]), lossy ? MPROF_OK : MPROF_ERR_UNSUPPORTED, "%s",
				     mprof_block_get_name(all_kinds[i]));
			if (!lossy)
				expect_error(writer, MPROF_ERR_UNSUPPORTED, MPROF_SEVERITY_BLOCK);
		}
		cr_assert_eq(stats_of(writer).left_out, lossy ? left_out : 0);
		cr_assert_eq(stats_of(writer).blocks, 1);
		mprof_writer_destroy(writer);
	}
}

Test(writer_records, wrong_state)
{
	mprof_writer *writer = open_defined();

	cr_assert_eq(mprof_writer_begin_events(writer, 1, 0), MPROF_OK);
	for (size_t i = 0; i < sizeof(all_kinds); i++)
		cr_assert_eq(put_kind(writer, all_kinds[i]), MPROF_ERR_STATE);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	for (size_t i = 0; i < sizeof(all_kinds); i++)
		cr_assert_eq(put_kind(writer, all_kinds[i]), MPROF_ERR_STATE);
	mprof_writer_destroy(writer);
}

/* A block that is too long writes nothing and defines nothing. */
Test(writer_records, too_long)
{
	static mprof_event freed[1000];
	static mprof_event samples[1000];
	static mprof_record stacks[1000];
	mprof_writer *writer = open_defined();
	uint64_t length;

	for (uint32_t i = 0; i < 1000; i++) {
		freed[i] = event_of(MPROF_EVENT_HEAP_FREE, 1, 0);
		samples[i] = event_of(MPROF_EVENT_SAMPLE, 0, i);
		samples[i].value = 1;
		stacks[i] = stack_of(i + 1, 1, i, 0);
	}
	cr_assert_eq(put(writer, MPROF_BLOCK_STACKS, stacks, 1), MPROF_OK);
	length = log_length(writer);
	writer_limit_blocks(writer, 1000);
	cr_assert_eq(mprof_writer_write_heap(writer, 1, 0, 0, freed, 1000), MPROF_ERR_LIMIT);
	expect_error(writer, MPROF_ERR_LIMIT, MPROF_SEVERITY_BLOCK);
	cr_assert_eq(mprof_writer_write_samples(writer, 1, 0, samples, 1000), MPROF_ERR_LIMIT);
	cr_assert_eq(put(writer, MPROF_BLOCK_STACKS, stacks + 1, 999), MPROF_ERR_LIMIT);
	cr_assert_eq(log_length(writer), length);
	cr_assert_eq(put(writer, MPROF_BLOCK_STACKS, stacks + 2, 1), MPROF_ERR_ARGUMENT, "2 is not defined");
	cr_assert_eq(put(writer, MPROF_BLOCK_STACKS, stacks + 1, 10), MPROF_OK);
	cr_assert_eq(mprof_writer_write_heap(writer, 1, 0, 0, freed, 100), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	mprof_writer_destroy(writer);
}
