/* SPDX-License-Identifier: MIT */
#include "stream/definition_interner.h"

#include <string.h>

/* How many definitions of one hash are told apart. Behind that, which only a made-up log has, they are not looked for. */
#define MOST_COLLISIONS 16

void definition_interner_init(definition_interner *interner, definition_table *table)
{
	memset(interner, 0, sizeof(*interner));
	interner->table = table;
	hash_map_init(&interner->stacks, &table->names->allocator);
	hash_map_init(&interner->others, &table->names->allocator);
}

void definition_interner_destroy(definition_interner *interner)
{
	hash_map_destroy(&interner->stacks);
	hash_map_destroy(&interner->others);
}

void definition_interner_begin_behind(definition_interner *interner, uint32_t id)
{
	for (uint32_t kind = MPROF_RECORD_STACK; kind <= MPROF_RECORD_METRIC; kind++)
		interner->last_ids[kind] = id;
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

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

static uint64_t hash_of(const mprof_record *record)
{
	uint64_t hash = mix(record->kind, (uint64_t)record->parent << 32 | record->target);

	hash = mix(mix(mix(hash, record->start), record->size), record->value);
	for (const char *name = record->name; *name != 0; name++)
		hash = mix(hash, (unsigned char)*name);
	return hash;
}

mprof_status definition_intern(definition_interner *interner, mprof_record *record)
{
	uint64_t hash = hash_of(record);
	const uint64_t *found;
	mprof_record known;
	mprof_status status;

	for (int i = 0; (found = hash_map_get(&interner->others, hash)) != NULL && i < MOST_COLLISIONS; i++, hash++) {
		if (*found >> 32 == record->kind &&
		    definition_table_get(interner->table, record->kind, (uint32_t)*found, &known) &&
		    definition_is_same(&known, record)) {
			record->id = known.id;
			return MPROF_OK;
		}
	}
	status = define(interner, record);
	if (status == MPROF_OK && found == NULL)
		status = name_table_map_put(interner->table->names, &interner->others, hash,
					    (uint64_t)record->kind << 32 | record->id);
	return status;
}

mprof_status definition_intern_stack(definition_interner *interner, uint32_t caller, uint32_t frame, uint32_t flags,
				     uint32_t *stack)
{
	/* The ID of a caller has 30 bits. */
	uint64_t key = (uint64_t)caller << 34 | (uint64_t)frame << 2 | (flags & MPROF_EVENT_NATIVE ? 2 : 0) |
		       (flags & MPROF_EVENT_COMPILING ? 1 : 0);
	const uint64_t *found = hash_map_get(&interner->stacks, key);
	mprof_record record = {.kind = MPROF_RECORD_STACK,
			       .parent = caller,
			       .target = frame,
			       .flags = flags,
			       .name = "",
			       .section = ""};
	mprof_status status;

	if (found != NULL) {
		*stack = (uint32_t)*found;
		return MPROF_OK;
	}
	status = define(interner, &record);
	if (status == MPROF_OK)
		status = name_table_map_put(interner->table->names, &interner->stacks, key, record.id);
	if (status == MPROF_OK)
		*stack = record.id;
	return status;
}
