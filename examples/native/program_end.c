/* SPDX-License-Identifier: MIT */
/* Waits, after the main thread has ended, until only threads of the recorder are left. */
#include "program_end.h"

#include "shared/own_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STACK_SIZE ((size_t)256 << 10)

/*
 * How long to wait before the threads are counted again: at first, and at most. Each wait is an eighth longer, so the
 * process ends late by an eighth of the time that its last threads ran.
 */
#define MIN_WAIT_NS 1000000
#define MAX_WAIT_NS 250000000

static pthread_key_t main_end;
static int has_key;
static void (*enter_own)(void);
static void (*leave_own)(void);

/* Set by the main thread at its end, before the thread that waits exists. */
static sigset_t main_signals;
static sem_t thread_ended; /* Posted when a thread of the program ends. */
static _Atomic int is_waiting;

/* Whether the main thread has ended, which the system keeps in the list until the process ends. */
static int main_has_ended(void)
{
	char path[64];
	char text[512];
	const char *state;
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", (long)getpid());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	/* The name of the program is in parentheses, and may contain anything. */
	state = strrchr(text, ')');
	return state != NULL && state[1] == ' ' && state[2] == 'Z';
}

/* Whether the main thread and those of the recorder, as this one, are all that is left. */
static int program_has_ended(void)
{
	return own_thread_count_others() == 1 && main_has_ended();
}

/* Returns 1 if a thread has ended meanwhile. */
static int wait_for_end(long nanoseconds)
{
	struct timespec until;
	int result;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += nanoseconds;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	do
		result = sem_timedwait(&thread_ended, &until);
	while (result != 0 && errno == EINTR);
	return result == 0;
}

static void *wait_for_program(void *unused)
{
	long wait = MIN_WAIT_NS;

	(void)unused;
	enter_own();
	while (!program_has_ended()) {
		/* The thread that has posted still runs for a short time. */
		if (wait_for_end(wait))
			wait = MIN_WAIT_NS;
		else
			wait = wait < MAX_WAIT_NS ? wait + wait / 8 : MAX_WAIT_NS;
	}
	leave_own();
	/* As the C library does on the last thread, on which the handlers of atexit() receive signals. */
	pthread_sigmask(SIG_SETMASK, &main_signals, NULL);
	exit(0);
}

/* Runs on the main thread when it ends, but not when the process does. */
static void end_main(void *value)
{
	(void)value;
	/* The process ends with the program's threads then, and new threads may not be allowed. */
	if (own_thread_count() == 0)
		return;
	enter_own();
	pthread_sigmask(SIG_SETMASK, NULL, &main_signals);
	if (sem_init(&thread_ended, 0, 0) == 0) {
		atomic_store(&is_waiting, 1);
		(void)own_thread_start("mprof end", STACK_SIZE, wait_for_program, NULL);
	}
	leave_own();
}

void program_end_prepare(void (*enter)(void), void (*leave)(void))
{
	enter_own = enter;
	leave_own = leave;
	if (!has_key)
		has_key = pthread_key_create(&main_end, end_main) == 0;
	if (has_key)
		(void)pthread_setspecific(main_end, &main_end);
}

void program_end_note(void)
{
	if (atomic_load(&is_waiting))
		(void)sem_post(&thread_ended);
}

void program_end_begin_child(void)
{
	own_thread_forget();
	atomic_store(&is_waiting, 0);
	if (has_key)
		(void)pthread_setspecific(main_end, &main_end);
}
