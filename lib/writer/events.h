/* SPDX-License-Identifier: MIT */
/**
 * \file writer/events.h
 * \brief Writes EVENTS blocks: events in rows or columns, with the stack sections before them.
 */
#ifndef WRITER_EVENTS_H
#define WRITER_EVENTS_H

#include <mprof/writer.h>

#include "codec/packer.h"
#include "format/events/events_encode.h"
#include "format/values/encode_buffer.h"
#include "writer/log_index.h"

/**
 * Collects the events of a block in columns, apart from the writer, which writes them later.
 *
 * A collector does not check the IDs of events: the definitions of all of them must be in the log, or handed to the
 * writer, before writer_put_collected(). So they may be assigned while events are collected.
 */
typedef struct event_collector {
	event_columns columns;
	event_encoder encoder; /**< Counts the events and keeps the counter of the last one. */
	encode_buffer content; /**< The encoded columns. */
	codec_packer packer;   /**< As that of the writer, for the thread that encodes. */
	encode_buffer packed;  /**< The columns with their lengths, compressed. Empty if they are not. */
	size_t columns_length; /**< Their length in content, which is all of it but the number of events. */
	uint64_t thread;       /**< Of the block. */
	uint64_t base_counter;
	uint64_t latest_counter; /**< The latest of the events that have a counter; at least base_counter. */
	int goes_back;           /**< An event is earlier than the base counter. */
	block_calls calls;       /**< Set by the caller. */
	int is_ready;            /**< The encoder has the rules of the log. */
	uint64_t directives;     /**< The directives that those are for. */
} event_collector;

/** Initializes a collector without memory. \p allocator is copied. */
void event_collector_init(event_collector *collector, const mprof_allocator *allocator);
void event_collector_destroy(event_collector *collector);

/** Begins a block of a log that has columns: removes all events. The writer is only read. */
void event_collector_begin(event_collector *collector, const mprof_writer *writer, uint64_t thread,
			   uint64_t base_counter);

/** Notes the counter of an event that was added, as it is in the log. */
static inline void event_collector_note_counter(event_collector *collector, uint64_t counter)
{
	if ((int64_t)(counter - collector->latest_counter) > 0)
		collector->latest_counter = counter;
	else if ((int64_t)(counter - collector->base_counter) < 0)
		collector->goes_back = 1;
}

/** Notes the counters of \p count events: the first one is \p last plus the first time, and so on. */
void event_collector_note_times(event_collector *collector, uint64_t last, const uint64_t *times, size_t count);

/**
 * Encodes and compresses the events that were collected. Takes no notice of the writer. Returns #MPROF_OK, or why that
 * failed.
 */
mprof_status event_collector_encode(event_collector *collector);

/** Whether the log of a writer has columns. */
int writer_has_columns(const mprof_writer *writer);

/** Writes the definitions that are pending, and the block of the events that event_collector_encode() encoded. */
mprof_status writer_put_collected(mprof_writer *writer, const event_collector *collector);

/** The state that EVENTS blocks need from one to the next. */
void writer_events_init(mprof_writer *writer);
void writer_events_destroy(mprof_writer *writer);

#endif
