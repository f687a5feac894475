/* SPDX-License-Identifier: MIT */
/* Keeps the blocks of the current member of a compressed log, and finds those that a process left behind. */
#include "recorder/queues/salvage_tail.h"

#include <string.h>

/* The piece is as large as a size class, so that nothing of it is unused. */
#define CHUNK_BYTES (((size_t)256 << 10) - offsetof(salvage_piece, content) - sizeof(tail_chunk))

/* Adds a chunk for the bytes from an offset on. Returns 0 if the area has no room. */
static int add_chunk(salvage_tail *tail, uint64_t offset)
{
	tail_chunk *chunk = salvage_area_allocate(tail->area, SALVAGE_TAIL, sizeof(*chunk) + CHUNK_BYTES);

	if (chunk == NULL)
		return 0;
	chunk->member = tail->member;
	chunk->offset = offset;
	chunk->length = 0;
	chunk->next = NULL;
	if (tail->current.last != NULL)
		tail->current.last->next = chunk;
	else
		tail->current.first = chunk;
	tail->current.last = chunk;
	salvage_piece_publish(chunk);
	return 1;
}

void salvage_tail_append(void *user, const void *bytes, size_t length)
{
	salvage_tail *tail = user;
	const unsigned char *from = bytes;
	size_t done = 0;

	while (!tail->has_failed && done < length) {
		tail_chunk *chunk = tail->current.last;
		size_t part = length - done;

		if ((chunk == NULL || chunk->length == CHUNK_BYTES) && !add_chunk(tail, tail->length + done)) {
			tail->has_failed = 1;
			break;
		}
		chunk = tail->current.last;
		if (part > CHUNK_BYTES - chunk->length)
			part = CHUNK_BYTES - chunk->length;
		memcpy(chunk->bytes + chunk->length, from + done, part);
		chunk->length += part;
		done += part;
	}
	/* A member that was not kept ends before the next commit. */
	tail->length += length;
}

void salvage_tail_begin(salvage_tail *tail, uint64_t start)
{
	if (tail->ended.last != NULL)
		tail->ended.last->next = tail->current.first;
	else
		tail->ended.first = tail->current.first;
	if (tail->current.last != NULL)
		tail->ended.last = tail->current.last;
	tail->current = (tail_list){NULL, NULL};
	tail->member++;
	tail->member_start = start;
	tail->length = 0;
	tail->has_failed = 0;
}

void salvage_tail_release(salvage_tail *tail)
{
	tail_chunk *chunk = tail->ended.first;

	while (chunk != NULL) {
		tail_chunk *next = chunk->next;

		salvage_area_recycle(tail->area, chunk);
		chunk = next;
	}
	tail->ended = (tail_list){NULL, NULL};
}

/* The chunk of a member that begins at an offset, or NULL. Chunks are recycled, so they may be in any order. */
static const tail_chunk *find_chunk(const salvage_area *area, uint64_t member, uint64_t offset)
{
	salvage_piece *piece = NULL;

	while ((piece = salvage_area_next(area, piece)) != NULL) {
		const tail_chunk *chunk = (const tail_chunk *)(const void *)piece->content;

		if (piece->kind == SALVAGE_TAIL && salvage_piece_room(piece) >= sizeof(*chunk) &&
		    atomic_load_explicit(&piece->in_use, memory_order_relaxed) != 0 && chunk->member == member &&
		    chunk->offset == offset && chunk->length <= salvage_piece_room(piece) - sizeof(*chunk))
			return chunk;
	}
	return NULL;
}

uint64_t salvage_tail_visit(const salvage_area *area, uint64_t member, uint64_t length, tail_visitor visitor,
			    void *user)
{
	uint64_t done = 0;

	while (done < length) {
		const tail_chunk *chunk = find_chunk(area, member, done);
		uint64_t part = length - done;

		if (chunk == NULL || chunk->length == 0)
			break;
		if (part > chunk->length)
			part = chunk->length;
		if (!visitor(user, chunk->bytes, (size_t)part))
			break;
		done += part;
	}
	return done;
}
