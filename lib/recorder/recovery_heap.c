/* SPDX-License-Identifier: MIT */
/* Finds the chunks of heap snapshots that a process left in its area, and has a new recorder read them. */
#include "recorder/recovery_heap.h"

#include "base/array.h"
#include "base/sort.h"

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
	case HEAP_WORD_ROOT:
		if (rest > MPROF_ROOT_RUNTIME)
			return 0;
		break;
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

int recovery_fill_heap(recorder_drain *drain, salvage_area *area, const salvage_progress *progress)
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
