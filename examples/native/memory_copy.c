/* SPDX-License-Identifier: MIT */
/*
 * Creates a process with a copy of the memory of this one.
 *
 * An intermediate process, which shares the memory and has a table of descriptors of its own, closes these and creates
 * the copy. So the copy never has a descriptor: a pipe of the program ends when the program does. Neither process has
 * an exit signal, and the handlers of pthread_atfork() do not run.
 */
#include "memory_copy.h"

#include "own_memory.h"

#include "shared/memory_copy.h"
#include "shared/own_thread.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long a copy waits at most, and how often it looks whether mprof record still exists. */
#define LIFE_MS 300000
#define LOOK_MS 100

/* The size of a set of signals of the system, which has 64, in bytes. */
#define KERNEL_SET_SIZE 8

#define STACK_SIZE ((size_t)16 << 10)

/* What the intermediate process does, on a stack of its own, in the memory of this one. */
typedef struct copy_request {
	const char *pipe_path;
	pid_t tool;
	pid_t copy; /* The result; 0 on failure. */
	int error;
} copy_request;

static memory_copy_notes notes;
static unsigned char intermediate_stack[STACK_SIZE] __attribute__((aligned(16)));
static long filters_at_start;

/* Reads a file of the system, which has no size of its own. Returns 0 if it cannot be read. */
static int read_text(const char *path, char *text, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = -1;

	if (fd >= 0) {
		length = read(fd, text, size - 1);
		close(fd);
	}
	text[length > 0 ? length : 0] = '\0';
	return length > 0;
}

/* The number of filters of system calls, or just whether there are any; -1 if that is not known. */
static long count_filters(void)
{
	static const char *const names[] = {"\nSeccomp_filters:", "\nSeccomp:"};
	char text[4096];

	if (!read_text("/proc/self/status", text, sizeof(text)))
		return -1;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *found = strstr(text, names[i]);

		if (found != NULL)
			return strtol(found + strlen(names[i]), NULL, 10);
	}
	return 0;
}

void memory_copy_prepare(void)
{
	filters_at_start = count_filters();
}

/* The stack pointer of a thread that waits in the kernel; 0 if it runs. */
static uint64_t read_stack_pointer(long thread)
{
	char path[64];
	char text[256];
	const char *last;
	const char *before;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/syscall", thread);
	if (!read_text(path, text, sizeof(text)) || text[0] == 'r')
		return 0;
	/* "NUMBER ARGUMENTS SP PC", or "-1 SP PC". */
	last = strrchr(text, ' ');
	if (last == NULL || last == text)
		return 0;
	before = memrchr(text, ' ', (size_t)(last - text));
	return before != NULL ? strtoull(before + 1, NULL, 16) : 0;
}

/* Adds a thread of the program. Returns 0 if there is no room. */
static int add_thread(const char *name, uint64_t own_stack)
{
	const long id = strtol(name, NULL, 10);
	memory_copy_thread *thread = &notes.threads[notes.thread_count];

	if (id == 0 || own_thread_has((pid_t)id))
		return 1;
	if (notes.thread_count == MEMORY_COPY_THREADS)
		return 0;
	thread->id = (uint64_t)id;
	thread->stack = id == syscall(SYS_gettid) ? own_stack : read_stack_pointer(id);
	notes.thread_count++;
	return 1;
}

/* An entry of a directory, as the system returns it. opendir() would allocate memory of the program. */
typedef struct kernel_entry {
	uint64_t inode;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
} kernel_entry;

static void list_threads(uint64_t own_stack)
{
	static char entries[32 << 10] __attribute__((aligned(8)));
	const int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long length = -1;
	int has_room = 1;

	notes.thread_count = 0;
	while (fd >= 0 && (length = syscall(SYS_getdents64, fd, entries, sizeof(entries))) > 0) {
		for (long at = 0; at < length; at += ((kernel_entry *)(entries + at))->length)
			has_room &= add_thread(((kernel_entry *)(entries + at))->name, own_stack);
	}
	notes.has_all_threads = fd >= 0 && length == 0 && has_room;
	if (fd >= 0)
		close(fd);
}

/* Returns 0 on a system that cannot close all at once (before Linux 5.9), with errno set. */
static int close_descriptors(void)
{
#ifdef SYS_close_range
	return syscall(SYS_close_range, 0, UINT_MAX, 0) == 0;
#else
	errno = ENOSYS;
	return 0;
#endif
}

/* Among processes that the system ends for lack of memory this one is to be the first. */
static void volunteer(void)
{
	static const char most[] = "1000";
	const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, most, sizeof(most) - 1) < 0)
		(void)errno;
	close(fd);
}

/* In the copy, whose only thread this is. Nothing here allocates, locks or uses what other threads may have changed. */
static _Noreturn void keep_memory(const copy_request *request)
{
	static const struct rlimit none = {0, 0};
	static const struct timespec pause = {0, LOOK_MS * 1000000L};

	(void)syscall(SYS_setsid);
	(void)syscall(SYS_prctl, PR_SET_NAME, "mprof copy", 0, 0, 0);
	(void)syscall(SYS_prctl, PR_SET_PTRACER, request->tool, 0, 0, 0);
	(void)setrlimit(RLIMIT_CORE, &none);
	volunteer();
	for (int waited = 0; waited < LIFE_MS && access(request->pipe_path, F_OK) == 0; waited += LOOK_MS)
		(void)nanosleep(&pause, NULL);
	for (;;)
		syscall(SYS_exit_group, 0);
}

static int create_copy(void *argument)
{
	copy_request *request = argument;
	const long copy = close_descriptors() ? syscall(SYS_clone, 0, NULL, NULL, NULL, NULL) : -1;

	if (copy == 0)
		keep_memory(request);
	request->copy = copy > 0 ? (pid_t)copy : 0;
	request->error = copy < 0 ? errno : 0;
	return 0;
}

/* All signals are blocked. */
static void run_intermediate(copy_request *request)
{
	const int process =
		clone(create_copy, intermediate_stack + STACK_SIZE, CLONE_VM | CLONE_VFORK | CLONE_UNTRACED, request);

	if (process < 0)
		request->error = errno;
	else
		while (waitpid(process, NULL, __WCLONE) < 0 && errno == EINTR)
			continue;
}

/* mprof record may end meanwhile: then there is a signal to remove. */
static void send_message(int fd, const memory_copy_message *message)
{
	static const struct timespec now = {0, 0};
	sigset_t pipe_signal;

	if (write(fd, message, sizeof(*message)) >= 0 || errno != EPIPE)
		return;
	sigemptyset(&pipe_signal);
	sigaddset(&pipe_signal, SIGPIPE);
	(void)sigtimedwait(&pipe_signal, NULL, &now);
}

void memory_copy_make(const char *pipe_path, const char *log_path)
{
	copy_request request = {.pipe_path = pipe_path, .tool = (pid_t)strtol(pipe_path + strlen("/proc/"), NULL, 10)};
	memory_copy_message message = {.process = getpid(), .notes = (uint64_t)(uintptr_t)&notes};
	const int fd = open(pipe_path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	sigset_t all;
	sigset_t before;

	if (fd < 0)
		return;
	snprintf(notes.log, sizeof(notes.log), "%s", log_path);
	list_threads((uint64_t)(uintptr_t)__builtin_frame_address(0));
	notes.range_count = (uint32_t)own_memory_list(notes.ranges, MEMORY_COPY_RANGES);
	sigfillset(&all);
	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, KERNEL_SET_SIZE);
	if (count_filters() != filters_at_start)
		message.problem = MEMORY_COPY_RESTRICTED;
	else
		run_intermediate(&request);
	if (message.problem == MEMORY_COPY_OK && request.copy == 0)
		message.problem = MEMORY_COPY_REFUSED;
	message.copy = request.copy;
	message.error = request.error;
	send_message(fd, &message);
	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, KERNEL_SET_SIZE);
	close(fd);
}
