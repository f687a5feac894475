/* SPDX-License-Identifier: MIT */
/**
 * \file format/int_words.h
 * \brief INTs (doc/format.md, 2.1) read and written eight bytes at once, with no branch that depends on their length.
 *
 * Where many follow each other, lengths have no pattern, and each wrong guess of the processor costs more than the INT.
 */
#ifndef FORMAT_INT_WORDS_H
#define FORMAT_INT_WORDS_H

#include "format/int.h"

/** INT_LAST_BIT in each of eight bytes. */
#define INT_WORD_LAST_BITS UINT64_C(0x8080808080808080)

/** Values from here on take more than eight bytes. */
#define INT_WORD_LIMIT (UINT64_C(1) << 56)

/** Puts the groups of seven bits of eight bytes side by side: pairs, then pairs of pairs, then both halves. */
static inline uint64_t int_word_join(uint64_t word)
{
	word &= ~INT_WORD_LAST_BITS;
	word -= (word & UINT64_C(0x7f007f007f007f00)) >> 1;
	word -= 3 * ((word & UINT64_C(0x3fff00003fff0000)) >> 2);
	return (uint32_t)word | word >> 32 << 28;
}

#if defined(__x86_64__) && defined(__GNUC__)

#define INT_WORD_CAN_EXTRACT 1

/** 1 if the processor has int_word_extract() and is quick at it: Zen 1 and 2 are not. */
static inline int int_word_machine_extracts(void)
{
	return __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("amdfam17h");
}

/**
 * Puts the bits of a mask side by side: what int_word_join() does with the bits 0 to 6 of each byte, by one
 * instruction. The compiler has its own name for it, but only in functions that are made for such processors alone.
 */
static inline uint64_t int_word_extract(uint64_t word, uint64_t mask)
{
	uint64_t value;

	__asm__("pext %2, %1, %0" : "=r"(value) : "r"(word), "rm"(mask));
	return value;
}

#else

#define INT_WORD_CAN_EXTRACT 0

static inline int int_word_machine_extracts(void)
{
	return 0;
}

#endif

/** The reverse. \p value is below #INT_WORD_LIMIT. */
static inline uint64_t int_word_split(uint64_t value)
{
	uint64_t word = (value & UINT64_C(0xfffffff)) | value >> 28 << 32;

	word += 3 * (word & UINT64_C(0x0fffc0000fffc000));
	return word + (word & UINT64_C(0x3f803f803f803f80));
}

/** As int_get(). */
static inline const uint8_t *int_word_get(const uint8_t *cursor, const uint8_t *limit, uint64_t *value)
{
	if (__builtin_expect(limit - cursor >= 8, 1)) {
		uint64_t word = bytes_load_64(cursor);
		uint64_t marks = word & INT_WORD_LAST_BITS;

		if (__builtin_expect(marks != 0, 1)) {
			uint64_t last = marks & (0 - marks);

			/* The bytes up to the one that has the lowest mark. */
			*value = int_word_join(word & (last | (last - 1)));
			return cursor + __builtin_ctzll(marks) / 8 + 1;
		}
	}
	return int_get(cursor, limit, value);
}

/** As int_put(). */
static inline uint8_t *int_word_put(uint8_t *out, uint64_t value)
{
	uint32_t highest = 63 - (uint32_t)__builtin_clzll(value | 1);
	uint32_t last = highest / 7;

	if (__builtin_expect(value >= INT_WORD_LIMIT, 0))
		return int_put(out, value);
	bytes_store_64(out, int_word_split(value) | (uint64_t)INT_LAST_BIT << 8 * last);
	return out + last + 1;
}

#endif
