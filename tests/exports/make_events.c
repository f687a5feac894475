/* SPDX-License-Identifier: MIT */
/*
 * Writes a log of calls, or of native memory, from a description on standard input: make_events [--index] FILE.
 * Counters are nanoseconds. Each word is a second later than the one before, and WORD*COUNT stands for COUNT equal ones.
 * Words:
 *   @N   the following events are those of thread N, in a block of their own
 *   +N   enters method N
 *   -    leaves the method on top
 *   -N   leaves method N
 *   <N   thread N starts
 *   >N   thread N ends
 *   ~N   switches to stack N; 0: the thread's own one
 *   !N   stack N ends
 *   %    recording resumes after a pause of half a second
 *   (    a heap snapshot begins, between two blocks of events
 *   )    it ends
 *   =N   the next word is at second N; within a thread, seconds do not go back
 *   aA:S allocates a block of S bytes at address A
 *   fA   frees the block at address A
 *   rA:B:S:N  resizes the block at address A to S bytes at address B, since second N
 */
#include <mprof/writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START 1000
#define STEP UINT64_C(1000000000)
#define METHODS 999

static mprof_writer *writer;
static uint64_t now = START;
static uint64_t thread;
static int is_open;

static void expect(mprof_status status, const char *what)
{
	if (status == MPROF_OK)
		return;
	fprintf(stderr, "make_events: %s: %s\n", what, mprof_status_get_text(status));
	exit(1);
}

static void tell_time(void *user, mprof_clock *clock)
{
	(void)user;
	clock->counter = now;
	clock->time = UINT64_C(1700000000000000) + (now - START) / 1000;
}

static void define_names(void)
{
	static const char name[] = "NS.Class";
	mprof_class_definition class_definition = {
		.struct_size = sizeof(class_definition), .id = 1, .name = name, .name_length = strlen(name)};

	expect(mprof_writer_define_class(writer, &class_definition), name);
	for (uint32_t id = 1; id <= METHODS; id++) {
		char text[16];
		mprof_method_definition definition = {
			.struct_size = sizeof(definition), .id = id, .class_id = 1, .name = text};

		definition.name_length = (size_t)snprintf(text, sizeof(text), "M%u ()", id);
		expect(mprof_writer_define_method(writer, &definition), text);
	}
}

static void end_block(void)
{
	if (is_open)
		expect(mprof_writer_end_events(writer), "end of block");
	is_open = 0;
}

static void add_event(const mprof_event *event)
{
	if (!is_open)
		expect(mprof_writer_begin_events(writer, thread, now), "block");
	is_open = 1;
	expect(mprof_writer_write_events(writer, event, 1, NULL), "event");
}

static void add(mprof_event_kind kind, uint32_t method, uint64_t value)
{
	const mprof_event event = {.kind = (uint8_t)kind, .id = method, .value = value, .counter = now};

	add_event(&event);
}

static void add_memory(mprof_event_kind kind, const char *text)
{
	char *rest;
	mprof_event_detail detail = {.struct_size = sizeof(detail)};
	mprof_event event = {.kind = (uint8_t)kind, .counter = now, .more.detail = &detail};

	event.value = strtoull(text, &rest, 10);
	if (kind == MPROF_EVENT_MEMORY_RESIZED) {
		detail.object = event.value;
		event.value = strtoull(rest + 1, &rest, 10);
	}
	if (kind != MPROF_EVENT_MEMORY_FREED)
		detail.size = strtoull(rest + 1, &rest, 10);
	if (kind == MPROF_EVENT_MEMORY_RESIZED)
		detail.started = START + strtoull(rest + 1, NULL, 10) * STEP;
	add_event(&event);
}

static void write_heap(uint32_t flag)
{
	static uint32_t shot;

	end_block();
	shot += flag == MPROF_HEAP_FLAG_FIRST;
	expect(mprof_writer_write_heap(writer, shot, flag, now, NULL, 0), "heap");
}

static void write_word(const char *word)
{
	const uint64_t number = strtoull(word + 1, NULL, 10);

	now += STEP;
	switch (word[0]) {
	case '@':
		end_block();
		thread = number;
		break;
	case '+':
		add(MPROF_EVENT_METHOD_ENTER, (uint32_t)number, 0);
		break;
	case '-':
		add(number != 0 ? MPROF_EVENT_METHOD_LEAVE : MPROF_EVENT_METHOD_LEAVE_IMPLICIT, (uint32_t)number, 0);
		break;
	case '<':
		add(MPROF_EVENT_THREAD_START, 0, number);
		break;
	case '>':
		add(MPROF_EVENT_THREAD_END, 0, number);
		break;
	case '~':
		add(MPROF_EVENT_STACK_SWITCH, 0, number);
		break;
	case '!':
		add(MPROF_EVENT_STACK_END, 0, number);
		break;
	case '%':
		add(MPROF_EVENT_RECORDING_RESUMED, 0, STEP / 2);
		break;
	case '(':
		write_heap(MPROF_HEAP_FLAG_FIRST);
		break;
	case ')':
		write_heap(MPROF_HEAP_FLAG_LAST);
		break;
	case '=':
		/* The next word adds a step. */
		now = START + (number - 1) * STEP;
		break;
	case 'a':
		add_memory(MPROF_EVENT_MEMORY_ALLOCATED, word + 1);
		break;
	case 'f':
		add_memory(MPROF_EVENT_MEMORY_FREED, word + 1);
		break;
	case 'r':
		add_memory(MPROF_EVENT_MEMORY_RESIZED, word + 1);
		break;
	default:
		break;
	}
}

static void write_words(const char *word)
{
	const char *star = strchr(word, '*');
	const unsigned long count = star != NULL ? strtoul(star + 1, NULL, 10) : 1;

	for (unsigned long i = 0; i < count; i++)
		write_word(word);
}

int main(int argc, char **argv)
{
	const int has_index = argc > 1 && strcmp(argv[1], "--index") == 0;
	mprof_writer_options options;
	char word[32];

	argc -= has_index;
	argv += has_index;
	if (argc != 2) {
		fputs("usage: make_events [--index] FILE <WORDS\n", stderr);
		return 2;
	}
	mprof_writer_options_init(&options, sizeof(options));
	options.has_index = (uint32_t)has_index;
	options.clock = tell_time;
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_STACK_SWITCHES) |
				     MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MEMORY_EVENTS);
	expect(mprof_writer_open_path(argv[1], &options, &writer), argv[1]);
	define_names();
	while (scanf("%31s", word) == 1)
		write_words(word);
	end_block();
	expect(mprof_writer_close(writer), "close");
	expect(mprof_writer_destroy(writer), "destroy");
	return 0;
}
