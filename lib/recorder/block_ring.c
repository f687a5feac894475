/* SPDX-License-Identifier: MIT */
#include "recorder/block_ring.h"

#include "base/checked.h"
#include "format/block_decode.h"
#include "format/block_encode.h"

#include <errno.h>
#include <string.h>

struct ring_block {
	ring_block *next;
	uint64_t number;     /**< Its place in the log. */
	uint32_t references; /**< Guarded by block_ring::lock. */
	uint32_t length;     /**< Header and all. */
	uint8_t bytes[];
};

block_ring *block_ring_create(const mprof_allocator *allocator, const dialect_rules *rules, uint64_t max_bytes)
{
	block_ring *ring = allocator_allocate_zeroed(allocator, sizeof(*ring));

	if (ring == NULL)
		return NULL;
	if (pthread_mutex_init(&ring->lock, NULL) != 0) {
		allocator_release(allocator, ring, sizeof(*ring));
		return NULL;
	}
	ring->allocator = *allocator;
	ring->rules = rules;
	ring->max_bytes = max_bytes;
	return ring;
}

static void release(block_ring *ring, ring_block *block)
{
	if (block != NULL && --block->references == 0)
		allocator_release(&ring->allocator, block, sizeof(*block) + block->length);
}

static void list_append(ring_list *list, ring_block *block)
{
	if (list->newest != NULL)
		list->newest->next = block;
	else
		list->oldest = block;
	list->newest = block;
	list->count++;
	list->bytes += block->length;
}

static void list_drop_oldest(block_ring *ring, ring_list *list)
{
	ring_block *oldest = list->oldest;

	list->oldest = oldest->next;
	if (list->oldest == NULL)
		list->newest = NULL;
	list->count--;
	list->bytes -= oldest->length;
	release(ring, oldest);
}

void block_ring_destroy(block_ring *ring)
{
	mprof_allocator allocator;

	if (ring == NULL)
		return;
	allocator = ring->allocator;
	while (ring->kept.oldest != NULL)
		list_drop_oldest(ring, &ring->kept);
	while (ring->passing.oldest != NULL)
		list_drop_oldest(ring, &ring->passing);
	release(ring, ring->end);
	pthread_mutex_destroy(&ring->lock);
	allocator_release(&allocator, ring, sizeof(*ring));
}

/* Whether later blocks can be read without this one. */
static int is_passing(const block_ring *ring, const ring_block *block, mprof_block_kind kind)
{
	switch (kind) {
	case MPROF_BLOCK_EVENTS:
	case MPROF_BLOCK_STATISTICAL:
	case MPROF_BLOCK_SAMPLES:
	case MPROF_BLOCK_HEAP_DATA:
	case MPROF_BLOCK_HEAP_SUMMARY:
	case MPROF_BLOCK_MARK:
	case MPROF_BLOCK_WATERMARK:
	case MPROF_BLOCK_LOST:
		return 1;
	case MPROF_BLOCK_METRICS:
		return block_defines_no_metric(ring->rules, block->bytes, block->length);
	default:
		return 0;
	}
}

static void add_block(block_ring *ring, ring_block *block, mprof_block_kind kind)
{
	int passes = is_passing(ring, block, kind);

	pthread_mutex_lock(&ring->lock);
	block->number = ring->next_number++;
	if (kind == MPROF_BLOCK_END) {
		release(ring, ring->end);
		ring->end = block;
	} else {
		list_append(passes ? &ring->passing : &ring->kept, block);
	}
	/* The newest stays, however long it is. */
	while (ring->passing.bytes > ring->max_bytes && ring->passing.count > 1)
		list_drop_oldest(ring, &ring->passing);
	pthread_mutex_unlock(&ring->lock);
}

static int add_one(block_ring *ring, const uint8_t *bytes, size_t length, uint32_t code)
{
	ring_block *block;
	size_t size;

	if (length > UINT32_MAX || !checked_add(sizeof(*block), length, &size))
		return EFBIG;
	block = allocator_allocate(&ring->allocator, size);
	if (block == NULL)
		return ENOMEM;
	block->next = NULL;
	block->references = 1;
	block->length = (uint32_t)length;
	memcpy(block->bytes, bytes, length);
	add_block(ring, block, dialect_block_kind(ring->rules, code));
	return 0;
}

int block_ring_add(block_ring *ring, const void *bytes, size_t length)
{
	const uint8_t *cursor = bytes;
	int error = 0;

	while (error == 0 && length >= ring->rules->header_length) {
		block_header header;
		size_t span;

		block_header_decode(cursor, &header);
		span = ring->rules->header_length + (size_t)header.length;
		if (span > length)
			return EINVAL;
		error = add_one(ring, cursor, span, header.code);
		cursor += span;
		length -= span;
	}
	return error;
}

/* What was there at one time. Each block is referenced. */
typedef struct ring_copy {
	ring_block **blocks;
	size_t count;
	size_t capacity;
	ring_block *end;
} ring_copy;

/* Both lists as one, in the order of the log. Needs room, and the lock. */
static void copy_merged(const block_ring *ring, ring_copy *copy)
{
	ring_block *kept = ring->kept.oldest;
	ring_block *passing = ring->passing.oldest;

	while (kept != NULL || passing != NULL) {
		int takes_kept = passing == NULL || (kept != NULL && kept->number < passing->number);
		ring_block *taken = takes_kept ? kept : passing;

		if (takes_kept)
			kept = kept->next;
		else
			passing = passing->next;
		taken->references++;
		copy->blocks[copy->count++] = taken;
	}
	copy->end = ring->end;
	if (copy->end != NULL)
		copy->end->references++;
}

static void copy_release(block_ring *ring, ring_copy *copy)
{
	pthread_mutex_lock(&ring->lock);
	for (size_t i = 0; i < copy->count; i++)
		release(ring, copy->blocks[i]);
	release(ring, copy->end);
	pthread_mutex_unlock(&ring->lock);
	allocator_release(&ring->allocator, copy->blocks, copy->capacity * sizeof(*copy->blocks));
}

/* Returns 0 if there is no memory. */
static int copy_take(block_ring *ring, ring_copy *copy)
{
	memset(copy, 0, sizeof(*copy));
	for (;;) {
		size_t needed;

		pthread_mutex_lock(&ring->lock);
		needed = ring->kept.count + ring->passing.count;
		if (needed <= copy->capacity) {
			copy_merged(ring, copy);
			pthread_mutex_unlock(&ring->lock);
			return 1;
		}
		pthread_mutex_unlock(&ring->lock);
		/* Room is made without the lock, and with some to spare: more may come meanwhile. */
		allocator_release(&ring->allocator, copy->blocks, copy->capacity * sizeof(*copy->blocks));
		copy->capacity = needed + needed / 8 + 16;
		copy->blocks = allocator_allocate(&ring->allocator, copy->capacity * sizeof(*copy->blocks));
		if (copy->blocks == NULL)
			return 0;
	}
}

static int write_end(const block_ring *ring, log_sink *sink, const mprof_clock *now)
{
	const block_encoding encoding = {ring->rules, 0, 0};
	encode_buffer buffer;
	int error = ENOMEM;

	encode_buffer_init(&buffer, &ring->allocator, SIZE_MAX);
	block_encode_end_of_log(&buffer, &encoding, now);
	if (block_encode_end(&buffer, &encoding) == MPROF_OK)
		error = sink_write(sink, buffer.bytes, buffer.length);
	encode_buffer_destroy(&buffer);
	return error;
}

int block_ring_write(block_ring *ring, log_sink *sink, const mprof_clock *now)
{
	ring_copy copy;
	int error = 0;

	if (!copy_take(ring, &copy))
		return ENOMEM;
	for (size_t i = 0; i < copy.count && error == 0; i++)
		error = sink_write(sink, copy.blocks[i]->bytes, copy.blocks[i]->length);
	if (error == 0 && copy.end != NULL)
		error = sink_write(sink, copy.end->bytes, copy.end->length);
	else if (error == 0)
		error = write_end(ring, sink, now);
	copy_release(ring, &copy);
	return error;
}
