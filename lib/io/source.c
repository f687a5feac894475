/* SPDX-License-Identifier: MIT */
/* Sources of bytes, compressed or not. */
#include "io/source.h"

#include "base/allocator.h"
#include "codec/library_memory.h"
#include "io/system.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct descriptor_source {
	mprof_allocator allocator;
	int fd;
	int is_owned;
	off_t start; /* Offset of the log in the file. */
} descriptor_source;

static int descriptor_read(void *user, void *bytes, size_t length, size_t *got)
{
	const descriptor_source *self = user;
	ssize_t result;

	do
		result = read(self->fd, bytes, length < DESCRIPTOR_MAX_LENGTH ? length : DESCRIPTOR_MAX_LENGTH);
	while (result < 0 && errno == EINTR);
	*got = result > 0 ? (size_t)result : 0;
	return result < 0 ? errno : 0;
}

static int descriptor_seek(void *user, uint64_t offset)
{
	const descriptor_source *self = user;

	if (offset > INT64_MAX - (uint64_t)self->start)
		return EOVERFLOW;
	return lseek(self->fd, self->start + (off_t)offset, SEEK_SET) < 0 ? errno : 0;
}

static int descriptor_source_read_at(void *user, uint64_t offset, void *bytes, size_t length, size_t *got)
{
	const descriptor_source *self = user;

	*got = 0;
	if (offset > INT64_MAX - (uint64_t)self->start)
		return EOVERFLOW;
	return descriptor_read_at(self->fd, (uint64_t)self->start + offset, bytes, length, got);
}

static void descriptor_close(void *user)
{
	descriptor_source *self = user;
	mprof_allocator allocator = self->allocator;

	if (self->is_owned)
		(void)close(self->fd);
	allocator_release(&allocator, self, sizeof(*self));
}

static int descriptor_open(mprof_source *source, const mprof_allocator *allocator, int fd, int is_owned,
			   uint64_t *length)
{
	descriptor_source *self;
	struct stat about;
	off_t start = 0;
	int can_seek;
	int fault = descriptor_make_binary(fd);

	if (fault != 0)
		return fault;
	if (fstat(fd, &about) != 0)
		return errno;
	if (S_ISDIR(about.st_mode))
		return EISDIR;
	/* The type is checked because lseek() may succeed for a terminal, where it has no effect. */
	can_seek = S_ISREG(about.st_mode) || S_ISBLK(about.st_mode);
	if (can_seek) {
		start = lseek(fd, 0, SEEK_CUR);
		if (start < 0)
			return errno;
	}
	self = allocator_allocate(allocator, sizeof(*self));
	if (self == NULL)
		return ENOMEM;
	self->allocator = *allocator;
	self->fd = fd;
	self->is_owned = is_owned;
	self->start = start;
	*length = S_ISREG(about.st_mode) && about.st_size > start ? (uint64_t)(about.st_size - start) : 0;
	source->read = descriptor_read;
	source->seek = can_seek ? descriptor_seek : NULL;
	source->close = descriptor_close;
	source->user = self;
	source->read_at = can_seek ? descriptor_source_read_at : NULL;
	return 0;
}

int source_open_path(mprof_source *source, const mprof_allocator *allocator, const char *path, uint64_t *length)
{
	int fd;
	int fault = descriptor_open_to_read(path, &fd);

	if (fault != 0)
		return fault;
	fault = descriptor_open(source, allocator, fd, 1, length);
	if (fault != 0)
		(void)close(fd);
	return fault;
}

int source_open_fd(mprof_source *source, const mprof_allocator *allocator, int fd, uint64_t *length)
{
	return descriptor_open(source, allocator, fd, 0, length);
}

typedef struct memory_source {
	mprof_allocator allocator;
	const uint8_t *bytes;
	size_t length;
	size_t position;
} memory_source;

static int memory_read(void *user, void *bytes, size_t length, size_t *got)
{
	memory_source *self = user;
	size_t remaining = self->length - self->position;

	*got = length < remaining ? length : remaining;
	if (*got > 0)
		memcpy(bytes, self->bytes + self->position, *got);
	self->position += *got;
	return 0;
}

static int memory_seek(void *user, uint64_t offset)
{
	memory_source *self = user;

	/* As in a file, there is nothing to read after the end. */
	self->position = offset < self->length ? (size_t)offset : self->length;
	return 0;
}

static int memory_read_at(void *user, uint64_t offset, void *bytes, size_t length, size_t *got)
{
	const memory_source *self = user;
	const size_t remaining = offset < self->length ? self->length - (size_t)offset : 0;

	*got = length < remaining ? length : remaining;
	if (*got > 0)
		memcpy(bytes, self->bytes + offset, *got);
	return 0;
}

static void memory_source_close(void *user)
{
	memory_source *self = user;
	mprof_allocator allocator = self->allocator;

	allocator_release(&allocator, self, sizeof(*self));
}

int source_open_memory(mprof_source *source, const mprof_allocator *allocator, const void *bytes, size_t length)
{
	memory_source *self = allocator_allocate(allocator, sizeof(*self));

	if (self == NULL)
		return ENOMEM;
	self->allocator = *allocator;
	self->bytes = bytes;
	self->length = length;
	self->position = 0;
	source->read = memory_read;
	source->read_at = memory_read_at;
	source->seek = memory_seek;
	source->close = memory_source_close;
	source->user = self;
	return 0;
}

/*
 * Decompression of what is read from a source, with access points from which it can resume.
 */

#ifdef MPROF_WITH_ZLIB

/* A window of 2^15 bytes, and gzip headers only. */
#define GZIP_WINDOW_BITS (15 + 16)

#define INPUT_LENGTH ((size_t)64 << 10)

/*
 * Access points are positions in compressed data at which decompression can resume.
 *
 * A point is a copy of zlib's whole state, with its window of 32 KiB, so it can be stored anywhere, in any member of a
 * file, and the checksum at the end of the member is still verified. Memory is bounded: once there are MAX_POINTS
 * points, every second one is dropped and the span between them doubles.
 */

/* Initial distance of two points, in decompressed bytes. */
#define GZIP_POINTS_SPAN (UINT64_C(1) << 20)

/* Maximum number of points; each takes about 40 KiB. */
#define MAX_POINTS 512

/* A position at which decompression can resume. */
typedef struct gzip_point {
	uint64_t output; /* Offset of the next byte in the decompressed data. */
	uint64_t input;  /* Offset of the next byte in the compressed data. */
	z_stream stream; /* Must not move: zlib's state points back to it. */
} gzip_point;

typedef struct gzip_points {
	mprof_allocator *allocator; /* Borrowed. The streams of the points use it, too, so it must not move. */
	gzip_point *all[MAX_POINTS];
	size_t count;
	uint64_t span;
	int is_collecting; /* 0: no seek has happened yet, so no points are needed. */
} gzip_points;

static void gzip_points_init(gzip_points *points, mprof_allocator *allocator)
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

static void gzip_points_destroy(gzip_points *points)
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

/*
 * Stores a point if the last one is at least a span before it. The stream is at the offsets output and input, inside a
 * member. If out of memory, no point is stored, and a later seek takes longer.
 */
static void gzip_points_note(gzip_points *points, z_stream *stream, uint64_t output, uint64_t input)
{
	uint64_t last = points->count > 0 ? points->all[points->count - 1]->output : 0;
	gzip_point *point;

	if (!points->is_collecting || output < last || output - last < points->span)
		return;
	if (points->count == MAX_POINTS) {
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

/*
 * Returns the last point that is not after an offset in the decompressed data, or NULL. Valid until a point is stored.
 */
static const gzip_point *gzip_points_find(const gzip_points *points, uint64_t output)
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

/* Initializes a stream to continue from a point. Returns 0 if out of memory. */
static int gzip_points_resume(const gzip_point *point, z_stream *stream)
{
	/* zlib takes the source without const but does not write to it. */
	return inflateCopy(stream, (z_stream *)(uintptr_t)&point->stream) == Z_OK;
}

typedef struct gzip_source {
	mprof_allocator allocator;
	mprof_source inner;
	const source_gzip_watch *watch; /* Borrowed, or NULL. */
	z_stream *stream;               /* One of streams. The other one is initialized when decompression resumes at an
	                                   access point. */
	z_stream streams[2];
	gzip_points points;
	uint64_t position;  /* Offset of the next byte in the decompressed data. */
	uint64_t input_end; /* Offset in the compressed data of the first byte that is not in the input buffer. */
	int fault;          /* The error that ended the stream; 0: none. */
	int is_between;     /* A member has ended, and another one may follow. */
	uint8_t input[INPUT_LENGTH];
} gzip_source;

/*
 * Reads more compressed bytes if none are left. Returns 0 or an errno value; 0 with no bytes means the end of the
 * source.
 */
static int input_get(gzip_source *self)
{
	size_t got = 0;
	int fault;

	if (self->stream->avail_in > 0)
		return 0;
	fault = self->inner.read(self->inner.user, self->input, INPUT_LENGTH, &got);
	if (fault == 0) {
		self->stream->next_in = self->input;
		self->stream->avail_in = (unsigned)got;
		self->input_end += got;
	}
	return fault;
}

/* Begins the next member. Zeros or other data after the last member are ignored, as gzip does. */
static int member_begin(gzip_source *self)
{
	if (self->stream->next_in[0] != (uint8_t)SOURCE_GZIP_MAGIC[0]) {
		self->stream->avail_in = 0;
		return 0;
	}
	self->is_between = 0;
	return inflateReset(self->stream) == Z_OK ? 0 : SOURCE_GZIP_DAMAGED;
}

static int inflate_some(gzip_source *self)
{
	switch (inflate(self->stream, Z_NO_FLUSH)) {
	case Z_OK:
	case Z_BUF_ERROR:
		return 0;
	case Z_STREAM_END:
		self->is_between = 1;
		return 0;
	case Z_MEM_ERROR:
		return ENOMEM;
	default:
		return SOURCE_GZIP_DAMAGED;
	}
}

static int gzip_read(void *user, void *bytes, size_t length, size_t *got)
{
	gzip_source *self = user;
	size_t wanted = length < UINT32_MAX / 2 ? length : UINT32_MAX / 2;
	int fault = self->fault;

	self->stream->next_out = bytes;
	self->stream->avail_out = (unsigned)wanted;
	while (fault == 0) {
		/* Called even without input: zlib may still have output for which the last call had no room. */
		if (!self->is_between)
			fault = inflate_some(self);
		if (fault != 0 || self->stream->avail_out != wanted)
			break;
		fault = input_get(self);
		if (fault != 0 || self->stream->avail_in == 0)
			break;
		if (self->is_between)
			fault = member_begin(self);
	}
	if (fault == SOURCE_GZIP_DAMAGED)
		self->fault = fault;
	*got = wanted - self->stream->avail_out;
	self->position += *got;
	if (fault == 0 && !self->is_between)
		gzip_points_note(&self->points, self->stream, self->position, self->input_end - self->stream->avail_in);
	/* Bytes decompressed before the damage are returned first. */
	return *got > 0 ? 0 : fault;
}

/* Restarts at the first byte. */
static int gzip_rewind(gzip_source *self)
{
	int fault = self->inner.seek(self->inner.user, 0);

	if (fault != 0)
		return fault;
	if (inflateReset(self->stream) != Z_OK)
		return EINVAL;
	self->stream->avail_in = 0;
	self->input_end = 0;
	self->position = 0;
	self->fault = 0;
	self->is_between = 0;
	return 0;
}

static int gzip_resume(gzip_source *self, const gzip_point *point)
{
	z_stream *other = &self->streams[self->stream == &self->streams[0]];
	int fault;

	if (!gzip_points_resume(point, other))
		return ENOMEM;
	fault = self->inner.seek(self->inner.user, point->input);
	if (fault != 0) {
		(void)inflateEnd(other);
		return fault;
	}
	(void)inflateEnd(self->stream);
	self->stream = other;
	self->stream->avail_in = 0;
	self->input_end = point->input;
	self->position = point->output;
	self->fault = 0;
	self->is_between = 0;
	return 0;
}

/*
 * Moves to the last position not after an offset at which decompression can continue: the present one, a point, or the
 * start.
 */
static int go_near(gzip_source *self, uint64_t offset)
{
	const gzip_point *point = gzip_points_find(&self->points, offset);

	if (offset >= self->position && (point == NULL || point->output <= self->position))
		return 0;
	return point != NULL ? gzip_resume(self, point) : gzip_rewind(self);
}

static int gzip_seek(void *user, uint64_t offset)
{
	gzip_source *self = user;
	uint8_t passed[4096];
	size_t got = 1;
	int fault = go_near(self, offset);

	while (fault == 0 && got > 0 && self->position < offset) {
		uint64_t remaining = offset - self->position;

		fault = gzip_read(self, passed, remaining < sizeof(passed) ? (size_t)remaining : sizeof(passed), &got);
		if (fault == 0 && self->watch != NULL && self->watch->look(self->watch->user, self->input_end) != 0)
			fault = ECANCELED;
	}
	return fault;
}

static void gzip_source_close(void *user)
{
	gzip_source *self = user;
	mprof_allocator allocator = self->allocator;

	gzip_points_destroy(&self->points);
	(void)inflateEnd(self->stream);
	if (self->inner.close != NULL)
		self->inner.close(self->inner.user);
	allocator_release(&allocator, self, sizeof(*self));
}

int source_gzip_add(mprof_source *source, const mprof_allocator *allocator, const source_gzip_watch *watch)
{
	gzip_source *self = allocator_allocate(allocator, sizeof(*self));

	if (self == NULL)
		return ENOMEM;
	memset(self, 0, offsetof(gzip_source, input));
	self->allocator = *allocator;
	self->inner = *source;
	self->watch = watch;
	self->stream = &self->streams[0];
	gzip_points_init(&self->points, &self->allocator);
	zlib_memory_use(self->stream, &self->allocator);
	memcpy(self->input, SOURCE_GZIP_MAGIC, SOURCE_GZIP_MAGIC_LENGTH);
	self->stream->next_in = self->input;
	self->stream->avail_in = SOURCE_GZIP_MAGIC_LENGTH;
	self->input_end = SOURCE_GZIP_MAGIC_LENGTH;
	if (inflateInit2(self->stream, GZIP_WINDOW_BITS) != Z_OK) {
		allocator_release(allocator, self, sizeof(*self));
		return ENOMEM;
	}
	source->read = gzip_read;
	source->seek = self->inner.seek != NULL ? gzip_seek : NULL;
	source->close = gzip_source_close;
	source->user = self;
	source->read_at = NULL;
	return 0;
}

void source_gzip_collect_points(const mprof_source *source)
{
	gzip_source *self = source->user;

	self->points.is_collecting = 1;
}

uint64_t source_gzip_get_compressed_position(const mprof_source *source)
{
	const gzip_source *self = source->user;

	return self->input_end - self->stream->avail_in;
}

#else

int source_gzip_add(mprof_source *source, const mprof_allocator *allocator, const source_gzip_watch *watch)
{
	(void)source;
	(void)allocator;
	(void)watch;
	return ENOTSUP;
}

void source_gzip_collect_points(const mprof_source *source)
{
	(void)source;
}

uint64_t source_gzip_get_compressed_position(const mprof_source *source)
{
	(void)source;
	return 0;
}

#endif
