/* SPDX-License-Identifier: MIT */
/* Passes samples from signal handlers to the writer thread, in bounded memory and without locks. */
#include "recorder/queues/sample_store.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define WORD 8
#define CHUNK_BYTES_MIN 4096
#define RECORD_WORDS(frame_count) ((uint32_t)((offsetof(sample_record, frames) + WORD - 1) / WORD + (frame_count)))

_Static_assert(MPROF_STACK_MAX + SAMPLE_KIND_WORDS <= UINT8_MAX, "count has room for the largest sample");
_Static_assert(sizeof(sample_of_kind) == (size_t)SAMPLE_KIND_WORDS * WORD, "a kind has whole words");

#define CLAIMED_BITS 24
#define CLAIMED_MASK ((UINT64_C(1) << CLAIMED_BITS) - 1)
#define FREE_SHIFT 32

static inline uint32_t state_claimed(uint64_t state)
{
	return (uint32_t)(state & CLAIMED_MASK);
}

static inline uint32_t state_open_chunk(uint64_t state)
{
	return (uint32_t)(state >> CLAIMED_BITS) & 0xff;
}

static inline uint32_t state_free(uint64_t state)
{
	return (uint32_t)(state >> FREE_SHIFT);
}

static inline uint64_t make_state(uint32_t free_chunks, uint32_t open_chunk, uint32_t claimed)
{
	return (uint64_t)free_chunks << FREE_SHIFT | (uint64_t)open_chunk << CLAIMED_BITS | claimed;
}

int sample_store_init(sample_store *store, uint64_t max_bytes, salvage_area *area)
{
	uint64_t chunks = max_bytes / CHUNK_BYTES_MIN;
	void *memory;

	memset(store, 0, sizeof(*store));
	store->chunk_count = chunks < SAMPLE_CHUNKS_MAX ? (uint32_t)chunks : SAMPLE_CHUNKS_MAX;
	store->chunk_words = (uint32_t)(max_bytes / store->chunk_count / WORD);
	store->mapped = (size_t)store->chunk_count * store->chunk_words * WORD;
	/* Pages are allocated on first use, and the same few are reused as long as the writer thread keeps up. */
	memory = area != NULL ? salvage_area_reserve(area, SALVAGE_SAMPLES, store->mapped) : NULL;
	store->is_in_area = memory != NULL;
	if (memory == NULL)
		memory = mmap(NULL, store->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 0;
	store->chunks = memory;
	/* The first chunk is open, the others are free. */
	atomic_init(&store->state, make_state((uint32_t)((UINT64_C(1) << store->chunk_count) - 2), 0, 0));
	/* If 64-bit atomics use a lock, a signal handler must not access them, so all samples are lost. */
	if (!atomic_is_lock_free(&store->state))
		store->chunk_words = 0;
	return 1;
}

void sample_store_destroy(sample_store *store)
{
	if (store->chunks != NULL && !store->is_in_area)
		munmap(store->chunks, store->mapped);
	store->chunks = NULL;
}

static inline sample_record *sample_at(const sample_store *store, uint32_t chunk, uint32_t word)
{
	return (sample_record *)(void *)(store->chunks + ((size_t)chunk * store->chunk_words + word) * WORD);
}

static sample_record *count_lost_sample(sample_store *store)
{
	/* Relaxed: a statistic that orders nothing. */
	atomic_fetch_add_explicit(&store->lost, 1, memory_order_relaxed);
	return NULL;
}

static int is_filling_up(const sample_store *store, uint64_t state)
{
	return (uint32_t)__builtin_popcount(state_free(state)) <= store->chunk_count / 2;
}

int sample_store_is_filling(const sample_store *store)
{
	return is_filling_up(store, atomic_load_explicit(&store->state, memory_order_relaxed));
}

sample_record *sample_store_claim(sample_store *store, size_t frame_count, int *is_filling)
{
	uint32_t words = RECORD_WORDS(frame_count);
	uint64_t state;
	uint64_t next;
	sample_record *record;

	if (store->chunk_words == 0)
		return count_lost_sample(store);
	state = atomic_load_explicit(&store->state, memory_order_relaxed);
	do {
		next = state + words;
		if (state_claimed(state) + words > store->chunk_words) {
			uint32_t free_chunks = state_free(state);

			if (free_chunks == 0)
				return count_lost_sample(store);
			next = make_state(free_chunks & (free_chunks - 1), (uint32_t)__builtin_ctz(free_chunks), words);
		}
		/*
		 * Acquire: pairs with the release with which the writer thread gives room back, so it has read what is
		 * overwritten now. Other threads may have changed the word since, but only by exchanges, which continue
		 * its release sequence.
		 */
	} while (!atomic_compare_exchange_weak_explicit(&store->state, &state, next, memory_order_acquire,
							memory_order_relaxed));
	record = sample_at(store, state_open_chunk(next), state_claimed(next) - words);
	record->count = (uint8_t)frame_count;
	record->kind_words = 0;
	record->chunk = (uint8_t)state_open_chunk(next);
	record->closed_chunk = (uint8_t)state_open_chunk(state);
	record->closed_at = record->chunk != record->closed_chunk ? state_claimed(state) : 0;
	record->stack = 0;
	record->batch = 0;
	*is_filling = record->closed_at != 0 && is_filling_up(store, next);
	return record;
}

void sample_store_commit(sample_store *store, sample_record *record)
{
	sample_record *newest = atomic_load_explicit(&store->whole, memory_order_relaxed);

	/* Stored after the content: recovery finds the sample by its mark. */
	atomic_signal_fence(memory_order_seq_cst);
	record->mark = sample_record_mark((uint64_t)((char *)record - store->chunks), record->count);
	/*
	 * Release: the writer thread that takes the list sees the record filled. ABA is harmless: if the list was taken
	 * in between and begins with the same record again, that record is only linked to here, not read.
	 */
	do {
		record->next = newest;
	} while (!atomic_compare_exchange_weak_explicit(&store->whole, &newest, record, memory_order_release,
							memory_order_relaxed));
}

sample_record *sample_store_take(sample_store *store)
{
	/*
	 * Acquire: sees all records filled, since each was pushed by an exchange that continues the release sequence.
	 */
	sample_record *newest = atomic_exchange_explicit(&store->whole, NULL, memory_order_acquire);
	sample_record *oldest = NULL;

	while (newest != NULL) {
		sample_record *next = newest->next;

		newest->next = oldest;
		oldest = newest;
		newest = next;
	}
	return oldest;
}

/* Gives back the chunk if all that was claimed in it is released and no more can be. */
static void release_chunk(sample_store *store, uint32_t chunk)
{
	uint64_t state;

	if (store->closed_at[chunk] != 0 && store->released[chunk] == store->closed_at[chunk]) {
		store->closed_at[chunk] = 0;
		store->released[chunk] = 0;
		/* Release: the handler that opens the chunk overwrites what this thread has read. */
		atomic_fetch_or_explicit(&store->state, UINT64_C(1) << (FREE_SHIFT + chunk), memory_order_release);
		return;
	}
	/*
	 * The open chunk is reused from its start if nothing else was claimed in it, since its memory is in the cache.
	 * An unchanged word means an unchanged chunk: only this thread makes a full chunk free again.
	 */
	state = atomic_load_explicit(&store->state, memory_order_relaxed);
	if (state_open_chunk(state) == chunk && state_claimed(state) == store->released[chunk] &&
	    atomic_compare_exchange_strong_explicit(&store->state, &state, state & ~CLAIMED_MASK, memory_order_release,
						    memory_order_relaxed))
		store->released[chunk] = 0;
}

void sample_store_release(sample_store *store, sample_record *records)
{
	uint64_t touched = 0;

	for (sample_record *record = records; record != NULL; record = record->next) {
		record->mark = 0;
		store->released[record->chunk] += RECORD_WORDS(record->count);
		touched |= UINT64_C(1) << record->chunk;
		if (record->closed_at != 0) {
			store->closed_at[record->closed_chunk] = record->closed_at;
			touched |= UINT64_C(1) << record->closed_chunk;
		}
	}
	for (uint32_t chunk = 0; chunk < store->chunk_count; chunk++) {
		if ((touched >> chunk & 1) != 0)
			release_chunk(store, chunk);
	}
}

uint64_t sample_store_take_losses(sample_store *store)
{
	return atomic_exchange_explicit(&store->lost, 0, memory_order_relaxed);
}
