/* SPDX-License-Identifier: MIT */
/* Determines the signal with which the runtime samples threads. */
#include "sampling_signal.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <ucontext.h>

/* The runtime's signal for samples; 0 before the first one, and if it cannot be determined. */
static _Atomic int sampling_signal;

/* The signal being handled is the only one that is blocked now and was not blocked in the interrupted context. */
static int blocked_signal(const ucontext_t *context)
{
	sigset_t blocked;
	int found = 0;

	if (pthread_sigmask(SIG_BLOCK, NULL, &blocked) != 0)
		return 0;
	for (int number = 1; number <= SIGRTMAX; number++) {
		if (sigismember(&blocked, number) != 1 || sigismember(&context->uc_sigmask, number) != 0)
			continue;
		if (found != 0)
			return 0;
		found = number;
	}
	return found;
}

/*
 * Lets no other signal interrupt the runtime's handler, except those of faults. The signal with which Mono 6.8 suspends
 * a thread may make it throw an exception, above all when the program ends and aborts its background threads. The
 * exception leaves the handler, but for the runtime the thread is still in it, and an assertion in the next sample ends
 * the program.
 */
static void block_others_in_handler(int number)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
	struct sigaction action;

	if (sigaction(number, NULL, &action) != 0)
		return;
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&action.sa_mask, faults[i]);
	(void)sigaction(number, &action, NULL);
}

int sampling_signal_find(const void *context)
{
	int none = 0;
	int found;

	if (atomic_load_explicit(&sampling_signal, memory_order_relaxed) != 0)
		return 0;
	found = blocked_signal(context);
	if (found == 0 || !atomic_compare_exchange_strong_explicit(&sampling_signal, &none, found, memory_order_relaxed,
								   memory_order_relaxed))
		return 0;
	block_others_in_handler(found);
	return 1;
}

int sampling_signal_get(void)
{
	return atomic_load_explicit(&sampling_signal, memory_order_relaxed);
}

void sampling_signal_raise(void)
{
	int number = atomic_load_explicit(&sampling_signal, memory_order_relaxed);

	if (number != 0)
		(void)pthread_kill(pthread_self(), number);
}

void sampling_signal_block(void)
{
	int number = atomic_load_explicit(&sampling_signal, memory_order_relaxed);
	sigset_t signals;

	if (number == 0)
		return;
	sigemptyset(&signals);
	sigaddset(&signals, number);
	(void)pthread_sigmask(SIG_BLOCK, &signals, NULL);
}
