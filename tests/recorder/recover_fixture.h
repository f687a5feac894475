/* SPDX-License-Identifier: MIT */
/**
 * \file recover_fixture.h
 * \brief Programs that die while they record, the files that they leave, and what recovery may make of them.
 */
#ifndef RECORDER_RECOVER_FIXTURE_H
#define RECORDER_RECOVER_FIXTURE_H

#include <mprof.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EVENTS = 20000, MORE_EVENTS = 700, METHODS = 40, FORMS = 3 };

/* Bytes of a salvage file; a smaller one is not made. */
#define SALVAGE_BYTES ((rlim_t)32 << 20)

#define LOG "a.mprof"
#define SALVAGE "a.mprof.salvage"
#define METHOD_KEY(method) ((mprof_key)(method)*16 + 0x1000)

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

/* The content of a file, without the hole and the zeros at its end. */
typedef struct content {
	unsigned char *bytes;
	size_t length;
	off_t size;
} content;

typedef enum log_form { PLAIN, COMPRESSED, RING } log_form;

static inline content read_content(const char *path)
{
	content found = {NULL, 0, 0};
	struct stat status;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return found;
	CHECK(fstat(fd, &status) == 0);
	found.size = status.st_size;
	found.length = (size_t)lseek(fd, 0, SEEK_HOLE);
	found.bytes = malloc(found.length + 1);
	CHECK(found.bytes != NULL && lseek(fd, 0, SEEK_SET) == 0);
	CHECK(read(fd, found.bytes, found.length) == (ssize_t)found.length);
	close(fd);
	while (found.length > 0 && found.bytes[found.length - 1] == 0)
		found.length--;
	return found;
}

static inline void write_content(const char *path, const content *from)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	CHECK(fd >= 0);
	CHECK(write(fd, from->bytes, from->length) == (ssize_t)from->length);
	CHECK(ftruncate(fd, from->size) == 0);
	close(fd);
}

/* Whether a file still has this content; both may be missing. */
static inline int is_unchanged(const char *path, const content *before)
{
	content now = read_content(path);
	int is_same = now.size == before->size && now.length == before->length &&
		      (now.bytes == NULL) == (before->bytes == NULL) &&
		      (now.length == 0 || memcmp(now.bytes, before->bytes, now.length) == 0);

	free(now.bytes);
	return is_same;
}

static inline void record(mprof_recorder *recorder, mprof_thread *thread, unsigned events)
{
	for (unsigned i = 0; i < events; i++) {
		mprof_thread_enter_method(thread, METHOD_KEY(i % METHODS));
		mprof_thread_leave_method(thread, 0);
	}
	(void)recorder;
}

static inline void define_methods(mprof_recorder *recorder)
{
	for (unsigned i = 0; i < METHODS; i++) {
		mprof_description method;
		char name[32];

		mprof_description_init(&method, sizeof(method));
		method.name = name;
		method.name_length = (size_t)snprintf(name, sizeof(name), "method %u", i);
		CHECK(mprof_recorder_define_method(recorder, METHOD_KEY(i), &method) == MPROF_OK);
	}
}

/* A program that records, commits, records more, and dies. */
static inline void die_recording(log_form form)
{
	const struct rlimit limit = {SALVAGE_BYTES, SALVAGE_BYTES};
	mprof_recorder_options options;
	mprof_writer_options writer;
	mprof_recorder *recorder;
	mprof_thread *thread;
	mprof_status status;

	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	mprof_recorder_options_init(&options, sizeof(options));
	mprof_writer_options_init(&writer, sizeof(writer));
	options.writer = &writer;
	options.buffer_events = 256;
	options.max_buffers = 16;
	options.max_sample_bytes = 64 << 10;
	options.salvage_path = SALVAGE;
	options.salvage_log_path = LOG;
	writer.gzip_level = form == COMPRESSED;
	status = form == RING ? mprof_recorder_open_ring(1 << 20, &options, &recorder, NULL)
			      : mprof_recorder_open_path(LOG, &options, &recorder, NULL);
	CHECK(status == MPROF_OK && mprof_recorder_attach(recorder, 7, &thread) == MPROF_OK);
	define_methods(recorder);
	record(recorder, thread, EVENTS);
	CHECK(mprof_recorder_drain(recorder) == MPROF_OK);
	record(recorder, thread, MORE_EVENTS);
	raise(SIGKILL);
}

static inline void make_files(log_form form, content *log, content *salvage)
{
	pid_t child;
	int status;

	unlink(LOG);
	unlink(SALVAGE);
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		die_recording(form);
		_exit(1);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	*log = read_content(LOG);
	*salvage = read_content(SALVAGE);
	CHECK(salvage->length > 0);
}

static inline void release(content *log, content *salvage)
{
	free(log->bytes);
	free(salvage->bytes);
}

/* Reads a log to its end. Returns the number of its events, or -1 if it is damaged or has no end. */
static inline long events_of(const char *path)
{
	mprof_reader *reader = NULL;
	mprof_status status = mprof_reader_open_path(path, NULL, &reader);
	mprof_event events[256];
	mprof_block block;
	int has_end = 0;
	long sum = 0;
	size_t count;

	mprof_block_init(&block, sizeof(block));
	while (status == MPROF_OK && (status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		mprof_status listed = MPROF_END;

		has_end = block.kind == MPROF_BLOCK_END;
		if (block.kind == MPROF_BLOCK_EVENTS)
			while ((listed = mprof_reader_next_events(reader, events, 256, &count)) == MPROF_OK)
				sum += (long)count;
		if (listed != MPROF_END)
			status = listed;
	}
	mprof_reader_destroy(reader);
	return status == MPROF_END && has_end ? sum : -1;
}

/* Either nothing is changed, or there is a log that can be read, and no salvage file any more. */
static inline mprof_status recover_or_refuse(const content *log, const content *salvage)
{
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_status status = mprof_recorder_recover(SALVAGE, NULL, NULL, &error);

	if (status == MPROF_OK) {
		CHECK(events_of(LOG) >= 0);
		CHECK(access(SALVAGE, F_OK) != 0);
		return status;
	}
	CHECK(error.status == (uint32_t)status && error.what != NULL);
	if (!is_unchanged(LOG, log))
		fprintf(stderr, "changed although refused: %s, at %llu\n", error.what,
			(unsigned long long)error.offset);
	CHECK(is_unchanged(LOG, log));
	CHECK(is_unchanged(SALVAGE, salvage));
	return status;
}

#endif
