/* SPDX-License-Identifier: MIT */
/* mprof top: what a program does now. */
#include "common/arguments.h"
#include "commands/commands.h"
#include "common/output.h"
#include "live/live_profile.h"
#include "live/top_screen.h"
#include "live/top_view.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
	"Usage: mprof top [OPTIONS] FILE|PID\n\n"
	"Shows what a program does now: the methods with the most own time or samples, allocations by class,\n"
	"threads, waits and collections of the last seconds, and how old this information is. The log may still\n"
	"be written; a process is found by its ID, or by that of the mprof record that runs it. A program\n"
	"that accepts commands is asked at each update to write what it has recorded.\n"
	"FILE may be '-' and may be compressed with gzip.\n\n"
	"  --once              print one view as text and exit\n"
	"  --json              as JSON documents, one on each line; with --once, one document\n"
	"  --window=SECONDS    the time that is shown; 10 if not given, from 1 to 3600\n"
	"  --interval=MS       the time between updates; 100 on a screen, 1000 as text, from 50 to 60000\n"
	"  --sort=KEY          sort methods by self, total or calls; self if not given\n"
	"  --top=N             rows of each table in text and JSON; 20 if not given\n"
	"  --help              this text\n"
	"  --version           the version\n\n"
	"Keys: q quit, p pause the display, s sort, t threads, tab next table, arrows and enter callers and callees\n"
	"of a method, + and - the rate of updates, r start again, h help.\n\n"
	"Exit status: 0 success, also after an interrupt; 1 the log is incomplete or damaged (what could be read\n"
	"was shown), 2 wrong usage, 3 not a log or nothing could be read.\n\n"
	"Examples:\n"
	"  mprof top app.mprof\n"
	"  mprof top 4711\n"
	"  mprof top --once --json --window=5 app.mprof\n";

enum { OPTION_ONCE = OPTION_OWN, OPTION_WINDOW, OPTION_INTERVAL, OPTION_SORT, OPTION_TOP };

#define SCREEN_INTERVAL_MS 100
#define TEXT_INTERVAL_MS 1000

typedef struct top_arguments {
	int is_once;
	uint64_t window_s;
	uint64_t interval_ms; /**< 0: the default. */
	uint64_t count;
	top_sort sort;
} top_arguments;

static int parse_sort(top_sort *sort, const char *value)
{
	static const char *const names[] = {
		[TOP_SORT_SELF] = "self", [TOP_SORT_TOTAL] = "total", [TOP_SORT_COUNT] = "calls"};

	for (int i = TOP_SORT_SELF; i <= TOP_SORT_COUNT; i++) {
		if (strcmp(value, names[i]) == 0) {
			*sort = (top_sort)i;
			return 1;
		}
	}
	fprintf(stderr, "mprof: --sort: '%s' is not self, total or calls\n", value);
	return 0;
}

static int apply_option(void *user, int option, const char *value)
{
	top_arguments *arguments = user;

	switch (option) {
	case OPTION_ONCE:
		arguments->is_once = 1;
		return 1;
	case OPTION_WINDOW:
		return arguments_number("window", value, 1, 3600, &arguments->window_s);
	case OPTION_INTERVAL:
		return arguments_number("interval", value, 50, 60000, &arguments->interval_ms);
	case OPTION_TOP:
		return arguments_number("top", value, 1, TOP_ROWS_MAX, &arguments->count);
	default:
		return parse_sort(&arguments->sort, value);
	}
}

static void print_view(const live_profile *live, const top_arguments *arguments, int as_json)
{
	if (as_json)
		top_view_print_json(live, arguments->sort, arguments->count, !arguments->is_once);
	else
		top_view_print_text(live, arguments->sort, arguments->count);
	fflush(stdout);
}

static void show_once(live_profile *live, const top_arguments *arguments, int as_json)
{
	/* All that has arrived belongs to the view, however long reading takes. */
	do
		live_profile_update(live, TEXT_INTERVAL_MS);
	while (live->is_behind && !growing_log_is_interrupted());
	print_view(live, arguments, as_json);
}

static void show_repeatedly(live_profile *live, const top_arguments *arguments, int as_json)
{
	const unsigned interval_ms = arguments->interval_ms != 0 ? (unsigned)arguments->interval_ms : TEXT_INTERVAL_MS;
	const char *separator = "";
	int is_last;

	do {
		live_profile_update(live, interval_ms);
		is_last = live->is_final;
		fputs(separator, stdout);
		separator = as_json ? "" : "\n";
		print_view(live, arguments, as_json);
		if (!is_last && !live->is_behind)
			growing_log_wait(&live->log, interval_ms);
	} while (!is_last && !growing_log_is_interrupted() && !output_is_broken());
}

static void show(live_profile *live, const top_arguments *arguments, int as_json)
{
	const unsigned interval_ms =
		arguments->interval_ms != 0 ? (unsigned)arguments->interval_ms : SCREEN_INTERVAL_MS;

	if (arguments->is_once)
		show_once(live, arguments, as_json);
	else if (as_json || !isatty(STDOUT_FILENO) || !top_screen_run(live, arguments->sort, interval_ms))
		show_repeatedly(live, arguments, as_json);
}

int command_top(int argc, char **argv)
{
	static const struct option options[] = {
		COMMON_OPTIONS,
		{"json", no_argument, NULL, OPTION_JSON},
		{"once", no_argument, NULL, OPTION_ONCE},
		{"window", required_argument, NULL, OPTION_WINDOW},
		{"interval", required_argument, NULL, OPTION_INTERVAL},
		{"sort", required_argument, NULL, OPTION_SORT},
		{"top", required_argument, NULL, OPTION_TOP},
		{NULL, 0, NULL, 0},
	};
	static live_profile live;
	log_source source;
	read_arguments arguments;
	top_arguments parsed = {0, 10, 0, 20, TOP_SORT_SELF};
	int status = arguments_parse(&arguments, argc, argv, options, help, apply_option, &parsed);

	if (status >= 0)
		return status;
	growing_log_catch_signals();
	if (!log_source_find(&source, arguments.file, parsed.is_once))
		return STATUS_NOTHING;
	status = live_profile_open(&live, source.path, source.name, parsed.window_s * 1000000000);
	if (status == STATUS_OK) {
		show(&live, &parsed, arguments.as_json);
		status = growing_log_status(&live.log);
		if (live.is_failed)
			output_out_of_memory();
	}
	live_profile_close(&live);
	log_source_release(&source);
	return status;
}
