/* SPDX-License-Identifier: MIT */
/* mprof diff: prints what differs between two logs. */
#include "commands/commands.h"
#include "common/arguments.h"
#include "diff/diff.h"
#include "diff/tables.h"

#include <inttypes.h>
#include <string.h>

static const char help[] =
	"Usage: mprof diff [OPTIONS] A B\n"
	"       mprof diff [OPTIONS] --shots=N,M FILE\n\n"
	"Prints what differs between two logs, or between two heap snapshots of one log: what grew first, then what\n"
	"shrank. Rows are matched by name. One of A and B may be '-', and both may be compressed with gzip.\n\n"
	"  --json             as one JSON document, with all rows unless --top is given\n"
	"  --csv[=TABLE]      as comma-separated values: all tables with rows, or the one of this name in JSON\n"
	"  --shots=N,M        compare the N-th heap snapshot with the M-th, counted from 1; of two logs, the N-th of\n"
	"                     the first with the M-th of the second (default: the last of each). In one log,\n"
	"                     also which objects are new, gone and surviving, if it was recorded with\n"
	"                     --heap --gc --alloc=objects+stack\n"
	"  --top=N            maximum rows of each table; 0 means all (default 20)\n"
	"  --sort=ORDER       by growth of self (own time, bytes or samples), total (with callees) or count (calls,\n"
	"                     objects or waits); default self\n"
	"  --normalize        compare shares of the whole, for runs of different length\n"
	"  --sites            also allocations and waits by call site, with call stacks\n"
	"  --tree[=SOURCE]    compare call paths: by calls, samples, allocations or native memory (default: the first\n"
	"                     of these that both logs have); text has only these then\n"
	"  --value=SOURCE     the same: " DIFF_PATHS_SOURCES "\n"
	"  --min-percent=P    leave out call paths that changed by a smaller share of the whole (default 1; for JSON\n"
	"                     and CSV 0)\n"
	"  --method=PATTERN   only methods and native functions whose name matches\n"
	"  --class=PATTERN    only classes that match, and their methods\n"
	"  --assembly=PATTERN only classes of assemblies that match, and their methods\n"
	"  --fail-above=LIMIT exit with 1 if a figure grew by more: 5% of what it was, 1m (bytes), 20ms, or 100.\n"
	"                     It is the sum of all rows; with --method, --class or --assembly, each row that matches\n"
	"  --of=FIGURE        what --fail-above limits: bytes or objects (live in heap snapshots), retained (bytes,\n"
	"                     with --class), allocated (bytes), allocations, self, total, calls, samples, waits\n"
	"                     (time), or of native memory memory, memory-live, memory-peak, memory-temporary or,\n"
	"                     of logs of record --malloc --leaks, memory-unreachable; default: the first of bytes,\n"
	"                     allocated, self, samples and memory-live that both have\n"
	"  --threads=N        threads that decode events (default: 1)\n"
	"  --help             this text\n"
	"  --version          the version\n\n"
	"Patterns are shell patterns: *, ?, [abc]. Lines that begin with 'note' state what cannot be compared.\n\n"
	"Exit status: 0 success, 1 a log is incomplete or damaged (what could be read was compared), or --fail-above\n"
	"was exceeded or could not be checked (then the message begins with 'mprof: diff: '), 2 wrong usage, 3 not a\n"
	"log or nothing could be read.\n\n"
	"Examples:\n"
	"  mprof diff yesterday.mprof today.mprof\n"
	"  mprof diff --shots=1,5 app.mprof\n"
	"  mprof diff --fail-above=5% --class=Cache --of=bytes yesterday.mprof today.mprof\n";

enum {
	OPTION_SHOTS = OPTION_OWN,
	OPTION_TOP,
	OPTION_SORT,
	OPTION_NORMALIZE,
	OPTION_CSV,
	OPTION_SITES,
	OPTION_TREE,
	OPTION_VALUE,
	OPTION_MIN_PERCENT,
	OPTION_METHOD,
	OPTION_CLASS,
	OPTION_ASSEMBLY,
	OPTION_FAIL_ABOVE,
	OPTION_OF
};

static const struct option options[] = {
	COMMON_OPTIONS,
	THREADS_OPTION,
	{"json", no_argument, NULL, OPTION_JSON},
	{"shots", required_argument, NULL, OPTION_SHOTS},
	{"top", required_argument, NULL, OPTION_TOP},
	{"sort", required_argument, NULL, OPTION_SORT},
	{"normalize", no_argument, NULL, OPTION_NORMALIZE},
	{"csv", optional_argument, NULL, OPTION_CSV},
	{"sites", no_argument, NULL, OPTION_SITES},
	{"tree", optional_argument, NULL, OPTION_TREE},
	{"value", required_argument, NULL, OPTION_VALUE},
	{"min-percent", required_argument, NULL, OPTION_MIN_PERCENT},
	{"method", required_argument, NULL, OPTION_METHOD},
	{"class", required_argument, NULL, OPTION_CLASS},
	{"assembly", required_argument, NULL, OPTION_ASSEMBLY},
	{"fail-above", required_argument, NULL, OPTION_FAIL_ABOVE},
	{"of", required_argument, NULL, OPTION_OF},
	{NULL, 0, NULL, 0},
};

static int parse_shots(diff_options *taken, const char *value)
{
	int length = 0;

	if (sscanf(value, "%9" SCNu64 ",%9" SCNu64 "%n", &taken->shots[DIFF_BEFORE], &taken->shots[DIFF_AFTER],
		   &length) == 2 &&
	    value[length] == '\0' && taken->shots[DIFF_BEFORE] > 0 && taken->shots[DIFF_AFTER] > 0)
		return 1;
	fprintf(stderr, "mprof: --shots: '%s' is not two numbers of heap snapshots, such as 1,2\n", value);
	return 0;
}

static int parse_order(diff_options *taken, const char *value)
{
	static const char *const names[] = {"self", "total", "count"};
	static const diff_measure orders[] = {DIFF_BY_SELF, DIFF_BY_TOTAL, DIFF_BY_COUNT};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], value) == 0) {
			taken->order = orders[i];
			return 1;
		}
	}
	fprintf(stderr, "mprof: --sort: '%s' is not one of self, total, count\n", value);
	return 0;
}

static int apply_option(void *user, int option, const char *value)
{
	diff_options *taken = user;

	switch (option) {
	case OPTION_SHOTS:
		return parse_shots(taken, value);
	case OPTION_TOP:
		taken->has_top = 1;
		return arguments_number("--top", value, 0, UINT64_MAX, &taken->top);
	case OPTION_SORT:
		return parse_order(taken, value);
	case OPTION_NORMALIZE:
		taken->is_normalized = 1;
		return 1;
	case OPTION_CSV:
		taken->is_csv = 1;
		taken->csv_table = value;
		return 1;
	case OPTION_SITES:
		taken->has_sites = 1;
		return 1;
	case OPTION_TREE:
		return diff_paths_choose(taken, "--tree", value);
	case OPTION_VALUE:
		return diff_paths_choose(taken, "--value", value);
	case OPTION_MIN_PERCENT:
		return diff_paths_parse_percent(taken, value);
	case OPTION_METHOD:
		taken->method_pattern = value;
		return 1;
	case OPTION_CLASS:
		taken->class_pattern = value;
		return 1;
	case OPTION_ASSEMBLY:
		taken->assembly_pattern = value;
		return 1;
	case OPTION_FAIL_ABOVE:
		return diff_limit_parse(taken, value);
	default:
		return diff_limit_choose(taken, value);
	}
}

/* Returns -1, or the exit status after a message if the logs cannot be compared. */
static int check_files(const diff_options *taken, int as_json)
{
	if (as_json && taken->is_csv) {
		fprintf(stderr, "mprof: diff: --json and --csv exclude each other\n");
		return arguments_refuse("diff");
	}
	if (taken->limited != NULL && !taken->has_limit) {
		fprintf(stderr, "mprof: diff: --of without --fail-above\n");
		return arguments_refuse("diff");
	}
	if (taken->limited != NULL && strcmp(taken->limited, "retained") == 0 && taken->class_pattern == NULL) {
		fprintf(stderr, "mprof: diff: --of=retained requires --class\n");
		return arguments_refuse("diff");
	}
	if (taken->files[DIFF_AFTER] == NULL && (taken->has_tree || taken->has_sites)) {
		fprintf(stderr, "mprof: diff: --tree, --value and --sites compare two logs\n");
		return arguments_refuse("diff");
	}
	if (taken->is_normalized && taken->has_limit && !taken->is_percent) {
		fprintf(stderr, "mprof: diff: with --normalize, --fail-above must be in percent\n");
		return arguments_refuse("diff");
	}
	if (taken->files[DIFF_AFTER] == NULL && taken->shots[DIFF_BEFORE] == 0) {
		fprintf(stderr, "mprof: diff: only one FILE: give two logs, or --shots\n");
		return arguments_refuse("diff");
	}
	if (taken->files[DIFF_AFTER] != NULL && strcmp(taken->files[DIFF_BEFORE], "-") == 0 &&
	    strcmp(taken->files[DIFF_AFTER], "-") == 0) {
		fprintf(stderr, "mprof: diff: only one of the logs can be standard input\n");
		return arguments_refuse("diff");
	}
	return -1;
}

/* Two logs without anything in common are not equal. */
static int refuse_comparison(void)
{
	fputs("mprof: diff: nothing can be compared: calls, allocations, samples, waits for monitors, native memory "
	      "and heap snapshots are, and there is none that both logs have\n",
	      stderr);
	return STATUS_NOTHING;
}

static int print(const log_diff *diff, int as_json, int status)
{
	if (diff->options.is_csv)
		return diff_print_csv(diff) > status ? STATUS_DAMAGED : status;
	if (as_json)
		diff_print_json(diff);
	else
		diff_print_text(diff);
	return status;
}

int command_diff(int argc, char **argv)
{
	static log_diff diff;
	diff_options taken = {0};
	read_arguments arguments;
	int status = arguments_parse_one_or_two(&arguments, argc, argv, options, help, apply_option, &taken);

	if (status >= 0)
		return status;
	taken.files[DIFF_BEFORE] = arguments.file;
	taken.files[DIFF_AFTER] = arguments.out;
	status = check_files(&taken, arguments.as_json);
	if (status >= 0)
		return status;
	if (!taken.has_top)
		taken.top = arguments.as_json || taken.is_csv ? 0 : 20;
	status = diff_read(&diff, &taken);
	/* A limit that cannot be checked has its own message and status. */
	if (status != STATUS_NOTHING && !taken.has_limit && !diff_tables_comparable(&diff) &&
	    !diff_memory_comparable(&diff))
		status = refuse_comparison();
	else if (status != STATUS_NOTHING && !diff_paths_have_source(&diff))
		status = STATUS_NOTHING;
	else if (status != STATUS_NOTHING)
		status = print(&diff, arguments.as_json, status);
	diff_release(&diff);
	return status;
}
