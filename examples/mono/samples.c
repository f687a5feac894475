/* SPDX-License-Identifier: MIT */
/*
 * Samples the call stacks of threads.
 *
 * A thread of the runtime sends a signal to each thread of the program, and the callback runs in its handler. It takes
 * no lock, calls no allocator and does not access the thread's state, which may be incomplete.
 *
 * In processor time mode, the runtime's clock counts the time of all threads together, and the runtime interrupts all
 * of them, even those that sleep. The system also checks such timers only at its tick, 100 to 1000 times per second. So
 * timers of the module interrupt each thread by its own processor time, with the signal of the runtime, which is known
 * after the first sample. Whatever interrupts it, a thread measures its own time, and a sample is taken whenever that
 * has advanced by the period.
 */
#include "samples.h"

#include "heap.h"
#include "sample_statement.h"
#include "sampling_signal.h"
#include "sampling_thread.h"
#include "stacks.h"
#include "threads.h"
#include "unnamed_methods.h"

#include "shared/own_code.h"
#include "shared/own_thread.h"
#include "shared/sample_time.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static void record_sample(MonoProfiler *profiler, const mono_byte *address, const void *context)
{
	mprof_frame frames[MPROF_STACK_MAX];
	size_t count = 0;

	if (!own_code_contains((uintptr_t)address))
		count = stacks_interrupted(address, context, frames, profiler->options.sample_depth);
	if (count == 0) {
		sample_time_discard();
		return;
	}
	(void)mprof_recorder_record_sample(profiler->recorder, threads_current_id(), frames, count);
}

/* Written by the control thread; 0: stopped. */
static _Atomic uint32_t present_hz;

/* Posted by the first handler that determines the signal of the runtime. */
static sem_t signal_is_found;

/* The runtime lets the module take samples. Constant once the program runs. */
static int is_available;

/* Held while the rate changes or timers replace the sampler of the runtime. */
static pthread_mutex_t rate_lock = PTHREAD_MUTEX_INITIALIZER;
static int is_replaced; /* Timers of the module interrupt the threads. Guarded by rate_lock. */

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

static int is_exact(uint64_t ran)
{
	return ran != 0 && (current_state == NULL || sample_timer_is_exact(&current_state->timer, ran));
}

static void sample_hit(MonoProfiler *profiler, const mono_byte *address, const void *context)
{
	uint64_t ran = 0;

	if (sampling_signal_find(context))
		sem_post(&signal_is_found);
	if (is_recording(profiler)) {
		ran = sample_time_run();
		if (is_exact(ran) && sample_time_is_due())
			record_sample(profiler, address, context);
	}
	/* The time of this handler does not count as time of the program. */
	sample_time_skip();
	if (current_state != NULL)
		sample_timer_continue(&current_state->timer, ran);
}

/*
 * Waits for the first signal of the runtime, then starts timers that send it in place of the runtime, which handles it
 * like its own. If no timer is available, the runtime continues to send it.
 */
static void *replace_runtime(void *argument)
{
	MonoProfiler *profiler = argument;
	uint32_t hz;

	while (sem_wait(&signal_is_found) != 0)
		continue;
	pthread_mutex_lock(&rate_lock);
	hz = atomic_load_explicit(&present_hz, memory_order_relaxed);
	/* If samples were stopped meanwhile, the runtime sends the signals again when they are resumed. */
	if (hz != 0) {
		sample_timer_set_period(UINT64_C(1000000000) / hz);
		sample_timer_set(sampling_signal_get(), sample_timer_tick_hz(),
				 (sample_source)profiler->options.sample_source, 1);
		threads_start_timers();
		is_replaced = sample_timer_source() != SAMPLE_SOURCE_NONE;
	}
	if (is_replaced)
		(void)mono_profiler_set_sample_mode(profiler->handle, MONO_PROFILER_SAMPLE_MODE_NONE, 1);
	pthread_mutex_unlock(&rate_lock);
	return NULL;
}

/* If the thread cannot be created, the runtime continues to send the signals. */
static void start_replacement(MonoProfiler *profiler)
{
	if (sem_init(&signal_is_found, 0, 0) == 0)
		(void)own_thread_start("mprof timers", 0, replace_runtime, profiler);
}

static void warn_of_slow_tick(const module_options *options)
{
	uint32_t hz = sample_timer_tick_hz();

	if (hz != 0 && options->sample_hz > hz && !options->sample_real &&
	    options->sample_source == SAMPLE_SOURCE_RUNTIME && !options->quiet)
		fprintf(stderr,
			"mprof: the system's tick limits samples to about %u per second of processor time, not %u; "
			"sample-real has no such limit\n",
			hz, options->sample_hz);
}

static MonoProfilerSampleMode mode_of(const module_options *options)
{
	return options->sample_real ? MONO_PROFILER_SAMPLE_MODE_REAL : MONO_PROFILER_SAMPLE_MODE_PROCESS;
}

/* Returns 0 if the runtime refused. Called with rate_lock held. */
static int change_rate(MonoProfiler *profiler, uint32_t hz)
{
	MonoProfilerSampleMode mode = hz != 0 ? mode_of(&profiler->options) : MONO_PROFILER_SAMPLE_MODE_NONE;
	int is_stopped = atomic_load_explicit(&present_hz, memory_order_relaxed) == 0;

	if (!is_replaced)
		return mono_profiler_set_sample_mode(profiler->handle, mode, hz != 0 ? hz : 1);
	sample_timer_set_period(hz != 0 ? UINT64_C(1000000000) / hz : 0);
	if (hz != 0)
		threads_change_timers(is_stopped);
	return 1;
}

static MonoProfilerSampleHitCallback callback_for(const module_options *options)
{
	return options->sample_real ? sample_hit_real : sample_hit;
}

static void start_sources(MonoProfiler *profiler)
{
	const module_options *options = &profiler->options;

	mono_profiler_set_sample_hit_callback(profiler->handle, callback_for(options));
	sample_statement_request(profiler, options->sample_hz, sample_timer_tick_hz());
	sample_statement_start(profiler);
	if (!options->sample_real && options->sample_source != SAMPLE_SOURCE_RUNTIME)
		start_replacement(profiler);
}

/* The first samples of a program that was started without: methods that were compiled before have no names yet. */
static void begin_late(MonoProfiler *profiler)
{
	profiler_add_kind(profiler, RECORD_SAMPLES);
	own_code_find();
	unnamed_methods_close();
	unnamed_methods_define(profiler);
	start_sources(profiler);
}

const char *samples_set_rate(MonoProfiler *profiler, uint32_t hz)
{
	int is_changed;

	if (!is_available)
		return "the runtime lets only one profiler take samples, and only if it asks for it at the start";
	if (!heap_is_open())
		return "the runtime has not started yet, or is shutting down";
	if (hz != 0 && (profiler_kinds(profiler) & RECORD_SAMPLES) == 0)
		begin_late(profiler);
	pthread_mutex_lock(&rate_lock);
	is_changed = change_rate(profiler, hz);
	if (is_changed)
		atomic_store_explicit(&present_hz, hz, memory_order_relaxed);
	pthread_mutex_unlock(&rate_lock);
	if (!is_changed)
		return "the runtime lets only one profiler take samples, which is another one";
	/* Also when sampling stops: no sample represents the time until it resumes. */
	sample_time_change(hz != 0 ? UINT64_C(1000000000) / hz : 0);
	if (hz != 0)
		sample_statement_request(profiler, hz, sample_timer_tick_hz());
	return NULL;
}

uint32_t samples_rate(const MonoProfiler *profiler)
{
	(void)profiler;
	return atomic_load_explicit(&present_hz, memory_order_relaxed);
}

void samples_end(MonoProfiler *profiler)
{
	if ((profiler_kinds(profiler) & RECORD_SAMPLES) == 0)
		return;
	/* The time that other threads ran since their last sample is not included. */
	sample_time_end();
	sample_timer_set_period(0);
	sample_statement_end(profiler);
}

/*
 * Samples may be switched on later only if the runtime prepares for them now. Until then, its thread waits, and costs
 * nothing. Another profiler that wants to take samples must be loaded first.
 */
static void prepare_samples(MonoProfiler *profiler)
{
	const module_options *options = &profiler->options;

	is_available = options_allow_changes(options) && mono_profiler_enable_sampling(profiler->handle) &&
		       mono_profiler_set_sample_mode(profiler->handle, MONO_PROFILER_SAMPLE_MODE_NONE, 1);
	if (!is_available)
		return;
	sampling_thread_expect();
	sample_time_set(options->sample_real ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, 0);
}

void samples_install(MonoProfiler *profiler)
{
	const module_options *options = &profiler->options;

	if ((options->kinds & RECORD_SAMPLES) == 0) {
		prepare_samples(profiler);
		return;
	}
	is_available = mono_profiler_enable_sampling(profiler->handle) &&
		       mono_profiler_set_sample_mode(profiler->handle, mode_of(options), options->sample_hz);
	if (!is_available) {
		fprintf(stderr, "mprof: no samples are recorded: the runtime lets only one profiler take them; "
				"load no other one\n");
		return;
	}
	sampling_thread_expect();
	own_code_find();
	sample_time_set(options->sample_real ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID,
			UINT64_C(1000000000) / options->sample_hz);
	sample_time_begin();
	atomic_store_explicit(&present_hz, options->sample_hz, memory_order_relaxed);
	start_sources(profiler);
	warn_of_slow_tick(options);
}
