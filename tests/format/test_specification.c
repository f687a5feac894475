/* SPDX-License-Identifier: MIT */
/* The examples of doc/format.md, sections 2.1 and 6: what they say is what the library reads and writes. */
#include <mprof/parser.h>
#include <mprof/writer.h>

#include <criterion/criterion.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_EXAMPLES 8

typedef struct example {
	uint8_t bytes[4096];
	size_t length;
	char text[8192];
} example;

typedef struct rendering {
	char text[8192];
	size_t length;
} rendering;

static example examples[MOST_EXAMPLES];
static size_t example_count;

static char *read_specification(void)
{
	const char *directory = getenv("srcdir");
	char path[4096];
	char *text;
	FILE *file;
	long length;

	snprintf(path, sizeof(path), "%s/doc/format.md", directory != NULL ? directory : ".");
	file = fopen(path, "rb");
	cr_assert_not_null(file, "cannot open %s", path);
	cr_assert_eq(fseek(file, 0, SEEK_END), 0);
	length = ftell(file);
	rewind(file);
	text = malloc((size_t)length + 1);
	cr_assert_eq(fread(text, 1, (size_t)length, file), (size_t)length);
	text[length] = 0;
	fclose(file);
	return text;
}

/* Takes the hexadecimal bytes in front of an end; returns how many there are. */
static size_t parse_hex(const char *text, const char *end, uint8_t *bytes, size_t room)
{
	size_t count = 0;

	while (text < end) {
		char *next;
		unsigned long byte;

		if (*text == ' ') {
			text++;
			continue;
		}
		byte = strtoul(text, &next, 16);
		cr_assert_eq(next - text, 2, "not a byte: %.20s", text);
		cr_assert_lt(count, room);
		bytes[count++] = (uint8_t)byte;
		text = next;
	}
	return count;
}

/* The fenced block of a language at or behind a place, without its fences. NULL if there is none. */
static const char *find_fenced(const char *text, const char *opening, const char **end)
{
	const char *start = strstr(text, opening);

	if (start == NULL)
		return NULL;
	start += strlen(opening);
	*end = strstr(start, "```\n");
	cr_assert_not_null(*end);
	return start;
}

static void take_hex_lines(example *taken, const char *line, const char *end)
{
	while (line < end) {
		const char *line_end = strchr(line, '\n');
		const char *bar = memchr(line, '|', (size_t)(line_end - line));

		cr_assert_not_null(bar, "no | in %.40s", line);
		taken->length +=
			parse_hex(line, bar, taken->bytes + taken->length, sizeof(taken->bytes) - taken->length);
		line = line_end + 1;
	}
}

static void load_examples(void)
{
	char *specification = read_specification();
	const char *start = specification;
	const char *end;

	while ((start = find_fenced(start, "```hex\n", &end)) != NULL) {
		example *taken = &examples[example_count++];

		cr_assert_leq(example_count, MOST_EXAMPLES);
		take_hex_lines(taken, start, end);
		start = find_fenced(end, "```text\n", &end);
		cr_assert_not_null(start);
		cr_assert_lt(end - start, (ptrdiff_t)sizeof(taken->text));
		memcpy(taken->text, start, (size_t)(end - start));
		start = end;
	}
	cr_assert_eq(example_count, 3);
	free(specification);
}

static void render(rendering *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void render(rendering *out, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	out->length += (size_t)vsnprintf(out->text + out->length, sizeof(out->text) - out->length, format, arguments);
	va_end(arguments);
	cr_assert_lt(out->length, sizeof(out->text));
}

typedef unsigned long long number;

static void render_clock(rendering *out, const char *name, const mprof_clock *clock)
{
	render(out, " %s=%llu/%llu", name, (number)clock->counter, (number)clock->time);
}

static void render_clocks(rendering *out, const mprof_block *block)
{
	render_clock(out, "start", &block->start);
	render_clock(out, "end", &block->end);
}

static void render_element(rendering *out, const mprof_block *block)
{
	const mprof_assembly_name *assembly = &block->assembly;

	render(out, " kind=%u start=%llu end=%llu thread=%llu id=%u name=\"%s\"\n", block->flags,
	       (number)block->base_counter, (number)block->end_counter, (number)block->thread, block->id, block->name);
	if (!block->has_assembly)
		return;
	render(out, "  assembly=\"%s\" version=%u.%u.%u.%u culture=\"%s\" token=\"%s\" retargetable=%u\n",
	       assembly->base_name, assembly->major, assembly->minor, assembly->build, assembly->revision,
	       assembly->culture, assembly->public_key_token, assembly->retargetable);
}

static void render_directives(rendering *out, const mprof_block *block)
{
	const char *separator = "";

	render_clocks(out, block);
	render(out, " in-force=");
	for (uint32_t directive = 0; directive < 64; directive++) {
		/* Whether those that are not known are told is not the point here. */
		if (directive > MPROF_DIRECTIVE_EXTENDED_EVENTS || (block->directives >> directive & 1) == 0)
			continue;
		render(out, "%s%u", separator, directive);
		separator = ",";
	}
	render(out, "\n");
}

static void render_lost(rendering *out, const mprof_block *block)
{
	render_clocks(out, block);
	render(out, " thread=%llu", (number)block->thread);
	for (uint32_t cause = 0; cause < MPROF_LOSS_CAUSE_COUNT; cause++) {
		if (block->lost[cause] != 0)
			render(out, " %s=%llu", mprof_loss_cause_name((mprof_loss_cause)cause),
			       (number)block->lost[cause]);
	}
	render(out, "\n");
}

static void render_event(rendering *out, const mprof_event *event, uint64_t directives)
{
	render(out, "  %s", mprof_event_kind_name((mprof_event_kind)event->kind));
	if (event->kind == MPROF_EVENT_UNKNOWN)
		render(out, " code=%02x", event->code);
	if (event->kind != MPROF_EVENT_SAMPLE)
		render(out, " counter=%llu", (number)event->counter);
	if (event->id != 0)
		render(out, " id=%u", event->id);
	if (event->kind == MPROF_EVENT_ALLOCATION ||
	    (event->id == 0 && event->kind != MPROF_EVENT_METHOD_LEAVE_IMPLICIT))
		render(out, " value=%llu", (number)event->value);
	if (event->flags & MPROF_EVENT_FAILED)
		render(out, " failed");
	if (event->flags & MPROF_EVENT_NATIVE)
		render(out, " native");
	if (event->kind == MPROF_EVENT_ALLOCATION && directives != 0) {
		cr_assert_not_null(event->more.detail);
		render(out, " caller=%u object=%llx", event->more.detail->caller, (number)event->more.detail->object);
	}
	render(out, "\n");
}

static void render_events(rendering *out, mprof_parser *parser, uint64_t directives)
{
	mprof_event events[3];
	mprof_status status;
	size_t count;

	while ((status = mprof_parser_next_events(parser, events, 3, &count)) == MPROF_OK) {
		for (size_t i = 0; i < count; i++)
			render_event(out, &events[i], directives);
	}
	cr_assert_eq(status, MPROF_END);
}

static void render_mappings(rendering *out, mprof_parser *parser)
{
	mprof_mapping mapping;
	mprof_status status;
	size_t count;

	while ((status = mprof_parser_next_mappings(parser, &mapping, 1, &count)) == MPROF_OK) {
		if (mapping.is_method)
			render(out, "  method id=%u class=%u flags=%u name=\"%s\"\n", mapping.id, mapping.class_id,
			       mapping.flags, mapping.name);
		else
			render(out, "  class id=%u assembly=%u name=\"%s\"\n", mapping.id, mapping.assembly_id,
			       mapping.name);
	}
	cr_assert_eq(status, MPROF_END);
}

static void render_properties(rendering *out, mprof_parser *parser)
{
	const char *key;
	const char *value;
	mprof_status status;

	while ((status = mprof_parser_next_property(parser, &key, &value)) == MPROF_OK)
		render(out, "  \"%s\"=\"%s\"\n", key, value);
	cr_assert_eq(status, MPROF_END);
}

static void render_block(rendering *out, mprof_parser *parser, const mprof_block *block, uint64_t *directives)
{
	render(out, "%s", mprof_block_kind_name((mprof_block_kind)block->kind));
	switch (block->kind) {
	case MPROF_BLOCK_INTRO:
		render(out, " version=%u runtime=\"%s\" flags=%u", block->version, block->name, block->flags);
		render_clock(out, "clock", &block->start);
		render(out, "\n");
		break;
	case MPROF_BLOCK_END:
		render(out, " version=%u", block->version);
		render_clock(out, "clock", &block->start);
		render(out, "\n");
		break;
	case MPROF_BLOCK_LOADED:
	case MPROF_BLOCK_UNLOADED:
		render_element(out, block);
		break;
	case MPROF_BLOCK_MAPPING:
		render_clocks(out, block);
		render(out, "\n");
		render_mappings(out, parser);
		break;
	case MPROF_BLOCK_EVENTS:
		render(out, " thread=%llu base=%llu", (number)block->thread, (number)block->base_counter);
		render_clocks(out, block);
		render(out, "\n");
		render_events(out, parser, *directives);
		break;
	case MPROF_BLOCK_STATISTICAL:
		render(out, " start=%llu end=%llu\n", (number)block->base_counter, (number)block->end_counter);
		render_events(out, parser, *directives);
		break;
	case MPROF_BLOCK_DIRECTIVES:
		*directives = block->directives & (MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) |
						   MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT));
		render_directives(out, block);
		break;
	case MPROF_BLOCK_SESSION:
		render_clock(out, "clock", &block->start);
		render(out, "\n");
		render_properties(out, parser);
		break;
	case MPROF_BLOCK_THREAD:
		render_clock(out, "clock", &block->start);
		render(out, " thread=%llu name=\"%s\"\n", (number)block->thread, block->name);
		break;
	case MPROF_BLOCK_LOST:
		render_lost(out, block);
		break;
	default:
		render(out, " code=%u\n", block->code);
		break;
	}
}

/* Reads a log that is fed in pieces of a given length. */
static void render_log(const example *given, size_t piece, rendering *out)
{
	uint64_t directives = 0;
	size_t fed = 0;
	mprof_parser *parser;
	mprof_block block;
	mprof_status status;

	out->length = 0;
	mprof_block_init(&block);
	cr_assert_eq(mprof_parser_create(NULL, &parser), MPROF_OK);
	while ((status = mprof_parser_next_block(parser, &block)) != MPROF_END) {
		size_t length = given->length - fed < piece ? given->length - fed : piece;

		if (status == MPROF_OK) {
			render_block(out, parser, &block, &directives);
		} else if (status == MPROF_ERR_UNSUPPORTED) {
			render(out, "%s unreadable\n", mprof_block_kind_name((mprof_block_kind)block.kind));
		} else {
			cr_assert_eq(status, MPROF_AGAIN, "%s", mprof_status_text(status));
			cr_assert_gt(length, 0);
			cr_assert_eq(mprof_parser_feed(parser, given->bytes + fed, length), MPROF_OK);
			fed += length;
		}
		if (fed == given->length)
			mprof_parser_finish(parser);
	}
	cr_assert_eq(fed, given->length);
	cr_assert_eq(mprof_parser_valid_bytes(parser), given->length);
	mprof_parser_destroy(parser);
}

static void expect_text(const char *expected, const char *actual)
{
	while (*expected != 0 || *actual != 0) {
		size_t expected_length = strcspn(expected, "\n");
		size_t actual_length = strcspn(actual, "\n");

		cr_assert(expected_length == actual_length && strncmp(expected, actual, actual_length) == 0,
			  "the page says\n%.*s\nthe log says\n%.*s", (int)expected_length, expected, (int)actual_length,
			  actual);
		expected += expected_length + (expected[expected_length] == '\n');
		actual += actual_length + (actual[actual_length] == '\n');
	}
}

Test(specification, examples_are_read, .init = load_examples, .timeout = 60)
{
	static rendering out;

	for (size_t i = 0; i < example_count; i++) {
		render_log(&examples[i], sizeof(examples[i].bytes), &out);
		expect_text(examples[i].text, out.text);
		for (size_t piece = 1; piece < 20; piece++) {
			render_log(&examples[i], piece, &out);
			expect_text(examples[i].text, out.text);
		}
	}
}

/* The clock of the examples: one microsecond later each time. */
static void read_example_clock(void *user, mprof_clock *clock)
{
	uint64_t *readings = user;

	++*readings;
	clock->counter = 1000 * *readings;
	clock->time = UINT64_C(1195689600000000) + *readings;
}

static mprof_event make_event(uint32_t kind, uint32_t id, uint64_t value, uint64_t counter)
{
	mprof_event event;

	memset(&event, 0, sizeof(event));
	event.kind = (uint8_t)kind;
	event.id = id;
	event.value = value;
	event.counter = counter;
	return event;
}

static void write_class(mprof_writer *writer, uint32_t id, uint32_t assembly_id, const char *name)
{
	mprof_class_definition definition = {id, assembly_id, name, strlen(name)};

	cr_assert_eq(mprof_writer_define_class(writer, &definition), MPROF_OK);
}

static void write_method(mprof_writer *writer, uint32_t id, uint32_t class_id, uint32_t flags, const char *name)
{
	mprof_method_definition definition = {id, class_id, flags, 0, name, strlen(name)};

	cr_assert_eq(mprof_writer_define_method(writer, &definition), MPROF_OK);
}

static void write_events(mprof_writer *writer, uint64_t thread, uint64_t base, const mprof_event *events, size_t count)
{
	cr_assert_eq(mprof_writer_begin_events(writer, thread, base), MPROF_OK);
	cr_assert_eq(mprof_writer_events(writer, events, count, NULL), MPROF_OK);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
}

static void write_example_of_mail(mprof_writer *writer)
{
	mprof_element element = {MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_SUCCESS, 0, 1100, 1200, 1, "Demo.exe", 8, NULL};
	uint32_t methods[] = {1, 300, 1};
	uint32_t functions[] = {7};
	mprof_event events[] = {
		make_event(MPROF_EVENT_THREAD_START, 0, 1, 1500),
		make_event(MPROF_EVENT_CLASS_LOAD_START, 1, 0, 1510),
		make_event(MPROF_EVENT_CLASS_LOAD_END, 1, 0, 1530),
		make_event(MPROF_EVENT_METHOD_JIT_START, 1, 0, 1540),
		make_event(MPROF_EVENT_METHOD_JIT_END, 1, 0, 1700),
		make_event(MPROF_EVENT_METHOD_ENTER, 1, 0, 1701),
		make_event(MPROF_EVENT_ALLOCATION, 40, 24, 0),
		make_event(MPROF_EVENT_METHOD_ENTER, 300, 0, 1850),
		make_event(MPROF_EVENT_METHOD_JIT_END, 300, 0, 1849),
		make_event(MPROF_EVENT_METHOD_LEAVE, 300, 0, 1900),
		make_event(MPROF_EVENT_EXCEPTION, 40, 0, 1910),
		make_event(MPROF_EVENT_GC_START, 0, 0, 1920),
		make_event(MPROF_EVENT_GC_RESIZE, 0, 1 << 20, 1930),
		make_event(MPROF_EVENT_GC_END, 0, 0, 1940),
		make_event(MPROF_EVENT_METHOD_LEAVE, 1, 0, 1950),
	};

	events[8].flags = MPROF_EVENT_FAILED;
	cr_assert_eq(mprof_writer_loaded(writer, &element), MPROF_OK);
	write_class(writer, 1, 0, "Demo.Main");
	write_class(writer, 40, 0, "String");
	write_method(writer, 1, 1, 0, "Run ()");
	write_method(writer, 300, 1, 0, "Sort (int[])");
	write_events(writer, 1, 1500, events, sizeof(events) / sizeof(events[0]));
	cr_assert_eq(mprof_writer_statistical(writer, 1500, methods, 3, functions, 1, 2500), MPROF_OK);
	element.start_counter = 2600;
	element.end_counter = 2700;
	cr_assert_eq(mprof_writer_unloaded(writer, &element), MPROF_OK);
}

static void write_events_of_mprof2(mprof_writer *writer)
{
	mprof_event_detail detail = {UINT64_C(0x7f0012345740), 33, 0};
	mprof_event thread_end = make_event(MPROF_EVENT_THREAD_END, 0, 77, 1);
	mprof_event events[] = {
		make_event(MPROF_EVENT_METHOD_ENTER, 1, 0, 5010),
		make_event(MPROF_EVENT_METHOD_ENTER, 33, 0, 5020),
		make_event(MPROF_EVENT_ALLOCATION, 2, 4096, 0),
		make_event(MPROF_EVENT_ALLOCATION, 2, 0, 0),
		make_event(MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 0, 5053),
		make_event(MPROF_EVENT_METHOD_ENTER, 33, 0, 5060),
		make_event(MPROF_EVENT_EXCEPTION, 2, 0, 5070),
		make_event(MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 33, 0, 5080),
		make_event(MPROF_EVENT_METHOD_ENTER, 33, 0, 5090),
		make_event(MPROF_EVENT_METHOD_LEAVE_TAIL, 33, 0, 5100),
		make_event(MPROF_EVENT_GC_STOP_WORLD_START, 0, 1, 5110),
		make_event(MPROF_EVENT_GC_START_WORLD_END, 0, 1, 5120),
		make_event(MPROF_EVENT_METHOD_LEAVE, 1, 0, 5119),
	};

	events[2].more.detail = &detail;
	write_events(writer, 77, 5000, events, sizeof(events) / sizeof(events[0]));
	write_events(writer, 77, UINT64_MAX, &thread_end, 1);
}

static void write_example_of_mprof2(mprof_writer *writer)
{
	static const char name[] = "Demo, Version=1.2.3.4";
	mprof_assembly_name split = {"Demo", "neutral", "b77a5c561934e089", 1, 2, 3, 4, 0};
	mprof_element assembly = {
		MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_SUCCESS, 9, 1100, 1200, 77, name, sizeof(name) - 1, &split};
	mprof_element module = {
		MPROF_ELEMENT_MODULE | MPROF_ELEMENT_FAILURE, 0, 1200, 1250, 77, "Demo.netmodule", 14, NULL};
	mprof_property properties[] = {{"program", "demo"}, {"arguments", ""}};
	uint64_t losses[] = {0, 3, 0, 200};
	uint32_t hits[] = {33};

	cr_assert_eq(mprof_writer_session(writer, properties, 2), MPROF_OK);
	cr_assert_eq(mprof_writer_loaded(writer, &assembly), MPROF_OK);
	cr_assert_eq(mprof_writer_loaded(writer, &module), MPROF_OK);
	cr_assert_eq(mprof_writer_thread(writer, 77, "main", 4), MPROF_OK);
	write_class(writer, 1, 9, "Demo.Main");
	write_class(writer, 2, 0, "Größe");
	write_method(writer, 1, 1, 0, "Run ()");
	write_method(writer, 33, 2, MPROF_METHOD_WRAPPER, "");
	write_events_of_mprof2(writer);
	cr_assert_eq(mprof_writer_lost(writer, 77, losses, 4), MPROF_OK);
	cr_assert_eq(mprof_writer_statistical(writer, 5000, hits, 1, NULL, 0, 6000), MPROF_OK);
	assembly.start_counter = 6100;
	assembly.end_counter = 6200;
	cr_assert_eq(mprof_writer_unloaded(writer, &assembly), MPROF_OK);
}

static void expect_written(const example *expected, uint32_t dialect, uint64_t directives,
			   void (*write)(mprof_writer *))
{
	mprof_writer_options options;
	uint64_t readings = 0;
	mprof_writer *writer;
	const uint8_t *bytes;
	size_t length;

	mprof_writer_options_init(&options);
	options.dialect = dialect;
	options.directives = directives;
	options.runtime = "demo";
	options.intro_flags =
		MPROF_INTRO_DOMAIN | MPROF_INTRO_CLASS | MPROF_INTRO_JIT | MPROF_INTRO_THREAD | MPROF_INTRO_ENTER_LEAVE;
	options.clock = read_example_clock;
	options.clock_user = &readings;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	write(writer);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_memory(writer, &bytes, &length), MPROF_OK);
	for (size_t i = 0; i < length && i < expected->length; i++)
		cr_assert_eq(bytes[i], expected->bytes[i], "byte %zu: %02x, not %02x", i, bytes[i], expected->bytes[i]);
	cr_assert_eq(length, expected->length);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(specification, examples_are_written, .init = load_examples)
{
	uint64_t directives = 0;
	static const uint8_t declared[] = {
		MPROF_DIRECTIVE_ALLOCATION_CALLER, MPROF_DIRECTIVE_ALLOCATION_OBJECT, MPROF_DIRECTIVE_ELEMENT_IDS,
		MPROF_DIRECTIVE_ASSEMBLY_IDS,      MPROF_DIRECTIVE_METHOD_FLAGS,      MPROF_DIRECTIVE_IMPLICIT_LEAVE,
		MPROF_DIRECTIVE_EXTENDED_EVENTS,
	};

	for (size_t i = 0; i < sizeof(declared); i++)
		directives |= MPROF_DIRECTIVE_BIT(declared[i]);
	expect_written(&examples[0], MPROF_DIALECT_MAIL, 0, write_example_of_mail);
	expect_written(&examples[1], MPROF_DIALECT_MPROF2, directives, write_example_of_mprof2);
}

Test(specification, table_of_ints)
{
	char *specification = read_specification();
	const char *line = strstr(specification, "| value | bytes |\n|---|---|\n");
	size_t count = 0;

	cr_assert_not_null(line);
	line = strchr(strchr(line, '\n') + 1, '\n') + 1;
	for (; *line == '|'; line = strchr(line, '\n') + 1, count++) {
		const char *opening = strchr(line, '`');
		uint8_t expected[MPROF_INT_MAX_LENGTH];
		uint8_t encoded[MPROF_INT_MAX_LENGTH];
		uint64_t value = strtoull(line + 1, NULL, 10);
		uint64_t decoded = ~value;
		size_t length = parse_hex(opening + 1, strchr(opening + 1, '`'), expected, sizeof(expected));

		cr_assert_eq(mprof_int_encode(value, encoded), length);
		cr_assert_eq(memcmp(encoded, expected, length), 0);
		cr_assert_eq(mprof_int_decode(expected, length, &decoded), (int)length);
		cr_assert_eq(decoded, value);
	}
	cr_assert_geq(count, 10);
	free(specification);
}
