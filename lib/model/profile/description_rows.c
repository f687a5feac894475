/* SPDX-License-Identifier: MIT */
/* Rows of the tables of processes, timelines, clocks, kinds of samples and ranges of code. */
#include "model/profile/description_rows.h"

#include "model/profile/profile_internal.h"

size_t description_rows_count_processes(const mprof_profile *profile)
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

void description_rows_store_process(const mprof_profile *profile, size_t index, void *row)
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

size_t description_rows_count_timelines(const mprof_profile *profile)
{
	return profile->described.timeline_count;
}

void description_rows_store_timeline(const mprof_profile *profile, size_t index, void *row)
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

size_t description_rows_count_clocks(const mprof_profile *profile)
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

void description_rows_store_clock(const mprof_profile *profile, size_t index, void *row)
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

size_t description_rows_count_sample_kinds(const mprof_profile *profile)
{
	return profile->sample_kinds.kinds.count;
}

void description_rows_store_sample_kind(const mprof_profile *profile, size_t index, void *row)
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

size_t description_rows_count_sample_groups(const mprof_profile *profile)
{
	return profile->sample_kinds.group_count;
}

void description_rows_store_sample_group(const mprof_profile *profile, size_t index, void *row)
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

size_t description_rows_count_code_ranges(const mprof_profile *profile)
{
	return profile->code_places.count;
}

void description_rows_store_code_range(const mprof_profile *profile, size_t index, void *row)
{
	mprof_code_range_stats *stats = row;
	const code_place *place = &profile->code_places.places[index];

	stats->id = place->range;
	stats->kind = place->kind;
	stats->method = place->method;
	stats->name = place->name;
	stats->address = place->address;
	stats->size = place->size;
	stats->start_ns = profile_clock_time(&profile->clock, place->start);
	stats->has_end = place->has_end;
	if (place->has_end)
		stats->end_ns = profile_clock_time(&profile->clock, place->end);
}
