/* SPDX-License-Identifier: MIT */
/* Formats numbers and names for text output. */
#include "shared/text.h"

#include "shared/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

char *text_count(char text[TEXT_NUMBER_SIZE], uint64_t number)
{
	char digits[24];
	size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, number);
	size_t out = 0;

	for (size_t i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			text[out++] = ',';
		text[out++] = digits[i];
	}
	text[out] = '\0';
	return text;
}

/* Formats a number with three or four significant digits, in the largest unit that leaves a digit before the point. */
static char *in_units(char text[TEXT_NUMBER_SIZE], double number, const char *const *units, size_t unit_count)
{
	size_t unit = 0;

	while (unit + 1 < unit_count && number >= 1000) {
		number /= 1000;
		unit++;
	}
	if (unit == 0)
		snprintf(text, TEXT_NUMBER_SIZE, "%.0f %s", number, units[unit]);
	else if (number >= 100)
		snprintf(text, TEXT_NUMBER_SIZE, "%.1f %s", number, units[unit]);
	else
		snprintf(text, TEXT_NUMBER_SIZE, "%.2f %s", number, units[unit]);
	return text;
}

char *text_duration(char text[TEXT_NUMBER_SIZE], uint64_t nanoseconds)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};

	return in_units(text, (double)nanoseconds, units, sizeof(units) / sizeof(units[0]));
}

char *text_bytes(char text[TEXT_NUMBER_SIZE], uint64_t bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};

	return in_units(text, (double)bytes, units, sizeof(units) / sizeof(units[0]));
}

char *text_percent(char text[TEXT_NUMBER_SIZE], uint64_t part, uint64_t whole)
{
	snprintf(text, TEXT_NUMBER_SIZE, "%.1f %%", whole > 0 ? 100.0 * (double)part / (double)whole : 0.0);
	return text;
}

char *text_date(char text[TEXT_NUMBER_SIZE], uint64_t microseconds)
{
	time_t seconds = (time_t)(microseconds / 1000000);
	struct tm date;
	size_t length;

	if (gmtime_r(&seconds, &date) == NULL)
		length = (size_t)snprintf(text, TEXT_NUMBER_SIZE, "%" PRIu64 " s after 1970", microseconds / 1000000);
	else
		length = strftime(text, TEXT_NUMBER_SIZE, "%Y-%m-%d %H:%M:%S", &date);
	if (length > 0 && length + 9 < TEXT_NUMBER_SIZE)
		snprintf(text + length, TEXT_NUMBER_SIZE - length, ".%03u UTC",
			 (unsigned int)(microseconds / 1000 % 1000));
	return text;
}

static const char *put_character(FILE *file, const char *text)
{
	size_t length = utf8_sequence(text);

	if (length == 0 || utf8_is_control(text)) {
		fprintf(file, "\\x%02x", (unsigned char)*text);
		return text + 1;
	}
	if (utf8_changes_order(text))
		fprintf(file, "\\u%04x", (unsigned int)utf8_code_point(text));
	else
		fwrite(text, 1, length, file);
	return text + length;
}

void text_name(FILE *file, const char *name)
{
	const char *plain = name;

	if (name == NULL)
		return;
	/* Most names contain only printable ASCII characters, and are printed in one call. */
	while (*plain >= 0x20 && *plain < 0x7f)
		plain++;
	fwrite(name, 1, (size_t)(plain - name), file);
	while (*plain != '\0')
		plain = put_character(file, plain);
}

char *text_of_stream(FILE *stream, char **text)
{
	int has_failed = ferror(stream);

	has_failed |= fclose(stream) != 0;
	if (has_failed) {
		free(*text);
		*text = NULL;
	}
	return *text;
}

void text_begin_message(const char *name)
{
	fputs("mprof: ", stderr);
	text_name(stderr, name);
	fputs(": ", stderr);
}
