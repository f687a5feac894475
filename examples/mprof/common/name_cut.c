/* SPDX-License-Identifier: MIT */
#include "common/name_cut.h"

#include "shared/text.h"
#include "shared/utf8.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Longer ones are cut on a terminal. */
#define NAME_WIDTH 100

static const char ellipsis[] = "...";

/* Where the parts of a name are. */
typedef struct name_parts {
	const char *text;
	size_t owner;     /**< Where the class begins, without its namespaces. */
	size_t own;       /**< Where the method's own name begins; of a class its last part. */
	size_t arguments; /**< The parenthesis; the end if there is none. */
	size_t length;
} name_parts;

/* Bytes of the operator's name if "operator" begins here, as in operator<< and operator(). */
static size_t operator_length(const char *text, size_t place)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1;

	if (strncmp(text + place, word, length) != 0 ||
	    (place > 0 && (isalnum((unsigned char)text[place - 1]) || text[place - 1] == '_')))
		return 0;
	if (strncmp(text + place + length, "()", 2) == 0)
		return length + 2;
	return length + strspn(text + place + length, "<>=-!+*/&|^~,%[]");
}

/* Where the group of brackets that begins here ends: after its last bracket, or at the end of the text. */
static size_t group_end(const char *text, size_t place)
{
	size_t depth = 0;

	for (; text[place] != '\0'; place++) {
		size_t skipped = operator_length(text, place);

		if (skipped > 0) {
			place += skipped - 1;
			continue;
		}
		if (strchr("<([", text[place]) != NULL)
			depth++;
		else if (strchr(">)]", text[place]) != NULL && --depth == 0)
			return place + 1;
	}
	return place;
}

/* Bytes of what stands between a namespace, a class and a method; 0 if nothing such is here. */
static size_t separator_length(const char *text, size_t place)
{
	if (text[place] == ':' && text[place + 1] == ':')
		return 2;
	return text[place] == '.' || text[place] == '/' || text[place] == ':' ? 1 : 0;
}

/* The names of constructors begin with the character that separates others. */
static size_t skip_separators(name_parts *parts, size_t place)
{
	size_t next = place + separator_length(parts->text, place);

	parts->owner = parts->own;
	parts->own = next;
	while (parts->text[next] == '.')
		next++;
	return next;
}

static name_parts parse(const char *text)
{
	name_parts parts = {text, 0, 0, 0, strlen(text)};
	size_t place = 0;

	while (place < parts.length) {
		size_t skipped = operator_length(text, place);

		if (skipped > 0) {
			place += skipped;
		} else if (text[place] == '(') {
			size_t end = group_end(text, place);

			/* What comes first, or has something of the name after it, is not the arguments. */
			if (place > 0 && separator_length(text, end) == 0)
				break;
			place = end;
		} else if (text[place] == '<' || text[place] == '[') {
			place = group_end(text, place);
		} else if (separator_length(text, place) > 0) {
			place = skip_separators(&parts, place);
		} else {
			place++;
		}
	}
	parts.arguments = place < parts.length ? place : parts.length;
	return parts;
}

/* What a shorter name is put together in. There is room for the name and all that stands for what is left out. */
typedef struct short_name {
	char *text;
	size_t length;
} short_name;

static void put(short_name *made, const char *text, size_t length)
{
	memcpy(made->text + made->length, text, length);
	made->length += length;
	made->text[made->length] = '\0';
}

/* What is between angle brackets is left out, but where a name begins with them, as those that compilers make up. */
static void put_plain(short_name *made, const char *text, size_t from, size_t to)
{
	while (from < to) {
		size_t skipped = operator_length(text, from);

		if (skipped == 0 && text[from] == '<' && from > 0 && separator_length(text, from - 1) == 0) {
			size_t end = group_end(text, from);

			if (end > to)
				end = to;
			if (end - from > sizeof(ellipsis) + 1) {
				put(made, "<...>", 5);
				from = end;
				continue;
			}
			skipped = end - from;
		}
		skipped = skipped > 0 ? skipped : 1;
		put(made, text + from, skipped);
		from += skipped;
	}
}

static void put_arguments(short_name *made, const name_parts *parts)
{
	const char *text = parts->text + parts->arguments;

	if (parts->length - parts->arguments > sizeof(ellipsis) + 1)
		put(made, "(...)", 5);
	else
		put(made, text, strlen(text));
}

/* Drops characters from the start until \p width are left, with what stands for them. */
static void keep_end(short_name *made, size_t width)
{
	size_t length = utf8_length(made->text);
	const char *text = made->text;

	if (strncmp(text, ellipsis, sizeof(ellipsis) - 1) == 0)
		text += sizeof(ellipsis) - 1, length -= sizeof(ellipsis) - 1;
	for (; length + sizeof(ellipsis) - 1 > width; length--) {
		size_t bytes = utf8_sequence(text);

		text += bytes > 0 ? bytes : 1;
	}
	memmove(made->text + sizeof(ellipsis) - 1, text, strlen(text) + 1);
	memcpy(made->text, ellipsis, sizeof(ellipsis) - 1);
	made->length = strlen(made->text);
}

static void keep_start(short_name *made, size_t width)
{
	size_t end = 0;

	for (size_t count = 0; count + sizeof(ellipsis) - 1 < width; count++) {
		size_t bytes = utf8_sequence(made->text + end);

		end += bytes > 0 ? bytes : 1;
	}
	made->length = end;
	put(made, ellipsis, sizeof(ellipsis) - 1);
}

/* Leaves out more with each step, until it is short enough. */
static void shorten(short_name *made, const name_parts *parts, size_t width)
{
	const char *text = parts->text;

	put(made, text, parts->arguments);
	put_arguments(made, parts);
	if (utf8_length(made->text) <= width)
		return;
	made->length = 0;
	if (parts->owner > 0)
		put(made, ellipsis, sizeof(ellipsis) - 1);
	put(made, text + parts->owner, parts->arguments - parts->owner);
	put_arguments(made, parts);
	if (utf8_length(made->text) <= width)
		return;
	made->length = 0;
	if (parts->owner > 0)
		put(made, ellipsis, sizeof(ellipsis) - 1);
	put_plain(made, text, parts->owner, parts->arguments);
	put_arguments(made, parts);
	if (utf8_length(made->text) <= width)
		return;
	made->length = 0;
	put_plain(made, text, parts->own, parts->arguments);
	put_arguments(made, parts);
	if (utf8_length(made->text) + sizeof(ellipsis) - 1 > width) {
		keep_start(made, width);
		return;
	}
	made->length = 0;
	put_plain(made, text, parts->owner, parts->arguments);
	put_arguments(made, parts);
	keep_end(made, width);
}

char *name_cut(const char *name, size_t width)
{
	name_parts parts;
	short_name made = {NULL, 0};

	if (utf8_length(name) <= width || width < 8)
		return NULL;
	parts = parse(name);
	made.text = malloc(parts.length + 16);
	if (made.text == NULL)
		return NULL;
	/* Of a path the end says most. */
	if (name[0] == '/') {
		put(&made, name, parts.length);
		keep_end(&made, width);
	} else {
		shorten(&made, &parts, width);
	}
	return made.text;
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
	char *shorter = is_cut() && name != NULL ? name_cut(name, NAME_WIDTH) : NULL;

	text_name(stdout, shorter != NULL ? shorter : name);
	free(shorter);
}

void name_print_text(const char *text)
{
	short_name made = {NULL, 0};

	if (is_cut() && text != NULL && utf8_length(text) > NAME_WIDTH)
		made.text = strdup(text);
	if (made.text != NULL)
		keep_start(&made, NAME_WIDTH);
	text_name(stdout, made.text != NULL ? made.text : text);
	free(made.text);
}
