/* SPDX-License-Identifier: MIT */
/* Reads a log for a flame graph. */
#include "flame/log.h"

#include "common/exit_status.h"
#include "common/output.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_warnings(FILE *file, const log_report *report, const stack_tree *tree)
{
	const mprof_session *session = &report->summary.session;
	char text[TEXT_NUMBER_SIZE];

	if (!session->complete)
		fprintf(file, "The log is incomplete or damaged: it is valid up to offset %" PRIu64 ".\n",
			session->valid_bytes);
	if (session->lost_events > 0)
		fprintf(file, "%s events were lost: all figures are estimates.\n",
			text_count(text, session->lost_events));
	if (report->totals.limited)
		fputs("The log has more data than fits in memory: some of it is in no frame or missing.\n", file);
	if (tree->is_incomplete)
		fputs("The heap snapshot is incomplete: objects or references are missing.\n", file);
	if (tree->is_estimated)
		fputs("The figures are estimates from samples.\n", file);
}

/* Makes the texts. Returns 0 if out of memory. */
static int describe(flame_log *log, const log_report *report)
{
	size_t size;
	FILE *file = open_memstream(&log->warnings, &size);
	int is_described = file != NULL;

	if (file != NULL) {
		print_warnings(file, report, log->tree);
		is_described = text_of_stream(file, &log->warnings) != NULL;
	}
	file = open_memstream(&log->header, &size);
	if (file == NULL)
		return 0;
	summary_print_header(&report->summary, &report->input,
			     report->summary.program[0] != '\0' ? report->summary.program : NULL, file);
	return text_of_stream(file, &log->header) != NULL && is_described;
}

int flame_log_read(flame_log *log, const char *path, const report_options *options, export_value value,
		   uint64_t heap_shot)
{
	static log_report report;
	const stack_tree_options tree_options = {.path = path, .heap_shot = heap_shot, .is_only = 1};
	int status = report_read(&report, path, options);
	int tree_status;

	memset(log, 0, sizeof(*log));
	log->name = path;
	if (input_failure(&report.input) != MPROF_OK)
		status = STATUS_NOTHING;
	if (status == STATUS_OK || status == STATUS_DAMAGED) {
		if (options->readable_names)
			names_use_readable(report.input.names);
		tree_status = stack_tree_create(&report, value, &tree_options, &log->tree);
		status = tree_status != STATUS_OK ? tree_status : status;
	}
	if (log->tree != NULL) {
		log->sampling = report.summary.sampling;
		memcpy(log->program, report.summary.program, sizeof(log->program));
		if (!describe(log, &report)) {
			output_out_of_memory();
			status = STATUS_NOTHING;
		}
	}
	report_release(&report);
	return status;
}

void flame_log_release(flame_log *log)
{
	stack_tree_destroy(log->tree);
	free(log->header);
	free(log->warnings);
}
