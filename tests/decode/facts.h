/* SPDX-License-Identifier: MIT */
/**
 * \file decode/facts.h
 * \brief Sums by key, in the order in which the keys were first met.
 */
#ifndef DECODE_FACTS_H
#define DECODE_FACTS_H

#include <stddef.h>
#include <stdint.h>

#define FACT_KEY_PARTS 3
#define FACT_SUMS 3

typedef struct fact {
	uint64_t key[FACT_KEY_PARTS];
	uint64_t sums[FACT_SUMS]; /**< 0 when the key is met. */
} fact;

typedef struct fact_table {
	fact *rows;
	size_t count;
	size_t capacity;
	uint32_t *places; /**< By hash of the key: a row's number + 1, 0 for none. */
	size_t place_count;
	const fact **groups; /**< Rows in order of the first part of their key; NULL until it is asked for. */
} fact_table;

/** The number of the row of a key, which is made if there is none. Ends the program if there is no memory. */
size_t facts_find(fact_table *table, uint64_t first, uint64_t second, uint64_t third);

/** The same, as the row. Valid until the next key is met. */
fact *facts_get(fact_table *table, uint64_t first, uint64_t second, uint64_t third);

/**
 * All rows of which the first part of the key is \p first, in the order in which they were met. They may be put in
 * another order, once. No key may be met from the first call on.
 */
const fact **facts_of(fact_table *table, uint64_t first, size_t *count);

/** The number of a row. */
size_t facts_number(const fact_table *table, const fact *row);

void facts_release(fact_table *table);

/** Room for \p count elements, the new ones 0. Ends the program if there is none. */
void *room_for(void *elements, size_t count, size_t *capacity, size_t size);

/** An element that is there from the first call on, all 0 then. Ends the program if there is no room. */
void *room_once(void *element, size_t size);

#endif
