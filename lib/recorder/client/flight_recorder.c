/* SPDX-License-Identifier: MIT */
/* Opens recorders that keep the log in a ring buffer, and writes the ring buffer to files. Threads of the client. */
#include "recorder/client/recorder_internal.h"

#include "base/caller_structs.h"
#include "base/cancellation.h"
#include "base/error.h"
#include "io/sink.h"
#include "io/system.h"
#include "recorder/client/lifecycle.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Smaller ring buffers would contain little more than one buffer of events. */
#define MIN_RING ((uint64_t)1 << 20)

static int ring_sink_write(void *user, const void *bytes, size_t length)
{
	return block_ring_add(user, bytes, length);
}

static block_ring *create_ring(const mprof_recorder_options *options, uint64_t bytes)
{
	const dialect_rules *rules;
	mprof_allocator allocator;
	uint32_t dialect = MPROF_DIALECT_DEFAULT;

	if (!allocator_init(&allocator, options != NULL ? options->allocator : NULL))
		return NULL;
	if (options != NULL && options->writer != NULL)
		dialect = options->writer->dialect;
	rules = dialect_get((mprof_dialect)dialect);
	return rules != NULL ? block_ring_create(&allocator, rules, bytes) : NULL;
}

mprof_status mprof_recorder_open_ring(uint64_t bytes, const mprof_recorder_options *options, mprof_recorder **recorder,
				      mprof_error *error)
{
	mprof_sink sink = {sizeof(mprof_sink), ring_sink_write, NULL, NULL, NULL};
	recorder_destination where = {.fd = -1, .sink = &sink};
	block_ring *ring;
	mprof_status status;

	if (recorder != NULL)
		*recorder = NULL;
	if (recorder == NULL || bytes < MIN_RING) {
		if (error != NULL)
			error_set(error, MPROF_ERR_ARGUMENT, MPROF_SEVERITY_FATAL,
				  "the ring buffer is smaller than 1 MiB");
		return MPROF_ERR_ARGUMENT;
	}
	ring = create_ring(options, bytes);
	if (ring == NULL) {
		if (error != NULL)
			error_set(error, MPROF_ERR_MEMORY, MPROF_SEVERITY_FATAL, "out of memory for the ring buffer");
		return MPROF_ERR_MEMORY;
	}
	sink.user = ring;
	where.ring = ring;
	status = lifecycle_open(&where, options, recorder, error);
	if (status == MPROF_OK)
		(*recorder)->control.ring = ring;
	else
		block_ring_destroy(ring);
	return status;
}

static mprof_status fail_dump(mprof_error *error, mprof_status status, int system_error, const char *what)
{
	if (error != NULL) {
		error_set(error, status, MPROF_SEVERITY_FATAL, what);
		error->system_error = system_error;
	}
	return status;
}

/* Writes the log to a new file, which no other program opens yet, and closes it. Returns 0 or an errno value. */
static int write_file(mprof_recorder *recorder, int fd, uint32_t gzip_level)
{
	log_sink sink;
	mprof_clock now;
	int closed;
	int error = sink_descriptor_adopt(&sink, &recorder->control.ring->allocator, fd);

	if (error != 0)
		return error;
	if (gzip_level > 0)
		error = sink_gzip_add(&sink, gzip_level);
	recorder_read_clock(&recorder->shared, &now);
	if (error == 0)
		error = block_ring_write(recorder->control.ring, &sink, &now);
	if (error == 0)
		error = sink_finish(&sink);
	closed = sink_close(&sink);
	return error != 0 ? error : closed;
}

static mprof_status dump_ring(mprof_recorder *recorder, const char *path, uint32_t gzip_level, mprof_error *error)
{
	size_t size = strlen(path) + LOG_FILE_SUFFIX_SIZE;
	char *unfinished = allocator_allocate(&recorder->shared.allocator, size);
	int fd;
	int failure;

	if (unfinished == NULL)
		return fail_dump(error, MPROF_ERR_MEMORY, 0, "out of memory for the name of the file");
	failure = log_file_create_beside(path, recorder->control.file_mode, unfinished, size, &fd);
	if (failure == 0) {
		failure = write_file(recorder, fd, gzip_level);
		if (failure == 0 && rename(unfinished, path) != 0)
			failure = errno;
		if (failure != 0)
			unlink(unfinished);
	}
	allocator_release(&recorder->shared.allocator, unfinished, size);
	if (failure == ENOMEM)
		return fail_dump(error, MPROF_ERR_MEMORY, 0, "out of memory for writing the ring buffer");
	return failure == 0 ? MPROF_OK
			    : fail_dump(error, MPROF_ERR_IO, failure, "cannot write the ring buffer to the file");
}

mprof_status mprof_recorder_dump_path(mprof_recorder *recorder, const char *path, uint32_t gzip_level,
				      mprof_error *error)
{
	WITHOUT_CANCELLATION;
	int saved_errno = errno;
	mprof_status status;

	if (recorder == NULL || path == NULL || gzip_level > 9)
		return fail_dump(error, MPROF_ERR_ARGUMENT, 0, "the path is NULL, or gzip_level is above 9");
	if (recorder_in_child(&recorder->shared) || recorder->control.ring == NULL)
		return fail_dump(error, MPROF_ERR_STATE, 0,
				 "the recorder has no ring buffer: open it with mprof_recorder_open_ring()");
	if (recorder_on_own_thread(&recorder->shared))
		return fail_dump(error, MPROF_ERR_STATE, 0,
				 "mprof_recorder_dump_path() called on a thread of the recorder");
	if (gzip_level > 0 && !sink_gzip_is_available())
		return fail_dump(error, MPROF_ERR_UNSUPPORTED, 0, "this build of the library cannot compress");
	/* A closed recorder has drained everything; one that has failed keeps what it has. */
	(void)mprof_recorder_drain(recorder);
	pthread_mutex_lock(&recorder->control.dump_lock);
	status = dump_ring(recorder, path, gzip_level, error);
	pthread_mutex_unlock(&recorder->control.dump_lock);
	if (status == MPROF_OK && atomic_load_explicit(&recorder->shared.closing, memory_order_relaxed))
		salvage_finish(&recorder->shared.salvage);
	errno = saved_errno;
	return status;
}
