/* SPDX-License-Identifier: MIT */
/**
 * \file format/blocks/typed_list.h
 * \brief Decodes and encodes the list of a TYPED block (doc/format.md, 3.33): events of types in no order of time.
 */
#ifndef FORMAT_BLOCKS_TYPED_LIST_H
#define FORMAT_BLOCKS_TYPED_LIST_H

#include <mprof/format.h>

#include "format/values/encode_buffer.h"

#include <stddef.h>
#include <stdint.h>

/** The input and the progress of decoding. Kept between calls. */
typedef struct typed_decode_state {
	const uint8_t *bytes; /**< Start of the list. May move between calls. */
	size_t length;        /**< Length of the list, in bytes. */
	size_t position;      /**< Bytes decoded so far. */
	size_t fault;         /**< After a fault: its offset in the list. */
	uint64_t counter;     /**< Counter of the last event decoded; initially the base counter. */
} typed_decode_state;

/** Why decoding stopped. In each case the position is after the last event that was stored. */
typedef enum typed_decode_result {
	TYPED_DECODE_FULL,       /**< The array is full. */
	TYPED_DECODE_DONE,       /**< All bytes are decoded. */
	TYPED_DECODE_TRUNCATED,  /**< The bytes end inside an event. */
	TYPED_DECODE_LIST_END,   /**< The next varint is 0, which ends the list. */
	TYPED_DECODE_BAD_VARINT, /**< A varint exceeds 64 bits. */
	TYPED_DECODE_TOO_LONG,   /**< The arguments exceed #MPROF_ARGUMENTS_MAX_SIZE. */
	TYPED_DECODE_BAD_ID      /**< An ID exceeds 32 bits. */
} typed_decode_result;

/**
 * Decodes events; \p details has room for as many as \p events. Their arguments point into the list. \p count receives
 * the number of events stored.
 */
typed_decode_result typed_decode(typed_decode_state *state, mprof_event *events, mprof_event_detail *details,
				 size_t capacity, size_t *count);

/** Appends an event, whose arguments are at most #MPROF_ARGUMENTS_MAX_SIZE bytes. \p last_counter is advanced to it. */
void typed_encode(encode_buffer *buffer, const mprof_event *event, const mprof_event_detail *detail,
		  uint64_t *last_counter);

#endif
