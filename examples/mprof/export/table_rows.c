/* SPDX-License-Identifier: MIT */
/* Adds the rows of a log to the tables of an export. */
#include "export/table_rows.h"

#include "export/table_cells.h"
#include "report/samples.h"
#include "shared/kinds.h"

#include <mprof/version.h>

#include <inttypes.h>

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
	table_text(sink, mprof_dialect_get_name((mprof_dialect)session->dialect));
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

static void add_log(table_sink *sink, const log_report *report)
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
		table_text(sink, mprof_loss_get_name((mprof_loss_cause)cause));
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
static void add_metric_values(table_sink *sink, const mprof_metric_stats *metric)
{
	const uint64_t values[] = {metric->first, metric->last, metric->minimum, metric->maximum};
	int is_double = (metric->flags & MPROF_METRIC_FLAG_DOUBLE) != 0;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (metric->count == 0 || is_double)
			table_null(sink);
		else
			table_signed(sink, (int64_t)values[i]);
	}
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (metric->count == 0 || !is_double)
			table_null(sink);
		else
			table_real(sink, kind_double_value(values[i]));
	}
}

static void add_metrics(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_METRICS); i++) {
		mprof_metric_stats metric = {.struct_size = sizeof(metric)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_METRICS, i, &metric);
		table_begin_row(sink, TABLE_METRICS);
		table_text(sink, metric.section);
		table_text(sink, metric.name);
		if (metric.flags & MPROF_METRIC_FLAG_THREAD)
			table_address(sink, metric.thread);
		else
			table_null(sink);
		table_text(sink, kind_of_unit(metric.flags));
		table_unsigned(sink, metric.count);
		add_metric_values(sink, &metric);
		if (metric.count > 0)
			table_signed(sink, metric.last_ns);
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

void table_rows_add(table_sink *sink, const log_report *report)
{
	add_log(sink, report);
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
}
