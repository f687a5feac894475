/* SPDX-License-Identifier: MIT */
/* Heap snapshots, objects that were freed and moved, and totals of collections. */
#include "profile_fixture.h"

static mprof_heap_shot shot_at(const test_log *log, size_t index)
{
	mprof_heap_shot shot;

	memset(&shot, 0xff, sizeof(shot));
	shot.struct_size = sizeof(shot);
	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_HEAP_SHOTS, index, &shot), MPROF_OK);
	return shot;
}

static mprof_heap_shot_class class_at(const test_log *log, size_t shot, size_t index)
{
	mprof_heap_shot_class stats;

	memset(&stats, 0xff, sizeof(stats));
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_profile_get_heap_shot_class(log->profile, shot, index, &stats), MPROF_OK);
	return stats;
}

#define EXPECT_SHOT_CLASS(log, shot, index, expected_class, expected_objects, expected_bytes)                          \
	do {                                                                                                           \
		mprof_heap_shot_class found_class = class_at(log, shot, index);                                        \
                                                                                                                       \
		cr_expect_eq(found_class.class_id, expected_class);                                                    \
		cr_expect_eq(found_class.objects, expected_objects);                                                   \
		cr_expect_eq(found_class.bytes, expected_bytes);                                                       \
	} while (0)

/* Content of one HEAP_DATA block. */
typedef struct heap_block {
	mprof_event events[64];
	mprof_event_detail details[64];
	size_t count;
} heap_block;

static mprof_event *append(heap_block *heap, uint32_t kind, uint32_t id, uint64_t value, uint64_t object)
{
	mprof_event *event = &heap->events[heap->count];
	mprof_event_detail *detail = &heap->details[heap->count++];

	cr_assert_leq(heap->count, 64);
	memset(event, 0, sizeof(*event));
	memset(detail, 0, sizeof(*detail));
	detail->struct_size = sizeof(*detail);
	event->kind = (uint8_t)kind;
	event->id = id;
	event->value = value;
	detail->object = object;
	event->more.detail = detail;
	return event;
}

static void append_object(heap_block *heap, uint32_t class_id, uint64_t bytes, uint64_t object,
			  const uint64_t *references, uint32_t count)
{
	append(heap, MPROF_EVENT_HEAP_OBJECT, class_id, bytes, object);
	heap->details[heap->count - 1].references = references;
	heap->details[heap->count - 1].reference_count = count;
}

static void write_heap(test_log *log, heap_block *heap, uint32_t shot, uint32_t flags, uint64_t counter)
{
	cr_assert_eq(
		mprof_writer_write_heap(log->writer, shot, flags, SESSION_START + counter, heap->events, heap->count),
		MPROF_OK);
	heap->count = 0;
}

Test(profile_heap, a_shot_in_one_block)
{
	const uint64_t references[] = {0x2000, 0x3000, 0x1000};
	heap_block heap = {.count = 0};
	test_log log;

	log_begin(&log);
	append_object(&heap, 3, 100, 0x1000, references, 2);
	append_object(&heap, 1, 24, 0x2000, references, 3);
	append_object(&heap, 3, 60, 0x3000, NULL, 0);
	append(&heap, MPROF_EVENT_HEAP_ROOT, 0, MPROF_ROOT_STATIC, 0x1000);
	append(&heap, MPROF_EVENT_HEAP_ROOT, 0, MPROF_ROOT_STACK, 0x1000);
	append(&heap, MPROF_EVENT_HEAP_ROOT, 0, MPROF_ROOT_STACK, 0x2000);
	write_heap(&log, &heap, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, 500);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_HEAP_SHOTS), 1);
	cr_expect_eq(shot_at(&log, 0).number, 1);
	cr_expect_eq(shot_at(&log, 0).incomplete, 0);
	cr_expect_eq(shot_at(&log, 0).time_ns, 500);
	cr_expect_eq(shot_at(&log, 0).objects, 3);
	cr_expect_eq(shot_at(&log, 0).bytes, 184);
	cr_expect_eq(shot_at(&log, 0).references, 5);
	cr_expect_eq(shot_at(&log, 0).roots, 3);
	cr_expect_eq(shot_at(&log, 0).roots_by_kind[MPROF_ROOT_STATIC], 1);
	cr_expect_eq(shot_at(&log, 0).roots_by_kind[MPROF_ROOT_STACK], 2);
	cr_expect_eq(shot_at(&log, 0).roots_by_kind[MPROF_ROOT_OTHER], 0);
	cr_assert_eq(shot_at(&log, 0).classes, 2);
	EXPECT_SHOT_CLASS(&log, 0, 0, 1, 1, 24);
	EXPECT_SHOT_CLASS(&log, 0, 1, 3, 2, 160);
	cr_expect_eq(totals_of(&log).event_counts[MPROF_EVENT_HEAP_OBJECT], 3);
	cr_expect_eq(totals_of(&log).event_counts[MPROF_EVENT_HEAP_ROOT], 3);
	cr_expect_eq(totals_of(&log).events, 6);
	/* An object that is alive is not an allocation. */
	cr_expect_eq(totals_of(&log).allocations, 0);
	log_release(&log);
}

/* Blocks of two snapshots interleave; each keeps its own objects. */
Test(profile_heap, shots_in_several_blocks)
{
	heap_block heap = {.count = 0};
	test_log log;

	log_begin(&log);
	append_object(&heap, 2, 10, 0x1000, NULL, 0);
	append_object(&heap, 4, 20, 0x2000, NULL, 0);
	write_heap(&log, &heap, 1, MPROF_HEAP_FLAG_FIRST, 100);
	append_object(&heap, 4, 1000, 0x1000, NULL, 0);
	write_heap(&log, &heap, 2, MPROF_HEAP_FLAG_FIRST, 200);
	append_object(&heap, 1, 1, 0x3000, NULL, 0);
	append_object(&heap, 4, 40, 0x4000, NULL, 0);
	append_object(&heap, 9, 5, 0x5000, NULL, 0);
	write_heap(&log, &heap, 1, MPROF_HEAP_FLAG_LAST, 100);
	append_object(&heap, 4, 2000, 0x2000, NULL, 0);
	write_heap(&log, &heap, 2, MPROF_HEAP_FLAG_LAST, 200);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_HEAP_SHOTS), 2);
	cr_expect_eq(shot_at(&log, 0).objects, 5);
	cr_expect_eq(shot_at(&log, 0).bytes, 76);
	cr_assert_eq(shot_at(&log, 0).classes, 4);
	EXPECT_SHOT_CLASS(&log, 0, 0, 1, 1, 1);
	EXPECT_SHOT_CLASS(&log, 0, 1, 2, 1, 10);
	EXPECT_SHOT_CLASS(&log, 0, 2, 4, 2, 60);
	EXPECT_SHOT_CLASS(&log, 0, 3, 9, 1, 5);
	cr_expect_eq(shot_at(&log, 1).number, 2);
	cr_expect_eq(shot_at(&log, 1).time_ns, 200);
	cr_assert_eq(shot_at(&log, 1).classes, 1);
	EXPECT_SHOT_CLASS(&log, 1, 0, 4, 2, 3000);
	cr_expect_eq(shot_at(&log, 0).incomplete + shot_at(&log, 1).incomplete, 0);
	log_release(&log);
}

Test(profile_heap, incomplete_shots)
{
	heap_block heap = {.count = 0};
	test_log log;

	log_begin(&log);
	append_object(&heap, 1, 8, 0x1000, NULL, 0);
	write_heap(&log, &heap, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST | MPROF_HEAP_FLAG_INCOMPLETE, 1);
	append_object(&heap, 1, 8, 0x1000, NULL, 0);
	write_heap(&log, &heap, 2, MPROF_HEAP_FLAG_LAST, 2);
	append_object(&heap, 1, 8, 0x1000, NULL, 0);
	write_heap(&log, &heap, 3, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, 3);
	append_object(&heap, 1, 8, 0x1000, NULL, 0);
	write_heap(&log, &heap, 4, MPROF_HEAP_FLAG_FIRST, 4);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_HEAP_SHOTS), 4);
	cr_expect_eq(shot_at(&log, 0).incomplete, 1, "the recorder set the flag");
	cr_expect_eq(shot_at(&log, 1).incomplete, 1, "its start is missing");
	cr_expect_eq(shot_at(&log, 2).incomplete, 0);
	cr_expect_eq(shot_at(&log, 3).incomplete, 1, "its end is missing");
	cr_assert_eq(shot_at(&log, 3).classes, 1);
	EXPECT_SHOT_CLASS(&log, 3, 0, 1, 1, 8);
	log_release(&log);
}

/* The numbers start again, as after another recorder in the same process. */
Test(profile_heap, a_number_that_is_used_again)
{
	heap_block heap = {.count = 0};
	test_log log;

	log_begin(&log);
	for (uint64_t i = 1; i <= 2; i++) {
		append_object(&heap, 1, 8 * i, 0x1000, NULL, 0);
		write_heap(&log, &heap, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, i);
	}
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_HEAP_SHOTS), 2);
	EXPECT_SHOT_CLASS(&log, 0, 0, 1, 1, 8);
	EXPECT_SHOT_CLASS(&log, 1, 0, 1, 1, 16);
	log_release(&log);
}

Test(profile_heap, freed_and_moved_objects)
{
	heap_block heap = {.count = 0};
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add_full(&log, MPROF_EVENT_ALLOCATION, 1, 0, 24, 0);
	add_full(&log, MPROF_EVENT_ALLOCATION, 2, 0, 48, 0);
	end_block(&log);
	append(&heap, MPROF_EVENT_HEAP_FREE, 1, 24, 0x1000);
	append(&heap, MPROF_EVENT_HEAP_FREE, 1, 32, 0);
	append(&heap, MPROF_EVENT_HEAP_MOVE, 0, 0x5000, 0x2000);
	write_heap(&log, &heap, 0, 0, 10);
	append(&heap, MPROF_EVENT_HEAP_FREE, 2, 48, 0x5000);
	append(&heap, MPROF_EVENT_HEAP_MOVE, 0, 0x6000, 0x3000);
	append_object(&heap, 3, 16, 0x6000, NULL, 0);
	write_heap(&log, &heap, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, 20);
	log_profile(&log);
	cr_expect_eq(class_of(&log, 1).allocations, 1);
	cr_expect_eq(class_of(&log, 1).freed, 2);
	cr_expect_eq(class_of(&log, 1).freed_bytes, 56);
	cr_expect_eq(class_of(&log, 2).freed, 1);
	cr_expect_eq(class_of(&log, 2).freed_bytes, 48);
	cr_expect_eq(totals_of(&log).freed_objects, 3);
	cr_expect_eq(totals_of(&log).freed_bytes, 104);
	cr_expect_eq(totals_of(&log).moved_objects, 2);
	/* Objects freed outside of a snapshot do not belong to it; the moves since the previous snapshot do. */
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_HEAP_SHOTS), 1);
	cr_expect_eq(shot_at(&log, 0).freed, 1);
	cr_expect_eq(shot_at(&log, 0).freed_bytes, 48);
	cr_expect_eq(shot_at(&log, 0).moved, 2);
	cr_expect_eq(shot_at(&log, 0).objects, 1);
	log_release(&log);
}

static void write_moves(test_log *log, uint32_t shot, uint32_t flags, uint64_t counter, uint64_t count)
{
	heap_block heap = {.count = 0};

	for (uint64_t i = 0; i < count; i++)
		append(&heap, MPROF_EVENT_HEAP_MOVE, 0, 0x5000 + 16 * i, 0x2000 + 16 * i);
	write_heap(log, &heap, shot, flags, counter);
}

/* Recorders write the moves of a collection before its snapshot, in blocks of no snapshot. */
Test(profile_heap, moves_count_in_the_shot_that_follows)
{
	const uint32_t whole = MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST;
	const uint64_t moved[] = {5, 0, 6};
	test_log log;

	log_begin(&log);
	write_moves(&log, 0, 0, 10, 2);
	write_moves(&log, 0, 0, 20, 3);
	write_moves(&log, 1, whole, 30, 0);
	write_moves(&log, 2, whole, 40, 0);
	write_moves(&log, 0, 0, 50, 4);
	write_moves(&log, 3, MPROF_HEAP_FLAG_FIRST, 60, 1);
	write_moves(&log, 3, MPROF_HEAP_FLAG_LAST, 60, 1);
	write_moves(&log, 0, 0, 70, 7);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_HEAP_SHOTS), 3);
	for (size_t i = 0; i < 3; i++)
		cr_expect_eq(shot_at(&log, i).moved, moved[i]);
	cr_expect_eq(totals_of(&log).moved_objects, 18);
	log_release(&log);
}

/* An object with more references than one fetch returns is returned in pieces, and is one object. */
Test(profile_heap, an_object_with_many_references)
{
	const uint32_t count = 200000;
	uint64_t *references = malloc(count * sizeof(*references));
	heap_block heap = {.count = 0};
	test_log log;

	cr_assert_not_null(references);
	for (uint32_t i = 0; i < count; i++)
		references[i] = 0x10000 + 8 * (uint64_t)i;
	log_begin(&log);
	append_object(&heap, 1, 8 * (uint64_t)count, 0x1000, references, count);
	append_object(&heap, 2, 16, 0x2000, references, 1);
	write_heap(&log, &heap, 1, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, 1);
	log_profile(&log);
	cr_expect_eq(shot_at(&log, 0).objects, 2);
	cr_expect_eq(shot_at(&log, 0).references, count + 1);
	cr_expect_eq(totals_of(&log).event_counts[MPROF_EVENT_HEAP_OBJECT], 2);
	log_release(&log);
	free(references);
}

Test(profile_heap, what_collections_counted)
{
	const uint64_t expected[][6] = {{1, 3, 5, 50, 2, 20}, {1, 4, 0, 0, 1, 10}, {2, 3, 7, 70, 0, 0}};
	test_log log;

	log_begin(&log);
	log.counter = SESSION_START + 100;
	WRITE_RECORDS(&log, MPROF_BLOCK_HEAP_SUMMARY, 1,
		      {.kind = MPROF_RECORD_SUMMARY, .id = 3, .as.summary = {5, 50, 2, 20}},
		      {.kind = MPROF_RECORD_SUMMARY, .id = 4, .as.summary = {0, 0, 1, 10}});
	log.counter = SESSION_START + 200;
	WRITE_RECORDS(&log, MPROF_BLOCK_HEAP_SUMMARY, 2,
		      {.kind = MPROF_RECORD_SUMMARY, .id = 3, .as.summary = {7, 70, 0, 0}});
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_HEAP_SUMMARIES), 3);
	for (size_t i = 0; i < 3; i++) {
		mprof_heap_summary summary = {.struct_size = sizeof(summary)};

		cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_HEAP_SUMMARIES, i, &summary), MPROF_OK);
		cr_expect_eq(summary.collection, expected[i][0]);
		cr_expect_eq(summary.class_id, expected[i][1]);
		cr_expect_eq(summary.time_ns, i < 2 ? 100 : 200);
		cr_expect_eq(summary.live_objects, expected[i][2]);
		cr_expect_eq(summary.live_bytes, expected[i][3]);
		cr_expect_eq(summary.dead_objects, expected[i][4]);
		cr_expect_eq(summary.dead_bytes, expected[i][5]);
	}
	/* These are totals of the collector, not single objects that were found dead. */
	cr_expect_eq(totals_of(&log).freed_objects, 0);
	log_release(&log);
}
