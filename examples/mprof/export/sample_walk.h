/* SPDX-License-Identifier: MIT */
/**
 * \file export/sample_walk.h
 * \brief Reads samples of the kinds that a log describes, for formats with single events.
 */
#ifndef EXPORT_SAMPLE_WALK_H
#define EXPORT_SAMPLE_WALK_H

#include "export/walk_state.h"

/** Whether the type of an event is a kind of samples. */
int sample_walk_has(const event_walk *walk, const mprof_event *event);

/**
 * Passes on a sample, unless its time is outside of the window, or its thread or its kind is not one that is exported.
 * \p thread is that of the block, which an argument may replace.
 */
void sample_walk_add(const event_walk *walk, uint64_t thread, const mprof_event *event);

#endif
