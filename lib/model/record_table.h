/* SPDX-License-Identifier: MIT */
/**
 * \file model/record_table.h
 * \brief Records by ID, in the order of first use: statistics of methods and of classes.
 */
#ifndef MODEL_RECORD_TABLE_H
#define MODEL_RECORD_TABLE_H

#include "base/id_map.h"
#include "model/allocation_estimates.h"

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

#endif
