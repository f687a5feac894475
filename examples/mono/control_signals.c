/* SPDX-License-Identifier: MIT */
/* Converts signals to actions. */
#include "control_signals.h"

#include "control_actions.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Set before the first handler is installed, and constant afterwards: handlers read it without synchronization. */
static const module_options *installed;
static const control_wake *woken;

/*
 * One bit for each signal of the options. Handlers set bits, the control thread clears them. Lock-free, as signal
 * handlers require.
 */
static _Atomic unsigned pending;

static void handle_signal(int number)
{
	int saved = errno;

	for (unsigned i = 0; i < installed->signals.count; i++)
		if (installed->signals.list[i].number == number)
			atomic_fetch_or_explicit(&pending, 1u << i, memory_order_relaxed);
	control_wake_send(woken);
	errno = saved;
}

static int is_free(int number)
{
	struct sigaction present;

	return sigaction(number, NULL, &present) == 0 && (present.sa_flags & SA_SIGINFO) == 0 &&
	       (present.sa_handler == SIG_DFL || present.sa_handler == SIG_IGN);
}

int control_signals_install(const module_options *options, const control_wake *wake)
{
	struct sigaction action;
	int count = 0;

	installed = options;
	woken = wake;
	memset(&action, 0, sizeof(action));
	action.sa_handler = handle_signal;
	action.sa_flags = SA_RESTART;
	sigemptyset(&action.sa_mask);
	for (unsigned i = 0; i < options->signals.count; i++) {
		int number = options->signals.list[i].number;

		if (!is_free(number))
			fprintf(stderr,
				"mprof: signal=: signal %d has a handler already, which is kept; choose another "
				"signal\n",
				number);
		else if (sigaction(number, &action, NULL) != 0)
			fprintf(stderr, "mprof: signal=: no handler can be installed for signal %d: %s\n", number,
				strerror(errno));
		else
			count++;
	}
	return count;
}

static const char *run_signal_action(MonoProfiler *profiler, signal_action action)
{
	switch (action) {
	case SIGNAL_TOGGLE:
		return control_toggle(profiler);
	case SIGNAL_FLUSH:
		return control_flush(profiler);
	case SIGNAL_HEAPSHOT:
		return control_heapshot(profiler);
	}
	return NULL;
}

void control_signals_act(MonoProfiler *profiler)
{
	unsigned bits = atomic_exchange_explicit(&pending, 0, memory_order_relaxed);

	for (unsigned i = 0; i < profiler->options.signals.count; i++) {
		const char *failure =
			bits & 1u << i ? run_signal_action(profiler, profiler->options.signals.list[i].action) : NULL;

		if (failure != NULL)
			fprintf(stderr, "mprof: signal=: the action of signal %d failed: %s\n",
				profiler->options.signals.list[i].number, failure);
	}
}
