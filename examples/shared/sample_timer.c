/* SPDX-License-Identifier: MIT */
/* Starts and stops the timers that interrupt threads at the tick. */
#include "shared/sample_timer.h"

#include <string.h>

/* Its address marks the signals of timers. */
static char mark;

#if defined(__linux__)
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* The kernel's ID of the clock of a thread's processor time. */
static clockid_t processor_clock(pid_t thread)
{
	return (clockid_t)(~(unsigned)thread << 3 | 6);
}

int sample_timer_start(sample_timer *timer, pid_t thread, int signal_number)
{
	const struct itimerspec always = {{0, 1}, {0, 1}};
	struct sigevent event;

	if (timer->is_started)
		return 1;
	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = signal_number;
	event.sigev_value.sival_ptr = &mark;
	event.sigev_notify_thread_id = thread;
	if (timer_create(processor_clock(thread), &event, &timer->processor) != 0)
		return 0;
	timer->is_started = 1;
	(void)timer_settime(timer->processor, 0, &always, NULL);
	return 1;
}
#else
int sample_timer_start(sample_timer *timer, pid_t thread, int signal_number)
{
	(void)timer;
	(void)thread;
	(void)signal_number;
	return 0;
}
#endif

void sample_timer_stop(sample_timer *timer)
{
	if (timer->is_started)
		(void)timer_delete(timer->processor);
	timer->is_started = 0;
}

int sample_timer_sent(const siginfo_t *info)
{
	return info->si_code == SI_TIMER && info->si_value.sival_ptr == &mark;
}

uint32_t sample_timer_tick_hz(void)
{
#if defined(CLOCK_MONOTONIC_COARSE)
	struct timespec tick;

	/* The coarse clock advances once per tick. */
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 && tick.tv_sec == 0 && tick.tv_nsec > 0)
		return (uint32_t)(1000000000 / tick.tv_nsec);
#endif
	return 0;
}
