/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_heap_losses.c
 * \brief Heap data that does not get into the log is counted: no buffer, no memory, a full disk.
 */
#include "heap_fixture.h"

#include "base/failing_allocator.h"

#include <stdlib.h>

TestSuite(heap_losses, .fini = fini, .timeout = 120);

Test(heap_losses, a_snapshot_that_does_not_fit_is_flagged)
{
	enum { OBJECTS = 200000 };
	size_t kept;

	open_small(0);
	block_writer();
	begin(MPROF_HEAP_USE_SHOT | MPROF_HEAP_USE_SUMMARY, 1);
	for (uint64_t i = 0; i < OBJECTS; i++)
		give(HEAP + i * 32, POINT, 24);
	mprof_recorder_add_heap_root(recorder, MPROF_ROOT_STACK, 0, HEAP);
	mprof_recorder_end_heap(recorder);
	cr_assert_eq(mprof_recorder_begin_heap(recorder, MPROF_HEAP_USE_SHOT, 2), 0, "there is no memory at all");
	atomic_store(&recorded.blocked, 0);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	begin(MPROF_HEAP_USE_SHOT | MPROF_HEAP_USE_SUMMARY, 3);
	give(HEAP, POINT, 24);
	mprof_recorder_end_heap(recorder);
	close_and_read();
	heap_log_check_shot(&log_read, 1, 1);
	heap_log_check_shot(&log_read, 2, 0);
	kept = heap_log_count(&log_read, 1, MPROF_EVENT_HEAP_OBJECT);
	cr_assert_gt(kept, 1000);
	cr_assert_lt(kept, OBJECTS);
	cr_assert_eq(kept + log_read.lost[MPROF_LOSS_NO_BUFFER], OBJECTS + 1, "with the root");
	/* Only later ones are missing: all objects before the first loss are there. */
	for (uint64_t i = 0; i < kept; i++)
		cr_assert_eq(log_read.events[i + 1].object, HEAP + i * 32);
	cr_assert_eq(log_read.summaries, 1, "sums of an incomplete snapshot would be wrong");
	check_sum(3, "Point", 1, 24, 0, 0);
	cr_assert_eq(stats.heap_shots, 2);
	cr_assert_eq(stats.incomplete_shots, 1);
}

Test(heap_losses, references_and_deaths_that_do_not_fit_are_counted)
{
	enum { MANY = 300000 };
	uint64_t *references = calloc(MANY, sizeof(*references));
	size_t kept;

	cr_assert_not_null(references);
	open_small(0);
	block_writer();
	begin(MPROF_HEAP_USE_SHOT, 1);
	mprof_recorder_add_heap_object(recorder, HEAP, LIST, 24, references, NULL, MANY);
	mprof_recorder_add_heap_references(recorder, references, NULL, MANY);
	mprof_recorder_end_heap(recorder);
	for (uint64_t i = 0; i < 10000; i++)
		mprof_recorder_add_heap_free(recorder, HEAP, POINT, 24);
	atomic_store(&recorded.blocked, 0);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	block_writer();
	begin(MPROF_HEAP_USE_SHOT, 2);
	mprof_recorder_add_heap_object(recorder, HEAP, LIST, 24, references, NULL, 1);
	mprof_recorder_add_heap_references(recorder, references, NULL, MANY);
	mprof_recorder_end_heap(recorder);
	atomic_store(&recorded.blocked, 0);
	close_and_read();
	heap_log_check_shot(&log_read, 1, 1);
	heap_log_check_shot(&log_read, 2, 1);
	kept = find(1, MPROF_EVENT_HEAP_OBJECT, HEAP)->reference_count;
	cr_assert_gt(kept, 1000);
	cr_assert_lt(kept, MANY);
	kept = heap_log_count(&log_read, 0, MPROF_EVENT_HEAP_FREE);
	/* An object is one loss, and the references of an object are one. */
	cr_assert_eq(kept + stats.lost[MPROF_LOSS_NO_BUFFER], 10000 + 2);
	free(references);
}

Test(heap_losses, an_incomplete_snapshot_reports_no_deaths)
{
	open_small(1);
	for (uint64_t i = 0; i < 100; i++)
		allocate(HEAP + i * 32, POINT, 24);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	block_writer();
	begin(ALL_USES, 1);
	for (uint64_t i = 0; i < 200000; i++)
		give(HEAP + i * 32 + 0x10000, LIST, 24);
	mprof_recorder_end_heap(recorder);
	atomic_store(&recorded.blocked, 0);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	begin(ALL_USES, 2);
	for (uint64_t i = 0; i < 99; i++)
		give(HEAP + i * 32, POINT, 24);
	mprof_recorder_end_heap(recorder);
	close_and_read();
	heap_log_check_shot(&log_read, 1, 1);
	cr_assert_eq(heap_log_count(&log_read, 1, MPROF_EVENT_HEAP_FREE), 0);
	/* Dead are the objects of the incomplete snapshot, and the last one of the allocated objects. */
	cr_assert_geq(heap_log_count(&log_read, 2, MPROF_EVENT_HEAP_FREE), 1);
	cr_assert_null(heap_log_find(&log_read, 2, MPROF_EVENT_HEAP_FREE, HEAP + 98 * 32));
	check_dead(2, HEAP + 99 * 32, "Point", 24);
	cr_assert_eq(stats.incomplete_shots, 1);
}

Test(heap_losses, lost_moves_spoil_what_was_known_and_no_more)
{
	enum { MOVES = 100000 };

	open_small(1);
	for (uint64_t i = 0; i < 100; i++)
		allocate(HEAP + i * 32, POINT, 24);
	block_writer();
	for (uint64_t i = 0; i < MOVES; i++)
		mprof_recorder_add_heap_move(recorder, 0x100000 + i * 32, 0x900000 + i * 32);
	/* The addresses of these objects are not known when the snapshot is taken. */
	allocate(HEAP + 100 * 32, LIST, 24);
	cr_assert_eq(mprof_recorder_begin_heap(recorder, ALL_USES, 1), 0);
	atomic_store(&recorded.blocked, 0);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	begin(ALL_USES, 2);
	give(HEAP + 16, TREE, 8);
	mprof_recorder_end_heap(recorder);
	/* From here on they are known. */
	allocate(HEAP + 32, LIST, 24);
	begin(ALL_USES, 3);
	mprof_recorder_end_heap(recorder);
	/* Until moves are lost again. */
	allocate(HEAP + 64, TREE, 8);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	block_writer();
	for (uint64_t i = 0; i < MOVES; i++)
		mprof_recorder_add_heap_move(recorder, 0x100000 + i * 32, 0x900000 + i * 32);
	atomic_store(&recorded.blocked, 0);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	begin(ALL_USES, 4);
	mprof_recorder_end_heap(recorder);
	close_and_read();
	cr_assert_gt(log_read.lost[MPROF_LOSS_NO_BUFFER], 0);
	cr_assert_eq(heap_log_count(&log_read, 0, MPROF_EVENT_HEAP_MOVE) + log_read.lost[MPROF_LOSS_NO_BUFFER],
		     2 * (MOVES + 1));
	cr_assert_eq(heap_log_count(&log_read, 3, MPROF_EVENT_HEAP_FREE), 0);
	cr_assert_eq(heap_log_count(&log_read, 0, MPROF_EVENT_HEAP_FREE), 0);
	cr_assert_eq(heap_log_count(&log_read, 1, MPROF_EVENT_HEAP_FREE), 0);
	cr_assert_eq(heap_log_count(&log_read, 2, MPROF_EVENT_HEAP_FREE), 2);
	check_dead(2, HEAP + 16, "Tree", 8);
	check_dead(2, HEAP + 32, "List", 24);
}

Test(heap_losses, a_full_disk_is_counted)
{
	enum { OBJECTS = 100000 };

	recorded.fail_after = 50000;
	open_tracking();
	allocate(HEAP, POINT, 24);
	begin(ALL_USES, 1);
	for (uint64_t i = 0; i < OBJECTS; i++)
		give(HEAP + i * 32, POINT, 24);
	mprof_recorder_end_heap(recorder);
	/* The chunks are returned nevertheless. */
	for (uint64_t i = 0; i < 10 * OBJECTS; i++)
		mprof_recorder_add_heap_move(recorder, HEAP + i * 32, HEAP + i * 64);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_ERR_IO);
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	mprof_recorder_destroy(recorder);
	log_read = heap_log_read(&recorded);
	cr_assert_eq(stats.heap_shots, 0);
	cr_assert_eq(heap_log_count(&log_read, 1, MPROF_EVENT_HEAP_OBJECT) + stats.lost[MPROF_LOSS_WRITE_FAILED] +
			     stats.lost[MPROF_LOSS_NO_BUFFER],
		     11 * OBJECTS);
}

Test(heap_losses, a_log_that_is_long_enough_takes_no_more)
{
	enum { OBJECTS = 100000 };
	mprof_recorder_options options;

	mprof_recorder_options_init(&options, sizeof(options));
	options.max_log_bytes = 100000;
	open_with(&options);
	begin(MPROF_HEAP_USE_SHOT, 1);
	for (uint64_t i = 0; i < OBJECTS; i++)
		give(HEAP + i * 32, POINT, 24);
	mprof_recorder_end_heap(recorder);
	close_and_read();
	cr_assert_gt(log_read.event_count, 0);
	cr_assert_eq(log_read.event_count + log_read.lost[MPROF_LOSS_LIMIT], OBJECTS);
	cr_assert_eq(stats.heap_shots, 0);
}

/* Records all kinds of heap data, with an allocator that fails once. Returns the number of requests. */
static size_t record_without(size_t fail_at)
{
	failing_allocator memory = {.fail_at = fail_at, .fail_once = 1};
	mprof_allocator interface = failing_allocator_interface(&memory);
	mprof_recorder_options options;
	mprof_error error;
	mprof_sink sink = recorded_log_sink(&recorded);

	mprof_recorder_options_init(&options, sizeof(options));
	options.allocator = &interface;
	options.track_objects = 1;
	options.allocation_detail = MPROF_ALLOCATION_DETAIL_OBJECT;
	options.drain_interval_ms = 600000;
	error.struct_size = sizeof(error);
	if (mprof_recorder_open_sink(&sink, &options, &recorder, &error) != MPROF_OK)
		return memory.requests;
	if (mprof_recorder_attach(recorder, 1, &thread) != MPROF_OK)
		thread = NULL;
	for (uint64_t i = 0; thread != NULL && i < 2000; i++)
		allocate(HEAP + i * 32, POINT + i % 100 * 16, 24);
	for (uint32_t shot = 1; shot <= 2; shot++) {
		begin(ALL_USES, shot);
		for (uint64_t i = 0; i < 3000; i++)
			give(HEAP + i * 32, POINT + i % 100 * 16, i == 7 ? UINT64_MAX : 24);
		mprof_recorder_add_heap_move(recorder, HEAP, HEAP + 0x1000000);
		mprof_recorder_end_heap(recorder);
		mprof_recorder_add_heap_free(recorder, HEAP + 32, POINT, 24);
	}
	mprof_thread_detach(thread);
	mprof_recorder_close(recorder);
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	mprof_recorder_destroy(recorder);
	cr_assert_eq(memory.blocks, 0);
	return memory.requests;
}

Test(heap_losses, without_memory_losses_are_counted)
{
	size_t requests = record_without(0);

	cr_assert_eq(stats.heap_shots, 2);
	cr_assert_eq(stats.lost_events, 0);
	for (size_t fail_at = 1; fail_at <= requests; fail_at++) {
		size_t objects;

		recorded_log_free(&recorded);
		memset(&stats, 0, sizeof(stats));
		record_without(fail_at);
		log_read = heap_log_read(&recorded);
		/* Otherwise there is no recorder, or the writer stopped and reported an error. */
		if (stats.struct_size != 0 && stats.status == MPROF_OK) {
			cr_assert_eq(log_read.status, MPROF_END);
			objects = heap_log_count(&log_read, 1, MPROF_EVENT_HEAP_OBJECT) +
				  heap_log_count(&log_read, 2, MPROF_EVENT_HEAP_OBJECT);
			cr_assert(objects == 6000 || stats.lost_events > 0, "request %zu", fail_at);
			cr_assert(stats.incomplete_shots == 0 || stats.lost_events > 0, "request %zu", fail_at);
			cr_assert(log_read.summaries == 2 || stats.lost_events > 0, "request %zu", fail_at);
		}
		heap_log_free(&log_read);
	}
}
