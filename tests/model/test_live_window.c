/* SPDX-License-Identifier: MIT */
/* The window of a growing profile against differences of the profile's own results. */
#include "base/failing_allocator.h"
#include "profile_fixture.h"

#define STEPS 40
#define STEP_NS 1000
#define METHODS 5
#define WINDOW_STEPS 7

/* What the profile had after each step. */
typedef struct history {
	mprof_method_stats methods[STEPS + 1][METHODS + 1];
	mprof_class_stats classes[STEPS + 1][METHODS + 1];
	mprof_profile_totals totals[STEPS + 1];
} history;

static uint32_t next_number(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33);
}

/* A block for each step, with calls that stay open from block to block. Some steps have no events of some methods. */
static void write_steps(test_log *log, uint64_t seed)
{
	uint32_t stack[8];
	size_t depth = 0;
	uint64_t counter = 10;

	log_begin(log);
	for (int step = 0; step < STEPS; step++) {
		uint32_t events = next_number(&seed) % 12;

		log->counter = SESSION_START + counter;
		begin_block(log, 1, counter);
		for (uint32_t i = 0; i < events; i++) {
			uint32_t random = next_number(&seed);

			counter += 1 + random % 50;
			if (random / 64 % 3 == 0 && depth < 8) {
				stack[depth] = 1 + random / 256 % METHODS;
				enter(log, stack[depth++], counter);
			} else if (random / 64 % 3 == 1 && depth > 0) {
				leave(log, stack[--depth], counter);
			} else {
				add_full(log, MPROF_EVENT_ALLOCATION, 1 + random / 256 % METHODS, counter,
					 random / 1024 % 100, 0);
			}
		}
		log->counter = SESSION_START + counter;
		end_block(log);
	}
	log_close(log, 0);
}

static mprof_live_window *make_window(uint64_t max_memory, const mprof_allocator *allocator)
{
	mprof_live_options options;
	mprof_live_window *window;

	mprof_live_window_options_init(&options, sizeof(options));
	options.length_ns = WINDOW_STEPS * STEP_NS;
	options.max_memory = max_memory;
	options.allocator = allocator;
	cr_assert_eq(mprof_live_window_create(&options, &window), MPROF_OK);
	return window;
}

static mprof_live_totals live_totals(const mprof_live_window *window)
{
	mprof_live_totals totals = {.struct_size = sizeof(totals)};

	cr_assert_eq(mprof_live_window_get_totals(window, &totals), MPROF_OK);
	return totals;
}

/* The row of an ID; all 0 if there is none. */
static mprof_live_row live_row_of(const mprof_live_window *window, uint32_t table, uint64_t id)
{
	mprof_live_row row = {.struct_size = sizeof(row)};

	for (size_t i = 0; i < mprof_live_window_get_row_count(window, table); i++) {
		cr_assert_eq(mprof_live_window_get_row(window, table, i, &row), MPROF_OK);
		if (row.id == id)
			return row;
	}
	memset(&row, 0, sizeof(row));
	return row;
}

static void keep(history *all, const test_log *log, int step)
{
	all->totals[step] = totals_of(log);
	memcpy(all->methods[step], all->methods[step - 1], sizeof(all->methods[step]));
	memcpy(all->classes[step], all->classes[step - 1], sizeof(all->classes[step]));
	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_METHODS); i++) {
		mprof_method_stats stats = {.struct_size = sizeof(stats)};

		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_METHODS, i, &stats), MPROF_OK);
		all->methods[step][stats.id] = stats;
	}
	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_CLASSES); i++) {
		mprof_class_stats stats = {.struct_size = sizeof(stats)};

		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_CLASSES, i, &stats), MPROF_OK);
		all->classes[step][stats.id] = stats;
	}
}

/* The window has what the profile gained from one step to another. */
static void expect_difference(const mprof_live_window *window, const history *all, int first, int last)
{
	const mprof_live_totals totals = live_totals(window);

	cr_expect_eq(totals.length_ns, (uint64_t)(last - first) * STEP_NS);
	cr_expect_eq(totals.events, all->totals[last].events - all->totals[first].events, "%d to %d", first, last);
	cr_expect_eq(totals.calls, all->totals[last].calls - all->totals[first].calls);
	cr_expect_eq(totals.allocations, all->totals[last].allocations - all->totals[first].allocations);
	cr_expect_eq(totals.allocated_bytes, all->totals[last].allocated_bytes - all->totals[first].allocated_bytes);
	for (uint32_t id = 1; id <= METHODS; id++) {
		const mprof_live_row method = live_row_of(window, MPROF_TABLE_METHODS, id);
		const mprof_live_row class = live_row_of(window, MPROF_TABLE_CLASSES, id);

		cr_expect_eq(method.count, all->methods[last][id].calls - all->methods[first][id].calls);
		cr_expect_eq(method.self, all->methods[last][id].self_ns - all->methods[first][id].self_ns);
		cr_expect_eq(method.total, all->methods[last][id].total_ns - all->methods[first][id].total_ns,
			     "method %u, %d to %d", id, first, last);
		cr_expect_eq(class.count, all->classes[last][id].allocations - all->classes[first][id].allocations);
		cr_expect_eq(class.self, all->classes[last][id].bytes - all->classes[first][id].bytes);
	}
}

/* Opens the log for a profile whose times are counters, so that they do not change as the unit becomes known. */
static void open_raw(test_log *log)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.raw_counters = 1;
	log_open(log, &options);
}

/* Adds blocks up to and including the next one with events; returns 0 at the end of the log. */
static int add_step(test_log *log)
{
	const uint64_t before = totals_of(log).block_counts[MPROF_BLOCK_EVENTS];

	while (totals_of(log).block_counts[MPROF_BLOCK_EVENTS] == before) {
		if (!add_next_block(log))
			return 0;
	}
	finish(log);
	return 1;
}

Test(live_window, has_the_differences_of_the_last_intervals)
{
	static history all;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		mprof_live_window *window = make_window(0, NULL);
		test_log log;
		int step = 0;

		memset(&all, 0, sizeof(all));
		write_steps(&log, seed);
		open_raw(&log);
		while (step < STEPS && add_step(&log)) {
			step++;
			keep(&all, &log, step);
			cr_assert_eq(mprof_live_window_update(window, log.profile, (uint64_t)step * STEP_NS), MPROF_OK);
			expect_difference(window, &all, step > WINDOW_STEPS ? step - WINDOW_STEPS : 0, step);
		}
		cr_expect_gt(step, 2 * WINDOW_STEPS);
		mprof_live_window_destroy(window);
		log_release(&log);
	}
}

Test(live_window, is_empty_after_a_pause_of_its_length)
{
	mprof_live_window *window = make_window(0, NULL);
	test_log log;

	write_steps(&log, 3);
	log_read(&log, NULL);
	cr_assert_eq(mprof_live_window_update(window, log.profile, STEP_NS), MPROF_OK);
	cr_expect_gt(live_totals(window).events, 0);
	cr_assert_eq(mprof_live_window_update(window, log.profile, (WINDOW_STEPS + 1) * STEP_NS), MPROF_OK);
	cr_expect_eq(live_totals(window).events, 0);
	cr_expect_eq(live_row_of(window, MPROF_TABLE_METHODS, 1).count, 0);
	cr_expect_eq(live_totals(window).length_ns, WINDOW_STEPS * STEP_NS);
	mprof_live_window_destroy(window);
	log_release(&log);
}

Test(live_window, counts_only_later_events_after_a_restart)
{
	static history all;
	mprof_live_window *window = make_window(0, NULL);
	test_log log;

	memset(&all, 0, sizeof(all));
	write_steps(&log, 5);
	open_raw(&log);
	for (int step = 1; step <= 6; step++) {
		cr_assert(add_step(&log));
		keep(&all, &log, step);
		cr_assert_eq(mprof_live_window_update(window, log.profile, (uint64_t)step * STEP_NS), MPROF_OK);
		if (step == 4)
			mprof_live_window_restart(window);
	}
	expect_difference(window, &all, 4, 6);
	mprof_live_window_destroy(window);
	log_release(&log);
}

Test(live_window, is_shorter_if_memory_is_short)
{
	static history all;
	mprof_live_window *window = make_window(5000, NULL);
	test_log log;
	uint64_t shortest = UINT64_MAX;

	memset(&all, 0, sizeof(all));
	write_steps(&log, 7);
	open_raw(&log);
	for (int step = 1; step <= STEPS && add_step(&log); step++) {
		uint64_t length;

		keep(&all, &log, step);
		cr_assert_eq(mprof_live_window_update(window, log.profile, (uint64_t)step * STEP_NS), MPROF_OK);
		length = live_totals(window).length_ns;
		if (step > WINDOW_STEPS && length < shortest)
			shortest = length;
		cr_expect_eq(live_totals(window).left_out, 0);
		expect_difference(window, &all, step - (int)(length / STEP_NS), step);
	}
	cr_expect_lt(shortest, WINDOW_STEPS * STEP_NS);
	mprof_live_window_destroy(window);
	log_release(&log);
}

Test(live_window, counts_what_it_has_no_memory_for)
{
	mprof_live_window *window = make_window(600, NULL);
	test_log log;

	write_steps(&log, 9);
	log_read(&log, NULL);
	cr_assert_eq(mprof_live_window_update(window, log.profile, STEP_NS), MPROF_OK);
	cr_expect_gt(live_totals(window).left_out, 0);
	mprof_live_window_destroy(window);
	log_release(&log);
}

Test(live_window, reports_refused_memory_from_then_on)
{
	test_log log;
	size_t fail_at;
	int has_succeeded = 0;

	write_steps(&log, 11);
	log_read(&log, NULL);
	for (fail_at = 2; !has_succeeded && fail_at < 1000; fail_at++) {
		failing_allocator failing;
		mprof_allocator allocator = failing_allocator_interface(&failing);
		mprof_live_window *window;
		mprof_status status;

		memset(&failing, 0, sizeof(failing));
		failing.fail_at = fail_at;
		failing.fail_once = 1;
		window = make_window(0, &allocator);
		status = mprof_live_window_update(window, log.profile, STEP_NS);
		has_succeeded = failing.refused == 0;
		cr_expect_eq(status, has_succeeded ? MPROF_OK : MPROF_ERR_MEMORY);
		cr_expect_eq(mprof_live_window_update(window, log.profile, 2 * STEP_NS), status);
		mprof_live_window_destroy(window);
		cr_expect_eq(failing.blocks, 0);
	}
	cr_expect_gt(fail_at, 6);
	log_release(&log);
}

Test(live_window, refuses_wrong_arguments)
{
	mprof_live_window *window = make_window(0, NULL);
	mprof_live_row row = {.struct_size = sizeof(row)};
	test_log log;

	write_steps(&log, 13);
	log_read(&log, NULL);
	cr_assert_eq(mprof_live_window_update(window, log.profile, STEP_NS), MPROF_OK);
	cr_expect_eq(mprof_live_window_update(window, log.profile, STEP_NS - 1), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_live_window_update(window, NULL, STEP_NS), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_live_window_get_row(window, 0, 0, &row), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_live_window_get_row(window, MPROF_TABLE_MONITORS + 1, 0, &row), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_live_window_get_row(window, MPROF_TABLE_METHODS,
					       mprof_live_window_get_row_count(window, MPROF_TABLE_METHODS), &row),
		     MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_live_window_get_row_count(window, 0), 0);
	mprof_live_window_destroy(window);
	log_release(&log);
}
