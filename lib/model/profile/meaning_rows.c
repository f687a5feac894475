/* SPDX-License-Identifier: MIT */
/* Stores the rows of metrics and histograms, and of events that have a meaning. */
#include "model/profile/meaning_rows.h"

#include "model/profile/profile_internal.h"

size_t meaning_rows_count_metrics(const mprof_profile *profile)
{
	return profile->metrics.records.count;
}

static const char *unit_of(const metric_record *metric)
{
	return (metric->flags & MPROF_METRIC_UNIT_MASK) == MPROF_METRIC_UNIT_NAMED && metric->unit != NULL
		       ? metric->unit
		       : mprof_metric_get_unit_name(metric->flags);
}

void meaning_rows_store_metric(const mprof_profile *profile, size_t index, void *row)
{
	mprof_metric_stats *stats = row;
	const metric_record *record = record_table_at(&profile->metrics.records, index);

	stats->id = record->id;
	stats->flags = record->flags;
	stats->section = record->section != NULL ? record->section : "";
	stats->name = record->name != NULL ? record->name : "";
	stats->unit = unit_of(record);
	stats->thread = record->thread;
	/* The values of a histogram are buckets, which have rows of their own. */
	if (record->count == 0 || (record->flags & MPROF_METRIC_FLAG_HISTOGRAM) != 0)
		return;
	stats->count = record->count;
	stats->first = record->first;
	stats->last = record->last;
	stats->minimum = record->minimum;
	stats->maximum = record->maximum;
	stats->last_ns = profile_clock_time(&profile->clock, record->last_counter);
}

size_t meaning_rows_count_histograms(const mprof_profile *profile)
{
	return profile->metrics.histogram_count;
}

void meaning_rows_store_histogram(const mprof_profile *profile, size_t index, void *row)
{
	mprof_histogram_stats *stats = row;
	const metric_record *record = record_table_find(&profile->metrics.records, profile->metrics.histograms[index]);
	const int is_double = (record->flags & MPROF_METRIC_FLAG_DOUBLE) != 0;
	const struct {
		uint32_t permille;
		uint64_t *above;
		uint64_t *value;
	} fields[] = {{0, &stats->min_above, &stats->min},
		      {500, &stats->p50_above, &stats->p50},
		      {900, &stats->p90_above, &stats->p90},
		      {990, &stats->p99_above, &stats->p99},
		      {1000, &stats->max_above, &stats->max}};

	stats->id = record->id;
	stats->flags = record->flags;
	stats->section = record->section != NULL ? record->section : "";
	stats->name = record->name != NULL ? record->name : "";
	stats->unit = unit_of(record);
	stats->thread = record->thread;
	if (record->buckets.values == 0)
		return;
	stats->count = record->buckets.values;
	stats->buckets = record->buckets.count;
	stats->last_ns = profile_clock_time(&profile->clock, record->last_counter);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const histogram_range range = histogram_permille(&record->buckets, is_double, fields[i].permille);

		*fields[i].above = range.lower;
		*fields[i].value = range.upper;
	}
}

size_t meaning_rows_count_messages(const mprof_profile *profile)
{
	return profile->meanings.messages.count;
}

void meaning_rows_store_message(const mprof_profile *profile, size_t index, void *row)
{
	mprof_message_stats *stats = row;
	const message_record *record = text_records_at(&profile->meanings.messages, index);

	stats->severity = (uint32_t)record->key.number;
	stats->is_rest = record->key.is_rest;
	stats->source = record->key.texts[0];
	stats->count = record->count;
	stats->first_ns = profile_clock_time(&profile->clock, record->first);
	stats->last_ns = profile_clock_time(&profile->clock, record->last);
	stats->thread = record->thread;
	stats->text = record->key.texts[1];
}

size_t meaning_rows_count_waits(const mprof_profile *profile)
{
	return profile->event_types.waits.records.count;
}

void meaning_rows_store_wait(const mprof_profile *profile, size_t index, void *row)
{
	mprof_wait_stats *stats = row;
	const wait_list *waits = &profile->event_types.waits;
	const wait_record *record = wait_list_at(waits, index);
	const duration_record *durations = record_table_find(&waits->durations.records, (uint32_t)index + 1);
	const struct {
		double percent;
		uint64_t *field;
	} percentiles[] = {{50, &stats->p50_ns}, {90, &stats->p90_ns}, {99, &stats->p99_ns}};

	stats->kind = record->key.texts[0];
	stats->name = record->key.texts[1];
	stats->stack = (uint32_t)(record->key.number >> 32);
	stats->call = (uint32_t)record->key.number;
	stats->is_rest = record->key.is_rest;
	stats->unfinished = record->begun - record->ended;
	if (durations == NULL || durations->calls == 0)
		return;
	stats->count = durations->calls;
	stats->total_ns = profile_clock_sum(&profile->clock, durations->sum);
	stats->min_ns = profile_clock_duration(&profile->clock, durations->shortest);
	stats->max_ns = profile_clock_duration(&profile->clock, durations->longest);
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++)
		*percentiles[i].field = profile_clock_duration(
			&profile->clock, call_durations_percentile(durations, percentiles[i].percent));
}

size_t meaning_rows_count_generations(const mprof_profile *profile)
{
	return profile->meanings.collections.generation_count;
}

void meaning_rows_store_generation(const mprof_profile *profile, size_t index, void *row)
{
	mprof_gc_generation *stats = row;
	const generation_note *note = &profile->meanings.collections.generations[index];

	stats->collection = note->collection;
	stats->name = note->name;
	stats->before = note->before;
	stats->after = note->after;
	stats->capacity = note->capacity;
	stats->has_before = (uint32_t)note->has_before;
	stats->has_after = (uint32_t)note->has_after;
	stats->has_capacity = (uint32_t)note->has_capacity;
}

size_t meaning_rows_count_states(const mprof_profile *profile)
{
	return profile->meanings.states.count;
}

void meaning_rows_store_state(const mprof_profile *profile, size_t index, void *row)
{
	mprof_thread_state_stats *stats = row;
	const thread_state_record *record = text_records_at(&profile->meanings.states, index);

	stats->thread = record->key.number;
	stats->state = record->key.texts[0];
	stats->count = record->count;
	stats->total_ns = profile_clock_duration(&profile->clock, record->ended + record->open);
	stats->priority = record->priority;
	stats->has_priority = record->has_priority;
	stats->is_rest = record->key.is_rest;
}
