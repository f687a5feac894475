/* SPDX-License-Identifier: MIT */
/* Collects the code units that were loaded, and when they were unloaded. */
#include "model/code_units.h"

#include "base/array.h"
#include "model/text_copy.h"

#include <string.h>

#define TYPE_BITS (MPROF_ELEMENT_MODULE | MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_DOMAIN)

void code_units_init(code_unit_list *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	hash_map_init(&all->latest, allocator);
}

void code_units_destroy(code_unit_list *all)
{
	const mprof_allocator *allocator = &all->latest.index.allocator;

	for (size_t i = 0; i < all->count; i++) {
		text_release(allocator, all->records[i].name);
		text_release(allocator, all->records[i].assembly);
	}
	allocator_release(allocator, all->records, all->capacity * sizeof(*all->records));
	all->records = NULL;
	all->count = 0;
	all->capacity = 0;
	hash_map_destroy(&all->latest);
}

/* A code unit is identified by its ID if it has one, else by its name. */
static uint64_t unit_key(const code_unit_list *all, const mprof_block *block)
{
	uint32_t type = block->as.element.kind & TYPE_BITS;

	if (block->as.element.id != 0)
		return (uint64_t)type << 32 | block->as.element.id;
	return hash_mix_text(hash_mix(all->latest.index.seed, type),
			     block->as.element.name != NULL ? block->as.element.name : "");
}

int code_units_loaded(code_unit_list *all, const mprof_block *block)
{
	const mprof_allocator *allocator = &all->latest.index.allocator;
	void *records = all->records;
	code_unit_record record;

	if (!array_reserve(allocator, &records, &all->capacity, all->count + 1, sizeof(*all->records)))
		return 0;
	all->records = records;
	memset(&record, 0, sizeof(record));
	record.kind = block->as.element.kind;
	record.id = block->as.element.id;
	record.load_start = block->as.element.start_counter;
	record.load_end = block->as.element.end_counter;
	record.name = text_copy(allocator, block->as.element.name);
	if (record.name == NULL)
		return 0;
	if (block->as.element.assembly != NULL)
		record.assembly = text_copy(allocator, block->as.element.assembly->base_name);
	if ((block->as.element.assembly != NULL && record.assembly == NULL) ||
	    !hash_map_put(&all->latest, unit_key(all, block), all->count)) {
		text_release(allocator, record.name);
		text_release(allocator, record.assembly);
		return 0;
	}
	all->records[all->count++] = record;
	return 1;
}

void code_units_unloaded(code_unit_list *all, const mprof_block *block)
{
	const uint64_t *number = hash_map_get(&all->latest, unit_key(all, block));
	code_unit_record *record;

	if (number == NULL)
		return;
	record = &all->records[*number];
	if (record->is_unloaded || record->id != block->as.element.id)
		return;
	record->unload_end = block->as.element.end_counter;
	record->is_unloaded = 1;
}
