/* SPDX-License-Identifier: MIT */
/* Pauses, and what threads did in slices of time. */
#include "random_log.h"

static void open_timeline(test_log *log, uint64_t start, uint64_t end, uint32_t slices)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.window_start_ns = (int64_t)start;
	options.window_end_ns = (int64_t)end;
	options.timeline_slices = slices;
	log_read(log, &options);
}

static mprof_timeline timeline_of(const test_log *log)
{
	mprof_timeline timeline = {.struct_size = sizeof(timeline)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_TIMELINE, 0, &timeline), MPROF_OK);
	return timeline;
}

static mprof_timeline_slice slice_of(const test_log *log, size_t thread, size_t index)
{
	mprof_timeline_slice slice = {.struct_size = sizeof(slice)};

	cr_assert_eq(mprof_profile_get_timeline_slice(log->profile, thread, index, &slice), MPROF_OK);
	return slice;
}

static mprof_pause pause_at(const test_log *log, size_t index)
{
	mprof_pause pause = {.struct_size = sizeof(pause)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_PAUSES, index, &pause), MPROF_OK);
	return pause;
}

/* Thread 7 waits from 200 to 300 and is stopped from 400 to 450, in a method; thread 9 waits for ever from 600 on. */
static void write_log(test_log *log)
{
	const mprof_event_detail object = {.struct_size = sizeof(mprof_event_detail), .object = 0x1000};

	log_begin(log);
	begin_block(log, 7, 0);
	enter(log, 1, 100);
	add_detailed(log, MPROF_EVENT_MONITOR, 6, 200, MPROF_MONITOR_CONTENDED, &object);
	add_detailed(log, MPROF_EVENT_MONITOR_HOLDER, 6, 200, 8, &object);
	add_detailed(log, MPROF_EVENT_MONITOR, 6, 300, MPROF_MONITOR_ACQUIRED, &object);
	leave(log, 1, 900);
	end_block(log);
	begin_block(log, 8, 0);
	add_value(log, MPROF_EVENT_GC_STOP_WORLD_START, 1, 400);
	add_value(log, MPROF_EVENT_GC_START, 1, 410);
	add_value(log, MPROF_EVENT_GC_END, 1, 440);
	add_value(log, MPROF_EVENT_GC_START_WORLD_END, 1, 450);
	add_value(log, MPROF_EVENT_GC_START, 0, 500);
	add_value(log, MPROF_EVENT_GC_END, 0, 520);
	end_block(log);
	begin_block(log, 9, 0);
	enter(log, 2, 550);
	add_detailed(log, MPROF_EVENT_MONITOR, 5, 600, MPROF_MONITOR_CONTENDED, &object);
	end_block(log);
	log->counter = SESSION_START + 1000;
	cr_assert_eq(mprof_writer_write_mark(log->writer, 7, SESSION_START + 1000, "end", 3), MPROF_OK);
	log_close(log, 0);
}

Test(profile_timeline, pauses_of_a_known_log)
{
	test_log log;
	mprof_pause pause;

	write_log(&log);
	open_timeline(&log, 0, 0, 10);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_PAUSES), 4);
	pause = pause_at(&log, 0);
	cr_expect_eq(pause.kind, MPROF_PAUSE_WAIT);
	cr_expect_eq(pause.start_ns, 200);
	cr_expect_eq(pause.duration_ns, 100);
	cr_expect_eq(pause.thread, 7);
	cr_expect_eq(pause.holder, 8);
	cr_expect_eq(pause.object, 0x1000);
	cr_expect_eq(pause.class_id, 6);
	cr_expect_eq(pause.unfinished, 0);
	pause = pause_at(&log, 1);
	cr_expect_eq(pause.kind, MPROF_PAUSE_STOPPED_WORLD);
	cr_expect_eq(pause.start_ns, 400);
	cr_expect_eq(pause.duration_ns, 50);
	cr_expect_eq(pause.thread, 8);
	cr_expect_eq(pause.has_collection, 1);
	cr_expect_eq(pause.number, 1);
	cr_expect_eq(pause.generation, 1);
	pause = pause_at(&log, 2);
	cr_expect_eq(pause.kind, MPROF_PAUSE_COLLECTION);
	cr_expect_eq(pause.start_ns, 500);
	cr_expect_eq(pause.duration_ns, 20);
	cr_expect_eq(pause.generation, 0);
	pause = pause_at(&log, 3);
	cr_expect_eq(pause.kind, MPROF_PAUSE_WAIT);
	cr_expect_eq(pause.unfinished, 1);
	cr_expect_eq(pause.start_ns, 600);
	cr_expect_eq(pause.duration_ns, SESSION_END - SESSION_START - 600);
	cr_expect_eq(pause.holder, 0);
	log_release(&log);
}

Test(profile_timeline, slices_of_a_known_log)
{
	const uint64_t methods[] = {0, 100, 100, 100, 100, 100, 100, 100, 100, 0};
	const uint64_t waiting[] = {0, 0, 100, 0, 0, 0, 0, 0, 0, 0};
	const uint64_t stopped[] = {0, 0, 0, 0, 50, 0, 0, 0, 0, 0};
	test_log log;

	write_log(&log);
	open_timeline(&log, 0, 1000, 10);
	cr_assert_eq(timeline_of(&log).slice_count, 10);
	cr_expect_eq(timeline_of(&log).slice_ns, 100);
	cr_expect_eq(timeline_of(&log).start_ns, 0);
	for (size_t i = 0; i < 10; i++) {
		cr_expect_eq(slice_of(&log, 0, i).start_ns, (int64_t)i * 100);
		cr_expect_eq(slice_of(&log, 0, i).existing_ns, methods[i]);
		cr_expect_eq(slice_of(&log, 0, i).methods_ns, methods[i]);
		cr_expect_eq(slice_of(&log, 0, i).waiting_ns, waiting[i]);
		cr_expect_eq(slice_of(&log, 0, i).stopped_ns, stopped[i]);
		cr_expect_eq(slice_of(&log, 2, i).waiting_ns, i < 6 ? 0 : 100);
		cr_expect_eq(slice_of(&log, 2, i).stopped_ns, 0);
	}
	/* Thread 8 was stopped by itself; the collection without a stop stopped nobody for certain. */
	cr_expect_eq(slice_of(&log, 1, 4).stopped_ns, 50);
	cr_expect_eq(slice_of(&log, 1, 5).stopped_ns, 0);
	log_release(&log);
}

/* A pause that covers the window is in it, with its whole duration. */
Test(profile_timeline, pauses_that_overlap_the_window)
{
	test_log log;

	write_log(&log);
	open_timeline(&log, 430, 432, 2);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_PAUSES), 1);
	cr_expect_eq(pause_at(&log, 0).start_ns, 400);
	cr_expect_eq(pause_at(&log, 0).duration_ns, 50);
	cr_expect_eq(slice_of(&log, 0, 0).stopped_ns, 1);
	cr_expect_eq(slice_of(&log, 0, 1).stopped_ns, 1);
	log_forget_profile(&log);
	open_timeline(&log, 450, 500, 2);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_PAUSES), 0);
	log_forget_profile(&log);
	open_timeline(&log, 700, 0, 2);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_PAUSES), 1);
	cr_expect_eq(pause_at(&log, 0).unfinished, 1);
	log_forget_profile(&log);
	open_timeline(&log, 0, 0, 0);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_PAUSES), 0);
	cr_expect_eq(timeline_of(&log).slice_count, 0);
	log_release(&log);
}

/* Whichever threads are chosen, the stops are those of all threads. */
Test(profile_timeline, stops_by_other_threads)
{
	const uint64_t thread = 7;
	mprof_profile_options options;
	test_log log;

	write_log(&log);
	mprof_profile_options_init(&options, sizeof(options));
	options.timeline_slices = 10;
	options.window_end_ns = 1000;
	options.threads = &thread;
	options.thread_count = 1;
	log_read(&log, &options);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_PAUSES), 3);
	cr_expect_eq(pause_at(&log, 1).thread, 8);
	cr_expect_eq(pause_at(&log, 1).duration_ns, 50);
	cr_expect_eq(slice_of(&log, 0, 4).stopped_ns, 50);
	cr_expect_eq(totals_of(&log).collections, 0);
	log_release(&log);
}

static uint64_t self_in(test_log *log, uint64_t thread, uint64_t start, uint64_t end)
{
	uint64_t self;

	open_timeline(log, start, end, 0);
	self = thread_of(log, thread).self_ns;
	log_forget_profile(log);
	return self;
}

static uint64_t waited_in(test_log *log, uint64_t start, uint64_t end)
{
	uint64_t waited;

	open_timeline(log, start, end, 0);
	waited = totals_of(log).contended_ns;
	log_forget_profile(log);
	return waited;
}

static uint64_t thread_at(const test_log *log, size_t index)
{
	mprof_thread_stats stats = {.struct_size = sizeof(stats)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_THREADS, index, &stats), MPROF_OK);
	return stats.id;
}

/* The time in methods in a slice is that of a profile whose window is the slice. */
Test(profile_timeline, slices_are_windows)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		uint64_t state = seed;
		uint64_t methods[2][8];
		uint64_t threads[2];
		test_log log;
		uint64_t start;
		uint64_t width;

		write_random_log(&log, &state);
		start = random_to(&state, 400);
		width = 1 + random_to(&state, 80);
		open_timeline(&log, start + 1, start + 1 + 8 * width, 8);
		cr_assert_eq(timeline_of(&log).slice_ns, width);
		for (size_t thread = 0; thread < 2; thread++) {
			threads[thread] = thread_at(&log, thread);
			for (size_t i = 0; i < 8; i++)
				methods[thread][i] = slice_of(&log, thread, i).methods_ns;
		}
		log_forget_profile(&log);
		for (size_t thread = 0; thread < 2; thread++) {
			for (size_t i = 0; i < 8; i++)
				cr_assert_eq(methods[thread][i],
					     self_in(&log, threads[thread], start + 1 + i * width,
						     start + 1 + (i + 1) * width),
					     "seed %lu, slice %zu", (unsigned long)seed, i);
		}
		free(log.bytes);
	}
}

/* Slices that grow with the log lose nothing. */
Test(profile_timeline, growing_slices_add_up)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		uint64_t state = seed;
		uint64_t waited = 0;
		test_log log;

		write_random_log(&log, &state);
		open_timeline(&log, 0, 0, 2 + (uint32_t)random_to(&state, 60));
		for (size_t thread = 0; thread < mprof_profile_get_row_count(log.profile, MPROF_TABLE_THREADS);
		     thread++) {
			uint64_t sum = 0;

			for (size_t i = 0; i < timeline_of(&log).slice_count; i++)
				sum += slice_of(&log, thread, i).methods_ns;
			cr_assert_eq(sum, thread_of(&log, thread_at(&log, thread)).self_ns);
		}
		for (size_t i = 0; i < mprof_profile_get_row_count(log.profile, MPROF_TABLE_PAUSES); i++) {
			mprof_pause pause = pause_at(&log, i);

			if (pause.kind == MPROF_PAUSE_WAIT)
				waited += pause.duration_ns;
		}
		log_forget_profile(&log);
		cr_assert_eq(waited, waited_in(&log, 0, 0), "seed %lu", (unsigned long)seed);
		free(log.bytes);
	}
}

static mprof_record cpu_value(uint64_t value)
{
	return (mprof_record){.kind = MPROF_RECORD_METRIC_VALUE, .id = 1, .as.metric_value.value = value};
}

/* Processor time is distributed between the times at which it was recorded. */
Test(profile_timeline, processor_time)
{
	const uint64_t expected[] = {30, 30, 20, 20, 20, 20, 0, 0, 0, 0};
	test_log log;
	mprof_record value;

	log_begin(&log);
	WRITE_RECORDS(&log, MPROF_BLOCK_METRICS, 0,
		      {.kind = MPROF_RECORD_METRIC,
		       .id = 1,
		       .as.metric.flags = MPROF_METRIC_UNIT_TIME | MPROF_METRIC_FLAG_THREAD,
		       .as.metric.section = "thread",
		       .as.metric.name = "cpu time",
		       .as.metric.thread = 7});
	log.counter = SESSION_START + 200;
	value = cpu_value(60);
	write_records(&log, MPROF_BLOCK_METRICS, 0, &value, 1);
	log.counter = SESSION_START + 600;
	value = cpu_value(140);
	write_records(&log, MPROF_BLOCK_METRICS, 0, &value, 1);
	log_close(&log, 0);
	open_timeline(&log, 0, 1000, 10);
	for (size_t i = 0; i < 10; i++)
		cr_expect_eq(slice_of(&log, 0, i).cpu_ns, expected[i], "slice %zu", i);
	log_forget_profile(&log);
	/* The part before the window is left out. */
	open_timeline(&log, 300, 800, 5);
	for (size_t i = 0; i < 5; i++)
		cr_expect_eq(slice_of(&log, 0, i).cpu_ns, expected[i + 3], "slice %zu", i);
	log_release(&log);
}

/*
 * The times of a thread may be so far apart that the last one is before the start of the log again, although each is
 * after the one before. Of such a thread, no time is known.
 */
Test(profile_timeline, times_that_have_no_order)
{
	const uint64_t far = UINT64_C(3) << 61;
	mprof_timeline_slice slice;
	test_log log;

	for (uint32_t slices = 2; slices <= 64; slices += 31) {
		log_begin(&log);
		begin_block(&log, 7, far);
		enter(&log, 1, far);
		add_value(&log, MPROF_EVENT_GC_STOP_WORLD_START, 1, far + 100);
		leave(&log, 1, 2 * far);
		add_value(&log, MPROF_EVENT_GC_START_WORLD_END, 1, 2 * far + 100);
		end_block(&log);
		begin_block(&log, 8, 0);
		enter(&log, 1, 100);
		leave(&log, 1, 300);
		end_block(&log);
		log_close(&log, 0);
		open_timeline(&log, 0, 0, slices);
		cr_assert_gt(timeline_of(&log).slice_count, 0);
		for (size_t i = 0; i < timeline_of(&log).slice_count; i++) {
			slice = slice_of(&log, 0, i);
			cr_expect_eq(slice.existing_ns, 0);
			cr_expect_eq(slice.stopped_ns, 0);
		}
		log_forget_profile(&log);
		open_timeline(&log, 5, 900, slices);
		slice = slice_of(&log, 1, (100 - 5) / timeline_of(&log).slice_ns);
		cr_expect_gt(slice.methods_ns, 0);
		log_forget_profile(&log);
		/* The end is as far as it can be. */
		open_timeline(&log, 1, INT64_MAX, slices);
		cr_expect_leq(timeline_of(&log).slice_count, slices);
		log_release(&log);
	}
}

Test(profile_timeline, wrong_arguments)
{
	mprof_profile_options options;
	mprof_profile *profile;
	test_log log;
	mprof_timeline_slice slice = {.struct_size = sizeof(slice)};
	mprof_pause pause = {.struct_size = sizeof(pause)};

	mprof_profile_options_init(&options, sizeof(options));
	options.timeline_slices = 1;
	cr_expect_eq(mprof_profile_create(&options, &profile), MPROF_ERR_ARGUMENT);
	options.timeline_slices = MPROF_TIMELINE_SLICES_MAX + 1;
	cr_expect_eq(mprof_profile_create(&options, &profile), MPROF_ERR_ARGUMENT);
	write_log(&log);
	open_timeline(&log, 0, 1000, 10);
	cr_expect_eq(mprof_profile_get_timeline_slice(log.profile, 0, 10, &slice), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_timeline_slice(log.profile, 3, 0, &slice), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_PAUSES, 4, &pause), MPROF_ERR_ARGUMENT);
	log_release(&log);
}
