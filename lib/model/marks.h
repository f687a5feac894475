/* SPDX-License-Identifier: MIT */
/**
 * \file model/marks.h
 * \brief The markers that the user put into the log.
 */
#ifndef MODEL_MARKS_H
#define MODEL_MARKS_H

#include "base/allocator.h"

#include <mprof/parser.h>

typedef struct mark_record {
	uint64_t counter;
	uint64_t thread;
	char *text;
} mark_record;

typedef struct mark_list {
	mprof_allocator allocator;
	mark_record *records;
	size_t count;
	size_t capacity;
} mark_list;

void marks_init(mark_list *all, const mprof_allocator *allocator);
void marks_destroy(mark_list *all);

/** Adds a MARK block. Returns 0, changing nothing, if there is no memory. */
int marks_add(mark_list *all, const mprof_block *block);

#endif
