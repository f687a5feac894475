/* SPDX-License-Identifier: MIT */
/* The lists of hand-written STACKS, CODE, METRICS, ROOTS and HEAP_SUMMARY blocks, decoded and encoded. */
#include "base/caller_structs.h"
#include "format/blocks/records.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#define MAX_RECORDS 16

/* The counter of the first clock pair of each block. */
#define START_COUNTER 1000

typedef struct decoded {
	mprof_record records[MAX_RECORDS];
	size_t count;
	content_cursor content;
} decoded;

static decoded decode(mprof_block_kind kind, uint64_t directives, const char *bytes, size_t length)
{
	content_cursor content;
	record_cursor cursor;
	decoded result;

	memset(&result, 0x55, sizeof(result));
	result.count = 0;
	content_cursor_init(&content, (const uint8_t *)bytes, length, 8);
	record_cursor_init(&cursor, &content, kind, directives, START_COUNTER);
	while (record_cursor_next(&cursor, &result.records[result.count])) {
		result.count++;
		cr_assert_lt(result.count, MAX_RECORDS);
	}
	cr_assert_eq(record_cursor_next(&cursor, &result.records[result.count]), 0, "the end is found again");
	result.content = cursor.content;
	return result;
}

#define DECODE(kind, bytes) decode(MPROF_BLOCK_##kind, 0, bytes, sizeof(bytes) - 1)

/* Encodes the decoded records, which must give the same bytes. */
static void expect_same(const decoded *result, mprof_block_kind kind, uint64_t directives, const char *bytes,
			size_t length)
{
	mprof_allocator allocator;
	encode_buffer buffer;
	id_map doubles;
	const record_encoding encoding = {&doubles, START_COUNTER, result->records[0].id,
					  (directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_SIZED_METRICS)) != 0};

	cr_assert_eq(allocator_init(&allocator, NULL), 1);
	encode_buffer_init(&buffer, &allocator, SIZE_MAX);
	id_map_init(&doubles, &allocator);
	for (size_t i = 0; i < result->count; i++) {
		if (result->records[i].kind == MPROF_RECORD_METRIC_VALUE)
			cr_assert_eq(id_map_put(&doubles, result->records[i].id,
						result->records[i].as.metric_value.is_double),
				     1);
	}
	records_encode(&buffer, kind, &encoding, result->records, result->count);
	cr_assert_eq(buffer.status, MPROF_OK);
	cr_assert_eq(buffer.length, length, "%zu bytes", buffer.length);
	cr_assert_arr_eq(buffer.bytes, bytes, length);
	id_map_destroy(&doubles);
	encode_buffer_destroy(&buffer);
}

/* Decodes all records, encodes them again, and expects errors if the bytes are truncated anywhere. */
static decoded expect_records(mprof_block_kind kind, const char *bytes, size_t length, size_t count)
{
	decoded result = decode(kind, 0, bytes, length);

	cr_assert_eq(result.content.status, MPROF_OK, "%s at %zu", result.content.what, result.content.position);
	cr_assert_eq(result.content.position, length);
	cr_assert_eq(result.count, count);
	expect_same(&result, kind, 0, bytes, length);
	for (size_t cut = 0; cut < length; cut++) {
		char copy[256];
		decoded part;

		memcpy(copy, bytes, cut);
		part = decode(kind, 0, copy, cut);
		cr_assert_eq(part.content.status, MPROF_ERR_MALFORMED, "cut to %zu", cut);
		cr_assert_leq(part.count, count);
	}
	return result;
}

#define EXPECT_RECORDS(kind, count, bytes) expect_records(MPROF_BLOCK_##kind, bytes, sizeof(bytes) - 1, count)

static void expect_fault(mprof_status status, size_t position, mprof_block_kind kind, const char *bytes, size_t length)
{
	decoded result = decode(kind, 0, bytes, length);

	cr_assert_eq(result.content.status, status, "%s", result.content.what);
	cr_assert_eq(result.content.position, position, "%s at %zu", result.content.what, result.content.position);
}

#define EXPECT_FAULT(status, position, kind, bytes)                                                                    \
	expect_fault(status, position, MPROF_BLOCK_##kind, bytes, sizeof(bytes) - 1)

Test(records, stacks)
{
	/* From 5 on: method 3 without a caller; location 4, called by 5; an unknown method, called by 2. */
	decoded result = EXPECT_RECORDS(STACKS, 3,
					"\x85\x83"
					"\x86\x85"
					"\x89\x81"
					"\x80\x85");

	cr_assert_eq(result.records[0].kind, MPROF_RECORD_STACK);
	cr_assert_eq(result.records[0].id, 5);
	cr_assert_eq(result.records[0].as.stack.caller, 0);
	cr_assert_eq(result.records[0].as.stack.target, 3);
	cr_assert_eq(result.records[0].as.stack.is_native, 0);
	cr_assert_eq(result.records[0].as.stack.is_compiling, 0);
	cr_assert_eq(result.records[1].id, 6);
	cr_assert_eq(result.records[1].as.stack.caller, 5);
	cr_assert_eq(result.records[1].as.stack.target, 4);
	cr_assert_eq(result.records[1].as.stack.is_native, 1);
	cr_assert_eq(result.records[2].id, 7);
	cr_assert_eq(result.records[2].as.stack.caller, 2);
	cr_assert_eq(result.records[2].as.stack.target, 0);
	cr_assert_eq(DECODE(STACKS, "\x81\x80").content.status, MPROF_OK, "an empty list is valid");
}

Test(records, highest_stack)
{
	decoded result = EXPECT_RECORDS(STACKS, 1,
					"\x7e\x7f\x7f\x7f\x8f\x81"
					"\x7f\x7f\x7f\x7f\x9f\x81");

	cr_assert_eq(result.records[0].id, UINT32_MAX - 1);
	cr_assert_eq(result.records[0].as.stack.caller, UINT32_MAX - 2);
	cr_assert_eq(result.records[0].as.stack.target, UINT32_MAX);
}

Test(records, stack_of_a_method_that_is_being_compiled)
{
	decoded result = EXPECT_RECORDS(STACKS, 2,
					"\x81\x82"
					"\x0e\x00\x00\x00\xa0\x81"
					"\x00\x00\x00\x00\xa0\x81");

	cr_assert_eq(result.records[0].as.stack.target, 7);
	cr_assert_eq(result.records[0].as.stack.is_compiling, 1);
	cr_assert_eq(result.records[0].as.stack.is_native, 0);
	cr_assert_eq(result.records[1].as.stack.target, 0);
	cr_assert_eq(result.records[1].as.stack.is_compiling, 1);
	cr_assert_eq(result.records[1].as.stack.caller, 1);
}

Test(records, stack_faults)
{
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 0, STACKS,
		     "\x80\x81"
		     "\x86\x85");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 0, STACKS,
		     "\x00\x00\x00\x00\x90\x81"
		     "\x86\x85");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 1, STACKS,
		     "\x85\x82"
		     "\x86\x85\x86");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 1, STACKS, "\x85\x7f\x7f\x7f\x7f\x8f\x86\x85\x86\x86");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 5, STACKS,
		     "\x7f\x7f\x7f\x7f\x8f\x81"
		     "\x86\x85");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 2, STACKS,
		     "\x85\x81"
		     "\x00\x00\x00\x00\xc0\x85");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 2, STACKS,
		     "\x85\x81"
		     "\x03\x00\x00\x00\xa0\x85");
	/* The frame of a truncated call stack has no caller. */
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 3, STACKS,
		     "\x85\x81"
		     "\x81\x84");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 3, STACKS,
		     "\x85\x81"
		     "\x86\x80");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 3, STACKS,
		     "\x85\x81"
		     "\x86\x86");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 5, STACKS,
		     "\x85\x82"
		     "\x86\x81\x86\x87");
}

Test(records, code)
{
	decoded result = EXPECT_RECORDS(CODE, 6,
					"\x81\x00\x20\x81\x00\x81"
					"0af3\0"
					"/lib/a\0"
					"\x82\x80\x80"
					"\0"
					"\0"
					"\x80"
					"\x85\x81\x10\x81\x88"
					"main\0"
					"\x86\x80\x00\x82\x80"
					"\0"
					"\x80"
					"\x89\x81\x14\x81\x85"
					"\x8a\x80\x00\x82\x80"
					"\x80");

	cr_assert_eq(result.records[0].kind, MPROF_RECORD_MODULE);
	cr_assert_eq(result.records[0].id, 1);
	cr_assert_eq(result.records[0].as.module.address, 0x5000);
	cr_assert_eq(result.records[0].as.module.size, 128);
	cr_assert_str_eq(result.records[0].as.module.build_id, "0af3");
	cr_assert_str_eq(result.records[0].as.module.file, "/lib/a");
	cr_assert_eq(result.records[1].id, 2);
	cr_assert_eq(result.records[2].kind, MPROF_RECORD_FUNCTION);
	cr_assert_eq(result.records[2].id, 5);
	cr_assert_eq(result.records[2].as.function.module, 1);
	cr_assert_eq(result.records[2].as.function.offset, 144);
	cr_assert_eq(result.records[2].as.function.size, 8);
	cr_assert_str_eq(result.records[2].as.function.name, "main");
	cr_assert_eq(result.records[3].as.function.module, 0);
	cr_assert_eq(result.records[4].kind, MPROF_RECORD_LOCATION);
	cr_assert_eq(result.records[4].id, 9);
	cr_assert_eq(result.records[4].as.location.module, 1);
	cr_assert_eq(result.records[4].as.location.offset, 148);
	cr_assert_eq(result.records[4].as.location.function, 5);
	cr_assert_eq(result.records[5].as.location.offset, 256);
	cr_assert_eq(result.records[5].as.location.function, 0);
}

Test(records, code_faults)
{
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 5, CODE,
		     "\x81\x80\x80"
		     "\0"
		     "\0"
		     "\x83\x80\x80"
		     "\0"
		     "\0"
		     "\x80\x80\x80");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 5, CODE,
		     "\x81\x80\x80"
		     "\0"
		     "\0"
		     "\x81\x80\x80"
		     "\0"
		     "\0"
		     "\x80\x80\x80");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 0, CODE,
		     "\x00\x00\x00\x00\x90\x80\x80"
		     "\0"
		     "\0"
		     "\x80\x80\x80");
	EXPECT_FAULT(MPROF_ERR_LIMIT, 3, CODE,
		     "\x81\x80\x80"
		     "123456789\0"
		     "\0"
		     "\x80\x80\x80");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 2, CODE,
		     "\x80\x81\x00\x00\x00\x00\x90\x80\x80"
		     "\0"
		     "\x80\x80");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 5, CODE, "\x80\x80\x81\x80\x80\x00\x00\x00\x00\x90\x80");
}

Test(records, metrics)
{
	const double quarter = 0.25;
	uint64_t bits;
	decoded result = EXPECT_RECORDS(METRICS, 6,
					"\x81\x10\x82"
					"memory\0"
					"heap\0"
					"\x82\xc1"
					"\0"
					"load\0"
					"\x80"
					"\x82\x89"
					"\x85\x3f\x20\x83"
					"\x82\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81"
					"\x7e\x7f\x7f\x7f\x9f\x80"
					"\x80");

	memcpy(&bits, &quarter, sizeof(bits));
	cr_assert_eq(result.records[0].kind, MPROF_RECORD_METRIC);
	cr_assert_eq(result.records[0].id, 1);
	cr_assert_eq(result.records[0].as.metric.flags, MPROF_METRIC_UNIT_BYTES | MPROF_METRIC_FLAG_MONOTONIC);
	cr_assert_str_eq(result.records[0].as.metric.section, "memory");
	cr_assert_str_eq(result.records[0].as.metric.name, "heap");
	cr_assert_eq(result.records[1].as.metric.flags, MPROF_METRIC_FLAG_DOUBLE | MPROF_METRIC_UNIT_RATIO);
	cr_assert_eq(result.records[2].kind, MPROF_RECORD_METRIC_VALUE);
	cr_assert_eq(result.records[2].id, 1);
	cr_assert_eq(result.records[2].as.metric_value.is_double, 0);
	cr_assert_eq(result.records[2].as.metric_value.value, (uint64_t)-5);
	cr_assert_eq(result.records[3].id, 2);
	cr_assert_eq(result.records[3].as.metric_value.is_double, 1);
	cr_assert_eq(result.records[3].as.metric_value.value, bits, "%llx",
		     (unsigned long long)result.records[3].as.metric_value.value);
	cr_assert_eq(result.records[4].as.metric_value.value, (uint64_t)INT64_MIN);
	cr_assert_eq(result.records[5].id, UINT32_MAX);
}

/* A thread stands between the flags and the section of its metrics. */
Test(records, metric_of_a_thread)
{
	decoded result = EXPECT_RECORDS(METRICS, 1,
					"\x81\x00\x88\x03\x85"
					"thread\0"
					"cpu time\0"
					"\x80"
					"\x80");

	cr_assert_eq(result.records[0].as.metric.flags, MPROF_METRIC_FLAG_THREAD);
	cr_assert_eq(result.records[0].as.metric.thread, (5 << 7) + 3);
	cr_assert_str_eq(result.records[0].as.metric.section, "thread");
	cr_assert_str_eq(result.records[0].as.metric.name, "cpu time");
}

#define SIZED MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_SIZED_METRICS)
#define DECODE_SIZED(bytes) decode(MPROF_BLOCK_METRICS, SIZED, bytes, sizeof(bytes) - 1)

Test(records, metrics_with_a_length)
{
	static const char bytes[] = "\x81\x8b\x70\xb9\x85"
				    "gpu\0"
				    "W\0"
				    "W\0"
				    "\x82\x86\x01\x90\x80\0"
				    "t\0"
				    "\x80"
				    "\x83\x84\x3f\x20\x83\x87"
				    "\x84\x81\x89"
				    "\x84\x84\x94\x82\x83\x85"
				    "\x80";
	decoded result = DECODE_SIZED(bytes);

	cr_assert_eq(result.content.status, MPROF_OK);
	cr_assert_eq(result.count, 5);
	cr_expect_eq(result.records[0].as.metric.flags,
		     MPROF_METRIC_UNIT_NAMED | MPROF_METRIC_FLAG_THREAD | MPROF_METRIC_FLAG_HISTOGRAM | 0x1000);
	cr_expect_eq(result.records[0].as.metric.thread, 5);
	cr_expect_str_eq(result.records[0].as.metric.unit, "W");
	cr_expect_str_eq(result.records[1].as.metric.unit, "");
	/* Without a time the counter is 0, with one it is relative to the first clock pair. */
	cr_expect_eq(result.records[2].as.metric_value.counter, START_COUNTER - 4);
	cr_expect_eq(result.records[2].as.metric_value.is_double, 1);
	cr_expect_eq(result.records[3].as.metric_value.counter, 0);
	cr_expect_eq(result.records[3].as.metric_value.value, (uint64_t)-5);
	cr_expect_eq(result.records[4].as.metric_value.value, 10);
	cr_expect_eq(result.records[4].as.metric_value.counter, START_COUNTER + 1);
	cr_expect_eq(result.records[4].as.metric_value.count, 3);
	cr_expect_eq(result.records[4].as.metric_value.lower, (uint64_t)-3);
	expect_same(&result, MPROF_BLOCK_METRICS, SIZED, bytes, sizeof(bytes) - 1);
}

Test(records, longer_and_shorter_metrics)
{
	/* A definition without texts, a value without any number, and a value that a later version has extended. */
	decoded result = DECODE_SIZED("\x81\x81\x90\x80\x82\x80\x82\x86\x82\x80\x80\x80\x55\xaa\x80");

	cr_assert_eq(result.content.status, MPROF_OK);
	cr_assert_eq(result.count, 3);
	cr_expect_str_eq(result.records[0].as.metric.name, "");
	cr_expect_eq(result.records[1].as.metric_value.value, 0);
	cr_expect_eq(result.records[2].as.metric_value.value, 1);
	cr_expect_eq(result.records[2].as.metric_value.counter, 0);
}

Test(records, faults_of_metrics_with_a_length)
{
	/* A definition that is longer than the block, a text that is cut off, a number that is, and an ID of 0. */
	cr_expect_eq(DECODE_SIZED("\x81\xff\x80\x80").content.status, MPROF_ERR_MALFORMED);
	cr_expect_eq(DECODE_SIZED("\x81\x83\x80\x80xy\0\x80\x80").content.status, MPROF_ERR_MALFORMED);
	cr_expect_eq(DECODE_SIZED("\x80\x82\x81\x00\x80\x80").content.status, MPROF_ERR_MALFORMED);
	cr_expect_eq(DECODE_SIZED("\x80\x81\x80\x80").content.status, MPROF_ERR_MALFORMED);
}

Test(records, metric_faults)
{
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 4, METRICS,
		     "\x81\x80"
		     "\0"
		     "\0"
		     "\x83\x80"
		     "\0"
		     "\0"
		     "\x80\x80");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 1, METRICS,
		     "\x81\x00\x00\x00\x00\x90"
		     "\0"
		     "\0"
		     "\x80\x80");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 1, METRICS, "\x80\x81\x80\x80");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 1, METRICS, "\x80\x00\x00\x00\x00\xa0\x80\x80");
}

Test(records, roots)
{
	decoded result = EXPECT_RECORDS(ROOTS, 2,
					"\x84\x81\x87\x80\x00\x20\x81\x00\x81"
					"area\0"
					"\x85\x09\x81\x80\x88\x80\x80"
					"\0"
					"\x80");

	cr_assert_eq(result.records[0].kind, MPROF_RECORD_ROOT);
	cr_assert_eq(result.records[0].id, 4);
	cr_assert_eq(result.records[0].as.root.kind, MPROF_ROOT_STATIC);
	cr_assert_eq(result.records[0].as.root.class_id, 7);
	cr_assert_eq(result.records[0].as.root.thread, 0);
	cr_assert_eq(result.records[0].as.root.address, 0x5000);
	cr_assert_eq(result.records[0].as.root.size, 128);
	cr_assert_str_eq(result.records[0].as.root.name, "area");
	cr_assert_eq(result.records[1].as.root.kind, 137, "an unknown kind is valid");
	cr_assert_eq(result.records[1].as.root.thread, 8);
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 7, ROOTS,
		     "\x84\x80\x80\x80\x80\x80"
		     "\0"
		     "\x84\x80\x80\x80\x80\x80"
		     "\0"
		     "\x80");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 1, ROOTS,
		     "\x84\x00\x00\x00\x00\x90\x80\x80\x80\x80"
		     "\0"
		     "\x80");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 2, ROOTS,
		     "\x84\x80\x00\x00\x00\x00\x90\x80\x80\x80"
		     "\0"
		     "\x80");
}

Test(records, summary)
{
	decoded result = EXPECT_RECORDS(HEAP_SUMMARY, 2,
					"\x87\x82\xb0\x81\x90"
					"\x83\x80\x80\x80\x80"
					"\x80");

	cr_assert_eq(result.records[0].kind, MPROF_RECORD_SUMMARY);
	cr_assert_eq(result.records[0].id, 7);
	cr_assert_eq(result.records[0].as.summary.live_objects, 2);
	cr_assert_eq(result.records[0].as.summary.live_bytes, 48);
	cr_assert_eq(result.records[0].as.summary.dead_objects, 1);
	cr_assert_eq(result.records[0].as.summary.dead_bytes, 16);
	cr_assert_eq(result.records[1].id, 3, "classes need not be in order");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 0, HEAP_SUMMARY, "\x00\x00\x00\x00\x90\x80\x80\x80\x80\x80");
}
