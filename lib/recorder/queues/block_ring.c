/* SPDX-License-Identifier: MIT */
/* Keeps the blocks of a flight recorder, evicts the oldest ones with events, and writes them out as a log. */
#include "recorder/queues/block_ring.h"

#include "base/allocator.h"
#include "format/blocks/block_decode.h"
#include "format/blocks/block_encode.h"
#include "io/system.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

void block_ring_use_area(block_ring *ring, salvage_area *area)
{
	ring->area = area;
}

uint64_t block_ring_next_number(const block_ring *ring)
{
	return ring->next_number;
}

uint64_t block_ring_oldest_number(const block_ring *ring)
{
	/* No lock: only this thread adds and evicts blocks. */
	return ring->evictable.oldest != NULL ? ring->evictable.oldest->number : 0;
}

/* Where the bytes of a block are that has its own. */
static uint8_t *bytes_after(const ring_block *block)
{
	return (uint8_t *)(uintptr_t)(const void *)(block + 1);
}

static int is_adopted(const ring_block *block)
{
	return block->bytes != bytes_after(block);
}

static ring_block *allocate_memory(block_ring *ring, size_t size)
{
	ring_block *block = NULL;

	if (ring->area != NULL)
		block = salvage_area_allocate(ring->area, SALVAGE_RING_BLOCK, size);
	/* A block outside of the area is lost if the process dies, but without any memory it would be lost now. */
	return block != NULL ? block : allocator_allocate(&ring->allocator, size);
}

static void release_memory(block_ring *ring, ring_block *block)
{
	if (ring->area != NULL && salvage_area_contains(ring->area, block))
		salvage_area_recycle(ring->area, block);
	else
		allocator_release(&ring->allocator, block, sizeof(*block) + (is_adopted(block) ? 0 : block->length));
}

static void release_block(block_ring *ring, ring_block *block)
{
	if (block != NULL && --block->references == 0)
		release_memory(ring, block);
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
	release_block(ring, oldest);
}

void block_ring_destroy(block_ring *ring)
{
	mprof_allocator allocator;

	if (ring == NULL)
		return;
	allocator = ring->allocator;
	while (ring->retained.oldest != NULL)
		list_drop_oldest(ring, &ring->retained);
	while (ring->evictable.oldest != NULL)
		list_drop_oldest(ring, &ring->evictable);
	release_block(ring, ring->end);
	pthread_mutex_destroy(&ring->lock);
	allocator_release(&allocator, ring, sizeof(*ring));
}

/* The base counter of a block of events or samples. */
static uint64_t start_of(const block_ring *ring, const ring_block *block)
{
	if (block->kind != MPROF_BLOCK_EVENTS && block->kind != MPROF_BLOCK_SAMPLES && block->kind != MPROF_BLOCK_TYPED)
		return UINT64_MAX;
	return block_base_counter(ring->rules, block->bytes, block->length);
}

/* Whether the other blocks can be decoded without this one, so it may be evicted. */
static int is_evictable(const block_ring *ring, const ring_block *block)
{
	switch (block->kind) {
	case MPROF_BLOCK_EVENTS:
	case MPROF_BLOCK_STATISTICAL:
	case MPROF_BLOCK_SAMPLES:
	case MPROF_BLOCK_TYPED:
	case MPROF_BLOCK_HEAP_DATA:
	case MPROF_BLOCK_HEAP_SUMMARY:
	case MPROF_BLOCK_OBJECT_LABELS:
	case MPROF_BLOCK_REFERENCE_NAMES:
	case MPROF_BLOCK_MARK:
	case MPROF_BLOCK_WATERMARK:
	case MPROF_BLOCK_LOST:
	case MPROF_BLOCK_CLOCK_PAIRS:
		return 1;
	case MPROF_BLOCK_APPLICATION:
		return !block_is_definition_of_application(ring->rules, block->bytes, block->length);
	case MPROF_BLOCK_METRICS:
		return block_defines_no_metric(ring->rules, block->bytes, block->length);
	default:
		return 0;
	}
}

/* From here on recovery finds the block. */
static void publish_block(const block_ring *ring, ring_block *block)
{
	if (ring->area != NULL && salvage_area_contains(ring->area, block))
		salvage_piece_publish(block);
}

static void append_block(block_ring *ring, ring_block *block)
{
	int may_be_evicted = is_evictable(ring, block);

	block->start = start_of(ring, block);
	pthread_mutex_lock(&ring->lock);
	block->number = ring->next_number++;
	publish_block(ring, block);
	if (block->kind == MPROF_BLOCK_CODE_RANGES)
		ring->code_bytes += block->length;
	if (block->kind == MPROF_BLOCK_END) {
		release_block(ring, ring->end);
		ring->end = block;
	} else {
		list_append(may_be_evicted ? &ring->evictable : &ring->retained, block);
	}
	/* The newest block is retained even if it is longer than the limit. */
	while (ring->evictable.bytes > ring->max_bytes && ring->evictable.count > 1) {
		ring->evicted.blocks++;
		ring->evicted.bytes += ring->evictable.oldest->length;
		ring->evicted.events += ring->evictable.oldest->events;
		ring->evicted.time = ring->evictable.oldest->time;
		list_drop_oldest(ring, &ring->evictable);
	}
	pthread_mutex_unlock(&ring->lock);
}

/* Returns 0 or an errno value. */
static int copy_block(block_ring *ring, const uint8_t *bytes, size_t length, uint32_t kind, ring_block **copy)
{
	ring_block *block;
	mprof_clock now;
	size_t size;

	if (length > UINT32_MAX || !checked_add(sizeof(*block), length, &size))
		return EFBIG;
	block = allocate_memory(ring, size);
	if (block == NULL)
		return ENOMEM;
	clock_read_system(NULL, &now);
	block->next = NULL;
	block->time = ring->fixed_time != 0 ? ring->fixed_time : now.time;
	block->references = 1;
	block->length = (uint32_t)length;
	block->events = 0;
	block->kind = kind;
	block->bytes = bytes_after(block);
	memcpy(bytes_after(block), bytes, length);
	*copy = block;
	return 0;
}

static int copy_and_append(block_ring *ring, const uint8_t *bytes, size_t length, uint32_t code)
{
	ring_block *block;
	const int error = copy_block(ring, bytes, length, dialect_block_kind(ring->rules, code), &block);

	if (error == 0)
		append_block(ring, block);
	return error;
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
		error = copy_and_append(ring, cursor, span, header.code);
		cursor += span;
		length -= span;
	}
	return error;
}

void block_ring_note_events(block_ring *ring, uint64_t count)
{
	/* No lock: a block is evicted by this thread, and the newest one is retained. */
	if (ring->evictable.newest != NULL)
		ring->evictable.newest->events += count;
}

uint64_t block_ring_first_counter(const block_ring *ring)
{
	uint64_t first = UINT64_MAX;

	/* No lock: only this thread adds and evicts blocks. */
	for (const ring_block *block = ring->evictable.oldest; block != NULL; block = block->next) {
		if (block->start < first)
			first = block->start;
	}
	return first;
}

int block_ring_replace(block_ring *ring, ring_block *before, const void *bytes, size_t length)
{
	ring_list *list = &ring->retained;
	ring_block **link = before != NULL ? &before->next : &list->oldest;
	ring_block *old = *link;
	ring_block *replacement = NULL;
	const int error = length > 0 ? copy_block(ring, bytes, length, old->kind, &replacement) : 0;

	if (error != 0)
		return error;
	if (replacement != NULL) {
		replacement->number = old->number;
		replacement->time = old->time;
		replacement->events = old->events;
		replacement->start = old->start;
		/* Before the old one is given back: recovery may find both, and takes either. */
		publish_block(ring, replacement);
	}
	pthread_mutex_lock(&ring->lock);
	if (replacement != NULL)
		replacement->next = old->next;
	*link = replacement != NULL ? replacement : old->next;
	if (list->newest == old)
		list->newest = replacement != NULL ? replacement : before;
	list->count -= replacement == NULL;
	list->bytes = list->bytes - old->length + length;
	if (old->kind == MPROF_BLOCK_CODE_RANGES)
		ring->code_bytes = ring->code_bytes - old->length + length;
	release_block(ring, old);
	pthread_mutex_unlock(&ring->lock);
	return 0;
}

const ring_evicted *block_ring_evicted(const block_ring *ring)
{
	return &ring->evicted;
}

int block_ring_adopt(block_ring *ring, const ring_block *remaining)
{
	block_header header;
	ring_block *block;

	if (remaining->length < ring->rules->header_length || remaining->number < ring->next_number)
		return EINVAL;
	block_header_decode(bytes_after(remaining), &header);
	if (header.length != remaining->length - ring->rules->header_length)
		return EINVAL;
	/* A struct of its own: each page of a private mapping that is changed is copied. */
	block = allocator_allocate(&ring->allocator, sizeof(*block));
	if (block == NULL)
		return ENOMEM;
	*block = (ring_block){.time = remaining->time,
			      .references = 1,
			      .length = remaining->length,
			      .events = remaining->events,
			      .kind = dialect_block_kind(ring->rules, header.code),
			      .bytes = bytes_after(remaining)};
	ring->next_number = remaining->number;
	append_block(ring, block);
	return 0;
}

void block_ring_continue(block_ring *ring, const ring_evicted *evicted, uint64_t time)
{
	ring->evicted = *evicted;
	ring->fixed_time = time;
}

/* The blocks of the ring at one time. The copy holds a reference to each. */
typedef struct ring_copy {
	ring_block **blocks;
	size_t count;
	size_t capacity;
	ring_block *end;
	ring_evicted evicted;
} ring_copy;

/* Merges both lists in the order of the log. The caller has reserved memory and holds the lock. */
static void copy_merged(const block_ring *ring, ring_copy *copy)
{
	ring_block *retained = ring->retained.oldest;
	ring_block *evictable = ring->evictable.oldest;

	while (retained != NULL || evictable != NULL) {
		int takes_retained = evictable == NULL || (retained != NULL && retained->number < evictable->number);
		ring_block *taken = takes_retained ? retained : evictable;

		if (takes_retained)
			retained = retained->next;
		else
			evictable = evictable->next;
		taken->references++;
		copy->blocks[copy->count++] = taken;
	}
	copy->end = ring->end;
	copy->evicted = ring->evicted;
	if (copy->end != NULL)
		copy->end->references++;
}

static void copy_release(block_ring *ring, ring_copy *copy)
{
	pthread_mutex_lock(&ring->lock);
	for (size_t i = 0; i < copy->count; i++)
		release_block(ring, copy->blocks[i]);
	release_block(ring, copy->end);
	pthread_mutex_unlock(&ring->lock);
	allocator_release(&ring->allocator, copy->blocks, copy->capacity * sizeof(*copy->blocks));
}

/* References all blocks. Returns 0 if out of memory. */
static int copy_reference(block_ring *ring, ring_copy *copy)
{
	memset(copy, 0, sizeof(*copy));
	for (;;) {
		size_t needed;

		pthread_mutex_lock(&ring->lock);
		needed = ring->retained.count + ring->evictable.count;
		if (needed <= copy->capacity) {
			copy_merged(ring, copy);
			pthread_mutex_unlock(&ring->lock);
			return 1;
		}
		pthread_mutex_unlock(&ring->lock);
		/* Allocated without the lock, so blocks may be added meanwhile: hence the reserve. */
		allocator_release(&ring->allocator, copy->blocks, copy->capacity * sizeof(*copy->blocks));
		copy->capacity = needed + needed / 8 + 16;
		copy->blocks = allocator_allocate(&ring->allocator, copy->capacity * sizeof(*copy->blocks));
		if (copy->blocks == NULL)
			return 0;
	}
}

/* Describes the time span and what was evicted before it: the log alone does not show that there were older events. */
static int write_evicted(const block_ring *ring, log_sink *sink, const ring_copy *copy, const mprof_clock *now)
{
	const block_encoding encoding = {.rules = ring->rules};
	const ring_block *newest = copy->blocks[copy->count - 1];
	uint64_t span = newest->time > copy->evicted.time ? newest->time - copy->evicted.time : 0;
	char text[192];
	const mprof_property property = {"ring", text};
	encode_buffer buffer;
	int error = ENOMEM;

	snprintf(text, sizeof(text),
		 "the last %" PRIu64 ".%03" PRIu64 " s; overwritten before: %" PRIu64 " bytes in %" PRIu64
		 " blocks with %" PRIu64 " events",
		 span / 1000000, span / 1000 % 1000, copy->evicted.bytes, copy->evicted.blocks, copy->evicted.events);
	encode_buffer_init(&buffer, &ring->allocator, SIZE_MAX);
	block_encode_session(&buffer, &encoding, now, &property, 1);
	if (block_encode_end(&buffer, &encoding) == MPROF_OK)
		error = sink_write(sink, buffer.bytes, buffer.length);
	encode_buffer_destroy(&buffer);
	return error;
}

static int write_end(const block_ring *ring, log_sink *sink, const mprof_clock *now)
{
	const block_encoding encoding = {.rules = ring->rules};
	encode_buffer buffer;
	int error = ENOMEM;

	encode_buffer_init(&buffer, &ring->allocator, SIZE_MAX);
	block_encode_end_of_log(&buffer, &encoding, now, 0);
	if (block_encode_end(&buffer, &encoding) == MPROF_OK)
		error = sink_write(sink, buffer.bytes, buffer.length);
	encode_buffer_destroy(&buffer);
	return error;
}

int block_ring_write(block_ring *ring, log_sink *sink, const mprof_clock *now)
{
	ring_copy copy;
	int error = 0;

	if (!copy_reference(ring, &copy))
		return ENOMEM;
	for (size_t i = 0; i < copy.count && error == 0; i++)
		error = sink_write(sink, copy.blocks[i]->bytes, copy.blocks[i]->length);
	if (error == 0 && copy.evicted.blocks > 0 && dialect_has_block(ring->rules, MPROF_BLOCK_SESSION))
		error = write_evicted(ring, sink, &copy, now);
	if (error == 0 && copy.end != NULL)
		error = sink_write(sink, copy.end->bytes, copy.end->length);
	else if (error == 0)
		error = write_end(ring, sink, now);
	copy_release(ring, &copy);
	return error;
}
