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
	event_walk *walk;
	key_map tracks;       /**< That are described. */
	intern_table texts;   /**< Of messages. */
	intern_table sources; /**< What wrote them. */
} perfetto_spans;

/** The thread of a span or of another event. */
typedef struct perfetto_span_position {
	uint64_t thread;  /**< Its ID in the log. */
	uint64_t track;   /**< The track that events of the thread are on, or below. */
	uint64_t process; /**< The track of its process. */
	int is_thread;    /**< It is a thread of a program: the reader has messages of these alone. */
} perfetto_span_position;

/**
 * Writes the start or the end of a span. Those that any thread may end are below the process.
 */
void perfetto_spans_begin(perfetto_spans *spans, const perfetto_span_position *position, const walk_span *span);
void perfetto_spans_end(perfetto_spans *spans, const walk_span *span);

/** Writes an event without a duration on the track of the thread. */
void perfetto_spans_instant(perfetto_spans *spans, const perfetto_span_position *position, const walk_span *event);

void perfetto_spans_release(perfetto_spans *spans);

#endif
