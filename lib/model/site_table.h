/* SPDX-License-Identifier: MIT */
/**
 * \file model/site_table.h
 * \brief Sums by class and call site: objects allocated, held or waited for.
 */
#ifndef MODEL_SITE_TABLE_H
#define MODEL_SITE_TABLE_H

#include "base/hash_index.h"

/** Not a number of a site: there was no memory for it. */
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
	uint64_t value;      /**< Defined by the owner: bytes, time, number of live objects. */
	uint64_t more;       /**< Defined by the owner. */
	uint64_t unfinished; /**< Of waits: those that have not ended. */
} site_record;

typedef struct site_table {
	site_record *records; /**< In the order of first use. */
	size_t count;
	size_t capacity;
	hash_index sites; /**< Positions + 1 of records. */
} site_table;

void site_table_init(site_table *table, const mprof_allocator *allocator);
void site_table_destroy(site_table *table);

/** The slow path of site_table_get(). */
size_t site_table_add(site_table *table, const site_key *key);

static inline uint64_t site_key_hash(const site_table *table, const site_key *key)
{
	uint64_t hash = hash_mix(table->sites.seed, (uint64_t)key->stack << 32 | key->class_id);

	hash = hash_mix(hash, (uint64_t)key->call << 32 | key->detail);
	return hash_key(hash, key->other);
}

static inline uint64_t site_slot_hash(const void *owner, const void *slot)
{
	const site_table *table = owner;

	return site_key_hash(table, &table->records[*(const uint32_t *)slot - 1].key);
}

static inline int site_slot_matches(const void *owner, const void *slot, const void *searched)
{
	const uint32_t position = *(const uint32_t *)slot;
	const site_key *key = searched;
	const site_key *known;

	if (position == 0)
		return 0;
	known = &((const site_table *)owner)->records[position - 1].key;
	return known->class_id == key->class_id && known->stack == key->stack && known->call == key->call &&
	       known->detail == key->detail && known->other == key->other;
}

/** At most a quarter of the slots is used: most sites are then found in the first one. */
static const hash_index_type site_slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 64,
	.used_eighths = 2,
	.is_used = hash_index_has_position,
	.hash = site_slot_hash,
};

/** The number of a site, which is added with sums of 0 if missing. #SITE_TABLE_NONE if there is no memory. */
static inline size_t site_table_get(site_table *table, const site_key *key)
{
	const uint32_t *slot =
		hash_index_find(&table->sites, &site_slots, site_key_hash(table, key), site_slot_matches, table, key);

	return __builtin_expect(slot != NULL, 1) ? *slot - 1 : site_table_add(table, key);
}

#endif
