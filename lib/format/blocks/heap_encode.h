/* SPDX-License-Identifier: MIT */
/**
 * \file format/blocks/heap_encode.h
 * \brief Encodes the records of HEAP_DATA blocks (doc/format.md, 3.17).
 */
#ifndef FORMAT_BLOCKS_HEAP_ENCODE_H
#define FORMAT_BLOCKS_HEAP_ENCODE_H

#include <mprof/format.h>

#include "base/id_map.h"
#include "format/blocks/block_encode.h"

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

/** The maximum encoded length of a live object without its references, in bytes. A dead object is shorter. */
#define HEAP_ITEM_ROOM (MPROF_VARINT_MAX_LENGTH + 3 * 5)

/** Whether the tag bits of an address are 0. */
int heap_item_address_fits(uint64_t address);

/** Encodes a live object; its references must follow. The tag bits of the address are cleared. */
void heap_item_encode_object(encode_buffer *buffer, uint64_t address, uint32_t class_id, uint32_t size,
			     uint32_t reference_count);

/** Encodes \p count references, of the preceding object or of one that is encoded in another buffer. */
void heap_item_encode_references(encode_buffer *buffer, const uint64_t *references, uint32_t count);

/** Encodes a dead object. */
void heap_item_encode_dead(encode_buffer *buffer, uint32_t class_id, uint32_t size);

/** The fields that precede the items of a block. */
typedef struct heap_items_header {
	mprof_clock snapshot_start; /**< When the heap snapshot was started. */
	mprof_clock snapshot_end;   /**< When the heap snapshot ended. */
	mprof_clock start;          /**< When the block was started. */
	uint32_t number;            /**< Number of the collection; not written in dialects without it. */
} heap_items_header;

/** Encodes a block with its items, without their end. */
void heap_items_encode(encode_buffer *buffer, const block_encoding *encoding, const heap_items_header *header,
		       const encode_buffer *items);

/** Encodes the end of the items and the CLOCK at the end of the block. */
void heap_items_encode_end(encode_buffer *buffer, const mprof_clock *end);

#endif
