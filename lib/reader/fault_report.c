/* SPDX-License-Identifier: MIT */
#include "reader/fault_report.h"

#include "base/error.h"

static void tell(fault_report *report, const mprof_error *error)
{
	/* Damage is read on after, whereas without memory there is no more than a part of the result. */
	if (report->first == MPROF_OK || error->status == MPROF_ERR_MEMORY)
		report->first = (mprof_status)error->status;
	if (report->damage != NULL)
		report->damage(report->user, error);
}

int fault_report_error(fault_report *report)
{
	mprof_error error = {.struct_size = sizeof(error)};

	mprof_reader_get_error(report->reader, &error);
	tell(report, &error);
	return error.severity == MPROF_SEVERITY_BLOCK;
}

void fault_report_end(fault_report *report)
{
	mprof_session session = {.struct_size = sizeof(session)};
	mprof_error error;

	mprof_reader_get_session(report->reader, &session);
	/* What was damaged is not complete either, and that was told. */
	if (session.complete || report->first != MPROF_OK)
		return;
	error_set(&error, MPROF_ERR_TRUNCATED, MPROF_SEVERITY_FATAL, "the log has no END block: it was not closed");
	error.offset = session.valid_bytes;
	error.block_offset = session.valid_bytes;
	tell(report, &error);
}
