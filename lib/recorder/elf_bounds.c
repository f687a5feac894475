/* SPDX-License-Identifier: MIT */
/*
 * Reads the bounds of functions in .eh_frame. The section is found by the program headers, which a file has also
 * without section headers, and read from its start: the index for binary search does not contain the ends of functions.
 * examples/shared/unwind_tables.c, which clients of the library have, reads the same tables where they are loaded, with
 * the rules that unwind a stack; tests/recorder/test_elf_bounds.c compares both.
 */
#include "recorder/elf_bounds.h"

#include "base/array.h"
#include "recorder/elf_image.h"

#include <elf.h>
#include <string.h>

#define INDEX_VERSION 1

/* Encodings of pointers: the size in the lower bits, what is added in the upper ones. */
#define ENCODING_WORD 0x00
#define ENCODING_UDATA4 0x03
#define ENCODING_UDATA8 0x04
#define ENCODING_SDATA4 0x0b
#define ENCODING_SDATA8 0x0c
#define ENCODING_SIZE 0x0f
#define ENCODING_FROM_HERE 0x10
#define ENCODING_BASE 0xf0

/* Bytes that are read at once. */
#define PIECE 4096

/* The table that is being read. Offsets are those in the file. */
typedef struct frame_table {
	elf_image *image;
	uint64_t start;
	uint64_t end;
	uint64_t address;  /**< Of the start, in memory. */
	uint64_t common;   /**< Offset of the common entry that was read last, 0 before the first, ... */
	unsigned encoding; /**< ... and its encoding of pointers. */
	uint64_t piece_at;
	size_t piece_length;
	uint8_t piece[PIECE];
} frame_table;

/* A position in the table. After a read past the end, all reads return 0. */
typedef struct table_cursor {
	frame_table *table;
	uint64_t at;
	uint64_t end;
	int has_failed;
} table_cursor;

static uint8_t read_byte(table_cursor *cursor)
{
	frame_table *table = cursor->table;

	if (cursor->has_failed || cursor->at >= cursor->end) {
		cursor->has_failed = 1;
		return 0;
	}
	if (cursor->at - table->piece_at >= table->piece_length) {
		const uint64_t left = table->end - cursor->at;

		table->piece_at = cursor->at;
		table->piece_length = left < PIECE ? (size_t)left : PIECE;
		if (!elf_image_read(table->image, cursor->at, table->piece, table->piece_length)) {
			table->piece_length = 0;
			cursor->has_failed = 1;
			return 0;
		}
	}
	return table->piece[cursor->at++ - table->piece_at];
}

/* A number in the byte order of this machine, which is that of the file. */
static uint64_t read_number(table_cursor *cursor, size_t size)
{
	uint8_t bytes[8] = {0};
	uint32_t narrow;
	uint64_t wide;

	for (size_t i = 0; i < size; i++)
		bytes[i] = read_byte(cursor);
	if (size == sizeof(narrow)) {
		memcpy(&narrow, bytes, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, bytes, sizeof(wide));
	return wide;
}

static void skip_leb(table_cursor *cursor)
{
	while ((read_byte(cursor) & 0x80) != 0)
		continue;
}

/* The size of a pointer; 0 if the encoding is not one that linkers use here. */
static size_t pointer_size(const frame_table *table, unsigned encoding)
{
	switch (encoding & ENCODING_SIZE) {
	case ENCODING_WORD:
		return table->image->is_64 ? 8 : 4;
	case ENCODING_UDATA4:
	case ENCODING_SDATA4:
		return 4;
	case ENCODING_UDATA8:
	case ENCODING_SDATA8:
		return 8;
	default:
		return 0;
	}
}

static uint64_t read_pointer(table_cursor *cursor, unsigned encoding)
{
	const frame_table *table = cursor->table;
	const uint64_t here = table->address + (cursor->at - table->start);
	const size_t size = pointer_size(table, encoding);
	uint64_t number;

	if (size == 0 || ((encoding & ENCODING_BASE) != 0 && (encoding & ENCODING_BASE) != ENCODING_FROM_HERE)) {
		cursor->has_failed = 1;
		return 0;
	}
	number = read_number(cursor, size);
	if ((encoding & ENCODING_SIZE) == ENCODING_SDATA4)
		number = (uint64_t)(int64_t)(int32_t)(uint32_t)number;
	if ((encoding & ENCODING_BASE) == ENCODING_FROM_HERE)
		number += here;
	return table->image->is_64 ? number : (uint32_t)number;
}

/* Enters the entry at an offset: its length limits the cursor. Returns 0 at the end of the table. */
static int enter(frame_table *table, uint64_t offset, table_cursor *cursor)
{
	uint64_t length;

	*cursor = (table_cursor){table, offset, table->end, 0};
	length = read_number(cursor, 4);
	/* Lengths of 64 bits are not written by any linker. */
	if (cursor->has_failed || length == 0 || length > table->end - cursor->at)
		return 0;
	cursor->end = cursor->at + length;
	return 1;
}

/* Reads the encoding of pointers from a common entry. Returns 0 if it is not known. */
static int read_common(frame_table *table, uint64_t offset)
{
	char letters[8];
	table_cursor cursor;
	unsigned version;
	size_t count = 0;

	if (!enter(table, offset, &cursor) || read_number(&cursor, 4) != 0)
		return 0;
	version = read_byte(&cursor);
	while (count < sizeof(letters) && (letters[count] = (char)read_byte(&cursor)) != '\0')
		count++;
	if (cursor.has_failed || count == sizeof(letters) || (version != 1 && version != 3))
		return 0;
	skip_leb(&cursor);
	skip_leb(&cursor);
	/* The register with the return address. */
	skip_leb(&cursor);
	table->common = offset;
	table->encoding = ENCODING_WORD;
	if (count == 0)
		return !cursor.has_failed;
	if (letters[0] != 'z')
		return 0;
	skip_leb(&cursor);
	for (size_t i = 1; i < count; i++) {
		if (letters[i] == 'R')
			table->encoding = read_byte(&cursor);
		else if (letters[i] == 'L')
			(void)read_byte(&cursor);
		else if (letters[i] == 'P')
			(void)read_number(&cursor, pointer_size(table, read_byte(&cursor)));
		else if (letters[i] != 'S' && letters[i] != 'B')
			return 0;
	}
	return !cursor.has_failed;
}

/* Adds the function of an entry. Returns 0 if there is no room. */
static int add_function(elf_symbols *bounds, frame_table *table, table_cursor *cursor)
{
	/* The common entry is that far before this field. */
	const uint64_t here = cursor->at;
	const uint64_t distance = read_number(cursor, 4);
	elf_symbol function = {.has_size = 1};
	uint64_t length;

	if (distance == 0 || distance > here - table->start)
		return 1;
	if (table->common != here - distance && !read_common(table, here - distance)) {
		table->common = 0;
		return 1;
	}
	function.start = read_pointer(cursor, table->encoding);
	length = read_pointer(cursor, table->encoding & ENCODING_SIZE);
	if (cursor->has_failed || length == 0 || __builtin_add_overflow(function.start, length, &function.end))
		return 1;
	return elf_symbols_append(bounds, &function);
}

/* Finds the table by its index, which a program header describes. Returns 0 if there is none. */
static int find_table(frame_table *table)
{
	elf_image *image = table->image;
	elf_segment index = {0};
	elf_segment segment;
	uint8_t header[8];
	int32_t distance;

	for (uint32_t i = 0; index.type != PT_GNU_EH_FRAME; i++) {
		if (!elf_image_segment(image, i, &index))
			return 0;
	}
	if (!elf_image_read(image, index.offset, header, sizeof(header)) || header[0] != INDEX_VERSION ||
	    header[1] != (ENCODING_FROM_HERE | ENCODING_SDATA4))
		return 0;
	memcpy(&distance, header + 4, sizeof(distance));
	table->address = index.address + 4 + (uint64_t)(int64_t)distance;
	for (uint32_t i = 0; elf_image_segment(image, i, &segment); i++) {
		const uint64_t within = table->address - segment.address;

		if (segment.type != PT_LOAD || within >= segment.size || segment.size > image->length ||
		    segment.offset > image->length - segment.size)
			continue;
		table->start = segment.offset + within;
		table->end = segment.offset + segment.size;
		return 1;
	}
	return 0;
}

static void read_functions(elf_symbols *bounds, elf_image *image)
{
	frame_table table = {.image = image};
	table_cursor cursor;
	uint64_t offset;

	if (!find_table(&table))
		return;
	for (offset = table.start; enter(&table, offset, &cursor); offset = cursor.end) {
		if (!add_function(bounds, &table, &cursor))
			break;
	}
	elf_symbols_sort(bounds);
}

void elf_bounds_read(elf_symbols *bounds, const char *path, const char *build_id)
{
	elf_image image;

	if (!elf_image_open_file(&image, path))
		return;
	if (elf_symbols_is_module(&image, build_id))
		read_functions(bounds, &image);
	elf_image_close(&image);
}
