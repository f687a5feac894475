/* SPDX-License-Identifier: MIT */
/* Reports samples: by item, by line of native code, by kind of wait, and as the tree of their call stacks. */
#include "report/samples.h"

#include "common/name_cut.h"
#include "common/table_view.h"
#include "report/contents.h"
#include "report/filters.h"
#include "report/findings.h"
#include "report/parts.h"
#include "report/tree.h"
#include "shared/kinds.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * Names of what samples hit.
 */

const char *report_sample_module(const log_report *report, const sample_item *item)
{
	uint32_t id = item->module;
	mprof_record record;

	if (item->kind == MPROF_SAMPLE_FUNCTION &&
	    mprof_reader_lookup_record(report->input.reader, MPROF_RECORD_FUNCTION, item->id, &record,
				       sizeof(record)) == MPROF_OK)
		id = record.as.function.module;
	return id != 0 && mprof_reader_lookup_record(report->input.reader, MPROF_RECORD_MODULE, id, &record,
						     sizeof(record)) == MPROF_OK
		       ? record.as.module.file
		       : NULL;
}

const char *report_sample_item_name(const log_report *report, const sample_item *item)
{
	return item->name != NULL ? item->name : names_sample(report->input.names, item->kind, item->id);
}

static const char *symbol_of_item(const log_report *report, const sample_item *item)
{
	return item->name != NULL ? item->symbol : names_symbol(report->input.names, item->kind, item->id);
}

/* Prints the name of an item, and the module of a native function. */
static void report_sample_name(const log_report *report, const sample_item *item)
{
	const char *name = report_sample_item_name(report, item);
	const char *module = item->kind == MPROF_SAMPLE_MODULE ? NULL : report_sample_module(report, item);

	if (name == NULL)
		name = item->kind == MPROF_SAMPLE_METHOD ? "(unknown)" : "(native)";
	name_print(name);
	/* On the first screen, names need the room. */
	if (item->is_inlined && !report_is_first_screen(report))
		fputs(" (inlined)", stdout);
	if (module != NULL) {
		fputs(" [", stdout);
		name_print(report_file_name(module));
		putchar(']');
	}
}

/* Prints an item as the rest of a line: its name, and where a native function is defined. */
static void print_item(const log_report *report, const void *row)
{
	const sample_item *item = row;

	report_sample_name(report, item);
	if (item->file != NULL && item->line != 0 && !report_is_first_screen(report)) {
		fputs(" (", stdout);
		name_print(report_file_name(item->file));
		printf(":%" PRIu32 ")", item->line);
	}
	putchar('\n');
}

const char *report_sample_kind(const log_report *report, const sample_item *item)
{
	switch (item->kind) {
	case MPROF_SAMPLE_METHOD:
		return names_is_runtime_work(report->input.reader, item->id) ? "runtime" : "managed";
	case MPROF_SAMPLE_TRUNCATED:
		return "truncated";
	case MPROF_SAMPLE_COLLAPSED:
		return "collapsed";
	case MPROF_SAMPLE_IDLE:
		return "idle";
	default:
		return "native";
	}
}

/* Prints the JSON fields of that. */
static void report_sample_fields(const log_report *report, json_writer *json, const sample_item *item)
{
	json_string(json, "kind", report_sample_kind(report, item));
	json_string(json, "name", report_sample_item_name(report, item));
	json_string(json, "symbol", symbol_of_item(report, item));
	json_string(json, "module", report_sample_module(report, item));
	json_boolean(json, "inlined", item->is_inlined);
}

static void print_item_fields(const log_report *report, json_writer *json, const sample_item *item)
{
	method_name method;

	report_sample_fields(report, json, item);
	if (item->kind == MPROF_SAMPLE_METHOD && item->id != 0) {
		names_method(report->input.reader, item->id, &method);
		report_json_position(json, method.file, method.line);
	} else {
		report_json_position(json, item->file, item->line);
	}
}

/*
 * The time that samples stand for.
 */

static int has_time(const log_report *report, const view_rows *rows)
{
	(void)rows;
	return sampling_has_time(&report->summary.sampling);
}

/* On the first screen, names need the room. */
static int has_room_for_time(const log_report *report, const view_rows *rows)
{
	return has_time(report, rows) && !report_is_first_screen(report);
}

static const char *format_time(const log_report *report, const void *row, uint64_t hits, char text[TEXT_NUMBER_SIZE])
{
	(void)row;
	return text_duration(text, sampling_time_of(&report->summary.sampling, hits));
}

/* Null if the time is not known. */
static void print_time(const log_report *report, json_writer *json, const char *key, uint64_t hits)
{
	const sampling_facts *sampling = &report->summary.sampling;

	if (sampling_has_time(sampling))
		json_unsigned(json, key, sampling_time_of(sampling, hits));
	else
		json_null(json, key);
}

static void print_own_time(const log_report *report, json_writer *json, const void *row, uint64_t hits)
{
	(void)row;
	print_time(report, json, "estimated_ns", hits);
}

static void print_total_time(const log_report *report, json_writer *json, const void *row, uint64_t hits)
{
	(void)row;
	print_time(report, json, "estimated_total_ns", hits);
}

#define OF_ALL_SAMPLES .whole = offsetof(mprof_profile_totals, samples)

/*
 * Items.
 */

static const mprof_table_column item_fields[] = {
	{"kind", MPROF_TYPE_UINT32, MPROF_UNIT_KIND, offsetof(sample_item, kind), 1, 0, 0},
	{"id", MPROF_TYPE_UINT32, MPROF_UNIT_NUMBER, offsetof(sample_item, id), 1, 0, 0},
	{"line", MPROF_TYPE_UINT32, MPROF_UNIT_NUMBER, offsetof(sample_item, line), 1, 0, 0},
	{"name", MPROF_TYPE_TEXT, MPROF_UNIT_TEXT, offsetof(sample_item, name), 1, 0, 0},
	{"file", MPROF_TYPE_TEXT, MPROF_UNIT_TEXT, offsetof(sample_item, file), 1, 0, 0},
	{"self", MPROF_TYPE_UINT64, MPROF_UNIT_COUNT, offsetof(sample_item, self), 1, 0, 0},
	{"total", MPROF_TYPE_UINT64, MPROF_UNIT_COUNT, offsetof(sample_item, total), 1, 0, 0},
	{.name = NULL},
};

static void *read_samples(const log_report *report, size_t *count)
{
	*count = report->samples.item_count;
	return report_view_copy(report->samples.items, sizeof(*report->samples.items), count);
}

static int keep_sample(const log_report *report, const void *row)
{
	const sample_item *item = row;

	if (item->kind == MPROF_SAMPLE_METHOD && item->id != 0)
		return report_wants_method(report, item->id);
	return report_wants_all(report);
}

static void print_row_name(const log_report *report, const void *row)
{
	fputs("  ", stdout);
	print_item(report, row);
}

static void print_row_fields(const log_report *report, json_writer *json, const void *row, uint64_t value)
{
	(void)value;
	print_item_fields(report, json, row);
}

/* The time without samples is known for the whole log only. */
static void report_samples_rest(const log_report *report)
{
	if (report_wants_all(report) && !report_filters_frames(report) &&
	    filter_options_want_all_threads(&report->options) && !report->options.window.is_bounded)
		sampling_print_rest(&report->summary.sampling, 21, stdout);
}

/* Samples without their outer frames, which are not known. */
static uint64_t count_truncated(const sample_item *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (items[i].kind == MPROF_SAMPLE_TRUNCATED)
			return items[i].total;
	}
	return 0;
}

static uint64_t count_truncated_rows(const view_rows *rows)
{
	return count_truncated((const sample_item *)(const void *)rows->rows, rows->count);
}

static void print_truncated(uint64_t truncated)
{
	char text[TEXT_NUMBER_SIZE];

	if (truncated > 0)
		printf("  The outer callers of %s samples are not known: they are below [truncated].\n",
		       text_count(text, truncated));
}

static void note_sampling(const log_report *report, const view_rows *rows)
{
	sampling_print_rate(&report->summary.sampling, stdout);
	print_truncated(count_truncated_rows(rows));
}

static void print_samples(const log_report *report);
static void write_samples(log_report *report, json_writer *json);

const report_view samples_by_item = {
	.table = REPORT_TABLE_SAMPLES,
	.row_size = sizeof(sample_item),
	.fields = item_fields,
	.read = read_samples,
	.present = "total",
	.keep = keep_sample,
	.order = "self total <kind <id <name <file <line",
	.sorts = {{"self", "self", NULL}, {"total", "total", NULL}},
	.title = "Samples",
	.note = note_sampling,
	OF_ALL_SAMPLES,
	.columns = {VIEW_COLUMN(10, "self", "self"), VIEW_SHARE_COLUMN("self"),
		    VIEW_COLUMN_BY(10, "time", .field = "self", .text = format_time, .when = has_room_for_time),
		    VIEW_COLUMN(10, "total", "total"), VIEW_SHARE_COLUMN("total"),
		    VIEW_COLUMN_BY(10, "time", .field = "total", .text = format_time, .when = has_room_for_time),
		    VIEW_COLUMN_BY(0, "method or native function", .print = print_row_name)},
	.json = {VIEW_COMPUTED(print_row_fields), VIEW_FIELD_AS(self, KEY_SAMPLES_SELF),
		 VIEW_FIELD_AS(total, KEY_SAMPLES_TOTAL), VIEW_JOIN(self, print_own_time),
		 VIEW_JOIN(total, print_total_time)},
	.print_text = print_samples,
	.print_json = write_samples,
};

static void print_samples(const log_report *report)
{
	view_rows rows = report_view_collect(report, &samples_by_item);

	report_view_rows_text(report, &samples_by_item, samples_by_item.title, &rows, report->totals.samples);
	if (rows.count > 0)
		report_samples_rest(report);
	free(rows.rows);
}

static void write_samples(log_report *report, json_writer *json)
{
	view_rows rows = report_view_collect(report, &samples_by_item);

	report_view_rows_json(report, json, &samples_by_item, &rows);
	json_unsigned(json, "sample_count", report->totals.samples);
	json_unsigned(json, "samples_truncated", count_truncated_rows(&rows));
	free(rows.rows);
}

/*
 * Lines of native code.
 */

static const mprof_table_column line_fields[] = {
	{"item", MPROF_TYPE_UINT32, MPROF_UNIT_NUMBER, offsetof(sample_line, item), 1, 0, 0},
	{"line", MPROF_TYPE_UINT32, MPROF_UNIT_NUMBER, offsetof(sample_line, line), 1, 0, 0},
	{"file", MPROF_TYPE_TEXT, MPROF_UNIT_TEXT, offsetof(sample_line, file), 1, 0, 0},
	{"self", MPROF_TYPE_UINT64, MPROF_UNIT_COUNT, offsetof(sample_line, hits), 1, 0, 0},
	{.name = NULL},
};

static void *read_lines(const log_report *report, size_t *count)
{
	*count = report_wants_all(report) ? report->samples.line_count : 0;
	return report_view_copy(report->samples.lines, sizeof(*report->samples.lines), count);
}

static void print_line(const log_report *report, const void *row)
{
	const sample_line *line = row;

	fputs("  ", stdout);
	name_print(report_file_name(line->file));
	printf(":%" PRIu32 " ", line->line);
	report_sample_name(report, &report->samples.items[line->item]);
	putchar('\n');
}

static void print_line_fields(const log_report *report, json_writer *json, const void *row, uint64_t item)
{
	const sample_line *line = row;

	report_sample_fields(report, json, &report->samples.items[item]);
	report_json_position(json, line->file, line->line);
}

const report_view samples_by_line = {
	.table = REPORT_TABLE_SAMPLE_LINES,
	.row_size = sizeof(sample_line),
	.fields = line_fields,
	.read = read_lines,
	.order = "self <file <line <item",
	.title = "Samples by line of native code",
	OF_ALL_SAMPLES,
	.columns = {VIEW_COLUMN(10, "self", "self"), VIEW_SHARE_COLUMN("self"),
		    VIEW_COLUMN_BY(10, "time", .field = "self", .text = format_time, .when = has_time),
		    VIEW_COLUMN_BY(0, "line, and its function", .print = print_line)},
	.json = {VIEW_JOIN(item, print_line_fields), VIEW_FIELD_AS(self, KEY_SAMPLES_SELF),
		 VIEW_JOIN(self, print_own_time)},
};

static uint32_t count_modules(const log_report *report)
{
	return (uint32_t)mprof_reader_get_record_count(report->input.reader, MPROF_RECORD_MODULE);
}

/* The module with an ID. Returns 0 if it is not defined, or none of its locations was looked up. */
static int get_module(const log_report *report, uint32_t id, mprof_record *module, debug_state *state)
{
	return native_lines_get_state(report->lines, id, state) &&
	       mprof_reader_lookup_record(report->input.reader, MPROF_RECORD_MODULE, id, module, sizeof(*module)) ==
		       MPROF_OK;
}

static void print_debug_information(const log_report *report)
{
	int is_titled = 0;

	for (uint32_t id = 1; id <= count_modules(report); id++) {
		mprof_record module;
		debug_state state;

		if (!get_module(report, id, &module, &state) || (state != DEBUG_REBUILT && state != DEBUG_UNREADABLE))
			continue;
		if (!is_titled)
			report_title(report, "Without lines and inlined functions", 0, 0,
				     REPORT_TABLE_DEBUG_INFORMATION);
		is_titled = 1;
		fputs("  ", stdout);
		name_print(module.as.module.file);
		puts(state == DEBUG_REBUILT ? ": rebuilt since the recording"
					    : ": debug information is damaged, or too large to read");
	}
}

static void write_debug_information(log_report *report, json_writer *json)
{
	static const char *const names[DEBUG_STATES] = {
		[DEBUG_FOUND] = "found",     [DEBUG_NO_BUILD_ID] = "no build id",
		[DEBUG_NO_FILE] = "no file", [DEBUG_REBUILT] = "rebuilt",
		[DEBUG_NONE] = "none",       [DEBUG_UNREADABLE] = "unreadable"};

	json_begin_array(json, sections_table_key(REPORT_TABLE_DEBUG_INFORMATION));
	for (uint32_t id = 1; id <= count_modules(report); id++) {
		mprof_record module;
		debug_state state;

		if (!get_module(report, id, &module, &state))
			continue;
		json_begin_object(json, NULL);
		json_string(json, "module", module.as.module.file);
		json_string(json, "build_id", module.as.module.build_id);
		json_string(json, "state", names[state]);
		json_end_object(json);
	}
	json_end_array(json);
}

const report_view samples_debug_information = {
	.print_text = print_debug_information,
	.print_json = write_debug_information,
};

/*
 * What threads waited for.
 */

typedef struct wait_row {
	uint32_t kind;
	uint64_t hits;
} wait_row;

/* After the kinds of waits comes what idle threads wait for. */
#define WAIT_IDLE (MPROF_WAIT_OTHER + 1)
#define WAIT_KINDS (WAIT_IDLE + 1)

static const char *const kind_names[WAIT_KINDS] = {
	[MPROF_WAIT_NONE] = "no known wait", [MPROF_WAIT_LOCK] = "lock",     [MPROF_WAIT_CONDITION] = "condition",
	[MPROF_WAIT_EVENT] = "event",        [MPROF_WAIT_JOIN] = "join",     [MPROF_WAIT_SLEEP] = "sleep",
	[MPROF_WAIT_ACCEPT] = "connect",     [MPROF_WAIT_IO] = "read/write", [MPROF_WAIT_POLL] = "poll",
	[MPROF_WAIT_OTHER] = "other",        [WAIT_IDLE] = "idle threads",
};

static const mprof_table_column wait_fields[] = {
	{"kind", MPROF_TYPE_UINT32, MPROF_UNIT_KIND, offsetof(wait_row, kind), 1, 0, 0},
	{"self", MPROF_TYPE_UINT64, MPROF_UNIT_COUNT, offsetof(wait_row, hits), 1, 0, 0},
	{.name = NULL},
};

static void *read_waits(const log_report *report, size_t *count)
{
	wait_row *rows = report_view_allocate(WAIT_KINDS, sizeof(*rows));

	*count = rows != NULL ? WAIT_KINDS : 0;
	for (uint32_t kind = 0; kind < *count; kind++)
		rows[kind].kind = kind;
	for (size_t i = 0; rows != NULL && i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_SAMPLE_NODES);
	     i++) {
		mprof_sample_node node = {.struct_size = sizeof(node)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_SAMPLE_NODES, i, &node);
		rows[node.kind == MPROF_SAMPLE_IDLE  ? WAIT_IDLE
		     : node.wait <= MPROF_WAIT_OTHER ? node.wait
						     : MPROF_WAIT_OTHER]
			.hits += node.self;
	}
	return rows;
}

static const char *name_of_wait(uint32_t kind)
{
	return kind_names[kind];
}

static void print_waits(const log_report *report);

const report_view samples_by_wait = {
	.table = REPORT_TABLE_SAMPLE_WAITS,
	.row_size = sizeof(wait_row),
	.fields = wait_fields,
	.read = read_waits,
	.present = "self",
	.order = "self <kind",
	.title = "Waiting, by kind",
	OF_ALL_SAMPLES,
	.columns = {VIEW_COLUMN(10, "samples", "self"), VIEW_SHARE_COLUMN("self"),
		    VIEW_COLUMN_BY(10, "time", .field = "self", .text = format_time, .when = has_time),
		    VIEW_COLUMN_BY(0, "wait", .field = "kind", .kind = name_of_wait)},
	.json = {VIEW_KIND(kind, "wait", name_of_wait), VIEW_FIELD_AS(self, KEY_SAMPLES_SELF),
		 VIEW_JOIN(self, print_own_time)},
	.shows_all = 1,
	.has_all_rows = 1,
	.print_text = print_waits,
};

/* Nothing if the samples were taken by processor time, in which threads do not wait. */
static void print_waits(const log_report *report)
{
	view_rows rows = report_view_collect(report, &samples_by_wait);

	if ((rows.count > 1 ||
	     (rows.count == 1 && ((const wait_row *)(const void *)rows.rows)->kind != MPROF_WAIT_NONE)) &&
	    strcmp(report->summary.sampling.clock, "processor") != 0)
		report_view_rows_text(report, &samples_by_wait, samples_by_wait.title, &rows, report->totals.samples);
	free(rows.rows);
}

/*
 * The tree.
 */

static const sample_item *item_of(const log_report *report, uint32_t node)
{
	return &report->samples.items[report->samples.nodes[node].item];
}

static void get_tree_node(const log_report *report, uint32_t node, tree_node *found)
{
	const sample_view_node *sample = &report->samples.nodes[node];

	found->node = node;
	found->first_child = sample->first_child;
	found->next_sibling = sample->next_sibling;
	found->name = 0;
	if (node != 0)
		found->name = item_of(report, node)->id != 0 ? item_of(report, node)->id : sample->item;
	found->weight = sample->total;
	found->tiebreak = sample->self;
}

static int has_no_samples(const log_report *report)
{
	return report->totals.samples == 0;
}

static uint64_t count_samples(const log_report *report)
{
	return report->totals.samples;
}

static const char *get_node_name(const log_report *report, uint32_t node)
{
	return report_sample_item_name(report, item_of(report, node));
}

static void print_node_columns(const log_report *report, uint32_t node)
{
	char self[TEXT_NUMBER_SIZE];

	printf(" %10s", text_count(self, report->samples.nodes[node].self));
}

static void print_node_name(const log_report *report, uint32_t node)
{
	print_item(report, item_of(report, node));
}

static void print_node_fields(const log_report *report, json_writer *json, uint32_t node)
{
	const sample_view_node *sample = &report->samples.nodes[node];

	print_item_fields(report, json, item_of(report, node));
	json_unsigned(json, KEY_SAMPLES_SELF, sample->self);
	json_unsigned(json, KEY_SAMPLES_TOTAL, sample->total);
	print_time(report, json, "estimated_ns", sample->self);
	print_time(report, json, "estimated_total_ns", sample->total);
}

static void note_tree(const log_report *report)
{
	print_truncated(count_truncated(report->samples.items, report->samples.item_count));
}

static const report_tree sample_tree = {
	.title = "Sample tree",
	.table = REPORT_TABLE_SAMPLE_TREE,
	.columns = "       self",
	.subject = "method or native function",
	.key = "sample_tree",
	.share_key = "sample_tree_min_percent",
	.hidden_key = "hidden_hits",
	.get = get_tree_node,
	.print_note = note_tree,
	.is_empty = has_no_samples,
	.whole = count_samples,
	.name = get_node_name,
	.format = text_count,
	.print_columns = print_node_columns,
	.print_name = print_node_name,
	.print_fields = print_node_fields,
};

static void print_sample_tree(const log_report *report)
{
	report_tree_text(report, &sample_tree);
}

static void write_sample_tree(log_report *report, json_writer *json)
{
	report_tree_json(report, &sample_tree, json);
}

const report_view samples_tree = {.print_text = print_sample_tree, .print_json = write_sample_tree};

/*
 * Samples of kinds.
 */

/* The kind of a group, which always has one. */
static mprof_sample_kind_stats kind_of_group(const log_report *report, const mprof_sample_group *group)
{
	mprof_sample_kind_stats kind = {.struct_size = sizeof(kind)};

	for (size_t i = 0; mprof_profile_get_row(report->profile, MPROF_TABLE_SAMPLE_KINDS, i, &kind) == MPROF_OK;
	     i++) {
		if (kind.type == group->type)
			return kind;
	}
	memset(&kind, 0, sizeof(kind));
	return kind;
}

static const char *unit_of(const mprof_sample_kind_stats *kind)
{
	const mprof_argument_record argument = {.unit = kind->unit, .unit_name = kind->unit_name};

	return kind_of_argument_unit(&argument);
}

static const char *format_amount(const mprof_sample_kind_stats *kind, uint64_t amount, char text[TEXT_NUMBER_SIZE])
{
	if (kind->unit == MPROF_ARGUMENT_UNIT_NANOSECONDS)
		return text_duration(text, amount);
	return kind->unit == MPROF_ARGUMENT_UNIT_BYTES ? text_bytes(text, amount) : text_count(text, amount);
}

static const char *format_weight(const log_report *report, const void *row, uint64_t number,
				 char text[TEXT_NUMBER_SIZE])
{
	(void)report;
	return format_amount(row, number, text);
}

static const char *format_group(const log_report *report, const void *row, uint64_t number, char text[TEXT_NUMBER_SIZE])
{
	const mprof_sample_kind_stats kind = kind_of_group(report, row);

	return format_amount(&kind, number, text);
}

static int has_unweighted(const log_report *report, const view_rows *rows)
{
	const mprof_sample_kind_stats *kinds = (const void *)rows->rows;

	(void)report;
	for (size_t i = 0; i < rows->count; i++) {
		if (kinds[i].without_weight > 0)
			return 1;
	}
	return 0;
}

static void print_kind(const log_report *report, const void *row)
{
	const mprof_sample_kind_stats *kind = row;

	(void)report;
	fputs("  ", stdout);
	name_print_text(kind->name);
	if (kind->unit == MPROF_ARGUMENT_UNIT_NAMED) {
		fputs(" in ", stdout);
		name_print_text(kind->unit_name);
	}
	if (kind->source[0] != '\0') {
		fputs(" by ", stdout);
		name_print_text(kind->source);
	}
	putchar('\n');
}

static void print_unit(const log_report *report, json_writer *json, const void *row, uint64_t value)
{
	(void)report;
	(void)value;
	json_string(json, "unit", unit_of(row));
}

const report_view sample_kinds_view = {
	.table = REPORT_TABLE_SAMPLE_KINDS,
	.source = MPROF_TABLE_SAMPLE_KINDS,
	.present = "samples",
	.order = "samples <type",
	.title = "Samples of kinds",
	.columns = {VIEW_COLUMN(10, "samples", "samples"),
		    VIEW_COLUMN_BY(12, "stand for", .field = "weight", .text = format_weight),
		    VIEW_COLUMN_BY(10, "no weight", .field = "without_weight", .when = has_unweighted),
		    VIEW_COLUMN(10, "no stack", "without_stack"), VIEW_COLUMN_BY(0, "kind", .print = print_kind)},
	.json = {VIEW_FIELD(name), VIEW_JOIN(unit, print_unit), VIEW_FIELD(source), VIEW_FIELD_NEEDS(period, period),
		 VIEW_FIELD(samples), VIEW_FIELD(weight), VIEW_FIELD(without_weight), VIEW_FIELD(without_stack),
		 VIEW_WITHOUT(type), VIEW_WITHOUT(unit_name)},
	.has_all_rows = 1,
};

static void print_group(const log_report *report, const void *row)
{
	const mprof_sample_group *group = row;
	const mprof_sample_kind_stats kind = kind_of_group(report, group);

	fputs("  ", stdout);
	name_print_text(kind.name != NULL ? kind.name : "");
	printf(", thread 0x%" PRIx64, group->thread);
	if (group->cpu != MPROF_CPU_UNKNOWN)
		printf(", processor %" PRIu32, group->cpu);
	if (group->mode != MPROF_MODE_UNKNOWN)
		printf(", %s", kind_of_mode(group->mode));
	putchar('\n');
}

static void print_kind_name(const log_report *report, json_writer *json, const void *row, uint64_t value)
{
	const mprof_sample_kind_stats kind = kind_of_group(report, row);

	(void)value;
	json_string(json, "name", kind.name);
}

static void print_cpu(const log_report *report, json_writer *json, const void *row, uint64_t value)
{
	(void)report;
	(void)row;
	if (value == MPROF_CPU_UNKNOWN)
		json_null(json, "cpu");
	else
		json_unsigned(json, "cpu", value);
}

static void print_mode(const log_report *report, json_writer *json, const void *row, uint64_t value)
{
	(void)report;
	(void)row;
	json_string(json, "mode", kind_of_mode(value));
}

const report_view sample_kinds_groups = {
	.table = REPORT_TABLE_SAMPLE_GROUPS,
	.source = MPROF_TABLE_SAMPLE_GROUPS,
	.order = "samples <type <thread <cpu",
	.title = "Samples of kinds by thread and processor",
	.columns = {VIEW_COLUMN(10, "samples", "samples"),
		    VIEW_COLUMN_BY(12, "stand for", .field = "weight", .text = format_group),
		    VIEW_COLUMN_BY(0, "kind", .print = print_group)},
	.json = {VIEW_JOIN(type, print_kind_name), VIEW_FIELD(thread), VIEW_JOIN(cpu, print_cpu),
		 VIEW_JOIN(mode, print_mode), VIEW_FIELD(samples), VIEW_FIELD(weight)},
	.has_all_rows = 1,
};
