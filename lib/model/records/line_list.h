/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/line_list.h
 * \brief Samples and allocations by line of the source: sums over call stacks whose frames have positions
 * (doc/format.md, 3.32).
 */
#ifndef MODEL_RECORDS_LINE_LIST_H
#define MODEL_RECORDS_LINE_LIST_H

#include <mprof/profile.h>

#include "base/hash_map.h"

typedef struct line_record {
	mprof_line_stats stats;
	uint64_t mark; /**< While a call stack is visited: line_list::mark of the last one that contains the line. */
} line_record;

typedef struct line_list {
	mprof_allocator allocator;
	line_record *records;
	size_t count;
	size_t capacity;
	hash_map numbers; /**< Numbers of records, by the hash of a line and the hashes after it. */
	uint64_t mark;
} line_list;

/** What a call stack counts. */
typedef struct line_counts {
	uint64_t samples;
	uint64_t allocations;
	uint64_t bytes;
} line_counts;

void line_list_init(line_list *lines, const mprof_allocator *allocator);
void line_list_destroy(line_list *lines);
void line_list_clear(line_list *lines);

/**
 * Adds what a call stack counts. A method allocates in the line of its own frame, also if native code inside it does.
 * Returns 0 if there is no memory.
 */
int line_list_add(line_list *lines, const mprof_reader *reader, uint32_t stack, const line_counts *counts);

#endif
