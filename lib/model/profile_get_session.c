/* SPDX-License-Identifier: MIT */
/* The getters for threads, monitors, collections, code units, metrics, markers and properties. */
#include "model/profile_internal.h"
#include "model/profile_table.h"

size_t mprof_profile_get_thread_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->threads.count : 0;
}

static void store_thread_stats(const mprof_profile *profile, size_t index, void *row)
{
	mprof_thread_stats *stats = row;
	const thread_record *record = &profile->threads.records[index];

	stats->id = record->id;
	stats->name = record->name;
	stats->events = record->events;
	stats->self_ns = profile_clock_duration(&profile->clock, record->self + record->extension);
	stats->lost = record->lost;
	stats->samples = record->samples;
	stats->wall_ns = record->metrics[THREAD_WALL_TIME];
	stats->cpu_ns = record->metrics[THREAD_CPU_TIME];
	stats->ready_ns = record->metrics[THREAD_READY_TIME];
	stats->voluntary_switches = record->metrics[THREAD_YIELDS];
	stats->involuntary_switches = record->metrics[THREAD_PREEMPTIONS];
}

static const profile_table thread_rows =
	PROFILE_TABLE(mprof_thread_stats, mprof_profile_get_thread_count, store_thread_stats);

mprof_status mprof_profile_get_thread(const mprof_profile *profile, size_t index, mprof_thread_stats *stats)
{
	return profile_table_get(&thread_rows, profile, index, stats);
}

size_t mprof_profile_get_monitor_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->monitors.records.count : 0;
}

static void store_monitor(const mprof_profile *profile, size_t index, void *row)
{
	mprof_monitor_stats *stats = row;
	const monitor_record *record = record_table_at(&profile->monitors.records, index);

	stats->class_id = record->class_id;
	stats->contentions = record->contentions;
	stats->acquired = record->acquired;
	stats->failures = record->failures;
	stats->contended_ns = profile_clock_duration(&profile->clock, record->contended);
	stats->unfinished = record->unfinished;
}

static const profile_table monitor_rows =
	PROFILE_TABLE(mprof_monitor_stats, mprof_profile_get_monitor_count, store_monitor);

mprof_status mprof_profile_get_monitor(const mprof_profile *profile, size_t index, mprof_monitor_stats *stats)
{
	return profile_table_get(&monitor_rows, profile, index, stats);
}

size_t mprof_profile_get_monitor_site_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->monitors.sites.count : 0;
}

static void store_monitor_site(const mprof_profile *profile, size_t index, void *row)
{
	mprof_monitor_site *site = row;
	const site_record *record = &profile->monitors.sites.records[index];

	site->class_id = record->key.class_id;
	site->stack = record->key.stack;
	site->contentions = record->count;
	site->contended_ns = profile_clock_duration(&profile->clock, record->value);
	site->failures = record->more;
	site->unfinished = record->unfinished;
	site->object = record->key.other;
	site->call = record->key.call;
}

static const profile_table monitor_site_rows =
	PROFILE_TABLE(mprof_monitor_site, mprof_profile_get_monitor_site_count, store_monitor_site);

mprof_status mprof_profile_get_monitor_site(const mprof_profile *profile, size_t index, mprof_monitor_site *site)
{
	return profile_table_get(&monitor_site_rows, profile, index, site);
}

size_t mprof_profile_get_monitor_holder_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->monitors.holders.count : 0;
}

static void store_monitor_holder(const mprof_profile *profile, size_t index, void *row)
{
	mprof_monitor_holder *holder = row;
	const site_record *record = &profile->monitors.holders.records[index];

	holder->class_id = record->key.class_id;
	holder->thread = record->key.other;
	holder->contentions = record->count;
	holder->contended_ns = profile_clock_duration(&profile->clock, record->value);
	holder->unfinished = record->unfinished;
}

static const profile_table monitor_holder_rows =
	PROFILE_TABLE(mprof_monitor_holder, mprof_profile_get_monitor_holder_count, store_monitor_holder);

mprof_status mprof_profile_get_monitor_holder(const mprof_profile *profile, size_t index, mprof_monitor_holder *holder)
{
	return profile_table_get(&monitor_holder_rows, profile, index, holder);
}

size_t mprof_profile_get_collection_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->collections.count : 0;
}

static void store_collection(const mprof_profile *profile, size_t index, void *row)
{
	mprof_collection *collection = row;
	const collection_record *record = &profile->collections.records[index];

	collection->number = record->number;
	collection->generation = record->generation;
	collection->unfinished = !record->is_finished;
	collection->start_ns = profile_clock_time(&profile->clock, record->start);
	collection->duration_ns = profile_clock_duration(&profile->clock, record->duration);
	collection->mark_ns = profile_clock_duration(&profile->clock, record->mark);
	collection->sweep_ns = profile_clock_duration(&profile->clock, record->sweep);
	collection->pause_ns = profile_clock_duration(&profile->clock, record->pause);
	collection->is_counted = (uint32_t)record->is_counted;
}

static const profile_table collection_rows =
	PROFILE_TABLE(mprof_collection, mprof_profile_get_collection_count, store_collection);

mprof_status mprof_profile_get_collection(const mprof_profile *profile, size_t index, mprof_collection *collection)
{
	return profile_table_get(&collection_rows, profile, index, collection);
}

size_t mprof_profile_get_heap_resize_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->collections.resize_count : 0;
}

static void store_heap_resize(const mprof_profile *profile, size_t index, void *row)
{
	mprof_heap_resize *resize = row;
	const heap_resize_record *record = &profile->collections.resizes[index];

	resize->time_ns = profile_clock_time(&profile->clock, record->counter);
	resize->bytes = record->bytes;
	resize->number = record->number;
}

static const profile_table heap_resize_rows =
	PROFILE_TABLE(mprof_heap_resize, mprof_profile_get_heap_resize_count, store_heap_resize);

mprof_status mprof_profile_get_heap_resize(const mprof_profile *profile, size_t index, mprof_heap_resize *resize)
{
	return profile_table_get(&heap_resize_rows, profile, index, resize);
}

size_t mprof_profile_get_element_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->code_units.count : 0;
}

static void store_element(const mprof_profile *profile, size_t index, void *row)
{
	mprof_element_stats *stats = row;
	uint64_t load;
	const code_unit_record *record = &profile->code_units.records[index];

	load = record->load_end - record->load_start;
	stats->kind = record->kind;
	stats->id = record->id;
	stats->name = record->name;
	stats->assembly = record->assembly;
	stats->loaded_ns = profile_clock_time(&profile->clock, record->load_end);
	stats->load_ns = (int64_t)load > 0 ? profile_clock_duration(&profile->clock, load) : 0;
	stats->unloaded_ns = record->is_unloaded ? profile_clock_time(&profile->clock, record->unload_end) : 0;
}

static const profile_table element_rows =
	PROFILE_TABLE(mprof_element_stats, mprof_profile_get_element_count, store_element);

mprof_status mprof_profile_get_element(const mprof_profile *profile, size_t index, mprof_element_stats *stats)
{
	return profile_table_get(&element_rows, profile, index, stats);
}

size_t mprof_profile_get_metric_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->metrics.records.count : 0;
}

static void store_metric(const mprof_profile *profile, size_t index, void *row)
{
	mprof_metric_stats *stats = row;
	const metric_record *record = record_table_at(&profile->metrics.records, index);

	stats->id = record->id;
	stats->flags = record->flags;
	stats->section = record->section != NULL ? record->section : "";
	stats->name = record->name != NULL ? record->name : "";
	stats->count = record->count;
	stats->first = record->first;
	stats->last = record->last;
	stats->minimum = record->minimum;
	stats->maximum = record->maximum;
	stats->thread = record->thread;
	stats->last_ns = record->count > 0 ? profile_clock_time(&profile->clock, record->last_counter) : 0;
}

static const profile_table metric_rows =
	PROFILE_TABLE(mprof_metric_stats, mprof_profile_get_metric_count, store_metric);

mprof_status mprof_profile_get_metric(const mprof_profile *profile, size_t index, mprof_metric_stats *stats)
{
	return profile_table_get(&metric_rows, profile, index, stats);
}

size_t mprof_profile_get_mark_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->marks.count : 0;
}

static void store_mark(const mprof_profile *profile, size_t index, void *row)
{
	mprof_mark *mark = row;
	const mark_record *record = &profile->marks.records[index];

	mark->time_ns = profile_clock_time(&profile->clock, record->counter);
	mark->thread = record->thread;
	mark->text = record->text;
}

static const profile_table mark_rows = PROFILE_TABLE(mprof_mark, mprof_profile_get_mark_count, store_mark);

mprof_status mprof_profile_get_mark(const mprof_profile *profile, size_t index, mprof_mark *mark)
{
	return profile_table_get(&mark_rows, profile, index, mark);
}

size_t mprof_profile_get_property_count(const mprof_profile *profile)
{
	return profile != NULL ? profile->properties.count : 0;
}

mprof_status mprof_profile_get_property(const mprof_profile *profile, size_t index, const char **key,
					const char **value)
{
	if (key == NULL || value == NULL || index >= mprof_profile_get_property_count(profile))
		return MPROF_ERR_ARGUMENT;
	*key = profile->properties.items[index].key;
	*value = profile->properties.items[index].value;
	return MPROF_OK;
}
