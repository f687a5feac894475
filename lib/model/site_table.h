/* SPDX-License-Identifier: MIT */
/**
 * \file model/site_table.h
 * \brief Sums by class and call site: objects allocated, held or waited for.
 */
#ifndef MODEL_SITE_TABLE_H
#define MODEL_SITE_TABLE_H

#include "base/allocator.h"
#include "base/hash.h"

#define SITE_TABLE_NONE SIZE_MAX

/** The fields that distinguish sites. All are set; 0 means not known. */
typedef struct site_key {
	uint32_t class_id;
	uint32_t stack;  /**< Stack ID. */
	uint32_t call;   /**< Node of the call tree, if there is no stack ID. */
	uint32_t detail; /**< Defined by the owner, as is other. */
	uint64_t other;
} site_key;

typedef struct site_record {
	site_key key;
	uint64_t count;
	uint64_t value; /**< Defined by the owner: bytes, time, number of live objects. */
	uint64_t more;  /**< Defined by the owner. */
} site_record;

typedef struct site_table {
	mprof_allocator allocator;
	site_record *records; /**< In the order of first use. */
	size_t count;
	size_t capacity;
	uint32_t *slots;   /**< Number of the record + 1 by a hash, open addressing; 0 is an empty slot. */
	size_t slot_count; /**< A power of two, or 0. */
	uint64_t seed;     /**< hash_seed(). */
	uint32_t shift;    /**< 64 - log2(slot_count). */
} site_table;

void site_table_init(site_table *table, const mprof_allocator *allocator);
void site_table_destroy(site_table *table);

/** The slow path of site_table_get(). */
size_t site_table_find_or_add(site_table *table, const site_key *key);

/** Where the search for a key starts. */
static inline size_t site_table_first_slot(const site_table *table, const site_key *key)
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

/** The number of a site, which is added with sums of 0 if there is none. #SITE_TABLE_NONE if there is no memory. */
static inline size_t site_table_get(site_table *table, const site_key *key)
{
	/* It is usually in the slot where the search starts. */
	size_t number = table->slot_count > 0 ? table->slots[site_table_first_slot(table, key)] : 0;

	if (__builtin_expect(number != 0 && site_key_is_same(&table->records[number - 1].key, key), 1))
		return number - 1;
	return site_table_find_or_add(table, key);
}

#endif
