/* SPDX-License-Identifier: MIT */
/* Loads or builds the index, seeks to blocks, and selects them. */
#include "reader/index.h"

#include <mprof/reader.h>

#include "base/allocator.h"
#include "base/bytes.h"
#include "base/caller_structs.h"
#include "base/checksum.h"
#include "base/error.h"
#include "format/blocks/index_items.h"
#include "format/values/dialect.h"
#include "format/values/varint.h"
#include "parser/parser.h"
#include "reader/ahead.h"
#include "reader/blocks.h"
#include "reader/call_stacks.h"
#include "reader/errors.h"
#include "reader/learn.h"
#include "reader/open_frames.h"
#include "reader/reader_internal.h"

#include <string.h>

/*
 * Positions the source and the parser at an offset. The source is not moved if it is still at the end of the parser's
 * buffer (\p is_in_place) and the buffer contains the offset.
 */
static mprof_status position_input(mprof_reader *reader, uint64_t offset, int is_in_place)
{
	mprof_status status;
	int fault;

	if (is_in_place && parser_restart_inside(reader->parser, offset))
		return MPROF_OK;
	fault = reader->source.seek(reader->source.user, offset);
	if (fault != 0) {
		/* After a failed seek the position of a compressed source is undefined. */
		reader->has_seek = reader->is_compressed;
		return reader_watch_fail_seek(reader, fault);
	}
	status = mprof_parser_restart(reader->parser, offset);
	return status == MPROF_OK ? MPROF_OK : reader_fail_parser(reader, status);
}

static mprof_status move_to_offset(mprof_reader *reader, uint64_t offset, int is_in_place)
{
	mprof_status status = position_input(reader, offset, is_in_place);

	if (status != MPROF_OK)
		return status;
	if (offset > reader->read_until)
		reader->misses_something = 1;
	reader->is_after_known = offset <= reader->known_until;
	reader->has_seek = 0;
	reader->is_damaged = 0;
	reader->has_block = 0;
	reader->has_intro = 0;
	reader->fetch_fault = MPROF_OK;
	reader_stacks_forget(reader);
	reader_frames_forget(reader, offset);
	reader_samples_rewind(reader);
	reader_ahead_jump(reader);
	return MPROF_OK;
}

/*
 * Scans the blocks up to an offset. Damage found there is not an error of the seek: it is reported when the caller
 * reads these blocks.
 */
static mprof_status scan_until(mprof_reader *reader, uint64_t offset)
{
	mprof_block block = {.struct_size = sizeof(block)};
	const mprof_error error = reader->error;
	mprof_status status = MPROF_OK;

	while (status != MPROF_END && reader->known_until < offset && reader_next_offset(reader) < offset) {
		status = reader_next(reader, 0, &block);
		if (status == MPROF_ERR_MEMORY || status == MPROF_ERR_IO || status == MPROF_ERR_INTERRUPTED)
			return status;
		if (status == MPROF_AGAIN || (status > MPROF_AGAIN && reader->error.severity != MPROF_SEVERITY_BLOCK))
			break;
	}
	/* Blocks that could not be scanned now cannot be scanned later either, unless the log grows. */
	if (status != MPROF_AGAIN && reader->known_until < offset)
		reader->known_until = offset;
	reader->error = error;
	return MPROF_OK;
}

/*
 * How blocks are decoded depends on the DIRECTIVES blocks before them, which may be anywhere. Blocks before the target
 * that were not read yet are therefore scanned, once.
 */
static mprof_status scan_and_seek(mprof_reader *reader, int is_in_place)
{
	const uint64_t offset = reader->seek_offset;
	mprof_status status;

	if (offset > reader->known_until) {
		status = move_to_offset(reader, reader->known_until, is_in_place);
		if (status != MPROF_OK)
			return status;
		status = scan_until(reader, offset);
		if (status != MPROF_OK) {
			reader->has_seek = 1;
			return status;
		}
		is_in_place = 1;
	}
	return move_to_offset(reader, offset, is_in_place);
}

mprof_status reader_seek_on(mprof_reader *reader)
{
	return reader->has_seek ? scan_and_seek(reader, 0) : MPROF_OK;
}

/* As mprof_reader_seek(), without scanning the blocks before the offset for directives. */
static mprof_status reader_jump(mprof_reader *reader, uint64_t offset)
{
	const int is_in_place = !reader->has_seek;

	reader->seek_offset = offset;
	return move_to_offset(reader, offset, is_in_place);
}

mprof_status mprof_reader_seek(mprof_reader *reader, uint64_t offset)
{
	int is_in_place;

	if (reader == NULL)
		return MPROF_ERR_ARGUMENT;
	if (reader->memory_error.status != MPROF_OK)
		return reader_check(reader);
	if (reader->parser == NULL || !parser_is_past_intro(reader->parser))
		return error_set(&reader->error, MPROF_ERR_STATE, MPROF_SEVERITY_NONE,
				 "mprof_reader_seek() called before INTRO was read");
	if (reader->source.seek == NULL)
		return error_set(&reader->error, MPROF_ERR_UNSUPPORTED, MPROF_SEVERITY_NONE,
				 "the source does not support seeking");
	if (reader->is_compressed)
		source_gzip_collect_points(&reader->source);
	is_in_place = !reader->has_seek;
	reader->seek_offset = offset;
	return scan_and_seek(reader, is_in_place);
}

/* END is among the last bytes of a log: header, version, clock pair, distance and checksum. */
#define MAX_END_LENGTH 64

/* Bytes of an INDEX block up to the distance. */
#define INDEX_START (6 + MPROF_VARINT_MAX_LENGTH)

/* An INDEX block of the library has far fewer bytes, and a log far fewer of these blocks. */
#define MAX_INDEX_LENGTH ((uint64_t)16 << 20)
#define MAX_INDEXES 65536

/*
 * Loads the index that a log contains. END is found from the end of the log, and contains the distance to the last
 * INDEX block, which contains that to the one before it. An entry has no offset: each block starts where the one before
 * it ends, so entries can neither overlap nor leave blocks out, and there are as many as the log has blocks.
 */

/* The call stack in the last entry of a thread. */
typedef struct stored_stack {
	uint32_t node;
	uint32_t depth;
	size_t index; /* Number of the INDEX block that the entry is in, from 1. */
} stored_stack;

typedef struct stored_index {
	mprof_reader *reader;
	const dialect_rules *rules;
	uint64_t end;      /* Offset of END. */
	uint64_t distance; /* From END to the last INDEX block. */
	uint64_t next;     /* Offset of the block that the next entry describes. */
	index_block end_block;
	uint64_t *offsets; /* Offsets of the INDEX blocks, the last one first. */
	size_t count;
	size_t capacity;
	uint8_t *bytes; /* The INDEX block that is being decoded. */
	size_t byte_capacity;
	stored_stack *stacks; /* By position in open_frames::threads. */
	size_t stack_capacity;
	size_t current; /* Number of the INDEX block that is being decoded. */
} stored_index;

/* Fills \p bytes from an offset of the log. Returns MPROF_END if the log has fewer bytes. */
static mprof_status read_at(stored_index *stored, uint64_t offset, uint8_t *bytes, size_t length)
{
	mprof_reader *reader = stored->reader;
	int fault = reader->source.seek(reader->source.user, offset);
	size_t done = 0;

	while (fault == 0 && done < length) {
		size_t got = 0;

		fault = reader->source.read(reader->source.user, bytes + done, length - done, &got);
		if (fault == 0 && got == 0)
			return MPROF_END;
		done += got;
	}
	return fault == 0 ? MPROF_OK : reader_fail_system(reader, fault, "cannot read the log");
}

static int is_valid_block(const stored_index *stored, const uint8_t *block, size_t length, mprof_block_kind kind)
{
	const size_t header = stored->rules->header_length;
	const size_t checksum = stored->rules->checksum_length;

	return length >= header + checksum && dialect_block_kind(stored->rules, bytes_load_16(block)) == kind &&
	       bytes_load_32(block + 2) == length - header &&
	       checksum_update(0, block, length - checksum) == bytes_load_32(block + length - checksum);
}

/* Decodes END. Returns 0 if it has no distance. */
static int decode_end(stored_index *stored, const uint8_t *content, size_t length)
{
	content_cursor cursor;
	mprof_clock clock;

	content_cursor_init(&cursor, content, length, UINT64_MAX);
	content_cursor_varint(&cursor);
	content_cursor_clock(&cursor, &clock);
	if (cursor.status == MPROF_OK && cursor.position == cursor.length)
		return 0;
	stored->distance = content_cursor_varint(&cursor);
	stored->end_block.start_counter = clock.counter;
	stored->end_block.end_counter = clock.counter;
	return content_cursor_finish(&cursor) == MPROF_OK;
}

/* Finds END at the end of the log. Returns MPROF_END if there is none, or none with a distance. */
static mprof_status find_end(stored_index *stored)
{
	const uint64_t total = stored->reader->watch.total;
	const size_t length = total < MAX_END_LENGTH ? (size_t)total : MAX_END_LENGTH;
	uint8_t bytes[MAX_END_LENGTH];
	mprof_status status = read_at(stored, total - length, bytes, length);

	if (status != MPROF_OK)
		return status;
	for (size_t i = 0; i < length; i++) {
		const size_t header = stored->rules->header_length;

		if (!is_valid_block(stored, bytes + i, length - i, MPROF_BLOCK_END))
			continue;
		stored->end = total - length + i;
		stored->end_block.offset = stored->end;
		stored->end_block.length = length - i - header;
		stored->end_block.kind = MPROF_BLOCK_END;
		return decode_end(stored, bytes + i + header, length - i - header - stored->rules->checksum_length)
			       ? MPROF_OK
			       : MPROF_END;
	}
	return MPROF_END;
}

static mprof_status fail_memory(stored_index *stored)
{
	return reader_fail_memory(stored->reader, "out of memory for the index");
}

/* Collects the offsets of the INDEX blocks. They decrease, so the chain has an end. */
static mprof_status find_indexes(stored_index *stored)
{
	uint64_t distance = stored->distance;
	uint64_t after = stored->end;
	uint8_t bytes[INDEX_START];

	while (distance != 0 && stored->count < MAX_INDEXES) {
		const mprof_allocator *allocator = &stored->reader->allocator;
		void *offsets = stored->offsets;
		mprof_status status;
		int has_room;

		if (distance > after || distance < sizeof(bytes) - MPROF_VARINT_MAX_LENGTH)
			return MPROF_END;
		after -= distance;
		has_room = array_reserve(allocator, &offsets, &stored->capacity, stored->count + 1, sizeof(uint64_t));
		stored->offsets = offsets;
		if (!has_room)
			return fail_memory(stored);
		stored->offsets[stored->count++] = after;
		status = read_at(stored, after, bytes, sizeof(bytes));
		if (status != MPROF_OK)
			return status;
		if (dialect_block_kind(stored->rules, bytes_load_16(bytes)) != MPROF_BLOCK_INDEX ||
		    varint_get(bytes + 6, bytes + sizeof(bytes), &distance) == NULL)
			return MPROF_END;
	}
	return distance == 0 && stored->count > 0 ? MPROF_OK : MPROF_END;
}

/* Reads the INDEX block at an offset. Returns MPROF_END if it is not valid. */
static mprof_status read_index(stored_index *stored, uint64_t offset, size_t *length)
{
	const mprof_allocator *allocator = &stored->reader->allocator;
	uint8_t header[6];
	void *bytes = stored->bytes;
	mprof_status status = read_at(stored, offset, header, sizeof(header));
	uint64_t whole;
	int has_room;

	if (status != MPROF_OK)
		return status;
	whole = sizeof(header) + (uint64_t)bytes_load_32(header + 2);
	if (whole > MAX_INDEX_LENGTH || whole > stored->end - offset)
		return MPROF_END;
	has_room = array_reserve(allocator, &bytes, &stored->byte_capacity, (size_t)whole, 1);
	stored->bytes = bytes;
	if (!has_room)
		return fail_memory(stored);
	status = read_at(stored, offset, stored->bytes, (size_t)whole);
	*length = (size_t)whole;
	if (status != MPROF_OK)
		return status;
	return is_valid_block(stored, stored->bytes, *length, MPROF_BLOCK_INDEX) ? MPROF_OK : MPROF_END;
}

/* Returns the state of a thread, which is added if missing. NULL: *status is the reason. */
static stored_stack *find_stack(stored_index *stored, uint64_t thread, mprof_status *status)
{
	open_frames *open = &stored->reader->frames.open;
	const size_t before = stored->stack_capacity;
	void *stacks = stored->stacks;
	size_t position;
	int has_room;

	*status = open_frames_thread(open, thread, &position);
	if (*status != MPROF_OK)
		return NULL;
	/* Which methods are open after the last block of the thread is not in the index. */
	open->threads[position].initial.end_node = CALL_BASE_UNKNOWN;
	open->threads[position].initial.end_gaps = stored->reader->frames.index_gaps;
	open->threads[position].end_gaps = stored->reader->frames.index_gaps;
	has_room = array_reserve(&stored->reader->allocator, &stacks, &stored->stack_capacity, position + 1,
				 sizeof(*stored->stacks));
	stored->stacks = stacks;
	if (!has_room) {
		*status = MPROF_ERR_MEMORY;
		return NULL;
	}
	memset(stored->stacks + before, 0, (stored->stack_capacity - before) * sizeof(*stored->stacks));
	return &stored->stacks[position];
}

/* Stores the call stack of an entry as a node. Returns MPROF_END if it shares frames that there are not. */
static mprof_status store_stack(stored_index *stored, const index_item *item, uint32_t *node)
{
	open_frames *open = &stored->reader->frames.open;
	const uint8_t *method = item->methods;
	mprof_status status;
	stored_stack *stack = find_stack(stored, item->thread, &status);

	if (stack == NULL)
		return status;
	if (stack->index != stored->current)
		*stack = (stored_stack){CALL_BASE_EMPTY, 0, stored->current};
	if (item->shared > stack->depth)
		return MPROF_END;
	for (; stack->depth > item->shared; stack->depth--)
		stack->node = open->nodes[stack->node].parent;
	for (; stack->depth < item->depth && status == MPROF_OK; stack->depth++) {
		uint64_t id = 0;

		method = varint_get(method, item->methods + item->methods_length, &id);
		status = open_frames_push(open, stack->node, (uint32_t)id, &stack->node);
	}
	*node = stack->node;
	return status;
}

static mprof_status add_block(stored_index *stored, const index_block *block)
{
	return block_index_add(&stored->reader->index, block) ? MPROF_OK : MPROF_ERR_MEMORY;
}

/* Adds the block of an entry. */
static mprof_status add_item(stored_index *stored, const index_item *item)
{
	index_block created = {.offset = stored->next,
			       .length = item->length,
			       .thread = item->thread,
			       .start_counter = item->start_counter,
			       .end_counter = item->end_counter,
			       .kind = item->kind};
	mprof_status status = MPROF_OK;

	if (item->kind == MPROF_BLOCK_EVENTS && item->has_stack)
		status = store_stack(stored, item, &created.frames);
	else if (item->kind == MPROF_BLOCK_EVENTS && !stored->reader->skips_events)
		return MPROF_END;
	if (status != MPROF_OK)
		return status;
	stored->next += stored->rules->header_length + item->length;
	return add_block(stored, &created);
}

/* Adds the blocks of the entries of an INDEX block, and the INDEX block. */
static mprof_status add_index(stored_index *stored, uint64_t offset)
{
	index_block copy = {.offset = offset, .kind = MPROF_BLOCK_INDEX};
	index_cursor cursor;
	index_item item;
	size_t length = 0;
	mprof_status status = read_index(stored, offset, &length);
	const size_t frame = stored->rules->header_length + stored->rules->checksum_length;

	if (status != MPROF_OK)
		return status;
	stored->current++;
	index_cursor_init(&cursor, stored->rules, stored->bytes + stored->rules->header_length, length - frame);
	while (status == MPROF_OK && index_cursor_next(&cursor, &item)) {
		status = add_item(stored, &item);
		if (stored->next > offset)
			return MPROF_END;
	}
	if (status != MPROF_OK)
		return status;
	if (content_cursor_finish(&cursor.content) != MPROF_OK || stored->next != offset)
		return MPROF_END;
	copy.length = length - stored->rules->header_length;
	stored->next = offset + length;
	return add_block(stored, &copy);
}

static mprof_status load_entries(stored_index *stored)
{
	mprof_status status = find_end(stored);

	if (status == MPROF_OK)
		status = find_indexes(stored);
	for (size_t i = stored->count; i > 0 && status == MPROF_OK; i--)
		status = add_index(stored, stored->offsets[i - 1]);
	if (status == MPROF_OK && stored->next != stored->end)
		status = MPROF_END;
	if (status == MPROF_OK)
		status = add_block(stored, &stored->end_block);
	stored->reader->index.end = stored->reader->watch.total;
	if (status == MPROF_ERR_MEMORY)
		return fail_memory(stored);
	return status;
}

/*
 * Reads one block to store its definitions, as reading the whole log would. Returns MPROF_END if the block does not
 * match the index.
 */
static mprof_status load_indexed_block(mprof_reader *reader, const index_block *expected)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_status status = reader_jump(reader, expected->offset);

	if (status == MPROF_OK)
		status = reader_next(reader, 0, &block);
	if (status != MPROF_OK)
		return status;
	if (block.kind != expected->kind || block.length != expected->length || block.offset != expected->offset)
		return MPROF_END;
	return MPROF_OK;
}

/*
 * Reads the blocks of the index that contain definitions, as reading the whole log would, and the last block, so that a
 * log that is shorter than the index is detected.
 */
static mprof_status load_definitions(mprof_reader *reader)
{
	const int missed = reader->misses_something;
	mprof_status status = MPROF_OK;

	for (size_t i = 0; i < reader->index.count && status == MPROF_OK; i++) {
		const index_block *block = &reader->index.blocks[i];

		if ((reader_defining_kinds() & MPROF_BLOCK_BIT(block->kind)) != 0 || i + 1 == reader->index.count)
			status = load_indexed_block(reader, block);
	}
	if (status == MPROF_OK) {
		/* All blocks with definitions were read. */
		reader->misses_something = missed;
		if (reader->read_until < reader->index.end)
			reader->read_until = reader->index.end;
		if (reader->known_until < reader->index.end)
			reader->known_until = reader->index.end;
	}
	return status;
}

void reader_discard_index(mprof_reader *reader)
{
	open_frames *open = &reader->frames.open;
	memory_budget *budget = open->budget;
	const uint64_t generation = open->generation + 1;

	block_index_clear(&reader->index);
	open_frames_destroy(open);
	open_frames_init(open, budget);
	open->generation = generation;
	reader->frames.is_begun = 0;
	reader->frames.gapless_from = UINT64_MAX;
	reader->frames.index_gaps = 0;
	error_clear(&reader->index_error);
	reader->has_index = 0;
	reader->has_loaded_index = 0;
}

static int may_have_index(const mprof_reader *reader)
{
	const dialect_rules *rules = dialect_get(mprof_parser_get_dialect(reader->parser));

	return rules != NULL && dialect_has_block(rules, MPROF_BLOCK_INDEX) && reader->index.count == 0 &&
	       reader->source.seek != NULL && !reader->is_compressed && !reader->is_following &&
	       reader->watch.total > 0 && !reader->distrusts_index;
}

/*
 * Loads the index if the log has one that can be used, and reads the blocks with definitions. The reader is left
 * anywhere in the log and has to be positioned by a seek. Sets *is_loaded. A log without an index, with one that does
 * not match the log, or with unknown call stacks is not an error: nothing is loaded then. Returns MPROF_OK,
 * MPROF_ERR_MEMORY, MPROF_ERR_IO or MPROF_ERR_INTERRUPTED.
 */
static mprof_status reader_load_stored_index(mprof_reader *reader, int *is_loaded)
{
	stored_index stored = {.reader = reader};
	const mprof_error error = reader->error;
	const int missed = reader->misses_something;
	mprof_status status;

	*is_loaded = 0;
	if (!may_have_index(reader))
		return MPROF_OK;
	stored.rules = dialect_get(mprof_parser_get_dialect(reader->parser));
	/* The source is moved here, so the next seek has to position it again. */
	reader->seek_offset = 0;
	reader->has_seek = 1;
	reader_discard_index(reader);
	status = load_entries(&stored);
	if (status == MPROF_OK)
		status = load_definitions(reader);
	allocator_release(&reader->allocator, stored.offsets, stored.capacity * sizeof(*stored.offsets));
	allocator_release(&reader->allocator, stored.bytes, stored.byte_capacity);
	allocator_release(&reader->allocator, stored.stacks, stored.stack_capacity * sizeof(*stored.stacks));
	*is_loaded = status == MPROF_OK;
	if (*is_loaded)
		return MPROF_OK;
	reader_discard_index(reader);
	reader->misses_something = missed;
	/* It would be interrupted at the same place again. The pass over the blocks continues where it was. */
	if (status == MPROF_ERR_INTERRUPTED)
		reader->distrusts_index = 1;
	if (status == MPROF_ERR_MEMORY || status == MPROF_ERR_IO || status == MPROF_ERR_INTERRUPTED)
		return status;
	/* The pass over the blocks reports what is wrong with the log. */
	reader->error = error;
	return MPROF_OK;
}

#define EVENT_BATCH 512

/*
 * Whether the header and the length of the block are valid, even if it cannot be decoded or not all of its definitions
 * can be stored.
 */
static int has_sound_framing(mprof_status status, const mprof_block *block)
{
	return status == MPROF_OK || status == MPROF_ERR_LIMIT || status == MPROF_ERR_UNSUPPORTED ||
	       status == MPROF_ERR_REDEFINED_ID || (status == MPROF_ERR_MALFORMED && block->loaded);
}

/* Records the fault if it is the first one. Returns whether reading can continue after it. */
static int record_index_fault(mprof_reader *reader)
{
	if (reader->index_error.status == MPROF_OK)
		reader->index_error = reader->error;
	return reader->error.severity == MPROF_SEVERITY_BLOCK;
}

static int ends_index_pass(mprof_status status)
{
	return status == MPROF_ERR_MEMORY || status == MPROF_ERR_IO || status == MPROF_ERR_INTERRUPTED;
}

/* Stores the state of the open calls at the start of the loaded block. */
static mprof_status store_start_state(mprof_reader *reader, index_block *created)
{
	open_frames *open = &reader->frames.open;
	mprof_status status = reader_frames_begin(reader);
	open_slot *slot;

	if (status == MPROF_ERR_MEMORY)
		return reader_fail_memory(reader, "out of memory for call stacks");
	if (!reader->frames.is_begun)
		return reader_fail_names(reader, status, parser_block(reader->parser));
	slot = open_frames_slot(open, open->current);
	created->stack = slot->number;
	created->gap = open->gap;
	/*
	 * If the memory limit for names is reached, no node is stored, and the call stack here is unknown after a seek.
	 */
	status = open_frames_keep(open, &slot->stack, &created->frames);
	return status == MPROF_ERR_MEMORY ? reader_fail_memory(reader, "out of memory for the index") : MPROF_OK;
}

/* Reads the events of the loaded block to store the open calls before and after them, and the latest counter. */
static mprof_status index_events(mprof_reader *reader, index_block *created)
{
	open_frames *open = &reader->frames.open;
	mprof_event events[EVENT_BATCH];
	mprof_status status = store_start_state(reader, created);
	uint64_t latest = created->start_counter;
	size_t count;

	if (status != MPROF_OK)
		return status;
	open->makes_index = 1;
	while ((status = mprof_reader_next_events(reader, events, EVENT_BATCH, &count)) == MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			if ((int64_t)(events[i].counter - latest) > 0)
				latest = events[i].counter;
		}
	}
	open->makes_index = 0;
	created->end_counter = latest;
	/* A block that is not added is read again by the next pass. */
	if (ends_index_pass(status))
		return status;
	/* The missing events may have changed any stack. */
	reader->frames.index_gaps += reader->frames.has_gap != 0;
	if (open_frames_index_block(open, !reader->frames.has_gap, reader->frames.index_gaps) != MPROF_OK)
		return reader_fail_memory(reader, "out of memory for the index");
	return status == MPROF_END ? MPROF_OK : status;
}

/* Adds the current block to the index. */
static mprof_status index_loaded_block(mprof_reader *reader, const mprof_block *block)
{
	index_block created = block_index_describe(block);
	mprof_status status = MPROF_OK;

	if (block->loaded && block->kind == MPROF_BLOCK_EVENTS && !reader->skips_events)
		status = index_events(reader, &created);
	if (ends_index_pass(status))
		return status;
	if (status != MPROF_OK)
		(void)record_index_fault(reader);
	created.switch_end = reader->frames.open.switch_count;
	if (!block_index_add(&reader->index, &created))
		return reader_fail_memory(reader, "out of memory for the index");
	return MPROF_OK;
}

/* Adds all blocks from the end of the index on. */
static mprof_status index_fill(mprof_reader *reader)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_status status;

	for (;;) {
		block.loaded = 0;
		status = reader_next(reader, UINT64_MAX, &block);
		if (status == MPROF_END || status == MPROF_AGAIN)
			return MPROF_OK;
		if (ends_index_pass(status))
			return status;
		if (status != MPROF_OK && !record_index_fault(reader))
			return MPROF_OK;
		if (reader->frames.has_gap)
			reader->frames.index_gaps++;
		status = has_sound_framing(status, &block) ? index_loaded_block(reader, &block) : MPROF_OK;
		if (status != MPROF_OK)
			return status;
		reader->index.end = reader_next_offset(reader);
	}
}

/*
 * Returns to the offset where reading was. If the pass failed, its error is kept, even if the seek fails as well and
 * has to be finished later.
 */
static mprof_status return_to_offset(mprof_reader *reader, uint64_t offset, mprof_status status)
{
	mprof_error error = reader->error;
	mprof_status seek_status = mprof_reader_seek(reader, offset);

	if (status == MPROF_OK)
		return seek_status;
	reader->error = error;
	return status;
}

/* Loads or builds the index, and returns to where reading was. */
static mprof_status make_index(mprof_reader *reader)
{
	const uint64_t offset = reader_next_offset(reader);
	int is_stored;
	mprof_status status = reader_load_stored_index(reader, &is_stored);

	if (status != MPROF_OK || is_stored) {
		reader->has_index |= is_stored;
		reader->has_loaded_index |= is_stored;
		return return_to_offset(reader, offset, status);
	}
	status = mprof_reader_seek(reader, reader->index.end);
	if (status != MPROF_OK && status != MPROF_ERR_INTERRUPTED)
		return status;
	reader->frames.follows_all = 1;
	if (status == MPROF_OK)
		status = index_fill(reader);
	reader->frames.follows_all = 0;
	reader->has_index |= status == MPROF_OK;
	status = return_to_offset(reader, offset, status);
	if (status == MPROF_OK)
		reader->error = reader->index_error;
	return status;
}

mprof_status mprof_reader_build_index(mprof_reader *reader)
{
	mprof_status status;

	if (reader == NULL)
		return MPROF_ERR_ARGUMENT;
	if (reader->memory_error.status != MPROF_OK)
		return reader_check(reader);
	if (reader->parser == NULL || !reader->is_past_intro)
		return error_set(&reader->error, MPROF_ERR_STATE, MPROF_SEVERITY_NONE,
				 "mprof_reader_build_index() called before INTRO was read");
	reader->watch.is_indexing = 1;
	status = make_index(reader);
	reader->watch.is_indexing = 0;
	return status;
}

uint64_t mprof_reader_get_index_count(const mprof_reader *reader)
{
	return reader != NULL ? reader->index.count : 0;
}

mprof_status mprof_reader_get_index_entry(const mprof_reader *reader, uint64_t number, mprof_index_entry *entry)
{
	mprof_index_entry copy = {.struct_size = sizeof(copy)};
	const index_block *block;

	if (reader == NULL || entry == NULL || number >= reader->index.count)
		return MPROF_ERR_ARGUMENT;
	block = &reader->index.blocks[number];
	copy.kind = block->kind;
	copy.offset = block->offset;
	copy.length = block->length;
	copy.thread = block->thread;
	copy.start_counter = block->start_counter;
	copy.end_counter = block->end_counter;
	return struct_copy_out(entry, &copy, sizeof(copy));
}

void mprof_query_init(mprof_query *query, size_t struct_size)
{
	mprof_query copy = {
		.struct_size = sizeof(copy), .thread = MPROF_THREAD_ANY, .start_ns = INT64_MIN, .end_ns = INT64_MAX};

	if (query == NULL || struct_size < sizeof(query->struct_size))
		return;
	struct_init(query, struct_size);
	(void)struct_copy_out(query, &copy, sizeof(copy));
}

static mprof_status refuse(mprof_reader *reader, mprof_status status, const char *what)
{
	return error_set(&reader->error, status, MPROF_SEVERITY_NONE, what);
}

mprof_status mprof_reader_select(mprof_reader *reader, const mprof_query *query)
{
	reader_selection created = {.is_used = query != NULL, .kinds = UINT64_MAX, .thread = MPROF_THREAD_ANY};
	mprof_query copy;

	if (reader == NULL)
		return MPROF_ERR_ARGUMENT;
	if (query != NULL) {
		if (struct_copy_in(&copy, query, sizeof(copy)) != MPROF_OK)
			return refuse(reader, MPROF_ERR_ARGUMENT,
				      "struct_size of the query is invalid: call mprof_query_init() first");
		if ((copy.kinds.bits[0] | copy.kinds.bits[1] | copy.kinds.bits[2] | copy.kinds.bits[3]) != 0)
			created.kinds = copy.kinds.bits[0];
		created.thread = copy.thread;
		created.has_start = copy.start_ns != INT64_MIN;
		created.has_end = copy.end_ns != INT64_MAX;
		if ((created.has_start || created.has_end) && !reader->has_index)
			return refuse(reader, MPROF_ERR_STATE,
				      "a query with a time needs an index: call mprof_reader_build_index() first");
		(void)time_scale_invert(&reader->scale, copy.start_ns, &created.start);
		/* Several counters may be in the last nanosecond. */
		if (created.has_end)
			(void)time_scale_invert(&reader->scale, copy.end_ns + 1, &created.end);
	}
	reader->selection = created;
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
