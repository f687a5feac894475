/* SPDX-License-Identifier: MIT */
/* Reports sampled items, and the tree of their call stacks. */
#include "report/samples.h"

#include "common/name_cut.h"
#include "report/filters.h"
#include "report/parts.h"
#include "report/tree.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int fetch_sample(const log_report *report, size_t index, void *row)
{
	const sample_item *item = &report->samples.items[index];

	memcpy(row, item, sizeof(*item));
	if (item->total == 0)
		return 0;
	if (item->kind == MPROF_SAMPLE_METHOD && item->id != 0)
		return report_wants_method(report, item->id);
	return report_wants_all(report);
}

static int compare_texts(const char *left, const char *right)
{
	return strcmp(left != NULL ? left : "", right != NULL ? right : "");
}

static int compare_samples(const void *left, const void *right)
{
	const sample_item *a = left;
	const sample_item *b = right;
	int order = report_larger_first(a->self, b->self);

	order = order != 0 ? order : report_larger_first(a->total, b->total);
	order = order != 0 ? order : report_larger_first(b->kind, a->kind);
	order = order != 0 ? order : report_larger_first(b->id, a->id);
	order = order != 0 ? order : compare_texts(a->name, b->name);
	order = order != 0 ? order : compare_texts(a->file, b->file);
	return order != 0 ? order : report_larger_first(b->line, a->line);
}

static sample_item *collect_samples(const log_report *report, size_t *count)
{
	sample_item *rows = report_collect(report, report->samples.item_count, sizeof(sample_item), fetch_sample,
					   compare_samples, count);

	report_apply_order(report, ORDER_SAMPLES, rows, *count, sizeof(*rows));
	return rows;
}

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

void report_sample_name(const log_report *report, const sample_item *item)
{
	const char *name = report_sample_item_name(report, item);
	const char *module = item->kind == MPROF_SAMPLE_MODULE ? NULL : report_sample_module(report, item);

	if (name == NULL)
		name = item->kind == MPROF_SAMPLE_METHOD ? "(unknown)" : "(native)";
	name_print(name);
	if (item->is_inlined)
		fputs(" (inlined)", stdout);
	if (module != NULL) {
		fputs(" [", stdout);
		name_print(report_file_name(module));
		putchar(']');
	}
}

/* Prints an item as the rest of a line: its name, and where a native function is defined. */
static void print_item(const log_report *report, const sample_item *item)
{
	report_sample_name(report, item);
	if (item->file != NULL && item->line != 0) {
		fputs(" (", stdout);
		name_print(report_file_name(item->file));
		printf(":%" PRIu32 ")", item->line);
	}
	putchar('\n');
}

/* Prints a number of samples, its share, and the time that the samples represent if it can be estimated. */
static void print_hits(const log_report *report, uint64_t hits)
{
	char text[TEXT_NUMBER_SIZE];

	printf(" %10s", text_count(text, hits));
	printf(" %8s", text_percent(text, hits, report->totals.samples));
	if (sampling_has_time(&report->summary.sampling))
		printf(" %10s", text_duration(text, sampling_time_of(&report->summary.sampling, hits)));
}

/* The time without samples is known for the whole log only. */
static void report_samples_rest(const log_report *report)
{
	if (report_wants_all(report) && !report_filters_frames(report) && !report->options.has_thread &&
	    !report->options.window.is_bounded)
		sampling_print_rest(&report->summary.sampling, 21, stdout);
}

/* Samples of which the outer frames are not known. */
static uint64_t count_truncated(const sample_item *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (rows[i].kind == MPROF_SAMPLE_TRUNCATED)
			return rows[i].total;
	}
	return 0;
}

static void print_truncated(uint64_t truncated)
{
	char text[TEXT_NUMBER_SIZE];

	if (truncated > 0)
		printf("  The outer callers of %s samples are not known: they are below [truncated].\n",
		       text_count(text, truncated));
}

void report_samples_text(const log_report *report)
{
	size_t count;
	sample_item *rows = collect_samples(report, &count);
	size_t shown = report_rows(report, count);

	if (count > 0) {
		report_title(report, "Samples", shown, count, TABLE_SAMPLES);
		sampling_print_rate(&report->summary.sampling, stdout);
		print_truncated(count_truncated(rows, count));
		if (sampling_has_time(&report->summary.sampling))
			printf("  %10s %8s %10s %10s %8s %10s", "self", "", "time", "total", "", "time");
		else
			printf("  %10s %8s %10s %8s", "self", "", "total", "");
		puts("  method or native function");
	}
	for (size_t i = 0; i < shown; i++) {
		putchar(' ');
		print_hits(report, rows[i].self);
		print_hits(report, rows[i].total);
		fputs("  ", stdout);
		print_item(report, &rows[i]);
	}
	if (count > 0)
		report_samples_rest(report);
	free(rows);
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
	default:
		return "native";
	}
}

void report_sample_fields(const log_report *report, json_writer *json, const sample_item *item)
{
	json_string(json, "kind", report_sample_kind(report, item));
	json_string(json, "name", report_sample_item_name(report, item));
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

static void print_estimates(const log_report *report, json_writer *json, uint64_t self, uint64_t total)
{
	const sampling_facts *sampling = &report->summary.sampling;

	if (sampling_has_time(sampling)) {
		json_unsigned(json, "estimated_ns", sampling_time_of(sampling, self));
		json_unsigned(json, "estimated_total_ns", sampling_time_of(sampling, total));
	} else {
		json_null(json, "estimated_ns");
		json_null(json, "estimated_total_ns");
	}
}

void report_samples_json(const log_report *report, json_writer *json)
{
	size_t count;
	sample_item *rows = collect_samples(report, &count);
	size_t shown = report_rows(report, count);

	json_begin_array(json, "samples");
	for (size_t i = 0; i < shown; i++) {
		json_begin_object(json, NULL);
		print_item_fields(report, json, &rows[i]);
		json_unsigned(json, "hits", rows[i].self);
		json_unsigned(json, "total_hits", rows[i].total);
		print_estimates(report, json, rows[i].self, rows[i].total);
		json_end_object(json);
	}
	json_end_array(json);
	json_unsigned(json, "samples_total", report->totals.samples);
	json_unsigned(json, "samples_truncated", count_truncated(rows, count));
	free(rows);
}

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
	json_unsigned(json, "hits", sample->self);
	json_unsigned(json, "total_hits", sample->total);
	print_estimates(report, json, sample->self, sample->total);
}

static const report_tree sample_tree = {
	.title = "Sample tree",
	.table = TABLE_SAMPLE_TREE,
	.columns = "       self",
	.subject = "method or native function",
	.key = "sample_tree",
	.share_key = "sample_tree_min_percent",
	.hidden_key = "hidden_hits",
	.get = get_tree_node,
	.is_empty = has_no_samples,
	.whole = count_samples,
	.name = get_node_name,
	.format = text_count,
	.print_columns = print_node_columns,
	.print_name = print_node_name,
	.print_fields = print_node_fields,
};

void report_sample_tree_text(const log_report *report)
{
	report_tree_text(report, &sample_tree);
}

void report_sample_tree_json(const log_report *report, json_writer *json)
{
	report_tree_json(report, &sample_tree, json);
}
