/* SPDX-License-Identifier: MIT */
/* Collects the symbols of a log that have another name in the source. */
#include "explore/readable_names.h"

#include "common/demangle.h"
#include "shared/text.h"
#include "symbolize/native_lines.h"

#include <stdlib.h>
#include <string.h>

/* Definitions that are fetched at once. */
#define BATCH 64

void readable_names_begin(readable_names *names)
{
	memset(names, 0, sizeof(*names));
	names->stream = open_memstream(&names->text, &names->length);
}

/* Control characters would end the name or the line; no symbol contains them. */
static int is_one_line(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ')
			return 0;
	return 1;
}

static void add_symbol(readable_names *names, const char *symbol)
{
	const char *shown = symbol != NULL ? demangle_shown(symbol) : NULL;

	if (shown != symbol && is_one_line(symbol) && is_one_line(shown))
		fprintf(names->stream, "%s\t%s\n", symbol, shown);
}

static void add_record(readable_names *names, const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_FUNCTION)
		add_symbol(names, record->as.function.name);
}

/* Damage ends the definitions of the block: it is reported where the log is checked. */
static void add_records(readable_names *names, mprof_reader *reader)
{
	static mprof_record records[BATCH];
	size_t count = 0;

	while (mprof_reader_next_records(reader, records, sizeof(records[0]), BATCH, &count) == MPROF_OK)
		for (size_t i = 0; i < count; i++)
			add_record(names, &records[i]);
}

static void add_mappings(readable_names *names, mprof_reader *reader)
{
	static mprof_mapping mappings[BATCH];
	size_t count = 0;

	while (mprof_reader_next_mappings(reader, mappings, sizeof(mappings[0]), BATCH, &count) == MPROF_OK)
		for (size_t i = 0; i < count; i++)
			add_symbol(names, mappings[i].name);
}

void readable_names_add(readable_names *names, const log_input *input, const mprof_block *block)
{
	static mprof_record record;

	if (names->stream == NULL)
		return;
	if (input_block_has_records(block))
		add_records(names, input->reader);
	else if (block->kind == MPROF_BLOCK_MAPPING)
		add_mappings(names, input->reader);
	while (definitions_next(&names->progress, input, &record))
		add_record(names, &record);
}

/* The functions at a location, as text of one line. */
static void add_frames(FILE *stream, char kind, uint32_t location, const native_frame *frames, size_t count)
{
	fprintf(stream, "%c%u", kind, location);
	for (size_t i = 0; i < count; i++) {
		const char *name = frames[i].name != NULL && is_one_line(frames[i].name) ? frames[i].name : "";
		const char *file = frames[i].file != NULL && is_one_line(frames[i].file) ? frames[i].file : "";

		fprintf(stream, "\t%s\t%u\t%s\t%d", name, frames[i].line, file, frames[i].is_inlined != 0);
	}
	fputc('\n', stream);
}

static int are_equal(const native_frame *frames, size_t count, const native_frame *others, size_t other_count)
{
	if (count != other_count)
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (frames[i].line != others[i].line || frames[i].name != others[i].name ||
		    frames[i].file != others[i].file)
			return 0;
	}
	return 1;
}

static void add_location(readable_names *names, native_lines *lines, uint32_t location)
{
	const native_frame *frames;
	const native_frame *innermost;
	size_t count = native_lines_find(lines, location, 1, &frames);
	size_t innermost_count = native_lines_find(lines, location, 0, &innermost);

	if (count > 0)
		add_frames(names->stream, '@', location, frames, count);
	if (innermost_count > 0 && !are_equal(frames, count, innermost, innermost_count))
		add_frames(names->stream, '=', location, innermost, innermost_count);
}

/* IDs are numbers from 1, few of which are not used. */
void readable_names_add_lines(readable_names *names, const mprof_reader *reader)
{
	const uint64_t count = mprof_reader_get_record_count(reader, MPROF_RECORD_LOCATION);
	native_lines *lines = names->stream != NULL && count > 0 ? native_lines_create(reader, 0) : NULL;
	mprof_record record;
	uint64_t found = 0;

	for (uint32_t id = 1; lines != NULL && found < count && id < 2 * count + 1000; id++) {
		if (mprof_reader_lookup_record(reader, MPROF_RECORD_LOCATION, id, &record, sizeof(record)) != MPROF_OK)
			continue;
		add_location(names, lines, id);
		found++;
	}
	native_lines_destroy(lines);
}

char *readable_names_copy(readable_names *names, size_t *length)
{
	char *copy;

	/* The text is valid until the next write. */
	if (names->stream == NULL || fflush(names->stream) != 0)
		return NULL;
	copy = malloc(names->length + 1);
	if (copy != NULL) {
		memcpy(copy, names->text, names->length);
		*length = names->length;
	}
	return copy;
}

int readable_names_end(readable_names *names)
{
	if (names->stream == NULL)
		return 0;
	names->text = text_of_stream(names->stream, &names->text);
	names->stream = NULL;
	if (names->text == NULL)
		return 0;
	if (names->length == 0) {
		free(names->text);
		names->text = NULL;
	}
	return 1;
}

void readable_names_release(readable_names *names)
{
	if (names->stream != NULL)
		fclose(names->stream);
	free(names->text);
	memset(names, 0, sizeof(*names));
}
