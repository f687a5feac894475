/* SPDX-License-Identifier: MIT */
/* mprof report: prints the profile of a log. */
#include "common/arguments.h"
#include "commands/commands.h"
#include "common/input.h"
#include "live/growing_log.h"
#include "report/filters.h"
#include "report/findings.h"
#include "report/report.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"Usage: mprof report [OPTIONS] FILE\n\n"
	"Prints the profile of a log: methods by time, the call tree, samples, allocations by class and site, heap\n"
	"snapshots, native memory, handles, collections, monitors, finalizers, exceptions, compilation, metrics, "
	"marks, "
	"threads.\n"
	"FILE may be '-' and may be compressed with gzip.\n\n"
	"  --json             as one JSON document, with all rows unless --top is given; if trees and call stacks\n"
	"                     make it larger than the log, the least are left out unless --tree or --top is given\n"
	"  --csv              tables as comma-separated values, with all rows unless --top is given\n"
	"  --sections=LIST    only these sections, separated by commas; 'help' lists them\n"
	"  --all              every section; without it: what stands out, two tables, names of further sections\n"
	"  --top=N            maximum rows of each table; 0 means all (default 20)\n"
	"  --sort=LIST        the order of tables: KEY such as self, total or calls for all tables that have it, or\n"
	"                     SECTION:KEY; a wrong one lists all\n"
	"  --method=PATTERN   only methods whose name matches; with or without class, with or without arguments\n"
	"  --class=PATTERN    only classes that match, and their methods\n"
	"  --assembly=PATTERN only classes of assemblies that match, and their methods\n"
	"  --thread=NAME      only the threads with this name, a pattern or an ID\n"
	"  --process=NAME     only the threads of processes with this name, a pattern or a number\n"
	"  --tree             only the call tree; for a log without calls, the sample tree\n"
	"  --min-percent=P    leave out branches with a smaller share of the time or samples (default 1; for JSON\n"
	"                     0 unless the tree is larger than the log)\n"
	"  --depth=N          levels of the trees (default 12, with --tree 64, for JSON 80)\n"
	"  --time=FROM-TO     only this time: seconds from the start, as 1.5s-2s or 200ms-, or names of markers\n"
	"  --last=TIME        only this time before the end, as 5s\n"
	"  --pauses[=TIME]    only pauses (stops of the world, collections, waits) of this duration or longer\n"
	"  --timeline[=N]     only what each thread did in up to N slices of time (default 60, for JSON 200)\n"
	"  --callers=PATTERN  only the callers of the methods that match, in calls, samples and allocations\n"
	"  --callees=PATTERN  only what the methods that match call\n"
	"  --inverted         only trees from the methods with the most own time to their callers\n"
	"  --focus=PATTERN    only call stacks that contain a method that matches\n"
	"  --ignore=PATTERN   only call stacks that do not contain a method that matches\n"
	"  --hide=PATTERN     remove methods that match from call stacks; their own time counts for their callers\n"
	"  --collapse=PATTERN each run of methods that match in a call stack is one method, [PATTERN]\n"
	"  --percentiles      a table of the durations of the calls of each method: shortest, average, longest, and\n"
	"                     those that 50, 90 and 99 percent of the calls do not exceed\n"
	"  --slowest[=N]      the N slowest calls with their time, thread and callers (default 20)\n"
	"  --ages             also the tables of the next five options, which require --alloc=objects+stack --free\n"
	"  --history          only the history of the heap: what each collection freed\n"
	"  --types            only classes with the ages of their objects, in collections\n"
	"  --backtraces       only classes by call stack, with ages\n"
	"  --temporaries      only what died at the first collection, by call stack\n"
	"  --alive-at=WHEN    only what was alive at a time, as 1.5s, at a marker, at the peak or the end\n"
	"  --compiler-names   methods as the compiler names them: <Work>d__1.MoveNext for the async method Work; and\n"
	"                     functions as the object file does: _ZN4shop4sellEi for shop::sell(int)\n"
	"  --full-names       do not shorten names to the width of the terminal\n"
	"  --color=WHEN       color auto (on a terminal, if NO_COLOR is not set), always or never\n"
	"  --no-pager         do not print to $PAGER on a terminal\n"
	"  --no-lines         do not read the debug information of native code for lines and inlined functions\n"
	"  --threads=N        threads that decode events (default: 1)\n"
	"  --help             this text\n"
	"  --version          the version\n\n"
	"Patterns are shell patterns: *, ?, [abc]. The title of a table that ignores a filter\n"
	"states what the table covers. A filter that matches nothing is reported, with the most similar name.\n"
	"Total time counts a recursive method once per outermost call.\n\n"
	"Exit status: 0 success, 1 the log is incomplete or damaged (what could be read was printed), 2 wrong usage,\n"
	"3 not a log or nothing could be read.\n\n"
	"Examples:\n"
	"  mprof report app.mprof\n"
	"  mprof report --tree --min-percent=5 app.mprof\n"
	"  mprof report --json --class='System.Collections.*' app.mprof\n";

enum {
	OPTION_TOP = OPTION_OWN,
	OPTION_ALL,
	OPTION_CSV,
	OPTION_SECTIONS,
	OPTION_SORT,
	OPTION_TREE,
	OPTION_MIN_PERCENT,
	OPTION_DEPTH,
	OPTION_CALLERS,
	OPTION_CALLEES,
	OPTION_INVERTED,
	OPTION_COLLAPSE,
	OPTION_PERCENTILES,
	OPTION_SLOWEST,
	OPTION_NO_LINES,
	OPTION_PAUSES,
	OPTION_TIMELINE,
	OPTION_FULL_NAMES,
	OPTION_COLOR,
	OPTION_NO_PAGER,
	OPTION_AGES,
	OPTION_HISTORY,
	OPTION_TYPES,
	OPTION_BACKTRACES,
	OPTION_TEMPORARIES,
	OPTION_ALIVE_AT
};

#define MAX_TREE_DEPTH 65536
#define DEFAULT_SLOW_CALLS 20

static const struct option options[] = {
	COMMON_OPTIONS,
	THREADS_OPTION,
	{"json", no_argument, NULL, OPTION_JSON},
	{"all", no_argument, NULL, OPTION_ALL},
	{"csv", no_argument, NULL, OPTION_CSV},
	{"sections", required_argument, NULL, OPTION_SECTIONS},
	{"top", required_argument, NULL, OPTION_TOP},
	{"sort", required_argument, NULL, OPTION_SORT},
	FILTER_OPTIONS_ROWS,
	{"tree", no_argument, NULL, OPTION_TREE},
	{"min-percent", required_argument, NULL, OPTION_MIN_PERCENT},
	{"depth", required_argument, NULL, OPTION_DEPTH},
	{"pauses", optional_argument, NULL, OPTION_PAUSES},
	{"timeline", optional_argument, NULL, OPTION_TIMELINE},
	{"callers", required_argument, NULL, OPTION_CALLERS},
	{"callees", required_argument, NULL, OPTION_CALLEES},
	{"inverted", no_argument, NULL, OPTION_INVERTED},
	{"collapse", required_argument, NULL, OPTION_COLLAPSE},
	{"percentiles", no_argument, NULL, OPTION_PERCENTILES},
	{"slowest", optional_argument, NULL, OPTION_SLOWEST},
	{"ages", no_argument, NULL, OPTION_AGES},
	{"history", no_argument, NULL, OPTION_HISTORY},
	{"types", no_argument, NULL, OPTION_TYPES},
	{"backtraces", no_argument, NULL, OPTION_BACKTRACES},
	{"temporaries", no_argument, NULL, OPTION_TEMPORARIES},
	{"alive-at", required_argument, NULL, OPTION_ALIVE_AT},
	{"no-lines", no_argument, NULL, OPTION_NO_LINES},
	{"full-names", no_argument, NULL, OPTION_FULL_NAMES},
	{"color", required_argument, NULL, OPTION_COLOR},
	{"no-pager", no_argument, NULL, OPTION_NO_PAGER},
	{NULL, 0, NULL, 0},
};

/* A time that can be the end of a window, or one of two words. */
static int parse_alive_at(report_options *taken, const char *value)
{
	char *window;

	sections_add(&taken->sections, REPORT_SECTION_ALIVE);
	taken->alive_at_peak = strcmp(value, "peak") == 0;
	taken->alive_at.text = NULL;
	if (taken->alive_at_peak || strcmp(value, "end") == 0)
		return 1;
	if (*value == '\0') {
		fputs("mprof: --alive-at: the time is missing\n", stderr);
		return 0;
	}
	window = taken->alive_at_text;
	if (snprintf(window, sizeof(taken->alive_at_text), "-%s", value) >= (int)sizeof(taken->alive_at_text)) {
		fputs("mprof: --alive-at: the name is too long\n", stderr);
		return 0;
	}
	taken->alive_at.option = "--alive-at";
	return time_window_parse(&taken->alive_at, window);
}

static int apply_age_option(report_options *taken, int option, const char *value)
{
	static const report_section sections[] = {REPORT_SECTION_HISTORY, REPORT_SECTION_TYPES,
						  REPORT_SECTION_BACKTRACES, REPORT_SECTION_TEMPORARIES};

	if (option == OPTION_ALIVE_AT)
		return parse_alive_at(taken, value);
	if (option == OPTION_AGES)
		taken->with_ages = 1;
	else
		sections_add(&taken->sections, sections[option - OPTION_HISTORY]);
	return 1;
}

static int parse_percent(report_options *taken, const char *value)
{
	char *end;
	double percent = strtod(value, &end);

	if (end != value && *end == '\0' && percent >= 0 && percent <= 100) {
		taken->min_share = (uint64_t)(percent * REPORT_PERCENT + 0.5);
		taken->has_min_share = 1;
		return 1;
	}
	fprintf(stderr, "mprof: --min-percent: '%s' is not a number from 0 to 100\n", value);
	return 0;
}

static void apply_frame_option(report_options *taken, int option, const char *value)
{
	switch (option) {
	case OPTION_CALLERS:
		taken->callers_pattern = value;
		break;
	case OPTION_CALLEES:
		taken->callees_pattern = value;
		break;
	case OPTION_COLLAPSE:
		taken->collapse_pattern = value;
		break;
	default:
		taken->is_inverted = 1;
		break;
	}
}

/* Options of the form of the output. */
static int apply_form_option(report_options *taken, int option, const char *value)
{
	switch (option) {
	case OPTION_SECTIONS:
		return sections_parse(&taken->sections, value);
	case OPTION_COLOR:
		return terminal_parse_color(&taken->terminal, value);
	case OPTION_CSV:
		taken->as_csv = 1;
		return 1;
	case OPTION_FULL_NAMES:
		taken->terminal.full_names = 1;
		return 1;
	default:
		taken->terminal.no_pager = 1;
		return 1;
	}
}

static int apply_time_option(report_options *taken, int option, const char *value)
{
	if (option == OPTION_PAUSES) {
		taken->with_pauses = 1;
		return value == NULL || time_window_parse_duration("--pauses", value, &taken->least_pause_ns);
	}
	taken->has_timeline = 1;
	return value == NULL ||
	       arguments_number("--timeline", value, 2, MPROF_TIMELINE_SLICES_MAX, &taken->timeline_slices);
}

static int apply_option(void *user, int option, const char *value)
{
	report_options *taken = user;

	if (option >= OPTION_AGES && option <= OPTION_ALIVE_AT)
		return apply_age_option(taken, option, value);
	if (filter_options_have(option))
		return filter_options_apply(taken, option, value);
	switch (option) {
	case OPTION_TOP:
		taken->has_top = 1;
		return arguments_number("--top", value, 0, UINT64_MAX, &taken->top);
	case OPTION_SORT:
		taken->orders = value;
		return report_check_orders(value);
	case OPTION_ALL:
		taken->shows_all = 1;
		return 1;
	case OPTION_TREE:
		taken->tree_only = 1;
		return 1;
	case OPTION_PERCENTILES:
		taken->with_percentiles = 1;
		return 1;
	case OPTION_SLOWEST:
		taken->slow_calls = DEFAULT_SLOW_CALLS;
		return value == NULL ||
		       arguments_number("--slowest", value, 1, MPROF_SLOW_CALLS_MAX, &taken->slow_calls);
	case OPTION_CSV:
	case OPTION_SECTIONS:
	case OPTION_FULL_NAMES:
	case OPTION_COLOR:
	case OPTION_NO_PAGER:
		return apply_form_option(taken, option, value);
	case OPTION_NO_LINES:
		taken->without_lines = 1;
		return 1;
	case OPTION_PAUSES:
	case OPTION_TIMELINE:
		return apply_time_option(taken, option, value);
	case OPTION_MIN_PERCENT:
		return parse_percent(taken, value);
	case OPTION_DEPTH:
		return arguments_number("--depth", value, 1, MAX_TREE_DEPTH, &taken->depth);
	default:
		apply_frame_option(taken, option, value);
		return 1;
	}
}

static int wants_ages(const section_choice *choice)
{
	static const report_section sections[] = {REPORT_SECTION_HISTORY, REPORT_SECTION_TYPES,
						  REPORT_SECTION_BACKTRACES, REPORT_SECTION_TEMPORARIES,
						  REPORT_SECTION_ALIVE};

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		if (sections_have(choice, sections[i]))
			return 1;
	}
	return 0;
}

static void set_defaults(report_options *taken, int as_json)
{
	taken->with_ages |= wants_ages(&taken->sections);
	taken->as_document = as_json || taken->as_csv;
	taken->has_timeline |= sections_have(&taken->sections, REPORT_SECTION_TIMELINE);
	taken->with_pauses |= sections_have(&taken->sections, REPORT_SECTION_PAUSES);
	if (taken->has_timeline && taken->timeline_slices == 0)
		taken->timeline_slices = taken->as_document ? 200 : 60;
	if (!taken->has_top)
		taken->top = taken->as_document ? 0 : 20;
	/* A chosen section as CSV has all rows, because nothing would show how many were left out. */
	taken->is_bounded = taken->as_document && !taken->has_top && !(taken->as_csv && taken->sections.sections != 0);
	taken->bounds_trees = taken->is_bounded && !taken->has_min_share && !taken->tree_only;
	taken->folds_idle = !taken->as_document && !taken->shows_all;
	if (!taken->has_min_share)
		taken->min_share = taken->as_document ? 0 : REPORT_PERCENT;
	/* jq accepts 256 levels of nesting, and a level of the tree takes three: an object, a key, an array. */
	if (taken->depth == 0)
		taken->depth = as_json ? 80 : taken->as_csv ? MAX_TREE_DEPTH : taken->tree_only ? 64 : 12;
}

/* A table has no room for notes about the log. */
static void print_csv(log_report *report)
{
	uint64_t lost = report->summary.session.lost_events;

	if (lost > 0)
		fprintf(stderr, "mprof: %s: %" PRIu64 " events were not recorded\n", report->input.name, lost);
	if (!report_print_csv(report))
		fprintf(stderr, "mprof: %s: the table '%s' has no rows\n", report->input.name,
			report->options.sections.table);
}

static void print_text(log_report *report)
{
	report->options.terminal.limits_width = report_is_first_screen(report);
	terminal_begin(&report->options.terminal);
	report_print_text(report);
	terminal_end();
}

static int wants_list_of_sections(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--sections=help") == 0)
			return 1;
	}
	return 0;
}

int command_report(int argc, char **argv)
{
	static log_report report;
	report_options taken = {0};
	char part[PATH_MAX];
	read_arguments arguments;
	int status;

	/* The list needs no FILE. */
	if (wants_list_of_sections(argc, argv)) {
		sections_print_list();
		return STATUS_OK;
	}
	status = arguments_parse(&arguments, argc, argv, options, help, apply_option, &taken);
	if (status >= 0)
		return status;
	if (!filter_options_check(&taken))
		return arguments_refuse(argv[0]);
	if (arguments.as_json && taken.as_csv) {
		fputs("mprof: report: --json and --csv exclude each other\n", stderr);
		return arguments_refuse(argv[0]);
	}
	set_defaults(&taken, arguments.as_json);
	taken.readable_names = !taken.as_document && !taken.compiler_names;
	/* While mprof record runs a native program, its log may have the name of a part. */
	if (part_log_find(arguments.file, part, sizeof(part)) == PART_FOUND)
		arguments.file = part;
	/* Threads and processes are found before the log is read. */
	if (thread_choice_reads_log(&taken.threads))
		arguments.file = spooled_path(arguments.file);
	if (arguments.file == NULL)
		return STATUS_NOTHING;
	status = report_read(&report, arguments.file, &taken);
	if (status == STATUS_OK || status == STATUS_DAMAGED) {
		if (taken.readable_names)
			names_use_readable(report.input.names);
		if (!taken.as_document && !taken.terminal.full_names)
			names_hide_signatures(report.input.names);
		if (arguments.as_json)
			report_print_json(&report);
		else if (taken.as_csv)
			print_csv(&report);
		else
			print_text(&report);
	}
	report_release(&report);
	return status;
}
