/* SPDX-License-Identifier: MIT */
/* Finds the processes of a log by their name or number. */
#include "report/process_choice.h"

#include "common/arguments.h"
#include "common/input.h"
#include "common/nearest.h"
#include "shared/text.h"

#include <mprof/format.h>
#include <mprof/reader.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 64

typedef struct choosing {
	process_choice *choice;
	uint64_t number; /* The name as a number; 0 if it is another name. */
	nearest_name nearest;
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

static void take_process(choosing *job, const mprof_process_record *process)
{
	process_choice *choice = job->choice;

	nearest_offer(&job->nearest, process->name, process->name);
	if (strcmp(process->name, choice->wanted) != 0 &&
	    (job->number == 0 || (process->number != job->number && process->system_id != job->number)))
		return;
	/* Each description of a process counts, also that of its end. */
	if (!has_number(choice->processes, choice->process_count, process->number))
		add_number(job, &choice->processes, &choice->process_count, process->number);
}

static void take_thread(choosing *job, const mprof_timeline_record *timeline)
{
	process_choice *choice = job->choice;

	if (has_number(choice->processes, choice->process_count, timeline->process))
		add_number(job, &choice->threads, &choice->thread_count, timeline->thread);
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
				take_thread(job, &records[i].as.timeline);
		}
	} while (status == MPROF_OK);
}

/* The log is read for these blocks only; its damage is reported when it is read for the report. */
static int read_blocks(choosing *job, const char *path)
{
	log_input input;
	mprof_block block;
	int status = input_open_part(&input, path,
				     MPROF_BLOCK_BIT(MPROF_BLOCK_PROCESSES) | MPROF_BLOCK_BIT(MPROF_BLOCK_TIMELINES));

	while (status == STATUS_OK && input_next_block(&input, &block)) {
		if (block.loaded && (block.kind == MPROF_BLOCK_PROCESSES || block.kind == MPROF_BLOCK_TIMELINES))
			take_records(job, &input);
	}
	input_close(&input);
	return status;
}

int process_choice_read(process_choice *choice, const char *path)
{
	choosing job = {.choice = choice};
	char *end;
	int status;

	if (choice->wanted == NULL)
		return STATUS_OK;
	job.number = strtoull(choice->wanted, &end, 0);
	if (*end != '\0')
		job.number = 0;
	nearest_init(&job.nearest, choice->wanted);
	status = read_blocks(&job, path);
	if (status == STATUS_OK && choice->process_count == 0) {
		text_begin_message(path);
		fprintf(stderr, "no process of the log is named or numbered '%s'", choice->wanted);
		if (job.nearest.found != NULL)
			fprintf(stderr, "; nearest: %s", job.nearest.found);
		fputs("; 'mprof report --sections=processes' lists them\n", stderr);
		status = STATUS_USAGE;
	}
	if (job.lacks_memory) {
		text_begin_message(path);
		fprintf(stderr, "%s\n", strerror(ENOMEM));
		status = STATUS_NOTHING;
	}
	nearest_release(&job.nearest);
	if (choice->thread_count > 0)
		qsort(choice->threads, choice->thread_count, sizeof(*choice->threads), compare_numbers);
	return status;
}

void process_choice_release(process_choice *choice)
{
	free(choice->processes);
	free(choice->threads);
	choice->processes = NULL;
	choice->threads = NULL;
	choice->process_count = 0;
	choice->thread_count = 0;
}

int process_choice_has(const process_choice *choice, uint64_t thread)
{
	return choice->wanted == NULL ||
	       (choice->thread_count > 0 &&
		bsearch(&thread, choice->threads, choice->thread_count, sizeof(thread), compare_numbers) != NULL);
}
