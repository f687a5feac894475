/* SPDX-License-Identifier: MIT */
/*
 * The index as bytes, to be stored next to a log. All numbers are little-endian:
 *
 *   8 bytes  "mprofidx"
 *   4        version, INDEX_VERSION
 *   4        CRC-32C of all that follows
 *   8        offset in the log of the end of the index
 *   8        length of the log's INTRO block, including its header
 *   4        CRC-32C of that block
 *   4        dialect
 *   8        gap of open_frames at the end of the index
 *   8 * 5    numbers of blocks, nodes, threads, stacks and switches
 *
 * followed by these: a block as index_block, 72 bytes; a node of the tree of open frames as parent and method, 8 bytes;
 * a thread with the number of the stack that it is on at the end of the index, the counter when it left its own stack,
 * and the node of its own stack, 28 bytes; a stack that is not a thread's own, with the counter when it was left and
 * its node at the end of the index, 20 bytes; a switch as open_switch, 12 bytes.
 */
#include "reader/index_file.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/checksum.h"
#include "base/error.h"
#include "format/dialect.h"
#include "parser/parser.h"
#include "reader/blocks.h"
#include "reader/errors.h"
#include "reader/learn.h"
#include "reader/seek.h"
#include "reader/open_switches.h"
#include "reader/reader_internal.h"

#include <string.h>

static const uint8_t magic[8] = {'m', 'p', 'r', 'o', 'f', 'i', 'd', 'x'};
#define INDEX_VERSION 2
#define HEADER_LENGTH 88
#define CHECKED_START 16
#define BLOCK_LENGTH 72
#define NODE_LENGTH 8
#define THREAD_LENGTH 28
#define STACK_LENGTH 20
#define SWITCH_LENGTH 12

static mprof_status refuse_index(mprof_reader *reader, mprof_status status, const char *what)
{
	return error_set(&reader->error, status, MPROF_SEVERITY_NONE, what);
}

/* Stack sections build on the call stacks of earlier blocks, which the index does not contain. */
static int can_be_saved(const mprof_reader *reader)
{
	return !dialect_get(mprof_parser_get_dialect(reader->parser))->has_stack_sections;
}

static uint64_t node_count(const mprof_reader *reader)
{
	const size_t count = reader->frames.open.node_count;

	return count > OPEN_FRAMES_FIRST_NODE ? count - OPEN_FRAMES_FIRST_NODE : 0;
}

static uint64_t thread_count(const open_frames *open)
{
	uint64_t count = 0;

	for (size_t i = 0; i < open->thread_count; i++)
		count += open->threads[i].own.end_node != 0;
	return count;
}

static uint64_t stack_count(const open_frames *open)
{
	uint64_t count = 0;

	for (size_t i = 0; i < open->slot_count; i++)
		count += open->slots[i].end_node != 0;
	return count;
}

static void store_header(const mprof_reader *reader, uint8_t *bytes)
{
	memcpy(bytes, magic, sizeof(magic));
	bytes_store_32(bytes + 8, INDEX_VERSION);
	bytes_store_64(bytes + 16, reader->index.end);
	bytes_store_64(bytes + 24, reader->intro_length);
	bytes_store_32(bytes + 32, reader->intro_checksum);
	bytes_store_32(bytes + 36, mprof_parser_get_dialect(reader->parser));
	bytes_store_64(bytes + 40, reader->frames.open.end_gap);
	bytes_store_64(bytes + 48, reader->index.count);
	bytes_store_64(bytes + 56, node_count(reader));
	bytes_store_64(bytes + 64, thread_count(&reader->frames.open));
	bytes_store_64(bytes + 72, stack_count(&reader->frames.open));
	bytes_store_64(bytes + 80, reader->frames.open.switch_count);
}

static uint8_t *store_block(uint8_t *bytes, const index_block *block)
{
	bytes_store_64(bytes, block->offset);
	bytes_store_64(bytes + 8, block->length);
	bytes_store_64(bytes + 16, block->thread);
	bytes_store_64(bytes + 24, block->start_counter);
	bytes_store_64(bytes + 32, block->end_counter);
	bytes_store_32(bytes + 40, block->kind);
	bytes_store_32(bytes + 44, block->frames);
	bytes_store_64(bytes + 48, block->stack);
	bytes_store_64(bytes + 56, block->gap);
	bytes_store_64(bytes + 64, block->switch_end);
	return bytes + BLOCK_LENGTH;
}

/*
 * Returns the node of a stack at the end of the index; it is unknown if unreadable blocks follow the last block that
 * used the stack.
 */
static uint32_t node_at_index_end(const mprof_reader *reader, const open_slot *slot)
{
	return slot->end_gaps == reader->frames.index_gaps ? slot->end_node : OPEN_BASE_UNKNOWN;
}

/*
 * Stores the stack that a thread is on at the end of the index. An index is saved only for a log without faults, so the
 * thread is on the stack of its last block unless another thread has switched to that stack since.
 */
static uint8_t *store_thread_stacks(const mprof_reader *reader, uint8_t *bytes, size_t index)
{
	const open_frames *open = &reader->frames.open;
	const open_thread *thread = &open->threads[index];
	const open_slot *other = thread->end_other != 0 ? &open->slots[thread->end_other - 1] : NULL;

	bytes_store_64(bytes, thread->thread);
	bytes_store_64(bytes + 8, other != NULL && other->end_holder == index + 1 ? other->number : 0);
	bytes_store_64(bytes + 16, thread->own.end_left);
	bytes_store_32(bytes + 24, node_at_index_end(reader, &thread->own));
	return bytes + THREAD_LENGTH;
}

static uint8_t *store_stack(const mprof_reader *reader, uint8_t *bytes, const open_slot *slot)
{
	bytes_store_64(bytes, slot->number);
	bytes_store_64(bytes + 8, slot->end_left);
	bytes_store_32(bytes + 16, node_at_index_end(reader, slot));
	return bytes + STACK_LENGTH;
}

static void store_open(const mprof_reader *reader, uint8_t *bytes)
{
	const open_frames *open = &reader->frames.open;

	for (size_t i = OPEN_FRAMES_FIRST_NODE; i < open->node_count; i++, bytes += NODE_LENGTH) {
		bytes_store_32(bytes, open->nodes[i].parent);
		bytes_store_32(bytes + 4, open->nodes[i].method);
	}
	for (size_t i = 0; i < open->thread_count; i++) {
		if (open->threads[i].own.end_node != 0)
			bytes = store_thread_stacks(reader, bytes, i);
	}
	for (size_t i = 0; i < open->slot_count; i++) {
		if (open->slots[i].end_node != 0)
			bytes = store_stack(reader, bytes, &open->slots[i]);
	}
	for (size_t i = 0; i < open->switch_count; i++, bytes += SWITCH_LENGTH) {
		bytes_store_64(bytes, open->switches[i].number);
		bytes_store_32(bytes + 8, open->switches[i].node);
	}
}

static void store_index(const mprof_reader *reader, uint8_t *bytes, size_t length)
{
	uint8_t *next = bytes + HEADER_LENGTH;

	store_header(reader, bytes);
	for (size_t i = 0; i < reader->index.count; i++)
		next = store_block(next, &reader->index.blocks[i]);
	store_open(reader, next);
	bytes_store_32(bytes + 12, checksum_update(0, bytes + CHECKED_START, length - CHECKED_START));
}

/* Adds \p count times \p size to a length. Returns 0 on overflow. */
static int add_length(size_t *length, uint64_t count, size_t size)
{
	size_t part;

	return count <= SIZE_MAX && checked_multiply((size_t)count, size, &part) && checked_add(*length, part, length);
}

mprof_status mprof_reader_save_index(mprof_reader *reader, void *bytes, size_t capacity, size_t *length)
{
	const open_frames *open;

	if (length != NULL)
		*length = 0;
	if (reader == NULL || length == NULL || (bytes == NULL && capacity > 0))
		return MPROF_ERR_ARGUMENT;
	if (!reader->has_index)
		return refuse_index(reader, MPROF_ERR_STATE,
				    "there is no index to save: call mprof_reader_build_index() first");
	if (reader->index_error.status != MPROF_OK || reader->intro_length == 0)
		return refuse_index(reader, MPROF_ERR_STATE, "the log has faults, so its index cannot be saved");
	if (!can_be_saved(reader))
		return refuse_index(reader, MPROF_ERR_UNSUPPORTED,
				    "the index of a log of this dialect cannot be saved");
	open = &reader->frames.open;
	*length = HEADER_LENGTH;
	if (!add_length(length, reader->index.count, BLOCK_LENGTH) ||
	    !add_length(length, node_count(reader), NODE_LENGTH) ||
	    !add_length(length, thread_count(open), THREAD_LENGTH) ||
	    !add_length(length, stack_count(open), STACK_LENGTH) ||
	    !add_length(length, open->switch_count, SWITCH_LENGTH))
		return reader_fail_memory(reader, "the saved index exceeds the address space");
	if (capacity >= *length)
		store_index(reader, bytes, *length);
	return MPROF_OK;
}

typedef struct saved_index {
	const uint8_t *blocks;
	const uint8_t *nodes;
	const uint8_t *threads;
	const uint8_t *stacks;
	const uint8_t *switches;
	uint64_t end;
	uint64_t gap;
	size_t block_count;
	size_t node_count;
	size_t thread_count;
	size_t stack_count;
	size_t switch_count;
} saved_index;

/* Checks the header of the saved index and finds its parts. Their content is not checked yet. */
static mprof_status open_saved(mprof_reader *reader, const uint8_t *bytes, size_t length, saved_index *saved)
{
	size_t needed = HEADER_LENGTH;

	if (length < HEADER_LENGTH || memcmp(bytes, magic, sizeof(magic)) != 0)
		return refuse_index(reader, MPROF_ERR_NOT_MPROF, "the bytes are not a saved index");
	if (bytes_load_32(bytes + 8) != INDEX_VERSION)
		return refuse_index(reader, MPROF_ERR_UNSUPPORTED,
				    "the index was saved by another version of the library");
	if (bytes_load_32(bytes + 12) != checksum_update(0, bytes + CHECKED_START, length - CHECKED_START))
		return refuse_index(reader, MPROF_ERR_CHECKSUM, "the saved index does not match its checksum");
	if (bytes_load_64(bytes + 24) != reader->intro_length || bytes_load_32(bytes + 32) != reader->intro_checksum ||
	    bytes_load_32(bytes + 36) != mprof_parser_get_dialect(reader->parser))
		return refuse_index(reader, MPROF_ERR_STATE, "the saved index belongs to another log");
	if (!add_length(&needed, bytes_load_64(bytes + 48), BLOCK_LENGTH) ||
	    !add_length(&needed, bytes_load_64(bytes + 56), NODE_LENGTH) ||
	    !add_length(&needed, bytes_load_64(bytes + 64), THREAD_LENGTH) ||
	    !add_length(&needed, bytes_load_64(bytes + 72), STACK_LENGTH) ||
	    !add_length(&needed, bytes_load_64(bytes + 80), SWITCH_LENGTH) || needed != length)
		return refuse_index(reader, MPROF_ERR_MALFORMED,
				    "the length of the saved index does not match its header");
	saved->end = bytes_load_64(bytes + 16);
	saved->gap = bytes_load_64(bytes + 40);
	saved->block_count = (size_t)bytes_load_64(bytes + 48);
	saved->node_count = (size_t)bytes_load_64(bytes + 56);
	saved->thread_count = (size_t)bytes_load_64(bytes + 64);
	saved->stack_count = (size_t)bytes_load_64(bytes + 72);
	saved->switch_count = (size_t)bytes_load_64(bytes + 80);
	saved->blocks = bytes + HEADER_LENGTH;
	saved->nodes = saved->blocks + saved->block_count * BLOCK_LENGTH;
	saved->threads = saved->nodes + saved->node_count * NODE_LENGTH;
	saved->stacks = saved->threads + saved->thread_count * THREAD_LENGTH;
	saved->switches = saved->stacks + saved->stack_count * STACK_LENGTH;
	return MPROF_OK;
}

static mprof_status refuse_inconsistent_index(mprof_reader *reader)
{
	return refuse_index(reader, MPROF_ERR_MALFORMED,
			    "the saved index is damaged: its entries contradict one another");
}

static mprof_status load_blocks(mprof_reader *reader, const saved_index *saved)
{
	const uint8_t *bytes = saved->blocks;
	uint64_t reached = 0;
	uint64_t switches = 0;

	for (size_t i = 0; i < saved->block_count; i++, bytes += BLOCK_LENGTH) {
		const index_block block = {.offset = bytes_load_64(bytes),
					   .length = bytes_load_64(bytes + 8),
					   .thread = bytes_load_64(bytes + 16),
					   .start_counter = bytes_load_64(bytes + 24),
					   .end_counter = bytes_load_64(bytes + 32),
					   .kind = bytes_load_32(bytes + 40),
					   .frames = bytes_load_32(bytes + 44),
					   .stack = bytes_load_64(bytes + 48),
					   .gap = bytes_load_64(bytes + 56),
					   .switch_end = bytes_load_64(bytes + 64)};

		if (block.offset < reached || block.offset >= saved->end || (i == 0) != (block.offset == 0) ||
		    block.switch_end < switches || block.switch_end > saved->switch_count ||
		    block.frames >= saved->node_count + OPEN_FRAMES_FIRST_NODE)
			return refuse_inconsistent_index(reader);
		switches = block.switch_end;
		reached = block.offset + 1;
		if (!block_index_add(&reader->index, &block))
			return reader_fail_memory(reader, "out of memory for the index");
	}
	reader->index.end = saved->end;
	return MPROF_OK;
}

static int is_node(const saved_index *saved, uint32_t node)
{
	return node != 0 && node < saved->node_count + OPEN_FRAMES_FIRST_NODE;
}

/* The tree is empty, so its nodes get the same numbers as when they were saved. */
static mprof_status load_nodes(open_frames *open, const saved_index *saved)
{
	const uint8_t *bytes = saved->nodes;
	mprof_status status = MPROF_OK;

	for (size_t i = 0; i < saved->node_count && status == MPROF_OK; i++, bytes += NODE_LENGTH)
		status = open_frames_add_node(open, bytes_load_32(bytes), bytes_load_32(bytes + 4));
	return status;
}

static mprof_status load_stacks(open_frames *open, const saved_index *saved, uint32_t gaps)
{
	const uint8_t *bytes = saved->stacks;
	mprof_status status = MPROF_OK;
	size_t other;

	for (size_t i = 0; i < saved->stack_count && status == MPROF_OK; i++, bytes += STACK_LENGTH) {
		if (bytes_load_64(bytes) == 0 || !is_node(saved, bytes_load_32(bytes + 16)))
			return MPROF_ERR_MALFORMED;
		status = open_frames_find_slot(open, bytes_load_64(bytes), &other);
		if (status != MPROF_OK)
			break;
		open->slots[other - 1].end_left = bytes_load_64(bytes + 8);
		open->slots[other - 1].end_node = bytes_load_32(bytes + 16);
		open->slots[other - 1].end_gaps = gaps;
	}
	return status;
}

/* Call this after load_stacks(): threads refer to the stacks that they are on. */
static mprof_status load_threads(open_frames *open, const saved_index *saved, uint32_t gaps)
{
	const uint8_t *bytes = saved->threads;
	mprof_status status = MPROF_OK;
	size_t index;

	for (size_t i = 0; i < saved->thread_count && status == MPROF_OK; i++, bytes += THREAD_LENGTH) {
		const uint64_t number = bytes_load_64(bytes + 8);
		open_thread *thread;

		if (!is_node(saved, bytes_load_32(bytes + 24)))
			return MPROF_ERR_MALFORMED;
		status = open_frames_thread(open, bytes_load_64(bytes), &index);
		if (status != MPROF_OK)
			break;
		thread = &open->threads[index];
		thread->own.end_left = bytes_load_64(bytes + 16);
		thread->own.end_node = bytes_load_32(bytes + 24);
		thread->own.end_gaps = gaps;
		thread->end_gaps = gaps;
		if (number != 0)
			status = open_frames_find_slot(open, number, &thread->end_other);
		if (status == MPROF_OK && number != 0)
			open->slots[thread->end_other - 1].end_holder = index + 1;
	}
	return status;
}

static mprof_status load_switches(open_frames *open, const saved_index *saved)
{
	const uint8_t *bytes = saved->switches;
	void *switches = open->switches;
	mprof_status status = memory_budget_reserve(open->budget, &switches, &open->switch_capacity,
						    saved->switch_count, sizeof(*open->switches));

	open->switches = switches;
	for (size_t i = 0; i < saved->switch_count && status == MPROF_OK; i++, bytes += SWITCH_LENGTH) {
		const open_switch loaded = {bytes_load_64(bytes), bytes_load_32(bytes + 8)};

		if (!is_node(saved, loaded.node))
			return MPROF_ERR_MALFORMED;
		open->switches[open->switch_count++] = loaded;
	}
	return status;
}

static mprof_status load_frames(mprof_reader *reader, const saved_index *saved)
{
	open_frames *open = &reader->frames.open;
	const uint32_t gaps = reader->frames.index_gaps;
	mprof_status status = load_nodes(open, saved);

	if (status == MPROF_OK)
		status = load_stacks(open, saved, gaps);
	if (status == MPROF_OK)
		status = load_threads(open, saved, gaps);
	if (status == MPROF_OK)
		status = load_switches(open, saved);
	open->end_gap = saved->gap;
	if (status == MPROF_ERR_MALFORMED)
		return refuse_inconsistent_index(reader);
	if (status == MPROF_ERR_MEMORY)
		return reader_fail_memory(reader, "out of memory for the index");
	return status == MPROF_OK ? MPROF_OK : reader_fail_names(reader, status, &reader->intro);
}

/*
 * Reads one block to store its definitions, as reading the whole log would. Fails if the block does not match the
 * index.
 */
static mprof_status load_indexed_block(mprof_reader *reader, const index_block *expected)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_status status = reader_jump(reader, expected->offset);

	if (status == MPROF_OK)
		status = reader_next(reader, 0, &block);
	if (status != MPROF_OK)
		return status == MPROF_END
			       ? refuse_index(reader, MPROF_ERR_STATE, "the saved index belongs to another log")
			       : status;
	if (block.kind != expected->kind || block.length != expected->length || block.offset != expected->offset)
		return refuse_index(reader, MPROF_ERR_STATE, "the saved index belongs to another log");
	return MPROF_OK;
}

mprof_status reader_load_definitions(mprof_reader *reader)
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

static mprof_status load_index(mprof_reader *reader, const saved_index *saved)
{
	mprof_status status = load_blocks(reader, saved);

	if (status == MPROF_OK)
		status = load_frames(reader, saved);
	return status == MPROF_OK ? reader_load_definitions(reader) : status;
}

mprof_status mprof_reader_load_index(mprof_reader *reader, const void *bytes, size_t length)
{
	saved_index saved = {0};
	mprof_status status;
	mprof_error error;
	uint64_t offset;

	if (reader == NULL || bytes == NULL)
		return MPROF_ERR_ARGUMENT;
	if (reader->memory_error.status != MPROF_OK)
		return reader_check(reader);
	if (reader->parser == NULL || !reader->is_past_intro || reader->index.count > 0)
		return refuse_index(
			reader, MPROF_ERR_STATE,
			"mprof_reader_load_index() called before INTRO was read, or when there is an index");
	if (reader->source.seek == NULL)
		return refuse_index(reader, MPROF_ERR_UNSUPPORTED, "the source does not support seeking");
	if (!can_be_saved(reader))
		return refuse_index(reader, MPROF_ERR_UNSUPPORTED,
				    "the index of a log of this dialect cannot be saved or loaded");
	offset = reader_next_offset(reader);
	status = open_saved(reader, bytes, length, &saved);
	if (status != MPROF_OK)
		return status;
	reader_discard_index(reader);
	status = load_index(reader, &saved);
	error = reader->error;
	if (status != MPROF_OK)
		reader_discard_index(reader);
	reader->has_index = status == MPROF_OK;
	reader->has_loaded_index = status == MPROF_OK;
	if (status == MPROF_OK)
		return mprof_reader_seek(reader, offset);
	if (mprof_reader_seek(reader, offset) == MPROF_OK)
		reader->error = error;
	return status;
}
