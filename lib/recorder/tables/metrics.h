/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/tables/metrics.h
 * \brief Writes definitions and values of metrics to the log. Owner: the writer thread.
 *
 * Definitions stay pending until the next values, or the end of the batch of messages, to share a block.
 */
#ifndef RECORDER_TABLES_METRICS_H
#define RECORDER_TABLES_METRICS_H

#include <mprof/recorder.h>

#include "recorder/queues/message_queue.h"
#include "recorder/tables/output.h"

/** The value of a metric in the log. */
typedef struct metric_state {
	uint64_t value;
	int has_value;
} metric_state;

typedef struct metric_table {
	mprof_allocator allocator;
	const mprof_allocator *messages; /**< The allocator of messages. */
	recorder_output *output;
	metric_state *states; /**< By ID - 1. */
	size_t capacity;
	message *waiting;      /**< Definitions that are not in the log yet, the oldest first. */
	message *newest;       /**< The last of them. */
	message *written;      /**< Definitions that are in the log, which may not be committed yet. */
	mprof_record *records; /**< The records of a block. */
	size_t record_capacity;
} metric_table;

/** \p messages: the allocator of messages; borrowed. Allocates no memory yet. */
void metric_table_init(metric_table *metrics, const mprof_allocator *allocator, const mprof_allocator *messages,
		       recorder_output *output);
void metric_table_destroy(metric_table *metrics);

/** Adds a definition. The table owns the message from now on. */
void metrics_define(metric_table *metrics, message *defined);

/** Writes those of the values that have changed. */
void metrics_write_values(metric_table *metrics, const mprof_metric_value *values, size_t count);

/** Releases definitions that were written. Call it after salvage_commit(). */
void metrics_release_written(metric_table *metrics);

/** Writes the pending definitions. */
void metrics_write_definitions(metric_table *metrics);

#endif
