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

static const char ellipsis[] = "...";

/* Offsets of the parts of a name. */
typedef struct name_parts {
	const char *text;
	size_t owner;     /**< Start of the class, without its namespaces. */
	size_t last_part; /**< Start of the method's own name; for a class, of its last part. */
	size_t arguments; /**< Opening parenthesis; the end of the name if none. */
	size_t length;
} name_parts;

/* Length of a separator between namespace, class and method at this offset, in bytes; 0 if none. */
static size_t separator_length(const char *text, size_t offset)
{
	if (text[offset] == ':' && text[offset + 1] == ':')
		return 2;
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
	size_t offset = 0;

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
			if (end - from > sizeof(ellipsis) + 1) {
				append_text(shortened, "<...>", 5);
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

	if (parts->length - parts->arguments > sizeof(ellipsis) + 1)
		append_text(shortened, "(...)", 5);
	else
		append_text(shortened, text, strlen(text));
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
	short_name shortened = {NULL, 0};

	if (utf8_length(name) <= width || width < 8)
		return NULL;
	parts = parse_name(name);
	shortened.text = malloc(parts.length + 16);
	if (shortened.text == NULL) {
		output_out_of_memory();
		return NULL;
	}
	/* The end of a path is its most specific part. */
	if (name[0] == '/') {
		append_text(&shortened, name, parts.length);
		keep_end(&shortened, width);
	} else {
		shorten_name(&shortened, &parts, width);
	}
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
	short_name shortened = {NULL, 0};

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
