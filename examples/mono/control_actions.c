/* SPDX-License-Identifier: MIT */
/* Implements the actions on the recorder. */
#include "control_actions.h"

#include "heap.h"
#include "samples.h"

#include <string.h>

static const char *result_of(mprof_status status)
{
	return status == MPROF_OK ? NULL : mprof_status_get_text(status);
}

const char *control_enable(MonoProfiler *profiler)
{
	const mprof_status status = mprof_recorder_set_enabled(profiler->recorder, 1);

	atomic_store_explicit(&profiler->is_stopped, 0, memory_order_relaxed);
	samples_enable(profiler, 1);
	return result_of(status);
}

const char *control_disable(MonoProfiler *profiler)
{
	mprof_status status = mprof_recorder_set_enabled(profiler->recorder, 0);

	atomic_store_explicit(&profiler->is_stopped, 1, memory_order_relaxed);
	samples_enable(profiler, 0);
	if (status == MPROF_OK)
		status = mprof_recorder_drain(profiler->recorder);
	return result_of(status);
}

const char *control_toggle(MonoProfiler *profiler)
{
	return mprof_recorder_is_enabled(profiler->recorder) ? control_disable(profiler) : control_enable(profiler);
}

const char *control_flush(MonoProfiler *profiler)
{
	if (profiler->options.ring_bytes == 0)
		return result_of(mprof_recorder_drain(profiler->recorder));
	return result_of(
		mprof_recorder_dump_path(profiler->recorder, profiler->full_path, profiler->options.gzip_level, NULL));
}

const char *control_heapshot(MonoProfiler *profiler)
{
	const char *failure;

	if ((profiler->options.kinds & RECORD_HEAP) == 0)
		return "no heap snapshots are recorded: the program was started without the option heap";
	failure = heap_take_shot(profiler);
	return failure != NULL ? failure : result_of(mprof_recorder_drain(profiler->recorder));
}

const char *control_set_heap_shots(MonoProfiler *profiler, int64_t count)
{
	if ((profiler->options.kinds & RECORD_HEAP) == 0)
		return "no heap snapshots are recorded: the program was started without the option heap";
	atomic_store(&profiler->heap_snapshots_left, count);
	return NULL;
}

const char *control_mark(MonoProfiler *profiler, const char *text)
{
	return result_of(mprof_recorder_record_mark(profiler->recorder, 0, text, strlen(text)));
}
