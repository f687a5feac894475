/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain/messages.h
 * \brief Applies messages on the writer thread, and writes the metrics that they define and measure.
 */
#ifndef RECORDER_DRAIN_MESSAGES_H
#define RECORDER_DRAIN_MESSAGES_H

#include "recorder/drain/drain_state.h"

/**
 * Applies what threads have pushed so far. Call it after determining what to drain and before looking up its keys:
 * their definitions were pushed before the slots were published.
 */
void messages_process(recorder_drain *drain);

/** \p messages: the allocator of messages; borrowed. Allocates no memory yet. */
void metric_table_init(metric_table *metrics, const mprof_allocator *allocator, const mprof_allocator *messages,
		       recorder_output *output);
void metric_table_destroy(metric_table *metrics);

/** Writes those of the values that have changed. */
void metrics_write_values(metric_table *metrics, const mprof_metric_value *values, size_t count);

#endif
