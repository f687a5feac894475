/* SPDX-License-Identifier: MIT */
/*
 * Programs that change the actions and the masks of all signals, then compute in two threads.
 *
 * cases: signals default | signals own | signals ignore | signals block | signals wait | signals fd | signals trap
 *        | signals trap-handler | signals breakpoint | signals restore | signals profile | signals pending | signals altstack
 *        | signals modules
 */
#define _GNU_SOURCE
#include "facts.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t strange;
static volatile sig_atomic_t traps;
static volatile sig_atomic_t ticks;

static void count_strange(int number)
{
	(void)number;
	strange++;
}

static void count_trap(int number)
{
	(void)number;
	traps++;
}

static void count_tick(int number)
{
	(void)number;
	ticks++;
}

static void *compute(void *argument)
{
	compute_for_us(200000);
	return argument;
}

static void compute_in_two_threads(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, compute, NULL);
	compute(NULL);
	pthread_join(thread, NULL);
}

/* 32 and 33 belong to the C library. */
static int is_changeable(int number)
{
	return number != SIGKILL && number != SIGSTOP && number != SIGCHLD && number != 32 && number != 33;
}

static void set_all(void (*handler)(int))
{
	for (int number = 1; number <= SIGRTMAX; number++)
		if (is_changeable(number) && signal(number, handler) == SIG_ERR)
			printf("signal %d: %s\n", number, strerror(errno));
}

/* The actions that a program reads back must be those that it set. */
static void check_all(void (*handler)(int))
{
	for (int number = 1; number <= SIGRTMAX; number++) {
		struct sigaction action;

		if (is_changeable(number) && sigaction(number, NULL, &action) == 0 && action.sa_handler != handler)
			printf("signal %d has another action\n", number);
	}
}

static void block_all(sigset_t *all)
{
	sigset_t now;

	sigfillset(all);
	pthread_sigmask(SIG_SETMASK, all, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	for (int number = 1; number <= SIGRTMAX; number++)
		if (is_changeable(number) && !sigismember(&now, number))
			printf("signal %d is not blocked\n", number);
}

static void wait_for_all(const sigset_t *all)
{
	struct timespec limit = {0, 50000000};

	kill(getpid(), SIGTERM);
	for (int number; (number = sigtimedwait(all, NULL, &limit)) > 0;)
		printf("signal %d arrived\n", number);
}

static void read_all(const sigset_t *all)
{
	int fd = signalfd(-1, all, SFD_NONBLOCK | SFD_CLOEXEC);
	struct signalfd_siginfo information;

	kill(getpid(), SIGTERM);
	while (read(fd, &information, sizeof(information)) == (ssize_t)sizeof(information))
		printf("signal %u was read\n", information.ssi_signo);
	close(fd);
}

/* No signal may be pending that the program did not send. */
static void print_pending(void)
{
	sigset_t set;

	sigpending(&set);
	for (int number = 1; number <= SIGRTMAX; number++)
		if (sigismember(&set, number) == 1)
			printf("signal %d is pending\n", number);
}

/* The initial actions and mask, as the program finds them, put back after it has used others. */
static void restore(void)
{
	struct sigaction before[65];
	struct sigaction action = {.sa_handler = count_strange};
	sigset_t mask;

	for (int number = 1; number <= 64; number++) {
		memset(&before[number], 0, sizeof(before[number]));
		if (!is_changeable(number) || sigaction(number, NULL, &before[number]) != 0)
			continue;
		printf("%d: %s%s\n", number, before[number].sa_handler == SIG_DFL ? "default" : "",
		       before[number].sa_handler == SIG_IGN ? "ignored" : "");
		sigaction(number, &action, NULL);
	}
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int number = 1; number <= 64; number++) {
		if (sigismember(&mask, number) == 1)
			printf("%d is blocked\n", number);
		if (is_changeable(number))
			sigaction(number, &before[number], NULL);
	}
	compute_in_two_threads();
}

/* The program's own profiling timer. */
static void profile(void)
{
	struct itimerval interval = {{0, 10000}, {0, 10000}};
	struct itimerval remaining;

	signal(SIGPROF, count_tick);
	setitimer(ITIMER_PROF, &interval, NULL);
	compute_in_two_threads();
	getitimer(ITIMER_PROF, &remaining);
	printf("interval %ld us, %s\n", (long)remaining.it_interval.tv_usec, ticks >= 5 ? "ticks" : "too few ticks");
	memset(&interval, 0, sizeof(interval));
	setitimer(ITIMER_PROF, &interval, NULL);
}

static int visit_module(struct dl_phdr_info *module, size_t size, void *user)
{
	(void)module;
	(void)size;
	(void)user;
	return 0;
}

static void visit_modules(int number)
{
	(void)number;
	ticks++;
	dl_iterate_phdr(visit_module, NULL);
}

/* A handler that interrupts malloc() looks at the loaded modules, as those that print a backtrace do. */
static void look_at_modules(void)
{
	struct itimerval interval = {{0, 500}, {0, 500}};

	signal(SIGPROF, visit_modules);
	setitimer(ITIMER_PROF, &interval, NULL);
	while (ticks < 100)
		free(malloc(20));
	memset(&interval, 0, sizeof(interval));
	setitimer(ITIMER_PROF, &interval, NULL);
}

static void print_alternate_stack(const char *where)
{
	stack_t stack;

	sigaltstack(NULL, &stack);
	printf("%s: alternate stack %s\n", where, (stack.ss_flags & SS_DISABLE) != 0 ? "none" : "set");
}

static void on_alternate_stack(int number)
{
	char here;
	stack_t stack;

	(void)number;
	sigaltstack(NULL, &stack);
	traps += &here >= (char *)stack.ss_sp && &here < (char *)stack.ss_sp + stack.ss_size &&
		 (stack.ss_flags & SS_ONSTACK) != 0;
}

/* The program's own alternate stack: its handlers run there, it can be read back and removed. */
static void *use_alternate_stack(void *argument)
{
	static char memory[2][65536];
	stack_t mine = {.ss_sp = memory[argument != NULL], .ss_size = sizeof(memory[0])};
	stack_t none = {.ss_flags = SS_DISABLE};
	stack_t found;

	print_alternate_stack("at first");
	if (sigaltstack(&mine, NULL) != 0)
		printf("sigaltstack: %s\n", strerror(errno));
	compute_for_us(50000);
	raise(SIGUSR1);
	sigaltstack(NULL, &found);
	printf("%s\n", found.ss_sp == mine.ss_sp && found.ss_size == mine.ss_size ? "mine" : "another");
	compute_for_us(50000);
	sigaltstack(&none, NULL);
	print_alternate_stack("at last");
	compute_for_us(50000);
	return NULL;
}

static void use_alternate_stacks(void)
{
	struct sigaction action = {.sa_handler = on_alternate_stack, .sa_flags = SA_ONSTACK};
	pthread_t thread;

	sigaction(SIGUSR1, &action, NULL);
	use_alternate_stack(NULL);
	pthread_create(&thread, NULL, use_alternate_stack, "thread");
	pthread_join(thread, NULL);
	printf("%d handlers on their stacks\n", (int)traps);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "default";
	sigset_t all;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (strcmp(what, "default") == 0 || strcmp(what, "ignore") == 0 || strcmp(what, "own") == 0) {
		void (*handler)(int) = what[0] == 'd' ? SIG_DFL : what[0] == 'i' ? SIG_IGN : count_strange;

		set_all(handler);
		compute_in_two_threads();
		check_all(handler);
	} else if (strcmp(what, "block") == 0 || strcmp(what, "wait") == 0 || strcmp(what, "fd") == 0 ||
		   strcmp(what, "pending") == 0) {
		block_all(&all);
		compute_in_two_threads();
		if (what[0] == 'p')
			print_pending();
		else if (what[0] == 'w')
			wait_for_all(&all);
		else if (what[0] == 'f')
			read_all(&all);
	} else if (strcmp(what, "trap") == 0) {
		compute_in_two_threads();
		raise(SIGTRAP);
	} else if (strcmp(what, "trap-handler") == 0) {
		signal(SIGTRAP, count_trap);
		compute_in_two_threads();
		for (int i = 0; i < 10; i++)
			raise(SIGTRAP);
		printf("%d traps\n", (int)traps);
	} else if (strcmp(what, "breakpoint") == 0) {
#if defined(__x86_64__) || defined(__i386__)
		signal(SIGTRAP, count_trap);
		for (int i = 0; i < 10; i++)
			__asm__ volatile("int3");
		printf("%d traps\n", (int)traps);
		signal(SIGTRAP, SIG_DFL);
		__asm__ volatile("int3");
#endif
	} else if (strcmp(what, "restore") == 0) {
		restore();
	} else if (strcmp(what, "profile") == 0) {
		profile();
	} else if (strcmp(what, "altstack") == 0) {
		use_alternate_stacks();
	} else if (strcmp(what, "modules") == 0) {
		look_at_modules();
	}
	printf("%s: ended well, strange %d\n", what, (int)strange);
	return strange != 0;
}
