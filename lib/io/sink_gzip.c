/* SPDX-License-Identifier: MIT */
/* Compresses what is written to a sink. */
#include "io/sink_gzip.h"

#include <errno.h>

#ifdef MPROF_WITH_ZLIB

#include "codec/library_memory.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <zlib.h>

/* Maximum number of compressed bytes that are written at once. */
#define PIECE_LENGTH ((size_t)64 << 10)

/* A window of 2^15 bytes; 16 selects the gzip format. */
#define GZIP_WINDOW_BITS (15 + 16)
#define DEFAULT_MEMORY_LEVEL 8

typedef struct gzip_state {
	z_stream stream;
	log_sink inner;
	int finished;
	int has_members;    /**< A member was ended. */
	int is_begun;       /**< The current member is not empty. */
	uint64_t unflushed; /**< Bytes given to zlib since the last flush. */
	uint8_t piece[PIECE_LENGTH];
} gzip_state;

/*
 * Compresses the input of the stream and writes the output. \p flush is the parameter of deflate(). Returns 0 or an
 * errno value.
 */
static int deflate_through(gzip_state *state, int flush)
{
	z_stream *stream = &state->stream;
	size_t length;
	int result;

	do {
		stream->next_out = state->piece;
		stream->avail_out = (uInt)sizeof(state->piece);
		result = deflate(stream, flush);
		/* Z_BUF_ERROR only means that there was nothing to do. */
		if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
			return EIO;
		length = sizeof(state->piece) - stream->avail_out;
		if (length > 0) {
			int error = sink_write(&state->inner, state->piece, length);

			if (error != 0)
				return error;
		}
	} while (stream->avail_out == 0);
	return 0;
}

static int gzip_write(log_sink *self, const void *bytes, size_t length)
{
	gzip_state *state = self->state;
	const uint8_t *cursor = bytes;

	while (length > 0) {
		uInt part = length < UINT_MAX ? (uInt)length : UINT_MAX;
		int error;

		/* zlib declares the pointer without const but does not write through it. */
		memcpy(&state->stream.next_in, &cursor, sizeof(cursor));
		state->stream.avail_in = part;
		error = deflate_through(state, Z_NO_FLUSH);
		if (error != 0)
			return error;
		cursor += part;
		length -= part;
		state->unflushed += part;
		state->is_begun = 1;
	}
	return 0;
}

static int gzip_flush(log_sink *self)
{
	gzip_state *state = self->state;
	int has_nothing = state->finished || (state->has_members && !state->is_begun);
	int error = has_nothing ? 0 : deflate_through(state, Z_SYNC_FLUSH);

	if (error == 0)
		state->unflushed = 0;
	return error != 0 ? error : sink_flush(&state->inner);
}

int sink_gzip_end_member(log_sink *self)
{
	gzip_state *state = self->state;
	int error;

	if (self->inner == NULL || state->finished || !state->is_begun)
		return 0;
	error = deflate_through(state, Z_FINISH);
	if (error != 0)
		return error;
	state->has_members = 1;
	state->is_begun = 0;
	state->unflushed = 0;
	return deflateReset(&state->stream) == Z_OK ? 0 : EIO;
}

static int gzip_finish(log_sink *self)
{
	gzip_state *state = self->state;
	int error;

	if (state->finished)
		return 0;
	state->finished = 1;
	/* A file without any member would not be in the format of gzip. */
	error = state->has_members && !state->is_begun ? 0 : deflate_through(state, Z_FINISH);
	return error != 0 ? error : sink_finish(&state->inner);
}

/* Upper bound of the bytes that flushing and finishing add: ends of deflate blocks, padding and the gzip trailer. */
#define ENDS_LENGTH 64

/* Upper bound of what a member adds that is not the last: the header of the next one, and the end of its blocks. */
#define MEMBERS_LENGTH 128

static uint64_t gzip_bound(const log_sink *self, uint64_t more)
{
	gzip_state *state = self->state;
	uint64_t waiting = state->unflushed + more;
	/* deflateBound() takes an unsigned long, which has 32 bits on some systems. */
	uint64_t bound = waiting < ULONG_MAX / 2 ? deflateBound(&state->stream, (uLong)waiting) : waiting * 2;

	return sink_bottom(&state->inner)->taken + bound + ENDS_LENGTH + (state->has_members ? MEMBERS_LENGTH : 0);
}

static int gzip_sink_close(log_sink *self)
{
	gzip_state *state = self->state;
	int error;

	deflateEnd(&state->stream);
	error = sink_close(&state->inner);
	allocator_release(&self->allocator, state, sizeof(*state));
	return error;
}

static const sink_operations gzip_operations = {gzip_write, gzip_flush, gzip_finish, gzip_bound, gzip_sink_close};

int sink_gzip_is_available(void)
{
	return 1;
}

int sink_gzip_add(log_sink *self, uint32_t level)
{
	gzip_state *state = allocator_allocate(&self->allocator, sizeof(*state));

	if (state == NULL)
		return ENOMEM;
	memset(&state->stream, 0, sizeof(state->stream));
	state->inner = *self;
	state->finished = 0;
	state->has_members = 0;
	state->is_begun = 0;
	state->unflushed = 0;
	/* zlib keeps the pointer, so it must be that of the copy in the state, which does not move. */
	zlib_memory_use(&state->stream, &state->inner.allocator);
	if (deflateInit2(&state->stream, (int)level, Z_DEFLATED, GZIP_WINDOW_BITS, DEFAULT_MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK) {
		allocator_release(&self->allocator, state, sizeof(*state));
		return ENOMEM;
	}
	self->operations = &gzip_operations;
	self->state = state;
	self->inner = &state->inner;
	return 0;
}

#else

int sink_gzip_is_available(void)
{
	return 0;
}

int sink_gzip_add(log_sink *self, uint32_t level)
{
	(void)self;
	(void)level;
	return ENOTSUP;
}

int sink_gzip_end_member(log_sink *self)
{
	(void)self;
	return 0;
}

#endif
