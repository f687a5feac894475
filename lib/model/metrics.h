/* SPDX-License-Identifier: MIT */
/**
 * \file model/metrics.h
 * \brief Metrics: numbers that the runtime maintains, with their first, last, minimum and maximum values.
 */
#ifndef MODEL_METRICS_H
#define MODEL_METRICS_H

#include "model/record_table.h"

#include <mprof/format.h>

/** Values are as in mprof_record::value. */
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
} metric_record;

typedef struct metric_list {
	record_table records;
} metric_list;

void metrics_init(metric_list *all, const mprof_allocator *allocator);
void metrics_destroy(metric_list *all);

/** Adds a record of a METRICS block written at \p counter. Returns 0 if there is no memory. */
int metrics_add(metric_list *all, const mprof_record *record, uint64_t counter);

#endif
