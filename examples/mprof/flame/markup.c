/* SPDX-License-Identifier: MIT */
/* Prints text of a log as XML character data. */
#include "flame/markup.h"

#include "common/output.h"
#include "shared/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The character of a valid sequence. */
static uint32_t decode(const char *text, size_t length)
{
	const unsigned char *bytes = (const unsigned char *)text;
	uint32_t character = bytes[0];

	if (length > 1)
		character &= (1u << (7 - length)) - 1;
	for (size_t i = 1; i < length; i++)
		character = character << 6 | (bytes[i] & 0x3f);
	return character;
}

/* Characters that change the direction of text or separate lines, and those that XML excludes. */
static int is_hidden(uint32_t character)
{
	return character == 0x061c || character == 0x200e || character == 0x200f ||
	       (character >= 0x2028 && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069) ||
	       character == 0xfeff || character == 0xfffe || character == 0xffff;
}

char *markup_visible(const char *text)
{
	/* The longest replacement of one byte has four bytes. */
	char *visible = malloc(strlen(text) * 4 + 1);
	char *to = visible;

	if (visible == NULL)
		return NULL;
	while (*text != '\0') {
		size_t length = utf8_sequence(text);

		if (length == 0 || utf8_is_control(text)) {
			length = length == 0 ? 1 : length;
			for (size_t i = 0; i < length; i++)
				to += sprintf(to, "\\x%02x", (unsigned char)text[i]);
		} else if (is_hidden(decode(text, length))) {
			to += sprintf(to, "\\u%04x", decode(text, length));
		} else {
			memcpy(to, text, length);
			to += length;
		}
		text += length;
	}
	*to = '\0';
	return visible;
}

static void print_byte(FILE *file, char byte)
{
	switch (byte) {
	case '&':
		fputs("&amp;", file);
		break;
	case '<':
		fputs("&lt;", file);
		break;
	case '>':
		fputs("&gt;", file);
		break;
	case '"':
		fputs("&quot;", file);
		break;
	default:
		fputc(byte, file);
	}
}

void markup_text(FILE *file, const char *text)
{
	char *visible = markup_visible(text);

	if (visible == NULL)
		output_out_of_memory();
	for (const char *at = visible; at != NULL && *at != '\0'; at++)
		print_byte(file, *at);
	free(visible);
}

/* Whether a character takes two columns: Hangul, CJK and full-width forms. */
static int is_wide(uint32_t character)
{
	return (character >= 0x1100 && character <= 0x115f) || (character >= 0x2e80 && character <= 0xa4cf) ||
	       (character >= 0xac00 && character <= 0xd7a3) || (character >= 0xf900 && character <= 0xfaff) ||
	       (character >= 0xfe30 && character <= 0xfe6f) || (character >= 0xff00 && character <= 0xff60) ||
	       (character >= 0x1f300 && character <= 0x1faff) || (character >= 0x20000 && character <= 0x3fffd);
}

size_t markup_columns(const char *text)
{
	size_t columns = 0;

	while (*text != '\0') {
		size_t length = utf8_sequence(text);

		columns += length > 1 && is_wide(decode(text, length)) ? 2 : 1;
		text += length == 0 ? 1 : length;
	}
	return columns;
}
