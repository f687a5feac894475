/* SPDX-License-Identifier: MIT */
/* Explains why a recorded program has written no log, and names the command that shows what was recorded. */
#include "record/record.h"

#include "common/arguments.h"
#include "common/names.h"
#include "common/summary.h"
#include "shared/text.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Why there is no log, or not all of it.
 */

/* Status 0 may be a crash: Mono's crash handler exits with 0. */
static void explain_mono(const missing_log *missing, const char *of_ring)
{
	if (missing->status == 0)
		fprintf(stderr,
			"mono ended with status 0: it did not load the profiler module, found nothing to run, called "
			"_exit(), or crashed (see its messages)%s; 'mprof doctor' checks the module\n",
			of_ring);
	else
		fprintf(stderr,
			"mono ended with status %d: it found nothing to run, did not load the profiler module, or was "
			"ended before it could record%s; 'mprof doctor' checks the module\n",
			missing->status, of_ring);
}

static void explain_unstarted(const missing_log *missing, const char *of_ring)
{
	const char *subject = missing->target->subject;

	if (missing->target->file.obstacle != OBSTACLE_NONE)
		program_file_explain(&missing->target->file, subject);
	else
		fprintf(stderr,
			"%s has ended without main() or _exit(), or has executed a program that loads no preloaded "
			"libraries%s",
			subject, of_ring);
	fputc('\n', stderr);
}

void missing_log_explain(const missing_log *missing)
{
	const char *subject = missing->target->subject;
	const char *of_ring = missing->has_ring ? "; with --ring a log is written when the program ends by itself, "
						  "or by 'mprof control PID flush'"
						: "";

	fputs("mprof: no log was written: ", stderr);
	if (missing->signal != 0)
		fprintf(stderr, "%s was killed by signal %d (%s)%s%s\n", subject, missing->signal,
			strsignal(missing->signal), missing->has_ring ? "" : " before anything was recorded", of_ring);
	else if (missing->has_memory)
		explain_unstarted(missing, of_ring);
	else if (!missing->is_native)
		explain_mono(missing, of_ring);
	else if (missing->target->file.is_instrumented)
		fprintf(stderr, "%s called no function that was built with -finstrument-functions%s\n", subject,
			of_ring);
	else if (missing->is_sampled)
		explain_unstarted(missing, of_ring);
	else
		fprintf(stderr,
			"%s is not built with -finstrument-functions, and did not run Mono, or Mono did not load the "
			"profiler module; --sample samples any native program that is linked dynamically\n",
			subject);
}

/* Larger IDs are not looked up. IDs are dense in all recorded logs. */
#define MAX_IDS (UINT32_C(1) << 24)

typedef struct filter_hint {
	const char *pattern;
	nearest_name nearest;
	int has_match;
} filter_hint;

/* Offers the full name and its last part, which is what users usually type. */
static void offer_class(filter_hint *hint, const char *name)
{
	const char *dot = strrchr(name, '.');

	hint->has_match |= fnmatch(hint->pattern, name, 0) == 0;
	nearest_offer_word(&hint->nearest, name, name);
	if (dot != NULL)
		nearest_offer_word(&hint->nearest, dot + 1, name);
}

static void offer_classes(filter_hint *hint, const mprof_reader *reader)
{
	uint64_t remaining = mprof_reader_get_class_count(reader);

	for (uint32_t id = 1; remaining > 0 && id < MAX_IDS && !hint->has_match; id++) {
		class_name name;

		names_class(reader, id, &name);
		if (name.name == name.undefined)
			continue;
		remaining--;
		offer_class(hint, name.name);
	}
}

/* Offers the name in the form of --only, "Class:Method", and with a dot instead of the colon, the usual mistake. */
static void offer_method(filter_hint *hint, const method_name *name)
{
	size_t class_length = strlen(name->class_name);
	size_t length = strcspn(name->name, " (");
	char *text = malloc(class_length + length + 2);
	char *dotted = malloc(class_length + length + 2);

	if (text != NULL && dotted != NULL) {
		snprintf(text, class_length + length + 2, "%s:%.*s", name->class_name, (int)length, name->name);
		memcpy(dotted, text, class_length + length + 2);
		dotted[class_length] = '.';
		hint->has_match |= fnmatch(hint->pattern, text, 0) == 0;
		nearest_offer_word(&hint->nearest, text, text);
		nearest_offer_word(&hint->nearest, dotted, text);
	}
	free(text);
	free(dotted);
}

static void offer_methods(filter_hint *hint, const mprof_reader *reader)
{
	uint64_t remaining = mprof_reader_get_method_count(reader);

	for (uint32_t id = 1; remaining > 0 && id < MAX_IDS && !hint->has_match; id++) {
		method_name name;

		names_method(reader, id, &name);
		if (name.name == name.undefined)
			continue;
		remaining--;
		if (name.class_name[0] != '\0')
			offer_method(hint, &name);
	}
}

void filter_hint_print(const mprof_reader *reader, const char *pattern)
{
	static const char *const subjects[] = {"assembly:", "namespace:", "class:", "method:"};
	filter_hint hint = {.pattern = pattern};

	/* These prefixes match a part of a name that the log need not contain. */
	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
		if (strncmp(pattern, subjects[i], strlen(subjects[i])) == 0)
			return;
	}
	nearest_init(&hint.nearest, pattern);
	if (strchr(pattern, ':') == NULL)
		offer_classes(&hint, reader);
	offer_methods(&hint, reader);
	if (!hint.has_match && hint.nearest.found != NULL) {
		fputs("; nearest: ", stderr);
		text_name(stderr, hint.nearest.found);
	}
	nearest_release(&hint.nearest);
}

int cut_log_is(const char *path)
{
	static log_summary summary;
	mprof_block block;
	log_input input;

	summary.write_error[0] = '\0';
	if (input_open_part(&input, path, MPROF_BLOCK_BIT(MPROF_BLOCK_SESSION)) != STATUS_NOTHING) {
		while (input_next_block(&input, &block))
			if (block.loaded && block.kind == MPROF_BLOCK_SESSION)
				summary_read_properties(&summary, &input);
	}
	input_close(&input);
	return summary.write_error[0] != '\0';
}

/* Prints a name so that a shell reads it as one word. */
static void quoted_print(FILE *file, const char *name)
{
	const char *plain = "/.,:=+-_%@0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (name[0] == '-')
		fputs("./", file);
	if (strspn(name, plain) == strlen(name)) {
		fputs(name, file);
		return;
	}
	fputc('\'', file);
	for (const char *c = name; *c != '\0'; c++)
		fputs(*c == '\'' ? "'\\''" : (char[]){*c, '\0'}, file);
	fputc('\'', file);
}

/*
 * Which command shows what was recorded.
 */

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

void next_command_print(const record_request *request, const log_summary *summary, const char *name, int has_page)
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
	/* The page has the pictures too. */
	if (has_page)
		print_command("or", "explore --open", 0, name);
	else if (commands[subject].picture != NULL)
		print_command("or", commands[subject].picture, 1, name);
}
