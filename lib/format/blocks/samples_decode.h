/* SPDX-License-Identifier: MIT */
/**
 * \file format/blocks/samples_decode.h
 * \brief Decodes the list of a SAMPLES block (doc/format.md, 3.12) to arrays of mprof_event.
 */
#ifndef FORMAT_BLOCKS_SAMPLES_DECODE_H
#define FORMAT_BLOCKS_SAMPLES_DECODE_H

#include <mprof/format.h>

/** The input and the progress of decoding. Kept between calls. */
typedef struct samples_decode_state {
	const uint8_t *bytes; /**< Start of the samples. May move between calls. */
	size_t length;        /**< Length of the samples, in bytes. */
	size_t position;      /**< Bytes decoded so far. */
	size_t fault;         /**< After a fault: its offset in the samples. */
	uint64_t counter;     /**< Counter of the last sample decoded; initially the base counter. */
} samples_decode_state;

/** Why decoding stopped. In each case the position is after the last sample that was stored. */
typedef enum samples_decode_result {
	SAMPLES_DECODE_FULL,       /**< The array is full. */
	SAMPLES_DECODE_DONE,       /**< All bytes are decoded. */
	SAMPLES_DECODE_TRUNCATED,  /**< The bytes end inside a sample. */
	SAMPLES_DECODE_LIST_END,   /**< The next varint is 0, which ends a list of samples. */
	SAMPLES_DECODE_BAD_VARINT, /**< A varint exceeds 64 bits. */
	SAMPLES_DECODE_BAD_ID      /**< An ID exceeds 32 bits. */
} samples_decode_result;

/** Decodes samples. \p count receives the number of events stored. */
samples_decode_result samples_decode(samples_decode_state *state, mprof_event *events, size_t capacity, size_t *count);

#endif
