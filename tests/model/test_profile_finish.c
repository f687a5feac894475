/* SPDX-License-Identifier: MIT */
/*
 * A profile that is finished repeatedly while a log grows has the same content as one that is finished once at the end,
 * and each finish visits only what has changed.
 */
#include "profile_fixture.h"

/* The visits of finishing can only be counted inside the library. */
#include "model/profile/profile_internal.h"

#define BLOCKS 60
#define EVENTS 80
#define THREADS 3
#define MAX_DEPTH 40
#define STACKS 60

/* Each changed node and the root are visited by three walks: one sums, one counts in methods, and one shows. */
#define WALKS 3

typedef struct random_thread {
	uint32_t stack[MAX_DEPTH];
	uint32_t depth;
	int is_compiling;
} random_thread;

/* A small pseudo-random generator, so that logs are varied and the same in each run. */
static uint32_t next_number(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

static void add_random_event(test_log *log, random_thread *thread, uint32_t *state, uint64_t counter)
{
	uint32_t choice = next_number(state) % 24;
	uint32_t id = 1 + next_number(state) % DEFINED_IDS;

	if (choice < 9 && thread->depth < MAX_DEPTH) {
		thread->stack[thread->depth++] = id;
		enter(log, id, counter);
	} else if (choice < 17 && thread->depth > 0) {
		leave(log, thread->stack[--thread->depth], counter);
	} else if (choice == 17) {
		leave(log, id, counter);
	} else if (choice == 18) {
		add_value(log, MPROF_EVENT_STACK_SWITCH, next_number(state) % 3, counter);
	} else if (choice == 19) {
		add(log, thread->is_compiling ? MPROF_EVENT_METHOD_JIT_END : MPROF_EVENT_METHOD_JIT_START, 4, counter);
		thread->is_compiling = !thread->is_compiling;
	} else if (choice == 20) {
		add_value(log, MPROF_EVENT_GC_START, 0, counter);
	} else if (choice == 21) {
		add_value(log, MPROF_EVENT_GC_END, 0, counter);
	} else {
		add_full(log, MPROF_EVENT_ALLOCATION, id, counter, 8 + id, 0);
	}
}

static void write_samples(test_log *log, uint32_t *state, uint64_t counter)
{
	mprof_event samples[5];

	memset(samples, 0, sizeof(samples));
	for (size_t i = 0; i < 5; i++) {
		samples[i].kind = MPROF_EVENT_SAMPLE;
		samples[i].counter = SESSION_START + counter + i;
		samples[i].value = 1 + next_number(state) % STACKS;
	}
	cr_assert_eq(mprof_writer_write_samples(log->writer, 9, SESSION_START + counter, samples, 5), MPROF_OK);
}

static void write_random_log(test_log *log, uint32_t seed)
{
	random_thread threads[THREADS];
	mprof_record stacks[STACKS];
	uint32_t state = seed;
	uint64_t counter = 0;

	memset(threads, 0, sizeof(threads));
	memset(stacks, 0, sizeof(stacks));
	for (uint32_t i = 0; i < STACKS; i++) {
		stacks[i] = (mprof_record)STACK_OF_METHOD(i + 1, i < 5 ? 0 : next_number(&state) % i + 1,
							  1 + next_number(&state) % DEFINED_IDS);
	}
	log_begin(log);
	write_records(log, MPROF_BLOCK_STACKS, 0, stacks, STACKS);
	for (size_t i = 0; i < BLOCKS; i++) {
		uint32_t thread = next_number(&state) % THREADS;

		begin_block(log, 7 + thread, counter);
		for (size_t j = 0; j < EVENTS; j++)
			add_random_event(log, &threads[thread], &state, counter += 1 + next_number(&state) % 50);
		end_block(log);
		if (i % 4 == 0)
			write_samples(log, &state, counter);
	}
	log_close(log, 0);
}

static void expect_same_methods(const test_log *one, const test_log *other)
{
	mprof_profile_totals one_totals = totals_of(one);
	mprof_profile_totals other_totals = totals_of(other);

	cr_assert_eq(mprof_profile_get_row_count(one->profile, MPROF_TABLE_METHODS),
		     mprof_profile_get_row_count(other->profile, MPROF_TABLE_METHODS));
	for (uint32_t id = 1; id <= DEFINED_IDS; id++) {
		mprof_method_stats one_method = method_of(one, id);
		mprof_method_stats other_method = method_of(other, id);

		cr_assert_arr_eq(&one_method, &other_method, sizeof(one_method), "method %u: %lu %lu, not %lu %lu", id,
				 (unsigned long)other_method.total_ns, (unsigned long)other_method.self_ns,
				 (unsigned long)one_method.total_ns, (unsigned long)one_method.self_ns);
	}
	/* The number of folded calls depends on the memory that finishing took. */
	one_totals.folded_calls = other_totals.folded_calls = 0;
	one_totals.folded_samples = other_totals.folded_samples = 0;
	one_totals.limited = other_totals.limited = 0;
	cr_assert_arr_eq(&one_totals, &other_totals, sizeof(one_totals));
}

static void expect_same(const test_log *one, const test_log *other)
{
	expect_same_methods(one, other);
	expect_same_rows(MPROF_TABLE_CALLS, one, other);
	expect_same_rows(MPROF_TABLE_SAMPLES, one, other);
	expect_same_rows(MPROF_TABLE_SAMPLE_NODES, one, other);
	expect_same_rows(MPROF_TABLE_COLLECTIONS, one, other);
	cr_assert_eq(totals_of(one).folded_calls, totals_of(other).folded_calls);
	cr_assert_eq(totals_of(one).folded_samples, totals_of(other).folded_samples);
}

/*
 * Reads logs while finishing after random blocks, and compares at some of them with a profile of the same blocks that
 * is finished there for the first time. Returns the number of logs that reached the memory limit.
 */
static size_t expect_same_in_pieces(mprof_profile_options options,
				    void (*expect)(const test_log *one, const test_log *other))
{
	size_t limited = 0;

	for (uint32_t seed = 1; seed <= 20; seed++) {
		uint32_t state = seed;
		size_t blocks = 0;
		test_log pieces;
		test_log once;

		write_random_log(&pieces, seed);
		once = pieces;
		log_open(&pieces, &options);
		while (add_next_block(&pieces)) {
			blocks++;
			if (next_number(&state) % 3 != 0)
				finish(&pieces);
			if (blocks % 20 != 0 && blocks <= BLOCKS)
				continue;
			finish(&pieces);
			log_open(&once, &options);
			for (size_t i = 0; i < blocks; i++)
				cr_assert(add_next_block(&once));
			finish(&once);
			expect(&once, &pieces);
			log_forget_profile(&once);
		}
		cr_assert_gt(blocks, BLOCKS);
		limited += totals_of(&pieces).limited;
		log_release(&pieces);
	}
	return limited;
}

Test(profile_finish, in_pieces_as_at_once)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	cr_expect_eq(expect_same_in_pieces(options, expect_same), 0);
}

Test(profile_finish, in_pieces_with_compilations)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.with_compilations = 1;
	cr_expect_eq(expect_same_in_pieces(options, expect_same), 0);
}

Test(profile_finish, in_pieces_without_a_call_tree)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.without_call_tree = 1;
	cr_expect_eq(expect_same_in_pieces(options, expect_same), 0);
}

Test(profile_finish, in_pieces_with_frames_too_deep)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.max_stack_depth = 3;
	cr_expect_eq(expect_same_in_pieces(options, expect_same), 0);
}

Test(profile_finish, in_pieces_of_a_window)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.window_start_ns = 20000;
	options.window_end_ns = 90000;
	cr_expect_eq(expect_same_in_pieces(options, expect_same), 0);
}

/* If paths are folded, the metrics of methods are the same nevertheless. */
Test(profile_finish, in_pieces_with_folded_paths)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	for (uint64_t limit = 170000; limit <= 220000; limit += 25000) {
		options.max_memory = limit;
		cr_expect_eq(expect_same_in_pieces(options, expect_same_methods), 20);
	}
}

/* Nothing that the profile shows may change before the next finish. */
Test(profile_finish, shows_the_last_finish)
{
	mprof_profile_options options;
	test_log added;
	test_log kept;

	write_random_log(&added, 77);
	mprof_profile_options_init(&options, sizeof(options));
	kept = added;
	log_open(&added, &options);
	log_open(&kept, &options);
	for (size_t i = 0; i < BLOCKS / 2; i++) {
		cr_assert(add_next_block(&added));
		cr_assert(add_next_block(&kept));
	}
	finish(&added);
	finish(&kept);
	for (size_t i = 0; i < 10; i++)
		cr_assert(add_next_block(&added));
	for (uint32_t id = 1; id <= DEFINED_IDS; id++) {
		mprof_method_stats wanted = method_of(&kept, id);
		mprof_method_stats found = method_of(&added, id);

		cr_expect_arr_eq(&found, &wanted, sizeof(wanted), "method %u", id);
	}
	for (uint32_t node = 0; node < mprof_profile_get_row_count(kept.profile, MPROF_TABLE_CALLS); node++) {
		mprof_call_stats wanted = call_at(&kept, node);
		mprof_call_stats found = call_at(&added, node);

		/* There may be new nodes below it. */
		found.first_child = wanted.first_child;
		cr_expect_arr_eq(&found, &wanted, sizeof(wanted), "node %u", node);
	}
	log_forget_profile(&kept);
	log_release(&added);
}

#define WIDTH 200
#define DEPTH 20

/* Calls of WIDTH methods, each of which is the outermost of DEPTH. */
static void write_wide_block(test_log *log)
{
	uint64_t counter = 0;

	begin_block(log, 7, 0);
	for (uint32_t i = 0; i < WIDTH; i++) {
		for (uint32_t depth = 0; depth < DEPTH; depth++)
			enter(log, 100 + i + depth, ++counter);
		for (uint32_t depth = DEPTH; depth-- > 0;)
			leave(log, 100 + i + depth, ++counter);
	}
	end_block(log);
}

/* Changes three nodes, the last of which is the top of the open frames. */
static void write_small_block(test_log *log, uint64_t base)
{
	begin_block(log, 7, base);
	enter(log, 150, base);
	enter(log, 151, base + 10);
	enter(log, 152, base + 20);
	leave(log, 152, base + 30);
	end_block(log);
}

static uint64_t visits_of_finish(test_log *log)
{
	uint64_t before = log->profile->calls.tree.visits;

	finish(log);
	return log->profile->calls.tree.visits - before;
}

/* Adds blocks up to the next one that has events. */
static void add_events_block(test_log *log)
{
	uint64_t before = totals_of(log).block_counts[MPROF_BLOCK_EVENTS];

	while (totals_of(log).block_counts[MPROF_BLOCK_EVENTS] == before)
		cr_assert(add_next_block(log));
}

Test(profile_finish, visits_what_changed)
{
	test_log log;

	log_begin(&log);
	for (uint32_t id = 100; id < 100 + WIDTH + DEPTH; id++) {
		mprof_method_definition definition = {
			sizeof(mprof_method_definition), id, 1, 0, 0, "m ()", 4, NULL, 0, 0, 0};

		cr_assert_eq(mprof_writer_define_method(log.writer, &definition), MPROF_OK);
	}
	write_wide_block(&log);
	write_small_block(&log, 20000);
	begin_block(&log, 7, 30000);
	leave(&log, 151, 30000);
	end_block(&log);
	log_close(&log, 0);
	log_open(&log, NULL);
	add_events_block(&log);
	cr_expect_eq(visits_of_finish(&log), WALKS * (1 + WIDTH * DEPTH));
	cr_expect_eq(visits_of_finish(&log), WALKS);
	add_events_block(&log);
	cr_expect_eq(visits_of_finish(&log), WALKS * (1 + 3));
	EXPECT_CALL(CALL(&log, 150), 2, 2 * DEPTH - 1 + 30, 2 + 10);
	add_events_block(&log);
	/* The top and its caller: time has passed in them. */
	cr_expect_eq(visits_of_finish(&log), WALKS * (1 + 2));
	cr_expect_eq(visits_of_finish(&log), WALKS);
	log_release(&log);
}
