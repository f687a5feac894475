/* SPDX-License-Identifier: MIT */
/* Samples and allocations by line of the source. */
#include "model/records/line_list.h"

#include "base/checked.h"
#include "model/records/samples.h"

#include <string.h>

/* How many hashes after that of a line are searched. Only chance makes them equal: the table is seeded. */
#define MAX_COLLISIONS 16

void line_list_init(line_list *lines, const mprof_allocator *allocator)
{
	memset(lines, 0, sizeof(*lines));
	lines->allocator = *allocator;
	hash_map_init(&lines->numbers, allocator);
}

void line_list_clear(line_list *lines)
{
	hash_map_destroy(&lines->numbers);
	hash_map_init(&lines->numbers, &lines->allocator);
	lines->count = 0;
}

void line_list_destroy(line_list *lines)
{
	hash_map_destroy(&lines->numbers);
	allocator_release(&lines->allocator, lines->records, lines->capacity * sizeof(*lines->records));
	lines->records = NULL;
	lines->capacity = 0;
	lines->count = 0;
}

/* The source file of a position: its own, or that of the method. NULL if it is not known. */
static const char *find_file(const mprof_reader *reader, const mprof_position_record *position)
{
	mprof_mapping method;
	mprof_record text;

	if (position->file != 0 &&
	    mprof_reader_lookup_record(reader, MPROF_RECORD_TEXT, position->file, &text, sizeof(text)) == MPROF_OK)
		return text.as.text.text;
	if (position->is_native || position->file != 0 ||
	    mprof_reader_lookup_method(reader, position->target, &method, sizeof(method)) != MPROF_OK)
		return NULL;
	return method.source_file;
}

/* Files are compared by their address: a log defines each name once. */
static int is_same_line(const mprof_line_stats *one, const mprof_line_stats *other)
{
	return one->kind == other->kind && one->id == other->id && one->line == other->line && one->file == other->file;
}

static line_record *add_line(line_list *lines, const mprof_line_stats *line, uint64_t hash, int is_free)
{
	void *records = lines->records;
	line_record *record;
	int is_reserved =
		array_reserve(&lines->allocator, &records, &lines->capacity, lines->count + 1, sizeof(*lines->records));

	lines->records = records;
	if (!is_reserved || (is_free && !hash_map_put(&lines->numbers, hash, lines->count)))
		return NULL;
	record = &lines->records[lines->count++];
	*record = (line_record){.stats = *line};
	return record;
}

/* The record of a line, which is added if it is new. NULL if there is no memory. */
static line_record *get_line(line_list *lines, const mprof_line_stats *line)
{
	uint64_t hash = hash_mix(lines->numbers.index.seed, (uint64_t)line->kind << 32 | line->id);

	hash = hash_mix(hash_mix(hash, line->line), (uint64_t)(uintptr_t)line->file);
	for (int i = 0; i < MAX_COLLISIONS; i++, hash++) {
		const uint64_t *found = hash_map_get(&lines->numbers, hash);

		if (found == NULL)
			return add_line(lines, line, hash, 1);
		if (is_same_line(&lines->records[*found].stats, line))
			return &lines->records[*found];
	}
	return add_line(lines, line, hash, 0);
}

/* The record of the line of a frame. NULL if there is no memory. */
static line_record *line_of_frame(line_list *lines, const mprof_reader *reader, const mprof_stack_frame *frame)
{
	mprof_line_stats line = {.line = frame->line};
	mprof_record position;

	samples_item_of_frame(reader, frame, &line.kind, &line.id);
	if (mprof_reader_lookup_record(reader, MPROF_RECORD_POSITION, frame->position, &position, sizeof(position)) ==
	    MPROF_OK)
		line.file = find_file(reader, &position.as.position);
	return get_line(lines, &line);
}

int line_list_add(line_list *lines, const mprof_reader *reader, uint32_t stack, const line_counts *counts)
{
	int is_innermost = 1;
	int is_allocating = 1;
	mprof_stack_frame frame;
	uint32_t caller;

	lines->mark++;
	for (; mprof_reader_lookup_caller(reader, stack, &frame, sizeof(frame), &caller) == MPROF_OK; stack = caller) {
		line_record *record = NULL;

		if (frame.position != 0) {
			record = line_of_frame(lines, reader, &frame);
			if (record == NULL)
				return 0;
			record->stats.samples += is_innermost ? counts->samples : 0;
			record->stats.samples_total += record->mark != lines->mark ? counts->samples : 0;
			record->stats.allocations += is_allocating ? counts->allocations : 0;
			record->stats.bytes += is_allocating ? counts->bytes : 0;
			record->mark = lines->mark;
		}
		is_innermost = 0;
		is_allocating &= record == NULL && frame.is_native;
		/* The ID of a caller is below those of its callees; without this check a cycle would never end. */
		if (caller >= stack)
			break;
	}
	return 1;
}
