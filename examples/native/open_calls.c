/* SPDX-License-Identifier: MIT */
/* Keeps the open calls in chunks of memory from the system: malloc() may be instrumented, or interrupted. */
#include "open_calls.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNK_BYTES 65536

struct open_call_chunk {
	open_call_chunk *outer; /* With the calls before. */
	open_call_chunk *inner; /* Empty, kept for the next calls. */
	open_call calls[];
};

#define CHUNK_CALLS ((CHUNK_BYTES - offsetof(open_call_chunk, calls)) / sizeof(open_call))

/* Makes room for a call. Returns 0 if there is no memory. */
static int begin_chunk(open_calls *calls)
{
	open_call_chunk *chunk = calls->chunk != NULL ? calls->chunk->inner : NULL;
	const int saved = errno;

	if (chunk == NULL) {
		void *memory = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		errno = saved;
		if (memory == MAP_FAILED)
			return 0;
		chunk = memory;
		chunk->outer = calls->chunk;
		if (calls->chunk != NULL)
			calls->chunk->inner = chunk;
	}
	calls->chunk = chunk;
	calls->used = 0;
	return 1;
}

void open_calls_push(open_calls *calls, uintptr_t frame, mprof_key key)
{
	calls->count++;
	if (calls->unlisted > 0 || ((calls->chunk == NULL || calls->used == CHUNK_CALLS) && !begin_chunk(calls))) {
		calls->unlisted++;
		return;
	}
	calls->chunk->calls[calls->used++] = (open_call){frame, key};
}

void open_calls_pop(open_calls *calls)
{
	if (calls->count == 0)
		return;
	calls->count--;
	if (calls->unlisted > 0) {
		calls->unlisted--;
		return;
	}
	calls->used--;
	if (calls->used == 0 && calls->chunk->outer != NULL) {
		calls->chunk = calls->chunk->outer;
		calls->used = CHUNK_CALLS;
	}
}

const open_call *open_calls_top(const open_calls *calls)
{
	return calls->count > 0 && calls->unlisted == 0 ? &calls->chunk->calls[calls->used - 1] : NULL;
}

void open_calls_clear(open_calls *calls)
{
	open_call_chunk *chunk = calls->chunk;
	const int saved = errno;

	while (chunk != NULL && chunk->inner != NULL)
		chunk = chunk->inner;
	while (chunk != NULL) {
		open_call_chunk *outer = chunk->outer;

		munmap(chunk, CHUNK_BYTES);
		chunk = outer;
	}
	memset(calls, 0, sizeof(*calls));
	errno = saved;
}
