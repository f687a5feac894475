/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/queues/sample_store.h
 * \brief Passes samples from signal handlers to the writer thread in bounded memory, without locks.
 *
 * The memory is in chunks, one of which is open. A handler claims a piece of it, fills it, and pushes it on a list; the
 * writer thread takes the whole list. A sample whose handler was interrupted is not on the list yet. It is taken with a
 * later list, and until then pins only the chunks that it uses, at most two.
 */
#ifndef RECORDER_QUEUES_SAMPLE_STORE_H
#define RECORDER_QUEUES_SAMPLE_STORE_H

#include <mprof/recorder.h>

#include "recorder/queues/buffer_pool.h"
#include "recorder/queues/salvage_area.h"

#include <stdatomic.h>
#include <string.h>

#define SAMPLE_CHUNKS_MAX 32

/** One sample. */
typedef struct sample_record {
	struct sample_record *next; /**< Next in the list of complete samples. */
	uint64_t thread;
	uint64_t counter;
	uint8_t count;        /**< Number of words after the record: frames, and those of a kind. */
	uint8_t kind_words;   /**< The last of them: 0, or #SAMPLE_KIND_WORDS of a sample_of_kind. */
	uint8_t chunk;        /**< The chunk that contains it. */
	uint8_t closed_chunk; /**< The chunk that was open before, if this sample opened another one, ... */
	uint32_t closed_at;   /**< ... and the words that were claimed there; 0 if it opened none. */
	uint32_t stack;       /**< Stack ID. Set by the writer thread. */
	uint32_t batch;       /**< Batch in which it was taken; 0 before. For recovery. Writer thread. */
	uint64_t mark;        /**< sample_record_mark() while it is complete and not given back. For recovery. */
	mprof_frame frames[]; /**< The innermost first. */
} sample_record;

/** What a sample of a kind has after its frames. */
typedef struct sample_of_kind {
	uint32_t type;
	uint32_t layout; /**< As known_type::sample_layout. */
	uint64_t weight;
	uint32_t cpu;
	uint32_t mode;
} sample_of_kind;

#define SAMPLE_KIND_WORDS 3

/** The number of frames of a sample. */
static inline size_t sample_frame_count(const sample_record *record)
{
	return (size_t)record->count - record->kind_words;
}

/** The kind of a sample that has one. */
static inline sample_of_kind sample_kind_of(const sample_record *record)
{
	sample_of_kind kind;

	memcpy(&kind, &record->frames[sample_frame_count(record)], sizeof(kind));
	return kind;
}

/** Sets the kind of a sample, for which #SAMPLE_KIND_WORDS were claimed in addition to its frames. */
static inline void sample_set_kind(sample_record *record, const sample_of_kind *kind)
{
	record->kind_words = SAMPLE_KIND_WORDS;
	memcpy(&record->frames[sample_frame_count(record)], kind, sizeof(*kind));
}

typedef struct sample_store {
	char *chunks;
	int is_in_area; /**< The memory is in a salvage_area. */
	size_t mapped;  /**< Bytes. */
	uint32_t chunk_count;
	uint32_t chunk_words; /**< Words of 8 bytes in each chunk. */

	char padding[CACHE_LINE]; /**< Aligned: fields that handlers change are on cache lines of their own. */
	/**
	 * Which chunks are free (a bit for each, from bit 32 up), which one is open (bits 24 to 31), and how many words
	 * of it are claimed (bits 0 to 23). Any thread claims by one compare-and-exchange, with acquire; the writer
	 * thread gives chunks back with release. A claim depends on this word only, so it is valid whenever the word is
	 * as it was loaded, even if it has changed in between.
	 */
	_Atomic uint64_t state;
	_Atomic(sample_record *) whole; /**< Newest first. Pushed with release, taken with acquire. */
	_Atomic uint32_t lost;          /**< Samples for which there was no room. 32 bits never take a lock. */
	char padding_after[CACHE_LINE];

	/* Owner of the rest: the writer thread. */
	uint32_t released[SAMPLE_CHUNKS_MAX];  /**< Words given back, by chunk. */
	uint32_t closed_at[SAMPLE_CHUNKS_MAX]; /**< Words claimed when the chunk had no room left; 0 before. */
} sample_store;

/** \p max_bytes: 64 KiB to 1 GiB. \p area: where to allocate the memory, or NULL. Returns 0 if there is no memory. */
int sample_store_init(sample_store *store, uint64_t max_bytes, salvage_area *area);
void sample_store_destroy(sample_store *store);

/**
 * Claims room for a sample of 1 to #MPROF_STACK_MAX frames, or frames and #SAMPLE_KIND_WORDS, which the caller fills.
 * Returns NULL and counts a loss without room. \p is_filling is set to 1 if the writer thread should be woken. Any
 * thread; async-signal-safe.
 */
sample_record *sample_store_claim(sample_store *store, size_t frame_count, int *is_filling);

/** Hands a sample to the writer thread. Any thread; async-signal-safe. */
void sample_store_commit(sample_store *store, sample_record *record);

/** The mark of a complete record at an offset in bytes from the start of the memory. */
static inline uint64_t sample_record_mark(uint64_t offset, uint32_t frame_count)
{
	return (UINT64_C(0x73616d706c652121) ^ offset) + ((uint64_t)frame_count << 40);
}

/** Takes all complete samples, in the order in which they were handed over. Writer thread. */
sample_record *sample_store_take(sample_store *store);

/** Gives back the room of samples that were taken. Writer thread. */
void sample_store_release(sample_store *store, sample_record *records);

/** Whether the writer thread should take samples now instead of waiting for more. */
int sample_store_is_filling(const sample_store *store);

/** Takes the count of samples for which there was no room. Writer thread. */
uint64_t sample_store_take_losses(sample_store *store);

#endif
