/* SPDX-License-Identifier: MIT */
/**
 * \file dictionary/name_table.h
 * \brief Classes and methods by ID, with their names, whose addresses do not change.
 */
#ifndef DICTIONARY_NAME_TABLE_H
#define DICTIONARY_NAME_TABLE_H

#include <mprof/parser.h>

#include "base/memory_budget.h"

/** One definition. */
typedef struct name_entry {
	const char *name;
	uint64_t block_offset; /**< Offset of the MAPPING block with the definition. */
	uint32_t name_length;  /**< In bytes. */
	uint32_t id;
	uint32_t owner_id; /**< The assembly of a class, or the class of a method. */
	uint32_t flags;
	uint32_t size; /**< Classes: size of an object in bytes. Methods: source line. */
	uint32_t file; /**< ID of a method's source file, 0 if none. */
} name_entry;

/** Definitions of one kind. IDs may be sparse. */
typedef struct name_list {
	id_map by_id; /**< Maps IDs to indices in entries, plus 1. */
	name_entry *entries;
	size_t count;
	size_t capacity;
} name_list;

/** The name of a source file. */
typedef struct name_file {
	const char *name;
	size_t name_length;
	uint32_t id;
} name_file;

/** Source files by ID. */
typedef struct name_files {
	id_map by_id; /**< Maps IDs to indices in entries, plus 1. */
	name_file *entries;
	size_t count;
	size_t capacity;
} name_files;

typedef struct name_chunk name_chunk;

typedef struct name_table {
	memory_budget *budget; /**< Borrowed. */
	name_list classes;
	name_list methods;
	name_files files;
	name_chunk *chunks;    /**< The newest first. */
	const char *separator; /**< Between the name of a class and that of its method. */
} name_table;

/** The contents of a name table at one time. */
typedef struct name_mark {
	size_t class_count;
	size_t method_count;
	size_t file_count;
	const name_chunk *chunk;
	size_t chunk_used;
} name_mark;

void name_table_init(name_table *table, memory_budget *budget);
void name_table_destroy(name_table *table);

/**
 * Adds a definition, whose name is copied. Adding it again from the same block has no effect. Returns #MPROF_OK;
 * #MPROF_ERR_REDEFINED_ID if another block defines the ID; #MPROF_ERR_LIMIT if the budget is exceeded or the name has
 * more than UINT32_MAX bytes; #MPROF_ERR_MEMORY if the allocator refused.
 */
mprof_status name_table_add(name_table *table, const mprof_mapping *mapping, uint64_t block_offset);

/**
 * Copies a text other than the name of a class or a method; \p copy receives the copy, which is valid until the table
 * is destroyed. Returns #MPROF_OK; #MPROF_ERR_LIMIT if the budget is exceeded; #MPROF_ERR_MEMORY if the allocator
 * refused.
 */
mprof_status name_table_keep(name_table *table, const char *text, size_t length, const char **copy);

/** Returns a mark for name_table_roll_back(). */
name_mark name_table_mark(const name_table *table);

/** Removes everything that was added after \p mark was made, also texts of name_table_keep(). Needs no memory. */
void name_table_roll_back(name_table *table, const name_mark *mark);

/**
 * Sets the name of the source file in a mapping that has only its ID: the name from an earlier definition, or "" if
 * there is none.
 */
void name_table_source(const name_table *table, mprof_mapping *mapping);

/**
 * Look up a class or a method. Return 0 if not found. The texts of \p mapping are borrowed until the table is
 * destroyed.
 */
int name_table_class(const name_table *table, uint32_t id, mprof_mapping *mapping);
int name_table_method(const name_table *table, uint32_t id, mprof_mapping *mapping);

/** Sets the separator by a style of names (doc/format.md, 3.8); unknown styles are "dots". */
void name_table_set_style(name_table *table, const char *style);

/** Formats a name as mprof_reader_format_method() does. */
size_t name_table_method_name(const name_table *table, uint32_t id, char *text, size_t size);

#endif
