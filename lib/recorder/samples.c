/* SPDX-License-Identifier: MIT */
/* Records samples. Any thread, also in signal handlers: no lock, no malloc, no wait. */
#include "recorder/recorder_internal.h"

#include <errno.h>
#include <string.h>

int mprof_recorder_record_sample(mprof_recorder *recorder, uint64_t thread, const mprof_frame *frames, size_t count)
{
	int saved_errno = errno;
	int is_filling;
	int is_truncated;
	sample_record *record;
	uint64_t counter;

	/* Relaxed: a sample taken while this changes may be recorded or not. */
	if (recorder == NULL || frames == NULL || count == 0 ||
	    !atomic_load_explicit(&recorder->shared.enabled, memory_order_relaxed) ||
	    atomic_load_explicit(&recorder->shared.closing, memory_order_relaxed) ||
	    recorder_in_child(&recorder->shared))
		return 0;
	counter = counter_read(&recorder->shared.counter);
	is_truncated = count > MPROF_STACK_MAX;
	if (is_truncated)
		count = MPROF_STACK_MAX;
	record = sample_store_claim(&recorder->shared.samples, count, &is_filling);
	if (record != NULL) {
		record->thread = thread;
		record->counter = counter;
		memcpy(record->frames, frames, count * sizeof(*frames));
		if (is_truncated)
			record->frames[count - 1] = MPROF_FRAME_TRUNCATED;
		sample_store_commit(&recorder->shared.samples, record);
		if (is_filling)
			sem_post(&recorder->shared.work);
	}
	errno = saved_errno;
	return record != NULL;
}
