/* SPDX-License-Identifier: MIT */
/* Has keys, and the call stacks that hold them, forgotten where a round has drained all that uses them. */
#include "recorder/key_retirement.h"

#include "recorder/switches.h"
#include "recorder/thread.h"

static void retire_keys(recorder_drain *drain, const retire_request *request)
{
	mprof_thread *thread = recorder_threads(drain->shared);

	keys_retire(&drain->keys, request->ranges, request->count, counter_read(&drain->shared->counter));
	/* A frame whose leave was never recorded is not to be ended by that of another method with the same key. */
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
