/* SPDX-License-Identifier: MIT */
/* Waits for the start of the thread with which the runtime takes samples. */
#include "sampling_thread.h"

#include <errno.h>
#include <semaphore.h>
#include <string.h>
#include <time.h>

/* The runtime's name for the thread. */
static const char sampler_name[] = "Profiler Sampler";

static sem_t is_marked;
static int is_expected; /* Constant once the runtime has threads. */

void sampling_thread_expect(void)
{
	is_expected = sem_init(&is_marked, 0, 0) == 0;
}

void sampling_thread_see_name(const char *name)
{
	if (is_expected && strcmp(name, sampler_name) == 0)
		(void)sem_post(&is_marked);
}

/* The limit is for runtimes that use another name. */
void sampling_thread_await(void)
{
	struct timespec limit;

	if (!is_expected || clock_gettime(CLOCK_REALTIME, &limit) != 0)
		return;
	limit.tv_sec++;
	while (sem_timedwait(&is_marked, &limit) != 0 && errno == EINTR)
		continue;
}
