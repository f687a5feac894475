/* SPDX-License-Identifier: MIT */
/* Records heap snapshots while the world is stopped. */
#include "recorder/queues/heap_recording.h"

int heap_recording_init(heap_recording *heap, uint64_t max_bytes, salvage_area *area)
{
	memset(heap, 0, sizeof(*heap));
	/* In a file on a disk, pages that are written back could delay the collector while the world is stopped. */
	if (area != NULL && !salvage_area_is_memory(area))
		area = NULL;
	heap_chunks_init(&heap->chunks, max_bytes, area);
	/* Not populated at once: most recorders never take a snapshot. */
	heap->current = heap_chunks_take(&heap->chunks, 0);
	return heap->current != NULL;
}

void heap_recording_destroy(heap_recording *heap, heap_chunk *first)
{
	heap_chunks_destroy(&heap->chunks, first);
}
