/* SPDX-License-Identifier: MIT */
/* Checks the lengths and checksums of blocks, in memory and in files. */
#include "recorder/log_walk.h"

#include "base/bytes.h"
#include "base/checksum.h"
#include "format/block_decode.h"
#include "io/source_gzip.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* How much is read at a time, in bytes. */
#define READ_BYTES 16384

static int is_of_kind(uint32_t code, mprof_block_kind kind)
{
	return dialect_block_kind(dialect_get(MPROF_DIALECT_DEFAULT), code) == kind;
}

/* The first byte after the first header: the version as a varint. */
static unsigned char version_byte(void)
{
	return (unsigned char)(VARINT_LAST_BIT | dialect_get(MPROF_DIALECT_DEFAULT)->version);
}

static mprof_status begin_block(log_walk *walk)
{
	block_header header;

	block_header_decode(walk->header, &header);
	if (walk->blocks == 0 && !walk->is_continued && !is_of_kind(header.code, MPROF_BLOCK_INTRO))
		return MPROF_ERR_NOT_MPROF;
	if (header.length < LOG_WALK_CHECKSUM)
		return MPROF_ERR_MALFORMED;
	walk->left = header.length;
	walk->checksum = checksum_update(0, walk->header, LOG_WALK_HEADER);
	return MPROF_OK;
}

static mprof_status end_block(log_walk *walk)
{
	block_header header;

	if (bytes_load_32(walk->stored) != walk->checksum)
		return MPROF_ERR_CHECKSUM;
	block_header_decode(walk->header, &header);
	if (walk->blocks++ == 0)
		walk->first_checksum = walk->checksum;
	walk->has_end = is_of_kind(header.code, MPROF_BLOCK_END);
	walk->header_length = 0;
	walk->block_offset = walk->offset;
	return MPROF_OK;
}

/* Takes bytes of the header. Returns their number. */
static size_t take_header(log_walk *walk, const unsigned char *bytes, size_t length, mprof_status *status)
{
	size_t part = LOG_WALK_HEADER - walk->header_length;

	part = part < length ? part : length;
	memcpy(walk->header + walk->header_length, bytes, part);
	walk->header_length += (uint32_t)part;
	*status = walk->header_length == LOG_WALK_HEADER ? begin_block(walk) : MPROF_OK;
	return part;
}

/* Takes bytes after the header. Returns their number. */
static size_t take_content(log_walk *walk, const unsigned char *bytes, size_t length, mprof_status *status)
{
	size_t part = walk->left;

	*status = MPROF_OK;
	if (walk->left > LOG_WALK_CHECKSUM) {
		part -= LOG_WALK_CHECKSUM;
		part = part < length ? part : length;
		walk->checksum = checksum_update(walk->checksum, bytes, part);
	} else {
		part = part < length ? part : length;
		memcpy(walk->stored + (LOG_WALK_CHECKSUM - walk->left), bytes, part);
	}
	walk->left -= (uint32_t)part;
	return part;
}

mprof_status log_walk_feed(log_walk *walk, const void *bytes, size_t length)
{
	const unsigned char *from = bytes;
	mprof_status status = MPROF_OK;

	while (status == MPROF_OK && length > 0 && !log_walk_is_done(walk)) {
		const int is_in_header = walk->header_length < LOG_WALK_HEADER;
		/* The version distinguishes the first block from that of another dialect, which has no checksum. */
		const int is_version = walk->blocks == 0 && !walk->is_continued && walk->offset == LOG_WALK_HEADER;
		size_t part;

		if (is_version && *from != version_byte())
			return MPROF_ERR_NOT_MPROF;
		part = is_in_header ? take_header(walk, from, length, &status)
				    : take_content(walk, from, length, &status);
		from += part;
		length -= part;
		walk->offset += part;
		if (status == MPROF_OK && !is_in_header && walk->left == 0)
			status = end_block(walk);
	}
	return status;
}

/* A source of a part of a file. */
typedef struct part_source {
	const log_part *part;
	uint64_t offset;
} part_source;

static int read_part(void *user, void *bytes, size_t length, size_t *got)
{
	part_source *source = user;
	uint64_t left = source->part->end - source->offset;
	ssize_t count;

	do
		count = pread(source->part->fd, bytes, length < left ? length : (size_t)left, (off_t)source->offset);
	while (count < 0 && errno == EINTR);
	if (count < 0)
		return errno;
	for (ssize_t counted = 0; counted < count && source->part->going != NULL; counted += PROGRESS_SPAN) {
		if (!progress_report(source->part->going))
			return ECANCELED;
	}
	source->offset += (uint64_t)count;
	*got = (size_t)count;
	return 0;
}

/* Decompresses what is read from \p source. */
static mprof_status add_gzip(mprof_source *source, const mprof_allocator *allocator, int *system_error)
{
	unsigned char magic[SOURCE_GZIP_MAGIC_LENGTH];
	size_t have = 0;

	while (have < sizeof(magic)) {
		size_t got = 0;

		*system_error = source->read(source->user, magic + have, sizeof(magic) - have, &got);
		if (*system_error != 0)
			return MPROF_ERR_IO;
		if (got == 0)
			return MPROF_ERR_NOT_MPROF;
		have += got;
	}
	if (memcmp(magic, SOURCE_GZIP_MAGIC, sizeof(magic)) != 0)
		return MPROF_ERR_NOT_MPROF;
	switch (source_gzip_add(source, allocator, NULL)) {
	case 0:
		return MPROF_OK;
	case ENOTSUP:
		return MPROF_ERR_UNSUPPORTED;
	default:
		return MPROF_ERR_MEMORY;
	}
}

static mprof_status walk_source(log_walk *walk, const mprof_source *source, int *system_error)
{
	unsigned char bytes[READ_BYTES];

	for (;;) {
		size_t got = 0;
		int error = source->read(source->user, bytes, sizeof(bytes), &got);
		mprof_status status = log_walk_feed(walk, bytes, got);

		if (status != MPROF_OK)
			return status;
		if (error == SOURCE_GZIP_DAMAGED)
			return MPROF_ERR_CHECKSUM;
		if (error != 0) {
			*system_error = error;
			return error == ENOMEM ? MPROF_ERR_MEMORY : MPROF_ERR_IO;
		}
		if (log_walk_is_done(walk))
			return MPROF_OK;
		if (got == 0)
			return log_walk_is_whole(walk) ? MPROF_OK : MPROF_ERR_TRUNCATED;
	}
}

mprof_status log_walk_part(log_walk *walk, const mprof_allocator *allocator, const log_part *part, int *system_error)
{
	part_source user = {part, part->start};
	mprof_source source = {.struct_size = sizeof(source), .read = read_part, .user = &user};
	mprof_status status = MPROF_OK;

	*system_error = 0;
	/* What is empty has no magic. */
	if (part->is_compressed && part->end > part->start)
		status = add_gzip(&source, allocator, system_error);
	if (status == MPROF_OK)
		status = walk_source(walk, &source, system_error);
	if (source.close != NULL)
		source.close(source.user);
	if (status == MPROF_ERR_IO && part->going != NULL)
		return progress_status(part->going, status);
	return status;
}
