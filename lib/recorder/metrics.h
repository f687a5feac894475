/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/metrics.h
 * \brief Figures of the runtime on their way into the log. All of this is the writer thread's.
 *
 * Definitions wait for the next values, or for the end of the messages at hand, to share a block.
 */
#ifndef RECORDER_METRICS_H
#define RECORDER_METRICS_H

#include <mprof/recorder.h>

#include "recorder/message_queue.h"
#include "recorder/output.h"

/** The value of a metric in the log. */
typedef struct metric_state {
	uint64_t value;
	int has_value;
} metric_state;

typedef struct metric_table {
	mprof_allocator allocator;
	const mprof_allocator *messages; /**< Of messages. */
	recorder_output *output;
	metric_state *states; /**< By ID - 1. */
	size_t capacity;
	message *waiting;      /**< Definitions that are not in the log yet, the oldest first. */
	message *newest;       /**< The last of them. */
	message *written;      /**< Definitions that are in the log, which may not be committed yet. */
	mprof_record *records; /**< Room for a block. */
	size_t record_capacity;
} metric_table;

/** \p messages: the allocator of messages; borrowed. Takes no memory yet. */
void metric_table_init(metric_table *metrics, const mprof_allocator *allocator, const mprof_allocator *messages,
		       recorder_output *output);
void metric_table_destroy(metric_table *metrics);

/** Takes a definition; the message is the table's from now on. */
void metrics_define(metric_table *metrics, message *defined);

/** Writes those of the values that are not as before. */
void metrics_write_values(metric_table *metrics, const message *taken);

/** Releases definitions that were written. To be called after salvage_commit(). */
void metrics_release_written(metric_table *metrics);

/** Writes the definitions that wait. */
void metrics_write_definitions(metric_table *metrics);

#endif
