/* SPDX-License-Identifier: MIT */
/* Decodes references with offsets, and finds out why an integer of a HEAP_DATA block cannot be decoded. */
#include "format/heap_cursor.h"

#include "format/heap_records.h"

heap_decode_result heap_cursor_fault(const heap_cursor *cursor)
{
	uint64_t value;

	if (cursor->layout != NULL && cursor->layout->has_fixed_ints)
		return HEAP_DECODE_TRUNCATED;
	return mprof_varint_decode(cursor->next, (size_t)(cursor->limit - cursor->next), &value) == 0
		       ? HEAP_DECODE_TRUNCATED
		       : HEAP_DECODE_BAD_VARINT;
}

/* Decodes the start of a run. \p most is the number of references up to the end of the record. */
static heap_decode_result begin_run(heap_cursor *cursor, uint64_t most)
{
	const uint8_t *start = cursor->next;
	uint64_t folded;
	uint64_t first;
	uint64_t gap;

	if (!heap_cursor_varint(cursor, &first))
		return heap_cursor_fault(cursor);
	gap = first >> HEAP_RUN_BITS;
	cursor->run_left = (first & HEAP_RUN_MASK) + 1;
	if ((first & HEAP_RUN_MASK) == HEAP_RUN_LONG) {
		cursor->run_left = first >> HEAP_RUN_BITS;
		if (!heap_cursor_varint(cursor, &folded))
			return heap_cursor_fault(cursor);
		gap = zigzag_unfold(folded);
	}
	if (cursor->run_left == 0 || cursor->run_left > most) {
		cursor->next = start;
		return HEAP_DECODE_BAD_RUN;
	}
	cursor->next_offset += gap << cursor->shift;
	return HEAP_DECODE_DONE;
}

heap_decode_result heap_cursor_runs(heap_cursor *cursor, uint64_t count, heap_decode_batch *batch, size_t fits)
{
	uint64_t *references = batch->references + batch->reference_count;
	uint64_t *offsets = batch->offsets + batch->reference_count;

	for (size_t i = 0; i < fits; i++) {
		if (cursor->run_left == 0) {
			heap_decode_result result = begin_run(cursor, count - i);

			if (result != HEAP_DECODE_DONE)
				return result;
		}
		if (!heap_cursor_address(cursor, &references[i]))
			return heap_cursor_fault(cursor);
		offsets[i] = cursor->next_offset;
		cursor->next_offset += UINT64_C(1) << cursor->shift;
		cursor->run_left--;
	}
	return HEAP_DECODE_DONE;
}
