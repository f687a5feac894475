/* SPDX-License-Identifier: MIT */
/**
 * \file format/heap_item_layout.h
 * \brief The layouts of the items in HEAP_DATA blocks of drop, mono and unity (doc/dialects.md).
 */
#ifndef FORMAT_HEAP_ITEM_LAYOUT_H
#define FORMAT_HEAP_ITEM_LAYOUT_H

#include <stdint.h>

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
