/* SPDX-License-Identifier: MIT */
/* Stores the objects of a heap snapshot compactly while they are read. */
#include "heap/gathered_heap.h"

#include "format/varint.h"

#include <string.h>

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
