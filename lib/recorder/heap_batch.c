/* SPDX-License-Identifier: MIT */
/* Allocates the memory for the events of one HEAP_DATA block. */
#include "recorder/heap_batch.h"

#include <string.h>

#define EVENTS_SIZE (HEAP_BATCH_EVENTS * sizeof(mprof_event))
#define DETAILS_SIZE (HEAP_BATCH_EVENTS * sizeof(mprof_event_detail))
#define REFERENCES_SIZE (HEAP_BATCH_REFERENCES * sizeof(uint64_t))
#define ALL_SIZE (EVENTS_SIZE + DETAILS_SIZE + 2 * REFERENCES_SIZE)

void heap_batch_init(heap_batch *batch, const mprof_allocator *allocator)
{
	memset(batch, 0, sizeof(*batch));
	batch->allocator = *allocator;
}

void heap_batch_destroy(heap_batch *batch)
{
	allocator_release(&batch->allocator, batch->events, ALL_SIZE);
	batch->events = NULL;
}

int heap_batch_prepare(heap_batch *batch)
{
	char *memory;

	if (batch->events != NULL)
		return 1;
	memory = allocator_allocate(&batch->allocator, ALL_SIZE);
	if (memory == NULL)
		return 0;
	batch->events = (mprof_event *)memory;
	batch->details = (mprof_event_detail *)(memory + EVENTS_SIZE);
	batch->references = (uint64_t *)(memory + EVENTS_SIZE + DETAILS_SIZE);
	batch->offsets = batch->references + HEAP_BATCH_REFERENCES;
	return 1;
}
