/* SPDX-License-Identifier: MIT */
/* Keeps the timers of all sampled threads in a list. */
#include "thread_timers.h"

#include "shared/sample_timer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef struct thread_timer {
	sample_timer timer; /* Used on its own thread and in its signal handler; by others only to change the period. */
	struct thread_timer *next;
	struct thread_timer **link; /* The pointer to this element; NULL if it is not in the list. */
} thread_timer;

/* The module is loaded at program start, so thread-local variables are reached without a call. */
static __thread __attribute__((tls_model("initial-exec"))) thread_timer own;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* Guards the list and is_stopped. */
static thread_timer *timers;
static int is_stopped;
/* How often the thread holds the lock: a signal handler of the program may fork or exec meanwhile. */
static __thread __attribute__((tls_model("initial-exec"))) volatile int lock_depth;

static pid_t thread_id(void)
{
	return (pid_t)syscall(SYS_gettid);
}

void thread_timers_lock(void)
{
	if (lock_depth == 0)
		pthread_mutex_lock(&lock);
	lock_depth++;
}

void thread_timers_unlock(void)
{
	if (lock_depth == 0)
		return;
	lock_depth--;
	if (lock_depth == 0)
		pthread_mutex_unlock(&lock);
}

void thread_timers_begin(void)
{
	thread_timers_lock();
	own.next = timers;
	own.link = &timers;
	if (timers != NULL)
		timers->link = &own.next;
	timers = &own;
	sample_timer_start(&own.timer, thread_id());
	thread_timers_unlock();
}

static void remove_own(void)
{
	if (own.link == NULL)
		return;
	*own.link = own.next;
	if (own.next != NULL)
		own.next->link = own.link;
	own.link = NULL;
}

void thread_timers_end(void)
{
	thread_timers_lock();
	remove_own();
	sample_timer_stop(&own.timer);
	thread_timers_unlock();
}

int thread_timers_is_exact(uint64_t ran)
{
	return sample_timer_is_exact(&own.timer, ran);
}

void thread_timers_continue(uint64_t ran)
{
	sample_timer_continue(&own.timer, ran);
}

/* The signal is blocked meanwhile, since it could not be removed if it were delivered to a thread that blocks it. */
void thread_timers_pause(int signal_number)
{
	const struct timespec now = {0, 0};
	sigset_t signals;
	sigset_t before;

	sigemptyset(&signals);
	sigaddset(&signals, signal_number);
	(void)pthread_sigmask(SIG_BLOCK, &signals, &before);
	thread_timers_lock();
	sample_timer_stop(&own.timer);
	thread_timers_unlock();
	while (sigtimedwait(&signals, NULL, &now) >= 0 || errno == EINTR)
		continue;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void thread_timers_resume(void)
{
	thread_timers_lock();
	sample_timer_start(&own.timer, thread_id());
	thread_timers_unlock();
}

void thread_timers_change(uint64_t period_ns)
{
	int was_stopped;

	thread_timers_lock();
	was_stopped = is_stopped;
	is_stopped = period_ns == 0;
	sample_timer_set_period(period_ns);
	for (thread_timer *timer = timers; timer != NULL && period_ns != 0; timer = timer->next)
		sample_timer_change(&timer->timer, was_stopped);
	thread_timers_unlock();
}

void thread_timers_forget(void)
{
	/* The thread that forked holds the lock in the child as well. */
	(void)pthread_mutex_init(&lock, NULL);
	timers = NULL;
	is_stopped = 0;
	lock_depth = 0;
	own.link = NULL;
	sample_timer_forget(&own.timer);
}
