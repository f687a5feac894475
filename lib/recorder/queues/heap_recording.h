/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/queues/heap_recording.h
 * \brief The recording side of heap snapshots: what the collector reports while the world is stopped, and the chunks of
 * memory that it fills and the writer thread reads, without locks.
 *
 * The client guarantees that the recording side (heap.c) is one thread at a time, though not always the same. Each of
 * its calls begins with an acquire load of heap_recording::state and ends with a release store to it, so a call sees
 * all stores of the calls before it, even if the client's own means of exclusion, such as a stopped world, is not
 * synchronisation in the C memory model. It shares only the chunks and atomic counts with the writer thread
 * (heap_drain.c); neither ever waits for the other. Only the recording side takes chunks and appends them to the list;
 * only the writer thread gives them back.
 *
 * If the process dies, chunks in an area are salvaged. Recovery may begin to read at any of them, so the records in a
 * chunk of an area depend on nothing in earlier chunks but heap_chunk::first_object.
 */
#ifndef RECORDER_QUEUES_HEAP_RECORDING_H
#define RECORDER_QUEUES_HEAP_RECORDING_H

#include <mprof/recorder.h>

#include "base/hash_map.h"
#include "recorder/queues/buffer_pool.h"
#include "recorder/queues/salvage_area.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Words after a chunk's capacity, so that the end of a snapshot and a loss can be recorded when there is no room. */
#define HEAP_CHUNK_TAIL_WORDS 4

typedef struct heap_chunk heap_chunk;
struct heap_chunk {
	/** Number of words that contain records. Owner: the recording side, which stores it with release after it has
	 * filled the words; the writer thread loads it with acquire and then reads them. */
	_Atomic uint32_t published;
	uint32_t capacity; /**< In words, without the tail. Constant. */
	/** The next chunk; NULL in the last one. The recording side stores it with release after the last change of
	 * published; the writer thread, which loads it with acquire, then sees the final value of published. */
	_Atomic(heap_chunk *) next;
	heap_chunk *next_free; /**< In the stack of free chunks. */
	uint64_t sequence;     /**< Position in the list, from 1; of a free chunk, its last one. Recording side. */
	uint64_t first_object; /**< heap_recording::last_object before the first record. Recording side. */
	int is_populated;      /**< All its pages are in memory. Owner: who has the chunk. */
	char padding
		[CACHE_LINE]; /**< The recording side often stores the fields above; the words are on other lines. */
	uint32_t words[];
};

typedef struct heap_chunks {
	size_t chunk_size;      /**< Size of each chunk in bytes. */
	uint64_t max_bytes;     /**< Maximum of mapped. */
	salvage_area *area;     /**< Where chunks are allocated as long as there is room; NULL: nowhere. Constant. */
	uint64_t last_sequence; /**< Of the last chunk taken. Recording side. */
	/** Bytes in all chunks. The recording side adds, the writer thread subtracts. Relaxed: it orders nothing. */
	_Atomic uint64_t mapped;
	/**
	 * Top of the stack of free chunks. The writer thread pushes with release, and the recording side pops with
	 * acquire. No change count is needed: only one thread pops, so a chunk that is on top twice has not been taken
	 * in between.
	 */
	_Atomic(heap_chunk *) free;
	_Atomic uint32_t free_count;
} heap_chunks;

/** The snapshot that is being read. */
typedef struct open_snapshot {
	int is_open;
	uint32_t use; /**< Bits of #mprof_heap_use. */
	uint32_t collection;
	uint32_t number; /**< 0 if it is not written. */
	uint64_t counter;
	int has_block;  /**< One of its blocks is in the log. */
	int has_object; /**< The last object was added: records of references after it belong to it. */
	int is_incomplete;
} open_snapshot;

/**
 * Initializes an empty pool of chunks; allocates nothing yet. \p max_bytes bounds the memory of all chunks. \p area:
 * for chunks that are to be salvaged, or NULL.
 */
void heap_chunks_init(heap_chunks *chunks, uint64_t max_bytes, salvage_area *area);

/** Unmaps the free chunks, and those of the list from \p first on. Those in an area stay mapped. */
void heap_chunks_destroy(heap_chunks *chunks, heap_chunk *first);

/**
 * Returns an empty chunk; NULL if the bound is reached or the system refuses memory. \p at_once: all of its memory is
 * needed soon. Recording side only.
 */
heap_chunk *heap_chunks_take(heap_chunks *chunks, int at_once);

/** Gives a chunk back, for reuse or to the system. Writer thread only. */
void heap_chunks_give(heap_chunks *chunks, heap_chunk *chunk);

typedef enum heap_word_kind {
	HEAP_WORD_NOTE = 0,   /**< A #heap_note_kind in the bits from 4, the length of the record from 8. */
	HEAP_WORD_BEGIN = 1,  /**< Use in the bits from 4 | collection | counter. */
	HEAP_WORD_END = 2,    /**< 1 in the bits from 4 if objects are missing. */
	HEAP_WORD_CLASS = 3,  /**< Table index in the bits from 4 | key, which has this index from now on. */
	HEAP_WORD_OBJECT = 4, /**< Narrow: class, count and size as below | address | references. */
	HEAP_WORD_OBJECT_WIDE =
		5, /**< Class index in the bits from 4 | address | size. References are records of their own. */
	HEAP_WORD_REFERENCES = 6,      /**< Narrow: count in the bits from 4 | references. */
	HEAP_WORD_REFERENCES_WIDE = 7, /**< Count in the bits from 4 | references. */
	HEAP_WORD_ROOT = 8,            /**< Kind of root in the bits from 4 | slot | object. */
	HEAP_WORD_FREED = 9,           /**< Address | class | size | counter. */
	HEAP_WORD_MOVED = 10,          /**< From | to | counter. */
	HEAP_WORD_LOSS = 11,           /**< Moves are missing from here on. */
	HEAP_WORD_RESUMED = 12,        /**< Counter: nothing is missing from here on. */
	HEAP_WORD_OBJECT_AT = 13,      /**< Narrow: as HEAP_WORD_OBJECT | address | slots | references. */
	HEAP_WORD_REFERENCES_AT = 14,  /**< Narrow: count in the bits from 4 | offset / 8 | slots | references. */
	HEAP_WORD_REFERENCES_FAR = 15  /**< Count in the bits from 4 | pairs of an offset and a reference. */
} heap_word_kind;

/** Records of the kind #HEAP_WORD_NOTE: about the last object, apart from roots. */
typedef enum heap_note_kind {
	HEAP_NOTE_LABEL = 1, /**< Length in bytes | text. */
	HEAP_NOTE_NAMES = 2, /**< Index of the first reference | IDs of texts. */
	HEAP_NOTE_WEAK = 3,  /**< Object | ID of a text. */
	HEAP_NOTE_FLAGS = 4, /**< Flags. */
	HEAP_NOTE_ROOT = 5   /**< Object | kind of root | length in bytes | name. */
} heap_note_kind;

#define HEAP_NOTE_KIND_SHIFT 4
#define HEAP_NOTE_KIND_MASK 15U
#define HEAP_NOTE_LENGTH_SHIFT 8

/** Words of records without texts and IDs of texts. */
#define HEAP_LABEL_WORDS 2
#define HEAP_NAMES_WORDS 2
#define HEAP_WEAK_WORDS 4
#define HEAP_FLAGS_WORDS 2
#define HEAP_NAMED_ROOT_WORDS 5

/** Maximum length of a text, in bytes, ... */
#define HEAP_NOTE_TEXT 1023U
/** ... and of the names in a record. */
#define HEAP_NOTE_NAMES_MAX 1024U

/** Words of a text. */
static inline uint32_t heap_word_text_length(uint32_t bytes)
{
	return (bytes + 3) / 4;
}

#define HEAP_WORD_KIND_BITS 4
#define HEAP_WORD_KIND_MASK 15U

/** The first word of a narrow object: kind, table index of the class, number of references, size in bytes. */
#define HEAP_CLASS_BITS 11
#define HEAP_CLASS_SHIFT HEAP_WORD_KIND_BITS
#define HEAP_COUNT_BITS 4
#define HEAP_COUNT_SHIFT (HEAP_CLASS_SHIFT + HEAP_CLASS_BITS)
#define HEAP_SIZE_SHIFT (HEAP_COUNT_SHIFT + HEAP_COUNT_BITS)
#define HEAP_SIZE_BITS (32 - HEAP_SIZE_SHIFT)

/** Size of the table of classes. */
#define HEAP_CLASSES (1U << HEAP_CLASS_BITS)
/** Maximum number of references in a narrow object, ... */
#define HEAP_OBJECT_REFERENCES ((1U << HEAP_COUNT_BITS) - 1)
/** ... and in a record of references. */
#define HEAP_MORE_REFERENCES 4096U

/** Maximum number of references in a record of references with offsets: one for each bit of a word. */
#define HEAP_REFERENCES_AT 32U

/** Words that records take, without references. */
#define HEAP_BEGIN_WORDS 4
#define HEAP_END_WORDS 1
#define HEAP_CLASS_WORDS 3
#define HEAP_OBJECT_WORDS 2
#define HEAP_OBJECT_WIDE_WORDS 5
#define HEAP_REFERENCES_WORDS 1
#define HEAP_ROOT_WORDS 5
#define HEAP_FREED_WORDS 9
#define HEAP_MOVED_WORDS 7
#define HEAP_LOSS_WORDS 1
#define HEAP_RESUMED_WORDS 3
#define HEAP_OBJECT_AT_WORDS 3
#define HEAP_REFERENCES_AT_WORDS 3
#define HEAP_REFERENCES_FAR_WORDS 1
/** Words of an offset and a reference. */
#define HEAP_PAIR_WORDS 4

/** Length of a record in words, from its first word; 1 if its kind is unknown. */
static inline uint32_t heap_word_length(const uint32_t *words)
{
	uint32_t rest = words[0] >> HEAP_WORD_KIND_BITS;

	switch ((heap_word_kind)(words[0] & HEAP_WORD_KIND_MASK)) {
	case HEAP_WORD_NOTE:
		return words[0] >> HEAP_NOTE_LENGTH_SHIFT != 0 ? words[0] >> HEAP_NOTE_LENGTH_SHIFT : 1;
	case HEAP_WORD_BEGIN:
		return HEAP_BEGIN_WORDS;
	case HEAP_WORD_CLASS:
		return HEAP_CLASS_WORDS;
	case HEAP_WORD_OBJECT:
		return HEAP_OBJECT_WORDS + (words[0] >> HEAP_COUNT_SHIFT & HEAP_OBJECT_REFERENCES);
	case HEAP_WORD_OBJECT_WIDE:
		return HEAP_OBJECT_WIDE_WORDS;
	case HEAP_WORD_REFERENCES:
		return HEAP_REFERENCES_WORDS + rest;
	case HEAP_WORD_REFERENCES_WIDE:
		return HEAP_REFERENCES_WORDS + 2 * rest;
	case HEAP_WORD_ROOT:
		return HEAP_ROOT_WORDS;
	case HEAP_WORD_FREED:
		return HEAP_FREED_WORDS;
	case HEAP_WORD_MOVED:
		return HEAP_MOVED_WORDS;
	case HEAP_WORD_RESUMED:
		return HEAP_RESUMED_WORDS;
	case HEAP_WORD_OBJECT_AT:
		return HEAP_OBJECT_AT_WORDS + (words[0] >> HEAP_COUNT_SHIFT & HEAP_OBJECT_REFERENCES);
	case HEAP_WORD_REFERENCES_AT:
		return HEAP_REFERENCES_AT_WORDS + rest;
	case HEAP_WORD_REFERENCES_FAR:
		return HEAP_REFERENCES_FAR_WORDS + HEAP_PAIR_WORDS * rest;
	case HEAP_WORD_END:
	case HEAP_WORD_LOSS:
		break;
	}
	return 1;
}

static inline void heap_word_put_64(uint32_t *words, uint64_t number)
{
	memcpy(words, &number, sizeof(number));
}

static inline uint64_t heap_word_get_64(const uint32_t *words)
{
	uint64_t number;

	memcpy(&number, words, sizeof(number));
	return number;
}

/** A difference of addresses as one word. Bits of it that the word cannot hold are set in \p lost. */
static inline uint32_t heap_word_narrow(uint64_t difference, uint64_t *lost)
{
	uint32_t units = (uint32_t)(difference >> 3);

	*lost |= (uint64_t)(int64_t)(int32_t)units << 3 ^ difference;
	return units;
}

static inline uint64_t heap_word_widen(uint32_t units)
{
	return (uint64_t)(int64_t)(int32_t)units << 3;
}

/**
 * Adds the slot of an offset to a bit map, in which all bits are of lower offsets. Returns 0 and changes nothing if
 * that does not hold, or the map has no such bit.
 */
static inline int heap_word_add_slot(uint32_t *slots, uint64_t offset)
{
	if (offset % 8 != 0 || offset >= UINT64_C(8) * 32 || *slots >> (offset >> 3) != 0)
		return 0;
	*slots |= UINT32_C(1) << (offset >> 3);
	return 1;
}

/** Removes the lowest slot of a bit map, which has one, and returns its offset. */
static inline uint64_t heap_word_take_slot(uint32_t *slots)
{
	uint64_t offset = (uint64_t)__builtin_ctz(*slots) * 8;

	*slots &= *slots - 1;
	return offset;
}

/** The table index of a class. A class replaces another one with the same index. */
static inline uint32_t heap_word_class_place(mprof_key key)
{
	return (uint32_t)(hash_address(key) >> (64 - HEAP_CLASS_BITS));
}

/** The state of the recording side. */
typedef enum heap_state {
	HEAP_BETWEEN_SNAPSHOTS = 0,
	HEAP_IN_SNAPSHOT = 1,
	HEAP_IN_FULL_SNAPSHOT = 2 /**< There was no room for an object, so all later ones are dropped, too. */
} heap_state;

typedef struct heap_recording {
	heap_chunks chunks;
	/** Records that were dropped for lack of room. Only the recording side adds. Relaxed: the writer thread reads
	 * a statistic that orders nothing. */
	_Atomic uint64_t lost;

	char padding[CACHE_LINE]; /**< Aligned: fields that change with each object are on cache lines of their own. */
	/* Owner: the recording side. */
	_Atomic uint32_t state;             /**< A #heap_state; orders the calls, see above. */
	int is_losing_moves;                /**< #HEAP_WORD_LOSS was recorded, and #HEAP_WORD_RESUMED not since. */
	heap_chunk *current;                /**< The last chunk of the list, which is being filled. */
	uint64_t last_object;               /**< Address of the last object; the next one is relative to it. */
	uint64_t snapshot_counter;          /**< Counter when the snapshot began. */
	uint64_t named_object;              /**< The last object whose references were named, ... */
	uint32_t named_count;               /**< ... how many of them, ... */
	int has_named;                      /**< ... unless 0: none in this snapshot. */
	mprof_key class_keys[HEAP_CLASSES]; /**< The table of classes, as described above. */
	char padding_after[CACHE_LINE];
} heap_recording;

/** Allocates the first chunk. \p area: for chunks that are to be salvaged, or NULL. Returns 0 if there is no memory. */
int heap_recording_init(heap_recording *heap, uint64_t max_bytes, salvage_area *area);

/** Unmaps the free chunks and those from \p first on, also after a failed heap_recording_init(). */
void heap_recording_destroy(heap_recording *heap, heap_chunk *first);

#endif
