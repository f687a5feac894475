/* SPDX-License-Identifier: MIT */
/**
 * \file model/metrics.h
 * \brief Metrics: numbers that the runtime maintains, with their first, last, minimum and maximum values.
 */
#ifndef MODEL_METRICS_H
#define MODEL_METRICS_H

#include "format/thread_metrics.h"
#include "model/record_table.h"

#include <mprof/format.h>

/** Values are stored as in mprof_metric_value_record::value. */
typedef struct metric_record {
	uint32_t id;
	uint32_t flags;
	char *section; /**< NULL before the metric is defined, as is name. */
	char *name;
	uint64_t count;
	uint64_t first;
	uint64_t last;
	uint64_t minimum;
	uint64_t maximum;
	uint64_t last_counter;
	uint64_t latest; /**< The latest value, also one from before the window, like the next field. */
	uint64_t latest_counter;
	uint64_t skipped;       /**< Number of values from before the window. */
	uint64_t thread;        /**< The thread that it belongs to, if flags has #MPROF_METRIC_FLAG_THREAD. */
	thread_metric measures; /**< What it measures of that thread; #THREAD_METRIC_NONE if the format does not define
	                             it, or it is not defined yet. */
} metric_record;

typedef struct metric_list {
	record_table records;
} metric_list;

void metrics_init(metric_list *all, const mprof_allocator *allocator);
void metrics_destroy(metric_list *all);

/** Adds the definition of a metric. Returns 0 if there is no memory. */
int metric_list_define(metric_list *all, const mprof_record *record);

/**
 * Notes a value from before the window: the first value inside has grown since then. Returns 0 if there is no memory.
 */
int metric_list_skip_value(metric_list *all, const mprof_record *record, uint64_t counter);

/**
 * Adds a value of a METRICS block written at \p counter. \p growth receives its increase over the previous value, 0 if
 * it has not increased. \p previous receives the counter of that value. Returns the metric, valid until the next
 * call, or NULL if there is no memory.
 */
const metric_record *metric_list_add_value(metric_list *all, const mprof_record *record, uint64_t counter,
					   uint64_t *growth, uint64_t *previous);

#endif
