/* SPDX-License-Identifier: MIT */
/**
 * \file export/intern.h
 * \brief Numbers distinct texts, or other sequences of bytes, from 0 in the order in which they are added.
 */
#ifndef EXPORT_INTERN_H
#define EXPORT_INTERN_H

#include "shared/key_map.h"

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
