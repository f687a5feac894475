/* SPDX-License-Identifier: MIT */
/* The content of hand-written blocks of Mono's own writers where it differs from mail. */
#include "block_fixture.h"

#include <criterion/criterion.h>

#define BIT(directive) MPROF_DIRECTIVE_BIT(directive)
#define DROP MPROF_DIALECT_DROP
#define MONO MPROF_DIALECT_MONO
#define UNITY MPROF_DIALECT_UNITY
#define FIXED MPROF_DIALECT_UNITY_FIXED

#define U32(low) low "\0\0\0"
#define U64(low) low "\0\0\0\0\0\0\0"

Test(block_decode_mono, codes)
{
	static const uint8_t kinds[] = {
		0,
		MPROF_BLOCK_INTRO,
		MPROF_BLOCK_END,
		MPROF_BLOCK_MAPPING,
		MPROF_BLOCK_LOADED,
		MPROF_BLOCK_UNLOADED,
		MPROF_BLOCK_EVENTS,
		MPROF_BLOCK_STATISTICAL,
		MPROF_BLOCK_HEAP_DATA,
		MPROF_BLOCK_HEAP_SUMMARY,
		MPROF_BLOCK_DIRECTIVES,
	};
	static const mprof_dialect dialects[] = {DROP, MONO, UNITY, FIXED};

	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
		const dialect_rules *rules = dialect_get(dialects[i]);

		cr_assert_eq(rules->dialect, dialects[i]);
		for (uint32_t code = 1; code <= 10; code++) {
			int is_known = code <= 8 || dialects[i] != DROP;

			cr_assert_eq(dialect_block_kind(rules, code), is_known ? kinds[code] : MPROF_BLOCK_UNKNOWN);
			cr_assert_eq(dialect_block_code(rules, kinds[code]), is_known ? code : 0);
		}
		cr_assert_eq(dialect_block_kind(rules, 11), MPROF_BLOCK_UNKNOWN);
		cr_assert_eq(dialect_block_kind(rules, 32), MPROF_BLOCK_UNKNOWN);
		cr_assert_eq(dialect_block_code(rules, MPROF_BLOCK_SAMPLES), 0);
	}
}

/* One varint each; mprof2 has two. */
Test(block_decode_mono, directives)
{
	decoded result = DECODE(MONO, 0, DIRECTIVES,
				"\x81\x82"
				"\x81\x82\x83\x84\x85\x86\x80"
				"\x83\x84");

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.as.directives.declared.bits[0], BIT(1) | BIT(2) | BIT(3) | BIT(4) | BIT(5) | BIT(6));
	cr_assert_eq(result.body.unreadable_kinds, 0);
	EXPECT_EXACT(MONO, 0, DIRECTIVES,
		     "\x81\x82"
		     "\x81\x82\x83\x84\x85\x86\x80"
		     "\x83\x84");
	result = DECODE(MONO, BIT(4), DIRECTIVES,
			"\x81\x82"
			"\x80"
			"\x83\x84");
	cr_assert_eq(result.block.as.directives.declared.bits[0], BIT(4), "earlier directives stay in force");
	result = DECODE(MONO, 0, DIRECTIVES,
			"\x81\x82"
			"\x81\x87\x80"
			"\x83\x84");
	cr_assert_eq(result.block.as.directives.declared.bits[0], BIT(1));
	cr_assert_eq(result.body.unreadable_kinds,
		     MPROF_BLOCK_BIT(MPROF_BLOCK_EVENTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_LOADED) |
			     MPROF_BLOCK_BIT(MPROF_BLOCK_UNLOADED) | MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING));
}

/*
 * Mail describes the block's code before END and before hits, and lists that end with a byte. No writer produced these.
 */
Test(block_decode_mono, leftovers_of_mail_are_malformed)
{
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 0, DROP, 0, END, "\x07\x81\x85\x86");
	EXPECT_FAULT(MPROF_ERR_MALFORMED, 14, DROP, 0, MAPPING,
		     "\x81\x82\x83"
		     "\x84"
		     "A\0"
		     "\x00"
		     "\x85\x84"
		     "B\0"
		     "\x00"
		     "\x86\x87");
}

Test(block_decode_mono, mapping)
{
	decoded result = DECODE(MONO, BIT(5) | BIT(6), MAPPING,
				"\x81\x82\x83"
				"\x84\x89"
				"A\0"
				"\x80"
				"\x85\x84\x81"
				"B\0"
				"\x80"
				"\x86\x87");

	expect_mappings(&result, "class 4 in 9 A, method 5 of 4 flags 1 B, ");
	result = DECODE(DROP, 0, MAPPING,
			"\x81\x82\x83"
			"\x84"
			"A\0"
			"\x80"
			"\x85\x84"
			"B\0"
			"\x80"
			"\x86\x87");
	expect_mappings(&result, "class 4 in 0 A, method 5 of 4 flags 0 B, ");
}

/* The list may end before a counter that begins with a byte 0. */
Test(block_decode_mono, events)
{
	decoded result = DECODE(MONO, 0, EVENTS,
				"\x81\x82\x83\x84"
				"\x4f\x80\x80"
				"\x00"
				"\x00\x86\x87");

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.body.list_end, 7);
	cr_assert_eq(result.block.end.counter, 6 << 7);
}

Test(block_decode_mono, summary)
{
	decoded result = DECODE(MONO, 0, HEAP_SUMMARY,
				"\x81\x82"
				"\x87"
				"\x83\x81\x98\x80\x80"
				"\x80"
				"\x83\x84");

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.as.heap_summary.collection, 7);
	EXPECT_EXACT(MONO, 0, HEAP_SUMMARY,
		     "\x81\x82"
		     "\x87"
		     "\x83\x81\x98\x80\x80"
		     "\x80"
		     "\x83\x84");
}

/* Integers of four and of eight bytes. */
Test(block_decode_mono, fixed_ints)
{
	decoded result = DECODE(FIXED, 0, INTRO, U32("\x01") "mono\0" U32("\x9f") U64("\x05") U64("\x06"));

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.as.intro.version, 1);
	cr_assert_str_eq(result.block.as.intro.runtime, "mono");
	cr_assert_eq(result.block.as.intro.flags, 0x9f);
	cr_assert_eq(result.block.start.counter, 5);
	cr_assert_eq(result.block.start.time, 6);
	EXPECT_EXACT(FIXED, 0, INTRO, U32("\x01") "mono\0" U32("\x9f") U64("\x05") U64("\x06"));
	result = DECODE(FIXED, 0, END, U32("\x01") "\x01\x02\x03\x04\x05\x06\x07\x88" U64("\x06"));
	cr_assert_eq(result.block.start.counter, UINT64_C(0x8807060504030201));
	EXPECT_EXACT(FIXED, 0, END, U32("\x01") U64("\x05") U64("\x06"));
	result = DECODE(FIXED, 0, DIRECTIVES,
			U64("\x01") U64("\x02") U32("\x04") U32("\x06") U32("\0") U64("\x03") U64("\x04"));
	cr_assert_eq(result.block.as.directives.declared.bits[0], BIT(4) | BIT(6));
	cr_assert_eq(result.block.end.counter, 3);
	EXPECT_EXACT(FIXED, 0, DIRECTIVES, U64("\x01") U64("\x02") U32("\x04") U32("\0") U64("\x03") U64("\x04"));
}

Test(block_decode_mono, fixed_lists)
{
	decoded result = DECODE(FIXED, BIT(4), LOADED, "\x0c" U64("\x01") U64("\x02") U64("\x03") U32("\x07") "1\0");
	record_cursor records;
	mprof_record record;

	cr_assert_eq(result.status, MPROF_OK);
	cr_assert_eq(result.block.thread, 3);
	cr_assert_eq(result.block.as.element.id, 7);
	EXPECT_EXACT(FIXED, BIT(4), LOADED, "\x0c" U64("\x01") U64("\x02") U64("\x03") U32("\x07") "1\0");
	result = DECODE(FIXED, BIT(5) | BIT(6), MAPPING,
			U64("\x01") U64("\x02") U64("\x03") U32("\x80") U32("\x09") "A\0" U32("\0") U32("\0")
				U64("\x04") U64("\x05"));
	expect_mappings(&result, "class 128 in 9 A, ");
	result = DECODE(FIXED, 0, HEAP_SUMMARY,
			U64("\x01") U64("\x02") U32("\x07") U32("\x03") U32("\x01") U32("\x18") U32("\x02") U32("\x30")
				U32("\0") U64("\x03") U64("\x04"));
	cr_assert_eq(result.status, MPROF_OK, "%s", result.cursor.what);
	cr_assert_eq(result.block.as.heap_summary.collection, 7);
	block_records_begin(&records, &result.decoding, result.content, result.length, MPROF_BLOCK_HEAP_SUMMARY,
			    &result.body);
	cr_assert(record_cursor_next(&records, &record));
	cr_assert_eq(record.id, 3);
	cr_assert_eq(record.as.summary.live_bytes, 0x18);
	cr_assert_eq(record.as.summary.dead_bytes, 0x30);
	cr_assert_not(record_cursor_next(&records, &record));
	cr_assert_eq(records.content.status, MPROF_OK);
}
