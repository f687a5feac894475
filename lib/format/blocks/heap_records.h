/* SPDX-License-Identifier: MIT */
/**
 * \file format/blocks/heap_records.h
 * \brief The records of HEAP_DATA blocks (doc/format.md, 3.17): the layout of their first varint.
 */
#ifndef FORMAT_BLOCKS_HEAP_RECORDS_H
#define FORMAT_BLOCKS_HEAP_RECORDS_H

#include <stdint.h>

/** The type of a record, in the low bits of its first varint. The comments state what the other bits contain. */
typedef enum heap_record {
	HEAP_RECORD_OBJECT = 0,       /**< A live object: its class. */
	HEAP_RECORD_OBJECT_FIXED = 1, /**< A live object of its class's fixed size (directive 18): the class. */
	HEAP_RECORD_FREE = 2,         /**< A dead object: its class. */
	HEAP_RECORD_FREE_FIXED = 3,   /**< A dead object of its class's fixed size (directive 18): the class. */
	HEAP_RECORD_REFERENCES = 4,   /**< Further references of an object: their number. */
	HEAP_RECORD_ROOT = 5,         /**< A reference from a root: the ID of the root, or 0. */
	HEAP_RECORD_MOVE = 6,         /**< A moved object: 0. */
	HEAP_RECORD_MASK = 7
} heap_record;

#define HEAP_RECORD_BITS 3

/**
 * The start of a run of references with consecutive offsets (directive 26). The low bits of its first varint are the
 * number of references minus 1, and the other bits the distance from the previous run; or the low bits are
 * #HEAP_RUN_LONG and the other bits the number of references, and a signed distance follows.
 */
#define HEAP_RUN_BITS 2
#define HEAP_RUN_MASK 3
#define HEAP_RUN_LONG 3

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

/** The tag in the low bits of an item's first varint. They are free because object addresses are multiples of 4. */
#define HEAP_ITEM_TAG_BITS 2
#define HEAP_ITEM_TAG_MASK UINT64_C(3)
#define HEAP_ITEM_TAG_OBJECT 1
#define HEAP_ITEM_TAG_DEAD 2

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

#endif
