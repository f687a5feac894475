/* SPDX-License-Identifier: MIT */
/*
 * What a program can see of its process: descriptors, limits, signals, children, stacks, working directory. With
 * "end", how it ends.
 *
 * cases: state | state threads | state in | state exit | state _exit | state quick_exit | state abort | state segv
 *        | state kill | state term | state thread_exit | state exit_in_thread | state exit_group | state atexit
 *        | state assert | state stop
 */
#define _GNU_SOURCE
#include "facts.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void print_descriptors(void)
{
	int fd = open("/dev/null", O_RDONLY);

	printf("the next descriptor is %d\n", fd);
	close(fd);
	for (fd = 0; fd < 200; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf("descriptor %d is open\n", fd);
}

static void print_limits(void)
{
	for (int i = 0; i < 16; i++) {
		struct rlimit limit;

		if (getrlimit((__rlimit_resource_t)i, &limit) == 0)
			printf("limit %d: %llu %llu\n", i, (unsigned long long)limit.rlim_cur,
			       (unsigned long long)limit.rlim_max);
	}
}

static void print_children(void)
{
	int status;
	pid_t found = waitpid(-1, &status, WNOHANG);

	printf("children: %s\n", found < 0 ? strerror(errno) : "some");
}

static void print_process(void)
{
	char name[17] = "";
	char directory[4096];
	char *slash = getcwd(directory, sizeof(directory)) != NULL ? strrchr(directory, '/') : NULL;
	mode_t mask = umask(0);

	umask(mask);
	prctl(PR_GET_NAME, name);
	printf("name %s, directory %s, mask %03o, dumpable %d, nice %d, no new privileges %d\n", name,
	       slash != NULL ? "known" : "unknown", (unsigned)mask, prctl(PR_GET_DUMPABLE),
	       getpriority(PRIO_PROCESS, 0), prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	printf("subreaper ");
	{
		int value = -1;

		prctl(PR_GET_CHILD_SUBREAPER, &value);
		printf("%d, ", value);
		prctl(PR_GET_PDEATHSIG, &value);
		printf("death signal %d, timer slack %s\n", value,
		       prctl(PR_GET_TIMERSLACK) == 50000 ? "default" : "changed");
	}
	printf("group %s, session %s, user %d, effective %d\n", getpgrp() > 0 ? "set" : "?",
	       getsid(0) > 0 ? "set" : "?", (int)getuid() == (int)geteuid(), (int)getgid() == (int)getegid());
}

static void print_stack(const char *which)
{
	pthread_attr_t attributes;
	void *address;
	size_t size = 0;
	size_t guard = 0;

	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &address, &size);
	pthread_attr_getguardsize(&attributes, &guard);
	pthread_attr_destroy(&attributes);
	/* The stack of the first thread begins at a random place. */
	printf("stack of %s: %zu KiB, guard %zu KiB\n", which, (size + 60000) >> 16 << 6, guard >> 10);
}

static void *in_thread(void *argument)
{
	sigset_t mask;
	char name[17] = "";

	print_stack(argument);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	for (int number = 1; number < 65; number++)
		if (sigismember(&mask, number) == 1)
			printf("signal %d is blocked\n", number);
	pthread_getname_np(pthread_self(), name, sizeof(name));
	printf("name %s\n", name);
	errno = 77;
	return argument;
}

static void run_thread(const char *which, size_t size)
{
	pthread_attr_t attributes;
	pthread_t thread;
	void *result = NULL;
	int error;
	int after;

	pthread_attr_init(&attributes);
	if (size != 0 && pthread_attr_setstacksize(&attributes, size) != 0)
		printf("setstacksize %zu failed\n", size);
	errno = 5;
	error = pthread_create(&thread, &attributes, in_thread, (void *)(uintptr_t)which);
	after = errno;
	if (error == 0)
		pthread_join(thread, &result);
	printf("%s: %s, errno %d\n", which, error == 0 ? "created" : strerror(error), after);
	printf("returned %s\n", result == which ? "its argument" : "another value");
	pthread_attr_destroy(&attributes);
}

/* malloc() and calls of functions leave errno as it is. */
static void print_errno(void)
{
	void *volatile memory;

	errno = 42;
	memory = malloc(100);
	memory = realloc(memory, 200);
	free(memory);
	in_thread((char *)"errno");
	errno = 42;
	print_stack("main");
	compute_for_us(10000);
	printf("errno %d\n", errno);
}

static void print_input(void)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin) != NULL)
		printf("read %s", line);
	printf("end of input\n");
}

static void print_at_exit(void)
{
	printf("at exit\n");
}

static void print_at_quick_exit(void)
{
	printf("at quick exit\n");
	fflush(stdout);
}

static void *end_process(void *argument)
{
	(void)argument;
	exit(7);
}

static void end_by(const char *mode)
{
	pthread_t thread;

	fflush(stdout);
	if (strcmp(mode, "exit") == 0)
		exit(3);
	if (strcmp(mode, "_exit") == 0)
		_exit(4);
	if (strcmp(mode, "quick_exit") == 0)
		quick_exit(5);
	if (strcmp(mode, "abort") == 0)
		abort();
	if (strcmp(mode, "segv") == 0)
		*(volatile int *)0 = 1;
	if (strcmp(mode, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(mode, "term") == 0)
		raise(SIGTERM);
	if (strcmp(mode, "thread_exit") == 0)
		pthread_exit(NULL);
	if (strcmp(mode, "exit_group") == 0)
		syscall(SYS_exit_group, 6);
	if (strcmp(mode, "assert") == 0)
		__builtin_trap();
	if (strcmp(mode, "exit_in_thread") == 0) {
		pthread_create(&thread, NULL, end_process, NULL);
		for (;;)
			pause();
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	atexit(print_at_exit);
	at_quick_exit(print_at_quick_exit);
	if (strcmp(what, "threads") == 0) {
		print_stack("main");
		run_thread("default", 0);
		run_thread("16 KiB", 16384);
		run_thread("20 KiB", 20480);
		run_thread("64 KiB", 65536);
		run_thread("1 MiB", 1 << 20);
	} else if (strcmp(what, "in") == 0) {
		print_input();
	} else if (what[0] == '\0') {
		print_descriptors();
		print_limits();
		print_children();
		print_process();
		print_errno();
		print_descriptors();
	} else {
		compute_for_us(20000);
		printf("ends by %s\n", what);
		end_by(what);
	}
	return 2;
}
