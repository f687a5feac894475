/* SPDX-License-Identifier: MIT */
/* Leaves out the blocks that a query does not ask for; with an index, by seeking past them. */
#include "reader/select.h"

#include "base/error.h"
#include "base/options.h"
#include "format/block_peek.h"
#include "reader/blocks.h"
#include "reader/errors.h"
#include "reader/index.h"
#include "reader/reader_internal.h"

#include <mprof/query.h>

void mprof_query_init(mprof_query *query, size_t struct_size)
{
	mprof_query own = {
		.struct_size = sizeof(own), .thread = MPROF_THREAD_ANY, .start_ns = INT64_MIN, .end_ns = INT64_MAX};

	if (query == NULL || struct_size < sizeof(query->struct_size))
		return;
	struct_init(query, struct_size);
	(void)struct_copy_out(query, &own, sizeof(own));
}

static mprof_status refuse(mprof_reader *reader, mprof_status status, const char *what)
{
	return error_set(&reader->error, status, MPROF_SEVERITY_NONE, what);
}

mprof_status mprof_reader_select(mprof_reader *reader, const mprof_query *query)
{
	reader_selection made = {.is_used = query != NULL, .kinds = UINT64_MAX, .thread = MPROF_THREAD_ANY};
	mprof_query own;

	if (reader == NULL)
		return MPROF_ERR_ARGUMENT;
	if (query != NULL) {
		if (struct_copy_in(&own, query, sizeof(own)) != MPROF_OK)
			return refuse(reader, MPROF_ERR_ARGUMENT,
				      "struct_size of the query is invalid: call mprof_query_init() first");
		if ((own.kinds.bits[0] | own.kinds.bits[1] | own.kinds.bits[2] | own.kinds.bits[3]) != 0)
			made.kinds = own.kinds.bits[0];
		made.thread = own.thread;
		made.has_start = own.start_ns != INT64_MIN;
		made.has_end = own.end_ns != INT64_MAX;
		if ((made.has_start || made.has_end) && !reader->has_index)
			return refuse(reader, MPROF_ERR_STATE,
				      "a query with a time needs an index: call mprof_reader_build_index() first");
		(void)time_scale_invert(&reader->scale, own.start_ns, &made.start);
		/* Several counters may be in the last nanosecond. */
		if (made.has_end)
			(void)time_scale_invert(&reader->scale, own.end_ns + 1, &made.end);
	}
	reader->selection = made;
	return MPROF_OK;
}

int reader_selects_kind(const mprof_reader *reader, uint32_t kind)
{
	return (reader->selection.kinds & MPROF_BLOCK_BIT(kind & 63)) != 0;
}

static int64_t since_origin(const mprof_reader *reader, uint64_t counter)
{
	return (int64_t)(counter - reader->index.origin);
}

/* Whether the query asks for a block of the index. */
static int selects_entry(const mprof_reader *reader, const index_block *entry)
{
	const reader_selection *selection = &reader->selection;

	if (!reader_selects_kind(reader, entry->kind))
		return 0;
	if (!block_kind_has_thread(entry->kind))
		return 1;
	if (selection->thread != MPROF_THREAD_ANY && entry->thread != selection->thread)
		return 0;
	if (selection->has_start && since_origin(reader, entry->end_counter) < since_origin(reader, selection->start))
		return 0;
	return !selection->has_end || since_origin(reader, entry->start_counter) < since_origin(reader, selection->end);
}

/* Returns the number of the first block of the index that does not start before an offset. */
static size_t first_entry_from(const block_index *index, uint64_t offset)
{
	size_t low = 0;
	size_t high = index->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (index->blocks[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Seeks to the next block of the index that the query asks for, or to the end of the index. */
static mprof_status skip_to_selected(mprof_reader *reader)
{
	const block_index *index = &reader->index;
	const uint64_t offset = reader_next_offset(reader);
	size_t number = first_entry_from(index, offset);
	uint64_t target;

	if (!reader->has_index || offset >= index->end)
		return MPROF_OK;
	while (number < index->count && !selects_entry(reader, &index->blocks[number]))
		number++;
	target = number < index->count ? index->blocks[number].offset : index->end;
	return target > offset ? mprof_reader_seek(reader, target) : MPROF_OK;
}

/* Whether the index has the block as it is in the log. Only an index that was loaded can differ. */
static int is_in_index(const mprof_reader *reader, const mprof_block *block)
{
	const index_block found = block_index_describe(block);
	const index_block *entry;
	size_t number;

	if (!reader->has_loaded_index || block->offset >= reader->index.end)
		return 1;
	number = block_index_find(&reader->index, block->offset);
	if (number == SIZE_MAX)
		return 0;
	entry = &reader->index.blocks[number];
	if (entry->kind != found.kind || entry->length != found.length)
		return 0;
	return !block->loaded || !block_kind_has_thread(found.kind) ||
	       (entry->thread == found.thread && entry->start_counter == found.start_counter);
}

static mprof_status fail_index(mprof_reader *reader, const mprof_block *block)
{
	reader_discard_index(reader);
	reader->distrusts_index = 1;
	error_set(&reader->error, MPROF_ERR_MALFORMED, MPROF_SEVERITY_BLOCK,
		  "the index does not match this block: blocks before it may have been left out");
	reader->error.offset = block->offset;
	reader->error.block_offset = block->offset;
	return MPROF_ERR_MALFORMED;
}

static int selects_block(const mprof_reader *reader, const mprof_block *block)
{
	const uint64_t thread = reader->selection.thread;

	if (!reader_selects_kind(reader, block->kind))
		return 0;
	return thread == MPROF_THREAD_ANY || !block->loaded || !block_kind_has_thread(block->kind) ||
	       block->thread == thread;
}

mprof_status reader_next_selected(mprof_reader *reader, mprof_block *block)
{
	mprof_status status = MPROF_OK;

	while (status == MPROF_OK) {
		if (reader->selection.is_used && !reader->has_block)
			status = skip_to_selected(reader);
		if (status == MPROF_OK)
			status = reader_next(reader, reader->wanted & reader->selection.kinds, block);
		if (!reader->selection.is_used || status != MPROF_OK)
			return status;
		if (!is_in_index(reader, block))
			return fail_index(reader, block);
		if (selects_block(reader, block))
			return MPROF_OK;
	}
	return status;
}
