/* SPDX-License-Identifier: MIT */
/**
 * \file model/site_table.h
 * \brief Sums by class and place: what was allocated, held or waited for, and on which path of calls.
 */
#ifndef MODEL_SITE_TABLE_H
#define MODEL_SITE_TABLE_H

#include "base/allocator.h"
#include "base/hash.h"

#define SITE_TABLE_NONE SIZE_MAX

/** What keeps sites apart. All of it is set, 0 where nothing is known. */
typedef struct site_key {
	uint32_t class_id;
	uint32_t stack;  /**< Call chain. */
	uint32_t call;   /**< Node of the call tree, where there is no chain. */
	uint32_t detail; /**< As the owner says, as the next. */
	uint64_t other;
} site_key;

typedef struct site_record {
	site_key key;
	uint64_t count;
	uint64_t value; /**< As the owner says: bytes, time, what is alive. */
	uint64_t more;  /**< As the owner says. */
} site_record;

typedef struct site_table {
	mprof_allocator allocator;
	site_record *records; /**< In the order in which they were asked for first. */
	size_t count;
	size_t capacity;
	uint32_t *places;   /**< Number of the record + 1 by a hash, open addressing; 0 is an empty place. */
	size_t place_count; /**< A power of two, or 0. */
	uint64_t seed;      /**< hash_seed(). */
	uint32_t shift;     /**< 64 - log2(place_count). */
} site_table;

void site_table_init(site_table *table, const mprof_allocator *allocator);
void site_table_destroy(site_table *table);

/** The long way of site_table_get(). */
size_t site_table_find_or_add(site_table *table, const site_key *key);

/** Where the search for a key starts. */
static inline size_t site_table_first_place(const site_table *table, const site_key *key)
{
	uint64_t hash = hash_mix(table->seed, (uint64_t)key->stack << 32 | key->class_id);

	hash = hash_mix(hash, (uint64_t)key->call << 32 | key->detail);
	return hash_place(hash, key->other, table->shift);
}

static inline int site_key_is_same(const site_key *left, const site_key *right)
{
	return left->class_id == right->class_id && left->stack == right->stack && left->call == right->call &&
	       left->detail == right->detail && left->other == right->other;
}

/** The number of a site, which is made with sums of 0 if it is not there. #SITE_TABLE_NONE if there is no memory. */
static inline size_t site_table_get(site_table *table, const site_key *key)
{
	/* Mostly it stands where the search starts. */
	size_t number = table->place_count > 0 ? table->places[site_table_first_place(table, key)] : 0;

	if (__builtin_expect(number != 0 && site_key_is_same(&table->records[number - 1].key, key), 1))
		return number - 1;
	return site_table_find_or_add(table, key);
}

#endif
