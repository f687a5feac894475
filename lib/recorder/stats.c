/* SPDX-License-Identifier: MIT */
/* The getters for the statistics and the counter of a recorder. Any thread. */
#include "recorder/recorder_internal.h"

#include "base/cancellation.h"
#include "base/options.h"

#include <string.h>

uint64_t mprof_recorder_read_counter(const mprof_recorder *recorder)
{
	return recorder != NULL ? counter_read(&recorder->shared.counter) : 0;
}

mprof_status mprof_recorder_get_stats(mprof_recorder *recorder, mprof_recorder_stats *stats)
{
	WITHOUT_CANCELLATION;
	mprof_recorder_stats own;

	if (recorder == NULL || stats == NULL)
		return MPROF_ERR_ARGUMENT;
	if (recorder_in_child(&recorder->shared)) {
		/* Not locked in a child: a thread that the child does not have may hold the lock. */
		memset(&own, 0, sizeof(own));
		return struct_copy_out(stats, &own, sizeof(own));
	}
	pthread_mutex_lock(&recorder->shared.state_lock);
	own = recorder->shared.stats;
	pthread_mutex_unlock(&recorder->shared.state_lock);
	own.waits = atomic_load_explicit(&recorder->shared.waits, memory_order_relaxed);
	own.buffers = buffer_pool_created(&recorder->shared.pool);
	pthread_mutex_lock(&recorder->shared.threads_lock);
	own.threads = recorder->shared.next_serial;
	pthread_mutex_unlock(&recorder->shared.threads_lock);
	return struct_copy_out(stats, &own, sizeof(own));
}

mprof_status mprof_recorder_get_writer_stats(mprof_recorder *recorder, mprof_writer_stats *stats)
{
	WITHOUT_CANCELLATION;
	mprof_writer_stats own;

	if (recorder == NULL || stats == NULL)
		return MPROF_ERR_ARGUMENT;
	memset(&own, 0, sizeof(own));
	if (!recorder_in_child(&recorder->shared)) {
		pthread_mutex_lock(&recorder->shared.state_lock);
		own = recorder->shared.log_stats;
		pthread_mutex_unlock(&recorder->shared.state_lock);
	}
	return struct_copy_out(stats, &own, sizeof(own));
}
