/* SPDX-License-Identifier: MIT */
/**
 * \file spans_file.h
 * \brief A buffer for a file, and the clock, for the tools that write their files themselves.
 */
#ifndef BENCH_PEERS_SPANS_FILE_H
#define BENCH_PEERS_SPANS_FILE_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define FILE_BUFFER ((size_t)1 << 20)

/** Room that an event may take. */
#define FILE_ROOM ((size_t)512)

static unsigned char file_buffer[FILE_BUFFER];
static size_t file_used;
static int file_descriptor;

static inline void file_flush(void)
{
	for (size_t done = 0; done < file_used;) {
		const ssize_t written = write(file_descriptor, file_buffer + done, file_used - done);

		if (written <= 0) {
			perror("spans");
			exit(1);
		}
		done += (size_t)written;
	}
	file_used = 0;
}

/** Memory for an event; file_used is then to be increased by its length. */
static inline unsigned char *file_reserve(void)
{
	if (FILE_BUFFER - file_used < FILE_ROOM)
		file_flush();
	return file_buffer + file_used;
}

static inline void file_open(const char *path)
{
	file_descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (file_descriptor < 0) {
		perror(path);
		exit(1);
	}
}

static inline void file_close(void)
{
	file_flush();
	close(file_descriptor);
}

static inline uint64_t file_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
