/* SPDX-License-Identifier: MIT */
/* Writes to memory, to functions of the caller, and to files and descriptors, with or without compression. */
#include "io/sink.h"

#include "base/allocator.h"
#include "base/caller_structs.h"
#include "codec/library_memory.h"
#include "io/system.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int memory_write(log_sink *self, const void *bytes, size_t length)
{
	void *memory = self->memory;
	size_t needed;

	if (!checked_add(self->memory_length, length, &needed) ||
	    !array_reserve(&self->allocator, &memory, &self->memory_capacity, needed, 1))
		return ENOMEM;
	self->memory = memory;
	memcpy(self->memory + self->memory_length, bytes, length);
	self->memory_length = needed;
	return 0;
}

static int memory_sink_close(log_sink *self)
{
	allocator_release(&self->allocator, self->memory, self->memory_capacity);
	return 0;
}

static const sink_operations memory_operations = {memory_write, NULL, NULL, NULL, memory_sink_close};

void sink_open_memory(log_sink *self, const mprof_allocator *allocator)
{
	memset(self, 0, sizeof(*self));
	self->operations = &memory_operations;
	self->allocator = *allocator;
}

static int functions_write(log_sink *self, const void *bytes, size_t length)
{
	return self->functions.write(self->functions.user, bytes, length);
}

static int functions_flush(log_sink *self)
{
	return self->functions.flush != NULL ? self->functions.flush(self->functions.user) : 0;
}

static int functions_close(log_sink *self)
{
	return self->functions.close != NULL ? self->functions.close(self->functions.user) : 0;
}

static const sink_operations functions_operations = {functions_write, functions_flush, NULL, NULL, functions_close};

void sink_open_functions(log_sink *self, const mprof_allocator *allocator, const mprof_sink *functions)
{
	memset(self, 0, sizeof(*self));
	self->operations = &functions_operations;
	self->allocator = *allocator;
	self->functions = *functions;
}

void sink_refuse_functions(const mprof_sink *functions)
{
	mprof_sink copy;

	if (functions != NULL && struct_copy_in(&copy, functions, sizeof(copy)) == MPROF_OK && copy.close != NULL)
		copy.close(copy.user);
}

int sink_write(log_sink *self, const void *bytes, size_t length)
{
	int error = self->operations->write(self, bytes, length);

	if (error != 0)
		return error;
	self->taken += length;
	if (self->observer != NULL)
		self->observer(self->observer_user, bytes, length);
	return 0;
}

int sink_flush(log_sink *self)
{
	return self->operations->flush != NULL ? self->operations->flush(self) : 0;
}

int sink_finish(log_sink *self)
{
	return self->operations->finish != NULL ? self->operations->finish(self) : 0;
}

uint64_t sink_bound(const log_sink *self, uint64_t more)
{
	return self->operations->bound != NULL ? self->operations->bound(self, more) : self->taken + more;
}

int sink_close(log_sink *self)
{
	int error = 0;

	if (self->operations != NULL && self->operations->close != NULL)
		error = self->operations->close(self);
	memset(self, 0, sizeof(*self));
	return error;
}

const log_sink *sink_bottom(const log_sink *self)
{
	while (self->inner != NULL)
		self = self->inner;
	return self;
}

int sink_is_memory(const log_sink *self)
{
	return sink_bottom(self)->operations == &memory_operations;
}

/*
 * Programs that close all descriptors, as daemons do, close that of the log as well. Its number may then be that of
 * another file.
 */
static int is_own_file(const log_sink *self, int fd)
{
	struct stat status;

	if (self->fd_inode == 0)
		return 1;
	return fstat(fd, &status) == 0 && (uint64_t)status.st_dev == self->fd_device &&
	       (uint64_t)status.st_ino == self->fd_inode;
}

/* Opens the file again if its descriptor was closed. Returns 0 or an errno value. */
static int restore_descriptor(log_sink *self)
{
	int fd;

	if (is_own_file(self, self->fd))
		return 0;
	/* The descriptor is not the sink's any more. */
	self->fd_is_owned = 0;
	self->fd_is_locked = 0;
	if (self->path == NULL || !self->fd_may_be_cut || log_file_open_again(self->path, &fd) != 0)
		return EBADF;
	if (!is_own_file(self, fd) || lseek(fd, (off_t)(self->fd_start + self->taken), SEEK_SET) < 0) {
		close(fd);
		return EBADF;
	}
	self->fd = fd;
	self->fd_is_owned = 1;
	self->fd_is_locked = 1;
	return 0;
}

/*
 * Removes a block that was written in part, for example because the disk is full, so that the file ends with a whole
 * block.
 */
static void cut_back(log_sink *self, size_t written)
{
	off_t whole = (off_t)(self->fd_start + self->taken);
	struct stat status;

	if (!self->fd_may_be_cut || written == 0 || fstat(self->fd, &status) != 0)
		return;
	/* If the length differs, another process has appended data, which must not be removed. */
	if (status.st_size != whole + (off_t)written)
		return;
	while (ftruncate(self->fd, whole) != 0 && errno == EINTR)
		;
	lseek(self->fd, whole, SEEK_SET);
}

int sink_descriptor_cut(log_sink *self, uint64_t length)
{
	const off_t end = (off_t)(self->fd_start + length);
	struct stat status;
	int error = restore_descriptor(self);

	if (error != 0)
		return error;
	/* If the length differs, another process has appended data, which must not be removed. */
	if (fstat(self->fd, &status) != 0 || status.st_size != (off_t)(self->fd_start + self->taken))
		return EBUSY;
	if (ftruncate(self->fd, end) != 0 || lseek(self->fd, end, SEEK_SET) < 0)
		return errno;
	self->taken = length;
	return 0;
}

static int sink_descriptor_write(log_sink *self, const void *bytes, size_t length)
{
	int saved_errno = errno;
	size_t written = 0;
	int error = restore_descriptor(self);

	if (error == 0)
		error = descriptor_write_all(self->fd, self->fd_raises_sigpipe, bytes, length, &written);
	if (error != 0)
		cut_back(self, written);
	errno = saved_errno;
	return error;
}

static int sink_descriptor_close(log_sink *self)
{
	int saved_errno = errno;
	const int is_open = is_own_file(self, self->fd);
	int error = 0;

	if (self->fd_is_locked && is_open)
		log_file_unlock(self->fd);
	/* Linux closes the descriptor even if it returns EINTR. */
	if (self->fd_is_owned && is_open && close(self->fd) != 0 && errno != EINTR)
		error = errno;
	allocator_release(&self->allocator, self->path, self->path != NULL ? strlen(self->path) + 1 : 0);
	self->path = NULL;
	errno = saved_errno;
	return error;
}

static const sink_operations descriptor_operations = {sink_descriptor_write, NULL, NULL, NULL, sink_descriptor_close};

static int init_descriptor_sink(log_sink *self, const mprof_allocator *allocator, int fd, int fd_is_owned)
{
	struct stat status;
	off_t start;
	int appends = 0;
	int error;

	memset(self, 0, sizeof(*self));
	error = descriptor_look_at_mode(fd, &appends);
	if (error == 0)
		error = descriptor_make_binary(fd);
	if (error != 0)
		return error;
	if (fstat(fd, &status) != 0)
		return errno;
	self->operations = &descriptor_operations;
	self->allocator = *allocator;
	self->fd = fd;
	self->fd_is_owned = fd_is_owned;
	self->fd_device = (uint64_t)status.st_dev;
	self->fd_inode = (uint64_t)status.st_ino;
	/* Writing to a pipe or a socket may raise SIGPIPE. */
	self->fd_raises_sigpipe = !S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode) && !S_ISBLK(status.st_mode);
	start = S_ISREG(status.st_mode) && !appends ? lseek(fd, 0, SEEK_CUR) : -1;
	if (start >= 0) {
		self->fd_start = (uint64_t)start;
		self->fd_may_be_cut = start == status.st_size;
	}
	return 0;
}

int sink_descriptor_open(log_sink *self, const mprof_allocator *allocator, int fd)
{
	int saved_errno = errno;
	int error = init_descriptor_sink(self, allocator, fd, 0);

	errno = saved_errno;
	return error;
}

void sink_descriptor_abandon(log_sink *self)
{
	while (self->inner != NULL)
		self = self->inner;
	if (self->operations == &descriptor_operations && self->fd_is_owned && is_own_file(self, self->fd))
		close(self->fd);
	self->fd_is_owned = 0;
}

int sink_descriptor_adopt(log_sink *self, const mprof_allocator *allocator, int fd)
{
	int saved_errno = errno;
	int error = init_descriptor_sink(self, allocator, fd, 1);

	if (error != 0)
		close(fd);
	errno = saved_errno;
	return error;
}

/* Returns 0 or an errno value. A path that cannot be resolved is left out: the file cannot be opened again then. */
static int remember_path(log_sink *self, const char *path)
{
	char absolute[PATH_MAX];
	size_t size;

	if (!descriptor_resolve_path(path, absolute, sizeof(absolute)))
		return 0;
	size = strlen(absolute) + 1;
	self->path = allocator_allocate(&self->allocator, size);
	if (self->path == NULL)
		return ENOMEM;
	memcpy(self->path, absolute, size);
	return 0;
}

int sink_descriptor_open_path(log_sink *self, const mprof_allocator *allocator, const char *path, uint32_t mode)
{
	int saved_errno = errno;
	int is_locked;
	int fd;
	int error = log_file_open(path, mode, &fd, &is_locked);

	memset(self, 0, sizeof(*self));
	if (error == 0)
		error = sink_descriptor_adopt(self, allocator, fd);
	if (error == 0) {
		self->fd_is_locked = is_locked;
		error = remember_path(self, path);
		if (error != 0)
			(void)sink_close(self);
	}
	errno = saved_errno;
	return error;
}

/*
 * Compression of what is written to a sink with gzip.
 */

#ifdef MPROF_WITH_ZLIB

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
