/* SPDX-License-Identifier: MIT */
/*
 * Writes logs for the tests of exports: make_calls KIND FILE. Counters are nanoseconds. Kinds:
 *   calls  calls, samples and allocations of two threads: recursion, overloads, generics, names with everything that
 *          can break a format, an unknown method, and frames that are open at the end
 *   large  calls whose times exceed 2^53
 *   lost   a few calls, and lost events
 *   deep   10,000 calls inside each other
 *   plain  calls, and allocations without call stacks in methods and outside, in two threads
 *   mixed  the same, and allocations with call stacks
 *   caller allocations of which only the method is known
 *   long   calls, samples and allocations in many blocks, which are not read at once
 *   stacks 600 calls inside each other, then three more in the outermost one, with an exception in the deepest one
 *   nested 4,000 call stacks of samples, each with one frame more than the one before
 *   ids    threads with IDs of the system, one that is used twice, one with 64 bits, and one without a name
 *   names  methods whose names a spreadsheet takes for formulas, or that are very long
 */
#include <mprof/writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START 1000
#define FIRST_THREAD 0x10
#define SECOND_THREAD 0x20

/* The first number that a double cannot represent, and somewhat more. */
#define LARGE_TIME ((UINT64_C(1) << 53) + 7)

enum { FIB = 1, ADD_INT, ADD_STRING, BAR_INTS, BAR_STRINGS, BAR_INT, GENERIC, GREEK, HOSTILE, ODD, EVEN, NAMED };
enum { STRING_CLASS = 5, ARRAY_CLASS = 6 };

static mprof_writer *writer;
static uint64_t now;

static void expect(mprof_status status, const char *what)
{
	if (status == MPROF_OK)
		return;
	fprintf(stderr, "make_calls: %s: %s\n", what, mprof_status_get_text(status));
	exit(1);
}

static void give_time(void *user, mprof_clock *clock)
{
	(void)user;
	clock->counter = START;
	clock->time = UINT64_C(1700000000000000);
}

static void define_class(uint32_t id, const char *name)
{
	mprof_class_definition definition = {
		.struct_size = sizeof(definition), .id = id, .name = name, .name_length = strlen(name)};

	expect(mprof_writer_define_class(writer, &definition), name);
}

static void define_method(uint32_t id, uint32_t class_id, const char *name)
{
	mprof_method_definition definition = {.struct_size = sizeof(definition),
					      .id = id,
					      .class_id = class_id,
					      .name = name,
					      .name_length = strlen(name)};

	expect(mprof_writer_define_method(writer, &definition), name);
}

static void define_names(void)
{
	define_class(1, "NS.List<int>");
	define_class(2, "NS.Foo");
	define_class(3, "NS.Map`2<K;V, NS.List<string>>");
	define_class(4, "\316\233\316\277\316\263.Gr\303\266\303\237e");
	define_class(STRING_CLASS, "System.String");
	define_class(ARRAY_CLASS, "NS.Pair<a;b, c>[]");
	define_method(FIB, 2, "Fib (int)");
	define_method(ADD_INT, 1, "Add (int)");
	define_method(ADD_STRING, 1, "Add (string)");
	define_method(BAR_INTS, 2, "Bar (int[])");
	define_method(BAR_STRINGS, 2, "Bar (string[])");
	define_method(BAR_INT, 2, "Bar (int)");
	define_method(GENERIC, 3, ".ctor (K;V, string)");
	define_method(GREEK, 4, "\316\221\316\262\316\263 (\346\226\207\345\255\227)");
	define_method(HOSTILE, 2, "\"'\\</script>&amp;]]>{}$(x)`x`%s\033[31m\n\t;'); -- (\\n)");
	define_method(ODD, 2, "Odd::Even (int)");
	define_method(EVEN, 2, "operator < (int)");
	define_method(NAMED, 2, "12 34 (5) 6");
}

static void add(uint32_t kind, uint32_t method)
{
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = (uint8_t)kind;
	event.id = method;
	event.counter = START + now;
	expect(mprof_writer_write_events(writer, &event, 1, NULL), "event");
}

static void enter(uint32_t method)
{
	now += 3;
	add(MPROF_EVENT_METHOD_ENTER, method);
}

static void leave(uint32_t method)
{
	now += 10 + method;
	add(MPROF_EVENT_METHOD_LEAVE, method);
}

static void call(uint32_t method)
{
	enter(method);
	leave(method);
}

static void allocate_at(uint32_t class_id, uint64_t size, uint32_t stack, uint32_t caller)
{
	mprof_event_detail detail = {.struct_size = sizeof(detail), .stack = stack, .caller = caller};
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = MPROF_EVENT_ALLOCATION;
	event.id = class_id;
	event.value = size;
	event.counter = START + ++now;
	event.more.detail = &detail;
	expect(mprof_writer_write_events(writer, &event, 1, NULL), "allocation");
}

static void allocate(uint32_t class_id, uint64_t size, uint32_t stack)
{
	allocate_at(class_id, size, stack, 0);
}

static void allocate_plain(uint32_t class_id, uint64_t size)
{
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = MPROF_EVENT_ALLOCATION;
	event.id = class_id;
	event.value = size;
	event.counter = START + ++now;
	expect(mprof_writer_write_events(writer, &event, 1, NULL), "allocation");
}

static void recurse(int depth)
{
	enter(FIB);
	if (depth > 0) {
		recurse(depth - 1);
		call(BAR_INT);
		recurse(depth - 2);
	}
	leave(FIB);
}

static void alternate(int depth)
{
	enter(ODD);
	enter(EVEN);
	if (depth > 0)
		alternate(depth - 1);
	leave(EVEN);
	leave(ODD);
}

/* Stacks 1 to 4: one method, two, a recursion, and an unknown method. */
static void define_stacks(void)
{
	const mprof_record stacks[] = {
		{.kind = MPROF_RECORD_STACK, .id = 1, .as.stack = {.target = GENERIC}},
		{.kind = MPROF_RECORD_STACK, .id = 2, .as.stack = {.caller = 1, .target = HOSTILE}},
		{.kind = MPROF_RECORD_STACK, .id = 3, .as.stack = {.caller = 2, .target = GENERIC}},
		{.kind = MPROF_RECORD_STACK, .id = 4, .as.stack = {.caller = 2, .target = 0}},
	};

	expect(mprof_writer_write_records(writer, MPROF_BLOCK_STACKS, 0, stacks, sizeof(*stacks), 4), "stacks");
}

static void write_samples(void)
{
	mprof_event samples[12];

	memset(samples, 0, sizeof(samples));
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		samples[i].kind = MPROF_EVENT_SAMPLE;
		samples[i].value = i % 5 % 4 + 1;
		samples[i].counter = START + 10 * i;
	}
	expect(mprof_writer_write_samples(writer, FIRST_THREAD, START, samples, 12), "samples");
}

static void begin_thread(uint64_t thread)
{
	now = 0;
	expect(mprof_writer_begin_events(writer, thread, START), "block");
}

static void end_thread(void)
{
	expect(mprof_writer_end_events(writer), "end of block");
}

static void write_calls(void)
{
	define_names();
	define_stacks();
	begin_thread(FIRST_THREAD);
	enter(GREEK);
	for (uint32_t method = ADD_INT; method <= NAMED; method++)
		call(method);
	recurse(4);
	alternate(3);
	for (uint32_t i = 0; i < 9; i++)
		allocate(i % 2 != 0 ? STRING_CLASS : ARRAY_CLASS, 16 + 8 * i, i % 4 + 1);
	leave(GREEK);
	end_thread();
	begin_thread(SECOND_THREAD);
	enter(HOSTILE);
	call(ADD_STRING);
	enter(FIB);
	enter(BAR_STRINGS);
	call(ADD_INT);
	end_thread();
	write_samples();
}

static void write_large(void)
{
	define_names();
	begin_thread(FIRST_THREAD);
	enter(GREEK);
	call(ADD_INT);
	now += LARGE_TIME;
	call(ADD_STRING);
	leave(GREEK);
	end_thread();
}

static void write_lost(void)
{
	const uint64_t lost[] = {0, 7};

	define_names();
	begin_thread(FIRST_THREAD);
	call(ADD_INT);
	end_thread();
	expect(mprof_writer_write_losses(writer, FIRST_THREAD, lost, 2), "losses");
}

static void write_deep(void)
{
	define_names();
	begin_thread(FIRST_THREAD);
	for (int i = 0; i < 5000; i++) {
		enter(FIB);
		enter(BAR_INT);
	}
	allocate_plain(STRING_CLASS, 24);
	for (int i = 0; i < 5000; i++) {
		leave(BAR_INT);
		leave(FIB);
	}
	end_thread();
}

static void write_plain_calls(void)
{
	allocate_plain(STRING_CLASS, 16);
	enter(GREEK);
	allocate_plain(STRING_CLASS, 24);
	for (uint32_t method = ADD_INT; method <= NAMED; method++) {
		enter(method);
		allocate_plain(method % 2 != 0 ? STRING_CLASS : ARRAY_CLASS, 8 * (uint64_t)method);
		allocate_plain(STRING_CLASS, 40);
		leave(method);
	}
	enter(FIB);
	enter(BAR_INT);
	allocate_plain(ARRAY_CLASS, 56);
	enter(FIB);
	allocate_plain(ARRAY_CLASS, 72);
	leave(FIB);
	leave(BAR_INT);
	leave(FIB);
	leave(GREEK);
	allocate_plain(ARRAY_CLASS, 88);
}

static void write_plain(void)
{
	define_names();
	begin_thread(FIRST_THREAD);
	write_plain_calls();
	end_thread();
	begin_thread(SECOND_THREAD);
	write_plain_calls();
	end_thread();
}

static void write_mixed(void)
{
	define_names();
	define_stacks();
	begin_thread(FIRST_THREAD);
	write_plain_calls();
	enter(GREEK);
	for (uint32_t i = 0; i < 8; i++)
		allocate(i % 2 != 0 ? STRING_CLASS : ARRAY_CLASS, 16 + 8 * i, i % 5);
	leave(GREEK);
	end_thread();
}

static void write_caller(void)
{
	define_names();
	begin_thread(FIRST_THREAD);
	allocate_at(STRING_CLASS, 16, 0, FIB);
	allocate_at(ARRAY_CLASS, 24, 0, FIB);
	allocate_at(STRING_CLASS, 32, 0, BAR_INT);
	allocate_at(STRING_CLASS, 40, 0, 0);
	end_thread();
}

static void write_long(void)
{
	define_names();
	define_stacks();
	for (int block = 0; block < 40; block++) {
		mprof_event samples[12];

		expect(mprof_writer_begin_events(writer, block % 2 != 0 ? FIRST_THREAD : SECOND_THREAD, START + now),
		       "block");
		for (uint32_t i = 0; i < 600; i++) {
			enter(GREEK);
			call(ADD_INT + (i * i + (uint32_t)block) % (NAMED - ADD_INT));
			leave(GREEK);
			if (i % 50 == 0)
				allocate(i % 100 != 0 ? STRING_CLASS : ARRAY_CLASS, 16 + 8 * i, i % 4 + 1);
		}
		end_thread();
		memset(samples, 0, sizeof(samples));
		for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
			samples[i].kind = MPROF_EVENT_SAMPLE;
			samples[i].value = i % 5 % 4 + 1;
			samples[i].counter = START + now + i;
		}
		expect(mprof_writer_write_samples(writer, FIRST_THREAD, START + now, samples, 12), "samples");
	}
}

static void write_stacks(void)
{
	define_names();
	begin_thread(FIRST_THREAD);
	enter(GREEK);
	for (int i = 0; i < 600; i++)
		enter(FIB);
	add(MPROF_EVENT_EXCEPTION, STRING_CLASS);
	call(ADD_INT);
	for (int i = 0; i < 600; i++)
		leave(FIB);
	for (int i = 0; i < 3; i++)
		call(ADD_STRING);
	leave(GREEK);
	end_thread();
}

#define NESTED_STACKS 4000

static void write_nested(void)
{
	mprof_record stack = {.kind = MPROF_RECORD_STACK};
	mprof_event sample;

	define_names();
	for (uint32_t id = 1; id <= NESTED_STACKS; id++) {
		stack.id = id;
		stack.as.stack.caller = id - 1;
		stack.as.stack.target = id % 2 != 0 ? FIB : BAR_STRINGS;
		expect(mprof_writer_write_records(writer, MPROF_BLOCK_STACKS, 0, &stack, sizeof(stack), 1), "stack");
	}
	memset(&sample, 0, sizeof(sample));
	sample.kind = MPROF_EVENT_SAMPLE;
	for (uint32_t id = 1; id <= NESTED_STACKS; id++) {
		sample.value = id;
		sample.counter = START + id;
		expect(mprof_writer_write_samples(writer, FIRST_THREAD, START + id, &sample, 1), "sample");
	}
}

static void name_thread(uint64_t thread, const char *name)
{
	expect(mprof_writer_write_thread_name(writer, thread, name, strlen(name)), name);
}

static void write_ids(void)
{
	static const uint64_t threads[] = {4681, 4690, 4690, UINT64_C(0x7f1234567000), 4700};
	const mprof_property properties[] = {{"pid", "4681"}, {"program", "bin/program"}, {"arguments", "--all x"}};

	expect(mprof_writer_write_session(writer, properties, sizeof(*properties), 3), "properties");
	define_names();
	name_thread(4681, "Main");
	name_thread(4690, "Worker");
	name_thread(UINT64_C(0x7f1234567000), "Old");
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
		/* The clock of the second one goes back, so it is another thread. */
		begin_thread(threads[i]);
		call(ADD_INT + (uint32_t)i);
		end_thread();
	}
}

#define LONG_NAME 100000

static void write_names(void)
{
	static const char *const names[] = {"=1+2", "+3-cmd|' /C calc'!A0", "-4+x", "@SUM(A1)", "-5", "plain", ""};
	static char long_name[LONG_NAME + 1];

	memset(long_name, 'n', LONG_NAME);
	define_method(1, 0, long_name);
	for (uint32_t i = 0; i < 7; i++)
		define_method(2 + i, 0, names[i]);
	begin_thread(FIRST_THREAD);
	enter(1);
	for (uint32_t i = 0; i < 7; i++)
		call(2 + i);
	leave(1);
	end_thread();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*write)(void);
	} kinds[] = {{"calls", write_calls}, {"large", write_large},   {"lost", write_lost},
		     {"deep", write_deep},   {"plain", write_plain},   {"mixed", write_mixed},
		     {"long", write_long},   {"ids", write_ids},       {"stacks", write_stacks},
		     {"names", write_names}, {"nested", write_nested}, {"caller", write_caller}};
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.clock = give_time;
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID);
	if (argc > 1 && strcmp(argv[1], "caller") == 0)
		options.directives.bits[0] |= MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER);
	for (size_t i = 0; argc == 3 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, argv[1]) != 0)
			continue;
		expect(mprof_writer_open_path(argv[2], &options, &writer), argv[2]);
		kinds[i].write();
		expect(mprof_writer_close(writer), "close");
		expect(mprof_writer_destroy(writer), "destroy");
		return 0;
	}
	fputs("usage: make_calls KIND FILE\n", stderr);
	return 2;
}
