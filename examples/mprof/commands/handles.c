/* SPDX-License-Identifier: MIT */
/* mprof handles: prints the GC handles that are alive at the end of a log. */
#include "common/arguments.h"
#include "commands/commands.h"
#include "report/tables.h"
#include "shared/kinds.h"
#include "shared/text.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
	"Usage: mprof handles [OPTIONS] FILE\n\n"
	"Prints the GC handles that are alive at the end of the log, by type and by the class of their objects, with\n"
	"the call stacks that created them. 'mprof record --handles' records them. FILE may be '-' and may be\n"
	"compressed with gzip.\n\n"
	"  --json             as one JSON document, with all rows unless --top is given\n"
	"  --top=N            maximum rows of the table; 0 means all (default 20)\n"
	"  --class=PATTERN    only handles of objects of classes that match\n"
	"  --no-lines         do not read the debug information of native code for lines and inlined functions\n"
	"  --help             this text\n"
	"  --version          the version\n\n"
	"Patterns are shell patterns: *, ?, [abc]. A pattern that matches nothing is reported, with the most similar\n"
	"name.\n\n"
	"Exit status: 0 success, 1 the log is incomplete or damaged (what could be read was printed), 2 wrong usage,\n"
	"3 not a log or nothing could be read.\n\n"
	"Examples:\n"
	"  mprof handles app.mprof\n"
	"  mprof handles --json --class='Shop.*' app.mprof\n";

enum { OPTION_TOP = OPTION_OWN, OPTION_CLASS, OPTION_NO_LINES };

static const struct option options[] = {
	COMMON_OPTIONS,
	{"json", no_argument, NULL, OPTION_JSON},
	{"top", required_argument, NULL, OPTION_TOP},
	{"class", required_argument, NULL, OPTION_CLASS},
	{"no-lines", no_argument, NULL, OPTION_NO_LINES},
	{NULL, 0, NULL, 0},
};

static int apply_option(void *user, int option, const char *value)
{
	report_options *taken = user;

	switch (option) {
	case OPTION_TOP:
		taken->has_top = 1;
		return arguments_number("--top", value, 0, UINT64_MAX, &taken->top);
	case OPTION_CLASS:
		taken->class_pattern = value;
		return 1;
	default:
		taken->without_lines = 1;
		return 1;
	}
}

/* Handles of one type, of all classes. */
typedef struct type_totals {
	uint64_t created;
	uint64_t deleted;
	uint64_t alive;
} type_totals;

#define HANDLE_TYPES (MPROF_HANDLE_PINNED + 1)

static void add_types(const log_report *report, type_totals types[HANDLE_TYPES])
{
	memset(types, 0, HANDLE_TYPES * sizeof(types[0]));
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_HANDLES); i++) {
		mprof_handle_stats stats = {.struct_size = sizeof(stats)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_HANDLES, i, &stats);
		if (stats.type >= HANDLE_TYPES)
			continue;
		types[stats.type].created += stats.created;
		types[stats.type].deleted += stats.deleted;
		types[stats.type].alive += stats.alive;
	}
}

static void print_text(const log_report *report)
{
	type_totals types[HANDLE_TYPES];
	char alive[TEXT_NUMBER_SIZE];
	char created[TEXT_NUMBER_SIZE];

	if (mprof_profile_get_row_count(report->profile, MPROF_TABLE_HANDLES) == 0) {
		puts("The log has no handles; 'mprof record --handles' records them.");
		return;
	}
	add_types(report, types);
	printf("Handles alive at the end of the log, by type\n  %10s %14s %10s\n", "alive", "created", "type");
	for (uint32_t i = 0; i < HANDLE_TYPES; i++) {
		if (types[i].created > 0 || types[i].deleted > 0)
			printf("  %10s %14s %10s\n", text_count(alive, types[i].alive),
			       text_count(created, types[i].created), kind_of_handle(i));
	}
	if (report->totals.lost_events > 0)
		printf("  %s events were lost: handles may be missing, or deleted although they seem alive\n",
		       text_count(alive, report->totals.lost_events));
	tables_handles_text(report);
}

static void print_json(log_report *report)
{
	type_totals types[HANDLE_TYPES];
	json_writer json;

	add_types(report, types);
	json_init(&json, stdout, 0);
	json_begin_document(&json);
	json_boolean(&json, "complete", report->summary.session.complete != 0);
	json_unsigned(&json, "lost_events", report->totals.lost_events);
	json_begin_array(&json, "types");
	for (uint32_t i = 0; i < HANDLE_TYPES; i++) {
		if (types[i].created == 0 && types[i].deleted == 0)
			continue;
		json_begin_object(&json, NULL);
		json_string(&json, "type", kind_of_handle(i));
		json_unsigned(&json, "created", types[i].created);
		json_unsigned(&json, "deleted", types[i].deleted);
		json_unsigned(&json, "alive", types[i].alive);
		json_end_object(&json);
	}
	json_end_array(&json);
	tables_handles_json(report, &json);
	json_end_object(&json);
}

int command_handles(int argc, char **argv)
{
	static log_report report;
	report_options taken = {0};
	read_arguments arguments;
	int status = arguments_parse(&arguments, argc, argv, options, help, apply_option, &taken);

	if (status >= 0)
		return status;
	if (!taken.has_top)
		taken.top = arguments.as_json ? 0 : 20;
	taken.readable_names = !arguments.as_json;
	status = report_read(&report, arguments.file, &taken);
	if (status != STATUS_NOTHING && taken.readable_names)
		names_use_readable(report.input.names);
	if (status != STATUS_NOTHING && arguments.as_json)
		print_json(&report);
	else if (status != STATUS_NOTHING)
		print_text(&report);
	report_release(&report);
	return status;
}
