/* SPDX-License-Identifier: MIT */
/* Writes heap blocks, and collects the snapshots that are one block in the dialects of Mono. */
#include "writer/heap.h"

#include "format/blocks/heap_records.h"
#include "format/events/event_check.h"
#include "format/values/losses.h"
#include "writer/errors.h"
#include "writer/put_block.h"
#include "writer/writer_internal.h"

#include <string.h>

static void open_snapshot(mprof_writer *writer, uint32_t number, uint64_t counter)
{
	heap_snapshot *snapshot = &writer->snapshot;

	writer_read_clock(writer, &snapshot->start);
	snapshot->start.counter = counter;
	snapshot->number = number;
	snapshot->is_open = 1;
}

/* Moves the last object to the items. Call heap_snapshot_reserve() before. */
static void heap_snapshot_finish(heap_snapshot *snapshot)
{
	const heap_snapshot_object *object = &snapshot->object;

	if (!object->is_there)
		return;
	heap_item_encode_object(&snapshot->items, object->address, object->class_id, object->size,
				object->reference_count);
	encode_bytes(&snapshot->items, snapshot->references.bytes, snapshot->references.length);
	encode_buffer_clear(&snapshot->references);
	snapshot->object.is_there = 0;
}

/* Writes the contents collected so far. If writing fails they are discarded. */
static mprof_status put_snapshot(mprof_writer *writer)
{
	heap_snapshot *snapshot = &writer->snapshot;
	heap_items_header header = {.snapshot_start = snapshot->start,
				    .number = writer_collection_number(writer, snapshot->number)};
	mprof_clock end;
	mprof_status status;

	heap_snapshot_finish(snapshot);
	writer_read_clock(writer, &header.snapshot_end);
	writer_read_clock(writer, &header.start);
	heap_items_encode(&writer->block, &writer->encoding, &header, &snapshot->items);
	writer_read_clock(writer, &end);
	heap_items_encode_end(&writer->block, &end);
	status = writer_put_block(writer);
	if (status == MPROF_OK)
		writer->stats.events += snapshot->count;
	else if (writer->is_full)
		writer->refused_events += snapshot->count;
	snapshot->count = 0;
	encode_buffer_clear(&snapshot->items);
	return status;
}

/* Removes all contents and closes the snapshot. */
static void heap_snapshot_clear(heap_snapshot *snapshot)
{
	encode_buffer_clear(&snapshot->items);
	encode_buffer_clear(&snapshot->references);
	snapshot->object.is_there = 0;
	snapshot->is_open = 0;
}

mprof_status writer_end_snapshot(mprof_writer *writer)
{
	mprof_status status;

	if (!writer->snapshot.is_open)
		return MPROF_OK;
	status = put_snapshot(writer);
	heap_snapshot_clear(&writer->snapshot);
	return status;
}

static void count_as_shortened(heap_snapshot *snapshot, const mprof_event *event)
{
	if (snapshot->lossy)
		losses_shorten_event(snapshot->stats, event->kind);
}

static uint32_t size_of(heap_snapshot *snapshot, const mprof_event *event)
{
	if (event->value <= UINT32_MAX)
		return (uint32_t)event->value;
	count_as_shortened(snapshot, event);
	return UINT32_MAX;
}

static void add_references(heap_snapshot *snapshot, const mprof_event_detail *detail)
{
	heap_item_encode_references(&snapshot->references, detail->references, detail->reference_count);
	snapshot->object.reference_count += detail->reference_count;
}

static void add_object(heap_snapshot *snapshot, const mprof_event *event)
{
	mprof_event_detail copy;
	const mprof_event_detail *detail = event_detail_complete(event, &copy);

	heap_snapshot_finish(snapshot);
	if (!heap_item_address_fits(detail->object))
		count_as_shortened(snapshot, event);
	snapshot->object.address = detail->object;
	snapshot->object.class_id = event->id;
	snapshot->object.size = size_of(snapshot, event);
	snapshot->object.reference_count = 0;
	snapshot->object.is_there = 1;
	snapshot->count++;
	add_references(snapshot, detail);
}

static void add_free(heap_snapshot *snapshot, const mprof_event *event)
{
	mprof_event_detail copy;
	const mprof_event_detail *detail = event_detail_complete(event, &copy);

	heap_snapshot_finish(snapshot);
	if (detail->object != 0)
		count_as_shortened(snapshot, event);
	snapshot->count++;
	heap_item_encode_dead(&snapshot->items, event->id, size_of(snapshot, event));
}

/* Adds an event, or leaves it out and counts it. Call heap_snapshot_reserve() before. */
static void heap_snapshot_add(heap_snapshot *snapshot, const mprof_event *event)
{
	mprof_event_detail copy;

	if (event->kind == MPROF_EVENT_HEAP_OBJECT)
		add_object(snapshot, event);
	else if (event->kind == MPROF_EVENT_HEAP_FREE)
		add_free(snapshot, event);
	else if (event->kind == MPROF_EVENT_HEAP_REFERENCES && snapshot->object.is_there)
		add_references(snapshot, event_detail_complete(event, &copy));
	else if (snapshot->lossy)
		losses_leave_out_event(snapshot->stats, event->kind);
}

/* Adds events to the open snapshot. A snapshot that grows too long is written in several blocks. */
static mprof_status add_events(mprof_writer *writer, const mprof_event *events, size_t count)
{
	heap_snapshot *snapshot = &writer->snapshot;

	for (size_t i = 0; i < count; i++) {
		if (heap_snapshot_length(snapshot) >= writer->max_snapshot_length &&
		    events[i].kind != MPROF_EVENT_HEAP_REFERENCES) {
			mprof_status status = put_snapshot(writer);

			if (status != MPROF_OK)
				return status;
		}
		heap_snapshot_add(snapshot, &events[i]);
	}
	return MPROF_OK;
}

static int has_any_snapshot_event(const mprof_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (heap_snapshot_has(events[i].kind))
			return 1;
	}
	return 0;
}

static int has_only_snapshot_events(const mprof_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!heap_snapshot_has(events[i].kind))
			return 0;
	}
	return 1;
}

/* Adds events to the open snapshot, which is discarded if they cannot be written. */
static mprof_status fill_snapshot(mprof_writer *writer, uint32_t flags, const mprof_event *events, size_t count)
{
	mprof_status status = add_events(writer, events, count);

	if (status != MPROF_OK)
		heap_snapshot_clear(&writer->snapshot);
	else if ((flags & MPROF_HEAP_FLAG_INCOMPLETE) != 0)
		writer_shorten_block(writer, MPROF_BLOCK_HEAP_DATA);
	return status;
}

/* Writes events that belong to no snapshot as a block of their own. */
static mprof_status write_block_of_events(mprof_writer *writer, uint32_t number, uint32_t flags, uint64_t counter,
					  const mprof_event *events, size_t count)
{
	mprof_status status = writer_end_snapshot(writer);

	if (status != MPROF_OK)
		return status;
	/* There is nothing to write: adding the events only counts them as left out. */
	if (count > 0 && !has_any_snapshot_event(events, count))
		return add_events(writer, events, count);
	open_snapshot(writer, number, counter);
	status = fill_snapshot(writer, flags, events, count);
	return status == MPROF_OK ? writer_end_snapshot(writer) : status;
}

/* Starts, continues or ends a snapshot. */
static mprof_status extend_snapshot(mprof_writer *writer, uint32_t number, uint32_t flags, uint64_t counter,
				    const mprof_event *events, size_t count)
{
	mprof_status status = MPROF_OK;

	if ((flags & MPROF_HEAP_FLAG_FIRST) != 0)
		status = writer_end_snapshot(writer);
	if (status != MPROF_OK)
		return status;
	if (!writer->snapshot.is_open)
		open_snapshot(writer, number, counter);
	status = fill_snapshot(writer, flags, events, count);
	if (status == MPROF_OK && (flags & MPROF_HEAP_FLAG_LAST) != 0)
		status = writer_end_snapshot(writer);
	return status;
}

static size_t references_of(const mprof_event *event)
{
	mprof_event_detail copy;
	int has_references = event->kind == MPROF_EVENT_HEAP_OBJECT || event->kind == MPROF_EVENT_HEAP_REFERENCES;

	return has_references ? event_detail_complete(event, &copy)->reference_count : 0;
}

/* Makes room for events that were checked. Returns 0 if out of memory. */
static int heap_snapshot_reserve(heap_snapshot *snapshot, const mprof_event *events, size_t count)
{
	size_t references = 0;

	for (size_t i = 0; i < count; i++)
		references += references_of(&events[i]);
	references *= MPROF_VARINT_MAX_LENGTH;
	if (encode_buffer_reserve(&snapshot->references, references) &&
	    encode_buffer_reserve(&snapshot->items,
				  snapshot->references.length + references + (count + 1) * HEAP_ITEM_ROOM))
		return 1;
	snapshot->references.status = MPROF_OK;
	snapshot->items.status = MPROF_OK;
	return 0;
}

/* As mprof_writer_write_heap(), for events that were checked. The caller has written the pending definitions. */
static mprof_status writer_add_to_snapshot(mprof_writer *writer, uint32_t number, uint32_t flags, uint64_t counter,
					   const mprof_event *events, size_t count)
{
	int is_delimited = (flags & (MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST)) != 0;
	int is_continued = number != 0 && writer->snapshot.is_open;

	if (!writer->lossy && !has_only_snapshot_events(events, count))
		return writer_refuse(writer, MPROF_ERR_UNSUPPORTED, "the dialect has no roots and no moves");
	if (!heap_snapshot_reserve(&writer->snapshot, events, count))
		return writer_refuse(writer, MPROF_ERR_MEMORY, "out of memory for a heap snapshot");
	return is_delimited || is_continued ? extend_snapshot(writer, number, flags, counter, events, count)
					    : write_block_of_events(writer, number, flags, counter, events, count);
}

static const char *heap_fault(mprof_status status)
{
	if (status == MPROF_ERR_UNDEFINED_ID)
		return "a heap snapshot uses a class or a root that is not defined";
	return "not an event of a heap snapshot, or one without an address or references";
}

static heap_encoding encoding_of(const mprof_writer *writer)
{
	heap_encoding encoding;

	encoding.class_ids = &writer->class_ids;
	encoding.sizes = &writer->object_sizes;
	if ((writer->encoding.directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES)) == 0)
		encoding.sizes = NULL;
	/* Without records, neither roots nor their definitions (ROOTS) are in the log, so any root ID is accepted. */
	encoding.root_count =
		writer->encoding.rules->has_heap_records ? writer->defined[MPROF_RECORD_ROOT] : UINT32_MAX;
	encoding.any = writer->events.checker.defined.any;
	encoding.has_offsets =
		(writer->encoding.directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_REFERENCE_OFFSETS)) != 0;
	encoding.has_unknown_class = !writer->encoding.rules->has_heap_records;
	return encoding;
}

static mprof_status put_heap_block(mprof_writer *writer, uint32_t snapshot, uint32_t flags, uint64_t counter,
				   uint32_t shift, const mprof_event *events, size_t count)
{
	const heap_encoding encoding = encoding_of(writer);
	heap_records_header header = {.snapshot = snapshot,
				      .flags = flags,
				      .counter = counter,
				      .shift = shift,
				      .process = writer->heap_process};
	mprof_clock end;
	mprof_status status;

	writer_read_clock(writer, &header.start);
	heap_encode_start(&writer->block, &writer->encoding, &header);
	heap_encode(&writer->block, &encoding, events, count, shift);
	writer_read_clock(writer, &end);
	heap_encode_end(&writer->block, &end);
	status = writer_put_block(writer);
	if (status == MPROF_OK)
		writer->stats.events += count;
	return status;
}

/* Counts events whose references lose their offsets because the log does not have directive 26. */
static void count_lost_offsets(mprof_writer *writer, const mprof_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		mprof_event_detail copy;
		const mprof_event_detail *detail = event_detail_complete(&events[i], &copy);

		if (detail->offsets != NULL && detail->reference_count > 0)
			losses_shorten_event(&writer->stats, events[i].kind);
	}
}

mprof_status mprof_writer_write_heap(mprof_writer *writer, uint32_t snapshot, uint32_t flags, uint64_t counter,
				     const mprof_event *events, size_t count)
{
	heap_encoding encoding;
	uint32_t shift = 0;
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status == MPROF_OK && events == NULL && count > 0)
		status = writer_refuse(writer, MPROF_ERR_ARGUMENT, "the array of events is NULL");
	if (status != MPROF_OK)
		return status;
	if (!writer_has_block(writer, MPROF_BLOCK_HEAP_DATA))
		return writer_leave_out(writer, MPROF_BLOCK_HEAP_DATA, "the dialect has no HEAP_DATA block");
	encoding = encoding_of(writer);
	status = heap_check(&encoding, events, count, &shift);
	if (status != MPROF_OK)
		return writer_refuse(writer, status, heap_fault(status));
	status = writer_put_definitions(writer);
	if (status != MPROF_OK)
		return status;
	if (!encoding.has_offsets)
		count_lost_offsets(writer, events, count);
	if (!writer->encoding.rules->has_heap_records)
		return writer_add_to_snapshot(writer, snapshot, flags, counter, events, count);
	return put_heap_block(writer, snapshot, flags, counter, shift, events, count);
}

void writer_set_heap_process(mprof_writer *writer, uint64_t process)
{
	writer->heap_process = process;
}

void writer_heap_init(mprof_writer *writer)
{
	heap_snapshot *snapshot = &writer->snapshot;

	memset(snapshot, 0, sizeof(*snapshot));
	encode_buffer_init(&snapshot->items, &writer->allocator, SIZE_MAX);
	encode_buffer_init(&snapshot->references, &writer->allocator, SIZE_MAX);
	snapshot->stats = &writer->stats;
	snapshot->lossy = writer->lossy;
}

void writer_heap_destroy(mprof_writer *writer)
{
	encode_buffer_destroy(&writer->snapshot.items);
	encode_buffer_destroy(&writer->snapshot.references);
}
