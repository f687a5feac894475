/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/queues/salvage_tail.h
 * \brief The end of a compressed log, not compressed: the blocks since the last member of the file that is complete.
 *
 * A gzip member can be decompressed as a whole only once it has ended. So the blocks of the current member are kept in
 * the area as well, and a member ends every #SALVAGE_MEMBER_BYTES. Recovery cuts the file to the last complete member
 * that was committed, and writes the blocks after it again as a new member.
 */
#ifndef RECORDER_QUEUES_SALVAGE_TAIL_H
#define RECORDER_QUEUES_SALVAGE_TAIL_H

#include "recorder/queues/salvage_area.h"

#include <stddef.h>
#include <stdint.h>

/** Length of a member before compression, in bytes, after which it ends with the next commit. */
#define SALVAGE_MEMBER_BYTES ((uint64_t)4 << 20)

/** A part of the blocks of a member. The content of a piece. */
typedef struct tail_chunk {
	uint64_t member;         /**< salvage_tail::member. */
	uint64_t offset;         /**< Of the first byte in the member, before compression. */
	uint64_t length;         /**< Bytes used. More than the commit contains may be there. */
	struct tail_chunk *next; /**< Only valid in the recording process. */
	unsigned char bytes[];
} tail_chunk;

/** Chunks in their order. */
typedef struct tail_list {
	tail_chunk *first;
	tail_chunk *last;
} tail_list;

/** Owner: the writer thread. */
typedef struct salvage_tail {
	salvage_area *area;    /**< NULL: the log is not compressed, and nothing is kept. */
	tail_list current;     /**< Those of the current member. */
	tail_list ended;       /**< Those of earlier members, needed until the next commit. */
	uint64_t member;       /**< Number of the current member. */
	uint64_t member_start; /**< Its offset in the file. */
	uint64_t length;       /**< Its length so far, before compression. */
	int has_failed;        /**< There was no room for a part of it, so it must end before the next commit. */
} salvage_tail;

/** A #sink_observer, whose \p user is the tail: keeps blocks that were written. */
void salvage_tail_append(void *tail, const void *bytes, size_t length);

/** Whether the current member must end. */
static inline int salvage_tail_is_due(const salvage_tail *tail)
{
	return tail->has_failed || tail->length >= SALVAGE_MEMBER_BYTES;
}

/** Begins a member at an offset of the file. What is kept of the previous one stays until salvage_tail_release(). */
void salvage_tail_begin(salvage_tail *tail, uint64_t start);

/** Called after a commit: what was kept of earlier members is not needed any more. */
void salvage_tail_release(salvage_tail *tail);

/** Receives a part of a tail. Returns 0 to stop. */
typedef int (*tail_visitor)(void *user, const void *bytes, size_t length);

/**
 * Visits the first \p length bytes of a member in an area of salvage_area_open(), in their order. Returns the number of
 * bytes for which \p visitor returned 1: less than \p length if the area is damaged or the visitor stopped.
 */
uint64_t salvage_tail_visit(const salvage_area *area, uint64_t member, uint64_t length, tail_visitor visitor,
			    void *user);

#endif
