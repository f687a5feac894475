/* SPDX-License-Identifier: MIT */
/**
 * \file export/perfetto_samples.h
 * \brief Samples of a Perfetto trace, with call stacks and frames that are defined once.
 *
 * The frames are those of the report: functions that were inlined have frames of their own, and code without a known
 * function is the frame of its module.
 */
#ifndef PERFETTO_SAMPLES_H
#define PERFETTO_SAMPLES_H

#include "export/intern.h"
#include "export/perfetto_packets.h"
#include "export/stack_nodes.h"

typedef struct perfetto_samples {
	const log_report *report;
	stack_tree tree;    /* The call stacks of all samples. */
	key_map stacks;     /* Call stacks of the log: which node of the tree each is. */
	id_set frames;      /* Frames of the tree that are defined. */
	id_set nodes;       /* Nodes whose call stack is defined. */
	intern_table paths; /* Of modules and source files. */
	uint64_t hits;      /* The number of samples so far. */
	int has_time;       /* Each sample has a time as its weight. */
} perfetto_samples;

/** \p max_depth: see stack_tree::max_depth. Returns 0 if out of memory. Release it in both cases. */
int perfetto_samples_init(perfetto_samples *samples, const log_report *report, uint32_t max_depth);

/** Writes a sample. */
void perfetto_write_sample(perfetto_samples *samples, perfetto_writer *writer, const mprof_event *event, uint64_t pid,
			   uint64_t tid, uint64_t time);

void perfetto_samples_release(perfetto_samples *samples);

#endif
