/* SPDX-License-Identifier: MIT */
/*
 * Interprets a small program whose samples and allocations have lines, and records it: make_lines FILE. A TICK raises a
 * signal, whose handler records a sample with the lines that the interpreter is in then.
 *
 *     demo.txt                       squares.txt
 *     main: 1 call sum               square: 5 tick
 *           2 call sum                       6 end
 *           3 allocate 24
 *           4 end
 *     sum: 10 tick
 *          11 call square, inlined
 *          12 repeat from 10, until it was executed 3 times
 *          13 allocate 100
 *          14 end
 */
#include <mprof/recorder.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREAD = 0x10, OBJECT = 1, MAX_DEPTH = 8, REPEATS = 3 };

typedef enum operation { CALL, TICK, ALLOCATE, REPEAT, END } operation;

typedef struct instruction {
	uint32_t line;
	operation operation;
	uint32_t operand; /* CALL: the function; ALLOCATE: bytes; REPEAT: the instruction. */
} instruction;

typedef struct function {
	const char *name;
	const char *file;
	int is_inlined;
	instruction code[6];
} function;

static const function functions[] = {
	{"main ()", "demo.txt", 0, {{1, CALL, 1}, {2, CALL, 1}, {3, ALLOCATE, 24}, {4, END, 0}}},
	{"sum ()", "demo.txt", 0, {{10, TICK, 0}, {11, CALL, 2}, {12, REPEAT, 0}, {13, ALLOCATE, 100}, {14, END, 0}}},
	/* Its file is stated with each frame. */
	{"square ()", "demo.txt", 1, {{5, TICK, 0}, {6, END, 0}}},
};

#define KEY(number) (UINT64_C(0x1000) + 16 * (number))

/* The frames of the interpreter, the outermost first. */
static volatile struct {
	uint32_t function;
	uint32_t at;
} frames[MAX_DEPTH];
static volatile sig_atomic_t depth;

static mprof_recorder *recorder;
static mprof_thread *thread;
static uint32_t squares;

static void expect(mprof_status status, const char *what)
{
	if (status == MPROF_OK)
		return;
	fprintf(stderr, "make_lines: %s: %s\n", what, mprof_status_get_text(status));
	/* A library without the recorder. */
	exit(status == MPROF_ERR_UNSUPPORTED ? 77 : 1);
}

/* The call stack, the innermost frame first. Async-signal-safe. */
static size_t walk(mprof_frame *elements)
{
	size_t count = 0;

	for (int i = depth - 1; i >= 0; i--) {
		const function *called = &functions[frames[i].function];

		if (called->is_inlined)
			elements[count++] = mprof_frame_make_file(squares);
		elements[count++] = mprof_frame_make_line(called->code[frames[i].at].line, frames[i].at,
							  (uint32_t)called->is_inlined);
		elements[count++] = KEY(frames[i].function);
	}
	return count;
}

static void take_sample(int signal)
{
	mprof_frame elements[3 * MAX_DEPTH];

	(void)signal;
	mprof_recorder_record_sample(recorder, THREAD, elements, walk(elements));
}

static void execute(uint32_t number)
{
	const int copy = depth;
	int repeats = 1;

	frames[copy].function = number;
	frames[copy].at = 0;
	depth = copy + 1;
	for (;; frames[copy].at++) {
		const instruction *next = &functions[number].code[frames[copy].at];
		mprof_frame elements[3 * MAX_DEPTH];

		if (next->operation == END)
			break;
		if (next->operation == CALL)
			execute(next->operand);
		if (next->operation == TICK)
			raise(SIGPROF);
		if (next->operation == ALLOCATE)
			mprof_thread_record_allocation_detailed(thread, OBJECT, next->operand, 0, elements,
								walk(elements));
		if (next->operation == REPEAT && repeats++ < REPEATS)
			frames[copy].at = next->operand - 1;
	}
	depth = copy;
}

static void define(void)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = "Object";
	description.name_length = strlen(description.name);
	expect(mprof_recorder_define_class(recorder, OBJECT, &description), "class");
	for (uint32_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		description.name = functions[i].name;
		description.name_length = strlen(description.name);
		description.source_file = functions[i].file;
		description.source_file_length = strlen(description.source_file);
		description.source_line = functions[i].code[0].line;
		expect(mprof_recorder_define_method(recorder, KEY(i), &description), functions[i].name);
	}
	expect(mprof_recorder_define_text(recorder, "squares.txt", 11, &squares), "text");
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = take_sample};
	mprof_recorder_options options;

	if (argc != 2) {
		fputs("usage: make_lines FILE\n", stderr);
		return 2;
	}
	mprof_recorder_options_init(&options, sizeof(options));
	options.allocation_detail = MPROF_ALLOCATION_DETAIL_STACK;
	expect(mprof_recorder_open_path(argv[1], &options, &recorder, NULL), argv[1]);
	expect(mprof_recorder_attach(recorder, THREAD, &thread), "attach");
	define();
	sigaction(SIGPROF, &action, NULL);
	execute(0);
	mprof_thread_detach(thread);
	expect(mprof_recorder_close(recorder), "close");
	mprof_recorder_destroy(recorder);
	return 0;
}
