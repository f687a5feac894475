/* SPDX-License-Identifier: MIT */
/* Opens and verifies the log of a process that died, and the file that is written from its ring. */
#include "recorder/client/recovered_log.h"

#include "base/bytes.h"
#include "base/caller_structs.h"
#include "base/checksum.h"
#include "base/error.h"
#include "format/blocks/block_decode.h"
#include "io/source.h"
#include "io/system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the walk is at its end before the log is. */
static inline int log_walk_is_done(const log_walk *walk)
{
	return walk->is_first_only && walk->blocks > 0;
}

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
	walk->remaining = header.length;
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
	size_t part = walk->remaining;

	*status = MPROF_OK;
	if (walk->remaining > LOG_WALK_CHECKSUM) {
		part -= LOG_WALK_CHECKSUM;
		part = part < length ? part : length;
		walk->checksum = checksum_update(walk->checksum, bytes, part);
	} else {
		part = part < length ? part : length;
		memcpy(walk->stored + (LOG_WALK_CHECKSUM - walk->remaining), bytes, part);
	}
	walk->remaining -= (uint32_t)part;
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
		if (status == MPROF_OK && !is_in_header && walk->remaining == 0)
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
	uint64_t remaining = source->part->end - source->offset;
	ssize_t count;

	do
		count = pread(source->part->fd, bytes, length < remaining ? length : (size_t)remaining,
			      (off_t)source->offset);
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

/*
 * Walks a part of a file, which must be whole blocks. The file's offset does not change. Returns MPROF_OK, the status
 * of log_walk_feed(), MPROF_ERR_TRUNCATED if the last block is not whole, MPROF_ERR_IO with system_error,
 * MPROF_ERR_MEMORY, MPROF_ERR_INTERRUPTED if log_part::going stopped it, or MPROF_ERR_UNSUPPORTED if it is
 * compressed and the library was built without zlib.
 */
static mprof_status log_walk_part(log_walk *walk, const mprof_allocator *allocator, const log_part *part,
				  int *system_error)
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

static mprof_status fail(mprof_error *error, mprof_status status, int system_error, const char *what)
{
	error_set(error, status, MPROF_SEVERITY_FATAL, what);
	error->system_error = system_error;
	return status;
}

static mprof_status fail_walk(mprof_error *error, mprof_status status, int system_error, const log_walk *walk)
{
	switch (status) {
	case MPROF_ERR_NOT_MPROF:
		return fail(error, status, 0, "the file is not the log of a recorder");
	case MPROF_ERR_IO:
		return fail(error, status, system_error, "cannot read the log");
	case MPROF_ERR_MEMORY:
		return fail(error, status, 0, "out of memory for reading the log");
	case MPROF_ERR_INTERRUPTED:
		return error_set(error, status, MPROF_SEVERITY_NONE, "recovery was stopped, so nothing was changed");
	case MPROF_ERR_UNSUPPORTED:
		return fail(error, status, 0, "this build of the library cannot decompress the log");
	default:
		fail(error, MPROF_ERR_CHECKSUM, 0, "a block of the log is damaged");
		error->offset = walk->block_offset;
		error->block_offset = walk->block_offset;
		return MPROF_ERR_CHECKSUM;
	}
}

/* Walks from \p start to \p end, where a block must end. */
static mprof_status walk_log(log_walk *walk, const log_part *part, mprof_error *error)
{
	mprof_allocator allocator;
	mprof_status status;
	int system_error;

	(void)allocator_init(&allocator, NULL);
	status = log_walk_part(walk, &allocator, part, &system_error);
	return status == MPROF_OK ? status : fail_walk(error, status, system_error, walk);
}

/*
 * Whether this user may be led to a file by a salvage file: by his own or by the system's, or by that of the user whose
 * file it is.
 */
static int may_lead(const struct stat *salvage, const struct stat *file)
{
	return salvage->st_uid == geteuid() || salvage->st_uid == 0 ||
	       (file != NULL && salvage->st_uid == file->st_uid);
}

static mprof_status check_file(const recovered_log *log, const salvage_area *area, mprof_error *error)
{
	struct stat status;
	struct stat salvage;

	if (fstat(log->fd, &status) != 0 || fstat(area->fd, &salvage) != 0)
		return fail(error, MPROF_ERR_IO, errno, "cannot open the log");
	if (!may_lead(&salvage, &status))
		return fail(error, MPROF_ERR_IO, EPERM, "the salvage file belongs to another user than the log");
	if (!S_ISREG(status.st_mode))
		return fail(error, MPROF_ERR_NOT_MPROF, 0, "the log is not a regular file");
	if ((uint64_t)status.st_size < log->length)
		return fail(error, MPROF_ERR_TRUNCATED, 0, "the log is shorter than it was when the process died");
	return MPROF_OK;
}

/* Verifies that the log is that of the recording, and then all of it. */
static mprof_status check_blocks(const recovered_log *log, const salvage_header *header, mprof_error *error)
{
	log_part part = {log->fd, 0, log->length, log->is_compressed != 0, NULL};
	log_walk walk = {.is_first_only = 1};
	mprof_status status = walk_log(&walk, &part, error);

	if (status != MPROF_OK)
		return status;
	if (walk.blocks == 0 || walk.first_checksum != header->first_checksum)
		return fail(error, MPROF_ERR_NOT_MPROF, 0, "the log is that of another recording");
	memset(&walk, 0, sizeof(walk));
	part.going = log->going;
	return walk_log(&walk, &part, error);
}

mprof_status recovered_log_open(recovered_log *log, const salvage_area *area, const salvage_header *header,
				mprof_error *error)
{
	mprof_status status;
	int system_error = log_file_open_again(log->path, &log->fd);

	if (system_error == EBUSY)
		return fail(error, MPROF_ERR_IO, system_error, "another process is writing the log");
	if (system_error != 0)
		return fail(error, MPROF_ERR_IO, system_error, "cannot open the log");
	log->length = salvage_current_progress(header)->log_length;
	log->is_compressed = header->gzip_level != 0;
	status = check_file(log, area, error);
	if (status == MPROF_OK)
		status = check_blocks(log, header, error);
	if (status == MPROF_OK && lseek(log->fd, (off_t)log->length, SEEK_SET) < 0)
		status = fail(error, MPROF_ERR_IO, errno, "cannot continue the log");
	return status;
}

mprof_status recovered_log_cut(const recovered_log *log, mprof_error *error)
{
	while (ftruncate(log->fd, (off_t)log->length) != 0) {
		if (errno != EINTR)
			return fail(error, MPROF_ERR_IO, errno, "cannot continue the log");
	}
	return MPROF_OK;
}

static mprof_status verify_end(int fd, uint64_t start, uint32_t is_compressed, mprof_error *error)
{
	log_walk walk;
	log_part part = {fd, start, 0, is_compressed != 0, NULL};
	struct stat status;
	mprof_status walked;

	if (fstat(fd, &status) != 0)
		return fail(error, MPROF_ERR_IO, errno, "cannot read the log");
	part.end = (uint64_t)status.st_size;
	memset(&walk, 0, sizeof(walk));
	walk.is_continued = start > 0;
	walked = walk_log(&walk, &part, error);
	if (walked == MPROF_OK && !walk.has_end)
		return fail(error, MPROF_ERR_TRUNCATED, 0, "the log that was written has no end");
	return walked;
}

mprof_status recovered_log_verify(const recovered_log *log, mprof_error *error)
{
	return verify_end(log->fd, log->length, log->is_compressed, error);
}

void recovered_log_close(recovered_log *log)
{
	if (log->fd < 0)
		return;
	log_file_unlock(log->fd);
	close(log->fd);
	log->fd = -1;
}

/* Whether a file begins as a log does, compressed or not. Only the first block is read. */
static int begins_as_log(int fd, uint64_t length)
{
	unsigned char magic[SOURCE_GZIP_MAGIC_LENGTH];
	mprof_allocator allocator;
	log_walk walk;
	log_part part = {fd, 0, length, 0, NULL};
	int system_error;
	mprof_status status;

	(void)allocator_init(&allocator, NULL);
	memset(&walk, 0, sizeof(walk));
	if (pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic))
		part.is_compressed = memcmp(magic, SOURCE_GZIP_MAGIC, sizeof(magic)) == 0;
	walk.is_first_only = 1;
	status = log_walk_part(&walk, &allocator, &part, &system_error);
	return status == MPROF_OK && walk.blocks > 0;
}

/* Whether the log of a ring may take the place of a file. A symbolic link is replaced, not followed. */
static int is_replaceable(const char *path, const struct stat *found)
{
	struct stat status;
	int is_log = 0;
	int fd;

	if (S_ISLNK(found->st_mode))
		return 1;
	if (!S_ISREG(found->st_mode))
		return 0;
	do
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
	while (fd < 0 && errno == EINTR);
	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		is_log = status.st_size == 0 || begins_as_log(fd, (uint64_t)status.st_size);
	if (fd >= 0)
		close(fd);
	return is_log;
}

mprof_status recovered_log_check_place(const char *path, int is_named, const salvage_area *area, mprof_error *error)
{
	struct stat found;
	struct stat salvage;
	const int exists = lstat(path, &found) == 0;

	if (!exists && errno != ENOENT)
		return fail(error, MPROF_ERR_IO, errno, "cannot open the file that the log is to be written to");
	if (fstat(area->fd, &salvage) != 0)
		return fail(error, MPROF_ERR_IO, errno, "cannot read the salvage file");
	if (!is_named && !may_lead(&salvage, exists ? &found : NULL))
		return fail(error, MPROF_ERR_IO, EPERM, "the salvage file belongs to another user: specify the log");
	if (exists && !is_replaceable(path, &found))
		return fail(error, MPROF_ERR_NOT_MPROF, 0,
			    "the file that the log is to be written to exists, and is not the log of a recorder");
	return MPROF_OK;
}

mprof_status recovered_log_verify_ring(const char *path, uint32_t is_compressed, mprof_error *error)
{
	mprof_status status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);

	if (fd < 0)
		return fail(error, MPROF_ERR_IO, errno, "cannot read the log");
	status = verify_end(fd, 0, is_compressed, error);
	close(fd);
	return status;
}
