/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/queues/salvage_journal.h
 * \brief The journal: definitions of keys and the IDs assigned to them, in the order in which the writer thread made
 * them.
 *
 * Recovery applies the entries to its own tables. Only the writer thread appends. The journal is a sequence of chunks;
 * an entry is always within one chunk.
 *
 * A journal that has become much longer than what is still valid in it is replaced by a new generation, which contains
 * the state of the tables: see salvage_commit.c.
 */
#ifndef RECORDER_QUEUES_SALVAGE_JOURNAL_H
#define RECORDER_QUEUES_SALVAGE_JOURNAL_H

#include "recorder/queues/message_queue.h"
#include "recorder/queues/salvage_area.h"

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
	JOURNAL_STACK = 9,      /**< A call stack has an ID. */
	JOURNAL_VERSION = 10,   /**< A version of a key that is in the log. The entry is a journal_version. */
	JOURNAL_ROOT = 11,      /**< An area of roots, or that one was unregistered. The entry is a journal_root. */
	JOURNAL_ROOT_ID = 12,   /**< The area of roots that starts at a key has an ID. */
	JOURNAL_FIELDS = 13 /**< The fields of a class, or that they are in the log. The entry is a journal_fields. */
} journal_kind;

/** One entry. The keys of functions, locations and stacks are those of the tables in which they are looked up. */
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

/** A version of a key whose names are in the log. */
typedef struct journal_version {
	journal_entry entry;
	uint64_t owner;
	uint64_t since;
	uint64_t hash; /**< key_version::hash. */
	uint32_t object_size;
	uint32_t source_line;
} journal_version;

/** A root_entry: entry.key is its start, entry.flags its kind. Its name, terminated by NUL, is after it. */
typedef struct journal_root {
	journal_entry entry;
	uint64_t size;
	uint64_t thread;
	uint64_t class_key;
	uint64_t counter;
	uint64_t gone;
	uint32_t is_gone;
	uint32_t name_length;
	char name[];
} journal_root;

/** The fields of a version of a class. entry.flags is their number; 0: they are in the log. */
typedef struct journal_fields {
	journal_entry entry;
	uint64_t since; /**< key_definition::since of the version. */
	uint64_t bytes; /**< Length of the fields with their names. */
	stored_field fields[];
} journal_fields;

typedef struct journal_chunk {
	uint64_t generation;        /**< journal_position::generation. */
	uint64_t number;            /**< From 0, in each generation. */
	uint64_t length;            /**< Bytes of entries. */
	uint32_t checksum;          /**< Of these bytes. */
	uint32_t reserved;          /**< 0. */
	struct journal_chunk *next; /**< Only valid in the recording process. */
	unsigned char entries[];
} journal_chunk;

/** Up to where a journal is committed. */
typedef struct journal_position {
	uint64_t generation;
	uint64_t chunk;    /**< Number of the last chunk. */
	uint64_t length;   /**< Bytes of entries in it. */
	uint64_t checksum; /**< Of these bytes. */
} journal_position;

typedef struct salvage_journal {
	salvage_area *area; /**< NULL if there is no journal. */
	journal_chunk *first;
	journal_chunk *last;
	journal_chunk *replaced; /**< Chunks of earlier generations, linked by next, needed until the next commit. */
	uint64_t generation;
	uint64_t bytes;      /**< Of all entries. */
	uint64_t rewrite_at; /**< Bytes at which it is rewritten next; UINT64_MAX: never. */
	int has_failed;      /**< There was no room for an entry: no more entries are appended. */
} salvage_journal;

/** A journal shorter than this, in bytes, is not rewritten. */
#define JOURNAL_MIN_REWRITE ((uint64_t)1 << 20)

/** Prepares an empty journal. */
void salvage_journal_init(salvage_journal *journal, salvage_area *area);

/** Appends a copy of an entry and sets its size. Writer thread. */
void salvage_journal_append(salvage_journal *journal, const journal_entry *entry);

/** Appends a copy of an entry and its names, whose lengths \p definition contains. Writer thread. */
void salvage_journal_append_definition(salvage_journal *journal, const journal_definition *definition, const char *name,
				       const char *source_file);

/** Appends a copy of an entry of this type. Writer thread. */
void salvage_journal_append_version(salvage_journal *journal, const journal_version *version);

/** Appends a copy of an entry and its name, whose length \p root contains. Writer thread. */
void salvage_journal_append_root(salvage_journal *journal, const journal_root *root, const char *name);

/** Appends a copy of an entry and its fields, whose length \p fields contains. Writer thread. */
void salvage_journal_append_fields(salvage_journal *journal, const journal_fields *fields, const stored_field *list);

/** Whether much of the journal may not be valid any more, or an entry is missing. Writer thread. */
static inline int salvage_journal_is_due(const salvage_journal *journal)
{
	return journal->area != NULL &&
	       (journal->bytes >= journal->rewrite_at || (journal->has_failed && journal->rewrite_at != UINT64_MAX));
}

/**
 * Begins a new generation, to which the whole state is appended next. \p before receives what the journal was. Writer
 * thread.
 */
void salvage_journal_begin(salvage_journal *journal, salvage_journal *before);

/** Ends what salvage_journal_begin() began. If there was no room, the journal stays as it was. Writer thread. */
void salvage_journal_end(salvage_journal *journal, const salvage_journal *before);

/** Called after a commit: earlier generations are not needed any more. Writer thread. */
void salvage_journal_release(salvage_journal *journal);

/** Up to where the journal is filled. */
journal_position salvage_journal_position(const salvage_journal *journal);

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

/** Called for each entry. Returns 0 if there is no memory, to stop. */
typedef int (*journal_visitor)(void *user, const journal_entry *entry);

/** What was found damaged. */
typedef struct journal_damage {
	uint64_t places; /**< Number of places where entries are missing. */
	uint64_t offset; /**< Offset of the first of these places in the file, in bytes. */
} journal_damage;

/** Notes that something is damaged at a place in the area. */
void journal_note_damage(journal_damage *damage, const salvage_area *area, const void *position);

/**
 * Visits the entries up to a position in the journal of an area of salvage_area_open(). A chunk whose checksum is wrong
 * is left out, and the rest of a chunk after an invalid entry; \p damage receives where. Returns 0 if there is no
 * memory.
 */
int salvage_journal_visit(const salvage_area *area, const mprof_allocator *allocator, const journal_position *end,
			  journal_visitor visitor, void *user, journal_damage *damage);

#endif
