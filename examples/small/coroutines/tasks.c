/* SPDX-License-Identifier: MIT */
/*
 * Records tasks that wait for each other: what an asynchronous runtime reports to libmprof. Each task is a coroutine
 * with a call stack and a number. It is a span from its creation to its end, with the task that created it as its
 * parent; what it waits for is a span on its call stack, whose end names the task that woke it; and a flow leads from
 * there.
 *
 *     ./tasks tasks.mprof && mprof report tasks.mprof
 */
#include <mprof/recorder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { REQUESTS = 3, FETCHES = 2, TASKS = REQUESTS * (1 + FETCHES), STACK_BYTES = 64 * 1024, STEPS = 50 };

/* Keys can be any numbers; a runtime uses the addresses of its methods. */
enum { METHOD_SCHEDULE = 1, METHOD_HANDLE = 2, METHOD_FETCH = 3 };

typedef struct task {
	ucontext_t context;
	char stack[STACK_BYTES];
	uint64_t number; /* Of its span, and of its call stack: from 1. */
	struct task *parent;
	struct task *ended[FETCHES]; /* Tasks that it created, have ended, and that it did not wait for yet. */
	size_t ended_count;
	uint64_t flow; /* From its end to the one that waits for it. */
	int is_done;
} task;

static task tasks[TASKS];
static unsigned task_count;
static task *current;
static ucontext_t scheduler;
static mprof_recorder *recorder;
static mprof_thread *thread;

/* Types of events. */
static uint32_t created;
static uint32_t ended;
static uint32_t waits;
static uint32_t continues;
static uint32_t wakes;

static uint32_t fetch_name;
static uint32_t request_name;

#define ARGUMENT(name, kind, role)                                                                                     \
	{                                                                                                              \
		kind, MPROF_ENCODING_UNSIGNED, role, 0, name, ""                                                       \
	}

static const mprof_argument_record created_arguments[] = {
	ARGUMENT("name", MPROF_ARGUMENT_TEXT_ID, MPROF_ROLE_NAME),
	ARGUMENT("task", MPROF_ARGUMENT_NUMBER, MPROF_ROLE_SPAN),
	ARGUMENT("parent", MPROF_ARGUMENT_NUMBER, MPROF_ROLE_PARENT),
};
static const mprof_argument_record ended_arguments[] = {
	ARGUMENT("task", MPROF_ARGUMENT_NUMBER, MPROF_ROLE_SPAN),
};
static const mprof_argument_record continues_arguments[] = {
	ARGUMENT("woken by", MPROF_ARGUMENT_NUMBER, MPROF_ROLE_CAUSE),
	ARGUMENT("from", MPROF_ARGUMENT_NUMBER, MPROF_ROLE_FLOW_IN),
};
static const mprof_argument_record wakes_arguments[] = {
	ARGUMENT("task woken", MPROF_ARGUMENT_NUMBER, MPROF_ROLE_NONE),
	ARGUMENT("to", MPROF_ARGUMENT_NUMBER, MPROF_ROLE_FLOW_OUT),
};

static void expect(mprof_status status, const char *what)
{
	if (status == MPROF_OK)
		return;
	fprintf(stderr, "tasks: %s: %s\n", what, mprof_status_get_text(status));
	exit(EXIT_FAILURE);
}

static uint32_t define_text(const char *text)
{
	uint32_t id;

	expect(mprof_recorder_define_text(recorder, text, strlen(text), &id), text);
	return id;
}

static uint32_t define_type(uint32_t form, uint32_t pair, const char *name, const mprof_argument_record *arguments,
			    uint32_t count)
{
	mprof_type_record type = {
		.form = form, .pair = pair, .category = define_text("task"), .argument_count = count, .name = name};
	uint32_t id;

	if (count > 0)
		expect(mprof_recorder_define_arguments(recorder, arguments, sizeof(*arguments), count,
						       &type.first_argument),
		       name);
	expect(mprof_recorder_define_type(recorder, &type, sizeof(type), &id), name);
	return id;
}

static void define_method(mprof_key key, const char *name)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	expect(mprof_recorder_define_method(recorder, key, &description), name);
}

static void define_all(void)
{
	define_method(METHOD_SCHEDULE, "schedule");
	define_method(METHOD_HANDLE, "handle");
	define_method(METHOD_FETCH, "fetch");
	request_name = define_text("request");
	fetch_name = define_text("fetch");
	created = define_type(MPROF_TYPE_ASYNC_BEGIN, 0, "task", created_arguments, 3);
	ended = define_type(MPROF_TYPE_ASYNC_END, 0, "task ended", ended_arguments, 1);
	waits = define_type(MPROF_TYPE_BEGIN, 0, "wait", NULL, 0);
	continues = define_type(MPROF_TYPE_END, waits, "continue", continues_arguments, 2);
	wakes = define_type(MPROF_TYPE_INSTANT, 0, "wake", wakes_arguments, 2);
}

/* Up to three numbers are all that these events have. */
static void record(uint32_t type, size_t count, uint64_t first, uint64_t second, uint64_t third)
{
	const mprof_argument_value values[] = {{.number = first}, {.number = second}, {.number = third}};

	expect(mprof_thread_record_typed(thread, type, values, count), "an event");
}

static void suspend(void)
{
	swapcontext(&current->context, &scheduler);
}

/* A task that ends wakes the one that created it. Each flow has a number of its own. */
static void wake_parent(task *done)
{
	static uint64_t flows;
	task *parent = done->parent;

	if (parent == NULL)
		return;
	done->flow = ++flows;
	record(wakes, 2, parent->number, done->flow, 0);
	parent->ended[parent->ended_count++] = done;
}

/* The current task waits until one of those that it created has ended. */
static void await(void)
{
	const task *other;

	record(waits, 0, 0, 0, 0);
	while (current->ended_count == 0)
		suspend();
	other = current->ended[--current->ended_count];
	record(continues, 2, other->number, other->flow, 0);
}

static void fetch(void)
{
	mprof_thread_enter_method(thread, METHOD_FETCH);
	for (int i = 0; i < STEPS; i++)
		suspend();
	mprof_thread_leave_method(thread, METHOD_FETCH);
}

static void start(uint32_t name);

static void handle(void)
{
	mprof_thread_enter_method(thread, METHOD_HANDLE);
	for (int i = 0; i < FETCHES; i++)
		start(fetch_name);
	for (int i = 0; i < FETCHES; i++)
		await();
	mprof_thread_leave_method(thread, METHOD_HANDLE);
}

static void run_task(unsigned number)
{
	task *running = &tasks[number - 1];

	(running->parent == NULL ? handle : fetch)();
	wake_parent(running);
	record(ended, 1, running->number, 0, 0);
	running->is_done = 1;
}

/* Creates a task: its parent is the one that runs, NULL if no task runs. */
static void start(uint32_t name)
{
	task *added = &tasks[task_count++];

	added->number = task_count;
	added->parent = current;
	record(created, 3, name, added->number, current != NULL ? current->number : 0);
	getcontext(&added->context);
	added->context.uc_stack.ss_sp = added->stack;
	added->context.uc_stack.ss_size = STACK_BYTES;
	added->context.uc_link = &scheduler;
	makecontext(&added->context, (void (*)(void))run_task, 1, (unsigned)added->number);
}

/* Runs a task until it waits or ends. What it records in between belongs to its call stack. */
static void resume(task *next)
{
	current = next;
	mprof_thread_switch_stack(thread, next->number);
	swapcontext(&scheduler, &next->context);
	mprof_thread_switch_stack(thread, 0);
	if (next->is_done)
		mprof_thread_end_stack(thread, next->number);
	current = NULL;
}

static void schedule(void)
{
	int running;

	mprof_thread_enter_method(thread, METHOD_SCHEDULE);
	for (int i = 0; i < REQUESTS; i++)
		start(request_name);
	do {
		running = 0;
		for (unsigned i = 0; i < task_count; i++) {
			if (!tasks[i].is_done) {
				resume(&tasks[i]);
				running++;
			}
		}
	} while (running > 0);
	mprof_thread_leave_method(thread, METHOD_SCHEDULE);
}

int main(int argc, char **argv)
{
	mprof_status status;

	if (argc != 2) {
		fprintf(stderr, "usage: tasks LOG\n");
		return 2;
	}
	expect(mprof_recorder_open_path(argv[1], NULL, &recorder, NULL), argv[1]);
	expect(mprof_recorder_attach(recorder, 0, &thread), "attach");
	define_all();
	schedule();
	mprof_thread_detach(thread);
	status = mprof_recorder_close(recorder);
	mprof_recorder_destroy(recorder);
	return status == MPROF_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
