/* SPDX-License-Identifier: MIT */
/* Reads the records of heap snapshots from the chunks that heap.c fills. */
#include "recorder/tables/heap_drain.h"

#include "recorder/tables/keys.h"

#include <string.h>

/*
 * Maximum number of chunks read in a round, unless all must be: a few milliseconds of work, or tens of milliseconds
 * with compression.
 */
#define ROUND_CHUNKS 8

void heap_drain_init(heap_drain *heap, recorder_shared *shared, recorder_keys *keys, root_table *roots,
		     int track_objects)
{
	memset(heap, 0, sizeof(*heap));
	heap->shared = shared;
	heap->output = keys->output;
	heap->keys = keys;
	heap->roots = roots;
	heap->chunk = shared->heap.current;
	heap->kept = heap->chunk;
	heap->until_chunk = heap->chunk;
	heap_blocks_init(&heap->blocks, &shared->allocator, keys->output, &keys->fields);
	heap_deaths_init(&heap->deaths, &shared->allocator, &heap->blocks, track_objects);
}

void heap_drain_destroy(heap_drain *heap)
{
	/* NULL: heap_drain_init() was not called. */
	if (heap->shared == NULL)
		return;
	heap_recording_destroy(&heap->shared->heap, heap->kept);
	heap->chunk = NULL;
	heap_blocks_destroy(&heap->blocks);
	heap_deaths_destroy(&heap->deaths);
}

static void begin_snapshot(heap_drain *heap, uint32_t use, uint32_t collection, uint64_t counter)
{
	open_snapshot snapshot = {.is_open = 1, .use = use, .collection = collection, .counter = counter};

	heap_deaths_begin_snapshot(&heap->deaths, use, counter);
	/* Deaths without a snapshot have the number of their collection, too. */
	if (heap->output->numbers_snapshots_like_collections && collection != 0)
		snapshot.number = (use & (MPROF_HEAP_USE_SHOT | MPROF_HEAP_USE_FREED)) != 0 ? collection : 0;
	else if ((use & MPROF_HEAP_USE_SHOT) != 0)
		snapshot.number = ++heap->next_number;
	heap_blocks_begin_snapshot(&heap->blocks, &snapshot);
	heap->class_stamp++;
}

static void end_snapshot(heap_drain *heap, int is_incomplete)
{
	open_snapshot *snapshot = &heap->blocks.snapshot;

	snapshot->is_incomplete |= is_incomplete;
	/*
	 * If objects are missing or none were requested, an object that the snapshot does not contain is not
	 * necessarily dead.
	 */
	heap_deaths_end_snapshot(&heap->deaths, snapshot->use != 0 && !snapshot->is_incomplete, snapshot->counter);
	heap_blocks_end_snapshot(&heap->blocks);
}

/* Adds an object to the snapshot. Returns where to store its references; NULL if they are not needed. */
static inline uint64_t *give_object(heap_drain *heap, uint64_t address, uint32_t class_id, uint64_t size,
				    uint32_t references)
{
	open_snapshot *snapshot = &heap->blocks.snapshot;
	tracked_object object = {address, size, class_id};
	uint64_t *room = NULL;

	if (!snapshot->is_open)
		return NULL;
	if (class_id == 0) {
		heap_blocks_note_lost(&heap->blocks, MPROF_LOSS_NO_MEMORY, 1);
	} else {
		if ((snapshot->use & MPROF_HEAP_USE_SUMMARY) != 0)
			heap_sums_add(&heap->blocks.sums, HEAP_SUM_ALIVE, class_id, size);
		heap_deaths_note_alive(&heap->deaths, &object);
		if (heap_blocks_has_snapshot(&heap->blocks))
			room = heap_blocks_add(&heap->blocks, MPROF_EVENT_HEAP_OBJECT, class_id, size, address,
					       references, snapshot->counter);
	}
	snapshot->has_object = room != NULL;
	return room;
}

static inline uint32_t class_id_at(heap_drain *heap, uint32_t slot)
{
	heap_class *known = &heap->classes[slot];

	if (__builtin_expect(known->stamp != heap->class_stamp, 0)) {
		known->id = keys_class_id(heap->keys, known->key, heap->blocks.snapshot.counter);
		if (heap_blocks_has_snapshot(&heap->blocks))
			key_fields_use(heap->keys, known->key, heap->blocks.snapshot.counter);
		known->stamp = heap->class_stamp;
	}
	return known->id;
}

static inline uint32_t read_object(heap_drain *heap, const uint32_t *words)
{
	uint32_t slot = words[0] >> HEAP_CLASS_SHIFT & (HEAP_CLASSES - 1);
	uint32_t count = words[0] >> HEAP_COUNT_SHIFT & HEAP_OBJECT_REFERENCES;
	uint64_t address = heap->read_object + heap_word_widen(words[1]);
	uint64_t *room = give_object(heap, address, class_id_at(heap, slot), words[0] >> HEAP_SIZE_SHIFT, count);

	heap->read_object = address;
	for (uint32_t i = 0; room != NULL && i < count; i++)
		room[i] = address + heap_word_widen(words[HEAP_OBJECT_WORDS + i]);
	return HEAP_OBJECT_WORDS + count;
}

/* Stores the offsets of references at \p room, which are the slots of a bit map from an offset on. */
static inline void give_slots(heap_drain *heap, const uint64_t *room, uint64_t first, uint32_t slots)
{
	uint64_t *offsets = heap_batch_offsets(&heap->blocks.batch, room);

	while (slots != 0)
		*offsets++ = first + heap_word_take_slot(&slots);
}

static inline uint32_t read_object_at(heap_drain *heap, const uint32_t *words)
{
	uint32_t slot = words[0] >> HEAP_CLASS_SHIFT & (HEAP_CLASSES - 1);
	uint32_t count = words[0] >> HEAP_COUNT_SHIFT & HEAP_OBJECT_REFERENCES;
	uint64_t address = heap->read_object + heap_word_widen(words[1]);
	uint64_t *room = give_object(heap, address, class_id_at(heap, slot), words[0] >> HEAP_SIZE_SHIFT, count);

	heap->read_object = address;
	if (room != NULL)
		give_slots(heap, room, 0, words[2]);
	for (uint32_t i = 0; room != NULL && i < count; i++)
		room[i] = address + heap_word_widen(words[HEAP_OBJECT_AT_WORDS + i]);
	return HEAP_OBJECT_AT_WORDS + count;
}

static uint32_t read_wide_object(heap_drain *heap, const uint32_t *words)
{
	uint32_t class_id = class_id_at(heap, words[0] >> HEAP_WORD_KIND_BITS);

	heap->read_object = heap_word_get_64(words + 1);
	give_object(heap, heap->read_object, class_id, heap_word_get_64(words + 3), 0);
	return HEAP_OBJECT_WIDE_WORDS;
}

/* Adds references to the last object. Returns where to store them; NULL if they are not needed. */
static uint64_t *give_references(heap_drain *heap, uint32_t count, int has_offsets)
{
	uint64_t *room;

	if (!heap_blocks_has_snapshot(&heap->blocks) || !heap->blocks.snapshot.has_object)
		return NULL;
	room = heap_batch_extend(&heap->blocks.batch, count, has_offsets);
	if (room == NULL)
		room = heap_blocks_add(&heap->blocks, MPROF_EVENT_HEAP_REFERENCES, 0, 0, 0, count,
				       heap->blocks.snapshot.counter);
	return room;
}

static uint32_t read_references_at(heap_drain *heap, const uint32_t *words)
{
	uint32_t count = words[0] >> HEAP_WORD_KIND_BITS;
	uint64_t *room = give_references(heap, count, 1);

	if (room != NULL)
		give_slots(heap, room, (uint64_t)words[1] * 8, words[2]);
	for (uint32_t i = 0; room != NULL && i < count; i++)
		room[i] = heap->read_object + heap_word_widen(words[HEAP_REFERENCES_AT_WORDS + i]);
	return HEAP_REFERENCES_AT_WORDS + count;
}

static uint32_t read_references_far(heap_drain *heap, const uint32_t *words)
{
	uint32_t count = words[0] >> HEAP_WORD_KIND_BITS;
	uint64_t *room = give_references(heap, count, 1);
	uint64_t *offsets = room != NULL ? heap_batch_offsets(&heap->blocks.batch, room) : NULL;

	words += HEAP_REFERENCES_FAR_WORDS;
	for (uint32_t i = 0; room != NULL && i < count; i++) {
		offsets[i] = heap_word_get_64(words + (size_t)HEAP_PAIR_WORDS * i);
		room[i] = heap_word_get_64(words + (size_t)HEAP_PAIR_WORDS * i + 2);
	}
	return HEAP_REFERENCES_FAR_WORDS + HEAP_PAIR_WORDS * count;
}

static uint32_t read_references(heap_drain *heap, const uint32_t *words)
{
	uint32_t count = words[0] >> HEAP_WORD_KIND_BITS;
	int is_wide = (words[0] & HEAP_WORD_KIND_MASK) == HEAP_WORD_REFERENCES_WIDE;
	uint64_t *room = give_references(heap, count, 0);

	words += HEAP_REFERENCES_WORDS;
	for (uint32_t i = 0; room != NULL && i < count; i++)
		room[i] = is_wide ? heap_word_get_64(words + (size_t)2 * i)
				  : heap->read_object + heap_word_widen(words[i]);
	return HEAP_REFERENCES_WORDS + (is_wide ? 2 * count : count);
}

static uint32_t read_class(heap_drain *heap, const uint32_t *words)
{
	heap_class *known = &heap->classes[words[0] >> HEAP_WORD_KIND_BITS];

	known->key = heap_word_get_64(words + 1);
	known->stamp = heap->class_stamp - 1;
	return HEAP_CLASS_WORDS;
}

static uint32_t read_root(heap_drain *heap, const uint32_t *words)
{
	mprof_root_kind kind = (mprof_root_kind)(words[0] >> HEAP_WORD_KIND_BITS);
	uint64_t slot = heap_word_get_64(words + 1);
	uint32_t root = 0;

	if (!heap_blocks_has_snapshot(&heap->blocks))
		return HEAP_ROOT_WORDS;
	if (slot != 0)
		root = root_table_find_id(heap->roots, slot, heap->blocks.snapshot.counter, &kind);
	heap_blocks_add(&heap->blocks, MPROF_EVENT_HEAP_ROOT, root, kind, heap_word_get_64(words + 3), 0,
			heap->blocks.snapshot.counter);
	return HEAP_ROOT_WORDS;
}

static uint32_t read_freed(heap_drain *heap, const uint32_t *words)
{
	uint64_t address = heap_word_get_64(words + 1);
	uint64_t size = heap_word_get_64(words + 5);
	uint64_t counter = heap_word_get_64(words + 7);
	uint32_t class_id = keys_class_id(heap->keys, heap_word_get_64(words + 3), counter);

	heap_deaths_note_freed(&heap->deaths, address, counter);
	if (class_id == 0) {
		heap_blocks_note_lost(&heap->blocks, MPROF_LOSS_NO_MEMORY, 1);
		return HEAP_FREED_WORDS;
	}
	heap_sums_add(&heap->blocks.sums, HEAP_SUM_DEAD, class_id, size);
	heap_blocks_add(&heap->blocks, MPROF_EVENT_HEAP_FREE, class_id, size, address, 0, counter);
	return HEAP_FREED_WORDS;
}

static uint32_t read_moved(heap_drain *heap, const uint32_t *words)
{
	uint64_t from = heap_word_get_64(words + 1);
	uint64_t to = heap_word_get_64(words + 3);
	uint64_t counter = heap_word_get_64(words + 5);

	heap_deaths_note_moved(&heap->deaths, from, to, counter);
	heap_blocks_add(&heap->blocks, MPROF_EVENT_HEAP_MOVE, 0, to, from, 0, counter);
	return HEAP_MOVED_WORDS;
}

static uint32_t read_resumed(heap_drain *heap, const uint32_t *words)
{
	heap_deaths_find_moves(&heap->deaths, heap_word_get_64(words + 1));
	return HEAP_RESUMED_WORDS;
}

/* Reads a record. Returns its length in words. */
static inline uint32_t read_record(heap_drain *heap, const uint32_t *words)
{
	switch ((heap_word_kind)(words[0] & HEAP_WORD_KIND_MASK)) {
	case HEAP_WORD_OBJECT:
		return read_object(heap, words);
	case HEAP_WORD_OBJECT_AT:
		return read_object_at(heap, words);
	case HEAP_WORD_REFERENCES_AT:
		return read_references_at(heap, words);
	case HEAP_WORD_REFERENCES_FAR:
		return read_references_far(heap, words);
	case HEAP_WORD_OBJECT_WIDE:
		return read_wide_object(heap, words);
	case HEAP_WORD_REFERENCES:
	case HEAP_WORD_REFERENCES_WIDE:
		return read_references(heap, words);
	case HEAP_WORD_CLASS:
		return read_class(heap, words);
	case HEAP_WORD_ROOT:
		return read_root(heap, words);
	case HEAP_WORD_FREED:
		return read_freed(heap, words);
	case HEAP_WORD_MOVED:
		return read_moved(heap, words);
	case HEAP_WORD_BEGIN:
		begin_snapshot(heap, words[0] >> HEAP_WORD_KIND_BITS, words[1], heap_word_get_64(words + 2));
		return HEAP_BEGIN_WORDS;
	case HEAP_WORD_END:
		if (heap->blocks.snapshot.is_open)
			end_snapshot(heap, words[0] >> HEAP_WORD_KIND_BITS != 0);
		return HEAP_END_WORDS;
	case HEAP_WORD_LOSS:
		heap_deaths_lose_moves(&heap->deaths);
		return HEAP_LOSS_WORDS;
	case HEAP_WORD_RESUMED:
		return read_resumed(heap, words);
	}
	return 1;
}

/* Applies a record to the state that the next records need, without writing it. Returns its length in words. */
static uint32_t skip_record(heap_drain *heap, const uint32_t *words)
{
	uint32_t kind = words[0] & HEAP_WORD_KIND_MASK;

	if (kind == HEAP_WORD_CLASS)
		return read_class(heap, words);
	if (kind == HEAP_WORD_OBJECT || kind == HEAP_WORD_OBJECT_AT)
		heap->read_object += heap_word_widen(words[1]);
	if (kind == HEAP_WORD_OBJECT_WIDE)
		heap->read_object = heap_word_get_64(words + 1);
	return heap_word_length(words);
}

void heap_drain_resume(heap_drain *heap, heap_chunk *first, uint32_t word, heap_chunk *last)
{
	heap_chunks_give(&heap->shared->heap.chunks, heap->chunk);
	heap->shared->heap.current = last;
	heap->kept = first;
	heap->chunk = first;
	heap->until_chunk = first;
	heap->read_object = first->first_object;
	for (heap->word_index = 0; heap->word_index < word;)
		heap->word_index += skip_record(heap, first->words + heap->word_index);
}

void heap_drain_begin(heap_drain *heap)
{
	const heap_chunk *chunk = heap->chunk;
	const heap_chunk *next;

	while ((next = atomic_load_explicit(&chunk->next, memory_order_acquire)) != NULL)
		chunk = next;
	heap->until_chunk = chunk;
	heap->until_word = atomic_load_explicit(&chunk->published, memory_order_acquire);
	/* Read last: all records up to until_word happened before this counter. */
	heap->until_counter = counter_read(&heap->shared->counter);
}

/* Reads the records that existed at heap_drain_begin(), but at most \p most chunks. Returns 0 if some are left. */
static int read_chunks(heap_drain *heap, size_t most)
{
	for (size_t i = 0; i < most; i++) {
		heap_chunk *chunk = heap->chunk;
		uint32_t limit = heap->until_word;

		/* The next chunk was appended already, so this one does not change any more. */
		if (chunk != heap->until_chunk)
			limit = atomic_load_explicit(&chunk->published, memory_order_acquire);
		while (heap->word_index < limit)
			heap->word_index += read_record(heap, chunk->words + heap->word_index);
		if (chunk == heap->until_chunk)
			return 1;
		heap->chunk = atomic_load_explicit(&chunk->next, memory_order_acquire);
		heap->word_index = 0;
		if (heap->shared->heap.chunks.area == NULL)
			heap_drain_give_back(heap);
	}
	return 0;
}

void heap_drain_give_back(heap_drain *heap)
{
	while (heap->kept != heap->chunk) {
		heap_chunk *read = heap->kept;

		heap->kept = atomic_load_explicit(&read->next, memory_order_acquire);
		heap_chunks_give(&heap->shared->heap.chunks, read);
	}
}

/* Counts what the recording side had no room for. */
static void note_losses(heap_drain *heap)
{
	uint64_t lost = atomic_load_explicit(&heap->shared->heap.lost, memory_order_relaxed);

	if (lost != heap->lost_seen)
		output_count_lost(heap->output, MPROF_LOSS_NO_BUFFER, lost - heap->lost_seen);
	heap->lost_seen = lost;
}

static void prepare_to_read(heap_drain *heap)
{
	heap_deaths *deaths = &heap->deaths;

	note_losses(heap);
	/* Nothing more is written, so deaths need not be found. */
	if (deaths->is_tracking && !output_is_writing(heap->output))
		heap_deaths_stop(deaths);
	heap->class_stamp++;
	heap_deaths_sort(deaths);
}

int heap_drain_advance(heap_drain *heap)
{
	int is_done;

	prepare_to_read(heap);
	is_done = read_chunks(heap, ROUND_CHUNKS);
	heap_blocks_flush(&heap->blocks);
	return is_done;
}

int heap_drain_run(heap_drain *heap, int all, int is_last)
{
	heap_deaths *deaths = &heap->deaths;
	const open_snapshot *snapshot = &heap->blocks.snapshot;
	int is_done;

	prepare_to_read(heap);
	/* If many allocations wait in the timeline, the whole snapshot is read, so that they can be applied. */
	all |= deaths->timeline.count > HEAP_TIMELINE_MAX / 4;
	is_done = read_chunks(heap, all ? SIZE_MAX : ROUND_CHUNKS);
	if (is_last && snapshot->is_open)
		end_snapshot(heap, 1);
	/* Objects that are allocated during a snapshot are not part of it, so they wait for its end. */
	if (is_done && !snapshot->is_open)
		heap_deaths_pass_time(deaths, heap->until_counter);
	heap_blocks_flush(&heap->blocks);
	if (!is_done)
		sem_post(&heap->shared->work);
	return is_done && !snapshot->is_open;
}
