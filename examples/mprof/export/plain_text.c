/* SPDX-License-Identifier: MIT */
/* Replaces what other tools cannot print in names. */
#include "export/plain_text.h"

#include "shared/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of "\xNN". */
#define ESCAPE_LENGTH 4

/* The length of the character at the start of a text, 0 if it is to be replaced. */
static size_t plain_character(const char *text)
{
	return utf8_is_control(text) ? 0 : utf8_sequence(text);
}

static int is_plain(const char *name)
{
	while (*name >= 0x20 && *name < 0x7f)
		name++;
	while (*name != '\0') {
		size_t length = plain_character(name);

		if (length == 0)
			return 0;
		name += length;
	}
	return 1;
}

const char *plain_text(plain_buffer *buffer, const char *name)
{
	size_t needed = ESCAPE_LENGTH * strlen(name) + 1;
	char *out;

	if (is_plain(name))
		return name;
	if (needed > buffer->capacity) {
		char *text = realloc(buffer->text, needed);

		if (text == NULL)
			return NULL;
		buffer->text = text;
		buffer->capacity = needed;
	}
	out = buffer->text;
	while (*name != '\0') {
		size_t length = plain_character(name);

		if (length == 0) {
			out += sprintf(out, "\\x%02x", (unsigned int)(unsigned char)*name++);
			continue;
		}
		memcpy(out, name, length);
		out += length;
		name += length;
	}
	*out = '\0';
	return buffer->text;
}

void plain_text_release(plain_buffer *buffer)
{
	free(buffer->text);
	memset(buffer, 0, sizeof(*buffer));
}
