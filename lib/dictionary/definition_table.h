/* SPDX-License-Identifier: MIT */
/**
 * \file dictionary/definition_table.h
 * \brief Definitions of STACKS, CODE, ROOTS and METRICS blocks, by ID.
 */
#ifndef DICTIONARY_DEFINITION_TABLE_H
#define DICTIONARY_DEFINITION_TABLE_H

#include <mprof/format.h>

#include "dictionary/name_table.h"

/** Definitions with consecutive IDs that are stored in consecutive elements. */
typedef struct definition_range {
	size_t index; /**< Index of the first element. */
	uint32_t first_id;
	uint32_t count;
} definition_range;

/**
 * Maximum number of ranges of a list. A new range begins at each gap in the IDs, and at each ID that is out of order.
 */
#define DEFINITION_MAX_RANGES 4096

/** The maximum ID of a stack. */
#define DEFINITION_MAX_STACKS (UINT32_MAX >> 2)

/** Definitions of one kind. */
typedef struct definition_list {
	void *elements;
	size_t element_size;
	size_t count;
	size_t capacity;
	definition_range *ranges; /**< In the order of IDs. */
	size_t range_count;
	size_t range_capacity;
} definition_list;

typedef struct definition_table {
	name_table *names;                              /**< Stores names; its budget covers all memory. Borrowed. */
	definition_list lists[MPROF_RECORD_METRIC + 1]; /**< By #mprof_record_kind. */
} definition_table;

/** The contents of a definition table at one time: the count of each list. */
typedef struct definition_mark {
	size_t counts[MPROF_RECORD_METRIC + 1]; /**< By #mprof_record_kind. */
} definition_mark;

void definition_table_init(definition_table *table, name_table *names);
void definition_table_destroy(definition_table *table);

/**
 * Adds a definition, whose names are copied. Adding the same definition again has no effect. Returns #MPROF_OK;
 * #MPROF_ERR_MALFORMED if the definition was added but that of the ID before it is missing; #MPROF_ERR_REDEFINED_ID if
 * the ID has another definition; #MPROF_ERR_LIMIT if the budget or the number of ranges is exceeded; #MPROF_ERR_MEMORY
 * if the allocator refused.
 */
mprof_status definition_table_add(definition_table *table, const mprof_record *record);

/** Returns a mark for definition_table_roll_back(). */
definition_mark definition_table_mark(const definition_table *table);

/**
 * Removes the definitions that were added after \p mark was made. Their names are those of the name table. Needs no
 * memory.
 */
void definition_table_roll_back(definition_table *table, const definition_mark *mark);

/**
 * Looks up a definition of any kind. Returns 0 and clears \p record if not found. Its texts are borrowed until the
 * name table is destroyed.
 */
int definition_table_get(const definition_table *table, uint32_t kind, uint32_t id, mprof_record *record);

/** A stack record, in a form that is faster to get than an mprof_record. */
typedef struct definition_stack {
	uint32_t target;
	uint32_t parent;
	uint32_t is_native;
	uint32_t is_compiling;
} definition_stack;

int definition_table_get_stack(const definition_table *table, uint32_t id, definition_stack *stack);

/** Whether two definitions of one kind are equal except for their IDs. */
int definition_is_same(const mprof_record *known, const mprof_record *record);

/** Returns the number of definitions of a kind; 0 for a kind without definitions. */
size_t definition_table_count(const definition_table *table, uint32_t kind);

#endif
