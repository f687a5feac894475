/* SPDX-License-Identifier: MIT */
/*
 * Profiles logs with each request for memory refused: the metrics are the same, or an error is returned; and it
 * terminates.
 */
#include "fault_content.h"

#include <mprof/profile.h>

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define LAST_RESORT 3000

static void hash_field(fault_run *run, const mprof_table_column *column, const unsigned char *row)
{
	const char *text;

	if (column->type == MPROF_TYPE_TEXT) {
		memcpy(&text, row + column->offset, sizeof(text));
		fault_hash_text(run, text);
		return;
	}
	fault_hash_bytes(run, row + column->offset,
			 column->length * (column->type == MPROF_TYPE_UINT32 ? sizeof(uint32_t) : sizeof(uint64_t)));
}

static void hash_profile(fault_run *run, const mprof_profile *profile)
{
	const mprof_table_info *info;

	for (uint32_t table = 1; (info = mprof_table_get_info(table)) != NULL; table++) {
		size_t *row = calloc(1, info->row_size);

		cr_assert_not_null(row);
		*row = info->row_size;
		fault_hash_number(run, mprof_profile_get_row_count(profile, table));
		for (size_t i = 0; i < mprof_profile_get_row_count(profile, table); i++) {
			cr_assert_eq(mprof_profile_get_row(profile, table, i, row), MPROF_OK);
			for (size_t k = 0; k < info->column_count; k++)
				hash_field(run, mprof_table_get_column(table, k), (const unsigned char *)row);
		}
		free(row);
	}
}

/* The limit of the profile; 0 for the default. */
static uint64_t max_memory;

static mprof_profile_options profile_options(const fault_run *run)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.allocator = &run->allocator;
	options.max_memory = max_memory;
	options.with_compilations = 1;
	options.with_call_sites = 1;
	options.with_monitor_objects = 1;
	options.with_ages = 1;
	return options;
}

static mprof_status read_all(fault_run *run, mprof_profile *profile, mprof_reader *reader)
{
	return mprof_profile_read(profile, reader, fault_note_damage, run);
}

/* Reads block by block, as a program does that shows metrics while it reads. */
static mprof_status add_blocks(fault_run *run, mprof_profile *profile, mprof_reader *reader)
{
	const log_input input = {NULL, reader};
	mprof_status status;
	mprof_error error;

	do {
		mprof_block block;

		fault_step(run);
		mprof_block_init(&block, sizeof(block));
		block.loaded = 0;
		status = mprof_reader_next_block(reader, &block);
		if (status == MPROF_OK)
			status = mprof_profile_add_block(profile, reader, &block);
		if (status == MPROF_ERR_MEMORY) {
			/* Memory of the profile or of the reader was refused: neither can continue. */
			cr_assert_neq(mprof_reader_next_block(reader, &block) == MPROF_OK &&
					      mprof_profile_add_block(profile, reader, &block) == MPROF_OK,
				      1);
			return status;
		}
		if (status == MPROF_OK)
			status = mprof_profile_finish(profile, reader);
		if (status == MPROF_ERR_MEMORY)
			return status;
		error = log_input_error(&input);
	} while (status == MPROF_OK || (status > MPROF_END && error.severity == MPROF_SEVERITY_BLOCK));
	return status;
}

typedef mprof_status (*read_function)(fault_run *run, mprof_profile *profile, mprof_reader *reader);

static mprof_status profile_log(fault_run *run, const log_bytes *log, read_function read)
{
	const mprof_reader_options reader_options = fault_reader_options(run);
	const mprof_profile_options options = profile_options(run);
	mprof_reader *reader = NULL;
	mprof_profile *profile = NULL;
	mprof_status status = mprof_reader_open_memory(log->bytes, log->length, &reader_options, &reader);

	if (reader != NULL)
		status = mprof_profile_create(&options, &profile);
	if (profile != NULL) {
		status = read(run, profile, reader);
		hash_profile(run, profile);
	}
	mprof_profile_destroy(profile);
	mprof_reader_destroy(reader);
	return status;
}

static mprof_status profile_whole(fault_run *run, const log_bytes *log)
{
	return profile_log(run, log, read_all);
}

static mprof_status profile_blocks(fault_run *run, const log_bytes *log)
{
	return profile_log(run, log, add_blocks);
}

Test(faults_profile, of_a_whole_log, .timeout = LAST_RESORT)
{
	fault_try_all(profile_whole);
}

Test(faults_profile, block_by_block, .timeout = LAST_RESORT)
{
	fault_try_all(profile_blocks);
}

/* Some of these limits are too small for an empty profile, and some omit much of the content of small logs. */
Test(faults_profile, with_little_memory_allowed, .timeout = LAST_RESORT)
{
	for (max_memory = 4096; max_memory <= 65536; max_memory += max_memory / 2)
		fault_try_all(profile_whole);
}

/* Profiles that were limited. */
static size_t limited_count;

/* No limit may be reported as refused memory, which would end the profile. */
static mprof_status profile_at_all_limits(fault_run *run, const log_bytes *log)
{
	const mprof_reader_options reader_options = fault_reader_options(run);
	mprof_profile_options options = profile_options(run);
	const uint64_t finer = getenv("MPROF_SANITIZED") == NULL ? 200 : 20;
	mprof_profile_totals totals = {.struct_size = sizeof(totals), .limited = 1};
	mprof_reader *reader = NULL;

	for (options.max_memory = 1024; totals.limited; options.max_memory += options.max_memory / finer + 8) {
		mprof_profile *profile = NULL;

		/* The blocks after a damaged INTRO are read as well. */
		(void)!mprof_reader_open_memory(log->bytes, log->length, &reader_options, &reader);
		if (reader == NULL)
			return MPROF_OK;
		if (mprof_profile_create(&options, &profile) == MPROF_OK) {
			cr_assert_neq(mprof_profile_read(profile, reader, NULL, NULL), MPROF_ERR_MEMORY,
				      "%s with %llu bytes", run->name, (unsigned long long)options.max_memory);
			cr_assert_eq(mprof_profile_get_row(profile, MPROF_TABLE_TOTALS, 0, &totals), MPROF_OK);
			limited_count += totals.limited;
		}
		mprof_profile_destroy(profile);
		mprof_reader_destroy(reader);
	}
	return MPROF_OK;
}

Test(faults_profile, at_all_limits, .timeout = LAST_RESORT)
{
	fault_run_all(profile_at_all_limits);
	cr_log_info("%zu profiles at their limit", limited_count);
	cr_assert_gt(limited_count, 100);
}
