/* SPDX-License-Identifier: MIT */
/* Chooses the command that shows what a log contains. */
#include "record/next_command.h"

#include "record/missing_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fewer snapshots show no growth. */
#define SHOTS_OF_GROWTH 3

/* What a log is about, the most particular first: who asked for heap snapshots also gets collections. */
typedef enum log_subject {
	SUBJECT_LEAKS,
	SUBJECT_HEAP,
	SUBJECT_MEMORY,
	SUBJECT_LOCKS,
	SUBJECT_SAMPLES,
	SUBJECT_OTHER
} log_subject;

static log_subject subject_of(const record_request *request, const log_summary *summary)
{
	if (summary->ended_shots > 0)
		return summary->ended_shots >= SHOTS_OF_GROWTH ? SUBJECT_LEAKS : SUBJECT_HEAP;
	if (summary->event_counts[MPROF_EVENT_MEMORY_ALLOCATED] > 0)
		return SUBJECT_MEMORY;
	if ((request->kinds & RECORD_MONITORS) != 0)
		return SUBJECT_LOCKS;
	return summary->event_counts[MPROF_EVENT_SAMPLE] > 0 ? SUBJECT_SAMPLES : SUBJECT_OTHER;
}

/* Prints a flame graph's name: that of the log with another extension. */
static void print_picture(const char *name)
{
	static const char extension[] = ".mprof";
	size_t length = strlen(name);
	char *picture;

	if (length > sizeof(extension) - 1 && strcmp(name + length - (sizeof(extension) - 1), extension) == 0)
		length -= sizeof(extension) - 1;
	if (asprintf(&picture, "%.*s.svg", (int)length, name) < 0)
		return;
	quoted_print(stderr, picture);
	free(picture);
}

static void print_command(const char *introduction, const char *command, int draws, const char *name)
{
	fprintf(stderr, "mprof: %s: mprof %s ", introduction, command);
	if (draws) {
		fputs("-o ", stderr);
		print_picture(name);
		fputc(' ', stderr);
	}
	quoted_print(stderr, name);
	fputc('\n', stderr);
}

void next_command_print(const record_request *request, const log_summary *summary, const char *name)
{
	static const struct {
		const char *command;
		const char *picture; /* The command that draws it; NULL if there is none. */
	} commands[] = {
		[SUBJECT_LEAKS] = {"heap --leaks", NULL},
		[SUBJECT_HEAP] = {"heap", NULL},
		[SUBJECT_MEMORY] = {"report", "flame --value=memory-live"},
		[SUBJECT_LOCKS] = {"report --sections=locks", NULL},
		[SUBJECT_SAMPLES] = {"report", "flame"},
		[SUBJECT_OTHER] = {"report", NULL},
	};
	const log_subject subject = subject_of(request, summary);

	if (summary->events == 0)
		return;
	print_command("next", commands[subject].command, 0, name);
	if (commands[subject].picture != NULL)
		print_command("or", commands[subject].picture, 1, name);
}
