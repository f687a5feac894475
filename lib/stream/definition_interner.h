/* SPDX-License-Identifier: MIT */
/**
 * \file stream/definition_interner.h
 * \brief Gives IDs to call chains and places of native code that a log tells of without IDs of its own, or with IDs
 * that it uses again: what is the same gets the same ID. Any number of them may add to one table.
 */
#ifndef STREAM_DEFINITION_INTERNER_H
#define STREAM_DEFINITION_INTERNER_H

#include "base/hash_map.h"
#include "stream/definition_table.h"

typedef struct definition_interner {
	definition_table *table;                    /**< Borrowed. */
	hash_map stacks;                            /**< IDs, by caller, frame and flags. */
	hash_map others;                            /**< Kinds and IDs, by a hash of what is defined. */
	uint32_t last_ids[MPROF_RECORD_METRIC + 1]; /**< By #mprof_record_kind. */
} definition_interner;

void definition_interner_init(definition_interner *interner, definition_table *table);
void definition_interner_destroy(definition_interner *interner);

/** IDs begin behind this one: for a log that has IDs of its own. Before the first is given. */
void definition_interner_begin_behind(definition_interner *interner, uint32_t id);

/**
 * Sets the ID of a definition other than a stack, and defines it if it is not yet. Returns #MPROF_OK;
 * #MPROF_ERR_LIMIT; #MPROF_ERR_MEMORY.
 */
mprof_status definition_intern(definition_interner *interner, mprof_record *record);

/**
 * Sets \p id to that of the first of all definitions of a kind and a name that were asked for: \p record is one.
 * Returns as above.
 */
mprof_status definition_first_of_name(definition_interner *interner, const mprof_record *record, uint32_t *id);

/**
 * As definition_intern(), for the chain of \p frame, with \p flags as of a record, on top of the chain \p caller.
 * \p stack is left as it is on errors.
 */
mprof_status definition_intern_stack(definition_interner *interner, uint32_t caller, uint32_t frame, uint32_t flags,
				     uint32_t *stack);

#endif
