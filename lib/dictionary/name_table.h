/* SPDX-License-Identifier: MIT */
/**
 * \file dictionary/name_table.h
 * \brief Classes and methods by ID, with their names, which never move.
 */
#ifndef DICTIONARY_NAME_TABLE_H
#define DICTIONARY_NAME_TABLE_H

#include <mprof/parser.h>

#include "base/memory_budget.h"

/** One definition. */
typedef struct name_entry {
	const char *name;
	size_t name_length;
	uint64_t block_offset; /**< Of the MAPPING block that it came from. */
	uint32_t id;
	uint32_t owner_id; /**< A class's assembly, or a method's class. */
	uint32_t flags;
	uint32_t size; /**< Of a class's objects. A method's line. */
	uint32_t file; /**< Number of a method's file, 0 if none. */
} name_entry;

/** Definitions of one kind. IDs may be sparse. */
typedef struct name_list {
	hash_map by_id; /**< Places in entries. */
	name_entry *entries;
	size_t count;
	size_t capacity;
} name_list;

typedef struct name_chunk name_chunk;

typedef struct name_table {
	memory_budget *budget; /**< Borrowed. */
	name_list classes;
	name_list methods;
	hash_map files;     /**< Numbers of files → addresses of their names, which are in chunks. */
	name_chunk *chunks; /**< The newest first. */
} name_table;

void name_table_init(name_table *table, memory_budget *budget);
void name_table_destroy(name_table *table);

/**
 * Adds a definition, whose name is copied. Seen again in the same block it is no second definition. Returns #MPROF_OK;
 * #MPROF_ERR_REDEFINED_ID; #MPROF_ERR_LIMIT; #MPROF_ERR_MEMORY.
 */
mprof_status name_table_add(name_table *table, const mprof_mapping *mapping, uint64_t block_offset);

/** Copies text that is no name of a class or a method. As name_table_add(), without #MPROF_ERR_REDEFINED_ID. */
mprof_status name_table_keep(name_table *table, const char *text, size_t length, const char **copy);

/** Fills in the name of a method's file, where it was given by an earlier definition. */
void name_table_source(const name_table *table, mprof_mapping *mapping);

/** Looks up a definition. Returns 0 if there is none. */
int name_table_class(const name_table *table, uint32_t id, mprof_mapping *mapping);
int name_table_method(const name_table *table, uint32_t id, mprof_mapping *mapping);

/** As mprof_reader_format_method(). */
size_t name_table_method_name(const name_table *table, uint32_t id, char *text, size_t size);

#endif
