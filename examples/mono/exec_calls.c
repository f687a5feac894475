/* SPDX-License-Identifier: MIT */
/*
 * Stops the samples of a thread while it executes another program.
 *
 * Managed code calls exec() through a wrapper that the runtime compiles before the first such call. The runtime finds
 * the function in the C library itself, so a preloaded library cannot interpose it. A profiler handle of its own has
 * the wrapper instrumented, and gets callbacks for calls only from then on: no other program pays for them.
 */
#include "exec_calls.h"

#include "names.h"
#include "samples.h"
#include "sampling_signal.h"
#include "threads.h"

#include "shared/sample_source.h"

#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/profiler.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

static const MonoProfilerCallInstrumentationFlags instrumented = MONO_PROFILER_CALL_INSTRUMENTATION_ENTER |
								 MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE |
								 MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE;

static MonoProfilerHandle handle;

/* The wrappers that were compiled. Entries are never removed; more than these are not instrumented. */
#define MAX_WRAPPERS 16
static _Atomic(MonoMethod *) wrappers[MAX_WRAPPERS];

/* Set while the samples of the thread are stopped. */
static __thread int is_stopped __attribute__((tls_model("initial-exec")));
static __thread sigset_t mask_before __attribute__((tls_model("initial-exec")));

/* Any name with "exec": the name of the managed method need not be that of the C function. */
static int executes_program(MonoMethod *method)
{
	static const char prefix[] = "(wrapper managed-to-native) ";
	char *full_name;
	int is_found;

	if (strstr(mono_method_get_name(method), "exec") == NULL)
		return 0;
	full_name = mono_method_full_name(method, 1);
	is_found = full_name != NULL && strncmp(full_name, prefix, sizeof(prefix) - 1) == 0;
	mono_free(full_name);
	return is_found;
}

static int is_wrapper(MonoMethod *method)
{
	for (int i = 0; i < MAX_WRAPPERS; i++)
		if (atomic_load_explicit(&wrappers[i], memory_order_relaxed) == method)
			return 1;
	return 0;
}

/* Two threads may compile the same method. Returns 0 if there is no room. */
static int add_wrapper(MonoMethod *method)
{
	for (int i = 0; i < MAX_WRAPPERS; i++) {
		MonoMethod *none = NULL;

		if (atomic_compare_exchange_strong(&wrappers[i], &none, method) || none == method)
			return 1;
	}
	return 0;
}

static void take_pending(int number)
{
	const struct timespec now = {0, 0};
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, number);
	if (sample_source_used() == SAMPLE_SOURCE_PERF)
		sigaddset(&signals, SIGTRAP);
	while (sigtimedwait(&signals, NULL, &now) >= 0 || errno == EINTR)
		continue;
}

/* An event that counts the kernel would interrupt the call that replaces the program. */
static void change_source(MonoProfiler *profiler, int is_continued)
{
	thread_state *state = threads_state(profiler);

	if (sample_source_scope() == SAMPLE_SCOPE_ALL) {
		if (!is_continued)
			sample_events_disable();
		else if (samples_rate(profiler) != 0)
			sample_events_enable();
	}
	if (state == NULL)
		return;
	if (is_continued)
		sampled_threads_continue_timer(&state->sampled);
	else
		sampled_threads_stop_timer(&state->sampled);
}

/*
 * All signals are blocked while the lock of the timers is held: with one, the collector could suspend the thread. If
 * the runtime sends the signals, the one for samples stays blocked, also in the new program.
 */
static void stop_samples(MonoProfiler *profiler)
{
	const int number = sampling_signal_get();
	const int saved = errno;
	sigset_t all;

	if (number == 0 || is_stopped)
		return;
	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &mask_before) != 0)
		return;
	is_stopped = 1;
	change_source(profiler, 0);
	if (sample_source_used() != SAMPLE_SOURCE_PERF && sample_source_used() != SAMPLE_SOURCE_TIMER) {
		sigset_t with_signal = mask_before;

		sigaddset(&with_signal, number);
		(void)pthread_sigmask(SIG_SETMASK, &with_signal, NULL);
	} else {
		take_pending(number);
		(void)pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
	}
	errno = saved;
}

static void continue_samples(MonoProfiler *profiler)
{
	const int saved = errno;
	sigset_t all;

	if (!is_stopped)
		return;
	is_stopped = 0;
	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, NULL);
	change_source(profiler, 1);
	(void)pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
	errno = saved;
}

static void call_entered(MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	(void)context;
	if (is_wrapper(method))
		stop_samples(profiler);
}

static void call_left(MonoProfiler *profiler, MonoMethod *method, MonoProfilerCallContext *context)
{
	(void)context;
	if (is_wrapper(method))
		continue_samples(profiler);
}

static void call_threw(MonoProfiler *profiler, MonoMethod *method, MonoObject *exception)
{
	(void)exception;
	if (is_wrapper(method))
		continue_samples(profiler);
}

static MonoProfilerCallInstrumentationFlags find_wrappers(MonoProfiler *profiler, MonoMethod *method)
{
	if (!executes_program(method) || !add_wrapper(method))
		return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
	/* If calls are recorded, those of the wrapper are as well, whatever the filters. */
	(void)names_define_method_once(profiler, method);
	mono_profiler_set_method_enter_callback(handle, call_entered);
	mono_profiler_set_method_leave_callback(handle, call_left);
	mono_profiler_set_method_exception_leave_callback(handle, call_threw);
	return instrumented;
}

void exec_calls_install(MonoProfiler *profiler)
{
	handle = mono_profiler_create(profiler);
	mono_profiler_set_call_instrumentation_filter_callback(handle, find_wrappers);
}
