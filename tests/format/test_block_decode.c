/* SPDX-License-Identifier: MIT */
/* The content of hand-written blocks: the value of each field, and which errors are found where. */
#include "block_fixture.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#define BIT(directive) MPROF_DIRECTIVE_BIT(directive)
#define MAIL MPROF_DIALECT_MAIL
#define MPROF2 MPROF_DIALECT_MPROF2

Test(block_decode, intro)
{
	decoded result = DECODE(MPROF2, 0, INTRO,
				"\x82"
				"mono\0"
				"\x2c\x82"
				"\x85\x86");

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.as.intro.version, 2);
	cr_assert_str_eq(result.block.as.intro.runtime, "mono");
	cr_assert_eq(result.block.as.intro.runtime_length, 4);
	cr_assert_eq(result.block.as.intro.flags, 300);
	cr_assert_eq(result.block.has_clocks, 1);
	cr_assert_eq(result.block.start.counter, 5);
	cr_assert_eq(result.block.end.time, 6);
	EXPECT_EXACT(MPROF2, 0, INTRO,
		     "\x82"
		     "mono\0"
		     "\x2c\x82"
		     "\x85\x86");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 0, MPROF2, 0, INTRO,
		     "\x81"
		     "\0"
		     "\x80\x85\x86");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 0, MAIL, 0, INTRO,
		     "\x82"
		     "\0"
		     "\x80\x85\x86");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 2, MAIL, 0, INTRO,
		     "\x81"
		     "\0"
		     "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x82\x85\x86");
	EXPECT_FAULT(MPROF_ERR_LIMIT, 1, MAIL, 0, INTRO,
		     "\x81"
		     "123456789012345678901\0"
		     "\x80\x85\x86");
}

Test(block_decode, end)
{
	decoded result = DECODE(MAIL, 0, END, "\x81\x85\x86");

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.as.end.version, 1);
	cr_assert_eq(result.block.start.counter, 5);
	result = DECODE(MAIL, 0, END, "\x07\x81\x85\x86");
	cr_assert_eq(result.status, MPROF_OK, "the leftover byte of mail");
	cr_assert_eq(result.block.as.end.version, 1);
	EXPECT_EXACT(MAIL, 0, END, "\x81\x85\x86");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 0, MPROF2, 0, END, "\x07\x82\x85\x86");
}

Test(block_decode, element)
{
	decoded result = DECODE(MAIL, 0, LOADED,
				"\x0a\x81\x82\x83"
				"name\0");

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.as.element.kind, MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_FLAG_SUCCESS);
	cr_assert_eq(result.block.as.element.start_counter, 1);
	cr_assert_eq(result.block.as.element.end_counter, 2);
	cr_assert_eq(result.block.thread, 3);
	cr_assert_str_eq(result.block.as.element.name, "name");
	cr_assert_eq(result.block.has_clocks, 0);
	EXPECT_EXACT(MAIL, 0, LOADED,
		     "\x0a\x81\x82\x83"
		     "name\0");
	EXPECT_EXACT(MAIL, 0, UNLOADED,
		     "\x02\x81\x82\x83"
		     "name\0");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 0, MAIL, 0, LOADED, "\x08\x81\x82\x83\0");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 0, MAIL, 0, LOADED, "\x0b\x81\x82\x83\0");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 0, MAIL, 0, LOADED, "\x29\x81\x82\x83\0");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 0, MAIL, 0, UNLOADED, "\x0a\x81\x82\x83\0");
}

Test(block_decode, element_with_directives)
{
	const uint64_t directives = BIT(MPROF_DIRECTIVE_ELEMENT_IDS) | BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS);
	decoded result = DECODE(MPROF2, directives, LOADED,
				"\x0a\x81\x82\x83\x87"
				"n\0"
				"base\0"
				"\x81\x82\x83\x84"
				"neutral\0"
				"null\0"
				"\x81");

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.as.element.id, 7);
	cr_assert_eq(result.block.as.element.assembly != NULL, 1);
	cr_assert_str_eq(result.block.as.element.assembly->base_name, "base");
	cr_assert_eq(result.block.as.element.assembly->major, 1);
	cr_assert_eq(result.block.as.element.assembly->revision, 4);
	cr_assert_str_eq(result.block.as.element.assembly->culture, "neutral");
	cr_assert_str_eq(result.block.as.element.assembly->public_key_token, "null");
	cr_assert_eq(result.block.as.element.assembly->retargetable, 1);
	EXPECT_EXACT(MPROF2, directives, LOADED,
		     "\x0a\x81\x82\x83\x87"
		     "n\0"
		     "base\0"
		     "\x81\x82\x83\x84"
		     "neutral\0"
		     "null\0"
		     "\x81");
	result = DECODE(MPROF2, directives, LOADED,
			"\x0c\x81\x82\x83\x87"
			"1\0");
	cr_assert_eq(result.status, MPROF_OK, "only assemblies have a split name");
	result = DECODE(MPROF2, directives, UNLOADED,
			"\x02\x81\x82\x83\x87"
			"n\0");
	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.as.element.id, 7);
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 4, MPROF2, directives, UNLOADED,
		     "\x02\x81\x82\x83\x00\x00\x00\x00\x90"
		     "n\0");
}

Test(block_decode, mapping)
{
	decoded result = DECODE(MAIL, 0, MAPPING,
				"\x81\x82\x83"
				"\x84"
				"A\0"
				"\x80"
				"\x85\x84"
				"B\0"
				"\x80"
				"\x86\x87");

	expect_mappings(&result, "class 4 in 0 A, method 5 of 4 flags 0 B, ");
	cr_assert_eq(result.block.start.counter, 1);
	cr_assert_eq(result.block.thread, 3);
	cr_assert_eq(result.block.end.time, 7);
	cr_assert_eq(result.block.has_clocks, 1);
	result = DECODE(MAIL, 0, MAPPING,
			"\x81\x82\x83"
			"\x80\x80"
			"\x86\x87");
	expect_mappings(&result, "");
	result = DECODE(MPROF2, BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) | BIT(MPROF_DIRECTIVE_METHOD_FLAGS), MAPPING,
			"\x81\x82\x83"
			"\x84\x89"
			"A\0"
			"\x80"
			"\x85\x84\x81"
			"B\0"
			"\x80"
			"\x86\x87");
	expect_mappings(&result, "class 4 in 9 A, method 5 of 4 flags 1 B, ");
	EXPECT_EXACT(MAIL, 0, MAPPING,
		     "\x81\x82\x83"
		     "\x84"
		     "A\0"
		     "\x80"
		     "\x85\x84"
		     "B\0"
		     "\x80"
		     "\x86\x87");
	EXPECT_EXACT(MPROF2, 0, MAPPING,
		     "\x81\x82\x83"
		     "\x84"
		     "A\0"
		     "\x80"
		     "\x85\x84"
		     "B\0"
		     "\x80"
		     "\x86\x87");
	EXPECT_FAULT(MPROF_ERR_LIMIT, 4, MAIL, 0, MAPPING,
		     "\x81\x82\x83"
		     "\x84"
		     "123456789012345678901\0"
		     "\x80\x80\x86\x87");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 3, MPROF2, 0, MAPPING,
		     "\x81\x82\x83"
		     "\x00\x00\x00\x00\x90"
		     "A\0"
		     "\x80\x80\x86\x87");
}

/* Lists that end with a byte 0. An ID that is a multiple of 128 begins with the same byte. */
Test(block_decode, mapping_by_mail)
{
	decoded result = DECODE(MAIL, 0, MAPPING,
				"\x81\x82\x83"
				"\x84"
				"A\0"
				"\x00"
				"\x85\x84"
				"B\0"
				"\x00"
				"\x86\x87");

	expect_mappings(&result, "class 4 in 0 A, method 5 of 4 flags 0 B, ");
	result = DECODE(MAIL, 0, MAPPING,
			"\x81\x82\x83"
			"\x00"
			"\x00"
			"\x86\x87");
	expect_mappings(&result, "");
	cr_assert_eq(result.block.end.counter, 6);
	result = DECODE(MAIL, 0, MAPPING,
			"\x81\x82\x83"
			"\x48\x81"
			"Big\0"
			"\x00\x81"
			"Odd\0"
			"\x83"
			"Node\0"
			"\x00"
			"\x68\xa0\x83"
			"Far\0"
			"\x00\x82\x83"
			"Even\0"
			"\x81\x83"
			"Main\0"
			"\x00"
			"\x1a\x05\xbd"
			"\x5a\x00\x87");
	expect_mappings(&result, "class 200 in 0 Big, class 128 in 0 Odd, class 3 in 0 Node, "
				 "method 4200 of 3 flags 0 Far, method 256 of 3 flags 0 Even, "
				 "method 1 of 3 flags 0 Main, ");
	cr_assert_eq(result.block.end.counter, 1000090);
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 14, MPROF2, 0, MAPPING,
		     "\x81\x82\x83"
		     "\x84"
		     "A\0"
		     "\x00"
		     "\x85\x84"
		     "B\0"
		     "\x00"
		     "\x86\x87");
}

Test(block_decode, events)
{
	decoded result = DECODE(MAIL, 0, EVENTS,
				"\x81\x82\x83\x84"
				"\x09\x80\x81"
				"\x00"
				"\x00\x86\x87");

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.thread, 3);
	cr_assert_eq(result.block.as.events.base_counter, 4);
	cr_assert_eq(result.body.list_start, 4);
	cr_assert_eq(result.body.list_end, 7);
	cr_assert_eq(result.block.end.counter, 6 << 7);
	cr_assert_eq(result.block.end.time, 7);
	result = DECODE(MAIL, 0, EVENTS,
			"\x81\x82\x83\x84"
			"\x00"
			"\x86\x87");
	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.body.list_end, 4);
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 6, MAIL, 0, EVENTS, "\x81\x82\x83\x84\x86\x87");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 4, MAIL, 0, EVENTS, "\x81\x82\x83\x84");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 6, MAIL, 0, EVENTS, "\x81\x82\x83\x84\x00\x86");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 8, MAIL, 0, EVENTS, "\x81\x82\x83\x84\x00\x86\x87\x01");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 3, MAIL, 0, EVENTS, "\x81\x82\x83");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 5, MAIL, 0, EVENTS,
		     "\x81\x82\x83\x84"
		     "\x00"
		     "\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x81"
		     "\x87");
}

/* Hits as "m1 m2 f7 ". */
static void expect_samples(decoded *result, const char *expected)
{
	sample_cursor cursor;
	char text[256] = "";
	size_t length = 0;
	uint32_t id;

	cr_assert_eq(result->status, MPROF_OK, "%s at %zu", result->cursor.what, result->cursor.position);
	sample_cursor_init(&cursor, result->content, result->length, &result->body);
	while (sample_cursor_next(&cursor, &id))
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%c%u ",
					   cursor.in_functions ? 'f' : 'm', (unsigned)id);
	cr_assert_eq(cursor.content.status, MPROF_OK);
	cr_assert_str_eq(text, expected);
}

Test(block_decode, statistical)
{
	decoded result = DECODE(MAIL, 0, STATISTICAL, "\x5f\x19\xbd\x81\x68\xa0\x81\x80\x87\x80\x69\x19\xbd");

	expect_samples(&result, "m1 m4200 m1 f7 ");
	cr_assert_eq(result.block.as.statistical.start_counter, 1002719);
	cr_assert_eq(result.block.as.statistical.end_counter, 1002729);
	result = DECODE(MAIL, 0, STATISTICAL, "\x06\x5f\x19\xbd\x81\x80\x87\x80\x69\x19\xbd");
	expect_samples(&result, "m1 f7 ");
	cr_assert_eq(result.block.as.statistical.start_counter, 1002719, "after the leftover byte of mail");
	result = DECODE(MAIL, 0, STATISTICAL, "\x06\x99\x81\x80\x87\x80\x10\x99");
	cr_assert_eq(result.block.as.statistical.start_counter, 0x19 << 7 | 6,
		     "a start counter that begins like the leftover byte");
	expect_samples(&result, "m1 f7 ");
	result = DECODE(MPROF2, 0, STATISTICAL, "\x81\x80\x80\x82");
	expect_samples(&result, "");
	EXPECT_EXACT(MPROF2, 0, STATISTICAL, "\x5f\x19\xbd\x81\x68\xa0\x81\x80\x87\x80\x69\x19\xbd");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 1, MPROF2, 0, STATISTICAL, "\x81\x00\x00\x00\x00\x90\x80\x80\x82");
}

Test(block_decode, directives)
{
	decoded result = DECODE(MPROF2, BIT(4), DIRECTIVES,
				"\x81\x82"
				"\x81\x85"
				"\x91\x80"
				"\x80"
				"\x83\x84");

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.as.directives.declared.bits[0], BIT(1) | BIT(17) | BIT(4),
		     "earlier directives stay in force");
	cr_assert_eq(result.body.unreadable_kinds, 0);
	result = DECODE(MPROF2, 0, DIRECTIVES,
			"\x81\x82"
			"\xe3\x85"
			"\x00\x81\x84"
			"\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81\x80"
			"\xe4\x00\xc0"
			"\xc0\x86"
			"\x82\x87"
			"\x80"
			"\x83\x84");
	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.as.directives.declared.bits[0], 0);
	cr_assert_eq(result.body.unreadable_kinds,
		     MPROF_BLOCK_BIT(MPROF_BLOCK_EVENTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING) |
			     MPROF_BLOCK_BIT(MPROF_BLOCK_STATISTICAL) | MPROF_BLOCK_BIT(MPROF_BLOCK_END),
		     "99, 128, 64 and 2 are not known");
	EXPECT_EXACT(MPROF2, 0, DIRECTIVES,
		     "\x81\x82"
		     "\x81\x85"
		     "\x91\x80"
		     "\x80"
		     "\x83\x84");
}

Test(block_decode, session)
{
	decoded result = DECODE(MPROF2, 0, SESSION,
				"\x81\x82"
				"pid\0"
				"12\0"
				"empty\0"
				"\0"
				"\0");
	content_cursor cursor;
	const char *key;
	const char *value;

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.end.counter, 1);
	content_cursor_init(&cursor, result.content, result.length, 20);
	cursor.position = result.body.list_start;
	cr_assert(block_property_decode(&cursor, &key, &value));
	cr_assert_str_eq(key, "pid");
	cr_assert_str_eq(value, "12");
	cr_assert(block_property_decode(&cursor, &key, &value));
	cr_assert_str_eq(key, "empty");
	cr_assert_str_eq(value, "");
	cr_assert_not(block_property_decode(&cursor, &key, &value));
	EXPECT_EXACT(MPROF2, 0, SESSION,
		     "\x81\x82"
		     "pid\0"
		     "12\0"
		     "empty\0"
		     "\0"
		     "\0");
}

Test(block_decode, thread)
{
	decoded result = DECODE(MPROF2, 0, THREAD,
				"\x81\x82\x83"
				"main\0");

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.thread, 3);
	cr_assert_str_eq(result.block.as.thread_name.name, "main");
	EXPECT_EXACT(MPROF2, 0, THREAD,
		     "\x81\x82\x83"
		     "main\0");
}

Test(block_decode, lost)
{
	decoded result = DECODE(MPROF2, 0, LOST,
				"\x81\x82\x83"
				"\x81\x85"
				"\x83\x86"
				"\x89\x87"
				"\x8a\x81"
				"\x80"
				"\x84\x85");

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.as.lost.counts[MPROF_LOSS_NO_BUFFER], 5);
	cr_assert_eq(result.block.as.lost.counts[MPROF_LOSS_NO_MEMORY], 0);
	cr_assert_eq(result.block.as.lost.counts[MPROF_LOSS_WRITE_FAILED], 6);
	cr_assert_eq(result.block.as.lost.counts[0], 8, "losses of unknown causes");
	cr_assert_eq(result.block.end.time, 5);
	EXPECT_EXACT(MPROF2, 0, LOST,
		     "\x81\x82\x83"
		     "\x81\x85"
		     "\x80"
		     "\x84\x85");
}

Test(block_decode, samples)
{
	decoded result = DECODE(MPROF2, 0, SAMPLES,
				"\x81\x82\x2c\x82\x84"
				"\x81\x85"
				"\x80"
				"\x86\x87");

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.start.time, 2);
	cr_assert_eq(result.block.thread, 300);
	cr_assert_eq(result.block.as.samples.base_counter, 4);
	cr_assert_eq(result.block.end.counter, 6);
	cr_assert_eq(result.block.has_clocks, 1);
	cr_assert_eq(result.body.list_start, 5);
	cr_assert_eq(result.body.list_end, 7);
	EXPECT_EXACT(MPROF2, 0, SAMPLES,
		     "\x81\x82\x2c\x82\x84"
		     "\x81\x85"
		     "\x80"
		     "\x86\x87");
	/*
	 * The items of the list are checked later, but its end is checked here. The varint that ends it may be longer than
	 * necessary.
	 */
	result = DECODE(MPROF2, 0, SAMPLES,
			"\x81\x82\x83\x84"
			"\x80\x80"
			"\x00\x80"
			"\x06\x86\x07\x87");
	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.body.list_end, 6);
	cr_assert_eq(result.block.end.counter, 6 << 7 | 6);
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 9, MPROF2, 0, SAMPLES,
		     "\x81\x82\x83\x84"
		     "\x81\x85"
		     "\x81"
		     "\x86\x87");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 9, MPROF2, 0, SAMPLES,
		     "\x81\x82\x83\x84"
		     "\x81\x85"
		     "\x00"
		     "\x86\x87");
	result = DECODE(MPROF2, 0, SAMPLES,
			"\x81\x82\x83\x84"
			"\x80"
			"\x86\x87");
	cr_assert_eq(result.status, MPROF_OK, "no sample at all");
	cr_assert_eq(result.body.list_end, result.body.list_start);
}

Test(block_decode, heap_data)
{
	decoded result = DECODE(MPROF2, 0, HEAP_DATA,
				"\x81\x82\x87\x83\x2c\x82\x8c"
				"\x55\x85"
				"\x80"
				"\x86\x87");

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.start.counter, 1);
	cr_assert_eq(result.block.as.heap_data.number, 7);
	cr_assert_eq(result.block.as.heap_data.flags, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST);
	cr_assert_eq(result.block.as.heap_data.counter, 300);
	cr_assert_eq(result.body.shift, 12);
	cr_assert_eq(result.body.list_start, 7);
	cr_assert_eq(result.body.list_end, 9);
	cr_assert_eq(result.block.end.counter, 6);
	EXPECT_EXACT(MPROF2, 0, HEAP_DATA,
		     "\x81\x82\x87\x83\x2c\x82\x8c"
		     "\x55\x85"
		     "\x80"
		     "\x86\x87");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 5, MPROF2, 0, HEAP_DATA, "\x81\x82\x87\x83\x84\x8d\x80\x86\x87");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 2, MPROF2, 0, HEAP_DATA,
		     "\x81\x82\x00\x00\x00\x00\x90\x83\x84\x80\x80\x86\x87");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 3, MPROF2, 0, HEAP_DATA,
		     "\x81\x82\x80\x00\x00\x00\x00\x90\x84\x80\x80\x86\x87");
}

/* The items of these lists are tested by test_records.c. */
Test(block_decode, records)
{
	decoded result = DECODE(MPROF2, 0, HEAP_SUMMARY,
				"\x81\x82\x2c\x82"
				"\x85\x80\x80\x80\x80"
				"\x80"
				"\x86\x87");

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.as.heap_summary.collection, 300);
	cr_assert_eq(result.block.has_clocks, 1);
	cr_assert_eq(result.block.end.time, 7);
	cr_assert_eq(result.body.list_start, 4);
	EXPECT_EXACT(MPROF2, 0, HEAP_SUMMARY,
		     "\x81\x82\x2c\x82"
		     "\x85\x80\x80\x80\x80"
		     "\x80"
		     "\x86\x87");
	EXPECT_EXACT(MPROF2, 0, STACKS,
		     "\x81\x82"
		     "\x81\x82"
		     "\x82\x81\x82\x81"
		     "\x86\x87");
	EXPECT_EXACT(MPROF2, 0, CODE,
		     "\x81\x82"
		     "\x81\x82\x83"
		     "0f\0"
		     "m\0"
		     "\x80\x80\x80"
		     "\x86\x87");
	EXPECT_EXACT(MPROF2, 0, METRICS,
		     "\x81\x82"
		     "\x81\x80"
		     "s\0"
		     "n\0"
		     "\x80"
		     "\x82\x85"
		     "\x80"
		     "\x86\x87");
	EXPECT_EXACT(MPROF2, 0, ROOTS,
		     "\x81\x82"
		     "\x81\x82\x83\x84\x85\x86"
		     "n\0"
		     "\x80"
		     "\x86\x87");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 2, MPROF2, 0, HEAP_SUMMARY, "\x81\x82\x00\x00\x00\x00\x90\x80\x86\x87");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 7, MPROF2, 0, STACKS,
		     "\x81\x82"
		     "\x81\x82"
		     "\x82\x81\x82\x83"
		     "\x86\x87");
}

Test(block_decode, mark)
{
	decoded result = DECODE(MPROF2, 0, MARK,
				"\x2c\x82\x85"
				"here\0");

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.as.mark.counter, 300);
	cr_assert_eq(result.block.thread, 5);
	cr_assert_str_eq(result.block.as.mark.text, "here");
	cr_assert_eq(result.block.as.mark.text_length, 4);
	cr_assert_eq(result.block.has_clocks, 0);
	EXPECT_EXACT(MPROF2, 0, MARK,
		     "\x2c\x82\x85"
		     "here\0");
	EXPECT_FAULT(MPROF_ERR_LIMIT, 2, MPROF2, 0, MARK,
		     "\x81\x85"
		     "123456789012345678901\0");
}

Test(block_decode, unknown)
{
	decoded result = DECODE(MPROF2, 0, UNKNOWN, "\x01\x02\x03");

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.has_clocks, 0);
}
