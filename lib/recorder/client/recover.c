/* SPDX-License-Identifier: MIT */
/* Completes the log of a process that died. */
#include "base/allocator.h"
#include "base/caller_structs.h"
#include "base/error.h"
#include "base/sort.h"
#include "recorder/client/lifecycle.h"
#include "recorder/client/recorder_internal.h"
#include "recorder/client/recovered_log.h"
#include "recorder/drain/drain.h"
#include "recorder/drain/drain_state.h"
#include "recorder/drain/slots.h"
#include "recorder/queues/salvage.h"
#include "recorder/tables/keys.h"
#include "recorder/threads/thread_attach.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(HEAP_OBJECT_AT_WORDS == HEAP_REFERENCES_AT_WORDS, "both have their bit map in the third word");

/* The uses that can be salvaged. Sums were in the memory of the process. */
#define SALVAGED_USES (MPROF_HEAP_USE_SHOT | MPROF_HEAP_USE_FREED)

typedef struct chunk_list {
	heap_chunk **chunks;
	size_t count;
	size_t capacity;
} chunk_list;

static int compare_chunks(const void *left, const void *right)
{
	const heap_chunk *a = *(heap_chunk *const *)left;
	const heap_chunk *b = *(heap_chunk *const *)right;

	return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

/* Collects the chunks that are not in the log, in their order. Returns 0 if there is no memory. */
static int find_chunks(chunk_list *list, const mprof_allocator *allocator, const salvage_area *area, uint64_t first)
{
	salvage_piece *piece = NULL;

	while ((piece = salvage_area_next(area, piece)) != NULL) {
		heap_chunk *chunk = (heap_chunk *)(void *)piece->content;
		void *chunks = list->chunks;

		if (piece->kind != SALVAGE_HEAP || salvage_piece_room(piece) < sizeof(*chunk) ||
		    chunk->sequence < first ||
		    atomic_load_explicit(&chunk->published, memory_order_relaxed) >
			    (salvage_piece_room(piece) - sizeof(*chunk)) / sizeof(uint32_t))
			continue;
		if (!array_reserve(allocator, &chunks, &list->capacity, list->count + 1, sizeof(heap_chunk *)))
			return 0;
		list->chunks = chunks;
		list->chunks[list->count++] = chunk;
	}
	sort_in_place(list->chunks, list->count, sizeof(heap_chunk *), compare_chunks);
	return 1;
}

/* Whether a record with a bit map of slots has one reference for each slot. */
static int slots_are_valid(const uint32_t *words, uint32_t room)
{
	uint32_t slots = room >= HEAP_REFERENCES_AT_WORDS ? words[2] : 0;
	uint32_t count = heap_word_length(words) - HEAP_REFERENCES_AT_WORDS;

	return (uint32_t)__builtin_popcount(slots) == count;
}

/* Whether the text of a record about an object or a root is in it, whole and without a NUL. */
static int text_is_valid(const uint32_t *words, uint32_t length, uint32_t fixed)
{
	const uint32_t bytes = words[fixed - 1];

	return bytes <= HEAP_NOTE_TEXT && length == fixed + heap_word_text_length(bytes) &&
	       memchr(words + fixed, '\0', bytes) == NULL;
}

/* Whether a record about an object or a root has the length that its kind requires. */
static int note_is_valid(const uint32_t *words, uint32_t room)
{
	const uint32_t length = heap_word_length(words);

	if (length > room)
		return 0;
	switch ((heap_note_kind)(words[0] >> HEAP_NOTE_KIND_SHIFT & HEAP_NOTE_KIND_MASK)) {
	case HEAP_NOTE_LABEL:
		return length >= HEAP_LABEL_WORDS && text_is_valid(words, length, HEAP_LABEL_WORDS);
	case HEAP_NOTE_NAMES:
		return length > HEAP_NAMES_WORDS && length <= HEAP_NAMES_WORDS + HEAP_NOTE_NAMES_MAX;
	case HEAP_NOTE_WEAK:
		return length == HEAP_WEAK_WORDS;
	case HEAP_NOTE_FLAGS:
		return length == HEAP_FLAGS_WORDS && (words[1] & ~(uint32_t)MPROF_OBJECT_FLAG_SYNTHETIC) == 0;
	case HEAP_NOTE_ROOT:
		return length >= HEAP_NAMED_ROOT_WORDS && text_is_valid(words, length, HEAP_NAMED_ROOT_WORDS);
	}
	return 0;
}

/* Whether the writer thread can read a record that is followed by \p room words, itself included. */
static int record_is_valid(const uint32_t *words, uint32_t room)
{
	uint32_t rest = words[0] >> HEAP_WORD_KIND_BITS;

	switch ((heap_word_kind)(words[0] & HEAP_WORD_KIND_MASK)) {
	case HEAP_WORD_OBJECT_WIDE:
	case HEAP_WORD_CLASS:
		if (rest >= HEAP_CLASSES)
			return 0;
		break;
	case HEAP_WORD_REFERENCES:
	case HEAP_WORD_REFERENCES_WIDE:
		if (rest > HEAP_MORE_REFERENCES)
			return 0;
		break;
	case HEAP_WORD_OBJECT_AT:
	case HEAP_WORD_REFERENCES_AT:
		if (!slots_are_valid(words, room))
			return 0;
		break;
	case HEAP_WORD_REFERENCES_FAR:
		if (rest > HEAP_REFERENCES_AT)
			return 0;
		break;
	case HEAP_WORD_NOTE:
		if (!note_is_valid(words, room))
			return 0;
		break;
	case HEAP_WORD_ROOT:
	case HEAP_WORD_BEGIN:
	case HEAP_WORD_END:
	case HEAP_WORD_OBJECT:
	case HEAP_WORD_FREED:
	case HEAP_WORD_MOVED:
	case HEAP_WORD_LOSS:
	case HEAP_WORD_RESUMED:
		break;
	default:
		return 0;
	}
	return heap_word_length(words) <= room;
}

/*
 * Checks the records of a chunk, and cuts off what follows an invalid one; *is_whole becomes 0 then. Returns 0 if no
 * record begins at \p start.
 */
static int check_records(heap_chunk *chunk, uint32_t start, int *is_whole)
{
	uint32_t published = atomic_load_explicit(&chunk->published, memory_order_relaxed);
	uint32_t index = 0;
	int has_start = start == 0;

	while (index < published && record_is_valid(chunk->words + index, published - index)) {
		uint32_t *words = chunk->words + index;

		if ((words[0] & HEAP_WORD_KIND_MASK) == HEAP_WORD_BEGIN)
			words[0] &= HEAP_WORD_BEGIN | SALVAGED_USES << HEAP_WORD_KIND_BITS;
		index += heap_word_length(words);
		has_start |= index == start;
	}
	atomic_store_explicit(&chunk->published, index, memory_order_relaxed);
	*is_whole = index == published;
	return has_start;
}

/* Links the chunks that follow each other without a gap, up to the first damaged one. Returns their number. */
static size_t link_chunks(const chunk_list *list, uint64_t first, uint32_t start)
{
	size_t count = 0;
	int is_whole = 1;

	while (is_whole && count < list->count && list->chunks[count]->sequence == first + count) {
		heap_chunk *chunk = list->chunks[count];

		if (!check_records(chunk, count == 0 ? start : 0, &is_whole))
			return 0;
		atomic_store_explicit(&chunk->next, NULL, memory_order_relaxed);
		if (count > 0)
			atomic_store_explicit(&list->chunks[count - 1]->next, chunk, memory_order_release);
		count++;
	}
	return count;
}

static void resume_snapshot(heap_drain *heap, const salvage_heap *progress)
{
	open_snapshot *snapshot = &heap->blocks.snapshot;

	heap->next_number = progress->next_number;
	*snapshot = progress->snapshot;
	snapshot->is_open = progress->snapshot.is_open != 0;
	snapshot->use &= SALVAGED_USES;
}

/*
 * The part of recovery_fill() for heap snapshots. The chunks are read where they are. What is damaged is left out, and
 * its snapshot is incomplete. Returns 0 if there is no memory.
 */
static int recovery_fill_heap(recorder_drain *drain, salvage_area *area, const salvage_progress *progress)
{
	const mprof_allocator *allocator = &drain->shared->allocator;
	chunk_list list = {NULL, 0, 0};
	int is_done = find_chunks(&list, allocator, area, progress->heap.chunk);

	drain->roots.next_id = progress->heap.next_root;
	resume_snapshot(&drain->heap, &progress->heap);
	if (is_done) {
		size_t count = link_chunks(&list, progress->heap.chunk, progress->heap.word);

		/* They are not unmapped, because they are in the area. */
		drain->shared->heap.chunks.area = area;
		if (count > 0)
			heap_drain_resume(&drain->heap, list.chunks[0], progress->heap.word, list.chunks[count - 1]);
	}
	allocator_release(allocator, list.chunks, list.capacity * sizeof(*list.chunks));
	return is_done;
}

/* A piece that was found, with its sort key. */
typedef struct found_item {
	uint64_t order;
	void *content;
	uint64_t room; /* Bytes of content. */
} found_item;

typedef struct found_list {
	found_item *items;
	size_t count;
	size_t capacity;
} found_list;

static int add_found(found_list *list, const mprof_allocator *allocator, uint64_t order, salvage_piece *piece)
{
	void *items = list->items;

	if (!array_reserve(allocator, &items, &list->capacity, list->count + 1, sizeof(*list->items)))
		return 0;
	list->items = items;
	list->items[list->count++] = (found_item){order, piece->content, salvage_piece_room(piece)};
	return 1;
}

static int compare_found(const void *left, const void *right)
{
	const found_item *a = left;
	const found_item *b = right;

	return a->order < b->order ? -1 : a->order > b->order;
}

/* Returns the sort key of a piece, or 0 to ignore it. */
typedef uint64_t (*order_function)(const salvage_piece *piece, const salvage_progress *progress);

/* Collects the pieces of a kind, sorted, without those to ignore. Returns 0 if there is no memory. */
static int find_all(found_list *list, const mprof_allocator *allocator, const salvage_area *area,
		    const salvage_progress *progress, salvage_kind kind, order_function order_of)
{
	salvage_piece *piece = NULL;

	memset(list, 0, sizeof(*list));
	while ((piece = salvage_area_next(area, piece)) != NULL) {
		uint64_t order = piece->kind == (uint32_t)kind ? order_of(piece, progress) : 0;

		if (order != 0 && !add_found(list, allocator, order, piece))
			return 0;
	}
	sort_in_place(list->items, list->count, sizeof(*list->items), compare_found);
	return 1;
}

static void release_found(found_list *list, const mprof_allocator *allocator)
{
	allocator_release(allocator, list->items, list->capacity * sizeof(*list->items));
}

/* The content of a piece in use, or NULL. */
static const void *content_in_use(const salvage_piece *piece, size_t least)
{
	if (atomic_load_explicit(&piece->in_use, memory_order_relaxed) == 0 || salvage_piece_room(piece) < least)
		return NULL;
	return piece->content;
}

static uint64_t message_order(const salvage_piece *piece, const salvage_progress *progress)
{
	const message *left = content_in_use(piece, sizeof(*left));

	if (left == NULL || (left->batch != 0 && left->batch <= progress->messages_done))
		return 0;
	return left->sequence;
}

static int fill_messages(recorder_drain *drain, const salvage_area *area, const salvage_progress *progress)
{
	const mprof_allocator *allocator = &drain->shared->allocator;
	message_queue *messages = &drain->shared->messages;
	found_list list;
	int is_done = find_all(&list, allocator, area, progress, SALVAGE_MESSAGE, message_order);

	for (size_t i = 0; is_done && i < list.count; i++) {
		message *copy = message_recover(&messages->allocator, list.items[i].content, list.items[i].room);

		if (copy != NULL)
			message_queue_push(messages, copy);
	}
	release_found(&list, allocator);
	return is_done;
}

/*
 * How much of a buffer is in the log: as noted in the buffer, unless the last commit was of this buffer. That commit
 * also covers all earlier buffers of the thread, whose events may be in the same block.
 */
static void find_committed(event_buffer *buffer, const salvage_progress *progress, uint64_t ticket)
{
	if (progress->ticket >> 32 == ticket >> 32 && (int32_t)((uint32_t)ticket - (uint32_t)progress->ticket) < 0)
		buffer->committed = atomic_load_explicit(&buffer->published, memory_order_relaxed);
	if (progress->ticket == 0 || progress->ticket != ticket || progress->buffer != buffer->index)
		return;
	buffer->committed = progress->drained;
	buffer->committed_counter = progress->last_counter;
}

static uint64_t buffer_order(const salvage_piece *piece, const salvage_progress *progress)
{
	event_buffer *buffer = (event_buffer *)(uintptr_t)(const void *)piece->content;
	uint64_t ticket;
	uint64_t published;

	if (salvage_piece_room(piece) < sizeof(*buffer))
		return 0;
	ticket = atomic_load_explicit(&buffer->ticket, memory_order_relaxed);
	published = atomic_load_explicit(&buffer->published, memory_order_relaxed);
	if (ticket == 0 || published > (salvage_piece_room(piece) - sizeof(*buffer)) / sizeof(event_slot))
		return 0;
	find_committed(buffer, progress, ticket);
	if (buffer->committed >= published ||
	    !slots_are_whole(buffer->slots + buffer->committed, (uint32_t)published - buffer->committed))
		return 0;
	return ticket;
}

/* Copies a buffer into one of the recorder's, as its thread would have handed it over. */
static int copy_buffer(recorder_shared *shared, mprof_thread *thread, const event_buffer *left, uint64_t ticket)
{
	event_buffer *buffer = buffer_pool_take(&shared->pool, 1);
	uint32_t published = atomic_load_explicit(&left->published, memory_order_relaxed);

	if (buffer == NULL || published > buffer->capacity)
		return 0;
	buffer->start_counter = left->start_counter;
	buffer->drained = left->committed;
	buffer->owner = thread;
	memcpy(buffer->slots, left->slots, published * sizeof(event_slot));
	atomic_store_explicit(&buffer->ticket, ticket, memory_order_relaxed);
	atomic_store_explicit(&buffer->published, published, memory_order_relaxed);
	(void)buffer_pool_push_full(&shared->pool, buffer);
	return 1;
}

/* The slots of all buffers of one thread, which are consecutive. Returns 0 if there is no memory. */
static int fill_thread(recorder_shared *shared, const found_item *items, size_t count)
{
	const event_buffer *first = items[0].content;
	uint32_t sequence = (uint32_t)items[0].order;
	mprof_thread *thread = thread_recover(shared, first->thread_id, (uint32_t)(items[0].order >> 32), sequence,
					      sequence + (uint32_t)count);

	if (thread == NULL)
		return 0;
	thread->drain.last_counter = first->committed > 0 ? first->committed_counter : first->start_counter;
	for (size_t i = 0; i < count; i++) {
		if (!copy_buffer(shared, thread, items[i].content, items[i].order))
			return 0;
	}
	return 1;
}

static int fill_buffers(recorder_drain *drain, const salvage_area *area, const salvage_progress *progress)
{
	const mprof_allocator *allocator = &drain->shared->allocator;
	found_list list;
	int is_done = find_all(&list, allocator, area, progress, SALVAGE_BUFFER, buffer_order);
	size_t end;

	for (size_t i = 0; is_done && i < list.count; i = end) {
		for (end = i + 1; end < list.count && list.items[end].order >> 32 == list.items[i].order >> 32;)
			end++;
		is_done = fill_thread(drain->shared, &list.items[i], end - i);
	}
	release_found(&list, allocator);
	return is_done;
}

static uint64_t any_order(const salvage_piece *piece, const salvage_progress *progress)
{
	(void)progress;
	return piece->size;
}

/* Whether there is a complete sample at an offset that is not in the log. */
static const sample_record *find_sample(const found_item *memory, uint64_t offset, const salvage_progress *progress)
{
	const sample_record *record = (const sample_record *)(const void *)((const char *)memory->content + offset);

	if (memory->room - offset < sizeof(*record) || record->mark != sample_record_mark(offset, record->count) ||
	    record->count == 0 || record->count < record->kind_words ||
	    (record->kind_words != 0 && record->kind_words != SAMPLE_KIND_WORDS) ||
	    record->count > (memory->room - offset - sizeof(*record)) / sizeof(mprof_frame))
		return NULL;
	return record->batch == 0 || record->batch > (uint32_t)progress->samples_done ? record : NULL;
}

static void copy_sample(recorder_shared *shared, const sample_record *left)
{
	int is_filling;
	sample_record *copy = sample_store_claim(&shared->samples, left->count, &is_filling);

	/* Otherwise it is counted as lost. */
	if (copy == NULL)
		return;
	copy->thread = left->thread;
	copy->counter = left->counter;
	copy->kind_words = left->kind_words;
	memcpy(copy->frames, left->frames, left->count * sizeof(mprof_frame));
	sample_store_commit(&shared->samples, copy);
}

static int fill_samples(recorder_drain *drain, const salvage_area *area, const salvage_progress *progress)
{
	const mprof_allocator *allocator = &drain->shared->allocator;
	found_list list;
	int is_done = find_all(&list, allocator, area, progress, SALVAGE_SAMPLES, any_order);

	for (size_t i = 0; is_done && i < list.count; i++) {
		for (uint64_t offset = 0; offset < list.items[i].room; offset += sizeof(uint64_t)) {
			const sample_record *record = find_sample(&list.items[i], offset, progress);

			if (record != NULL)
				copy_sample(drain->shared, record);
		}
	}
	release_found(&list, allocator);
	return is_done;
}

static uint64_t thread_order(const salvage_piece *piece, const salvage_progress *progress)
{
	const salvage_thread *left = content_in_use(piece, sizeof(*left));

	(void)progress;
	return left != NULL ? left->serial : 0;
}

static mprof_thread *find_recovered_thread(recorder_shared *shared, uint32_t serial)
{
	mprof_thread *thread = shared->threads;

	while (thread != NULL && thread->serial != serial)
		thread = thread->next;
	return thread;
}

/* Collects the losses that are in no LOST block yet. */
static int fill_losses(recorder_drain *drain, const salvage_area *area, const salvage_progress *progress)
{
	const mprof_allocator *allocator = &drain->shared->allocator;
	found_list list;
	int is_done = find_all(&list, allocator, area, progress, SALVAGE_THREAD, thread_order);

	for (size_t i = 0; is_done && i < list.count; i++) {
		const salvage_thread *left = list.items[i].content;
		const uint64_t *reported = left->serial == progress->serial ? progress->reported : left->reported;
		mprof_thread *thread = find_recovered_thread(drain->shared, left->serial);

		if (thread == NULL)
			thread = thread_recover(drain->shared, left->id, left->serial, 0, 0);
		if (thread == NULL) {
			is_done = 0;
			break;
		}
		for (int cause = 1; cause < LOSS_CAUSE_COUNT; cause++) {
			uint64_t lost = atomic_load_explicit(&left->lost[cause], memory_order_relaxed);

			/* Losses counted by the writer thread are only in reported, as negative numbers. */
			atomic_store_explicit(&thread->own_lost[cause], lost - reported[cause], memory_order_relaxed);
		}
	}
	release_found(&list, allocator);
	return is_done;
}

static int visit_entry(void *user, const journal_entry *entry)
{
	recorder_drain *drain = user;

	return keys_recover(&drain->keys, entry) && key_fields_recover(&drain->keys, entry) &&
	       stacks_recover(&drain->stacks, entry) && root_table_recover(&drain->roots, entry);
}

/* New IDs follow those in the log. */
static int fill_tables(recorder_drain *drain, const salvage_area *area, const salvage_progress *progress,
		       journal_damage *damage)
{
	drain->stacks.count = progress->stack_count;
	position_store_resume(&drain->stacks.positions, progress->writer.defined[MPROF_RECORD_POSITION]);
	drain->stacks.code.module_count = progress->module_count;
	drain->stacks.code.function_count = progress->function_count;
	drain->stacks.code.location_count = progress->location_count;
	/* Without the list of that process, the modules of this process would be used. */
	native_modules_clear(&drain->stacks.code.modules);
	if (!salvage_journal_visit(area, &drain->shared->allocator, &progress->journal, visit_entry, drain, damage))
		return 0;
	for (int subject = 0; subject < 2; subject++)
		drain->keys.tables[subject].next_id = progress->next_ids[subject];
	drain->keys.next_element_id = progress->next_element_id;
	drain->keys.no_class_id = progress->no_class_id;
	drain->types.texts = progress->writer.defined[MPROF_RECORD_TEXT];
	drain->types.arguments = progress->writer.defined[MPROF_RECORD_ARGUMENT];
	drain->types.types = progress->writer.defined[MPROF_RECORD_TYPE];
	drain->types.clocks = progress->writer.defined[MPROF_RECORD_CLOCK];
	drain->types.timelines = progress->writer.defined[MPROF_RECORD_TIMELINE];
	drain->types.processes = progress->writer.defined[MPROF_RECORD_PROCESS];
	drain->types.codes = progress->writer.defined[MPROF_RECORD_CODE_RANGE];
	for (int cause = 1; cause < LOSS_CAUSE_COUNT; cause++)
		output_count_lost(drain->output, (mprof_loss_cause)cause, progress->lost_unreported[cause]);
	return 1;
}

/*
 * Gives the recorder everything that is not in the log yet, and the state that the writer thread had after what is. The
 * recorder continues that log, has no writer thread, and has written nothing yet. The area must stay mapped until the
 * recorder is freed. What is damaged is left out, and noted in damage. Returns 0 if there is no memory.
 */
static int recovery_fill(recorder_drain *drain, salvage_area *area, const salvage_header *header,
			 journal_damage *damage)
{
	const salvage_progress *progress = salvage_current_progress(header);

	return fill_tables(drain, area, progress, damage) && fill_messages(drain, area, progress) &&
	       fill_buffers(drain, area, progress) && fill_losses(drain, area, progress) &&
	       fill_samples(drain, area, progress) && recovery_fill_heap(drain, area, progress);
}

static uint64_t block_order(const salvage_piece *piece, const salvage_progress *progress)
{
	const ring_block *block = content_in_use(piece, sizeof(*block));

	if (block == NULL || block->length > salvage_piece_room(piece) - sizeof(*block) ||
	    block->number >= progress->log_length)
		return 0;
	return block->number + 1;
}

/* Whether a block is the first one of the log or any later one, and whole. */
static int ring_block_is_valid(const ring_block *block, int is_first, const salvage_header *header)
{
	log_walk walk = {.is_continued = !is_first};

	return log_walk_feed(&walk, block + 1, block->length) == MPROF_OK && walk.blocks == 1 &&
	       log_walk_is_whole(&walk) && (!is_first || walk.first_checksum == header->first_checksum);
}

/*
 * Adds the committed blocks of a ring, in their order, without copying them: the area must stay mapped until the ring
 * is freed. Each block is verified; damage is noted in damage. Returns 0 if there is no memory.
 */
static int recovery_fill_ring(block_ring *ring, const salvage_area *area, const salvage_header *header,
			      journal_damage *damage)
{
	const salvage_progress *progress = salvage_current_progress(header);
	found_list list;
	int is_done = find_all(&list, &ring->allocator, area, progress, SALVAGE_RING_BLOCK, block_order);

	for (size_t i = 0; is_done && i < list.count; i++) {
		const ring_block *block = list.items[i].content;
		int error = ring_block_is_valid(block, i == 0, header) ? 0 : EINVAL;

		/* The process may have died before it gave back a block that it had replaced. */
		if (error == 0 && (i == 0 || block->number >= block_ring_next_number(ring)))
			error = block_ring_adopt(ring, block);
		if (error == EINVAL)
			journal_note_damage(damage, area, list.items[i].content);
		is_done = error != ENOMEM;
	}
	if (is_done && list.count == 0)
		journal_note_damage(damage, area, header);
	block_ring_continue(ring, &progress->evicted, progress->clock.time);
	release_found(&list, &ring->allocator);
	return is_done;
}

/* Counters have 64 bits. */
#define MAX_COUNTER_SHIFT 64

/* Of a time: 2^63, which a conversion to an integer can represent. */
#define MAX_MICROSECONDS 9223372036854775808.0

/* The state of one recovery. */
typedef struct recovery_job {
	const char *salvage_path;
	mprof_recovery_options options;
	const char *log_path;
	int is_log_named; /* By the caller. */
	salvage_area area;
	const salvage_header *header;
	mprof_clock clock; /**< Of the end of the log. */
	mprof_recorder *recorder;
	block_ring *ring;
	recovered_log log; /* If there is no ring. */
	progress going;    /* Steps are bytes of the log. */
	int has_begun;     /**< Something may have been written. */
	mprof_recovery result;
	journal_damage damage; /**< What could not be used. */
	mprof_error error;
} recovery_job;

static mprof_status recovery_fail(recovery_job *job, mprof_status status, int system_error, const char *what)
{
	error_set(&job->error, status, MPROF_SEVERITY_FATAL, what);
	job->error.system_error = system_error;
	return status;
}

/* Stops, as the caller wants, before anything is changed. */
static mprof_status recovery_stop(recovery_job *job)
{
	return error_set(&job->error, MPROF_ERR_INTERRUPTED, MPROF_SEVERITY_NONE,
			 "recovery was stopped, so nothing was changed");
}

/* Refuses a damaged salvage file, before anything is changed. */
static mprof_status refuse_damage(recovery_job *job)
{
	if (job->damage.places == 0)
		return MPROF_OK;
	recovery_fail(job, MPROF_ERR_MALFORMED, 0, "the salvage file is damaged, so nothing was changed");
	job->error.offset = job->damage.offset;
	return MPROF_ERR_MALFORMED;
}

static mprof_status open_area(recovery_job *job)
{
	int error = salvage_area_open(&job->area, job->salvage_path, sizeof(*job->header));

	if (error == ENODATA)
		return recovery_fail(job, MPROF_ERR_TRUNCATED, 0, "the process died before its log had begun");
	if (error == EINVAL)
		return recovery_fail(job, MPROF_ERR_NOT_MPROF, 0, "not a salvage file");
	if (error != 0)
		return recovery_fail(job, MPROF_ERR_IO, error, "cannot read the salvage file");
	job->header = salvage_area_header(&job->area);
	if (memcmp(job->header->magic, SALVAGE_MAGIC, sizeof(job->header->magic)) != 0)
		return recovery_fail(job, MPROF_ERR_NOT_MPROF, 0, "not a salvage file");
	if (job->header->layout != salvage_layout())
		return recovery_fail(
			job, MPROF_ERR_NOT_MPROF, 0,
			"the salvage file is of another version of the library or of another architecture");
	job->result.process = job->header->process;
	job->is_log_named = job->log_path != NULL;
	return MPROF_OK;
}

/* Also what has a valid checksum must be in range: this library may not have written it. */
static int header_is_valid(const salvage_header *header)
{
	const uint32_t current = atomic_load_explicit(&header->current, memory_order_relaxed);

	return header->checksum == salvage_header_checksum(header) && current <= 1 &&
	       header->counter_shift < MAX_COUNTER_SHIFT && header->gzip_level <= 9 &&
	       memchr(header->log_path, '\0', SALVAGE_PATH_SIZE) != NULL;
}

/* Verifies what everything else depends on. What is damaged is refused, so that nothing is changed. */
static mprof_status check_area(recovery_job *job)
{
	const salvage_progress *progress = salvage_current_progress(job->header);
	uint64_t offset;

	if (!header_is_valid(job->header))
		journal_note_damage(&job->damage, &job->area, job->header);
	else if (progress->checksum != salvage_progress_checksum(progress))
		journal_note_damage(&job->damage, &job->area, progress);
	else if (!salvage_area_check(&job->area, &offset))
		journal_note_damage(&job->damage, &job->area, job->area.base + offset);
	return refuse_damage(job);
}

/* Checks whether the log can and must be completed. */
static mprof_status check_state(recovery_job *job, int *is_done)
{
	uint32_t state = atomic_load_explicit(&job->header->state, memory_order_relaxed);

	*is_done = 0;
	if (state == SALVAGE_CLOSED) {
		job->result.was_complete = 1;
		*is_done = 1;
		return MPROF_OK;
	}
	if (salvage_is_recording(job->header)) {
		job->result.is_recording = 1;
		return recovery_fail(job, MPROF_ERR_STATE, 0, "the process is still recording");
	}
	if (state == SALVAGE_OPENING)
		return recovery_fail(job, MPROF_ERR_TRUNCATED, 0, "the process died before its log had begun");
	if (state != SALVAGE_RECORDING) {
		journal_note_damage(&job->damage, &job->area, &job->header->state);
		return refuse_damage(job);
	}
	return check_area(job);
}

/* Finds the path of the log. */
static mprof_status find_log(recovery_job *job)
{
	if (job->log_path == NULL && job->header->log_path[0] != '\0')
		job->log_path = job->header->log_path;
	if (job->log_path == NULL)
		return recovery_fail(job, MPROF_ERR_ARGUMENT, 0,
				     "the salvage file does not contain the path of the log: specify it");
	if (!job->header->log_is_file)
		return recovery_fail(job, MPROF_ERR_UNSUPPORTED, 0,
				     "the log is not a regular file, so it cannot be continued");
	return MPROF_OK;
}

static int add_to_ring(void *user, const void *bytes, size_t length)
{
	return block_ring_add(user, bytes, length);
}

static mprof_status open_ring(recovery_job *job)
{
	mprof_allocator allocator;

	(void)allocator_init(&allocator, NULL);
	job->ring = block_ring_create(&allocator, dialect_get(MPROF_DIALECT_DEFAULT), job->header->ring_bytes);
	if (job->ring == NULL || !recovery_fill_ring(job->ring, &job->area, job->header, &job->damage))
		return recovery_fail(job, MPROF_ERR_MEMORY, 0, "out of memory for the ring buffer");
	return recovered_log_check_place(job->log_path, job->is_log_named, &job->area, &job->error);
}

static mprof_status open_log(recovery_job *job)
{
	job->log.path = job->log_path;
	job->log.going = &job->going;
	return recovered_log_open(&job->log, &job->area, job->header, &job->error);
}

static void read_clock(void *user, mprof_clock *now)
{
	const recovery_job *job = user;

	*now = job->clock;
}

static uint64_t read_counter(void *user)
{
	const recovery_job *job = user;

	return job->clock.counter << job->header->counter_shift;
}

/* The log ends with its last event, whose time follows from the rate of the counter until the last commit. */
static void end_clock(recovery_job *job, uint64_t counter)
{
	const mprof_clock *first = &job->header->clock;
	const mprof_clock *last = &salvage_current_progress(job->header)->clock;
	double since;

	if (counter <= last->counter || last->counter <= first->counter || last->time <= first->time)
		return;
	since = (double)(counter - last->counter) * (double)(last->time - first->time) /
		(double)(last->counter - first->counter);
	/* A damaged counter may be any time after the last commit. */
	if (since >= MAX_MICROSECONDS)
		return;
	job->clock.counter = counter;
	job->clock.time = last->time + (uint64_t)since;
}

static mprof_status open_recovering_recorder(recovery_job *job)
{
	const mprof_sink sink = {sizeof(mprof_sink), add_to_ring, NULL, NULL, job->ring};
	const recorder_destination where = {
		.fd = job->log.fd, .sink = job->ring != NULL ? &sink : NULL, .ring = job->ring, .resumed = job->header};
	const salvage_progress *progress = salvage_current_progress(job->header);
	mprof_writer_options writer;
	mprof_recorder_options options;
	mprof_status status;

	mprof_writer_options_init(&writer, sizeof(writer));
	mprof_recorder_options_init(&options, sizeof(options));
	writer.clock = read_clock;
	writer.clock_user = job;
	writer.max_name_length = job->header->max_name_length;
	writer.gzip_level = job->ring == NULL ? job->header->gzip_level : 0;
	options.writer = &writer;
	options.buffer_events = job->header->buffer_events;
	options.max_buffers = 65536;
	options.keys_are_ids = job->header->keys_are_ids;
	options.counter = read_counter;
	options.counter_user = job;
	options.max_sample_bytes = UINT64_C(1) << 30;
	/* A key without a definition may be that of a function, which the process would have looked up itself. */
	options.keys_are_functions = !job->header->keys_are_ids;
	if (job->header->max_log_bytes > progress->log_length)
		options.max_log_bytes = job->header->max_log_bytes - progress->log_length;
	status = lifecycle_open(&where, &options, &job->recorder, &job->error);
	if (status != MPROF_OK)
		return status;
	job->recorder->control.ring = job->ring;
	/* Recovery has no writer thread: functions that would wait for it return. */
	job->recorder->shared.closed = 1;
	return MPROF_OK;
}

static int put_again(void *user, const void *blocks, size_t length)
{
	recorder_output *output = user;

	output_note_status(output, writer_put_again(output->writer, blocks, length));
	return output->status == MPROF_OK;
}

static int walk_tail(void *user, const void *blocks, size_t length)
{
	return log_walk_feed(user, blocks, length) == MPROF_OK;
}

/* Verifies what followed the last complete member of a compressed log, which will be cut off. */
static void check_tail(recovery_job *job)
{
	const salvage_progress *progress = salvage_current_progress(job->header);
	log_walk walk = {.is_continued = 1};

	if (job->ring != NULL || job->header->gzip_level == 0)
		return;
	if (salvage_tail_visit(&job->area, progress->tail_member, progress->tail_length, walk_tail, &walk) !=
		    progress->tail_length ||
	    !log_walk_is_whole(&walk))
		journal_note_damage(&job->damage, &job->area, &progress->tail_member);
}

/* Writes it again. */
static mprof_status restore_tail(recovery_job *job)
{
	const salvage_progress *progress = salvage_current_progress(job->header);
	recorder_output *output = &job->recorder->output;

	if (job->ring != NULL || job->header->gzip_level == 0)
		return MPROF_OK;
	(void)salvage_tail_visit(&job->area, progress->tail_member, progress->tail_length, put_again, output);
	if (output->status != MPROF_OK)
		job->error = output->error;
	return output->status;
}

/* Writes what was found, and a SESSION block that describes the recovery. */
static mprof_status write_rest(recovery_job *job)
{
	recorder_drain *drain = &job->recorder->drain;
	recorder_output *output = drain->output;
	mprof_writer_stats stats = {.struct_size = sizeof(stats)};
	char events[32];
	const mprof_property property = {"recovered-events", events};

	drain_round(drain, 1, 1);
	end_clock(job, output_counter(output, drain->latest_counter));
	mprof_writer_get_stats(output->writer, &stats);
	job->result.events = stats.events;
	snprintf(events, sizeof(events), "%" PRIu64, job->result.events);
	if (output_is_writing(output))
		output_note_status(output, mprof_writer_write_session(output->writer, &property, sizeof(property), 1));
	output_close(output);
	/* Counted again: making room for the end of the log may have cost events. */
	job->result.lost_events = 0;
	for (int cause = 1; cause < LOSS_CAUSE_COUNT; cause++)
		job->result.lost_events += output->lost[cause];
	if (output->status != MPROF_OK)
		job->error = output->error;
	return output->status;
}

static void note_length(recovery_job *job)
{
	struct stat status;

	if (stat(job->log_path, &status) == 0)
		job->result.log_bytes = (uint64_t)status.st_size;
}

/* Reads everything from the salvage file, and refuses it if something is damaged. Nothing is written. */
static mprof_status read_salvage(recovery_job *job)
{
	const uint64_t length = job->header->ring_bytes != 0 ? 0 : salvage_current_progress(job->header)->log_length;
	mprof_status status;

	progress_init(&job->going, job->options.progress, job->options.progress_user, length);
	if (!progress_begin(&job->going, length))
		return recovery_stop(job);
	status = job->header->ring_bytes != 0 ? open_ring(job) : open_log(job);
	if (status == MPROF_OK)
		status = open_recovering_recorder(job);
	if (status != MPROF_OK)
		return status;
	if (!recovery_fill(&job->recorder->drain, &job->area, job->header, &job->damage))
		return recovery_fail(job, MPROF_ERR_MEMORY, 0, "out of memory for the events in the salvage file");
	check_tail(job);
	status = refuse_damage(job);
	return status == MPROF_OK && !progress_end(&job->going) ? recovery_stop(job) : status;
}

static mprof_status write_log(recovery_job *job)
{
	mprof_status status = job->ring == NULL ? recovered_log_cut(&job->log, &job->error) : MPROF_OK;

	job->has_begun = status == MPROF_OK;
	if (status == MPROF_OK)
		status = restore_tail(job);
	if (status == MPROF_OK)
		status = write_rest(job);
	if (status == MPROF_OK && job->ring != NULL)
		status = mprof_recorder_dump_path(job->recorder, job->log_path, job->header->gzip_level, &job->error);
	return status;
}

/* The salvage file is removed only after this. */
static mprof_status verify_log(recovery_job *job)
{
	return job->ring == NULL ? recovered_log_verify(&job->log, &job->error)
				 : recovered_log_verify_ring(job->log_path, job->header->gzip_level, &job->error);
}

static mprof_status complete_log(recovery_job *job)
{
	mprof_status status = find_log(job);

	job->clock = salvage_current_progress(job->header)->clock;
	if (status == MPROF_OK)
		status = read_salvage(job);
	if (status == MPROF_OK)
		status = write_log(job);
	if (status == MPROF_OK)
		status = verify_log(job);
	if (status == MPROF_OK)
		note_length(job);
	return status;
}

static mprof_status recover_log(recovery_job *job)
{
	int is_done;
	mprof_status status = open_area(job);

	if (status == MPROF_OK)
		status = check_state(job, &is_done);
	if (status == MPROF_OK && !is_done)
		status = complete_log(job);
	if (status == MPROF_OK && salvage_path_is_name(job->salvage_path))
		(void)salvage_area_remove(&job->area, job->salvage_path);
	return status;
}

static void release_job(recovery_job *job)
{
	if (job->recorder != NULL && !job->has_begun)
		writer_discard(job->recorder->output.writer);
	if (job->recorder != NULL)
		mprof_recorder_destroy(job->recorder);
	else
		block_ring_destroy(job->ring);
	recovered_log_close(&job->log);
	if (salvage_area_exists(&job->area))
		salvage_area_close(&job->area);
}

void mprof_recovery_options_init(mprof_recovery_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

mprof_status mprof_recorder_recover(const char *salvage_path, const mprof_recovery_options *options,
				    mprof_recovery *recovery, mprof_error *error)
{
	recovery_job job = {.salvage_path = salvage_path, .log = {.fd = -1}};
	int saved_errno = errno;
	mprof_status status;

	error_clear(&job.error);
	if (salvage_path == NULL)
		status = recovery_fail(&job, MPROF_ERR_ARGUMENT, 0, "salvage_path is NULL");
	else if (struct_copy_in(&job.options, options, sizeof(job.options)) != MPROF_OK)
		status = recovery_fail(&job, MPROF_ERR_ARGUMENT, 0, "the options have fields that this version lacks");
	else {
		job.log_path = job.options.log_path;
		status = recover_log(&job);
	}
	release_job(&job);
	if (recovery != NULL && status != MPROF_ERR_ARGUMENT &&
	    struct_copy_out(recovery, &job.result, sizeof(job.result)) != MPROF_OK)
		status = MPROF_ERR_ARGUMENT;
	if (status != MPROF_OK && error != NULL)
		error_copy(&job.error, error);
	errno = saved_errno;
	return status;
}
