/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_heap_deaths.c
 * \brief Deaths of objects, derived from allocations, moves and heap snapshots in any order of draining.
 */
#include "recorder/client/recorder_internal.h"

#include "heap_fixture.h"

#include <sched.h>

TestSuite(heap_deaths, .fini = fini, .timeout = 120);

Test(heap_deaths, what_a_shot_does_not_give_has_died)
{
	open_tracking();
	for (uint64_t i = 0; i < 10; i++)
		allocate(HEAP + i * 32, i % 2 != 0 ? POINT : LIST, 24 + i);
	begin(ALL_USES, 5);
	for (uint64_t i = 0; i < 7; i++)
		give(HEAP + i * 32, i % 2 != 0 ? POINT : LIST, 24 + i);
	mprof_recorder_end_heap(recorder);
	/* Recorded before the snapshot is drained, but the object is alive. */
	allocate(HEAP + 320, TREE, 8);
	begin(ALL_USES, 6);
	give(HEAP, LIST, 24);
	mprof_recorder_end_heap(recorder);
	close_and_read();
	cr_assert_eq(heap_log_count(&log_read, 1, MPROF_EVENT_HEAP_FREE), 3);
	check_dead(1, HEAP + 7 * 32, "Point", 31);
	check_dead(1, HEAP + 8 * 32, "List", 32);
	check_dead(1, HEAP + 9 * 32, "Point", 33);
	cr_assert_eq(heap_log_count(&log_read, 2, MPROF_EVENT_HEAP_FREE), 7);
	check_dead(2, HEAP + 320, "Tree", 8);
	check_sum(5, "List", 4, 24 + 26 + 28 + 30, 1, 32);
	check_sum(5, "Point", 3, 25 + 27 + 29, 2, 31 + 33);
	cr_assert_null(heap_log_sum_of(&log_read, 5, "Tree"));
	check_sum(6, "List", 1, 24, 3, 26 + 28 + 30);
	check_sum(6, "Point", 0, 0, 3, 25 + 27 + 29);
	check_sum(6, "Tree", 0, 0, 1, 8);
}

Test(heap_deaths, only_what_was_asked_for_is_written)
{
	open_tracking();
	allocate(HEAP, POINT, 24);
	/* Neither a snapshot nor deaths: only sums. */
	begin(MPROF_HEAP_USE_SUMMARY, 1);
	mprof_recorder_add_heap_root(recorder, MPROF_ROOT_STACK, 0, HEAP);
	mprof_recorder_end_heap(recorder);
	allocate(HEAP + 32, LIST, 24);
	allocate(HEAP + 64, LIST, 24);
	/* Only deaths, in a block of no snapshot. */
	begin(MPROF_HEAP_USE_FREED, 2);
	give(HEAP + 64, LIST, 24);
	mprof_recorder_end_heap(recorder);
	/* Only a snapshot: its deaths are added to the next sums. */
	begin(MPROF_HEAP_USE_SHOT, 3);
	mprof_recorder_end_heap(recorder);
	/* No use at all: the calls only enclose moves, and no object is dead afterwards. */
	allocate(HEAP + 96, TREE, 8);
	begin(0, 4);
	mprof_recorder_add_heap_move(recorder, HEAP + 96, HEAP + 128);
	mprof_recorder_end_heap(recorder);
	begin(MPROF_HEAP_USE_SUMMARY, 5);
	give(HEAP + 128, TREE, 8);
	mprof_recorder_end_heap(recorder);
	close_and_read();
	cr_assert_eq(heap_log_count(&log_read, 1, MPROF_EVENT_HEAP_FREE), 0);
	heap_log_check_shot(&log_read, 1, 0);
	cr_assert_eq(log_read.event_count, 2);
	check_dead(0, HEAP + 32, "List", 24);
	find(0, MPROF_EVENT_HEAP_MOVE, HEAP + 96);
	cr_assert_eq(log_read.summaries, 2);
	cr_assert_eq(log_read.sum_count, 3);
	check_sum(1, "Point", 0, 0, 1, 24);
	check_sum(5, "List", 0, 0, 2, 48);
	check_sum(5, "Tree", 1, 8, 0, 0);
	cr_assert_eq(stats.heap_shots, 1);
}

Test(heap_deaths, an_address_that_is_used_again_is_another_object)
{
	open_tracking();
	allocate(HEAP, POINT, 24);
	begin(ALL_USES, 1);
	mprof_recorder_end_heap(recorder);
	/* The snapshot and this allocation are drained in one round. */
	allocate(HEAP, POINT, 24);
	begin(ALL_USES, 2);
	give(HEAP, POINT, 24);
	mprof_recorder_end_heap(recorder);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	/* No snapshot in between: the second allocation shows that the first object is dead, which is reported at once. */
	allocate(HEAP, LIST, 32);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	begin(ALL_USES, 3);
	give(HEAP, LIST, 32);
	mprof_recorder_end_heap(recorder);
	close_and_read();
	check_dead(1, HEAP, "Point", 24);
	cr_assert_eq(heap_log_count(&log_read, 2, MPROF_EVENT_HEAP_FREE), 0);
	check_dead(0, HEAP, "Point", 24);
	cr_assert_eq(heap_log_count(&log_read, 3, MPROF_EVENT_HEAP_FREE), 0);
	check_sum(1, "Point", 0, 0, 1, 24);
	check_sum(2, "Point", 1, 24, 0, 0);
	check_sum(3, "Point", 0, 0, 1, 24);
	check_sum(3, "List", 1, 32, 0, 0);
}

Test(heap_deaths, allocations_of_threads_are_put_in_order)
{
	mprof_thread *other;

	open_tracking();
	cr_assert_eq(mprof_recorder_attach(recorder, 2, &other), MPROF_OK);
	/* All of it is drained in one round, thread by thread. */
	for (uint64_t i = 0; i < 1000; i++) {
		mprof_thread_record_allocation_detailed(i % 2 != 0 ? other : thread, i % 2 != 0 ? POINT : LIST, i, HEAP,
							NULL, 0);
		if (i % 10 == 9)
			mprof_recorder_add_heap_move(recorder, HEAP, HEAP + (i + 1) * 32);
	}
	begin(MPROF_HEAP_USE_FREED, 1);
	for (uint64_t i = 9; i < 1000; i += 10)
		give(HEAP + (i + 1) * 32, POINT, i);
	mprof_recorder_end_heap(recorder);
	mprof_thread_detach(other);
	close_and_read();
	cr_assert_eq(heap_log_count(&log_read, 0, MPROF_EVENT_HEAP_FREE), 900);
	for (size_t i = 0; i < log_read.event_count; i++) {
		const heap_log_event *event = &log_read.events[i];

		cr_assert(event->kind != MPROF_EVENT_HEAP_FREE || event->value % 10 != 9);
	}
}

Test(heap_deaths, moves_of_one_collection_are_a_set)
{
	open_tracking();
	allocate(HEAP, POINT, 24);
	allocate(HEAP + 32, LIST, 32);
	/* They swap their addresses. */
	mprof_recorder_add_heap_move(recorder, HEAP, HEAP + 32);
	mprof_recorder_add_heap_move(recorder, HEAP + 32, HEAP);
	begin(ALL_USES, 1);
	give(HEAP + 32, POINT, 24);
	give(HEAP, LIST, 32);
	mprof_recorder_end_heap(recorder);
	/* The next collection moves the objects that this one has moved. */
	mprof_recorder_add_heap_move(recorder, HEAP, HEAP + 64);
	mprof_thread_record_event(thread, MPROF_EVENT_GC_START, 0, 0);
	mprof_recorder_add_heap_move(recorder, HEAP + 64, HEAP + 96);
	begin(ALL_USES, 2);
	give(HEAP + 32, POINT, 24);
	give(HEAP + 96, LIST, 32);
	mprof_recorder_end_heap(recorder);
	/* The same if another pair of begin and end comes in between, ... */
	mprof_recorder_add_heap_move(recorder, HEAP + 96, HEAP + 192);
	begin(0, 0);
	mprof_recorder_add_heap_move(recorder, HEAP + 192, HEAP + 96);
	mprof_recorder_end_heap(recorder);
	/* ... or an object is allocated. */
	mprof_recorder_add_heap_move(recorder, HEAP + 96, HEAP + 128);
	allocate(HEAP + 256, TREE, 8);
	mprof_recorder_add_heap_move(recorder, HEAP + 128, HEAP + 160);
	begin(ALL_USES, 3);
	give(HEAP + 32, POINT, 24);
	give(HEAP + 160, LIST, 32);
	mprof_recorder_end_heap(recorder);
	close_and_read();
	for (uint32_t shot = 0; shot <= 2; shot++)
		cr_assert_eq(heap_log_count(&log_read, shot, MPROF_EVENT_HEAP_FREE), 0);
	cr_assert_eq(heap_log_count(&log_read, 3, MPROF_EVENT_HEAP_FREE), 1);
	check_dead(3, HEAP + 256, "Tree", 8);
	cr_assert_eq(heap_log_count(&log_read, 0, MPROF_EVENT_HEAP_MOVE), 8);
}

Test(heap_deaths, a_shot_may_be_drained_while_it_goes_on)
{
	open_tracking();
	allocate(HEAP, POINT, 24);
	begin(ALL_USES, 1);
	give(HEAP + 64, LIST, 32);
	/* The world is apparently not stopped: an object that is allocated now is not part of the snapshot. */
	allocate(HEAP + 32, TREE, 8);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	give(HEAP + 96, LIST, 32);
	mprof_recorder_end_heap(recorder);
	begin(ALL_USES, 2);
	give(HEAP + 64, LIST, 32);
	give(HEAP + 96, LIST, 32);
	mprof_recorder_end_heap(recorder);
	close_and_read();
	heap_log_check_shot(&log_read, 1, 0);
	heap_log_check_shot(&log_read, 2, 0);
	cr_assert_eq(log_read.block_count, 3, "the first one is in two blocks");
	cr_assert_eq(heap_log_count(&log_read, 1, MPROF_EVENT_HEAP_FREE), 1);
	check_dead(1, HEAP, "Point", 24);
	cr_assert_eq(heap_log_count(&log_read, 2, MPROF_EVENT_HEAP_FREE), 1);
	check_dead(2, HEAP + 32, "Tree", 8);
}

Test(heap_deaths, a_snapshot_may_have_an_object_before_its_allocation)
{
	open_tracking();
	begin(ALL_USES, 1);
	give(HEAP, POINT, 24);
	mprof_recorder_end_heap(recorder);
	/* The thread was stopped before it recorded the allocation. */
	allocate(HEAP, POINT, 24);
	begin(ALL_USES, 2);
	give(HEAP, POINT, 24);
	mprof_recorder_end_heap(recorder);
	close_and_read();
	cr_assert_eq(log_read.event_count, 2);
	check_sum(2, "Point", 1, 24, 0, 0);
}

Test(heap_deaths, dead_objects_are_reported_once)
{
	open_tracking();
	allocate(HEAP, POINT, 24);
	allocate(HEAP + 32, POINT, 24);
	allocate(HEAP + 64, POINT, 24);
	mprof_recorder_add_heap_free(recorder, HEAP, POINT, 24);
	begin(ALL_USES, 1);
	mprof_recorder_add_heap_free(recorder, HEAP + 32, POINT, 24);
	give(HEAP + 64, POINT, 24);
	mprof_recorder_end_heap(recorder);
	close_and_read();
	cr_assert_eq(heap_log_count(&log_read, 0, MPROF_EVENT_HEAP_FREE), 1);
	check_dead(0, HEAP, "Point", 24);
	cr_assert_eq(heap_log_count(&log_read, 1, MPROF_EVENT_HEAP_FREE), 1);
	check_dead(1, HEAP + 32, "Point", 24);
	check_sum(1, "Point", 1, 24, 2, 48);
}

/* There are more moves than the writer thread, which was blocked, reads in one round. */
Test(heap_deaths, allocations_wait_for_all_moves_before_them)
{
	enum { MOVES = 400000, OBJECTS = 100 };
	const uint64_t last = HEAP + (MOVES - OBJECTS) * 32;

	open_tracking();
	for (uint64_t i = 0; i < OBJECTS; i++)
		allocate(last + i * 32, POINT, 24);
	cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
	block_writer();
	for (uint64_t i = 0; i < MOVES; i++)
		mprof_recorder_add_heap_move(recorder, HEAP + i * 32, HEAP + i * 32 + 0x10000000);
	for (uint64_t i = 0; i < OBJECTS; i++)
		allocate(last + i * 32, LIST, 32);
	atomic_store(&recorded.blocked, 0);
	/* A requested drain would do it in one round, so the test waits. All chunks are returned but the current one. */
	while (atomic_load(&recorder->shared.heap.chunks.free_count) * recorder->shared.heap.chunks.chunk_size !=
	       atomic_load(&recorder->shared.heap.chunks.mapped) - recorder->shared.heap.chunks.chunk_size)
		sched_yield();
	begin(ALL_USES, 1);
	for (uint64_t i = 0; i < OBJECTS; i++) {
		give(last + i * 32 + 0x10000000, POINT, 24);
		give(last + i * 32, LIST, 32);
	}
	mprof_recorder_end_heap(recorder);
	close_and_read();
	cr_assert_eq(heap_log_count(&log_read, 0, MPROF_EVENT_HEAP_FREE), 0);
	cr_assert_eq(heap_log_count(&log_read, 1, MPROF_EVENT_HEAP_FREE), 0);
	cr_assert_eq(heap_log_count(&log_read, 0, MPROF_EVENT_HEAP_MOVE), MOVES + 1);
}
