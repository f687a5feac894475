/* SPDX-License-Identifier: MIT */
#include "fuzz_pack.h"

#include "fuzz_logs.h"
#include "fuzz_mutate.h"

#include <string.h>
#ifdef MPROF_WITH_ZLIB
#include <zlib.h>
#endif
#ifdef MPROF_WITH_ZSTD
#include <zstd.h>
#endif

enum { HEADER = 6, CHECKSUM = 4, CODE_COMPRESSED = 44, FIELDS = 5, CODEC_DEFLATE = 1, CODEC_ZSTD = 2 };

/* Content that is decompressed, in bytes. */
#define MAX_CONTENT ((size_t)1 << 17)

size_t fuzz_encode_number(uint8_t *bytes, uint64_t value)
{
	size_t length = 0;

	for (; value >= 128; value >>= 7)
		bytes[length++] = value & 127;
	bytes[length++] = (uint8_t)(value | 128);
	return length;
}

uint64_t fuzz_decode_number(const uint8_t *bytes, size_t length, size_t *at)
{
	uint64_t value = 0;

	for (unsigned shift = 0; *at < length && shift < 64; shift += 7) {
		const uint8_t byte = bytes[(*at)++];

		value |= (uint64_t)(byte & 127) << shift;
		if ((byte & 128) != 0)
			break;
	}
	return value;
}

static uint32_t checksum_of(const uint8_t *bytes, size_t length)
{
	uint32_t checksum = UINT32_MAX;

	for (size_t i = 0; i < length; i++) {
		checksum ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			checksum = checksum >> 1 ^ (checksum & 1 ? UINT32_C(0x82f63b78) : 0);
	}
	return ~checksum;
}

static void store_32(uint8_t *bytes, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
}

void fuzz_seal_block(uint8_t *block, size_t length, size_t header_length, int has_checksum)
{
	store_32(block + 2, (uint32_t)(length - header_length));
	if (has_checksum && length >= header_length + CHECKSUM)
		store_32(block + length - CHECKSUM, checksum_of(block, length - CHECKSUM));
}

/* Returns the length, 0 if the codec is not there or there is no room. */
static size_t compress_piece(uint64_t codec, uint8_t *to, size_t room, const uint8_t *from, size_t length)
{
#ifdef MPROF_WITH_ZLIB
	if (codec == CODEC_DEFLATE) {
		uLongf created = (uLongf)room;

		return compress2(to, &created, from, (uLong)length, 1) == Z_OK ? (size_t)created : 0;
	}
#endif
#ifdef MPROF_WITH_ZSTD
	if (codec == CODEC_ZSTD) {
		size_t created = ZSTD_compress(to, room, from, length, 1);

		return ZSTD_isError(created) ? 0 : created;
	}
#endif
	(void)to;
	(void)room;
	(void)from;
	(void)length;
	return 0;
}

/* Returns whether exactly \p wanted bytes were decompressed. */
static int decompress_piece(uint64_t codec, uint8_t *to, size_t wanted, const uint8_t *from, size_t length)
{
#ifdef MPROF_WITH_ZLIB
	if (codec == CODEC_DEFLATE) {
		uLongf created = (uLongf)wanted;

		return uncompress(to, &created, from, (uLong)length) == Z_OK && created == wanted;
	}
#endif
#ifdef MPROF_WITH_ZSTD
	if (codec == CODEC_ZSTD)
		return ZSTD_decompress(to, wanted, from, length) == wanted;
#endif
	(void)to;
	(void)wanted;
	(void)from;
	(void)length;
	return 0;
}

/* Content of a block that is not compressed, and its code. */
typedef struct plain_content {
	uint8_t bytes[MAX_CONTENT + 64];
	size_t length;
	uint64_t code;
} plain_content;

static int unpack(plain_content *plain, const uint8_t *packed, size_t length)
{
	uint64_t fields[FIELDS];
	size_t at = 0;
	size_t middle;

	for (int i = 0; i < FIELDS; i++)
		fields[i] = fuzz_decode_number(packed, length, &at);
	if (fields[2] > MAX_CONTENT || fields[3] > fields[2] || fields[4] > fields[2] - fields[3] ||
	    fields[3] + fields[4] > length - at)
		return 0;
	middle = (size_t)(fields[2] - fields[3] - fields[4]);
	memcpy(plain->bytes, packed + at, (size_t)fields[3]);
	if (!decompress_piece(fields[1], plain->bytes + fields[3], middle, packed + at + fields[3],
			      length - at - (size_t)(fields[3] + fields[4])))
		return 0;
	memcpy(plain->bytes + fields[3] + middle, packed + length - fields[4], (size_t)fields[4]);
	plain->length = (size_t)fields[2];
	plain->code = fields[0];
	return 1;
}

static void change_plain(plain_content *plain)
{
	const size_t at = plain->length > 0 ? (size_t)fuzz_random_below(plain->length) : 0;
	uint8_t encoded[10];
	size_t length;

	if (plain->length == 0)
		return;
	length = fuzz_encode_number(encoded, fuzz_random_number());
	if (fuzz_random_below(2) == 0 || length > plain->length - at)
		plain->bytes[at] ^= (uint8_t)(1 << fuzz_random_below(8));
	else
		memcpy(plain->bytes + at, encoded, length);
}

static size_t pack(uint8_t *created, size_t room, const plain_content *plain)
{
	const uint64_t head = fuzz_random_below(plain->length < 40 ? plain->length + 1 : 40);
	const uint64_t tail = fuzz_random_below(plain->length - head < 20 ? plain->length - head + 1 : 20);
	uint64_t fields[FIELDS] = {plain->code, 1 + fuzz_random_below(2), plain->length, head, tail};
	const uint64_t codec = fields[1];
	size_t length = HEADER;
	size_t middle;

	if (fuzz_random_below(4) == 0)
		fields[fuzz_random_below(FIELDS)] = fuzz_random_number();
	for (int i = 0; i < FIELDS; i++)
		length += fuzz_encode_number(created + length, fields[i]);
	memcpy(created + length, plain->bytes, (size_t)head);
	length += (size_t)head;
	if (room < length + 2 * plain->length + 8192)
		return 0;
	middle = compress_piece(codec, created + length, room - length - plain->length - CHECKSUM, plain->bytes + head,
				plain->length - (size_t)(head + tail));
	if (middle == 0)
		return 0;
	if (fuzz_random_below(6) == 0)
		created[length + fuzz_random_below(middle)] ^= (uint8_t)(1 << fuzz_random_below(8));
	length += middle;
	memcpy(created + length, plain->bytes + plain->length - tail, (size_t)tail);
	created[0] = CODE_COMPRESSED;
	created[1] = 0;
	return length + (size_t)tail + CHECKSUM;
}

size_t fuzz_repack(uint8_t *created, size_t room, const uint8_t *block, size_t content_length)
{
	static plain_content plain;

	if (block[0] != CODE_COMPRESSED) {
		if (content_length > MAX_CONTENT)
			return 0;
		plain.code = block[0];
		plain.length = content_length;
		memcpy(plain.bytes, block + HEADER, content_length);
	} else {
		if (!unpack(&plain, block + HEADER, content_length))
			return 0;
		change_plain(&plain);
	}
	return pack(created, room, &plain);
}
