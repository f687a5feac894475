/* SPDX-License-Identifier: MIT */
/* Finds the threads and processes of a log by their names or numbers. */
#include "report/thread_choice.h"

#include "common/arguments.h"
#include "common/input.h"
#include "shared/text.h"

#include <mprof/format.h>
#include <mprof/reader.h>

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 64

/* Blocks with names. */
#define WANTED_BLOCKS                                                                                                  \
	(MPROF_BLOCK_BIT(MPROF_BLOCK_PROCESSES) | MPROF_BLOCK_BIT(MPROF_BLOCK_TIMELINES) |                             \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_THREAD))

typedef struct choosing {
	thread_choice *choice;
	uint64_t process; /* The wanted process as a number; 0 if it is a name. */
	nearest_name nearest_process;
	nearest_name nearest_thread;
	int lacks_memory;
} choosing;

static int compare_numbers(const void *one, const void *other)
{
	const uint64_t a = *(const uint64_t *)one;
	const uint64_t b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

static int has_number(const uint64_t *numbers, size_t count, uint64_t number)
{
	for (size_t i = 0; i < count; i++) {
		if (numbers[i] == number)
			return 1;
	}
	return 0;
}

/* Adds a number at the end. Lists grow by their own size. */
static void add_number(choosing *job, uint64_t **numbers, size_t *count, uint64_t number)
{
	uint64_t *grown = *numbers;

	if ((*count & (*count - 1)) == 0)
		grown = realloc(grown, (*count > 0 ? *count * 2 : 1) * sizeof(*grown));
	if (grown == NULL) {
		job->lacks_memory = 1;
		return;
	}
	*numbers = grown;
	grown[(*count)++] = number;
}

static int matches(const char *wanted, const char *name)
{
	return strcmp(wanted, name) == 0 || fnmatch(wanted, name, 0) == 0;
}

/* A number as a whole text; 0 if it is another text. */
static int read_number(const char *text, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 0);
	if (errno == 0 && end != text && *end == '\0' && strchr(text, '-') == NULL)
		return 1;
	*number = 0;
	return 0;
}

static void take_process(choosing *job, const mprof_process_record *process)
{
	thread_choice *choice = job->choice;

	if (choice->wanted_process == NULL)
		return;
	nearest_offer(&job->nearest_process, process->name, process->name);
	if (!matches(choice->wanted_process, process->name) &&
	    (job->process == 0 || (process->number != job->process && process->system_id != job->process)))
		return;
	/* Each description of a process counts, also that of its end. */
	if (!has_number(choice->processes, choice->process_count, process->number))
		add_number(job, &choice->processes, &choice->process_count, process->number);
}

/* A thread may have several names, one after the other. */
static void take_name(choosing *job, uint64_t thread, const char *name)
{
	thread_choice *choice = job->choice;

	if (choice->wanted == NULL || thread_choice_is_id(choice) || name == NULL || name[0] == '\0')
		return;
	nearest_offer(&job->nearest_thread, name, name);
	if (matches(choice->wanted, name) && !has_number(choice->threads, choice->thread_count, thread))
		add_number(job, &choice->threads, &choice->thread_count, thread);
}

static void take_timeline(choosing *job, const mprof_timeline_record *timeline)
{
	thread_choice *choice = job->choice;

	take_name(job, timeline->thread, timeline->name);
	if (has_number(choice->processes, choice->process_count, timeline->process))
		add_number(job, &choice->process_threads, &choice->process_thread_count, timeline->thread);
}

static void take_records(choosing *job, log_input *input)
{
	mprof_record records[BATCH];
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_records(input->reader, records, sizeof(*records), BATCH, &count);
		for (size_t i = 0; i < count; i++) {
			if (records[i].kind == MPROF_RECORD_PROCESS)
				take_process(job, &records[i].as.process);
			else if (records[i].kind == MPROF_RECORD_TIMELINE)
				take_timeline(job, &records[i].as.timeline);
		}
	} while (status == MPROF_OK);
}

/* The log is read for these blocks only; its damage is reported when it is read for the report. */
static int read_blocks(choosing *job, const char *path)
{
	log_input input;
	mprof_block block;
	int status = input_open_part(&input, path, WANTED_BLOCKS);

	while (status == STATUS_OK && input_next_block(&input, &block)) {
		if (!block.loaded)
			continue;
		if (block.kind == MPROF_BLOCK_PROCESSES || block.kind == MPROF_BLOCK_TIMELINES)
			take_records(job, &input);
		else if (block.kind == MPROF_BLOCK_THREAD)
			take_name(job, block.thread, block.as.thread_name.name);
	}
	input_close(&input);
	return status;
}

/* What the message about a choice without a result contains. */
typedef struct missing_choice {
	const char *what;
	const char *wanted; /* NULL: no such choice. */
	size_t count;
	const nearest_name *nearest;
	const char *section; /* Of the report, which lists what there is. */
} missing_choice;

static int is_missing(const missing_choice *missing, const char *path)
{
	if (missing->wanted == NULL || missing->count > 0)
		return 0;
	text_begin_message(path);
	fprintf(stderr, "no %s of the log is named or numbered '", missing->what);
	text_name(stderr, missing->wanted);
	fputc('\'', stderr);
	if (missing->nearest->found != NULL) {
		fputs("; nearest: ", stderr);
		text_name(stderr, missing->nearest->found);
	}
	fprintf(stderr, "; 'mprof report --sections=%s' lists them\n", missing->section);
	return 1;
}

static int check(const choosing *job, const char *path)
{
	const thread_choice *choice = job->choice;
	const missing_choice choices[] = {
		{"process", choice->wanted_process, choice->process_count, &job->nearest_process, "processes"},
		{"thread", choice->wanted, choice->thread_count, &job->nearest_thread, "threads"},
	};
	int status = STATUS_OK;

	if (job->lacks_memory) {
		text_begin_message(path);
		fprintf(stderr, "%s\n", strerror(ENOMEM));
		return STATUS_NOTHING;
	}
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		if (is_missing(&choices[i], path))
			status = STATUS_USAGE;
	}
	return status;
}

int thread_choice_is_id(const thread_choice *choice)
{
	uint64_t id;

	return choice->wanted != NULL && read_number(choice->wanted, &id);
}

int thread_choice_reads_log(const thread_choice *choice)
{
	return choice->wanted_process != NULL || (choice->wanted != NULL && !thread_choice_is_id(choice));
}

int thread_choice_find(thread_choice *choice, const char *path)
{
	choosing job = {.choice = choice};
	uint64_t id;
	int status = STATUS_OK;

	if (choice->is_found)
		return STATUS_OK;
	choice->is_found = 1;
	if (choice->wanted != NULL && read_number(choice->wanted, &id))
		add_number(&job, &choice->threads, &choice->thread_count, id);
	if (choice->wanted_process != NULL)
		read_number(choice->wanted_process, &job.process);
	nearest_init(&job.nearest_process, choice->wanted_process != NULL ? choice->wanted_process : "");
	nearest_init(&job.nearest_thread, choice->wanted != NULL ? choice->wanted : "");
	if (thread_choice_reads_log(choice))
		status = read_blocks(&job, path);
	if (status == STATUS_OK)
		status = check(&job, path);
	nearest_release(&job.nearest_process);
	nearest_release(&job.nearest_thread);
	if (choice->thread_count > 1)
		qsort(choice->threads, choice->thread_count, sizeof(*choice->threads), compare_numbers);
	if (choice->process_thread_count > 1)
		qsort(choice->process_threads, choice->process_thread_count, sizeof(*choice->process_threads),
		      compare_numbers);
	return status;
}

void thread_choice_release(thread_choice *choice)
{
	free(choice->processes);
	free(choice->process_threads);
	free(choice->threads);
	choice->processes = NULL;
	choice->process_threads = NULL;
	choice->threads = NULL;
	choice->process_count = 0;
	choice->process_thread_count = 0;
	choice->thread_count = 0;
	choice->is_found = 0;
}

void thread_choice_only(thread_choice *choice, uint64_t *thread)
{
	choice->wanted = "";
	choice->threads = thread;
	choice->thread_count = 1;
	choice->is_found = 1;
}

static int has_sorted(const uint64_t *numbers, size_t count, uint64_t number)
{
	return count > 0 && bsearch(&number, numbers, count, sizeof(number), compare_numbers) != NULL;
}

int thread_choice_names(const thread_choice *choice, uint64_t thread)
{
	return choice->wanted == NULL || has_sorted(choice->threads, choice->thread_count, thread);
}

int thread_choice_has(const thread_choice *choice, uint64_t thread)
{
	return thread_choice_names(choice, thread) &&
	       (choice->wanted_process == NULL ||
		has_sorted(choice->process_threads, choice->process_thread_count, thread));
}
