/* SPDX-License-Identifier: MIT */
/* mprof heap: prints one heap snapshot of a log: classes, dominators, and paths from roots. */
#include "commands/commands.h"
#include "common/arguments.h"
#include "common/input.h"
#include "heap/leaks.h"
#include "heap/overview.h"
#include "heap/paths.h"
#include "heap/selection.h"
#include "heap/view.h"
#include "shared/text.h"

#include <mprof/reader.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/*
 * The processes that the heap snapshots of a log are of.
 */

/* Calls a function for each snapshot. The log is read without messages: they appear when it is read as a whole. */
static void each_snapshot(const char *path, void (*visit)(void *user, size_t number, uint64_t process), void *user)
{
	log_input input;
	mprof_block block;
	size_t number = 0;
	int status = input_open_part(&input, path,
				     MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_DATA) | MPROF_BLOCK_BIT(MPROF_BLOCK_DIRECTIVES));

	while (status == STATUS_OK && input_next_block(&input, &block)) {
		if (!block.loaded || block.kind != MPROF_BLOCK_HEAP_DATA ||
		    (block.as.heap_data.flags & MPROF_HEAP_FLAG_FIRST) == 0)
			continue;
		visit(user, ++number, block.as.heap_data.process);
	}
	input_close(&input);
}

typedef struct process_count {
	uint64_t first;
	size_t count;
} process_count;

static void count_process(void *user, size_t number, uint64_t process)
{
	process_count *found = user;

	(void)number;
	if (process == 0)
		return;
	if (found->count == 0)
		found->first = process;
	if (found->count == 0 || process != found->first)
		found->count = found->count == 0 ? 1 : 2;
}

/* Returns the number of processes with heap snapshots, or 2 if there are more. 0 if the log states none. */
static size_t snapshot_processes_count(const char *path)
{
	process_count found = {0, 0};

	each_snapshot(path, count_process, &found);
	return found.count;
}

static void print_process(void *user, size_t number, uint64_t process)
{
	text_begin_message(user);
	fprintf(stderr, "heap snapshot %zu is of process %" PRIu64 "\n", number, process);
}

/* Prints of which processes the snapshots of a log are, if there are several: a line for each snapshot. */
static void snapshot_processes_explain(const char *path)
{
	if (snapshot_processes_count(path) > 1)
		each_snapshot(path, print_process, (void *)(uintptr_t)path);
}

/*
 * The command.
 */

static const char help[] =
	"Usage: mprof heap [OPTIONS] FILE\n\n"
	"Prints one heap snapshot: the objects of each class with their own size and the size that they retain, the\n"
	"objects that retain the most, and the paths from roots that keep objects alive. What an object retains would\n"
	"be free without it. FILE may be '-' and may be compressed with gzip.\n\n"
	"  --json             as one JSON document, with all classes unless --top is given\n"
	"  --csv              the table of classes as comma-separated values\n"
	"  --at=N             the N-th snapshot of the log, from 1 (default: the last)\n"
	"  --list             only a list of all snapshots\n"
	"  --top=N            maximum rows of each table; 0 means all\n"
	"  --sort=ORDER       classes by retained, bytes, objects or name (default: retained)\n"
	"  --class=PATTERN    only classes whose name matches, and their objects\n"
	"  --paths=PATTERN    only the paths of objects of classes that match, grouped by root and fields\n"
	"  --leaks            what grew in each snapshot of the log, and what holds it\n"
	"  --referrers=PATTERN\n"
	"                     only the fields and roots that refer to objects of classes that match, with counts\n"
	"  --referencing=PATTERN\n"
	"                     only the objects that refer to an object of a class that matches\n"
	"  --referenced-by=PATTERN\n"
	"                     only the objects that an object of a class that matches refers to; the last two and\n"
	"                     --class can be combined, and then all of them hold\n"
	"  --allocated-by=PATTERN\n"
	"                     only objects with a method that matches in the call stack of their allocation\n"
	"  --min-age=N, --max-age=N\n"
	"                     only objects that survived at least, or at most, N collections; these options can be\n"
	"                     combined with the last two and with --class\n"
	"  --object=ADDRESS   only the object at an address: its path, its allocation, its earlier addresses, what it\n"
	"                     refers to, what refers to it\n"
	"  --unreachable      only objects that no root reaches, by class\n"
	"  --memory=MIB       maximum memory for the objects, in MiB (default 4096)\n"
	"  --threads=N        threads that decode events (default: 1)\n"
	"  --help             this text\n"
	"  --version          the version\n\n"
	"Patterns are shell patterns: *, ?, [abc]. A pattern that matches nothing is reported, with the most similar\n"
	"name.\n\n"
	"Exit status: 0 success, 1 the log or the snapshot is incomplete or damaged (what could be read was "
	"printed),\n"
	"2 wrong usage, 3 not a log or nothing could be read.\n\n"
	"Examples:\n"
	"  mprof heap app.mprof\n"
	"  mprof heap --paths='Shop.Order' app.mprof\n"
	"  mprof heap --json --at=2 app.mprof\n";

enum {
	OPTION_AT = OPTION_OWN,
	OPTION_CSV,
	OPTION_LIST,
	OPTION_TOP,
	OPTION_SORT,
	OPTION_CLASS,
	OPTION_PATHS,
	OPTION_REFERRERS,
	OPTION_REFERENCING,
	OPTION_REFERENCED_BY,
	OPTION_ALLOCATED_BY,
	OPTION_MIN_AGE,
	OPTION_MAX_AGE,
	OPTION_OBJECT,
	OPTION_UNREACHABLE,
	OPTION_LEAKS,
	OPTION_MEMORY
};

static const struct option options[] = {
	COMMON_OPTIONS,
	THREADS_OPTION,
	{"json", no_argument, NULL, OPTION_JSON},
	{"csv", no_argument, NULL, OPTION_CSV},
	{"at", required_argument, NULL, OPTION_AT},
	{"list", no_argument, NULL, OPTION_LIST},
	{"top", required_argument, NULL, OPTION_TOP},
	{"sort", required_argument, NULL, OPTION_SORT},
	{"class", required_argument, NULL, OPTION_CLASS},
	{"paths", required_argument, NULL, OPTION_PATHS},
	{"leaks", no_argument, NULL, OPTION_LEAKS},
	{"referrers", required_argument, NULL, OPTION_REFERRERS},
	{"referencing", required_argument, NULL, OPTION_REFERENCING},
	{"referenced-by", required_argument, NULL, OPTION_REFERENCED_BY},
	{"allocated-by", required_argument, NULL, OPTION_ALLOCATED_BY},
	{"min-age", required_argument, NULL, OPTION_MIN_AGE},
	{"max-age", required_argument, NULL, OPTION_MAX_AGE},
	{"object", required_argument, NULL, OPTION_OBJECT},
	{"unreachable", no_argument, NULL, OPTION_UNREACHABLE},
	{"memory", required_argument, NULL, OPTION_MEMORY},
	{NULL, 0, NULL, 0},
};

static int parse_order(heap_options *taken, const char *value)
{
	static const char *const names[] = {"retained", "bytes", "objects", "name"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], value) == 0) {
			taken->order = (heap_order)i;
			return 1;
		}
	}
	fprintf(stderr, "mprof: --sort: '%s' is not one of retained, bytes, objects, name\n", value);
	return 0;
}

/* Options with a pattern. Returns 0 for others. */
static int apply_pattern(heap_options *taken, int option, const char *value)
{
	switch (option) {
	case OPTION_CLASS:
		taken->class_pattern = value;
		return 1;
	case OPTION_PATHS:
		taken->paths_pattern = value;
		return 1;
	case OPTION_REFERRERS:
		taken->referrers_pattern = value;
		return 1;
	case OPTION_REFERENCING:
		taken->referencing_pattern = value;
		return 1;
	case OPTION_REFERENCED_BY:
		taken->referenced_pattern = value;
		return 1;
	case OPTION_ALLOCATED_BY:
		taken->allocated_pattern = value;
		return 1;
	default:
		return 0;
	}
}

static int apply_option(void *user, int option, const char *value)
{
	heap_options *taken = user;

	if (apply_pattern(taken, option, value))
		return 1;
	switch (option) {
	case OPTION_AT:
		return arguments_number("--at", value, 1, UINT32_MAX, &taken->at);
	case OPTION_TOP:
		taken->has_top = 1;
		return arguments_number("--top", value, 0, UINT64_MAX, &taken->top);
	case OPTION_MEMORY:
		return arguments_number("--memory", value, 1, UINT64_MAX >> 20, &taken->memory);
	case OPTION_SORT:
		return parse_order(taken, value);
	case OPTION_MIN_AGE:
		taken->has_min_age = 1;
		return arguments_number("--min-age", value, 0, UINT32_MAX, &taken->min_age);
	case OPTION_MAX_AGE:
		taken->has_max_age = 1;
		return arguments_number("--max-age", value, 0, UINT32_MAX, &taken->max_age);
	case OPTION_OBJECT:
		taken->has_address = 1;
		return arguments_number("--object", value[0] == '#' ? value + 1 : value, 0, UINT64_MAX,
					&taken->address);
	case OPTION_LIST:
		taken->is_list = 1;
		return 1;
	case OPTION_LEAKS:
		taken->is_leaks = 1;
		return 1;
	case OPTION_UNREACHABLE:
		taken->is_unreachable = 1;
		return 1;
	default:
		taken->as_csv = 1;
		return 1;
	}
}

/* Options that contradict each other. Returns 0 after a message. */
static int check_options(const heap_options *taken)
{
	const char *wrong = NULL;

	if (taken->as_json && taken->as_csv)
		wrong = "--json and --csv cannot be combined";
	else if (taken->is_list && taken->at != 0)
		wrong = "--list and --at cannot be combined";
	else if (taken->is_leaks && (taken->as_csv || taken->is_list || taken->is_unreachable || taken->at != 0))
		wrong = "--leaks cannot be combined with --at, --csv, --list and --unreachable";
	if (wrong != NULL)
		fprintf(stderr, "mprof: %s\n", wrong);
	return wrong == NULL;
}

/* \p leaks: NULL if it was not asked for. */
static void print_json(const heap_view *view, const heap_leaks *leaks)
{
	json_writer json;

	json_init(&json, stdout, 0);
	json_begin_document(&json);
	heap_summary_json(view, &json);
	heap_list_json(view, &json);
	heap_classes_json(view, &json);
	heap_largest_json(view, &json);
	heap_paths_json(view, &json);
	heap_selection_json(view, &json);
	heap_referrers_json(view, &json);
	heap_object_json(view, &json);
	if (leaks != NULL) {
		heap_leaks_json(leaks, &json);
	} else {
		json_null(&json, "leak_shots");
		json_null(&json, "leaks");
	}
	json_end_object(&json);
}

static void print_csv(const heap_view *view)
{
	if (view->options.is_list)
		heap_list_csv(view);
	else
		heap_classes_csv(view);
}

/* Prints what the options choose, instead of the usual tables. Returns 0 if there is no such option. */
static int print_chosen(const heap_view *view)
{
	const heap_options *chosen = &view->options;

	if (chosen->has_address)
		heap_object_text(view);
	else if (chosen->referrers_pattern != NULL)
		heap_referrers_text(view);
	else if (heap_selection_is_wanted(view))
		heap_selection_text(view);
	else if (chosen->paths_pattern != NULL)
		heap_paths_text(view);
	else if (chosen->is_unreachable)
		heap_classes_text(view);
	else
		return 0;
	return 1;
}

static void print_text(const heap_view *view)
{
	if (view->options.is_list) {
		heap_list_text(view);
		return;
	}
	heap_summary_text(view);
	if (print_chosen(view))
		return;
	heap_classes_text(view);
	heap_largest_text(view);
	heap_paths_text(view);
}

/* Prints the snapshot that was chosen. \p leaks: as for print_json(). */
static int print_snapshot(const char *path, const heap_options *taken, const heap_leaks *leaks)
{
	int reads_twice =
		taken->has_address || taken->allocated_pattern != NULL || taken->has_min_age || taken->has_max_age;
	heap_view view;
	int status;

	if (reads_twice)
		path = spooled_path(path);
	if (path == NULL)
		return STATUS_NOTHING;
	status = heap_view_read(&view, path, taken);

	if (status == STATUS_OK || status == STATUS_DAMAGED) {
		class_filter_check(&view);
		if (taken->as_json)
			print_json(&view, leaks);
		else if (taken->as_csv)
			print_csv(&view);
		else
			print_text(&view);
	}
	heap_view_release(&view);
	/* Standard input cannot be read again. */
	if (strcmp(path, "-") != 0)
		snapshot_processes_explain(path);
	return status;
}

/* Compares all snapshots. A JSON document has the last one too. */
static int print_leaks(const char *path, const heap_options *taken)
{
	heap_leaks leaks;
	int status;

	path = spooled_path(path);
	if (path == NULL)
		return STATUS_NOTHING;
	/* An address belongs to its process, and so does what grows. */
	if (snapshot_processes_count(path) > 1) {
		snapshot_processes_explain(path);
		fputs("mprof: heap: --leaks: snapshots of different processes are not compared; give the log of one "
		      "process, or compare two of its snapshots with 'mprof diff --shots'\n",
		      stderr);
		return STATUS_USAGE;
	}
	status = heap_leaks_read(&leaks, path, taken);
	if (status != STATUS_NOTHING && taken->as_json) {
		int shown = print_snapshot(path, taken, &leaks);

		status = shown > status ? shown : status;
	} else if (status != STATUS_NOTHING) {
		heap_leaks_text(&leaks);
	}
	heap_leaks_release(&leaks);
	return status;
}

int command_heap(int argc, char **argv)
{
	heap_options taken = {0};
	read_arguments arguments;
	int status = arguments_parse(&arguments, argc, argv, options, help, apply_option, &taken);

	if (status >= 0)
		return status;
	taken.as_json = arguments.as_json;
	if (!check_options(&taken))
		return arguments_refuse("heap");
	return taken.is_leaks ? print_leaks(arguments.file, &taken) : print_snapshot(arguments.file, &taken, NULL);
}
