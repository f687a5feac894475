/* SPDX-License-Identifier: MIT */
/**
 * \file import/job.h
 * \brief A conversion: the file that it reads, the log that it writes, and the messages about both.
 */
#ifndef IMPORT_JOB_H
#define IMPORT_JOB_H

#include "common/whole_file.h"
#include "import/source.h"
#include "shared/key_map.h"

#include <mprof/writer.h>

/** Records of one block. */
enum { IMPORT_MAX_RECORDS = 4096 };

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

#endif
