/* SPDX-License-Identifier: MIT */
/* Prints why a log is not whole, and what it lacks. */
#include "shared/log_loss.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void log_loss_print(mprof_recorder *recorder, const char *path)
{
	mprof_recorder_stats stats;

	memset(&stats, 0, sizeof(stats));
	stats.struct_size = sizeof(stats);
	if (mprof_recorder_get_stats(recorder, &stats) != MPROF_OK || stats.status == MPROF_OK)
		return;
	fprintf(stderr, "mprof: %s: the log could not be written whole: %s; %" PRIu64 " events lost\n", path,
		stats.system_error != 0 ? strerror(stats.system_error)
					: mprof_status_get_text((mprof_status)stats.status),
		stats.lost_events);
}
