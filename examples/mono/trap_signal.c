/* SPDX-License-Identifier: MIT */
/* Handles the signal of events of the kernel. */
#include "trap_signal.h"

#include "sampling_signal.h"

#include "shared/sample_events.h"
#include "shared/sampled_threads.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

/* Constant once the handler is installed. */
static int (*is_thread_wanted)(void);
static struct sigaction previous;

/* The runtime's signal was sent to the thread, and has not arrived. */
static __thread volatile sig_atomic_t is_sent __attribute__((tls_model("initial-exec")));

/* Does what would have happened without the module. */
static void forward(int number, siginfo_t *info, void *context)
{
	struct sigaction none;

	if ((previous.sa_flags & SA_SIGINFO) != 0) {
		previous.sa_sigaction(number, info, context);
		return;
	}
	/* A breakpoint ends the process even if the signal is ignored. */
	if (previous.sa_handler == SIG_IGN && info->si_code <= 0)
		return;
	if (previous.sa_handler != SIG_IGN && previous.sa_handler != SIG_DFL) {
		previous.sa_handler(number);
		return;
	}
	memset(&none, 0, sizeof(none));
	none.sa_handler = SIG_DFL;
	sigemptyset(&none.sa_mask);
	(void)sigaction(number, &none, NULL);
	(void)pthread_kill(pthread_self(), number);
}

static void handle_trap(int number, siginfo_t *info, void *context)
{
	const int saved = errno;

	switch (sample_events_classify(info)) {
	case SAMPLE_HIT_VALID:
		if (!is_thread_wanted())
			break;
		is_sent = 1;
		sampling_signal_raise();
		break;
	case SAMPLE_HIT_VOID:
		sampled_threads_ignore();
		break;
	default:
		forward(number, info, context);
		break;
	}
	errno = saved;
}

int trap_signal_install(int (*is_wanted)(void))
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
	struct sigaction action;

	if (is_thread_wanted != NULL)
		return 1;
	if (sigaction(SIGTRAP, NULL, &previous) != 0)
		return 0;
	is_thread_wanted = is_wanted;
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = handle_trap;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&action.sa_mask, faults[i]);
	return sigaction(SIGTRAP, &action, NULL) == 0;
}

int trap_signal_is_answered(void)
{
	const int was_sent = is_sent;

	is_sent = 0;
	return was_sent;
}
