/* SPDX-License-Identifier: MIT */
/* Assigns IDs to definitions that have none in the log. Equal definitions get the same ID. */
#include "dictionary/definition_interner.h"

#include "format/blocks/records.h"

#include <string.h>

/*
 * Maximum number of definitions with the same hash, which bounds the time of a search. Only an author of a log who has
 * the seed could exceed it; the same definition may then get several IDs.
 */
#define MAX_COLLISIONS 16

void definition_interner_init(definition_interner *interner, definition_table *table)
{
	memset(interner, 0, sizeof(*interner));
	interner->table = table;
	hash_map_init(&interner->stacks, &table->names->budget->allocator);
	hash_map_init(&interner->others, &table->names->budget->allocator);
}

void definition_interner_destroy(definition_interner *interner)
{
	hash_map_destroy(&interner->stacks);
	hash_map_destroy(&interner->others);
	allocator_release(&interner->table->names->budget->allocator, interner->callee_cache,
			  interner->callee_slots * sizeof(*interner->callee_cache));
}

void definition_interner_set_first_id(definition_interner *interner, uint32_t id)
{
	for (uint32_t kind = MPROF_RECORD_STACK; kind <= MPROF_RECORD_METRIC; kind++)
		interner->last_ids[kind] = id;
	interner->base_id = id;
}

/* Adds a new definition under the next ID. */
static mprof_status define_interned(definition_interner *interner, mprof_record *record)
{
	mprof_status status;

	record->id = interner->last_ids[record->kind] + 1;
	status = definition_table_add(interner->table, record);
	/* The definition was added: it has no predecessor if it is the first one that is assigned. */
	if (status == MPROF_ERR_MALFORMED)
		status = MPROF_OK;
	if (status == MPROF_OK)
		interner->last_ids[record->kind] = record->id;
	return status;
}

static uint64_t hash_of(const definition_interner *interner, const mprof_record *record)
{
	uint64_t hash = hash_mix(interner->others.index.seed, record->kind);

	switch (record->kind) {
	case MPROF_RECORD_MODULE:
		hash = hash_mix(hash_mix(hash, record->as.module.address), record->as.module.size);
		return hash_mix_text(hash_mix(hash, record->as.module.file_offset), record->as.module.file);
	case MPROF_RECORD_FUNCTION:
		hash = hash_mix(hash_mix(hash, record->as.function.module), record->as.function.offset);
		return hash_mix_text(hash_mix(hash, record->as.function.size), record->as.function.name);
	case MPROF_RECORD_LOCATION:
		hash = hash_mix(hash_mix(hash, record->as.location.module), record->as.location.function);
		return hash_mix(hash, record->as.location.offset);
	default:
		/* Other kinds are not interned. */
		return hash;
	}
}

/* Returns a hash of the name alone. The complement of the kind makes it differ from the hashes of definitions. */
static uint64_t hash_of_name(const definition_interner *interner, const mprof_record *record)
{
	return hash_mix_text(hash_mix(interner->others.index.seed, ~(uint64_t)record->kind), record_get_name(record));
}

typedef int (*same_function)(const mprof_record *known, const mprof_record *record);

static int has_same_name(const mprof_record *known, const mprof_record *record)
{
	return strcmp(record_get_name(known), record_get_name(record)) == 0;
}

/*
 * Searches for a definition, starting at \p hash. Returns its ID, or 0 if none; \p is_free is then 1 if
 * \p hash was changed to that of a free entry.
 */
static uint32_t find_definition(const definition_interner *interner, const mprof_record *record, same_function is_same,
				uint64_t *hash, int *is_free)
{
	mprof_record known;

	for (int i = 0; i < MAX_COLLISIONS; i++, ++*hash) {
		const uint64_t *found = hash_map_get(&interner->others, *hash);

		*is_free = found == NULL;
		if (found == NULL)
			return 0;
		if (*found >> 32 == record->kind &&
		    definition_table_get(interner->table, record->kind, (uint32_t)*found, &known) &&
		    is_same(&known, record))
			return known.id;
	}
	return 0;
}

static mprof_status keep_hash(definition_interner *interner, uint64_t hash, const mprof_record *record)
{
	return memory_budget_map_put(interner->table->names->budget, &interner->others, hash,
				     (uint64_t)record->kind << 32 | record->id);
}

mprof_status definition_intern(definition_interner *interner, mprof_record *record)
{
	uint64_t hash = hash_of(interner, record);
	mprof_status status;
	int is_free;

	record->id = find_definition(interner, record, definition_is_same, &hash, &is_free);
	if (record->id != 0)
		return MPROF_OK;
	status = define_interned(interner, record);
	return status == MPROF_OK && is_free ? keep_hash(interner, hash, record) : status;
}

mprof_status definition_first_of_name(definition_interner *interner, const mprof_record *record, uint32_t *id)
{
	uint64_t hash = hash_of_name(interner, record);
	int is_free;

	*id = find_definition(interner, record, has_same_name, &hash, &is_free);
	if (*id != 0)
		return MPROF_OK;
	*id = record->id;
	return is_free ? keep_hash(interner, hash, record) : MPROF_OK;
}

/* Reserves the slot for the callee of a call stack that was assigned an ID. */
static mprof_status callee_cache_reserve(definition_interner *interner, uint32_t stack)
{
	size_t before = interner->callee_slots;
	void *callees = interner->callee_cache;
	mprof_status status = memory_budget_reserve(interner->table->names->budget, &callees, &interner->callee_slots,
						    (size_t)definition_callee_slot(interner, stack) + 1,
						    sizeof(*interner->callee_cache));

	interner->callee_cache = callees;
	if (interner->callee_slots > before)
		memset(&interner->callee_cache[before], 0,
		       (interner->callee_slots - before) * sizeof(*interner->callee_cache));
	return status;
}

/* Adds a new call stack. */
static mprof_status define_stack(definition_interner *interner, uint64_t key, mprof_record *record)
{
	mprof_status status = define_interned(interner, record);

	if (status == MPROF_OK)
		status = callee_cache_reserve(interner, record->id);
	if (status == MPROF_OK)
		status = memory_budget_map_put(interner->table->names->budget, &interner->stacks, key, record->id);
	return status;
}

mprof_status definition_search_stack(definition_interner *interner, uint32_t caller, uint32_t frame, uint32_t flags,
				     uint32_t *stack)
{
	uint64_t frame_key = definition_frame_key(frame, flags);
	uint64_t key = (uint64_t)caller << 34 | frame_key;
	const uint64_t *found = hash_map_get(&interner->stacks, key);
	uint32_t slot = definition_callee_slot(interner, caller);
	mprof_record record = {.kind = MPROF_RECORD_STACK,
			       .as.stack.caller = caller,
			       .as.stack.target = frame,
			       .as.stack.is_native = (flags & MPROF_EVENT_FLAG_NATIVE) != 0,
			       .as.stack.is_compiling = (flags & MPROF_EVENT_FLAG_COMPILING) != 0};
	mprof_status status = found != NULL ? MPROF_OK : define_stack(interner, key, &record);

	if (status != MPROF_OK)
		return status;
	*stack = found != NULL ? (uint32_t)*found : record.id;
	if (slot < interner->callee_slots)
		interner->callee_cache[slot] = frame_key << 30 | *stack;
	return MPROF_OK;
}
