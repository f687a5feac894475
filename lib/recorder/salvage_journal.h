/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/salvage_journal.h
 * \brief The journal: definitions of keys and the IDs assigned to them, in the order in which the writer thread made
 * them.
 *
 * Recovery applies the entries to its own tables. Only the writer thread appends. The journal is a sequence of chunks;
 * an entry is always within one chunk.
 */
#ifndef RECORDER_SALVAGE_JOURNAL_H
#define RECORDER_SALVAGE_JOURNAL_H

#include "recorder/key_table.h"
#include "recorder/salvage_area.h"

#include <stdint.h>

typedef enum journal_kind {
	JOURNAL_DEFINE = 1,     /**< A key has a definition. The entry is a journal_definition. */
	JOURNAL_ASSIGN = 2,     /**< A version of a key has an ID. */
	JOURNAL_RETIRE = 3,     /**< The keys from key to owner were retired. */
	JOURNAL_MODULE = 4,     /**< A program or library at the addresses from key to owner; or one that is listed gets
	                             its ID. Its names are its build ID and its file. */
	JOURNAL_NO_MODULES = 5, /**< The list of modules is empty. */
	JOURNAL_ELEMENT = 6,    /**< The key of a code unit has an ID. */
	JOURNAL_FUNCTION = 7,   /**< A symbol of a module has an ID. */
	JOURNAL_LOCATION = 8,   /**< A native address has an ID; flags is the module. */
	JOURNAL_STACK = 9       /**< A call stack has an ID. */
} journal_kind;

/** One entry. The keys of the last three kinds are those of the tables in which they are looked up. */
typedef struct journal_entry {
	uint32_t size;    /**< A multiple of 8. */
	uint16_t kind;    /**< A #journal_kind. */
	uint16_t subject; /**< A #key_subject. */
	uint64_t key;
	uint32_t id;
	uint32_t flags;
} journal_entry;

/** An entry with two names after it, each terminated by NUL. */
typedef struct journal_definition {
	journal_entry entry;
	uint64_t owner;
	uint64_t since;
	uint32_t object_size;
	uint32_t source_line;
	uint32_t name_length;
	uint32_t source_file_length;
	char names[];
} journal_definition;

typedef struct journal_chunk {
	uint64_t number;         /**< From 0. */
	_Atomic uint64_t length; /**< Bytes of entries. Stored with release after the entry. */
	unsigned char entries[];
} journal_chunk;

typedef struct salvage_journal {
	salvage_area *area; /**< NULL if there is no journal. */
	journal_chunk *last;
	size_t room;     /**< Bytes left in the last chunk. */
	uint64_t length; /**< Number of entries appended. */
	int has_failed;  /**< There was no room for an entry: no more entries are appended. */
} salvage_journal;

/** Appends a copy of an entry and sets its size. Writer thread. */
void salvage_journal_append(salvage_journal *journal, const journal_entry *entry);

/** Appends a copy of an entry and its names, whose lengths \p definition contains. Writer thread. */
void salvage_journal_append_definition(salvage_journal *journal, const journal_definition *definition, const char *name,
				       const char *source_file);

/** Whether an entry of a kind is a journal_definition. */
static inline int journal_kind_has_names(uint32_t kind)
{
	return kind <= JOURNAL_MODULE;
}

/** The second name of a definition. */
static inline const char *journal_source_file(const journal_definition *definition)
{
	return definition->names + definition->name_length + 1;
}

/** Called for each entry. Returns 0 to stop. */
typedef int (*journal_visitor)(void *user, const journal_entry *entry);

/**
 * Visits the first \p length entries in the journal of an area of salvage_area_open(). Returns the number of entries
 * for which \p visitor returned 1: less than \p length if the file is damaged or the visitor stopped.
 */
uint64_t salvage_journal_visit(const salvage_area *area, uint64_t length, journal_visitor visitor, void *user);

#endif
