/* SPDX-License-Identifier: MIT */
/* Receives commands while a native program runs. */
#include "control.h"

#include "shared/control_clients.h"
#include "shared/control_listeners.h"
#include "shared/control_wake.h"
#include "shared/own_thread.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STACK_SIZE ((size_t)256 << 10)

/* How long to wait after the process has run out of descriptors or memory. */
#define PAUSE_MS 1000

enum { POLL_EVENT, POLL_SOCKET, POLL_CLIENTS, POLL_COUNT = POLL_CLIENTS + MAX_CLIENTS };

/* Owned by the control thread once it runs, except for the fields that native_control_stop() uses. */
static struct {
	controlled_recording recording;
	control_socket socket;
	control_clients clients;
	control_wake wake; /* Used by native_control_stop() as well. */
	_Atomic int is_ending;
	int is_running; /* Used only by the threads that start and end recording. */
} control;

static const char *result_of(mprof_status status)
{
	return status == MPROF_OK ? NULL : mprof_status_get_text(status);
}

static void enable_module(int is_enabled)
{
	if (control.recording.module->set_enabled != NULL)
		control.recording.module->set_enabled(is_enabled);
}

static const char *enable(void)
{
	const mprof_status status = mprof_recorder_set_enabled(control.recording.recorder, 1);

	enable_module(1);
	return result_of(status);
}

static const char *disable(void)
{
	mprof_status status = mprof_recorder_set_enabled(control.recording.recorder, 0);

	enable_module(0);
	return result_of(status == MPROF_OK ? mprof_recorder_drain(control.recording.recorder) : status);
}

static const char *flush(void)
{
	const controlled_recording *recording = &control.recording;

	if (recording->ring_bytes == 0)
		return result_of(mprof_recorder_drain(recording->recorder));
	return result_of(
		mprof_recorder_dump_path(recording->recorder, recording->log_path, recording->ring_gzip, NULL));
}

static const char *mark(const char *text)
{
	return result_of(mprof_recorder_record_mark(control.recording.recorder, 0, text, strlen(text)));
}

const char *native_control_mark(const char *what, const char *value)
{
	char text[MAX_COMMAND + 32];

	snprintf(text, sizeof(text), "mprof control: %s %s", what, value);
	return mark(text);
}

static void add_status(command_reply *reply)
{
	const controlled_recording *recording = &control.recording;

	control_reply_add(reply, "pid=%ld", (long)getpid());
	control_reply_add(reply, "recording=%s",
			  mprof_recorder_is_enabled(recording->recorder) ? "enabled" : "disabled");
	control_reply_add(reply, "kinds=%s", recording->module->kinds());
	control_reply_add(reply, "log=%s", recording->log_path);
	if (recording->ring_bytes != 0)
		control_reply_add(reply, "ring_bytes=%" PRIu64, recording->ring_bytes);
	if (recording->module->add_status != NULL)
		recording->module->add_status(reply);
	control_reply_add_counts(reply, recording->recorder);
}

/* Runs a command of the module, or explains that there is none. */
static const char *run_other(const char *line, command_reply *reply)
{
	static char unknown[160];
	const control_module *module = control.recording.module;
	const char *failure = NULL;

	if (module->run != NULL && module->run(line, reply, &failure))
		return failure;
	snprintf(unknown, sizeof(unknown),
		 "a native program has only the commands enable, disable, flush, status, cost%s and mark TEXT",
		 module->commands);
	return unknown;
}

static void run_command(void *user, const char *line, int is_classic, command_reply *reply)
{
	const char *failure = NULL;

	(void)user;
	(void)is_classic;
	reply->length = 0;
	if (atomic_load(&control.is_ending))
		failure = "the log is closed";
	else if (strcmp(line, "enable") == 0)
		failure = enable();
	else if (strcmp(line, "disable") == 0)
		failure = disable();
	else if (strcmp(line, "flush") == 0)
		failure = flush();
	else if (strcmp(line, "status") == 0)
		add_status(reply);
	else if (strcmp(line, "cost") == 0)
		control_cost_add(reply, control.recording.recorder);
	else if (strncmp(line, "mark ", 5) == 0 && line[5] != '\0')
		failure = mark(line + 5);
	else
		failure = run_other(line, reply);
	control_reply_end(reply, failure);
}

static void *serve_clients(void *unused)
{
	struct pollfd polls[POLL_COUNT];
	int is_pausing = 0;

	(void)unused;
	control.recording.module->begin_thread();
	while (!atomic_load(&control.is_ending)) {
		int fd;

		polls[POLL_EVENT] = (struct pollfd){.fd = control.wake.ends[0], .events = POLLIN};
		/* poll() ignores negative descriptors. */
		polls[POLL_SOCKET] = (struct pollfd){.fd = is_pausing ? -1 : control.socket.fd, .events = POLLIN};
		control_clients_prepare(&control.clients, &polls[POLL_CLIENTS]);
		if (poll(polls, POLL_COUNT, is_pausing ? PAUSE_MS : -1) < 0) {
			if (errno != EINTR)
				poll(NULL, 0, PAUSE_MS);
			continue;
		}
		/* A program that closes the descriptors of others cannot be controlled any more. */
		if (!control_wake_is_open(&control.wake))
			break;
		control_clients_serve(&control.clients, &polls[POLL_CLIENTS]);
		is_pausing = 0;
		if (polls[POLL_SOCKET].revents == 0)
			continue;
		fd = control_socket_accept(&control.socket);
		if (fd >= 0)
			control_clients_add(&control.clients, fd, 0);
		else
			is_pausing = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
	}
	return NULL;
}

void native_control_start(const controlled_recording *recording, const char *path)
{
	int error = 0;

	control.recording = *recording;
	control_clients_init(&control.clients, run_command, NULL);
	atomic_store(&control.is_ending, 0);
	control.socket.fd = -1;
	error = control_wake_open(&control.wake);
	if (error == 0 && !control_socket_open(&control.socket, path)) {
		control_wake_close(&control.wake);
		return;
	}
	if (error == 0)
		error = own_thread_start("mprof control", STACK_SIZE, serve_clients, NULL);
	control.is_running = error == 0;
	if (error != 0)
		fprintf(stderr, "mprof: no commands are accepted: %s\n", strerror(error));
	if (error != 0 && control.socket.fd >= 0)
		control_socket_remove(&control.socket);
}

void native_control_stop(void)
{
	if (!control.is_running)
		return;
	control.is_running = 0;
	control_socket_remove(&control.socket);
	atomic_store(&control.is_ending, 1);
	control_wake_send(&control.wake);
}

void native_control_forget(void)
{
	if (!control.is_running)
		return;
	control.is_running = 0;
	/* The program has closed the descriptors, and their numbers may be those of other files. */
	if (!control_wake_is_open(&control.wake))
		return;
	/* Otherwise the socket of a parent process that was killed would still have a listener. */
	close(control.socket.fd);
	control_wake_close(&control.wake);
	for (int i = 0; i < MAX_CLIENTS; i++)
		if (control.clients.clients[i].fd >= 0)
			close(control.clients.clients[i].fd);
}
