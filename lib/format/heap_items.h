/* SPDX-License-Identifier: MIT */
/**
 * \file format/heap_items.h
 * \brief HEAP blocks of drop, mono and unity: a shot is one block, whose form changed four times and is not told.
 */
#ifndef FORMAT_HEAP_ITEMS_H
#define FORMAT_HEAP_ITEMS_H

#include <mprof/parser.h>

#include "format/content_cursor.h"
#include "format/dialect.h"
#include "format/hits_decode.h"

/** The forms, from the first one on. */
typedef enum heap_form {
	HEAP_FORM_NONE,     /**< mprof2's records. */
	HEAP_FORM_BARE,     /**< January to March 2008: objects have neither class nor size. */
	HEAP_FORM_CLASSES,  /**< A few hours in March 2008. */
	HEAP_FORM_UNTAGGED, /**< To April 2008: addresses lack the bit that tells objects. */
	HEAP_FORM_TAGGED,   /**< To May 2008. */
	HEAP_FORM_NUMBERED, /**< Since: the block has the number of the collection. */
	HEAP_FORM_FIXED     /**< unity-fixed. */
} heap_form;

/** The low bits of a number that begins an item: objects have them free, since their addresses are multiples of 4. */
#define HEAP_ITEM_TAG_BITS 2
#define HEAP_ITEM_TAG_MASK UINT64_C(3)
#define HEAP_ITEM_TAG_OBJECT 1
#define HEAP_ITEM_TAG_DEAD 2

/** What a form holds. */
typedef struct heap_item_form {
	uint8_t has_number;      /**< Of the collection, behind the clocks of the shot. */
	uint8_t has_start_clock; /**< When the block was begun, behind that. */
	uint8_t has_classes;     /**< Objects have class and size. */
	uint8_t object_tag;      /**< The low two bits of an object's address as it is written. */
	uint8_t has_fixed_ints;  /**< Each has 4 bytes; an item begins with a code, not with a tagged number. */
} heap_item_form;

/** NULL for #HEAP_FORM_NONE. */
const heap_item_form *heap_item_form_get(heap_form form);

/** How a block reads. */
typedef struct heap_reading {
	heap_form form;
	int is_sure;       /**< Its clocks are in order: they would hardly be by chance. */
	size_t list_start; /**< In the content: of the items. */
	size_t list_end;   /**< Where the 0 is that ends them, or the content if it is cut. */
} heap_reading;

/**
 * Finds out which form the content has that begins at the cursor, and takes it; if it is cut, as far as the items. A
 * form that was sure for an earlier block is preferred, and items in it are checked only when they are fetched. Fills
 * what \p block has of its content. Leaves the fault of the most likely form if none reads it.
 */
void heap_items_take(content_cursor *cursor, const dialect_rules *rules, heap_form known_form, const known_ids *known,
		     int is_cut, mprof_block *block, heap_reading *reading);

#endif
