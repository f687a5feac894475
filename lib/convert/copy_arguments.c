/* SPDX-License-Identifier: MIT */
/* Copies events of types. */
#include "convert/copy_arguments.h"

#include "convert/merge_events.h"
#include "format/blocks/records.h"

#include <string.h>

/* The kinds of records that arguments refer to. */
static const uint32_t referenced[] = {MPROF_RECORD_TEXT, MPROF_RECORD_STACK, MPROF_RECORD_LOCATION};

#define REFERENCED_COUNT (sizeof(referenced) / sizeof(referenced[0]))

/* Whether an argument can differ in the copy. */
static int arguments_differ(const mprof_converter *converter)
{
	if (resolution_changes(&converter->resolution) || converter->merge != NULL)
		return 1;
	for (size_t i = 0; i < REFERENCED_COUNT; i++) {
		const id_translation *ids = &converter->ids[referenced[i]];

		if (ids->same != ids->defined)
			return 1;
	}
	return 0;
}

static int has_arguments(const mprof_event *event)
{
	return event->kind == MPROF_EVENT_TYPED && event->more.detail != NULL;
}

int copy_arguments_begin(mprof_converter *converter, const mprof_event *events, size_t count)
{
	size_t room = 0;

	converter->translates_arguments = 0;
	encode_buffer_clear(&converter->arguments);
	for (size_t i = 0; i < count; i++) {
		/* Translated IDs may be longer. */
		if (has_arguments(&events[i]))
			room += events[i].more.detail->argument_size +
				(size_t)MPROF_TYPE_MAX_ARGUMENTS * MPROF_VARINT_MAX_LENGTH;
	}
	if (room == 0 || !arguments_differ(converter))
		return 1;
	converter->translates_arguments = 1;
	return encode_buffer_reserve(&converter->arguments, room);
}

/* The record that an argument of a kind is the ID of; 0 if it is no such ID. */
static uint32_t record_of_kind(uint32_t kind)
{
	switch (kind) {
	case MPROF_ARGUMENT_TEXT_ID:
		return MPROF_RECORD_TEXT;
	case MPROF_ARGUMENT_STACK:
		return MPROF_RECORD_STACK;
	case MPROF_ARGUMENT_LOCATION:
		return MPROF_RECORD_LOCATION;
	default:
		return 0;
	}
}

static uint64_t translate_number(const mprof_converter *converter, const mprof_type_record *type,
				 const mprof_argument_record *argument, uint64_t number)
{
	const uint32_t record = record_of_kind(argument->kind);

	if (converter->merge != NULL && record == 0)
		number = merge_translate_argument(converter, type, argument, number);
	if (argument->encoding != MPROF_ENCODING_UNSIGNED)
		return number;
	if (argument->kind == MPROF_ARGUMENT_DURATION)
		return resolution_duration(&converter->resolution, number);
	if (record == 0 || number > UINT32_MAX)
		return number;
	return id_translation_get(&converter->ids[record], (uint32_t)number);
}

/* Appends an argument to the buffer, which has room for it. */
static void put_argument(encode_buffer *buffer, const mprof_argument_value *value, uint32_t encoding)
{
	buffer->length += mprof_argument_encode(value, encoding, buffer->bytes + buffer->length,
						buffer->capacity - buffer->length);
}

/*
 * Translates the arguments that the type describes. Those after them, which a later version of the program has added,
 * and what cannot be read, are copied as they are.
 */
static void translate_arguments(mprof_converter *converter, const mprof_type_record *type, mprof_event_detail *detail)
{
	encode_buffer *buffer = &converter->arguments;
	const size_t start = buffer->length;
	size_t position = 0;

	for (uint32_t i = 0; i < type->argument_count; i++) {
		mprof_argument_value value;
		mprof_record argument;

		if (mprof_reader_lookup_record(converter->reader, MPROF_RECORD_ARGUMENT, type->first_argument + i,
					       &argument, sizeof(argument)) != MPROF_OK ||
		    mprof_argument_decode(detail, argument.as.argument.encoding, &position, &value) != 1)
			break;
		value.number = translate_number(converter, type, &argument.as.argument, value.number);
		put_argument(buffer, &value, argument.as.argument.encoding);
	}
	memcpy(buffer->bytes + buffer->length, detail->arguments + position, detail->argument_size - position);
	buffer->length += detail->argument_size - position;
	detail->arguments = buffer->bytes + start;
	detail->argument_size = buffer->length - start;
}

void copy_arguments(mprof_converter *converter, mprof_event *event, mprof_event_detail *detail)
{
	const uint32_t type_id = event->id;
	mprof_record type;

	event->id = id_translation_get(&converter->ids[MPROF_RECORD_TYPE], type_id);
	if (!converter->translates_arguments || event->more.detail == NULL ||
	    mprof_reader_lookup_record(converter->reader, MPROF_RECORD_TYPE, type_id, &type, sizeof(type)) != MPROF_OK)
		return;
	*detail = *event->more.detail;
	translate_arguments(converter, &type.as.type, detail);
	event->more.detail = detail;
}
