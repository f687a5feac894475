/* SPDX-License-Identifier: MIT */
/* Prints samples of kinds. */
#include "report/sample_kinds.h"

#include "common/name_cut.h"
#include "shared/kinds.h"

#include <inttypes.h>
#include <string.h>

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

static void print_name(const log_report *report, json_writer *json, const void *row, uint64_t value)
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
	.json = {VIEW_JOIN(type, print_name), VIEW_FIELD(thread), VIEW_JOIN(cpu, print_cpu),
		 VIEW_JOIN(mode, print_mode), VIEW_FIELD(samples), VIEW_FIELD(weight)},
	.has_all_rows = 1,
};
