/* SPDX-License-Identifier: MIT */
/* Adds the rows of a log to the tables of an export. */
#include "export/table_rows.h"

#include "export/table_cells.h"
#include "export/table_rows_memory.h"
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
	const mprof_profile_totals *totals = &report->totals;

	table_begin_row(sink, TABLE_LOGS);
	add_session(sink, report);
	table_unsigned(sink, totals->events);
	table_unsigned(sink, totals->wall_ns);
	table_unsigned(sink, totals->calls);
	table_unsigned(sink, totals->method_ns);
	table_unsigned(sink, totals->samples);
	table_unsigned(sink, totals->allocations);
	table_unsigned(sink, totals->allocated_bytes);
	table_unsigned(sink, totals->freed_objects);
	table_unsigned(sink, totals->freed_bytes);
	table_unsigned(sink, totals->jit_methods);
	table_unsigned(sink, totals->jit_ns);
	table_unsigned(sink, totals->collections);
	table_unsigned(sink, totals->gc_ns);
	table_unsigned(sink, totals->exceptions);
	table_unsigned(sink, totals->contentions);
	table_unsigned(sink, totals->contended_ns);
	table_unsigned(sink, totals->handles_alive);
	table_end_row(sink);
}

static void add_properties(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_PROPERTIES); i++) {
		mprof_profile_property property = {.struct_size = sizeof(property)};

		if (mprof_profile_get_row(report->profile, MPROF_TABLE_PROPERTIES, i, &property) != MPROF_OK)
			continue;
		table_begin_row(sink, TABLE_PROPERTIES);
		table_text(sink, property.key);
		table_text(sink, property.value);
		table_end_row(sink);
	}
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
		table_unsigned(sink, stats->id);
		table_text(sink, name.class_name);
		table_text(sink, name.name);
		table_text(sink, assembly_names_get(&report->assemblies, name.assembly_id));
		table_boolean(sink, (name.flags & MPROF_METHOD_FLAG_WRAPPER) != 0);
		table_text(sink, name.file);
		if (name.line != 0)
			table_unsigned(sink, name.line);
		else
			table_null(sink);
		table_unsigned(sink, stats->calls);
		table_unsigned(sink, stats->total_ns);
		table_unsigned(sink, stats->self_ns);
		table_unsigned(sink, stats->jit_ns);
		table_unsigned(sink, stats->samples);
		table_unsigned(sink, stats->samples_total);
		table_end_row(sink);
	}
}

static void add_threads(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS); i++) {
		mprof_thread_stats stats = {.struct_size = sizeof(stats)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_THREADS, i, &stats);
		table_begin_row(sink, TABLE_THREADS);
		table_address(sink, stats.id);
		table_text(sink, stats.name);
		table_unsigned(sink, stats.events);
		table_unsigned(sink, stats.self_ns);
		table_unsigned(sink, stats.wall_ns);
		table_unsigned(sink, stats.cpu_ns);
		table_unsigned(sink, stats.ready_ns);
		table_unsigned(sink, stats.samples);
		table_unsigned(sink, stats.lost);
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
		table_unsigned(sink, stats.method);
		table_method(sink, report, stats.method);
		table_boolean(sink, (stats.flags & MPROF_EVENT_FLAG_COMPILING) != 0);
		table_unsigned(sink, stats.calls);
		table_unsigned(sink, stats.total_ns);
		table_unsigned(sink, stats.self_ns);
		table_unsigned(sink, stats.allocations);
		table_unsigned(sink, stats.bytes);
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

static void add_monitors(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_MONITORS); i++) {
		mprof_monitor_stats stats = {.struct_size = sizeof(stats)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_MONITORS, i, &stats);
		table_begin_row(sink, TABLE_MONITORS);
		table_unsigned(sink, stats.class_id);
		table_class(sink, report, stats.class_id);
		table_unsigned(sink, stats.contentions);
		table_unsigned(sink, stats.acquired);
		table_unsigned(sink, stats.failures);
		table_unsigned(sink, stats.contended_ns);
		table_unsigned(sink, stats.unfinished);
		table_end_row(sink);
	}
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_MONITOR_SITES); i++) {
		mprof_monitor_site site = {.struct_size = sizeof(site)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_MONITOR_SITES, i, &site);
		table_begin_row(sink, TABLE_MONITOR_SITES);
		table_unsigned(sink, site.class_id);
		table_class(sink, report, site.class_id);
		table_stack(sink, report, site.stack);
		table_unsigned(sink, site.contentions);
		table_unsigned(sink, site.contended_ns);
		table_unsigned(sink, site.failures);
		table_unsigned(sink, site.unfinished);
		table_end_row(sink);
	}
}

static void add_exception_sites(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_EXCEPTION_SITES); i++) {
		mprof_exception_site site = {.struct_size = sizeof(site)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_EXCEPTION_SITES, i, &site);
		table_begin_row(sink, TABLE_EXCEPTION_SITES);
		table_unsigned(sink, site.class_id);
		table_class(sink, report, site.class_id);
		table_stack(sink, report, site.stack);
		table_unsigned(sink, site.exceptions);
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

static void add_marks(table_sink *sink, const log_report *report)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_MARKS); i++) {
		mprof_mark mark = {.struct_size = sizeof(mark)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_MARKS, i, &mark);
		table_begin_row(sink, TABLE_MARKS);
		table_signed(sink, mark.time_ns);
		table_address(sink, mark.thread);
		table_text(sink, mark.text);
		table_end_row(sink);
	}
}

void table_rows_add(table_sink *sink, const log_report *report)
{
	add_log(sink, report);
	add_properties(sink, report);
	add_damage(sink, report);
	add_methods(sink, report);
	add_threads(sink, report);
	add_call_tree(sink, report);
	add_samples(sink, report);
	add_sample_tree(sink, report);
	table_rows_add_memory(sink, report);
	add_pauses(sink, report);
	add_monitors(sink, report);
	add_exception_sites(sink, report);
	add_metrics(sink, report);
	add_marks(sink, report);
}
