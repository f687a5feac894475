/* SPDX-License-Identifier: MIT */
/**
 * \file dictionary/definition_table.h
 * \brief What STACKS, CODE, ROOTS and METRICS blocks define, by ID.
 */
#ifndef DICTIONARY_DEFINITION_TABLE_H
#define DICTIONARY_DEFINITION_TABLE_H

#include <mprof/format.h>

#include "dictionary/name_table.h"

/** Definitions whose IDs follow on each other and that stand side by side. */
typedef struct definition_run {
	size_t place; /**< Of the first one. */
	uint32_t first_id;
	uint32_t count;
} definition_run;

/** The most runs of a list. There is one for each place where definitions are missing. */
#define DEFINITION_MOST_RUNS 4096

/** The largest ID of a stack. */
#define DEFINITION_MOST_STACKS (UINT32_MAX >> 2)

/** Definitions of one kind. */
typedef struct definition_list {
	void *elements;
	size_t element_size;
	size_t count;
	size_t capacity;
	definition_run *runs; /**< By ID. */
	size_t run_count;
	size_t run_capacity;
} definition_list;

typedef struct definition_table {
	name_table *names;                              /**< Keeps names, and counts the memory of all. Borrowed. */
	definition_list lists[MPROF_RECORD_METRIC + 1]; /**< By #mprof_record_kind. */
} definition_table;

void definition_table_init(definition_table *table, name_table *names);
void definition_table_destroy(definition_table *table);

/**
 * Adds a definition, whose names are copied. The same once more is no second one. Returns #MPROF_OK;
 * #MPROF_ERR_MALFORMED if the definition in front of it is missing, though it was added; #MPROF_ERR_REDEFINED_ID;
 * #MPROF_ERR_LIMIT; #MPROF_ERR_MEMORY.
 */
mprof_status definition_table_add(definition_table *table, const mprof_record *record);

/** Looks up a definition of any of the kinds. Returns 0 if there is none. */
int definition_table_get(const definition_table *table, uint32_t kind, uint32_t id, mprof_record *record);

/** What definition_table_get() would tell of a stack, in a form that is faster to get. */
typedef struct definition_stack {
	uint32_t target;
	uint32_t parent;
	uint32_t is_native;
	uint32_t is_compiling;
} definition_stack;

int definition_table_get_stack(const definition_table *table, uint32_t id, definition_stack *stack);

/** Whether two definitions of one kind say the same, but for their IDs. */
int definition_is_same(const mprof_record *known, const mprof_record *record);

/** How many definitions of a kind there are; 0 for one that has none. */
size_t definition_table_count(const definition_table *table, uint32_t kind);

#endif
