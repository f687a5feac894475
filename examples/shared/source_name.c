/* SPDX-License-Identifier: MIT */
/* Compares names of functions of C++ and Rust with patterns. */
#include "shared/source_name.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

size_t source_name_operator_length(const char *name, size_t offset)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1;
	const unsigned char before = offset > 0 ? (unsigned char)name[offset - 1] : ':';
	unsigned char after;

	if (strncmp(name + offset, word, length) != 0)
		return 0;
	after = (unsigned char)name[offset + length];
	if (isalnum(before) || before == '_' || isalnum(after) || after == '_')
		return 0;
	if (strncmp(name + offset + length, "()", 2) == 0)
		return length + 2;
	return length + strspn(name + offset + length, "<>=-!+*/&|^~,%[]");
}

size_t source_name_group_end(const char *name, size_t offset)
{
	size_t depth = 0;

	while (name[offset] != '\0') {
		size_t skipped = source_name_operator_length(name, offset);
		char letter = name[offset];

		if (skipped == 0 && strncmp(name + offset, "->", 2) == 0)
			skipped = 2;
		offset += skipped > 0 ? skipped : 1;
		if (skipped > 0)
			continue;
		if (strchr("<([{", letter) != NULL)
			depth++;
		else if (strchr(">)]}", letter) != NULL && --depth == 0)
			break;
	}
	return offset;
}

/* The name without the type of the result and without the parameters is from start to end. */
static void find_own_name(const char *name, size_t *start, size_t *end)
{
	size_t word = 0;
	int is_operator = 0;

	*start = 0;
	*end = strlen(name);
	for (size_t offset = 0; name[offset] != '\0';) {
		size_t skipped = source_name_operator_length(name, offset);
		size_t begin = offset;

		is_operator |= skipped > 0;
		if (skipped > 0) {
			offset += skipped;
		} else if (strchr("<([{", name[offset]) != NULL) {
			offset = source_name_group_end(name, offset);
			/* As in (anonymous namespace)::f(int), and f(int)::{lambda()#1}::operator()() const. */
			if (name[begin] == '(' && strncmp(name + offset, "::", 2) != 0) {
				*start = word;
				*end = begin;
			}
		} else if (name[offset++] == ' ' && !is_operator) {
			word = offset;
		}
	}
}

static int matches_part(const char *pattern, const char *name, size_t start, size_t end)
{
	char *part = strndup(name + start, end - start);
	int result = part != NULL && fnmatch(pattern, part, 0) == 0;

	free(part);
	return result;
}

int source_name_matches(const char *pattern, const char *name)
{
	size_t start;
	size_t end;

	if (fnmatch(pattern, name, 0) == 0)
		return 1;
	find_own_name(name, &start, &end);
	return matches_part(pattern, name, start, strlen(name)) || matches_part(pattern, name, 0, end) ||
	       matches_part(pattern, name, start, end);
}
