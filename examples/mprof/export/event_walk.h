/* SPDX-License-Identifier: MIT */
/**
 * \file export/event_walk.h
 * \brief Reads the events of a log in their order and follows the calls of each thread, for formats with single events.
 *
 * The calls are those of mprof report: a leave closes the calls above its own, a leave without a call is ignored, and
 * calls that are open at the end of the log, or of their thread, end there. Memory depends on the number of threads and
 * on the depth of their stacks, not on the number of events.
 */
#ifndef EXPORT_EVENT_WALK_H
#define EXPORT_EVENT_WALK_H

#include "export/walk_state.h"

/**
 * Reads the log of a job once more after \p report was read, and passes its events to the sink. Returns #STATUS_OK, or
 * #STATUS_NOTHING after a message. Call event_walk_release() in both cases.
 */
int event_walk_run(event_walk *walk, const export_job *job, const log_report *report, const walk_sink *sink,
		   void *user);
void event_walk_release(event_walk *walk);

/** A thread by its ID; NULL if it has no events. */
walk_thread *event_walk_thread(const event_walk *walk, uint64_t id);

/** Prints on standard error which calls were left out. */
void event_walk_print_left_out(const event_walk *walk);

#endif
