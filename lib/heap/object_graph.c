/* SPDX-License-Identifier: MIT */
/* The objects of a heap snapshot: gathered in the order of the log, then numbered by address and linked. */
#include "heap/object_graph.h"

#include "base/allocator.h"
#include "base/sort.h"

#include <string.h>

/*
 * It is kept in chunks, so that it never has to be copied, and so that the last reading can free what it has read.
 */

/* A reference. */
typedef struct gathered_reference {
	uint64_t address;
	uint64_t offset;
	int has_offset;
} gathered_reference;

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
	root->kind = event->value <= UINT8_MAX ? (uint32_t)event->value : MPROF_ROOT_OTHER;
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

/* Two to the power of this is the largest number that divides all addresses; at most max. */
static uint32_t gathered_heap_shift_of(uint64_t bits, uint32_t max)
{
	uint32_t shift = bits != 0 ? (uint32_t)__builtin_ctzll(bits) : 0;

	return shift < max ? shift : max;
}

/* Starts to read. If is_releasing, this is the last time: what has been read is freed. */
static void gathered_heap_begin(gathered_cursor *cursor, gathered_heap *heap, int is_releasing)
{
	varint_stream_begin(&cursor->objects, &heap->objects, is_releasing);
	varint_stream_begin(&cursor->references, &heap->references, is_releasing);
	cursor->address = 0;
	cursor->offset = 0;
	cursor->has_offsets = 0;
}

/* Reads an object. There must be another one. */
static void gathered_heap_next_object(gathered_cursor *cursor, gathered_object *object)
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

/* Reads a reference of the object read last. Unless no references are read, all of them must be. */
static void gathered_heap_next_reference(gathered_cursor *cursor, gathered_reference *reference)
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

/* Values of a step that are not a distance. */
#define STEP_UNKNOWN 254
#define STEP_ABSOLUTE 255

/* At least one in this number of steps of an object is absolute, so that finding an offset takes constant time. */
#define STEPS_BETWEEN_ABSOLUTE 256

#define CLASS_UNSET UINT32_MAX

void object_graph_init(object_graph *graph, const mprof_allocator *allocator)
{
	memset(graph, 0, sizeof(*graph));
	graph->allocator = allocator;
	address_set_init(&graph->addresses, allocator, 0);
	hash_map_init(&graph->large_sizes, allocator);
	hash_map_init(&graph->offsets, allocator);
}

static size_t unread_size(const object_graph *graph)
{
	return (size_t)graph->object_count / 8 + 1;
}

void object_graph_destroy(object_graph *graph)
{
	const mprof_allocator *allocator = graph->allocator;
	size_t objects = graph->object_count;

	address_set_destroy(&graph->addresses);
	hash_map_destroy(&graph->large_sizes);
	hash_map_destroy(&graph->offsets);
	allocator_release(allocator, graph->classes, objects * sizeof(*graph->classes));
	allocator_release(allocator, graph->sizes, objects * sizeof(*graph->sizes));
	allocator_release(allocator, graph->first, (objects + 1) * sizeof(*graph->first));
	allocator_release(allocator, graph->targets, graph->reference_count * sizeof(*graph->targets));
	allocator_release(allocator, graph->steps, graph->reference_count);
	allocator_release(allocator, graph->class_table, graph->class_count * sizeof(*graph->class_table));
	allocator_release(allocator, graph->roots, graph->root_count * sizeof(*graph->roots));
	allocator_release(allocator, graph->linking.unread, unread_size(graph));
	object_graph_init(graph, allocator);
}

/* Allocates an array; one of 0 elements stays NULL. Returns 0 if there is no memory. */
static int make_array(const mprof_allocator *allocator, size_t count, size_t element_size, void **array)
{
	size_t size;

	*array = NULL;
	if (!checked_multiply(count, element_size, &size))
		return 0;
	if (size != 0)
		*array = allocator_allocate(allocator, size);
	return size == 0 || *array != NULL;
}

/* Begins to go through all objects. */
static void begin_phase(object_graph *graph, gathered_heap *heap, linking_phase phase)
{
	graph->linking.phase = phase;
	graph->linking.done = 0;
	graph->linking.position = 0;
	gathered_heap_begin(&graph->linking.cursor, heap, phase == LINKING_REFERENCES);
}

/*
 * Numbers the addresses. Objects without references are passed over quickly, since references are in another stream.
 * Returns 0 if there is no memory or it was stopped, like the functions below.
 */
static int number_addresses(object_graph *graph, const gathered_heap *heap, progress *going)
{
	object_linking *linking = &graph->linking;
	gathered_object object;

	for (; linking->done < heap->object_count; linking->done++) {
		int added;

		if (!progress_step(going))
			return 0;
		gathered_heap_next_object(&linking->cursor, &object);
		added = address_set_add(&graph->addresses, object.address);
		if (added < 0)
			return 0;
		graph->object_count += (uint32_t)added;
	}
	graph->repeated_objects = heap->object_count - graph->object_count;
	address_set_sort(&graph->addresses);
	return 1;
}

static int compare_classes(const void *first, const void *second)
{
	uint32_t a = ((const object_class *)first)->class_id;
	uint32_t b = ((const object_class *)second)->class_id;

	return (a > b) - (a < b);
}

/* Makes the table of classes. Afterwards class_ids has the index in the table of each class that was gathered. */
static int make_classes(object_graph *graph, gathered_heap *heap)
{
	void *table;

	if (!make_array(graph->allocator, heap->class_count, sizeof(*graph->class_table), &table))
		return 0;
	graph->class_table = table;
	graph->class_count = heap->class_count;
	for (size_t i = 0; i < heap->class_count; i++) {
		memset(&graph->class_table[i], 0, sizeof(graph->class_table[i]));
		graph->class_table[i].class_id = heap->class_ids[i];
	}
	sort_in_place(graph->class_table, graph->class_count, sizeof(*graph->class_table), compare_classes);
	for (size_t i = 0; i < graph->class_count; i++) {
		uint32_t gathered = id_map_get(&heap->class_indices, graph->class_table[i].class_id) - 1;

		heap->class_ids[gathered] = (uint32_t)i;
	}
	return 1;
}

static int set_size(object_graph *graph, uint32_t object, uint64_t size)
{
	graph->sizes[object] = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
	return size < UINT32_MAX || hash_map_put(&graph->large_sizes, object, size);
}

/* A sum of sizes; sizes of a damaged log may be anything. */
static uint64_t add_saturated(uint64_t sum, uint64_t value)
{
	return sum + value < sum ? UINT64_MAX : sum + value;
}

static int fill_object(object_graph *graph, const gathered_heap *heap, const gathered_object *object, uint32_t number)
{
	uint32_t index = heap->class_ids[object->class_index];
	object_class *class_record = &graph->class_table[index];

	graph->classes[number] = index;
	graph->first[number + 1] = object->reference_count;
	class_record->objects++;
	class_record->bytes = add_saturated(class_record->bytes, object->size);
	graph->bytes = add_saturated(graph->bytes, object->size);
	return set_size(graph, number, object->size);
}

/* Fills all arrays by object, and counts the references of those that are not repeated. */
static int fill_objects(object_graph *graph, const gathered_heap *heap, progress *going)
{
	object_linking *linking = &graph->linking;
	gathered_object object;
	uint32_t references = 0;

	for (; linking->done < heap->object_count; linking->done++) {
		uint32_t number;

		if (!progress_step(going))
			return 0;
		gathered_heap_next_object(&linking->cursor, &object);
		number = address_set_find_near(&graph->addresses, object.address, &linking->position);
		if (graph->classes[number] == CLASS_UNSET && !fill_object(graph, heap, &object, number))
			return 0;
	}
	for (uint32_t i = 1; i <= graph->object_count; i++) {
		references += graph->first[i];
		graph->first[i] = references;
	}
	graph->reference_count = references;
	return 1;
}

/* Stores the offset of a reference as the distance from the previous known one of the object, which it becomes. */
static int fill_step(object_graph *graph, uint32_t reference, uint32_t position, const gathered_reference *read,
		     uint64_t *previous)
{
	uint64_t distance = (read->offset - *previous) >> graph->step_shift;

	if (!read->has_offset) {
		graph->steps[reference] = STEP_UNKNOWN;
		return 1;
	}
	*previous = read->offset;
	if (distance < STEP_UNKNOWN && (position + 1) % STEPS_BETWEEN_ABSOLUTE != 0) {
		graph->steps[reference] = (uint8_t)distance;
		return 1;
	}
	graph->steps[reference] = STEP_ABSOLUTE;
	return hash_map_put(&graph->offsets, reference, read->offset);
}

static void look_up_first(object_graph *graph)
{
	pending_queue *queue = &graph->linking.queue;
	pending_reference *pending = &queue->slots[queue->first++ % PENDING_REFERENCES];
	uint32_t target = address_set_find_near(&graph->addresses, pending->address, &pending->position);

	graph->targets[pending->reference] = target;
	graph->missing_references += target == OBJECT_NONE;
}

static void put_reference(object_graph *graph, uint32_t reference, uint64_t address, size_t position)
{
	pending_queue *queue = &graph->linking.queue;

	if (queue->end - queue->first == PENDING_REFERENCES)
		look_up_first(graph);
	address_set_prefetch_near(&graph->addresses, address, position);
	queue->slots[queue->end++ % PENDING_REFERENCES] = (pending_reference){address, position, reference};
}

/* Of objects with the same address, the first in the log counts. */
static int is_repeated(object_linking *linking, uint32_t number)
{
	int is_first;

	if (linking->unread == NULL)
		return 0;
	is_first = linking->unread[number / 8] >> number % 8 & 1;
	linking->unread[number / 8] &= (uint8_t) ~(1u << number % 8);
	return !is_first;
}

/*
 * Reads the references of an object into the arrays from \p first on, or skips them if it is a repeated one. The
 * position is that of its address: most references lead to objects that are near. Nothing stops it halfway.
 */
static int fill_references(object_graph *graph, const gathered_object *object, uint32_t first, int is_repeated,
			   progress *going)
{
	const size_t position = graph->linking.position;
	uint64_t previous_offset = 0;

	for (uint32_t i = 0; i < object->reference_count; i++) {
		gathered_reference reference;

		(void)progress_step(going);
		gathered_heap_next_reference(&graph->linking.cursor, &reference);
		if (is_repeated)
			continue;
		put_reference(graph, first + i, reference.address, position);
		if (graph->steps != NULL && !fill_step(graph, first + i, i, &reference, &previous_offset))
			return 0;
	}
	return 1;
}

/* Fills all arrays by reference. */
static int fill_targets(object_graph *graph, const gathered_heap *heap, progress *going)
{
	object_linking *linking = &graph->linking;
	gathered_object object;

	for (; linking->done < heap->object_count; linking->done++) {
		uint32_t number;

		if (!progress_step(going))
			return 0;
		gathered_heap_next_object(&linking->cursor, &object);
		if (object.reference_count == 0 && linking->unread == NULL)
			continue;
		number = address_set_find_near(&graph->addresses, object.address, &linking->position);
		if (!fill_references(graph, &object, graph->first[number], is_repeated(linking, number), going))
			return 0;
	}
	while (linking->queue.first != linking->queue.end)
		look_up_first(graph);
	return 1;
}

uint32_t root_rank(uint32_t kind)
{
	/* A static field explains more than a stack, which may be that of any method. */
	static const uint8_t ranks[MPROF_ROOT_GLOBAL + 1] = {
		[MPROF_ROOT_STATIC] = 0,    [MPROF_ROOT_THREAD_STATIC] = 1, [MPROF_ROOT_HANDLE] = 2,
		[MPROF_ROOT_RUNTIME] = 3,   [MPROF_ROOT_OTHER] = 4,         [MPROF_ROOT_STACK] = 5,
		[MPROF_ROOT_FINALIZER] = 6, [MPROF_ROOT_NATIVE] = 3,        [MPROF_ROOT_MONITOR] = 5,
		[MPROF_ROOT_THREAD] = 2,    [MPROF_ROOT_CLASS] = 0,         [MPROF_ROOT_INTERNED] = 3,
		[MPROF_ROOT_SYMBOL] = 3,    [MPROF_ROOT_LOCAL] = 5,         [MPROF_ROOT_GLOBAL] = 2,
	};

	return kind <= MPROF_ROOT_GLOBAL ? ranks[kind] : ranks[MPROF_ROOT_OTHER];
}

static int compare_roots(const void *first, const void *second)
{
	const object_root *a = first;
	const object_root *b = second;
	uint32_t a_rank = root_rank(a->kind);
	uint32_t b_rank = root_rank(b->kind);

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a_rank != b_rank)
		return a_rank < b_rank ? -1 : 1;
	if (a->area != b->area)
		return a->area < b->area ? -1 : 1;
	return (a->holder > b->holder) - (a->holder < b->holder);
}

static int fill_roots(object_graph *graph, const gathered_heap *heap)
{
	size_t found = 0;
	size_t filled = 0;
	void *roots;

	for (size_t i = 0; i < heap->root_count; i++)
		found += address_set_find(&graph->addresses, heap->roots[i].object) != ADDRESS_SET_NONE;
	graph->missing_roots = heap->root_count - found;
	if (!make_array(graph->allocator, found, sizeof(*graph->roots), &roots))
		return 0;
	graph->roots = roots;
	graph->root_count = found;
	for (size_t i = 0; i < heap->root_count; i++) {
		uint32_t object = address_set_find(&graph->addresses, heap->roots[i].object);

		if (object != ADDRESS_SET_NONE)
			graph->roots[filled++] =
				(object_root){object, heap->roots[i].area, heap->roots[i].kind, OBJECT_NONE};
	}
	sort_in_place(graph->roots, graph->root_count, sizeof(*graph->roots), compare_roots);
	return 1;
}

static int make_object_arrays(object_graph *graph)
{
	void *classes;
	void *sizes;
	void *first;
	int created = make_array(graph->allocator, graph->object_count, sizeof(*graph->classes), &classes);

	created &= make_array(graph->allocator, graph->object_count, sizeof(*graph->sizes), &sizes);
	created &= make_array(graph->allocator, (size_t)graph->object_count + 1, sizeof(*graph->first), &first);
	graph->classes = classes;
	graph->sizes = sizes;
	graph->first = first;
	return created;
}

static int make_reference_arrays(object_graph *graph, int with_offsets)
{
	void *targets;
	void *steps = NULL;
	int created = make_array(graph->allocator, graph->reference_count, sizeof(*graph->targets), &targets);

	if (with_offsets)
		created &= make_array(graph->allocator, graph->reference_count, 1, &steps);
	graph->targets = targets;
	graph->steps = steps;
	return created;
}

uint64_t object_graph_steps(const object_graph *graph, const gathered_heap *heap)
{
	const linking_phase phase = graph->linking.phase != LINKING_NOTHING ? graph->linking.phase : LINKING_ADDRESSES;
	const uint64_t phases = LINKING_REFERENCES + 1 - phase;

	return phases * heap->object_count - graph->linking.done + heap->reference_count;
}

/* After the addresses: everything that the number of objects determines. */
static int begin_objects(object_graph *graph, gathered_heap *heap)
{
	if (!make_object_arrays(graph) || !make_classes(graph, heap))
		return 0;
	/* A snapshot without objects has no arrays. */
	if (graph->object_count != 0)
		memset(graph->classes, 0xff, graph->object_count * sizeof(*graph->classes));
	graph->first[0] = 0;
	begin_phase(graph, heap, LINKING_OBJECTS);
	return 1;
}

/* After the objects: everything that the number of references determines. */
static int begin_references(object_graph *graph, gathered_heap *heap)
{
	if (!make_reference_arrays(graph, heap->known_offsets) || !fill_roots(graph, heap))
		return 0;
	if (graph->repeated_objects != 0) {
		graph->linking.unread = allocator_allocate(graph->allocator, unread_size(graph));
		if (graph->linking.unread == NULL)
			return 0;
		memset(graph->linking.unread, 0xff, unread_size(graph));
	}
	graph->step_shift = gathered_heap_shift_of(heap->offset_bits, ADDRESS_SET_MAX_SHIFT);
	begin_phase(graph, heap, LINKING_REFERENCES);
	return 1;
}

int object_graph_link(object_graph *graph, gathered_heap *heap, progress *going)
{
	object_linking *linking = &graph->linking;

	if (linking->phase == LINKING_NOTHING) {
		graph->addresses.shift = gathered_heap_shift_of(heap->address_bits, ADDRESS_SET_MAX_SHIFT);
		begin_phase(graph, heap, LINKING_ADDRESSES);
	}
	if (linking->phase == LINKING_ADDRESSES &&
	    (!number_addresses(graph, heap, going) || !begin_objects(graph, heap)))
		return 0;
	if (linking->phase == LINKING_OBJECTS && (!fill_objects(graph, heap, going) || !begin_references(graph, heap)))
		return 0;
	if (!fill_targets(graph, heap, going) || !progress_end(going))
		return 0;
	allocator_release(graph->allocator, linking->unread, unread_size(graph));
	linking->unread = NULL;
	return 1;
}

/* What object_graph_set_apart() works on. */
typedef struct apart_objects {
	object_graph *graph;
	uint8_t *bits; /* By object. */
	object_root *roots;
	size_t root_count;
} apart_objects;

static int is_set_apart(const apart_objects *apart, uint32_t object)
{
	return apart->bits[object / 8] >> object % 8 & 1;
}

/* Counts an object that is no memory no longer among those of its class. */
static void take_size(object_graph *graph, uint32_t object)
{
	const uint64_t size = object_graph_size(graph, object);
	object_class *class_record = &graph->class_table[graph->classes[object]];

	/* Sums that were too large for their numbers stay as they are. */
	if (graph->bytes != UINT64_MAX)
		graph->bytes -= size;
	if (class_record->bytes != UINT64_MAX)
		class_record->bytes -= size;
	class_record->objects--;
	graph->sizes[object] = 0;
}

/* The roots of objects that are memory, without those that the references of the others become. */
static void keep_roots(apart_objects *apart)
{
	const object_graph *graph = apart->graph;

	for (size_t i = 0; i < graph->root_count; i++) {
		if (!is_set_apart(apart, graph->roots[i].object))
			apart->roots[apart->root_count++] = graph->roots[i];
	}
}

/* Makes the references of an object roots, and removes those to objects that are no memory. */
static void move_references(apart_objects *apart, uint32_t object)
{
	object_graph *graph = apart->graph;
	const int is_apart = is_set_apart(apart, object);
	const object_root *copy = is_apart ? object_graph_root(graph, object) : NULL;

	for (uint32_t i = graph->first[object]; i < graph->first[object + 1]; i++) {
		const uint32_t target = graph->targets[i];

		if (target == OBJECT_NONE)
			continue;
		if (is_apart && !is_set_apart(apart, target))
			apart->roots[apart->root_count++] = (object_root){
				target, 0, copy != NULL ? copy->kind : (uint32_t)MPROF_ROOT_RUNTIME, object};
		if (is_apart || is_set_apart(apart, target))
			graph->targets[i] = OBJECT_NONE;
	}
}

/* The number of references of objects that are no memory. */
static size_t count_apart(apart_objects *apart, int (*is_apart)(const void *user, uint32_t object), const void *user)
{
	const object_graph *graph = apart->graph;
	size_t references = 0;

	for (uint32_t object = 0; object < graph->object_count; object++) {
		if (!is_apart(user, object))
			continue;
		apart->bits[object / 8] |= (uint8_t)(1U << object % 8);
		references += graph->first[object + 1] - graph->first[object];
	}
	return references;
}

int object_graph_set_apart(object_graph *graph, int (*is_apart)(const void *user, uint32_t object), const void *user)
{
	const size_t size = (size_t)graph->object_count / 8 + 1;
	apart_objects apart = {graph, allocator_allocate_zeroed(graph->allocator, size), NULL, 0};
	void *roots = NULL;
	size_t capacity = 0;
	int created = 0;

	if (apart.bits != NULL) {
		capacity = graph->root_count + count_apart(&apart, is_apart, user);
		created = make_array(graph->allocator, capacity, sizeof(*graph->roots), &roots);
	}
	if (created) {
		apart.roots = roots;
		keep_roots(&apart);
		for (uint32_t object = 0; object < graph->object_count; object++) {
			move_references(&apart, object);
			if (is_set_apart(&apart, object))
				take_size(graph, object);
		}
		allocator_release(graph->allocator, graph->roots, graph->root_count * sizeof(*graph->roots));
		graph->roots = NULL;
		graph->root_count = 0;
		/* The array gets the size of its contents, which object_graph_destroy() frees. */
		created = make_array(graph->allocator, apart.root_count, sizeof(*graph->roots), &roots);
	}
	if (created) {
		graph->roots = roots;
		graph->root_count = apart.root_count;
		if (apart.root_count != 0)
			memcpy(graph->roots, apart.roots, apart.root_count * sizeof(*graph->roots));
		sort_in_place(graph->roots, graph->root_count, sizeof(*graph->roots), compare_roots);
	}
	allocator_release(graph->allocator, apart.roots, capacity * sizeof(*apart.roots));
	allocator_release(graph->allocator, apart.bits, size);
	return created;
}

uint64_t object_graph_size(const object_graph *graph, uint32_t object)
{
	const uint64_t *large;

	if (graph->sizes[object] != UINT32_MAX)
		return graph->sizes[object];
	large = hash_map_get(&graph->large_sizes, object);
	return large != NULL ? *large : UINT32_MAX;
}

int object_graph_offset(const object_graph *graph, uint32_t object, uint32_t reference, uint64_t *offset)
{
	uint64_t distance = 0;
	const uint64_t *absolute = NULL;

	*offset = 0;
	if (graph->steps == NULL || graph->steps[reference] == STEP_UNKNOWN)
		return 0;
	/* Distances add up from the last absolute offset, or from the start of the object. */
	for (uint32_t i = reference + 1; i > graph->first[object] && absolute == NULL; i--) {
		if (graph->steps[i - 1] == STEP_ABSOLUTE)
			absolute = hash_map_get(&graph->offsets, i - 1);
		else if (graph->steps[i - 1] != STEP_UNKNOWN)
			distance += graph->steps[i - 1];
	}
	*offset = (absolute != NULL ? *absolute : 0) + (distance << graph->step_shift);
	return 1;
}

uint32_t object_graph_owner(const object_graph *graph, uint32_t reference)
{
	uint32_t low = 0;
	uint32_t high = graph->object_count;

	/* Objects without references have the same first reference as the next one: the last of them has it. */
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (graph->first[middle] <= reference)
			low = middle;
		else
			high = middle;
	}
	return low;
}

const object_root *object_graph_root(const object_graph *graph, uint32_t object)
{
	size_t low = 0;
	size_t high = graph->root_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (graph->roots[middle].object < object)
			low = middle + 1;
		else
			high = middle;
	}
	return low < graph->root_count && graph->roots[low].object == object ? &graph->roots[low] : NULL;
}
