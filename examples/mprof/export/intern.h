/* SPDX-License-Identifier: MIT */
/**
 * \file export/intern.h
 * \brief Sets of IDs, and numbers for distinct texts, or other sequences of bytes, from 0 in the order in which they
 * are added.
 */
#ifndef EXPORT_INTERN_H
#define EXPORT_INTERN_H

#include "shared/key_map.h"

/** Initialized with 0. */
typedef struct id_set {
	uint64_t *words; /**< Bits of the IDs below a limit. */
	size_t word_count;
	key_map others; /**< The other IDs. */
} id_set;

/** Adds an ID. Returns 1 if it is new, 0 if the set has it, -1 if out of memory. */
int id_set_add_slow(id_set *set, uint32_t id);

/** As id_set_add_slow(). */
static inline int id_set_add(id_set *set, uint32_t id)
{
	if (id / 64 < set->word_count && (set->words[id / 64] >> id % 64 & 1) != 0)
		return 0;
	return id_set_add_slow(set, id);
}

/** Removes all IDs and releases the memory. */
void id_set_clear(id_set *set);

/** Where an entry is in intern_table::bytes. */
typedef struct intern_entry {
	size_t offset;
	size_t size;
} intern_entry;

/** Initialized with 0. */
typedef struct intern_table {
	char *bytes;
	size_t used;
	size_t capacity;
	intern_entry *entries;
	size_t count;
	size_t entry_capacity;
	key_map indexes; /**< Indexes by hash. */
} intern_table;

/** Finds or adds an entry. Returns 1 if it is new, 0 if it is in the table, -1 if out of memory. */
int intern_add(intern_table *table, const void *bytes, size_t size, uint32_t *index);

void intern_release(intern_table *table);

#endif
