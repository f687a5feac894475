/* SPDX-License-Identifier: MIT */
/* Retires keys, and the call stacks that contain them, once a round has drained all events that use them. */
#include "recorder/key_retirement.h"

#include "recorder/switches.h"
#include "recorder/thread.h"

static void retire_keys(recorder_drain *drain, const retire_request *request)
{
	mprof_thread *thread = recorder_threads(drain->shared);

	keys_retire(&drain->keys, request->ranges, request->count, counter_read(&drain->shared->counter));
	/* The leave of another method with the same key must not end a frame whose own leave was never recorded. */
	for (; thread != NULL; thread = thread->next)
		shadow_stack_forget(&thread->drain.stacks.own, request->ranges, request->count);
	switches_forget(&drain->switched, request->ranges, request->count);
}

void key_retirement_serve(recorder_drain *drain, uint64_t served)
{
	recorder_shared *shared = drain->shared;
	retire_request **link = &shared->retiring;
	retire_request *done = NULL;

	pthread_mutex_lock(&shared->state_lock);
	while (*link != NULL) {
		retire_request *request = *link;

		if (request->round <= served) {
			*link = request->next;
			request->next = done;
			done = request;
		} else {
			link = &request->next;
		}
	}
	pthread_mutex_unlock(&shared->state_lock);
	/* The threads that made the requests wait until the round is declared complete, so the requests still exist. */
	for (; done != NULL; done = done->next)
		retire_keys(drain, done);
}
