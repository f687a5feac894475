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

/* Whether the value is a text that the log has. */
static int is_text(const mprof_reader *reader, const typed_argument *argument)
{
	mprof_record text;

	if (argument->definition.kind != MPROF_ARGUMENT_TEXT_ID)
		return argument->definition.encoding == MPROF_ENCODING_BYTES;
	return argument->value.number <= UINT32_MAX &&
	       mprof_reader_lookup_record(reader, MPROF_RECORD_TEXT, (uint32_t)argument->value.number, &text,
					  sizeof(text)) == MPROF_OK;
}

const char *typed_name(const mprof_reader *reader, const mprof_event *event, char *name, size_t size)
{
	typed_arguments arguments;
	typed_argument argument;

	if (!typed_begin(&arguments, reader, event))
		return NULL;
	while (typed_next(&arguments, &argument)) {
		if (argument.definition.role != MPROF_ROLE_NAME || !is_text(reader, &argument))
			continue;
		snprintf(name, size, "%s", typed_value_text(reader, &argument));
		return name;
	}
	return arguments.type.name;
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

static typed_class number_class(const mprof_argument_record *argument)
{
	return argument->encoding == MPROF_ENCODING_SIGNED ? TYPED_SIGNED : TYPED_UNSIGNED;
}

typed_class typed_class_of(const mprof_argument_record *argument)
{
	if (argument->encoding == MPROF_ENCODING_BYTES)
		return TYPED_TEXT;
	switch (argument->kind) {
	case MPROF_ARGUMENT_TEXT_ID:
		return TYPED_TEXT;
	case MPROF_ARGUMENT_BOOLEAN:
		return TYPED_BOOLEAN;
	case MPROF_ARGUMENT_DOUBLE:
		return argument->encoding == MPROF_ENCODING_FIXED ? TYPED_DOUBLE : number_class(argument);
	case MPROF_ARGUMENT_ADDRESS:
	case MPROF_ARGUMENT_OBJECT:
	case MPROF_ARGUMENT_THREAD:
		return TYPED_ADDRESS;
	default:
		return number_class(argument);
	}
}

static const char *text_value(const mprof_reader *reader, const typed_argument *argument, char *text)
{
	if (argument->definition.encoding == MPROF_ENCODING_BYTES)
		return bytes_text(text, argument);
	return typed_text(reader, argument->value.number <= UINT32_MAX ? (uint32_t)argument->value.number : 0);
}

const char *typed_value_text(const mprof_reader *reader, const typed_argument *argument)
{
	static char text[2 * MPROF_ARGUMENTS_MAX_SIZE + 1];
	const uint64_t number = argument->value.number;

	switch (typed_class_of(&argument->definition)) {
	case TYPED_TEXT:
		return text_value(reader, argument, text);
	case TYPED_BOOLEAN:
		return number != 0 ? "true" : "false";
	case TYPED_DOUBLE:
		snprintf(text, sizeof(text), "%g", kind_double_value(number));
		break;
	case TYPED_ADDRESS:
		snprintf(text, sizeof(text), "0x%" PRIx64, number);
		break;
	case TYPED_SIGNED:
		snprintf(text, sizeof(text), "%" PRId64, (int64_t)number);
		break;
	default:
		snprintf(text, sizeof(text), "%" PRIu64, number);
		break;
	}
	return text;
}

void typed_value_json(const mprof_reader *reader, json_writer *json, const char *key, const typed_argument *argument)
{
	const uint64_t number = argument->value.number;

	switch (typed_class_of(&argument->definition)) {
	case TYPED_TEXT:
		json_string(json, key, typed_value_text(reader, argument));
		break;
	case TYPED_BOOLEAN:
		json_boolean(json, key, number != 0);
		break;
	case TYPED_DOUBLE:
		json_double(json, key, kind_double_value(number));
		break;
	case TYPED_ADDRESS:
		json_hexadecimal(json, key, number);
		break;
	case TYPED_SIGNED:
		json_signed(json, key, (int64_t)number);
		break;
	default:
		json_large(json, key, number);
		break;
	}
}
