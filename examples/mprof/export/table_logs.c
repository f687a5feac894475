/* SPDX-License-Identifier: MIT */
/* Reads logs into rows of tables, and opens and closes the files of tables. */
#include "export/table_logs.h"

#include "common/arguments.h"
#include "common/output.h"
#include "export/tables.h"
#include "export/targets.h"
#include "report/report.h"
#include "report/samples.h"
#include "shared/kinds.h"
#include "shared/text.h"

#include <mprof/base.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int report_problem(const char *path, const char *problem)
{
	text_begin_message(path);
	fprintf(stderr, "%s\n", problem);
	return 0;
}

/* Opens the file of a table in the directory. */
static int open_table(table_files *files, const export_job *job, table_id table)
{
	export_file *opened = &files->opened[files->count];
	const char *directory = files->file->path;
	const char *problem;
	char *path;

	if (asprintf(&path, "%s/%s%s", directory, table_describe(table)->name, job->target->table_extension) < 0)
		return report_problem(directory, strerror(ENOMEM));
	problem = export_file_open(opened, path, job->target->file_flags, job->mode);
	if (problem != NULL) {
		report_problem(path, problem);
		free(path);
		return 0;
	}
	files->streams[table] = opened->stream;
	files->count++;
	return 1;
}

int table_files_open(table_files *files, const export_job *job, export_file *file)
{
	memset(files, 0, sizeof(*files));
	files->file = file;
	files->is_directory = job->is_directory;
	if (!files->is_directory) {
		files->streams[job->table] = file->stream;
		return 1;
	}
	if (whole_file_is_foreign_link(file->path))
		return report_problem(file->path, "a symbolic link of another user is not followed");
	files->is_created = mkdir(file->path, 0777) == 0;
	if (!files->is_created && errno != EEXIST)
		return report_problem(file->path, strerror(errno));
	for (int table = 0; table < TABLES; table++) {
		if (!open_table(files, job, (table_id)table)) {
			table_files_close(files, 0);
			return 0;
		}
	}
	return 1;
}

int table_files_close(table_files *files, int is_whole)
{
	int is_closed = 1;

	is_whole = is_whole && !output_lacks_memory();
	/* Nothing is replaced if one of the files cannot be written. */
	for (int i = 0; i < files->count; i++) {
		int is_flushed = fflush(files->opened[i].stream) == 0;

		is_whole = is_whole && is_flushed && !export_file_has_failed(&files->opened[i]);
	}
	for (int i = 0; i < files->count; i++) {
		char *path = (char *)files->opened[i].path;
		const char *problem = export_file_close(&files->opened[i], is_whole);

		if (problem != NULL) {
			is_closed = report_problem(path, problem);
			is_whole = 0;
		}
		files->file->size += files->opened[i].size;
		free(path);
	}
	if (files->is_directory && !is_whole) {
		files->file->size = 0;
		if (files->is_created)
			rmdir(files->file->path);
	}
	return is_closed;
}

/* Builds rows of tables. */

static table_value *add_value(table_sink *sink)
{
	static table_value spare;
	table_row *row = &sink->row;
	table_value *value;

	if (row->count == TABLE_COLUMNS_MAX) {
		row->has_failed = 1;
		return &spare;
	}
	value = &row->values[row->count++];
	memset(value, 0, sizeof(*value));
	return value;
}

static void table_signed(table_sink *sink, int64_t number)
{
	add_value(sink)->integer = number;
}

/* Begins a row; its values follow in the order of the columns. */
static void table_begin_row(table_sink *sink, table_id table)
{
	sink->row.table = table;
	sink->row.count = 0;
	sink->row.text_length = 0;
	table_signed(sink, sink->log.number);
}

static void table_null(table_sink *sink)
{
	add_value(sink)->is_null = 1;
}

/* A value above INT64_MAX becomes null, and is counted. */
static void table_unsigned(table_sink *sink, uint64_t number)
{
	table_value *value = add_value(sink);

	if (number > INT64_MAX) {
		value->is_null = 1;
		sink->row.too_large++;
		return;
	}
	value->integer = (int64_t)number;
}

static void table_boolean(table_sink *sink, int number)
{
	add_value(sink)->integer = number != 0;
}

static void table_real(table_sink *sink, double number)
{
	add_value(sink)->real = number;
}

/* Appends to the texts of the row. */
static void append_text(table_row *row, const char *text, size_t length)
{
	size_t needed = row->text_length + length;

	/* An empty text has an address, too: NULL would be no text. */
	if (needed > row->text_capacity || row->text == NULL) {
		size_t capacity = 2 * needed + 256;
		char *larger = realloc(row->text, capacity);

		if (larger == NULL) {
			row->has_failed = 1;
			return;
		}
		row->text = larger;
		row->text_capacity = capacity;
	}
	memcpy(row->text + row->text_length, text, length);
	row->text_length = needed;
}

static void append_plain(table_row *row, const char *text)
{
	const char *plain = plain_text(&row->plain, text);

	if (plain == NULL)
		row->has_failed = 1;
	else
		append_text(row, plain, strlen(plain));
}

static void begin_text(table_sink *sink)
{
	size_t start = sink->row.text_length;

	add_value(sink)->text = start;
}

static void end_text(table_row *row)
{
	table_value *value = &row->values[row->count - 1];

	value->length = row->text_length - value->text;
}

void table_text(table_sink *sink, const char *text)
{
	if (text == NULL) {
		table_null(sink);
		return;
	}
	begin_text(sink);
	append_plain(&sink->row, text);
	end_text(&sink->row);
}

/* Adds a frame to the last value, which is a text, or begins that text if is_first. */
static void table_frame(table_sink *sink, const char *name, int is_first)
{
	if (is_first)
		begin_text(sink);
	else
		append_text(&sink->row, "\n", 1);
	append_plain(&sink->row, name);
	end_text(&sink->row);
}

/* "0x...". */
static void table_address(table_sink *sink, uint64_t address)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	table_text(sink, text);
}

/* Writes the row. */
static void table_end_row(table_sink *sink)
{
	if (sink->row.has_failed || sink->row.count != table_describe(sink->row.table)->column_count + 1)
		sink->has_failed = 1;
	if (!sink->has_failed && !sink->write_row(sink))
		sink->has_failed = 1;
}

const char *table_text_of(const table_row *row, const table_value *value)
{
	return value->length > 0 ? row->text + value->text : "";
}

void table_sink_release(table_sink *sink)
{
	free(sink->row.text);
	plain_text_release(&sink->row.plain);
}

/* Adds names of a log to rows. */

/* The name of a class; null for 0. */
static void table_class(table_sink *sink, const log_report *report, uint32_t id)
{
	class_name name;

	table_text(sink, names_class_or_none(report->input.reader, id, &name));
}

/* The full name of a method; null for 0. */
static void table_method(table_sink *sink, const log_report *report, uint32_t id)
{
	table_text(sink, id != 0 ? names_full_method(report->input.names, id) : NULL);
}

/* A call stack: a frame on each line, the innermost first; null if it is not known. */
static void table_stack(table_sink *sink, const log_report *report, uint32_t stack)
{
	const mprof_stack_frame *frames;
	size_t count = names_stack(report->input.names, stack, &frames);

	const size_t shown = sink->max_depth != 0 && count > sink->max_depth ? sink->max_depth : count;

	if (count == 0)
		table_null(sink);
	for (size_t i = 0; i < shown; i++) {
		const char *name = names_frame(report->input.names, &frames[i]);

		table_frame(sink, name != NULL ? name : "(unknown)", i == 0);
	}
	/* The innermost frame is the first. */
	if (shown < count)
		table_frame(sink, "(outer frames)", 0);
}

static uint64_t number_of(const mprof_table_column *field, const void *row)
{
	const unsigned char *from = (const unsigned char *)row + field->offset;
	uint64_t number = 0;
	uint32_t word;

	if (field->type == MPROF_TYPE_UINT32) {
		memcpy(&word, from, sizeof(word));
		return word;
	}
	memcpy(&number, from, sizeof(number));
	return number;
}

static const char *text_of(const mprof_table_column *field, const void *row)
{
	const char *text;

	memcpy(&text, (const unsigned char *)row + field->offset, sizeof(text));
	return text;
}

static void add_field(table_sink *sink, const mprof_table_column *field, const void *row)
{
	if (field->type == MPROF_TYPE_TEXT)
		table_text(sink, text_of(field, row));
	else if (field->type == MPROF_TYPE_INT64)
		table_signed(sink, (int64_t)number_of(field, row));
	else if (field->unit == MPROF_UNIT_BOOLEAN)
		table_boolean(sink, number_of(field, row) != 0);
	else if (field->unit == MPROF_UNIT_THREAD || field->unit == MPROF_UNIT_ADDRESS)
		table_address(sink, number_of(field, row));
	else
		table_unsigned(sink, number_of(field, row));
}

/*
 * Adds the next columns, up to one that is not made from a field, or to the end of the row. row is a row of the
 * table of the profile.
 */
static void table_fields(table_sink *sink, const log_report *report, const void *row)
{
	const table_description *table = table_describe(sink->row.table);

	/* The first value is the number of the log. */
	while (sink->row.count - 1 < table->column_count) {
		const table_field *from = &table->fields[sink->row.count - 1];

		switch (from->use) {
		case FIELD_VALUE:
			add_field(sink, from->field, row);
			break;
		case FIELD_PAUSE:
			if (((const mprof_collection *)row)->has_pause)
				add_field(sink, from->field, row);
			else
				table_null(sink);
			break;
		case FIELD_NOT:
			table_boolean(sink, number_of(from->field, row) == 0);
			break;
		case FIELD_CLASS_NAME:
			table_class(sink, report, (uint32_t)number_of(from->field, row));
			break;
		case FIELD_METHOD_NAME:
			table_method(sink, report, (uint32_t)number_of(from->field, row));
			break;
		case FIELD_FRAMES:
			table_stack(sink, report, (uint32_t)number_of(from->field, row));
			break;
		case FIELD_HANDLE_TYPE:
			table_text(sink, kind_of_handle((uint32_t)number_of(from->field, row)));
			break;
		case FIELD_TIMELINE_KIND:
			table_text(sink, kind_of_timeline((uint32_t)number_of(from->field, row)));
			break;
		case FIELD_CLOCK_KIND:
			table_text(sink, kind_of_clock((uint32_t)number_of(from->field, row)));
			break;
		case FIELD_EVENT_FORM:
			table_text(sink, kind_of_form((uint32_t)number_of(from->field, row)));
			break;
		default:
			return;
		}
	}
}

/* Adds all rows of a table whose columns are all made from fields. */
static void table_add_rows(table_sink *sink, const log_report *report, table_id table)
{
	const uint32_t source = table_describe(table)->source;
	const size_t size = mprof_table_get_info(source)->row_size;
	size_t *row = malloc(size);

	if (row == NULL) {
		sink->row.has_failed = 1;
		return;
	}
	*row = size;
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, source); i++) {
		if (mprof_profile_get_row(report->profile, source, i, row) != MPROF_OK)
			continue;
		table_begin_row(sink, table);
		table_fields(sink, report, row);
		table_end_row(sink);
	}
	free(row);
}

/* Adds the rows of a log to the tables of an export. */

static void add_session(table_sink *sink, const log_report *report)
{
	const mprof_session *session = &report->summary.session;

	table_text(sink, sink->log.host);
	table_text(sink, sink->log.build);
	table_signed(sink, sink->log.start_us);
	table_unsigned(sink, session->last.time);
	table_text(sink, report->input.name);
	table_text(sink, report->summary.program);
	table_text(sink, session->runtime);
	table_text(sink, mprof_dialect_get_name(session->dialect));
	table_unsigned(sink, session->version);
	table_text(sink, "mprof " MPROF_VERSION_STRING);
	table_boolean(sink, session->complete != 0);
	table_unsigned(sink, session->valid_bytes);
	table_unsigned(sink, report->summary.size);
	table_unsigned(sink, session->lost_events);
	table_boolean(sink, report->totals.limited != 0);
	table_unsigned(sink, report->totals.left_out);
	table_real(sink, session->counters_per_second);
}

static void add_log_row(table_sink *sink, const log_report *report)
{
	table_begin_row(sink, TABLE_LOGS);
	add_session(sink, report);
	table_fields(sink, report, &report->totals);
	table_end_row(sink);
}

static void add_damage(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < input_kept_problems(&report->input); i++) {
		table_begin_row(sink, TABLE_DAMAGE);
		table_unsigned(sink, report->input.problems[i].offset);
		table_text(sink, report->input.problems[i].what);
		table_end_row(sink);
	}
	for (uint32_t cause = 0; cause < KIND_ROOM; cause++) {
		if (report->summary.lost[cause] == 0)
			continue;
		table_begin_row(sink, TABLE_LOSSES);
		table_text(sink, mprof_loss_get_name(cause));
		table_unsigned(sink, report->summary.lost[cause]);
		table_end_row(sink);
	}
}

static void add_methods(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < report->method_count; i++) {
		const mprof_method_stats *stats = &report->methods[i];
		method_name name;

		names_method(report->input.reader, stats->id, &name);
		table_begin_row(sink, TABLE_METHODS);
		table_fields(sink, report, stats);
		table_text(sink, name.class_name);
		table_text(sink, name.name);
		table_text(sink, assembly_names_get(&report->assemblies, name.assembly_id));
		table_boolean(sink, (name.flags & MPROF_METHOD_FLAG_WRAPPER) != 0);
		table_text(sink, name.file);
		if (name.line != 0)
			table_unsigned(sink, name.line);
		else
			table_null(sink);
		table_fields(sink, report, stats);
		table_end_row(sink);
	}
}

static void add_parent(table_sink *sink, size_t node, uint32_t parent)
{
	table_unsigned(sink, node);
	if (node != MPROF_CALL_ROOT)
		table_unsigned(sink, parent);
	else
		table_null(sink);
}

static void add_call_tree(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_CALLS); i++) {
		mprof_call_stats stats = {.struct_size = sizeof(stats)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_CALLS, (uint32_t)i, &stats);
		table_begin_row(sink, TABLE_CALL_TREE);
		add_parent(sink, i, stats.parent);
		table_fields(sink, report, &stats);
		table_boolean(sink, (stats.flags & MPROF_EVENT_FLAG_COMPILING) != 0);
		table_fields(sink, report, &stats);
		table_end_row(sink);
	}
}

static void add_item(table_sink *sink, const log_report *report, const sample_item *item)
{
	table_text(sink, report_sample_kind(report, item));
	table_text(sink, report_sample_item_name(report, item));
	table_text(sink, report_sample_module(report, item));
	table_boolean(sink, item->is_inlined);
}

static void add_samples(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < report->samples.item_count; i++) {
		const sample_item *item = &report->samples.items[i];

		if (item->total == 0)
			continue;
		table_begin_row(sink, TABLE_SAMPLES);
		add_item(sink, report, item);
		table_unsigned(sink, item->self);
		table_unsigned(sink, item->total);
		table_end_row(sink);
	}
}

static void add_sample_tree(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < report->samples.node_count; i++) {
		const sample_view_node *node = &report->samples.nodes[i];

		table_begin_row(sink, TABLE_SAMPLE_TREE);
		add_parent(sink, i, node->parent);
		if (i != 0) {
			add_item(sink, report, &report->samples.items[node->item]);
		} else {
			table_null(sink);
			table_null(sink);
			table_null(sink);
			table_boolean(sink, 0);
		}
		table_unsigned(sink, node->self);
		table_unsigned(sink, node->total);
		table_end_row(sink);
	}
}

static const char *name_of_pause(uint32_t kind)
{
	static const char *const names[] = {"unknown", "stopped_world", "collection", "wait"};

	return names[kind < sizeof(names) / sizeof(names[0]) ? kind : 0];
}

static void add_pauses(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_PAUSES); i++) {
		mprof_pause pause = {.struct_size = sizeof(pause)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_PAUSES, i, &pause);
		table_begin_row(sink, TABLE_PAUSES);
		table_text(sink, name_of_pause(pause.kind));
		table_signed(sink, pause.start_ns);
		table_unsigned(sink, pause.duration_ns);
		table_boolean(sink, !pause.unfinished);
		table_address(sink, pause.thread);
		if (pause.has_collection) {
			table_unsigned(sink, pause.number);
			table_unsigned(sink, pause.generation);
		} else {
			table_null(sink);
			table_null(sink);
		}
		table_class(sink, report, pause.class_id);
		if (pause.holder != 0)
			table_address(sink, pause.holder);
		else
			table_null(sink);
		table_stack(sink, report, pause.stack);
		table_end_row(sink);
	}
}

/* A value is an integer or a double; a double of 53 bits does not hold all integers. */
static void add_values(table_sink *sink, uint32_t flags, int has_values, const uint64_t *values, size_t count)
{
	const int is_double = (flags & MPROF_METRIC_FLAG_DOUBLE) != 0;

	for (size_t i = 0; i < count; i++) {
		if (!has_values || is_double)
			table_null(sink);
		else
			table_signed(sink, (int64_t)values[i]);
	}
	for (size_t i = 0; i < count; i++) {
		if (!has_values || !is_double)
			table_null(sink);
		else
			table_real(sink, kind_double_value(values[i]));
	}
}

/* What identifies a metric. */
static void add_metric_name(table_sink *sink, uint32_t flags, const char *section, const char *name, uint64_t thread,
			    const char *unit)
{
	table_text(sink, section);
	table_text(sink, name);
	if (flags & MPROF_METRIC_FLAG_THREAD)
		table_address(sink, thread);
	else
		table_null(sink);
	table_text(sink, unit);
}

static void add_metrics(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_METRICS); i++) {
		mprof_metric_stats metric = {.struct_size = sizeof(metric)};
		uint64_t values[4];

		mprof_profile_get_row(report->profile, MPROF_TABLE_METRICS, i, &metric);
		/* Its buckets are in another table. */
		if ((metric.flags & MPROF_METRIC_FLAG_HISTOGRAM) != 0)
			continue;
		table_begin_row(sink, TABLE_METRICS);
		add_metric_name(sink, metric.flags, metric.section, metric.name, metric.thread, metric.unit);
		table_unsigned(sink, metric.count);
		values[0] = metric.first;
		values[1] = metric.last;
		values[2] = metric.minimum;
		values[3] = metric.maximum;
		add_values(sink, metric.flags, metric.count > 0, values, 4);
		if (metric.count > 0)
			table_signed(sink, metric.last_ns);
		else
			table_null(sink);
		table_end_row(sink);
	}
}

static void add_histograms(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_HISTOGRAMS); i++) {
		mprof_histogram_stats stats = {.struct_size = sizeof(stats)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_HISTOGRAMS, i, &stats);
		const uint64_t values[] = {stats.min_above, stats.min, stats.p50_above, stats.p50,
					   stats.p90_above, stats.p90, stats.p99_above, stats.p99,
					   stats.max_above, stats.max};

		table_begin_row(sink, TABLE_HISTOGRAMS);
		add_metric_name(sink, stats.flags, stats.section, stats.name, stats.thread, stats.unit);
		table_unsigned(sink, stats.count);
		table_unsigned(sink, stats.buckets);
		add_values(sink, stats.flags, stats.count > 0, values, sizeof(values) / sizeof(values[0]));
		if (stats.count > 0)
			table_signed(sink, stats.last_ns);
		else
			table_null(sink);
		table_end_row(sink);
	}
}

static void add_classes(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < report->class_count; i++) {
		class_name name;

		names_class(report->input.reader, report->classes[i].id, &name);
		table_begin_row(sink, TABLE_CLASSES);
		table_fields(sink, report, &report->classes[i]);
		table_text(sink, name.name);
		table_text(sink, assembly_names_get(&report->assemblies, name.assembly_id));
		table_fields(sink, report, &report->classes[i]);
		table_end_row(sink);
	}
}

static void add_snapshot_classes(table_sink *sink, const log_report *report, size_t snapshot, uint64_t count)
{
	for (size_t i = 0; i < count; i++) {
		mprof_heap_shot_class stats = {.struct_size = sizeof(stats)};

		if (mprof_profile_get_heap_shot_class(report->profile, snapshot, i, &stats) != MPROF_OK)
			continue;
		table_begin_row(sink, TABLE_HEAP_SNAPSHOT_CLASSES);
		table_unsigned(sink, snapshot + 1);
		table_unsigned(sink, stats.class_id);
		table_class(sink, report, stats.class_id);
		table_unsigned(sink, stats.objects);
		table_unsigned(sink, stats.bytes);
		table_end_row(sink);
	}
}

static void add_heap_snapshots(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_HEAP_SHOTS); i++) {
		mprof_heap_shot shot = {.struct_size = sizeof(shot)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_HEAP_SHOTS, i, &shot);
		table_begin_row(sink, TABLE_HEAP_SNAPSHOTS);
		table_unsigned(sink, i + 1);
		table_fields(sink, report, &shot);
		table_end_row(sink);
		add_snapshot_classes(sink, report, i, shot.classes);
	}
}

static void add_lines(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_LINES); i++) {
		mprof_line_stats line = {.struct_size = sizeof(line)};
		sample_item item;

		mprof_profile_get_row(report->profile, MPROF_TABLE_LINES, i, &line);
		table_begin_row(sink, TABLE_LINES);
		item = (sample_item){.kind = line.kind, .id = line.id};
		table_text(sink, report_sample_kind(report, &item));
		table_fields(sink, report, &line);
		table_text(sink, names_sample(report->input.names, line.kind, line.id));
		table_fields(sink, report, &line);
		table_end_row(sink);
	}
}

/* Adds the rows of a log to all tables. */
static void table_rows_add(table_sink *sink, const log_report *report)
{
	add_log_row(sink, report);
	table_add_rows(sink, report, TABLE_PROPERTIES);
	add_damage(sink, report);
	add_methods(sink, report);
	table_add_rows(sink, report, TABLE_THREADS);
	add_call_tree(sink, report);
	add_samples(sink, report);
	add_sample_tree(sink, report);
	add_classes(sink, report);
	table_add_rows(sink, report, TABLE_ALLOCATION_SITES);
	table_add_rows(sink, report, TABLE_MEMORY_SITES);
	table_add_rows(sink, report, TABLE_COLLECTIONS);
	add_heap_snapshots(sink, report);
	table_add_rows(sink, report, TABLE_HANDLES);
	add_pauses(sink, report);
	table_add_rows(sink, report, TABLE_MONITORS);
	table_add_rows(sink, report, TABLE_MONITOR_SITES);
	table_add_rows(sink, report, TABLE_EXCEPTION_SITES);
	add_metrics(sink, report);
	table_add_rows(sink, report, TABLE_MARKS);
	table_add_rows(sink, report, TABLE_EVENT_TYPES);
	table_add_rows(sink, report, TABLE_SPANS);
	table_add_rows(sink, report, TABLE_PROCESSES);
	table_add_rows(sink, report, TABLE_TIMELINES);
	table_add_rows(sink, report, TABLE_CLOCKS);
	add_lines(sink, report);
	table_add_rows(sink, report, TABLE_SAMPLE_KINDS);
	table_add_rows(sink, report, TABLE_SAMPLE_GROUPS);
	add_histograms(sink, report);
	table_add_rows(sink, report, TABLE_MESSAGES);
	table_add_rows(sink, report, TABLE_WAITS);
	table_add_rows(sink, report, TABLE_GC_GENERATIONS);
	table_add_rows(sink, report, TABLE_THREAD_STATES);
}

/* The value of a property of the log; \p otherwise if the log does not have it. */
static const char *property_of(const log_report *report, const char *wanted, const char *otherwise)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_PROPERTIES); i++) {
		mprof_profile_property property = {.struct_size = sizeof(property)};

		if (mprof_profile_get_row(report->profile, MPROF_TABLE_PROPERTIES, i, &property) == MPROF_OK &&
		    strcmp(property.key, wanted) == 0)
			return property.value;
	}
	return otherwise != NULL ? otherwise : "";
}

/* Single spans of a log that a table has at most. */
#define MAX_SPANS 1000000

static void mention_losses(const log_report *report)
{
	if (report->totals.lost_events == 0)
		return;
	text_begin_message(report->input.name);
	fprintf(stderr, "%" PRIu64 " events were lost: all figures are estimates\n", report->totals.lost_events);
}

static void mention_spans(const log_report *report)
{
	if (report->totals.left_out_spans == 0)
		return;
	text_begin_message(report->input.name);
	fprintf(stderr, "left out: %" PRIu64 " of the shorter spans, which only the table event_types counts\n",
		report->totals.left_out_spans);
}

/* A log that states a time after the year 292000 is damaged; its times are then from 1970. */
static int64_t start_of(const log_report *report)
{
	uint64_t start_us = report->summary.session.start.time;

	return start_us <= INT64_MAX ? (int64_t)start_us : 0;
}

static int add_log(const export_job *job, const char *path, table_sink *sink)
{
	static log_report report;
	plain_buffer host = {0};
	plain_buffer build = {0};
	report_options options = job->options;
	int status;

	options.with_pauses = 1;
	options.max_spans = MAX_SPANS;
	status = report_read(&report, path, &options);
	if (input_failure(&report.input) != MPROF_OK)
		status = STATUS_NOTHING;
	if (status == STATUS_OK || status == STATUS_DAMAGED) {
		mention_losses(&report);
		mention_spans(&report);
		sink->log.number++;
		sink->log.host = plain_text(&host, property_of(&report, "host", job->host));
		sink->log.build = plain_text(&build, property_of(&report, "build", job->build));
		sink->log.start_us = start_of(&report);
		if (sink->log.host != NULL && sink->log.build != NULL)
			table_rows_add(sink, &report);
		else
			sink->has_failed = sink->row.has_failed = 1;
	}
	report_release(&report);
	plain_text_release(&host);
	plain_text_release(&build);
	return status;
}

int table_logs_add(const export_job *job, table_sink *sink)
{
	int result = STATUS_OK;

	sink->max_depth = job->max_depth;
	for (size_t i = 0; i < job->path_count && !sink->has_failed; i++) {
		int status = add_log(job, job->paths[i], sink);

		if (status == STATUS_USAGE)
			return STATUS_USAGE;
		if (status != STATUS_OK)
			result = STATUS_DAMAGED;
	}
	if (sink->row.has_failed)
		fprintf(stderr, "mprof: export: %s\n", mprof_status_get_text(MPROF_ERR_MEMORY));
	if (sink->has_failed || sink->log.number == 0)
		return STATUS_NOTHING;
	if (sink->row.too_large > 0) {
		fprintf(stderr, "mprof: export: %" PRIu64 " numbers exceed 63 bits and are missing\n",
			sink->row.too_large);
		result = STATUS_DAMAGED;
	}
	return result;
}
