/* SPDX-License-Identifier: MIT */
/*
 * Finishing a profile reports its progress, and can be stopped anywhere: the next call has the results of the first. So
 * does making trees and differences of profiles, which makes nothing if it is stopped.
 */
#include "ages_fixture.h"
#include "progress_fixture.h"

#define BLOCKS 100
#define BLOCK_EVENTS 2000
#define BLOCK_SAMPLES 400
#define THREADS 3
#define MAX_DEPTH 24
#define STACKS 20000
#define ADDRESSES 512
#define SLICES 50

TestSuite(profile_progress, .timeout = 300);

static uint64_t random_state;

static uint32_t random_under(uint32_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33) % limit;
}

typedef struct random_thread {
	uint32_t stack[MAX_DEPTH];
	uint32_t depth;
} random_thread;

static void begin_rich_log(test_log *log)
{
	mprof_writer_options options;

	memset(log, 0, sizeof(*log));
	log->counter = SESSION_START;
	log->counters_per_microsecond = 1000;
	mprof_writer_options_init(&options, sizeof(options));
	options.dialect = MPROF_DIALECT_MPROF2;
	options.clock = test_clock;
	options.clock_user = log;
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MEMORY_EVENTS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_STACK_SWITCHES);
	cr_assert_eq(mprof_writer_open_memory(&options, &log->writer), MPROF_OK);
	define_names(log->writer);
}

static void define_many_stacks(test_log *log)
{
	static mprof_record stacks[STACKS];

	for (uint32_t i = 0; i < STACKS; i++)
		stacks[i] = (mprof_record)STACK_OF_METHOD(i + 1, i / 3, 1 + random_under(DEFINED_IDS));
	write_records(log, MPROF_BLOCK_STACKS, 0, stacks, STACKS);
}

static void add_call(test_log *log, random_thread *thread, uint64_t counter)
{
	const uint32_t id = 1 + random_under(DEFINED_IDS);

	if (thread->depth < MAX_DEPTH && (thread->depth == 0 || random_under(2) != 0)) {
		thread->stack[thread->depth++] = id;
		enter(log, id, counter);
	} else {
		leave(log, thread->stack[--thread->depth], counter);
	}
}

static void add_collection_event(test_log *log, uint64_t counter)
{
	static const uint8_t kinds[] = {MPROF_EVENT_GC_STOP_WORLD_START, MPROF_EVENT_GC_START, MPROF_EVENT_GC_END,
					MPROF_EVENT_GC_START_WORLD_END, MPROF_EVENT_GC_RESIZE};

	add_value(log, kinds[random_under(sizeof(kinds))], random_under(2), counter);
}

static void add_memory_event(test_log *log, uint64_t counter)
{
	const uint64_t address = 0x1000 + 16 * (uint64_t)random_under(ADDRESSES);
	const mprof_event_detail detail = {.struct_size = sizeof(detail),
					   .object = 0x1000 + 16 * (uint64_t)random_under(ADDRESSES),
					   .size = 8 * random_under(20),
					   .stack = random_under(100),
					   .started = SESSION_START + counter};

	switch (random_under(3)) {
	case 0:
		add_detailed(log, MPROF_EVENT_MEMORY_ALLOCATED, 0, counter, address, &detail);
		break;
	case 1:
		add_full(log, MPROF_EVENT_MEMORY_FREED, 0, counter, address, 0);
		break;
	default:
		add_detailed(log, MPROF_EVENT_MEMORY_RESIZED, 0, counter, address, &detail);
	}
}

static void add_random_event(test_log *log, random_thread *thread, uint64_t counter)
{
	const mprof_event_detail object = {.struct_size = sizeof(object), .object = 0x2000 + random_under(2) * 16};
	const uint32_t choice = random_under(100);

	if (choice < 70)
		add_call(log, thread, counter);
	else if (choice < 80)
		add_memory_event(log, counter);
	else if (choice < 91)
		allocate_object(log, 1 + random_under(DEFINED_IDS), counter, 0x100000 + 16 * random_under(4096), 16,
				random_under(50));
	else if (choice < 97)
		add_collection_event(log, counter);
	else
		add_detailed(log, MPROF_EVENT_MONITOR, 6, counter,
			     random_under(2) != 0 ? MPROF_MONITOR_CONTENDED : MPROF_MONITOR_ACQUIRED, &object);
}

static void write_random_samples(test_log *log, uint64_t counter)
{
	static mprof_event samples[BLOCK_SAMPLES];

	memset(samples, 0, sizeof(samples));
	for (size_t i = 0; i < BLOCK_SAMPLES; i++) {
		samples[i].kind = MPROF_EVENT_SAMPLE;
		samples[i].counter = SESSION_START + counter + i;
		samples[i].value = 1 + random_under(STACKS);
	}
	cr_assert_eq(mprof_writer_write_samples(log->writer, 8, SESSION_START + counter, samples, BLOCK_SAMPLES),
		     MPROF_OK);
}

/* Blocks of several threads whose times overlap. Only the first ones are followed by deaths and by a watermark. */
static void write_rich_log(test_log *log, int is_cut)
{
	random_thread threads[THREADS];

	memset(threads, 0, sizeof(threads));
	random_state = 1;
	begin_rich_log(log);
	define_many_stacks(log);
	for (size_t block = 0; block < BLOCKS; block++) {
		const uint32_t thread = random_under(THREADS);
		uint64_t counter = 10000 * block + random_under(5000);

		begin_block(log, 7 + thread, counter);
		for (size_t i = 0; i < BLOCK_EVENTS; i++)
			add_random_event(log, &threads[thread], counter += random_under(10));
		end_block(log);
		write_random_samples(log, counter);
		if (block == 5) {
			write_death(log, counter, 1, 0x100000, 16);
			cr_assert_eq(mprof_writer_write_watermark(log->writer, SESSION_START + counter), MPROF_OK);
		}
	}
	log_close(log, is_cut);
}

static int compare_methods(const void *left, const void *right)
{
	const mprof_method_stats *a = left;
	const mprof_method_stats *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

/* All methods, by ID: their order depends on when finishing adds them. */
static void list_methods(const test_log *log, mprof_method_stats *methods)
{
	size_t count;

	memset(methods, 0, (DEFINED_IDS + 1) * sizeof(*methods));
	cr_assert_eq(mprof_profile_get_rows(log->profile, MPROF_TABLE_METHODS, 0, methods, sizeof(*methods),
					    DEFINED_IDS + 1, &count),
		     MPROF_OK);
	cr_assert_leq(count, DEFINED_IDS);
	qsort(methods, count, sizeof(*methods), compare_methods);
}

static void expect_same_methods(const test_log *one, const test_log *other)
{
	mprof_method_stats methods[DEFINED_IDS + 1];
	mprof_method_stats others[DEFINED_IDS + 1];

	list_methods(one, methods);
	list_methods(other, others);
	cr_assert_arr_eq(methods, others, sizeof(methods));
}

static void expect_same_slices(const test_log *one, const test_log *other)
{
	const size_t threads = mprof_profile_get_row_count(one->profile, MPROF_TABLE_THREADS);
	mprof_timeline timeline = {.struct_size = sizeof(timeline)};

	cr_assert_eq(mprof_profile_get_row(one->profile, MPROF_TABLE_TIMELINE, 0, &timeline), MPROF_OK);
	for (size_t thread = 0; thread < threads; thread++) {
		for (size_t i = 0; i < timeline.slice_count; i++) {
			mprof_timeline_slice slice = {.struct_size = sizeof(slice)};
			mprof_timeline_slice wanted = {.struct_size = sizeof(wanted)};

			cr_assert_eq(mprof_profile_get_timeline_slice(one->profile, thread, i, &slice), MPROF_OK);
			cr_assert_eq(mprof_profile_get_timeline_slice(other->profile, thread, i, &wanted), MPROF_OK);
			cr_assert_arr_eq(&slice, &wanted, sizeof(slice), "slice %zu of thread %zu", i, thread);
		}
	}
}

/* All tables; the log has no texts. */
static void expect_same_profiles(const test_log *one, const test_log *other)
{
	expect_same_methods(one, other);
	for (uint32_t table = MPROF_TABLE_METHODS + 1; mprof_table_get_info(table) != NULL; table++) {
		if (table != MPROF_TABLE_PROPERTIES)
			expect_same_rows(table, one, other);
	}
	expect_same_slices(one, other);
}

static void add_blocks(test_log *log, size_t count)
{
	while (count > 0 && add_next_block(log))
		count--;
}

/* A profile whose progress is watched. */
typedef struct watched_profile {
	progress_watch watch;
	test_log log;
	mprof_profile_options options;
} watched_profile;

static mprof_status finish_stopped(watched_profile *watched, uint64_t stop_at)
{
	const mprof_profile *profile = watched->log.profile;
	mprof_status status;

	progress_expect(&watched->watch, stop_at);
	status = mprof_profile_finish(watched->log.profile, watched->log.reader);
	cr_assert_eq(status, stop_at != 0 ? MPROF_ERR_INTERRUPTED : MPROF_OK, "call %zu: %d", (size_t)stop_at, status);
	if (stop_at != 0)
		cr_assert_eq(watched->watch.calls, stop_at);
	else
		cr_assert_eq(watched->watch.last, watched->watch.total);
	cr_assert_eq(profile, watched->log.profile);
	return status;
}

/*
 * Reads a log to a half, stops finishing at one call of the function, finishes; the same at its end. Each time the
 * profile has to be that of a log without a stop. Without \p finishes the half is not finished after the stop.
 */
static void expect_same_after_stop(watched_profile *watched, const test_log *half, const test_log *whole,
				   uint64_t stop_at_half, uint64_t stop_at_end, int finishes)
{
	log_open(&watched->log, &watched->options);
	add_blocks(&watched->log, BLOCKS);
	finish_stopped(watched, stop_at_half);
	if (finishes) {
		finish_stopped(watched, 0);
		expect_same_profiles(&watched->log, half);
	}
	add_blocks(&watched->log, SIZE_MAX);
	if (stop_at_end != 0)
		finish_stopped(watched, stop_at_end);
	finish_stopped(watched, 0);
	expect_same_profiles(&watched->log, whole);
	log_forget_profile(&watched->log);
}

/* The log is cut for options that take effect at its end. */
static void stop_everywhere(const mprof_profile_options *options, uint64_t step)
{
	watched_profile watched = {.options = *options};
	test_log half;
	test_log whole;
	uint64_t half_calls;
	uint64_t calls;

	write_rich_log(&watched.log, 0);
	half = watched.log;
	whole = watched.log;
	log_open(&half, options);
	add_blocks(&half, BLOCKS);
	finish(&half);
	log_open(&whole, options);
	add_blocks(&whole, BLOCKS);
	finish(&whole);
	add_blocks(&whole, SIZE_MAX);
	finish(&whole);
	watched.options.progress = progress_seen;
	watched.options.progress_user = &watched.watch;
	log_open(&watched.log, &watched.options);
	add_blocks(&watched.log, BLOCKS);
	finish_stopped(&watched, 0);
	half_calls = watched.watch.calls;
	expect_same_profiles(&watched.log, &half);
	add_blocks(&watched.log, SIZE_MAX);
	finish_stopped(&watched, 0);
	calls = watched.watch.calls;
	cr_assert_geq(watched.watch.different, 10);
	expect_same_profiles(&watched.log, &whole);
	log_forget_profile(&watched.log);
	for (uint64_t stop = 1; stop <= half_calls || stop <= calls; stop += step)
		expect_same_after_stop(&watched, &half, &whole, stop <= half_calls ? stop : half_calls,
				       stop <= calls ? stop : 0, (int)(stop / step % 2));
	log_forget_profile(&half);
	log_forget_profile(&whole);
	free(watched.log.bytes);
}

static mprof_profile_options all_options(void)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.with_ages = 1;
	options.with_durations = 1;
	options.timeline_slices = SLICES;
	return options;
}

Test(profile_progress, with_everything)
{
	const mprof_profile_options options = all_options();

	stop_everywhere(&options, 1);
}

Test(profile_progress, without_a_call_tree)
{
	mprof_profile_options options = all_options();

	options.without_call_tree = 1;
	stop_everywhere(&options, 5);
}

Test(profile_progress, of_chosen_threads_in_a_window)
{
	static const uint64_t threads[] = {7, 9};
	mprof_profile_options options = all_options();

	options.threads = threads;
	options.thread_count = 2;
	options.window_start_ns = 100000;
	options.window_end_ns = 900000;
	stop_everywhere(&options, 5);
}

Test(profile_progress, before_a_snapshot)
{
	mprof_profile_options options = all_options();

	options.alive_at_snapshot = 1;
	stop_everywhere(&options, 7);
}

static void count_damage(void *user, const mprof_error *error)
{
	(void)error;
	++*(int *)user;
}

/* What reading found is kept: it is returned when the profile is finished, and reported once. */
Test(profile_progress, reading_ends_once)
{
	watched_profile watched = {.options = all_options()};
	test_log plain;
	int damages = 0;

	write_rich_log(&watched.log, 1);
	watched.options.progress = progress_seen;
	watched.options.progress_user = &watched.watch;
	log_open(&watched.log, &watched.options);
	for (uint64_t stop = 1; stop <= 3; stop++) {
		progress_expect(&watched.watch, stop);
		cr_assert_eq(mprof_profile_read(watched.log.profile, watched.log.reader, count_damage, &damages),
			     MPROF_ERR_INTERRUPTED);
	}
	progress_expect(&watched.watch, 0);
	cr_assert_eq(mprof_profile_read(watched.log.profile, watched.log.reader, count_damage, &damages),
		     MPROF_ERR_TRUNCATED);
	cr_assert_eq(damages, 1);
	plain = watched.log;
	watched.options.progress = NULL;
	log_open(&plain, &watched.options);
	cr_assert_eq(mprof_profile_read(plain.profile, plain.reader, NULL, NULL), MPROF_ERR_TRUNCATED);
	expect_same_profiles(&watched.log, &plain);
	log_forget_profile(&plain);
	log_release(&watched.log);
}

/* What is made from two profiles. */
typedef struct watched_result {
	progress_watch watch;
	counted_memory memory;
	test_log log;
	test_log other;
	mprof_frame_tree_options tree_options;
	mprof_frame_tree *tree;
	mprof_profile_diff_options diff_options;
	mprof_profile_diff *diff;
} watched_result;

static void make_profiles(watched_result *created)
{
	mprof_profile_options options = all_options();

	memset(created, 0, sizeof(*created));
	write_rich_log(&created->log, 0);
	created->other = created->log;
	log_read(&created->log, &options);
	log_open(&created->other, &options);
	add_blocks(&created->other, BLOCKS);
	finish(&created->other);
	counted_begin(&created->memory);
	mprof_frame_tree_options_init(&created->tree_options, sizeof(created->tree_options));
	mprof_profile_diff_options_init(&created->diff_options, sizeof(created->diff_options));
}

static void forget_profiles(watched_result *created)
{
	log_forget_profile(&created->other);
	log_release(&created->log);
}

static mprof_status make_tree(void *user)
{
	watched_result *created = user;
	const mprof_status status = mprof_frame_tree_create(created->log.profile, created->log.reader,
							    &created->tree_options, &created->tree);

	cr_assert_eq(created->tree != NULL, status == MPROF_OK);
	return status;
}

static uint32_t choose_frame(void *user, uint32_t kind, uint32_t id)
{
	(void)user;
	(void)kind;
	return id == 3 ? MPROF_FRAME_SELECT : id == 4 ? MPROF_FRAME_COLLAPSE : 0;
}

static void expect_same_trees(const mprof_frame_tree *one, const mprof_frame_tree *other)
{
	const size_t count = mprof_frame_tree_get_node_count(other);

	cr_assert_eq(mprof_frame_tree_get_node_count(one), count);
	for (uint32_t i = 0; i < count; i++) {
		mprof_frame_node node = {.struct_size = sizeof(node)};
		mprof_frame_node expected = {.struct_size = sizeof(expected)};

		cr_assert_eq(mprof_frame_tree_get_node(one, i, &node), MPROF_OK);
		cr_assert_eq(mprof_frame_tree_get_node(other, i, &expected), MPROF_OK);
		cr_assert_arr_eq(&node, &expected, sizeof(node));
	}
	cr_assert_eq(mprof_frame_tree_get_caller_count(one), mprof_frame_tree_get_caller_count(other));
}

/* Makes a tree that is stopped everywhere, and compares what it becomes with one whose progress nobody watches. */
static void stop_tree(watched_result *created)
{
	mprof_frame_tree *plain;

	cr_assert_eq(make_tree(created), MPROF_OK);
	plain = created->tree;
	created->tree_options.allocator = &created->memory.allocator;
	created->tree_options.progress = progress_seen;
	created->tree_options.progress_user = &created->watch;
	progress_expect(&created->watch, 0);
	cr_assert_eq(make_tree(created), MPROF_OK);
	cr_assert_geq(created->watch.different, 5);
	mprof_frame_tree_destroy(created->tree);
	progress_stop_everywhere(&created->watch, &created->memory, make_tree, created, created->watch.calls);
	expect_same_trees(created->tree, plain);
	mprof_frame_tree_destroy(created->tree);
	mprof_frame_tree_destroy(plain);
	cr_assert_eq(created->memory.bytes, 0);
	created->tree_options.allocator = NULL;
	created->tree_options.progress = NULL;
}

Test(profile_progress, a_stopped_tree_is_not_made)
{
	watched_result created;

	make_profiles(&created);
	created.tree_options.choose = choose_frame;
	for (uint32_t source = MPROF_FRAME_SOURCE_CALLS; source <= MPROF_FRAME_SOURCE_ALLOCATIONS; source++) {
		created.tree_options.source = source;
		for (uint32_t inverted = 0; inverted <= 1; inverted++) {
			created.tree_options.inverted = inverted;
			stop_tree(&created);
		}
	}
	forget_profiles(&created);
}

static mprof_status make_diff(void *user)
{
	watched_result *created = user;
	const mprof_status status =
		mprof_profile_diff_create(created->other.profile, created->other.reader, created->log.profile,
					  created->log.reader, &created->diff_options, &created->diff);

	cr_assert_eq(created->diff != NULL, status == MPROF_OK);
	return status;
}

static void expect_same_diffs(const mprof_profile_diff *one, const mprof_profile_diff *other)
{
	const size_t count = mprof_profile_diff_get_node_count(other);

	for (uint32_t table = MPROF_TABLE_METHODS; table <= MPROF_TABLE_MONITOR_SITES; table++) {
		const size_t rows = mprof_profile_diff_get_row_count(other, table);

		cr_assert_eq(mprof_profile_diff_get_row_count(one, table), rows);
		for (size_t i = 0; i < rows; i++) {
			mprof_diff_row row = {.struct_size = sizeof(row)};
			mprof_diff_row expected = {.struct_size = sizeof(expected)};

			cr_assert_eq(mprof_profile_diff_get_row(one, table, i, &row), MPROF_OK);
			cr_assert_eq(mprof_profile_diff_get_row(other, table, i, &expected), MPROF_OK);
			cr_assert_arr_eq(&row, &expected, sizeof(row));
		}
	}
	cr_assert_eq(mprof_profile_diff_get_node_count(one), count);
	for (uint32_t i = 0; i < count; i++) {
		mprof_diff_node node = {.struct_size = sizeof(node)};
		mprof_diff_node expected = {.struct_size = sizeof(expected)};

		cr_assert_eq(mprof_profile_diff_get_node(one, i, &node), MPROF_OK);
		cr_assert_eq(mprof_profile_diff_get_node(other, i, &expected), MPROF_OK);
		cr_assert_arr_eq(&node, &expected, sizeof(node));
	}
}

Test(profile_progress, a_stopped_difference_is_not_made)
{
	watched_result created;
	mprof_frame_tree *trees[2];
	mprof_profile_diff *plain;

	make_profiles(&created);
	created.tree_options.source = MPROF_FRAME_SOURCE_CALLS;
	cr_assert_eq(
		mprof_frame_tree_create(created.other.profile, created.other.reader, &created.tree_options, &trees[0]),
		MPROF_OK);
	cr_assert_eq(mprof_frame_tree_create(created.log.profile, created.log.reader, &created.tree_options, &trees[1]),
		     MPROF_OK);
	created.diff_options.before_tree = trees[0];
	created.diff_options.after_tree = trees[1];
	cr_assert_eq(make_diff(&created), MPROF_OK);
	plain = created.diff;
	created.diff_options.allocator = &created.memory.allocator;
	created.diff_options.progress = progress_seen;
	created.diff_options.progress_user = &created.watch;
	progress_expect(&created.watch, 0);
	cr_assert_eq(make_diff(&created), MPROF_OK);
	cr_assert_geq(created.watch.different, 6);
	mprof_profile_diff_destroy(created.diff);
	progress_stop_everywhere(&created.watch, &created.memory, make_diff, &created, created.watch.calls);
	expect_same_diffs(created.diff, plain);
	mprof_profile_diff_destroy(created.diff);
	mprof_profile_diff_destroy(plain);
	cr_assert_eq(created.memory.bytes, 0);
	mprof_frame_tree_destroy(trees[0]);
	mprof_frame_tree_destroy(trees[1]);
	forget_profiles(&created);
}
