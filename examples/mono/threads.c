/* SPDX-License-Identifier: MIT */
/* Attaches threads to the recorder when they start, detaches them when they end, and records their names. */
#include "threads.h"

#include "monitor_holders.h"
#include "native_frames.h"
#include "sampling_signal.h"
#include "sampling_thread.h"

#include "shared/sample_source.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

THREAD_LOCAL mprof_thread *current_recording;
THREAD_LOCAL thread_state *current_state;

/* 1 once the end of the thread was announced: code that the runtime still runs on it is not part of the program. */
static __thread int current_ended __attribute__((tls_model("initial-exec")));

/* Signal handlers read it at any time, even while the thread is being attached or detached. */
static __thread uint64_t current_id __attribute__((tls_model("initial-exec")));

static pthread_mutex_t states_lock = PTHREAD_MUTEX_INITIALIZER;
static thread_state *states;

static MonoProfiler *installed;

static void link_state(thread_state *state)
{
	pthread_mutex_lock(&states_lock);
	state->next = states;
	if (states != NULL)
		states->previous = state;
	states = state;
	pthread_mutex_unlock(&states_lock);
}

static void unlink_state(thread_state *state)
{
	pthread_mutex_lock(&states_lock);
	if (state->previous != NULL)
		state->previous->next = state->next;
	else
		states = state->next;
	if (state->next != NULL)
		state->next->previous = state->previous;
	pthread_mutex_unlock(&states_lock);
}

uint64_t threads_id_of(uintptr_t runtime_id)
{
	uint64_t id = 0;

	pthread_mutex_lock(&states_lock);
	for (const thread_state *state = states; state != NULL && id == 0; state = state->next)
		if (state->runtime_id == runtime_id)
			id = state->id;
	pthread_mutex_unlock(&states_lock);
	return id;
}

unsigned threads_count_others(void)
{
	unsigned count = 0;

	pthread_mutex_lock(&states_lock);
	for (const thread_state *state = states; state != NULL; state = state->next)
		count += state != current_state && !state->is_of_runtime;
	pthread_mutex_unlock(&states_lock);
	return count;
}

/* The runtime's names for its own threads. */
static int is_name_of_runtime(const char *name)
{
	static const char *const names[] = {"Finalizer", "Profiler Sampler", "Domain unloader"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return 1;
	}
	return 0;
}

static void note_name(uint64_t id, const char *name)
{
	const int is_of_runtime = is_name_of_runtime(name);

	pthread_mutex_lock(&states_lock);
	for (thread_state *state = states; state != NULL; state = state->next) {
		if (state->id == id)
			state->is_of_runtime = is_of_runtime;
	}
	pthread_mutex_unlock(&states_lock);
}

uint64_t threads_current_id(void)
{
	if (current_id == 0)
#if defined(__linux__)
		current_id = (uint64_t)syscall(SYS_gettid);
#else
		current_id = (uint64_t)(uintptr_t)pthread_self();
#endif
	return current_id;
}

mprof_thread *threads_attach(MonoProfiler *profiler)
{
	thread_state *state;

	if (current_ended || atomic_load_explicit(&profiler->ended, memory_order_relaxed))
		return NULL;
	state = calloc(1, sizeof(*state));
	if (state == NULL)
		return NULL;
	if (mprof_recorder_attach(profiler->recorder, threads_current_id(), &state->recording) != MPROF_OK) {
		free(state);
		/* Not tried again: an attempt with each event would only slow the thread down. */
		current_ended = 1;
		return NULL;
	}
	state->id = threads_current_id();
	state->runtime_id = (uintptr_t)pthread_self();
	native_frames_find_stack(&state->stack);
	atomic_signal_fence(memory_order_seq_cst);
	/* Set before the thread is sampled: the signal handler uses it. */
	current_state = state;
	link_state(state);
	sampled_threads_add(&state->sampled);
	monitor_holders_add_thread(state->id);
	current_recording = state->recording;
	return state->recording;
}

static void detach_current_thread(void)
{
	thread_state *state = current_state;

	current_recording = NULL;
	current_ended = 1;
	if (state == NULL)
		return;
	monitor_holders_remove_thread();
	unlink_state(state);
	sampled_threads_remove(&state->sampled);
	atomic_signal_fence(memory_order_seq_cst);
	current_state = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	mprof_thread_detach(state->recording);
	for (unsigned i = 0; i < state->loads; i++)
		free(state->loading[i].name);
	free(state->stack_steps);
	free(state->async);
	free(state);
}

/*
 * The runtime calls the first and the last of these callbacks on the thread itself. A thread of native code may be
 * attached again after its end.
 */
static void thread_started(MonoProfiler *profiler, uintptr_t runtime_id)
{
	mprof_thread *recording;

	(void)runtime_id;
	current_ended = 0;
	recording = threads_recording(profiler);
	if (sample_source_used() == SAMPLE_SOURCE_RUNTIME)
		sampling_signal_raise();
	if (recording != NULL && profiler->options.kinds & RECORD_THREADS)
		mprof_thread_record_event(recording, MPROF_EVENT_THREAD_START, 0, mprof_thread_get_id(recording));
}

static void thread_exited(MonoProfiler *profiler, uintptr_t runtime_id)
{
	mprof_thread *recording = current_recording;

	(void)runtime_id;
	if (recording != NULL && profiler->options.kinds & RECORD_THREADS)
		mprof_thread_record_event(recording, MPROF_EVENT_THREAD_END, 0, mprof_thread_get_id(recording));
	detach_current_thread();
}

/*
 * The runtime's name for a thread that it creates to unload a domain. The thread inspects the stacks of other threads
 * in a mode in which the runtime considers it to be in a signal handler; a sample taken meanwhile would end the
 * process.
 */
static const char unloader_name[] = "Domain unloader";

/* The runtime's name for the thread with which it takes samples of the others. */
static const char sampler_name[] = "Profiler Sampler";

/* Any thread may name another. */
static void thread_name(MonoProfiler *profiler, uintptr_t runtime_id, const char *name)
{
	uint64_t id = threads_id_of(runtime_id);

	if (name != NULL && runtime_id == (uintptr_t)pthread_self()) {
		sampling_thread_see_name(name);
		if (strcmp(name, unloader_name) == 0)
			sampling_signal_block();
		/* These threads have no samples, so their time is not time of samples. */
		if (current_state != NULL && (strcmp(name, unloader_name) == 0 || strcmp(name, sampler_name) == 0))
			sampled_threads_leave_out(&current_state->sampled);
	}
	if (id == 0 || name == NULL)
		return;
	note_name(id, name);
	(void)mprof_recorder_set_thread_name(profiler->recorder, id, name, strlen(name));
}

/*
 * A child made by fork() has only this thread, and its recorder records nothing. Locks may be held forever by threads
 * that do not exist in the child, so it must not start anything that takes one.
 */
static void in_child(void)
{
	current_recording = NULL;
	current_state = NULL;
	current_ended = 1;
	sample_source_forget();
	sampled_threads_forget(NULL);
	atomic_store(&installed->ended, 1);
}

void threads_install(MonoProfiler *profiler)
{
	installed = profiler;
	/*
	 * If out of memory, a child does not record either, but it may wait for a lock that a thread of the parent
	 * held.
	 */
	(void)pthread_atfork(NULL, NULL, in_child);
	mono_profiler_set_thread_started_callback(profiler->handle, thread_started);
	mono_profiler_set_thread_exited_callback(profiler->handle, thread_exited);
	mono_profiler_set_thread_name_callback(profiler->handle, thread_name);
}
