/* SPDX-License-Identifier: MIT */
/* Reads the arguments of events of types. */
#include "common/typed.h"

#include "shared/kinds.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int typed_begin(typed_arguments *arguments, const mprof_reader *reader, const mprof_event *event)
{
	mprof_record type;

	memset(arguments, 0, sizeof(*arguments));
	arguments->reader = reader;
	arguments->detail = event->more.detail;
	if (mprof_reader_lookup_record(reader, MPROF_RECORD_TYPE, event->id, &type, sizeof(type)) != MPROF_OK)
		return 0;
	arguments->type = type.as.type;
	return 1;
}

int typed_next(typed_arguments *arguments, typed_argument *argument)
{
	const mprof_type_record *type = &arguments->type;
	mprof_record definition;
	int found;

	if (arguments->is_damaged || arguments->index == type->argument_count ||
	    mprof_reader_lookup_record(arguments->reader, MPROF_RECORD_ARGUMENT,
				       type->first_argument + arguments->index, &definition,
				       sizeof(definition)) != MPROF_OK)
		return 0;
	arguments->index++;
	argument->definition = definition.as.argument;
	found = mprof_argument_decode(arguments->detail, argument->definition.encoding, &arguments->position,
				      &argument->value);
	arguments->is_damaged = found < 0;
	return found > 0;
}

size_t typed_rest(const typed_arguments *arguments)
{
	return arguments->detail == NULL ? 0 : arguments->detail->argument_size - arguments->position;
}

const char *typed_text(const mprof_reader *reader, uint32_t id)
{
	mprof_record text;

	return mprof_reader_lookup_record(reader, MPROF_RECORD_TEXT, id, &text, sizeof(text)) == MPROF_OK
		       ? text.as.text.text
		       : "";
}

static const char *bytes_text(char *text, const typed_argument *argument)
{
	const mprof_argument_value *value = &argument->value;

	if (argument->definition.kind != MPROF_ARGUMENT_BYTES) {
		if (value->length > 0)
			memcpy(text, value->bytes, value->length);
		text[value->length] = '\0';
		return text;
	}
	text[0] = '\0';
	for (size_t i = 0; i < value->length; i++)
		sprintf(text + 2 * i, "%02x", value->bytes[i]);
	return text;
}

/* Whether a number is not used in arithmetic. */
static int is_address(uint32_t kind)
{
	return kind == MPROF_ARGUMENT_ADDRESS || kind == MPROF_ARGUMENT_OBJECT || kind == MPROF_ARGUMENT_THREAD;
}

const char *typed_value_text(const mprof_reader *reader, const typed_argument *argument)
{
	static char text[2 * MPROF_ARGUMENTS_MAX_SIZE + 1];
	const uint64_t number = argument->value.number;

	if (argument->definition.encoding == MPROF_ENCODING_BYTES)
		return bytes_text(text, argument);
	if (argument->definition.kind == MPROF_ARGUMENT_TEXT_ID)
		return typed_text(reader, number <= UINT32_MAX ? (uint32_t)number : 0);
	if (argument->definition.kind == MPROF_ARGUMENT_BOOLEAN)
		return number != 0 ? "true" : "false";
	if (argument->definition.kind == MPROF_ARGUMENT_DOUBLE)
		snprintf(text, sizeof(text), "%g", kind_double_value(number));
	else if (is_address(argument->definition.kind))
		snprintf(text, sizeof(text), "0x%" PRIx64, number);
	else if (argument->definition.encoding == MPROF_ENCODING_SIGNED)
		snprintf(text, sizeof(text), "%" PRId64, (int64_t)number);
	else
		snprintf(text, sizeof(text), "%" PRIu64, number);
	return text;
}

void typed_value_json(const mprof_reader *reader, json_writer *json, const char *key, const typed_argument *argument)
{
	const uint32_t kind = argument->definition.kind;
	const uint64_t number = argument->value.number;

	if (argument->definition.encoding == MPROF_ENCODING_BYTES || kind == MPROF_ARGUMENT_TEXT_ID)
		json_string(json, key, typed_value_text(reader, argument));
	else if (kind == MPROF_ARGUMENT_BOOLEAN)
		json_boolean(json, key, number != 0);
	else if (kind == MPROF_ARGUMENT_DOUBLE)
		json_double(json, key, kind_double_value(number));
	else if (is_address(kind))
		json_hexadecimal(json, key, number);
	else if (argument->definition.encoding == MPROF_ENCODING_SIGNED)
		json_signed(json, key, (int64_t)number);
	else
		json_large(json, key, number);
}
