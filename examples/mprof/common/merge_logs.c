/* SPDX-License-Identifier: MIT */
/* Merges the logs of several processes into one file. */
#include "common/merge_logs.h"

#include "common/arguments.h"
#include "common/input.h"
#include "common/whole_file.h"
#include "shared/losses.h"
#include "shared/text.h"

#include <mprof/convert.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct merging {
	const char *const *paths;
	log_input **inputs; /* Those that are open, by number of the log; NULL for the others. */
	const char *out;
	int status;      /* The worst of the logs so far. */
	int cannot_read; /* A log has more that this machine could not read. */
	mprof_merger *merger;
	mprof_writer *writer;
	whole_file file;
} merging;

static void complain(const char *name, const char *what)
{
	text_begin_message(name);
	fprintf(stderr, "%s\n", what);
}

static mprof_status open_log(void *user, size_t number, mprof_reader **reader)
{
	merging *job = user;
	log_input *input = calloc(1, sizeof(*input));

	if (input == NULL)
		return MPROF_ERR_MEMORY;
	if (input_open_again(input, job->paths[number], 0) != STATUS_OK) {
		input_close(input);
		free(input);
		return MPROF_ERR_IO;
	}
	job->inputs[number] = input;
	*reader = input->reader;
	return MPROF_OK;
}

static void close_log(void *user, size_t number, mprof_reader *reader)
{
	merging *job = user;
	log_input *input = job->inputs[number];

	(void)reader;
	progress_hide(&input->progress);
	if (input->status > job->status)
		job->status = input->status;
	job->cannot_read |= input_failure(input) != MPROF_OK;
	input_close(input);
	free(input);
	job->inputs[number] = NULL;
}

static void report_damage(void *user, size_t number, const mprof_error *error)
{
	merging *job = user;

	input_damage(job->inputs[number], error);
}

/* Prints why merging cannot begin. */
static int report_error(const merging *job, const char *name)
{
	mprof_error error = {.struct_size = sizeof(error)};

	mprof_merger_get_error(job->merger, &error);
	complain(name, error.what);
	return STATUS_NOTHING;
}

static int add_log(merging *job, const char *path)
{
	log_input input;
	int status = input_open(&input, path, 0);

	if (status == STATUS_OK && mprof_merger_add(job->merger, input.reader) != MPROF_OK) {
		progress_hide(&input.progress);
		status = report_error(job, path);
	}
	input_close(&input);
	return status;
}

static int report_write_error(const merging *job)
{
	mprof_error error = {.struct_size = sizeof(error)};

	if (job->writer != NULL)
		mprof_writer_get_error(job->writer, &error);
	text_begin_message(job->out);
	if (error.status == MPROF_OK)
		fprintf(stderr, "the logs could not be merged: out of memory, or a log cannot be read any more\n");
	else
		fprintf(stderr, "offset %" PRIu64 ": %s%s%s\n", error.offset, error.what,
			error.system_error != 0 ? ": " : "",
			error.system_error != 0 ? strerror(error.system_error) : "");
	return STATUS_DAMAGED;
}

/* Writes the merged log to the open file. */
static int write_log(merging *job, merged_logs *result)
{
	mprof_writer_options options = {.struct_size = sizeof(options)};
	mprof_status status = mprof_merger_get_writer_options(job->merger, &options);
	int is_written;

	if (status != MPROF_OK)
		return report_error(job, job->out);
	status = mprof_writer_open_fd(job->file.fd, &options, &job->writer);
	if (status != MPROF_OK)
		return report_write_error(job);
	status = mprof_merger_run(job->merger, job->writer);
	is_written = !mprof_merger_has_failed(job->merger);
	result->stats.struct_size = sizeof(result->stats);
	mprof_writer_get_stats(job->writer, &result->stats);
	return is_written ? STATUS_OK : report_write_error(job);
}

/* Merges the logs that were added. */
static int merge_into_file(merging *job, size_t count, merged_logs *result)
{
	const char *problem = whole_file_open(&job->file, job->out, whole_file_mode(job->paths, count));
	int status = STATUS_DAMAGED;
	int is_written;

	if (problem == NULL)
		status = write_log(job, result);
	if (job->writer != NULL && mprof_writer_destroy(job->writer) != MPROF_OK && status == STATUS_OK)
		status = report_write_error(job);
	job->writer = NULL;
	/* What damage the readers report at the end counts, too. */
	mprof_merger_destroy(job->merger);
	job->merger = NULL;
	if (status == STATUS_OK && job->cannot_read)
		status = STATUS_DAMAGED;
	is_written = problem == NULL && status == STATUS_OK;
	if (problem == NULL)
		problem = whole_file_close(&job->file, is_written);
	else
		whole_file_close(&job->file, 0);
	if (problem != NULL) {
		complain(job->out, problem);
		return STATUS_DAMAGED;
	}
	if (!is_written)
		return status;
	result->is_written = 1;
	losses_print(&result->stats, job->out, MPROF_DIALECT_MPROF2);
	result->is_whole = result->stats.left_out == 0 && job->status == STATUS_OK;
	return job->status;
}

int merge_logs(const char *const *paths, size_t count, const char *out, uint32_t codec, uint32_t level,
	       merged_logs *result)
{
	merging job = {.paths = paths, .out = out, .inputs = calloc(count, sizeof(*job.inputs))};
	mprof_writer_options writer;
	mprof_merger_options options;
	int status = STATUS_OK;

	memset(result, 0, sizeof(*result));
	mprof_writer_options_init(&writer, sizeof(writer));
	writer.dialect = MPROF_DIALECT_MPROF2;
	writer.lossy = 1;
	writer.has_columns = 1;
	writer.has_index = 1;
	writer.codec = codec;
	writer.codec_level = level;
	mprof_merger_options_init(&options, sizeof(options));
	options.writer = &writer;
	options.open = open_log;
	options.close = close_log;
	options.damage = report_damage;
	options.user = &job;
	if (job.inputs == NULL || mprof_merger_create(&options, &job.merger) != MPROF_OK) {
		complain(out, mprof_status_get_text(MPROF_ERR_MEMORY));
		status = STATUS_NOTHING;
	}
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = add_log(&job, paths[i]);
	if (status == STATUS_OK)
		status = merge_into_file(&job, count, result);
	mprof_merger_destroy(job.merger);
	free(job.inputs);
	return status;
}
