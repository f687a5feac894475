/* SPDX-License-Identifier: MIT */
/**
 * \file format/blocks/heap_records.h
 * \brief Decodes and encodes the records of HEAP_DATA blocks (doc/format.md, 3.17), and decodes the items that Mono's
 * own writers put there (doc/dialects.md).
 */
#ifndef FORMAT_BLOCKS_HEAP_RECORDS_H
#define FORMAT_BLOCKS_HEAP_RECORDS_H

#include <mprof/format.h>
#include <mprof/parser.h>

#include "base/id_map.h"
#include "format/blocks/block_encode.h"
#include "format/values/content_cursor.h"
#include "format/values/dialect.h"
#include "format/values/known_ids.h"
#include "format/values/varint.h"

#include <stdint.h>

/** The maximum of heap_records_header::shift. */
#define HEAP_MAX_SHIFT 12

/** The layouts, oldest first. */
typedef enum heap_layout {
	HEAP_LAYOUT_NONE,     /**< Not items but records, as in mprof2. */
	HEAP_LAYOUT_BARE,     /**< January to March 2008: objects have neither class nor size. */
	HEAP_LAYOUT_CLASSES,  /**< A few hours in March 2008: no CLOCK for the start of the block yet. */
	HEAP_LAYOUT_UNTAGGED, /**< Until April 2008: the tag of a live object is 0. */
	HEAP_LAYOUT_TAGGED,   /**< Until May 2008: the tag of a live object is 1. */
	HEAP_LAYOUT_NUMBERED, /**< Since May 2008: the block has the number of the collection. */
	HEAP_LAYOUT_FIXED     /**< unity-fixed. */
} heap_layout;

/** The properties of a layout. */
typedef struct heap_item_layout {
	uint8_t has_number;      /**< The number of the collection follows the clocks of the heap snapshot. */
	uint8_t has_start_clock; /**< The clock of the start of the block follows these fields. */
	uint8_t has_classes;     /**< Objects have a class and a size. */
	uint8_t object_tag;      /**< The tag of a live object. */
	uint8_t has_fixed_ints;  /**< Integers have 4 bytes; an item begins with a code, not with a tagged varint. */
} heap_item_layout;

/** The properties of a layout; NULL for #HEAP_LAYOUT_NONE. */
const heap_item_layout *heap_item_layout_get(heap_layout layout);

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

/** The input and the state of the decoder, which persists between calls. */
typedef struct heap_decode_state {
	const uint8_t *bytes;           /**< Start of the records. May move between calls. */
	size_t length;                  /**< Length of the records, in bytes. */
	size_t position;                /**< Bytes decoded so far. */
	size_t fault;                   /**< After a fault: its offset in the records. */
	uint64_t previous_address;      /**< The next address is relative to it. Records only. */
	uint64_t references_left;       /**< References of an object that are still to be returned. */
	uint64_t run_left;              /**< References of a run that are still to be returned, ... */
	uint64_t next_offset;           /**< ... and the offset of the first of them in its object. */
	uint64_t counter;               /**< The counter of all events. */
	uint32_t shift;                 /**< Number of low bits that are 0 in all addresses. Records only. */
	uint8_t has_offsets;            /**< References may have offsets (directive 26). Records only. */
	uint8_t has_runs;               /**< The references that are still to be returned are in runs. */
	const heap_item_layout *layout; /**< The layout of Mono's items; NULL for records. */
} heap_decode_state;

/** The error message for a fault. Static text. */
const char *heap_decode_fault(heap_decode_result result);

/**
 * Decodes records until the batch is full, the bytes end, or a fault is found. \p sizes maps the classes whose objects
 * have a fixed size to that size. An object with more references than an empty batch can hold is returned in pieces:
 * the object with the first references, then #MPROF_EVENT_HEAP_REFERENCES events with the others.
 */
heap_decode_result heap_decode(heap_decode_state *state, const id_map *sizes, heap_decode_batch *batch);

/** The layout of a block and the position of its items. */
typedef struct heap_items_result {
	heap_layout layout;
	int is_sure;       /**< The clocks are in order, which is improbable in a wrong layout. */
	size_t list_start; /**< Offset of the items in the content. */
	size_t list_end;   /**< Offset of the 0 that ends the items; if truncated, the length of the content. */
} heap_items_result;

/**
 * Determines the layout of the content at the cursor and decodes the content; if it is truncated, up to the last
 * complete item. \p known_layout is that of an earlier block of the log, or #HEAP_LAYOUT_NONE. It is preferred; the
 * items are then checked only when they are fetched. Fills the fields of \p block that depend on the content. If no
 * layout fits, the cursor keeps the fault of the likeliest layout.
 */
void heap_items_decode(content_cursor *cursor, const dialect_rules *rules, heap_layout known_layout,
		       const known_ids *known, int is_truncated, mprof_block *block, heap_items_result *result);

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
	uint64_t process;  /**< The process whose memory it is; only with directive 39. */
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
