/* SPDX-License-Identifier: MIT */
/**
 * \file export/perfetto_samples.h
 * \brief Samples in a Perfetto trace.
 */
#ifndef PERFETTO_SAMPLES_H
#define PERFETTO_SAMPLES_H

#include "export/event_walk.h"
#include "export/perfetto_packets.h"

/** What is defined in the main sequence. */
typedef struct perfetto_samples {
	id_set methods;   /**< Frames of methods. */
	id_set locations; /**< Frames of native code. */
	id_set stacks;    /**< Call stacks by ID. */
	id_set method_stacks;
	id_set location_stacks;
} perfetto_samples;

/** Writes a sample of a thread. */
void perfetto_write_sample(perfetto_samples *samples, perfetto_writer *writer, const event_walk *walk,
			   const mprof_event *event, uint64_t pid, uint64_t tid, uint64_t time);

void perfetto_samples_release(perfetto_samples *samples);

#endif
