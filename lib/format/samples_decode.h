/* SPDX-License-Identifier: MIT */
/**
 * \file format/samples_decode.h
 * \brief The list of a SAMPLES block (doc/format.md, 3.12) from memory to arrays of mprof_event.
 */
#ifndef FORMAT_SAMPLES_DECODE_H
#define FORMAT_SAMPLES_DECODE_H

#include <mprof/format.h>

/** What is decoded, and the position. Kept between calls. */
typedef struct samples_decode_state {
	const uint8_t *bytes; /**< Where samples begin. May move between calls. */
	size_t length;        /**< Where they end. */
	size_t position;      /**< Bytes read so far. */
	size_t fault;         /**< Where the fault is, after one. */
	uint64_t counter;     /**< That of the last sample read, or the base counter. */
} samples_decode_state;

/** Why decoding stopped. In every case the position is after the last sample that was stored. */
typedef enum samples_decode_result {
	SAMPLES_DECODE_FULL,       /**< No room is left. */
	SAMPLES_DECODE_DONE,       /**< All bytes are read. */
	SAMPLES_DECODE_TRUNCATED,  /**< The bytes end inside a sample. */
	SAMPLES_DECODE_LIST_END,   /**< There is a varint 0, which ends a list of samples. */
	SAMPLES_DECODE_BAD_VARINT, /**< A varint exceeds 64 bits. */
	SAMPLES_DECODE_BAD_ID      /**< An ID exceeds 32 bits. */
} samples_decode_result;

/** Decodes samples; \p count receives how many were stored. */
samples_decode_result samples_decode(samples_decode_state *state, mprof_event *events, size_t capacity, size_t *count);

#endif
