/* SPDX-License-Identifier: MIT */
/**
 * \file model/text_table.h
 * \brief Texts that are stored once, and their numbers.
 */
#ifndef MODEL_TEXT_TABLE_H
#define MODEL_TEXT_TABLE_H

#include "base/hash_index.h"

/** The number of "". */
#define TEXT_TABLE_EMPTY 0

/** Returned if there is no memory. */
#define TEXT_TABLE_NONE UINT32_MAX

typedef struct text_entry {
	uint64_t hash;
	size_t offset;
	size_t length;
} text_entry;

typedef struct text_table {
	mprof_allocator allocator;
	hash_index numbers;
	text_entry *entries;
	size_t count;
	size_t capacity;
	char *bytes;
	size_t length;
	size_t size;
} text_table;

/** Creates a table that has only "". Returns 0 if there is no memory; text_table_destroy() may be called then, too. */
int text_table_init(text_table *table, const mprof_allocator *allocator);
void text_table_destroy(text_table *table);

/**
 * The number of a text of \p length bytes, which is added if missing; it must not be in the table's own memory.
 * #TEXT_TABLE_NONE, changing nothing, if there is no memory.
 */
uint32_t text_table_add(text_table *table, const char *text, size_t length);

/** A text. Valid until the next text_table_add(). */
static inline const char *text_table_get(const text_table *table, uint32_t number)
{
	return table->bytes + table->entries[number].offset;
}

#endif
