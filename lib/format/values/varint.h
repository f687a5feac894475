/* SPDX-License-Identifier: MIT */
/**
 * \file format/values/varint.h
 * \brief Varints (doc/format.md, 2.1), encoded and decoded byte by byte.
 */
#ifndef FORMAT_VALUES_VARINT_H
#define FORMAT_VALUES_VARINT_H

#include <mprof/format.h>

#include "base/bytes.h"
#include "base/processor.h"

#include <stdint.h>

/** The bit that is set in the last byte of a varint and clear in the others. */
#define VARINT_LAST_BIT 0x80

/** Encodes \p value at \p out, which has room for #MPROF_VARINT_MAX_LENGTH bytes. Returns its length in bytes. */
size_t varint_encode(uint64_t value, uint8_t *out);

/**
 * Decodes a varint of at most \p length bytes. Returns its length; 0 if it continues after them; -1, without a value,
 * if it exceeds 64 bits.
 */
int varint_decode(const uint8_t *bytes, size_t length, uint64_t *value);

/** Encodes \p value at \p out, which has room for #MPROF_VARINT_MAX_LENGTH bytes. Returns the position after it. */
static inline uint8_t *varint_put(uint8_t *out, uint64_t value)
{
	while (value > 127) {
		*out++ = (uint8_t)(value & 127);
		value >>= 7;
	}
	*out++ = (uint8_t)(value | VARINT_LAST_BIT);
	return out;
}

/** The length of the varint of \p value, in bytes. */
static inline size_t varint_length(uint64_t value)
{
	size_t length = 1;

	while (value > 127) {
		value >>= 7;
		length++;
	}
	return length;
}

/**
 * Decodes the varint at \p cursor and advances \p cursor past it. Returns 1; 0 if \p limit truncates the varint; -1 if
 * it exceeds 64 bits. Unless it returns 1, nothing changes.
 */
static inline int varint_read(const uint8_t **cursor, const uint8_t *limit, uint64_t *value)
{
	int length = varint_decode(*cursor, (size_t)(limit - *cursor), value);

	if (length <= 0)
		return length;
	*cursor += length;
	return 1;
}

/** The slow path of varint_get(). */
const uint8_t *varint_get_long(const uint8_t *cursor, const uint8_t *limit, uint64_t *value);

/**
 * Decodes the varint at \p cursor. Returns the position after it, NULL if \p limit truncates it or it exceeds 64 bits.
 */
static inline const uint8_t *varint_get(const uint8_t *cursor, const uint8_t *limit, uint64_t *value)
{
	if (cursor < limit && (*cursor & VARINT_LAST_BIT) != 0) {
		*value = *cursor & 127;
		return cursor + 1;
	}
	return varint_get_long(cursor, limit, value);
}

/** Maps a signed number, passed in two's complement. */
static inline uint64_t zigzag_fold(uint64_t number)
{
	return number << 1 ^ (0 - (number >> 63));
}

/** The reverse of zigzag_fold(). */
static inline uint64_t zigzag_unfold(uint64_t folded)
{
	return folded >> 1 ^ (0 - (folded & 1));
}

/** VARINT_LAST_BIT in each of eight bytes. */
#define VARINT_WORD_LAST_BITS UINT64_C(0x8080808080808080)

/** The smallest value whose varint has more than eight bytes. */
#define VARINT_WORD_LIMIT (UINT64_C(1) << 56)

/*
 * In a sequence of varints such branches are unpredictable, and one misprediction costs more than decoding a varint.
 */

/** Joins the low seven bits of eight bytes: first in pairs, then pairs of pairs, then both halves. */
static inline uint64_t varint_word_join(uint64_t word)
{
	word &= ~VARINT_WORD_LAST_BITS;
	word -= (word & UINT64_C(0x7f007f007f007f00)) >> 1;
	word -= 3 * ((word & UINT64_C(0x3fff00003fff0000)) >> 2);
	return (uint32_t)word | word >> 32 << 28;
}

#if defined(__x86_64__) && defined(__GNUC__)

#define VARINT_WORD_CAN_EXTRACT 1

static inline int varint_word_machine_extracts(void)
{
	return processor_has_fast_pext();
}

/**
 * Joins the bits that a mask selects. One instruction does what varint_word_join() does for bits 0 to 6 of each byte.
 * The intrinsic cannot be used, because it is available only in functions that are compiled for such processors.
 */
static inline uint64_t varint_word_extract(uint64_t word, uint64_t mask)
{
	uint64_t value;

	__asm__("pext %2, %1, %0" : "=r"(value) : "r"(word), "rm"(mask));
	return value;
}

#else

#define VARINT_WORD_CAN_EXTRACT 0

static inline int varint_word_machine_extracts(void)
{
	return 0;
}

#endif

/** The reverse of varint_word_join(). \p value is below #VARINT_WORD_LIMIT. */
static inline uint64_t varint_word_split(uint64_t value)
{
	uint64_t word = (value & UINT64_C(0xfffffff)) | value >> 28 << 32;

	word += 3 * (word & UINT64_C(0x0fffc0000fffc000));
	return word + (word & UINT64_C(0x3f803f803f803f80));
}

/** Like varint_word_split(), for a value of at most 28 bits. */
static inline uint64_t varint_word_split_short(uint64_t value)
{
	value = (value & UINT64_C(0x0fffc000)) << 2 | (value & UINT64_C(0x00003fff));
	return (value & UINT64_C(0x3f803f80)) << 1 | (value & UINT64_C(0x007f007f));
}

/** The index of the last byte of a word that was split. */
static inline uint32_t varint_word_last_byte(uint64_t word)
{
	return (63 ^ (uint32_t)__builtin_clzll(word | 1)) / 8;
}

/** Decodes like varint_get(). */
static inline const uint8_t *varint_word_get(const uint8_t *cursor, const uint8_t *limit, uint64_t *value)
{
	if (__builtin_expect(limit - cursor >= 8, 1)) {
		uint64_t word = bytes_load_64(cursor);
		uint64_t marks = word & VARINT_WORD_LAST_BITS;

		if (__builtin_expect(marks != 0, 1)) {
			uint64_t last = marks & (0 - marks);

			/* The bytes up to the lowest mark. */
			*value = varint_word_join(word & (last | (last - 1)));
			return cursor + __builtin_ctzll(marks) / 8 + 1;
		}
	}
	return varint_get(cursor, limit, value);
}

/** Marks a byte of a word that was split as the last one. */
static inline uint64_t varint_word_end(uint64_t word, uint32_t last_byte)
{
	return word | (uint64_t)VARINT_LAST_BIT << 8 * last_byte;
}

/** Encodes a word that was split. Always stores eight bytes. */
static inline uint8_t *varint_word_store(uint8_t *out, uint64_t word)
{
	const uint32_t last = varint_word_last_byte(word);

	bytes_store_64(out, varint_word_end(word, last));
	return out + last + 1;
}

/** Encodes like varint_put(). \p out must have room for at least eight bytes. */
static inline uint8_t *varint_word_put(uint8_t *out, uint64_t value)
{
	if (__builtin_expect(value >= VARINT_WORD_LIMIT, 0))
		return varint_put(out, value);
	return varint_word_store(out, varint_word_split(value));
}

/** Like varint_word_put(), but faster if most values have at most 28 bits: its branch is then predictable. */
static inline uint8_t *varint_word_put_mostly_short(uint8_t *out, uint64_t value)
{
	if (__builtin_expect(value >= VARINT_WORD_LIMIT, 0))
		return varint_put(out, value);
	return varint_word_store(out, value >> 28 == 0 ? varint_word_split_short(value) : varint_word_split(value));
}

#define MEMORY_ADDRESS_BITS 4
#define MEMORY_ADDRESS_MASK 15

/*
 * Allocators align memory to 16 bytes, so differences are stored in units of 16. The lowest bit of the first varint
 * marks a difference that is not a multiple of 16; its remainder follows.
 */

/** Returns the first varint of an address. \p rest receives the second one, 0 if none. */
static inline uint64_t memory_address_encode(uint64_t address, uint64_t previous, uint32_t *rest)
{
	uint64_t difference = address - previous;
	/* An arithmetic shift to the right: the vacated high bits are copies of the sign. */
	uint64_t units = difference >> MEMORY_ADDRESS_BITS ^ (0 - (difference >> 63)) << (64 - MEMORY_ADDRESS_BITS);

	*rest = (uint32_t)difference & MEMORY_ADDRESS_MASK;
	return zigzag_fold(units) << 1 | (*rest != 0);
}

/** Whether the varint of the remainder follows the first varint. */
static inline int memory_address_has_rest(uint64_t first)
{
	return (int)(first & 1);
}

/** Whether both varints are in the range that a writer produces. \p rest is 0 if there is no second varint. */
static inline int memory_address_is_valid(uint64_t first, uint64_t rest)
{
	return first >> (64 - MEMORY_ADDRESS_BITS + 1) == 0 && rest <= MEMORY_ADDRESS_MASK &&
	       memory_address_has_rest(first) == (rest != 0);
}

/** Returns the address. \p rest is 0 if there is no second varint. */
static inline uint64_t memory_address_decode(uint64_t first, uint64_t rest, uint64_t previous)
{
	return previous + (zigzag_unfold(first >> 1) << MEMORY_ADDRESS_BITS) + rest;
}

#endif
