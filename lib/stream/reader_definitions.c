/* SPDX-License-Identifier: MIT */
#include "stream/reader_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void frame_set(mprof_stack_frame *frame, const definition_stack *stack)
{
	frame->id = stack->target;
	frame->is_native = stack->is_native;
	frame->is_compiling = stack->is_compiling;
}

mprof_status mprof_reader_stack(const mprof_reader *reader, uint32_t stack, mprof_stack_frame *frames, size_t capacity,
				size_t *count)
{
	definition_stack found;

	*count = 0;
	/* A caller's ID is smaller, so this ends. */
	while (definition_table_get_stack(&reader->definitions, stack, &found)) {
		if (*count < capacity)
			frame_set(&frames[*count], &found);
		++*count;
		stack = found.parent;
	}
	return *count > 0 ? MPROF_OK : MPROF_ERR_UNDEFINED_ID;
}

mprof_status mprof_reader_stack_step(const mprof_reader *reader, uint32_t stack, mprof_stack_frame *frame,
				     uint32_t *caller)
{
	definition_stack found;

	if (!definition_table_get_stack(&reader->definitions, stack, &found))
		return MPROF_ERR_UNDEFINED_ID;
	frame_set(frame, &found);
	*caller = found.parent;
	return MPROF_OK;
}

mprof_status mprof_reader_record(const mprof_reader *reader, mprof_record_kind kind, uint32_t id, mprof_record *record)
{
	return definition_table_get(&reader->definitions, kind, id, record) ? MPROF_OK : MPROF_ERR_UNDEFINED_ID;
}

uint64_t mprof_reader_record_count(const mprof_reader *reader, mprof_record_kind kind)
{
	return definition_table_count(&reader->definitions, kind);
}

/* What a path ends with. */
static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

size_t mprof_reader_location_name(const mprof_reader *reader, uint32_t location, char *text, size_t size)
{
	const definition_table *table = &reader->definitions;
	mprof_record place;
	mprof_record found;
	int length;

	if (!definition_table_get(table, MPROF_RECORD_LOCATION, location, &place))
		length = snprintf(text, size, "#%" PRIu32, location);
	else if (definition_table_get(table, MPROF_RECORD_FUNCTION, place.target, &found) && found.name[0] != 0)
		length = snprintf(text, size, "%s", found.name);
	else if (definition_table_get(table, MPROF_RECORD_MODULE, place.parent, &found) && found.name[0] != 0)
		length = snprintf(text, size, "%s+0x%" PRIx64, file_name(found.name), place.start);
	else if (place.parent != 0)
		/* Its address is that of the module, if that is known, and the offset. */
		length = snprintf(text, size, "0x%" PRIx64, found.start + place.start);
	else
		length = snprintf(text, size, "0x%" PRIx64, place.start);
	return length < 0 ? 0 : (size_t)length;
}
