/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/queues/salvage_area.h
 * \brief Memory that outlives the process: a shared mapping of a file, for everything that is recorded but not in the
 * log yet.
 *
 * The area is a sequence of pieces, each with a header that has a check value. Another process finds them by scanning
 * and follows no pointers, so it does not matter what the process was doing when it died. A piece is never returned to
 * the area; pieces of variable size are recycled by size class.
 *
 * The file is mapped part by part as pieces need it, so the area takes hardly more of the program's address space than
 * it uses, and the file is not larger than what was allocated of it.
 *
 * What the process stored before it died is in the mapping. Recovery runs after that, so order only matters between
 * stores of the same thread: the store that makes others valid must come after them, which a release store ensures.
 */
#ifndef RECORDER_QUEUES_SALVAGE_AREA_H
#define RECORDER_QUEUES_SALVAGE_AREA_H

#include "base/allocator.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/** What a piece contains. The numbers are part of the file. */
typedef enum salvage_kind {
	SALVAGE_BUFFER = 1,     /**< An event_buffer. */
	SALVAGE_MESSAGE = 2,    /**< A message. */
	SALVAGE_SAMPLES = 3,    /**< The memory of a sample_store. */
	SALVAGE_THREAD = 4,     /**< A salvage_thread. */
	SALVAGE_JOURNAL = 5,    /**< A chunk of a salvage_journal. */
	SALVAGE_RING_BLOCK = 6, /**< A block of a block_ring. */
	SALVAGE_HEAP = 7,       /**< A heap_chunk. */
	SALVAGE_TAIL = 8        /**< A tail_chunk. */
} salvage_kind;

/** Alignment of pieces in the file. */
#define SALVAGE_ALIGNMENT 64

/** The header of a piece, before its content. */
typedef struct salvage_piece {
	/** salvage_check() of the rest. Stored last: it makes the piece valid. */
	_Alignas(SALVAGE_ALIGNMENT) _Atomic uint64_t check;
	uint64_t size; /**< Bytes including this header: a multiple of #SALVAGE_ALIGNMENT. Constant. */
	uint32_t kind; /**< A #salvage_kind. May change when a recycled piece is allocated again. */
	/** Recycled pieces: 1 while the piece is in use. Stored with release after the content. */
	_Atomic uint32_t in_use;
	struct salvage_piece *next_free; /**< In the list of free pieces. Only valid in the recording process. */
	uint64_t offset;                 /**< Of this header in the file. Only valid in the recording process. */
	_Alignas(SALVAGE_ALIGNMENT) unsigned char content[];
} salvage_piece;

/** The header of the file. */
typedef struct salvage_root {
	_Atomic uint64_t used; /**< Offset after the last part of the file that was mapped. */
	unsigned char reserved[SALVAGE_ALIGNMENT - sizeof(uint64_t)];
	_Alignas(SALVAGE_ALIGNMENT) unsigned char header[]; /**< The caller's. */
} salvage_root;

/** Size classes of recycled pieces: four to each power of two, from 256 bytes on. */
#define SALVAGE_CLASSES 160

/** A part of the file that is mapped for pieces. */
typedef struct salvage_chunk {
	/** Stored with release after the rest: NULL while the part is not mapped yet. Constant from then on. */
	_Atomic(unsigned char *) base;
	uint64_t offset; /**< In the file. Constant, as is the size. */
	uint64_t size;
	_Atomic uint64_t used; /**< Bytes of it that pieces have. Any thread. */
	/**
	 * The file is allocated up to this offset in the chunk at least. Any thread increases it, after the allocation,
	 * with release; a thread that loads it with acquire may store to that part of the mapping.
	 */
	_Atomic uint64_t backed;
} salvage_chunk;

/** A mapped area. */
typedef struct salvage_area {
	unsigned char *base; /**< Where the salvage_root is; NULL if there is no area. */
	uint64_t capacity;   /**< Maximum size of the file in bytes; of an area of salvage_area_open(), its size. */
	uint64_t first;      /**< Offset of the first piece. */
	int fd;              /**< To map and allocate parts of the file. */
	uint64_t device;     /**< Device and inode of the file: the descriptor may be closed and reused. */
	uint64_t inode;
	salvage_chunk *chunks;                /**< In the recording process. Entries are used once, in their order. */
	_Atomic uint32_t chunk_count;         /**< Entries in use. Any thread. */
	_Atomic(salvage_chunk *) current;     /**< The chunk that the next piece is tried in first. Any thread. */
	int is_unnamed;                       /**< The file is in memory that has no name in any file system. */
	pthread_mutex_t lock;                 /**< Guards free. */
	salvage_piece *free[SALVAGE_CLASSES]; /**< Free pieces of each size class, linked by next_free. */
} salvage_area;

/**
 * Creates the file, or uses an empty one, and maps its start, with a header of \p header_size bytes, all zero. The file
 * grows up to \p capacity bytes, as far as the file system and the limits of the process allow at that time. Returns 0
 * or an errno value: EBUSY if the file is not empty, EFBIG if RLIMIT_FSIZE allows no file of the least size.
 */
int salvage_area_create(salvage_area *area, const char *path, size_t header_size, uint64_t capacity);

/**
 * Maps the file of a process that has ended. Changes stay private to this process. Returns 0 or an errno value: EINVAL
 * if the file is shorter than \p header_size, ENODATA if it is empty.
 */
int salvage_area_open(salvage_area *area, const char *path, size_t header_size);

/** Removes the name of the file, if \p path is still its name. Returns 0 or an errno value. */
int salvage_area_remove(const salvage_area *area, const char *path);

/** Unmaps the area. The file stays. */
void salvage_area_close(salvage_area *area);

/** The caller's header, see salvage_area_create(). */
static inline void *salvage_area_header(const salvage_area *area)
{
	return ((salvage_root *)(void *)area->base)->header;
}

/** Whether there is an area. */
static inline int salvage_area_exists(const salvage_area *area)
{
	return area->base != NULL;
}

/**
 * Allocates a piece that is never recycled. Returns its content, \p size bytes, all 0; NULL if there is no room in the
 * area or the file system. No lock, no malloc; any thread; async-signal-safe.
 */
void *salvage_area_reserve(salvage_area *area, salvage_kind kind, size_t size);

/**
 * Allocates a piece that may be recycled. Its content is undefined, and it is not in use until salvage_piece_publish().
 * Takes a lock, so it is not async-signal-safe. Returns its content, or NULL.
 */
void *salvage_area_allocate(salvage_area *area, salvage_kind kind, size_t size);

/** Returns a piece of salvage_area_allocate() to its size class. Takes a lock, so it is not async-signal-safe. */
void salvage_area_recycle(salvage_area *area, void *content);

/** Whether memory is in the area. Any thread; async-signal-safe. */
int salvage_area_contains(const salvage_area *area, const void *memory);

/**
 * In a child made by fork(), which shares the mappings with its parent: replaces them by zeros of its own. Errors
 * cannot be reported: the child then keeps the mappings of its parent. Async-signal-safe.
 */
void salvage_area_replace(const salvage_area *area);

/** The header of the piece whose content is at \p content. */
static inline salvage_piece *salvage_piece_of(void *content)
{
	return (salvage_piece *)(void *)((unsigned char *)content - offsetof(salvage_piece, content));
}

/** Whether the file is in memory, so that storing to it never waits for a disk. */
int salvage_area_is_memory(const salvage_area *area);

/** Marks a piece of salvage_area_allocate() as used. From here on recovery finds its content. */
static inline void salvage_piece_publish(void *content)
{
	atomic_store_explicit(&salvage_piece_of(content)->in_use, 1, memory_order_release);
}

/**
 * Returns the piece after \p previous, or the first for NULL; NULL after the last. Skips pieces that were being
 * allocated when the process died. For areas of salvage_area_open().
 */
salvage_piece *salvage_area_next(const salvage_area *area, const salvage_piece *previous);

/**
 * Checks the headers of all pieces. Returns 0 if one is damaged, and sets \p offset to its offset in the file. For
 * areas of salvage_area_open().
 */
int salvage_area_check(const salvage_area *area, uint64_t *offset);

/** Size of the content of a piece, in bytes. */
static inline uint64_t salvage_piece_room(const salvage_piece *piece)
{
	return piece->size - offsetof(salvage_piece, content);
}

#endif
