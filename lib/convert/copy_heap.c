/* SPDX-License-Identifier: MIT */
/* HEAP_DATA blocks: what objects there were. */
#include "convert/copy_heap.h"

#include "convert/clocks.h"
#include "convert/converter_internal.h"
#include "convert/copy_definitions.h"

/* Records have no object without a class, as there are in the oldest shots. No log comes to such an ID. */
#define UNKNOWN_CLASS UINT32_MAX
#define UNKNOWN_CLASS_NAME "(unknown)"

#define SHOT_FLAGS (MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST)

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

/* Makes a batch that of the copy. */
static mprof_status translate_batch(mprof_converter *converter, size_t count)
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
 * Where a shot is one block, its number is that of the collection, which may not be told, or told wrongly: then it gets
 * the next number, so that no two shots have the same one.
 */
static uint32_t take_shot(mprof_converter *converter, const mprof_block *block)
{
	if (converter->source.rules->has_heap_records || !converter->target.rules->has_heap_records)
		return block->as.heap_data.number;
	if ((block->as.heap_data.flags & SHOT_FLAGS) == 0)
		return 0;
	if (block->as.heap_data.number > converter->last_shot)
		converter->last_shot = block->as.heap_data.number;
	else if (converter->last_shot < UINT32_MAX)
		converter->last_shot++;
	return converter->last_shot;
}

/* What the block says in the copy: where a shot is one block, nothing more comes of one that is cut. */
static uint32_t take_flags(const mprof_converter *converter, const mprof_block *block, int is_cut)
{
	uint32_t flags = block->as.heap_data.flags;

	if (is_cut && !converter->source.rules->has_heap_records && (flags & SHOT_FLAGS) != 0)
		flags |= MPROF_HEAP_FLAG_LAST;
	return is_cut ? flags | MPROF_HEAP_FLAG_INCOMPLETE : flags;
}

/* What a part of the block says: it is the first one, or the last one, if the block is. */
static uint32_t flags_of_part(uint32_t flags, int is_first, int is_last)
{
	if (!is_first)
		flags &= ~(uint32_t)MPROF_HEAP_FLAG_FIRST;
	if (!is_last)
		flags &= ~(uint32_t)(MPROF_HEAP_FLAG_LAST | MPROF_HEAP_FLAG_INCOMPLETE);
	return flags;
}

/* A block that the dialect lacks is left out once, however many parts it would have. */
static mprof_status leave_out(mprof_converter *converter, const mprof_block *block)
{
	return mprof_writer_write_heap(converter->writer, block->as.heap_data.number, block->as.heap_data.flags,
				       block->as.heap_data.counter, NULL, 0);
}

static mprof_status copy_parts(mprof_converter *converter, const mprof_block *block)
{
	const uint32_t shot = take_shot(converter, block);
	mprof_status fault;
	uint64_t left;
	mprof_status status = converter_scan_definitions(converter, &left, &fault);
	const uint32_t flags = take_flags(converter, block, fault != MPROF_END);
	int is_first = 1;
	size_t count = 0;

	converter_set_shot_clock(converter, block);
	while (status == MPROF_OK && (left > 0 || is_first)) {
		if (left > 0 &&
		    mprof_reader_next_events(converter->reader, converter->events, CONVERTER_BATCH, &count) != MPROF_OK)
			count = 0;
		left = count > 0 ? left - count : 0;
		status = translate_batch(converter, count);
		if (status == MPROF_OK)
			status = mprof_writer_write_heap(converter->writer, shot,
							 flags_of_part(flags, is_first, left == 0),
							 block->as.heap_data.counter, converter->events, count);
		is_first = 0;
	}
	return status == MPROF_OK ? converter_read_failed(converter, fault) : status;
}

mprof_status copy_heap(mprof_converter *converter, const mprof_block *block)
{
	return writer_has_block(converter->writer, MPROF_BLOCK_HEAP_DATA) ? copy_parts(converter, block)
									  : leave_out(converter, block);
}
