/* SPDX-License-Identifier: MIT */
/**
 * \file format/heap_items_decode.h
 * \brief Decodes HEAP_DATA blocks of drop, mono and unity, each of which is one heap snapshot. Their layout changed
 * four times, and the log does not specify which one it has.
 */
#ifndef FORMAT_HEAP_ITEMS_DECODE_H
#define FORMAT_HEAP_ITEMS_DECODE_H

#include <mprof/parser.h>

#include "format/content_cursor.h"
#include "format/dialect.h"
#include "format/heap_item_layout.h"
#include "format/known_ids.h"

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

#endif
