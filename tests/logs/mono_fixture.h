/* SPDX-License-Identifier: MIT */
/**
 * \file mono_fixture.h
 * \brief Writers in the dialects of Mono, with a clock that does not advance.
 */
#ifndef LOGS_MONO_FIXTURE_H
#define LOGS_MONO_FIXTURE_H

#include "writer/writer_fixture.h"

#define MONO_DIRECTIVES                                                                                                \
	(BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) | BIT(MPROF_DIRECTIVE_ALLOCATION_STACK) |                              \
	 BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) | BIT(MPROF_DIRECTIVE_ELEMENT_IDS) |                                   \
	 BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) | BIT(MPROF_DIRECTIVE_METHOD_FLAGS))

#define THREAD UINT64_C(0x7f0012345740)
#define THREAD_BYTES "\x40\x2e\x51\x11\x01\x60\x9f"
/** The bytes of the clock pair that the clock returns by default. */
#define CLOCK_BYTES "\x26\x06\xbd\x66\x01\x6c\x2d\x4c\x6c\x10\x82"

static mprof_clock now;

static inline void read_fixed_clock(void *user, mprof_clock *clock)
{
	*clock = *(const mprof_clock *)user;
}

static inline mprof_writer_options mono_options(uint32_t dialect, uint64_t directives, int lossy)
{
	mprof_writer_options options = options_of(dialect, directives);

	now.counter = 1000230;
	now.time = UINT64_C(1200000000000230);
	options.clock = read_fixed_clock;
	options.clock_user = &now;
	options.lossy = (uint32_t)lossy;
	return options;
}

static inline mprof_writer *open_mono(uint32_t dialect, uint64_t directives, int lossy)
{
	mprof_writer_options options = mono_options(dialect, directives, lossy);
	mprof_writer *writer = NULL;

	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	return writer;
}

static inline void define_names(mprof_writer *writer)
{
	static const uint32_t ids[] = {1, 2, 3, 200};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		cr_assert_eq(define_class(writer, ids[i], "C"), MPROF_OK);
		cr_assert_eq(define_method(writer, ids[i], ids[i], "m ()"), MPROF_OK);
	}
}

static inline void put_records(mprof_writer *writer, mprof_block_kind kind, const mprof_record *records, size_t count)
{
	cr_assert_eq(mprof_writer_write_records(writer, kind, 0, records, sizeof(*records), count), MPROF_OK);
}

/**
 * Call stack 1 is method 1 being compiled, 2 is method 1, 3 is 2 calling method 2, 4 is 3 calling native code, 5 is the
 * same native code alone, 6 is a location in its module, 7 is a location in no module, 8 is method 1 calling an unknown
 * method.
 */
static inline void define_stacks(mprof_writer *writer)
{
	const mprof_record code[] = {
		{.kind = MPROF_RECORD_MODULE,
		 .id = 1,
		 .as.module.address = UINT64_C(0x7f1000000000),
		 .as.module.size = 0x20000,
		 .as.module.file_offset = 0x1000,
		 .as.module.file = "libdemo.so"},
		{.kind = MPROF_RECORD_FUNCTION,
		 .id = 1,
		 .as.function.module = 1,
		 .as.function.offset = 0x40,
		 .as.function.name = "never_hit"},
		{.kind = MPROF_RECORD_FUNCTION,
		 .id = 2,
		 .as.function.module = 1,
		 .as.function.offset = 0x80,
		 .as.function.name = "native_fn"},
		{.kind = MPROF_RECORD_LOCATION,
		 .id = 1,
		 .as.location.module = 1,
		 .as.location.offset = 0x88,
		 .as.location.function = 2},
		{.kind = MPROF_RECORD_LOCATION, .id = 2, .as.location.module = 1, .as.location.offset = 0x345},
		{.kind = MPROF_RECORD_LOCATION, .id = 3, .as.location.offset = UINT64_C(0xdeadbeef0000)},
	};
	const mprof_record stacks[] = {
		{.kind = MPROF_RECORD_STACK, .id = 1, .as.stack.target = 1, .as.stack.is_compiling = 1},
		{.kind = MPROF_RECORD_STACK, .id = 2, .as.stack.target = 1},
		{.kind = MPROF_RECORD_STACK, .id = 3, .as.stack.caller = 2, .as.stack.target = 2},
		{.kind = MPROF_RECORD_STACK,
		 .id = 4,
		 .as.stack.caller = 3,
		 .as.stack.target = 1,
		 .as.stack.is_native = 1},
		{.kind = MPROF_RECORD_STACK, .id = 5, .as.stack.target = 1, .as.stack.is_native = 1},
		{.kind = MPROF_RECORD_STACK, .id = 6, .as.stack.target = 2, .as.stack.is_native = 1},
		{.kind = MPROF_RECORD_STACK, .id = 7, .as.stack.target = 3, .as.stack.is_native = 1},
		{.kind = MPROF_RECORD_STACK, .id = 8, .as.stack.caller = 2},
	};

	define_names(writer);
	put_records(writer, MPROF_BLOCK_CODE, code, sizeof(code) / sizeof(code[0]));
	put_records(writer, MPROF_BLOCK_STACKS, stacks, sizeof(stacks) / sizeof(stacks[0]));
}

static inline void begin_events(mprof_writer *writer, uint64_t thread)
{
	cr_assert_eq(mprof_writer_begin_events(writer, thread, now.counter), MPROF_OK);
}

/** Adds an event \p later than the previous one. */
static inline mprof_status add(mprof_writer *writer, uint32_t kind, uint32_t id, uint64_t value, uint64_t later,
			       const mprof_event_detail *detail)
{
	mprof_event event;

	now.counter += later;
	event = event_of(kind, id, now.counter);
	event.value = value;
	event.more.detail = detail;
	return mprof_writer_write_events(writer, &event, 1, NULL);
}

#define ADD(writer, kind, id, value, later, detail)                                                                    \
	cr_assert_eq(add(writer, MPROF_EVENT_##kind, id, value, later, detail), MPROF_OK)

static inline void put_samples(mprof_writer *writer, const uint32_t *stacks, size_t count)
{
	mprof_event samples[16];

	for (size_t i = 0; i < count; i++) {
		samples[i] = event_of(MPROF_EVENT_SAMPLE, 0, 0);
		samples[i].value = stacks[i];
	}
	cr_assert_eq(mprof_writer_write_samples(writer, 1, 0, samples, count), MPROF_OK);
}

static inline size_t count_ints(const uint8_t *bytes, size_t length)
{
	size_t ints = 0;

	for (size_t i = 0; i < length; i++)
		ints += bytes[i] >> 7;
	return ints;
}

/** Returns the bytes between the base counter and the final CLOCK of the block with index \p n, an EVENTS block. */
static inline void expect_events(const mprof_writer *writer, size_t n, const char *expected, size_t length)
{
	size_t content_length;
	const uint8_t *content = block_at(writer, n, 6, &content_length);
	size_t head = 0;

	/* CLOCK, thread and base counter are four varints. */
	while (count_ints(content, head) < 4)
		head++;
	cr_assert_leq(head + length, content_length);
	for (size_t i = 0; i < length; i++)
		cr_assert_eq(content[head + i], (uint8_t)expected[i], "byte %zu: %02x", i, content[head + i]);
	cr_assert_eq(count_ints(content + head + length, content_length - head - length), 2);
}

/** The end of the list, a byte 00, is that of the string. */
#define EXPECT_EVENTS(writer, n, expected) expect_events(writer, n, expected, sizeof(expected))

#endif
