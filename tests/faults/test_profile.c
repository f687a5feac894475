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

/* Hashes all items of a kind, which are structs of numbers only. */
#define HASH_ALL(run, profile, type, count, get)                                                                       \
	do {                                                                                                           \
		size_t all = count(profile);                                                                           \
                                                                                                                       \
		fault_hash_number(run, all);                                                                           \
		for (size_t i = 0; i < all; i++) {                                                                     \
			type stats;                                                                                    \
                                                                                                                       \
			memset(&stats, 0, sizeof(stats));                                                              \
			stats.struct_size = sizeof(stats);                                                             \
			cr_assert_eq(get(profile, (uint32_t)i, &stats), MPROF_OK);                                     \
			fault_hash_bytes(run, &stats, sizeof(stats));                                                  \
		}                                                                                                      \
	} while (0)

/* Hashes the items that have names. */
static void hash_named(fault_run *run, const mprof_profile *profile)
{
	const char *key;
	const char *value;

	for (size_t i = 0; i < mprof_profile_get_metric_count(profile); i++) {
		mprof_metric_stats metric = {.struct_size = sizeof(metric)};

		cr_assert_eq(mprof_profile_get_metric(profile, i, &metric), MPROF_OK);
		fault_hash_text(run, metric.name);
	}
	for (size_t i = 0; i < mprof_profile_get_mark_count(profile); i++) {
		mprof_mark mark = {.struct_size = sizeof(mark)};

		cr_assert_eq(mprof_profile_get_mark(profile, i, &mark), MPROF_OK);
		fault_hash_text(run, mark.text);
	}
	for (size_t i = 0; i < mprof_profile_get_thread_count(profile); i++) {
		mprof_thread_stats thread = {.struct_size = sizeof(thread)};

		cr_assert_eq(mprof_profile_get_thread(profile, i, &thread), MPROF_OK);
		fault_hash_number(run, thread.id);
		fault_hash_text(run, thread.name);
	}
	for (size_t i = 0; i < mprof_profile_get_element_count(profile); i++) {
		mprof_element_stats element = {.struct_size = sizeof(element)};

		cr_assert_eq(mprof_profile_get_element(profile, i, &element), MPROF_OK);
		fault_hash_text(run, element.name);
	}
	for (size_t i = 0; mprof_profile_get_property(profile, i, &key, &value) == MPROF_OK; i++) {
		fault_hash_text(run, key);
		fault_hash_text(run, value);
	}
}

static void hash_memory(fault_run *run, const mprof_profile *profile)
{
	mprof_memory_stats memory;

	memset(&memory, 0, sizeof(memory));
	memory.struct_size = sizeof(memory);
	cr_assert_eq(mprof_profile_get_memory(profile, &memory), MPROF_OK);
	fault_hash_bytes(run, &memory, sizeof(memory));
	HASH_ALL(run, profile, mprof_memory_site, mprof_profile_get_memory_site_count, mprof_profile_get_memory_site);
	HASH_ALL(run, profile, mprof_memory_size, mprof_profile_get_memory_size_count, mprof_profile_get_memory_size);
}

static void hash_ages(fault_run *run, const mprof_profile *profile)
{
	mprof_age_stats ages;

	memset(&ages, 0, sizeof(ages));
	ages.struct_size = sizeof(ages);
	cr_assert_eq(mprof_profile_get_ages(profile, &ages), MPROF_OK);
	fault_hash_bytes(run, &ages, sizeof(ages));
	HASH_ALL(run, profile, mprof_age_class, mprof_profile_get_age_class_count, mprof_profile_get_age_class);
	HASH_ALL(run, profile, mprof_age_site, mprof_profile_get_age_site_count, mprof_profile_get_age_site);
	HASH_ALL(run, profile, mprof_heap_change_entry, mprof_profile_get_heap_change_count,
		 mprof_profile_get_heap_change);
}

static void hash_profile(fault_run *run, const mprof_profile *profile)
{
	mprof_profile_totals totals;

	memset(&totals, 0, sizeof(totals));
	totals.struct_size = sizeof(totals);
	cr_assert_eq(mprof_profile_get_totals(profile, &totals), MPROF_OK);
	fault_hash_bytes(run, &totals, sizeof(totals));
	HASH_ALL(run, profile, mprof_method_code, mprof_profile_get_method_code_count, mprof_profile_get_method_code);
	HASH_ALL(run, profile, mprof_method_stats, mprof_profile_get_method_count, mprof_profile_get_method);
	HASH_ALL(run, profile, mprof_class_stats, mprof_profile_get_class_count, mprof_profile_get_class);
	HASH_ALL(run, profile, mprof_call_stats, mprof_profile_get_call_count, mprof_profile_get_call);
	HASH_ALL(run, profile, mprof_sample_stats, mprof_profile_get_sample_count, mprof_profile_get_sample);
	HASH_ALL(run, profile, mprof_sample_node, mprof_profile_get_sample_node_count, mprof_profile_get_sample_node);
	HASH_ALL(run, profile, mprof_allocation_site, mprof_profile_get_allocation_site_count,
		 mprof_profile_get_allocation_site);
	HASH_ALL(run, profile, mprof_heap_shot, mprof_profile_get_heap_shot_count, mprof_profile_get_heap_shot);
	HASH_ALL(run, profile, mprof_heap_summary, mprof_profile_get_heap_summary_count,
		 mprof_profile_get_heap_summary);
	HASH_ALL(run, profile, mprof_handle_stats, mprof_profile_get_handle_count, mprof_profile_get_handle);
	HASH_ALL(run, profile, mprof_handle_site, mprof_profile_get_handle_site_count, mprof_profile_get_handle_site);
	HASH_ALL(run, profile, mprof_exception_site, mprof_profile_get_exception_site_count,
		 mprof_profile_get_exception_site);
	HASH_ALL(run, profile, mprof_exception_clause, mprof_profile_get_exception_clause_count,
		 mprof_profile_get_exception_clause);
	HASH_ALL(run, profile, mprof_monitor_stats, mprof_profile_get_monitor_count, mprof_profile_get_monitor);
	HASH_ALL(run, profile, mprof_monitor_site, mprof_profile_get_monitor_site_count,
		 mprof_profile_get_monitor_site);
	HASH_ALL(run, profile, mprof_monitor_holder, mprof_profile_get_monitor_holder_count,
		 mprof_profile_get_monitor_holder);
	HASH_ALL(run, profile, mprof_finalizer_stats, mprof_profile_get_finalizer_count, mprof_profile_get_finalizer);
	HASH_ALL(run, profile, mprof_collection, mprof_profile_get_collection_count, mprof_profile_get_collection);
	HASH_ALL(run, profile, mprof_heap_resize, mprof_profile_get_heap_resize_count, mprof_profile_get_heap_resize);
	hash_ages(run, profile);
	hash_memory(run, profile);
	hash_named(run, profile);
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
			cr_assert_eq(mprof_profile_get_totals(profile, &totals), MPROF_OK);
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
