/* SPDX-License-Identifier: MIT */
/**
 * \file model/results/diff_names.h
 * \brief What two logs have the same name for: methods, classes and native code, with an ID in each log.
 *
 * First all items of both logs are added, then they are matched, then the numbers of their names are looked up.
 */
#ifndef MODEL_RESULTS_DIFF_NAMES_H
#define MODEL_RESULTS_DIFF_NAMES_H

#include <mprof/profile.h>

#include "base/hash_map.h"
#include "base/progress.h"

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

/** A text. Valid until the next text_table_add(). */
static inline const char *text_table_get(const text_table *table, uint32_t number)
{
	return table->bytes + table->entries[number].offset;
}

enum { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

/** The kind of an item that is a class, or the root of a tree if its ID is DIFF_ROOT. */
#define DIFF_CLASS 0
#define DIFF_ROOT UINT32_MAX

/** Something in one of the logs. */
typedef struct diff_item {
	uint32_t kind; /**< An #mprof_sample_kind, or #DIFF_CLASS. */
	uint32_t id;
	uint32_t flags; /**< #MPROF_EVENT_FLAG_COMPILING or 0. */
} diff_item;

/** A name that is the same in both logs, apart from the assembly. */
typedef struct named_entity {
	uint32_t kind;
	uint32_t flags;
	uint32_t class_text;
	uint32_t name_text;
	uint32_t skeleton;               /**< Class and name without generated numbers; 0 if there are none. */
	uint32_t assemblies[DIFF_SIDES]; /**< Of the first item on each side. */
	uint32_t shown[DIFF_SIDES];      /**< The entity whose name the items of this side have. */
	uint8_t sides;                   /**< Bits: 1 << side. */
	uint8_t is_ambiguous;            /**< One log has it in several assemblies. */
	uint8_t match;                   /**< #MPROF_DIFF_RENAMED or #MPROF_DIFF_MERGED. */
} named_entity;

/** A name of the result. */
typedef struct diff_name {
	uint32_t entity;
	uint32_t assembly;
	uint32_t match;
	uint32_t ids[DIFF_SIDES];
	uint8_t has_several[DIFF_SIDES]; /**< Several items have the name. */
} diff_name;

/** An item that was added. */
typedef struct diff_subject {
	uint32_t id;
	uint32_t entity;
	uint32_t assembly;
	uint32_t assembly_key; /**< The same for all versions of a native module. */
	uint32_t name;         /**< After matching. */
	uint32_t side;
} diff_subject;

typedef struct diff_side_names {
	const mprof_reader *reader;
	const char *program;  /**< File name of the program, "" if not known. Borrowed while items are added. */
	hash_map assemblies;  /**< Texts by code unit. */
	hash_map subjects[2]; /**< By kind and ID, without and with #MPROF_EVENT_FLAG_COMPILING. */
} diff_side_names;

typedef struct diff_names {
	mprof_allocator allocator;
	text_table texts;
	diff_side_names sides[DIFF_SIDES];
	hash_map entity_by_key; /**< By the text of kind, flags, class and name. */
	named_entity *entities;
	size_t entity_count;
	size_t entity_capacity;
	diff_subject *subjects;
	size_t subject_count;
	size_t subject_capacity;
	diff_name *names;
	size_t name_count;
	size_t name_capacity;
	char *scratch;
	size_t scratch_size;
} diff_names;

/** Returns 0 if there is no memory; diff_names_destroy() may be called in that case, too. */
int diff_names_init(diff_names *names, const mprof_allocator *allocator);
void diff_names_destroy(diff_names *names);

/** Sets the log of a side, before its items are added. Returns 0 if there is no memory. */
int diff_names_set_log(diff_names *names, int side, const mprof_profile *profile, const mprof_reader *reader);

/** Adds an item of a log, if it was not added before. Returns 0 if there is no memory. */
int diff_names_add(diff_names *names, int side, const diff_item *item);

/** Steps of diff_names_match(). */
uint64_t diff_names_steps(const diff_names *names);

/** Matches the items. Returns 0 if there is no memory or it was stopped. */
int diff_names_match(diff_names *names, progress *going);

/** The number of the name of an item that was added. */
uint32_t diff_names_find(const diff_names *names, int side, const diff_item *item);

/** Frees what only the functions above need; the names stay. */
void diff_names_release_items(diff_names *names);

#endif
