/* SPDX-License-Identifier: MIT */
/* The lines that perf script prints. */
#include "import/perf_lines.h"

#include <ctype.h>
#include <string.h>

/* One character more than a time has. */
enum { MAX_TIME = 20 };

text trim(text text)
{
	while (text.length > 0 && isspace((unsigned char)text.start[0])) {
		text.start++;
		text.length--;
	}
	while (text.length > 0 && isspace((unsigned char)text.start[text.length - 1]))
		text.length--;
	return text;
}

/* Takes the last word of a text away from it. */
static text take_last(text *from)
{
	text word = {from->start + from->length, 0};

	while (word.start > from->start && !isspace((unsigned char)word.start[-1])) {
		word.start--;
		word.length++;
	}
	from->length -= word.length;
	*from = trim(*from);
	return word;
}

text take_first(text *from)
{
	text word = {from->start, 0};

	while (word.length < from->length && !isspace((unsigned char)word.start[word.length]))
		word.length++;
	from->start += word.length;
	from->length -= word.length;
	*from = trim(*from);
	return word;
}

int parse_number(text text, int base, size_t max_digits, uint64_t *value)
{
	*value = 0;
	if (text.length == 0 || text.length > max_digits)
		return 0;
	for (size_t i = 0; i < text.length; i++) {
		int c = tolower((unsigned char)text.start[i]), digit = isdigit(c) ? c - '0' : c - 'a' + 10;

		if (!isxdigit(c) || digit >= base)
			return 0;
		*value = *value * (uint64_t)base + (uint64_t)digit;
	}
	return 1;
}

/* Seconds with a fraction, in nanoseconds. */
static int parse_time(text word, uint64_t *time)
{
	const char *point = memchr(word.start, '.', word.length);
	text seconds = {word.start, 0}, fraction;
	uint64_t part;

	if (point == NULL)
		return 0;
	seconds.length = (size_t)(point - word.start);
	fraction = (text){point + 1, word.length - seconds.length - 1};
	if (!parse_number(seconds, 10, 9, time) || !parse_number(fraction, 10, 9, &part))
		return 0;
	for (size_t digits = fraction.length; digits < 9; digits++)
		part *= 10;
	*time = *time * 1000000000 + part;
	return 1;
}

/* COMM [PID/]TID [CPU]; a name may have blanks, brackets and numbers. */
static int parse_thread(text left, head *head)
{
	text word = take_last(&left);
	const char *slash;
	uint64_t cpu, process;

	head->cpu = UINT32_MAX;
	if (word.length > 2 && word.start[0] == '[' &&
	    parse_number((text){word.start + 1, word.length - 2}, 10, 9, &cpu)) {
		head->cpu = cpu;
		word = take_last(&left);
	}
	slash = memchr(word.start, '/', word.length);
	if (slash != NULL) {
		if (!parse_number((text){word.start, (size_t)(slash - word.start)}, 10, 10, &process))
			return 0;
		word.length -= (size_t)(slash + 1 - word.start);
		word.start = slash + 1;
	}
	head->comm = left;
	return parse_number(word, 10, 10, &head->thread);
}

int starts_with(text text, const char *prefix)
{
	return text.length >= strlen(prefix) && memcmp(text.start, prefix, strlen(prefix)) == 0;
}

/* [PERIOD] EVENT: [ADDRESS SYMBOL (FILE)]; there may be no event. */
static int parse_event(text right, head *head)
{
	text rest = right, word = take_first(&rest);
	uint64_t number;

	head->period = 0;
	if (parse_number(word, 10, 18, &number) && rest.length > 0) {
		text after = rest, event = take_first(&after);

		if (event.length > 1 && event.start[event.length - 1] == ':') {
			head->period = number;
			word = event;
			rest = after;
		}
	}
	head->event = (text){"", 0};
	head->rest = right;
	if (word.length == 0 || parse_number(word, 16, 16, &number))
		return 1;
	head->event = word;
	head->rest = rest;
	if (starts_with(word, "PERF_RECORD_"))
		return 1;
	head->event.length--;
	return word.length > 1 && word.start[word.length - 1] == ':';
}

/* The time is what can be recognised: SECONDS.FRACTION: after a number. The last one, as names may contain the same. */
int parse_head(text line, head *head)
{
	for (size_t end = line.length; end-- > 0;) {
		text right = {line.start + end + 1, line.length - end - 1}, left = {line.start, end};
		size_t shown = end < MAX_TIME ? end : MAX_TIME;
		text last = {line.start + end - shown, shown}, word;

		if (line.start[end] != ':' || (right.length > 0 && right.start[0] != ' '))
			continue;
		word = take_last(&last);
		if (!parse_time(word, &head->time))
			continue;
		left.length -= word.length;
		if (parse_thread(trim(left), head) && parse_event(trim(right), head))
			return 1;
	}
	return 0;
}

/* Takes the file, the last thing in parentheses, away from SYMBOL (FILE). Both may contain parentheses. */
static text take_file(text *symbol)
{
	size_t at = symbol->length, depth = 0;

	if (at == 0 || symbol->start[at - 1] != ')')
		return (text){"", 0};
	do {
		at--;
		depth += symbol->start[at] == ')';
		depth -= symbol->start[at] == '(';
	} while (depth > 0 && at > 0);
	for (size_t i = symbol->length; depth > 0 && i-- > 1;) {
		if (symbol->start[i] == '(' && symbol->start[i - 1] == ' ') {
			depth = 0;
			at = i;
		}
	}
	if (depth > 0 || (at > 0 && symbol->start[at - 1] != ' '))
		return (text){"", 0};
	text file = {symbol->start + at + 1, symbol->length - at - 2};
	symbol->length = at;
	*symbol = trim(*symbol);
	return file;
}

/* ADDRESS SYMBOL[+0xOFFSET] (FILE) */
int parse_frame(text line, frame *frame)
{
	text word = take_first(&line), file = take_file(&line), offset = {line.start + line.length, 0};

	memset(frame, 0, sizeof(*frame));
	if (!parse_number(word, 16, 16, &frame->address))
		return 0;
	while (offset.start > line.start && isxdigit((unsigned char)offset.start[-1])) {
		offset.start--;
		offset.length++;
	}
	if (offset.start - line.start > 3 && memcmp(offset.start - 3, "+0x", 3) == 0) {
		if (!parse_number(offset, 16, 16, &frame->offset) || frame->offset > frame->address)
			return 0;
		frame->has_offset = 1;
		line.length -= offset.length + 3;
	}
	frame->is_inlined = file.length == 7 && memcmp(file.start, "inlined", 7) == 0;
	frame->symbol = line;
	frame->file = file;
	return 1;
}

int parse_source(text line, text *file, uint32_t *number)
{
	const text first = take_first(&line);
	size_t colon = first.length;
	uint64_t value;

	while (colon > 0 && first.start[colon - 1] != ':')
		colon--;
	if (colon < 2 || !parse_number((text){first.start + colon, first.length - colon}, 10, 9, &value) || value == 0)
		return 0;
	*file = (text){first.start, colon - 1};
	*number = (uint32_t)value;
	return 1;
}
