/* SPDX-License-Identifier: MIT */
/* Searches the memory of processes that have ended, and writes the result into their logs. */
#include "record/leaks.h"

#include "common/arguments.h"
#include "common/input.h"
#include "common/whole_file.h"
#include "record/leak_search.h"

#include <mprof/convert.h>
#include <mprof/profile.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Records of one block of the log. */
#define RECORD_BATCH 4096

/* One process. */
typedef struct leak_job {
	const leaks_form *form;
	leak_copy copy;
	leak_block *blocks;
	size_t count;
	mprof_memory_search_record result;
} leak_job;

static uint64_t read_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Takes the blocks that exist at the end of the log. Returns NULL, or why that is not possible. */
static const char *take_blocks(leak_job *job, const mprof_profile *profile)
{
	const size_t count = mprof_profile_get_row_count(profile, MPROF_TABLE_MEMORY_BLOCKS);
	mprof_memory_stats stats = {.struct_size = sizeof(stats)};

	mprof_profile_get_row(profile, MPROF_TABLE_MEMORY, 0, &stats);
	if (stats.untracked > 0 || count != stats.live)
		return "there are too many blocks";
	job->blocks = malloc((count + 1) * sizeof(*job->blocks));
	if (job->blocks == NULL)
		return strerror(ENOMEM);
	for (size_t i = 0; i < count; i++) {
		mprof_memory_block row = {.struct_size = sizeof(row)};

		mprof_profile_get_row(profile, MPROF_TABLE_MEMORY_BLOCKS, i, &row);
		job->result.bytes += row.size;
		job->blocks[i] = (leak_block){.address = row.address, .size = row.size};
		/* A size of which the log has the wrong idea must not hide the next block. */
		if (i > 0 && job->blocks[i - 1].size > row.address - job->blocks[i - 1].address)
			job->blocks[i - 1].size = row.address - job->blocks[i - 1].address;
	}
	job->count = count;
	job->result.blocks = count;
	return NULL;
}

static void read_profile(log_input *input, mprof_profile *profile)
{
	mprof_block block;

	while (input_next_block(input, &block))
		profile_input_add(input, profile, &block);
	profile_input_finish(input, profile, &block);
}

static const char *read_blocks(leak_job *job)
{
	mprof_profile_options options;
	mprof_profile *profile = NULL;
	log_input input;
	const char *problem = NULL;

	mprof_profile_options_init(&options, sizeof(options));
	options.with_blocks = 1;
	if (input_open_quietly(&input, job->copy.notes->log) != STATUS_OK)
		problem = "its log cannot be read";
	else if (mprof_profile_create(&options, &profile) != MPROF_OK)
		problem = strerror(ENOMEM);
	if (problem == NULL) {
		read_profile(&input, profile);
		problem = input.status != STATUS_OK ? "its log is not complete" : take_blocks(job, profile);
	}
	mprof_profile_destroy(profile);
	input_close(&input);
	return problem;
}

/* Fills in records of blocks from the number \p next on. Returns the number of records. */
static size_t fill_records(const leak_job *job, size_t *next, mprof_record *records, size_t capacity)
{
	size_t count = 0;

	for (; *next < job->count && count < capacity; ++*next) {
		if (job->blocks[*next].reachability == 0)
			continue;
		memset(&records[count], 0, sizeof(*records));
		records[count].kind = MPROF_RECORD_MEMORY_BLOCK;
		records[count].id = job->blocks[*next].reachability;
		records[count++].as.memory_block.address = job->blocks[*next].address;
	}
	return count;
}

/* Writes the result at the end of the log. */
static mprof_status write_result(void *user, mprof_writer *writer)
{
	const leak_job *job = user;
	mprof_record *records = calloc(RECORD_BATCH, sizeof(*records));
	mprof_status status = MPROF_OK;
	size_t next = 0;
	size_t count;

	if (records == NULL)
		return MPROF_ERR_MEMORY;
	records[0].kind = MPROF_RECORD_MEMORY_SEARCH;
	records[0].id = 1;
	records[0].as.memory_search = job->result;
	count = 1 + fill_records(job, &next, records + 1, RECORD_BATCH - 1);
	while (status == MPROF_OK && count > 0) {
		status = mprof_writer_write_records(writer, MPROF_BLOCK_REACHABILITY, 0, records, sizeof(*records),
						    count);
		count = fill_records(job, &next, records, RECORD_BATCH);
	}
	free(records);
	return status;
}

/* Copies the log to the open file. Returns 1 if all of it was written. */
static int copy_log(leak_job *job, mprof_reader *reader, int fd)
{
	mprof_writer_options wanted;
	mprof_writer_options complete = {.struct_size = sizeof(complete)};
	mprof_converter_options options;
	mprof_converter *converter = NULL;
	mprof_writer *writer = NULL;
	int is_whole = 0;

	mprof_writer_options_init(&wanted, sizeof(wanted));
	wanted.dialect = MPROF_DIALECT_MPROF2;
	wanted.has_columns = 1;
	wanted.has_index = 1;
	wanted.codec = job->form->codec;
	wanted.codec_level = job->form->level;
	wanted.gzip_level = job->form->gzip_level;
	mprof_converter_options_init(&options, sizeof(options));
	options.writer = &wanted;
	options.at_end = write_result;
	options.user = job;
	if (mprof_converter_create(reader, &options, &converter) == MPROF_OK &&
	    mprof_converter_get_writer_options(converter, &complete) == MPROF_OK &&
	    mprof_writer_open_fd(fd, &complete, &writer) == MPROF_OK)
		is_whole = mprof_converter_run(converter, writer, NULL, NULL) == MPROF_OK;
	if (writer != NULL && mprof_writer_destroy(writer) != MPROF_OK)
		is_whole = 0;
	mprof_converter_destroy(converter);
	return is_whole;
}

static const char *write_log(leak_job *job)
{
	const char *const path = job->copy.notes->log;
	log_input input;
	whole_file file;
	const char *problem = NULL;
	int is_whole = 0;

	if (input_open_quietly(&input, path) != STATUS_OK) {
		input_close(&input);
		return "its log cannot be read";
	}
	problem = whole_file_open(&file, path, whole_file_mode(&path, 1));
	if (problem == NULL) {
		is_whole = copy_log(job, input.reader, file.fd);
		problem = whole_file_close(&file, is_whole);
	} else {
		whole_file_close(&file, 0);
	}
	input_close(&input);
	return problem != NULL || is_whole ? problem : "the result cannot be written to its log";
}

static const char *search_copy(leak_job *job)
{
	const uint64_t start = read_clock();
	const char *problem = read_blocks(job);

	if (problem == NULL)
		problem = leak_copy_find_roots(&job->copy);
	if (problem == NULL && !leak_search(&job->copy, job->blocks, job->count, &job->result.root_bytes))
		problem = strerror(ENOMEM);
	if (problem == NULL && !leak_copy_exists(&job->copy))
		problem = "the system took away the copy of its memory";
	job->result.duration_ns = read_clock() - start;
	return problem != NULL ? problem : write_log(job);
}

static void end_copy(pid_t copy)
{
	int status;

	kill(copy, SIGKILL);
	/* It is a child of this process, unless the system lacks PR_SET_CHILD_SUBREAPER. */
	while (waitpid(copy, &status, 0) < 0 && errno == EINTR)
		continue;
}

static const char *problem_of(const memory_copy_message *message)
{
	if (message->problem == MEMORY_COPY_RESTRICTED)
		return "it restricts its system calls";
	return message->problem == MEMORY_COPY_OK && message->copy > 0 ? NULL : strerror(message->error);
}

static void handle_message(leak_searches *searches, const memory_copy_message *message)
{
	leak_job job = {.form = &searches->form};
	const char *problem = problem_of(message);

	if (problem == NULL) {
		problem = leak_copy_open(&job.copy, message, searches->form.salvage);
		if (problem == NULL)
			problem = search_copy(&job);
		leak_copy_close(&job.copy);
		end_copy((pid_t)message->copy);
		free(job.blocks);
	}
	if (problem == NULL)
		searches->searched++;
	else if (searches->failed++ == 0)
		snprintf(searches->problem, sizeof(searches->problem), "process %" PRId64 ": %s", message->process,
			 problem);
}

static void *run_searches(void *user)
{
	leak_searches *searches = user;
	memory_copy_message message;
	ssize_t length;

	do {
		length = read(searches->pipe[0], &message, sizeof(message));
		if (length == (ssize_t)sizeof(message))
			handle_message(searches, &message);
	} while (length > 0 || (length < 0 && errno == EINTR));
	return NULL;
}

int leaks_begin(leak_searches *searches, const leaks_form *form, char option[LEAKS_OPTION_SIZE])
{
	sigset_t all;
	sigset_t before;
	int error = 0;

	memset(searches, 0, sizeof(*searches));
	searches->form = *form;
	if (pipe2(searches->pipe, O_CLOEXEC) != 0) {
		searches->pipe[0] = searches->pipe[1] = -1;
		error = errno;
	}
	/* Copies become children of this process when the program has ended: some systems let it read only these. */
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (error == 0) {
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		error = pthread_create(&searches->thread, NULL, run_searches, searches);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		searches->has_thread = error == 0;
	}
	if (error != 0) {
		fprintf(stderr, "mprof: record: --leaks: %s\n", strerror(error));
		return 0;
	}
	snprintf(option, LEAKS_OPTION_SIZE, ",leaks-pipe=/proc/%ld/fd/%d", (long)getpid(), searches->pipe[0]);
	return 1;
}

void leaks_end(leak_searches *searches)
{
	if (!searches->has_thread)
		return;
	/* The thread ends when no process has the other end any more. */
	close(searches->pipe[1]);
	pthread_join(searches->thread, NULL);
	close(searches->pipe[0]);
	searches->has_thread = 0;
	(void)prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
	if (searches->failed == 0)
		return;
	fprintf(stderr,
		"mprof: record: --leaks: which memory is reachable is not known of %" PRIu64 " process%s (%s)\n",
		searches->failed, searches->failed == 1 ? "" : "es", searches->problem);
}
