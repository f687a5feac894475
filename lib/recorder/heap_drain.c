/* SPDX-License-Identifier: MIT */
#include "recorder/heap_drain.h"

#include "recorder/keys.h"
#include "recorder/recorder_internal.h"
#include "writer/parts.h"

/*
 * A block has one counter for all that it tells. Outside of shots, what happened longer after it goes into another one:
 * in units near 8 ns the moves of a block are within 33 us, so that those of two collections are apart, and deaths
 * within half a millisecond.
 */
#define MOVE_SPAN (UINT64_C(1) << 12)
#define DEATH_SPAN (UINT64_C(1) << 16)

/* Chunks that are read in a round, unless all must be: a few milliseconds of work, or dozens with compression. */
#define ROUND_CHUNKS 8

/* How far ahead of an allocation its place among the objects is fetched. */
#define FETCH_AHEAD 8

/* Whether the shot's objects are written, and not only counted. */
static int writes_shot(const heap_shot *shot)
{
	return shot->is_open && (shot->use & MPROF_HEAP_USE_SHOT) != 0;
}

static void note_lost(mprof_recorder *recorder, mprof_loss_cause cause, uint64_t count)
{
	if (count > 0)
		recorder_count_lost(recorder, cause, count);
	if (count > 0 && recorder->heap.shot.is_open)
		recorder->heap.shot.is_incomplete = 1;
}

/* Writes a block. Returns 1 if the log has it; what it holds is counted as lost otherwise. */
static int write_block(mprof_recorder *recorder, uint32_t flags, const mprof_event *events, uint32_t count)
{
	heap_store *heap = &recorder->heap;
	mprof_status status;

	if (!recorder_is_writing(recorder)) {
		note_lost(recorder, recorder_loss_cause(recorder), count);
		return 0;
	}
	status = mprof_writer_write_heap(recorder->writer, heap->batch_shot, flags, heap->batch_counter, events, count);
	if (status == MPROF_ERR_MEMORY) {
		/* The writer goes on after it, and so does the recorder. */
		note_lost(recorder, MPROF_LOSS_NO_MEMORY, count);
		return 0;
	}
	recorder_note_status(recorder, status);
	if (status != MPROF_OK)
		note_lost(recorder, recorder_loss_cause(recorder), count);
	recorder_count_lost(recorder, MPROF_LOSS_LIMIT, writer_take_refused_events(recorder->writer));
	/* A dialect without such blocks leaves them out. */
	return status == MPROF_OK && recorder->has_heap_blocks;
}

/* Writes the events that wait, if there are any. */
static void flush(mprof_recorder *recorder)
{
	heap_store *heap = &recorder->heap;
	uint32_t flags = 0;

	if (heap->batch.count == 0)
		return;
	if (heap->batch_shot != 0 && !heap->shot.has_block)
		flags = MPROF_HEAP_FLAG_FIRST;
	if (write_block(recorder, flags, heap->batch.events, heap->batch.count) && heap->batch_shot != 0)
		heap->shot.has_block = 1;
	heap_batch_clear(&heap->batch);
}

/*
 * Appends an event to the shot that is open, or to what belongs to none. Returns where its references go; NULL if there
 * is no memory for it.
 */
static inline uint64_t *add_event(mprof_recorder *recorder, mprof_event_kind kind, uint32_t id, uint64_t value,
				  uint64_t object, uint32_t references, uint64_t counter)
{
	heap_store *heap = &recorder->heap;
	uint32_t shot = heap->shot.number;
	uint64_t span = kind == MPROF_EVENT_HEAP_MOVE ? MOVE_SPAN : DEATH_SPAN;

	if (!heap_batch_has_room(&heap->batch, references) || heap->batch_shot != shot ||
	    (shot == 0 && counter - heap->batch_counter >= span)) {
		flush(recorder);
		if (!heap_batch_prepare(&heap->batch)) {
			note_lost(recorder, MPROF_LOSS_NO_MEMORY, 1);
			return NULL;
		}
	}
	if (heap->batch.count == 0) {
		heap->batch_shot = shot;
		heap->batch_counter = shot != 0 ? heap->shot.counter : counter;
	}
	return heap_batch_add(&heap->batch, kind, id, value, object, references);
}

/* No memory for what is known of objects: deaths are not told any more, and what they would have been is counted. */
static void give_up_tracking(mprof_recorder *recorder)
{
	heap_store *heap = &recorder->heap;

	recorder_count_lost(recorder, MPROF_LOSS_NO_MEMORY, 1 + object_tracker_forget(&heap->tracker));
	heap_timeline_destroy(&heap->timeline);
	heap->is_tracking = 0;
}

static int is_tracking(const heap_store *heap)
{
	return heap->is_tracking && !heap->is_blind;
}

static void note_death(void *user, const tracked_object *object)
{
	mprof_recorder *recorder = user;
	heap_store *heap = &recorder->heap;

	heap_sums_add(&heap->sums, HEAP_SUM_DEAD, object->class_id, object->size);
	if (heap->tells_deaths)
		add_event(recorder, MPROF_EVENT_HEAP_FREE, object->class_id, object->size, object->address, 0,
			  heap->death_counter);
}

/* Lets the allocations before a counter have happened. */
static void pass_time(mprof_recorder *recorder, uint64_t counter)
{
	heap_store *heap = &recorder->heap;
	const heap_moment *moment;

	while ((moment = heap_timeline_take(&heap->timeline, counter)) != NULL) {
		const heap_moment *later = heap_timeline_ahead(&heap->timeline, FETCH_AHEAD);
		int done;

		/* Whether they are where they were allocated is not known then. */
		if (heap->is_blind)
			continue;
		if (later != NULL)
			object_tracker_prefetch(&heap->tracker, later->object.address);
		heap->death_counter = moment->counter;
		done = moment->object.address != 0 ? object_tracker_allocated(&heap->tracker, &moment->object)
						   : object_tracker_end_moves(&heap->tracker);
		if (!done)
			give_up_tracking(recorder);
	}
}

void heap_note_allocation(mprof_recorder *recorder, uint64_t object, mprof_key class_key, uint32_t class_id,
			  uint64_t size, uint64_t counter)
{
	heap_store *heap = &recorder->heap;
	heap_moment moment = {counter, {object, size, class_id}};

	(void)class_key;
	if (heap->is_tracking && object != 0 && class_id != 0 && !heap_timeline_add(&heap->timeline, &moment))
		give_up_tracking(recorder);
}

void heap_note_collection(mprof_recorder *recorder, uint64_t counter)
{
	heap_store *heap = &recorder->heap;
	heap_moment moment = {counter, {0, 0, 0}};

	if (heap->is_tracking && !heap_timeline_add(&heap->timeline, &moment))
		give_up_tracking(recorder);
}

static void begin_shot(mprof_recorder *recorder, uint32_t use, uint32_t collection, uint64_t counter)
{
	heap_store *heap = &recorder->heap;

	pass_time(recorder, counter);
	if (is_tracking(heap) && !object_tracker_end_moves(&heap->tracker))
		give_up_tracking(recorder);
	flush(recorder);
	heap->shot = (heap_shot){.is_open = 1, .use = use, .collection = collection, .counter = counter};
	/* What died alone has the number of its collection too. */
	if (recorder->numbers_shots_like_collections && collection != 0)
		heap->shot.number = (use & (MPROF_HEAP_USE_SHOT | MPROF_HEAP_USE_FREED)) != 0 ? collection : 0;
	else if ((use & MPROF_HEAP_USE_SHOT) != 0)
		heap->shot.number = ++heap->next_number;
	if (use != 0)
		heap->tells_deaths = (use & MPROF_HEAP_USE_FREED) != 0;
	heap->class_stamp++;
}

static void write_last_block(mprof_recorder *recorder)
{
	heap_store *heap = &recorder->heap;
	heap_shot *shot = &heap->shot;
	uint32_t flags = MPROF_HEAP_FLAG_LAST | (shot->has_block ? 0 : MPROF_HEAP_FLAG_FIRST);
	uint32_t count = heap->batch.count;
	int is_written;

	heap->batch_shot = shot->number;
	heap->batch_counter = shot->counter;
	is_written = write_block(recorder, flags | (shot->is_incomplete ? MPROF_HEAP_FLAG_INCOMPLETE : 0),
				 heap->batch.events, count);
	/* Without memory for what it holds, it can still say that something is missing. */
	if (!is_written && count > 0 && shot->is_incomplete)
		is_written = write_block(recorder, flags | MPROF_HEAP_FLAG_INCOMPLETE, NULL, 0);
	heap_batch_clear(&heap->batch);
	is_written &= writes_shot(shot);
	heap->shots += is_written ? 1 : 0;
	heap->incomplete_shots += is_written && shot->is_incomplete ? 1 : 0;
}

static void write_summary(mprof_recorder *recorder)
{
	heap_store *heap = &recorder->heap;
	mprof_status status;

	if (!recorder_is_writing(recorder)) {
		recorder_count_lost(recorder, recorder_loss_cause(recorder), 1);
		return;
	}
	status = heap_sums_write(&heap->sums, recorder->writer, heap->shot.collection);
	if (status == MPROF_ERR_MEMORY)
		recorder_count_lost(recorder, MPROF_LOSS_NO_MEMORY, 1);
	else
		recorder_note_status(recorder, status);
	if (recorder->limit_reached)
		recorder_count_lost(recorder, MPROF_LOSS_LIMIT, 1);
}

static void end_shot(mprof_recorder *recorder, int is_incomplete)
{
	heap_store *heap = &recorder->heap;
	heap_shot *shot = &heap->shot;

	shot->is_incomplete |= is_incomplete;
	heap->death_counter = shot->counter;
	/* Where objects are missing, or none were asked for, an object that was not given is not dead by that. */
	if (is_tracking(heap) && !object_tracker_end_shot(&heap->tracker, shot->use != 0 && !shot->is_incomplete))
		give_up_tracking(recorder);
	if (shot->number != 0)
		write_last_block(recorder);
	if ((shot->use & MPROF_HEAP_USE_SUMMARY) != 0 && !shot->is_incomplete) {
		write_summary(recorder);
		/* Deaths that no summary has told of yet stay for the next one. */
		heap_sums_clear(&heap->sums, HEAP_SUM_DEAD);
	}
	heap_sums_clear(&heap->sums, HEAP_SUM_ALIVE);
	*shot = (heap_shot){.is_open = 0};
}

/* The object's references, if there are any, go where this returns; NULL if they are not wanted. */
static inline uint64_t *give_object(mprof_recorder *recorder, uint64_t address, uint32_t class_id, uint64_t size,
				    uint32_t references)
{
	heap_store *heap = &recorder->heap;
	heap_shot *shot = &heap->shot;
	tracked_object object = {address, size, class_id};
	uint64_t *room = NULL;

	if (!shot->is_open)
		return NULL;
	if (class_id == 0) {
		note_lost(recorder, MPROF_LOSS_NO_MEMORY, 1);
	} else {
		if ((shot->use & MPROF_HEAP_USE_SUMMARY) != 0)
			heap_sums_add(&heap->sums, HEAP_SUM_ALIVE, class_id, size);
		if (is_tracking(heap) && !object_tracker_alive(&heap->tracker, &object))
			give_up_tracking(recorder);
		if (writes_shot(shot))
			room = add_event(recorder, MPROF_EVENT_HEAP_OBJECT, class_id, size, address, references,
					 shot->counter);
	}
	shot->has_object = room != NULL;
	return room;
}

static inline uint32_t class_at(mprof_recorder *recorder, uint32_t place)
{
	heap_class *known = &recorder->heap.classes[place];

	if (__builtin_expect(known->stamp != recorder->heap.class_stamp, 0)) {
		known->id = recorder_class_id(recorder, known->key, recorder->heap.shot.counter);
		known->stamp = recorder->heap.class_stamp;
	}
	return known->id;
}

static inline uint32_t read_object(mprof_recorder *recorder, const uint32_t *words)
{
	heap_store *heap = &recorder->heap;
	uint32_t place = words[0] >> HEAP_CLASS_SHIFT & (HEAP_CLASSES - 1);
	uint32_t count = words[0] >> HEAP_COUNT_SHIFT & HEAP_OBJECT_REFERENCES;
	uint64_t address = heap->read_object + heap_word_widen(words[1]);
	uint64_t *room = give_object(recorder, address, class_at(recorder, place), words[0] >> HEAP_SIZE_SHIFT, count);

	heap->read_object = address;
	for (uint32_t i = 0; room != NULL && i < count; i++)
		room[i] = address + heap_word_widen(words[HEAP_OBJECT_WORDS + i]);
	return HEAP_OBJECT_WORDS + count;
}

static uint32_t read_wide_object(mprof_recorder *recorder, const uint32_t *words)
{
	heap_store *heap = &recorder->heap;
	uint32_t class_id = class_at(recorder, words[0] >> HEAP_WORD_KIND_BITS);

	heap->read_object = heap_word_get_64(words + 1);
	give_object(recorder, heap->read_object, class_id, heap_word_get_64(words + 3), 0);
	return HEAP_OBJECT_WIDE_WORDS;
}

static uint32_t read_references(mprof_recorder *recorder, const uint32_t *words)
{
	heap_store *heap = &recorder->heap;
	uint32_t count = words[0] >> HEAP_WORD_KIND_BITS;
	int is_wide = (words[0] & HEAP_WORD_KIND_MASK) == HEAP_WORD_REFERENCES_WIDE;
	uint64_t *room = NULL;

	if (writes_shot(&heap->shot) && heap->shot.has_object) {
		room = heap_batch_extend(&heap->batch, count);
		if (room == NULL)
			room = add_event(recorder, MPROF_EVENT_HEAP_REFERENCES, 0, 0, 0, count, heap->shot.counter);
	}
	words += HEAP_REFERENCES_WORDS;
	for (uint32_t i = 0; room != NULL && i < count; i++)
		room[i] = is_wide ? heap_word_get_64(words + 2 * i) : heap->read_object + heap_word_widen(words[i]);
	return HEAP_REFERENCES_WORDS + (is_wide ? 2 * count : count);
}

static uint32_t read_class(mprof_recorder *recorder, const uint32_t *words)
{
	heap_class *known = &recorder->heap.classes[words[0] >> HEAP_WORD_KIND_BITS];

	known->key = heap_word_get_64(words + 1);
	known->stamp = recorder->heap.class_stamp - 1;
	return HEAP_CLASS_WORDS;
}

static uint32_t read_root(mprof_recorder *recorder, const uint32_t *words)
{
	heap_store *heap = &recorder->heap;
	mprof_root_kind kind = (mprof_root_kind)(words[0] >> HEAP_WORD_KIND_BITS);
	uint64_t slot = heap_word_get_64(words + 1);
	uint32_t root = 0;

	if (!writes_shot(&heap->shot))
		return HEAP_ROOT_WORDS;
	if (slot != 0)
		root = recorder_root_id(recorder, slot, heap->shot.counter, &kind);
	add_event(recorder, MPROF_EVENT_HEAP_ROOT, root, kind, heap_word_get_64(words + 3), 0, heap->shot.counter);
	return HEAP_ROOT_WORDS;
}

static uint32_t read_freed(mprof_recorder *recorder, const uint32_t *words)
{
	heap_store *heap = &recorder->heap;
	uint64_t address = heap_word_get_64(words + 1);
	uint64_t size = heap_word_get_64(words + 5);
	uint64_t counter = heap_word_get_64(words + 7);
	uint32_t class_id = recorder_class_id(recorder, heap_word_get_64(words + 3), counter);

	pass_time(recorder, counter);
	if (is_tracking(heap) && !object_tracker_freed(&heap->tracker, address))
		give_up_tracking(recorder);
	if (class_id == 0) {
		note_lost(recorder, MPROF_LOSS_NO_MEMORY, 1);
		return HEAP_FREED_WORDS;
	}
	heap_sums_add(&heap->sums, HEAP_SUM_DEAD, class_id, size);
	add_event(recorder, MPROF_EVENT_HEAP_FREE, class_id, size, address, 0, counter);
	return HEAP_FREED_WORDS;
}

static uint32_t read_moved(mprof_recorder *recorder, const uint32_t *words)
{
	heap_store *heap = &recorder->heap;
	uint64_t from = heap_word_get_64(words + 1);
	uint64_t to = heap_word_get_64(words + 3);
	uint64_t counter = heap_word_get_64(words + 5);

	pass_time(recorder, counter);
	if (is_tracking(heap)) {
		heap->death_counter = counter;
		if (!object_tracker_moved(&heap->tracker, from, to))
			give_up_tracking(recorder);
	}
	add_event(recorder, MPROF_EVENT_HEAP_MOVE, 0, to, from, 0, counter);
	return HEAP_MOVED_WORDS;
}

static uint32_t read_resumed(mprof_recorder *recorder, const uint32_t *words)
{
	/* What was allocated before may have been moved. */
	pass_time(recorder, heap_word_get_64(words + 1));
	recorder->heap.is_blind = 0;
	return HEAP_RESUMED_WORDS;
}

/* Reads a record. Returns how many words it takes. */
static inline uint32_t read_record(mprof_recorder *recorder, const uint32_t *words)
{
	heap_store *heap = &recorder->heap;

	switch ((heap_word_kind)(words[0] & HEAP_WORD_KIND_MASK)) {
	case HEAP_WORD_OBJECT:
		return read_object(recorder, words);
	case HEAP_WORD_OBJECT_WIDE:
		return read_wide_object(recorder, words);
	case HEAP_WORD_REFERENCES:
	case HEAP_WORD_REFERENCES_WIDE:
		return read_references(recorder, words);
	case HEAP_WORD_CLASS:
		return read_class(recorder, words);
	case HEAP_WORD_ROOT:
		return read_root(recorder, words);
	case HEAP_WORD_FREED:
		return read_freed(recorder, words);
	case HEAP_WORD_MOVED:
		return read_moved(recorder, words);
	case HEAP_WORD_BEGIN:
		begin_shot(recorder, words[0] >> HEAP_WORD_KIND_BITS, words[1], heap_word_get_64(words + 2));
		return HEAP_BEGIN_WORDS;
	case HEAP_WORD_END:
		if (heap->shot.is_open)
			end_shot(recorder, words[0] >> HEAP_WORD_KIND_BITS != 0);
		return HEAP_END_WORDS;
	case HEAP_WORD_LOSS:
		heap->is_blind = 1;
		object_tracker_forget(&heap->tracker);
		return HEAP_LOSS_WORDS;
	case HEAP_WORD_RESUMED:
		return read_resumed(recorder, words);
	}
	return 1;
}

void heap_drain_begin(mprof_recorder *recorder)
{
	heap_store *heap = &recorder->heap;
	const heap_chunk *chunk = heap->chunk;
	const heap_chunk *next;

	while ((next = atomic_load_explicit(&chunk->next, memory_order_acquire)) != NULL)
		chunk = next;
	heap->until_chunk = chunk;
	heap->until_place = atomic_load_explicit(&chunk->published, memory_order_acquire);
	/* After that: what was told up to there happened before this counter. */
	heap->until_counter = counter_read(&recorder->counter);
	heap->tracker.died = note_death;
	heap->tracker.user = recorder;
}

/* Reads up to heap_drain_begin(), or as many chunks as may be. Returns 0 if something is left. */
static int read_chunks(mprof_recorder *recorder, size_t most)
{
	heap_store *heap = &recorder->heap;

	for (size_t i = 0; i < most; i++) {
		heap_chunk *chunk = heap->chunk;
		uint32_t limit = heap->until_place;

		/* Another one was appended before: this one does not change any more. */
		if (chunk != heap->until_chunk)
			limit = atomic_load_explicit(&chunk->published, memory_order_acquire);
		while (heap->place < limit)
			heap->place += read_record(recorder, chunk->words + heap->place);
		if (chunk == heap->until_chunk)
			return 1;
		heap->chunk = atomic_load_explicit(&chunk->next, memory_order_acquire);
		heap->place = 0;
		heap_chunks_give(&heap->chunks, chunk);
	}
	return 0;
}

int heap_drain(mprof_recorder *recorder, int all, int is_last)
{
	heap_store *heap = &recorder->heap;
	int is_done;
	uint64_t lost = atomic_load_explicit(&heap->lost, memory_order_relaxed);

	if (lost != heap->lost_seen)
		recorder_count_lost(recorder, MPROF_LOSS_NO_BUFFER, lost - heap->lost_seen);
	heap->lost_seen = lost;
	/* Nobody could be told of deaths any more. */
	if (heap->is_tracking && !recorder_is_writing(recorder)) {
		heap->is_tracking = 0;
		object_tracker_forget(&heap->tracker);
		heap_timeline_destroy(&heap->timeline);
	}
	heap->class_stamp++;
	heap_timeline_sort(&heap->timeline);
	/* Allocations must not wait for long either. */
	is_done = read_chunks(recorder, all || heap->timeline.count > HEAP_TIMELINE_MAX / 4 ? SIZE_MAX : ROUND_CHUNKS);
	if (is_last && heap->shot.is_open)
		end_shot(recorder, 1);
	/* Objects that come to be while a shot is taken are no part of it: they wait for its end. */
	if (is_done && !heap->shot.is_open)
		pass_time(recorder, heap->until_counter);
	flush(recorder);
	if (!is_done)
		sem_post(&recorder->work);
	return is_done && !heap->shot.is_open;
}
