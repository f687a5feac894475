/* SPDX-License-Identifier: MIT */
/*
 * Records a scheduler of coroutines: what a runtime with its own stacks reports to libmprof. Two coroutines take turns;
 * the time in which one is suspended is not time in its methods.
 *
 *     ./coroutines coroutines.mprof && mprof report coroutines.mprof
 */
#include <mprof/recorder.h>

#include <stdio.h>
#include <string.h>
#include <ucontext.h>

enum { COROUTINES = 2, STACK_BYTES = 64 * 1024, ROUNDS = 1000 };

/* Keys can be any numbers; a runtime uses the addresses of its methods. */
enum { METHOD_SCHEDULE = 1, METHOD_PRODUCE = 2, METHOD_CONSUME = 3 };

typedef struct coroutine {
	ucontext_t context;
	char stack[STACK_BYTES];
	int is_done;
} coroutine;

static coroutine coroutines[COROUTINES];
static ucontext_t scheduler;
static mprof_thread *thread;

static void define_method(mprof_recorder *recorder, mprof_key key, const char *name, uint32_t line)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	description.source_file = __FILE__;
	description.source_file_length = sizeof(__FILE__) - 1;
	description.source_line = line;
	if (mprof_recorder_define_method(recorder, key, &description) != MPROF_OK)
		fprintf(stderr, "coroutines: cannot define %s\n", name);
}

static void run_coroutine(unsigned number)
{
	mprof_thread_enter_method(thread, METHOD_PRODUCE + number);
	for (int i = 0; i < ROUNDS; i++)
		swapcontext(&coroutines[number].context, &scheduler);
	/* A runtime that cannot identify the returning method records that the one on top returns. */
	mprof_thread_leave_method(thread, 0);
	coroutines[number].is_done = 1;
}

/* The ID of a stack is unique among the stacks in use; 0 is the thread's own stack. */
static uint64_t stack_of(const coroutine *which)
{
	return (uint64_t)(which - coroutines) + 1;
}

static int resume_coroutine(coroutine *which)
{
	if (which->is_done)
		return 0;
	mprof_thread_switch_stack(thread, stack_of(which));
	swapcontext(&scheduler, &which->context);
	mprof_thread_switch_stack(thread, 0);
	if (which->is_done)
		mprof_thread_end_stack(thread, stack_of(which));
	return 1;
}

/* Not in the loop of its caller: getcontext() may return twice. */
static void prepare_coroutine(unsigned i)
{
	ucontext_t *context = &coroutines[i].context;

	getcontext(context);
	context->uc_stack.ss_sp = coroutines[i].stack;
	context->uc_stack.ss_size = STACK_BYTES;
	context->uc_link = &scheduler;
	makecontext(context, (void (*)(void))run_coroutine, 1, i);
}

static void schedule_coroutines(void)
{
	int running;

	for (unsigned i = 0; i < COROUTINES; i++)
		prepare_coroutine(i);
	mprof_thread_enter_method(thread, METHOD_SCHEDULE);
	do {
		running = 0;
		for (int i = 0; i < COROUTINES; i++)
			running += resume_coroutine(&coroutines[i]);
	} while (running > 0);
	mprof_thread_leave_method(thread, METHOD_SCHEDULE);
}

int main(int argc, char **argv)
{
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_recorder *recorder;
	mprof_status status;

	if (argc != 2) {
		fprintf(stderr, "usage: coroutines LOG\n");
		return 2;
	}
	if (mprof_recorder_open_path(argv[1], NULL, &recorder, &error) != MPROF_OK ||
	    mprof_recorder_attach(recorder, 0, &thread) != MPROF_OK) {
		fprintf(stderr, "coroutines: %s: %s\n", argv[1], error.what);
		return 1;
	}
	define_method(recorder, METHOD_SCHEDULE, "schedule", 70);
	define_method(recorder, METHOD_PRODUCE, "produce", 43);
	define_method(recorder, METHOD_CONSUME, "consume", 43);
	schedule_coroutines();
	mprof_thread_detach(thread);
	status = mprof_recorder_close(recorder);
	mprof_recorder_destroy(recorder);
	return status == MPROF_OK ? 0 : 1;
}
