/* SPDX-License-Identifier: MIT */
/* Heap snapshots and summaries in the dialects of Mono, where a snapshot is one block. */
#include "logs/mono_fixture.h"

#define OBJECT_1 "\x09\x20\x00\x00\x00\x60\x9f"
#define OBJECT_2 "\x01\x40\x00\x00\x00\x60\x9f"
#define REFERENCE_1 "\x08\x20\x00\x00\x00\x60\x9f"
#define REFERENCE_2 "\x00\x40\x00\x00\x00\x60\x9f"
/* The clock pair at counters 16, 17, ..., with the same number as the time. */
#define CLOCK(byte) byte byte

static const uint64_t references[] = {UINT64_C(0x7f0000001008), UINT64_C(0x7f0000002000)};

static mprof_event heap_event(uint32_t kind, uint32_t id, uint64_t value, const mprof_event_detail *detail)
{
	mprof_event event = event_of(kind, id, 0);

	event.value = value;
	event.more.detail = detail;
	return event;
}

static mprof_writer *open_counting(uint32_t dialect, int lossy)
{
	mprof_writer *writer = open_mono(dialect, 0, lossy);

	define_names(writer);
	cr_assert_eq(mprof_writer_flush(writer), MPROF_OK);
	now.counter = 16;
	now.time = 16;
	return writer;
}

static mprof_status heap(mprof_writer *writer, uint32_t shot, uint32_t flags, const mprof_event *events, size_t count)
{
	mprof_status status = mprof_writer_write_heap(writer, shot, flags, now.counter, events, count);

	now.counter++;
	now.time++;
	return status;
}

/* Blocks of calls in between are written before the snapshot; references of later calls are added to their object. */
Test(writer_shots, parts_become_one_block)
{
	const mprof_event_detail first = {.struct_size = sizeof(mprof_event_detail),
					  .object = UINT64_C(0x7f0000002000),
					  .reference_count = 1,
					  .references = references};
	const mprof_event_detail second = {.struct_size = sizeof(mprof_event_detail),
					   .object = UINT64_C(0x7f0000001008)};
	const mprof_event_detail more = {
		.struct_size = sizeof(mprof_event_detail), .reference_count = 2, .references = references};
	const mprof_event events[] = {
		heap_event(MPROF_EVENT_HEAP_OBJECT, 3, 32, &first),
		heap_event(MPROF_EVENT_HEAP_REFERENCES, 0, 0, &more),
		heap_event(MPROF_EVENT_HEAP_OBJECT, 2, 24, &second),
		heap_event(MPROF_EVENT_HEAP_FREE, 200, 5000, NULL),
		heap_event(MPROF_EVENT_HEAP_REFERENCES, 0, 0, &more),
	};
	mprof_writer *writer = open_counting(MPROF_DIALECT_MONO, 1);

	cr_assert_eq(heap(writer, 7, MPROF_HEAP_FLAG_FIRST, events, 1), MPROF_OK);
	cr_assert_eq(heap(writer, 7, 0, events + 1, 1), MPROF_OK);
	begin_events(writer, 1);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	cr_assert_eq(heap(writer, 7, MPROF_HEAP_FLAG_LAST, events + 2, 3), MPROF_OK);
	EXPECT_BLOCK(writer, 3, 6, CLOCK("\x92") "\x81\x92\0" CLOCK("\x92"));
	EXPECT_BLOCK(writer, 4, 8,
		     CLOCK("\x90") CLOCK("\x92") "\x87" CLOCK("\x92") OBJECT_2
		     "\x83\xa0\x83" REFERENCE_1 REFERENCE_1 REFERENCE_2 OBJECT_1 "\x82\x98\x80"
		     "\x22\x86\x08\xa7\x80" CLOCK("\x92"));
	/* References without an object. */
	cr_assert_eq(stats_of(writer).left_out_events[MPROF_EVENT_HEAP_REFERENCES], 1);
	cr_assert_eq(stats_of(writer).shortened_blocks[MPROF_BLOCK_MAPPING], 1);
	cr_assert_eq(stats_of(writer).left_out, 2);
	mprof_writer_destroy(writer);
}

/* The first clock pair has the caller's counter and the time of the first call; all others are read from the clock. */
Test(writer_shots, clocks)
{
	const mprof_event dead = heap_event(MPROF_EVENT_HEAP_FREE, 1, 8, NULL);
	mprof_writer *writer = open_counting(MPROF_DIALECT_DROP, 0);

	cr_assert_eq(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST, 3, &dead, 1), MPROF_OK);
	now.counter = 20;
	now.time = 21;
	cr_assert_eq(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_LAST, 4, NULL, 0), MPROF_OK);
	EXPECT_BLOCK(writer, 2, 8, "\x83\x90\x94\x95\x94\x95\x86\x88\x80\x94\x95");
	mprof_writer_destroy(writer);
}

/*
 * The number of a snapshot or a summary is that of the caller, or that of the last collection if the writer numbers
 * these.
 */
Test(writer_shots, numbers)
{
	const mprof_event dead = heap_event(MPROF_EVENT_HEAP_FREE, 1, 8, NULL);
	const mprof_record summary = {.kind = MPROF_RECORD_SUMMARY, .id = 3, .as.summary = {2, 64, 3, 96}};
	mprof_writer *writer = open_counting(MPROF_DIALECT_UNITY, 0);

	cr_assert_eq(mprof_writer_write_heap(writer, 5, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, 16, &dead, 1),
		     MPROF_OK);
	EXPECT_BLOCK(writer, 3, 8, CLOCK("\x90") CLOCK("\x90") "\x85" CLOCK("\x90") "\x86\x88\x80" CLOCK("\x90"));
	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_HEAP_SUMMARY, 5, &summary, sizeof(summary), 1),
		     MPROF_OK);
	EXPECT_BLOCK(writer, 4, 9, CLOCK("\x90") "\x85\x83\x82\xc0\x83\xe0\x80" CLOCK("\x90"));
	begin_events(writer, 1);
	ADD(writer, GC_START, 0, 0, 0, NULL);
	ADD(writer, GC_RESIZE, 0, 0, 0, NULL);
	ADD(writer, GC_START, 0, 0, 0, NULL);
	ADD(writer, GC_RESIZE, 0, 0, 0, NULL);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_write_heap(writer, 2, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, 16, &dead, 1),
		     MPROF_OK);
	EXPECT_BLOCK(writer, 6, 8, CLOCK("\x90") CLOCK("\x90") "\x83" CLOCK("\x90") "\x86\x88\x80" CLOCK("\x90"));
	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_HEAP_SUMMARY, 2, &summary, sizeof(summary), 1),
		     MPROF_OK);
	EXPECT_BLOCK(writer, 7, 9, CLOCK("\x90") "\x83\x83\x82\xc0\x83\xe0\x80" CLOCK("\x90"));
	mprof_writer_destroy(writer);
}

/* In mprof2 the caller's number is kept, even if it is 0. */
Test(writer_shots, numbers_of_mprof2)
{
	const mprof_record summary = {.kind = MPROF_RECORD_SUMMARY, .id = 3, .as.summary = {2, 64, 3, 96}};
	mprof_writer *writer = open_mono(MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS), 0);

	define_names(writer);
	begin_events(writer, 1);
	ADD(writer, GC_START, 5, 0, 0, NULL);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	now.counter = 16;
	now.time = 16;
	cr_assert_eq(mprof_writer_write_records(writer, MPROF_BLOCK_HEAP_SUMMARY, 0, &summary, sizeof(summary), 1),
		     MPROF_OK);
	EXPECT_BLOCK(writer, 4, 9, CLOCK("\x90") "\x80\x83\x82\xc0\x83\xe0\x80" CLOCK("\x90"));
	mprof_writer_destroy(writer);
}

/* Objects found dead outside of snapshots, and empty calls, are blocks of their own. */
Test(writer_shots, blocks_of_no_shot)
{
	const mprof_event dead = heap_event(MPROF_EVENT_HEAP_FREE, 1, 8, NULL);
	mprof_writer *writer = open_counting(MPROF_DIALECT_MONO, 0);

	cr_assert_eq(mprof_writer_write_heap(writer, 0, 0, 16, &dead, 1), MPROF_OK);
	EXPECT_BLOCK(writer, 3, 8, CLOCK("\x90") CLOCK("\x90") "\x80" CLOCK("\x90") "\x86\x88\x80" CLOCK("\x90"));
	cr_assert_eq(mprof_writer_write_heap(writer, 6, 0, 16, NULL, 0), MPROF_OK);
	EXPECT_BLOCK(writer, 4, 8, CLOCK("\x90") CLOCK("\x90") "\x86" CLOCK("\x90") "\x80" CLOCK("\x90"));
	cr_assert_eq(stats_of(writer).blocks, 5);
	mprof_writer_destroy(writer);
}

/* A snapshot that is followed by another one, or by the end of the log, is written without its last part. */
Test(writer_shots, shots_that_do_not_end)
{
	const mprof_event dead = heap_event(MPROF_EVENT_HEAP_FREE, 1, 8, NULL);
	mprof_writer *writer = open_counting(MPROF_DIALECT_MONO, 0);

	cr_assert_eq(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST, 16, &dead, 1), MPROF_OK);
	cr_assert_eq(mprof_writer_write_heap(writer, 2, MPROF_HEAP_FLAG_FIRST, 16, &dead, 1), MPROF_OK);
	EXPECT_BLOCK(writer, 3, 8, CLOCK("\x90") CLOCK("\x90") "\x81" CLOCK("\x90") "\x86\x88\x80" CLOCK("\x90"));
	cr_assert_eq(stats_of(writer).blocks, 4);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	EXPECT_BLOCK(writer, 4, 8, CLOCK("\x90") CLOCK("\x90") "\x82" CLOCK("\x90") "\x86\x88\x80" CLOCK("\x90"));
	EXPECT_BLOCK(writer, 5, 2, "\x81" CLOCK("\x90"));
	mprof_writer_destroy(writer);
}

Test(writer_shots, what_blocks_have_no_place_for)
{
	const mprof_event_detail odd = {
		.struct_size = sizeof(mprof_event_detail), .object = 0x1003, .reference_count = 0};
	const mprof_event root = heap_event(MPROF_EVENT_HEAP_ROOT, 0, 0, &odd);
	const mprof_event moved = heap_event(MPROF_EVENT_HEAP_MOVE, 0, 8, &odd);
	const mprof_event events[] = {
		root,
		heap_event(MPROF_EVENT_HEAP_OBJECT, 1, UINT64_C(1) << 32, &odd),
		heap_event(MPROF_EVENT_HEAP_FREE, 1, 8, &odd),
		moved,
	};
	mprof_writer *writer = open_counting(MPROF_DIALECT_MONO, 0);

	cr_assert_eq(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST, 16, events, 4), MPROF_ERR_UNSUPPORTED);
	cr_assert_eq(mprof_writer_write_heap(writer, 0, 0, 16, &moved, 1), MPROF_ERR_UNSUPPORTED);
	/* Only the sizes of the classes. */
	cr_assert_eq(stats_of(writer).left_out, stats_of(writer).shortened_blocks[MPROF_BLOCK_MAPPING]);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(stats_of(writer).blocks, 4);
	mprof_writer_destroy(writer);

	writer = open_counting(MPROF_DIALECT_MONO, 1);
	cr_assert_eq(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, 16, events, 4),
		     MPROF_OK);
	EXPECT_BLOCK(writer, 3, 8,
		     CLOCK("\x90") CLOCK("\x90") "\x81" CLOCK("\x90") "\x01\xa0\x81\x7f\x7f\x7f\x7f\x8f\x80"
								      "\x86\x88\x80" CLOCK("\x90"));
	/* The dialect can represent nothing of it, so there is no block. */
	cr_assert_eq(mprof_writer_write_heap(writer, 0, 0, 16, &moved, 1), MPROF_OK);
	cr_assert_eq(stats_of(writer).blocks, 4);
	cr_assert_eq(stats_of(writer).left_out_events[MPROF_EVENT_HEAP_ROOT], 1);
	cr_assert_eq(stats_of(writer).left_out_events[MPROF_EVENT_HEAP_MOVE], 2);
	cr_assert_eq(stats_of(writer).shortened_events[MPROF_EVENT_HEAP_FREE], 1);
	/* Its address is not a multiple of 4, and its size is too large. */
	cr_assert_eq(stats_of(writer).shortened_events[MPROF_EVENT_HEAP_OBJECT], 2);
	mprof_writer_destroy(writer);
}

/* Objects are not divided. */
Test(writer_shots, shots_larger_than_allowed_are_several_blocks)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail),
					   .object = 0x1000,
					   .reference_count = 2,
					   .references = references};
	const mprof_event object = heap_event(MPROF_EVENT_HEAP_OBJECT, 1, 8, &detail);
	const mprof_event more = heap_event(MPROF_EVENT_HEAP_REFERENCES, 0, 0, &detail);
	const mprof_event events[] = {object, more, more, object, object};
	mprof_writer_options options = mono_options(MPROF_DIALECT_MONO, 0, 0);
	mprof_writer *writer;

	options.max_shot_memory = 20;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	define_names(writer);
	now.counter = 16;
	now.time = 16;
	cr_assert_eq(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, 16, events, 5),
		     MPROF_OK);
#define HEAD CLOCK("\x90") CLOCK("\x90") "\x81" CLOCK("\x90")
#define TWO REFERENCE_1 REFERENCE_2
	EXPECT_BLOCK(writer, 3, 8, HEAD "\x01\xa0\x81\x88\x86" TWO TWO TWO "\x80" CLOCK("\x90"));
	EXPECT_BLOCK(writer, 4, 8, HEAD "\x01\xa0\x81\x88\x82" TWO "\x01\xa0\x81\x88\x82" TWO "\x80" CLOCK("\x90"));
	cr_assert_eq(stats_of(writer).blocks, 5);
	mprof_writer_destroy(writer);
}

Test(writer_shots, objects_of_a_class_that_is_not_known)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .object = 0x1000};
	const mprof_event object = heap_event(MPROF_EVENT_HEAP_OBJECT, 0, 8, &detail);
	mprof_writer *writer = open_counting(MPROF_DIALECT_DROP, 0);

	cr_assert_eq(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, 16, &object, 1),
		     MPROF_OK);
	EXPECT_BLOCK(writer, 2, 8, CLOCK("\x90") CLOCK("\x90") CLOCK("\x90") "\x01\xa0\x80\x88\x80\x80" CLOCK("\x90"));
	mprof_writer_destroy(writer);
}

Test(writer_shots, refuses_undefined_classes_unless_allowed)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .object = 0x1000};
	const mprof_event object = heap_event(MPROF_EVENT_HEAP_OBJECT, 9, 8, &detail);
	mprof_writer_options options = mono_options(MPROF_DIALECT_MONO, 0, 0);
	mprof_writer *writer;

	for (uint32_t allow = 0; allow <= 1; allow++) {
		options.allow_undefined_ids = allow;
		cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
		cr_assert_eq(mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, 16,
						     &object, 1),
			     allow ? MPROF_OK : MPROF_ERR_UNDEFINED_ID);
		cr_assert_eq(stats_of(writer).blocks, 2 + allow);
		mprof_writer_destroy(writer);
	}
}
