/* SPDX-License-Identifier: MIT */
/* Samples of kinds: sums by kind, thread, processor and call stack, and what no sum can contain. */
#include "profile_fixture.h"

/* Types. */
enum { BYTES = 1, TIME, PLAIN, SIGNED, INSTANT, BEGIN, TYPES };

#define ARGUMENT(number, of_encoding, of_role, of_unit)                                                                \
	{                                                                                                              \
		.kind = MPROF_RECORD_ARGUMENT, .id = number, .as.argument = {                                          \
			of_role == MPROF_ROLE_STACK ? MPROF_ARGUMENT_STACK : MPROF_ARGUMENT_NUMBER,                    \
			of_encoding,                                                                                   \
			of_role,                                                                                       \
			of_unit,                                                                                       \
			"argument",                                                                                    \
			"By"                                                                                           \
		}                                                                                                      \
	}
#define TYPE(number, ...)                                                                                              \
	{                                                                                                              \
		.kind = MPROF_RECORD_TYPE, .id = number, .as.type = { __VA_ARGS__ }                                    \
	}
#define STACK(number, of_caller, method)                                                                               \
	{                                                                                                              \
		.kind = MPROF_RECORD_STACK, .id = number, .as.stack = {.caller = of_caller, .target = method }         \
	}

/* Stacks: 1 is m1, 2 is m2 called by m1. */
static void begin_log(test_log *log)
{
	log_begin(log);
	WRITE_RECORDS(log, MPROF_BLOCK_STACKS, 0, STACK(1, 0, 1), STACK(2, 1, 2));
	WRITE_RECORDS(log, MPROF_BLOCK_TYPES, 0, ARGUMENT(1, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_STACK, 0),
		      ARGUMENT(2, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_WEIGHT, MPROF_ARGUMENT_UNIT_BYTES),
		      ARGUMENT(3, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_CPU, 0),
		      ARGUMENT(4, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_THREAD, 0),
		      ARGUMENT(5, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_WEIGHT, MPROF_ARGUMENT_UNIT_NAMED),
		      ARGUMENT(6, MPROF_ENCODING_SIGNED, MPROF_ROLE_WEIGHT, MPROF_ARGUMENT_UNIT_COUNT),
		      TYPE(BYTES, MPROF_TYPE_SAMPLE, 0, 0, 1, 4, 0, "bytes", 512, "malloc"),
		      TYPE(TIME, MPROF_TYPE_SAMPLE, 0, 0, 5, 1, 0, "time", 0, ""),
		      TYPE(PLAIN, MPROF_TYPE_SAMPLE, 0, 0, 0, 0, 0, "plain", 0, ""),
		      TYPE(SIGNED, MPROF_TYPE_SAMPLE, 0, 0, 6, 1, 0, "signed", 0, ""),
		      TYPE(INSTANT, MPROF_TYPE_INSTANT, 0, 0, 0, 0, 0, "tick", 0, ""),
		      TYPE(BEGIN, MPROF_TYPE_BEGIN, 0, 0, 0, 0, 0, "work", 0, ""));
}

/* Writes a TYPED block of one event, whose arguments are numbers. */
static void add_sample(test_log *log, uint64_t thread, uint32_t type, uint64_t counter, uint32_t encoding, size_t count,
		       const uint64_t *numbers)
{
	mprof_event_detail detail = {.struct_size = sizeof(detail)};
	mprof_event event = {.kind = MPROF_EVENT_TYPED, .id = type, .counter = SESSION_START + counter};
	uint8_t bytes[64];

	for (size_t i = 0; i < count; i++) {
		const mprof_argument_value value = {numbers[i], NULL, 0};

		detail.argument_size += mprof_argument_encode(&value, encoding, bytes + detail.argument_size,
							      sizeof(bytes) - detail.argument_size);
	}
	detail.arguments = bytes;
	event.more.detail = &detail;
	cr_assert_eq(mprof_writer_write_typed(log->writer, thread, SESSION_START, &event, 1), MPROF_OK);
}

#define ADD(log, thread, type, counter, ...)                                                                           \
	add_sample(log, thread, type, counter, MPROF_ENCODING_UNSIGNED,                                                \
		   sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (uint64_t[]){__VA_ARGS__})

static mprof_sample_kind_stats kind_of(const test_log *log, uint32_t type)
{
	mprof_sample_kind_stats stats = {.struct_size = sizeof(stats)};

	for (size_t i = 0; mprof_profile_get_row(log->profile, MPROF_TABLE_SAMPLE_KINDS, i, &stats) == MPROF_OK; i++) {
		if (stats.type == type)
			return stats;
	}
	cr_assert_fail("no kind %u", type);
	return stats;
}

static mprof_sample_group group_at(const test_log *log, size_t index)
{
	mprof_sample_group group = {.struct_size = sizeof(group)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_SAMPLE_GROUPS, index, &group), MPROF_OK);
	return group;
}

Test(profile_sample_kinds, sums_by_kind_thread_and_processor)
{
	test_log log;

	begin_log(&log);
	ADD(&log, 7, BYTES, 10, 2, 100, 1, 8);
	ADD(&log, 7, BYTES, 5, 1, 200, 1, 8);
	ADD(&log, 7, BYTES, 7, 2, 300, UINT64_C(1) << 32, 9);
	ADD(&log, 7, BYTES, 8, 0, 5);
	ADD(&log, 7, PLAIN, 8, 0);
	log_profile(&log);
	cr_expect_eq(kind_of(&log, BYTES).samples, 4);
	cr_expect_eq(kind_of(&log, BYTES).weight, 605);
	cr_expect_eq(kind_of(&log, BYTES).period, 512);
	cr_expect_eq(kind_of(&log, BYTES).unit, MPROF_ARGUMENT_UNIT_BYTES);
	cr_expect_str_eq(kind_of(&log, BYTES).name, "bytes");
	cr_expect_str_eq(kind_of(&log, BYTES).source, "malloc");
	cr_expect_eq(kind_of(&log, BYTES).without_stack, 1);
	cr_expect_eq(kind_of(&log, BYTES).without_weight, 0);
	cr_expect_eq(kind_of(&log, PLAIN).weight, 1, "without an argument for it, the weight is 1");
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_SAMPLE_GROUPS), 4);
	cr_expect_eq(group_at(&log, 0).thread, 8);
	cr_expect_eq(group_at(&log, 0).cpu, 1);
	cr_expect_eq(group_at(&log, 0).samples, 2);
	cr_expect_eq(group_at(&log, 0).weight, 300);
	cr_expect_eq(group_at(&log, 1).thread, 9);
	cr_expect_eq(group_at(&log, 1).cpu, MPROF_CPU_UNKNOWN, "no processor has such a number");
	cr_expect_eq(group_at(&log, 2).thread, 7, "that of the block");
	cr_expect_eq(group_at(&log, 2).cpu, MPROF_CPU_UNKNOWN);
	log_release(&log);
}

Test(profile_sample_kinds, tree_of_a_kind)
{
	mprof_frame_tree_options options;
	mprof_frame_tree *tree;
	mprof_frame_node node = {.struct_size = sizeof(node)};
	test_log log;

	begin_log(&log);
	ADD(&log, 7, BYTES, 10, 2, 100);
	ADD(&log, 7, BYTES, 10, 1, 20);
	ADD(&log, 7, BYTES, 10, 77, 3);
	log_profile(&log);
	mprof_frame_tree_options_init(&options, sizeof(options));
	options.source = MPROF_FRAME_SOURCE_SAMPLES;
	options.sample_kind = BYTES;
	cr_assert_eq(mprof_frame_tree_create(log.profile, log.reader, &options, &tree), MPROF_OK);
	cr_assert_eq(mprof_frame_tree_get_node(tree, 0, &node), MPROF_OK);
	cr_expect_eq(node.total, 123);
	cr_expect_eq(mprof_frame_tree_get_node_count(tree), 4, "m1, m2, and that of a stack that is not defined");
	mprof_frame_tree_destroy(tree);
	cr_expect_eq(kind_of(&log, BYTES).without_stack, 1);
	options.sample_kind = TIME;
	cr_assert_eq(mprof_frame_tree_create(log.profile, log.reader, &options, &tree), MPROF_OK);
	cr_expect_eq(mprof_frame_tree_get_node_count(tree), 1, "a kind without samples");
	mprof_frame_tree_destroy(tree);
	options.source = MPROF_FRAME_SOURCE_CALLS;
	cr_expect_eq(mprof_frame_tree_create(log.profile, log.reader, &options, &tree), MPROF_ERR_ARGUMENT);
	log_release(&log);
}

Test(profile_sample_kinds, weights_that_no_sum_contains)
{
	const uint64_t negative = UINT64_MAX;
	const uint64_t positive = 5;
	test_log log;

	begin_log(&log);
	ADD(&log, 7, TIME, 1, UINT64_MAX - 10);
	ADD(&log, 7, TIME, 2, 11);
	ADD(&log, 7, TIME, 3, 10);
	add_sample(&log, 7, SIGNED, 4, MPROF_ENCODING_SIGNED, 1, &negative);
	add_sample(&log, 7, SIGNED, 5, MPROF_ENCODING_SIGNED, 1, &positive);
	log_profile(&log);
	cr_expect_eq(kind_of(&log, TIME).samples, 3);
	cr_expect_eq(kind_of(&log, TIME).weight, UINT64_MAX);
	cr_expect_eq(kind_of(&log, TIME).without_weight, 1);
	cr_expect_str_eq(kind_of(&log, TIME).unit_name, "By");
	cr_expect_eq(kind_of(&log, SIGNED).weight, 5);
	cr_expect_eq(kind_of(&log, SIGNED).without_weight, 1);
	log_release(&log);
}

/* Events that are not samples count as others of their types; nothing begins or ends in such a block. */
Test(profile_sample_kinds, other_events_of_types)
{
	mprof_event_type_stats stats = {.struct_size = sizeof(stats)};
	test_log log;

	begin_log(&log);
	ADD(&log, 7, INSTANT, 1, 0);
	ADD(&log, 7, BEGIN, 2, 0);
	log_profile(&log);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_SAMPLE_KINDS), 0);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_EVENT_TYPES), 2);
	cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_EVENT_TYPES, 1, &stats), MPROF_OK);
	cr_expect_str_eq(stats.name, "work");
	cr_expect_eq(stats.count, 1);
	log_release(&log);
}

/* Writers refuse what a block cannot contain. */
Test(profile_sample_kinds, refused_events)
{
	mprof_event event = {.kind = MPROF_EVENT_TYPED, .id = TYPES};
	test_log log;

	begin_log(&log);
	cr_expect_eq(mprof_writer_write_typed(log.writer, 7, 0, &event, 1), MPROF_ERR_UNDEFINED_ID);
	event.id = 0;
	cr_expect_eq(mprof_writer_write_typed(log.writer, 7, 0, &event, 1), MPROF_ERR_UNDEFINED_ID);
	event.kind = MPROF_EVENT_SAMPLE;
	cr_expect_eq(mprof_writer_write_typed(log.writer, 7, 0, &event, 1), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_writer_write_typed(log.writer, 7, 0, NULL, 1), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_writer_write_typed(log.writer, 7, 0, NULL, 0), MPROF_OK, "a block without events");
	log_profile(&log);
	log_release(&log);
}
