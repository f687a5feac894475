/* SPDX-License-Identifier: MIT */
/**
 * \file convert/copy_events.h
 * \brief Copies EVENTS blocks.
 */
#ifndef CONVERT_COPY_EVENTS_H
#define CONVERT_COPY_EVENTS_H

#include <mprof/convert.h>

#include "convert/converter_internal.h"

/** Translates a batch of events. Returns 0 if there is no memory. */
int merge_translate_events(mprof_converter *converter, size_t count);

/** Converts counters and durations of events, apart from those in their details. */
void resolution_convert_events(const copy_resolution *resolution, mprof_event *events, size_t count);

/** Releases the stacks that are not a thread's own. */
void switches_release(mprof_converter *converter);

/** Copies an EVENTS block. The block of the copy may stay open, so that the next one of the thread continues it. */
mprof_status copy_events(mprof_converter *converter, const mprof_block *block);

/** Ends the open block of the copy, if there is one, before anything but events is written. */
mprof_status copy_events_end(mprof_converter *converter);

/** Copies a TYPED block. */
mprof_status copy_typed(mprof_converter *converter, const mprof_block *block);

#endif
