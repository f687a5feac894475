/* SPDX-License-Identifier: MIT */
/* Reports each fault of a log once to the caller of a function that reads the whole log. */
#include "reader/fault_report.h"

#include "base/error.h"

static void report_fault(fault_report *report, const mprof_error *error)
{
	/*
	 * Reading continues after damage, but running out of memory makes the result partial, so it takes precedence.
	 */
	if (report->first == MPROF_OK || error->status == MPROF_ERR_MEMORY)
		report->first = (mprof_status)error->status;
	if (report->damage != NULL)
		report->damage(report->user, error);
}

int fault_report_error(fault_report *report)
{
	mprof_error error = {.struct_size = sizeof(error)};

	mprof_reader_get_error(report->reader, &error);
	report_fault(report, &error);
	return error.severity == MPROF_SEVERITY_BLOCK;
}

void fault_report_end(fault_report *report)
{
	mprof_session session = {.struct_size = sizeof(session)};
	mprof_error error;

	mprof_reader_get_session(report->reader, &session);
	/* A damaged log is not complete either, and its damage has already been reported. */
	if (session.complete || report->first != MPROF_OK)
		return;
	error_set(&error, MPROF_ERR_TRUNCATED, MPROF_SEVERITY_FATAL, "the log has no END block: it was not closed");
	error.offset = session.valid_bytes;
	error.block_offset = session.valid_bytes;
	report_fault(report, &error);
}
