/* SPDX-License-Identifier: MIT */
/* Takes requests while the program runs: from a socket, and by signals. */
#include "control.h"

#include "control_commands.h"
#include "heap.h"
#include "shared/control_clients.h"
#include "shared/control_listeners.h"
#include "shared/own_thread.h"

#include <errno.h>
#include <semaphore.h>
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

/*
 * Installs a handler for each signal that has none yet, and prints on stderr which signals cannot be used. The handler
 * sends to wake, which must stay valid. Returns the number of signals that have an action.
 */
static int control_signals_install(const module_options *options, const control_wake *wake)
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

/* Owned by the control thread once it runs, except for the fields that control_stop() uses. */
static struct {
	MonoProfiler *profiler;
	control_wake wake; /* Used by signal handlers and by control_stop() as well; never closed. */
	control_socket socket;
	int port_fd;
	int is_pausing;
	_Atomic int is_ending;
	_Atomic int is_to_join; /* Another thread waits until the control thread is attached to the runtime. */
	sem_t joined;
	int is_running; /* Used only by the thread that starts and stops the control thread. */
	control_clients clients;
} control;

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

/* Runs the actions of the signals received since the last call. */
static void control_signals_act(MonoProfiler *profiler)
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

#define STACK_SIZE ((size_t)512 << 10)

/* How long connections stay unaccepted after the process has run out of descriptors. */
#define PAUSE_MS 1000

/* Entries of the poll array, followed by one for each client. */
enum { POLL_EVENT, POLL_SOCKET, POLL_PORT, POLL_CLIENTS, POLL_COUNT = POLL_CLIENTS + MAX_CLIENTS };

static int is_out_of_descriptors(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

static void accept_connections(const struct pollfd *polls)
{
	control.is_pausing = 0;
	for (int i = POLL_SOCKET; i <= POLL_PORT; i++) {
		int fd;

		if (polls[i].revents == 0)
			continue;
		fd = i == POLL_SOCKET ? control_socket_accept(&control.socket) : control_port_accept(control.port_fd);
		if (fd >= 0)
			control_clients_add(&control.clients, fd, i == POLL_PORT);
		else if (is_out_of_descriptors(errno))
			control.is_pausing = 1;
	}
}

static void join_runtime(void)
{
	if (!atomic_exchange(&control.is_to_join, 0))
		return;
	heap_join();
	sem_post(&control.joined);
}

/* Returns 0 if poll() failed. */
static int wait_for_work(struct pollfd *polls)
{
	polls[POLL_EVENT] = (struct pollfd){.fd = control.wake.ends[0], .events = POLLIN};
	/* poll() ignores negative descriptors. */
	polls[POLL_SOCKET] = (struct pollfd){.fd = control.is_pausing ? -1 : control.socket.fd, .events = POLLIN};
	polls[POLL_PORT] = (struct pollfd){.fd = control.is_pausing ? -1 : control.port_fd, .events = POLLIN};
	control_clients_prepare(&control.clients, &polls[POLL_CLIENTS]);
	if (poll(polls, POLL_COUNT, control.is_pausing ? PAUSE_MS : -1) >= 0)
		return 1;
	/*
	 * The system is out of memory, or the program has lowered its limit of descriptors below what poll() is given.
	 */
	if (errno != EINTR)
		poll(NULL, 0, PAUSE_MS);
	return 0;
}

static void *serve_clients(void *unused)
{
	struct pollfd polls[POLL_COUNT];

	(void)unused;
	while (!atomic_load(&control.is_ending)) {
		join_runtime();
		if (!wait_for_work(polls))
			continue;
		/* A program that closes the descriptors of others cannot be controlled any more. */
		if (!control_wake_is_open(&control.wake))
			break;
		if (control_wake_receive(&control.wake))
			control_signals_act(control.profiler);
		control_clients_serve(&control.clients, &polls[POLL_CLIENTS]);
		accept_connections(polls);
	}
	return NULL;
}

/* Returns the number of channels opened: socket, port and signals. */
static int open_ways(const module_options *options)
{
	int count = 0;

	if (!options->no_control && control_socket_open(&control.socket, options->control_path))
		count++;
	if (options->port != 0) {
		control.port_fd = control_port_open(options->port);
		count += control.port_fd >= 0;
	}
	if (options->signals.count != 0)
		count += control_signals_install(options, &control.wake);
	return count;
}

void control_start(MonoProfiler *profiler)
{
	const module_options *options = &profiler->options;
	int error = 0;

	control.profiler = profiler;
	sem_init(&control.joined, 0, 0);
	control.socket.fd = -1;
	control.port_fd = -1;
	if (options->no_control && options->port == 0 && options->signals.count == 0)
		return;
	control_clients_init(&control.clients, control_command, profiler);
	error = control_wake_open(&control.wake);
	if (error == 0 && open_ways(options) == 0) {
		control_wake_close(&control.wake);
		return;
	}
	if (error == 0)
		error = own_thread_start("mprof control", STACK_SIZE, serve_clients, NULL);
	control.is_running = error == 0;
	if (error != 0) {
		fprintf(stderr, "mprof: no commands are accepted: %s\n", strerror(error));
		control_socket_remove(&control.socket);
	}
}

void control_runtime_is_ready(void)
{
	const module_options *options = &control.profiler->options;

	if (!control.is_running || ((options->kinds & RECORD_HEAP) == 0 && !options_allow_changes(options)))
		return;
	atomic_store(&control.is_to_join, 1);
	control_wake_send(&control.wake);
	while (sem_wait(&control.joined) != 0)
		continue;
}

void control_stop(void)
{
	if (!control.is_running)
		return;
	control.is_running = 0;
	control_socket_remove(&control.socket);
	atomic_store(&control.is_ending, 1);
	control_wake_send(&control.wake);
}
