/* SPDX-License-Identifier: MIT */
/* Reads the logs of an export into tables, one log at a time. */
#include "export/table_logs.h"

#include "common/exit_status.h"
#include "export/table_rows.h"
#include "shared/text.h"

#include <inttypes.h>
#include <string.h>

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

static void mention_losses(const log_report *report)
{
	if (report->totals.lost_events == 0)
		return;
	text_begin_message(report->input.name);
	fprintf(stderr, "%" PRIu64 " events were lost: all figures are estimates\n", report->totals.lost_events);
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
	status = report_read(&report, path, &options);
	if (input_failure(&report.input) != MPROF_OK)
		status = STATUS_NOTHING;
	if (status == STATUS_OK || status == STATUS_DAMAGED) {
		mention_losses(&report);
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
