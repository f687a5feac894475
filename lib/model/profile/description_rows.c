/* SPDX-License-Identifier: MIT */
/*
 * Rows of what a log describes: processes, timelines, clocks, kinds of samples, ranges of code, metrics and histograms,
 * and events that have a meaning.
 */
#include "model/profile/description_rows.h"

#include "model/profile/profile_internal.h"

static size_t count_processes(const mprof_profile *profile)
{
	return profile->described.process_count;
}

/* Adds up the threads of a process. */
static void sum_threads(const mprof_profile *profile, mprof_process_stats *stats)
{
	for (size_t i = 0; i < profile->threads.count; i++) {
		const thread_record *thread = &profile->threads.records[i];
		const mprof_timeline_record *described = descriptions_find_thread(&profile->described, thread->id);

		if (described == NULL || described->process != stats->number)
			continue;
		stats->events += thread->events;
		stats->samples += thread->samples;
		stats->lost += thread->lost;
		stats->cpu_ns += thread->metrics[THREAD_CPU_TIME];
	}
}

static void store_process(const mprof_profile *profile, size_t index, void *row)
{
	mprof_process_stats *stats = row;
	const mprof_process_record *record = &profile->described.processes[index];

	stats->number = record->number;
	stats->system_id = record->system_id;
	stats->parent = record->parent;
	stats->name = record->name;
	stats->command = record->command;
	stats->threads = (uint32_t)descriptions_count_threads(&profile->described, record->number);
	stats->has_start = record->start != 0;
	if (stats->has_start)
		stats->start_ns = profile_clock_time(&profile->clock, record->start);
	stats->has_end = record->end != 0;
	if (stats->has_end)
		stats->end_ns = profile_clock_time(&profile->clock, record->end);
	sum_threads(profile, stats);
}

static size_t count_timelines(const mprof_profile *profile)
{
	return profile->described.timeline_count;
}

static void store_timeline(const mprof_profile *profile, size_t index, void *row)
{
	mprof_timeline_stats *stats = row;
	const mprof_timeline_record *record = &profile->described.timelines[index];
	const size_t position = thread_map_get(&profile->threads.positions, record->thread);
	const thread_record *thread = position != THREAD_MAP_NONE ? &profile->threads.records[position] : NULL;

	stats->thread = record->thread;
	stats->name = record->name;
	if ((record->name == NULL || record->name[0] == '\0') && thread != NULL && thread->name != NULL)
		stats->name = thread->name;
	stats->process = record->process;
	stats->system_thread = record->system_thread;
	stats->parent = record->parent;
	stats->kind = record->kind;
	stats->clock = record->clock != 0 ? record->clock : MPROF_CLOCK_LOG;
	stats->rank = record->rank;
	stats->is_ended = (record->flags & MPROF_TIMELINE_FLAG_ENDED) != 0;
	stats->events = thread != NULL ? thread->events : 0;
}

static size_t count_clocks(const mprof_profile *profile)
{
	return profile->described.clocks.count;
}

/* A positive number without its fraction; 0 if it has more than 64 bits, or is no number. */
static uint64_t whole_or_unknown(double number)
{
	return number >= 0 && number < 18446744073709551615.0 ? (uint64_t)(number + 0.5) : 0;
}

/* Compares the rate that a clock's pairs show with the one that the log states. */
static void store_rates(const mprof_profile *profile, const described_clock *clock, mprof_clock_stats *stats)
{
	const double ticks = (double)(clock->last.value - clock->first.value);
	const double counters = (double)(clock->last.counter - clock->first.counter);
	double stated = 0;
	double measured = 0;
	double drift;

	if (clock->record.numerator != 0 && clock->record.denominator != 0)
		stated = (double)clock->record.numerator / (double)clock->record.denominator * 1e3;
	if (clock->in_order >= 2 && counters > 0 && profile->counters_per_second > 0)
		measured = ticks / counters * profile->counters_per_second * 1e3;
	/* In whole numbers a rate may be the same as no rate. */
	stats->stated_millihertz = whole_or_unknown(stated);
	stats->measured_millihertz = whole_or_unknown(measured);
	if (stats->stated_millihertz == 0 || stats->measured_millihertz == 0)
		return;
	drift = (measured / stated - 1) * 1e9;
	if (drift > -9e18 && drift < 9e18) {
		stats->has_drift = 1;
		stats->drift_ppb = (int64_t)drift;
	}
}

static void store_clock(const mprof_profile *profile, size_t index, void *row)
{
	mprof_clock_stats *stats = row;
	const described_clock *clock = record_table_at(&profile->described.clocks, index);

	stats->id = clock->id;
	stats->kind = clock->record.kind;
	stats->name = clock->record.name;
	stats->pairs = clock->pairs;
	stats->backward = clock->backward;
	stats->uncertainty_ns = profile_clock_duration(&profile->clock, clock->uncertainty);
	stats->has_residual = clock->has_residual;
	stats->residual_ns = profile_clock_duration(&profile->clock, clock->residual);
	/* The rate of the log's counter is that by which all times are computed. */
	if (clock->id == MPROF_CLOCK_LOG)
		stats->measured_millihertz = whole_or_unknown(profile->counters_per_second * 1e3);
	else
		store_rates(profile, clock, stats);
}

static size_t count_sample_kinds(const mprof_profile *profile)
{
	return profile->sample_kinds.kinds.count;
}

static void store_sample_kind(const mprof_profile *profile, size_t index, void *row)
{
	mprof_sample_kind_stats *stats = row;
	const sample_kind *kind = record_table_at(&profile->sample_kinds.kinds, index);

	stats->type = kind->type;
	stats->unit = kind->unit;
	stats->name = kind->name;
	stats->unit_name = kind->unit_name;
	stats->source = kind->source;
	stats->period = kind->period;
	stats->samples = kind->samples;
	stats->weight = kind->weight;
	stats->without_weight = kind->without_weight;
	stats->without_stack = kind->without_stack;
}

static size_t count_sample_groups(const mprof_profile *profile)
{
	return profile->sample_kinds.group_count;
}

static void store_sample_group(const mprof_profile *profile, size_t index, void *row)
{
	mprof_sample_group *stats = row;
	const sample_group *group = &profile->sample_kinds.groups[index];

	stats->type = group->type;
	stats->cpu = group->cpu;
	stats->thread = group->thread;
	stats->mode = group->mode;
	stats->samples = group->samples;
	stats->weight = group->weight;
}

static size_t count_code_ranges(const mprof_profile *profile)
{
	return profile->lists.code_places.count;
}

static void store_code_range(const mprof_profile *profile, size_t index, void *row)
{
	mprof_code_range_stats *stats = row;
	const code_place *place = &profile->lists.code_places.places[index];

	stats->id = place->range;
	stats->kind = place->kind;
	stats->method = place->method;
	stats->name = place->name;
	stats->address = place->address;
	stats->size = place->size;
	stats->start_ns = profile_clock_time(&profile->clock, place->start);
	stats->process = place->process;
	stats->has_end = place->has_end;
	if (place->has_end)
		stats->end_ns = profile_clock_time(&profile->clock, place->end);
}

static size_t count_metrics(const mprof_profile *profile)
{
	return profile->lists.metrics.records.count;
}

static const char *unit_of(const metric_record *metric)
{
	return (metric->flags & MPROF_METRIC_UNIT_MASK) == MPROF_METRIC_UNIT_NAMED && metric->unit != NULL
		       ? metric->unit
		       : mprof_metric_get_unit_name(metric->flags);
}

static void store_metric(const mprof_profile *profile, size_t index, void *row)
{
	mprof_metric_stats *stats = row;
	const metric_record *record = record_table_at(&profile->lists.metrics.records, index);

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

static size_t count_histograms(const mprof_profile *profile)
{
	return profile->lists.metrics.histogram_count;
}

static void store_histogram(const mprof_profile *profile, size_t index, void *row)
{
	mprof_histogram_stats *stats = row;
	const metric_record *record =
		record_table_find(&profile->lists.metrics.records, profile->lists.metrics.histograms[index]);
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

static size_t count_messages(const mprof_profile *profile)
{
	return profile->meanings.messages.count;
}

static void store_message(const mprof_profile *profile, size_t index, void *row)
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

static size_t count_waits(const mprof_profile *profile)
{
	return profile->event_types.waits.records.count;
}

static void store_wait(const mprof_profile *profile, size_t index, void *row)
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

static size_t count_generations(const mprof_profile *profile)
{
	return profile->meanings.collections.generation_count;
}

static void store_generation(const mprof_profile *profile, size_t index, void *row)
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

static size_t count_states(const mprof_profile *profile)
{
	return profile->meanings.states.count;
}

static void store_state(const mprof_profile *profile, size_t index, void *row)
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

static const profile_table tables[] = {
	PROFILE_TABLE(METRICS, mprof_metric_stats, count_metrics, store_metric),
	PROFILE_TABLE(PROCESSES, mprof_process_stats, count_processes, store_process),
	PROFILE_TABLE(TIMELINES, mprof_timeline_stats, count_timelines, store_timeline),
	PROFILE_TABLE(CLOCKS, mprof_clock_stats, count_clocks, store_clock),
	PROFILE_TABLE(SAMPLE_KINDS, mprof_sample_kind_stats, count_sample_kinds, store_sample_kind),
	PROFILE_TABLE(SAMPLE_GROUPS, mprof_sample_group, count_sample_groups, store_sample_group),
	PROFILE_TABLE(HISTOGRAMS, mprof_histogram_stats, count_histograms, store_histogram),
	PROFILE_TABLE(MESSAGES, mprof_message_stats, count_messages, store_message),
	PROFILE_TABLE(WAITS, mprof_wait_stats, count_waits, store_wait),
	PROFILE_TABLE(CODE_RANGES, mprof_code_range_stats, count_code_ranges, store_code_range),
	PROFILE_TABLE(GC_GENERATIONS, mprof_gc_generation, count_generations, store_generation),
	PROFILE_TABLE(THREAD_STATES, mprof_thread_state_stats, count_states, store_state),
};

const profile_table *description_rows_find(uint32_t table)
{
	return table >= 1 && table <= sizeof(tables) / sizeof(tables[0]) && tables[table - 1].count != NULL
		       ? &tables[table - 1]
		       : NULL;
}
