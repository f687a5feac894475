/* SPDX-License-Identifier: MIT */
/* Names of methods and classes, and how they are shown. */
#include "dictionary/name_table.h"

#include <mprof/reader.h>

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

void name_table_set_style(name_table *table, const char *style)
{
	table->separator = strcmp(style, "colons") == 0 ? "::" : strcmp(style, "file") == 0 ? ":" : ".";
}

void name_table_init(name_table *table, memory_budget *budget)
{
	memset(table, 0, sizeof(*table));
	table->budget = budget;
	list_init(&table->classes, &budget->allocator);
	list_init(&table->methods, &budget->allocator);
	id_map_init(&table->files.by_id, &budget->allocator);
	name_table_set_style(table, "dots");
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
			cut_text_add(&out, table->separator, strlen(table->separator));
		cut_text_add(&out, method->name, method->name_length);
	}
	if (size > 0)
		text[out.length < out.size ? out.length : out.size] = 0;
	return out.length;
}

/* Compilers nest names a few levels deep; deeper ones are left alone. */
#define MAX_NESTING 8

/*
 * A generated name begins with an angle bracket and contains the name of the method that it was generated from: async
 * methods and iterators become a class with a method MoveNext, "<Name>d__1" (csc) or "<Name>c__async0" and
 * "<Name>c__Iterator0" (mcs); lambdas become methods, "<Name>b__0_1" (csc) or "<Name>m__1" (mcs), and local functions
 * "<Name>g__Local|0_0". Captured variables are in a class, "<>c", "<>c__DisplayClass0_0" or "<Name>c__AnonStorey0".
 */

typedef struct name_output {
	char *text;
	size_t size;
	size_t length; /* Of the whole name, which may exceed the size. */
	int is_body;   /* The name ended with the method of a state machine. */
} name_output;

/* A part of a name between separators: "<inner>rest", where the rest may end with type arguments. */
typedef struct generated_part {
	const char *inner;
	size_t inner_length;
	const char *rest;
	size_t rest_length; /* Without type arguments. */
	const char *end;
} generated_part;

static void put_text(name_output *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++, out->length++) {
		if (out->length + 1 < out->size)
			out->text[out->length] = text[i];
	}
}

/* The end of the brackets that begin at \p text; NULL if they do not end. */
static const char *skip_brackets(const char *text, const char *end)
{
	size_t depth = 0;

	for (; text < end; text++) {
		depth += *text == '<';
		if (*text == '>' && --depth == 0)
			return text + 1;
	}
	return NULL;
}

static int is_separator(char character)
{
	return character == '.' || character == '/' || character == '+';
}

static int parse_part(const char *text, const char *end, generated_part *part)
{
	const char *after = skip_brackets(text, end);

	if (after == NULL)
		return 0;
	part->inner = text + 1;
	part->inner_length = (size_t)(after - 1 - part->inner);
	part->rest = after;
	while (after < end && !is_separator(*after) && *after != '<' && *after != '`')
		after++;
	part->rest_length = (size_t)(after - part->rest);
	while (after < end && !is_separator(*after)) {
		after = *after == '<' ? skip_brackets(after, end) : after + 1;
		if (after == NULL)
			return 0;
	}
	part->end = after;
	return 1;
}

static int begins_with(const generated_part *part, const char *prefix)
{
	size_t length = strlen(prefix);

	return part->rest_length >= length && memcmp(part->rest, prefix, length) == 0;
}

static int is_state_machine(const generated_part *part)
{
	return part->inner_length > 0 &&
	       ((part->rest_length == 1 && part->rest[0] == 'd') || begins_with(part, "d__") ||
		begins_with(part, "c__async") || begins_with(part, "c__Iterator"));
}

static int is_lambda(const generated_part *part)
{
	return begins_with(part, "b__") || begins_with(part, "m__");
}

/* Whether the part is a class for captured variables. */
static int is_closure(const generated_part *part)
{
	return begins_with(part, "c__AnonStorey") ||
	       (part->inner_length == 0 &&
		((part->rest_length == 1 && part->rest[0] == 'c') || begins_with(part, "c__")));
}

static int put_names(name_output *out, const char *text, const char *end, int nesting);

/* The number of a lambda in its method is after the last underscore. */
static void put_lambda(name_output *out, const generated_part *part)
{
	const char *number = part->rest + part->rest_length;

	while (number > part->rest && number[-1] != '_')
		number--;
	put_text(out, ".lambda_", 8);
	put_text(out, number, (size_t)(part->rest + part->rest_length - number));
}

static void put_local_function(name_output *out, const generated_part *part)
{
	const char *name = part->rest + 3;
	const char *end = memchr(name, '|', part->rest_length - 3);

	put_text(out, ".", 1);
	put_text(out, name, (size_t)((end != NULL ? end : part->rest + part->rest_length) - name));
}

/* Writes the method that a part was generated from, after \p separator. Returns 0 if the part is not known. */
static int put_part(name_output *out, const generated_part *part, const char *separator, int nesting)
{
	const char *types = part->rest + part->rest_length;

	if (part->inner_length > 0) {
		put_text(out, separator, strlen(separator));
		if (!put_names(out, part->inner, part->inner + part->inner_length, nesting + 1))
			return 0;
	}
	if (is_lambda(part))
		put_lambda(out, part);
	else if (begins_with(part, "g__"))
		put_local_function(out, part);
	else if (!is_state_machine(part))
		return 0;
	while (types < part->end && *types != '<')
		types++;
	put_text(out, types, (size_t)(part->end - types));
	return 1;
}

/* Writes the name of a closure. The part that follows has a name of its own unless it is a lambda of mcs, "<>m__0". */
static int put_closure(name_output *out, const generated_part *part, const char *end, int nesting)
{
	if (end - part->end < 3 || part->end[1] != '<')
		return 0;
	if (part->inner_length == 0 || part->end[2] != '>')
		return 1;
	put_text(out, ".", 1);
	return put_names(out, part->inner, part->inner + part->inner_length, nesting + 1);
}

/* Copies a part that is not generated, with the separator before it. Returns its end, NULL if brackets do not match. */
static const char *copy_part(name_output *out, const char *text, const char *end)
{
	do {
		const char *next = *text == '<' ? skip_brackets(text, end) : text + 1;

		if (next == NULL)
			return NULL;
		put_text(out, text, (size_t)(next - text));
		text = next;
	} while (text < end && !is_separator(*text));
	return text;
}

/* Writes names with the generated parts replaced. Returns 0 if a part is not known. */
static int put_names(name_output *out, const char *text, const char *end, int nesting)
{
	const char *start = text;
	int is_after_state_machine = 0;

	while (text < end) {
		const char *name = text + (text > start && is_separator(*text));
		generated_part part;

		if (is_after_state_machine && end - text == 9 && memcmp(text, ".MoveNext", 9) == 0) {
			out->is_body = nesting == 0;
			return 1;
		}
		if (name == end || *name != '<') {
			text = copy_part(out, text, end);
			if (text == NULL)
				return 0;
			is_after_state_machine = 0;
			continue;
		}
		if (nesting == MAX_NESTING || !parse_part(name, end, &part))
			return 0;
		if (!(is_closure(&part) ? put_closure(out, &part, end, nesting)
					: put_part(out, &part, name > text ? "." : "", nesting)))
			return 0;
		text = part.end;
		is_after_state_machine = is_state_machine(&part);
	}
	return 1;
}

static size_t finish_output(name_output *out)
{
	if (out->size > 0)
		out->text[out->length < out->size ? out->length : out->size - 1] = '\0';
	return out->length;
}

size_t mprof_name_format_readable(const char *name, char *text, size_t size)
{
	name_output out = {text, size, 0, 0};
	const char *end;

	if (name == NULL || (text == NULL && size > 0))
		return 0;
	end = strstr(name, " (");
	if (end == NULL)
		end = name + strlen(name);
	if (!put_names(&out, name, end, 0)) {
		out.length = 0;
		put_text(&out, name, strlen(name));
	} else if (!out.is_body) {
		put_text(&out, end, strlen(end));
	}
	return finish_output(&out);
}
