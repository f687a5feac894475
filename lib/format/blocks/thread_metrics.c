/* SPDX-License-Identifier: MIT */
/* The table of the metrics of threads. */
#include "format/blocks/thread_metrics.h"

#include <mprof/format.h>

#include <string.h>

#define GROWING_TIME (MPROF_METRIC_UNIT_TIME | MPROF_METRIC_FLAG_MONOTONIC | MPROF_METRIC_FLAG_THREAD)
#define GROWING_COUNT (MPROF_METRIC_UNIT_COUNT | MPROF_METRIC_FLAG_MONOTONIC | MPROF_METRIC_FLAG_THREAD)

const thread_metric_definition thread_metrics[THREAD_METRIC_COUNT] = {
	[THREAD_WALL_TIME] = {"wall time", GROWING_TIME},
	[THREAD_CPU_TIME] = {"cpu time", GROWING_TIME},
	[THREAD_READY_TIME] = {"ready time", GROWING_TIME},
	[THREAD_YIELDS] = {"voluntary switches", GROWING_COUNT},
	[THREAD_PREEMPTIONS] = {"involuntary switches", GROWING_COUNT},
};

thread_metric thread_metric_find(uint32_t flags, const char *section, const char *name)
{
	if ((flags & MPROF_METRIC_FLAG_THREAD) == 0 || strcmp(section, THREAD_METRIC_SECTION) != 0)
		return THREAD_METRIC_NONE;
	for (int metric = 0; metric < THREAD_METRIC_COUNT; metric++) {
		if (strcmp(name, thread_metrics[metric].name) == 0)
			return (thread_metric)metric;
	}
	return THREAD_METRIC_NONE;
}
