/* SPDX-License-Identifier: MIT */
/**
 * \file io/gzip_points.h
 * \brief Access points: positions in compressed data at which decompression can resume.
 *
 * A point is a copy of zlib's whole state, with its window of 32 KiB, so it can be stored anywhere, in any member of a
 * file, and the checksum at the end of the member is still verified. Memory is bounded: once there are
 * #GZIP_POINTS_MAX points, every second one is dropped and the span between them doubles.
 */
#ifndef IO_GZIP_POINTS_H
#define IO_GZIP_POINTS_H

#include "base/allocator.h"

#include <zlib.h>

/** Initial distance of two points, in decompressed bytes. */
#define GZIP_POINTS_SPAN (UINT64_C(1) << 20)

/** Maximum number of points; each takes about 40 KiB. */
#define GZIP_POINTS_MAX 512

/** A position at which decompression can resume. */
typedef struct gzip_point {
	uint64_t output; /**< Offset of the next byte in the decompressed data. */
	uint64_t input;  /**< Offset of the next byte in the compressed data. */
	z_stream stream; /**< Must not move: zlib's state points back to it. */
} gzip_point;

typedef struct gzip_points {
	mprof_allocator *allocator; /**< Borrowed. The streams of the points use it, too, so it must not move. */
	gzip_point *all[GZIP_POINTS_MAX];
	size_t count;
	uint64_t span;
	int is_collecting; /**< 0: no seek has happened yet, so no points are needed. */
} gzip_points;

void gzip_points_init(gzip_points *points, mprof_allocator *allocator);
void gzip_points_destroy(gzip_points *points);

/**
 * Stores a point if the last one is at least a span before it. \p stream is at the offsets \p output and \p input,
 * inside a member. If out of memory, no point is stored, and a later seek takes longer.
 */
void gzip_points_note(gzip_points *points, z_stream *stream, uint64_t output, uint64_t input);

/**
 * Returns the last point that is not after an offset in the decompressed data, or NULL. Valid until a point is stored.
 */
const gzip_point *gzip_points_find(const gzip_points *points, uint64_t output);

/** Initializes \p stream to continue from a point. Returns 0 if out of memory. */
int gzip_points_resume(const gzip_point *point, z_stream *stream);

#endif
