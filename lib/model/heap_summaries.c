/* SPDX-License-Identifier: MIT */
/* Collects the rows of HEAP_SUMMARY blocks. */
#include "model/heap_summaries.h"

#include "base/array.h"

#include <string.h>

void heap_summaries_init(heap_summary_list *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	all->allocator = *allocator;
}

void heap_summaries_destroy(heap_summary_list *all)
{
	allocator_release(&all->allocator, all->records, all->capacity * sizeof(*all->records));
	all->records = NULL;
	all->count = 0;
	all->capacity = 0;
}

int heap_summaries_add(heap_summary_list *all, const mprof_block *block, const mprof_record *records, size_t count)
{
	void *grown = all->records;

	if (!array_reserve(&all->allocator, &grown, &all->capacity, all->count + count, sizeof(*all->records)))
		return 0;
	all->records = grown;
	for (size_t i = 0; i < count; i++) {
		heap_summary_record *added = &all->records[all->count++];

		added->collection = block->as.heap_summary.collection;
		added->class_id = records[i].id;
		added->counter = block->start.counter;
		added->sums = records[i].as.summary;
	}
	return 1;
}
