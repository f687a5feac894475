/* SPDX-License-Identifier: MIT */
/* Collects access points of compressed data and resumes decompression from them. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#ifdef MPROF_WITH_ZLIB

#include "io/gzip_points.h"

#include <string.h>

void gzip_points_init(gzip_points *points, mprof_allocator *allocator)
{
	memset(points, 0, sizeof(*points));
	points->allocator = allocator;
	points->span = GZIP_POINTS_SPAN;
}

static void point_release(gzip_points *points, gzip_point *point)
{
	(void)inflateEnd(&point->stream);
	allocator_release(points->allocator, point, sizeof(*point));
}

void gzip_points_destroy(gzip_points *points)
{
	for (size_t i = 0; i < points->count; i++)
		point_release(points, points->all[i]);
	points->count = 0;
}

/* Drops every second point, so that the others remain evenly spaced. */
static void drop_every_second_point(gzip_points *points)
{
	size_t kept = 0;

	for (size_t i = 0; i < points->count; i++) {
		if (i % 2 == 0)
			point_release(points, points->all[i]);
		else
			points->all[kept++] = points->all[i];
	}
	points->count = kept;
	points->span *= 2;
}

void gzip_points_note(gzip_points *points, z_stream *stream, uint64_t output, uint64_t input)
{
	uint64_t last = points->count > 0 ? points->all[points->count - 1]->output : 0;
	gzip_point *point;

	if (!points->is_collecting || output < last || output - last < points->span)
		return;
	if (points->count == GZIP_POINTS_MAX) {
		drop_every_second_point(points);
		if (output - last < points->span)
			return;
	}
	point = allocator_allocate(points->allocator, sizeof(*point));
	if (point == NULL)
		return;
	if (inflateCopy(&point->stream, stream) != Z_OK) {
		allocator_release(points->allocator, point, sizeof(*point));
		return;
	}
	point->output = output;
	point->input = input;
	points->all[points->count++] = point;
}

const gzip_point *gzip_points_find(const gzip_points *points, uint64_t output)
{
	size_t low = 0;
	size_t high = points->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (points->all[middle]->output <= output)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? points->all[low - 1] : NULL;
}

int gzip_points_resume(const gzip_point *point, z_stream *stream)
{
	/* zlib takes the source without const but does not write to it. */
	return inflateCopy(stream, (z_stream *)(uintptr_t)&point->stream) == Z_OK;
}

#else

/* ISO C forbids an empty translation unit. */
typedef int gzip_points_are_not_built;

#endif
