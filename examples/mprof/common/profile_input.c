/* SPDX-License-Identifier: MIT */
/* Feeds the blocks of a log to a profile. */
#include "common/profile_input.h"

#include <string.h>

/* Reports an error, either of the reader, which then has its offset, or of the profile itself. */
static void report_error(log_input *input, const mprof_block *block, mprof_status status)
{
	mprof_error error;

	memset(&error, 0, sizeof(error));
	error.struct_size = sizeof(error);
	mprof_reader_get_error(input->reader, &error);
	if (error.status == status && status != MPROF_ERR_MEMORY)
		input_fetch_failed(input);
	else
		input_failed(input, block->offset, status, mprof_status_get_text(status));
}

void profile_input_add(log_input *input, mprof_profile *profile, const mprof_block *block)
{
	mprof_status status = mprof_profile_add_block(profile, input->reader, block);

	if (status != MPROF_OK)
		report_error(input, block, status);
}

void profile_input_finish(log_input *input, mprof_profile *profile, const mprof_block *block)
{
	mprof_status status = mprof_profile_finish(profile, input->reader);
	mprof_profile_totals totals;

	if (status != MPROF_OK) {
		report_error(input, block, status);
		return;
	}
	totals.struct_size = sizeof(totals);
	mprof_profile_get_row(profile, MPROF_TABLE_TOTALS, 0, &totals);
	if (totals.left_out > 0)
		input_failed(input, block->offset, MPROF_ERR_LIMIT,
			     "the profile exceeds its memory limit: statistics are incomplete");
	else if (totals.limited)
		input_failed(input, block->offset, MPROF_ERR_LIMIT,
			     "the profile exceeds its memory limit: call paths and call sites are incomplete");
}
