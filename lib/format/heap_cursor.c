/* SPDX-License-Identifier: MIT */
/* Finds out why an integer of a HEAP_DATA block cannot be decoded. */
#include "format/heap_cursor.h"

heap_decode_result heap_cursor_fault(const heap_cursor *cursor)
{
	uint64_t value;

	if (cursor->layout != NULL && cursor->layout->has_fixed_ints)
		return HEAP_DECODE_TRUNCATED;
	return mprof_varint_decode(cursor->next, (size_t)(cursor->limit - cursor->next), &value) == 0
		       ? HEAP_DECODE_TRUNCATED
		       : HEAP_DECODE_BAD_VARINT;
}
