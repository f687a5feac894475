/* SPDX-License-Identifier: MIT */
/* Names and units of what call stacks are weighted by. */
#include "export/value.h"

#include "common/arguments.h"
#include "shared/text.h"

#include <stdio.h>
#include <string.h>

typedef struct value_text {
	const char *name;
	const char *title;
	const char *unit;
	char *(*format)(char *text, uint64_t amount);
} value_text;

static const value_text values[EXPORT_VALUES] = {
	[EXPORT_WALL] = {"wall", "Time in methods", "nanoseconds", text_duration},
	[EXPORT_CPU] = {"cpu", "Processor time, estimated from samples", "nanoseconds", text_duration},
	[EXPORT_CALLS] = {"calls", "Calls", "count", text_count},
	[EXPORT_SAMPLES] = {"samples", "Samples", "count", text_count},
	[EXPORT_ALLOCATIONS] = {"allocations", "Objects allocated", "count", text_count},
	[EXPORT_BYTES] = {"bytes", "Bytes allocated", "bytes", text_bytes},
	[EXPORT_WAITS] = {"waits", "Time waited for monitors", "nanoseconds", text_duration},
	[EXPORT_HEAP] = {"heap", "Live bytes by path from a root", "bytes", text_bytes},
	[EXPORT_HANDLES] = {"handles", "Handles alive", "count", text_count},
	[EXPORT_MEMORY] = {"memory", "Native memory allocated", "bytes", text_bytes},
	[EXPORT_MEMORY_LIVE] = {"memory-live", "Native memory not freed", "bytes", text_bytes},
	[EXPORT_MEMORY_PEAK] = {"memory-peak", "Native memory at the peak", "bytes", text_bytes},
	[EXPORT_MEMORY_TEMPORARY] = {"memory-temporary", "Temporary native allocations", "count", text_count},
	[EXPORT_KIND] = {"samples:KIND", "Samples of a kind", "count", text_count},
};

#define KIND_PREFIX "samples:"

int export_value_find_kind(const log_report *report, uint32_t type, mprof_sample_kind_stats *kind)
{
	const char *name = report->options.sample_kind;

	kind->struct_size = sizeof(*kind);
	for (size_t i = 0; mprof_profile_get_row(report->profile, MPROF_TABLE_SAMPLE_KINDS, i, kind) == MPROF_OK; i++) {
		if (kind->samples > 0 &&
		    (type != 0 ? kind->type == type : name == NULL || strcmp(kind->name, name) == 0))
			return 1;
	}
	return 0;
}

int export_value_parse(export_value *value, const char **kind, const char *name)
{
	nearest_name nearest;

	if (strncmp(name, KIND_PREFIX, strlen(KIND_PREFIX)) == 0) {
		*value = EXPORT_KIND;
		*kind = name + strlen(KIND_PREFIX);
		return 1;
	}
	for (int i = 0; i < EXPORT_VALUES; i++) {
		if (strcmp(values[i].name, name) == 0) {
			*value = (export_value)i;
			return 1;
		}
	}
	nearest_init(&nearest, name);
	for (int i = 0; i < EXPORT_VALUES; i++)
		nearest_offer_word(&nearest, values[i].name, values[i].name);
	fprintf(stderr, "mprof: --value: '%s' is not one of ", name);
	for (int i = 0; i < EXPORT_VALUES; i++)
		fprintf(stderr, "%s%s", i > 0 ? ", " : "", values[i].name);
	if (nearest.found != NULL)
		fprintf(stderr, "; the nearest is '%s'", nearest.found);
	fputc('\n', stderr);
	nearest_release(&nearest);
	return 0;
}

const char *export_value_name(export_value value)
{
	return values[value].name;
}

const char *export_value_title(export_value value)
{
	return values[value].title;
}

const char *export_value_unit(export_value value)
{
	return values[value].unit;
}

char *export_value_format(export_value value, char text[], uint64_t amount)
{
	return values[value].format(text, amount);
}

int export_value_has_memory(const log_report *report)
{
	return mprof_profile_get_row_count(report->profile, MPROF_TABLE_MEMORY_SITES) > 0;
}

int export_value_exists(const log_report *report, export_value value)
{
	const mprof_profile_totals *totals = &report->totals;
	const sampling_facts *sampling = &report->summary.sampling;
	mprof_sample_kind_stats kind;

	switch (value) {
	case EXPORT_WALL:
		return report_has_calls(report);
	case EXPORT_CALLS:
		return totals->calls > 0;
	case EXPORT_CPU:
		return totals->samples > 0 && sampling_has_time(sampling) && strcmp(sampling->clock, "processor") == 0;
	case EXPORT_SAMPLES:
		return totals->samples > 0;
	case EXPORT_ALLOCATIONS:
	case EXPORT_BYTES:
		return totals->allocations > 0;
	case EXPORT_WAITS:
		return totals->contentions > 0;
	case EXPORT_HEAP:
		return mprof_profile_get_row_count(report->profile, MPROF_TABLE_HEAP_SHOTS) > 0;
	case EXPORT_HANDLES:
		return totals->handles_alive > 0;
	/* Nothing that was not freed is a result, too. */
	case EXPORT_MEMORY:
	case EXPORT_MEMORY_LIVE:
	case EXPORT_MEMORY_PEAK:
	case EXPORT_MEMORY_TEMPORARY:
		return export_value_has_memory(report);
	case EXPORT_KIND:
		return export_value_find_kind(report, 0, &kind);
	default:
		return 0;
	}
}

/* Whether objects that were allocated have a method or a call stack. */
static int has_allocation_sites(const log_report *report)
{
	return report_has_calls(report) ||
	       mprof_profile_get_row_count(report->profile, MPROF_TABLE_ALLOCATION_SITES) > 0;
}

export_value export_value_choose(const log_report *report)
{
	static const export_value order[] = {EXPORT_SAMPLES, EXPORT_WALL,  EXPORT_KIND,    EXPORT_BYTES,
					     EXPORT_HEAP,    EXPORT_WAITS, EXPORT_HANDLES, EXPORT_MEMORY};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (export_value_exists(report, order[i]) && (order[i] != EXPORT_BYTES || has_allocation_sites(report)))
			return order[i];
	}
	return export_value_exists(report, EXPORT_BYTES) ? EXPORT_BYTES : EXPORT_VALUES;
}

int export_value_is_of_thread(const mprof_reader *reader, uint32_t metric)
{
	mprof_record record;

	return mprof_reader_lookup_record(reader, MPROF_RECORD_METRIC, metric, &record, sizeof(record)) == MPROF_OK &&
	       (record.as.metric.flags & MPROF_METRIC_FLAG_THREAD) != 0;
}

int export_value_is_empty(const log_report *report, uint64_t contents, uint64_t thread_values)
{
	return contents == 0 && (thread_values == 0 || export_value_has_memory(report));
}

int export_value_note_empty(const log_report *report, const char *format)
{
	text_begin_message(report->input.name);
	fprintf(stderr, "nothing of this log can be represented in %s", format);
	if (export_value_has_memory(report))
		fputs(": its content is native memory, which formats with call stacks have, such as pprof and "
		      "speedscope",
		      stderr);
	fputc('\n', stderr);
	return STATUS_NOTHING;
}

void export_value_note_missing(const log_report *report, export_value value)
{
	mprof_sample_kind_stats kind = {.struct_size = sizeof(kind)};
	const char *separator = "; it has ";

	text_begin_message(report->input.name);
	if (value == EXPORT_VALUES)
		fputs("the log has no calls, samples, allocations, waits, handles, heap snapshots or native memory",
		      stderr);
	else
		fprintf(stderr, "--value=%s%s: the log has no such data",
			value == EXPORT_KIND ? KIND_PREFIX : export_value_name(value),
			value == EXPORT_KIND && report->options.sample_kind != NULL ? report->options.sample_kind : "");
	for (int i = 0; i < EXPORT_KIND; i++) {
		if (!export_value_exists(report, (export_value)i))
			continue;
		fprintf(stderr, "%s%s", separator, export_value_name((export_value)i));
		separator = ", ";
	}
	for (size_t i = 0; mprof_profile_get_row(report->profile, MPROF_TABLE_SAMPLE_KINDS, i, &kind) == MPROF_OK;
	     i++) {
		fprintf(stderr, "%s" KIND_PREFIX, separator);
		text_name(stderr, kind.name);
		separator = ", ";
	}
	fputc('\n', stderr);
}
