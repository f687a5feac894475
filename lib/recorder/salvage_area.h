/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/salvage_area.h
 * \brief Memory that outlives the process: a shared mapping of a file, from which everything is taken that is recorded
 * but not in the log yet.
 *
 * Nothing in it is found through pointers. The area is a sequence of pieces, each after a header with a check value, so
 * another process finds them by scanning, whatever the one that died was doing. A piece is taken once and never given
 * back to the area; those of changing size are recycled by size.
 *
 * What the process stored before it died is in the mapping. A process that scans it runs after that, so memory order only
 * matters between stores of the same thread: a store that makes another one valid has to come after it. A release store
 * does that.
 */
#ifndef RECORDER_SALVAGE_AREA_H
#define RECORDER_SALVAGE_AREA_H

#include "base/allocator.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/** What a piece holds. The numbers are in the file. */
typedef enum salvage_kind {
	SALVAGE_BUFFER = 1,    /**< An event_buffer. */
	SALVAGE_MESSAGE = 2,   /**< A message. */
	SALVAGE_SAMPLES = 3,   /**< The memory of a sample_store. */
	SALVAGE_THREAD = 4,    /**< A salvage_thread. */
	SALVAGE_JOURNAL = 5,   /**< A chunk of a salvage_journal. */
	SALVAGE_RING_BLOCK = 6 /**< A block of a block_ring. */
} salvage_kind;

/** Pieces begin at multiples of this. */
#define SALVAGE_ALIGNMENT 64

/** Before the content of a piece. */
typedef struct salvage_piece {
	/** salvage_check() of the rest. Stored last: without it there is no piece. */
	_Alignas(SALVAGE_ALIGNMENT) _Atomic uint64_t check;
	uint64_t size; /**< Bytes with this header: a multiple of #SALVAGE_ALIGNMENT. Constant. */
	uint32_t kind; /**< A #salvage_kind. Constant. */
	/** Recycled pieces: 1 while it holds something. Stored with release after the content. */
	_Atomic uint32_t in_use;
	struct salvage_piece *next_free; /**< Of the process that records. */
	_Alignas(SALVAGE_ALIGNMENT) unsigned char content[];
} salvage_piece;

/** At the start of the file. */
typedef struct salvage_root {
	_Atomic uint64_t used; /**< Offset after the last piece that was taken. */
	unsigned char reserved[SALVAGE_ALIGNMENT - sizeof(uint64_t)];
	_Alignas(SALVAGE_ALIGNMENT) unsigned char header[]; /**< The caller's. */
} salvage_root;

/** Size classes of recycled pieces: four to each power of two, from 256 bytes on. */
#define SALVAGE_CLASSES 160

/** What one process has of an area. */
typedef struct salvage_area {
	unsigned char *base; /**< NULL: there is no area. A salvage_root is there. */
	uint64_t capacity;   /**< Bytes of address space, and of the file, most of which is a hole. */
	uint64_t first;      /**< Offset of the first piece. */
	int fd;              /**< For room in the file. */
	uint64_t device; /**< What the descriptor was open for: the program may close it and use the number again. */
	uint64_t inode;
	pthread_mutex_t lock; /**< Guards the list. */
	salvage_piece *free[SALVAGE_CLASSES];
} salvage_area;

/**
 * Creates the file, or takes over an empty one, and maps it, with a header of the caller's, all zero. \p capacity: bytes, as much as the system grants of it. Returns 0 or an errno value: EBUSY if the file is not empty.
 */
int salvage_area_create(salvage_area *area, const char *path, size_t header_size, uint64_t capacity);

/**
 * Maps the area of a process that has ended, from its file. Changes stay in this process. Returns 0 or an errno value:
 * EINVAL if the file is shorter than \p header_size, ENODATA if
 * it is empty.
 */
int salvage_area_open(salvage_area *area, const char *path, size_t header_size);

/** Unmaps it. The file stays as it is. */
void salvage_area_close(salvage_area *area);

/** The header of salvage_area_create(). */
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
 * A new piece with room for \p size bytes, all 0; returns its content, or NULL if there is no room in the area or the
 * file system. No lock, no malloc; any thread, also in signal handlers.
 */
void *salvage_area_take(salvage_area *area, salvage_kind kind, size_t size);

/**
 * A piece that may be recycled; its content is anything. Not in use until salvage_piece_publish(). Takes a lock: not in
 * signal handlers. Returns its content, or NULL.
 */
void *salvage_area_allocate(salvage_area *area, salvage_kind kind, size_t size);

/** Recycles a piece of salvage_area_allocate(). */
void salvage_area_recycle(salvage_area *area, void *content);

/** Whether memory is in the area. */
static inline int salvage_area_contains(const salvage_area *area, const void *memory)
{
	return (uintptr_t)memory - (uintptr_t)area->base < area->capacity;
}

/** The header of a piece with that content. */
static inline salvage_piece *salvage_piece_of(void *content)
{
	return (salvage_piece *)(void *)((unsigned char *)content - offsetof(salvage_piece, content));
}

/** From here on a process that scans the area finds the content of a piece of salvage_area_allocate(). */
static inline void salvage_piece_publish(void *content)
{
	atomic_store_explicit(&salvage_piece_of(content)->in_use, 1, memory_order_release);
}

/**
 * The piece after \p previous, or the first for NULL; NULL after the last. Skips what was being taken when the process
 * died. For areas of salvage_area_open().
 */
salvage_piece *salvage_area_next(const salvage_area *area, const salvage_piece *previous);

/** Bytes of content of a piece. */
static inline uint64_t salvage_piece_room(const salvage_piece *piece)
{
	return piece->size - offsetof(salvage_piece, content);
}

#endif
