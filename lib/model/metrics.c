/* SPDX-License-Identifier: MIT */
/* Collects metrics and the extremes of their values. */
#include "model/metrics.h"

#include "model/text_copy.h"

#include <string.h>

void metrics_init(metric_list *all, const mprof_allocator *allocator)
{
	record_table_init(&all->records, allocator, sizeof(metric_record));
}

void metrics_destroy(metric_list *all)
{
	const mprof_allocator *allocator = id_map_allocator(&all->records.positions);

	for (size_t i = 0; i < all->records.count; i++) {
		metric_record *metric = record_table_at(&all->records, i);

		text_release(allocator, metric->section);
		text_release(allocator, metric->name);
	}
	record_table_destroy(&all->records);
}

int metric_list_define(metric_list *all, const mprof_record *record)
{
	metric_record *metric = record_table_get(&all->records, record->id);
	const mprof_allocator *allocator = id_map_allocator(&all->records.positions);
	char *section = metric != NULL ? text_copy(allocator, record->as.metric.section) : NULL;
	/* Nothing more is allocated after a refusal: the latest refusal determines whether the limit is the reason. */
	char *name = section != NULL ? text_copy(allocator, record->as.metric.name) : NULL;

	if (name == NULL) {
		text_release(allocator, section);
		return 0;
	}
	text_release(allocator, metric->section);
	text_release(allocator, metric->name);
	metric->section = section;
	metric->name = name;
	metric->flags = record->as.metric.flags;
	metric->thread = record->as.metric.thread;
	metric->measures = thread_metric_find(metric->flags, section, name);
	return 1;
}

static int metric_value_is_less(uint32_t flags, uint64_t left, uint64_t right)
{
	double left_double;
	double right_double;

	if (!(flags & MPROF_METRIC_FLAG_DOUBLE))
		return (int64_t)left < (int64_t)right;
	memcpy(&left_double, &left, sizeof(left_double));
	memcpy(&right_double, &right, sizeof(right_double));
	return left_double < right_double;
}

static void add_value(metric_record *metric, uint64_t value, uint64_t counter)
{
	if (metric->count == 0)
		metric->first = metric->minimum = metric->maximum = value;
	if (metric_value_is_less(metric->flags, value, metric->minimum))
		metric->minimum = value;
	if (metric_value_is_less(metric->flags, metric->maximum, value))
		metric->maximum = value;
	metric->last = value;
	metric->last_counter = counter;
	metric->count++;
}

int metric_list_skip_value(metric_list *all, const mprof_record *record, uint64_t counter)
{
	metric_record *metric = record_table_get(&all->records, record->id);

	if (metric == NULL)
		return 0;
	metric->latest = record->as.metric_value.value;
	metric->latest_counter = counter;
	metric->skipped++;
	return 1;
}

const metric_record *metric_list_add_value(metric_list *all, const mprof_record *record, uint64_t counter,
					   uint64_t *growth, uint64_t *previous)
{
	metric_record *metric = record_table_get(&all->records, record->id);
	uint64_t value = record->as.metric_value.value;

	if (metric == NULL)
		return NULL;
	*growth = metric->latest < value ? value - metric->latest : 0;
	*previous = metric->latest_counter;
	metric->latest = value;
	metric->latest_counter = counter;
	add_value(metric, value, counter);
	return metric;
}
