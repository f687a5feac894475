/* SPDX-License-Identifier: MIT */
/* What all conversions have in common: the log, and messages. */
#include "import/job.h"

#include "common/arguments.h"
#include "shared/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
