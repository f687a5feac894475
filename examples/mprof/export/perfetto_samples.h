/* SPDX-License-Identifier: MIT */
/**
 * \file export/perfetto_samples.h
 * \brief Samples, and samples of the kinds that the log describes, as StackSample packets of Perfetto, with call stacks
 * that are defined once.
 *
 * The frames are those of the report: functions that were inlined have frames of their own, and code without a known
 * function is the frame of its module.
 */
#ifndef EXPORT_PERFETTO_SAMPLES_H
#define EXPORT_PERFETTO_SAMPLES_H

#include "export/perfetto_packets.h"
#include "export/stack_nodes.h"
#include "export/walk_state.h"

typedef struct perfetto_samples {
	const log_report *report;
	stack_tree tree;    /**< The call stacks of all samples. */
	key_map stacks;     /**< Call stacks of the log: which node of the tree each is. */
	id_set frames;      /**< Frames of the tree that are defined. */
	id_set nodes;       /**< Nodes whose call stack is defined. */
	intern_table paths; /**< Of modules and source files. */
	uint64_t hits;      /**< The number of samples of no kind so far. */
	int has_time;       /**< Each of these has a time as its weight. */
} perfetto_samples;

/** The task that a sample is of, and its time in nanoseconds from the start of the log. */
typedef struct perfetto_task {
	uint64_t pid;
	uint64_t tid;
	uint64_t time;
} perfetto_task;

/** \p max_depth: see stack_tree::max_depth. Returns 0 if out of memory. Release it in both cases. */
int perfetto_samples_init(perfetto_samples *samples, const log_report *report, uint32_t max_depth);
void perfetto_samples_release(perfetto_samples *samples);

/** Writes a sample of no kind. */
void perfetto_samples_add(perfetto_samples *samples, perfetto_writer *writer, uint64_t thread, const mprof_event *event,
			  const perfetto_task *task);

/** Writes a sample of a kind: the kind is the counter that it was measured with. */
void perfetto_samples_add_kind(perfetto_samples *samples, perfetto_writer *writer, const walk_kind_sample *sample,
			       const perfetto_task *task);

#endif
