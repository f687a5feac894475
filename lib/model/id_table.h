/* SPDX-License-Identifier: MIT */
/**
 * \file model/id_table.h
 * \brief Numbers IDs from 0 in the order of their first occurrence, so that data by ID can be stored in an array.
 */
#ifndef MODEL_ID_TABLE_H
#define MODEL_ID_TABLE_H

#include "base/hash_map.h"

/** IDs below this one are looked up in an array of at most 4 MiB; larger ones are hashed. */
#define ID_TABLE_DENSE_LIMIT (UINT32_C(1) << 20)

#define ID_TABLE_NONE UINT32_MAX

typedef struct id_table {
	uint32_t *dense; /**< Number + 1 by ID, 0 if the ID has none. */
	size_t capacity; /**< Of dense. */
	hash_map sparse;
} id_table;

void id_table_init(id_table *table, const mprof_allocator *allocator);
void id_table_destroy(id_table *table);

/** Removes all IDs; the memory is kept. */
void id_table_clear(id_table *table);

/** The number of an ID, or #ID_TABLE_NONE. */
static inline uint32_t id_table_get(const id_table *table, uint32_t id)
{
	const uint64_t *number;

	if (id < table->capacity)
		return table->dense[id] - 1;
	number = hash_map_get(&table->sparse, id);
	return number != NULL ? (uint32_t)*number : ID_TABLE_NONE;
}

/** Assigns a number to an ID. Returns 0, changing nothing, if there is no memory. */
int id_table_put(id_table *table, uint32_t id, uint32_t number);

#endif
