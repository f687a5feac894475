/* SPDX-License-Identifier: MIT */
/*
 * Threads that are cancelled, short, many, small, or change their stacks.
 *
 * cases: threads cancel | threads cancel_async | threads short | threads many | threads small | threads fibers
 *        | threads names | threads exit | threads main_exits | threads longjmp | threads detached | threads keys
 *        | threads deep | threads scheduling | threads named_by_another | threads exits_alone
 */
#define _GNU_SOURCE
#include "facts.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

static atomic_int running;

static __attribute__((noinline)) void allocate(void)
{
	void *volatile memory = malloc(10);

	free(memory);
}

static void *work_until_cancelled(void *argument)
{
	atomic_fetch_add(&running, 1);
	if (argument == NULL)
		for (;;) {
			allocate();
			pthread_testcancel();
		}
	/* Only computing may be cancelled at any time. */
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (volatile unsigned i = 0;; i++)
		continue;
	return NULL;
}

static void cancel(void *mode)
{
	int cancelled = 0;

	for (int i = 0; i < 300; i++) {
		pthread_t thread;
		void *result;

		pthread_create(&thread, NULL, work_until_cancelled, mode);
		if (i % 2 != 0)
			while (atomic_load(&running) <= i)
				sched_yield();
		pthread_cancel(thread);
		pthread_join(thread, &result);
		cancelled += result == PTHREAD_CANCELED;
		atomic_store(&running, i + 1);
	}
	printf("%d cancelled\n", cancelled);
}

static void *compute_little(void *argument)
{
	compute_for_us(100);
	allocate();
	return argument;
}

static void make_short(int count)
{
	int returned = 0;

	for (int i = 0; i < count; i++) {
		pthread_t thread;
		void *result = NULL;

		if (pthread_create(&thread, NULL, compute_little, &returned) != 0)
			printf("not created\n");
		else
			pthread_join(thread, &result);
		returned += result == &returned;
	}
	printf("%d returned\n", returned);
}

static void make_many(void)
{
	enum { COUNT = 200 };
	pthread_t threads[COUNT];
	int created = 0;

	for (int i = 0; i < COUNT; i++)
		created += pthread_create(&threads[i], NULL, compute_little, NULL) == 0;
	for (int i = 0; i < COUNT; i++)
		pthread_join(threads[i], NULL);
	printf("%d created\n", created);
}

static void *compute_longer(void *argument)
{
	for (int i = 0; i < 50; i++) {
		compute_for_us(1000);
		allocate();
	}
	return argument;
}

static void make_small(void)
{
	for (size_t size = 16384; size <= 32768; size += 4096) {
		pthread_attr_t attributes;
		pthread_t thread;
		int error;

		pthread_attr_init(&attributes);
		pthread_attr_setstacksize(&attributes, size);
		error = pthread_create(&thread, &attributes, compute_longer, NULL);
		if (error == 0)
			pthread_join(thread, NULL);
		pthread_attr_destroy(&attributes);
		printf("%zu bytes: %s\n", size, error == 0 ? "ok" : strerror(error));
	}
}

static ucontext_t home;
static ucontext_t fiber;

static void on_fiber(void)
{
	compute_longer(NULL);
}

/* A page without access is below each stack. The program is linked with -z now: lazy binding itself needs 3 KiB. */
static void make_fibers(void)
{
	for (size_t size = 4096; size <= 16384; size += 4096) {
		char *memory = mmap(NULL, 4096 + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		mprotect(memory, 4096, PROT_NONE);
		getcontext(&fiber);
		fiber.uc_stack.ss_sp = memory + 4096;
		fiber.uc_stack.ss_size = size;
		fiber.uc_link = &home;
		makecontext(&fiber, on_fiber, 0);
		swapcontext(&home, &fiber);
		munmap(memory, 4096 + size);
		printf("%zu bytes: ok\n", size);
	}
}

static void *name_itself(void *argument)
{
	char name[16] = "";

	pthread_getname_np(pthread_self(), name, sizeof(name));
	printf("first %s, ", name);
	pthread_setname_np(pthread_self(), argument);
	compute_for_us(20000);
	pthread_getname_np(pthread_self(), name, sizeof(name));
	printf("then %s\n", name);
	return NULL;
}

static void name_threads(void)
{
	static const char *const names[] = {"first", "second", "third"};

	for (int i = 0; i < 3; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, name_itself, (void *)(uintptr_t)names[i]);
		pthread_join(thread, NULL);
	}
}

static void *wait_for_name(void *barrier)
{
	char name[16] = "";

	pthread_barrier_wait(barrier);
	pthread_getname_np(pthread_self(), name, sizeof(name));
	printf("named %s\n", name);
	return NULL;
}

/* After a program could not be executed, since its file is no program. The thread that is named has done nothing yet. */
static void name_another(void)
{
	FILE *file = fopen("no-program", "w");
	pthread_barrier_t barrier;
	pthread_t thread;

	fputs("\001\002\003\004", file);
	fchmod(fileno(file), 0755);
	fclose(file);
	execl("./no-program", "no-program", (char *)NULL);
	printf("not executed: %s\n", strerror(errno));
	unlink("no-program");
	allocate();
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, wait_for_name, &barrier);
	pthread_setname_np(thread, "other");
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
}

static void *exit_deep(void *argument)
{
	if (argument == NULL)
		pthread_exit(&running);
	exit_deep((char *)argument - 1);
	allocate();
	return NULL;
}

static void exit_threads(void)
{
	for (uintptr_t i = 0; i < 10; i++) {
		pthread_t thread;
		void *result = NULL;

		pthread_create(&thread, NULL, exit_deep, (void *)i);
		pthread_join(thread, &result);
		printf("%s\n", result == &running ? "exited" : "returned");
	}
}

static void *work_longer_than_main(void *argument)
{
	pthread_join(*(pthread_t *)argument, NULL);
	compute_for_us(50000);
	printf("the last thread ends\n");
	fflush(stdout);
	return NULL;
}

static jmp_buf target;

static __attribute__((noinline)) void jump(int depth)
{
	allocate();
	if (depth == 0)
		longjmp(target, 1);
	jump(depth - 1);
	allocate();
}

static void jump_from_handler(int number)
{
	siglongjmp(target, number);
}

static void make_jumps(void)
{
	struct sigaction action = {.sa_handler = jump_from_handler, .sa_flags = SA_ONSTACK | SA_NODEFER};
	static char memory[65536];
	const stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
	volatile int jumps = 0;

	for (volatile int i = 0; i < 1000; i++) {
		if (setjmp(target) == 0)
			jump(i % 20);
		else
			jumps++;
	}
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	for (volatile int i = 0; i < 1000; i++) {
		if (sigsetjmp(target, 1) == 0)
			*(volatile int *)8 = i;
		else
			jumps++;
		compute_for_us(50);
	}
	printf("%d jumps\n", jumps);
}

static void make_detached(void)
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 100; i++) {
		pthread_t thread;

		if (pthread_create(&thread, &attributes, compute_little, NULL) != 0)
			printf("not created\n");
	}
	pthread_attr_destroy(&attributes);
	compute_for_us(100000);
}

static pthread_key_t key;

static void destroy_value(void *value)
{
	allocate();
	printf("value destroyed\n");
	if (value == &running)
		pthread_setspecific(key, &key);
}

static void *set_value(void *argument)
{
	pthread_setspecific(key, argument);
	return NULL;
}

static void use_keys(void)
{
	pthread_t thread;
	int keys = 0;
	pthread_key_t one;

	pthread_key_create(&key, destroy_value);
	pthread_create(&thread, NULL, set_value, &running);
	pthread_join(thread, NULL);
	while (pthread_key_create(&one, NULL) == 0)
		keys++;
	/* The C library has 1024 for all libraries of a program. */
	printf("%s keys\n", keys > 1000 ? "enough" : "too few");
}

static __attribute__((noinline)) int descend(int depth)
{
	volatile char room[64];

	room[0] = (char)depth;
	if (depth == 0)
		compute_for_us(50000);
	return depth == 0 ? room[0] : descend(depth - 1) + room[0] - (char)depth;
}

static void *print_scheduling(void *which)
{
	struct sched_param parameters;
	int policy;
	cpu_set_t set;

	pthread_getschedparam(pthread_self(), &policy, &parameters);
	sched_getaffinity(0, sizeof(set), &set);
	printf("%s: policy %d, priority %d, processors %d\n", (const char *)which, policy, parameters.sched_priority,
	       CPU_COUNT(&set));
	return NULL;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "cancel";
	static pthread_t itself;
	pthread_t thread;

	if (strcmp(what, "cancel") == 0)
		cancel(NULL);
	else if (strcmp(what, "cancel_async") == 0)
		cancel(&running);
	else if (strcmp(what, "short") == 0)
		make_short(1000);
	else if (strcmp(what, "many") == 0)
		make_many();
	else if (strcmp(what, "small") == 0)
		make_small();
	else if (strcmp(what, "fibers") == 0)
		make_fibers();
	else if (strcmp(what, "names") == 0)
		name_threads();
	else if (strcmp(what, "exit") == 0)
		exit_threads();
	else if (strcmp(what, "main_exits") == 0) {
		itself = pthread_self();
		pthread_create(&thread, NULL, work_longer_than_main, &itself);
		pthread_exit(NULL);
	} else if (strcmp(what, "exits_alone") == 0) {
		printf("the only thread ends\n");
		pthread_exit(NULL);
	} else if (strcmp(what, "named_by_another") == 0)
		name_another();
	else if (strcmp(what, "longjmp") == 0)
		make_jumps();
	else if (strcmp(what, "detached") == 0)
		make_detached();
	else if (strcmp(what, "keys") == 0)
		use_keys();
	else if (strcmp(what, "deep") == 0)
		printf("%d\n", descend(20000));
	else if (strcmp(what, "scheduling") == 0) {
		print_scheduling("main");
		pthread_create(&thread, NULL, print_scheduling, "thread");
		pthread_join(thread, NULL);
	}
	printf("%s: ended well\n", what);
	return 0;
}
