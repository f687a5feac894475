/* SPDX-License-Identifier: MIT */
/* Starts, continues and stops the timers that interrupt threads. */
#include "shared/sample_timer.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#endif

static const char *const names[] = {
	[SAMPLE_SOURCE_NONE] = "none",
	[SAMPLE_SOURCE_RUNTIME] = "runtime",
	[SAMPLE_SOURCE_TIMER] = "timer",
	[SAMPLE_SOURCE_PERF] = "perf",
};

/* A thread that pauses for less than this part of a period runs steadily. */
#define STEADY_DIVISOR 4

/* Constant once timers are started. */
static int timer_signal;
static uint64_t tick_period;
static sample_source best_source;
static int uses_real; /* With an event, a timer of real time is used for threads that run steadily. */

/* Relaxed: a timer may use the previous values for one more period. */
static _Atomic uint64_t timer_period;
static _Atomic int is_stopped;
static _Atomic int used_source;

const char *sample_source_name(sample_source source)
{
	return names[source];
}

sample_source sample_source_find(const char *name)
{
	for (int source = SAMPLE_SOURCE_RUNTIME; source <= SAMPLE_SOURCE_PERF; source++)
		if (strcmp(name, names[source]) == 0)
			return (sample_source)source;
	return SAMPLE_SOURCE_NONE;
}

/*
 * Handles SIGIO, which the kernel sends in place of the signal of an event if the process has too many pending signals.
 * Its default action would end the process.
 */
static void ignore_overflow(int number)
{
	(void)number;
}

static void handle_overflow(void)
{
	struct sigaction action;

	if (sigaction(SIGIO, NULL, &action) != 0 || (action.sa_flags & SA_SIGINFO) != 0 || action.sa_handler != SIG_DFL)
		return;
	memset(&action, 0, sizeof(action));
	sigemptyset(&action.sa_mask);
	action.sa_flags = SA_RESTART;
	action.sa_handler = ignore_overflow;
	(void)sigaction(SIGIO, &action, NULL);
}

void sample_timer_set(int signal_number, uint64_t tick_hz, sample_source most, int may_interrupt_waits)
{
	uses_real = may_interrupt_waits;
	timer_signal = signal_number;
	tick_period = tick_hz != 0 ? UINT64_C(1000000000) / tick_hz : UINT64_C(10000000);
	best_source = most;
	if (most == SAMPLE_SOURCE_PERF)
		handle_overflow();
}

void sample_timer_set_period(uint64_t period_ns)
{
	atomic_store_explicit(&is_stopped, period_ns == 0, memory_order_relaxed);
	if (period_ns != 0)
		atomic_store_explicit(&timer_period, period_ns, memory_order_relaxed);
}

static uint64_t present_period(void)
{
	return atomic_load_explicit(&timer_period, memory_order_relaxed);
}

sample_source sample_timer_source(void)
{
	return (sample_source)atomic_load_explicit(&used_source, memory_order_relaxed);
}

#if defined(__linux__)
/* Leaves at least half of the descriptors to the program. */
static int is_affordable(int descriptor)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) != 0 || (rlim_t)descriptor < limit.rlim_cur / 2;
}

/* Whether the descriptor is still that of the event: the program may have closed it, and opened another file. */
static int has_event(const sample_timer *timer)
{
	uint64_t id;

	return ioctl(timer->event, PERF_EVENT_IOC_ID, &id) == 0 && id == timer->event_id;
}

/* A mapping keeps the event alive if the program closes all descriptors: its last signal lets it be opened again. */
static void keep_event(sample_timer *timer)
{
	timer->event_page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, timer->event, 0);
	if (timer->event_page == MAP_FAILED)
		timer->event_page = NULL;
}

static void release_event(sample_timer *timer)
{
	if (timer->event_page != NULL)
		(void)munmap(timer->event_page, (size_t)sysconf(_SC_PAGESIZE));
	timer->event_page = NULL;
	if (has_event(timer))
		close(timer->event);
}

static int open_event(pid_t thread)
{
	struct perf_event_attr attributes;
	int event;

	memset(&attributes, 0, sizeof(attributes));
	attributes.size = sizeof(attributes);
	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.config = PERF_COUNT_SW_TASK_CLOCK;
	attributes.sample_period = present_period();
	attributes.wakeup_events = 1;
	attributes.disabled = 1;
	/*
	 * The kernel is included: if it were not, the kernel would not signal a period that ends in a system call, and
	 * calls that spend their time there would have no samples.
	 */
	attributes.exclude_hv = 1;
	event = (int)syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (event >= 0 && !is_affordable(event)) {
		close(event);
		return -1;
	}
	return event;
}

static int start_event(sample_timer *timer, pid_t thread)
{
	struct f_owner_ex owner = {F_OWNER_TID, thread};

	timer->event = open_event(thread);
	if (timer->event < 0)
		return 0;
	if (fcntl(timer->event, F_SETFL, O_ASYNC) == 0 && fcntl(timer->event, F_SETSIG, timer_signal) == 0 &&
	    fcntl(timer->event, F_SETOWN_EX, &owner) == 0 &&
	    ioctl(timer->event, PERF_EVENT_IOC_ID, &timer->event_id) == 0) {
		keep_event(timer);
		return 1;
	}
	close(timer->event);
	return 0;
}

/*
 * Enables the event for one signal; then it is disabled until the next call. So signals cannot accumulate in a thread
 * that blocks them: the kernel would finally send SIGIO, which ends the process. Also, the time of the handler is not
 * counted.
 */
static void continue_event(sample_timer *timer)
{
	if (!has_event(timer)) {
		release_event(timer);
		if (!start_event(timer, timer->thread))
			return;
	}
	(void)ioctl(timer->event, PERF_EVENT_IOC_REFRESH, 1);
}

static void change_event(const sample_timer *timer)
{
	uint64_t period = present_period();

	if (has_event(timer))
		(void)ioctl(timer->event, PERF_EVENT_IOC_PERIOD, &period);
}

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static int create_timer(clockid_t clock, pid_t thread, timer_t *created)
{
	struct sigevent event;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = timer_signal;
	event.sigev_notify_thread_id = thread;
	return timer_create(clock, &event, created) == 0;
}

/* The kernel's ID of the clock of a thread's processor time. */
static clockid_t processor_clock(pid_t thread)
{
	return (clockid_t)(~(unsigned)thread << 3 | 6);
}

static void start_real(sample_timer *timer, pid_t thread)
{
	timer->has_real = uses_real && create_timer(CLOCK_MONOTONIC, thread, &timer->real);
}

static int start_timers(sample_timer *timer, pid_t thread)
{
	if (!create_timer(processor_clock(thread), thread, &timer->processor))
		return 0;
	if (create_timer(CLOCK_MONOTONIC, thread, &timer->real))
		return 1;
	(void)timer_delete(timer->processor);
	return 0;
}
#else
static int start_event(sample_timer *timer, pid_t thread)
{
	(void)timer;
	(void)thread;
	return 0;
}

static void continue_event(sample_timer *timer)
{
	(void)timer;
}

static void release_event(sample_timer *timer)
{
	(void)timer;
}

static void change_event(const sample_timer *timer)
{
	(void)timer;
}

static void start_real(sample_timer *timer, pid_t thread)
{
	(void)timer;
	(void)thread;
}

static int start_timers(sample_timer *timer, pid_t thread)
{
	(void)timer;
	(void)thread;
	return 0;
}
#endif

static void arm(timer_t timer, uint64_t nanoseconds)
{
	struct itimerspec time = {{0, 0}, {0, 0}};

	time.it_value.tv_sec = (time_t)(nanoseconds / 1000000000);
	time.it_value.tv_nsec = (long)(nanoseconds % 1000000000);
	(void)timer_settime(timer, 0, &time, NULL);
}

/*
 * A thread that ran is expected to continue: it is interrupted after a period of real time. A thread that did not run
 * in this period is interrupted only after it has run again for a short time, which the kernel notices at a tick.
 */
static void continue_timers(const sample_timer *timer, uint64_t ran)
{
	uint64_t period = present_period();
	/*
	 * A period ends at the next tick, on average half a tick late: a few percent of 16 ticks, but half of one tick.
	 */
	int is_fast = period < 16 * tick_period;

	if (is_fast && ran != 0)
		arm(timer->real, period);
	else
		arm(timer->processor, is_fast ? 1 : period);
}

/* Whether the thread ran without a long pause for a period: then real time measures its processor time. */
static int runs_steadily(uint64_t ran)
{
	return ran >= present_period() / STEADY_DIVISOR * (STEADY_DIVISOR - 1);
}

/*
 * A steady thread is expected to continue. The kernel signals a timer from its interrupt, but the end of an event's
 * period only after another interrupt that it sends to itself, and enabling the event again takes it long.
 */
static void continue_steadily(sample_timer *timer, uint64_t ran)
{
	const int is_real = timer->has_real && runs_steadily(ran);

	atomic_store_explicit(&timer->is_real, is_real, memory_order_relaxed);
	if (is_real)
		arm(timer->real, present_period());
	else
		continue_event(timer);
}

int sample_timer_is_exact(const sample_timer *timer, uint64_t ran)
{
	return !atomic_load_explicit(&timer->is_real, memory_order_relaxed) || runs_steadily(ran);
}

void sample_timer_start(sample_timer *timer, pid_t thread)
{
	int source = SAMPLE_SOURCE_NONE;

	timer->thread = thread;
	timer->has_real = 0;
	if (best_source == SAMPLE_SOURCE_PERF && start_event(timer, thread)) {
		source = SAMPLE_SOURCE_PERF;
		start_real(timer, thread);
	} else if (best_source >= SAMPLE_SOURCE_TIMER && start_timers(timer, thread)) {
		source = SAMPLE_SOURCE_TIMER;
	}
	if (source > (int)sample_timer_source())
		atomic_store_explicit(&used_source, source, memory_order_relaxed);
	/* Release, for a handler on the thread itself; the timer is not armed yet. */
	atomic_store_explicit(&timer->source, source, memory_order_release);
	sample_timer_continue(timer, 0);
}

void sample_timer_continue(sample_timer *timer, uint64_t ran)
{
	if (atomic_load_explicit(&is_stopped, memory_order_relaxed))
		return;
	switch (atomic_load_explicit(&timer->source, memory_order_acquire)) {
	case SAMPLE_SOURCE_PERF:
		continue_steadily(timer, ran);
		break;
	case SAMPLE_SOURCE_TIMER:
		continue_timers(timer, ran);
		break;
	default:
		break;
	}
}

void sample_timer_change(sample_timer *timer, int was_stopped)
{
	if (atomic_load_explicit(&timer->source, memory_order_acquire) == SAMPLE_SOURCE_PERF)
		change_event(timer);
	/* Only if it was stopped: continuing it twice would allow two pending signals. */
	if (was_stopped)
		sample_timer_continue(timer, 0);
}

void sample_timer_stop(sample_timer *timer)
{
	switch (atomic_exchange(&timer->source, SAMPLE_SOURCE_NONE)) {
	case SAMPLE_SOURCE_PERF:
		release_event(timer);
		if (timer->has_real)
			(void)timer_delete(timer->real);
		break;
	case SAMPLE_SOURCE_TIMER:
		(void)timer_delete(timer->processor);
		(void)timer_delete(timer->real);
		break;
	default:
		break;
	}
}

void sample_timer_forget(sample_timer *timer)
{
	/* The event is that of the parent's thread; timers are not inherited. */
	if (atomic_exchange(&timer->source, SAMPLE_SOURCE_NONE) == SAMPLE_SOURCE_PERF)
		release_event(timer);
	atomic_store_explicit(&used_source, SAMPLE_SOURCE_NONE, memory_order_relaxed);
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
