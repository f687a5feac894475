/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/heap_fixture.h
 * \brief A recorder for the tests of heap snapshots, whose log is read back. One at a time.
 */
#ifndef RECORDER_HEAP_FIXTURE_H
#define RECORDER_HEAP_FIXTURE_H

#include "heap_log.h"

#include <criterion/criterion.h>
#include <stdatomic.h>

enum { POINT = 0x5000, LIST = 0x5060, TREE = 0x50c0 };

#define HEAP UINT64_C(0x7f1200000000)
#define ALL_USES (MPROF_HEAP_USE_SHOT | MPROF_HEAP_USE_FREED | MPROF_HEAP_USE_SUMMARY)

static recorded_log recorded;
static heap_log log_read;
static mprof_recorder *recorder;
static mprof_thread *thread;
static mprof_recorder_stats stats;

static inline void define_classes(void)
{
	define_class(recorder, POINT, "Point");
	define_class(recorder, LIST, "List");
	define_class(recorder, TREE, "Tree");
}

static inline void open_with(mprof_recorder_options *options)
{
	options->counter = counting_counter;
	options->allocation_detail = MPROF_ALLOCATION_DETAIL_OBJECT;
	options->drain_interval_ms = 600000;
	recorder = recorded_log_open(&recorded, options);
	define_classes();
	cr_assert_eq(mprof_recorder_attach(recorder, 1, &thread), MPROF_OK);
}

static inline void open_plain(void)
{
	mprof_recorder_options options;

	mprof_recorder_options_init(&options, sizeof(options));
	open_with(&options);
}

static inline void open_tracking(void)
{
	mprof_recorder_options options;

	mprof_recorder_options_init(&options, sizeof(options));
	options.track_objects = 1;
	open_with(&options);
}

static inline void close_and_read(void)
{
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	mprof_recorder_destroy(recorder);
	log_read = heap_log_read(&recorded);
	cr_assert_eq(log_read.status, MPROF_END);
	for (int cause = 0; cause < LOSS_CAUSE_COUNT; cause++)
		cr_assert_eq(log_read.lost[cause], stats.lost[cause], "losses are in the log");
}

/* Call this at the end of each test. */
static inline void fini(void)
{
	heap_log_free(&log_read);
	recorded_log_free(&recorded);
}

static inline void begin(uint32_t use, uint32_t collection)
{
	cr_assert_eq(mprof_recorder_begin_heap(recorder, use, collection), 1);
}

static inline void give(uint64_t address, mprof_key class_key, uint64_t size)
{
	mprof_recorder_add_heap_object(recorder, address, class_key, size, NULL, NULL, 0);
}

static inline void allocate(uint64_t address, mprof_key class_key, uint64_t size)
{
	mprof_thread_record_allocation_detailed(thread, class_key, size, address, NULL, 0);
}

static inline const heap_log_event *find(uint32_t shot, mprof_event_kind kind, uint64_t object)
{
	const heap_log_event *event = heap_log_find(&log_read, shot, kind, object);

	cr_assert_not_null(event, "%s of 0x%llx in shot %u", mprof_event_get_name(kind), (unsigned long long)object,
			   (unsigned)shot);
	return event;
}

static inline void check_object(const heap_log_event *event, const char *class_name, uint64_t size,
				size_t reference_count)
{
	cr_assert_str_eq(event->class_name, class_name);
	cr_assert_eq(event->value, size);
	cr_assert_eq(event->reference_count, reference_count);
}

static inline void check_dead(uint32_t shot, uint64_t object, const char *class_name, uint64_t size)
{
	check_object(find(shot, MPROF_EVENT_HEAP_FREE, object), class_name, size, 0);
}

static inline void check_sum(uint32_t collection, const char *class_name, uint64_t alive, uint64_t alive_bytes,
			     uint64_t dead, uint64_t dead_bytes)
{
	const heap_log_sum *sum = heap_log_sum_of(&log_read, collection, class_name);

	cr_assert_not_null(sum);
	cr_assert_eq(sum->counts[0], alive);
	cr_assert_eq(sum->counts[1], alive_bytes);
	cr_assert_eq(sum->counts[2], dead);
	cr_assert_eq(sum->counts[3], dead_bytes);
}

/* Blocks the writer thread at its next block, so that it frees little memory. */
static inline void block_writer(void)
{
	atomic_store(&recorded.blocked, 1);
	mprof_recorder_add_heap_move(recorder, 1, 2);
	begin(0, 0);
	mprof_recorder_end_heap(recorder);
}

static inline void open_small(int track_objects)
{
	mprof_recorder_options options;

	mprof_recorder_options_init(&options, sizeof(options));
	options.max_heap_bytes = 1 << 20;
	options.track_objects = (uint32_t)track_objects;
	open_with(&options);
}

#endif
