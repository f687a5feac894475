/* SPDX-License-Identifier: MIT */
/*
 * Threads that compute a little and wait, each in another way. Prints how many waits were interrupted or ended early:
 * none.
 *
 * cases: waits | waits 300 100 | waits 40 6000
 */
#define _GNU_SOURCE
#include "facts.h"

#include <errno.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_NS 2000000

typedef struct wait_state {
	int sockets[2];
	int epoll;
	int word;
	int semaphores;
	sem_t semaphore;
	pthread_mutex_t mutex;
	pthread_cond_t condition;
} wait_state;

static const struct timespec wait_time = {0, WAIT_NS};

static int by_select(wait_state *state)
{
	struct timeval time = {0, WAIT_NS / 1000};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(state->sockets[0], &set);
	return select(state->sockets[0] + 1, &set, NULL, NULL, &time) < 0 && errno == EINTR;
}

static int by_poll(wait_state *state)
{
	struct pollfd one = {state->sockets[0], POLLIN, 0};

	return poll(&one, 1, WAIT_NS / 1000000) < 0 && errno == EINTR;
}

static int by_ppoll(wait_state *state)
{
	struct pollfd one = {state->sockets[0], POLLIN, 0};

	return ppoll(&one, 1, &wait_time, NULL) < 0 && errno == EINTR;
}

static int by_epoll(wait_state *state)
{
	struct epoll_event event;

	return epoll_wait(state->epoll, &event, 1, WAIT_NS / 1000000) < 0 && errno == EINTR;
}

static int by_usleep(wait_state *state)
{
	(void)state;
	return usleep(WAIT_NS / 1000) < 0 && errno == EINTR;
}

static int by_nanosleep(wait_state *state)
{
	(void)state;
	return nanosleep(&wait_time, NULL) < 0 && errno == EINTR;
}

static int by_clock_nanosleep(wait_state *state)
{
	(void)state;
	return clock_nanosleep(CLOCK_MONOTONIC, 0, &wait_time, NULL) == EINTR;
}

static int by_receive(wait_state *state)
{
	char byte;

	return recv(state->sockets[0], &byte, 1, 0) < 0 && errno == EINTR;
}

static int by_futex(wait_state *state)
{
	return syscall(SYS_futex, &state->word, FUTEX_WAIT_PRIVATE, 0, &wait_time, NULL, 0) < 0 && errno == EINTR;
}

static void add_wait(struct timespec *time)
{
	clock_gettime(CLOCK_REALTIME, time);
	time->tv_nsec += WAIT_NS;
	time->tv_sec += time->tv_nsec / 1000000000;
	time->tv_nsec %= 1000000000;
}

static int by_semaphore(wait_state *state)
{
	struct timespec time;

	add_wait(&time);
	return sem_timedwait(&state->semaphore, &time) < 0 && errno == EINTR;
}

static int by_condition(wait_state *state)
{
	struct timespec time;
	int result;

	add_wait(&time);
	pthread_mutex_lock(&state->mutex);
	result = pthread_cond_timedwait(&state->condition, &state->mutex, &time);
	pthread_mutex_unlock(&state->mutex);
	return result != ETIMEDOUT;
}

static int by_old_semaphore(wait_state *state)
{
	struct sembuf take = {0, -1, 0};

	return semtimedop(state->semaphores, &take, 1, &wait_time) < 0 && errno == EINTR;
}

static int by_signal_wait(wait_state *state)
{
	sigset_t set;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return sigtimedwait(&set, NULL, &wait_time) >= 0 || errno == EINTR;
}

static const struct {
	const char *name;
	int (*wait)(wait_state *);
} kinds[] = {
	{"select", by_select},
	{"poll", by_poll},
	{"ppoll", by_ppoll},
	{"epoll_wait", by_epoll},
	{"usleep", by_usleep},
	{"nanosleep", by_nanosleep},
	{"recv", by_receive},
	{"clock_nanosleep", by_clock_nanosleep},
	{"futex", by_futex},
	{"sem_timedwait", by_semaphore},
	{"condition", by_condition},
	{"semtimedop", by_old_semaphore},
	{"sigtimedwait", by_signal_wait},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static int count = 60;
static long burst_us = 1500;
static int interrupted[KINDS];
static int early[KINDS];

static void open_state(wait_state *state)
{
	struct timeval time = {0, WAIT_NS / 1000};
	struct epoll_event event = {.events = EPOLLIN};

	memset(state, 0, sizeof(*state));
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, state->sockets) != 0)
		abort();
	setsockopt(state->sockets[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	state->epoll = epoll_create1(0);
	epoll_ctl(state->epoll, EPOLL_CTL_ADD, state->sockets[0], &event);
	sem_init(&state->semaphore, 0, 0);
	pthread_mutex_init(&state->mutex, NULL);
	pthread_cond_init(&state->condition, NULL);
	state->semaphores = semget(IPC_PRIVATE, 1, 0600);
}

static void *run(void *argument)
{
	const size_t kind = (size_t)(uintptr_t)argument;
	wait_state state;

	open_state(&state);
	for (int i = 0; i < count; i++) {
		int64_t start;

		compute_for_us(burst_us);
		start = real_time_ns();
		interrupted[kind] += kinds[kind].wait(&state);
		/* Timers of the kernel are never early; those with real time may be set meanwhile. */
		early[kind] += real_time_ns() - start < WAIT_NS / 2;
	}
	semctl(state.semaphores, 0, IPC_RMID);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[KINDS];
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (argc > 2) {
		count = atoi(argv[1]);
		burst_us = atol(argv[2]);
	}
	for (size_t i = 0; i < KINDS; i++)
		pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)i);
	for (size_t i = 0; i < KINDS; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < KINDS; i++)
		printf("%s: %d interrupted, %d early\n", kinds[i].name, interrupted[i], early[i]);
	return 0;
}
