/* SPDX-License-Identifier: MIT */
/**
 * \file export/perfetto_spans.h
 * \brief Spans and other events that the program describes, as slices and instants of Perfetto with arguments and
 * flows. Messages of the program are in the log of the viewer as well.
 */
#ifndef EXPORT_PERFETTO_SPANS_H
#define EXPORT_PERFETTO_SPANS_H

#include "export/perfetto_packets.h"
#include "export/walk_state.h"

/** Initialized with 0, apart from the first two. */
typedef struct perfetto_spans {
	perfetto_writer *writer;
	const event_walk *walk;
	key_map tracks;       /**< That are described. */
	intern_table texts;   /**< Of messages. */
	intern_table sources; /**< What wrote them. */
} perfetto_spans;

/**
 * Writes the start or the end of a span. \p thread is the track of its thread, \p process that of the process, below
 * which are spans that any thread may end.
 */
void perfetto_spans_begin(perfetto_spans *spans, uint64_t thread, uint64_t process, const walk_span *span);
void perfetto_spans_end(perfetto_spans *spans, const walk_span *span);

/**
 * Writes an event without a duration on a track. The reader has messages of threads alone: \p is_thread states whether
 * the track belongs to one.
 */
void perfetto_spans_instant(perfetto_spans *spans, uint64_t track, const walk_span *event, int is_thread);

void perfetto_spans_release(perfetto_spans *spans);

#endif
