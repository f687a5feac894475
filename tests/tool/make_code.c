/* SPDX-License-Identifier: MIT */
/*
 * Writes a log with samples and native memory of one module, for the tests of source lines: make_code LOG FILE BUILD_ID
 * [COUNT@]STACK... A stack is a list of frames, the innermost first, separated by commas; a frame is a hexadecimal
 * offset in the module, which may be followed by a colon and the name of its function. Each stack has COUNT samples,
 * one if not given, and allocates 100 bytes once.
 */
#include <mprof/writer.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START 1000
#define THREAD 0x10
#define MAX_FRAMES 16
#define MAX_FUNCTIONS 1000

static mprof_writer *writer;
static uint32_t location_count;
static uint32_t function_count;
static uint32_t stack_count;
static uint64_t sample_count;

static void expect(mprof_status status, const char *what)
{
	if (status == MPROF_OK)
		return;
	fprintf(stderr, "make_code: %s: %s\n", what, mprof_status_get_text(status));
	exit(1);
}

static void tell_time(void *user, mprof_clock *clock)
{
	(void)user;
	clock->counter = START;
	clock->time = UINT64_C(1700000000000000);
}

static void write_records(mprof_block_kind kind, const mprof_record *records, size_t count)
{
	expect(mprof_writer_write_records(writer, kind, 0, records, sizeof(*records), count), "records");
}

static void begin(const char *log, const char *file, const char *build_id)
{
	const mprof_record module = {
		.kind = MPROF_RECORD_MODULE,
		.id = 1,
		.as.module = {.address = 0x10000, .size = UINT64_C(1) << 40, .file = file, .build_id = build_id}};
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.clock = tell_time;
	options.counters_per_second = 1e9;
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MEMORY_EVENTS);
	expect(mprof_writer_open_path(log, &options, &writer), log);
	write_records(MPROF_BLOCK_CODE, &module, 1);
}

/* The ID of a function, by its name. */
static uint32_t find_function(const char *name, int *is_new)
{
	static const char *names[MAX_FUNCTIONS];
	uint32_t id = 1;

	while (id <= function_count && strcmp(names[id - 1], name) != 0)
		id++;
	*is_new = id > function_count;
	if (*is_new && function_count == MAX_FUNCTIONS) {
		fputs("make_code: too many functions\n", stderr);
		exit(1);
	}
	if (*is_new)
		names[function_count++] = name;
	return id;
}

/* Defines the location of a frame, and its function if it has a name. */
static void define_location(char *frame)
{
	mprof_record records[2];
	size_t count = 0;
	char *name;
	uint64_t offset = strtoull(frame, &name, 16);
	uint32_t function = 0;
	int is_new = 0;

	if (*name == ':')
		function = find_function(name + 1, &is_new);
	if (is_new) {
		records[count++] =
			(mprof_record){.kind = MPROF_RECORD_FUNCTION,
				       .id = function,
				       .as.function = {.module = 1, .offset = offset, .size = 1, .name = name + 1}};
	}
	records[count++] = (mprof_record){.kind = MPROF_RECORD_LOCATION,
					  .id = ++location_count,
					  .as.location = {.module = 1, .function = function, .offset = offset}};
	write_records(MPROF_BLOCK_CODE, records, count);
}

/* Defines a stack, whose outermost frame is the last one. Returns the ID of the stack. */
static uint32_t define_stack(char *text)
{
	char *frames[MAX_FRAMES];
	size_t count = 0;
	uint32_t caller = 0;

	for (char *frame = strtok(text, ","); frame != NULL && count < MAX_FRAMES; frame = strtok(NULL, ","))
		frames[count++] = frame;
	while (count > 0) {
		mprof_record stack = {.kind = MPROF_RECORD_STACK, .id = ++stack_count};

		define_location(frames[--count]);
		stack.as.stack.caller = caller;
		stack.as.stack.target = location_count;
		stack.as.stack.is_native = 1;
		write_records(MPROF_BLOCK_STACKS, &stack, 1);
		caller = stack_count;
	}
	return caller;
}

static void write_samples(uint32_t stack, uint64_t count)
{
	for (; count > 0; count--) {
		const mprof_event sample = {
			.kind = MPROF_EVENT_SAMPLE, .value = stack, .counter = START + ++sample_count};

		expect(mprof_writer_write_samples(writer, THREAD, START, &sample, 1), "samples");
	}
}

static void allocate(uint32_t stack)
{
	const mprof_event_detail detail = {.struct_size = sizeof(detail), .size = 100, .stack = stack};
	const mprof_event event = {.kind = MPROF_EVENT_MEMORY_ALLOCATED,
				   .counter = START,
				   .value = UINT64_C(0x1000) * stack,
				   .more.detail = &detail};

	expect(mprof_writer_begin_events(writer, THREAD, START), "block");
	expect(mprof_writer_write_events(writer, &event, 1, NULL), "allocation");
	expect(mprof_writer_end_events(writer), "end of block");
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fputs("usage: make_code LOG FILE BUILD_ID [COUNT@]STACK...\n", stderr);
		return 2;
	}
	begin(argv[1], argv[2], argv[3]);
	for (int i = 4; i < argc; i++) {
		char *at = strchr(argv[i], '@');
		uint64_t count = at != NULL ? strtoull(argv[i], NULL, 10) : 1;
		uint32_t stack = define_stack(at != NULL ? at + 1 : argv[i]);

		write_samples(stack, count);
		allocate(stack);
	}
	expect(mprof_writer_close(writer), "close");
	expect(mprof_writer_destroy(writer), "destroy");
	return 0;
}
