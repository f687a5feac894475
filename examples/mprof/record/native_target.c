/* SPDX-License-Identifier: MIT */
/* Checks before a native program starts whether what was asked for can be recorded of it. */
#include "record/native_target.h"

#include "common/arguments.h"
#include "record/child.h"
#include "record/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The list of libraries that a program is linked with is longer only for very large programs. */
#define MAX_LIST 65536

/*
 * Whether any library is in the list of the dynamic linker. Its lines are such as "libm.so.6 => /lib/libm.so.6
 * (0x...)", or "./libown.so (0x...)" where the program names a path.
 */
static int is_any_instrumented(char *list)
{
	char *rest = list;
	char *line;

	while ((line = strsep(&rest, "\n")) != NULL) {
		const char *arrow = strstr(line, " => ");
		const char *path = arrow != NULL ? arrow + 4 : line + strspn(line, " \t");
		char *end = strstr(line, " (0x");
		program_file library;

		if (end == NULL || end < path)
			continue;
		*end = '\0';
		/* The C library has these functions, for programs that do not bring their own. */
		if (strchr(path, '/') == NULL || strstr(path, "/libc.so.") != NULL)
			continue;
		program_file_read(&library, path);
		if (library.is_instrumented)
			return 1;
	}
	return 0;
}

/* Whether a library is instrumented with which the program is linked. */
static int has_instrumented_library(const record_target *target)
{
	static const child_variable list_only = {"LD_TRACE_LOADED_OBJECTS", "1"};
	char *const arguments[] = {target->path, NULL};
	child_program child = {.arguments = arguments, .variables = &list_only, .variable_count = 1};
	char *list = malloc(MAX_LIST);
	int is_found = 0;

	if (list == NULL)
		return 1;
	if (child_capture(&child, list, MAX_LIST) == 0)
		is_found = is_any_instrumented(list);
	free(list);
	return is_found;
}

/* Returns 0 after a message if calls are asked for and no code can report them. */
static int check_calls(const record_target *target, const record_request *request, int is_quiet)
{
	const program_file *file = &target->file;

	if ((request->kinds & RECORD_CALLS) == 0 || file->is_instrumented || file->contains_mono ||
	    has_instrumented_library(target))
		return 1;
	if (!file->can_reach_others) {
		fprintf(stderr,
			"mprof: record: --calls: neither %s nor its libraries are built with -finstrument-functions; "
			"--sample samples any native program that is linked dynamically\n",
			target->subject);
		return 0;
	}
	if (!is_quiet)
		fprintf(stderr,
			"mprof: record: --calls: %s is not built with -finstrument-functions: calls are recorded only "
			"of code that is, or of Mono programs that it runs\n",
			target->subject);
	return 1;
}

int native_target_check(const record_target *target, const record_request *request, int has_children, int is_quiet)
{
	const program_file *file = &target->file;

	/* Programs that a static one starts inherit its environment; the others would not even run with it. */
	if (file->obstacle != OBSTACLE_NONE && !(file->obstacle == OBSTACLE_STATIC && has_children)) {
		fputs("mprof: no log was written: ", stderr);
		program_file_explain(file, target->subject);
		fputs("; it was not started\n", stderr);
		return STATUS_NOTHING;
	}
	if (file->obstacle != OBSTACLE_NONE)
		return -1;
	/* Programs that contain Mono or could run it accept all options. */
	if (file->is_instrumented || (!file->contains_mono && !file->can_reach_others)) {
		if (!record_request_check_reader(request, RECORD_OF_NATIVE))
			return STATUS_USAGE;
	} else if (!file->contains_mono && !is_quiet) {
		record_request_explain_others(request, target->subject);
	}
	if (!record_request_check_native_samples(request) || !check_calls(target, request, is_quiet))
		return STATUS_USAGE;
	return -1;
}
