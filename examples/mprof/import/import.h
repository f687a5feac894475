/* SPDX-License-Identifier: MIT */
/**
 * \file import/import.h
 * \brief The formats of other programs that 'mprof import' reads, and a conversion: the file that it reads, the log
 * that it writes, and the messages about both.
 */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include "common/whole_file.h"
#include "shared/key_map.h"

#include <mprof/writer.h>

#include <stddef.h>
#include <stdint.h>

/** Bytes that are looked at to find out what a file is. */
#define IMPORT_SOURCE_PEEK 65536

typedef struct import_source {
	int fd; /**< -1 if it is not open. */
	void *compressed;
	uint8_t *buffer;
	size_t length, position; /**< Bytes in the buffer, and those of them that were taken. */
	uint64_t offset;         /**< Bytes before the buffer, not compressed. */
	uint64_t file_time;      /**< When the file was changed last, microseconds since 1970; now if it is a pipe. */
	const char *problem;     /**< Why there are no more bytes, if this is not the end of the file; else NULL. */
} import_source;

/** Opens a file, "-" for standard input. Returns NULL, or a message; call import_source_close() in both cases. */
const char *import_source_open(import_source *source, const char *path);

/** The first bytes, up to #IMPORT_SOURCE_PEEK. Call it before anything was taken. Returns their number. */
size_t import_source_peek(import_source *source, const uint8_t **bytes);

/** Reads more into the empty buffer. Returns whether there is any. */
int import_source_fill(import_source *source);

/** Takes up to \p size bytes. Returns their number, which is less only at the end. */
size_t import_source_take(import_source *source, void *bytes, size_t size);

/** Skips up to \p size bytes. Returns their number, which is less only at the end. */
uint64_t import_source_skip(import_source *source, uint64_t size);
void import_source_close(import_source *source);

/** Takes a byte; -1 at the end. */
static inline int import_source_byte(import_source *source)
{
	if (source->position == source->length && !import_source_fill(source))
		return -1;
	return source->buffer[source->position++];
}

/** The offset of the next byte. */
static inline uint64_t import_source_offset(const import_source *source)
{
	return source->offset + source->position;
}

typedef struct import_job {
	const char *path, *log_path; /**< What is read, and what is written. */
	const char *event;           /**< perf-script: the only event whose samples are converted; NULL for all. */
	import_source source;
	whole_file file;
	mprof_writer *writer; /**< NULL until import_job_begin_log(). */
	int status;           /**< The exit status so far. */
} import_job;

/** Prints why there is no log, discards it, and ends the program. */
__attribute__((noreturn)) void import_job_fail(import_job *job, const char *why);

/** Ends the program, after a message, if a call of the writer has failed. */
void import_job_expect(import_job *job, mprof_status status);

/** Starts the log. */
void import_job_begin_log(import_job *job, const mprof_writer_options *options);

/** Ends the log, and gives the file its name. */
void import_job_end_log(import_job *job);

/** Writes records in blocks of at most #IMPORT_MAX_RECORDS. \p number: as for mprof_writer_write_records(). */
void import_job_write_records(import_job *job, uint32_t block, uint32_t number, const mprof_record *records,
			      size_t count);

/** Makes room for one more element in an array. Returns the array. */
void *import_job_grow(import_job *job, void *array, size_t count, size_t *capacity, size_t size);

/** The entry of a key, which key_map_put() makes if there is none. */
void *import_job_put(import_job *job, key_map *map, uint64_t key);

/** Prints how much of something the log cannot represent; nothing if \p count is 0. */
void import_job_report_left_out(import_job *job, uint64_t count, const char *what);

/** Prints that a part of the file is damaged or missing from an offset on. The exit status is then 1. */
void import_job_report_damage(import_job *job, uint64_t offset, const char *what);

typedef struct import_format {
	const char *name;        /**< As in --from. */
	const char *description; /**< For the list of formats. */
	const char *lacks;       /**< What a log cannot represent, as a sentence fragment. */
	const char *next;        /**< The command that shows the log. */
	int has_event;           /**< It has the option --event. */

	/** Whether a file that begins with these bytes is in the format. */
	int (*recognizes)(const uint8_t *start, size_t length);

	/** Reads the file and writes the log, or ends the program with a message. */
	void (*convert)(import_job *job);
} import_format;

extern const import_format import_mlpd;
extern const import_format import_perf_script;
extern const import_format import_cpuprofile;
extern const import_format import_heapsnapshot;
extern const import_format import_hprof;

#endif
