/* SPDX-License-Identifier: MIT */
/* Takes samples. */
#include "samples.h"

#include "collector.h"
#include "heap.h"
#include "monitors.h"
#include "runtime_work.h"
#include "sampling_signal.h"
#include "sampling_thread.h"
#include "shared/own_code.h"
#include "shared/own_thread.h"
#include "shared/sample_source.h"
#include "shared/sample_timer.h"
#include "shared/sample_totals.h"
#include "shared/sampled_threads.h"
#include "stacks.h"
#include "threads.h"
#include "trap_signal.h"
#include "unnamed_methods.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

static int states_samples(const MonoProfiler *profiler)
{
	return (profiler_kinds(profiler) & RECORD_SAMPLES) != 0 && !options_are_classic(&profiler->options);
}

/*
 * The totals are stated at the end, and before that after 1, 2, 4, 8, ... seconds. So the log of a program that was
 * killed has those of at least half of the run, which suffice for the rate and for the time that a sample represents.
 */

/* States the requested rate, also when it changes. tick_hz is the frequency of the system's tick, 0 if unknown. */
static void sample_statement_request(MonoProfiler *profiler, uint32_t hz, uint32_t tick_hz)
{
	if (states_samples(profiler))
		sample_properties_set_request(profiler->recorder, hz, profiler->options.sample_real != 0, tick_hz);
}

/* States the time that each sample stands for from now on; see sample_properties_set_period(). */
static void sample_statement_period(MonoProfiler *profiler)
{
	if (states_samples(profiler))
		sample_properties_set_period(profiler->recorder, profiler->options.sample_real != 0);
}

/* Starts the thread that states the totals. Without it, they are stated at the end only. */
static void sample_statement_start(MonoProfiler *profiler)
{
	if (states_samples(profiler))
		sample_totals_start(profiler->recorder, NULL);
}

/* States the totals for the last time. The thread does not use the profiler any more when this returns. */
static void sample_statement_end(MonoProfiler *profiler)
{
	if (!states_samples(profiler))
		return;
	sample_totals_end();
	sample_properties_set_totals(profiler->recorder);
}

/* Until the runtime's signal is known, the runtime is asked for it at this rate, or at that of its tick. */
#define SEARCH_HZ 1000

/*
 * The runtime walks the stack of a thread in the handler of a signal of its own, and calls the callback there. It takes
 * no lock, calls no allocator and does not access the thread's state, which may be incomplete.
 *
 * In processor time mode, the runtime's clock counts the time of all threads together, and the runtime interrupts all
 * of them, even those that sleep. So events of the kernel, or timers, interrupt each thread by its own processor time,
 * and the runtime's signal, which is known after its first one, is only sent to let the runtime walk the stack: by the
 * timer, or by the handler of an event to its own thread, where it arrives in the context that the event interrupted.
 */

static void record_sample(MonoProfiler *profiler, const mono_byte *address, const void *context)
{
	mprof_frame frames[MPROF_STACK_MAX];
	size_t count = 0;

	if (!own_code_contains((uintptr_t)address))
		count = stacks_interrupted(address, context, frames, profiler->options.sample_depth);
	if (count == 0) {
		sampled_threads_discard(&current_state->sampled);
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

/* Held while the rate changes or another source replaces the sampler of the runtime. */
static pthread_mutex_t rate_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int is_replaced;     /* The runtime does not send its signal any more. Changed with rate_lock held. */
static _Atomic uint32_t enabled_hz; /* The rate while the recorder is enabled. Changed with rate_lock held. */

static MonoProfiler *sampled; /* Written before there are samples. */

static int is_recording(MonoProfiler *profiler)
{
	return atomic_load_explicit(&present_hz, memory_order_relaxed) != 0 && current_state != NULL &&
	       profiler_is_recording(profiler);
}

static void sample_hit_real(MonoProfiler *profiler, const mono_byte *address, const void *context)
{
	sampling_signal_find(context);
	if (!is_recording(profiler))
		return;
	sampled_threads_hit(&current_state->sampled);
	record_sample(profiler, address, context);
}

/* Whether a signal of the runtime becomes a sample. */
static int is_taken(void)
{
	switch (sample_source_used()) {
	case SAMPLE_SOURCE_PERF:
		return trap_signal_is_answered();
	case SAMPLE_SOURCE_TIMER:
		return is_replaced && sample_source_takes();
	case SAMPLE_SOURCE_RUNTIME:
		return sampled_threads_is_due(&current_state->sampled);
	default:
		return 0;
	}
}

static void sample_hit(MonoProfiler *profiler, const mono_byte *address, const void *context)
{
	if (sampling_signal_find(context))
		sem_post(&signal_is_found);
	if (!is_recording(profiler))
		return;
	if (!is_taken()) {
		sampled_threads_ignore();
		return;
	}
	sampled_threads_hit(&current_state->sampled);
	record_sample(profiler, address, context);
}

/* Whether an event becomes a sample: then the trap's handler sends the runtime's signal. */
static int is_wanted(void)
{
	MonoProfiler *profiler = sampled;

	return is_replaced && is_recording(profiler) && sample_source_takes();
}

static MonoProfilerSampleMode mode_of(const module_options *options)
{
	return options->sample_real ? MONO_PROFILER_SAMPLE_MODE_REAL : MONO_PROFILER_SAMPLE_MODE_PROCESS;
}

/* Lets the runtime take the samples. Called with rate_lock held. */
static void fall_back(MonoProfiler *profiler, uint32_t hz)
{
	(void)sample_source_open(SAMPLE_SOURCE_RUNTIME, hz, 0);
	(void)mono_profiler_set_sample_mode(profiler->handle, mode_of(&profiler->options), hz);
	sample_statement_period(profiler);
	sampled_threads_pause(0);
}

/* Called with rate_lock held, once the signal of the runtime is known. */
static void replace_runtime(MonoProfiler *profiler, uint32_t hz)
{
	if (sample_source_used() == SAMPLE_SOURCE_TIMER) {
		sampled_threads_pause(0);
		sampled_threads_set_signal(sampling_signal_get());
		sampled_threads_set_timers(1);
		is_replaced = sampled_threads_have_timers();
	} else {
		sampled_threads_set_signal(SIGTRAP);
		is_replaced = 1;
	}
	if (!is_replaced) {
		sampled_threads_set_timers(0);
		fall_back(profiler, hz);
		return;
	}
	(void)mono_profiler_set_sample_mode(profiler->handle, MONO_PROFILER_SAMPLE_MODE_NONE, 1);
	sampled_threads_pause(0);
	sample_source_change(hz);
	sample_statement_period(profiler);
}

/* Waits for the first signal of the runtime, which its handler then gets from the module. */
static void *await_signal(void *argument)
{
	MonoProfiler *profiler = argument;
	uint32_t hz;

	while (sem_wait(&signal_is_found) != 0)
		continue;
	pthread_mutex_lock(&rate_lock);
	hz = atomic_load_explicit(&present_hz, memory_order_relaxed);
	/* If samples are stopped, start_taking() replaces it when they are resumed. */
	if (hz != 0 && !is_replaced)
		replace_runtime(profiler, hz);
	pthread_mutex_unlock(&rate_lock);
	return NULL;
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

/* The runtime's thread answers to another rate. Called with rate_lock held. */
static int change_runtime(MonoProfiler *profiler, uint32_t hz)
{
	MonoProfilerSampleMode mode = hz != 0 ? mode_of(&profiler->options) : MONO_PROFILER_SAMPLE_MODE_NONE;

	return mono_profiler_set_sample_mode(profiler->handle, mode, hz != 0 ? hz : 1);
}

/* Returns 0 if the runtime refused. Called with rate_lock held. */
static int stop_taking(MonoProfiler *profiler)
{
	if (!is_replaced && !change_runtime(profiler, 0))
		return 0;
	atomic_store_explicit(&present_hz, 0, memory_order_relaxed);
	sample_source_change(0);
	sampled_threads_pause(1);
	/* Readers weigh samples that follow by another period. */
	(void)mprof_recorder_drain(profiler->recorder);
	return 1;
}

/* Called with rate_lock held. */
static void start_taking(MonoProfiler *profiler, uint32_t hz)
{
	/* Events are enabled once the runtime's signal is known, in replace_runtime(). */
	if (is_replaced || sample_source_used() != SAMPLE_SOURCE_PERF)
		sample_source_change(hz);
	sample_statement_request(profiler, hz, sample_timer_tick_hz());
	sample_statement_period(profiler);
	(void)mprof_recorder_drain(profiler->recorder);
	/* Before the signal is known, the time is not measured, since there are no samples. */
	if (is_replaced || sample_source_used() == SAMPLE_SOURCE_RUNTIME)
		sampled_threads_pause(0);
	atomic_store_explicit(&present_hz, hz, memory_order_relaxed);
	if (is_replaced)
		return;
	/* The signal may have become known while samples were stopped. */
	if (sample_source_used() != SAMPLE_SOURCE_RUNTIME && sampling_signal_get() != 0)
		replace_runtime(profiler, hz);
	else
		(void)change_runtime(profiler, hz);
}

static MonoProfilerSampleHitCallback callback_for(const module_options *options)
{
	return options->sample_real ? sample_hit_real : sample_hit;
}

/* The runtime signals threads until its signal is known; with sample-real and the source "runtime", also afterwards. */
static uint32_t runtime_rate(const module_options *options, uint32_t hz)
{
	return sample_source_used() == SAMPLE_SOURCE_RUNTIME || hz > SEARCH_HZ || options->sample_real ? hz : SEARCH_HZ;
}

/* Opens events before the program has other threads. If the thread cannot be created, the runtime takes the samples. */
static void start_sources(MonoProfiler *profiler, uint32_t hz)
{
	const module_options *options = &profiler->options;
	sample_source most = options->sample_real ? SAMPLE_SOURCE_RUNTIME : (sample_source)options->sample_source;

	sampled = profiler;
	mono_profiler_set_sample_hit_callback(profiler->handle, callback_for(options));
	sample_statement_start(profiler);
	if (most != SAMPLE_SOURCE_RUNTIME &&
	    (sem_init(&signal_is_found, 0, 0) != 0 || own_thread_start("mprof timers", 0, await_signal, profiler) != 0))
		most = SAMPLE_SOURCE_RUNTIME;
	/* Without a handler, the signal of an event would end the program. */
	if (most == SAMPLE_SOURCE_PERF && !trap_signal_install(is_wanted))
		most = SAMPLE_SOURCE_TIMER;
	(void)sample_source_open(most, hz, 0);
	sample_statement_request(profiler, hz, sample_timer_tick_hz());
	sample_statement_period(profiler);
}

/* The first samples of a program that was started without: methods that were compiled before have no names yet. */
static void begin_late(MonoProfiler *profiler, uint32_t hz)
{
	profiler_add_kind(profiler, RECORD_SAMPLES);
	runtime_work_define(profiler);
	collector_show(profiler);
	monitors_show(profiler);
	own_code_find();
	unnamed_methods_close();
	unnamed_methods_define(profiler);
	start_sources(profiler, hz);
}

const char *samples_set_rate(MonoProfiler *profiler, uint32_t hz)
{
	int is_changed;

	if (!is_available)
		return "the runtime lets only one profiler take samples, and only if it asks for it at the start";
	if (!heap_is_open())
		return "the runtime has not started yet, or is shutting down";
	if (hz != 0 && (profiler_kinds(profiler) & RECORD_SAMPLES) == 0)
		begin_late(profiler, hz);
	pthread_mutex_lock(&rate_lock);
	is_changed = stop_taking(profiler);
	if (is_changed) {
		enabled_hz = hz;
		if (hz != 0 && mprof_recorder_is_enabled(profiler->recorder))
			start_taking(profiler, hz);
	}
	pthread_mutex_unlock(&rate_lock);
	return is_changed ? NULL : "the runtime lets only one profiler take samples, which is another one";
}

void samples_enable(MonoProfiler *profiler, int is_enabled)
{
	if (!is_available || (profiler_kinds(profiler) & RECORD_SAMPLES) == 0 || !heap_is_open())
		return;
	pthread_mutex_lock(&rate_lock);
	if (!is_enabled)
		(void)stop_taking(profiler);
	else if (enabled_hz != 0)
		start_taking(profiler, enabled_hz);
	pthread_mutex_unlock(&rate_lock);
}

void samples_shut_down(void)
{
	sample_source_change(0);
	sampled_threads_pause(1);
}

uint32_t samples_rate(const MonoProfiler *profiler)
{
	(void)profiler;
	return enabled_hz;
}

void samples_end(MonoProfiler *profiler)
{
	if ((profiler_kinds(profiler) & RECORD_SAMPLES) == 0)
		return;
	samples_shut_down();
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
	sampled_threads_set(options->sample_real != 0, 1);
}

void samples_install(MonoProfiler *profiler)
{
	const module_options *options = &profiler->options;
	int is_measured;

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
	runtime_work_define(profiler);
	own_code_find();
	start_sources(profiler, options->sample_hz);
	(void)mono_profiler_set_sample_mode(profiler->handle, mode_of(options),
					    runtime_rate(options, options->sample_hz));
	is_measured = sample_source_used() == SAMPLE_SOURCE_RUNTIME && mprof_recorder_is_enabled(profiler->recorder);
	sampled_threads_set(options->sample_real != 0, !is_measured);
	enabled_hz = options->sample_hz;
	if (mprof_recorder_is_enabled(profiler->recorder))
		atomic_store_explicit(&present_hz, options->sample_hz, memory_order_relaxed);
	warn_of_slow_tick(options);
}
