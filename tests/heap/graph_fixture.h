/* SPDX-License-Identifier: MIT */
/**
 * \file graph_fixture.h
 * \brief Makes logs of heap snapshots in memory, and their graphs.
 */
#ifndef HEAP_GRAPH_FIXTURE_H
#define HEAP_GRAPH_FIXTURE_H

#include <mprof/heap.h>
#include <mprof/writer.h>

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

/** Classes 1 to 9 are defined. */
#define DEFINED_CLASSES 9

#define WHOLE_SNAPSHOT (MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST)

typedef struct heap_log {
	mprof_writer *writer;
	uint64_t counter; /**< Value of the clock: nanoseconds. */
	uint8_t *bytes;
	size_t length;
	mprof_reader *reader;
	mprof_heap_graph *graph;
} heap_log;

/** The content of a HEAP_DATA block. */
typedef struct heap_content {
	mprof_event *events;
	mprof_event_detail *details;
	size_t count;
	size_t capacity;
} heap_content;

static inline void *require(void *memory)
{
	cr_assert_not_null(memory);
	return memory;
}

static inline void heap_log_clock(void *user, mprof_clock *clock)
{
	const heap_log *log = user;

	clock->counter = log->counter;
	clock->time = log->counter / 1000;
}

static inline void heap_log_begin(heap_log *log, mprof_dialect dialect)
{
	mprof_writer_options options;

	memset(log, 0, sizeof(*log));
	log->counter = 1000000;
	mprof_writer_options_init(&options, sizeof(options));
	options.dialect = dialect;
	options.clock = heap_log_clock;
	options.clock_user = log;
	options.runtime = "test";
	if (dialect == MPROF_DIALECT_MPROF2)
		options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_REFERENCE_OFFSETS);
	cr_assert_eq(mprof_writer_open_memory(&options, &log->writer), MPROF_OK);
	for (uint32_t id = 1; id <= DEFINED_CLASSES; id++) {
		char name[3] = {'c', (char)('0' + id), '\0'};
		mprof_class_definition definition = {sizeof(definition), id, 0, name, 2, 0, 0};

		cr_assert_eq(mprof_writer_define_class(log->writer, &definition), MPROF_OK);
	}
}

static inline mprof_event_detail *heap_append(heap_content *heap, uint32_t kind, uint32_t id, uint64_t value,
					      uint64_t object)
{
	mprof_event *event;
	mprof_event_detail *detail;

	if (heap->count == heap->capacity) {
		heap->capacity = heap->capacity * 2 + 16;
		heap->events = require(realloc(heap->events, heap->capacity * sizeof(*heap->events)));
		heap->details = require(realloc(heap->details, heap->capacity * sizeof(*heap->details)));
	}
	event = &heap->events[heap->count];
	detail = &heap->details[heap->count++];
	memset(event, 0, sizeof(*event));
	memset(detail, 0, sizeof(*detail));
	detail->struct_size = sizeof(*detail);
	detail->object = object;
	event->kind = (uint8_t)kind;
	event->id = id;
	event->value = value;
	return detail;
}

/** References must stay valid until the block is written. \p offsets may be NULL. */
static inline void heap_append_object(heap_content *heap, uint64_t object, uint32_t class_id, uint64_t bytes,
				      const uint64_t *references, const uint64_t *offsets, uint32_t count)
{
	mprof_event_detail *detail = heap_append(heap, MPROF_EVENT_HEAP_OBJECT, class_id, bytes, object);

	detail->references = references;
	detail->offsets = offsets;
	detail->reference_count = count;
}

static inline void heap_append_root(heap_content *heap, uint64_t object, mprof_root_kind kind)
{
	heap_append(heap, MPROF_EVENT_HEAP_ROOT, 0, kind, object);
}

static inline void heap_write(heap_log *log, heap_content *heap, uint32_t number, uint32_t flags, uint64_t counter)
{
	for (size_t i = 0; i < heap->count; i++)
		heap->events[i].more.detail = &heap->details[i];
	cr_assert_eq(mprof_writer_write_heap(log->writer, number, flags, counter, heap->events, heap->count), MPROF_OK);
	free(heap->events);
	free(heap->details);
	memset(heap, 0, sizeof(*heap));
}

/** Keeps the written log; it has END unless \p is_truncated. */
static inline void heap_log_close(heap_log *log, int is_truncated)
{
	const uint8_t *bytes;

	log->counter += 1000000;
	cr_assert_eq(is_truncated ? mprof_writer_flush(log->writer) : mprof_writer_close(log->writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(log->writer, &bytes, &log->length), MPROF_OK);
	log->bytes = require(malloc(log->length));
	memcpy(log->bytes, bytes, log->length);
	mprof_writer_destroy(log->writer);
	log->writer = NULL;
}

/** Reads a closed log. Returns the result of mprof_heap_graph_read(). */
static inline mprof_status heap_log_read(heap_log *log, const mprof_heap_graph_options *options)
{
	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &log->reader), MPROF_OK);
	cr_assert_eq(mprof_heap_graph_create(options, &log->graph), MPROF_OK);
	return mprof_heap_graph_read(log->graph, log->reader, NULL, NULL);
}

static inline void heap_log_forget(heap_log *log)
{
	mprof_heap_graph_destroy(log->graph);
	mprof_reader_destroy(log->reader);
	log->graph = NULL;
	log->reader = NULL;
}

static inline void heap_log_release(heap_log *log)
{
	heap_log_forget(log);
	free(log->bytes);
}

static inline mprof_heap_graph_totals totals_of(const heap_log *log)
{
	mprof_heap_graph_totals totals;

	memset(&totals, 0xff, sizeof(totals));
	totals.struct_size = sizeof(totals);
	cr_assert_eq(mprof_heap_graph_get_totals(log->graph, &totals), MPROF_OK);
	return totals;
}

static inline mprof_heap_snapshot snapshot_at(const heap_log *log, size_t index)
{
	mprof_heap_snapshot snapshot;

	memset(&snapshot, 0xff, sizeof(snapshot));
	snapshot.struct_size = sizeof(snapshot);
	cr_assert_eq(mprof_heap_graph_get_snapshot(log->graph, index, &snapshot), MPROF_OK);
	return snapshot;
}

static inline mprof_heap_object object_at(const heap_log *log, uint32_t object)
{
	mprof_heap_object stats;

	memset(&stats, 0xff, sizeof(stats));
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_heap_graph_get_object(log->graph, object, &stats), MPROF_OK);
	return stats;
}

static inline mprof_heap_class class_at(const heap_log *log, size_t index)
{
	mprof_heap_class stats;

	memset(&stats, 0xff, sizeof(stats));
	stats.struct_size = sizeof(stats);
	cr_assert_eq(mprof_heap_graph_get_class(log->graph, index, &stats), MPROF_OK);
	return stats;
}

static inline mprof_heap_graph_options options_for(uint32_t snapshot)
{
	mprof_heap_graph_options options;

	mprof_heap_graph_options_init(&options, sizeof(options));
	options.snapshot = snapshot;
	return options;
}

#endif
