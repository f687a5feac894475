/* SPDX-License-Identifier: MIT */
/*
 * Replaces the names that C# compilers generate by those in the source.
 *
 * A generated name begins with an angle bracket and contains the name of the method that it was generated from: async
 * methods and iterators become a class with a method MoveNext, "<Name>d__1" (csc) or "<Name>c__async0" and
 * "<Name>c__Iterator0" (mcs); lambdas become methods, "<Name>b__0_1" (csc) or "<Name>m__1" (mcs), and local functions
 * "<Name>g__Local|0_0". Captured variables are in a class, "<>c", "<>c__DisplayClass0_0" or "<Name>c__AnonStorey0".
 */
#include <mprof/reader.h>

#include <string.h>

/* Compilers nest names a few levels deep; deeper ones are left alone. */
#define MAX_NESTING 8

typedef struct name_output {
	char *text;
	size_t size;
	size_t length; /* Of the whole name, which may exceed the size. */
	int is_body;   /* The name ended with the method of a state machine. */
} name_output;

/* A part of a name between separators: "<inner>rest", where the rest may end with type arguments. */
typedef struct generated_part {
	const char *inner;
	size_t inner_length;
	const char *rest;
	size_t rest_length; /* Without type arguments. */
	const char *end;
} generated_part;

static void put_text(name_output *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++, out->length++) {
		if (out->length + 1 < out->size)
			out->text[out->length] = text[i];
	}
}

/* The end of the brackets that begin at \p text; NULL if they do not end. */
static const char *skip_brackets(const char *text, const char *end)
{
	size_t depth = 0;

	for (; text < end; text++) {
		depth += *text == '<';
		if (*text == '>' && --depth == 0)
			return text + 1;
	}
	return NULL;
}

static int is_separator(char character)
{
	return character == '.' || character == '/' || character == '+';
}

static int parse_part(const char *text, const char *end, generated_part *part)
{
	const char *after = skip_brackets(text, end);

	if (after == NULL)
		return 0;
	part->inner = text + 1;
	part->inner_length = (size_t)(after - 1 - part->inner);
	part->rest = after;
	while (after < end && !is_separator(*after) && *after != '<' && *after != '`')
		after++;
	part->rest_length = (size_t)(after - part->rest);
	while (after < end && !is_separator(*after)) {
		after = *after == '<' ? skip_brackets(after, end) : after + 1;
		if (after == NULL)
			return 0;
	}
	part->end = after;
	return 1;
}

static int begins_with(const generated_part *part, const char *prefix)
{
	size_t length = strlen(prefix);

	return part->rest_length >= length && memcmp(part->rest, prefix, length) == 0;
}

static int is_state_machine(const generated_part *part)
{
	return part->inner_length > 0 &&
	       ((part->rest_length == 1 && part->rest[0] == 'd') || begins_with(part, "d__") ||
		begins_with(part, "c__async") || begins_with(part, "c__Iterator"));
}

static int is_lambda(const generated_part *part)
{
	return begins_with(part, "b__") || begins_with(part, "m__");
}

/* Whether the part is a class for captured variables. */
static int is_closure(const generated_part *part)
{
	return begins_with(part, "c__AnonStorey") ||
	       (part->inner_length == 0 &&
		((part->rest_length == 1 && part->rest[0] == 'c') || begins_with(part, "c__")));
}

static int put_names(name_output *out, const char *text, const char *end, int nesting);

/* The number of a lambda in its method is after the last underscore. */
static void put_lambda(name_output *out, const generated_part *part)
{
	const char *number = part->rest + part->rest_length;

	while (number > part->rest && number[-1] != '_')
		number--;
	put_text(out, ".lambda_", 8);
	put_text(out, number, (size_t)(part->rest + part->rest_length - number));
}

static void put_local_function(name_output *out, const generated_part *part)
{
	const char *name = part->rest + 3;
	const char *end = memchr(name, '|', part->rest_length - 3);

	put_text(out, ".", 1);
	put_text(out, name, (size_t)((end != NULL ? end : part->rest + part->rest_length) - name));
}

/* Writes the method that a part was generated from, after \p separator. Returns 0 if the part is not known. */
static int put_part(name_output *out, const generated_part *part, const char *separator, int nesting)
{
	const char *types = part->rest + part->rest_length;

	if (part->inner_length > 0) {
		put_text(out, separator, strlen(separator));
		if (!put_names(out, part->inner, part->inner + part->inner_length, nesting + 1))
			return 0;
	}
	if (is_lambda(part))
		put_lambda(out, part);
	else if (begins_with(part, "g__"))
		put_local_function(out, part);
	else if (!is_state_machine(part))
		return 0;
	while (types < part->end && *types != '<')
		types++;
	put_text(out, types, (size_t)(part->end - types));
	return 1;
}

/* Writes the name of a closure. The part that follows has a name of its own unless it is a lambda of mcs, "<>m__0". */
static int put_closure(name_output *out, const generated_part *part, const char *end, int nesting)
{
	if (end - part->end < 3 || part->end[1] != '<')
		return 0;
	if (part->inner_length == 0 || part->end[2] != '>')
		return 1;
	put_text(out, ".", 1);
	return put_names(out, part->inner, part->inner + part->inner_length, nesting + 1);
}

/* Copies a part that is not generated, with the separator before it. Returns its end, NULL if brackets do not match. */
static const char *copy_part(name_output *out, const char *text, const char *end)
{
	do {
		const char *next = *text == '<' ? skip_brackets(text, end) : text + 1;

		if (next == NULL)
			return NULL;
		put_text(out, text, (size_t)(next - text));
		text = next;
	} while (text < end && !is_separator(*text));
	return text;
}

/* Writes names with the generated parts replaced. Returns 0 if a part is not known. */
static int put_names(name_output *out, const char *text, const char *end, int nesting)
{
	const char *start = text;
	int is_after_state_machine = 0;

	while (text < end) {
		const char *name = text + (text > start && is_separator(*text));
		generated_part part;

		if (is_after_state_machine && end - text == 9 && memcmp(text, ".MoveNext", 9) == 0) {
			out->is_body = nesting == 0;
			return 1;
		}
		if (name == end || *name != '<') {
			text = copy_part(out, text, end);
			if (text == NULL)
				return 0;
			is_after_state_machine = 0;
			continue;
		}
		if (nesting == MAX_NESTING || !parse_part(name, end, &part))
			return 0;
		if (!(is_closure(&part) ? put_closure(out, &part, end, nesting)
					: put_part(out, &part, name > text ? "." : "", nesting)))
			return 0;
		text = part.end;
		is_after_state_machine = is_state_machine(&part);
	}
	return 1;
}

static size_t finish_output(name_output *out)
{
	if (out->size > 0)
		out->text[out->length < out->size ? out->length : out->size - 1] = '\0';
	return out->length;
}

size_t mprof_name_format_readable(const char *name, char *text, size_t size)
{
	name_output out = {text, size, 0, 0};
	const char *end;

	if (name == NULL || (text == NULL && size > 0))
		return 0;
	end = strstr(name, " (");
	if (end == NULL)
		end = name + strlen(name);
	if (!put_names(&out, name, end, 0)) {
		out.length = 0;
		put_text(&out, name, strlen(name));
	} else if (!out.is_body) {
		put_text(&out, end, strlen(end));
	}
	return finish_output(&out);
}
