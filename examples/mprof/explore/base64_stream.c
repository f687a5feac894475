/* SPDX-License-Identifier: MIT */
/* Writes base64 that is divided into elements of a page. */
#include "explore/base64_stream.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* Size of the largest part before encoding: a multiple of 3, so that only the last part has padding. */
#define PART_SIZE (3 << 20)

typedef struct encoder {
	FILE *target;
	const char *before;
	const char *after;
	size_t part_length; /* Bytes of the current part. */
	unsigned char kept[3];
	size_t kept_count; /* Bytes that are not enough for four characters yet. */
} encoder;

static void encode_group(const unsigned char *bytes, size_t count, char characters[4])
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t group = (uint32_t)bytes[0] << 16 | (count > 1 ? (uint32_t)bytes[1] << 8 : 0) |
			 (count > 2 ? (uint32_t)bytes[2] : 0);

	for (size_t i = 0; i < 4; i++)
		characters[i] = i <= count ? alphabet[group >> (18 - 6 * i) & 63] : '=';
}

static void write_group(encoder *state)
{
	char characters[4];

	if (state->part_length == 0)
		fputs(state->before, state->target);
	encode_group(state->kept, state->kept_count, characters);
	fwrite(characters, 1, sizeof(characters), state->target);
	state->part_length += state->kept_count;
	state->kept_count = 0;
	if (state->part_length < PART_SIZE)
		return;
	fputs(state->after, state->target);
	state->part_length = 0;
}

static ssize_t write_encoded(void *user, const char *bytes, size_t length)
{
	encoder *state = user;

	for (size_t i = 0; i < length; i++) {
		state->kept[state->kept_count++] = (unsigned char)bytes[i];
		if (state->kept_count == sizeof(state->kept))
			write_group(state);
	}
	if (!ferror(state->target))
		return (ssize_t)length;
	errno = errno != 0 ? errno : EIO;
	return 0;
}

static int close_encoded(void *user)
{
	encoder *state = user;
	FILE *target = state->target;

	if (state->kept_count > 0)
		write_group(state);
	if (state->part_length > 0)
		fputs(state->after, target);
	free(state);
	return ferror(target) ? EOF : 0;
}

FILE *base64_stream_open(FILE *target, const char *before, const char *after)
{
	const cookie_io_functions_t functions = {.write = write_encoded, .close = close_encoded};
	encoder *state = calloc(1, sizeof(*state));
	FILE *stream;

	if (state == NULL)
		return NULL;
	state->target = target;
	state->before = before;
	state->after = after;
	stream = fopencookie(state, "w", functions);
	if (stream == NULL)
		free(state);
	return stream;
}
