/* SPDX-License-Identifier: MIT */
/* The functions that read any table: many rows are the same as one after the other, and the description fits. */
#include "profile_fixture.h"

#include <stdlib.h>

/* Elements with room for the structs of a later version of the library and of an earlier one. */
typedef struct later_call_stats {
	mprof_call_stats stats;
	uint64_t later;
} later_call_stats;

static void write_log(test_log *log)
{
	const mprof_event_detail position = {.struct_size = sizeof(mprof_event_detail), .caller = 2};

	log_begin(log);
	begin_block(log, 7, 0);
	for (uint32_t i = 0; i < 20; i++)
		enter(log, 1 + i % 3, 10 * i);
	for (uint32_t id = 1; id <= DEFINED_IDS; id++)
		add_detailed(log, MPROF_EVENT_ALLOCATION, id, 0, 16 * id, &position);
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
		cr_assert_eq(mprof_profile_get_rows(log.profile, MPROF_TABLE_CALLS, first, nodes, sizeof(nodes[0]), 7,
						    &count),
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
	cr_assert_eq(mprof_profile_get_rows(log.profile, MPROF_TABLE_METHODS, 1, methods, size, 8, &count), MPROF_OK);
	cr_assert_eq(count, 2);
	for (size_t i = 0; i < count; i++) {
		mprof_method_stats one = {.struct_size = size};

		cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_METHODS, 1 + i, &one), MPROF_OK);
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
	cr_assert_eq(mprof_profile_get_rows(log.profile, MPROF_TABLE_CLASSES, 0, classes, sizeof(*classes),
					    DEFINED_IDS + 1, &count),
		     MPROF_OK);
	cr_assert_eq(count, DEFINED_IDS);
	for (size_t i = 0; i < count; i++)
		cr_expect_eq(classes[i].bytes, 16 * classes[i].id);
	cr_assert_eq(mprof_profile_get_rows(log.profile, MPROF_TABLE_ALLOCATION_SITES, 0, sites, sizeof(*sites),
					    DEFINED_IDS + 1, &count),
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
	cr_assert_eq(mprof_profile_get_rows(log.profile, MPROF_TABLE_SAMPLES, 0, samples, sizeof(*samples), 4, &count),
		     MPROF_OK);
	cr_assert_eq(count, 2);
	cr_expect_eq(samples[0].self + samples[1].self, 3);
	cr_assert_eq(mprof_profile_get_rows(log.profile, MPROF_TABLE_SAMPLE_NODES, 0, nodes, sizeof(*nodes), 4, &count),
		     MPROF_OK);
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
	cr_expect_eq(mprof_profile_get_rows(log.profile, MPROF_TABLE_CALLS, 0, &node, sizeof(node), 1, NULL),
		     MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_rows(NULL, MPROF_TABLE_CALLS, 0, &node, sizeof(node), 1, &count),
		     MPROF_ERR_ARGUMENT);
	cr_expect_eq(count, 0);
	cr_expect_eq(mprof_profile_get_rows(log.profile, MPROF_TABLE_CALLS, 0, NULL, sizeof(node), 1, &count),
		     MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_rows(log.profile, MPROF_TABLE_CALLS, 0, &node, sizeof(size_t) - 1, 1, &count),
		     MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_rows(log.profile, MPROF_TABLE_CALLS, 22, &node, sizeof(node), 1, &count),
		     MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_profile_get_rows(log.profile, MPROF_TABLE_CALLS, 21, &node, sizeof(node), 1, &count),
		     MPROF_OK);
	cr_expect_eq(count, 0);
	cr_expect_eq(mprof_profile_get_rows(log.profile, MPROF_TABLE_CALLS, 0, NULL, sizeof(node), 0, &count),
		     MPROF_OK);
	log_release(&log);
}

static size_t size_of_field(const mprof_table_column *column)
{
	return column->length * (column->type == MPROF_TYPE_UINT32 ? sizeof(uint32_t) : sizeof(uint64_t));
}

/* The columns are the fields of the struct in their order: what is between them is a reserved field of 32 bits. */
Test(profile_many, columns_are_the_fields_of_the_struct)
{
	const mprof_table_info *info;
	uint32_t table;

	for (table = 1; (info = mprof_table_get_info(table)) != NULL; table++) {
		const size_t last = info->column_count - 1;
		size_t end = sizeof(size_t);

		for (size_t i = 0; i < info->column_count; i++) {
			const mprof_table_column *column = mprof_table_get_column(table, i);

			cr_assert_not_null(column);
			cr_expect(column->offset == end || column->offset == end + sizeof(uint32_t), "%s.%s",
				  info->name, column->name);
			end = column->offset + size_of_field(column);
		}
		cr_expect(info->row_size - end <= sizeof(uint32_t), "%s.%s", info->name,
			  mprof_table_get_column(table, last)->name);
		cr_expect_null(mprof_table_get_column(table, info->column_count));
	}
	cr_expect_eq(table - 1, MPROF_TABLE_MEMORY_BLOCKS);
}

/* A measure finds its column, and no table has two columns of one measure. */
Test(profile_many, measures_find_their_columns)
{
	size_t found = 0;

	for (uint32_t table = 1; mprof_table_get_info(table) != NULL; table++) {
		const mprof_table_column *column;

		for (size_t i = 0; (column = mprof_table_get_column(table, i)) != NULL; i++) {
			cr_expect_eq(column->reserved, 0);
			if (column->measure == MPROF_MEASURE_NONE)
				continue;
			cr_expect_eq(mprof_table_get_measure(table, column->measure), column, "%s.%s",
				     mprof_table_get_info(table)->name, column->name);
			found++;
		}
		cr_expect_null(mprof_table_get_measure(table, MPROF_MEASURE_NONE));
		cr_expect_null(mprof_table_get_measure(table, MPROF_MEASURE_SAMPLED + 1));
	}
	cr_expect_gt(found, 0);
	cr_expect_str_eq(mprof_table_get_measure(MPROF_TABLE_METHODS, MPROF_MEASURE_TOTAL)->name, "total_ns");
	cr_expect_str_eq(mprof_table_get_measure(MPROF_TABLE_MONITORS, MPROF_MEASURE_SELF)->name, "contended_ns");
	cr_expect_null(mprof_table_get_measure(MPROF_TABLE_MONITORS, MPROF_MEASURE_TOTAL));
	cr_expect_null(mprof_table_get_measure(MPROF_TABLE_MARKS, MPROF_MEASURE_COUNT));
}

Test(profile_many, numbers_of_tables_follow_each_other)
{
	static const char *const names[] = {"methods", "samples", "classes", "threads", "monitors"};
	static const uint32_t wrong[] = {0, MPROF_TABLE_MEMORY_BLOCKS + 1, UINT32_MAX};
	test_log log;
	mprof_call_stats row = {.struct_size = sizeof(row)};

	for (uint32_t table = MPROF_TABLE_METHODS; table <= MPROF_TABLE_MONITORS; table++)
		cr_expect_str_eq(mprof_table_get_info(table)->name, names[table - 1]);
	cr_expect_str_eq(mprof_table_get_info(MPROF_TABLE_TIMELINE)->name, "timeline");
	write_log(&log);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		cr_expect_null(mprof_table_get_info(wrong[i]));
		cr_expect_null(mprof_table_get_column(wrong[i], 0));
		cr_expect_null(mprof_table_get_measure(wrong[i], MPROF_MEASURE_COUNT));
		cr_expect_eq(mprof_profile_get_row_count(log.profile, wrong[i]), 0);
		cr_expect_eq(mprof_profile_get_row(log.profile, wrong[i], 0, &row), MPROF_ERR_ARGUMENT);
		cr_expect_eq(mprof_profile_get_rows(log.profile, wrong[i], 0, &row, sizeof(row), 0, &(size_t){0}),
			     MPROF_ERR_ARGUMENT);
	}
	log_release(&log);
}

Test(profile_many, all_rows_of_all_tables)
{
	const mprof_table_info *info;
	test_log log;

	write_log(&log);
	for (uint32_t table = 1; (info = mprof_table_get_info(table)) != NULL; table++) {
		const size_t total = mprof_profile_get_row_count(log.profile, table);
		unsigned char *rows = calloc(total + 1, info->row_size);
		size_t *one = calloc(1, info->row_size);
		size_t count;

		cr_assert(rows != NULL && one != NULL);
		cr_assert_eq(mprof_profile_get_rows(log.profile, table, 0, rows, info->row_size, total + 1, &count),
			     MPROF_OK);
		cr_expect_eq(count, total);
		for (size_t i = 0; i < count; i++) {
			*one = info->row_size;
			cr_assert_eq(mprof_profile_get_row(log.profile, table, i, one), MPROF_OK);
			cr_expect_eq(memcmp(rows + i * info->row_size, one, info->row_size), 0, "%s", info->name);
		}
		*one = info->row_size;
		cr_expect_eq(mprof_profile_get_row(log.profile, table, total, one), MPROF_ERR_ARGUMENT);
		free(rows);
		free(one);
	}
	log_release(&log);
}
