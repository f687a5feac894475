/* SPDX-License-Identifier: MIT */
/* The getters for classes and their objects: call sites, exceptions, heap snapshots, handles, and finalizers. */
#include "model/profile_internal.h"
#include "model/profile_table.h"

#include "base/options.h"

#include <string.h>

size_t mprof_profile_get_class_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->classes.count : 0;
}

static void store_class(const mprof_profile *profile, size_t index, void *row)
{
	mprof_class_stats *stats = row;
	const class_record *record = record_table_at(&profile->classes, index);

	stats->id = record->id;
	stats->allocations = record->allocations;
	stats->bytes = record->bytes;
	stats->freed = record->freed;
	stats->freed_bytes = record->freed_bytes;
	stats->exceptions = record->exceptions;
	stats->load_ns = profile_clock_duration(&profile->clock, record->load);
	stats->samples = record->estimate.samples;
	stats->allocations_error = allocation_estimate_error(record->estimate.objects_variance);
	stats->bytes_error = allocation_estimate_error(record->estimate.bytes_variance);
}

static const profile_table class_rows = PROFILE_TABLE(mprof_class_stats, mprof_profile_get_class_count, store_class);

mprof_status mprof_profile_get_class(const mprof_profile *profile, size_t index, mprof_class_stats *stats)
{
	return profile_table_get(&class_rows, profile, index, stats);
}

mprof_status mprof_profile_get_classes(const mprof_profile *profile, size_t first, mprof_class_stats *classes,
				       size_t class_size, size_t capacity, size_t *count)
{
	return profile_table_get_many(&class_rows, profile, first, classes, class_size, capacity, count);
}

size_t mprof_profile_get_allocation_site_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->allocations.count : 0;
}

static void store_allocation_site(const mprof_profile *profile, size_t index, void *row)
{
	mprof_allocation_site *site = row;
	const site_record *record = &profile->allocations.records[index];
	const allocation_estimate *estimate = allocation_estimates_get(&profile->estimates, index);

	site->class_id = record->key.class_id;
	site->stack = record->key.stack;
	site->caller = record->key.detail;
	site->call = record->key.call;
	site->flags = (uint32_t)record->key.other;
	site->allocations = record->count;
	site->bytes = record->value;
	if (estimate == NULL)
		return;
	site->samples = estimate->samples;
	site->allocations = allocation_estimate_round((double)record->count + estimate->objects);
	site->bytes = allocation_estimate_round((double)record->value + estimate->bytes);
	site->allocations_error = allocation_estimate_error(estimate->objects_variance);
	site->bytes_error = allocation_estimate_error(estimate->bytes_variance);
}

static const profile_table allocation_site_rows =
	PROFILE_TABLE(mprof_allocation_site, mprof_profile_get_allocation_site_count, store_allocation_site);

mprof_status mprof_profile_get_allocation_site(const mprof_profile *profile, size_t index, mprof_allocation_site *site)
{
	return profile_table_get(&allocation_site_rows, profile, index, site);
}

mprof_status mprof_profile_get_allocation_sites(const mprof_profile *profile, size_t first,
						mprof_allocation_site *sites, size_t site_size, size_t capacity,
						size_t *count)
{
	return profile_table_get_many(&allocation_site_rows, profile, first, sites, site_size, capacity, count);
}

size_t mprof_profile_get_exception_site_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->exceptions.count : 0;
}

static void store_exception_site(const mprof_profile *profile, size_t index, void *row)
{
	mprof_exception_site *site = row;
	const site_record *record = &profile->exceptions.records[index];

	site->class_id = record->key.class_id;
	site->stack = record->key.stack;
	site->exceptions = record->count;
	site->call = record->key.call;
}

static const profile_table exception_site_rows =
	PROFILE_TABLE(mprof_exception_site, mprof_profile_get_exception_site_count, store_exception_site);

mprof_status mprof_profile_get_exception_site(const mprof_profile *profile, size_t index, mprof_exception_site *site)
{
	return profile_table_get(&exception_site_rows, profile, index, site);
}

size_t mprof_profile_get_exception_clause_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->clauses.count : 0;
}

static void store_exception_clause(const mprof_profile *profile, size_t index, void *row)
{
	mprof_exception_clause *clause = row;
	const site_record *record = &profile->clauses.records[index];

	clause->method = record->key.detail;
	clause->class_id = record->key.class_id;
	clause->kind = (uint32_t)record->key.other & 3;
	clause->number = (uint32_t)(record->key.other >> 2);
	clause->runs = record->count;
}

static const profile_table exception_clause_rows =
	PROFILE_TABLE(mprof_exception_clause, mprof_profile_get_exception_clause_count, store_exception_clause);

mprof_status mprof_profile_get_exception_clause(const mprof_profile *profile, size_t index,
						mprof_exception_clause *clause)
{
	return profile_table_get(&exception_clause_rows, profile, index, clause);
}

size_t mprof_profile_get_heap_shot_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->heap_snapshots.count : 0;
}

static void store_heap_shot(const mprof_profile *profile, size_t index, void *row)
{
	mprof_heap_shot *shot = row;
	const heap_snapshot_record *record = &profile->heap_snapshots.records[index];

	shot->number = record->number;
	shot->incomplete = record->is_incomplete || !record->is_ended;
	shot->time_ns = profile_clock_time(&profile->clock, record->counter);
	shot->objects = record->objects;
	shot->bytes = record->bytes;
	shot->references = record->references;
	shot->freed = record->freed;
	shot->freed_bytes = record->freed_bytes;
	shot->moved = record->moved;
	for (size_t kind = 0; kind <= MPROF_ROOT_RUNTIME; kind++) {
		shot->roots_by_kind[kind] = record->roots[kind];
		shot->roots += record->roots[kind];
	}
	shot->classes = record->class_count;
}

static const profile_table heap_shot_rows =
	PROFILE_TABLE(mprof_heap_shot, mprof_profile_get_heap_shot_count, store_heap_shot);

mprof_status mprof_profile_get_heap_shot(const mprof_profile *profile, size_t index, mprof_heap_shot *shot)
{
	return profile_table_get(&heap_shot_rows, profile, index, shot);
}

mprof_status mprof_profile_get_heap_shot_class(const mprof_profile *profile, size_t shot, size_t index,
					       mprof_heap_shot_class *stats)
{
	const heap_class_record *record;
	mprof_heap_shot_class own;

	if (stats == NULL || shot >= mprof_profile_get_heap_shot_count(profile) ||
	    index >= profile->heap_snapshots.records[shot].class_count)
		return MPROF_ERR_ARGUMENT;
	record = &profile->heap_snapshots.records[shot].classes[index];
	memset(&own, 0, sizeof(own));
	own.class_id = record->class_id;
	own.objects = record->objects;
	own.bytes = record->bytes;
	return struct_copy_out(stats, &own, sizeof(own));
}

size_t mprof_profile_get_heap_summary_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->heap_summaries.count : 0;
}

static void store_heap_summary(const mprof_profile *profile, size_t index, void *row)
{
	mprof_heap_summary *summary = row;
	const heap_summary_record *record = &profile->heap_summaries.records[index];

	summary->collection = record->collection;
	summary->class_id = record->class_id;
	summary->time_ns = profile_clock_time(&profile->clock, record->counter);
	summary->live_objects = record->sums.live_objects;
	summary->live_bytes = record->sums.live_bytes;
	summary->dead_objects = record->sums.dead_objects;
	summary->dead_bytes = record->sums.dead_bytes;
}

static const profile_table heap_summary_rows =
	PROFILE_TABLE(mprof_heap_summary, mprof_profile_get_heap_summary_count, store_heap_summary);

mprof_status mprof_profile_get_heap_summary(const mprof_profile *profile, size_t index, mprof_heap_summary *summary)
{
	return profile_table_get(&heap_summary_rows, profile, index, summary);
}

size_t mprof_profile_get_handle_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->handles.by_class.count : 0;
}

static void store_handle(const mprof_profile *profile, size_t index, void *row)
{
	mprof_handle_stats *stats = row;
	const site_record *record = &profile->handles.by_class.records[index];

	stats->class_id = record->key.class_id;
	stats->type = record->key.detail;
	stats->created = record->count;
	stats->alive = record->value;
	stats->deleted = record->count - record->value;
}

static const profile_table handle_rows =
	PROFILE_TABLE(mprof_handle_stats, mprof_profile_get_handle_count, store_handle);

mprof_status mprof_profile_get_handle(const mprof_profile *profile, size_t index, mprof_handle_stats *stats)
{
	return profile_table_get(&handle_rows, profile, index, stats);
}

size_t mprof_profile_get_handle_site_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->handles.by_stack.count : 0;
}

static void store_handle_site(const mprof_profile *profile, size_t index, void *row)
{
	mprof_handle_site *site = row;
	const site_record *record = &profile->handles.by_stack.records[index];

	site->class_id = record->key.class_id;
	site->type = record->key.detail;
	site->stack = record->key.stack;
	site->created = record->count;
	site->alive = record->value;
}

static const profile_table handle_site_rows =
	PROFILE_TABLE(mprof_handle_site, mprof_profile_get_handle_site_count, store_handle_site);

mprof_status mprof_profile_get_handle_site(const mprof_profile *profile, size_t index, mprof_handle_site *site)
{
	return profile_table_get(&handle_site_rows, profile, index, site);
}

size_t mprof_profile_get_finalizer_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->finalizers.records.count : 0;
}

static void store_finalizer(const mprof_profile *profile, size_t index, void *row)
{
	mprof_finalizer_stats *stats = row;
	const finalizer_record *record = record_table_at(&profile->finalizers.records, index);

	stats->class_id = record->class_id;
	stats->count = record->count;
	stats->total_ns = profile_clock_duration(&profile->clock, record->time);
}

static const profile_table finalizer_rows =
	PROFILE_TABLE(mprof_finalizer_stats, mprof_profile_get_finalizer_count, store_finalizer);

mprof_status mprof_profile_get_finalizer(const mprof_profile *profile, size_t index, mprof_finalizer_stats *stats)
{
	return profile_table_get(&finalizer_rows, profile, index, stats);
}
