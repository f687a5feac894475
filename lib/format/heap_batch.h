/* SPDX-License-Identifier: MIT */
/**
 * \file format/heap_batch.h
 * \brief The output and the results of decoding HEAP_DATA blocks.
 */
#ifndef FORMAT_HEAP_BATCH_H
#define FORMAT_HEAP_BATCH_H

#include <mprof/format.h>

/** The output of the decoder. The arrays are borrowed. */
typedef struct heap_decode_batch {
	mprof_event *events;
	mprof_event_detail *details; /**< One for each event. */
	size_t capacity;             /**< Capacity of both arrays, in elements. */
	size_t count;                /**< Number of events stored. */
	uint64_t *references;        /**< References of all events. */
	size_t reference_capacity;
	size_t reference_count;
	uint64_t *offsets; /**< One for each reference; required only by #heap_decode_state::has_offsets. */
} heap_decode_batch;

/** Why decoding stopped. In each case the position is after the last event that was stored. */
typedef enum heap_decode_result {
	HEAP_DECODE_FULL,       /**< The batch is full. */
	HEAP_DECODE_DONE,       /**< All bytes are decoded. */
	HEAP_DECODE_TRUNCATED,  /**< The bytes end inside a record. */
	HEAP_DECODE_LIST_END,   /**< The next varint is 0, which ends a list of records. */
	HEAP_DECODE_BAD_TYPE,   /**< The record type is unknown. */
	HEAP_DECODE_BAD_VARINT, /**< A varint exceeds 64 bits. */
	HEAP_DECODE_BAD_ID,     /**< An ID is 0 where it must not be, or exceeds 32 bits. */
	HEAP_DECODE_NO_SIZE,    /**< The objects of the class have no fixed size. */
	HEAP_DECODE_BAD_SIZE,   /**< A size exceeds 32 bits. */
	HEAP_DECODE_BAD_COUNT,  /**< The reference count exceeds the number of bytes left. */
	HEAP_DECODE_BAD_RUN     /**< A run of references is empty, or longer than the list of references. */
} heap_decode_result;

#endif
