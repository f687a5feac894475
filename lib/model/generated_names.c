/* SPDX-License-Identifier: MIT */
/*
 * Finds the numbers in names that compilers generate.
 *
 * C#: "<Main>b__0_1", "<>c__DisplayClass3_0", "<Work>d__5", "<Run>g__Local|2_0" (csc), "<Main>m__0",
 * "<Work>c__async1", "<Main>c__AnonStorey2" (mcs). Clones of native functions: "work.part.0", "work.constprop.1".
 * Mangled names of Rust end with a hash of the build: "17h0123456789abcdefE".
 */
#include "model/generated_names.h"

#include <stddef.h>
#include <string.h>

static int is_digit(char character)
{
	return character >= '0' && character <= '9';
}

static int is_letter(char character)
{
	return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

static int is_of_identifier(char character)
{
	return is_digit(character) || is_letter(character) || character == '_' || character == '$' || character == '|';
}

/* The length of the part before the number of an identifier of C# that was generated; 0 if it was not. */
static size_t length_before_number(const char *start, const char *text, size_t length)
{
	static const char *const prefixes[] = {"c__async", "c__Iterator", "c__AnonStorey", "c__DisplayClass"};
	int is_generated = text > start && text[-1] == '>' && length > 3 && memcmp(text + 1, "__", 2) == 0;
	size_t end = length;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		is_generated |= length > strlen(prefixes[i]) && memcmp(text, prefixes[i], strlen(prefixes[i])) == 0;
	if (!is_generated)
		return 0;
	while (end > 3 && (is_digit(text[end - 1]) || text[end - 1] == '_'))
		end--;
	return end < length && (is_digit(text[end]) || is_digit(text[length - 1])) ? end : 0;
}

/* The length of a suffix that marks a clone of a native function, without its number; 0 if there is none. */
static size_t length_of_clone(const char *text)
{
	static const char *const suffixes[] = {".constprop.", ".isra.", ".part.", ".lto_priv.", ".llvm."};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t length = strlen(suffixes[i]);

		if (strncmp(text, suffixes[i], length) == 0 && is_digit(text[length]))
			return length;
	}
	return 0;
}

/* The length of the part before a hash of Rust; 0 if there is none. */
static size_t length_before_hash(const char *text)
{
	size_t digits = 0;

	if (strncmp(text, "17h", 3) != 0)
		return 0;
	while (is_digit(text[3 + digits]) || (text[3 + digits] >= 'a' && text[3 + digits] <= 'f'))
		digits++;
	return digits == 16 && text[19] == 'E' ? 3 : 0;
}

typedef struct stripped_name {
	const char *in;
	char *out;
	int has_number;
} stripped_name;

static void copy_text(stripped_name *name, size_t length)
{
	memmove(name->out, name->in, length);
	name->in += length;
	name->out += length;
}

static void replace_number(stripped_name *name, size_t length)
{
	name->in += length;
	*name->out++ = '#';
	name->has_number = 1;
}

/* Strips the text up to the end of an identifier. */
static void strip_identifier(stripped_name *name, const char *start)
{
	size_t before;
	size_t length = 0;

	while (is_of_identifier(name->in[length]))
		length++;
	before = length_before_number(start, name->in, length);
	if (before > 0) {
		copy_text(name, before);
		replace_number(name, length - before);
		return;
	}
	for (size_t i = 0; i < length; i++) {
		if (length_before_hash(name->in) > 0) {
			copy_text(name, 3);
			replace_number(name, 16);
			return;
		}
		copy_text(name, 1);
	}
}

int generated_name_strip(char *name)
{
	stripped_name stripped = {name, name, 0};

	while (*stripped.in != '\0') {
		size_t clone = length_of_clone(stripped.in);

		if (clone > 0) {
			copy_text(&stripped, clone);
			replace_number(&stripped, strspn(stripped.in, "0123456789"));
		} else if (is_of_identifier(*stripped.in)) {
			strip_identifier(&stripped, name);
		} else {
			copy_text(&stripped, 1);
		}
	}
	*stripped.out = '\0';
	return stripped.has_number;
}

int generated_name_compare(const char *left, const char *right)
{
	while (*left != '\0' && *right != '\0') {
		size_t left_digits = strspn(left, "0123456789");
		size_t right_digits = strspn(right, "0123456789");
		int order;

		if (left_digits == 0 || right_digits == 0) {
			if (*left != *right)
				break;
			left++;
			right++;
			continue;
		}
		if (left_digits != right_digits)
			return left_digits < right_digits ? -1 : 1;
		order = memcmp(left, right, left_digits);
		if (order != 0)
			return order;
		left += left_digits;
		right += right_digits;
	}
	return (unsigned char)*left - (unsigned char)*right;
}
