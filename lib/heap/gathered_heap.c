/* SPDX-License-Identifier: MIT */
/* Gathers the objects and references of a snapshot. */
#include "heap/gathered_heap.h"

#include <string.h>

#define FIRST_CHUNK_BYTES 4096
#define MAX_CHUNK_BYTES (UINT32_C(1) << 18)

/* The slow path of varint_stream_reserve(). */
static int varint_stream_add_chunk(varint_stream *stream)
{
	uint32_t size = stream->last == NULL ? FIRST_CHUNK_BYTES : (stream->last->capacity + sizeof(varint_chunk)) * 2;
	varint_chunk *chunk;

	if (size > MAX_CHUNK_BYTES)
		size = MAX_CHUNK_BYTES;
	chunk = allocator_allocate(stream->allocator, size);
	if (chunk == NULL)
		return 0;
	chunk->next = NULL;
	chunk->length = 0;
	chunk->capacity = size - (uint32_t)sizeof(*chunk);
	if (stream->last != NULL)
		stream->last->next = chunk;
	else
		stream->first = chunk;
	stream->last = chunk;
	return 1;
}

/* Makes room for 4 numbers. Returns 0, changing nothing, if there is no memory. */
static inline int varint_stream_reserve(varint_stream *stream)
{
	const varint_chunk *last = stream->last;

	return (last != NULL && last->capacity - last->length >= 4 * MPROF_VARINT_MAX_LENGTH) ||
	       varint_stream_add_chunk(stream);
}

/* Appends a number, for which there is room. */
static inline void varint_stream_put(varint_stream *stream, uint64_t value)
{
	varint_chunk *last = stream->last;

	last->length = (uint32_t)(varint_put(last->bytes + last->length, value) - last->bytes);
}

static void release_first_chunk(varint_stream *stream)
{
	varint_chunk *chunk = stream->first;

	stream->first = chunk->next;
	if (stream->first == NULL)
		stream->last = NULL;
	allocator_release(stream->allocator, chunk, sizeof(*chunk) + chunk->capacity);
}

static void enter_chunk(varint_stream_cursor *cursor, varint_chunk *chunk)
{
	cursor->chunk = chunk;
	cursor->next = chunk != NULL ? chunk->bytes : NULL;
	cursor->limit = chunk != NULL ? chunk->bytes + chunk->length : NULL;
}

/* The slow path of varint_stream_get(). */
static void varint_stream_next_chunk(varint_stream_cursor *cursor)
{
	varint_chunk *next = cursor->chunk->next;

	if (cursor->is_releasing)
		release_first_chunk(cursor->stream);
	enter_chunk(cursor, next);
}

/* Reads the next number. There must be one. */
static inline uint64_t varint_stream_get(varint_stream_cursor *cursor)
{
	uint64_t value = 0;

	if (cursor->next == cursor->limit)
		varint_stream_next_chunk(cursor);
	cursor->next = varint_get(cursor->next, cursor->limit, &value);
	return value;
}

/* The allocator must stay at its address until the stream is destroyed. */
static void varint_stream_init(varint_stream *stream, const mprof_allocator *allocator)
{
	stream->allocator = allocator;
	stream->first = NULL;
	stream->last = NULL;
}

/* Frees the numbers; the stream can be used again. */
static void varint_stream_destroy(varint_stream *stream)
{
	while (stream->first != NULL)
		release_first_chunk(stream);
}

/* Starts to read a stream. If is_releasing, nothing can be read a second time. */
static void varint_stream_begin(varint_stream_cursor *cursor, varint_stream *stream, int is_releasing)
{
	cursor->stream = stream;
	cursor->is_releasing = is_releasing;
	enter_chunk(cursor, stream->first);
}

/* Maximum number of objects, and of references. */
#define GATHERED_HEAP_MAX_COUNT (UINT32_MAX - 1)

#define LOW_BITS 3

/*
 * Makes the difference of two addresses a small number. Most addresses are multiples of 8, so the low three bits of a
 * difference become the highest ones.
 */
static uint64_t fold_difference(uint64_t difference)
{
	uint64_t sign = 0 - (difference >> 63);
	uint64_t high = difference >> LOW_BITS | sign << (64 - LOW_BITS);

	return (zigzag_fold(high) & (UINT64_MAX >> LOW_BITS)) | difference << (64 - LOW_BITS);
}

static uint64_t unfold_difference(uint64_t folded)
{
	return zigzag_unfold(folded & (UINT64_MAX >> LOW_BITS)) << LOW_BITS | folded >> (64 - LOW_BITS);
}

void gathered_heap_init(gathered_heap *heap, memory_budget *budget)
{
	memset(heap, 0, sizeof(*heap));
	heap->budget = budget;
	varint_stream_init(&heap->objects, &budget->allocator);
	varint_stream_init(&heap->references, &budget->allocator);
	id_map_init(&heap->class_indices, &budget->allocator);
}

void gathered_heap_destroy(gathered_heap *heap)
{
	const mprof_allocator *allocator = &heap->budget->allocator;

	varint_stream_destroy(&heap->objects);
	varint_stream_destroy(&heap->references);
	id_map_destroy(&heap->class_indices);
	allocator_release(allocator, heap->class_ids, heap->class_capacity * sizeof(*heap->class_ids));
	allocator_release(allocator, heap->roots, heap->root_capacity * sizeof(*heap->roots));
	gathered_heap_init(heap, heap->budget);
}

static mprof_status store_current(gathered_heap *heap)
{
	const gathered_object *object = &heap->current;

	if (!varint_stream_reserve(&heap->objects))
		return memory_budget_status(heap->budget);
	varint_stream_put(&heap->objects, object->class_index);
	varint_stream_put(&heap->objects, fold_difference(object->address - heap->previous_address));
	varint_stream_put(&heap->objects, object->size);
	varint_stream_put(&heap->objects, (uint64_t)object->reference_count << 1 | object->has_offsets);
	heap->previous_address = object->address;
	heap->object_count++;
	heap->address_bits |= object->address;
	heap->has_current = 0;
	return MPROF_OK;
}

mprof_status gathered_heap_interrupt(gathered_heap *heap)
{
	return heap->has_current ? store_current(heap) : MPROF_OK;
}

static mprof_status find_class(gathered_heap *heap, uint32_t class_id, uint32_t *index)
{
	uint32_t number = id_map_get(&heap->class_indices, class_id);
	void *ids = heap->class_ids;
	mprof_status status;

	if (number == 0) {
		status = memory_budget_reserve(heap->budget, &ids, &heap->class_capacity, heap->class_count + 1,
					       sizeof(*heap->class_ids));
		heap->class_ids = ids;
		if (status != MPROF_OK)
			return status;
		status = memory_budget_id_put(heap->budget, &heap->class_indices, class_id,
					      (uint32_t)heap->class_count + 1);
		if (status != MPROF_OK)
			return status;
		heap->class_ids[heap->class_count++] = class_id;
		number = (uint32_t)heap->class_count;
	}
	*index = number - 1;
	return MPROF_OK;
}

/* Stores an offset after its reference. Returns 0 if it is not known. */
static int put_offset(gathered_heap *heap, const uint64_t *offset)
{
	uint64_t folded;

	if (offset == NULL)
		return 0;
	folded = zigzag_fold(*offset - heap->previous_offset);
	/* The only one for which there is no number. */
	if (folded == UINT64_MAX)
		return 0;
	varint_stream_put(&heap->references, folded + 1);
	heap->previous_offset = *offset;
	heap->offset_bits |= *offset;
	heap->known_offsets = 1;
	return 1;
}

/* Null references are left out: they refer to nothing. */
static mprof_status add_references(gathered_heap *heap, const mprof_event_detail *detail)
{
	gathered_object *object = &heap->current;

	/* Offsets of all references of an object are stored or none, as for its first references. */
	if (object->reference_count == 0)
		object->has_offsets = detail->offsets != NULL;
	for (uint32_t i = 0; i < detail->reference_count; i++) {
		if (detail->references[i] == 0)
			continue;
		if (heap->reference_count == GATHERED_HEAP_MAX_COUNT)
			return MPROF_ERR_LIMIT;
		if (!varint_stream_reserve(&heap->references))
			return memory_budget_status(heap->budget);
		varint_stream_put(&heap->references, fold_difference(detail->references[i] - object->address));
		if (object->has_offsets && !put_offset(heap, detail->offsets != NULL ? &detail->offsets[i] : NULL))
			varint_stream_put(&heap->references, 0);
		heap->reference_count++;
		object->reference_count++;
	}
	return MPROF_OK;
}

static mprof_status add_object(gathered_heap *heap, const mprof_event *event)
{
	mprof_status status = gathered_heap_interrupt(heap);

	if (status == MPROF_OK && heap->object_count == GATHERED_HEAP_MAX_COUNT)
		status = MPROF_ERR_LIMIT;
	if (status == MPROF_OK)
		status = find_class(heap, event->id, &heap->current.class_index);
	if (status != MPROF_OK)
		return status;
	heap->current.address = event->more.detail != NULL ? event->more.detail->object : 0;
	heap->current.size = event->value;
	heap->current.reference_count = 0;
	heap->current.has_offsets = 0;
	heap->previous_offset = 0;
	heap->has_current = 1;
	return event->more.detail != NULL ? add_references(heap, event->more.detail) : MPROF_OK;
}

static mprof_status add_root(gathered_heap *heap, const mprof_event *event)
{
	void *roots = heap->roots;
	mprof_status status = memory_budget_reserve(heap->budget, &roots, &heap->root_capacity, heap->root_count + 1,
						    sizeof(*heap->roots));
	gathered_root *root;

	heap->roots = roots;
	if (status != MPROF_OK)
		return status;
	root = &heap->roots[heap->root_count++];
	root->object = event->more.detail != NULL ? event->more.detail->object : 0;
	root->area = event->id;
	root->kind = event->value <= MPROF_ROOT_RUNTIME ? (uint32_t)event->value : MPROF_ROOT_OTHER;
	return MPROF_OK;
}

mprof_status gathered_heap_add(gathered_heap *heap, const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_HEAP_OBJECT:
		return add_object(heap, event);
	case MPROF_EVENT_HEAP_REFERENCES:
		if (event->more.detail == NULL)
			return MPROF_OK;
		if (heap->has_current)
			return add_references(heap, event->more.detail);
		heap->orphan_references += event->more.detail->reference_count;
		return MPROF_OK;
	case MPROF_EVENT_HEAP_ROOT:
		return add_root(heap, event);
	default:
		return MPROF_OK;
	}
}

uint32_t gathered_heap_shift_of(uint64_t bits, uint32_t max)
{
	uint32_t shift = bits != 0 ? (uint32_t)__builtin_ctzll(bits) : 0;

	return shift < max ? shift : max;
}

void gathered_heap_begin(gathered_cursor *cursor, gathered_heap *heap, int is_releasing)
{
	varint_stream_begin(&cursor->objects, &heap->objects, is_releasing);
	varint_stream_begin(&cursor->references, &heap->references, is_releasing);
	cursor->address = 0;
	cursor->offset = 0;
	cursor->has_offsets = 0;
}

void gathered_heap_next_object(gathered_cursor *cursor, gathered_object *object)
{
	uint64_t references;

	object->class_index = (uint32_t)varint_stream_get(&cursor->objects);
	cursor->address += unfold_difference(varint_stream_get(&cursor->objects));
	object->address = cursor->address;
	object->size = varint_stream_get(&cursor->objects);
	references = varint_stream_get(&cursor->objects);
	object->reference_count = (uint32_t)(references >> 1);
	object->has_offsets = references & 1;
	cursor->has_offsets = references & 1;
	cursor->offset = 0;
}

void gathered_heap_next_reference(gathered_cursor *cursor, gathered_reference *reference)
{
	uint64_t folded;

	reference->address = cursor->address + unfold_difference(varint_stream_get(&cursor->references));
	reference->offset = 0;
	reference->has_offset = 0;
	if (!cursor->has_offsets)
		return;
	folded = varint_stream_get(&cursor->references);
	if (folded == 0)
		return;
	cursor->offset += zigzag_unfold(folded - 1);
	reference->offset = cursor->offset;
	reference->has_offset = 1;
}
