/* SPDX-License-Identifier: MIT */
/* Interposes the functions that start threads. */
#include "thread_starts.h"

#include "program_signals.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define OVERRIDES __attribute__((visibility("default"), no_instrument_function))

typedef int main_function(int count, char **arguments, char **variables);
typedef int start_main_function(main_function *program, int count, char **arguments, void (*begin)(void),
				void (*end)(void), void (*end_loader)(void), void *stack_end);
typedef int create_function(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
			    void *argument);

start_main_function __libc_start_main OVERRIDES;

typedef struct thread_start {
	void *(*start)(void *);
	void *argument;
	int blocks_signal; /* See program_signals_inherit(). */
} thread_start;

static _Atomic(thread_start_function) on_start;
static __thread __attribute__((tls_model("initial-exec"))) int is_own_thread;
static main_function *program_main;
static void (*_Atomic on_child)(void);

void thread_starts_set(thread_start_function function)
{
	atomic_store(&on_start, function);
}

void thread_starts_set_child(void (*function)(void))
{
	atomic_store(&on_child, function);
}

void thread_starts_set_own(int is_own)
{
	is_own_thread = is_own;
}

/* Not a plain cast: ISO C does not define a conversion from an object pointer to a function pointer. */
static void look_up(void *function, const char *name)
{
	void *address = dlsym(RTLD_NEXT, name);

	memcpy(function, &address, sizeof(address));
}

static create_function *real_create;
static pid_t (*real_fork)(void);

/*
 * At the start: a thread that is inside the loader holds its lock, and may wait for the thread that would look up a
 * function here.
 */
__attribute__((constructor)) static void look_up_all(void)
{
	if (real_create != NULL && real_fork != NULL)
		return;
	look_up(&real_create, "pthread_create");
	look_up(&real_fork, "fork");
}

static void begin(uintptr_t frame)
{
	thread_start_function function = atomic_load(&on_start);

	if (function != NULL)
		function(frame);
}

/* Not optimized to jumps (see Makefile.inc): the frames of the following two functions end each walk. */
static void *run_thread(void *argument)
{
	const thread_start thread = *(thread_start *)argument;

	free(argument);
	program_signals_inherit(thread.blocks_signal);
	begin((uintptr_t)__builtin_frame_address(0));
	return thread.start(thread.argument);
}

static int run_main(int count, char **arguments, char **variables)
{
	begin((uintptr_t)__builtin_frame_address(0));
	return program_main(count, arguments, variables);
}

OVERRIDES int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
			     void *argument)
{
	thread_start *wrapped;
	int error;

	look_up_all();
	if (real_create == NULL)
		return ENOSYS;
	if (atomic_load(&on_start) == NULL || is_own_thread || (wrapped = malloc(sizeof(*wrapped))) == NULL)
		return real_create(thread, attributes, start, argument);
	wrapped->start = start;
	wrapped->argument = argument;
	wrapped->blocks_signal = program_signals_blocks();
	error = real_create(thread, attributes, run_thread, wrapped);
	if (error != 0)
		free(wrapped);
	return error;
}

OVERRIDES pid_t fork(void)
{
	void (*function)(void);
	pid_t process;

	look_up_all();
	if (real_fork == NULL) {
		errno = ENOSYS;
		return -1;
	}
	process = real_fork();
	function = atomic_load(&on_child);
	if (process == 0 && function != NULL)
		function();
	return process;
}

int __libc_start_main(main_function *program, int count, char **arguments, void (*begin_program)(void),
		      void (*end_program)(void), void (*end_loader)(void), void *stack_end)
{
	start_main_function *start = NULL;

	look_up(&start, "__libc_start_main");
	if (start == NULL)
		abort();
	program_main = program;
	return start(atomic_load(&on_start) != NULL ? run_main : program, count, arguments, begin_program, end_program,
		     end_loader, stack_end);
}
