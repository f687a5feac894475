/* SPDX-License-Identifier: MIT */
/* Checks heap snapshots, and writes them in dialects whose HEAP_DATA blocks contain records. */
#include "format/event_detail.h"
#include "format/heap_encode.h"
#include "format/losses.h"
#include "writer/errors.h"
#include "writer/put_block.h"
#include "writer/snapshots.h"
#include "writer/writer_internal.h"

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
	encoding.any = writer->events.defined.any;
	encoding.has_offsets =
		(writer->encoding.directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_REFERENCE_OFFSETS)) != 0;
	encoding.has_unknown_class = !writer->encoding.rules->has_heap_records;
	return encoding;
}

static mprof_status put_heap_block(mprof_writer *writer, uint32_t snapshot, uint32_t flags, uint64_t counter,
				   uint32_t shift, const mprof_event *events, size_t count)
{
	const heap_encoding encoding = encoding_of(writer);
	heap_records_header header = {.snapshot = snapshot, .flags = flags, .counter = counter, .shift = shift};
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
		mprof_event_detail own;
		const mprof_event_detail *detail = event_detail_read(events[i].more.detail, &own);

		if (detail != NULL && detail->offsets != NULL && detail->reference_count > 0)
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
