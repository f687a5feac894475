/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/control.c
 * \brief Stopping and resuming while the program runs, and rounds of draining on demand.
 */
#include "recorder/recorder_internal.h"

mprof_status recorder_request_round(mprof_recorder *recorder, unloading *asked)
{
	mprof_status status = MPROF_ERR_STATE;
	uint64_t request;

	if (recorder_in_child(recorder) || recorder_on_writer_thread(recorder))
		return MPROF_ERR_STATE;
	pthread_mutex_lock(&recorder->state_lock);
	if (!recorder->closed) {
		/* Release: what the caller recorded or defined is seen by the round that serves the request. */
		request = atomic_fetch_add_explicit(&recorder->drain_requested, 1, memory_order_release) + 1;
		if (asked != NULL) {
			asked->request = request;
			asked->next = recorder->unloadings;
			recorder->unloadings = asked;
		}
		sem_post(&recorder->work);
		while (recorder->drain_completed < request)
			pthread_cond_wait(&recorder->drained, &recorder->state_lock);
		status = (mprof_status)recorder->stats.status;
	}
	pthread_mutex_unlock(&recorder->state_lock);
	return status;
}

mprof_status mprof_recorder_drain(mprof_recorder *recorder)
{
	return recorder != NULL ? recorder_request_round(recorder, NULL) : MPROF_ERR_ARGUMENT;
}

static void stop_thread(mprof_thread *thread, uint64_t counter)
{
	uint32_t special = atomic_load_explicit(&thread->special, memory_order_relaxed);

	/* A gap that the thread has not told yet goes on. */
	if ((special & SPECIAL_GAP) == 0)
		atomic_store_explicit(&thread->stopped, counter, memory_order_relaxed);
	/* Release: who sees the gap sees when it began. */
	atomic_fetch_or_explicit(&thread->special, SPECIAL_OFF | SPECIAL_GAP, memory_order_release);
}

static void resume_thread(mprof_thread *thread)
{
	/* Release, since the owner may see only this change of the two. */
	atomic_fetch_and_explicit(&thread->special, ~(uint32_t)SPECIAL_OFF, memory_order_release);
}

mprof_status mprof_recorder_set_enabled(mprof_recorder *recorder, int enabled)
{
	uint64_t counter;

	if (recorder == NULL || (enabled != 0 && enabled != 1))
		return MPROF_ERR_ARGUMENT;
	if (atomic_load_explicit(&recorder->closing, memory_order_acquire) || recorder_in_child(recorder))
		return MPROF_ERR_STATE;
	counter = counter_read(&recorder->counter);
	pthread_mutex_lock(&recorder->threads_lock);
	if (atomic_exchange_explicit(&recorder->enabled, enabled, memory_order_relaxed) != enabled) {
		for (mprof_thread *thread = recorder->threads; thread != NULL; thread = thread->next) {
			if (enabled)
				resume_thread(thread);
			else
				stop_thread(thread, counter);
		}
	}
	pthread_mutex_unlock(&recorder->threads_lock);
	return MPROF_OK;
}

int mprof_recorder_is_enabled(const mprof_recorder *recorder)
{
	return recorder != NULL && atomic_load_explicit(&recorder->enabled, memory_order_relaxed) &&
	       !atomic_load_explicit(&recorder->closing, memory_order_relaxed) && !recorder_in_child(recorder);
}
