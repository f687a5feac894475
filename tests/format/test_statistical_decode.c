/* SPDX-License-Identifier: MIT */
/*
 * Hand-written tokens of STATISTICAL blocks: the meaning of each layout, how layouts are distinguished, and which
 * errors are found where.
 */
#include "format/blocks/statistical.h"

#include <criterion/criterion.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
	char bytes[1024];
	size_t length;
} text;

static void add(text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(text *out, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	out->length += (size_t)vsnprintf(out->bytes + out->length, sizeof(out->bytes) - out->length, format, arguments);
	va_end(arguments);
	cr_assert_lt(out->length, sizeof(out->bytes));
}

static void add_record(text *out, const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_FUNCTION)
		add(out, " F%u=%s/M%u", record->id, record->as.function.name, record->as.function.module);
	else if (record->as.module.is_removed)
		add(out, " -M%u", record->id);
	else
		add(out, " M%u=%s:%llx+%llx@%llx", record->id, record->as.module.file,
		    (unsigned long long)record->as.module.address, (unsigned long long)record->as.module.size,
		    (unsigned long long)record->as.module.file_offset);
}

/* Callers are prefixed with "<". */
static void add_frame(text *out, const statistical_item *item)
{
	const mprof_event *event = &item->event;

	cr_assert_eq(event->kind, MPROF_EVENT_SAMPLE);
	add(out, (event->flags & MPROF_EVENT_FLAG_CALLER) != 0 ? "<" : " ");
	if ((event->flags & MPROF_EVENT_FLAG_NATIVE) == 0)
		add(out, "m%u", event->id);
	else if ((event->flags & MPROF_EVENT_FLAG_IN_MODULE) != 0)
		add(out, "M%u+%llx", event->id, (unsigned long long)event->value);
	else if (event->id != 0)
		add(out, "f%u", event->id);
	else
		add(out, "@%llx", (unsigned long long)event->value);
	if (item->samples != 0)
		add(out, "*%llu", (unsigned long long)item->samples);
}

/* The state of the decoder when a block is read. */
typedef struct setting {
	mprof_dialect dialect;
	statistical_layout known_layout;
	known_ids known;
} setting;

static const setting in_drop = {MPROF_DIALECT_DROP, STATISTICAL_LAYOUT_NONE, {0, 0, 0, 0}};
static const setting in_mono = {MPROF_DIALECT_MONO, STATISTICAL_LAYOUT_NONE, {0, 0, 0, 0}};

typedef struct decoding {
	content_cursor cursor;
	statistical_result decoded;
	mprof_clock end;
} decoding;

static decoding decode_part(const setting *with, const char *bytes, size_t length, int is_truncated)
{
	decoding result;

	memset(&result, 0, sizeof(result));
	content_cursor_init(&result.cursor, (const uint8_t *)bytes, length, 20);
	statistical_decode(&result.cursor, dialect_get(with->dialect), with->known_layout, &with->known, is_truncated,
			   &result.decoded, &result.end);
	return result;
}

static decoding decode(const setting *with, const char *bytes, size_t length)
{
	return decode_part(with, bytes, length, 0);
}

/* The items of the content as text. */
static text items_of(const statistical_result *decoded, const char *bytes, size_t length, int *is_at_end)
{
	text out = {.length = 0};
	content_cursor start;
	statistical_cursor tokens;
	statistical_item item;

	content_cursor_init(&start, (const uint8_t *)bytes, length, 20);
	statistical_cursor_init(&tokens, &start, decoded);
	while (statistical_cursor_next(&tokens, &item)) {
		if (item.is_record)
			add_record(&out, &item.record);
		else
			add_frame(&out, &item);
	}
	cr_assert_eq(statistical_cursor_next(&tokens, &item), 0);
	*is_at_end = tokens.at_end;
	return out;
}

/* The block has the CLOCK 1, 2 after its list. */
static void expect_samples(const setting *with, statistical_layout layout, const char *items, const char *bytes,
			   size_t length)
{
	decoding result = decode(with, bytes, length);
	int is_at_end;
	text out;

	cr_assert_eq(result.cursor.status, MPROF_OK, "%zu: %s", result.cursor.position, result.cursor.what);
	cr_assert_eq(result.decoded.layout, layout, "layout %u", result.decoded.layout);
	cr_assert_eq(result.end.counter, 1);
	cr_assert_eq(result.end.time, 2);
	out = items_of(&result.decoded, bytes, length, &is_at_end);
	cr_assert_eq(is_at_end, 1);
	cr_assert_str_eq(out.bytes, items);
}

#define EXPECT_SAMPLES(with, layout, items, bytes)                                                                     \
	expect_samples(with, STATISTICAL_LAYOUT_##layout, items, bytes "\x81\x82", sizeof(bytes "\x81\x82") - 1)

Test(statistical_decode, two_bits)
{
	EXPECT_SAMPLES(&in_drop, TWO_BITS, " m1 M1=/lib/x:10000000+1000@0 M1+40 @ffffffff90001000 m0",
		       "\x85"
		       "\x83\x80\x81\x00\x00\x00\x00\x81\x00\xa0\x80/lib/x\x00\x80"
		       "\x86\xc0\x82\x00\x20\x00\x00\x79\x7f\x7f\x7f\x7f\x81\x81\x80");
}

/* Samples of a function are stored as a count; the first ones include its name. */
Test(statistical_decode, counted)
{
	EXPECT_SAMPLES(&in_mono, COUNTED, " m2 F1=strlen/M0 f1*5 M3+10 @1000 m0 f1*2",
		       "\x91\x8a\x80strlen\x00\x85\x9b\x90\x83\x00\xa0\x81\x8a\x82\x80");
	EXPECT_SAMPLES(&in_drop, COUNTED, " F7=free/M0 f7*1",
		       "\xba\x80"
		       "free\x00\x81\x80");
	EXPECT_SAMPLES(&in_mono, COUNTED, " F1=strlen/M0", "\x8a\x80strlen\x00\x80\x80");
}

/* mono: the innermost frame, the number of its callers, the callers. */
Test(statistical_decode, callers_after_leaf)
{
	EXPECT_SAMPLES(&in_mono, STACKS, " m2<m1 m3", "\x91\x8d\x89\x99\x80");
	EXPECT_SAMPLES(&in_mono, STACKS, " M1=x:0+1@2 F1=f/M1 f1<m2<m1 f1",
		       "\x87\x80\x81\x80\x81\x82x\x00\x80\x8b\x81"
		       "f\x00\x95\x91\x89\x8a\x80");
	EXPECT_SAMPLES(&in_mono, STACKS, " m1<@0 F1=f/M2<f1",
		       "\x89\x95\x84\x80\x93\x81"
		       "f\x00\x80");
}

/* The placeholder for no module is not returned. */
Test(statistical_decode, no_module)
{
	EXPECT_SAMPLES(&in_mono, STACKS, " M1=x:0+1@2 F1=f/M0 f1",
		       "\x87\x80\x81\x80\x81\x82x\x00\x7f\x7f\x7f\x7f\x81\x80\x80\x80\x00\x80"
		       "\x7b\x7f\x7f\x7f\x8f\x81"
		       "f\x00\x80");
}

/* unity: the number of callers of a sample, its innermost frame, the callers. The number can be 0. */
Test(statistical_decode, callers_before_leaf)
{
	EXPECT_SAMPLES(&in_mono, STACKS, " m2<m1 m3", "\x8d\x91\x89\x85\x99\x80");
	cr_assert_eq(decode(&in_mono, "\x85\x99\x80\x81\x82", 5).decoded.is_caller_count_first, 1);
	cr_assert_eq(decode(&in_mono, "\x99\x8d\x89\x80\x81\x82", 6).decoded.is_caller_count_first, 0);
}

/* A list of modules may come between any two tokens, also inside a call stack. */
Test(statistical_decode, modules_inside_call_stack)
{
	EXPECT_SAMPLES(&in_mono, STACKS, " m2<m1 -M4 M5=y:1+2@3<M5+1",
		       "\x91\x95\x89\x87\x84\x80\x85\x81\x82\x83y\x00\x80\xac\x81\x80");
	EXPECT_SAMPLES(&in_mono, STACKS, " M5=y:1+2@3 m2<M5+2",
		       "\x8d\x87\x80\x85\x81\x82\x83y\x00\x80\x91\xac\x82\x80");
}

/*
 * unity sometimes announced one caller more than it wrote: the next call stack or the end of the list takes its place.
 */
Test(statistical_decode, missing_last_caller)
{
	EXPECT_SAMPLES(&in_mono, STACKS, " m2<m1 m3", "\x95\x91\x89\x85\x99\x80");
	EXPECT_SAMPLES(&in_mono, STACKS, " m2<m1 -M1 m3", "\x95\x91\x89\x87\x81\x80\x80\x85\x99\x80");
	EXPECT_SAMPLES(&in_mono, STACKS, " m2", "\x8d\x91\x80");
}

/* The address 0, an unknown method, and an offset equal to the size of its module. */
Test(statistical_decode, unusual_locations)
{
	EXPECT_SAMPLES(&in_mono, STACKS, " @0 m0 M1=a:10+20@0 M1+20",
		       "\x84\x80\x81\x87\x80\x81\x90\xa0\x80"
		       "a\x00\x80\x8c\xa0\x80");
}

/* drop reuses the IDs of modules, and repeats samples that it has written before. */
Test(statistical_decode, module_redefined)
{
	EXPECT_SAMPLES(&in_drop, TWO_BITS, " M1=a:10+20@0 M1+1 -M1 M1=b:30+40@0 M1+1",
		       "\x83\x80\x81\x90\xa0\x80"
		       "a\x00\x80\x86\x81\x83\x81\x80\x81\xb0\xc0\x80"
		       "b\x00\x80\x86\x81\x80");
}

Test(statistical_decode, nothing)
{
	EXPECT_SAMPLES(&in_mono, STACKS, "", "\x80");
	EXPECT_SAMPLES(&in_drop, TWO_BITS, "", "\x80");
	cr_assert_eq(decode(&in_mono, "\x80\x81\x82", 3).decoded.is_sure, 0, "both layouts fit");
}

/* Samples of methods alone can be decoded in both layouts of drop, with twice the ID in one of them. */
Test(statistical_decode, layout_by_known_methods)
{
	setting with = in_drop;

	EXPECT_SAMPLES(&with, TWO_BITS, " m4 m2", "\x91\x89\x80");
	with.known.method_id = 2;
	EXPECT_SAMPLES(&with, COUNTED, " m2 m1", "\x91\x89\x80");
	with.known.method_id = 4;
	EXPECT_SAMPLES(&with, TWO_BITS, " m4 m2", "\x91\x89\x80");
	with.known_layout = STATISTICAL_LAYOUT_COUNTED;
	EXPECT_SAMPLES(&with, COUNTED, " m2 m1", "\x91\x89\x80");
	with.known_layout = STATISTICAL_LAYOUT_TWO_BITS;
	with.known.method_id = 2;
	EXPECT_SAMPLES(&with, TWO_BITS, " m4 m2", "\x91\x89\x80");
	EXPECT_SAMPLES(&with, TWO_BITS, " m1", "\x85\x80");
}

/*
 * The samples of a known function and their count can also be decoded as one sample of the function and another
 * sample.
 */
Test(statistical_decode, layout_by_known_functions)
{
	setting with = in_mono;

	EXPECT_SAMPLES(&with, STACKS, " f1 m0", "\x8a\x81\x80");
	with.known_layout = STATISTICAL_LAYOUT_COUNTED;
	EXPECT_SAMPLES(&with, COUNTED, " f1*1", "\x8a\x81\x80");
	/* A layout that does not fit the block is not used, whatever layout earlier blocks had. */
	EXPECT_SAMPLES(&with, STACKS, " m2<m1", "\x91\x8d\x89\x80");
	cr_assert_eq(decode(&with, "\x91\x8d\x89\x80\x81\x82", 6).decoded.is_sure, 1);
}

/* They can be decoded as samples in a module as well. */
Test(statistical_decode, layout_by_known_modules)
{
	setting with = in_drop;

	with.known.function_id = 1;
	EXPECT_SAMPLES(&with, COUNTED, " f1*5", "\x8a\x85\x80");
	with.known.module_id = 2;
	EXPECT_SAMPLES(&with, TWO_BITS, " M2+5", "\x8a\x85\x80");
}

/* The highest IDs of functions and modules that a block defines are known after the block. */
Test(statistical_decode, ids_that_are_known)
{
	setting with = in_mono;
	decoding result;

	with.known = (known_ids){2, 3, 4, 5};
	result = decode(&with,
			"\x8b\x87"
			"f\x00\x8b\x83g\x00\x80\x81\x82",
			11);
	cr_assert_eq(result.cursor.status, MPROF_OK);
	cr_assert_eq(result.decoded.known.class_id, 2);
	cr_assert_eq(result.decoded.known.method_id, 3);
	cr_assert_eq(result.decoded.known.function_id, 7);
	cr_assert_eq(result.decoded.known.module_id, 5);
	result = decode(&with,
			"\x87\x89\x80\x86\x80\x80\x80"
			"f\x00\x80\x80\x81\x82",
			13);
	cr_assert_eq(result.cursor.status, MPROF_OK);
	cr_assert_eq(result.decoded.known.function_id, 4);
	cr_assert_eq(result.decoded.known.module_id, 6, "a removed module is not counted");
}

static void expect_fault(const setting *with, size_t position, const char *bytes, size_t length)
{
	decoding result = decode(with, bytes, length);

	cr_assert_neq(result.cursor.status, MPROF_OK);
	cr_assert_eq(result.cursor.position, position, "%zu: %s", result.cursor.position, result.cursor.what);
}

#define EXPECT_FAULT(with, position, bytes) expect_fault(with, position, bytes, sizeof(bytes) - 1)

/* Errors are those of the newest layout, or of the known layout. */
Test(statistical_decode, faults)
{
	setting counted = in_mono;

	counted.known_layout = STATISTICAL_LAYOUT_COUNTED;
	EXPECT_FAULT(&in_mono, 1, "\x89\x86\x80\x81\x82");
	EXPECT_FAULT(&in_mono, 1, "\x89\x8e\x80\x81\x82");
	EXPECT_FAULT(&in_mono, 1, "\x89\x88\x80\x81\x82");
	EXPECT_FAULT(&in_mono, 0, "\x8f\x80\x80\x80\x81\x82");
	EXPECT_FAULT(&in_mono, 0, "\x82\x80\x81\x82");
	EXPECT_FAULT(&in_mono, 0,
		     "\x8b\x80"
		     "f\x00\x80\x81\x82");
	EXPECT_FAULT(&counted, 0, "\x82\x81\x80\x81\x82");
	EXPECT_FAULT(&counted, 0, "\x86\x80\x81\x82");
	/* IDs of more than 32 bits, varints of more than 64. */
	EXPECT_FAULT(&in_mono, 0, "\x01\x00\x00\x00\x00\x81\x80\x81\x82");
	EXPECT_FAULT(&in_mono, 1,
		     "\x8b\x00\x00\x00\x00\x90"
		     "f\x00\x80\x81\x82");
	EXPECT_FAULT(&in_mono, 1, "\x84\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x82\x80\x81\x82");
	EXPECT_FAULT(&in_mono, 2, "\x87\x80\x00\x00\x00\x00\x90\x80\x81\x82");
	/* Chains. */
	EXPECT_FAULT(&in_mono, 1, "\x89\x7d\x7f\x8f\x89\x80\x81\x82");
	EXPECT_FAULT(&in_mono, 3, "\x89\x95\x89\x8d\x89\x80\x81\x82");
	EXPECT_FAULT(&in_mono, 3, "\x89\x95\x89\x80\x81\x82");
	/* Names and lists without an end, and a name longer than the limit. */
	EXPECT_FAULT(&in_mono, 7,
		     "\x8b\x81"
		     "fffff");
	EXPECT_FAULT(&in_mono, 2,
		     "\x8b\x81"
		     "fffffffffffffffffffff\x00\x80\x81\x82");
	EXPECT_FAULT(&in_mono, 4, "\x89\x87\x80\x80");
	EXPECT_FAULT(&in_mono, 3, "\x87\x81\x82");
	/* Bytes after the CLOCK. */
	EXPECT_FAULT(&in_mono, 4, "\x89\x80\x81\x82\x83");
}

/* Content that ends early is refused at every length. */
Test(statistical_decode, truncated)
{
	static const char block[] = "\x91\x95\x89\x87\x84\x80\x85\x81\x82\x83y\x00\x80\xac\x81\x8b\x81"
				    "f\x00\x80\x81\x82";

	cr_assert_eq(decode(&in_mono, block, sizeof(block) - 1).cursor.status, MPROF_OK);
	for (size_t length = 0; length < sizeof(block) - 1; length++) {
		char copy[sizeof(block)];

		memcpy(copy, block, length);
		cr_assert_eq(decode(&in_mono, copy, length).cursor.status, MPROF_ERR_MALFORMED, "truncated to %zu",
			     length);
	}
}

/* The items that a block of at least this length yields. */
typedef struct complete_samples {
	size_t length;
	const char *items;
} complete_samples;

/*
 * Truncates a block everywhere. The expected items are those of the last line whose length the truncated block reaches.
 */
static void expect_complete_samples(const setting *with, const complete_samples *lines, const char *bytes,
				    size_t length)
{
	for (size_t cut = 0; cut < length; cut++) {
		char *copy = malloc(cut + 1);
		int is_at_end;
		decoding result;
		text out;

		memcpy(copy, bytes, cut);
		result = decode_part(with, copy, cut, 1);
		cr_assert_eq(result.cursor.status, MPROF_OK, "truncated to %zu: %s", cut, result.cursor.what);
		cr_assert_leq(result.decoded.list_end, cut);
		out = items_of(&result.decoded, copy, result.decoded.list_end, &is_at_end);
		while (lines[1].items != NULL && lines[1].length <= cut)
			lines++;
		cr_assert_str_eq(out.bytes, lines->items, "truncated to %zu: %s", cut, out.bytes);
		free(copy);
	}
	cr_assert_null(lines[1].items);
}

#define EXPECT_COMPLETE_SAMPLES(with, lines, bytes)                                                                    \
	expect_complete_samples(with, lines, bytes "\x81\x82", sizeof(bytes "\x81\x82") - 1)

/* In mono the token after a sample shows whether it has callers. */
Test(statistical_decode, truncated_callers_after_leaf)
{
	static const complete_samples lines[] = {
		{0, ""}, {3, " m2<m1"}, {5, " m2<m1 m3"}, {6, " m2<m1 m3 m1"}, {0, NULL}};
	static const complete_samples functions[] = {
		{0, ""}, {7, " F1=f/M1 f1<m2<m1"}, {9, " F1=f/M1 f1<m2<m1 f1"}, {0, NULL}};
	static const complete_samples modules[] = {{0, ""}, {15, " m2<m1 -M4 M5=y:1+2@3<M5+1"}, {0, NULL}};

	EXPECT_COMPLETE_SAMPLES(&in_mono, lines, "\x91\x8d\x89\x99\x89\x80");
	EXPECT_COMPLETE_SAMPLES(&in_mono, functions,
				"\x8b\x81"
				"f\x00\x95\x91\x89\x8a\x80");
	EXPECT_COMPLETE_SAMPLES(&in_mono, modules, "\x91\x95\x89\x87\x84\x80\x85\x81\x82\x83y\x00\x80\xac\x81\x80");
}

/* In unity the number of callers is known. The last one may be missing. */
Test(statistical_decode, truncated_callers_before_leaf)
{
	static const complete_samples lines[] = {{0, ""}, {3, " m2<m1"}, {5, " m2<m1 m3"}, {0, NULL}};
	static const complete_samples missing_caller[] = {{0, ""}, {5, " m2<m1 m3"}, {0, NULL}};

	EXPECT_COMPLETE_SAMPLES(&in_mono, lines, "\x8d\x91\x89\x85\x99\x80");
	EXPECT_COMPLETE_SAMPLES(&in_mono, missing_caller, "\x95\x91\x89\x85\x99\x80");
}

Test(statistical_decode, truncated_without_callers)
{
	static const complete_samples counted[] = {{0, ""}, {1, " m2"}, {11, " m2 F1=strlen/M0 f1*5"}, {0, NULL}};
	static const complete_samples two_bits[] = {
		{0, ""}, {1, " m1"}, {9, " m1 M1=/:1+1@0"}, {12, " m1 M1=/:1+1@0 M1+40"}, {0, NULL}};
	setting with = in_mono;

	with.known_layout = STATISTICAL_LAYOUT_COUNTED;
	EXPECT_COMPLETE_SAMPLES(&with, counted, "\x91\x8a\x80strlen\x00\x85\x80");
	with = in_drop;
	with.known_layout = STATISTICAL_LAYOUT_TWO_BITS;
	EXPECT_COMPLETE_SAMPLES(&with, two_bits, "\x85\x83\x80\x81\x81\x81\x80/\x00\x80\x86\xc0\x80");
}

/*
 * A call stack that is too long for any block is attributed to the truncation; other damage is reported as in a
 * complete block.
 */
Test(statistical_decode, truncated_and_damaged)
{
	decoding result = decode_part(&in_mono, "\x99\x91\x7d\x7f\x8f\x89", 6, 1);

	cr_assert_eq(result.cursor.status, MPROF_OK);
	cr_assert_eq(result.decoded.list_end, 1);
	result = decode_part(&in_mono, "\x99\x89\x86\x80\x81", 5, 1);
	cr_assert_eq(result.cursor.status, MPROF_ERR_MALFORMED);
	cr_assert_eq(result.cursor.position, 2);
}
