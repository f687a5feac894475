/* SPDX-License-Identifier: MIT */
/* Stores classes and methods by ID, and their names in chunks of text. */
#include "dictionary/name_table.h"

#include <stdio.h>
#include <string.h>

/*
 * Sizes of chunks in bytes. Names are stored consecutively in chunks, each twice as large as the one before, up to the
 * last size.
 */
#define FIRST_CHUNK_SIZE 4096
#define LAST_CHUNK_SIZE ((size_t)1 << 20)

struct name_chunk {
	name_chunk *next;
	size_t size; /* Of the text. */
	size_t used;
	char text[];
};

static void list_init(name_list *list, const mprof_allocator *allocator)
{
	memset(list, 0, sizeof(*list));
	id_map_init(&list->by_id, allocator);
}

void name_table_init(name_table *table, memory_budget *budget)
{
	memset(table, 0, sizeof(*table));
	table->budget = budget;
	list_init(&table->classes, &budget->allocator);
	list_init(&table->methods, &budget->allocator);
	id_map_init(&table->files.by_id, &budget->allocator);
}

static void name_list_destroy(name_list *list, const mprof_allocator *allocator)
{
	id_map_destroy(&list->by_id);
	allocator_release(allocator, list->entries, list->capacity * sizeof(*list->entries));
}

/* Releases the chunks that are newer than \p last. */
static void release_chunks_until(name_table *table, const name_chunk *last)
{
	while (table->chunks != last) {
		name_chunk *chunk = table->chunks;

		table->chunks = chunk->next;
		allocator_release(&table->budget->allocator, chunk, sizeof(*chunk) + chunk->size);
	}
}

void name_table_destroy(name_table *table)
{
	const mprof_allocator *allocator = &table->budget->allocator;

	release_chunks_until(table, NULL);
	name_list_destroy(&table->classes, allocator);
	name_list_destroy(&table->methods, allocator);
	id_map_destroy(&table->files.by_id);
	allocator_release(allocator, table->files.entries, table->files.capacity * sizeof(*table->files.entries));
}

static size_t next_chunk_size(const name_table *table, size_t needed)
{
	size_t size = FIRST_CHUNK_SIZE;

	if (table->chunks != NULL) {
		size = table->chunks->size < LAST_CHUNK_SIZE / 2 ? table->chunks->size * 2 : LAST_CHUNK_SIZE;
		if (size < FIRST_CHUNK_SIZE)
			size = FIRST_CHUNK_SIZE;
	}
	return size < needed ? needed : size;
}

static mprof_status chunk_add(name_table *table, size_t needed)
{
	const mprof_allocator *allocator = &table->budget->allocator;
	size_t size = next_chunk_size(table, needed);
	name_chunk *chunk = allocator_allocate(allocator, sizeof(*chunk) + size);

	/* A budget that has no room for a chunk of this size may have room for the name alone. */
	if (chunk == NULL && memory_budget_is_exceeded(table->budget)) {
		size = needed;
		chunk = allocator_allocate(allocator, sizeof(*chunk) + size);
	}
	if (chunk == NULL)
		return memory_budget_status(table->budget);
	chunk->next = table->chunks;
	chunk->size = size;
	chunk->used = 0;
	table->chunks = chunk;
	return MPROF_OK;
}

/* Reserves memory for a name in the newest chunk. */
static mprof_status text_reserve(name_table *table, size_t needed)
{
	const name_chunk *chunk = table->chunks;

	if (chunk != NULL && chunk->size - chunk->used >= needed)
		return MPROF_OK;
	return chunk_add(table, needed);
}

/* Copies a text to the newest chunk, in which the caller has reserved memory. */
static const char *store_text(name_table *table, const char *name, size_t length)
{
	name_chunk *chunk = table->chunks;
	char *copy = chunk->text + chunk->used;

	memcpy(copy, name, length);
	copy[length] = 0;
	chunk->used += length + 1;
	return copy;
}

mprof_status name_table_keep(name_table *table, const char *text, size_t length, const char **copy)
{
	mprof_status status = text_reserve(table, length + 1);

	if (status == MPROF_OK)
		*copy = store_text(table, text, length);
	return status;
}

/* Reserves memory for one more definition in the list. */
static mprof_status name_list_reserve(name_table *table, name_list *list)
{
	void *entries = list->entries;
	mprof_status status;

	if (list->count < list->capacity)
		return MPROF_OK;
	status = memory_budget_reserve(table->budget, &entries, &list->capacity, list->count + 1,
				       sizeof(*list->entries));
	list->entries = entries;
	return status;
}

static mprof_status name_list_add(name_table *table, name_list *list, const mprof_mapping *mapping,
				  uint64_t block_offset)
{
	mprof_status status = mapping->name_length <= UINT32_MAX ? name_list_reserve(table, list) : MPROF_ERR_LIMIT;
	name_entry *entry;

	if (status == MPROF_OK)
		status = text_reserve(table, mapping->name_length + 1);
	if (status == MPROF_OK)
		status = memory_budget_id_put(table->budget, &list->by_id, mapping->id, (uint32_t)list->count + 1);
	if (status != MPROF_OK)
		return status;
	entry = &list->entries[list->count++];
	memset(entry, 0, sizeof(*entry));
	entry->id = mapping->id;
	entry->owner_id = mapping->is_method ? mapping->class_id : mapping->assembly_id;
	entry->flags = mapping->flags;
	entry->size = mapping->is_method ? mapping->source_line : mapping->size;
	entry->file = mapping->source_file_id;
	entry->block_offset = block_offset;
	entry->name = store_text(table, mapping->name, mapping->name_length);
	entry->name_length = (uint32_t)mapping->name_length;
	return MPROF_OK;
}

static const name_entry *list_find(const name_list *list, uint32_t id)
{
	uint32_t position = id_map_get(&list->by_id, id);

	return position != 0 ? &list->entries[position - 1] : NULL;
}

static int same_definition(const name_entry *entry, const mprof_mapping *mapping)
{
	return entry->owner_id == (mapping->is_method ? mapping->class_id : mapping->assembly_id) &&
	       entry->flags == mapping->flags &&
	       entry->size == (mapping->is_method ? mapping->source_line : mapping->size) &&
	       entry->file == mapping->source_file_id && entry->name_length == mapping->name_length &&
	       memcmp(entry->name, mapping->name, mapping->name_length) == 0;
}

static const name_file *find_file(const name_table *table, uint32_t id)
{
	uint32_t position = id_map_get(&table->files.by_id, id);

	return position != 0 ? &table->files.entries[position - 1] : NULL;
}

static mprof_status name_file_add(name_table *table, const mprof_mapping *mapping)
{
	name_files *files = &table->files;
	void *entries = files->entries;
	mprof_status status =
		memory_budget_reserve(table->budget, &entries, &files->capacity, files->count + 1, sizeof(name_file));

	files->entries = entries;
	if (status == MPROF_OK)
		status = text_reserve(table, mapping->source_file_length + 1);
	if (status == MPROF_OK)
		status = memory_budget_id_put(table->budget, &files->by_id, mapping->source_file_id,
					      (uint32_t)files->count + 1);
	if (status != MPROF_OK)
		return status;
	files->entries[files->count++] =
		(name_file){store_text(table, mapping->source_file, mapping->source_file_length),
			    mapping->source_file_length, mapping->source_file_id};
	return MPROF_OK;
}

/*
 * Stores the name of a source file, if the mapping contains it. When the block is read again, the same name is
 * accepted.
 */
static mprof_status file_add(name_table *table, const mprof_mapping *mapping)
{
	const name_file *known;

	if (mapping->source_file_length == 0)
		return MPROF_OK;
	known = find_file(table, mapping->source_file_id);
	if (known == NULL)
		return name_file_add(table, mapping);
	return known->name_length == mapping->source_file_length &&
			       memcmp(known->name, mapping->source_file, known->name_length) == 0
		       ? MPROF_OK
		       : MPROF_ERR_REDEFINED_ID;
}

void name_table_source(const name_table *table, mprof_mapping *mapping)
{
	const name_file *file;

	if (mapping->source_file_length != 0 || mapping->source_file_id == 0)
		return;
	file = find_file(table, mapping->source_file_id);
	if (file == NULL)
		return;
	mapping->source_file = file->name;
	mapping->source_file_length = file->name_length;
}

mprof_status name_table_add(name_table *table, const mprof_mapping *mapping, uint64_t block_offset)
{
	name_list *list = mapping->is_method ? &table->methods : &table->classes;
	const name_entry *known = list_find(list, mapping->id);
	mprof_status status = file_add(table, mapping);

	if (status != MPROF_OK)
		return status;

	if (known == NULL)
		return name_list_add(table, list, mapping, block_offset);
	return known->block_offset == block_offset && same_definition(known, mapping) ? MPROF_OK
										      : MPROF_ERR_REDEFINED_ID;
}

name_mark name_table_mark(const name_table *table)
{
	const name_mark mark = {table->classes.count, table->methods.count, table->files.count, table->chunks,
				table->chunks != NULL ? table->chunks->used : 0};

	return mark;
}

/* An ID that has a number needs no memory to lose it, so id_map_put() cannot fail. */
static void name_list_roll_back(name_list *list, size_t count)
{
	while (list->count > count)
		(void)id_map_put(&list->by_id, list->entries[--list->count].id, 0);
}

void name_table_roll_back(name_table *table, const name_mark *mark)
{
	name_list_roll_back(&table->classes, mark->class_count);
	name_list_roll_back(&table->methods, mark->method_count);
	while (table->files.count > mark->file_count)
		(void)id_map_put(&table->files.by_id, table->files.entries[--table->files.count].id, 0);
	release_chunks_until(table, mark->chunk);
	if (table->chunks != NULL)
		table->chunks->used = mark->chunk_used;
}

int name_table_class(const name_table *table, uint32_t id, mprof_mapping *mapping)
{
	const name_entry *entry = list_find(&table->classes, id);

	memset(mapping, 0, sizeof(*mapping));
	mapping->source_file = "";
	if (entry == NULL)
		return 0;
	mapping->id = id;
	mapping->assembly_id = entry->owner_id;
	mapping->size = entry->size;
	mapping->name = entry->name;
	mapping->name_length = entry->name_length;
	return 1;
}

int name_table_method(const name_table *table, uint32_t id, mprof_mapping *mapping)
{
	const name_entry *entry = list_find(&table->methods, id);

	memset(mapping, 0, sizeof(*mapping));
	mapping->source_file = "";
	if (entry == NULL)
		return 0;
	mapping->is_method = 1;
	mapping->id = id;
	mapping->class_id = entry->owner_id;
	mapping->flags = entry->flags;
	mapping->name = entry->name;
	mapping->name_length = entry->name_length;
	mapping->source_file_id = entry->file;
	mapping->source_line = entry->size;
	name_table_source(table, mapping);
	return 1;
}

/* A text that is truncated as by snprintf(): characters that do not fit are only counted. */
typedef struct cut_text {
	char *text;
	size_t size;
	size_t length;
} cut_text;

static void cut_text_add(cut_text *out, const char *more, size_t length)
{
	if (out->length < out->size) {
		size_t room = out->size - out->length;

		memcpy(out->text + out->length, more, length < room ? length : room);
	}
	out->length += length;
}

static void cut_text_add_number(cut_text *out, uint32_t id)
{
	char number[16];
	int length = snprintf(number, sizeof(number), "#%lu", (unsigned long)id);

	cut_text_add(out, number, (size_t)length);
}

size_t name_table_method_name(const name_table *table, uint32_t id, char *text, size_t size)
{
	const name_entry *method = list_find(&table->methods, id);
	cut_text out = {text, size > 0 ? size - 1 : 0, 0};

	if (method == NULL) {
		cut_text_add_number(&out, id);
	} else {
		const name_entry *owner = list_find(&table->classes, method->owner_id);

		if (owner != NULL)
			cut_text_add(&out, owner->name, owner->name_length);
		else if (method->owner_id != 0)
			cut_text_add_number(&out, method->owner_id);
		if (method->owner_id != 0 && (owner == NULL || owner->name_length > 0))
			cut_text_add(&out, ".", 1);
		cut_text_add(&out, method->name, method->name_length);
	}
	if (size > 0)
		text[out.length < out.size ? out.length : out.size] = 0;
	return out.length;
}
