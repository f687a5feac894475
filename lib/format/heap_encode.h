/* SPDX-License-Identifier: MIT */
/**
 * \file format/heap_encode.h
 * \brief The records of HEAP_DATA blocks (doc/format.md, 3.17) as bytes.
 */
#ifndef FORMAT_HEAP_ENCODE_H
#define FORMAT_HEAP_ENCODE_H

#include <mprof/format.h>

#include "base/id_map.h"
#include "base/id_set.h"
#include "format/block_encode.h"

/** What records may name. */
typedef struct heap_encoding {
	const id_set *class_ids; /**< Those defined. */
	const id_map *sizes;     /**< Of their objects; NULL if the log does not tell them (directive 18). */
	uint32_t root_count;     /**< Roots defined. */
	int any;                 /**< 1: what is not defined may be named too. */
	int has_unknown_class;   /**< 1: objects may have class 0, which is not known. */
} heap_encoding;

/**
 * Checks events before they are encoded, and finds how many low bits are 0 in all their addresses. Returns #MPROF_OK;
 * #MPROF_ERR_ARGUMENT for an event of another kind, or without what its kind needs; #MPROF_ERR_UNDEFINED_ID.
 */
mprof_status heap_check(const heap_encoding *encoding, const mprof_event *events, size_t count, uint32_t *shift);

/** What a block of records says of itself: when it was begun, its shot, bits of #mprof_heap_flag, the shot's time. */
typedef struct heap_records_head {
	mprof_clock start;
	uint32_t shot;
	uint32_t flags;
	uint64_t counter;
	uint32_t shift; /**< Addresses are multiples of 2^shift. */
} heap_records_head;

/** A HEAP_DATA block up to its records, and what follows them. */
void heap_encode_start(encode_buffer *buffer, const block_encoding *encoding, const heap_records_head *head);
void heap_encode_end(encode_buffer *buffer, const mprof_clock *end);

/** Appends events, which were checked, as records whose addresses are told in units of 2^shift. */
void heap_encode(encode_buffer *buffer, const heap_encoding *encoding, const mprof_event *events, size_t count,
		 uint32_t shift);

#endif
