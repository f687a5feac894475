/* SPDX-License-Identifier: MIT */
/**
 * \file model/site_table.h
 * \brief Sums by class and place: what was allocated, held or waited for, and by which call chain.
 */
#ifndef MODEL_SITE_TABLE_H
#define MODEL_SITE_TABLE_H

#include "base/allocator.h"

#define SITE_TABLE_NONE SIZE_MAX

typedef struct site_record {
	uint32_t class_id;
	uint32_t stack;
	uint32_t detail; /**< What else keeps sites apart, as the owner says. */
	uint32_t reserved;
	uint64_t count;
	uint64_t value; /**< As the owner says: bytes, time, what is alive. */
} site_record;

typedef struct site_table {
	mprof_allocator allocator;
	site_record *records; /**< In the order in which they were asked for first. */
	size_t count;
	size_t capacity;
	uint32_t *places;   /**< Number of the record + 1 by a hash, open addressing; 0 is an empty place. */
	size_t place_count; /**< A power of two, or 0. */
	uint32_t shift;     /**< 64 - log2(place_count). */
} site_table;

void site_table_init(site_table *table, const mprof_allocator *allocator);
void site_table_destroy(site_table *table);

/** The number of a site, which is made with sums of 0 if it is not there. #SITE_TABLE_NONE if there is no memory. */
size_t site_table_get(site_table *table, uint32_t class_id, uint32_t stack, uint32_t detail);

#endif
