/* SPDX-License-Identifier: MIT */
/* Prints a difference as text and as JSON. */
#include "common/csv.h"
#include "common/exit_status.h"
#include "common/json.h"
#include "common/output.h"
#include "diff/heap_part.h"
#include "diff/limit.h"
#include "diff/notes.h"
#include "diff/paths.h"
#include "diff/rows.h"
#include "diff/table_json.h"
#include "diff/table_text.h"

static void print_log_text(const log_diff *diff, int side)
{
	printf("%-7s ", diff_side_name(side));
	text_name(stdout, diff_log_of(diff, side)->input.name);
	if (!diff_log_of(diff, side)->summary.session.complete)
		fputs(" (incomplete)", stdout);
	putchar('\n');
}

void diff_print_text(const log_diff *diff)
{
	for (int side = 0; side < DIFF_SIDES; side++)
		print_log_text(diff, side);
	diff_notes_print_text(diff);
	if (diff->options.has_tree && diff->profiles != NULL) {
		diff_paths_print_text(diff);
		return;
	}
	heap_part_print_text(diff);
	table_text_print(diff);
}

static void print_log_json(const log_diff *diff, int side, json_writer *json)
{
	const diff_side *log = diff_log_of(diff, side);

	json_begin_object(json, diff_side_name(side));
	json_string(json, "file", log->input.name);
	json_string(json, "dialect", mprof_dialect_get_name((mprof_dialect)log->summary.session.dialect));
	json_boolean(json, "complete", log->summary.session.complete != 0);
	json_unsigned(json, "lost_events", log->summary.session.lost_events);
	json_end_object(json);
}

static void print_document(const log_diff *diff, json_writer *json)
{
	json_begin_document(json);
	for (int side = 0; side < DIFF_SIDES; side++)
		print_log_json(diff, side, json);
	diff_notes_print_json(diff, json);
	heap_part_print_json(diff, json);
	table_json_print(diff, json);
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
