/* SPDX-License-Identifier: MIT */
/*
 * Samples the call stacks of threads.
 *
 * A thread of the runtime sends a signal to each thread of the program, and the callback runs in its handler. It takes
 * no lock, calls no allocator and does not access the thread's state, which may be incomplete.
 *
 * In processor time mode, the runtime's clock counts the time of all threads together, and it interrupts them all, even
 * those that sleep. So here each thread measures its own processor time, and a sample is taken whenever that has
 * advanced by the sampling period.
 *
 * The system checks timers of processor time at its tick only, 100 to 1000 times per second, which limits the rate. A
 * clock of real time would be precise, but it would also wake all threads of an idle program at that rate.
 */
#include "samples.h"

#include "sampling_signal.h"
#include "stacks.h"
#include "threads.h"

#include <stdio.h>
#include <time.h>

/* Processor time of this thread that is accounted for by samples, in nanoseconds. */
static __thread uint64_t time_seen __attribute__((tls_model("initial-exec")));
static __thread uint64_t time_due __attribute__((tls_model("initial-exec")));

static uint64_t thread_time(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Whether the thread has run for a sampling period since the last sample. Excess time counts for the next sample. */
static int is_due(uint64_t period)
{
	uint64_t now = thread_time();

	time_due += now - time_seen;
	time_seen = now;
	if (time_due < period)
		return 0;
	time_due = time_due < 2 * period ? time_due - period : period - 1;
	return 1;
}

static void record_sample(MonoProfiler *profiler, const mono_byte *address, const void *context)
{
	mprof_frame frames[MPROF_STACK_MAX];
	size_t count = stacks_interrupted(address, context, frames, profiler->options.sample_depth);

	(void)mprof_recorder_record_sample(profiler->recorder, threads_current_id(), frames, count);
}

static void sample_hit_real(MonoProfiler *profiler, const mono_byte *address, const void *context)
{
	sampling_signal_find(context);
	if (mprof_recorder_is_enabled(profiler->recorder) && !profiler_has_ended(profiler))
		record_sample(profiler, address, context);
}

static void sample_hit(MonoProfiler *profiler, const mono_byte *address, const void *context)
{
	sampling_signal_find(context);
	if (is_due(UINT64_C(1000000000) / profiler->options.sample_hz))
		sample_hit_real(profiler, address, context);
}

/* Frequency of the system's tick, 0 if unknown. */
static uint32_t tick_hz(void)
{
#if defined(CLOCK_MONOTONIC_COARSE)
	struct timespec tick;

	/* The coarse clock advances once per tick. */
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 && tick.tv_sec == 0 && tick.tv_nsec > 0)
		return (uint32_t)(1000000000 / tick.tv_nsec);
#endif
	return 0;
}

static void warn_of_slow_tick(const module_options *options)
{
	uint32_t hz = tick_hz();

	if (hz != 0 && options->sample_hz > hz && !options->sample_real && !options->quiet)
		fprintf(stderr,
			"mprof: the system's tick limits samples to about %u per second of processor time, not %u; "
			"sample-real has no such limit\n",
			hz, options->sample_hz);
}

void samples_install(MonoProfiler *profiler)
{
	const module_options *options = &profiler->options;
	MonoProfilerSampleMode mode =
		options->sample_real ? MONO_PROFILER_SAMPLE_MODE_REAL : MONO_PROFILER_SAMPLE_MODE_PROCESS;

	if ((options->kinds & RECORD_SAMPLES) == 0)
		return;
	if (!mono_profiler_enable_sampling(profiler->handle) ||
	    !mono_profiler_set_sample_mode(profiler->handle, mode, options->sample_hz)) {
		fprintf(stderr, "mprof: no samples are recorded: the runtime lets only one profiler take them; "
				"load no other one\n");
		return;
	}
	mono_profiler_set_sample_hit_callback(profiler->handle, options->sample_real ? sample_hit_real : sample_hit);
	warn_of_slow_tick(options);
}
