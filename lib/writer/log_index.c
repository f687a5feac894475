/* SPDX-License-Identifier: MIT */
/* Collects the entries of the next INDEX block. */
#include "writer/log_index.h"

#include "base/bytes.h"
#include "format/block_peek.h"

#include <string.h>

/* An INDEX block is written when its entries have this many bytes, or describe this many blocks. */
#define FULL_LENGTH ((size_t)64 << 10)
#define FULL_COUNT 4096

/* Upper bound for an entry without the IDs of its call stack: code, length, two counters, thread, two depths. */
#define ITEM_LENGTH ((size_t)7 * MPROF_VARINT_MAX_LENGTH)

/* Upper bound for the rest of an INDEX block: header, distance, count, checksum. */
#define FRAME_LENGTH (6 + 2 * MPROF_VARINT_MAX_LENGTH + 4)

void log_index_init(log_index *index, const mprof_allocator *allocator)
{
	memset(index, 0, sizeof(*index));
	encode_buffer_init(&index->items, allocator, SIZE_MAX);
	encode_buffer_init(&index->methods, allocator, SIZE_MAX);
	encode_buffer_init(&index->block, allocator, SIZE_MAX);
	call_tracker_init(&index->calls, allocator);
}

void log_index_destroy(log_index *index)
{
	encode_buffer_destroy(&index->items);
	encode_buffer_destroy(&index->methods);
	encode_buffer_destroy(&index->block);
	call_tracker_destroy(&index->calls);
}

void log_index_note_clock(log_index *index, const mprof_clock *clock)
{
	index->clock = *clock;
	if (!index->has_clock) {
		index->has_clock = 1;
		index->first_clock = *clock;
		index->latest_clock = *clock;
	} else if ((int64_t)(clock->counter - index->first_clock.counter) >
		   (int64_t)(index->latest_clock.counter - index->first_clock.counter)) {
		index->latest_clock = *clock;
	}
}

int log_index_is_in_order(const log_index *index)
{
	return !index->calls.goes_back && index->clock.counter == index->latest_clock.counter &&
	       index->clock.time == index->latest_clock.time;
}

/* Describes the calls at the start of the next block. */
static int describe_next(log_index *index)
{
	if (!call_tracker_describe(&index->calls, &index->next, &index->methods)) {
		call_tracker_stop(&index->calls);
		return 0;
	}
	index->has_next = 1;
	return 1;
}

int log_index_begin_events(log_index *index, uint64_t thread, uint64_t base_counter)
{
	memset(&index->next, 0, sizeof(index->next));
	return call_tracker_begin(&index->calls, thread, base_counter) && describe_next(index);
}

int log_index_begin_block(log_index *index, uint64_t thread, uint64_t base_counter, uint64_t latest, int goes_back,
			  const block_calls *calls)
{
	memset(&index->next, 0, sizeof(index->next));
	if (!call_tracker_begin(&index->calls, thread, base_counter))
		return 0;
	call_tracker_adopt(&index->calls, calls);
	if (!describe_next(index))
		return 0;
	call_tracker_leave(&index->calls, calls);
	index->calls.latest = latest;
	index->calls.goes_back |= goes_back;
	return 1;
}

int log_index_reserve(log_index *index)
{
	if (encode_buffer_reserve(&index->items, ITEM_LENGTH + index->methods.length))
		return 1;
	/* The caller may try again. */
	encode_buffer_truncate(&index->items, index->items.length);
	return 0;
}

void log_index_add(log_index *index, const dialect_rules *rules, const encode_buffer *block, size_t content_length,
		   size_t length)
{
	index_item item = {0};
	block_summary summary;

	if (index->has_next)
		item = index->next;
	item.code = bytes_load_16(block->bytes);
	item.kind = dialect_block_kind(rules, item.code);
	item.length = length;
	(void)block_peek(item.kind, block->bytes + rules->header_length, content_length, &summary);
	item.thread = summary.thread;
	item.start_counter = summary.start_counter;
	item.end_counter = summary.end_counter;
	if (item.kind == MPROF_BLOCK_EVENTS)
		item.end_counter = index->calls.latest;
	else if (block_kind_ends_with_clock(item.kind))
		item.end_counter = index->clock.counter;
	item.methods = index->methods.bytes;
	item.methods_length = index->methods.length;
	index_item_encode(&index->items, &index->base, &item);
	index->count++;
	index->has_next = 0;
	encode_buffer_clear(&index->methods);
}

void log_index_end(log_index *index)
{
	log_index_lose(index);
	index->is_used = 0;
}

void log_index_lose(log_index *index)
{
	if (index->has_next)
		call_tracker_stop(&index->calls);
	index->has_next = 0;
	encode_buffer_clear(&index->methods);
}

int log_index_is_due(const log_index *index)
{
	return index->is_used && !index->has_next && (index->items.length >= FULL_LENGTH || index->count >= FULL_COUNT);
}

uint64_t log_index_bound(const log_index *index, unsigned more)
{
	return FRAME_LENGTH + index->items.length + (uint64_t)ITEM_LENGTH * more + index->methods.length;
}

mprof_status log_index_encode(log_index *index, const block_encoding *encoding, uint64_t offset)
{
	block_encode_index(&index->block, encoding, index->has_last ? offset - index->last : 0, index->count,
			   &index->items);
	return block_encode_end(&index->block, encoding);
}

void log_index_restart(log_index *index, uint64_t offset)
{
	index->last = offset;
	index->has_last = 1;
	index->count = 0;
	encode_buffer_clear(&index->items);
	memset(&index->base, 0, sizeof(index->base));
	call_tracker_restart(&index->calls);
}
