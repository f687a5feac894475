/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/record_table.h
 * \brief Records by ID, in the order of first use: statistics of methods and of classes.
 */
#ifndef MODEL_RECORDS_RECORD_TABLE_H
#define MODEL_RECORDS_RECORD_TABLE_H

#include "base/hash_map.h"
#include "base/id_map.h"
#include "model/records/allocation_estimates.h"

/** Calls and times, in counters. */
typedef struct call_sums {
	uint64_t calls;
	uint64_t total;
	uint64_t self;
} call_sums;

typedef struct method_record {
	uint32_t id;
	uint32_t active;       /**< While sums are computed: the number of frames of the method on the current path. */
	uint32_t next_changed; /**< Link of call_model::changed; 0: not linked. */
	uint32_t next_open;    /**< Link of call_model::open; 0: not linked. */
	call_sums counted;     /**< While sums are computed: of the changed nodes visited so far. */
	call_sums closed;      /**< Since the last finish: frames that have no node in the call tree any more. */
	call_sums shown;       /**< As of the last finish: closed ones, and those of the call tree. */
	call_sums open;        /**< To be added to shown: sums of frames without a node of their own that were open at
	                            the last finish. */
	uint64_t jit;          /**< In counters, since the last finish. */
	uint64_t shown_jit;    /**< As of the last finish. */
	uint64_t samples;      /**< As of the last finish, as is samples_total. */
	uint64_t samples_total;
} method_record;

typedef struct class_record {
	uint32_t id;
	uint64_t allocations;
	uint64_t bytes;
	uint64_t freed;
	uint64_t freed_bytes;
	uint64_t exceptions;
	uint64_t load; /**< In counters. */
	allocation_estimate
		estimate; /**< If the log has chosen allocations only: allocations and bytes are its sums. */
} class_record;

typedef struct record_table {
	id_map positions; /**< Positions + 1 of records. */
	void *records;
	size_t record_size;
	size_t count;
	size_t capacity;
} record_table;

/** A record is \p record_size bytes and begins with its uint32_t ID. */
void record_table_init(record_table *table, const mprof_allocator *allocator, size_t record_size);
void record_table_destroy(record_table *table);

/** Removes all records; the memory is kept. */
void record_table_clear(record_table *table);

/** The slow path of record_table_get(): adds the record of an ID that has none. */
void *record_table_add(record_table *table, uint32_t id);

/** The record at an index, in the order of first use. Valid until a record is added. */
static inline void *record_table_at(const record_table *table, size_t number)
{
	return (unsigned char *)table->records + number * table->record_size;
}

/** The record of an ID, or NULL if none. */
static inline void *record_table_find(const record_table *table, uint32_t id)
{
	uint32_t position = id_map_get(&table->positions, id);

	return position != 0 ? record_table_at(table, position - 1) : NULL;
}

/** The record of an ID, all 0 if it is new; valid until the next call. NULL if there is no memory. */
static inline void *record_table_get(record_table *table, uint32_t id)
{
	void *record = record_table_find(table, id);

	return record != NULL ? record : record_table_add(table, id);
}

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
