/* SPDX-License-Identifier: MIT */
/**
 * \file threads.c
 * \brief Attaches threads when they start, detaches them when they end, and knows their names.
 */
#include "threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

THREAD_LOCAL mprof_thread *current_recording;
THREAD_LOCAL thread_state *current_state;

/* 1 from the announced end of the thread on: what the runtime still does there is not the program's. */
static __thread int current_ended __attribute__((tls_model("initial-exec")));

static pthread_mutex_t states_lock = PTHREAD_MUTEX_INITIALIZER;
static thread_state *states;

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

/* The log's ID of a thread that the runtime names by its pthread_t; 0 if it is not attached. */
static uint64_t id_of(uintptr_t runtime_id)
{
	uint64_t id = 0;

	pthread_mutex_lock(&states_lock);
	for (const thread_state *state = states; state != NULL && id == 0; state = state->next)
		if (state->runtime_id == runtime_id)
			id = state->id;
	pthread_mutex_unlock(&states_lock);
	return id;
}

mprof_thread *threads_attach(MonoProfiler *profiler)
{
	thread_state *state;

	if (current_ended || atomic_load_explicit(&profiler->ended, memory_order_relaxed))
		return NULL;
	state = calloc(1, sizeof(*state));
	if (state == NULL)
		return NULL;
	if (mprof_recorder_attach(profiler->recorder, 0, &state->recording) != MPROF_OK) {
		free(state);
		/* Trying again with each event would only slow the thread down. */
		current_ended = 1;
		return NULL;
	}
	state->id = mprof_thread_id(state->recording);
	state->runtime_id = (uintptr_t)pthread_self();
	link_state(state);
	current_state = state;
	current_recording = state->recording;
	return state->recording;
}

thread_state *threads_state(MonoProfiler *profiler)
{
	threads_recording(profiler);
	return current_state;
}

static void detach(void)
{
	thread_state *state = current_state;

	current_recording = NULL;
	current_state = NULL;
	current_ended = 1;
	if (state == NULL)
		return;
	unlink_state(state);
	mprof_recorder_detach(state->recording);
	for (unsigned i = 0; i < state->loads; i++)
		free(state->loading[i].name);
	free(state);
}

/* The runtime calls the first and the last of these on the thread itself. A thread of native code may come back. */
static void thread_started(MonoProfiler *profiler, uintptr_t runtime_id)
{
	mprof_thread *recording;

	(void)runtime_id;
	current_ended = 0;
	recording = threads_recording(profiler);
	if (recording != NULL && profiler->options.kinds & RECORD_THREADS)
		mprof_thread_event(recording, MPROF_EVENT_THREAD_START, 0, mprof_thread_id(recording));
}

static void thread_exited(MonoProfiler *profiler, uintptr_t runtime_id)
{
	mprof_thread *recording = current_recording;

	(void)runtime_id;
	if (recording != NULL && profiler->options.kinds & RECORD_THREADS)
		mprof_thread_event(recording, MPROF_EVENT_THREAD_END, 0, mprof_thread_id(recording));
	detach();
}

/* Any thread may name another. */
static void thread_name(MonoProfiler *profiler, uintptr_t runtime_id, const char *name)
{
	uint64_t id = id_of(runtime_id);

	if (id != 0 && name != NULL)
		(void)mprof_recorder_thread_name(profiler->recorder, id, name, strlen(name));
}

void threads_install(MonoProfiler *profiler)
{
	mono_profiler_set_thread_started_callback(profiler->handle, thread_started);
	mono_profiler_set_thread_exited_callback(profiler->handle, thread_exited);
	mono_profiler_set_thread_name_callback(profiler->handle, thread_name);
}
