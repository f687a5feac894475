/* SPDX-License-Identifier: MIT */
/**
 * \file format/heap_items.h
 * \brief HEAP blocks of drop, mono and unity: a heap snapshot is one block. Its form changed four times, and the log
 * does not specify which one it has.
 */
#ifndef FORMAT_HEAP_ITEMS_H
#define FORMAT_HEAP_ITEMS_H

#include <mprof/parser.h>

#include "format/content_cursor.h"
#include "format/dialect.h"
#include "format/hits_decode.h"

/** The forms, oldest first. */
typedef enum heap_form {
	HEAP_FORM_NONE,     /**< Not items but records, as in mprof2. */
	HEAP_FORM_BARE,     /**< January to March 2008: objects have neither class nor size. */
	HEAP_FORM_CLASSES,  /**< A few hours in March 2008. */
	HEAP_FORM_UNTAGGED, /**< Until April 2008: the tag of a live object is 0. */
	HEAP_FORM_TAGGED,   /**< Until May 2008: the tag of a live object is 1. */
	HEAP_FORM_NUMBERED, /**< Since May 2008: the block has the number of the collection. */
	HEAP_FORM_FIXED     /**< unity-fixed. */
} heap_form;

/** The tag in the low bits of an item's first varint. They are free because object addresses are multiples of 4. */
#define HEAP_ITEM_TAG_BITS 2
#define HEAP_ITEM_TAG_MASK UINT64_C(3)
#define HEAP_ITEM_TAG_OBJECT 1
#define HEAP_ITEM_TAG_DEAD 2

/** The layout of a form. */
typedef struct heap_item_form {
	uint8_t has_number;      /**< The number of the collection follows the clocks of the heap snapshot. */
	uint8_t has_start_clock; /**< After that follows the clock of the start of the block. */
	uint8_t has_classes;     /**< Objects have a class and a size. */
	uint8_t object_tag;      /**< The low two bits of the address of a live object as written. */
	uint8_t has_fixed_ints;  /**< Integers have 4 bytes; an item begins with a code, not with a tagged varint. */
} heap_item_form;

/** The layout of a form; NULL for #HEAP_FORM_NONE. */
const heap_item_form *heap_item_form_get(heap_form form);

/** The form of a block and the position of its items. */
typedef struct heap_reading {
	heap_form form;
	int is_sure;       /**< The clocks are in order, which is improbable in a wrong form. */
	size_t list_start; /**< Offset of the items in the content. */
	size_t list_end;   /**< Offset of the 0 that ends the items; of the end of truncated content. */
} heap_reading;

/**
 * Determines the form of the content at the cursor and decodes the content; truncated content as far as the items go.
 * A form that was certain for an earlier block of the log is preferred, and its items are checked only when they are
 * fetched. Fills the fields of \p block that depend on the content. If no form fits, the cursor keeps the fault of the
 * likeliest.
 */
void heap_items_take(content_cursor *cursor, const dialect_rules *rules, heap_form known_form, const known_ids *known,
		     int is_cut, mprof_block *block, heap_reading *reading);

#endif
