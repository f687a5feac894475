/* SPDX-License-Identifier: MIT */
/* Measures and checks UTF-8 characters. */
#include "shared/utf8.h"

static int is_continuation(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

size_t utf8_sequence(const char *text)
{
	const unsigned char *bytes = (const unsigned char *)text;
	unsigned char first = bytes[0];
	size_t length;

	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	for (size_t i = 1; i < length; i++) {
		/* A NUL is not a continuation byte, so this does not read past the end. */
		if (!is_continuation(bytes[i]))
			return 0;
	}
	/* Overlong encodings, surrogates, and code points beyond Unicode. */
	if ((first == 0xe0 && bytes[1] < 0xa0) || (first == 0xed && bytes[1] > 0x9f) ||
	    (first == 0xf0 && bytes[1] < 0x90) || (first == 0xf4 && bytes[1] > 0x8f))
		return 0;
	return length;
}

int utf8_is_control(const char *text)
{
	unsigned char first = (unsigned char)text[0];

	return first < 0x20 || first == 0x7f || (first == 0xc2 && (unsigned char)text[1] - 0x80u < 0x20);
}

/* U+061C, U+200E and U+200F, U+2028 to U+202E, U+2066 to U+2069. */
int utf8_changes_order(const char *text)
{
	const unsigned char *bytes = (const unsigned char *)text;

	if (bytes[0] == 0xd8)
		return bytes[1] == 0x9c;
	if (bytes[0] != 0xe2)
		return 0;
	if (bytes[1] == 0x80)
		return (bytes[2] >= 0xa8 && bytes[2] <= 0xae) || bytes[2] == 0x8e || bytes[2] == 0x8f;
	return bytes[1] == 0x81 && bytes[2] >= 0xa6 && bytes[2] <= 0xa9;
}

uint32_t utf8_code_point(const char *text)
{
	const unsigned char *bytes = (const unsigned char *)text;
	size_t length = utf8_sequence(text);
	uint32_t code_point = length <= 1 ? bytes[0] : bytes[0] & (0x7fu >> length);

	for (size_t i = 1; i < length; i++)
		code_point = code_point << 6 | (bytes[i] & 0x3f);
	return code_point;
}

size_t utf8_length(const char *text)
{
	size_t length = 0;

	while (*text != '\0') {
		size_t bytes = utf8_sequence(text);

		text += bytes > 0 ? bytes : 1;
		length++;
	}
	return length;
}
