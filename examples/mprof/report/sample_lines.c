/* SPDX-License-Identifier: MIT */
/* Prints the source lines of native code that samples hit, and which modules have no lines. */
#include "report/sample_lines.h"

#include "common/name_cut.h"
#include "report/filters.h"
#include "report/parts.h"
#include "report/samples.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int fetch_line(const log_report *report, size_t index, void *row)
{
	memcpy(row, &report->samples.lines[index], sizeof(sample_line));
	return report_wants_all(report);
}

static int compare_lines(const void *left, const void *right)
{
	const sample_line *a = left;
	const sample_line *b = right;
	int order = report_larger_first(a->hits, b->hits);

	order = order != 0 ? order : strcmp(a->file, b->file);
	order = order != 0 ? order : report_larger_first(b->line, a->line);
	return order != 0 ? order : report_larger_first(b->item, a->item);
}

static sample_line *collect_lines(const log_report *report, size_t *count)
{
	return report_collect(report, report->samples.line_count, sizeof(sample_line), fetch_line, compare_lines,
			      count);
}

void report_sample_lines_text(const log_report *report)
{
	const sampling_facts *sampling = &report->summary.sampling;
	char text[TEXT_NUMBER_SIZE];
	size_t count;
	sample_line *rows = collect_lines(report, &count);
	size_t shown = report_rows(report, count);

	if (count > 0) {
		report_title(report, "Samples by line of native code", shown, count, TABLE_SAMPLE_LINES);
		printf("  %10s %8s%s%s\n", "self", "", sampling_has_time(sampling) ? "       time" : "",
		       "  line, and its function");
	}
	for (size_t i = 0; i < shown; i++) {
		printf("  %10s", text_count(text, rows[i].hits));
		printf(" %8s", text_percent(text, rows[i].hits, report->totals.samples));
		if (sampling_has_time(sampling))
			printf(" %10s", text_duration(text, sampling_time_of(sampling, rows[i].hits)));
		fputs("  ", stdout);
		name_print(report_file_name(rows[i].file));
		printf(":%" PRIu32 " ", rows[i].line);
		report_sample_name(report, &report->samples.items[rows[i].item]);
		putchar('\n');
	}
	free(rows);
}

void report_sample_lines_json(const log_report *report, json_writer *json)
{
	const sampling_facts *sampling = &report->summary.sampling;
	size_t count;
	sample_line *rows = collect_lines(report, &count);
	size_t shown = report_rows(report, count);

	json_begin_array(json, "sample_lines");
	for (size_t i = 0; i < shown; i++) {
		json_begin_object(json, NULL);
		report_sample_fields(report, json, &report->samples.items[rows[i].item]);
		report_json_position(json, rows[i].file, rows[i].line);
		json_unsigned(json, "hits", rows[i].hits);
		if (sampling_has_time(sampling))
			json_unsigned(json, "estimated_ns", sampling_time_of(sampling, rows[i].hits));
		else
			json_null(json, "estimated_ns");
		json_end_object(json);
	}
	json_end_array(json);
	free(rows);
}

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

void report_debug_information_text(const log_report *report)
{
	int is_titled = 0;

	for (uint32_t id = 1; id <= count_modules(report); id++) {
		mprof_record module;
		debug_state state;

		if (!get_module(report, id, &module, &state) || (state != DEBUG_REBUILT && state != DEBUG_UNREADABLE))
			continue;
		if (!is_titled)
			report_title(report, "Without lines and inlined functions", 0, 0, TABLE_DEBUG_INFORMATION);
		is_titled = 1;
		fputs("  ", stdout);
		name_print(module.as.module.file);
		puts(state == DEBUG_REBUILT ? ": rebuilt since the recording"
					    : ": debug information is damaged, or too large to read");
	}
}

void report_debug_information_json(const log_report *report, json_writer *json)
{
	static const char *const names[DEBUG_STATES] = {
		[DEBUG_FOUND] = "found",     [DEBUG_NO_BUILD_ID] = "no build id",
		[DEBUG_NO_FILE] = "no file", [DEBUG_REBUILT] = "rebuilt",
		[DEBUG_NONE] = "none",       [DEBUG_UNREADABLE] = "unreadable"};

	json_begin_array(json, "debug_information");
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
