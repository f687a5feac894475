/* SPDX-License-Identifier: MIT */
/* Stops and resumes recording while the program runs, and requests rounds of draining. */
#include "recorder/control.h"

#include "base/cancellation.h"
#include "recorder/recorder_internal.h"
#include "recorder/thread.h"

mprof_status control_request_round(recorder_shared *shared, retire_request *request)
{
	WITHOUT_CANCELLATION;
	mprof_status status = MPROF_ERR_STATE;
	uint64_t round;

	if (recorder_in_child(shared) || recorder_on_own_thread(shared))
		return MPROF_ERR_STATE;
	pthread_mutex_lock(&shared->state_lock);
	if (!shared->closed) {
		/* Release: pairs with the acquire in drain_until_closed(), whose round sees what was recorded. */
		round = atomic_fetch_add_explicit(&shared->drain_requested, 1, memory_order_release) + 1;
		if (request != NULL) {
			request->round = round;
			request->next = shared->retiring;
			shared->retiring = request;
		}
		sem_post(&shared->work);
		while (shared->drain_completed < round)
			pthread_cond_wait(&shared->drained, &shared->state_lock);
		status = (mprof_status)shared->stats.status;
	}
	pthread_mutex_unlock(&shared->state_lock);
	return status;
}

mprof_status mprof_recorder_drain(mprof_recorder *recorder)
{
	return recorder != NULL ? control_request_round(&recorder->shared, NULL) : MPROF_ERR_ARGUMENT;
}

static void stop_thread(mprof_thread *thread, uint64_t counter)
{
	uint32_t special = atomic_load_explicit(&thread->special, memory_order_relaxed);

	/* If the thread has not recorded the last gap yet, that gap continues. */
	if ((special & SPECIAL_GAP) == 0)
		atomic_store_explicit(&thread->stopped, counter, memory_order_relaxed);
	/* Release: pairs with the acquire in may_record(), which then sees the counter above. */
	atomic_fetch_or_explicit(&thread->special, SPECIAL_OFF | SPECIAL_GAP, memory_order_release);
}

static void resume_thread(mprof_thread *thread)
{
	/* Release: the owner may see only this change of the two, and needs the counter at which the gap started. */
	atomic_fetch_and_explicit(&thread->special, ~(uint32_t)SPECIAL_OFF, memory_order_release);
}

mprof_status mprof_recorder_set_enabled(mprof_recorder *recorder, int enabled)
{
	WITHOUT_CANCELLATION;
	uint64_t counter;

	if (recorder == NULL || (enabled != 0 && enabled != 1))
		return MPROF_ERR_ARGUMENT;
	if (atomic_load_explicit(&recorder->shared.closing, memory_order_acquire) ||
	    recorder_in_child(&recorder->shared))
		return MPROF_ERR_STATE;
	if (recorder_failure(&recorder->shared) != MPROF_OK)
		return recorder_failure(&recorder->shared);
	counter = counter_read(&recorder->shared.counter);
	pthread_mutex_lock(&recorder->shared.threads_lock);
	if (atomic_exchange_explicit(&recorder->shared.enabled, enabled, memory_order_relaxed) != enabled) {
		for (mprof_thread *thread = recorder->shared.threads; thread != NULL; thread = thread->next) {
			if (enabled)
				resume_thread(thread);
			else
				stop_thread(thread, counter);
		}
	}
	pthread_mutex_unlock(&recorder->shared.threads_lock);
	return MPROF_OK;
}

int mprof_recorder_is_enabled(const mprof_recorder *recorder)
{
	return recorder != NULL && atomic_load_explicit(&recorder->shared.enabled, memory_order_relaxed) &&
	       !atomic_load_explicit(&recorder->shared.closing, memory_order_relaxed) &&
	       recorder_failure(&recorder->shared) == MPROF_OK && !recorder_in_child(&recorder->shared);
}
