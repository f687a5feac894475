/* SPDX-License-Identifier: MIT */
/* mprof heap: prints one heap snapshot of a log: classes, dominators, and paths from roots. */
#include "commands/commands.h"
#include "common/arguments.h"
#include "common/growth_path.h"
#include "common/input.h"
#include "common/json.h"
#include "common/name_cut.h"
#include "common/table_view.h"
#include "heap/heap.h"
#include "heap/view.h"
#include "shared/text.h"

#include <mprof/heap.h>
#include <mprof/reader.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What grew over all heap snapshots of a log.
 */

/* How many of the snapshots that are left out are named. */
#define HEAP_LEAKS_NAMED 10

typedef struct heap_leaks {
	heap_options options;
	log_input input;
	mprof_heap_diff *diff;
	uint64_t snapshot_count; /**< In the log; the comparison has the complete ones with roots. */
	uint64_t incomplete_count;
	uint64_t incomplete[HEAP_LEAKS_NAMED]; /**< The first of them, as numbers from 1. */
	uint64_t rootless_count;
	uint64_t final_count; /**< Taken when the runtime shut down: nothing grows any more. */
	uint64_t usual_count; /**< Snapshots before these; UINT64_MAX if the log does not state it. */
	uint64_t compared_count;
	int is_last_at_exit;      /**< The last one may have been taken while the program ended. */
	uint64_t inexact_objects; /**< Most in a snapshot. */
	mprof_heap_growth *rows;  /**< Those that hold the most additional memory first. */
	size_t count;
	int status; /**< The exit status so far, apart from that of the input. */
} heap_leaks;

#define USUAL_ROWS 20

/* Between two snapshots, all that a program keeps grows. */
#define MIN_SNAPSHOTS 3

/* Only these blocks are needed. */
#define WANTED_BLOCKS                                                                                                  \
	(MPROF_BLOCK_BIT(MPROF_BLOCK_INTRO) | MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING) |                                   \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_LOADED) | MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_DATA) |                                \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_ROOTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_FIELDS) |                                    \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_OBJECT_LABELS) | MPROF_BLOCK_BIT(MPROF_BLOCK_DIRECTIVES))

static int fail(heap_leaks *leaks, mprof_status status)
{
	progress_hide(&leaks->input.progress);
	text_begin_message(leaks->input.name);
	fprintf(stderr, "%s for the comparison of heap snapshots\n", mprof_status_get_text(status));
	return STATUS_NOTHING;
}

/* Reads the next snapshots of the log up to the one with a number, counted from the latest that was read. */
static mprof_status read_graph(heap_leaks *leaks, uint32_t number, int list_only, mprof_heap_graph **graph)
{
	mprof_heap_graph_options options;
	mprof_status status;

	mprof_heap_graph_options_init(&options, sizeof(options));
	options.snapshot = number;
	options.list_only = list_only != 0;
	options.max_memory = leaks->options.memory << 20;
	status = mprof_heap_graph_create(&options, graph);
	if (status == MPROF_OK)
		status = mprof_heap_graph_read(*graph, leaks->input.reader, input_damage, &leaks->input);
	/* Damage of the log was reported; everything before and after it is there. */
	return status == MPROF_ERR_MEMORY || status == MPROF_ERR_LIMIT ? status : input_failure(&leaks->input);
}

static void leave_out_incomplete(heap_leaks *leaks, uint64_t number)
{
	if (leaks->incomplete_count < HEAP_LEAKS_NAMED)
		leaks->incomplete[leaks->incomplete_count] = number;
	leaks->incomplete_count++;
}

/* Adds a snapshot to the comparison, unless it cannot be compared with others. */
static mprof_status add_snapshot(heap_leaks *leaks, const mprof_heap_graph *graph, uint64_t number)
{
	mprof_heap_graph_totals totals = {.struct_size = sizeof(totals)};

	mprof_heap_graph_get_totals(graph, &totals);
	if (totals.snapshot == 0 || totals.incomplete) {
		leave_out_incomplete(leaks, number);
		return MPROF_OK;
	}
	if (!totals.has_roots) {
		leaks->rootless_count++;
		return MPROF_OK;
	}
	leaks->compared_count++;
	return mprof_heap_diff_add(leaks->diff, graph, leaks->input.reader, 0);
}

/*
 * Reads one snapshot after another. Each graph continues where the one before ended, so that the log is read only once.
 * A graph would search the whole log for the end of an incomplete snapshot, so these are skipped.
 */
static mprof_status read_snapshots(heap_leaks *leaks, const mprof_heap_graph *list)
{
	mprof_heap_snapshot snapshot = {.struct_size = sizeof(snapshot)};
	mprof_status status = MPROF_OK;
	uint32_t number = 0;

	for (size_t i = 0; status == MPROF_OK && mprof_heap_graph_get_snapshot(list, i, &snapshot) == MPROF_OK; i++) {
		mprof_heap_graph *graph = NULL;

		number++;
		if (snapshot.number > leaks->usual_count) {
			leaks->final_count++;
			continue;
		}
		if (snapshot.incomplete) {
			leave_out_incomplete(leaks, i + 1);
			continue;
		}
		status = read_graph(leaks, number, 0, &graph);
		if (status == MPROF_OK)
			status = add_snapshot(leaks, graph, i + 1);
		mprof_heap_graph_destroy(graph);
		number = 0;
	}
	return status;
}

/*
 * The last snapshot of a complete log may be that of the program's end, unless the log states which ones are. That of a
 * truncated log is not, and neither is the last one that is compared if the end's is left out.
 */
static int ends_with_program(const heap_leaks *leaks, const mprof_heap_graph *list)
{
	mprof_heap_snapshot last = {.struct_size = sizeof(last)};

	return leaks->usual_count == UINT64_MAX && leaks->snapshot_count > 0 &&
	       mprof_heap_graph_get_snapshot(list, (size_t)leaks->snapshot_count - 1, &last) == MPROF_OK &&
	       !last.incomplete;
}

static mprof_status create_diff(heap_leaks *leaks, const mprof_heap_graph *list)
{
	mprof_heap_diff_options options;

	mprof_heap_diff_options_init(&options, sizeof(options));
	options.max_memory = leaks->options.memory << 20;
	leaks->is_last_at_exit = ends_with_program(leaks, list);
	return mprof_heap_diff_create(&options, &leaks->diff);
}

/* The log is read for the list of snapshots first. */
static int read_all(heap_leaks *leaks, const char *path)
{
	mprof_session session = {.struct_size = sizeof(session)};
	mprof_heap_graph *list = NULL;
	mprof_status status = read_graph(leaks, 0, 1, &list);
	int list_status = leaks->input.status;

	leaks->snapshot_count = mprof_heap_graph_get_snapshot_count(list);
	(void)mprof_reader_get_session(leaks->input.reader, &session);
	leaks->usual_count = session.snapshots_before_shutdown;
	if (status == MPROF_OK)
		status = create_diff(leaks, list);
	if (status == MPROF_OK) {
		input_close(&leaks->input);
		if (input_open_again(&leaks->input, path, WANTED_BLOCKS) != STATUS_OK) {
			mprof_heap_graph_destroy(list);
			return STATUS_NOTHING;
		}
		/* The damage was reported, so it is not reported again. */
		leaks->input.is_quiet = 1;
		status = read_snapshots(leaks, list);
	}
	mprof_heap_graph_destroy(list);
	leaks->status = list_status;
	if (leaks->incomplete_count > 0)
		leaks->status = STATUS_DAMAGED;
	return status == MPROF_OK ? leaks->status : fail(leaks, status);
}

static int find_growth(heap_leaks *leaks)
{
	mprof_heap_diff_totals totals = {.struct_size = sizeof(totals)};
	mprof_status status;

	if (leaks->compared_count < MIN_SNAPSHOTS)
		return leaks->status;
	mprof_heap_diff_get_totals(leaks->diff, &totals);
	leaks->rows = calloc((size_t)totals.shapes + 1, sizeof(*leaks->rows));
	if (leaks->rows == NULL)
		return fail(leaks, MPROF_ERR_MEMORY);
	status = mprof_heap_diff_get_growth(leaks->diff, leaks->rows, sizeof(*leaks->rows), (size_t)totals.shapes,
					    &leaks->count);
	for (size_t i = 0; i < totals.snapshots; i++) {
		mprof_heap_diff_snapshot snapshot = {.struct_size = sizeof(snapshot)};

		mprof_heap_diff_get_snapshot(leaks->diff, i, &snapshot);
		if (snapshot.inexact_objects > leaks->inexact_objects)
			leaks->inexact_objects = snapshot.inexact_objects;
	}
	return status == MPROF_OK ? leaks->status : fail(leaks, status);
}

/*
 * Compares the snapshots of a log, which is read several times, so it must be a file. Returns an exit status; with
 * STATUS_NOTHING, a message was printed and there is no data. Call heap_leaks_release() in any case.
 */
static int heap_leaks_read(heap_leaks *leaks, const char *path, const heap_options *options)
{
	int status;

	memset(leaks, 0, sizeof(*leaks));
	leaks->options = *options;
	if (input_open(&leaks->input, path, WANTED_BLOCKS) != STATUS_OK)
		return STATUS_NOTHING;
	status = read_all(leaks, path);
	return status != STATUS_NOTHING ? find_growth(leaks) : status;
}

static void heap_leaks_release(heap_leaks *leaks)
{
	free(leaks->rows);
	mprof_heap_diff_destroy(leaks->diff);
	input_close(&leaks->input);
}

/* A shape in the last snapshot that was compared. */
static mprof_heap_shape shape_at(const heap_leaks *leaks, uint32_t index)
{
	return growth_shape(leaks->diff, (size_t)leaks->compared_count - 1, index);
}

static void print_leak(const heap_leaks *leaks, const mprof_heap_growth *row)
{
	char texts[4][TEXT_NUMBER_SIZE];

	fputs("  ", stdout);
	name_print(shape_at(leaks, row->shape).class_name);
	printf(" grew in %u of %u snapshots, %s -> %s", (unsigned)row->grown_snapshots, (unsigned)row->snapshots,
	       text_bytes(texts[0], row->bytes_first), text_bytes(texts[1], row->bytes_last));
	if (row->is_by_size)
		puts(" in the same number of objects");
	else
		printf(", %s -> %s objects\n", text_count(texts[2], row->objects_first),
		       text_count(texts[3], row->objects_last));
	fputs("    held by ", stdout);
	growth_path_text(stdout, leaks->diff, (size_t)leaks->compared_count - 1, row->shape);
	putchar('\n');
}

static void print_incomplete(const heap_leaks *leaks)
{
	if (leaks->incomplete_count == 0)
		return;
	printf("  Not compared: %" PRIu64 " incomplete heap snapshot%s: number", leaks->incomplete_count,
	       leaks->incomplete_count == 1 ? "" : "s");
	for (uint64_t i = 0; i < leaks->incomplete_count && i < HEAP_LEAKS_NAMED; i++)
		printf("%s %" PRIu64, i > 0 ? "," : "", leaks->incomplete[i]);
	puts(leaks->incomplete_count > HEAP_LEAKS_NAMED ? ", and more. 'mprof heap --list' lists them." : ".");
}

static int is_in_each(const heap_leaks *leaks)
{
	for (size_t i = 0; i < leaks->count; i++) {
		if (leaks->rows[i].grown_snapshots < leaks->rows[i].snapshots)
			return 0;
	}
	return 1;
}

/* States which snapshots were not compared. */
static void print_left_out(const heap_leaks *leaks)
{
	print_incomplete(leaks);
	if (leaks->final_count > 0)
		printf("  Not compared: %" PRIu64 " heap snapshot%s of the runtime shutting down.\n",
		       leaks->final_count, leaks->final_count == 1 ? "" : "s");
	if (leaks->rootless_count > 0)
		printf("  Not compared: %" PRIu64
		       " heap snapshot%s without roots: what holds an object is not known.\n",
		       leaks->rootless_count, leaks->rootless_count == 1 ? "" : "s");
	if (!is_in_each(leaks) && leaks->is_last_at_exit)
		puts("  The last heap snapshot may be that of the program's end, so growth is not expected in it.");
	if (leaks->inexact_objects > 0)
		printf("  The paths of up to %" PRIu64
		       " objects are too long or too different: growth among them may be\n"
		       "  reported for the objects that hold them, or not at all.\n",
		       leaks->inexact_objects);
}

static void print_title(const heap_leaks *leaks)
{
	printf("%s %" PRIu64 " heap snapshots, with all that the objects hold",
	       is_in_each(leaks) ? "Growth in each of" : "Growth over", leaks->compared_count);
}

static void heap_leaks_text(const heap_leaks *leaks)
{
	uint64_t shown = leaks->options.has_top ? leaks->options.top : USUAL_ROWS;

	if (shown == 0 || shown > leaks->count)
		shown = leaks->count;
	if (leaks->compared_count < MIN_SNAPSHOTS) {
		printf("Growth is only visible in three or more complete heap snapshots with roots; the log has "
		       "%" PRIu64 ".\n",
		       leaks->compared_count);
	} else if (leaks->count == 0) {
		printf("No class grew from snapshot to snapshot: %" PRIu64 " were compared.\n", leaks->compared_count);
	} else {
		print_title(leaks);
		if (shown < leaks->count)
			printf(" (%" PRIu64 " of %zu)", shown, leaks->count);
		putchar('\n');
	}
	for (size_t i = 0; i < shown; i++)
		print_leak(leaks, &leaks->rows[i]);
	print_left_out(leaks);
}

static void get_growth(const void *user, size_t index, table_row *row)
{
	row->growth = ((const heap_leaks *)user)->rows[index];
}

static void print_class(const void *user, json_writer *json, const char *key, const void *row)
{
	json_string(json, key, shape_at(user, ((const mprof_heap_growth *)row)->shape).class_name);
}

/* Fields of their own: the root and the steps. */
static void print_path(const void *user, json_writer *json, const char *key, const void *row)
{
	const heap_leaks *leaks = user;

	(void)key;
	growth_path_json(leaks->diff, (size_t)leaks->compared_count - 1, ((const mprof_heap_growth *)row)->shape, json);
}

static const table_view leaks_view = {
	.table = MPROF_HEAP_TABLE_GROWTH,
	.fields =
		{
			{TABLE_PRINT, .key = "class", .print = print_class},
			{.field = "bytes_first"},
			{.field = "bytes_last"},
			{.field = "objects_first"},
			{.field = "objects_last"},
			{.key = "shots", .field = "grown_snapshots"},
			{TABLE_PRINT, .field = "shape", .print = print_path},
		},
};

/* Prints the keys "leak_shots" and "leaks". */
static void heap_leaks_json(const heap_leaks *leaks, json_writer *json)
{
	const table_rows rows = {leaks->count, get_growth, leaks, leaks->input.reader, 0};
	const uint64_t top = leaks->options.top;

	json_begin_object(json, "leak_shots");
	json_unsigned(json, "compared", leaks->compared_count);
	json_unsigned(json, "incomplete", leaks->incomplete_count);
	json_unsigned(json, "without_roots", leaks->rootless_count);
	json_unsigned(json, "at_shutdown", leaks->final_count);
	json_unsigned(json, "inexact_objects", leaks->inexact_objects);
	json_end_object(json);
	table_view_json(&leaks_view, &rows, top != 0 && top < rows.count ? (size_t)top : rows.count, json, "leaks");
}

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
