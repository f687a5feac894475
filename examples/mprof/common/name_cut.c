/* SPDX-License-Identifier: MIT */
/* Shortens names on a terminal and keeps the parts that distinguish them. */
#include "common/name_cut.h"

#include "common/output.h"
#include "shared/source_name.h"
#include "shared/text.h"
#include "shared/utf8.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Longer names are shortened on a terminal. */
#define NAME_WIDTH 100

/* On a terminal. */
static const char ellipsis[] = "...";

/* Offsets of the parts of a name. */
typedef struct name_parts {
	const char *text;
	size_t owner;     /**< Start of the class, without its namespaces. */
	size_t last_part; /**< Start of the method's own name; for a class, of its last part. */
	size_t arguments; /**< Opening parenthesis; the end of the name if none. */
	size_t length;
} name_parts;

static int is_digit(char character)
{
	return character >= '0' && character <= '9';
}

/* Whether a dot belongs to the name: before a number, or what compilers add to the names of parts and copies. */
static int is_inner_dot(const char *dot)
{
	static const char *const suffixes[] = {".constprop.", ".isra.", ".part.", ".lto_priv.", ".llvm.", ".cold."};

	if (dot[0] != '.')
		return 0;
	if (is_digit(dot[1]) || strcmp(dot, ".cold") == 0)
		return 1;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t length = strlen(suffixes[i]);

		if (strncmp(dot, suffixes[i], length) == 0 && is_digit(dot[length]))
			return 1;
	}
	return 0;
}

/* Whether a name is a place in a module, such as libc.so.6+0x2a. */
static int is_place(const char *text)
{
	const char *plus = strrchr(text, '+');

	return plus != NULL && strncmp(plus, "+0x", 3) == 0 && plus[3] != '\0' &&
	       plus[3 + strspn(plus + 3, "0123456789abcdef")] == '\0';
}

/* Length of a separator between namespace, class and method at this offset, in bytes; 0 if none. */
static size_t separator_length(const char *text, size_t offset)
{
	if (text[offset] == ':' && text[offset + 1] == ':')
		return 2;
	if (is_inner_dot(text + offset))
		return 0;
	return text[offset] == '.' || text[offset] == '/' || text[offset] == ':' ? 1 : 0;
}

/* The dots at the start of a constructor's name, such as .ctor, are part of the name and no further separators. */
static size_t skip_separators(name_parts *parts, size_t offset)
{
	size_t next = offset + separator_length(parts->text, offset);

	parts->owner = parts->last_part;
	parts->last_part = next;
	while (parts->text[next] == '.')
		next++;
	return next;
}

static name_parts parse_name(const char *text)
{
	name_parts parts = {text, 0, 0, 0, strlen(text)};
	size_t offset = is_place(text) ? parts.length : 0;

	while (offset < parts.length) {
		size_t skipped = source_name_operator_length(text, offset);

		if (skipped > 0) {
			offset += skipped;
		} else if (text[offset] == '(') {
			size_t end = source_name_group_end(text, offset);

			/* Parentheses at the start, or followed by a separator, are not the arguments. */
			if (offset > 0 && separator_length(text, end) == 0)
				break;
			offset = end;
		} else if (text[offset] == '<' || text[offset] == '[') {
			offset = source_name_group_end(text, offset);
		} else if (separator_length(text, offset) > 0) {
			offset = skip_separators(&parts, offset);
		} else {
			offset++;
		}
	}
	parts.arguments = offset < parts.length ? offset : parts.length;
	return parts;
}

/* Buffer for the shortened name. It has room for the whole name and all ellipses. */
typedef struct short_name {
	char *text;
	size_t length;
	const char *ellipsis;
	size_t least; /**< Longer text in brackets is left out. */
} short_name;

static void append_text(short_name *shortened, const char *text, size_t length)
{
	memcpy(shortened->text + shortened->length, text, length);
	shortened->length += length;
	shortened->text[shortened->length] = '\0';
}

/* Leaves out text between angle brackets, except at the start of a name: compiler-generated names start with them. */
static void append_without_brackets(short_name *shortened, const char *text, size_t from, size_t to)
{
	while (from < to) {
		size_t skipped = source_name_operator_length(text, from);

		if (skipped == 0 && text[from] == '<' && from > 0 && separator_length(text, from - 1) == 0) {
			size_t end = source_name_group_end(text, from);

			if (end > to)
				end = to;
			if (end - from > shortened->least) {
				append_text(shortened, "<", 1);
				append_text(shortened, shortened->ellipsis, strlen(shortened->ellipsis));
				append_text(shortened, ">", 1);
				from = end;
				continue;
			}
			skipped = end - from;
		}
		skipped = skipped > 0 ? skipped : 1;
		append_text(shortened, text + from, skipped);
		from += skipped;
	}
}

static void append_arguments(short_name *shortened, const name_parts *parts)
{
	const char *text = parts->text + parts->arguments;

	if (parts->length - parts->arguments > shortened->least) {
		append_text(shortened, "(", 1);
		append_text(shortened, shortened->ellipsis, strlen(shortened->ellipsis));
		append_text(shortened, ")", 1);
	} else {
		append_text(shortened, text, strlen(text));
	}
}

/* Drops characters from the start until \p width are left, including the ellipsis. */
static void keep_end(short_name *shortened, size_t width)
{
	size_t length = utf8_length(shortened->text);
	const char *text = shortened->text;

	if (strncmp(text, ellipsis, sizeof(ellipsis) - 1) == 0)
		text += sizeof(ellipsis) - 1, length -= sizeof(ellipsis) - 1;
	for (; length + sizeof(ellipsis) - 1 > width; length--) {
		size_t bytes = utf8_sequence(text);

		text += bytes > 0 ? bytes : 1;
	}
	memmove(shortened->text + sizeof(ellipsis) - 1, text, strlen(text) + 1);
	memcpy(shortened->text, ellipsis, sizeof(ellipsis) - 1);
	shortened->length = strlen(shortened->text);
}

static void keep_start(short_name *shortened, size_t width)
{
	size_t end = 0;

	for (size_t count = 0; count + sizeof(ellipsis) - 1 < width; count++) {
		size_t bytes = utf8_sequence(shortened->text + end);

		end += bytes > 0 ? bytes : 1;
	}
	shortened->length = end;
	append_text(shortened, ellipsis, sizeof(ellipsis) - 1);
}

/* Leaves out more with each step, until the name is short enough. */
static void shorten_name(short_name *shortened, const name_parts *parts, size_t width)
{
	const char *text = parts->text;

	append_text(shortened, text, parts->arguments);
	append_arguments(shortened, parts);
	if (utf8_length(shortened->text) <= width)
		return;
	shortened->length = 0;
	if (parts->owner > 0)
		append_text(shortened, ellipsis, sizeof(ellipsis) - 1);
	append_text(shortened, text + parts->owner, parts->arguments - parts->owner);
	append_arguments(shortened, parts);
	if (utf8_length(shortened->text) <= width)
		return;
	shortened->length = 0;
	if (parts->owner > 0)
		append_text(shortened, ellipsis, sizeof(ellipsis) - 1);
	append_without_brackets(shortened, text, parts->owner, parts->arguments);
	append_arguments(shortened, parts);
	if (utf8_length(shortened->text) <= width)
		return;
	shortened->length = 0;
	append_without_brackets(shortened, text, parts->last_part, parts->arguments);
	append_arguments(shortened, parts);
	if (utf8_length(shortened->text) + sizeof(ellipsis) - 1 > width) {
		keep_start(shortened, width);
		return;
	}
	shortened->length = 0;
	append_without_brackets(shortened, text, parts->owner, parts->arguments);
	append_arguments(shortened, parts);
	keep_end(shortened, width);
}

char *name_cut(const char *name, size_t width)
{
	name_parts parts;
	short_name shortened = {.ellipsis = ellipsis, .least = sizeof(ellipsis) + 1};

	if (utf8_length(name) <= width || width < 8)
		return NULL;
	parts = parse_name(name);
	shortened.text = malloc(parts.length + 16);
	if (shortened.text == NULL) {
		output_out_of_memory();
		return NULL;
	}
	/* The end of a path or a place is its most specific part. */
	if (name[0] == '/' || is_place(name)) {
		append_text(&shortened, name, parts.length);
		keep_end(&shortened, width);
	} else {
		shorten_name(&shortened, &parts, width);
	}
	return shortened.text;
}

const char *name_class(const char *name, size_t *length)
{
	const name_parts parts = parse_name(name);

	*length = strcspn(name + parts.owner, ".<`( ");
	return name + parts.owner;
}

/* What a name is without in a picture, from step to step: the list in the header. */
enum { FIT_STEPS = 7 };

static void append_step(short_name *shortened, const name_parts *parts, int step)
{
	size_t start = step < 4 ? parts->owner : parts->last_part;
	size_t end = parts->arguments;

	while (end > start && parts->text[end - 1] == ' ')
		end--;
	shortened->length = 0;
	shortened->text[0] = '\0';
	if (step == 0 || step == 4)
		append_text(shortened, parts->text + start, parts->length - start);
	else if (step == 1)
		append_text(shortened, parts->text + start, end - start);
	else
		append_without_brackets(shortened, parts->text, start, end);
	if (step == 1 || step == 2 || step == 5)
		append_arguments(shortened, parts);
}

/* Keeps the last characters, after an ellipsis if there is room for it. */
static void append_last_part(short_name *shortened, const char *name, size_t width, size_t (*measure)(const char *text))
{
	const size_t room = width < 4 ? width : width - 1;

	while (measure(name) > room && *name != '\0')
		name += utf8_sequence(name) > 0 ? utf8_sequence(name) : 1;
	if (width >= 4)
		append_text(shortened, shortened->ellipsis, strlen(shortened->ellipsis));
	append_text(shortened, name, strlen(name));
}

/* Keeps the first characters of at most this width. */
static void limit_width(short_name *shortened, size_t width, size_t (*measure)(const char *text))
{
	size_t end = 0;

	for (size_t used = 0; shortened->text[end] != '\0';) {
		size_t bytes = utf8_sequence(shortened->text + end);
		char character[5] = {0};

		bytes = bytes > 0 ? bytes : 1;
		memcpy(character, shortened->text + end, bytes);
		used += measure(character);
		if (used > width)
			break;
		end += bytes;
	}
	shortened->length = end;
	shortened->text[end] = '\0';
}

char *name_fit(const char *name, size_t width, size_t (*measure)(const char *text))
{
	const name_parts parts = parse_name(name);
	/* The ellipsis has one column and three bytes: five replace four of "<ab>". */
	short_name shortened = {.ellipsis = "\u2026", .least = 3, .text = malloc(2 * parts.length + 16)};
	int step = 0;

	if (shortened.text == NULL) {
		output_out_of_memory();
		return NULL;
	}
	shortened.text[0] = '\0';
	if (measure(name) <= width) {
		append_text(&shortened, name, parts.length);
		return shortened.text;
	}
	if (name[0] == '/' || is_place(name)) {
		append_last_part(&shortened, name, width, measure);
		return shortened.text;
	}
	do
		append_step(&shortened, &parts, step);
	while ((shortened.length == 0 || measure(shortened.text) > width) && ++step < FIT_STEPS);
	if (step < FIT_STEPS)
		return shortened.text;
	if (shortened.length == 0)
		append_text(&shortened, name, parts.length);
	/* In few columns, an ellipsis would leave too little of the name. */
	limit_width(&shortened, width < 4 ? width : width - 1, measure);
	if (width >= 4)
		append_text(&shortened, shortened.ellipsis, strlen(shortened.ellipsis));
	return shortened.text;
}

static int uses_marks;

void name_print_use_marks(int has_marks)
{
	uses_marks = has_marks;
}

static void print_marked(const char *name)
{
	putchar(NAME_START);
	text_name(stdout, name);
	putchar(NAME_END);
}

static int is_cut(void)
{
	static int known = -1;

	if (known < 0)
		known = isatty(STDOUT_FILENO);
	return known;
}

void name_print(const char *name)
{
	char *shorter;

	if (uses_marks) {
		print_marked(name);
		return;
	}
	shorter = is_cut() && name != NULL ? name_cut(name, NAME_WIDTH) : NULL;
	text_name(stdout, shorter != NULL ? shorter : name);
	free(shorter);
}

void name_print_text(const char *text)
{
	short_name shortened = {.ellipsis = ellipsis, .least = sizeof(ellipsis) + 1};

	if (uses_marks) {
		print_marked(text);
		return;
	}
	if (is_cut() && text != NULL && utf8_length(text) > NAME_WIDTH)
		shortened.text = strdup(text);
	if (shortened.text != NULL)
		keep_start(&shortened, NAME_WIDTH);
	text_name(stdout, shortened.text != NULL ? shortened.text : text);
	free(shortened.text);
}
