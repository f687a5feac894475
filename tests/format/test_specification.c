/* SPDX-License-Identifier: MIT */
/*
 * The examples of doc/format.md, sections 2.1 and 6, and of doc/dialects.md, section 8, match the reader and the
 * writer.
 */
#include "format/example_logs.h"
#include "format/values/varint.h"
#include "log_text.h"

#include <mprof/writer.h>

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EXAMPLES 32

typedef struct example {
	uint8_t bytes[4096];
	size_t length;
	char text[8192];
} example;

static example examples[MAX_EXAMPLES];
static size_t example_count;

static char *read_page(const char *name)
{
	const char *directory = getenv("srcdir");
	char path[4096];
	char *text;
	FILE *file;
	long length;

	snprintf(path, sizeof(path), "%s/doc/%s", directory != NULL ? directory : ".", name);
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

/* Decodes the hexadecimal bytes up to \p end; returns their number. */
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

/* The first fenced block of a language at or after a position, without its fences. NULL if none. */
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

static void load_page(const char *name)
{
	char *page = read_page(name);
	const char *start = page;
	const char *end;

	while ((start = find_fenced(start, "```hex\n", &end)) != NULL) {
		example *taken = &examples[example_count++];

		cr_assert_leq(example_count, MAX_EXAMPLES);
		take_hex_lines(taken, start, end);
		start = find_fenced(end, "```text\n", &end);
		cr_assert_not_null(start);
		cr_assert_lt(end - start, (ptrdiff_t)sizeof(taken->text));
		memcpy(taken->text, start, (size_t)(end - start));
		start = end;
	}
	free(page);
}

/* The example whose EVENTS block is compressed with deflate. */
#define COMPRESSED_EXAMPLE 11

static int has_deflate(void)
{
	mprof_writer_options options;
	mprof_writer *writer;
	mprof_status status;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.codec = MPROF_CODEC_DEFLATE;
	status = mprof_writer_open_memory(&options, &writer);
	if (status == MPROF_ERR_UNSUPPORTED)
		return 0;
	cr_assert_eq(status, MPROF_OK);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
	return 1;
}

static void load_examples(void)
{
	load_page("format.md");
	cr_assert_eq(example_count, 25);
	load_page("dialects.md");
	cr_assert_eq(example_count, 28);
}

static void expect_text(const char *expected, const char *actual)
{
	while (*expected != 0 || *actual != 0) {
		size_t expected_length = strcspn(expected, "\n");
		size_t actual_length = strcspn(actual, "\n");

		cr_assert(expected_length == actual_length && strncmp(expected, actual, actual_length) == 0,
			  "the page has\n%.*s\nthe log has\n%.*s", (int)expected_length, expected, (int)actual_length,
			  actual);
		expected += expected_length + (expected[expected_length] == '\n');
		actual += actual_length + (actual[actual_length] == '\n');
	}
}

Test(specification, examples_are_read, .init = load_examples, .timeout = 60)
{
	static log_text out;

	for (size_t i = 0; i < example_count; i++) {
		if (i == COMPRESSED_EXAMPLE && !has_deflate())
			continue;
		log_text_render(&out, examples[i].bytes, examples[i].length, examples[i].length);
		expect_text(examples[i].text, out.text);
		for (size_t piece = 1; piece < 20; piece++) {
			log_text_render(&out, examples[i].bytes, examples[i].length, piece);
			expect_text(examples[i].text, out.text);
		}
	}
}

static void expect_written_with(const example *expected, const mprof_writer_options *input,
				void (*write)(mprof_writer *))
{
	mprof_writer_options options = *input;
	uint64_t readings = 0;
	mprof_writer *writer;
	const uint8_t *bytes;
	size_t length;

	options.runtime = "demo";
	options.intro_flags = MPROF_INTRO_FLAG_DOMAIN | MPROF_INTRO_FLAG_CLASS | MPROF_INTRO_FLAG_JIT |
			      MPROF_INTRO_FLAG_THREAD | MPROF_INTRO_FLAG_ENTER_LEAVE;
	options.clock = example_logs_read_clock;
	options.clock_user = &readings;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	write(writer);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	for (size_t i = 0; i < length && i < expected->length; i++)
		cr_assert_eq(bytes[i], expected->bytes[i], "byte %zu: %02x, not %02x", i, bytes[i], expected->bytes[i]);
	cr_assert_eq(length, expected->length);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

static void expect_written(const example *expected, uint32_t dialect, uint64_t directives,
			   void (*write)(mprof_writer *))
{
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.dialect = dialect;
	options.directives.bits[0] = directives | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	expect_written_with(expected, &options, write);
}

#define BIT(directive) MPROF_DIRECTIVE_BIT(directive)

Test(specification, examples_are_written, .init = load_examples)
{
	const uint64_t first = BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) | BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) |
			       BIT(MPROF_DIRECTIVE_ELEMENT_IDS) | BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) |
			       BIT(MPROF_DIRECTIVE_METHOD_FLAGS) | BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) |
			       BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS);
	const uint64_t others = BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) | BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |
				BIT(MPROF_DIRECTIVE_CLASS_SIZES) | BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) |
				BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) | BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS);

	const uint64_t switches = BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | BIT(MPROF_DIRECTIVE_SOURCE_LINES) |
				  BIT(MPROF_DIRECTIVE_STACK_SWITCHES);

	expect_written(&examples[0], MPROF_DIALECT_MAIL, 0, example_logs_write_mail);
	expect_written(&examples[1], MPROF_DIALECT_MPROF2, first, example_logs_write_mprof2);
	expect_written(&examples[3], MPROF_DIALECT_MPROF2, others, example_logs_write_heap);
	expect_written(&examples[4], MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_MEMORY_EVENTS),
		       example_logs_write_memory);
	expect_written(&examples[5], MPROF_DIALECT_MPROF2, switches, example_logs_write_switches);
	expect_written(&examples[6], MPROF_DIALECT_MPROF2,
		       BIT(MPROF_DIRECTIVE_EXCEPTION_STACK_ID) | BIT(MPROF_DIRECTIVE_EXCEPTION_CLAUSES),
		       example_logs_write_exceptions);
	expect_written(&examples[7], MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_REFERENCE_OFFSETS),
		       example_logs_write_fields);
	expect_written(&examples[8], MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_METHOD_CODE), example_logs_write_code);
	expect_written(&examples[9], MPROF_DIALECT_MPROF2,
		       BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) | BIT(MPROF_DIRECTIVE_MONITOR_HOLDERS),
		       example_logs_write_holders);
	expect_written(&examples[13], MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_TYPED_EVENTS),
		       example_logs_write_types);
	expect_written(&examples[14], MPROF_DIALECT_MPROF2, 0, example_logs_write_application);
	expect_written(&examples[15], MPROF_DIALECT_MPROF2,
		       BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) | BIT(MPROF_DIRECTIVE_OBJECT_EVENTS),
		       example_logs_write_objects);
	expect_written(&examples[16], MPROF_DIALECT_MPROF2, 0, example_logs_write_timelines);
	expect_written(&examples[18], MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_POSITIONS),
		       example_logs_write_positions);
	expect_written(&examples[19], MPROF_DIALECT_MPROF2, 0, example_logs_write_heap_notes);
	expect_written(&examples[20], MPROF_DIALECT_MPROF2, 0, example_logs_write_kinds);
	expect_written(&examples[21], MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_SIZED_METRICS),
		       example_logs_write_sized_metrics);
	expect_written(&examples[22], MPROF_DIALECT_MPROF2, 0, example_logs_write_code_ranges);
	expect_written(&examples[23], MPROF_DIALECT_MPROF2,
		       BIT(MPROF_DIRECTIVE_MEMORY_EVENTS) | BIT(MPROF_DIRECTIVE_PROCESSES),
		       example_logs_write_processes);
	expect_written(&examples[24], MPROF_DIALECT_MPROF2, 0, example_logs_write_reachability);
}

Test(specification, example_of_columns_is_written, .init = load_examples)
{
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | BIT(MPROF_DIRECTIVE_CLASS_SIZES);
	options.has_columns = 1;
	expect_written_with(&examples[10], &options, example_logs_write_columns);
	options.directives.bits[0] = BIT(MPROF_DIRECTIVE_TYPED_EVENTS) | BIT(MPROF_DIRECTIVE_TYPED_COLUMNS);
	expect_written_with(&examples[17], &options, example_logs_write_typed_columns);
}

/* The stream depends on the version of zlib: what is before it is compared, and what a reader makes of all. */
Test(specification, example_of_compression_is_written, .init = load_examples)
{
	static log_text out;
	mprof_writer_options options;
	uint64_t readings = 0;
	mprof_writer *writer;
	const uint8_t *bytes;
	size_t length;

	if (!has_deflate())
		cr_skip_test("built without zlib");
	mprof_writer_options_init(&options, sizeof(options));
	options.runtime = "demo";
	options.intro_flags = MPROF_INTRO_FLAG_DOMAIN | MPROF_INTRO_FLAG_CLASS | MPROF_INTRO_FLAG_JIT |
			      MPROF_INTRO_FLAG_THREAD | MPROF_INTRO_FLAG_ENTER_LEAVE;
	options.directives.bits[0] = BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE);
	options.codec = MPROF_CODEC_DEFLATE;
	options.clock = example_logs_read_clock;
	options.clock_user = &readings;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	example_logs_write_compressed(writer);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	/* INTRO, DIRECTIVES and MAPPING, and the fields of COMPRESSED before the stream. */
	cr_assert_eq(memcmp(bytes, examples[COMPRESSED_EXAMPLE].bytes, 105), 0);
	cr_assert_eq(memcmp(bytes + 109, examples[COMPRESSED_EXAMPLE].bytes + 109, 19), 0);
	log_text_render(&out, bytes, length, length);
	expect_text(examples[COMPRESSED_EXAMPLE].text, out.text);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(specification, example_of_index_is_written, .init = load_examples)
{
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE);
	options.has_index = 1;
	expect_written_with(&examples[12], &options, example_logs_write_index);
}

Test(specification, table_of_ints)
{
	char *specification = read_page("format.md");
	const char *line = strstr(specification, "| value | bytes |\n|---|---|\n");
	size_t count = 0;

	cr_assert_not_null(line);
	line = strchr(strchr(line, '\n') + 1, '\n') + 1;
	for (; *line == '|'; line = strchr(line, '\n') + 1, count++) {
		const char *opening = strchr(line, '`');
		uint8_t expected[MPROF_VARINT_MAX_LENGTH];
		uint8_t encoded[MPROF_VARINT_MAX_LENGTH];
		uint64_t value = strtoull(line + 1, NULL, 10);
		uint64_t decoded = ~value;
		size_t length = parse_hex(opening + 1, strchr(opening + 1, '`'), expected, sizeof(expected));

		cr_assert_eq(varint_encode(value, encoded), length);
		cr_assert_eq(memcmp(encoded, expected, length), 0);
		cr_assert_eq(varint_decode(expected, length, &decoded), (int)length);
		cr_assert_eq(decoded, value);
	}
	cr_assert_geq(count, 10);
	free(specification);
}
