/* SPDX-License-Identifier: MIT */
/* Reads the unwinding information of functions. Every read is checked against the segment that contains the tables. */
#include "shared/unwind_tables.h"

#include <string.h>

/* Encodings of pointers. Only those that linkers use for these tables are accepted. */
#define ENCODING_ABSOLUTE 0x00
#define ENCODING_UDATA4 0x03
#define ENCODING_SDATA4 0x0b
#define ENCODING_SDATA8 0x0c
#define ENCODING_FROM_HERE 0x10
#define ENCODING_INDEX 0x3b /* Relative to the start of the index, 4 bytes. */

#define INDEX_VERSION 1
#define INDEX_HEADER_SIZE 12

uint8_t unwind_read_byte(unwind_cursor *cursor)
{
	if (cursor->at == NULL || cursor->at >= cursor->end) {
		cursor->at = NULL;
		return 0;
	}
	return *cursor->at++;
}

uint64_t unwind_read_number(unwind_cursor *cursor, unsigned size)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < size; i++)
		number |= (uint64_t)unwind_read_byte(cursor) << 8 * i;
	return number;
}

uint64_t unwind_read_uleb(unwind_cursor *cursor)
{
	uint64_t number = 0;
	uint8_t byte = 0x80;

	for (unsigned shift = 0; (byte & 0x80) != 0; shift += 7) {
		byte = unwind_read_byte(cursor);
		if (shift < 64)
			number |= (uint64_t)(byte & 0x7f) << shift;
	}
	return number;
}

int64_t unwind_read_sleb(unwind_cursor *cursor)
{
	uint64_t number = 0;
	uint8_t byte = 0x80;
	unsigned shift = 0;

	for (; (byte & 0x80) != 0; shift += 7) {
		byte = unwind_read_byte(cursor);
		if (shift < 64)
			number |= (uint64_t)(byte & 0x7f) << shift;
	}
	if (shift < 64 && (byte & 0x40) != 0)
		number |= UINT64_MAX << shift;
	return (int64_t)number;
}

static int32_t number_at(const uint8_t *bytes)
{
	int32_t number;

	memcpy(&number, bytes, sizeof(number));
	return number;
}

/* Binary search in the index for the last function that starts at or before the address. Returns NULL if none does. */
static const uint8_t *search_index(const unwind_segment *segment)
{
	const uint8_t *table = segment->index + INDEX_HEADER_SIZE;
	const intptr_t wanted = (intptr_t)(segment->address - (uintptr_t)segment->index);
	size_t low = 0;
	size_t high;

	if (segment->end - segment->index < INDEX_HEADER_SIZE || segment->index[0] != INDEX_VERSION ||
	    segment->index[2] != ENCODING_UDATA4 || segment->index[3] != ENCODING_INDEX)
		return NULL;
	high = (uint32_t)number_at(segment->index + 8);
	if (high > (size_t)(segment->end - table) / 8)
		return NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (number_at(table + 8 * middle) <= wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? segment->index + number_at(table + 8 * (low - 1) + 4) : NULL;
}

/* Reads a pointer; an encoding that is not supported ends the reading. */
static uintptr_t read_pointer(unwind_cursor *cursor, unsigned encoding, int is_length)
{
	const uintptr_t here = (uintptr_t)cursor->at;
	uint64_t number = 0;

	switch (encoding & 0x0f) {
	case ENCODING_ABSOLUTE:
	case ENCODING_SDATA8:
		number = unwind_read_number(cursor, 8);
		break;
	case ENCODING_UDATA4:
		number = unwind_read_number(cursor, 4);
		break;
	case ENCODING_SDATA4:
		number = unwind_read_number(cursor, 4);
		number = is_length ? number : (uint64_t)(int64_t)(int32_t)(uint32_t)number;
		break;
	default:
		cursor->at = NULL;
	}
	if ((encoding & 0x70) == ENCODING_FROM_HERE && !is_length)
		number += here;
	else if ((encoding & 0x70) != 0 && (encoding & 0x70) != ENCODING_FROM_HERE)
		cursor->at = NULL;
	return (uintptr_t)number;
}

/* Limits a cursor to the record that starts at its position. Returns 0 if the record is not inside the segment. */
static int enter_record(unwind_cursor *cursor, const unwind_segment *segment, const uint8_t *start)
{
	uint64_t length;

	if (start < segment->start || start >= segment->end)
		return 0;
	cursor->at = start;
	cursor->end = segment->end;
	length = unwind_read_number(cursor, 4);
	if (cursor->at == NULL || length == 0 || length > (uint64_t)(segment->end - cursor->at))
		return 0;
	cursor->end = cursor->at + length;
	return 1;
}

/* Reads what the functions of a unit have in common. Sets the encoding of pointers. */
static int read_common(unwind_entry *entry, const unwind_segment *segment, const uint8_t *start, unsigned *encoding,
		       int *has_sizes)
{
	unwind_cursor cursor;
	const char *letters;
	unsigned version;

	if (!enter_record(&cursor, segment, start) || unwind_read_number(&cursor, 4) != 0)
		return 0;
	version = unwind_read_byte(&cursor);
	letters = (const char *)cursor.at;
	while (unwind_read_byte(&cursor) != '\0')
		continue;
	if (cursor.at == NULL || (version != 1 && version != 3))
		return 0;
	entry->code_unit = unwind_read_uleb(&cursor);
	entry->data_unit = unwind_read_sleb(&cursor);
	entry->return_rule = version == 1 ? unwind_read_byte(&cursor) : (unsigned)unwind_read_uleb(&cursor);
	*has_sizes = letters[0] == 'z';
	*encoding = ENCODING_ABSOLUTE;
	entry->is_signal_frame = 0;
	if (*has_sizes)
		(void)unwind_read_uleb(&cursor);
	for (const char *letter = letters + *has_sizes; *letter != '\0' && cursor.at != NULL; letter++) {
		if (*letter == 'R')
			*encoding = unwind_read_byte(&cursor);
		else if (*letter == 'L')
			(void)unwind_read_byte(&cursor);
		else if (*letter == 'P')
			/* The pointer may be relative to the data; its value is not needed. */
			(void)read_pointer(&cursor, unwind_read_byte(&cursor) & 0x0f, 1);
		else if (*letter == 'S')
			entry->is_signal_frame = 1;
		else
			return 0;
	}
	entry->initial = cursor;
	return cursor.at != NULL;
}

int unwind_tables_find_in(const unwind_segment *segment, unwind_entry *entry)
{
	const uint8_t *start;
	const uint8_t *common;
	unwind_cursor cursor;
	unsigned encoding;
	int has_sizes;
	uintptr_t length;

	start = segment->index != NULL ? search_index(segment) : NULL;
	if (start == NULL || !enter_record(&cursor, segment, start))
		return 0;
	common = cursor.at;
	/* The distance back to the common part is counted from its own position. */
	common -= unwind_read_number(&cursor, 4);
	if (!read_common(entry, segment, common, &encoding, &has_sizes))
		return 0;
	entry->start = read_pointer(&cursor, encoding, 0);
	length = read_pointer(&cursor, encoding, 1);
	if (has_sizes) {
		uint64_t size = unwind_read_uleb(&cursor);

		if (cursor.at == NULL || size > (uint64_t)(cursor.end - cursor.at))
			return 0;
		cursor.at += size;
	}
	entry->program = cursor;
	return cursor.at != NULL && segment->address - entry->start < length;
}
