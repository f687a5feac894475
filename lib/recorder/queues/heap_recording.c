/* SPDX-License-Identifier: MIT */
/* Chunks of memory that the collector fills and the writer thread empties. */
#include "recorder/queues/heap_recording.h"

#include <sys/mman.h>
#include <unistd.h>

/* Small enough to be handed over often, so that the writer thread keeps up and the memory stays in the cache. */
#define CHUNK_SIZE ((size_t)256 << 10)
#define SMALLEST_CHUNK ((size_t)32 << 10)

/* A small bound is divided into at least this many chunks, so that one can be filled while others are read. */
#define MIN_CHUNKS 8

/*
 * Free chunks beyond this number of bytes are unmapped; those in an area only lose their pages. A snapshot needs more
 * only while it is recorded faster than the writer thread reads.
 */
#define RESERVE_BYTES ((size_t)64 << 20)

#ifdef MAP_POPULATE
/* Page faults are taken at once, not one by one with the world stopped. */
#define MAP_AT_ONCE MAP_POPULATE
#else
#define MAP_AT_ONCE 0
#endif

void heap_chunks_init(heap_chunks *chunks, uint64_t max_bytes, salvage_area *area)
{
	memset(chunks, 0, sizeof(*chunks));
	chunks->max_bytes = max_bytes;
	chunks->area = area;
	chunks->chunk_size = CHUNK_SIZE;
	while (chunks->chunk_size > SMALLEST_CHUNK && chunks->chunk_size > max_bytes / MIN_CHUNKS)
		chunks->chunk_size /= 2;
}

static int is_in_area(const heap_chunks *chunks, const heap_chunk *chunk)
{
	return chunks->area != NULL && salvage_area_contains(chunks->area, chunk);
}

/* Calls madvise() for the whole pages of the words of a chunk. */
static void advise_words(const heap_chunks *chunks, heap_chunk *chunk, int advice)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = ((uintptr_t)chunk->words + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)chunk + chunks->chunk_size) & ~(page - 1);

	if (first < end)
		(void)madvise((void *)first, end - first, advice);
}

static void populate_chunk(const heap_chunks *chunks, heap_chunk *chunk)
{
#ifdef MADV_POPULATE_WRITE
	advise_words(chunks, chunk, MADV_POPULATE_WRITE);
#else
	(void)chunks;
#endif
	chunk->is_populated = 1;
}

static void unmap_chunk(heap_chunks *chunks, heap_chunk *chunk)
{
	if (is_in_area(chunks, chunk))
		return;
	munmap(chunk, chunks->chunk_size);
	atomic_fetch_sub_explicit(&chunks->mapped, chunks->chunk_size, memory_order_relaxed);
}

void heap_chunks_destroy(heap_chunks *chunks, heap_chunk *first)
{
	heap_chunk *chunk = atomic_load_explicit(&chunks->free, memory_order_acquire);

	while (chunk != NULL) {
		heap_chunk *next = chunk->next_free;

		unmap_chunk(chunks, chunk);
		chunk = next;
	}
	while (first != NULL) {
		heap_chunk *next = atomic_load_explicit(&first->next, memory_order_acquire);

		unmap_chunk(chunks, first);
		first = next;
	}
}

static heap_chunk *pop_free_chunk(heap_chunks *chunks)
{
	/* Acquire: pairs with the release of the push in heap_chunks_give(), so next_free is valid. */
	heap_chunk *top = atomic_load_explicit(&chunks->free, memory_order_acquire);

	while (top != NULL && !atomic_compare_exchange_weak_explicit(&chunks->free, &top, top->next_free,
								     memory_order_acquire, memory_order_acquire))
		;
	if (top != NULL)
		atomic_fetch_sub_explicit(&chunks->free_count, 1, memory_order_relaxed);
	return top;
}

/* mmap(), not malloc(): this may run while a stopped thread holds malloc's lock. */
static heap_chunk *map_chunk(heap_chunks *chunks, int at_once)
{
	uint64_t mapped = atomic_load_explicit(&chunks->mapped, memory_order_relaxed);
	heap_chunk *chunk;

	if (chunks->chunk_size > chunks->max_bytes || mapped > chunks->max_bytes - chunks->chunk_size)
		return NULL;
	chunk = chunks->area != NULL ? salvage_area_reserve(chunks->area, SALVAGE_HEAP, chunks->chunk_size) : NULL;
	if (chunk == NULL) {
		chunk = mmap(NULL, chunks->chunk_size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | (at_once ? MAP_AT_ONCE : 0), -1, 0);
		if (chunk == MAP_FAILED)
			return NULL;
		chunk->is_populated = 1;
	}
	atomic_fetch_add_explicit(&chunks->mapped, chunks->chunk_size, memory_order_relaxed);
	chunk->capacity = (uint32_t)((chunks->chunk_size - sizeof(*chunk)) / sizeof(uint32_t)) - HEAP_CHUNK_TAIL_WORDS;
	return chunk;
}

heap_chunk *heap_chunks_take(heap_chunks *chunks, int at_once)
{
	heap_chunk *chunk = pop_free_chunk(chunks);

	if (chunk == NULL)
		chunk = map_chunk(chunks, at_once);
	if (chunk == NULL)
		return NULL;
	if (at_once && !chunk->is_populated)
		populate_chunk(chunks, chunk);
	/* Relaxed: the chunk has no other owner until the release store that appends it to the list. */
	atomic_store_explicit(&chunk->published, 0, memory_order_relaxed);
	atomic_store_explicit(&chunk->next, NULL, memory_order_relaxed);
	/* From the next store on, recovery reads the chunk, which has no words then. */
	atomic_signal_fence(memory_order_seq_cst);
	chunk->sequence = ++chunks->last_sequence;
	return chunk;
}

void heap_chunks_give(heap_chunks *chunks, heap_chunk *chunk)
{
	heap_chunk *top;

	if (atomic_load_explicit(&chunks->free_count, memory_order_relaxed) * chunks->chunk_size >= RESERVE_BYTES) {
		if (!is_in_area(chunks, chunk)) {
			unmap_chunk(chunks, chunk);
			return;
		}
		advise_words(chunks, chunk, MADV_REMOVE);
		chunk->is_populated = 0;
	}
	atomic_fetch_add_explicit(&chunks->free_count, 1, memory_order_relaxed);
	top = atomic_load_explicit(&chunks->free, memory_order_relaxed);
	do {
		chunk->next_free = top;
	} while (!atomic_compare_exchange_weak_explicit(&chunks->free, &top, chunk, memory_order_release,
							memory_order_relaxed));
}

/*
 * The first word of a record contains its kind in the low four bits. A 64-bit number takes two words. Most objects have
 * a narrow form: their class is an index into a table that both sides keep identical, and each address is one word, the
 * difference in units of 8 bytes: between the object and the one before it, or between a reference and its object.
 * Anything that does not fit has a wide form. The offsets of references are a bit map of 8-byte slots: of the object,
 * or from the first offset of a record on. This halves the bytes written while the world is stopped, which dominates
 * the pause.
 */

int heap_recording_init(heap_recording *heap, uint64_t max_bytes, salvage_area *area)
{
	memset(heap, 0, sizeof(*heap));
	/* In a file on a disk, pages that are written back could delay the collector while the world is stopped. */
	if (area != NULL && !salvage_area_is_memory(area))
		area = NULL;
	heap_chunks_init(&heap->chunks, max_bytes, area);
	/* Not populated at once: most recorders never take a snapshot. */
	heap->current = heap_chunks_take(&heap->chunks, 0);
	return heap->current != NULL;
}

void heap_recording_destroy(heap_recording *heap, heap_chunk *first)
{
	heap_chunks_destroy(&heap->chunks, first);
}
