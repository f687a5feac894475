/* SPDX-License-Identifier: MIT */
/* Logs of mono and unity: each block, byte by byte. */
#include "logs/mono_fixture.h"

static uint32_t delta_of(const mprof_writer *writer, size_t n, uint32_t code)
{
	size_t length;

	return bytes_load_32(block_at(writer, n, code, &length) - 4);
}

Test(writer_mono, begins_and_ends_a_log)
{
	mprof_writer_options options = options_of(MPROF_DIALECT_MONO, MONO_DIRECTIVES);
	mprof_writer *writer = NULL;

	options.intro_flags = 0x393df;
	now.counter = 1000000;
	now.time = UINT64_C(1200000000000000);
	options.clock = read_fixed_clock;
	options.clock_user = &now;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	EXPECT_BLOCK(writer, 0, 1, "\x81mono\0\x5f\x27\x8e\x40\x04\xbd\x00\x00\x6c\x2d\x4c\x6c\x10\x82");
	EXPECT_BLOCK(writer, 1, 10,
		     "\x40\x04\xbd\x00\x00\x6c\x2d\x4c\x6c\x10\x82"
		     "\x81\x82\x83\x84\x85\x86\x80"
		     "\x40\x04\xbd\x00\x00\x6c\x2d\x4c\x6c\x10\x82");
	now.counter = 1006191;
	now.time = UINT64_C(1200000000006191);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	EXPECT_BLOCK(writer, 2, 2, "\x81\x6f\x34\xbd\x2f\x30\x6c\x2d\x4c\x6c\x10\x82");
	mprof_writer_destroy(writer);
}

Test(writer_mono, headers_have_the_counters_since_the_previous_block)
{
	mprof_element element = {sizeof(mprof_element), MPROF_ELEMENT_DOMAIN, 1, 1, 2, 3, "1", 1, NULL};
	mprof_writer *writer = open_mono(MPROF_DIALECT_UNITY, 0, 0);

	now.counter += 30;
	cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_OK);
	now.counter += UINT64_C(0x100000002);
	cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_OK);
	now.counter -= 1;
	cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_OK);
	cr_assert_eq(delta_of(writer, 0, 1), 0);
	/* Needed without directives too: the block indicates that collections have numbers. */
	EXPECT_BLOCK(writer, 1, 10, CLOCK_BYTES "\x80" CLOCK_BYTES);
	cr_assert_eq(delta_of(writer, 1, 10), 0);
	cr_assert_eq(delta_of(writer, 2, 4), 30);
	cr_assert_eq(delta_of(writer, 3, 4), 2);
	cr_assert_eq(delta_of(writer, 4, 4), UINT32_MAX);
	mprof_writer_destroy(writer);
}

Test(writer_mono, elements_and_definitions)
{
	const mprof_assembly_name split = {sizeof(mprof_assembly_name), "demo", "neutral", "null", 1, 2, 300, 4, 1, 0};
	mprof_element element = {
		sizeof(mprof_element), MPROF_ELEMENT_ASSEMBLY, 4, 1000140, 1000150, THREAD, "demo", 4, &split};
	mprof_class_definition a_class = {sizeof(mprof_class_definition), 200, 4, "Demo.Big", 8, 64, 0};
	mprof_method_definition method = {sizeof(mprof_method_definition),
					  3,
					  200,
					  MPROF_METHOD_FLAG_WRAPPER,
					  0,
					  "wrapper (intptr)",
					  16,
					  NULL,
					  0,
					  0,
					  0};
	mprof_writer *writer = open_mono(MPROF_DIALECT_MONO, MONO_DIRECTIVES, 0);

	cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_OK);
	EXPECT_BLOCK(writer, 2, 4,
		     "\x0a\x4c\x05\xbd\x56\x05\xbd" THREAD_BYTES "\x84"
		     "demo\0"
		     "demo\0\x81\x82\x2c\x82\x84"
		     "neutral\0null\0\x81");
	element.assembly = NULL;
	cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_OK);
	EXPECT_BLOCK(writer, 3, 4,
		     "\x0a\x4c\x05\xbd\x56\x05\xbd" THREAD_BYTES "\x84"
		     "demo\0"
		     "UNKNOWN\0\x80\x80\x80\x80"
		     "neutral\0null\0\x80");
	element.kind = MPROF_ELEMENT_MODULE | MPROF_ELEMENT_FLAG_FAILURE;
	cr_assert_eq(mprof_writer_write_loaded(writer, &element), MPROF_OK);
	EXPECT_BLOCK(writer, 4, 4,
		     "\x11\x4c\x05\xbd\x56\x05\xbd" THREAD_BYTES "\x84"
		     "demo\0");
	cr_assert_eq(mprof_writer_write_unloaded(writer, &element), MPROF_OK);
	EXPECT_BLOCK(writer, 5, 5,
		     "\x01\x4c\x05\xbd\x56\x05\xbd" THREAD_BYTES "\x84"
		     "demo\0");
	cr_assert_eq(mprof_writer_define_class(writer, &a_class), MPROF_OK);
	cr_assert_eq(mprof_writer_define_method(writer, &method), MPROF_OK);
	cr_assert_eq(mprof_writer_flush(writer), MPROF_OK);
	EXPECT_BLOCK(writer, 6, 3,
		     CLOCK_BYTES "\x80"
				 "\x48\x81\x84"
				 "Demo.Big\0\x80"
				 "\x83\x48\x81\x81"
				 "wrapper (intptr)\0\x80" CLOCK_BYTES);
	mprof_writer_destroy(writer);
}

static void add_stacked(mprof_writer *writer, uint32_t kind, uint32_t stack)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .stack = stack};

	cr_assert_eq(add(writer, kind, 3, 16, 0, &detail), MPROF_OK);
}

#define OBJECT_1 "\x08\x20\x00\x00\x00\x60\x9f"
#define OBJECT_2 "\x00\x40\x00\x00\x00\x60\x9f"
#define OBJECT_3 "\x00\x60\x00\x00\x00\x60\x9f"

static void add_collection(mprof_writer *writer)
{
	ADD(writer, GC_START, 0, 0, 11, NULL);
	ADD(writer, GC_STOP_WORLD_START, 0, 0, 1, NULL);
	ADD(writer, GC_STOP_WORLD_END, 0, 0, 2, NULL);
	ADD(writer, GC_MARK_START, 0, 0, 1, NULL);
	ADD(writer, GC_MARK_END, 0, 0, 600, NULL);
	ADD(writer, GC_START_WORLD_START, 0, 0, 1, NULL);
	ADD(writer, GC_START_WORLD_END, 0, 0, 2, NULL);
	ADD(writer, GC_SWEEP_START, 0, 0, 1, NULL);
	ADD(writer, GC_SWEEP_END, 0, 0, 380, NULL);
	ADD(writer, GC_END, 0, 0, 1, NULL);
	/* It has a number of its own, and no time. */
	ADD(writer, GC_RESIZE, 0, 1234567, 100, NULL);
	now.counter -= 100;
}

static void add_monitors(mprof_writer *writer)
{
	const mprof_event_detail first = {
		.struct_size = sizeof(mprof_event_detail), .object = UINT64_C(0x7f0000002000), .stack = 3};
	const mprof_event_detail second = {
		.struct_size = sizeof(mprof_event_detail), .object = UINT64_C(0x7f0000003000), .stack = 3};

	ADD(writer, MONITOR, 3, MPROF_MONITOR_CONTENDED, 6, &first);
	ADD(writer, MONITOR, 3, MPROF_MONITOR_ACQUIRED, 50, &first);
	ADD(writer, MONITOR, 3, MPROF_MONITOR_CONTENDED, 6, &second);
	ADD(writer, MONITOR, 3, MPROF_MONITOR_FAILED, 70, &second);
}

static void add_allocations(mprof_writer *writer)
{
	const mprof_event_detail at_jit = {
		.struct_size = sizeof(mprof_event_detail), .object = UINT64_C(0x7f0000001008), .caller = 1, .stack = 1};
	const mprof_event_detail first = {
		.struct_size = sizeof(mprof_event_detail), .object = UINT64_C(0x7f0000002000), .caller = 2, .stack = 3};
	const mprof_event_detail second = {
		.struct_size = sizeof(mprof_event_detail), .object = UINT64_C(0x7f0000003000), .stack = 3};
	mprof_event failed;

	ADD(writer, METHOD_JIT_START, 1, 0, 20, NULL);
	ADD(writer, ALLOCATION_AT_JIT, 2, 24, 0, &at_jit);
	ADD(writer, METHOD_JIT_END, 1, 0, 1000, NULL);
	ADD(writer, METHOD_JIT_START, 2, 0, 1, NULL);
	now.counter += 500;
	failed = event_of(MPROF_EVENT_METHOD_JIT_END, 2, now.counter);
	failed.flags = MPROF_EVENT_FLAG_FAILED;
	cr_assert_eq(mprof_writer_write_events(writer, &failed, 1, NULL), MPROF_OK);
	ADD(writer, ALLOCATION, 3, 32, 0, &first);
	ADD(writer, ALLOCATION, 200, 5000, 0, &second);
}

Test(writer_mono, events)
{
	mprof_writer *writer = open_mono(MPROF_DIALECT_MONO, MONO_DIRECTIVES, 0);

	define_stacks(writer);
	begin_events(writer, THREAD);
	ADD(writer, THREAD_START, 0, THREAD, 5, NULL);
	ADD(writer, CLASS_LOAD_START, 3, 0, 7, NULL);
	ADD(writer, CLASS_LOAD_END, 3, 0, 9, NULL);
	add_allocations(writer);
	ADD(writer, EXCEPTION, 3, 0, 4, NULL);
	add_monitors(writer);
	add_collection(writer);
	ADD(writer, METHOD_FREED, 2, 0, 5, NULL);
	ADD(writer, CLASS_UNLOAD_START, 200, 0, 5, NULL);
	ADD(writer, CLASS_UNLOAD_END, 200, 0, 5, NULL);
	ADD(writer, THREAD_END, 0, THREAD, 5, NULL);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	EXPECT_EVENTS(writer, 3,
		      "\x0f" THREAD_BYTES "\x85"
		      "\x06\x83\x87"
		      "\x86\x83\x89"
		      "\x05\x81\x94"
		      "\x4f\x80\x81\x83"
		      "\x47\x82\x98\x81" OBJECT_1 "\x85\x81\x68\x87"
		      "\x05\x82\x81"
		      "\xa5\x82\x74\x83"
		      "\x4f\x80\x82\x84\x82"
		      "\x1c\x80\xa0\x82" OBJECT_2 "\x44\x86\x08\xa7\x80" OBJECT_3 "\x16\x83\x84"
		      "\x1e\x83\x86\x81" OBJECT_2 "\x1e\x83\xb2\x82" OBJECT_2 "\x1e\x83\x86\x81" OBJECT_3
		      "\x1e\x83\xc6\x83" OBJECT_3 "\x17\x00\x82\x8b"
		      "\x37\x00\x82\x81"
		      "\xb7\x00\x82\x82"
		      "\x1f\x00\x82\x81"
		      "\x9f\x00\x82\x58\x84"
		      "\x3f\x00\x82\x81"
		      "\xbf\x00\x82\x82"
		      "\x27\x00\x82\x81"
		      "\xa7\x00\x82\x7c\x82"
		      "\x97\x00\x82\x81"
		      "\x2f\x07\x2d\xcb\x82"
		      "\x0d\x82\x85"
		      "\x0e\x48\x81\x85"
		      "\x8e\x48\x81\x85"
		      "\x8f" THREAD_BYTES "\x85");
	cr_assert_eq(stats_of(writer).events, 30);
	mprof_writer_destroy(writer);
}

/*
 * Sections contain only what changes. After events that change the stacks of readers, and at the first event of a
 * block, they contain the whole stack.
 */
Test(writer_mono, stack_sections)
{
	mprof_writer *writer = open_mono(MPROF_DIALECT_MONO, BIT(MPROF_DIRECTIVE_ALLOCATION_STACK), 0);

	define_stacks(writer);
	begin_events(writer, 1);
	add_stacked(writer, MPROF_EVENT_ALLOCATION, 0);
	add_stacked(writer, MPROF_EVENT_ALLOCATION, 2);
	add_stacked(writer, MPROF_EVENT_ALLOCATION, 3);
	add_stacked(writer, MPROF_EVENT_ALLOCATION, 3);
	add_stacked(writer, MPROF_EVENT_ALLOCATION, 2);
	add_stacked(writer, MPROF_EVENT_ALLOCATION, 0);
	add_stacked(writer, MPROF_EVENT_ALLOCATION, 3);
	ADD(writer, METHOD_ENTER, 1, 0, 1, NULL);
	add_stacked(writer, MPROF_EVENT_ALLOCATION, 3);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	EXPECT_EVENTS(writer, 3,
		      "\x1c\x80\x90"
		      "\x4f\x80\x81\x82\x1c\x80\x90"
		      "\x4f\x81\x81\x84\x1c\x80\x90"
		      "\x1c\x80\x90"
		      "\x4f\x81\x80\x1c\x80\x90"
		      "\x4f\x80\x80\x1c\x80\x90"
		      "\x4f\x80\x82\x84\x82\x1c\x80\x90"
		      "\x09\x80\x81"
		      "\x4f\x80\x82\x84\x82\x1c\x80\x90");
	/* A thread without a stack needs no section, unless it had a stack before. */
	begin_events(writer, 2);
	add_stacked(writer, MPROF_EVENT_ALLOCATION, 0);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	EXPECT_EVENTS(writer, 4, "\x1c\x80\x90");
	begin_events(writer, 1);
	add_stacked(writer, MPROF_EVENT_ALLOCATION, 0);
	add_stacked(writer, MPROF_EVENT_ALLOCATION, 0);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	EXPECT_EVENTS(writer, 5, "\x4f\x80\x80\x1c\x80\x90\x1c\x80\x90");
	begin_events(writer, 1);
	add_stacked(writer, MPROF_EVENT_ALLOCATION, 0);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	EXPECT_EVENTS(writer, 6, "\x1c\x80\x90");
	mprof_writer_destroy(writer);
}

Test(writer_mono, sections_have_no_frames_without_a_method)
{
	mprof_writer *writer = open_mono(MPROF_DIALECT_MONO, BIT(MPROF_DIRECTIVE_ALLOCATION_STACK), 1);

	define_stacks(writer);
	begin_events(writer, 1);
	add_stacked(writer, MPROF_EVENT_ALLOCATION, 4);
	add_stacked(writer, MPROF_EVENT_ALLOCATION, 4);
	add_stacked(writer, MPROF_EVENT_ALLOCATION, 8);
	add_stacked(writer, MPROF_EVENT_ALLOCATION, 2);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	EXPECT_EVENTS(writer, 3,
		      "\x4f\x80\x82\x84\x82\x1c\x80\x90"
		      "\x1c\x80\x90"
		      "\x4f\x81\x80\x1c\x80\x90"
		      "\x4f\x81\x80\x1c\x80\x90");
	cr_assert_eq(stats_of(writer).shortened_events[MPROF_EVENT_ALLOCATION], 3);
	cr_assert_eq(stats_of(writer).shortened_blocks[MPROF_BLOCK_MAPPING], 1);
	cr_assert_eq(stats_of(writer).left_out, 4);
	mprof_writer_destroy(writer);
}

/* A refused event writes no section, and the next event repeats the stack. */
Test(writer_mono, refused_events_have_no_section)
{
	const mprof_event_detail known = {.struct_size = sizeof(mprof_event_detail), .stack = 2};
	const mprof_event_detail other = {.struct_size = sizeof(mprof_event_detail), .stack = 3};
	const mprof_event_detail unknown = {.struct_size = sizeof(mprof_event_detail), .stack = 9};
	mprof_writer *writer = open_mono(MPROF_DIALECT_MONO, BIT(MPROF_DIRECTIVE_ALLOCATION_STACK), 0);

	define_stacks(writer);
	begin_events(writer, 1);
	ADD(writer, ALLOCATION, 3, 16, 0, &known);
	cr_assert_eq(add(writer, MPROF_EVENT_ALLOCATION, 3, 16, 0, &unknown), MPROF_ERR_UNDEFINED_ID);
	cr_assert_eq(add(writer, MPROF_EVENT_ALLOCATION, 4, 16, 0, &other), MPROF_ERR_UNDEFINED_ID);
	cr_assert_eq(add(writer, MPROF_EVENT_STACK_SECTION, 0, 0, 0, NULL), MPROF_ERR_UNSUPPORTED);
	ADD(writer, ALLOCATION, 3, 16, 0, &known);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	EXPECT_EVENTS(writer, 3, "\x4f\x80\x81\x82\x1c\x80\x90\x4f\x80\x81\x82\x1c\x80\x90");
	mprof_writer_destroy(writer);
}

/* Details without a directive are left out and counted. */
Test(writer_mono, details_without_their_directives)
{
	const mprof_event_detail detail = {
		.struct_size = sizeof(mprof_event_detail), .object = 8, .caller = 1, .stack = 2};
	const mprof_event_detail nothing = {.struct_size = sizeof(mprof_event_detail), .object = 0};
	mprof_writer *writer = open_mono(MPROF_DIALECT_MONO, 0, 1);

	define_stacks(writer);
	begin_events(writer, 1);
	ADD(writer, ALLOCATION, 3, 16, 0, &detail);
	ADD(writer, ALLOCATION, 3, 16, 0, &nothing);
	ADD(writer, ALLOCATION, 3, 16, 0, NULL);
	ADD(writer, MONITOR, 3, MPROF_MONITOR_CONTENDED, 6, &detail);
	ADD(writer, METHOD_LEAVE_EXCEPTION, 1, 0, 1, NULL);
	ADD(writer, METHOD_LEAVE_IMPLICIT, 0, 0, 1, NULL);
	ADD(writer, FINALIZER_START, 3, 0, 1, &detail);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	EXPECT_EVENTS(writer, 3,
		      "\x1c\x80\x90"
		      "\x1c\x80\x90"
		      "\x1c\x80\x90"
		      "\x1e\x83\x86\x81\x88"
		      "\x0b\x80\x81");
	cr_assert_eq(stats_of(writer).shortened_events[MPROF_EVENT_ALLOCATION], 1);
	cr_assert_eq(stats_of(writer).shortened_events[MPROF_EVENT_MONITOR], 1);
	cr_assert_eq(stats_of(writer).shortened_events[MPROF_EVENT_METHOD_LEAVE_EXCEPTION], 1);
	cr_assert_eq(stats_of(writer).left_out_events[MPROF_EVENT_METHOD_LEAVE_IMPLICIT], 1);
	cr_assert_eq(stats_of(writer).left_out_events[MPROF_EVENT_FINALIZER_START], 1);
	cr_assert_eq(stats_of(writer).shortened_blocks[MPROF_BLOCK_MAPPING], 1);
	cr_assert_eq(stats_of(writer).left_out, 6);
	mprof_writer_destroy(writer);
}

/* Numbers of the caller are kept; missing ones follow them. */
Test(writer_mono, numbers_of_collections)
{
	mprof_writer *writer = open_mono(MPROF_DIALECT_MONO, 0, 0);

	begin_events(writer, 1);
	ADD(writer, GC_START, 7, 1, 1, NULL);
	ADD(writer, GC_END, 7, 1, 1, NULL);
	ADD(writer, GC_RESIZE, 9, 64, 0, NULL);
	ADD(writer, GC_END, 7, 1, 1, NULL);
	ADD(writer, GC_START, 0, 0, 1, NULL);
	ADD(writer, GC_RESIZE, 0, 64, 0, NULL);
	ADD(writer, GC_END, 0, 0, 1, NULL);
	ADD(writer, GC_START, 0xffffff, 255, 1, NULL);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	EXPECT_EVENTS(writer, 2,
		      "\x17\x01\x8e\x81"
		      "\x97\x01\x8e\x81"
		      "\x2f\xc0\x89"
		      "\x97\x01\x8e\x81"
		      "\x17\x00\x94\x81"
		      "\x2f\xc0\x8b"
		      "\x97\x00\x94\x81"
		      "\x17\x7f\x7f\x7f\x7f\x8f\x81");
	mprof_writer_destroy(writer);
}

/*
 * If the caller numbers collections but not sizes, a size gets the number of the previous collection, and none of a
 * later one.
 */
Test(writer_mono, sizes_without_numbers_among_collections_with)
{
	mprof_writer *writer = open_mono(MPROF_DIALECT_MONO, 0, 0);

	begin_events(writer, 1);
	ADD(writer, GC_START, 1, 0, 1, NULL);
	ADD(writer, GC_RESIZE, 0, 64, 0, NULL);
	ADD(writer, GC_END, 1, 0, 1, NULL);
	ADD(writer, GC_RESIZE, 0, 64, 0, NULL);
	ADD(writer, GC_START, 2, 0, 1, NULL);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	EXPECT_EVENTS(writer, 2,
		      "\x17\x00\x82\x81"
		      "\x2f\xc0\x81"
		      "\x97\x00\x82\x81"
		      "\x2f\xc0\x81"
		      "\x17\x00\x84\x81");
	mprof_writer_destroy(writer);
}

/* A number has 24 bits in mono, and a generation 8. */
Test(writer_mono, collections_that_do_not_fit)
{
	mprof_writer *writer = open_mono(MPROF_DIALECT_MONO, 0, 0);

	begin_events(writer, 1);
	cr_assert_eq(add(writer, MPROF_EVENT_GC_START, 0x1000001, 0, 1, NULL), MPROF_ERR_UNSUPPORTED);
	cr_assert_eq(add(writer, MPROF_EVENT_GC_START, 0, 256, 1, NULL), MPROF_ERR_UNSUPPORTED);
	ADD(writer, GC_START, 0, 0, 1, NULL);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	mprof_writer_destroy(writer);
	writer = open_mono(MPROF_DIALECT_MONO, 0, 1);
	begin_events(writer, 1);
	ADD(writer, GC_START, 0x1000001, 0, 1, NULL);
	ADD(writer, GC_END, 1, 256, 1, NULL);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	EXPECT_EVENTS(writer, 2, "\x17\x00\x82\x81\x97\x7f\x83\x81");
	cr_assert_eq(stats_of(writer).shortened_events[MPROF_EVENT_GC_START], 1);
	cr_assert_eq(stats_of(writer).shortened_events[MPROF_EVENT_GC_END], 1);
	mprof_writer_destroy(writer);
}

#define MODULES_BYTES                                                                                                  \
	"\x87\x80\x81\x00\x00\x00\x00\x00\x62\x9f\x00\x00\x88\x00\xa0"                                                 \
	"libdemo.so\0\x80"

static const uint32_t chains_hit[] = {3, 4, 5, 6, 7, 0};

#define CHAINS_HIT (sizeof(chains_hit) / sizeof(chains_hit[0]))

/* The table of modules comes first, callers follow their callees, and the first hit of a function includes its name. */
Test(writer_mono, samples)
{
	mprof_writer *writer = open_mono(MPROF_DIALECT_MONO, MONO_DIRECTIVES, 1);

	define_stacks(writer);
	put_samples(writer, chains_hit, CHAINS_HIT);
	EXPECT_BLOCK(writer, 3, 7,
		     CLOCK_BYTES MODULES_BYTES "\x91\x8d\x89"
					       "\x8b\x81native_fn\0\x95\x91\x89"
					       "\x8a"
					       "\x8c\x45\x86"
					       "\x84\x00\x00\x3c\x77\x5b\x55\xb7"
					       "\x81\x80" CLOCK_BYTES);
	put_samples(writer, chains_hit + 2, 2);
	EXPECT_BLOCK(writer, 4, 7, CLOCK_BYTES "\x8a\x8c\x45\x86\x80" CLOCK_BYTES);
	cr_assert_eq(stats_of(writer).shortened_events[MPROF_EVENT_SAMPLE], 8);
	cr_assert_eq(stats_of(writer).shortened_blocks[MPROF_BLOCK_MAPPING], 1);
	cr_assert_eq(stats_of(writer).left_out, 9);
	mprof_writer_destroy(writer);
}

#define NO_MODULE_BYTES "\x87\x80\x7f\x7f\x7f\x7f\x81\x80\x80\x80\0\x80"

/* Functions without a module are in a placeholder module, which is written once. */
Test(writer_mono, functions_without_a_module)
{
	const mprof_record code[] = {{.kind = MPROF_RECORD_FUNCTION, .id = 3, .as.function.name = "free"},
				     {.kind = MPROF_RECORD_FUNCTION, .id = 4, .as.function.name = "loose"},
				     {.kind = MPROF_RECORD_LOCATION, .id = 4, .as.location.function = 3},
				     {.kind = MPROF_RECORD_LOCATION, .id = 5, .as.location.function = 4}};
	const mprof_record stacks[] = {
		{.kind = MPROF_RECORD_STACK, .id = 9, .as.stack.target = 4, .as.stack.is_native = 1},
		{.kind = MPROF_RECORD_STACK,
		 .id = 10,
		 .as.stack.caller = 9,
		 .as.stack.target = 5,
		 .as.stack.is_native = 1}};
	const uint32_t hit[] = {10, 9};
	mprof_writer *writer = open_mono(MPROF_DIALECT_MONO, MONO_DIRECTIVES, 0);

	define_stacks(writer);
	put_records(writer, MPROF_BLOCK_CODE, code, 4);
	put_records(writer, MPROF_BLOCK_STACKS, stacks, 2);
	put_samples(writer, hit, 2);
	EXPECT_BLOCK(writer, 3, 7,
		     CLOCK_BYTES MODULES_BYTES NO_MODULE_BYTES "\x7b\x7f\x7f\x7f\x8f\x81loose\0\x8d"
							       "\x7b\x7f\x7f\x7f\x8f\x82"
							       "free\0\x92\x80" CLOCK_BYTES);
	/* Only the sizes of the classes. */
	cr_assert_eq(stats_of(writer).left_out, stats_of(writer).shortened_blocks[MPROF_BLOCK_MAPPING]);
	mprof_writer_destroy(writer);
}

/* The number of callers precedes each sample, and the table of modules. */
Test(writer_mono, samples_of_unity)
{
	mprof_writer *writer = open_mono(MPROF_DIALECT_UNITY, MONO_DIRECTIVES, 0);

	define_stacks(writer);
	put_samples(writer, chains_hit, CHAINS_HIT);
	EXPECT_BLOCK(writer, 3, 7,
		     CLOCK_BYTES "\x8d" MODULES_BYTES "\x91\x89"
				 "\x95\x8b\x81native_fn\0\x91\x89"
				 "\x85\x8a"
				 "\x85\x8c\x45\x86"
				 "\x85\x84\x00\x00\x3c\x77\x5b\x55\xb7"
				 "\x85\x81\x80" CLOCK_BYTES);
	/* Only the sizes of the classes. */
	cr_assert_eq(stats_of(writer).left_out, stats_of(writer).shortened_blocks[MPROF_BLOCK_MAPPING]);
	mprof_writer_destroy(writer);
}

Test(writer_mono, samples_with_more_callers_than_readers_take)
{
	mprof_writer *writer = open_mono(MPROF_DIALECT_MONO, 0, 0);
	char expected[11 + 1 + 2 + 31 + 1 + 11 + 1] = CLOCK_BYTES "\x99\x7d\x81";
	const uint32_t deep = 40;

	define_names(writer);
	for (uint32_t i = 1; i <= deep; i++) {
		const mprof_record record = {.kind = MPROF_RECORD_STACK,
					     .id = i,
					     .as.stack.caller = i - 1,
					     .as.stack.target = i == deep ? 3 : 1};

		put_records(writer, MPROF_BLOCK_STACKS, &record, 1);
	}
	put_samples(writer, &deep, 1);
	memset(expected + 14, 0x89, 31);
	memcpy(expected + 45, "\x80" CLOCK_BYTES, 12);
	expect_block(writer, 3, 7, expected, 57);
	mprof_writer_destroy(writer);
}

/* A sample with a weight is repeated, but no more often than real blocks had hits. */
Test(writer_mono, samples_with_a_weight)
{
	mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .samples = 3};
	mprof_event sample = event_of(MPROF_EVENT_SAMPLE, 2, 0);
	mprof_writer *writer = open_mono(MPROF_DIALECT_MONO, 0, 0);
	size_t length;

	define_names(writer);
	sample.more.detail = &detail;
	cr_assert_eq(mprof_writer_write_samples(writer, 1, 0, &sample, 1), MPROF_OK);
	EXPECT_BLOCK(writer, 3, 7, CLOCK_BYTES "\x91\x91\x91\x80" CLOCK_BYTES);
	detail.samples = UINT64_MAX;
	cr_assert_eq(mprof_writer_write_samples(writer, 1, 0, &sample, 1), MPROF_OK);
	(void)block_at(writer, 4, 7, &length);
	cr_assert_eq(length, 11 + 65536 + 1 + 11);
	mprof_writer_destroy(writer);
}

static mprof_status put_block(mprof_writer *writer, mprof_block_kind kind)
{
	const mprof_property property = {"program", "test"};
	const uint64_t counts[] = {0, 1};
	const uint32_t hit = 1;

	switch (kind) {
	case MPROF_BLOCK_SESSION:
		return mprof_writer_write_session(writer, &property, sizeof(property), 1);
	case MPROF_BLOCK_THREAD:
		return mprof_writer_write_thread_name(writer, 1, "main", 4);
	case MPROF_BLOCK_LOST:
		return mprof_writer_write_losses(writer, 1, counts, 2);
	case MPROF_BLOCK_MARK:
		return mprof_writer_write_mark(writer, 1, 0, "here", 4);
	case MPROF_BLOCK_STATISTICAL:
		return mprof_writer_write_statistical(writer, 1, &hit, 1, NULL, 0, 2);
	default:
		return mprof_writer_write_records(writer, kind, 0, NULL, sizeof(mprof_record), 0);
	}
}

/* They have no blocks of mprof2, and no lists of hits like mail. */
Test(writer_mono, blocks_of_other_dialects)
{
	static const uint8_t kinds[] = {MPROF_BLOCK_SESSION,    MPROF_BLOCK_THREAD, MPROF_BLOCK_LOST,
					MPROF_BLOCK_MARK,       MPROF_BLOCK_ROOTS,  MPROF_BLOCK_METRICS,
					MPROF_BLOCK_STATISTICAL};

	for (int lossy = 0; lossy <= 1; lossy++) {
		mprof_writer *writer = open_mono(MPROF_DIALECT_MONO, 0, lossy);

		define_names(writer);
		for (size_t i = 0; i < sizeof(kinds); i++) {
			cr_assert_eq(put_block(writer, (mprof_block_kind)kinds[i]),
				     lossy ? MPROF_OK : MPROF_ERR_UNSUPPORTED, "%zu", i);
			cr_assert_eq(stats_of(writer).left_out_blocks[kinds[i]], lossy ? 1 : 0, "%zu", i);
		}
		cr_assert_eq(stats_of(writer).left_out, lossy ? sizeof(kinds) : 0);
		cr_assert_eq(stats_of(writer).blocks, 2);
		mprof_writer_destroy(writer);
	}
}
