/* SPDX-License-Identifier: MIT */
/**
 * \file model/heap_summaries.h
 * \brief Live and dead objects by class, as the collector counted them.
 */
#ifndef MODEL_HEAP_SUMMARIES_H
#define MODEL_HEAP_SUMMARIES_H

#include "base/allocator.h"

#include <mprof/parser.h>

typedef struct heap_summary_record {
	uint32_t collection;
	uint32_t class_id;
	uint64_t counter;
	mprof_summary_record sums;
} heap_summary_record;

typedef struct heap_summary_list {
	mprof_allocator allocator;
	heap_summary_record *records;
	size_t count;
	size_t capacity;
} heap_summary_list;

void heap_summaries_init(heap_summary_list *all, const mprof_allocator *allocator);
void heap_summaries_destroy(heap_summary_list *all);

/** Adds records of a HEAP_SUMMARY block. Returns 0, changing nothing, if there is no memory. */
int heap_summaries_add(heap_summary_list *all, const mprof_block *block, const mprof_record *records, size_t count);

#endif
