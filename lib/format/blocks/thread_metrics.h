/* SPDX-License-Identifier: MIT */
/**
 * \file format/blocks/thread_metrics.h
 * \brief The metrics of single threads that the format defines (doc/format.md, 3.15).
 */
#ifndef FORMAT_BLOCKS_THREAD_METRICS_H
#define FORMAT_BLOCKS_THREAD_METRICS_H

#include <stdint.h>

/** What a metric of a thread measures. All values start at 0 when the thread is attached. */
typedef enum thread_metric {
	THREAD_WALL_TIME,    /**< Time in which it existed. */
	THREAD_CPU_TIME,     /**< Time in which it ran. */
	THREAD_READY_TIME,   /**< Time in which it waited for a processor. */
	THREAD_YIELDS,       /**< Context switches because it blocked or yielded. */
	THREAD_PREEMPTIONS,  /**< Context switches because the system ran another thread in its place. */
	THREAD_METRIC_COUNT, /**< Number of metrics. */
	THREAD_METRIC_NONE = THREAD_METRIC_COUNT /**< Any other metric. */
} thread_metric;

/** How a metric is defined in a log. */
typedef struct thread_metric_definition {
	const char *name;
	uint32_t flags; /**< Of mprof_metric_record. */
} thread_metric_definition;

/** The section that the metrics are defined in. */
#define THREAD_METRIC_SECTION "thread"

/** The definitions, by #thread_metric. */
extern const thread_metric_definition thread_metrics[THREAD_METRIC_COUNT];

/** Finds what a metric of a log measures, by its definition; #THREAD_METRIC_NONE if the format does not define it. */
thread_metric thread_metric_find(uint32_t flags, const char *section, const char *name);

#endif
