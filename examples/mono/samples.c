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

#include "sample_time.h"
#include "sampling_signal.h"
#include "stacks.h"
#include "threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static void record_sample(MonoProfiler *profiler, const mono_byte *address, const void *context)
{
	mprof_frame frames[MPROF_STACK_MAX];
	size_t count = stacks_interrupted(address, context, frames, profiler->options.sample_depth);

	(void)mprof_recorder_record_sample(profiler->recorder, threads_current_id(), frames, count);
}

/* Written by the control thread; 0: stopped. */
static _Atomic uint32_t present_hz;

static int is_recording(MonoProfiler *profiler)
{
	return atomic_load_explicit(&present_hz, memory_order_relaxed) != 0 &&
	       mprof_recorder_is_enabled(profiler->recorder) && !profiler_has_ended(profiler);
}

static void sample_hit_real(MonoProfiler *profiler, const mono_byte *address, const void *context)
{
	sampling_signal_find(context);
	if (!is_recording(profiler)) {
		sample_time_skip();
		return;
	}
	sample_time_count();
	record_sample(profiler, address, context);
}

static void sample_hit(MonoProfiler *profiler, const mono_byte *address, const void *context)
{
	sampling_signal_find(context);
	if (is_recording(profiler) && sample_time_is_due())
		record_sample(profiler, address, context);
	/* The time of this handler is not the program's. */
	sample_time_skip();
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

static void set_number(MonoProfiler *profiler, const char *key, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	(void)mprof_recorder_set_property(profiler->recorder, key, text);
}

/* Logs of older formats have no properties; there the writer would count each as left out. */
static int states_samples(const MonoProfiler *profiler)
{
	return (profiler->options.kinds & RECORD_SAMPLES) != 0 && !options_are_classic(&profiler->options);
}

static void state_request(MonoProfiler *profiler)
{
	if (!states_samples(profiler))
		return;
	set_number(profiler, "sample-hz", profiler->options.sample_hz);
	(void)mprof_recorder_set_property(profiler->recorder, "sample-clock",
					  profiler->options.sample_real ? "real" : "processor");
	if (tick_hz() != 0)
		set_number(profiler, "tick-hz", tick_hz());
}

static MonoProfilerSampleMode mode_of(const module_options *options)
{
	return options->sample_real ? MONO_PROFILER_SAMPLE_MODE_REAL : MONO_PROFILER_SAMPLE_MODE_PROCESS;
}

const char *samples_set_rate(MonoProfiler *profiler, uint32_t hz)
{
	MonoProfilerSampleMode mode = hz != 0 ? mode_of(&profiler->options) : MONO_PROFILER_SAMPLE_MODE_NONE;

	if ((profiler->options.kinds & RECORD_SAMPLES) == 0)
		return "no samples are recorded: the program was started without the option sample";
	if (!mono_profiler_set_sample_mode(profiler->handle, mode, hz != 0 ? hz : 1))
		return "the runtime lets only one profiler take samples, which is another one";
	atomic_store_explicit(&present_hz, hz, memory_order_relaxed);
	/* Also when it stops: no sample stands for the time until it goes on. */
	sample_time_change(hz != 0 ? UINT64_C(1000000000) / hz : UINT64_C(1000000000));
	if (hz != 0 && states_samples(profiler))
		set_number(profiler, "sample-hz", hz);
	return NULL;
}

uint32_t samples_rate(const MonoProfiler *profiler)
{
	(void)profiler;
	return atomic_load_explicit(&present_hz, memory_order_relaxed);
}

void samples_end(MonoProfiler *profiler)
{
	sample_totals totals;

	if (!states_samples(profiler))
		return;
	/* Of the other threads, what they ran since their last sample is not included. */
	sample_time_end();
	totals = sample_time_totals();
	(void)mprof_recorder_set_property(profiler->recorder, "sample-source", "runtime");
	set_number(profiler, "sample-time-ns", totals.time_ns);
	set_number(profiler, "sample-hits", totals.hits);
	set_number(profiler, "sample-discarded", totals.discarded);
}

void samples_install(MonoProfiler *profiler)
{
	const module_options *options = &profiler->options;

	if ((options->kinds & RECORD_SAMPLES) == 0)
		return;
	if (!mono_profiler_enable_sampling(profiler->handle) ||
	    !mono_profiler_set_sample_mode(profiler->handle, mode_of(options), options->sample_hz)) {
		fprintf(stderr, "mprof: no samples are recorded: the runtime lets only one profiler take them; "
				"load no other one\n");
		return;
	}
	sample_time_set(options->sample_real ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID,
			UINT64_C(1000000000) / options->sample_hz);
	sample_time_begin();
	atomic_store_explicit(&present_hz, options->sample_hz, memory_order_relaxed);
	mono_profiler_set_sample_hit_callback(profiler->handle, options->sample_real ? sample_hit_real : sample_hit);
	state_request(profiler);
	warn_of_slow_tick(options);
}
