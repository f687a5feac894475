/* SPDX-License-Identifier: MIT */
/* Profiles of a time window and of some threads. */
#include "random_log.h"

/* Two threads whose calls, compilations, waits and collections cross the bounds of the windows below. */
static void write_log(test_log *log)
{
	const mprof_event_detail object = {.struct_size = sizeof(mprof_event_detail), .object = 0x1000};

	log_begin(log);
	begin_block(log, 7, 0);
	enter(log, 1, 100);
	enter(log, 2, 200);
	add_full(log, MPROF_EVENT_ALLOCATION, 1, 0, 24, 0);
	add(log, MPROF_EVENT_METHOD_JIT_START, 3, 250);
	add(log, MPROF_EVENT_METHOD_JIT_END, 3, 350);
	leave(log, 2, 400);
	enter(log, 2, 500);
	add_full(log, MPROF_EVENT_ALLOCATION, 1, 0, 24, 0);
	add_full(log, MPROF_EVENT_ALLOCATION, 2, 0, 100, 0);
	leave(log, 2, 600);
	add(log, MPROF_EVENT_EXCEPTION, 5, 700);
	leave(log, 1, 1000);
	end_block(log);
	begin_block(log, 8, 0);
	enter(log, 4, 150);
	add_detailed(log, MPROF_EVENT_MONITOR, 6, 280, MPROF_MONITOR_CONTENDED, &object);
	add_detailed(log, MPROF_EVENT_MONITOR, 6, 420, MPROF_MONITOR_ACQUIRED, &object);
	add_value(log, MPROF_EVENT_GC_START, 0, 450);
	add_value(log, MPROF_EVENT_GC_END, 0, 550);
	leave(log, 4, 900);
	end_block(log);
}

static void read_window(test_log *log, uint64_t start, uint64_t end)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.window_start_ns = (int64_t)start;
	options.window_end_ns = (int64_t)end;
	log_open(log, &options);
	cr_assert_eq(mprof_profile_read(log->profile, log->reader, NULL, NULL), MPROF_OK);
}

Test(profile_window, a_window_with_known_figures)
{
	test_log log;

	write_log(&log);
	log_close(&log, 0);
	read_window(&log, 300, 520);
	/* m1 was open at the start, the second call of m2 is open at the end. */
	EXPECT_METHOD(&log, 1, 0, 220, 100);
	EXPECT_METHOD(&log, 2, 1, 120, 120);
	EXPECT_METHOD(&log, 4, 0, 220, 220);
	EXPECT_CALL(CALL(&log, 1), 0, 220, 100);
	EXPECT_CALL(CALL(&log, 1, 2), 1, 120, 120);
	EXPECT_CALL(CALL(&log, 4), 0, 220, 220);
	cr_expect_eq(method_of(&log, 3).jit_ns, 50);
	cr_expect_eq(totals_of(&log).jit_methods, 1);
	cr_expect_eq(totals_of(&log).calls, 1);
	cr_expect_eq(totals_of(&log).method_ns, 440);
	cr_expect_eq(totals_of(&log).allocations, 2);
	cr_expect_eq(totals_of(&log).allocated_bytes, 124);
	cr_expect_eq(class_of(&log, 1).allocations, 1);
	cr_expect_eq(totals_of(&log).exceptions, 0);
	cr_expect_eq(totals_of(&log).contentions, 0);
	cr_expect_eq(totals_of(&log).contended_ns, 120);
	cr_expect_eq(totals_of(&log).collections, 1);
	cr_expect_eq(totals_of(&log).gc_ns, 70);
	cr_expect_eq(totals_of(&log).unmatched_leaves, 0);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_COLLECTIONS), 1);
	cr_expect_eq(thread_of(&log, 7).self_ns, 220);
	cr_expect_eq(thread_of(&log, 7).events, 5);
	log_release(&log);
}

typedef struct sums {
	uint64_t stats[16];
	uint64_t calls[DEFINED_IDS + 1];
	uint64_t total[DEFINED_IDS + 1];
	uint64_t self[DEFINED_IDS + 1];
} sums;

static void add_to_sums(const test_log *log, sums *sum)
{
	mprof_profile_totals totals = totals_of(log);
	const uint64_t stats[16] = {totals.method_ns,
				    totals.calls,
				    totals.allocations,
				    totals.allocated_bytes,
				    totals.jit_methods,
				    totals.jit_ns,
				    totals.exceptions,
				    totals.collections,
				    totals.gc_ns,
				    totals.contentions,
				    totals.contended_ns,
				    totals.events,
				    thread_of(log, 7).self_ns,
				    thread_of(log, 8).self_ns,
				    thread_of(log, 7).events,
				    thread_of(log, 8).events};

	for (size_t i = 0; i < 16; i++)
		sum->stats[i] += stats[i];
	for (uint32_t id = 1; id <= DEFINED_IDS; id++) {
		sum->calls[id] += method_of(log, id).calls;
		sum->total[id] += method_of(log, id).total_ns;
		sum->self[id] += method_of(log, id).self_ns;
	}
}

/* The metrics of consecutive windows add up to those of the log, wherever the windows are divided. */
Test(profile_window, windows_add_up)
{
	sums whole = {.stats = {0}};
	test_log log;

	write_log(&log);
	log_close(&log, 0);
	read_window(&log, 0, 0);
	add_to_sums(&log, &whole);
	log_forget_profile(&log);
	for (uint64_t cut = 90; cut <= 1010; cut += 10) {
		sums parts = {.stats = {0}};

		read_window(&log, 0, cut);
		add_to_sums(&log, &parts);
		log_forget_profile(&log);
		read_window(&log, cut, cut + 37);
		add_to_sums(&log, &parts);
		log_forget_profile(&log);
		read_window(&log, cut + 37, 0);
		add_to_sums(&log, &parts);
		log_forget_profile(&log);
		cr_assert_arr_eq(&parts, &whole, sizeof(whole), "cut at %lu", (unsigned long)cut);
	}
	free(log.bytes);
}

Test(profile_window, windows_of_random_logs_add_up)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		uint64_t state = seed;
		sums whole = {.stats = {0}};
		sums parts = {.stats = {0}};
		uint64_t start = 0;
		test_log log;

		write_random_log(&log, &state);
		read_window(&log, 0, 0);
		add_to_sums(&log, &whole);
		log_forget_profile(&log);
		while (start < 1000) {
			uint64_t end = start + 1 + random_to(&state, 300);

			read_window(&log, start, end < 1000 ? end : 0);
			add_to_sums(&log, &parts);
			log_forget_profile(&log);
			start = end;
		}
		cr_assert_arr_eq(&parts, &whole, sizeof(whole), "seed %lu", (unsigned long)seed);
		free(log.bytes);
	}
}

/* The processor time of a thread is the growth of a metric, also from its last value before the window. */
Test(profile_window, times_of_threads_add_up)
{
	uint64_t sum = 0;
	test_log log;

	log_begin(&log);
	WRITE_RECORDS(&log, MPROF_BLOCK_METRICS, 0,
		      {.kind = MPROF_RECORD_METRIC,
		       .id = 1,
		       .as.metric.flags = MPROF_METRIC_UNIT_TIME | MPROF_METRIC_FLAG_THREAD,
		       .as.metric.section = "thread",
		       .as.metric.name = "cpu time",
		       .as.metric.thread = 7});
	for (uint64_t value = 1; value <= 5; value++) {
		log.counter = SESSION_START + 1000 * value;
		WRITE_RECORDS(
			&log, MPROF_BLOCK_METRICS, 0,
			{.kind = MPROF_RECORD_METRIC_VALUE, .id = 1, .as.metric_value.value = 100 * value * value});
	}
	log_close(&log, 0);
	read_window(&log, 0, 2500);
	cr_expect_eq(thread_of(&log, 7).cpu_ns, 400);
	cr_expect_eq(totals_of(&log).wall_ns, 2500);
	sum += thread_of(&log, 7).cpu_ns;
	log_forget_profile(&log);
	read_window(&log, 2500, 4000);
	cr_expect_eq(thread_of(&log, 7).cpu_ns, 500);
	cr_expect_eq(totals_of(&log).wall_ns, 1500);
	sum += thread_of(&log, 7).cpu_ns;
	log_forget_profile(&log);
	read_window(&log, 4000, 0);
	sum += thread_of(&log, 7).cpu_ns;
	log_forget_profile(&log);
	cr_expect_eq(sum, 2500);
	free(log.bytes);
}

Test(profile_window, some_threads)
{
	const uint64_t threads[] = {8, 99};
	mprof_profile_options options;
	test_log log;

	write_log(&log);
	mprof_profile_options_init(&options, sizeof(options));
	options.threads = threads;
	options.thread_count = 2;
	log_profile_with(&log, &options);
	EXPECT_METHOD(&log, 1, 0, 0, 0);
	EXPECT_METHOD(&log, 4, 1, 750, 750);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_CALLS), 2);
	cr_expect_eq(totals_of(&log).allocations, 0);
	cr_expect_eq(totals_of(&log).collections, 1);
	cr_expect_eq(totals_of(&log).contended_ns, 140);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_THREADS), 1);
	log_release(&log);
}

Test(profile_window, wrong_options)
{
	const uint64_t thread = 1;
	mprof_profile_options options;
	mprof_profile *profile;

	mprof_profile_options_init(&options, sizeof(options));
	options.window_start_ns = 100;
	options.window_end_ns = 100;
	cr_expect_eq(mprof_profile_create(&options, &profile), MPROF_ERR_ARGUMENT);
	cr_expect_null(profile);
	mprof_profile_options_init(&options, sizeof(options));
	options.thread_count = 1;
	cr_expect_eq(mprof_profile_create(&options, &profile), MPROF_ERR_ARGUMENT);
	options.threads = &thread;
	cr_expect_eq(mprof_profile_create(&options, &profile), MPROF_OK);
	mprof_profile_destroy(profile);
}
