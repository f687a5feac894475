/* SPDX-License-Identifier: MIT */
/**
 * \file format/heap_item_decode.h
 * \brief Decodes one item of a HEAP_DATA block of drop, mono or unity.
 */
#ifndef FORMAT_HEAP_ITEM_DECODE_H
#define FORMAT_HEAP_ITEM_DECODE_H

#include "format/heap_cursor.h"

/**
 * Decodes an item into an event and its detail, which are zeroed. #HEAP_DECODE_LIST_END and faults of the first integer
 * leave \p cursor at the start of the item.
 */
heap_decode_result heap_item_decode(heap_cursor *cursor, heap_decode_batch *batch, mprof_event *event,
				    mprof_event_detail *detail);

#endif
