/* SPDX-License-Identifier: MIT */
/* Prints titles and names, and limits the sizes of documents, for all parts of a report. */
#include "report/parts.h"

#include "common/name_cut.h"
#include "shared/text.h"

#include <string.h>

int report_larger_first(uint64_t left, uint64_t right)
{
	return (left < right) - (left > right);
}

uint64_t report_least(uint64_t share, uint64_t whole)
{
	uint64_t rest = whole % REPORT_WHOLE * share;

	/* Neither product can overflow, since a share is at most REPORT_WHOLE. */
	return whole / REPORT_WHOLE * share + rest / REPORT_WHOLE + (rest % REPORT_WHOLE != 0);
}

const char *report_property(const log_report *report, const char *key)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(report->profile, MPROF_TABLE_PROPERTIES); i++) {
		mprof_profile_property property = {.struct_size = sizeof(property)};

		if (mprof_profile_get_row(report->profile, MPROF_TABLE_PROPERTIES, i, &property) == MPROF_OK &&
		    strcmp(property.key, key) == 0)
			return property.value;
	}
	return NULL;
}

static size_t title_count;

size_t report_title_count(void)
{
	return title_count;
}

/* The longest name of a kind of code units, in bytes (doc/format.md, 3.8). */
#define MAX_ELEMENT_NAME 32

/* The names of modules, assemblies and domains. Returns 0 unless the text has all of them. */
static int parse_element_names(const char *text, char names[3][MAX_ELEMENT_NAME + 1])
{
	for (size_t i = 0; i < 3; i++) {
		const size_t length = strcspn(text, ",");

		if (length == 0 || length > MAX_ELEMENT_NAME || (text[length] == ',') != (i < 2))
			return 0;
		memcpy(names[i], text, length);
		names[i][length] = '\0';
		for (size_t k = 0; k < length; k++) {
			if ((unsigned char)text[k] < ' ' || text[k] == 0x7f)
				return 0;
		}
		text += length + (i < 2);
	}
	return 1;
}

/* Words for which a log may state others. */
static const struct {
	const char *word;
	const char *property;
	size_t element; /* Of "element_names": which of them. */
} own_words[] = {
	{"Native memory", "memory_title", 0},
	{"assembly", "element_names", 1},
};

void report_own_words(const log_report *report, const char *text)
{
	char names[3][MAX_ELEMENT_NAME + 1];

	for (size_t i = 0; i < sizeof(own_words) / sizeof(own_words[0]); i++) {
		const char *found = strstr(text, own_words[i].word);
		const char *stated = found != NULL ? report_property(report, own_words[i].property) : NULL;
		const int is_element = strcmp(own_words[i].property, "element_names") == 0;

		if (stated == NULL || stated[0] == '\0' || (is_element && !parse_element_names(stated, names)))
			continue;
		printf("%.*s", (int)(found - text), text);
		text_name(stdout, is_element ? names[own_words[i].element] : stated);
		fputs(found + strlen(own_words[i].word), stdout);
		return;
	}
	fputs(text, stdout);
}

static void print_title(const log_report *report, const char *title)
{
	title_count++;
	putchar('\n');
	report_own_words(report, title);
}

void report_title(const log_report *report, const char *title, size_t shown, size_t all, report_table table)
{
	const char *separator = " (";

	print_title(report, title);
	if (shown < all) {
		printf("%s%zu of %zu", separator, shown, all);
		separator = "; ";
	}
	puts(sections_ignored_text(report, table, separator)[0] == ';' ? ")" : "");
}

const char *report_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

void report_name(const char *name)
{
	name_print(name != NULL ? name : "(unknown)");
	putchar('\n');
}

void report_method(const log_report *report, uint32_t id)
{
	report_name(names_full_method(report->input.names, id));
}

void report_class(const log_report *report, uint32_t id)
{
	class_name name;

	report_name(names_class_or_none(report->input.reader, id, &name));
}

/* For a small log, the document may be larger than the log. */
#define MIN_ROOM 65536

uint64_t report_room(const log_report *report)
{
	const block_storage *storage = &report->summary.storage;
	uint64_t size = report->summary.size;

	if (!report->options.is_bounded)
		return UINT64_MAX;
	/* A log has the same report however it is compressed. */
	if (storage->unpacked_bytes > storage->packed_bytes)
		size += storage->unpacked_bytes - storage->packed_bytes;
	return size > MIN_ROOM ? size : MIN_ROOM;
}

int report_takes_room(uint64_t *room, uint64_t size)
{
	int has_room = size <= *room;

	*room -= has_room && *room != UINT64_MAX ? size : 0;
	return has_room;
}

void report_json_position(json_writer *json, const char *file, uint32_t line)
{
	json_string(json, "file", file);
	if (line != 0)
		json_unsigned(json, "line", line);
	else
		json_null(json, "line");
}
