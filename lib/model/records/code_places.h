/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/code_places.h
 * \brief Where ranges of generated code were, in the order of the log (doc/format.md, 3.36).
 */
#ifndef MODEL_RECORDS_CODE_PLACES_H
#define MODEL_RECORDS_CODE_PLACES_H

#include <mprof/format.h>

#include "base/allocator.h"
#include "base/hash_map.h"

#include <stddef.h>
#include <stdint.h>

/** Where a range was, from one counter up to another. A range that moves has several places. */
typedef struct code_place {
	uint32_t range;
	uint32_t kind;
	uint32_t method;
	uint32_t has_end;
	uint64_t address;
	uint64_t size;
	uint64_t start; /**< A counter, as is end. */
	uint64_t end;
	char *name;        /**< Shared by the places of a range, the first of which owns it. */
	uint32_t is_moved; /**< 1: the place is not the first one of its range. */
} code_place;

typedef struct code_place_list {
	mprof_allocator allocator;
	code_place *places;
	size_t count;
	size_t capacity;
	hash_map latest; /**< By ID of a range: index of its latest place, until it is freed. */
} code_place_list;

void code_places_init(code_place_list *all, const mprof_allocator *allocator);
void code_places_destroy(code_place_list *all);

/** Adds a record of a CODE_RANGES block. Returns 0, changing nothing, if there is no memory. */
int code_places_add(code_place_list *all, const mprof_record *record);

#endif
