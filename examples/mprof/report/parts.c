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

/* Prints a title in the words of the runtime: "Native memory" is called what the log states. */
static void print_title(const log_report *report, const char *title)
{
	static const char memory[] = "Native memory";
	const char *copy = report_property(report, "memory_title");

	title_count++;
	putchar('\n');
	if (copy == NULL || copy[0] == '\0' || strncmp(title, memory, sizeof(memory) - 1) != 0) {
		fputs(title, stdout);
		return;
	}
	text_name(stdout, copy);
	fputs(title + sizeof(memory) - 1, stdout);
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
