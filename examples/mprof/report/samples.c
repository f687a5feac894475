/* SPDX-License-Identifier: MIT */
/* Reports sampled items, and the tree of their call stacks. */
#include "report/samples.h"

#include "common/name_cut.h"
#include "report/filters.h"
#include "report/parts.h"
#include "report/tree.h"
#include "shared/text.h"

#include <stdlib.h>
#include <string.h>

static int fetch_sample(const log_report *report, size_t index, void *row)
{
	mprof_sample_stats *item = row;

	item->struct_size = sizeof(*item);
	mprof_profile_get_sample(report->profile, index, item);
	if (item->total == 0)
		return 0;
	if (item->kind == MPROF_SAMPLE_METHOD && item->id != 0)
		return report_wants_method(report, item->id);
	return report_wants_all(report);
}

static int compare_samples(const void *left, const void *right)
{
	const mprof_sample_stats *a = left;
	const mprof_sample_stats *b = right;
	int order = report_larger_first(a->self, b->self);

	order = order != 0 ? order : report_larger_first(a->total, b->total);
	order = order != 0 ? order : report_larger_first(b->kind, a->kind);
	return order != 0 ? order : report_larger_first(b->id, a->id);
}

static mprof_sample_stats *collect_samples(const log_report *report, size_t *count)
{
	return report_collect(report, mprof_profile_get_sample_count(report->profile), sizeof(mprof_sample_stats),
			      fetch_sample, compare_samples, count);
}

/* The file of the module of a function; NULL if unknown, and for all other kinds. */
static const char *module_of(const log_report *report, uint32_t kind, uint32_t id)
{
	mprof_record record;

	if (kind == MPROF_SAMPLE_FUNCTION && mprof_reader_lookup_record(report->input.reader, MPROF_RECORD_FUNCTION, id,
									&record, sizeof(record)) == MPROF_OK)
		id = record.as.function.module;
	else if (kind != MPROF_SAMPLE_MODULE)
		return NULL;
	return mprof_reader_lookup_record(report->input.reader, MPROF_RECORD_MODULE, id, &record, sizeof(record)) ==
			       MPROF_OK
		       ? record.as.module.file
		       : NULL;
}

/* Prints the name of an item as the rest of a line. */
static void print_item_name(const log_report *report, uint32_t kind, uint32_t id)
{
	const char *name = names_sample(report->input.names, kind, id);
	const char *module = kind == MPROF_SAMPLE_FUNCTION ? module_of(report, kind, id) : NULL;
	const char *slash = module != NULL ? strrchr(module, '/') : NULL;

	if (name == NULL)
		name = kind == MPROF_SAMPLE_METHOD ? "(unknown)" : "(native)";
	name_print(name);
	if (module != NULL) {
		fputs(" [", stdout);
		name_print(slash != NULL ? slash + 1 : module);
		putchar(']');
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

void report_samples_text(const log_report *report)
{
	size_t count;
	mprof_sample_stats *rows = collect_samples(report, &count);
	size_t shown = report_rows(report, count);

	if (count > 0) {
		report_title(report, "Samples", shown, count, REPORT_IGNORES_NONE);
		sampling_print_rate(&report->summary.sampling, stdout);
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
		print_item_name(report, rows[i].kind, rows[i].id);
	}
	free(rows);
}

static const char *name_of_kind(const log_report *report, uint32_t kind, uint32_t id)
{
	switch (kind) {
	case MPROF_SAMPLE_METHOD:
		return names_is_runtime_work(report->input.reader, id) ? "runtime" : "managed";
	case MPROF_SAMPLE_TRUNCATED:
		return "truncated";
	default:
		return "native";
	}
}

static void print_item_fields(const log_report *report, json_writer *json, uint32_t kind, uint32_t id)
{
	const char *module = module_of(report, kind, id);

	json_string(json, "kind", name_of_kind(report, kind, id));
	json_string(json, "name", names_sample(report->input.names, kind, id));
	json_string(json, "module", module);
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
	mprof_sample_stats *rows = collect_samples(report, &count);
	size_t shown = report_rows(report, count);

	json_begin_array(json, "samples");
	for (size_t i = 0; i < shown; i++) {
		json_begin_object(json, NULL);
		print_item_fields(report, json, rows[i].kind, rows[i].id);
		json_unsigned(json, "hits", rows[i].self);
		json_unsigned(json, "total_hits", rows[i].total);
		print_estimates(report, json, rows[i].self, rows[i].total);
		json_end_object(json);
	}
	json_end_array(json);
	json_unsigned(json, "samples_total", report->totals.samples);
	free(rows);
}

static mprof_sample_node get_sample_node(const log_report *report, uint32_t node)
{
	mprof_sample_node found;

	memset(&found, 0, sizeof(found));
	found.struct_size = sizeof(found);
	mprof_profile_get_sample_node(report->profile, node, &found);
	return found;
}

static void get_tree_node(const log_report *report, uint32_t node, tree_node *found)
{
	mprof_sample_node sample = get_sample_node(report, node);

	found->node = node;
	found->first_child = sample.first_child;
	found->next_sibling = sample.next_sibling;
	found->name = sample.id;
	found->weight = sample.total;
	found->tiebreak = sample.self;
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
	mprof_sample_node sample = get_sample_node(report, node);

	return names_sample(report->input.names, sample.kind, sample.id);
}

static void print_node_columns(const log_report *report, uint32_t node)
{
	char self[TEXT_NUMBER_SIZE];

	printf(" %10s", text_count(self, get_sample_node(report, node).self));
}

static void print_node_name(const log_report *report, uint32_t node)
{
	mprof_sample_node sample = get_sample_node(report, node);

	print_item_name(report, sample.kind, sample.id);
}

static void print_node_fields(const log_report *report, json_writer *json, uint32_t node)
{
	mprof_sample_node sample = get_sample_node(report, node);

	print_item_fields(report, json, sample.kind, sample.id);
	json_unsigned(json, "hits", sample.self);
	json_unsigned(json, "total_hits", sample.total);
	print_estimates(report, json, sample.self, sample.total);
}

static const report_tree sample_tree = {
	.title = "Sample tree",
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
