/* SPDX-License-Identifier: MIT */
/* Finds the end of a list by reading varints backwards from the end of the block. */
#include "format/list_end.h"

#include "format/varint.h"

/*
 * Steps back from \p end over a varint: its last byte, and the bytes before it without VARINT_LAST_BIT. Returns the
 * position of its first byte, or of a byte 00 before it that ends a list; 0 if there is no varint.
 */
static size_t varint_start_before(const content_cursor *cursor, size_t end)
{
	if (end <= cursor->position || (cursor->bytes[end - 1] & VARINT_LAST_BIT) == 0)
		return 0;
	end--;
	while (end > cursor->position && (cursor->bytes[end - 1] & VARINT_LAST_BIT) == 0)
		end--;
	return end;
}

size_t list_end_find(const content_cursor *cursor, int is_byte, size_t *list_end)
{
	size_t time = varint_start_before(cursor, cursor->length);
	size_t counter = time == 0 ? 0 : varint_start_before(cursor, time);
	uint64_t value;

	if (is_byte) {
		/*
		 * The byte 0 that ends the list has no VARINT_LAST_BIT, but the byte before it has: stepping back over
		 * the counter has therefore stopped at the 0.
		 */
		*list_end = counter;
		return counter != 0 && cursor->bytes[counter] == 0 ? 1 : 0;
	}
	*list_end = counter == 0 ? 0 : varint_start_before(cursor, counter);
	if (*list_end == 0 || mprof_varint_decode(cursor->bytes + *list_end, counter - *list_end, &value) <= 0 ||
	    value != 0)
		return 0;
	return counter - *list_end;
}
