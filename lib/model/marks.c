/* SPDX-License-Identifier: MIT */
/* Collects the markers of the log. */
#include "model/marks.h"

#include "base/array.h"
#include "model/text_copy.h"

#include <string.h>

void marks_init(mark_list *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	all->allocator = *allocator;
}

void marks_destroy(mark_list *all)
{
	for (size_t i = 0; i < all->count; i++)
		text_release(&all->allocator, all->records[i].text);
	allocator_release(&all->allocator, all->records, all->capacity * sizeof(*all->records));
	all->records = NULL;
	all->count = 0;
	all->capacity = 0;
}

int marks_add(mark_list *all, const mprof_block *block)
{
	void *records = all->records;
	char *text;

	if (!array_reserve(&all->allocator, &records, &all->capacity, all->count + 1, sizeof(*all->records)))
		return 0;
	all->records = records;
	text = text_copy(&all->allocator, block->as.mark.text);
	if (text == NULL)
		return 0;
	all->records[all->count].counter = block->as.mark.counter;
	all->records[all->count].thread = block->thread;
	all->records[all->count++].text = text;
	return 1;
}
