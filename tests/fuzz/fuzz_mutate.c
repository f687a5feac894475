/* SPDX-License-Identifier: MIT */
#include "fuzz_mutate.h"

#include "fuzz_pack.h"

#include <string.h>

enum { MAX_BLOCKS = 512, CODE_COLUMNS = 43, CODE_COMPRESSED = 44 };

/* A log that is changed. */
typedef struct changed_log {
	uint8_t *bytes;
	size_t length;
	size_t header_length; /* Of each block. */
	int has_checksums;
} changed_log;

typedef struct log_block {
	size_t offset;
	size_t length; /* With its header. */
} log_block;

uint64_t fuzz_random_number(void)
{
	static const uint64_t limits[] = {0,
					  31,
					  32,
					  63,
					  64,
					  127,
					  128,
					  255,
					  256,
					  4095,
					  65535,
					  65536,
					  0x7fffffff,
					  0x80000000,
					  0xffffffff,
					  UINT64_C(1) << 32,
					  UINT64_C(1) << 40,
					  UINT64_C(3) << 61,
					  UINT64_C(1) << 62,
					  UINT64_MAX >> 1,
					  UINT64_C(1) << 63,
					  UINT64_MAX};

	switch (fuzz_random_below(4)) {
	case 0:
		return fuzz_random_below(40);
	case 1:
		return fuzz_random_below(100000);
	case 2:
		return fuzz_random_below(UINT64_MAX) >> fuzz_random_below(64);
	default:
		return limits[fuzz_random_below(sizeof(limits) / sizeof(*limits))] + fuzz_random_below(3) - 1;
	}
}

/* As doc/format.md, 1.1. */
static size_t header_length_of(const uint8_t *bytes, size_t length)
{
	return length > 6 && (bytes[6] == 0x82 || bytes[6] == 0x81) ? 6 : 10;
}

static size_t find_blocks(const changed_log *log, log_block *blocks)
{
	size_t count = 0;

	for (size_t offset = 0; count < MAX_BLOCKS && log->length - offset >= log->header_length;) {
		const uint8_t *header = log->bytes + offset;
		size_t length = log->header_length + (header[2] | (size_t)header[3] << 8 | (size_t)header[4] << 16 |
						      (size_t)header[5] << 24);

		if (length > log->length - offset)
			length = log->length - offset;
		blocks[count++] = (log_block){offset, length};
		offset += length;
	}
	return count;
}

/* Where the content of a block is, without its header and its checksum. */
static log_block content_of(const changed_log *log, log_block block)
{
	const size_t around = log->header_length + (log->has_checksums ? 4 : 0);

	if (block.length < around)
		return (log_block){block.offset, 0};
	return (log_block){block.offset + log->header_length, block.length - around};
}

/* Replaces bytes. Returns 0 if there is no room. */
static int replace(changed_log *log, log_block old, const uint8_t *bytes, size_t length)
{
	const size_t end = old.offset + old.length;

	if (log->length - old.length + length > FUZZ_MAX_LENGTH)
		return 0;
	memmove(log->bytes + old.offset + length, log->bytes + end, log->length - end);
	if (length > 0)
		memcpy(log->bytes + old.offset, bytes, length);
	log->length = log->length - old.length + length;
	return 1;
}

/* Sets the length and the checksum of a block that has become longer or shorter. */
static void seal(changed_log *log, size_t offset, size_t length)
{
	uint8_t *block = log->bytes + offset;

	if (length >= log->header_length && length <= log->length - offset)
		fuzz_seal_block(block, length, log->header_length, log->has_checksums);
}

/* Replaces a part of a block. */
static void replace_in_block(changed_log *log, log_block block, log_block old, const uint8_t *bytes, size_t length)
{
	if (replace(log, old, bytes, length))
		seal(log, block.offset, block.length - old.length + length);
}

/* The number that contains a byte of some content, as varints are stored: only the last byte has the high bit. */
static log_block number_at(const changed_log *log, log_block content, size_t offset)
{
	const uint8_t *bytes = log->bytes + content.offset;
	size_t end;

	while (offset > 0 && (bytes[offset - 1] & 128) == 0 && fuzz_random_below(3) != 0)
		offset--;
	for (end = offset; end < content.length && end - offset < 9 && (bytes[end] & 128) == 0;)
		end++;
	return (log_block){content.offset + offset, end - offset + (end < content.length)};
}

static void change_number(changed_log *log, log_block block, log_block content)
{
	log_block old = number_at(log, content, (size_t)fuzz_random_below(content.length));
	uint64_t value = 0;
	uint8_t encoded[10];

	for (size_t i = old.length; i > 0; i--)
		value = value << 7 | (log->bytes[old.offset + i - 1] & 127);
	switch (fuzz_random_below(4)) {
	case 0:
		value++;
		break;
	case 1:
		value--;
		break;
	case 2:
		value ^= UINT64_C(1) << fuzz_random_below(64);
		break;
	default:
		value = fuzz_random_number();
	}
	replace_in_block(log, block, old, encoded, fuzz_encode_number(encoded, value));
}

/* A piece of content, not too long. */
static log_block piece_of(log_block content)
{
	size_t offset = (size_t)fuzz_random_below(content.length);
	size_t length = 1 + (size_t)fuzz_random_below(fuzz_random_below(2) ? 16 : 200);

	return (log_block){content.offset + offset,
			   length < content.length - offset ? length : content.length - offset};
}

static void copy_piece(changed_log *log, log_block block, log_block content, log_block from)
{
	uint8_t piece[256];
	log_block source = piece_of(from);
	log_block gap = {content.offset + (size_t)fuzz_random_below(content.length), 0};

	memcpy(piece, log->bytes + source.offset, source.length);
	replace_in_block(log, block, gap, piece, source.length);
}

static void change_byte(changed_log *log, log_block block, log_block content)
{
	log->bytes[content.offset + fuzz_random_below(content.length)] = (uint8_t)fuzz_random_below(256);
	seal(log, block.offset, block.length);
}

/* Inserts a block before another one. */
static void insert_block(changed_log *log, log_block before, const uint8_t *bytes, size_t length)
{
	const log_block gap = {before.offset, 0};
	static uint8_t copy[FUZZ_MAX_LENGTH];

	if (length > sizeof(copy))
		return;
	memcpy(copy, bytes, length);
	(void)replace(log, gap, copy, length);
}

static void insert_from(changed_log *log, log_block before, const fuzz_log *other)
{
	static log_block blocks[MAX_BLOCKS];
	const changed_log from = {other->bytes, other->length, header_length_of(other->bytes, other->length), 0};
	size_t count;
	log_block chosen;

	if (other->length < 11 || from.header_length != log->header_length)
		return;
	count = find_blocks(&from, blocks);
	if (count == 0)
		return;
	chosen = blocks[fuzz_random_below(count)];
	insert_block(log, before, other->bytes + chosen.offset, chosen.length);
	seal(log, before.offset, chosen.length);
}

/* Numbers of a block that a repair does not touch. */
static void break_frame(changed_log *log, log_block block)
{
	switch (fuzz_random_below(4)) {
	case 0:
		log->length = block.offset + (size_t)fuzz_random_below(block.length + 1);
		break;
	case 1:
		log->bytes[block.offset + 2 + fuzz_random_below(4)] = (uint8_t)fuzz_random_below(256);
		break;
	default:
		log->bytes[block.offset + fuzz_random_below(block.length)] ^= (uint8_t)(1 << fuzz_random_below(8));
	}
}

static void change_code(changed_log *log, log_block block)
{
	static const uint8_t codes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 32, 33, 34,
					35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 200};

	log->bytes[block.offset] = codes[fuzz_random_below(sizeof(codes))];
	seal(log, block.offset, block.length);
}

/* Compresses a block, changes what is compressed, or the fields of a compressed block. */
static void change_packed(changed_log *log, log_block block, log_block content)
{
	static uint8_t created[FUZZ_MAX_LENGTH];
	size_t length = fuzz_repack(created, sizeof(created), log->bytes + block.offset, content.length);

	if (length > 0 && log->has_checksums)
		replace_in_block(log, block, (log_block){block.offset, block.length}, created, length);
}

/* The number of events and the lengths of columns: after the clock, the thread and the first counter. */
static void change_columns(changed_log *log, log_block block, log_block content)
{
	const uint8_t *bytes = log->bytes + content.offset;
	size_t at = 0;
	uint64_t fields[2 + 16];
	uint8_t encoded[sizeof(fields) / sizeof(*fields) * 10];
	size_t length = 0;
	size_t start;
	size_t count = 2;

	for (int i = 0; i < 4; i++)
		(void)fuzz_decode_number(bytes, content.length, &at);
	start = at;
	for (size_t i = 0; i < count; i++) {
		fields[i] = fuzz_decode_number(bytes, content.length, &at);
		if (i == 1)
			count += (size_t)(fields[1] < 16 ? fields[1] : 16);
	}
	if (count > 4 && fuzz_random_below(2) == 0) {
		/* From one column to another one. */
		size_t from = 2 + (size_t)fuzz_random_below(count - 2);
		uint64_t moved = fields[from] < 4 ? fields[from] : 1 + fuzz_random_below(4);

		fields[from] -= moved;
		fields[2 + fuzz_random_below(count - 2)] += moved;
	} else {
		fields[fuzz_random_below(count)] = fuzz_random_number();
	}
	for (size_t i = 0; i < count; i++)
		length += fuzz_encode_number(encoded + length, fields[i]);
	replace_in_block(log, block, (log_block){content.offset + start, at - start}, encoded, length);
}

static void change_content(changed_log *log, log_block block, log_block content, log_block other)
{
	const uint8_t code = log->bytes[block.offset];

	switch (fuzz_random_below(12)) {
	case 0:
	case 1:
		change_byte(log, block, content);
		break;
	case 2:
		replace_in_block(log, block, piece_of(content), NULL, 0);
		break;
	case 3:
		copy_piece(log, block, content, content);
		break;
	case 4:
		if (other.length > 0)
			copy_piece(log, block, content, other);
		break;
	case 5:
		change_packed(log, block, content);
		break;
	case 6:
		if (code == CODE_COLUMNS)
			change_columns(log, block, content);
		else if (code == CODE_COMPRESSED)
			change_packed(log, block, content);
		break;
	default:
		change_number(log, block, content);
	}
}

static void change_blocks(changed_log *log, const log_block *blocks, size_t count, const fuzz_log *other)
{
	const log_block block = blocks[fuzz_random_below(count)];
	const log_block second = blocks[fuzz_random_below(count)];

	switch (fuzz_random_below(7)) {
	case 0:
		if (block.offset > 0)
			(void)replace(log, block, NULL, 0);
		break;
	case 1:
	case 2:
		insert_block(log, second, log->bytes + block.offset, block.length);
		break;
	case 3:
		change_code(log, block);
		break;
	case 4:
		break_frame(log, block);
		break;
	default:
		insert_from(log, block, other);
	}
}

size_t fuzz_mutate(uint8_t *bytes, size_t length, const fuzz_log *other)
{
	static log_block blocks[MAX_BLOCKS];
	changed_log log = {bytes, length, header_length_of(bytes, length), length > 6 && bytes[6] == 0x82};

	for (uint64_t changes = 1 + fuzz_random_below(4); changes > 0; changes--) {
		size_t count = find_blocks(&log, blocks);
		log_block block;
		log_block content;

		if (count == 0)
			break;
		block = blocks[fuzz_random_below(count)];
		content = content_of(&log, block);
		if (content.length == 0 || fuzz_random_below(4) == 0)
			change_blocks(&log, blocks, count, other);
		else
			change_content(&log, block, content, content_of(&log, blocks[fuzz_random_below(count)]));
	}
	return log.length;
}

size_t fuzz_damage(uint8_t *bytes, size_t length)
{
	uint64_t changes = 1 + fuzz_random_below(4);

	while (changes-- > 0 && length > 0) {
		size_t at = (size_t)fuzz_random_below(length);
		size_t from = (size_t)fuzz_random_below(length);
		size_t piece = (size_t)fuzz_random_below(40);

		switch (fuzz_random_below(6)) {
		case 0:
		case 1:
			bytes[at] ^= (uint8_t)(1 << fuzz_random_below(8));
			break;
		case 2:
			bytes[at] =
				(uint8_t)(fuzz_random_below(2) ? fuzz_random_below(256) : fuzz_random_below(2) * 255);
			break;
		case 3:
			length = fuzz_random_below(4) == 0 ? at : length;
			break;
		case 4:
			/* A piece is left out, so that lengths no longer fit. */
			piece = piece < length - at ? piece : length - at;
			memmove(bytes + at, bytes + at + piece, length - at - piece);
			length -= piece;
			break;
		default:
			piece = piece < length - at ? piece : length - at;
			piece = piece < length - from ? piece : length - from;
			memmove(bytes + at, bytes + from, piece);
			break;
		}
	}
	return length;
}
