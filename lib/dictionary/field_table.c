/* SPDX-License-Identifier: MIT */
/* Stores the fields of classes, and finds them by offset: those of arrays by the offset in an element. */
#include "dictionary/field_table.h"

#include <string.h>

void field_table_init(field_table *table, name_table *names)
{
	memset(table, 0, sizeof(*table));
	table->names = names;
	hash_map_init(&table->objects, &names->budget->allocator);
	hash_map_init(&table->elements, &names->budget->allocator);
	id_map_init(&table->strides, &names->budget->allocator);
}

void field_table_destroy(field_table *table)
{
	hash_map_destroy(&table->objects);
	hash_map_destroy(&table->elements);
	id_map_destroy(&table->strides);
	allocator_release(&table->names->budget->allocator, table->fields, table->capacity * sizeof(*table->fields));
}

static uint64_t key_of_field(uint32_t class_id, uint64_t offset)
{
	return (uint64_t)class_id << 32 | offset;
}

/* The field of an array's elements whose offset differs by a multiple of their size, or NULL. */
static const mprof_field_record *find_element(const field_table *table, uint32_t class_id, uint64_t offset)
{
	uint32_t stride = id_map_get(&table->strides, class_id);
	const uint64_t *index =
		stride == 0 ? NULL : hash_map_get(&table->elements, key_of_field(class_id, offset % stride));

	return index != NULL ? &table->fields[*index].field : NULL;
}

static const mprof_field_record *find_field(const field_table *table, uint32_t class_id, uint64_t offset)
{
	const uint64_t *index =
		offset > UINT32_MAX ? NULL : hash_map_get(&table->objects, key_of_field(class_id, offset));

	return index != NULL ? &table->fields[*index].field : NULL;
}

int field_table_get(const field_table *table, uint32_t class_id, uint64_t offset, mprof_record *field, uint64_t *index)
{
	const mprof_field_record *found = find_field(table, class_id, offset);

	memset(field, 0, sizeof(*field));
	*index = 0;
	if (found == NULL) {
		found = find_element(table, class_id, offset);
		if (found == NULL || offset < found->offset)
			return 0;
		*index = (offset - found->offset) / found->stride;
	}
	field->kind = MPROF_RECORD_FIELD;
	field->id = class_id;
	field->as.field = *found;
	return 1;
}

static int field_is_same(const mprof_field_record *known, const mprof_field_record *field)
{
	return known->offset == field->offset && known->stride == field->stride && known->class_id == field->class_id &&
	       strcmp(known->name, field->name) == 0;
}

/* Stores a field at the end of the array, but does not count it yet. */
static mprof_status keep_field(field_table *table, const mprof_record *record)
{
	const mprof_field_record *field = &record->as.field;
	void *fields = table->fields;
	field_entry *kept;
	mprof_status status = memory_budget_reserve(table->names->budget, &fields, &table->capacity, table->count + 1,
						    sizeof(*table->fields));

	table->fields = fields;
	if (status != MPROF_OK)
		return status;
	kept = &table->fields[table->count];
	kept->field = *field;
	kept->class_id = record->id;
	kept->has_new_stride = field->stride != 0 && id_map_get(&table->strides, record->id) == 0;
	if (field->name[0] == '\0') {
		kept->field.name = "";
		return MPROF_OK;
	}
	return name_table_keep(table->names, field->name, strlen(field->name), &kept->field.name);
}

static hash_map *map_of_field(field_table *table, const field_entry *entry, uint64_t *key)
{
	const mprof_field_record *field = &entry->field;

	*key = key_of_field(entry->class_id, field->stride == 0 ? field->offset : field->offset % field->stride);
	return field->stride == 0 ? &table->objects : &table->elements;
}

/* An ID that has a number needs no memory to lose it, so id_map_put() cannot fail. */
static void forget_stride(field_table *table, const field_entry *entry)
{
	if (entry->has_new_stride)
		(void)id_map_put(&table->strides, entry->class_id, 0);
}

static mprof_status index_field(field_table *table, const field_entry *entry)
{
	memory_budget *budget = table->names->budget;
	mprof_status status = MPROF_OK;
	uint64_t key;
	hash_map *map = map_of_field(table, entry, &key);

	if (entry->has_new_stride)
		status = memory_budget_id_put(budget, &table->strides, entry->class_id, entry->field.stride);
	if (status != MPROF_OK)
		return status;
	status = memory_budget_map_put(budget, map, key, table->count);
	if (status != MPROF_OK)
		forget_stride(table, entry);
	return status;
}

mprof_status field_table_add(field_table *table, const mprof_record *field)
{
	const mprof_field_record *added = &field->as.field;
	const mprof_field_record *known = added->stride == 0 ? find_field(table, field->id, added->offset)
							     : find_element(table, field->id, added->offset);
	uint32_t stride = id_map_get(&table->strides, field->id);
	mprof_status status;

	if (known != NULL)
		return field_is_same(known, added) ? MPROF_OK : MPROF_ERR_REDEFINED_ID;
	if (added->stride != 0 && stride != 0 && stride != added->stride)
		return MPROF_ERR_REDEFINED_ID;
	status = keep_field(table, field);
	if (status == MPROF_OK)
		status = index_field(table, &table->fields[table->count]);
	if (status == MPROF_OK)
		table->count++;
	return status;
}

void field_table_roll_back(field_table *table, size_t count)
{
	while (table->count > count) {
		const field_entry *entry = &table->fields[--table->count];
		uint64_t key;
		hash_map *map = map_of_field(table, entry, &key);

		hash_map_remove(map, key);
		forget_stride(table, entry);
	}
}

size_t field_table_count(const field_table *table)
{
	return table->count;
}
