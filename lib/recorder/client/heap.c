/* SPDX-License-Identifier: MIT */
/* Records heap snapshots on the collector's thread while the world is stopped: without lock, malloc() or wait. */
#include "recorder/client/recorder_internal.h"

#include <errno.h>
#include <string.h>

#define ALL_USES (MPROF_HEAP_USE_SHOT | MPROF_HEAP_USE_FREED | MPROF_HEAP_USE_SUMMARY)

/* Called first by each public function. Acquire: pairs with the release in leave_call(), of the previous call. */
static inline heap_state enter_call(heap_recording *heap)
{
	return (heap_state)atomic_load_explicit(&heap->state, memory_order_acquire);
}

/* Called last if anything was changed. Release: the next call, on any thread, sees the changes. */
static inline void leave_call(heap_recording *heap, heap_state state)
{
	atomic_store_explicit(&heap->state, state, memory_order_release);
}

static inline uint32_t words_in(const heap_chunk *chunk)
{
	/* Relaxed: only the recording side stores it, and its calls are ordered by the state. */
	return atomic_load_explicit(&chunk->published, memory_order_relaxed);
}

/* Prefetch distance: about fifty objects. A prefetch past the end of a chunk is harmless. */
#define WORDS_AHEAD 256

/* Release: pairs with the acquire in heap_drain_begin() and read_chunks(), which then read these words. */
static inline void publish_words(heap_chunk *chunk, uint32_t index)
{
	atomic_store_explicit(&chunk->published, index, memory_order_release);
}

static void count_losses(heap_recording *heap, uint64_t count)
{
	uint64_t lost = atomic_load_explicit(&heap->lost, memory_order_relaxed);

	/* Relaxed, without an exchange: only the recording side adds, and nothing depends on the order. */
	atomic_store_explicit(&heap->lost, lost + count, memory_order_relaxed);
}

/* Appends a chunk to the list, which hands over the previous one. NULL if out of memory or while closing. */
static heap_chunk *append_chunk(recorder_shared *shared)
{
	heap_recording *heap = &shared->heap;
	int saved_errno = errno;
	heap_chunk *chunk = NULL;

	if (!atomic_load_explicit(&shared->closing, memory_order_relaxed) && !recorder_in_child(shared))
		chunk = heap_chunks_take(&heap->chunks, 1);
	if (chunk != NULL) {
		if (heap->is_losing_moves) {
			chunk->words[0] = HEAP_WORD_RESUMED;
			heap_word_put_64(chunk->words + 1, counter_read(&shared->counter));
			publish_words(chunk, HEAP_RESUMED_WORDS);
			heap->is_losing_moves = 0;
		}
		chunk->first_object = heap->last_object;
		/* Recovery may begin to read at this chunk, so its records use only classes that it contains. */
		if (heap->chunks.area != NULL)
			memset(heap->class_keys, 0, sizeof(heap->class_keys));
		atomic_store_explicit(&heap->current->next, chunk, memory_order_release);
		heap->current = chunk;
		sem_post(&shared->work);
	}
	errno = saved_errno;
	return chunk;
}

/* Returns a chunk with room for \p words words, or NULL. */
static inline heap_chunk *chunk_with_room(recorder_shared *shared, uint32_t words)
{
	heap_chunk *chunk = shared->heap.current;

	return words_in(chunk) + words <= chunk->capacity ? chunk : append_chunk(shared);
}

int mprof_recorder_begin_heap(mprof_recorder *recorder, uint32_t use, uint32_t collection)
{
	heap_chunk *chunk;
	heap_recording *heap;
	uint32_t *words;

	if (recorder == NULL || (use & ~(uint32_t)ALL_USES) != 0)
		return 0;
	heap = &recorder->shared.heap;
	if (enter_call(heap) != HEAP_BETWEEN_SNAPSHOTS ||
	    atomic_load_explicit(&recorder->shared.closing, memory_order_relaxed) ||
	    recorder_in_child(&recorder->shared))
		return 0;
	chunk = chunk_with_room(&recorder->shared, HEAP_BEGIN_WORDS);
	if (chunk == NULL)
		return 0;
	heap->snapshot_counter = counter_read(&recorder->shared.counter);
	words = chunk->words + words_in(chunk);
	words[0] = HEAP_WORD_BEGIN | use << HEAP_WORD_KIND_BITS;
	words[1] = collection;
	heap_word_put_64(words + 2, heap->snapshot_counter);
	publish_words(chunk, words_in(chunk) + HEAP_BEGIN_WORDS);
	heap->has_named = 0;
	leave_call(heap, HEAP_IN_SNAPSHOT);
	return 1;
}

mprof_status mprof_recorder_end_heap(mprof_recorder *recorder)
{
	int saved_errno = errno;
	heap_recording *heap;
	heap_state state;
	uint32_t index;

	if (recorder == NULL)
		return MPROF_ERR_ARGUMENT;
	heap = &recorder->shared.heap;
	state = enter_call(heap);
	if (state == HEAP_BETWEEN_SNAPSHOTS || recorder_in_child(&recorder->shared))
		return MPROF_ERR_STATE;
	/* The chunk's tail has room for it. */
	index = words_in(heap->current);
	heap->current->words[index] = HEAP_WORD_END | (state == HEAP_IN_FULL_SNAPSHOT ? 1U : 0U) << HEAP_WORD_KIND_BITS;
	publish_words(heap->current, index + HEAP_END_WORDS);
	leave_call(heap, HEAP_BETWEEN_SNAPSHOTS);
	sem_post(&recorder->shared.work);
	errno = saved_errno;
	return MPROF_OK;
}

/* Records more references of the last object, in as many records as needed. Returns 0 if there is no room. */
static int record_more_references(recorder_shared *shared, const uint64_t *references, size_t count)
{
	uint64_t object = shared->heap.last_object;

	while (count > 0) {
		/* Reserves two words for each, since they may not fit the narrow form. */
		heap_chunk *chunk = chunk_with_room(shared, HEAP_REFERENCES_WORDS + 2);
		uint32_t *words;
		uint32_t index;
		uint32_t piece;
		uint64_t lost = 0;

		if (chunk == NULL)
			return 0;
		index = words_in(chunk);
		piece = (chunk->capacity - index - HEAP_REFERENCES_WORDS) / 2;
		piece = piece < HEAP_MORE_REFERENCES ? piece : HEAP_MORE_REFERENCES;
		piece = piece < count ? piece : (uint32_t)count;
		words = chunk->words + index;
		for (uint32_t i = 0; i < piece; i++)
			words[HEAP_REFERENCES_WORDS + i] = heap_word_narrow(references[i] - object, &lost);
		if (lost != 0)
			memcpy(words + HEAP_REFERENCES_WORDS, references, piece * sizeof(*references));
		words[0] =
			(lost != 0 ? HEAP_WORD_REFERENCES_WIDE : HEAP_WORD_REFERENCES) | piece << HEAP_WORD_KIND_BITS;
		publish_words(chunk, index + HEAP_REFERENCES_WORDS + (lost != 0 ? 2 * piece : piece));
		references += piece;
		count -= piece;
	}
	return 1;
}

/* Returns the number of the next references that fit a narrow record with offsets, and the slots of these. */
static uint32_t count_slots(uint64_t object, const uint64_t *references, const uint64_t *offsets, size_t count,
			    uint32_t *slots)
{
	uint32_t fitting = 0;
	uint64_t lost = offsets[0] >> 35;

	*slots = 0;
	while (fitting < count) {
		(void)heap_word_narrow(references[fitting] - object, &lost);
		if (lost != 0 || offsets[0] % 8 != 0 || offsets[fitting] < offsets[0] ||
		    !heap_word_add_slot(slots, offsets[fitting] - offsets[0]))
			break;
		fitting++;
	}
	return fitting;
}

/* Stores the next references, with offsets, in the chunk, which has room for them. Returns their number. */
static uint32_t put_references_at(heap_recording *heap, const uint64_t *references, const uint64_t *offsets,
				  size_t count)
{
	heap_chunk *chunk = heap->current;
	uint32_t index = words_in(chunk);
	uint32_t *words = chunk->words + index;
	uint64_t lost = 0;
	uint32_t slots;
	uint32_t piece = count_slots(heap->last_object, references, offsets, count, &slots);

	if (piece > 0) {
		words[0] = HEAP_WORD_REFERENCES_AT | piece << HEAP_WORD_KIND_BITS;
		words[1] = (uint32_t)(offsets[0] / 8);
		words[2] = slots;
		for (uint32_t i = 0; i < piece; i++)
			words[HEAP_REFERENCES_AT_WORDS + i] =
				heap_word_narrow(references[i] - heap->last_object, &lost);
		publish_words(chunk, index + HEAP_REFERENCES_AT_WORDS + piece);
		return piece;
	}
	piece = count < HEAP_REFERENCES_AT ? (uint32_t)count : HEAP_REFERENCES_AT;
	words[0] = HEAP_WORD_REFERENCES_FAR | piece << HEAP_WORD_KIND_BITS;
	for (uint32_t i = 0; i < piece; i++) {
		uint32_t *pair = words + HEAP_REFERENCES_FAR_WORDS + (size_t)HEAP_PAIR_WORDS * i;

		heap_word_put_64(pair, offsets[i]);
		heap_word_put_64(pair + 2, references[i]);
	}
	publish_words(chunk, index + HEAP_REFERENCES_FAR_WORDS + HEAP_PAIR_WORDS * piece);
	return piece;
}

/* The longest record of references with offsets. */
#define MAX_REFERENCES_AT_WORDS (HEAP_REFERENCES_FAR_WORDS + HEAP_PAIR_WORDS * HEAP_REFERENCES_AT)

/* Records references of the last object; \p offsets may be NULL. Returns 0 if there is no room. */
static int record_references(recorder_shared *shared, const uint64_t *references, const uint64_t *offsets, size_t count)
{
	if (offsets == NULL)
		return record_more_references(shared, references, count);
	while (count > 0) {
		uint32_t piece;

		if (chunk_with_room(shared, MAX_REFERENCES_AT_WORDS) == NULL)
			return 0;
		piece = put_references_at(&shared->heap, references, offsets, count);
		references += piece;
		offsets += piece;
		count -= piece;
	}
	return 1;
}

/*
 * Stores an object in the chunk, which has room for it. Returns 0 and stores nothing if it does not fit the narrow
 * form.
 */
static inline int put_narrow_object(heap_recording *heap, uint64_t address, uint32_t class_slot, uint64_t size,
				    const uint64_t *references, uint32_t count)
{
	heap_chunk *chunk = heap->current;
	uint32_t index = words_in(chunk);
	uint32_t *words = chunk->words + index;
	uint64_t lost = size >> HEAP_SIZE_BITS;

	/*
	 * A chunk that was used before is in the cache of the writer thread's processor. Without the prefetch, the
	 * cache miss on each line would take longer than all work on the objects in it.
	 */
	__builtin_prefetch(words + WORDS_AHEAD, 1);
	words[0] = HEAP_WORD_OBJECT | class_slot << HEAP_CLASS_SHIFT | count << HEAP_COUNT_SHIFT |
		   (uint32_t)size << HEAP_SIZE_SHIFT;
	words[1] = heap_word_narrow(address - heap->last_object, &lost);
	for (uint32_t i = 0; i < count; i++)
		words[HEAP_OBJECT_WORDS + i] = heap_word_narrow(references[i] - address, &lost);
	if (lost != 0)
		return 0;
	heap->last_object = address;
	publish_words(chunk, index + HEAP_OBJECT_WORDS + count);
	return 1;
}

/* Writes an object with at least one reference and the offsets of all. Returns 0 if a value is too wide. */
static inline int put_narrow_object_at(heap_recording *heap, uint64_t address, uint32_t class_slot, uint64_t size,
				       const uint64_t *references, const uint64_t *offsets, uint32_t count)
{
	heap_chunk *chunk = heap->current;
	uint32_t index = words_in(chunk);
	uint32_t *words = chunk->words + index;
	uint64_t lost = size >> HEAP_SIZE_BITS;
	uint32_t slots = 0;

	/* As in put_narrow_object(). */
	__builtin_prefetch(words + WORDS_AHEAD, 1);
	words[0] = HEAP_WORD_OBJECT_AT | class_slot << HEAP_CLASS_SHIFT | count << HEAP_COUNT_SHIFT |
		   (uint32_t)size << HEAP_SIZE_SHIFT;
	words[1] = heap_word_narrow(address - heap->last_object, &lost);
	for (uint32_t i = 0; i < count; i++) {
		words[HEAP_OBJECT_AT_WORDS + i] = heap_word_narrow(references[i] - address, &lost);
		if (!heap_word_add_slot(&slots, offsets[i]))
			return 0;
	}
	if (lost != 0)
		return 0;
	words[2] = slots;
	heap->last_object = address;
	publish_words(chunk, index + HEAP_OBJECT_AT_WORDS + count);
	return 1;
}

/* Stores an object in its narrow form; \p offsets may be NULL. Returns 0 and stores nothing if it does not fit that. */
static inline int put_narrow(heap_recording *heap, uint64_t address, uint32_t class_slot, uint64_t size,
			     const uint64_t *references, const uint64_t *offsets, uint32_t count)
{
	if (offsets != NULL && count > 0)
		return put_narrow_object_at(heap, address, class_slot, size, references, offsets, count);
	return put_narrow_object(heap, address, class_slot, size, references, count);
}

/* The longest record of an object. */
#define MAX_OBJECT_WORDS (HEAP_OBJECT_AT_WORDS + HEAP_OBJECT_REFERENCES)
_Static_assert(HEAP_OBJECT_WIDE_WORDS <= MAX_OBJECT_WORDS, "the wide form of an object is not longer");

/*
 * Adds a class to the table, and records the change for the writer thread's copy of the table. The chunk has room for
 * the record.
 */
static void put_class(heap_recording *heap, mprof_key class_key, uint32_t class_slot)
{
	heap_chunk *chunk = heap->current;
	uint32_t index = words_in(chunk);

	chunk->words[index] = HEAP_WORD_CLASS | class_slot << HEAP_WORD_KIND_BITS;
	heap_word_put_64(chunk->words + index + 1, class_key);
	publish_words(chunk, index + HEAP_CLASS_WORDS);
	heap->class_keys[class_slot] = class_key;
}

/*
 * Slow path: the class is not in the table, the chunk has no room, or the object does not fit the narrow form. Returns
 * 0 if no room can be made.
 */
static int put_object(recorder_shared *shared, uint64_t address, mprof_key class_key, uint64_t size,
		      const uint64_t *references, const uint64_t *offsets, size_t count)
{
	heap_recording *heap = &shared->heap;
	uint32_t class_slot = heap_word_class_place(class_key);
	/* Room for both records, because another chunk may have another table of classes. */
	heap_chunk *chunk = chunk_with_room(shared, HEAP_CLASS_WORDS + MAX_OBJECT_WORDS);
	uint32_t *words;

	if (chunk == NULL)
		return 0;
	if (heap->class_keys[class_slot] != class_key)
		put_class(heap, class_key, class_slot);
	if (count <= HEAP_OBJECT_REFERENCES &&
	    put_narrow(heap, address, class_slot, size, references, offsets, (uint32_t)count))
		return 1;
	words = chunk->words + words_in(chunk);
	words[0] = HEAP_WORD_OBJECT_WIDE | class_slot << HEAP_WORD_KIND_BITS;
	heap_word_put_64(words + 1, address);
	heap_word_put_64(words + 3, size);
	heap->last_object = address;
	publish_words(chunk, words_in(chunk) + HEAP_OBJECT_WIDE_WORDS);
	return record_references(shared, references, offsets, count);
}

/* The rare cases of the functions that add objects, out of line so that the common case is short. */
__attribute__((noinline)) static mprof_status record_object(recorder_shared *shared, uint64_t address,
							    mprof_key class_key, uint64_t size,
							    const uint64_t *references, const uint64_t *offsets,
							    size_t count)
{
	heap_recording *heap = &shared->heap;
	heap_state state = enter_call(heap);

	if (state == HEAP_BETWEEN_SNAPSHOTS)
		return MPROF_ERR_STATE;
	if (state == HEAP_IN_FULL_SNAPSHOT ||
	    !put_object(shared, address, class_key, size, references, offsets, count)) {
		count_losses(heap, 1);
		state = HEAP_IN_FULL_SNAPSHOT;
	}
	leave_call(heap, state);
	return MPROF_OK;
}

mprof_status mprof_recorder_add_heap_object(mprof_recorder *recorder, uint64_t address, mprof_key class_key,
					    uint64_t size, const uint64_t *references, const uint64_t *offsets,
					    size_t count)
{
	uint32_t class_slot = heap_word_class_place(class_key);
	heap_recording *heap;
	size_t least_words;

	if (recorder == NULL || (references == NULL && count > 0))
		return MPROF_ERR_ARGUMENT;
	heap = &recorder->shared.heap;
	if ((recorder->shared.detail & DETAIL_HEAP_OFFSETS) == 0)
		offsets = NULL;
	least_words = offsets != NULL ? HEAP_OBJECT_AT_WORDS : HEAP_OBJECT_WORDS;
	if (__builtin_expect(enter_call(heap) == HEAP_IN_SNAPSHOT && count <= HEAP_OBJECT_REFERENCES &&
				     heap->class_keys[class_slot] == class_key &&
				     words_in(heap->current) + least_words + count <= heap->current->capacity &&
				     put_narrow(heap, address, class_slot, size, references, offsets, (uint32_t)count),
			     1)) {
		leave_call(heap, HEAP_IN_SNAPSHOT);
		return MPROF_OK;
	}
	return record_object(&recorder->shared, address, class_key, size, references, offsets, count);
}

mprof_status mprof_recorder_add_heap_references(mprof_recorder *recorder, const uint64_t *references,
						const uint64_t *offsets, size_t count)
{
	heap_recording *heap;
	heap_state state;

	if (recorder == NULL || (references == NULL && count > 0))
		return MPROF_ERR_ARGUMENT;
	heap = &recorder->shared.heap;
	if ((recorder->shared.detail & DETAIL_HEAP_OFFSETS) == 0)
		offsets = NULL;
	state = enter_call(heap);
	if (state == HEAP_BETWEEN_SNAPSHOTS)
		return MPROF_ERR_STATE;
	if (state == HEAP_IN_SNAPSHOT && !record_references(&recorder->shared, references, offsets, count)) {
		count_losses(heap, 1);
		state = HEAP_IN_FULL_SNAPSHOT;
	}
	leave_call(heap, state);
	return MPROF_OK;
}

/* What the functions return that add a note, which was recorded or did not fit. */
static mprof_status note_status(recorder_shared *shared)
{
	return enter_call(&shared->heap) == HEAP_BETWEEN_SNAPSHOTS ? MPROF_ERR_STATE : MPROF_OK;
}

/*
 * Begins a record of the kind HEAP_WORD_NOTE in the snapshot. Returns its words; NULL outside a snapshot, or without
 * room, which makes the snapshot incomplete. end_note() follows if it returns words.
 */
static uint32_t *begin_note(recorder_shared *shared, heap_note_kind kind, uint32_t length)
{
	heap_recording *heap = &shared->heap;
	const heap_state state = enter_call(heap);
	heap_chunk *chunk;

	if (state != HEAP_IN_SNAPSHOT)
		return NULL;
	chunk = chunk_with_room(shared, length);
	if (chunk == NULL) {
		count_losses(heap, 1);
		leave_call(heap, HEAP_IN_FULL_SNAPSHOT);
		return NULL;
	}
	chunk->words[words_in(chunk)] =
		HEAP_WORD_NOTE | (uint32_t)kind << HEAP_NOTE_KIND_SHIFT | length << HEAP_NOTE_LENGTH_SHIFT;
	return chunk->words + words_in(chunk);
}

static void end_note(heap_recording *heap, const uint32_t *words)
{
	publish_words(heap->current, words_in(heap->current) + heap_word_length(words));
	leave_call(heap, HEAP_IN_SNAPSHOT);
}

/* The length of a text that is stored: of one that is too long, without the character that would be cut. */
static uint32_t stored_length(const char *text, size_t length)
{
	uint32_t kept = HEAP_NOTE_TEXT;

	if (length <= HEAP_NOTE_TEXT)
		return (uint32_t)length;
	while (kept > 0 && ((unsigned char)text[kept] & 0xc0) == 0x80)
		kept--;
	return kept;
}

mprof_status mprof_recorder_add_heap_label(mprof_recorder *recorder, const char *text, size_t length)
{
	uint32_t *words;
	uint32_t kept;

	if (recorder == NULL || (length > 0 && (text == NULL || memchr(text, '\0', length) != NULL)))
		return MPROF_ERR_ARGUMENT;
	if (length == 0)
		return note_status(&recorder->shared);
	kept = stored_length(text, length);
	words = begin_note(&recorder->shared, HEAP_NOTE_LABEL, HEAP_LABEL_WORDS + heap_word_text_length(kept));
	if (words == NULL)
		return note_status(&recorder->shared);
	words[1] = kept;
	memcpy(words + HEAP_LABEL_WORDS, text, kept);
	end_note(&recorder->shared.heap, words);
	return MPROF_OK;
}

/* Names the next references of the last object. Returns 0 if there is no room, or no snapshot. */
static int record_names(recorder_shared *shared, const uint32_t *texts, uint32_t count)
{
	heap_recording *heap = &shared->heap;
	uint32_t *words = begin_note(shared, HEAP_NOTE_NAMES, HEAP_NAMES_WORDS + count);

	if (words == NULL)
		return 0;
	if (!heap->has_named || heap->named_object != heap->last_object) {
		heap->has_named = 1;
		heap->named_object = heap->last_object;
		heap->named_count = 0;
	}
	words[1] = heap->named_count;
	memcpy(words + HEAP_NAMES_WORDS, texts, count * sizeof(*texts));
	heap->named_count += count;
	end_note(heap, words);
	return 1;
}

mprof_status mprof_recorder_add_heap_names(mprof_recorder *recorder, const uint32_t *texts, size_t count)
{
	if (recorder == NULL || (texts == NULL && count > 0))
		return MPROF_ERR_ARGUMENT;
	while (count > 0) {
		const uint32_t piece = count < HEAP_NOTE_NAMES_MAX ? (uint32_t)count : HEAP_NOTE_NAMES_MAX;

		if (!record_names(&recorder->shared, texts, piece))
			break;
		texts += piece;
		count -= piece;
	}
	return note_status(&recorder->shared);
}

mprof_status mprof_recorder_add_heap_weak_references(mprof_recorder *recorder, const uint64_t *references,
						     const uint32_t *texts, size_t count)
{
	if (recorder == NULL || (references == NULL && count > 0))
		return MPROF_ERR_ARGUMENT;
	for (size_t i = 0; i < count; i++) {
		uint32_t *words = begin_note(&recorder->shared, HEAP_NOTE_WEAK, HEAP_WEAK_WORDS);

		if (words == NULL)
			break;
		heap_word_put_64(words + 1, references[i]);
		words[3] = texts != NULL ? texts[i] : 0;
		end_note(&recorder->shared.heap, words);
	}
	return note_status(&recorder->shared);
}

mprof_status mprof_recorder_add_heap_flags(mprof_recorder *recorder, uint32_t flags)
{
	uint32_t *words = NULL;

	if (recorder == NULL || (flags & ~(uint32_t)MPROF_OBJECT_FLAG_SYNTHETIC) != 0)
		return MPROF_ERR_ARGUMENT;
	if (flags != 0)
		words = begin_note(&recorder->shared, HEAP_NOTE_FLAGS, HEAP_FLAGS_WORDS);
	if (words == NULL)
		return note_status(&recorder->shared);
	words[1] = flags;
	end_note(&recorder->shared.heap, words);
	return MPROF_OK;
}

mprof_status mprof_recorder_add_heap_named_root(mprof_recorder *recorder, uint32_t kind, uint64_t object,
						const char *name, size_t length)
{
	const uint32_t kept = name != NULL ? stored_length(name, length) : 0;
	uint32_t *words;

	if (recorder == NULL || (name != NULL && memchr(name, '\0', length) != NULL))
		return MPROF_ERR_ARGUMENT;
	words = begin_note(&recorder->shared, HEAP_NOTE_ROOT, HEAP_NAMED_ROOT_WORDS + heap_word_text_length(kept));
	if (words == NULL)
		return note_status(&recorder->shared);
	heap_word_put_64(words + 1, object);
	words[3] = kind;
	words[4] = kept;
	if (kept > 0)
		memcpy(words + HEAP_NAMED_ROOT_WORDS, name, kept);
	end_note(&recorder->shared.heap, words);
	return MPROF_OK;
}

mprof_status mprof_recorder_add_heap_root(mprof_recorder *recorder, uint32_t kind, uint64_t slot, uint64_t object)
{
	heap_recording *heap;
	heap_state state;
	heap_chunk *chunk;
	uint32_t *words;

	if (recorder == NULL)
		return MPROF_ERR_ARGUMENT;
	heap = &recorder->shared.heap;
	state = enter_call(heap);
	if (state == HEAP_BETWEEN_SNAPSHOTS)
		return MPROF_ERR_STATE;
	chunk = state == HEAP_IN_SNAPSHOT ? chunk_with_room(&recorder->shared, HEAP_ROOT_WORDS) : NULL;
	if (chunk != NULL) {
		words = chunk->words + words_in(chunk);
		words[0] = HEAP_WORD_ROOT | (uint32_t)kind << HEAP_WORD_KIND_BITS;
		heap_word_put_64(words + 1, slot);
		heap_word_put_64(words + 3, object);
		publish_words(chunk, words_in(chunk) + HEAP_ROOT_WORDS);
	} else {
		count_losses(heap, 1);
		state = HEAP_IN_FULL_SNAPSHOT;
	}
	leave_call(heap, state);
	return MPROF_OK;
}

/* The counter of an event. All events in a snapshot have the counter of the snapshot. */
static uint64_t event_counter(const recorder_shared *shared, heap_state state)
{
	return state == HEAP_BETWEEN_SNAPSHOTS ? counter_read(&shared->counter) : shared->heap.snapshot_counter;
}

void mprof_recorder_add_heap_free(mprof_recorder *recorder, uint64_t address, mprof_key class_key, uint64_t size)
{
	heap_recording *heap;
	heap_state state;
	heap_chunk *chunk;
	uint32_t *words;

	if (recorder == NULL)
		return;
	heap = &recorder->shared.heap;
	state = enter_call(heap);
	chunk = chunk_with_room(&recorder->shared, HEAP_FREED_WORDS);
	if (chunk != NULL) {
		words = chunk->words + words_in(chunk);
		words[0] = HEAP_WORD_FREED;
		heap_word_put_64(words + 1, address);
		heap_word_put_64(words + 3, class_key);
		heap_word_put_64(words + 5, size);
		heap_word_put_64(words + 7, event_counter(&recorder->shared, state));
		publish_words(chunk, words_in(chunk) + HEAP_FREED_WORDS);
	} else {
		count_losses(heap, 1);
	}
	leave_call(heap, state);
}

/* After a lost move any address may be wrong: the record marks where the writer thread has to stop tracking. */
static void lose_move(heap_recording *heap)
{
	uint32_t index = words_in(heap->current);

	count_losses(heap, 1);
	if (heap->is_losing_moves)
		return;
	heap->is_losing_moves = 1;
	/* The chunk's tail has room for it. */
	heap->current->words[index] = HEAP_WORD_LOSS;
	publish_words(heap->current, index + HEAP_LOSS_WORDS);
}

void mprof_recorder_add_heap_move(mprof_recorder *recorder, uint64_t from, uint64_t to)
{
	heap_recording *heap;
	heap_state state;
	heap_chunk *chunk;
	uint32_t *words;

	if (recorder == NULL)
		return;
	heap = &recorder->shared.heap;
	state = enter_call(heap);
	chunk = chunk_with_room(&recorder->shared, HEAP_MOVED_WORDS);
	if (chunk != NULL) {
		words = chunk->words + words_in(chunk);
		words[0] = HEAP_WORD_MOVED;
		heap_word_put_64(words + 1, from);
		heap_word_put_64(words + 3, to);
		heap_word_put_64(words + 5, event_counter(&recorder->shared, state));
		publish_words(chunk, words_in(chunk) + HEAP_MOVED_WORDS);
	} else {
		lose_move(heap);
	}
	leave_call(heap, state);
}
