/* SPDX-License-Identifier: MIT */
/* Copies HEAP_DATA blocks. */
#include "convert/copy_heap.h"

#include "convert/clocks.h"
#include "convert/converter_internal.h"
#include "convert/copy_definitions.h"

/*
 * Every object in a heap record has a class, but the oldest snapshots have objects without one. They get a class with
 * an ID that no real log reaches.
 */
#define UNKNOWN_CLASS UINT32_MAX
#define UNKNOWN_CLASS_NAME "(unknown)"

#define SNAPSHOT_FLAGS (MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST)

static mprof_status define_unknown_class(mprof_writer *writer)
{
	const mprof_class_definition definition = {
		.struct_size = sizeof(mprof_class_definition),
		.id = UNKNOWN_CLASS,
		.name = UNKNOWN_CLASS_NAME,
		.name_length = sizeof(UNKNOWN_CLASS_NAME) - 1,
	};

	return writer_has_class(writer, UNKNOWN_CLASS) ? MPROF_OK : mprof_writer_define_class(writer, &definition);
}

static int has_class(const mprof_event *event)
{
	return event->kind == MPROF_EVENT_HEAP_OBJECT || event->kind == MPROF_EVENT_HEAP_FREE;
}

/* Translates a batch to the copy. */
static mprof_status translate_objects(mprof_converter *converter, size_t count)
{
	const id_translation *roots = &converter->ids[MPROF_RECORD_ROOT];
	const int needs_classes = converter->target.rules->has_heap_records;
	mprof_status status = MPROF_OK;

	for (size_t i = 0; i < count && status == MPROF_OK; i++) {
		mprof_event *event = &converter->events[i];

		if (event->kind == MPROF_EVENT_HEAP_ROOT)
			event->id = id_translation_get(roots, event->id);
		if (needs_classes && event->id == 0 && has_class(event)) {
			event->id = UNKNOWN_CLASS;
			status = define_unknown_class(converter->writer);
		}
	}
	return status;
}

/*
 * In dialects in which a snapshot is one block, its number is that of the collection, which may be missing or used
 * before. In that case the snapshot gets the next number, so that all snapshots have different numbers.
 */
static uint32_t snapshot_number(mprof_converter *converter, const mprof_block *block)
{
	if (converter->source.rules->has_heap_records || !converter->target.rules->has_heap_records)
		return block->as.heap_data.number;
	if ((block->as.heap_data.flags & SNAPSHOT_FLAGS) == 0)
		return 0;
	if (block->as.heap_data.number > converter->last_snapshot)
		converter->last_snapshot = block->as.heap_data.number;
	else if (converter->last_snapshot < UINT32_MAX)
		converter->last_snapshot++;
	return converter->last_snapshot;
}

/*
 * The flags of the block in the copy. In dialects in which a snapshot is one block, a truncated block is the last one
 * of its snapshot.
 */
static uint32_t flags_of_block(const mprof_converter *converter, const mprof_block *block, int is_cut)
{
	uint32_t flags = block->as.heap_data.flags;

	if (is_cut && !converter->source.rules->has_heap_records && (flags & SNAPSHOT_FLAGS) != 0)
		flags |= MPROF_HEAP_FLAG_LAST;
	return is_cut ? flags | MPROF_HEAP_FLAG_INCOMPLETE : flags;
}

/*
 * The flags of a part of the block: only the first part can be the first of the snapshot, and only the last part the
 * last.
 */
static uint32_t flags_of_part(uint32_t flags, int is_first, int is_last)
{
	if (!is_first)
		flags &= ~(uint32_t)MPROF_HEAP_FLAG_FIRST;
	if (!is_last)
		flags &= ~(uint32_t)(MPROF_HEAP_FLAG_LAST | MPROF_HEAP_FLAG_INCOMPLETE);
	return flags;
}

/* A block that the dialect does not have is counted as left out once, however many parts it would have. */
static mprof_status leave_out_heap_block(mprof_converter *converter, const mprof_block *block)
{
	return mprof_writer_write_heap(converter->writer, block->as.heap_data.number, block->as.heap_data.flags,
				       block->as.heap_data.counter, NULL, 0);
}

static mprof_status copy_parts(mprof_converter *converter, const mprof_block *block)
{
	const uint32_t snapshot = snapshot_number(converter, block);
	mprof_status fault;
	uint64_t left;
	mprof_status status = converter_scan_definitions(converter, &left, &fault);
	const uint32_t flags = flags_of_block(converter, block, fault != MPROF_END);
	int is_first = 1;
	size_t count = 0;

	converter_set_snapshot_clock(converter, block);
	while (status == MPROF_OK && (left > 0 || is_first)) {
		if (left > 0 &&
		    mprof_reader_next_events(converter->reader, converter->events, CONVERTER_BATCH, &count) != MPROF_OK)
			count = 0;
		left = count > 0 ? left - count : 0;
		status = translate_objects(converter, count);
		if (status == MPROF_OK)
			status = mprof_writer_write_heap(converter->writer, snapshot,
							 flags_of_part(flags, is_first, left == 0),
							 block->as.heap_data.counter, converter->events, count);
		is_first = 0;
	}
	return status == MPROF_OK ? converter_read_failed(converter, fault) : status;
}

mprof_status copy_heap(mprof_converter *converter, const mprof_block *block)
{
	return writer_has_block(converter->writer, MPROF_BLOCK_HEAP_DATA) ? copy_parts(converter, block)
									  : leave_out_heap_block(converter, block);
}
