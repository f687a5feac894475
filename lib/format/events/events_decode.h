/* SPDX-License-Identifier: MIT */
/**
 * \file format/events/events_decode.h
 * \brief Decodes events (doc/format.md, section 4) to arrays of mprof_event.
 */
#ifndef FORMAT_EVENTS_EVENTS_DECODE_H
#define FORMAT_EVENTS_EVENTS_DECODE_H

#include "format/events/event_decode_table.h"
#include "format/values/varint.h"

/**
 * Decodes the event at \p position and advances \p position past it. \p position must be before \p limit, and the batch
 * must have room for an event. Unless the result is EVENTS_DECODE_DONE, neither the state nor the counts of the batch
 * change.
 */
events_decode_result event_decode_one(const event_decode_table *table, const uint8_t **position, const uint8_t *limit,
				      events_decode_state *state, events_decode_batch *batch);

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

/** Length of a window in bytes. */
#define VARINT_WINDOW_LENGTH 64

/** The mask at an index selects the lowest index + 1 groups of seven bits, after the groups were joined. */
static const uint64_t varint_group_masks[8] = {
	(UINT64_C(1) << 7) - 1,  (UINT64_C(1) << 14) - 1, (UINT64_C(1) << 21) - 1, (UINT64_C(1) << 28) - 1,
	(UINT64_C(1) << 35) - 1, (UINT64_C(1) << 42) - 1, (UINT64_C(1) << 49) - 1, (UINT64_C(1) << 56) - 1,
};

#if VARINT_WORD_CAN_EXTRACT
/** The mask at an index selects the lowest index + 1 groups while they are in separate bytes. */
static const uint64_t varint_byte_masks[8] = {
	UINT64_C(0x7f),         UINT64_C(0x7f7f),         UINT64_C(0x7f7f7f),         UINT64_C(0x7f7f7f7f),
	UINT64_C(0x7f7f7f7f7f), UINT64_C(0x7f7f7f7f7f7f), UINT64_C(0x7f7f7f7f7f7f7f), UINT64_C(0x7f7f7f7f7f7f7f7f),
};
#endif

/*
 * Decoding a value then does not wait for the search for its end.
 */

/** Decodes the varint at the start of a word. \p last is the index of its last byte, 0 to 7. */
static inline uint64_t varint_window_value(uint64_t word, uint32_t last, uint32_t use_extract)
{
#if VARINT_WORD_CAN_EXTRACT
	if (use_extract)
		return varint_word_extract(word, varint_byte_masks[last]);
#else
	(void)use_extract;
#endif
	return varint_word_join(word) & varint_group_masks[last];
}

/**
 * Decodes two consecutive varints at the start of a word; the arguments are the indices of their last bytes. For a
 * single varint pass the same index twice; the second value is then 0.
 */
static inline void varint_window_two_values(uint64_t word, uint32_t first_last, uint32_t second_last,
					    uint32_t use_extract, uint64_t *first, uint64_t *second)
{
	uint64_t joined;

#if VARINT_WORD_CAN_EXTRACT
	if (use_extract) {
		*first = varint_word_extract(word, varint_byte_masks[first_last]);
		*second = varint_word_extract(word, varint_byte_masks[second_last] ^ varint_byte_masks[first_last]);
		return;
	}
#else
	(void)use_extract;
#endif
	joined = varint_word_join(word);
	*first = joined & varint_group_masks[first_last];
	*second = (joined & varint_group_masks[second_last]) >> (7 * first_last + 7);
}

/** A word of eight bytes that all have this value. */
#define VARINT_EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/** Gathers the highest bits of eight bytes: the multiplication collects them in the highest byte of the product. */
static inline uint64_t varint_highest_bits(uint64_t bytes)
{
	return ((bytes & VARINT_EACH_BYTE(0x80)) >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

#if defined(__SSE2__)

static inline uint64_t varint_last_bits_of_16(const uint8_t *bytes)
{
	return (uint32_t)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(const void *)bytes));
}

#elif defined(__wasm_simd128__)

static inline uint64_t varint_last_bits_of_16(const uint8_t *bytes)
{
	return (uint32_t)wasm_i8x16_bitmask(wasm_v128_load(bytes));
}

#else

static inline uint64_t varint_last_bits_of_16(const uint8_t *bytes)
{
	return varint_highest_bits(bytes_load_64(bytes)) | varint_highest_bits(bytes_load_64(bytes + 8)) << 8;
}

#endif

/** A bit for each byte of the window, the first byte in the lowest bit: set if the byte can be the last of a varint. */
static inline uint64_t varint_window_ends(const uint8_t *window)
{
	return varint_last_bits_of_16(window) | varint_last_bits_of_16(window + 16) << 16 |
	       varint_last_bits_of_16(window + 32) << 32 | varint_last_bits_of_16(window + 48) << 48;
}

/** Decodes events until the batch is full, the bytes end, or an event cannot be decoded. */
events_decode_result events_decode(const event_decode_table *table, events_decode_state *state,
				   events_decode_batch *batch);

#endif
