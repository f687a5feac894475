/* SPDX-License-Identifier: MIT */
/* Keeps events of the kernel on a thread with a table of descriptors of its own. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "shared/sample_events.h"

#if defined(__linux__)
#include <linux/perf_event.h>
#endif

#if defined(__linux__) && defined(PERF_ATTR_SIZE_VER7)
#include "shared/own_thread.h"
#include "shared/thread_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define STACK_SIZE ((size_t)128 << 10)

/* Threads for which an event of their own is opened, at most. All others inherit one. */
#define MAX_EVENTS 4096

/* How often threads are looked for that a thread without an event has started meanwhile. */
#define MAX_PASSES 16

/* How long a request waits. In a signal handler, the interrupted code may be another request of the same thread. */
#define WAIT_NS 200000000

/* si_code of SIGTRAP, and si_perf_flags: the signal was blocked when its period ended. */
#define CODE_OF_EVENT 6
#define FLAG_ASYNCHRONOUS 1

/* The fields of siginfo_t that the C library does not declare. */
#define OFFSET_OF_DATA 24
#define OFFSET_OF_FLAGS 36

typedef enum request_kind { REQUEST_OPEN, REQUEST_ENABLE, REQUEST_DISABLE, REQUEST_CLOSE, REQUEST_END } request_kind;

/* Owned by the thread that keeps the events, once it runs. */
static struct {
	int events[MAX_EVENTS];
	pid_t threads[MAX_EVENTS]; /* Whose event it is. */
	size_t count;
	int is_private; /* The descriptors are in a table of their own. */
} kept;

/* Written by the requesting thread while it owns the request, and read by the other after a semaphore was posted. */
static struct {
	request_kind kind;
	uint64_t period;
	int is_enabled;
	pid_t thread; /* The requesting thread. */
} request;

static sem_t work;
static sem_t answer;
static int is_running;             /* Used only by threads that open and close. */
static _Atomic int is_owned;       /* A thread makes a request. */
static _Atomic unsigned requested; /* Number of the last request, and of the last one that was carried out. */
static _Atomic unsigned carried_out;
static _Atomic int scope; /* A #sample_scope. */
/* The number of the present events. Each event carries it. */
static _Atomic uint32_t generation;
/* The data of the event that the thread has a hit of in this generation. Two events may interrupt a thread that started
 * while they were opened: its own, and one that it inherited. Only one of them counts. */
static __thread uint64_t own_event __attribute__((tls_model("initial-exec")));

/* From 5.18 on, the signal of an event is delivered later if it is blocked; before, it ended the process. */
static int is_new_kernel(void)
{
	struct utsname name;
	int major = 0;
	int minor = 0;

	return uname(&name) == 0 && sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 5 || (major == 5 && minor >= 18));
}

static int open_event(pid_t thread, sample_scope wanted)
{
	struct perf_event_attr attributes;

	memset(&attributes, 0, sizeof(attributes));
	attributes.size = sizeof(attributes);
	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.config = PERF_COUNT_SW_TASK_CLOCK;
	attributes.sample_period = request.period;
	attributes.disabled = !request.is_enabled;
	attributes.inherit = 1;
	attributes.inherit_thread = 1; /* Not by children of fork(). */
	attributes.remove_on_exec = 1;
	attributes.sigtrap = 1;
	attributes.sig_data = (uint64_t)atomic_load(&generation) << 32 | kept.count;
	attributes.exclude_hv = 1;
	attributes.exclude_kernel = wanted == SAMPLE_SCOPE_USER;
	return (int)syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Returns 0 if the system allows no more. A thread that has just ended has none. */
static int add_event(pid_t thread)
{
	const sample_scope known = (sample_scope)atomic_load(&scope);
	sample_scope wanted = known != SAMPLE_SCOPE_NONE ? known : SAMPLE_SCOPE_ALL;
	int event;

	if (kept.count == MAX_EVENTS)
		return 0;
	event = open_event(thread, wanted);
	if (event < 0 && known == SAMPLE_SCOPE_NONE && (errno == EACCES || errno == EPERM)) {
		wanted = SAMPLE_SCOPE_USER;
		event = open_event(thread, wanted);
	}
	if (event < 0)
		return errno == ESRCH;
	atomic_store(&scope, wanted);
	kept.events[kept.count] = event;
	kept.threads[kept.count++] = thread;
	return 1;
}

static int has_event(pid_t thread)
{
	for (size_t i = 0; i < kept.count; i++)
		if (kept.threads[i] == thread)
			return 1;
	return 0;
}

static int is_own_thread(pid_t thread)
{
	char name[32];

	return thread != getpid() && thread_files_read(thread, "comm", name, sizeof(name)) &&
	       strncmp(name, "mprof", 5) == 0 && thread_files_blocks(thread, SIGTRAP);
}

/* Adds one thread of the process. Returns 0 if the system allows no more events. */
static int add_thread(void *unused, pid_t thread)
{
	(void)unused;
	return has_event(thread) || is_own_thread(thread) || add_event(thread);
}

static void close_events(void)
{
	for (size_t i = 0; i < kept.count; i++)
		close(kept.events[i]);
	kept.count = 0;
}

static void open_events(void)
{
	size_t before;

	close_events();
	atomic_fetch_add(&generation, 1);
	if (!add_event(request.thread) || kept.count == 0)
		return;
	/* A thread that was not in the list yet may have been started by one that had no event to inherit. */
	for (int pass = 0; pass < MAX_PASSES; pass++) {
		before = kept.count;
		if (!thread_files_list(add_thread, NULL) || kept.count == before)
			return;
	}
}

static void control_events(unsigned long command)
{
	for (size_t i = 0; i < kept.count; i++)
		(void)ioctl(kept.events[i], command, 0);
}

static void carry_out(void)
{
	switch (request.kind) {
	case REQUEST_OPEN:
		open_events();
		break;
	case REQUEST_ENABLE:
		control_events(PERF_EVENT_IOC_ENABLE);
		break;
	case REQUEST_DISABLE:
		control_events(PERF_EVENT_IOC_DISABLE);
		break;
	default:
		close_events();
		break;
	}
}

/*
 * The thread's copy of the table is emptied: it would keep files of the program open. Without a table of its own, the
 * events are among the descriptors of the program.
 */
static void *keep_events(void *unused)
{
	int is_last;

	(void)unused;
	kept.is_private = unshare(CLONE_FILES) == 0;
	if (kept.is_private)
		thread_files_close_all();
	do {
		while (sem_wait(&work) != 0)
			continue;
		is_last = request.kind == REQUEST_END;
		carry_out();
		atomic_store(&carried_out, atomic_load(&requested));
		(void)sem_post(&answer);
	} while (!is_last);
	return NULL;
}

static struct timespec deadline(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += WAIT_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	return until;
}

static int is_over(const struct timespec *until)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec > until->tv_sec || (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec);
}

/* Returns 1 once the calling thread owns the request. */
static int own_request(const struct timespec *until)
{
	while (atomic_exchange(&is_owned, 1)) {
		if (is_over(until))
			return 0;
		sched_yield();
	}
	return 1;
}

static void ask(request_kind kind, uint64_t period_ns, int is_enabled)
{
	const int saved = errno;
	const struct timespec until = deadline();
	unsigned number;

	if (!own_request(&until))
		return;
	request.kind = kind;
	request.period = period_ns;
	request.is_enabled = is_enabled;
	request.thread = (pid_t)syscall(SYS_gettid);
	number = atomic_fetch_add(&requested, 1) + 1;
	(void)sem_post(&work);
	while (atomic_load(&carried_out) != number)
		if (sem_timedwait(&answer, &until) != 0 && errno != EINTR && kind != REQUEST_OPEN)
			break;
	/* A request that takes too long keeps its owner: its data may still be read. */
	if (atomic_load(&carried_out) == number)
		atomic_store(&is_owned, 0);
	errno = saved;
}

/* Debuggers stop a program at each SIGTRAP. */
static int is_traced(void)
{
	char status[4096];
	const char *line;

	if (!thread_files_read(getpid(), "status", status, sizeof(status)))
		return 0;
	line = strstr(status, "\nTracerPid:");
	return line != NULL && strtol(line + sizeof("\nTracerPid:") - 1, NULL, 10) != 0;
}

sample_scope sample_events_open(uint64_t period_ns, int is_enabled)
{
	if (!is_running) {
		if (!is_new_kernel() || is_traced() || sem_init(&work, 0, 0) != 0 || sem_init(&answer, 0, 0) != 0 ||
		    own_thread_start("mprof events", STACK_SIZE, keep_events, NULL) != 0)
			return SAMPLE_SCOPE_NONE;
		is_running = 1;
	}
	ask(REQUEST_OPEN, period_ns, is_enabled);
	return (sample_scope)atomic_load(&scope);
}

void sample_events_enable(void)
{
	if (atomic_load(&scope) != SAMPLE_SCOPE_NONE)
		ask(REQUEST_ENABLE, 0, 0);
}

void sample_events_disable(void)
{
	if (atomic_load(&scope) != SAMPLE_SCOPE_NONE)
		ask(REQUEST_DISABLE, 0, 0);
}

void sample_events_close(void)
{
	if (atomic_load(&scope) != SAMPLE_SCOPE_NONE)
		ask(REQUEST_CLOSE, 0, 0);
}

void sample_events_end(void)
{
	if (is_running)
		ask(REQUEST_END, 0, 0);
	is_running = 0;
}

void sample_events_forget(void)
{
	/* Of a table that was shared, the child has copies of the descriptors. */
	if (!kept.is_private)
		close_events();
	kept.count = 0;
	is_running = 0;
	atomic_store(&is_owned, 0);
	atomic_store(&requested, 0);
	atomic_store(&carried_out, 0);
	atomic_store(&scope, SAMPLE_SCOPE_NONE);
}

sample_hit_kind sample_events_classify(const siginfo_t *info)
{
	uint64_t data;
	uint32_t flags;

	if (info->si_code != CODE_OF_EVENT)
		return SAMPLE_HIT_FOREIGN;
	memcpy(&data, (const char *)info + OFFSET_OF_DATA, sizeof(data));
	memcpy(&flags, (const char *)info + OFFSET_OF_FLAGS, sizeof(flags));
	if ((flags & FLAG_ASYNCHRONOUS) != 0 || data >> 32 != atomic_load_explicit(&generation, memory_order_relaxed))
		return SAMPLE_HIT_VOID;
	if (own_event >> 32 != data >> 32)
		own_event = data;
	return own_event == data ? SAMPLE_HIT_VALID : SAMPLE_HIT_VOID;
}
#else
sample_scope sample_events_open(uint64_t period_ns, int is_enabled)
{
	(void)period_ns;
	(void)is_enabled;
	return SAMPLE_SCOPE_NONE;
}

void sample_events_enable(void)
{
}

void sample_events_disable(void)
{
}

void sample_events_close(void)
{
}

void sample_events_forget(void)
{
}

sample_hit_kind sample_events_classify(const siginfo_t *info)
{
	(void)info;
	return SAMPLE_HIT_FOREIGN;
}
#endif
