/* SPDX-License-Identifier: MIT */
/**
 * \file dictionary/definition_interner.h
 * \brief Assigns IDs to call stacks and native code that a log has without IDs of its own, or with IDs that it reuses:
 * equal definitions get the same ID. Several interners may add to one table.
 */
#ifndef DICTIONARY_DEFINITION_INTERNER_H
#define DICTIONARY_DEFINITION_INTERNER_H

#include "base/hash_map.h"
#include "dictionary/definition_table.h"

typedef struct definition_interner {
	definition_table *table;                    /**< Borrowed. */
	hash_map stacks;                            /**< Maps caller, frame and flags to IDs. */
	hash_map others;                            /**< Maps the hash of a definition, or of a name, to kind << 32 |
	                                                 ID. */
	uint32_t last_ids[MPROF_RECORD_METRIC + 1]; /**< By #mprof_record_kind: the last ID that was assigned. */
	uint32_t base_id;                           /**< The IDs that are assigned start after this one. */
	/**
	 * By definition_callee_slot() of a call stack: definition_frame_key() << 30 | the ID, for the frame that was
	 * last looked up on top of it, which is usually the next one, too; 0 if there was none.
	 */
	uint64_t *callee_cache;
	size_t callee_slots;
} definition_interner;

void definition_interner_init(definition_interner *interner, definition_table *table);
void definition_interner_destroy(definition_interner *interner);

/** Assigns IDs from \p id + 1 on, for a log that also has IDs of its own. Call it before the first ID is assigned. */
void definition_interner_set_first_id(definition_interner *interner, uint32_t id);

/**
 * Sets the ID of a definition other than a stack, and defines it if it is new. Returns #MPROF_OK; #MPROF_ERR_LIMIT if
 * the budget is exceeded; #MPROF_ERR_MEMORY if the allocator refused.
 */
mprof_status definition_intern(definition_interner *interner, mprof_record *record);

/**
 * Sets \p id to the ID of the first definition with the kind and name of \p record for which this function was called.
 * Returns #MPROF_OK; #MPROF_ERR_LIMIT if the budget is exceeded; #MPROF_ERR_MEMORY if the allocator refused.
 */
mprof_status definition_first_of_name(definition_interner *interner, const mprof_record *record, uint32_t *id);

/**
 * Returns a frame and its flags in 34 bits; the ID of a call stack has the other 30 bits of a key. \p flags are those
 * of an event.
 */
static inline uint64_t definition_frame_key(uint32_t frame, uint32_t flags)
{
	return (uint64_t)frame << 2 | (flags & MPROF_EVENT_FLAG_NATIVE ? 2 : 0) |
	       (flags & MPROF_EVENT_FLAG_COMPILING ? 1 : 0);
}

/**
 * Returns the slot of a caller in definition_interner::callee_cache; UINT32_MAX if its ID was not assigned by this
 * interner.
 */
static inline uint32_t definition_callee_slot(const definition_interner *interner, uint32_t caller)
{
	if (caller > interner->base_id)
		return caller - interner->base_id;
	return caller == 0 ? 0 : UINT32_MAX;
}

/** The slow path of definition_intern_stack(): looks up the call stack in the map, and defines it if it is new. */
mprof_status definition_search_stack(definition_interner *interner, uint32_t caller, uint32_t frame, uint32_t flags,
				     uint32_t *stack);

/**
 * As definition_intern(), for the call stack of \p frame, with the \p flags of an event, called by the call stack
 * \p caller. \p stack is unchanged on errors.
 */
static inline mprof_status definition_intern_stack(definition_interner *interner, uint32_t caller, uint32_t frame,
						   uint32_t flags, uint32_t *stack)
{
	uint64_t key = definition_frame_key(frame, flags) << 30;
	uint32_t slot = definition_callee_slot(interner, caller);

	/* If the cached callee is this frame, the XOR leaves its ID; otherwise the result exceeds every valid ID. */
	if (slot < interner->callee_slots && (interner->callee_cache[slot] ^ key) - 1 < DEFINITION_MAX_STACKS) {
		*stack = (uint32_t)(interner->callee_cache[slot] ^ key);
		return MPROF_OK;
	}
	return definition_search_stack(interner, caller, frame, flags, stack);
}

#endif
