/* SPDX-License-Identifier: MIT */
/**
 * \file decode/facts.h
 * \brief Sums by key, in the order in which the keys were first added.
 */
#ifndef DECODE_FACTS_H
#define DECODE_FACTS_H

#include <stddef.h>
#include <stdint.h>

#define FACT_KEY_PARTS 3
#define FACT_SUMS 3

typedef struct fact {
	uint64_t key[FACT_KEY_PARTS];
	uint64_t sums[FACT_SUMS]; /**< 0 when the key is added. */
} fact;

typedef struct fact_table {
	fact *rows;
	size_t count;
	size_t capacity;
	uint32_t *places; /**< Hash table of row indexes + 1; 0 is a free slot. */
	size_t place_count;
	const fact **groups; /**< Rows in the order of the first part of their key; NULL until facts_of() needs them. */
} fact_table;

/** The index of a key's row, which is added if it is missing. Ends the program if out of memory. */
size_t facts_find(fact_table *table, uint64_t first, uint64_t second, uint64_t third);

/** The same, as the row. Valid until the next key is added. */
fact *facts_get(fact_table *table, uint64_t first, uint64_t second, uint64_t third);

/**
 * All rows whose first part of the key is \p first, in the order in which they were added. The caller may reorder them
 * once. No key may be added after the first call.
 */
const fact **facts_of(fact_table *table, uint64_t first, size_t *count);

/** The index of a row. */
size_t facts_number(const fact_table *table, const fact *row);

void facts_release(fact_table *table);

/** Allocates \p count elements, all 0. Ends the program if out of memory. */
void *room_for(void *elements, size_t count, size_t *capacity, size_t size);

/** Returns an element of an array that is allocated, all 0, on the first call. Ends the program if out of memory. */
void *room_once(void *element, size_t size);

#endif
