/* SPDX-License-Identifier: MIT */
/* Looks up call stacks, native code, roots and metrics by ID, and fields by class and offset. */
#include "base/elements.h"
#include "reader/errors.h"
#include "reader/reader_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void frame_set(mprof_stack_frame *frame, const definition_stack *stack)
{
	frame->id = stack->target;
	frame->is_native = stack->is_native;
	frame->is_compiling = stack->is_compiling;
}

mprof_status mprof_reader_lookup_stack(const mprof_reader *reader, uint32_t stack, mprof_stack_frame *frames,
				       size_t frame_size, size_t capacity, size_t *count)
{
	definition_stack found;
	mprof_stack_frame frame;

	if (reader == NULL || count == NULL || (frames == NULL && capacity > 0))
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	if (frame_size < SIZE_UP_TO(mprof_stack_frame, is_compiling))
		return MPROF_ERR_ARGUMENT;
	/* The ID of a caller's stack is always smaller, so the loop terminates. */
	while (definition_table_get_stack(&reader->definitions, stack, &found)) {
		if (*count < capacity) {
			frame_set(&frame, &found);
			element_put(frames, frame_size, *count, &frame, sizeof(frame));
		}
		++*count;
		stack = found.parent;
	}
	return *count > 0 ? MPROF_OK : MPROF_ERR_UNDEFINED_ID;
}

mprof_status mprof_reader_lookup_caller(const mprof_reader *reader, uint32_t stack, mprof_stack_frame *frame,
					size_t frame_size, uint32_t *caller)
{
	definition_stack found;
	mprof_stack_frame own;

	if (reader == NULL || frame == NULL || caller == NULL ||
	    frame_size < SIZE_UP_TO(mprof_stack_frame, is_compiling))
		return MPROF_ERR_ARGUMENT;
	if (!definition_table_get_stack(&reader->definitions, stack, &found))
		return MPROF_ERR_UNDEFINED_ID;
	frame_set(&own, &found);
	element_put(frame, frame_size, 0, &own, sizeof(own));
	*caller = found.parent;
	return MPROF_OK;
}

mprof_status mprof_reader_lookup_record(const mprof_reader *reader, mprof_record_kind kind, uint32_t id,
					mprof_record *record, size_t record_size)
{
	mprof_record own;
	int is_found;

	if (reader == NULL || record == NULL || record_size < SIZE_UP_TO(mprof_record, as))
		return MPROF_ERR_ARGUMENT;
	is_found = definition_table_get(&reader->definitions, kind, id, &own);
	element_put(record, record_size, 0, &own, sizeof(own));
	return is_found ? MPROF_OK : MPROF_ERR_UNDEFINED_ID;
}

mprof_status mprof_reader_lookup_field(const mprof_reader *reader, uint32_t class_id, uint64_t offset,
				       mprof_record *field, size_t record_size, uint64_t *index)
{
	mprof_record own;
	int is_found;

	if (reader == NULL || field == NULL || index == NULL || record_size < SIZE_UP_TO(mprof_record, as))
		return MPROF_ERR_ARGUMENT;
	is_found = field_table_get(&reader->fields, class_id, offset, &own, index);
	element_put(field, record_size, 0, &own, sizeof(own));
	return is_found ? MPROF_OK : MPROF_ERR_UNDEFINED_ID;
}

uint64_t mprof_reader_get_record_count(const mprof_reader *reader, mprof_record_kind kind)
{
	if (reader == NULL)
		return 0;
	if (kind == MPROF_RECORD_FIELD)
		return field_table_count(&reader->fields);
	return definition_table_count(&reader->definitions, kind);
}

/* The last component of a path. */
static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

size_t mprof_reader_format_location(const mprof_reader *reader, uint32_t location, char *text, size_t size)
{
	const definition_table *table;
	mprof_record code;
	mprof_record found;
	int length;

	if (reader == NULL || (text == NULL && size > 0))
		return 0;
	table = &reader->definitions;
	if (!definition_table_get(table, MPROF_RECORD_LOCATION, location, &code))
		length = snprintf(text, size, "#%" PRIu32, location);
	else if (definition_table_get(table, MPROF_RECORD_FUNCTION, code.as.location.function, &found) &&
		 found.as.function.name[0] != 0)
		length = snprintf(text, size, "%s", found.as.function.name);
	else if (definition_table_get(table, MPROF_RECORD_MODULE, code.as.location.module, &found) &&
		 found.as.module.file[0] != 0)
		length =
			snprintf(text, size, "%s+0x%" PRIx64, file_name(found.as.module.file), code.as.location.offset);
	else if (code.as.location.module != 0)
		/* The address is that of the module, 0 if not known, plus the offset. */
		length = snprintf(text, size, "0x%" PRIx64, found.as.module.address + code.as.location.offset);
	else
		length = snprintf(text, size, "0x%" PRIx64, code.as.location.offset);
	return length < 0 ? 0 : (size_t)length;
}
