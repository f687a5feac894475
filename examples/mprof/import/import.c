/* SPDX-License-Identifier: MIT */
/* What the conversions from all formats have in common: reading the file, writing the log, and messages. */
#include "import/import.h"

#include "common/arguments.h"
#include "shared/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#ifdef WITH_ZLIB
#include <zlib.h>
#endif

/*
 * The bytes of the file.
 */

enum { BUFFER_SIZE = IMPORT_SOURCE_PEEK };

#ifdef WITH_ZLIB

/* zlib passes on what is not compressed. */
static const char *open_compressed(import_source *source)
{
	const int copy = dup(source->fd);

	source->compressed = copy >= 0 ? gzdopen(copy, "rb") : NULL;
	if (source->compressed != NULL)
		return NULL;
	if (copy >= 0)
		close(copy);
	return strerror(copy < 0 ? errno : ENOMEM);
}

static ssize_t read_some(import_source *source, uint8_t *bytes, size_t size)
{
	int number = Z_OK;
	int count = gzread(source->compressed, bytes, (unsigned int)size);

	if (count == 0 && !gzdirect(source->compressed))
		gzerror(source->compressed, &number);
	if (count > 0 || (count == 0 && number == Z_OK))
		return count;
	gzerror(source->compressed, &number);
	source->problem = number == Z_ERRNO ? strerror(errno) : "the compressed data is damaged or truncated";
	return -1;
}

static void close_compressed(import_source *source)
{
	if (source->compressed != NULL)
		gzclose(source->compressed);
}

#else

static const char *open_compressed(import_source *source)
{
	(void)source;
	return NULL;
}

static ssize_t read_some(import_source *source, uint8_t *bytes, size_t size)
{
	ssize_t count;

	do
		count = read(source->fd, bytes, size);
	while (count < 0 && errno == EINTR);
	if (count < 0)
		source->problem = strerror(errno);
	return count;
}

static void close_compressed(import_source *source)
{
	(void)source;
}

#endif

static int open_file(const char *path)
{
	int fd;

	do
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	while (fd < 0 && errno == EINTR);
	return fd;
}

const char *import_source_open(import_source *source, const char *path)
{
	struct stat status;
	const int is_stdin = strcmp(path, "-") == 0;

	memset(source, 0, sizeof(*source));
	source->fd = is_stdin ? dup(STDIN_FILENO) : open_file(path);
	if (source->fd < 0 || fstat(source->fd, &status) != 0)
		return strerror(errno);
	if (S_ISDIR(status.st_mode))
		return strerror(EISDIR);
	source->file_time = (uint64_t)(S_ISREG(status.st_mode) ? status.st_mtime : time(NULL)) * 1000000;
	source->buffer = malloc(BUFFER_SIZE);
	return source->buffer != NULL ? open_compressed(source) : strerror(ENOMEM);
}

/* Adds bytes after those of the buffer. */
static int read_more(import_source *source)
{
	ssize_t count;

	if (source->problem != NULL || source->length == BUFFER_SIZE)
		return 0;
	count = read_some(source, source->buffer + source->length, BUFFER_SIZE - source->length);
	source->length += count > 0 ? (size_t)count : 0;
	return count > 0;
}

size_t import_source_peek(import_source *source, const uint8_t **bytes)
{
	while (read_more(source))
		;
	*bytes = source->buffer;
	return source->length;
}

int import_source_fill(import_source *source)
{
	source->offset += source->length;
	source->length = source->position = 0;
	return read_more(source);
}

size_t import_source_take(import_source *source, void *bytes, size_t size)
{
	size_t taken = 0;

	while (taken < size) {
		size_t count = source->length - source->position;

		if (count == 0 && !import_source_fill(source))
			break;
		count = source->length - source->position;
		count = count < size - taken ? count : size - taken;
		memcpy((uint8_t *)bytes + taken, source->buffer + source->position, count);
		source->position += count;
		taken += count;
	}
	return taken;
}

uint64_t import_source_skip(import_source *source, uint64_t size)
{
	uint64_t skipped = 0;

	while (skipped < size) {
		size_t count = source->length - source->position;

		if (count == 0 && !import_source_fill(source))
			break;
		count = source->length - source->position;
		count = count < size - skipped ? count : (size_t)(size - skipped);
		source->position += count;
		skipped += count;
	}
	return skipped;
}

void import_source_close(import_source *source)
{
	close_compressed(source);
	free(source->buffer);
	if (source->fd >= 0)
		close(source->fd);
	memset(source, 0, sizeof(*source));
	source->fd = -1;
}

/*
 * The log, and messages.
 */

/* Records of one block. */
enum { IMPORT_MAX_RECORDS = 4096 };

__attribute__((noreturn)) static void fail_about(import_job *job, const char *path, const char *why)
{
	text_begin_message(path);
	fprintf(stderr, "%s\n", why);
	whole_file_close(&job->file, 0);
	exit(STATUS_NOTHING);
}

void import_job_fail(import_job *job, const char *why)
{
	fail_about(job, job->path, why);
}

void import_job_expect(import_job *job, mprof_status status)
{
	mprof_error error = {.struct_size = sizeof(error), .what = mprof_status_get_text(status)};

	if (status == MPROF_OK)
		return;
	if (job->writer != NULL)
		mprof_writer_get_error(job->writer, &error);
	fail_about(job, job->log_path, error.system_error != 0 ? strerror(error.system_error) : error.what);
}

void import_job_begin_log(import_job *job, const mprof_writer_options *options)
{
	const char *problem = whole_file_open(&job->file, job->log_path, whole_file_mode(&job->path, 1));

	if (problem != NULL)
		fail_about(job, job->log_path, problem);
	if (whole_file_is(&job->file, job->source.fd))
		fail_about(job, job->log_path, "output and input are the same file; choose another name with -o");
	import_job_expect(job, mprof_writer_open_fd(job->file.fd, options, &job->writer));
}

void import_job_end_log(import_job *job)
{
	const char *problem;

	import_job_expect(job, mprof_writer_close(job->writer));
	if (mprof_writer_destroy(job->writer) != MPROF_OK)
		fail_about(job, job->log_path, strerror(EIO));
	job->writer = NULL;
	problem = whole_file_close(&job->file, 1);
	if (problem != NULL)
		fail_about(job, job->log_path, problem);
}

void import_job_write_records(import_job *job, uint32_t block, uint32_t number, const mprof_record *records,
			      size_t count)
{
	for (size_t i = 0; i < count; i += IMPORT_MAX_RECORDS) {
		const size_t part = count - i < IMPORT_MAX_RECORDS ? count - i : IMPORT_MAX_RECORDS;

		import_job_expect(job, mprof_writer_write_records(job->writer, block, number, records + i,
								  sizeof(*records), part));
	}
}

void *import_job_grow(import_job *job, void *array, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return array;
	/* IDs have 32 bits. */
	if (count > UINT32_MAX / 4)
		import_job_fail(job, "too large: more than a billion items of a kind");
	*capacity = 2 * count + 256;
	array = reallocarray(array, *capacity, size);
	if (array == NULL)
		import_job_fail(job, "out of memory");
	return array;
}

void *import_job_put(import_job *job, key_map *map, uint64_t key)
{
	void *entry = key_map_put(map, key);

	if (entry == NULL)
		import_job_fail(job, "out of memory");
	return entry;
}

void import_job_report_left_out(import_job *job, uint64_t count, const char *what)
{
	char number[TEXT_NUMBER_SIZE];

	if (count == 0)
		return;
	text_begin_message(job->path);
	fprintf(stderr, "not converted: %s %s\n", text_count(number, count), what);
}

void import_job_report_damage(import_job *job, uint64_t offset, const char *what)
{
	text_begin_message(job->path);
	fprintf(stderr, "offset %" PRIu64 ": %s\n", offset, what);
	job->status = STATUS_DAMAGED;
}
