/* SPDX-License-Identifier: MIT */
/* Functions that return many elements return the same as those that return one. */
#include "profile_fixture.h"

/* Elements with room for the structs of a later version of the library and of an earlier one. */
typedef struct later_call_stats {
	mprof_call_stats stats;
	uint64_t later;
} later_call_stats;

static void write_log(test_log *log)
{
	const mprof_event_detail place = {.struct_size = sizeof(mprof_event_detail), .caller = 2};

	log_begin(log);
	begin_block(log, 7, 0);
	for (uint32_t i = 0; i < 20; i++)
		enter(log, 1 + i % 3, 10 * i);
	for (uint32_t id = 1; id <= DEFINED_IDS; id++)
		add_detailed(log, MPROF_EVENT_ALLOCATION, id, 0, 16 * id, &place);
	end_block(log);
	log_profile(log);
}

Test(profile_many, nodes_in_parts)
{
	later_call_stats nodes[7];
	size_t first = 0;
	size_t count;
	test_log log;

	write_log(&log);
	do {
		memset(nodes, 0xff, sizeof(nodes));
		cr_assert_eq(mprof_profile_get_calls(log.profile, first, &nodes[0].stats, sizeof(nodes[0]), 7, &count),
			     MPROF_OK);
		for (size_t i = 0; i < count; i++) {
			mprof_call_stats one = call_at(&log, (uint32_t)(first + i));

			cr_expect_eq(nodes[i].stats.struct_size, sizeof(nodes[i]));
			nodes[i].stats.struct_size = sizeof(one);
			cr_expect_arr_eq(&nodes[i].stats, &one, sizeof(one));
			cr_expect_eq(nodes[i].later, 0);
		}
		first += count;
	} while (count == 7);
	cr_expect_eq(first, 21);
	cr_expect_eq(count, 0);
	log_release(&log);
}

/* Callers that were compiled for fewer fields pass smaller elements. */
Test(profile_many, smaller_elements)
{
	const size_t size = offsetof(mprof_method_stats, total_ns);
	unsigned char methods[8 * sizeof(mprof_method_stats)];
	size_t count;
	test_log log;

	write_log(&log);
	memset(methods, 0xff, sizeof(methods));
	cr_assert_eq(mprof_profile_get_methods(log.profile, 1, (mprof_method_stats *)methods, size, 8, &count),
		     MPROF_OK);
	cr_assert_eq(count, 2);
	for (size_t i = 0; i < count; i++) {
		mprof_method_stats one = {.struct_size = size};

		cr_assert_eq(mprof_profile_get_method(log.profile, 1 + i, &one), MPROF_OK);
		cr_expect_arr_eq(methods + i * size, &one, size);
	}
	cr_expect_eq(methods[2 * size], 0xff);
	log_release(&log);
}

Test(profile_many, other_tables)
{
	const uint32_t hits[] = {1, 2, 1};
	mprof_class_stats classes[DEFINED_IDS + 1];
	mprof_allocation_site sites[DEFINED_IDS + 1];
	mprof_sample_stats samples[4];
	mprof_sample_node nodes[4];
	size_t count;
	test_log log;

	write_log(&log);
	cr_assert_eq(mprof_profile_get_classes(log.profile, 0, classes, sizeof(*classes), DEFINED_IDS + 1, &count),
		     MPROF_OK);
	cr_assert_eq(count, DEFINED_IDS);
	for (size_t i = 0; i < count; i++)
		cr_expect_eq(classes[i].bytes, 16 * classes[i].id);
	cr_assert_eq(mprof_profile_get_allocation_sites(log.profile, 0, sites, sizeof(*sites), DEFINED_IDS + 1, &count),
		     MPROF_OK);
	cr_assert_eq(count, DEFINED_IDS);
	for (size_t i = 0; i < count; i++) {
		cr_expect_eq(sites[i].bytes, 16 * sites[i].class_id);
		cr_expect_eq(sites[i].caller, 2);
	}
	log_release(&log);

	log_begin(&log);
	cr_assert_eq(mprof_writer_write_statistical(log.writer, SESSION_START, hits, 3, NULL, 0, SESSION_START + 9),
		     MPROF_OK);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_samples(log.profile, 0, samples, sizeof(*samples), 4, &count), MPROF_OK);
	cr_assert_eq(count, 2);
	cr_expect_eq(samples[0].self + samples[1].self, 3);
	cr_assert_eq(mprof_profile_get_sample_nodes(log.profile, 0, nodes, sizeof(*nodes), 4, &count), MPROF_OK);
	cr_assert_eq(count, 3);
	cr_expect_eq(nodes[0].total, 3);
	log_release(&log);
}

Test(profile_many, wrong_arguments)
{
	mprof_call_stats node;
	size_t count = 5;
	test_log log;

	write_log(&log);
	cr_expect_eq(mprof_profile_get_calls(log.profile, 0, &node, sizeof(node), 1, NULL), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_calls(NULL, 0, &node, sizeof(node), 1, &count), MPROF_ERR_ARGUMENT);
	cr_expect_eq(count, 0);
	cr_expect_eq(mprof_profile_get_calls(log.profile, 0, NULL, sizeof(node), 1, &count), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_calls(log.profile, 0, &node, sizeof(size_t) - 1, 1, &count), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_calls(log.profile, 22, &node, sizeof(node), 1, &count), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_calls(log.profile, 21, &node, sizeof(node), 1, &count), MPROF_OK);
	cr_expect_eq(count, 0);
	cr_expect_eq(mprof_profile_get_calls(log.profile, 0, NULL, sizeof(node), 0, &count), MPROF_OK);
	log_release(&log);
}
