/* SPDX-License-Identifier: MIT */
/* Runs the thread that receives commands and signals. */
#include "control.h"

#include "control_commands.h"
#include "control_signals.h"
#include "heap.h"

#include "shared/control_clients.h"
#include "shared/control_listeners.h"
#include "shared/control_wake.h"
#include "shared/own_thread.h"

#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

#define STACK_SIZE ((size_t)512 << 10)

/* How long connections stay unaccepted after the process has run out of descriptors. */
#define PAUSE_MS 1000

/* Entries of the poll array, followed by one for each client. */
enum { POLL_EVENT, POLL_SOCKET, POLL_PORT, POLL_CLIENTS, POLL_COUNT = POLL_CLIENTS + MAX_CLIENTS };

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
