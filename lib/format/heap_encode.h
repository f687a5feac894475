/* SPDX-License-Identifier: MIT */
/**
 * \file format/heap_encode.h
 * \brief Encodes the records of HEAP_DATA blocks (doc/format.md, 3.17).
 */
#ifndef FORMAT_HEAP_ENCODE_H
#define FORMAT_HEAP_ENCODE_H

#include <mprof/format.h>

#include "base/id_map.h"
#include "base/id_set.h"
#include "format/block_encode.h"

/** The IDs that records may refer to, and the sizes that they may omit. */
typedef struct heap_encoding {
	const id_set *class_ids; /**< Classes defined so far. */
	const id_map *sizes;     /**< Fixed object size by class; NULL if the log has none (directive 18). */
	uint32_t root_count;     /**< Number of roots defined so far. */
	int has_offsets;         /**< References may have offsets (directive 26). */
	int any;                 /**< 1: undefined IDs are allowed. */
	int has_unknown_class;   /**< 1: objects may have class 0, an unknown class. */
} heap_encoding;

/**
 * Checks events before they are encoded; \p shift receives the number of low bits that are 0 in all their addresses, at
 * most #HEAP_MAX_SHIFT. Returns #MPROF_OK; #MPROF_ERR_ARGUMENT if an event is not a heap event or lacks a detail that
 * its kind requires; #MPROF_ERR_UNDEFINED_ID if an event refers to an ID that is not defined.
 */
mprof_status heap_check(const heap_encoding *encoding, const mprof_event *events, size_t count, uint32_t *shift);

/** The fields that precede the records of a block. */
typedef struct heap_records_header {
	mprof_clock start; /**< When the block was started. */
	uint32_t snapshot; /**< Number of the heap snapshot, 0 if none. */
	uint32_t flags;    /**< Bits of #mprof_heap_flag. */
	uint64_t counter;  /**< Timestamp of the heap snapshot. */
	uint32_t shift;    /**< Addresses are multiples of 2^shift. */
} heap_records_header;

/** Encodes the start of a HEAP_DATA block up to its records, and the end of the block after them. */
void heap_encode_start(encode_buffer *buffer, const block_encoding *encoding, const heap_records_header *header);
void heap_encode_end(encode_buffer *buffer, const mprof_clock *end);

/** Appends events as records whose addresses are in units of 2^shift. heap_check() has accepted the events. */
void heap_encode(encode_buffer *buffer, const heap_encoding *encoding, const mprof_event *events, size_t count,
		 uint32_t shift);

#endif
