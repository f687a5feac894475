/* SPDX-License-Identifier: MIT */
/* Names of threads, with their IDs, because several threads may have the same name. */
#include "export/thread_names.h"

#include <inttypes.h>

void thread_name_get(const log_report *report, uint64_t thread, char name[THREAD_NAME_SIZE])
{
	const mprof_profile *profile = report->profile;
	mprof_thread_stats stats = {.struct_size = sizeof(stats)};

	for (size_t i = 0; i < mprof_profile_get_thread_count(profile); i++) {
		if (mprof_profile_get_thread(profile, i, &stats) == MPROF_OK && stats.id == thread &&
		    stats.name != NULL) {
			snprintf(name, THREAD_NAME_SIZE, "%s (0x%" PRIx64 ")", stats.name, thread);
			return;
		}
	}
	snprintf(name, THREAD_NAME_SIZE, "Thread 0x%" PRIx64, thread);
}
