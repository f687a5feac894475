/* SPDX-License-Identifier: MIT */
/* Delivers the items of the loaded block. */
#include <mprof/format.h>

#include "base/caller_structs.h"
#include "format/values/dialect.h"
#include "parser/items.h"
#include "parser/parser.h"
#include "reader/call_stacks.h"
#include "reader/code_names.h"
#include "reader/errors.h"
#include "reader/open_frames.h"
#include "reader/reader.h"
#include "reader/reader_internal.h"

#include <stddef.h>
#include <string.h>

/*
 * Mono 2.6 wrote the end of a failed class load with the code of an allocation, and the time since the previous event,
 * which may be garbage, in place of the size. Below this limit it cannot be distinguished from an allocation.
 */
#define MAX_OBJECT_SIZE (UINT64_C(1) << 40)

/*
 * Makes allocations whose size no object can have ends of a class load with MPROF_EVENT_FLAG_FAILED. For the events of
 * a dialect with dialect_rules::has_failed_loads_as_allocations.
 */
static void failed_loads_convert(mprof_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		mprof_event *event = &events[i];

		if (event->kind != MPROF_EVENT_ALLOCATION && event->kind != MPROF_EVENT_ALLOCATION_AT_JIT)
			continue;
		if (event->value <= MAX_OBJECT_SIZE)
			continue;
		event->kind = MPROF_EVENT_CLASS_LOAD_END;
		event->flags = MPROF_EVENT_FLAG_FAILED;
		event->value = 0;
		event->more.detail_bits = 0;
		event->more.detail = NULL;
	}
}

/* As mprof_reader_next_events(), for one kind of block. */
typedef mprof_status reader_fetch(mprof_reader *reader, mprof_event *events, size_t capacity, size_t *count);

/*
 * Called when all events were delivered. If information attached to them is incomplete, returns the reason once, in
 * place of #MPROF_END.
 */
static mprof_status end_events(mprof_reader *reader)
{
	mprof_status fault = reader->fetch_fault;

	reader->stacks.is_done = 1;
	reader->frames.is_done = 1;
	reader->fetch_fault = MPROF_OK;
	return fault == MPROF_OK ? MPROF_END : reader_fail_names(reader, fault, parser_block(reader->parser));
}

/* For events that need no processing except following the open calls. */
static mprof_status next_plain(mprof_reader *reader, mprof_event *events, size_t capacity, size_t *count)
{
	return reader_end_parsed(reader, mprof_parser_next_events(reader->parser, events, capacity, count));
}

/* Returns the function that fetches the events of the loaded block. */
static reader_fetch *fetch_function(const mprof_reader *reader)
{
	if (!parser_has_content(reader->parser))
		return next_plain;
	if (parser_block(reader->parser)->kind == MPROF_BLOCK_STATISTICAL)
		return reader_samples_next;
	return reader_has_stack_sections(reader) ? reader_stacks_next : next_plain;
}

/* Delivers events that are in an array of the parser, or in that of the caller. */
static mprof_status lend_events(mprof_reader *reader, mprof_event *events, size_t capacity, mprof_event **borrowed,
				size_t *count)
{
	reader_fetch *fetch = capacity > 0 ? fetch_function(reader) : next_plain;
	mprof_status status;

	*borrowed = events;
	reader->fetches_columns = 0;
	if (fetch == next_plain && capacity > 0)
		status = reader_end_parsed(reader,
					   parser_lend_events(reader->parser, events, capacity, borrowed, count));
	else
		status = fetch(reader, events, capacity, count);
	if (*count > 0 && dialect_get(mprof_parser_get_dialect(reader->parser))->has_failed_loads_as_allocations)
		failed_loads_convert(*borrowed, *count);
	if (*count > 0)
		reader_frames_attach(reader, *borrowed, *count);
	status = reader_end_fetch(reader, status, count);
	return status == MPROF_END ? end_events(reader) : status;
}

mprof_status reader_lend_events(mprof_reader *reader, mprof_event *events, size_t capacity,
				const mprof_event **borrowed, size_t *count)
{
	mprof_event *found = events;
	mprof_status status;

	*count = 0;
	*borrowed = events;
	status = reader_check(reader);
	if (status != MPROF_OK)
		return status;
	status = lend_events(reader, events, capacity, &found, count);
	reader_name_events(reader, found, *count);
	*borrowed = found;
	return status;
}

mprof_status mprof_reader_next_events(mprof_reader *reader, mprof_event *events, size_t capacity, size_t *count)
{
	mprof_event *borrowed = events;
	mprof_status status;

	if (reader_check_pointer(reader, events) != MPROF_OK || reader_check_pointer(reader, count) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	status = reader_check(reader);
	if (status != MPROF_OK)
		return status;
	status = lend_events(reader, events, capacity, &borrowed, count);
	if (*count > 0 && borrowed != events)
		memcpy(events, borrowed, *count * sizeof(*events));
	return status;
}

/* Whether the reader changes the events of the loaded block in other ways than by naming implicit leaves. */
static int has_completed_events(const mprof_reader *reader)
{
	return reader_has_stack_sections(reader) ||
	       dialect_get(mprof_parser_get_dialect(reader->parser))->has_failed_loads_as_allocations;
}

/* Fetches events as structs, and converts them: for dialects whose events the reader completes or corrects. */
static mprof_status next_converted(mprof_reader *reader, uint32_t wanted, mprof_columns *columns)
{
	event_arrays *arrays = parser_columns_reserve(reader->parser);
	size_t count;
	mprof_status status;

	if (arrays == NULL)
		return reader_fail_parser(reader, MPROF_ERR_MEMORY);
	event_arrays_point(arrays, wanted, columns);
	columns->start_counter = (wanted & MPROF_COLUMN_TIMES) != 0 ? parser_events_counter(reader->parser) : 0;
	status = mprof_reader_next_events(reader, arrays->rows, EVENT_ARRAYS_ROWS, &count);
	event_arrays_convert(arrays, count, columns);
	return status;
}

/* Whether the loaded block stores events in columns. */
static int is_in_columns(const mprof_reader *reader)
{
	return parser_block(reader->parser)->code == dialect_get(mprof_parser_get_dialect(reader->parser))->column_code;
}

int reader_has_columns(const mprof_reader *reader)
{
	return parser_has_content(reader->parser) && parser_block(reader->parser)->kind == MPROF_BLOCK_EVENTS &&
	       is_in_columns(reader) && !has_completed_events(reader) && !reader_frames_are_followed(reader) &&
	       !reader_has_code_ranges(reader);
}

static mprof_status next_columns(mprof_reader *reader, uint32_t wanted, mprof_columns *columns)
{
	mprof_status status;

	if (parser_has_content(reader->parser) && parser_block(reader->parser)->kind == MPROF_BLOCK_EVENTS) {
		if (has_completed_events(reader))
			return next_converted(reader, wanted, columns);
		reader->fetches_columns = is_in_columns(reader);
		reader_frames_pass(reader);
	}
	status = reader_end_parsed(reader, mprof_parser_next_columns(reader->parser, wanted, columns));
	return status == MPROF_END ? end_events(reader) : status;
}

mprof_status mprof_reader_next_columns(mprof_reader *reader, uint32_t wanted, mprof_columns *columns)
{
	mprof_columns found = {.struct_size = sizeof(found)};
	mprof_status status;

	if (reader_check_pointer(reader, columns) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	status = reader_check(reader);
	if (status == MPROF_OK && parser_columns_check(reader->parser, wanted, columns) != MPROF_OK)
		return reader_fail_parser(reader, MPROF_ERR_ARGUMENT);
	if (status == MPROF_OK)
		status = next_columns(reader, wanted, &found);
	(void)struct_copy_out(columns, &found, sizeof(found));
	return status;
}

mprof_status mprof_reader_next_mappings(mprof_reader *reader, mprof_mapping *mappings, size_t mapping_size,
					size_t capacity, size_t *count)
{
	mprof_status status;

	if (reader_check_pointer(reader, mappings) != MPROF_OK || reader_check_pointer(reader, count) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	status = reader_check(reader);
	if (status != MPROF_OK)
		return status;
	status = mprof_parser_next_mappings(reader->parser, mappings, mapping_size, capacity, count);
	for (size_t i = 0; i < *count; i++)
		name_table_source(&reader->names, (mprof_mapping *)(void *)((char *)mappings + i * mapping_size));
	return status <= MPROF_END ? status : reader_fail_parser(reader, status);
}

mprof_status mprof_reader_next_property(mprof_reader *reader, const char **key, const char **value)
{
	mprof_status status;

	if (reader_check_pointer(reader, key) != MPROF_OK || reader_check_pointer(reader, value) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	status = reader_check(reader);
	if (status != MPROF_OK)
		return status;
	status = mprof_parser_next_property(reader->parser, key, value);
	return status <= MPROF_END ? status : reader_fail_parser(reader, status);
}

/* Fetches the records of a STATISTICAL block and replaces their IDs by those of the reader. */
static mprof_status next_translated(mprof_reader *reader, mprof_record *records, size_t record_size, size_t capacity,
				    size_t *count)
{
	mprof_record record;
	mprof_status status = MPROF_OK;
	size_t got = 1;

	if (record_size < SIZE_UP_TO(mprof_record, as) || capacity == 0)
		return mprof_parser_next_records(reader->parser, records, record_size, capacity, count);
	while (status == MPROF_OK && *count < capacity) {
		status = mprof_parser_next_records(reader->parser, &record, sizeof(record), 1, &got);
		if (status != MPROF_OK)
			break;
		reader_samples_translate(reader, &record);
		element_put(records, record_size, (*count)++, &record, sizeof(record));
	}
	return *count > 0 ? MPROF_OK : status;
}

mprof_status mprof_reader_next_records(mprof_reader *reader, mprof_record *records, size_t record_size, size_t capacity,
				       size_t *count)
{
	mprof_status status;

	if (reader_check_pointer(reader, records) != MPROF_OK || reader_check_pointer(reader, count) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	status = reader_check(reader);
	if (status != MPROF_OK)
		return status;
	if (parser_has_content(reader->parser) && parser_block(reader->parser)->kind == MPROF_BLOCK_STATISTICAL)
		status = next_translated(reader, records, record_size, capacity, count);
	else
		status = mprof_parser_next_records(reader->parser, records, record_size, capacity, count);
	if (status > MPROF_END)
		return reader_fail_parser(reader, status);
	return reader_end_fetch(reader, status, count);
}

int reader_may_visit(const mprof_reader *reader)
{
	return parser_has_content(reader->parser) && !has_completed_events(reader) &&
	       !reader_frames_are_followed(reader) && !reader_has_code_ranges(reader);
}

void *reader_visit(const mprof_reader *reader, int *is_whole)
{
	*is_whole = 0;
	return reader_may_visit(reader) ? parser_visit(reader->parser, is_whole) : NULL;
}

uint32_t reader_object_size(const mprof_reader *reader, uint32_t class_id)
{
	return id_map_get(parser_object_sizes(reader->parser), class_id);
}

void reader_pass_visited(mprof_reader *reader)
{
	parser_pass_visited(reader->parser);
	(void)end_events(reader);
}

mprof_status reader_next_frames_of_samples(mprof_reader *reader, mprof_event *events, size_t capacity, size_t *count)
{
	return next_plain(reader, events, capacity, count);
}
