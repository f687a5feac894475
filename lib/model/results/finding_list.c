/* SPDX-License-Identifier: MIT */
/* The list of findings: their sentences and their commands. */
#include "model/results/finding_list.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The least severity of a finding that is not the only one. */
enum { MIN_SEVERITY = 5 };

/* Stands for the log in commands if it has no name, or a name that is too long. */
#define NO_NAME "FILE"

/*
 * Numbers.
 */

/* A damaged log may have parts that are far larger than their whole. */
uint64_t finding_scaled(uint64_t part, uint64_t whole, double factor)
{
	const double scaled = whole == 0 ? 0 : factor * (double)part / (double)whole;

	return scaled < (double)FINDING_SCALED_MAX ? (uint64_t)scaled : FINDING_SCALED_MAX;
}

uint64_t finding_percent(uint64_t part, uint64_t whole)
{
	return finding_scaled(part, whole, 100);
}

char *finding_count(char text[FINDING_NUMBER_SIZE], uint64_t count)
{
	char digits[24];
	const size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, count);
	size_t out = 0;

	for (size_t i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			text[out++] = ',';
		text[out++] = digits[i];
	}
	text[out] = '\0';
	return text;
}

static char *write_scaled(char text[FINDING_NUMBER_SIZE], double number, const char *const *units, size_t unit_count)
{
	size_t unit = 0;

	while (unit + 1 < unit_count && number >= 1000) {
		number /= 1000;
		unit++;
	}
	snprintf(text, FINDING_NUMBER_SIZE, "%.*f %s", unit == 0 ? 0 : number >= 100 ? 1 : 2, number, units[unit]);
	return text;
}

char *finding_duration(char text[FINDING_NUMBER_SIZE], uint64_t nanoseconds)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};

	return write_scaled(text, (double)nanoseconds, units, sizeof(units) / sizeof(units[0]));
}

char *finding_bytes(char text[FINDING_NUMBER_SIZE], uint64_t bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};

	return write_scaled(text, (double)bytes, units, sizeof(units) / sizeof(units[0]));
}

char *finding_share(char text[FINDING_NUMBER_SIZE], uint64_t part, uint64_t whole)
{
	snprintf(text, FINDING_NUMBER_SIZE, "%.1f %%", whole == 0 ? 0.0 : 100.0 * (double)part / (double)whole);
	return text;
}

/*
 * Names.
 */

static void read_native_name(const finding_source *source, uint32_t kind, uint32_t id, char *text, size_t size)
{
	const uint32_t wanted = kind == MPROF_SAMPLE_FUNCTION ? MPROF_RECORD_FUNCTION : MPROF_RECORD_MODULE;
	mprof_record record;
	const char *name;

	if (mprof_reader_lookup_record(source->reader, wanted, id, &record, sizeof(record)) != MPROF_OK) {
		snprintf(text, size, "(unknown)");
		return;
	}
	if (kind == MPROF_SAMPLE_FUNCTION) {
		snprintf(text, size, "%s", record.as.function.name);
		return;
	}
	name = strrchr(record.as.module.file, '/');
	snprintf(text, size, "[%s]", name != NULL ? name + 1 : record.as.module.file);
}

static void read_name(const finding_source *source, uint32_t kind, uint32_t id, char *text, size_t size)
{
	mprof_mapping definition;

	text[0] = '\0';
	if (source->options.name != NULL) {
		source->options.name(source->options.user, kind, id, text, size);
		text[size - 1] = '\0';
		return;
	}
	switch (kind) {
	case MPROF_SAMPLE_METHOD:
		if (id != 0)
			mprof_reader_format_method(source->reader, id, text, size);
		break;
	case MPROF_SAMPLE_CLASS:
		if (mprof_reader_lookup_class(source->reader, id, &definition, sizeof(definition)) == MPROF_OK)
			snprintf(text, size, "%s", definition.name);
		break;
	case MPROF_SAMPLE_LOCATION:
		mprof_reader_format_location(source->reader, id, text, size);
		break;
	default:
		read_native_name(source, kind, id, text, size);
	}
	if (text[0] == '\0')
		snprintf(text, size, "(unknown)");
}

/* Whether a byte is not the first one of a character in UTF-8. */
static int is_continued(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

/* The first character that is not before a position. */
static const char *next_character(const char *text)
{
	while (is_continued(*text))
		text++;
	return text;
}

/* Control characters would change what a terminal shows. What does not fit is cut between two characters. */
char *finding_printable(char *to, size_t size, const char *from)
{
	const size_t whole = strlen(from);
	size_t length = whole < size ? whole : size - 1;

	while (length > 0 && length < whole && is_continued(from[length]))
		length--;
	for (size_t i = 0; i < length; i++)
		to[i] = (char)((unsigned char)from[i] < 0x20 || from[i] == 0x7f ? '?' : from[i]);
	to[length] = '\0';
	return to;
}

char *finding_words(char text[FINDING_WORDS_SIZE], const char *name)
{
	return finding_printable(text, FINDING_WORDS_SIZE, name);
}

char *finding_name(const finding_source *source, uint32_t kind, uint32_t id, char text[FINDING_NAME_SIZE])
{
	char whole[4 * FINDING_COMMAND_SIZE];
	char *arguments;
	const char *end;

	read_name(source, kind, id, whole, sizeof(whole));
	arguments = strstr(whole, " (");
	if (arguments == NULL)
		arguments = strstr(whole, "(...)");
	if (arguments != NULL && arguments != whole)
		*arguments = '\0';
	if (strlen(whole) < FINDING_NAME_SIZE) {
		return finding_printable(text, FINDING_NAME_SIZE, whole);
	}
	end = next_character(whole + strlen(whole) - (FINDING_NAME_SIZE - 4));
	finding_printable(text, FINDING_NAME_SIZE, "...");
	finding_printable(text + 3, FINDING_NAME_SIZE - 3, end);
	return text;
}

int finding_is_of_runtime(const char *name)
{
	static const char *const beginnings[] = {"System.",   "Mono.",   "object.",    "string.",  "(wrapper",
						 "<Module>.", "std::",   "__gnu_cxx",  "operator", "malloc",
						 "calloc",    "realloc", "_Zn",        "_ZNSt",    "_ZSt",
						 "_ZNKSt",    "[",       "mono-sgen+", "mono_",    "__libc",
						 "strdup",    "void* ",  "decltype",   "int.",     "(unknown)",
						 "__strdup"};

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return 1;
	}
	return 0;
}

void finding_pattern(const finding_source *source, uint32_t kind, uint32_t id, char text[FINDING_COMMAND_SIZE])
{
	char whole[FINDING_COMMAND_SIZE / 4];
	size_t length = 0;

	read_name(source, kind, id, whole, sizeof(whole));
	/* What would be a pattern or would end the quotes matches itself as any character; an ellipsis matches all. */
	for (const char *next = whole; *next != '\0' && strncmp(next, " (", 2) != 0; next++) {
		if (strncmp(next, "...", 3) == 0) {
			text[length++] = '*';
			next += 2;
			continue;
		}
		text[length++] = (char)(strchr("*?[]'\\", *next) != NULL || (unsigned char)*next < 0x20 ? '?' : *next);
	}
	/* A name that was cut is continued. */
	if (strlen(whole) + 1 == sizeof(whole))
		text[length++] = '*';
	text[length] = '\0';
}

/*
 * The list.
 */

/* The bytes of a text between the quotes of a shell. */
static size_t quoted_length(const char *text)
{
	size_t length = 2;

	for (; *text != '\0'; text++)
		length += *text == '\'' ? 4 : 1;
	return length;
}

/* Appends the name of the log as a word of a shell. A part of a name would be that of another file. */
static void append_log(char *command, size_t size, const char *log)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+=,@%-";
	size_t length = strlen(command);

	if (quoted_length(log) >= size - length)
		log = NO_NAME;
	if (log[0] != '\0' && strspn(log, plain) == strlen(log)) {
		snprintf(command + length, size - length, "%s", log);
		return;
	}
	command[length++] = '\'';
	for (; *log != '\0'; log++) {
		if (*log == '\'')
			length += (size_t)snprintf(command + length, size - length, "'\\''");
		else
			command[length++] = *log;
	}
	command[length++] = '\'';
	command[length] = '\0';
}

void finding_add(finding_source *source, const char *kind, const char *section, uint64_t severity, const char *words,
		 const char *format, ...)
{
	mprof_finding_list *list = source->list;
	finding *added;
	va_list arguments;

	if (list->count == FINDINGS_MAX)
		return;
	added = &list->items[list->count++];
	added->kind = kind;
	added->section = section;
	added->severity = severity > 100 ? 100 : (uint32_t)severity;
	va_start(arguments, format);
	(void)vsnprintf(added->text, sizeof(added->text), format, arguments);
	va_end(arguments);
	snprintf(added->command, sizeof(added->command) / 2, "mprof %s", words);
	snprintf(added->command + strlen(added->command), 2, " ");
	append_log(added->command, sizeof(added->command), source->options.log != NULL ? source->options.log : NO_NAME);
}

/* The most severe first; findings of the same severity stay in the order of the rules. */
static void sort_findings(mprof_finding_list *list)
{
	for (size_t i = 1; i < list->count; i++) {
		const finding moved = list->items[i];
		size_t to = i;

		for (; to > 0 && list->items[to - 1].severity < moved.severity; to--)
			list->items[to] = list->items[to - 1];
		list->items[to] = moved;
	}
}

void finding_list_keep(mprof_finding_list *list, size_t most)
{
	sort_findings(list);
	if (list->count > most)
		list->count = most;
	while (list->count > 1 && list->items[list->count - 1].severity < MIN_SEVERITY)
		list->count--;
}
