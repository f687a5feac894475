/* SPDX-License-Identifier: MIT */
/* HEAP_DATA blocks: what objects there were. */
#include "convert/converter_internal.h"

#define SHOT_FLAGS (MPROF_HEAP_FIRST | MPROF_HEAP_LAST)

static void translate_roots(mprof_converter *converter, size_t count)
{
	const id_translation *roots = &converter->ids[MPROF_RECORD_ROOT];

	for (size_t i = 0; i < count; i++) {
		mprof_event *event = &converter->events[i];

		if (event->kind == MPROF_EVENT_HEAP_ROOT)
			event->id = id_translation_get(roots, event->id);
	}
}

/*
 * Where a shot is one block, its number is that of the collection, which may not be told, or told wrongly: then it gets
 * the next number, so that no two shots have the same one.
 */
static uint32_t take_shot(mprof_converter *converter, const mprof_block *block)
{
	if (converter->source.dialect == MPROF_DIALECT_MPROF2)
		return block->id;
	if ((block->flags & SHOT_FLAGS) == 0)
		return 0;
	if (block->id > converter->last_shot)
		converter->last_shot = block->id;
	else if (converter->last_shot < UINT32_MAX)
		converter->last_shot++;
	return converter->last_shot;
}

/* What a part of the block says: it is the first one, or the last one, if the block is. */
static uint32_t flags_of_part(const mprof_block *block, int is_first, int is_last, int is_cut)
{
	uint32_t flags = block->flags;

	if (!is_first)
		flags &= ~(uint32_t)MPROF_HEAP_FIRST;
	if (!is_last)
		flags &= ~(uint32_t)(MPROF_HEAP_LAST | MPROF_HEAP_INCOMPLETE);
	if (is_last && is_cut)
		flags |= MPROF_HEAP_INCOMPLETE;
	return flags;
}

/* A shot is taken between two moments; where a block has only one pair of clocks, it is these that count. */
static void set_shot_clock(mprof_converter *converter, const mprof_block *block)
{
	mprof_block shot = *block;

	if (block->has_shot_clocks) {
		shot.has_clocks = 1;
		shot.start = block->shot_start;
		shot.end = block->shot_end;
	}
	converter_set_clock(converter, &shot);
}

mprof_status copy_heap(mprof_converter *converter, const mprof_block *block)
{
	const uint32_t shot = take_shot(converter, block);
	uint64_t left;
	mprof_status fault;
	mprof_status status = converter_survey(converter, &left, &fault);
	int is_first = 1;

	set_shot_clock(converter, block);
	while (status == MPROF_OK && (left > 0 || is_first)) {
		mprof_status fetched = MPROF_END;
		uint32_t flags;
		size_t count = 0;

		if (left > 0)
			fetched = mprof_reader_next_events(converter->reader, converter->events, CONVERTER_BATCH,
							   &count);
		left = count > 0 ? left - count : 0;
		flags = flags_of_part(block, is_first, left == 0, fault != MPROF_END);
		translate_roots(converter, count);
		status = mprof_writer_heap(converter->writer, shot, flags, block->base_counter, converter->events,
					   count);
		is_first = 0;
		(void)fetched;
	}
	return status == MPROF_OK ? converter_read_failed(converter, fault) : status;
}
