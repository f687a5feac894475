/* SPDX-License-Identifier: MIT */
/* Starts threads with all signals blocked, and records which threads of the process are the recorder's. */
#include "shared/own_thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* More than a recorder with the most drain threads and its module have. */
#define MAX_THREADS 96

/*
 * The IDs of the threads that run; 0 for an unused element. Each is stored by its own thread. Sequentially consistent:
 * another thread compares their number with that of all threads.
 */
static _Atomic pid_t ids[MAX_THREADS];

/* The IDs of threads that have left. They exist until the system has ended them. */
static _Atomic pid_t left_ids[MAX_THREADS];

/* What a new thread runs. Only the thread that starts it writes, while is_used is 1 and the thread does not exist. */
typedef struct thread_slot {
	_Atomic int is_used;
	void *(*run)(void *argument);
	void *argument;
} thread_slot;

static thread_slot slots[MAX_THREADS];

/* 0 where the system has none. */
static pid_t thread_id(void)
{
#if defined(__linux__)
	return (pid_t)syscall(SYS_gettid);
#else
	return 0;
#endif
}

static void replace(pid_t before, pid_t after)
{
	for (size_t i = 0; i < MAX_THREADS; i++) {
		pid_t expected = before;

		if (atomic_compare_exchange_strong(&ids[i], &expected, after))
			return;
	}
}

void own_thread_enter(void)
{
	replace(0, thread_id());
}

/* Whether a thread exists; 0 where the system has no IDs. */
static int exists(pid_t id)
{
#if defined(__linux__)
	return id != 0 && syscall(SYS_tgkill, getpid(), id, 0) == 0;
#else
	(void)id;
	return 0;
#endif
}

void own_thread_leave(void)
{
	const pid_t id = thread_id();

	/* In the first element that is free or has a thread that is gone. */
	for (size_t i = 0; i < MAX_THREADS; i++) {
		pid_t before = atomic_load(&left_ids[i]);

		if (!exists(before) && atomic_compare_exchange_strong(&left_ids[i], &before, id))
			break;
	}
	replace(id, 0);
}

void own_thread_await_end(unsigned milliseconds)
{
	static const struct timespec pause = {0, 100000};

	for (unsigned rounds = 10 * milliseconds; rounds > 0; rounds--) {
		int is_there = own_thread_count() > 0;

		for (size_t i = 0; i < MAX_THREADS && !is_there; i++)
			is_there = exists(atomic_load(&left_ids[i]));
		if (!is_there)
			break;
		(void)nanosleep(&pause, NULL);
	}
}

unsigned own_thread_count(void)
{
	unsigned count = 0;

	for (size_t i = 0; i < MAX_THREADS; i++)
		count += atomic_load(&ids[i]) != 0;
	return count;
}

int own_thread_has(pid_t id)
{
	for (size_t i = 0; i < MAX_THREADS; i++)
		if (atomic_load(&ids[i]) == id)
			return 1;
	return 0;
}

pid_t own_thread_any(void)
{
	for (size_t i = 0; i < MAX_THREADS; i++) {
		const pid_t id = atomic_load(&ids[i]);

		if (id != 0)
			return id;
	}
	return 0;
}

unsigned own_thread_count_others(void)
{
	const unsigned started = own_thread_count();
	struct stat tasks;

	/* The number of links is that of the threads, and two more of any directory. No descriptor is needed. */
	if (stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink < (nlink_t)started + 2)
		return 0;
	return (unsigned)tasks.st_nlink - 2 - started;
}

void own_thread_forget(void)
{
	for (size_t i = 0; i < MAX_THREADS; i++) {
		atomic_store(&ids[i], 0);
		atomic_store(&left_ids[i], 0);
		atomic_store(&slots[i].is_used, 0);
	}
}

static void *run_slot(void *argument)
{
	thread_slot *slot = argument;
	void *(*run)(void *) = slot->run;
	void *user = slot->argument;
	void *result;

	own_thread_enter();
	atomic_store(&slot->is_used, 0);
	result = run(user);
	own_thread_leave();
	return result;
}

static thread_slot *take_slot(void *(*run)(void *), void *argument)
{
	for (size_t i = 0; i < MAX_THREADS; i++) {
		if (atomic_exchange(&slots[i].is_used, 1))
			continue;
		slots[i].run = run;
		slots[i].argument = argument;
		return &slots[i];
	}
	return NULL;
}

/* The size of a set of signals of the system, which has 64, in bytes. */
#define KERNEL_SET_SIZE 8

/* Not by pthread_sigmask(), which a module interposes to keep a signal for itself. */
static void set_mask(const sigset_t *set, sigset_t *before)
{
#if defined(__linux__)
	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, set, before, KERNEL_SET_SIZE);
#else
	(void)pthread_sigmask(SIG_SETMASK, set, before);
#endif
}

int own_thread_start(const char *name, size_t stack_size, void *(*run)(void *argument), void *argument)
{
	thread_slot *slot = take_slot(run, argument);
	pthread_attr_t attributes;
	pthread_t thread;
	sigset_t all;
	sigset_t before;
	int error = slot != NULL ? pthread_attr_init(&attributes) : EAGAIN;

	if (error != 0) {
		if (slot != NULL)
			atomic_store(&slot->is_used, 0);
		return error;
	}
	if (stack_size != 0)
		(void)pthread_attr_setstacksize(&attributes, stack_size);
	(void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	set_mask(&all, &before);
	error = pthread_create(&thread, &attributes, run_slot, slot);
	set_mask(&before, NULL);
	pthread_attr_destroy(&attributes);
	if (error == 0)
		(void)pthread_setname_np(thread, name);
	else
		atomic_store(&slot->is_used, 0);
	return error;
}
