/* SPDX-License-Identifier: MIT */
/* Counts samples by what their threads waited for. */
#include "report/wait_kinds.h"

#include "report/parts.h"
#include "shared/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct wait_row {
	uint32_t kind;
	uint64_t hits;
} wait_row;

#define WAIT_KINDS (MPROF_WAIT_OTHER + 1)

static const char *const kind_names[WAIT_KINDS] = {
	[MPROF_WAIT_NONE] = "no known wait", [MPROF_WAIT_LOCK] = "lock",     [MPROF_WAIT_CONDITION] = "condition",
	[MPROF_WAIT_EVENT] = "event",        [MPROF_WAIT_JOIN] = "join",     [MPROF_WAIT_SLEEP] = "sleep",
	[MPROF_WAIT_ACCEPT] = "connect",     [MPROF_WAIT_IO] = "read/write", [MPROF_WAIT_POLL] = "poll",
	[MPROF_WAIT_OTHER] = "other",
};

static int compare_rows(const void *left, const void *right)
{
	const wait_row *a = left;
	const wait_row *b = right;
	int order = report_larger_first(a->hits, b->hits);

	return order != 0 ? order : report_larger_first(b->kind, a->kind);
}

/* Stores all kinds, those with most samples first. Returns the number of those that have samples. */
static size_t collect_waits(const log_report *report, wait_row rows[WAIT_KINDS])
{
	size_t count = 0;

	for (uint32_t kind = 0; kind < WAIT_KINDS; kind++)
		rows[kind] = (wait_row){kind, 0};
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_SAMPLE_NODES); i++) {
		mprof_sample_node node = {.struct_size = sizeof(node)};

		mprof_profile_get_row(report->profile, MPROF_TABLE_SAMPLE_NODES, (uint32_t)i, &node);
		rows[node.wait < WAIT_KINDS ? node.wait : MPROF_WAIT_OTHER].hits += node.self;
	}
	qsort(rows, WAIT_KINDS, sizeof(*rows), compare_rows);
	while (count < WAIT_KINDS && rows[count].hits > 0)
		count++;
	return count;
}

void report_wait_kinds_text(const log_report *report)
{
	const sampling_facts *sampling = &report->summary.sampling;
	wait_row rows[WAIT_KINDS];
	size_t count = collect_waits(report, rows);
	char text[TEXT_NUMBER_SIZE];

	if (count == 0 || (count == 1 && rows[0].kind == MPROF_WAIT_NONE) || strcmp(sampling->clock, "processor") == 0)
		return;
	report_title(report, "Waiting, by kind", count, count, TABLE_SAMPLE_WAITS);
	printf("  %10s %8s", "samples", "");
	if (sampling_has_time(sampling))
		printf(" %10s", "time");
	puts("  wait");
	for (size_t i = 0; i < count; i++) {
		printf("  %10s", text_count(text, rows[i].hits));
		printf(" %8s", text_percent(text, rows[i].hits, report->totals.samples));
		if (sampling_has_time(sampling))
			printf(" %10s", text_duration(text, sampling_time_of(sampling, rows[i].hits)));
		printf("  %s\n", kind_names[rows[i].kind]);
	}
}

void report_wait_kinds_json(const log_report *report, json_writer *json)
{
	const sampling_facts *sampling = &report->summary.sampling;
	wait_row rows[WAIT_KINDS];
	size_t count = collect_waits(report, rows);

	json_begin_array(json, "sample_waits");
	for (size_t i = 0; i < count; i++) {
		json_begin_object(json, NULL);
		json_string(json, "wait", kind_names[rows[i].kind]);
		json_unsigned(json, "hits", rows[i].hits);
		if (sampling_has_time(sampling))
			json_unsigned(json, "estimated_ns", sampling_time_of(sampling, rows[i].hits));
		else
			json_null(json, "estimated_ns");
		json_end_object(json);
	}
	json_end_array(json);
}
