/* SPDX-License-Identifier: MIT */
/* Reads the cause that a recorder states in a log that it could not write whole. */
#include "record/cut_log.h"

#include "common/exit_status.h"
#include "common/summary.h"

int cut_log_is(const char *path)
{
	static log_summary summary;
	mprof_block block;
	log_input input;

	summary.write_error[0] = '\0';
	if (input_open_part(&input, path, MPROF_BLOCK_BIT(MPROF_BLOCK_SESSION)) != STATUS_NOTHING) {
		while (input_next_block(&input, &block))
			if (block.loaded && block.kind == MPROF_BLOCK_SESSION)
				summary_read_properties(&summary, &input);
	}
	input_close(&input);
	return summary.write_error[0] != '\0';
}
