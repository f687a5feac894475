/* SPDX-License-Identifier: MIT */
/**
 * \file dictionary/definition_table.h
 * \brief Definitions of blocks that consist of records, such as STACKS, CODE and TYPES, by ID, and the fields of
 * FIELDS blocks, by class and offset.
 *
 * Interners assign IDs to call stacks and native code that a log has without IDs of its own, or with IDs that it
 * reuses: equal definitions get the same ID. Several interners may add to one table.
 */
#ifndef DICTIONARY_DEFINITION_TABLE_H
#define DICTIONARY_DEFINITION_TABLE_H

#include <mprof/format.h>

#include "base/hash_map.h"
#include "dictionary/name_table.h"
#include "format/blocks/records.h"

/** Definitions with consecutive IDs that are stored in consecutive elements. */
typedef struct definition_range {
	size_t index; /**< Index of the first element. */
	uint32_t first_id;
	uint32_t count;
} definition_range;

/**
 * A list with this number of ranges gets no more before others, only after them. A new range begins at each gap in the
 * IDs, and at each ID that is out of order.
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
	name_table *names;                        /**< Stores names; its budget covers all memory. Borrowed. */
	definition_list lists[RECORD_KIND_COUNT]; /**< By #mprof_record_kind. */
} definition_table;

/** The contents of a definition table at one time: the count of each list. */
typedef struct definition_mark {
	size_t counts[RECORD_KIND_COUNT]; /**< By #mprof_record_kind. */
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
	uint32_t position; /**< 0: none. Else the others but the parent are 0. */
} definition_stack;

int definition_table_get_stack(const definition_table *table, uint32_t id, definition_stack *stack);

/** Whether two definitions of one kind are equal except for their IDs. */
int definition_is_same(const mprof_record *known, const mprof_record *record);

/** Returns the number of definitions of a kind; 0 for a kind without definitions. */
size_t definition_table_count(const definition_table *table, uint32_t kind);

/** A field of a class. */
typedef struct field_entry {
	mprof_field_record field;
	uint32_t class_id;
	uint32_t has_new_stride; /**< No element of this array was defined before. */
} field_entry;

typedef struct field_table {
	name_table *names; /**< Stores names; its budget covers all memory. Borrowed. */
	field_entry *fields;
	size_t count;
	size_t capacity;
	hash_map objects;  /**< Maps class << 32 | offset to indices in fields. */
	hash_map elements; /**< Arrays: maps class << 32 | (offset modulo the size of an element) to them. */
	id_map strides;    /**< Maps classes of arrays to the size of an element. */
} field_table;

void field_table_init(field_table *table, name_table *names);
void field_table_destroy(field_table *table);

/**
 * Adds a field, whose name is copied. Adding the same field again has no effect. Returns #MPROF_OK;
 * #MPROF_ERR_REDEFINED_ID if the class has another field at that offset, or elements of another size; #MPROF_ERR_LIMIT
 * if the budget is exceeded; #MPROF_ERR_MEMORY if the allocator refused.
 */
mprof_status field_table_add(field_table *table, const mprof_record *field);

/**
 * Removes the fields after the first \p count, which is what field_table_count() has returned before. Their names are
 * those of the name table. Needs no memory.
 */
void field_table_roll_back(field_table *table, size_t count);

/**
 * Looks up the field of a class that contains the bytes at an offset. Returns 0 and clears \p field and \p index if
 * there is none. The name is borrowed until the name table is destroyed.
 */
int field_table_get(const field_table *table, uint32_t class_id, uint64_t offset, mprof_record *field, uint64_t *index);

/** Returns the number of fields. */
size_t field_table_count(const field_table *table);

typedef struct definition_interner {
	definition_table *table;              /**< Borrowed. */
	hash_map stacks;                      /**< Maps caller, frame and flags to IDs. */
	hash_map others;                      /**< Maps the hash of a definition, or of a name, to kind << 32 |
	                                                 ID. */
	uint32_t last_ids[RECORD_KIND_COUNT]; /**< By #mprof_record_kind: the last ID that was assigned. */
	uint32_t base_id;                     /**< The IDs that are assigned start after this one. */
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

/** The flags of a frame that is a position: no other frame is native and being compiled. */
#define DEFINITION_FLAGS_POSITION ((uint32_t)(MPROF_EVENT_FLAG_NATIVE | MPROF_EVENT_FLAG_COMPILING))

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
