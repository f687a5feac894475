/* SPDX-License-Identifier: MIT */
/* Samples with call stacks: by target, by path of callers, and by thread. */
#include "profile_fixture.h"

/* Metrics of a sample target; all 0 if it was not hit. */
static mprof_sample_stats place_of(const test_log *log, uint32_t kind, uint32_t id)
{
	mprof_sample_stats stats;

	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_SAMPLES); i++) {
		memset(&stats, 0xff, sizeof(stats));
		stats.struct_size = sizeof(stats);
		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_SAMPLES, i, &stats), MPROF_OK);
		if (stats.kind == kind && stats.id == id)
			return stats;
	}
	memset(&stats, 0, sizeof(stats));
	return stats;
}

#define EXPECT_PLACE(log, kind, id, expected_self, expected_total)                                                     \
	do {                                                                                                           \
		mprof_sample_stats found_place = place_of(log, kind, id);                                              \
                                                                                                                       \
		cr_expect_eq(found_place.self, expected_self, "%s %u: %lu samples", #kind, id,                         \
			     (unsigned long)found_place.self);                                                         \
		cr_expect_eq(found_place.total, expected_total, "%s %u: %lu samples in all", #kind, id,                \
			     (unsigned long)found_place.total);                                                        \
	} while (0)

static mprof_sample_node node_at(const test_log *log, uint32_t node)
{
	mprof_sample_node stats;

	memset(&stats, 0xff, sizeof(stats));
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_SAMPLE_NODES, node, &stats), MPROF_OK);
	return stats;
}

/* The child of a node for a method. */
static mprof_sample_node child_of(const test_log *log, mprof_sample_node parent, uint32_t kind, uint32_t id)
{
	uint32_t node = parent.first_child;

	while (node != 0 && (node_at(log, node).kind != kind || node_at(log, node).id != id))
		node = node_at(log, node).next_sibling;
	cr_assert_neq(node, 0, "no child of kind %u, ID %u", kind, id);
	return node_at(log, node);
}

/* Writes samples of these stacks, at consecutive counters. */
static void write_samples(test_log *log, uint64_t thread, const uint32_t *stacks, size_t count)
{
	mprof_event samples[16];

	cr_assert_leq(count, 16);
	memset(samples, 0, sizeof(samples));
	for (size_t i = 0; i < count; i++) {
		samples[i].kind = MPROF_EVENT_SAMPLE;
		samples[i].counter = SESSION_START + i;
		samples[i].value = stacks[i];
	}
	cr_assert_eq(mprof_writer_write_samples(log->writer, thread, SESSION_START, samples, count), MPROF_OK);
}

#define WRITE_SAMPLES(log, thread, ...)                                                                                \
	write_samples(log, thread, (const uint32_t[]){__VA_ARGS__},                                                    \
		      sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* 1 is m1; 2 is m2 called by m1; 3 is m1 called by m2 called by m1; 4 is m3 alone. */
static void define_stacks(test_log *log)
{
	WRITE_RECORDS(log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_METHOD(2, 1, 2),
		      STACK_OF_METHOD(3, 2, 1), STACK_OF_METHOD(4, 0, 3));
}

Test(profile_samples, hits_and_what_called_them)
{
	test_log log;

	log_begin(&log);
	define_stacks(&log);
	WRITE_SAMPLES(&log, 7, 1, 2, 2, 3, 3, 3, 4);
	log_profile(&log);
	cr_expect_eq(totals_of(&log).samples, 7);
	cr_expect_eq(totals_of(&log).event_counts[MPROF_EVENT_SAMPLE], 7);
	cr_expect_eq(totals_of(&log).block_counts[MPROF_BLOCK_SAMPLES], 1);
	/* m1 is on the stack twice in three samples, and counts once in each. */
	cr_expect_eq(method_of(&log, 1).samples, 4);
	cr_expect_eq(method_of(&log, 1).samples_total, 6);
	cr_expect_eq(method_of(&log, 2).samples, 2);
	cr_expect_eq(method_of(&log, 2).samples_total, 5);
	cr_expect_eq(method_of(&log, 3).samples, 1);
	cr_expect_eq(method_of(&log, 3).samples_total, 1);
	cr_expect_eq(method_of(&log, 1).calls, 0);
	EXPECT_PLACE(&log, MPROF_SAMPLE_METHOD, 1, 4, 6);
	EXPECT_PLACE(&log, MPROF_SAMPLE_METHOD, 2, 2, 5);
	log_release(&log);
}

Test(profile_samples, the_tree_keeps_chains_apart)
{
	mprof_sample_node root;
	mprof_sample_node first;
	mprof_sample_node second;
	test_log log;

	log_begin(&log);
	define_stacks(&log);
	WRITE_SAMPLES(&log, 7, 1, 2, 2, 3, 3, 3, 4);
	log_profile(&log);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_SAMPLE_NODES), 5);
	root = node_at(&log, 0);
	cr_expect_eq(root.kind, 0);
	cr_expect_eq(root.total, 7);
	cr_expect_eq(root.self, 0);
	first = child_of(&log, root, MPROF_SAMPLE_METHOD, 1);
	cr_expect_eq(first.self, 1);
	cr_expect_eq(first.total, 6);
	second = child_of(&log, first, MPROF_SAMPLE_METHOD, 2);
	cr_expect_eq(second.self, 2);
	cr_expect_eq(second.total, 5);
	cr_expect_eq(node_at(&log, second.parent).id, 1);
	cr_expect_eq(child_of(&log, second, MPROF_SAMPLE_METHOD, 1).self, 3);
	cr_expect_eq(child_of(&log, root, MPROF_SAMPLE_METHOD, 3).self, 1);
	log_release(&log);
}

/* Two locations in one function, two in no known function of a module, one in no module. */
static void write_native_code(test_log *log)
{
	log_begin(log);
	WRITE_RECORDS(log, MPROF_BLOCK_CODE, 0,
		      {.kind = MPROF_RECORD_MODULE,
		       .id = 1,
		       .as.module.address = 0x1000,
		       .as.module.size = 0x1000,
		       .as.module.file = "libone.so"},
		      {.kind = MPROF_RECORD_FUNCTION,
		       .id = 1,
		       .as.function.module = 1,
		       .as.function.offset = 0x10,
		       .as.function.size = 64,
		       .as.function.name = "work"},
		      {.kind = MPROF_RECORD_LOCATION,
		       .id = 1,
		       .as.location.module = 1,
		       .as.location.offset = 0x14,
		       .as.location.function = 1},
		      {.kind = MPROF_RECORD_LOCATION,
		       .id = 2,
		       .as.location.module = 1,
		       .as.location.offset = 0x18,
		       .as.location.function = 1},
		      {.kind = MPROF_RECORD_LOCATION, .id = 3, .as.location.module = 1, .as.location.offset = 0x900},
		      {.kind = MPROF_RECORD_LOCATION, .id = 4, .as.location.module = 1, .as.location.offset = 0x910},
		      {.kind = MPROF_RECORD_LOCATION, .id = 5, .as.location.offset = 0x77770000});
	WRITE_RECORDS(log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_LOCATION(2, 1, 1),
		      STACK_OF_LOCATION(3, 1, 2), STACK_OF_LOCATION(4, 1, 3), STACK_OF_LOCATION(5, 4, 4),
		      STACK_OF_LOCATION(6, 0, 5), STACK_OF_METHOD(7, 6, 0));
	WRITE_SAMPLES(log, 7, 2, 3, 3, 4, 5, 6, 7);
}

/*
 * Two locations in one function are one target. A location in no known function counts for its module, or else by
 * itself.
 */
Test(profile_samples, native_code)
{
	test_log log;

	write_native_code(&log);
	log_profile(&log);
	cr_expect_eq(totals_of(&log).samples, 7);
	EXPECT_PLACE(&log, MPROF_SAMPLE_FUNCTION, 1, 3, 3);
	EXPECT_PLACE(&log, MPROF_SAMPLE_MODULE, 1, 2, 2);
	EXPECT_PLACE(&log, MPROF_SAMPLE_LOCATION, 5, 1, 2);
	EXPECT_PLACE(&log, MPROF_SAMPLE_METHOD, 0, 1, 1);
	EXPECT_PLACE(&log, MPROF_SAMPLE_METHOD, 1, 0, 5);
	cr_expect_eq(method_of(&log, 1).samples, 0);
	cr_expect_eq(method_of(&log, 1).samples_total, 5);
	/* An unknown method has no metrics of its own. */
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_METHODS), 1);
	/* Both stacks of the function are one path. */
	cr_expect_eq(child_of(&log, child_of(&log, node_at(&log, 0), MPROF_SAMPLE_METHOD, 1), MPROF_SAMPLE_FUNCTION, 1)
			     .total,
		     3);
	log_release(&log);
}

/*
 * 1 is a method, 2 native code that runs, 3 frames that were not recorded. A function that waits is called by none in 4,
 * and by 2, 1 and 3 in 5, 6 and 7.
 */
static void write_waits(test_log *log)
{
	log_begin(log);
	WRITE_RECORDS(log, MPROF_BLOCK_CODE, 0,
		      {.kind = MPROF_RECORD_MODULE,
		       .id = 1,
		       .as.module.address = 0x1000,
		       .as.module.size = 0x1000,
		       .as.module.file = "/lib/libc.so.6"},
		      {.kind = MPROF_RECORD_FUNCTION,
		       .id = 1,
		       .as.function.module = 1,
		       .as.function.offset = 0x10,
		       .as.function.size = 64,
		       .as.function.name = "poll"},
		      {.kind = MPROF_RECORD_LOCATION,
		       .id = 1,
		       .as.location.module = 1,
		       .as.location.offset = 0x14,
		       .as.location.function = 1},
		      {.kind = MPROF_RECORD_LOCATION, .id = 2, .as.location.module = 1, .as.location.offset = 0x900});
	WRITE_RECORDS(log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(1, 0, 1), STACK_OF_LOCATION(2, 0, 2),
		      STACK_OF_LOCATION(3, 0, 0), STACK_OF_LOCATION(4, 0, 1), STACK_OF_LOCATION(5, 2, 1),
		      STACK_OF_LOCATION(6, 1, 1), STACK_OF_LOCATION(7, 3, 1));
}

static void read_folded(test_log *log, int fold_idle)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.fold_idle = fold_idle != 0;
	log_read(log, &options);
}

Test(profile_samples, idle_threads_are_one_frame)
{
	test_log log;

	write_waits(&log);
	WRITE_SAMPLES(&log, 7, 4, 4, 5, 6, 2, 2, 7);
	WRITE_SAMPLES(&log, 8, 1, 4);
	log_close(&log, 0);
	read_folded(&log, 1);
	cr_expect_eq(totals_of(&log).samples, 9);
	EXPECT_PLACE(&log, MPROF_SAMPLE_IDLE, 0, 4, 4);
	EXPECT_PLACE(&log, MPROF_SAMPLE_FUNCTION, 1, 2, 2);
	EXPECT_PLACE(&log, MPROF_SAMPLE_MODULE, 1, 2, 2);
	EXPECT_PLACE(&log, MPROF_SAMPLE_METHOD, 1, 1, 2);
	cr_expect_eq(child_of(&log, node_at(&log, 0), MPROF_SAMPLE_IDLE, 0).self, 4);
	cr_expect_eq(node_at(&log, 0).total, 9);
	/* What was counted stays so. */
	cr_assert_eq(mprof_profile_finish(log.profile, log.reader), MPROF_OK);
	EXPECT_PLACE(&log, MPROF_SAMPLE_IDLE, 0, 4, 4);
	log_forget_profile(&log);
	read_folded(&log, 0);
	EXPECT_PLACE(&log, MPROF_SAMPLE_FUNCTION, 1, 6, 6);
	cr_expect_eq(node_at(&log, 0).total, 9);
	log_release(&log);
}

/* Of a program without managed code, nothing shows which threads are idle. */
Test(profile_samples, threads_of_native_programs_are_not_idle)
{
	test_log log;

	write_waits(&log);
	WRITE_SAMPLES(&log, 7, 4, 4, 5, 2);
	log_close(&log, 0);
	read_folded(&log, 1);
	EXPECT_PLACE(&log, MPROF_SAMPLE_FUNCTION, 1, 3, 3);
	EXPECT_PLACE(&log, MPROF_SAMPLE_MODULE, 1, 1, 2);
	cr_expect_eq(node_at(&log, 0).total, 4);
	log_release(&log);
}

Test(profile_samples, native_code_by_location)
{
	mprof_profile_options options;
	test_log log;

	write_native_code(&log);
	mprof_profile_options_init(&options, sizeof(options));
	options.with_locations = 1;
	log_profile_with(&log, &options);
	cr_expect_eq(totals_of(&log).samples, 7);
	EXPECT_PLACE(&log, MPROF_SAMPLE_LOCATION, 1, 1, 1);
	EXPECT_PLACE(&log, MPROF_SAMPLE_LOCATION, 2, 2, 2);
	EXPECT_PLACE(&log, MPROF_SAMPLE_LOCATION, 3, 1, 2);
	EXPECT_PLACE(&log, MPROF_SAMPLE_LOCATION, 4, 1, 1);
	EXPECT_PLACE(&log, MPROF_SAMPLE_LOCATION, 5, 1, 2);
	EXPECT_PLACE(&log, MPROF_SAMPLE_METHOD, 1, 0, 5);
	cr_expect_eq(child_of(&log, child_of(&log, node_at(&log, 0), MPROF_SAMPLE_METHOD, 1), MPROF_SAMPLE_LOCATION, 2)
			     .total,
		     2);
	log_release(&log);
}

#define FUNCTION(number, in_module, called)                                                                            \
	{                                                                                                              \
		.kind = MPROF_RECORD_FUNCTION, .id = (number), .as.function.module = (in_module),                      \
		.as.function.name = (called)                                                                           \
	}
#define LOCATION(number, in_module)                                                                                    \
	{                                                                                                              \
		.kind = MPROF_RECORD_LOCATION, .id = (number), .as.location.module = (in_module),                      \
		.as.location.function = (number)                                                                       \
	}

/* The stacks of samples are functions 1 to 4 alone, then futex called by pthread_mutex_lock, by m1, and by m1 called by
 * pthread_mutex_lock. */
Test(profile_samples, waits_by_the_functions_of_the_c_library)
{
	static const uint32_t kinds[] = {MPROF_WAIT_OTHER, MPROF_WAIT_NONE, MPROF_WAIT_IO,   MPROF_WAIT_NONE,
					 MPROF_WAIT_LOCK,  MPROF_WAIT_NONE, MPROF_WAIT_OTHER};
	uint64_t samples[MPROF_WAIT_OTHER + 1] = {0};
	uint64_t expected[MPROF_WAIT_OTHER + 1] = {0};
	test_log log;

	log_begin(&log);
	WRITE_RECORDS(&log, MPROF_BLOCK_CODE, 0,
		      {.kind = MPROF_RECORD_MODULE, .id = 1, .as.module.file = "/lib/libc.so.6"},
		      {.kind = MPROF_RECORD_MODULE, .id = 2, .as.module.file = "/lib/libcrypt.so"},
		      FUNCTION(1, 1, "__futex_abstimed_wait_common"), FUNCTION(2, 1, "pthread_mutex_lock"),
		      FUNCTION(3, 1, "__GI___libc_read@@GLIBC_2.2.5"), FUNCTION(4, 2, "read"), LOCATION(1, 1),
		      LOCATION(2, 1), LOCATION(3, 1), LOCATION(4, 2));
	WRITE_RECORDS(&log, MPROF_BLOCK_STACKS, 0, STACK_OF_LOCATION(1, 0, 1), STACK_OF_LOCATION(2, 0, 2),
		      STACK_OF_LOCATION(3, 0, 3), STACK_OF_LOCATION(4, 0, 4), STACK_OF_LOCATION(5, 2, 1),
		      STACK_OF_METHOD(6, 2, 1), STACK_OF_LOCATION(7, 6, 1));
	WRITE_SAMPLES(&log, 7, 1, 2, 3, 4, 5, 6, 7);
	log_profile(&log);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		expected[kinds[i]]++;
	for (uint32_t i = 0; i < mprof_profile_get_row_count(log.profile, MPROF_TABLE_SAMPLE_NODES); i++)
		samples[node_at(&log, i).wait] += node_at(&log, i).self;
	for (size_t i = 0; i <= MPROF_WAIT_OTHER; i++)
		cr_expect_eq(samples[i], expected[i], "kind %zu: %zu samples", i, (size_t)samples[i]);
	cr_expect_eq(node_at(&log, 0).wait, MPROF_WAIT_NONE);
	log_release(&log);
}

Test(profile_samples, of_truncated_stacks_are_below_one_root)
{
	test_log log;
	mprof_sample_node truncated;

	log_begin(&log);
	define_stacks(&log);
	WRITE_RECORDS(&log, MPROF_BLOCK_STACKS, 0, STACK_OF_LOCATION(5, 0, 0), STACK_OF_METHOD(6, 5, 1),
		      STACK_OF_METHOD(7, 5, 2), STACK_OF_METHOD(8, 7, 1));
	WRITE_SAMPLES(&log, 7, 6, 7, 8, 8, 1);
	log_profile(&log);
	EXPECT_PLACE(&log, MPROF_SAMPLE_TRUNCATED, 0, 0, 4);
	EXPECT_PLACE(&log, MPROF_SAMPLE_METHOD, 1, 4, 4);
	EXPECT_PLACE(&log, MPROF_SAMPLE_METHOD, 2, 1, 3);
	truncated = child_of(&log, node_at(&log, 0), MPROF_SAMPLE_TRUNCATED, 0);
	cr_expect_eq(truncated.total, 4);
	cr_expect_eq(truncated.self, 0);
	cr_expect_eq(child_of(&log, truncated, MPROF_SAMPLE_METHOD, 2).total, 3);
	cr_expect_eq(child_of(&log, node_at(&log, 0), MPROF_SAMPLE_METHOD, 1).total, 1);
	log_release(&log);
}

Test(profile_samples, by_thread)
{
	test_log log;

	log_begin(&log);
	define_stacks(&log);
	WRITE_SAMPLES(&log, 7, 1, 2);
	WRITE_SAMPLES(&log, 8, 1, 1, 1);
	WRITE_SAMPLES(&log, 7, 4);
	log_profile(&log);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_THREADS), 2);
	cr_expect_eq(thread_of(&log, 7).samples, 3);
	cr_expect_eq(thread_of(&log, 8).samples, 3);
	cr_expect_eq(thread_of(&log, 7).events, 0);
	cr_expect_eq(totals_of(&log).events, 6);
	EXPECT_PLACE(&log, MPROF_SAMPLE_METHOD, 1, 4, 5);
	log_release(&log);
}

/* A function without a name in the log is named by its number there. Its ID is assigned by the reader. */
static void expect_function(const test_log *log, const char *name, uint64_t samples)
{
	mprof_sample_stats position = {.struct_size = sizeof(position)};
	mprof_record function;

	for (size_t i = 0; i < mprof_profile_get_row_count(log->profile, MPROF_TABLE_SAMPLES); i++) {
		cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_SAMPLES, i, &position), MPROF_OK);
		if (position.kind != MPROF_SAMPLE_FUNCTION ||
		    mprof_reader_lookup_record(log->reader, MPROF_RECORD_FUNCTION, position.id, &function,
					       sizeof(function)) != MPROF_OK ||
		    strcmp(function.as.function.name, name) != 0)
			continue;
		cr_expect_eq(position.self, samples);
		cr_expect_eq(position.total, samples);
		return;
	}
	cr_expect_fail("no samples of %s", name);
}

/* Both kinds of blocks in one log, and call stacks that are defined between samples. */
Test(profile_samples, with_hits_without_a_chain)
{
	const uint32_t methods[] = {1, 2, 1};
	const uint32_t functions[] = {1, 3};
	test_log log;

	log_begin(&log);
	cr_assert_eq(
		mprof_writer_write_statistical(log.writer, SESSION_START, methods, 3, functions, 2, SESSION_START + 9),
		MPROF_OK);
	define_stacks(&log);
	WRITE_SAMPLES(&log, 7, 2);
	WRITE_RECORDS(&log, MPROF_BLOCK_STACKS, 0, STACK_OF_METHOD(5, 2, 4));
	WRITE_SAMPLES(&log, 7, 5, 5);
	log_profile(&log);
	cr_expect_eq(totals_of(&log).samples, 8);
	EXPECT_PLACE(&log, MPROF_SAMPLE_METHOD, 1, 2, 5);
	EXPECT_PLACE(&log, MPROF_SAMPLE_METHOD, 2, 2, 4);
	EXPECT_PLACE(&log, MPROF_SAMPLE_METHOD, 4, 2, 2);
	expect_function(&log, "#1", 1);
	expect_function(&log, "#3", 1);
	log_release(&log);
}

/* Between two blocks the results are those of the blocks so far; later blocks are added. */
Test(profile_samples, asked_between_blocks)
{
	test_log log;
	mprof_block block;
	uint64_t expected = 0;

	log_begin(&log);
	define_stacks(&log);
	for (int i = 0; i < 3; i++)
		WRITE_SAMPLES(&log, 7, 3, 3);
	log_close(&log, 0);
	log_open(&log, NULL);
	mprof_block_init(&block, sizeof(block));
	while (mprof_reader_next_block(log.reader, &block) == MPROF_OK) {
		cr_assert_eq(mprof_profile_add_block(log.profile, log.reader, &block), MPROF_OK);
		cr_assert_eq(mprof_profile_finish(log.profile, log.reader), MPROF_OK);
		expected += block.kind == MPROF_BLOCK_SAMPLES ? 2 : 0;
		cr_expect_eq(method_of(&log, 1).samples, expected);
		cr_expect_eq(method_of(&log, 1).samples_total, expected);
	}
	cr_expect_eq(expected, 6);
	log_release(&log);
}

/* A call stack as deep as the format allows is visited without recursion. */
Test(profile_samples, a_deep_chain)
{
	const uint32_t depth = 100000;
	mprof_record *records = calloc(depth, sizeof(*records));
	test_log log;

	cr_assert_not_null(records);
	for (uint32_t i = 0; i < depth; i++) {
		records[i].kind = MPROF_RECORD_STACK;
		records[i].id = i + 1;
		records[i].as.stack.caller = i;
		records[i].as.stack.target = i % 3 + 1;
	}
	log_begin(&log);
	write_records(&log, MPROF_BLOCK_STACKS, 0, records, depth);
	WRITE_SAMPLES(&log, 7, depth, depth / 2);
	log_profile(&log);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_SAMPLE_NODES), depth + 1);
	for (uint32_t method = 1; method <= 3; method++)
		cr_expect_eq(method_of(&log, method).samples_total, 2);
	log_release(&log);
	free(records);
}
