/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_heap.c
 * \brief Heap snapshots and moves: everything that is reported is in the log exactly.
 */
#include "heap_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(heap, .fini = fini, .timeout = 120);

Test(heap, a_snapshot_is_written_as_reported)
{
	static const uint64_t references[] = {HEAP + 64, HEAP + 128, 0};
	mprof_root_area area = {.struct_size = sizeof(mprof_root_area),
				.start = 0x601000,
				.size = 64,
				.kind = MPROF_ROOT_STATIC,
				.name = "statics"};
	uint64_t before;
	uint64_t after;
	const heap_log_event *event;

	open_plain();
	cr_assert_eq(mprof_recorder_register_root(recorder, &area), MPROF_OK);
	before = mprof_recorder_read_counter(recorder);
	begin(MPROF_HEAP_USE_SHOT, 7);
	after = mprof_recorder_read_counter(recorder);
	mprof_recorder_add_heap_object(recorder, HEAP, LIST, 40, references, NULL, 3);
	mprof_recorder_add_heap_object(recorder, HEAP + 64, POINT, 24, NULL, NULL, 0);
	mprof_recorder_add_heap_root(recorder, MPROF_ROOT_OTHER, 0x601008, HEAP);
	mprof_recorder_add_heap_root(recorder, MPROF_ROOT_STACK, 0, HEAP + 64);
	/* They belong to the previous object, whatever was added in between. */
	mprof_recorder_add_heap_references(recorder, references, NULL, 1);
	mprof_recorder_end_heap(recorder);
	close_and_read();
	cr_assert_eq(log_read.block_count, 1);
	cr_assert_gt(log_read.blocks[0].counter, before);
	cr_assert_lt(log_read.blocks[0].counter, after);
	heap_log_check_shot(&log_read, 1, 0);
	cr_assert_eq(log_read.event_count, 4);
	event = find(1, MPROF_EVENT_HEAP_OBJECT, HEAP);
	check_object(event, "List", 40, 3);
	cr_assert_arr_eq(event->references, references, sizeof(references));
	event = find(1, MPROF_EVENT_HEAP_OBJECT, HEAP + 64);
	check_object(event, "Point", 24, 1);
	cr_assert_eq(event->references[0], references[0]);
	event = find(1, MPROF_EVENT_HEAP_ROOT, HEAP);
	cr_assert_eq(event->id, 1, "the area is found by the slot");
	cr_assert_eq(event->value, MPROF_ROOT_STATIC, "and its kind is used");
	event = find(1, MPROF_EVENT_HEAP_ROOT, HEAP + 64);
	cr_assert_eq(event->id, 0);
	cr_assert_eq(event->value, MPROF_ROOT_STACK);
	cr_assert_eq(log_read.summaries, 0);
	cr_assert_eq(stats.heap_shots, 1);
	cr_assert_eq(stats.incomplete_shots, 0);
	cr_assert_eq(stats.lost_events, 0);
}

Test(heap, an_empty_shot_is_one_block)
{
	open_plain();
	for (int i = 0; i < 2; i++) {
		begin(MPROF_HEAP_USE_SHOT | MPROF_HEAP_USE_SUMMARY, 1);
		mprof_recorder_end_heap(recorder);
	}
	close_and_read();
	cr_assert_eq(log_read.block_count, 2);
	cr_assert_eq(log_read.event_count, 0);
	heap_log_check_shot(&log_read, 1, 0);
	heap_log_check_shot(&log_read, 2, 0);
	cr_assert_eq(log_read.summaries, 2);
	cr_assert_eq(log_read.sum_count, 0);
	cr_assert_eq(stats.heap_shots, 2);
}

Test(heap, calls_out_of_order_do_nothing)
{
	uint64_t reference = HEAP;

	cr_assert_eq(mprof_recorder_begin_heap(NULL, MPROF_HEAP_USE_SHOT, 1), 0);
	open_plain();
	mprof_recorder_end_heap(recorder);
	mprof_recorder_add_heap_object(recorder, HEAP, POINT, 24, NULL, NULL, 0);
	mprof_recorder_add_heap_references(recorder, &reference, NULL, 1);
	mprof_recorder_add_heap_root(recorder, MPROF_ROOT_STACK, 0, HEAP);
	cr_assert_eq(mprof_recorder_begin_heap(recorder, 8, 1), 0);
	begin(MPROF_HEAP_USE_SHOT, 1);
	cr_assert_eq(mprof_recorder_begin_heap(recorder, MPROF_HEAP_USE_SHOT, 2), 0);
	/* There is no object that these could belong to. */
	mprof_recorder_add_heap_references(recorder, &reference, NULL, 1);
	give(HEAP + 8, POINT, 24);
	mprof_recorder_end_heap(recorder);
	mprof_recorder_end_heap(recorder);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_begin_heap(recorder, MPROF_HEAP_USE_SHOT, 1), 0);
	mprof_recorder_add_heap_move(recorder, HEAP, HEAP + 8);
	mprof_recorder_add_heap_free(recorder, HEAP, POINT, 24);
	mprof_recorder_destroy(recorder);
	log_read = heap_log_read(&recorded);
	cr_assert_eq(log_read.event_count, 1);
	check_object(find(1, MPROF_EVENT_HEAP_OBJECT, HEAP + 8), "Point", 24, 0);
}

Test(heap, errno_is_kept)
{
	open_plain();
	errno = 4711;
	begin(MPROF_HEAP_USE_SHOT, 1);
	for (uint64_t i = 0; i < 100000; i++)
		give(HEAP + i * 32, POINT, 24);
	mprof_recorder_end_heap(recorder);
	cr_assert_eq(errno, 4711);
	close_and_read();
	cr_assert_eq(heap_log_count(&log_read, 1, MPROF_EVENT_HEAP_OBJECT), 100000);
}

/* Irregular numbers. */
static uint64_t scatter(uint64_t number)
{
	return (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

Test(heap, addresses_sizes_and_classes_may_be_any)
{
	enum { OBJECTS = 3000 };
	static const uint64_t spans[] = {8, 4096, UINT64_C(1) << 31, UINT64_C(1) << 34, UINT64_C(1) << 36, 1, 3};
	const size_t span_count = sizeof(spans) / sizeof(spans[0]);
	char name[32];

	open_plain();
	for (uint64_t i = 0; i < OBJECTS; i++) {
		snprintf(name, sizeof(name), "Class%d", (int)i);
		define_class(recorder, scatter(i) >> 4, name);
	}
	begin(MPROF_HEAP_USE_SHOT, 1);
	for (uint64_t i = 0; i < OBJECTS; i++) {
		uint64_t address = HEAP + i * spans[i % span_count];
		uint64_t references[20];

		for (uint64_t j = 0; j < 20; j++)
			references[j] = address + (i % 2 != 0 ? j : -j) * spans[(i + j / 7) % span_count];
		mprof_recorder_add_heap_object(recorder, address, scatter(i) >> 4, i % 5 == 0 ? scatter(i) : i * 8,
					       references, NULL, i % 21);
	}
	mprof_recorder_end_heap(recorder);
	close_and_read();
	cr_assert_eq(log_read.event_count, OBJECTS);
	for (uint64_t i = 0; i < OBJECTS; i++) {
		const heap_log_event *event = &log_read.events[i];

		snprintf(name, sizeof(name), "Class%d", (int)i);
		cr_assert_eq(event->object, HEAP + i * spans[i % span_count]);
		check_object(event, name, i % 5 == 0 ? scatter(i) : i * 8, i % 21);
		for (uint64_t j = 0; j < i % 21; j++)
			cr_assert_eq(event->references[j],
				     event->object + (i % 2 != 0 ? j : -j) * spans[(i + j / 7) % span_count]);
	}
	/* Only at the end of a block. */
	cr_assert_leq(log_read.later_references, log_read.block_count);
}

Test(heap, references_may_be_any_number_and_come_in_pieces)
{
	enum { MANY = 300000 };
	uint64_t *references = malloc(MANY * sizeof(*references));
	const heap_log_event *event;
	size_t input = 0;

	cr_assert_not_null(references);
	for (size_t i = 0; i < MANY; i++)
		references[i] = i % 1000 == 999 ? scatter(i) : HEAP + i * 16;
	open_plain();
	begin(MPROF_HEAP_USE_SHOT, 1);
	mprof_recorder_add_heap_object(recorder, HEAP, LIST, MANY * 8, references, NULL, MANY);
	mprof_recorder_add_heap_object(recorder, HEAP + 64, LIST, MANY * 8, references, NULL, 1);
	for (size_t piece = 1; input < MANY; input += piece, piece = piece * 3 % 1009) {
		piece = piece < MANY - input ? piece : MANY - input;
		mprof_recorder_add_heap_references(recorder, references + input, NULL, piece);
	}
	mprof_recorder_add_heap_object(recorder, HEAP + 128, LIST, 8, references, NULL, 0);
	mprof_recorder_end_heap(recorder);
	close_and_read();
	heap_log_check_shot(&log_read, 1, 0);
	cr_assert_gt(log_read.later_references, 0);
	event = find(1, MPROF_EVENT_HEAP_OBJECT, HEAP);
	check_object(event, "List", MANY * 8, MANY);
	cr_assert_arr_eq(event->references, references, MANY * sizeof(*references));
	event = find(1, MPROF_EVENT_HEAP_OBJECT, HEAP + 64);
	check_object(event, "List", MANY * 8, MANY + 1);
	cr_assert_arr_eq(event->references + 1, references, MANY * sizeof(*references));
	check_object(find(1, MPROF_EVENT_HEAP_OBJECT, HEAP + 128), "List", 8, 0);
	free(references);
}

Test(heap, a_large_shot_is_many_blocks_of_bounded_length)
{
	enum { OBJECTS = 400000 };
	uint64_t references[3];
	mprof_reader *reader;
	mprof_block block;

	open_plain();
	begin(MPROF_HEAP_USE_SHOT | MPROF_HEAP_USE_SUMMARY, 3);
	for (uint64_t i = 0; i < OBJECTS; i++) {
		for (uint64_t j = 0; j < 3; j++)
			references[j] = HEAP + scatter(i * 3 + j) % OBJECTS * 32;
		mprof_recorder_add_heap_object(recorder, HEAP + i * 32, i % 2 != 0 ? POINT : LIST, 24, references, NULL,
					       3);
	}
	mprof_recorder_end_heap(recorder);
	close_and_read();
	heap_log_check_shot(&log_read, 1, 0);
	cr_assert_eq(log_read.event_count, OBJECTS);
	for (uint64_t i = 0; i < OBJECTS; i++) {
		const heap_log_event *event = &log_read.events[i];

		cr_assert_eq(event->object, HEAP + i * 32);
		check_object(event, i % 2 != 0 ? "Point" : "List", 24, 3);
		for (uint64_t j = 0; j < 3; j++)
			cr_assert_eq(event->references[j], HEAP + scatter(i * 3 + j) % OBJECTS * 32);
	}
	check_sum(3, "Point", OBJECTS / 2, OBJECTS / 2 * 24, 0, 0);
	check_sum(3, "List", OBJECTS / 2, OBJECTS / 2 * 24, 0, 0);
	cr_assert_eq(log_read.sum_count, 2);
	cr_assert_eq(mprof_reader_open_memory(recorded.bytes, recorded.length, NULL, &reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		cr_assert_leq(block.length, 1 << 20);
	mprof_reader_destroy(reader);
}

Test(heap, objects_are_of_the_class_that_the_key_meant_then)
{
	open_plain();
	/* So everything is drained in one round. */
	block_writer();
	begin(MPROF_HEAP_USE_SHOT, 1);
	give(HEAP, POINT, 24);
	mprof_recorder_end_heap(recorder);
	define_class(recorder, POINT, "Other");
	begin(MPROF_HEAP_USE_SHOT, 2);
	give(HEAP, POINT, 24);
	mprof_recorder_end_heap(recorder);
	mprof_recorder_add_heap_free(recorder, HEAP, POINT, 24);
	atomic_store(&recorded.blocked, 0);
	close_and_read();
	check_object(find(1, MPROF_EVENT_HEAP_OBJECT, HEAP), "Point", 24, 0);
	check_object(find(2, MPROF_EVENT_HEAP_OBJECT, HEAP), "Other", 24, 0);
	check_dead(0, HEAP, "Other", 24);
}

Test(heap, an_object_without_a_class_is_kept)
{
	open_plain();
	begin(MPROF_HEAP_USE_SHOT, 1);
	give(HEAP, 0, 24);
	give(HEAP + 32, UINT64_MAX, 24);
	mprof_recorder_end_heap(recorder);
	close_and_read();
	check_object(find(1, MPROF_EVENT_HEAP_OBJECT, HEAP), "(no key)", 24, 0);
	check_object(find(1, MPROF_EVENT_HEAP_OBJECT, HEAP + 32), "(no key)", 24, 0);
}

Test(heap, moves_and_deaths_outside_of_shots_keep_their_order)
{
	open_plain();
	mprof_recorder_add_heap_move(recorder, HEAP, HEAP + 64);
	mprof_recorder_add_heap_free(recorder, HEAP + 128, POINT, 24);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	cr_assert_gt(recorded.length, 0);
	mprof_recorder_add_heap_move(recorder, UINT64_MAX, 1);
	begin(MPROF_HEAP_USE_SHOT, 1);
	mprof_recorder_add_heap_free(recorder, 0, LIST, UINT64_C(1) << 40);
	mprof_recorder_add_heap_move(recorder, HEAP + 64, HEAP + 32);
	give(HEAP + 32, POINT, 24);
	mprof_recorder_end_heap(recorder);
	mprof_recorder_add_heap_move(recorder, HEAP + 32, HEAP);
	close_and_read();
	cr_assert_eq(log_read.event_count, 7);
	for (size_t i = 0; i < 7; i++)
		cr_assert_eq(log_read.events[i].shot, i >= 3 && i <= 5);
	cr_assert_eq(find(0, MPROF_EVENT_HEAP_MOVE, HEAP)->value, HEAP + 64);
	check_dead(0, HEAP + 128, "Point", 24);
	cr_assert_eq(find(0, MPROF_EVENT_HEAP_MOVE, UINT64_MAX)->value, 1);
	check_dead(1, 0, "List", UINT64_C(1) << 40);
	cr_assert_eq(find(1, MPROF_EVENT_HEAP_MOVE, HEAP + 64)->value, HEAP + 32);
	find(1, MPROF_EVENT_HEAP_OBJECT, HEAP + 32);
	cr_assert_eq(find(0, MPROF_EVENT_HEAP_MOVE, HEAP + 32)->value, HEAP);
	for (size_t i = 1; i < log_read.block_count; i++)
		cr_assert_gt(log_read.blocks[i].counter, log_read.blocks[i - 1].counter);
}

Test(heap, closing_ends_a_shot_that_was_not_ended)
{
	open_plain();
	begin(MPROF_HEAP_USE_SHOT | MPROF_HEAP_USE_SUMMARY, 1);
	give(HEAP, POINT, 24);
	close_and_read();
	heap_log_check_shot(&log_read, 1, 1);
	find(1, MPROF_EVENT_HEAP_OBJECT, HEAP);
	cr_assert_eq(log_read.summaries, 0);
	cr_assert_eq(stats.heap_shots, 1);
	cr_assert_eq(stats.incomplete_shots, 1);
}

Test(heap, a_forked_child_takes_no_shots)
{
	pid_t child;
	int state;

	open_plain();
	begin(MPROF_HEAP_USE_SHOT, 1);
	child = fork();
	if (child == 0) {
		for (uint64_t i = 0; i < 100000; i++)
			give(HEAP + i * 32, POINT, 24);
		mprof_recorder_end_heap(recorder);
		for (uint64_t i = 0; i < 100000; i++)
			mprof_recorder_add_heap_move(recorder, HEAP + i * 32, HEAP);
		_exit(mprof_recorder_begin_heap(recorder, MPROF_HEAP_USE_SHOT, 1) == 0 ? 42 : 43);
	}
	cr_assert_eq(waitpid(child, &state, 0), child);
	cr_assert(WIFEXITED(state) && WEXITSTATUS(state) == 42);
	give(HEAP, POINT, 24);
	mprof_recorder_end_heap(recorder);
	close_and_read();
	heap_log_check_shot(&log_read, 1, 0);
	cr_assert_eq(log_read.event_count, 1);
}

Test(heap, a_dialect_without_heap_blocks_leaves_them_out)
{
	mprof_recorder_options options;
	mprof_writer_options writer;

	mprof_writer_options_init(&writer, sizeof(writer));
	writer.dialect = MPROF_DIALECT_MAIL;
	writer.lossy = 1;
	mprof_recorder_options_init(&options, sizeof(options));
	options.writer = &writer;
	open_with(&options);
	begin(ALL_USES, 1);
	give(HEAP, POINT, 24);
	mprof_recorder_end_heap(recorder);
	mprof_recorder_add_heap_move(recorder, HEAP, HEAP + 32);
	close_and_read();
	cr_assert_eq(log_read.block_count, 0);
	cr_assert_eq(log_read.summaries, 0);
	cr_assert_gt(stats.left_out, 0);
	cr_assert_eq(stats.heap_shots, 0);
	cr_assert_eq(stats.lost_events, 0);
}
