/* SPDX-License-Identifier: MIT */
/*
 * Programs that restrict their system calls to a few, and are killed at any other, or that make processes without fork().
 *
 * cases: restricted strict | restricted filter | restricted filter_at_once | restricted refused | restricted killed
 *        | restricted thread | restricted clone | restricted clone3 | restricted system_calls
 */
#define _GNU_SOURCE
#include "facts.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void print(const char *text)
{
	(void)!write(STDOUT_FILENO, text, strlen(text));
}

static void allocate(size_t size)
{
	static void *volatile memory;

	memory = malloc(size);
	free(memory);
}

/* Without system calls: the program may not ask for the time. */
__attribute__((noinline)) static void compute(void)
{
	static volatile unsigned sink;

	for (unsigned i = 0; i < 20000000; i++)
		sink += i;
	for (int i = 0; i < 2000; i++)
		allocate(100);
}

#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* All other calls have this result. */
static void restrict_calls(unsigned other)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(write),
		ALLOW(exit),
		ALLOW(exit_group),
		ALLOW(rt_sigreturn),
		ALLOW(brk),
		BPF_STMT(BPF_RET | BPF_K, other),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
		print("not restricted\n");
}

static void *restrict_thread(void *unused)
{
	(void)unused;
	compute();
	restrict_calls(SECCOMP_RET_KILL_PROCESS);
	compute();
	print("the thread is done\n");
	(void)syscall(SYS_exit, 0);
	return NULL;
}

static int run_child(void *unused)
{
	(void)unused;
	compute();
	return 7;
}

static void wait_for(pid_t process)
{
	int status = 0;

	if (process < 0 || waitpid(process, &status, 0) != process)
		print("no child\n");
	else
		printf("the child has ended with %x\n", (unsigned)status);
	fflush(stdout);
}

static pid_t make_process(void)
{
	struct clone_args arguments;

	memset(&arguments, 0, sizeof(arguments));
	arguments.exit_signal = SIGCHLD;
	return (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));
}

static void make_processes(void)
{
	pid_t process = make_process();

	if (process == 0) {
		compute();
		_exit(5);
	}
	wait_for(process);
	process = make_process();
	if (process == 0) {
		compute();
		exit(6);
	}
	wait_for(process);
}

static void check_system_calls(void)
{
	printf("%s\n", syscall(SYS_getpid) == getpid() ? "the same process" : "another process");
	printf("%s\n", syscall(SYS_close, -1) == -1 && errno == EBADF ? "refused" : "not refused");
	printf("%s\n", clone(NULL, NULL, 0, NULL) == -1 && errno == EINVAL ? "refused" : "not refused");
	printf("%s\n", syscall(-1) == -1 && errno == ENOSYS ? "none" : "some");
}

int main(int argc, char **argv)
{
	static char stack[65536];
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t thread;

	/* The first allocation of a thread may need more system calls. */
	allocate(1000);
	if (strcmp(what, "filter_at_once") != 0)
		compute();
	if (strcmp(what, "strict") == 0) {
		(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
		for (unsigned i = 0; i < 3; i++)
			compute();
		print("done\n");
		(void)syscall(SYS_exit, 9);
	} else if (strncmp(what, "filter", 6) == 0) {
		restrict_calls(SECCOMP_RET_KILL_PROCESS);
		compute();
		print("done\n");
		exit(4);
	} else if (strcmp(what, "refused") == 0) {
		restrict_calls(SECCOMP_RET_ERRNO | EPERM);
		compute();
		print("done\n");
		_exit(5);
	} else if (strcmp(what, "killed") == 0) {
		restrict_calls(SECCOMP_RET_KILL_THREAD);
		(void)getppid();
		print("not killed\n");
	} else if (strcmp(what, "thread") == 0) {
		(void)pthread_create(&thread, NULL, restrict_thread, NULL);
		(void)pthread_join(thread, NULL);
		compute();
	} else if (strcmp(what, "clone") == 0) {
		wait_for(clone(run_child, stack + sizeof(stack), SIGCHLD, NULL));
		wait_for(clone(run_child, stack + sizeof(stack), SIGCHLD | CLONE_VM | CLONE_VFORK, NULL));
	} else if (strcmp(what, "clone3") == 0) {
		make_processes();
	} else {
		check_system_calls();
	}
	compute();
	return 3;
}
