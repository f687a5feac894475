/* SPDX-License-Identifier: MIT */
/* The kinds of events, and the arguments of events of types. */
#include "format/events/event_kinds.h"

#include "base/bytes.h"
#include "base/caller_structs.h"
#include "format/values/varint.h"

#include <string.h>

_Static_assert(EVENT_KIND_COUNT <= 64, "a bit for each kind");

#define EVENT_KIND_ROW(kind, name, id, value, time, category, has_section)                                             \
	[MPROF_EVENT_##kind] = {MPROF_EVENT_ID_##id, MPROF_EVENT_VALUE_##value, MPROF_EVENT_TIME_##time,               \
				MPROF_EVENT_CATEGORY_##category, has_section},

const event_kind_row event_kind_rows[256] = {EVENT_KINDS(EVENT_KIND_ROW)};

#define NAME(kind, name, id, value, time, category, has_section) [MPROF_EVENT_##kind] = (name),

static const char *const names[EVENT_KIND_COUNT] = {EVENT_KINDS(NAME)};

const char *mprof_event_get_name(uint32_t kind)
{
	return (size_t)kind < EVENT_KIND_COUNT && names[kind] != NULL ? names[kind] : "unknown";
}

mprof_status mprof_event_get_info(uint32_t kind, mprof_event_info *info)
{
	mprof_event_info copy = {.struct_size = sizeof(copy)};
	const event_kind_row *row;

	if (info == NULL || (size_t)kind >= EVENT_KIND_COUNT)
		return MPROF_ERR_ARGUMENT;
	row = &event_kind_rows[kind];
	copy.name = mprof_event_get_name(kind);
	copy.id = row->id;
	copy.value = row->value;
	copy.time = row->time;
	copy.category = row->category;
	return struct_copy_out(info, &copy, sizeof(copy));
}

/*
 * Arguments of events (doc/format.md, section 4.9).
 */

#define FIXED_LENGTH 8

/* Decodes a varint of the arguments. Returns 0 if they end inside it, or it exceeds 64 bits. */
static int decode_number(const mprof_event_detail *detail, size_t *position, uint64_t *number)
{
	const uint8_t *cursor = detail->arguments + *position;

	if (varint_read(&cursor, detail->arguments + detail->argument_size, number) <= 0)
		return 0;
	*position = (size_t)(cursor - detail->arguments);
	return 1;
}

/* Decodes an argument that starts before the end. Returns 0 if it does not end there. */
static int decode_value(const mprof_event_detail *detail, uint32_t encoding, size_t *position,
			mprof_argument_value *value)
{
	uint64_t number;

	if (encoding == MPROF_ENCODING_FIXED) {
		if (detail->argument_size - *position < FIXED_LENGTH)
			return 0;
		value->number = bytes_load_64(detail->arguments + *position);
		*position += FIXED_LENGTH;
		return 1;
	}
	if (!decode_number(detail, position, &number))
		return 0;
	if (encoding != MPROF_ENCODING_BYTES) {
		value->number = encoding == MPROF_ENCODING_SIGNED ? zigzag_unfold(number) : number;
		return 1;
	}
	if (number > detail->argument_size - *position)
		return 0;
	value->bytes = detail->arguments + *position;
	value->length = (size_t)number;
	*position += value->length;
	return 1;
}

int mprof_argument_decode(const mprof_event_detail *detail, uint32_t encoding, size_t *position,
			  mprof_argument_value *value)
{
	mprof_event_detail copy;
	mprof_argument_value found = {0, NULL, 0};
	size_t next;

	if (value != NULL)
		*value = found;
	if (position == NULL || value == NULL || encoding > MPROF_ENCODING_BYTES ||
	    struct_copy_in(&copy, detail, sizeof(copy)) != MPROF_OK)
		return -1;
	if (*position == copy.argument_size)
		return 0;
	next = *position;
	if (next > copy.argument_size || !decode_value(&copy, encoding, &next, &found))
		return -1;
	*position = next;
	*value = found;
	return 1;
}

/* Appends bytes. As all functions that encode, it returns the length, and writes only what fits. */
static size_t put_bytes(const mprof_argument_value *value, uint8_t *out, size_t size)
{
	uint8_t start[MPROF_VARINT_MAX_LENGTH];
	const size_t start_length = varint_encode(value->length, start);

	if (value->length > MPROF_ARGUMENTS_MAX_SIZE - start_length || (value->bytes == NULL && value->length > 0))
		return 0;
	if (start_length + value->length > size)
		return start_length + value->length;
	memcpy(out, start, start_length);
	if (value->length > 0)
		memcpy(out + start_length, value->bytes, value->length);
	return start_length + value->length;
}

size_t mprof_argument_encode(const mprof_argument_value *value, uint32_t encoding, uint8_t *out, size_t size)
{
	uint8_t bytes[MPROF_VARINT_MAX_LENGTH];
	size_t length = FIXED_LENGTH;

	if (value == NULL || encoding > MPROF_ENCODING_BYTES || (out == NULL && size > 0))
		return 0;
	if (encoding == MPROF_ENCODING_BYTES)
		return put_bytes(value, out, size);
	if (encoding == MPROF_ENCODING_FIXED)
		bytes_store_64(bytes, value->number);
	else
		length = varint_encode(encoding == MPROF_ENCODING_SIGNED ? zigzag_fold(value->number) : value->number,
				       bytes);
	if (length <= size)
		memcpy(out, bytes, length);
	return length;
}
