/* SPDX-License-Identifier: MIT */
#include "dictionary/definition_interner.h"

#include "format/record_texts.h"

#include <string.h>

/* How many definitions of one hash are told apart. There are no more, short of a log made by one who knows the seed. */
#define MOST_COLLISIONS 16

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
	allocator_release(&interner->table->names->budget->allocator, interner->latest_callees,
			  interner->callee_count * sizeof(*interner->latest_callees));
}

void definition_interner_begin_behind(definition_interner *interner, uint32_t id)
{
	for (uint32_t kind = MPROF_RECORD_STACK; kind <= MPROF_RECORD_METRIC; kind++)
		interner->last_ids[kind] = id;
	interner->behind = id;
}

/* Adds a definition that is not there yet, under the next ID. */
static mprof_status define(definition_interner *interner, mprof_record *record)
{
	mprof_status status;

	record->id = interner->last_ids[record->kind] + 1;
	status = definition_table_add(interner->table, record);
	/* There is nothing in front of the first ID that is given. */
	if (status == MPROF_ERR_MALFORMED)
		status = MPROF_OK;
	if (status == MPROF_OK)
		interner->last_ids[record->kind] = record->id;
	return status;
}

static uint64_t hash_of(const definition_interner *interner, const mprof_record *record)
{
	uint64_t hash = hash_mix(interner->others.seed, record->kind);

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
		/* Nobody interns what else there is. */
		return hash;
	}
}

/* Of the name alone: of another kind than any record has, so that it is not a definition's own hash. */
static uint64_t hash_of_name(const definition_interner *interner, const mprof_record *record)
{
	return hash_mix_text(hash_mix(interner->others.seed, ~(uint64_t)record->kind), record_get_name(record));
}

typedef int (*same_function)(const mprof_record *known, const mprof_record *record);

static int has_same_name(const mprof_record *known, const mprof_record *record)
{
	return strcmp(record_get_name(known), record_get_name(record)) == 0;
}

/*
 * Looks for a definition from the place of a hash on, which becomes that of a free place, if there is one. Returns its
 * ID, 0 if there is none.
 */
static uint32_t find(const definition_interner *interner, const mprof_record *record, same_function is_same,
		     uint64_t *hash, int *is_free)
{
	mprof_record known;

	for (int i = 0; i < MOST_COLLISIONS; i++, ++*hash) {
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

static mprof_status keep(definition_interner *interner, uint64_t hash, const mprof_record *record)
{
	return memory_budget_map_put(interner->table->names->budget, &interner->others, hash,
				     (uint64_t)record->kind << 32 | record->id);
}

mprof_status definition_intern(definition_interner *interner, mprof_record *record)
{
	uint64_t hash = hash_of(interner, record);
	mprof_status status;
	int is_free;

	record->id = find(interner, record, definition_is_same, &hash, &is_free);
	if (record->id != 0)
		return MPROF_OK;
	status = define(interner, record);
	return status == MPROF_OK && is_free ? keep(interner, hash, record) : status;
}

mprof_status definition_first_of_name(definition_interner *interner, const mprof_record *record, uint32_t *id)
{
	uint64_t hash = hash_of_name(interner, record);
	int is_free;

	*id = find(interner, record, has_same_name, &hash, &is_free);
	if (*id != 0)
		return MPROF_OK;
	*id = record->id;
	return is_free ? keep(interner, hash, record) : MPROF_OK;
}

/* Makes room for what is on top of a chain that was given. */
static mprof_status callees_reserve(definition_interner *interner, uint32_t stack)
{
	size_t before = interner->callee_count;
	void *callees = interner->latest_callees;
	mprof_status status = memory_budget_reserve(interner->table->names->budget, &callees, &interner->callee_count,
						    (size_t)definition_callee_place(interner, stack) + 1,
						    sizeof(*interner->latest_callees));

	interner->latest_callees = callees;
	if (interner->callee_count > before)
		memset(&interner->latest_callees[before], 0,
		       (interner->callee_count - before) * sizeof(*interner->latest_callees));
	return status;
}

/* Adds a chain that is not there yet. */
static mprof_status define_stack(definition_interner *interner, uint64_t key, mprof_record *record)
{
	mprof_status status = define(interner, record);

	if (status == MPROF_OK)
		status = callees_reserve(interner, record->id);
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
	uint32_t place = definition_callee_place(interner, caller);
	mprof_record record = {.kind = MPROF_RECORD_STACK,
			       .as.stack.caller = caller,
			       .as.stack.target = frame,
			       .as.stack.is_native = (flags & MPROF_EVENT_FLAG_NATIVE) != 0,
			       .as.stack.is_compiling = (flags & MPROF_EVENT_FLAG_COMPILING) != 0};
	mprof_status status = found != NULL ? MPROF_OK : define_stack(interner, key, &record);

	if (status != MPROF_OK)
		return status;
	*stack = found != NULL ? (uint32_t)*found : record.id;
	if (place < interner->callee_count)
		interner->latest_callees[place] = frame_key << 30 | *stack;
	return MPROF_OK;
}
