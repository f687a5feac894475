/* SPDX-License-Identifier: MIT */
/**
 * \file dictionary/field_table.h
 * \brief The fields of FIELDS blocks, by class and offset.
 */
#ifndef DICTIONARY_FIELD_TABLE_H
#define DICTIONARY_FIELD_TABLE_H

#include "dictionary/name_table.h"

/** A field of a class. */
typedef struct field_entry {
	mprof_field_record field;
	uint32_t class_id;
	uint32_t has_new_stride; /**< No element of this array was defined before. */
} field_entry;

typedef struct field_table {
	name_table *names; /**< Stores names; its budget covers all memory. Borrowed. */
	field_entry *fields;
	size_t count;
	size_t capacity;
	hash_map objects;  /**< Maps class << 32 | offset to indices in fields. */
	hash_map elements; /**< Arrays: maps class << 32 | (offset modulo the size of an element) to them. */
	id_map strides;    /**< Maps classes of arrays to the size of an element. */
} field_table;

void field_table_init(field_table *table, name_table *names);
void field_table_destroy(field_table *table);

/**
 * Adds a field, whose name is copied. Adding the same field again has no effect. Returns #MPROF_OK;
 * #MPROF_ERR_REDEFINED_ID if the class has another field at that offset, or elements of another size; #MPROF_ERR_LIMIT
 * if the budget is exceeded; #MPROF_ERR_MEMORY if the allocator refused.
 */
mprof_status field_table_add(field_table *table, const mprof_record *field);

/**
 * Removes the fields after the first \p count, which is what field_table_count() has returned before. Their names are
 * those of the name table. Needs no memory.
 */
void field_table_roll_back(field_table *table, size_t count);

/**
 * Looks up the field of a class that contains the bytes at an offset. Returns 0 and clears \p field and \p index if
 * there is none. The name is borrowed until the name table is destroyed.
 */
int field_table_get(const field_table *table, uint32_t class_id, uint64_t offset, mprof_record *field, uint64_t *index);

/** Returns the number of fields. */
size_t field_table_count(const field_table *table);

#endif
