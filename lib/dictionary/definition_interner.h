/* SPDX-License-Identifier: MIT */
/**
 * \file dictionary/definition_interner.h
 * \brief Gives IDs to call chains and places of native code that a log tells of without IDs of its own, or with IDs
 * that it uses again: what is the same gets the same ID. Any number of them may add to one table.
 */
#ifndef DICTIONARY_DEFINITION_INTERNER_H
#define DICTIONARY_DEFINITION_INTERNER_H

#include "base/hash_map.h"
#include "dictionary/definition_table.h"

typedef struct definition_interner {
	definition_table *table;                    /**< Borrowed. */
	hash_map stacks;                            /**< IDs, by caller, frame and flags. */
	hash_map others;                            /**< Kinds and IDs, by a hash of what is defined. */
	uint32_t last_ids[MPROF_RECORD_METRIC + 1]; /**< By #mprof_record_kind. */
	uint32_t behind;                            /**< The ID behind which those given begin. */
	/**
	 * By definition_callee_place() of a chain: definition_frame_key() << 30 | the ID, for the frame that was asked
	 * for latest on top of it, which mostly is the next one too; 0 if none was.
	 */
	uint64_t *latest_callees;
	size_t callee_count;
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

/** What a frame is in 34 bits: the ID of a chain has the other 30. \p flags are as of a record. */
static inline uint64_t definition_frame_key(uint32_t frame, uint32_t flags)
{
	return (uint64_t)frame << 2 | (flags & MPROF_EVENT_FLAG_NATIVE ? 2 : 0) |
	       (flags & MPROF_EVENT_FLAG_COMPILING ? 1 : 0);
}

/** The place of a caller among definition_interner::latest_callees; one with an ID that was not given here has none. */
static inline uint32_t definition_callee_place(const definition_interner *interner, uint32_t caller)
{
	if (caller > interner->behind)
		return caller - interner->behind;
	return caller == 0 ? 0 : UINT32_MAX;
}

/** The slow half of definition_intern_stack(). */
mprof_status definition_search_stack(definition_interner *interner, uint32_t caller, uint32_t frame, uint32_t flags,
				     uint32_t *stack);

/**
 * As definition_intern(), for the chain of \p frame, with \p flags as of a record, on top of the chain \p caller.
 * \p stack is left as it is on errors.
 */
static inline mprof_status definition_intern_stack(definition_interner *interner, uint32_t caller, uint32_t frame,
						   uint32_t flags, uint32_t *stack)
{
	uint64_t key = definition_frame_key(frame, flags) << 30;
	uint32_t place = definition_callee_place(interner, caller);

	/* If the cached callee is this frame, the XOR leaves its ID; otherwise the result exceeds every valid ID. */
	if (place < interner->callee_count && (interner->latest_callees[place] ^ key) - 1 < DEFINITION_MOST_STACKS) {
		*stack = (uint32_t)(interner->latest_callees[place] ^ key);
		return MPROF_OK;
	}
	return definition_search_stack(interner, caller, frame, flags, stack);
}

#endif
