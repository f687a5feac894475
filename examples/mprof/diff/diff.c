/* SPDX-License-Identifier: MIT */
/* Reads the logs of a difference, finds what makes their figures hard to compare, and prints all parts. */
#include "diff/diff.h"

#include "common/arguments.h"
#include "common/csv.h"
#include "common/input.h"
#include "common/json.h"
#include "common/output.h"
#include "diff/heap_part.h"
#include "diff/tables.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/*
 * Reading.
 */

const char *diff_path_of(const log_diff *diff, int side)
{
	const char *name = diff_log_of(diff, side)->input.name;

	if (strcmp(name, "-") != 0)
		return name;
	return diff_log_of(diff, side)->input.is_file ? "/dev/stdin" : NULL;
}

static void read_properties(diff_side *side)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(side->profile, MPROF_TABLE_PROPERTIES); i++) {
		mprof_profile_property property = {.struct_size = sizeof(property)};

		if (mprof_profile_get_row(side->profile, MPROF_TABLE_PROPERTIES, i, &property) != MPROF_OK)
			continue;
		summary_take_property(&side->summary, property.key, property.value);
	}
}

static int refuse_memory(const diff_side *side, mprof_status status, const char *what)
{
	text_begin_message(side->input.name);
	fprintf(stderr, "%s for the %s\n", mprof_status_get_text(status), what);
	return STATUS_NOTHING;
}

static void read_profile(diff_side *side)
{
	mprof_block block;

	memset(&side->summary, 0, sizeof(side->summary));
	while (input_next_block(&side->input, &block)) {
		summary_count_block(&side->summary, &block);
		profile_input_add(&side->input, side->profile, &block);
	}
	profile_input_finish(&side->input, side->profile, &block);
}

static int read_log(diff_side *side, const char *path)
{
	if (input_open(&side->input, path, 0) != STATUS_OK)
		return STATUS_NOTHING;
	do {
		mprof_profile_destroy(side->profile);
		if (mprof_profile_create(NULL, &side->profile) != MPROF_OK)
			return refuse_memory(side, MPROF_ERR_MEMORY, "profile");
		read_profile(side);
	} while (input_begin_again(&side->input));
	side->totals.struct_size = sizeof(side->totals);
	mprof_profile_get_row(side->profile, MPROF_TABLE_TOTALS, 0, &side->totals);
	read_properties(side);
	summary_complete(&side->summary, &side->input);
	return side->input.status;
}

/* Statuses of errors are ordered by severity. */
static void raise_status(int *status, int other)
{
	*status = other > *status ? other : *status;
}

static int compare_profiles(log_diff *diff)
{
	const diff_side *before = &diff->sides[DIFF_BEFORE];
	const diff_side *after = &diff->sides[DIFF_AFTER];
	mprof_frame_tree *trees[DIFF_SIDES] = {NULL, NULL};
	mprof_profile_diff_options options;
	mprof_status status = MPROF_OK;

	mprof_profile_diff_options_init(&options, sizeof(options));
	/* Native memory has no table: its call paths are compared, of what is left at the end if anything is. */
	if (!diff->options.has_tree && diff_memory_is_all(diff)) {
		uint64_t live[DIFF_SIDES] = {0, 0};

		diff_memory_sums(diff, DIFF_MEMORY_LIVE, live);
		diff->options.has_tree = 1;
		diff->options.tree_source = live[DIFF_BEFORE] > 0 || live[DIFF_AFTER] > 0
						    ? MPROF_FRAME_SOURCE_MEMORY_LIVE
						    : MPROF_FRAME_SOURCE_MEMORY;
	}
	if (diff->options.has_tree)
		status = diff_paths_make_trees(diff, trees);
	options.before_tree = trees[DIFF_BEFORE];
	options.after_tree = trees[DIFF_AFTER];
	if (status == MPROF_OK)
		status = mprof_profile_diff_create(before->profile, before->input.reader, after->profile,
						   after->input.reader, &options, &diff->profiles);
	mprof_frame_tree_destroy(trees[DIFF_BEFORE]);
	mprof_frame_tree_destroy(trees[DIFF_AFTER]);
	return status == MPROF_OK ? STATUS_OK : refuse_memory(before, status, "difference");
}

mprof_status diff_read_snapshot(const log_diff *diff, int side, uint64_t blocks, diff_snapshot_function *function,
				void *user)
{
	mprof_heap_graph_options options;
	mprof_heap_graph *graph;
	mprof_status status;
	log_input input;

	mprof_heap_graph_options_init(&options, sizeof(options));
	options.snapshot = (uint32_t)diff->heap[side].shot;
	status = mprof_heap_graph_create(&options, &graph);
	if (status != MPROF_OK)
		return status;
	/* It was opened before, so a failure is that of memory. */
	status = MPROF_ERR_MEMORY;
	if (input_open_again(&input, diff_path_of(diff, side), blocks) == STATUS_OK) {
		input.is_quiet = 1;
		status = mprof_heap_graph_read(graph, input.reader, input_damage, &input);
		if (input_failure(&input) != MPROF_OK)
			status = input_failure(&input);
		if (status != MPROF_ERR_MEMORY && status != MPROF_ERR_IO && status != MPROF_ERR_LIMIT)
			status = function(user, graph, input.reader);
	}
	mprof_heap_graph_destroy(graph);
	input_close(&input);
	return status;
}

int diff_read(log_diff *diff, const diff_options *options)
{
	int status = STATUS_OK;

	memset(diff, 0, sizeof(*diff));
	diff->options = *options;
	for (int side = 0; side < DIFF_SIDES && options->files[side] != NULL && status != STATUS_NOTHING; side++)
		raise_status(&status, read_log(&diff->sides[side], options->files[side]));
	if (status != STATUS_NOTHING)
		raise_status(&status, heap_part_read(diff));
	if (status != STATUS_NOTHING && options->files[DIFF_AFTER] != NULL)
		raise_status(&status, compare_profiles(diff));
	if (status != STATUS_NOTHING && options->has_limit)
		raise_status(&status, diff_limit_check(diff));
	return status;
}

void diff_release(log_diff *diff)
{
	heap_part_release(diff);
	diff_limit_release(diff);
	mprof_profile_diff_destroy(diff->profiles);
	for (int side = 0; side < DIFF_SIDES && diff->options.files[side] != NULL; side++) {
		mprof_profile_destroy(diff->sides[side].profile);
		if (diff->sides[side].input.name != NULL)
			input_close(&diff->sides[side].input);
	}
}

/*
 * Notes: data that one of the logs lacks, losses, other recording options.
 */

typedef struct note_output {
	json_writer *json; /* NULL for text. */
} note_output;

__attribute__((format(printf, 2, 3))) static void put_note(const note_output *out, const char *format, ...)
{
	char text[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (out->json != NULL)
		json_string(out->json, NULL, text);
	else
		printf("note    %s\n", text);
}

static void note_missing(const note_output *out, const char *what, int has_before, int has_after)
{
	if (has_before != has_after)
		put_note(out, "%s cannot be compared: the log %s has none", what,
			 diff_side_name(has_before ? DIFF_AFTER : DIFF_BEFORE));
}

static void note_sites(const note_output *out, const log_diff *diff)
{
	int has_before = diff_tables_recorded(diff, DIFF_BEFORE, MPROF_TABLE_ALLOCATION_SITES);
	int has_after = diff_tables_recorded(diff, DIFF_AFTER, MPROF_TABLE_ALLOCATION_SITES);

	note_missing(out, "call sites of allocations", has_before, has_after);
	if (!has_before && !has_after && diff->sides[DIFF_BEFORE].totals.allocations > 0)
		put_note(out, "no call sites of allocations are known: they require --alloc=objects+stack");
}

static void note_losses(const note_output *out, const log_diff *diff, int side)
{
	const diff_side *log = &diff->sides[side];
	const mprof_session *session = &log->summary.session;

	if (!session->complete)
		put_note(out, "the log %s is incomplete or damaged from offset %" PRIu64 " on", diff_side_name(side),
			 session->valid_bytes);
	if (session->lost_events > 0)
		put_note(out, "the log %s lacks %" PRIu64 " lost events: its figures are too small",
			 diff_side_name(side), session->lost_events);
	if (log->totals.limited)
		put_note(out, "the profile of the log %s exceeds its memory limit: figures are missing",
			 diff_side_name(side));
	if (log->summary.ring.is_partial)
		put_note(out, "the log %s is that of a ring buffer, which overwrote older events",
			 diff_side_name(side));
}

static void note_options(const note_output *out, const diff_side *before, const diff_side *after)
{
	const sampling_facts *old = &before->summary.sampling;
	const sampling_facts *new = &after->summary.sampling;

	if (before->totals.samples > 0 && after->totals.samples > 0 &&
	    (old->requested_hz != new->requested_hz || strcmp(old->clock, new->clock) != 0))
		put_note(out,
			 "samples were taken at %" PRIu64 " Hz of %s time before, at %" PRIu64
			 " Hz of %s time after (0: unknown)",
			 old->requested_hz, old->clock[0] != '\0' ? old->clock : "unknown", new->requested_hz,
			 new->clock[0] != '\0' ? new->clock : "unknown");
	if (summary_lacks_calls(&before->summary) != summary_lacks_calls(&after->summary))
		put_note(out, "calls in precompiled code are missing in the log %s only",
			 diff_side_name(summary_lacks_calls(&before->summary) ? DIFF_BEFORE : DIFF_AFTER));
	if (strcmp(before->summary.filters.only, after->summary.filters.only) != 0 ||
	    strcmp(before->summary.filters.excluded, after->summary.filters.excluded) != 0 ||
	    before->summary.filters.are_changed || after->summary.filters.are_changed)
		put_note(out,
			 "the logs were recorded with different filters, or with filters that changed (--only, --not)");
}

static const struct {
	uint32_t table;
	const char *what;
} noted[] = {
	{MPROF_TABLE_METHODS, "calls"},
	{MPROF_TABLE_CLASSES, "allocations"},
	{MPROF_TABLE_SAMPLES, "samples"},
	{MPROF_TABLE_MONITORS, "waits for monitors"},
};

static void visit_notes(const note_output *out, const log_diff *diff)
{
	const diff_side *before = &diff->sides[DIFF_BEFORE];
	const diff_side *after = &diff->sides[DIFF_AFTER];

	note_losses(out, diff, DIFF_BEFORE);
	if (diff->profiles == NULL)
		return;
	note_losses(out, diff, DIFF_AFTER);
	for (size_t i = 0; i < sizeof(noted) / sizeof(noted[0]); i++)
		note_missing(out, noted[i].what, diff_tables_recorded(diff, DIFF_BEFORE, noted[i].table),
			     diff_tables_recorded(diff, DIFF_AFTER, noted[i].table));
	note_missing(out, "native memory", diff_memory_recorded(diff, DIFF_BEFORE),
		     diff_memory_recorded(diff, DIFF_AFTER));
	if (diff_memory_comparable(diff))
		note_missing(out, "unreachable native memory (record --malloc --leaks)",
			     diff_memory_searched(diff, DIFF_BEFORE), diff_memory_searched(diff, DIFF_AFTER));
	note_missing(out, "heap snapshots", diff->heap[DIFF_BEFORE].shot > 0, diff->heap[DIFF_AFTER].shot > 0);
	if (diff->options.has_sites)
		note_sites(out, diff);
	note_options(out, before, after);
}

static void print_notes_text(const log_diff *diff)
{
	visit_notes(&(note_output){NULL}, diff);
}

static void print_notes_json(const log_diff *diff, json_writer *json)
{
	json_begin_array(json, "notes");
	visit_notes(&(note_output){json}, diff);
	json_end_array(json);
}

/*
 * Printing.
 */

static size_t count_processes(const log_diff *diff, int side)
{
	return mprof_profile_get_row_count(diff_log_of(diff, side)->profile, MPROF_TABLE_PROCESSES);
}

static void print_log_text(const log_diff *diff, int side)
{
	const size_t processes = count_processes(diff, side);

	printf("%-7s ", diff_side_name(side));
	text_name(stdout, diff_log_of(diff, side)->input.name);
	if (!diff_log_of(diff, side)->summary.session.complete)
		fputs(" (incomplete)", stdout);
	if (processes > 1)
		printf(" (sums of %zu processes)", processes);
	putchar('\n');
}

void diff_print_text(const log_diff *diff)
{
	for (int side = 0; side < DIFF_SIDES; side++)
		print_log_text(diff, side);
	print_notes_text(diff);
	if (!diff->options.has_tree || diff->tree_source >= MPROF_FRAME_SOURCE_MEMORY)
		diff_memory_print_text(diff);
	if (diff->options.has_tree && diff->profiles != NULL) {
		diff_paths_print_text(diff);
		return;
	}
	heap_part_print_text(diff);
	diff_tables_print_text(diff);
}

static void print_log_json(const log_diff *diff, int side, json_writer *json)
{
	const diff_side *log = diff_log_of(diff, side);

	json_begin_object(json, diff_side_name(side));
	json_string(json, "file", log->input.name);
	json_string(json, "dialect", mprof_dialect_get_name(log->summary.session.dialect));
	json_boolean(json, "complete", log->summary.session.complete != 0);
	json_unsigned(json, "lost_events", log->summary.session.lost_events);
	json_unsigned(json, "processes", count_processes(diff, side));
	json_end_object(json);
}

static void print_document(const log_diff *diff, json_writer *json)
{
	json_begin_document(json);
	for (int side = 0; side < DIFF_SIDES; side++)
		print_log_json(diff, side, json);
	print_notes_json(diff, json);
	heap_part_print_json(diff, json);
	diff_tables_print_json(diff, json);
	diff_memory_print_json(diff, json);
	diff_paths_print_json(diff, json);
	diff_limit_print_json(diff, json);
	json_end_object(json);
}

void diff_print_json(const log_diff *diff)
{
	json_writer json;

	json_init(&json, stdout, 0);
	print_document(diff, &json);
}

int diff_print_csv(const log_diff *diff)
{
	csv_writer *csv = csv_create(diff->options.csv_table);
	json_writer json;

	if (csv == NULL) {
		output_out_of_memory();
		return STATUS_DAMAGED;
	}
	csv_init_json(csv, &json);
	print_document(diff, &json);
	if (csv_destroy(csv) || diff->options.csv_table == NULL)
		return STATUS_OK;
	fprintf(stderr, "mprof: diff: there are no rows in a table '%s'\n", diff->options.csv_table);
	return STATUS_DAMAGED;
}
