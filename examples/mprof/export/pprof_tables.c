/* SPDX-License-Identifier: MIT */
/* Writes the texts, mappings, functions and locations of a pprof profile. */
#include "export/pprof_tables.h"

#include <string.h>

/* Field numbers. */
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7, MAPPING_HAS_FILES = 8, MAPPING_HAS_LINES = 9 };
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_FILE = 4, FUNCTION_START_LINE = 5 };

typedef struct function_key {
	uint32_t name;
	uint32_t file;
	uint32_t line;
	uint32_t mapping;
} function_key;

/* Returns what intern_add() does, and 0 if out of memory. */
static int add_entry(pprof_tables *tables, intern_table *table, const void *key, size_t size, uint32_t *index)
{
	int result;

	*index = 0;
	result = intern_add(table, key, size, index);
	tables->has_failed |= result < 0;
	return result > 0;
}

static void write_entry(pprof_tables *tables, uint32_t field)
{
	protobuf_write(tables->stream, field, &tables->entry);
	tables->has_failed |= tables->entry.has_failed;
}

static uint32_t add_text(pprof_tables *tables, const char *text)
{
	size_t length = strlen(text);
	protobuf_message message = {0};
	uint32_t index;

	if (add_entry(tables, &tables->texts, text, length, &index)) {
		/* The text is borrowed as the content of a message. */
		message.bytes = (unsigned char *)(uintptr_t)text;
		message.length = length;
		protobuf_write(tables->stream, PPROF_STRING, &message);
	}
	return index;
}

uint32_t pprof_text(pprof_tables *tables, const char *text)
{
	const char *plain = text != NULL ? plain_text(&tables->plain, text) : "";

	/* The first text of the table has to be empty. */
	if (tables->texts.count == 0)
		add_text(tables, "");
	tables->has_failed |= plain == NULL;
	return plain != NULL ? add_text(tables, plain) : 0;
}

uint32_t pprof_mapping(pprof_tables *tables, const char *file)
{
	uint32_t text = pprof_text(tables, file);
	protobuf_message *entry = &tables->entry;
	uint32_t index;

	if (add_entry(tables, &tables->mappings, &text, sizeof(text), &index)) {
		protobuf_clear(entry);
		protobuf_number(entry, MAPPING_ID, index + UINT64_C(1));
		protobuf_number(entry, MAPPING_FILE, text);
		/* Otherwise pprof searches for the files, in order to symbolize addresses. */
		protobuf_number(entry, MAPPING_HAS_FUNCTIONS, 1);
		protobuf_number(entry, MAPPING_HAS_FILES, 1);
		protobuf_number(entry, MAPPING_HAS_LINES, 1);
		write_entry(tables, PPROF_MAPPING);
	}
	return index + 1;
}

/*
 * There is no system_name: if it were equal to the name, pprof would demangle the name, and remove the arguments of
 * methods that look like C++.
 */
static uint32_t add_function(pprof_tables *tables, const function_key *key)
{
	protobuf_message *entry = &tables->entry;
	uint32_t index;

	if (add_entry(tables, &tables->functions, key, sizeof(*key), &index)) {
		protobuf_clear(entry);
		protobuf_number(entry, FUNCTION_ID, index + UINT64_C(1));
		protobuf_number(entry, FUNCTION_NAME, key->name);
		protobuf_number(entry, FUNCTION_FILE, key->file);
		protobuf_number(entry, FUNCTION_START_LINE, key->line);
		write_entry(tables, PPROF_FUNCTION);
	}
	return index + 1;
}

uint32_t pprof_location(pprof_tables *tables, const stack_frame *frame, const char *main_file)
{
	const function_key key = {
		.name = pprof_text(tables, frame->name),
		.file = pprof_text(tables, frame->file),
		.line = frame->line,
		.mapping = pprof_mapping(tables, frame->module != NULL ? frame->module : main_file),
	};
	const uint32_t function = add_function(tables, &key);
	protobuf_message *entry = &tables->entry;
	protobuf_message *line = &tables->part;
	uint32_t index;

	if (add_entry(tables, &tables->locations, &function, sizeof(function), &index)) {
		protobuf_clear(line);
		protobuf_number(line, LINE_FUNCTION, function);
		protobuf_number(line, LINE_LINE, frame->line);
		protobuf_clear(entry);
		protobuf_number(entry, LOCATION_ID, index + UINT64_C(1));
		protobuf_number(entry, LOCATION_MAPPING, key.mapping);
		protobuf_add(entry, LOCATION_LINE, line);
		write_entry(tables, PPROF_LOCATION);
	}
	return index + 1;
}

void pprof_tables_release(pprof_tables *tables)
{
	intern_release(&tables->texts);
	intern_release(&tables->mappings);
	intern_release(&tables->functions);
	intern_release(&tables->locations);
	plain_text_release(&tables->plain);
	protobuf_release(&tables->entry);
	protobuf_release(&tables->part);
}
