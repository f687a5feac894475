/* SPDX-License-Identifier: MIT */
/* Prints the tables of the difference of two profiles as JSON. */
#include "diff/table_json.h"

#include "common/output.h"
#include "diff/rows.h"
#include "diff/tables.h"

#include <stdlib.h>

static void json_pair(json_writer *json, const char *name, uint64_t before, uint64_t after)
{
	char key[48];

	if (name == NULL)
		return;
	snprintf(key, sizeof(key), "%s_before", name);
	json_unsigned(json, key, before);
	snprintf(key, sizeof(key), "%s_after", name);
	json_unsigned(json, key, after);
}

static void json_name(json_writer *json, const diff_table *table, const mprof_diff_name *name)
{
	char *text;

	switch (table->table) {
	case MPROF_TABLE_METHODS:
		json_string(json, "class", name->class_name);
		json_string(json, "name", name->name);
		break;
	case MPROF_TABLE_MONITORS:
	case MPROF_TABLE_MONITOR_SITES:
		json_string(json, "class", name->class_name[0] != '\0' ? name->class_name : NULL);
		break;
	default:
		if (table->table == MPROF_TABLE_SAMPLES)
			json_string(json, "kind", name->kind == MPROF_SAMPLE_METHOD ? "managed" : "native");
		text = diff_tables_name(name);
		json_string(json, "name", text);
		free(text);
	}
	json_string(json, "assembly", name->assembly[0] != '\0' ? name->assembly : NULL);
}

void table_json_match(json_writer *json, uint32_t sides, uint32_t name)
{
	json_string(json, "change", sides == MPROF_DIFF_BEFORE ? "gone" : sides == MPROF_DIFF_AFTER ? "new" : "both");
	json_string(json, "match",
		    name & MPROF_DIFF_MERGED    ? "merged"
		    : name & MPROF_DIFF_RENAMED ? "renamed"
						: "name");
}

static void json_stack(const log_diff *diff, json_writer *json, uint32_t stack)
{
	size_t capacity = 0;
	size_t count = 0;
	uint32_t *frames;

	mprof_profile_diff_get_stack(diff->profiles, stack, NULL, 0, &capacity);
	frames = calloc(capacity + 1, sizeof(*frames));
	if (frames == NULL)
		output_out_of_memory();
	else
		mprof_profile_diff_get_stack(diff->profiles, stack, frames, capacity, &count);
	json_begin_array(json, "stack");
	for (size_t i = 0; i < count; i++) {
		char *name = diff_tables_frame(diff, frames[i]);

		json_string(json, NULL, name);
		free(name);
	}
	json_end_array(json);
	free(frames);
}

static void json_row(const log_diff *diff, json_writer *json, const diff_table *table, const diff_row *row,
		     const uint64_t *sums)
{
	const mprof_diff_values *before = &row->values.before;
	const mprof_diff_values *after = &row->values.after;

	json_begin_object(json, NULL);
	json_name(json, table, &row->name);
	json_pair(json, table->count, before->count, after->count);
	json_pair(json, table->self, before->self, after->self);
	json_pair(json, table->total, before->total, after->total);
	json_double(json, "percent_before", 100 * diff_share(before->self, sums[DIFF_BEFORE]));
	json_double(json, "percent_after", 100 * diff_share(after->self, sums[DIFF_AFTER]));
	table_json_match(json, row->values.match, row->name.match);
	if (table->has_stacks)
		json_stack(diff, json, row->values.stack);
	json_end_object(json);
}

void table_json_print(const log_diff *diff, json_writer *json)
{
	for (size_t i = 0; i < DIFF_TABLES; i++) {
		uint64_t sums[DIFF_SIDES] = {0, 0};
		diff_row *rows = NULL;
		size_t count = 0;

		json_begin_array(json, diff_tables[i].key);
		if (diff->profiles != NULL && (!diff_tables[i].has_stacks || diff->options.has_sites)) {
			diff_tables_sums(diff, &diff_tables[i], DIFF_BY_SELF, sums);
			rows = diff_tables_collect(diff, &diff_tables[i], &count);
		}
		for (size_t k = 0; k < diff_rows(diff, count); k++)
			json_row(diff, json, &diff_tables[i], &rows[k], sums);
		json_end_array(json);
		free(rows);
	}
}
