/* SPDX-License-Identifier: MIT */
/*
 * Gives keys their IDs in the log, keeps the versions of keys that are defined again, and writes the fields of
 * classes.
 */
#include "recorder/tables/keys.h"

#include "base/allocator.h"
#include "base/caller_structs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Called for each version of a key. */
typedef void (*key_visitor)(void *user, mprof_key key, const key_version *version);

/* The newest version of a key, which must have one. */
static inline key_version *key_table_newest(const key_table *table, const key_entry *entry)
{
	return &table->versions[entry->version];
}

int key_table_init(key_table *table, const mprof_allocator *allocator, int keys_are_ids)
{
	memset(table, 0, sizeof(*table));
	table->allocator = *allocator;
	table->keys_are_ids = keys_are_ids;
	table->next_id = 1;
	table->version_count = 1;
	hash_index_init(&table->entries, allocator);
	return hash_index_reserve(&table->entries, &key_entries, table);
}

/* Both names are in one allocation. */
static size_t names_size(const key_definition *definition)
{
	return definition->name_length + definition->source_file_length + 2;
}

/* Frees the name of a version, which is in the log now. */
static void key_table_forget_name(key_table *table, key_version *version)
{
	if (version->definition.name != NULL)
		allocator_release(&table->allocator, (char *)version->definition.name,
				  names_size(&version->definition));
	version->definition.name = NULL;
	version->definition.source_file = NULL;
}

/* Frees the fields of a version, if it has any. */
static void key_table_forget_fields(key_table *table, key_version *version)
{
	class_fields_release(&table->allocator, version->fields);
	version->fields = NULL;
}

void key_table_destroy(key_table *table)
{
	for (size_t i = 1; i < table->version_count; i++) {
		key_table_forget_name(table, &table->versions[i]);
		key_table_forget_fields(table, &table->versions[i]);
	}
	allocator_release(&table->allocator, table->versions, table->version_capacity * sizeof(*table->versions));
	hash_index_destroy(&table->entries, &key_entries);
	memset(table, 0, sizeof(*table));
}

/* FNV-1a over all fields of a definition but its counter and size. */
static uint64_t hash_definition(const key_definition *definition)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ definition->owner ^ (uint64_t)definition->flags << 56;

	for (size_t i = 0; i < definition->name_length; i++)
		hash = (hash ^ (uint8_t)definition->name[i]) * UINT64_C(0x100000001b3);
	for (size_t i = 0; i < definition->source_file_length; i++)
		hash = (hash ^ (uint8_t)definition->source_file[i]) * UINT64_C(0x100000001b3);
	return (hash ^ definition->source_line) * UINT64_C(0x100000001b3);
}

/* Whether a definition repeats that of a version. An unknown size equals any other. */
static int repeats_definition(const key_version *version, const key_definition *definition, uint64_t hash)
{
	uint32_t size = version->definition.object_size;

	return version->hash == hash && (size == definition->object_size || size == 0 || definition->object_size == 0);
}

static key_entry *entry_at(const key_table *table, size_t i)
{
	return hash_index_slot(&table->entries, &key_entries, i);
}

/* Removes the entries of retired keys. */
static void remove_retired(key_table *table)
{
	for (size_t i = 0; i < table->entries.capacity; i++) {
		key_entry *entry = entry_at(table, i);

		/* A later entry may have moved here. */
		while (entry->key != 0 && entry->version == 0)
			hash_index_remove(&table->entries, &key_entries, table, entry);
	}
	table->retired = 0;
}

/*
 * Reserves an entry for one more key: removes retired keys if that frees half of the entries, otherwise grows the
 * table.
 */
static int reserve_key(key_table *table)
{
	if (table->retired > 0 && table->retired >= table->entries.count / 2)
		remove_retired(table);
	return hash_index_reserve(&table->entries, &key_entries, table);
}

/* Allocates the number of a version; 0 without memory. Versions may move. */
static uint32_t allocate_version(key_table *table)
{
	uint32_t number = table->free_version;
	void *versions = table->versions;

	if (number != 0) {
		table->free_version = table->versions[number].previous;
		return number;
	}
	if (table->version_count > UINT32_MAX || !array_reserve(&table->allocator, &versions, &table->version_capacity,
								table->version_count + 1, sizeof(*table->versions)))
		return 0;
	table->versions = versions;
	return (uint32_t)table->version_count++;
}

static void free_version(key_table *table, uint32_t number)
{
	key_version *version = &table->versions[number];

	key_table_forget_name(table, version);
	key_table_forget_fields(table, version);
	version->previous = table->free_version;
	table->free_version = number;
}

/* Adds a version with a copy of the definition. Returns its number, or 0 without memory. */
static uint32_t create_version(key_table *table, const key_definition *definition, uint64_t hash)
{
	char *copy = allocator_allocate(&table->allocator, names_size(definition));
	uint32_t number;
	key_version *version;

	if (copy == NULL)
		return 0;
	number = allocate_version(table);
	if (number == 0) {
		allocator_release(&table->allocator, copy, names_size(definition));
		return 0;
	}
	memcpy(copy, definition->name, definition->name_length);
	copy[definition->name_length] = '\0';
	version = &table->versions[number];
	*version = (key_version){.definition = *definition, .hash = hash};
	version->definition.name = copy;
	if (definition->source_file_length > 0) {
		copy += definition->name_length + 1;
		memcpy(copy, definition->source_file, definition->source_file_length);
		copy[definition->source_file_length] = '\0';
		version->definition.source_file = copy;
	}
	return number;
}

/*
 * Adds a version as the newest one of a key, whose entry is \p entry, or NULL: then one was reserved. Returns the
 * number of the version before it, or 0.
 */
static uint32_t add_version(key_table *table, key_entry *entry, mprof_key key, uint32_t number)
{
	if (entry == NULL) {
		entry = hash_index_take_slot(&table->entries, &key_entries, hash_address(key));
		entry->key = key;
	} else if (entry->version == 0) {
		table->retired--;
	}
	table->versions[number].previous = entry->version;
	entry->version = number;
	entry->id = 0;
	return table->versions[number].previous;
}

key_change key_table_define(key_table *table, mprof_key key, const key_definition *definition)
{
	uint64_t hash = hash_definition(definition);
	key_entry *entry = key_table_find(table, key);
	uint32_t number = entry == NULL ? 0 : entry->version;

	/* An ID chosen by the client never changes its meaning. */
	if (number != 0 && (table->keys_are_ids || repeats_definition(&table->versions[number], definition, hash))) {
		/* The size can still be added, unless the definition was written. */
		if (table->versions[number].definition.object_size == 0)
			table->versions[number].definition.object_size = definition->object_size;
		return KEY_AS_BEFORE;
	}
	if (entry == NULL && table->entries.count >= table->entries.capacity / 2 && !reserve_key(table))
		return KEY_NO_MEMORY;
	number = create_version(table, definition, hash);
	if (number == 0)
		return KEY_NO_MEMORY;
	return add_version(table, entry, key, number) != 0 ? KEY_CHANGED : KEY_ADDED;
}

/*
 * Adds the newest version of a key that the log has, with the definition but without its names, as it was after
 * key_table_forget_name(). Returns 0 if there is no memory.
 */
static int key_table_recover_version(key_table *table, mprof_key key, const key_version *version)
{
	key_entry *entry = key_table_find(table, key);
	uint32_t number;

	if (entry == NULL && table->entries.count >= table->entries.capacity / 2 && !reserve_key(table))
		return 0;
	number = allocate_version(table);
	if (number == 0)
		return 0;
	table->versions[number] = *version;
	(void)add_version(table, entry, key, number);
	if (table->versions[number].previous == 0)
		key_table_find(table, key)->id = version->id;
	return 1;
}

/* Reverses the list of the versions of a key, which begins with \p number. Returns the new first number. */
static uint32_t reverse_versions(key_table *table, uint32_t number)
{
	uint32_t reversed = 0;

	while (number != 0) {
		uint32_t next = table->versions[number].previous;

		table->versions[number].previous = reversed;
		reversed = number;
		number = next;
	}
	return reversed;
}

/* Visits all versions of all keys, those of a key from the oldest to the newest. */
static void key_table_visit(key_table *table, key_visitor visitor, void *user)
{
	for (size_t i = 0; i < table->entries.capacity; i++) {
		const key_entry *entry = entry_at(table, i);
		uint32_t oldest;

		if (entry->key == 0 || entry->version == 0)
			continue;
		oldest = reverse_versions(table, entry->version);
		for (uint32_t number = oldest; number != 0; number = table->versions[number].previous)
			visitor(user, entry->key, &table->versions[number]);
		(void)reverse_versions(table, oldest);
	}
}

static void retire_entry(key_table *table, key_entry *entry)
{
	while (entry->version != 0) {
		uint32_t number = entry->version;

		entry->version = table->versions[number].previous;
		free_version(table, number);
		/* Counts each key once, at its oldest version. */
		table->retired += entry->version == 0;
	}
	entry->id = 0;
}

int key_ranges_hold(const mprof_key_range *ranges, size_t count, mprof_key key)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges[middle].last < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && ranges[low].first <= key;
}

/* Whether looking up each key of the ranges takes no more steps than visiting all entries. */
static int ranges_are_small(const key_table *table, const mprof_key_range *ranges, size_t count)
{
	uint64_t keys = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t more = ranges[i].last - ranges[i].first;

		if (more >= table->entries.capacity || keys + more >= table->entries.capacity)
			return 0;
		keys += more + 1;
	}
	return 1;
}

static void retire_each(key_table *table, const mprof_key_range *range)
{
	for (uint64_t i = 0; i <= range->last - range->first; i++) {
		key_entry *entry = key_table_find(table, range->first + i);

		/* Key 0 finds an empty entry. */
		if (entry != NULL && entry->version != 0)
			retire_entry(table, entry);
	}
}

void key_table_retire(key_table *table, const mprof_key_range *ranges, size_t count)
{
	if (table->keys_are_ids)
		return;
	if (ranges_are_small(table, ranges, count)) {
		for (size_t i = 0; i < count; i++)
			retire_each(table, &ranges[i]);
		return;
	}
	for (size_t i = 0; i < table->entries.capacity; i++) {
		key_entry *entry = entry_at(table, i);

		if (entry->version != 0 && key_ranges_hold(ranges, count, entry->key))
			retire_entry(table, entry);
	}
}

key_version *key_table_version(const key_table *table, const key_entry *entry, uint64_t counter)
{
	key_version *version = &table->versions[entry->version];

	while (version->previous != 0 && (int64_t)(counter - version->definition.since) < 0)
		version = &table->versions[version->previous];
	return version;
}

uint32_t key_table_assign(key_table *table, key_entry *entry, key_version *version)
{
	version->id = table->keys_are_ids ? (uint32_t)entry->key : table->next_id++;
	if (version->previous == 0 && &table->versions[entry->version] == version)
		entry->id = version->id;
	return version->id;
}

/*
 * Assigns the ID that the log has for the version of a key that was defined at a counter. Does nothing for unknown
 * keys.
 */
static void key_table_recover_id(key_table *table, mprof_key key, uint64_t since, uint32_t id)
{
	key_entry *entry = key_table_find(table, key);
	uint32_t number = entry != NULL ? entry->version : 0;

	while (number != 0 && (table->versions[number].definition.since != since || table->versions[number].id != 0))
		number = table->versions[number].previous;
	if (number == 0)
		return;
	table->versions[number].id = id;
	if (table->versions[number].previous == 0 && entry->version == number)
		entry->id = id;
	key_table_forget_name(table, &table->versions[number]);
}

/* The version of a key that was defined at a counter, or NULL. */
static key_version *key_table_version_since(const key_table *table, mprof_key key, uint64_t since)
{
	const key_entry *entry = key_table_find(table, key);
	uint32_t number = entry != NULL ? entry->version : 0;

	while (number != 0 && table->versions[number].definition.since != since)
		number = table->versions[number].previous;
	return number != 0 ? &table->versions[number] : NULL;
}

/*
 * They are collected so that the classes of a HEAP_DATA block share a FIELDS block.
 */

/* Maximum number of fields in one block. */
#define FIELDS_IN_BLOCK 128

static void field_queue_init(field_queue *queue, const mprof_allocator *allocator)
{
	*queue = (field_queue){.allocator = *allocator};
	queue->last = &queue->first;
}

static void field_queue_destroy(field_queue *queue)
{
	while (queue->first != NULL) {
		class_fields *next = queue->first->next;

		class_fields_release(&queue->allocator, queue->first);
		queue->first = next;
	}
	queue->last = &queue->first;
}

/* Appends the fields of a class, whose keys were replaced by IDs of classes that are defined. Takes ownership. */
static void field_queue_add(field_queue *queue, class_fields *fields)
{
	fields->next = NULL;
	*queue->last = fields;
	queue->last = &fields->next;
}

/* The records of the next block. The names are those of the queue. */
typedef struct record_list {
	mprof_record records[FIELDS_IN_BLOCK];
	size_t count;
} record_list;

static void write_records(record_list *list, recorder_output *output)
{
	output_write_records(output, MPROF_BLOCK_FIELDS, list->records, list->count);
	list->count = 0;
}

static void add_class(record_list *list, const class_fields *fields, recorder_output *output)
{
	const char *name = class_fields_names(fields);

	for (uint32_t i = 0; i < fields->count; i++) {
		const stored_field *field = &fields->fields[i];

		if (list->count == FIELDS_IN_BLOCK)
			write_records(list, output);
		list->records[list->count++] = (mprof_record){.kind = MPROF_RECORD_FIELD,
							      .id = fields->class_id,
							      .as.field.offset = field->offset,
							      .as.field.stride = field->stride,
							      .as.field.class_id = (uint32_t)field->class_key,
							      .as.field.name = name};
		name += strlen(name) + 1;
	}
}

void field_queue_write(field_queue *queue, recorder_output *output)
{
	record_list list;

	if (queue->first == NULL)
		return;
	list.count = 0;
	for (const class_fields *fields = queue->first; fields != NULL; fields = fields->next)
		add_class(&list, fields, output);
	write_records(&list, output);
	field_queue_destroy(queue);
}

int keys_init(recorder_keys *keys, const recorder_shared *shared, recorder_output *output)
{
	keys->shared = shared;
	keys->output = output;
	hash_map_init(&keys->elements, &shared->allocator);
	field_queue_init(&keys->fields, &shared->allocator);
	return key_table_init(&keys->tables[0], &shared->allocator, shared->keys_are_ids) &&
	       key_table_init(&keys->tables[1], &shared->allocator, shared->keys_are_ids);
}

void keys_destroy(recorder_keys *keys)
{
	/* NULL: it was never initialized. */
	if (keys->shared == NULL)
		return;
	key_table_destroy(&keys->tables[0]);
	key_table_destroy(&keys->tables[1]);
	field_queue_destroy(&keys->fields);
	hash_map_destroy(&keys->elements);
}

/* Keys from before and after this counter cannot be compared to find the common frames of two call stacks. */
static void note_method_change(recorder_keys *keys, uint64_t counter)
{
	if (counter > keys->methods_changed)
		keys->methods_changed = counter;
}

static void append_definition(recorder_keys *keys, key_subject subject, mprof_key key, const key_definition *definition)
{
	const journal_definition stored = {
		.entry = {.kind = JOURNAL_DEFINE, .subject = (uint16_t)subject, .key = key, .flags = definition->flags},
		.owner = definition->owner,
		.since = definition->since,
		.object_size = definition->object_size,
		.source_line = definition->source_line,
		.name_length = (uint32_t)definition->name_length,
		.source_file_length = (uint32_t)definition->source_file_length};

	salvage_journal_append_definition(&keys->journal, &stored, definition->name, definition->source_file);
}

/* Adds a definition. Returns 0 without memory. */
static int define_key(recorder_keys *keys, key_subject subject, mprof_key key, const key_definition *definition)
{
	key_change change = key_table_define(&keys->tables[subject], key, definition);

	keys->generation += change == KEY_CHANGED;
	if (change == KEY_CHANGED && subject == SUBJECT_METHOD)
		note_method_change(keys, definition->since);
	if (change == KEY_ADDED || change == KEY_CHANGED)
		append_definition(keys, subject, key, definition);
	return change != KEY_NO_MEMORY;
}

static int define_undefined_key(recorder_keys *keys, key_subject subject, mprof_key key, uint64_t since);

/* The definition of a key was lost. Events from a counter on get another name than that of its earlier definition. */
static void lose_definition(recorder_keys *keys, key_subject subject, mprof_key key, uint64_t since)
{
	const key_entry *entry = key_table_find(&keys->tables[subject], key);

	/* A key without a definition gets one when it is used. An ID chosen by the client never changes its meaning. */
	if (entry != NULL && entry->version != 0 && !keys->shared->keys_are_ids)
		(void)define_undefined_key(keys, subject, key, since);
}

void keys_define(recorder_keys *keys, const message *defined)
{
	const key_subject subject = defined->kind == MESSAGE_DEFINE_METHOD ? SUBJECT_METHOD : SUBJECT_CLASS;
	key_definition definition = {.owner = defined->owner,
				     .name = defined->name,
				     .name_length = defined->name_length,
				     .flags = defined->flags,
				     .object_size = defined->object_size,
				     .source_file = defined->source_file,
				     .source_file_length = defined->source_file_length,
				     .source_line = defined->source_line,
				     .since = defined->counter};

	if (defined->name == NULL)
		lose_definition(keys, subject, defined->key, defined->counter);
	else
		(void)define_key(keys, subject, defined->key, &definition);
}

void keys_define_while_resolving(recorder_keys *keys, key_subject subject, mprof_key key,
				 const mprof_description *description, uint64_t counter)
{
	const int is_method = subject == SUBJECT_METHOD;
	const key_definition definition = {.owner = is_method ? description->class_key : description->assembly_key,
					   .name = description->name,
					   .name_length = description->name_length,
					   .flags = description->flags,
					   .object_size = is_method ? 0 : description->object_size,
					   .source_file = is_method ? description->source_file : NULL,
					   .source_file_length = is_method ? description->source_file_length : 0,
					   .source_line = is_method ? description->source_line : 0,
					   .since = counter};

	(void)define_key(keys, subject, key, &definition);
}

static int has_writable_name(const recorder_keys *keys, const mprof_description *description)
{
	return description->name != NULL &&
	       recorder_name_is_writable(keys->shared, description->name, description->name_length);
}

/* Finds the function with the key, then calls the client's function. Returns whether one of them has named it. */
static int resolve(recorder_keys *keys, key_subject subject, mprof_key key, mprof_description *description)
{
	mprof_description found;
	int status = -1;

	if (keys->functions != NULL)
		(void)native_code_describe(keys->functions, key, subject == SUBJECT_CLASS, description);
	found = *description;
	if (keys->resolve[subject] != NULL) {
		keys->is_resolving = 1;
		status = keys->resolve[subject](keys->resolve_user, key, description);
		keys->is_resolving = 0;
	}
	if (status == 0 && has_writable_name(keys, description))
		return 1;
	*description = found;
	return has_writable_name(keys, description);
}

/*
 * Defines a key that no message defined, from a counter on: by the client's function, or by a name made from the key.
 */
static int define_undefined_key(recorder_keys *keys, key_subject subject, mprof_key key, uint64_t since)
{
	mprof_description description;
	key_definition definition = {.since = since};
	char made_up[40];
	int is_none = key == key_for_none(keys->shared->keys_are_ids);

	struct_init(&description, sizeof(description));
	if (is_none || !resolve(keys, subject, key, &description)) {
		keys->unresolved++;
		struct_init(&description, sizeof(description));
		description.name = made_up;
		if (is_none)
			description.name_length = (size_t)snprintf(made_up, sizeof(made_up), "(no key)");
		else
			description.name_length =
				(size_t)snprintf(made_up, sizeof(made_up), "(unknown 0x%" PRIx64 ")", key);
	}
	definition.owner = subject == SUBJECT_METHOD ? description.class_key : description.assembly_key;
	definition.name = description.name;
	definition.name_length = description.name_length;
	definition.flags = description.flags;
	definition.object_size = subject == SUBJECT_CLASS ? description.object_size : 0;
	if (subject == SUBJECT_METHOD && description.source_file != NULL &&
	    recorder_name_is_writable(keys->shared, description.source_file, description.source_file_length)) {
		definition.source_file = description.source_file;
		definition.source_file_length = description.source_file_length;
		definition.source_line = description.source_line;
	}
	return define_key(keys, subject, key, &definition);
}

/* Assigns an element to a key; 0: none that is known. Without memory, its classes have no known assembly. */
static void assign_element(recorder_keys *keys, mprof_key key, uint32_t id)
{
	(void)hash_map_put(&keys->elements, key, id);
	salvage_journal_append(&keys->journal, &(journal_entry){.kind = JOURNAL_ELEMENT, .key = key, .id = id});
}

void keys_write_element(recorder_keys *keys, const message *taken)
{
	mprof_element element = taken->more.loaded.element;
	const uint64_t *known = hash_map_get(&keys->elements, taken->key);

	/* It was lost. */
	if (element.name == NULL) {
		if (known != NULL)
			assign_element(keys, taken->key, 0);
		return;
	}
	element.start_counter = output_counter(keys->output, element.start_counter);
	element.end_counter = output_counter(keys->output, element.end_counter);
	if (taken->kind == MESSAGE_LOADED) {
		element.id = ++keys->next_element_id;
		assign_element(keys, taken->key, element.id);
		output_note_status(keys->output, mprof_writer_write_loaded(keys->output->writer, &element));
	} else {
		element.id = known != NULL ? (uint32_t)*known : 0;
		output_note_status(keys->output, mprof_writer_write_unloaded(keys->output->writer, &element));
	}
}

static void journal_retirement(recorder_keys *keys, const mprof_key_range *range, uint64_t counter)
{
	const journal_definition retired = {
		.entry = {.kind = JOURNAL_RETIRE, .key = range->first}, .owner = range->last, .since = counter};

	salvage_journal_append_definition(&keys->journal, &retired, NULL, NULL);
}

void keys_retire(recorder_keys *keys, const mprof_key_range *ranges, size_t count, uint64_t counter)
{
	keys->generation++;
	key_table_retire(&keys->tables[SUBJECT_METHOD], ranges, count);
	key_table_retire(&keys->tables[SUBJECT_CLASS], ranges, count);
	for (size_t i = 0; i < count; i++)
		journal_retirement(keys, &ranges[i], counter);
	note_method_change(keys, counter);
}

void keys_lose_all(recorder_keys *keys)
{
	const hash_map_entry *element;
	size_t slot = 0;

	keys_retire(keys, &(const mprof_key_range){0, UINT64_MAX}, 1, counter_read(&keys->shared->counter));
	/* Assigning another element to a key that the map has does not move entries. */
	while ((element = hash_map_next(&keys->elements, &slot)) != NULL)
		assign_element(keys, element->key, 0);
}

static void write_class(recorder_keys *keys, const key_version *version)
{
	const key_definition *known = &version->definition;
	mprof_class_definition definition = {.struct_size = sizeof(mprof_class_definition),
					     .id = version->id,
					     .name = known->name,
					     .name_length = known->name_length,
					     .size = known->object_size};
	const uint64_t *element = hash_map_get(&keys->elements, known->owner);

	if (known->owner != 0 && element != NULL)
		definition.assembly_id = (uint32_t)*element;
	output_note_status(keys->output, mprof_writer_define_class(keys->output->writer, &definition));
}

/*
 * The class of methods without one, in dialects that require it: Mono's own decoder aborts when it prints a method
 * without a class. Its ID is assigned by the table and belongs to no key; IDs chosen by the client leave no room for
 * it.
 */
static uint32_t no_class(recorder_keys *keys)
{
	static const char name[] = "(no class)";
	mprof_class_definition definition = {
		.struct_size = sizeof(mprof_class_definition), .name = name, .name_length = sizeof(name) - 1};

	if (!keys->output->methods_need_class || keys->shared->keys_are_ids)
		return 0;
	if (keys->no_class_id == 0) {
		definition.id = keys->no_class_id = keys->tables[SUBJECT_CLASS].next_id++;
		output_note_status(keys->output, mprof_writer_define_class(keys->output->writer, &definition));
	}
	return keys->no_class_id;
}

static void write_method(recorder_keys *keys, const key_version *version, uint32_t class_id)
{
	mprof_method_definition definition = {.struct_size = sizeof(mprof_method_definition),
					      .id = version->id,
					      .class_id = class_id,
					      .flags = version->definition.flags,
					      .name = version->definition.name,
					      .name_length = version->definition.name_length,
					      .source_file = version->definition.source_file,
					      .source_file_length = version->definition.source_file_length,
					      .source_line = version->definition.source_line};

	output_note_status(keys->output, mprof_writer_define_method(keys->output->writer, &definition));
}

static void journal_id(recorder_keys *keys, key_subject subject, mprof_key key, const key_version *version)
{
	const journal_definition assigned = {
		.entry = {.kind = JOURNAL_ASSIGN, .subject = (uint16_t)subject, .key = key, .id = version->id},
		.since = version->definition.since};

	salvage_journal_append_definition(&keys->journal, &assigned, NULL, NULL);
}

/* A key without an ID yet, or with several versions. Returns 0 only if there is no memory. */
static uint32_t find_id(recorder_keys *keys, key_subject subject, mprof_key key, uint64_t counter)
{
	key_table *table = &keys->tables[subject];
	key_entry *entry = key_table_find(table, key);
	key_version *version;
	uint32_t class_id = 0;

	if (entry == NULL || entry->version == 0) {
		if (!define_undefined_key(keys, subject, key, 0))
			return 0;
		entry = key_table_find(table, key);
	}
	version = key_table_version(table, entry, counter);
	if (version->id != 0)
		return version->id;
	if (subject == SUBJECT_METHOD && key_is_valid(version->definition.owner, keys->shared->keys_are_ids))
		class_id = keys_class_id(keys, version->definition.owner, counter);
	else if (subject == SUBJECT_METHOD)
		class_id = no_class(keys);
	key_table_assign(table, entry, version);
	journal_id(keys, subject, entry->key, version);
	if (subject == SUBJECT_METHOD)
		write_method(keys, version, class_id);
	else
		write_class(keys, version);
	key_table_forget_name(table, version);
	return version->id;
}

static uint32_t id_of(recorder_keys *keys, key_subject subject, mprof_key key, uint64_t counter)
{
	const key_entry *entry;

	if (!key_is_valid(key, keys->shared->keys_are_ids))
		key = key_for_none(keys->shared->keys_are_ids);
	entry = key_table_find(&keys->tables[subject], key);
	if (entry != NULL && entry->id != 0)
		return entry->id;
	return find_id(keys, subject, key, counter);
}

uint32_t keys_method_id(recorder_keys *keys, mprof_key key, uint64_t counter)
{
	return id_of(keys, SUBJECT_METHOD, key, counter);
}

uint32_t keys_class_id(recorder_keys *keys, mprof_key key, uint64_t counter)
{
	return id_of(keys, SUBJECT_CLASS, key, counter);
}

/* A table whose keys are journaled. */
typedef struct journaled_table {
	recorder_keys *keys;
	key_subject subject;
} journaled_table;

static void journal_version_of(void *user, mprof_key key, const key_version *version)
{
	const journaled_table *table = user;
	const key_definition *definition = &version->definition;

	/* The names of a version without an ID are not in the log yet. */
	if (version->id == 0) {
		append_definition(table->keys, table->subject, key, definition);
		return;
	}
	salvage_journal_append_version(&table->keys->journal,
				       &(journal_version){.entry = {.kind = JOURNAL_VERSION,
								    .subject = (uint16_t)table->subject,
								    .key = key,
								    .id = version->id,
								    .flags = definition->flags},
							  .owner = definition->owner,
							  .since = definition->since,
							  .hash = version->hash,
							  .object_size = definition->object_size,
							  .source_line = definition->source_line});
}

void keys_write_journal(recorder_keys *keys)
{
	const hash_map_entry *element;
	size_t slot = 0;

	for (int subject = 0; subject < 2; subject++)
		key_table_visit(&keys->tables[subject], journal_version_of,
				&(journaled_table){keys, (key_subject)subject});
	while ((element = hash_map_next(&keys->elements, &slot)) != NULL)
		salvage_journal_append(
			&keys->journal,
			&(journal_entry){.kind = JOURNAL_ELEMENT, .key = element->key, .id = (uint32_t)element->value});
}

static int recover_version(key_table *table, const journal_version *stored)
{
	const key_version version = {.definition = {.owner = stored->owner,
						    .flags = stored->entry.flags,
						    .object_size = stored->object_size,
						    .source_line = stored->source_line,
						    .since = stored->since},
				     .hash = stored->hash,
				     .id = stored->entry.id};

	return key_table_recover_version(table, stored->entry.key, &version);
}

static int recover_definition(recorder_keys *keys, const journal_definition *stored)
{
	const key_definition definition = {.owner = stored->owner,
					   .name = stored->names,
					   .name_length = stored->name_length,
					   .flags = stored->entry.flags,
					   .object_size = stored->object_size,
					   .source_file =
						   stored->source_file_length > 0 ? journal_source_file(stored) : NULL,
					   .source_file_length = stored->source_file_length,
					   .source_line = stored->source_line,
					   .since = stored->since};

	return define_key(keys, stored->entry.subject == SUBJECT_METHOD ? SUBJECT_METHOD : SUBJECT_CLASS,
			  stored->entry.key, &definition);
}

int keys_recover(recorder_keys *keys, const journal_entry *entry)
{
	const journal_definition *definition = (const journal_definition *)(const void *)entry;
	key_table *table = &keys->tables[entry->subject == SUBJECT_METHOD ? SUBJECT_METHOD : SUBJECT_CLASS];

	/* It is not a key of a table, but may be the first one of a range. */
	if (entry->key == 0 && entry->kind != JOURNAL_RETIRE)
		return 1;
	switch (entry->kind) {
	case JOURNAL_DEFINE:
		return recover_definition(keys, definition);
	case JOURNAL_ASSIGN:
		key_table_recover_id(table, entry->key, definition->since, entry->id);
		return 1;
	case JOURNAL_VERSION:
		return recover_version(table, (const journal_version *)(const void *)entry);
	case JOURNAL_RETIRE:
		keys_retire(keys, &(const mprof_key_range){entry->key, definition->owner}, 1, definition->since);
		return 1;
	case JOURNAL_ELEMENT:
		return hash_map_put(&keys->elements, entry->key, entry->id);
	default:
		return 1;
	}
}

static key_table *classes_of(recorder_keys *keys)
{
	return &keys->tables[SUBJECT_CLASS];
}

/* \p fields is NULL if the fields of the version are in the log. */
static void journal_fields_of(recorder_keys *keys, mprof_key key, const key_version *version,
			      const class_fields *fields)
{
	const journal_fields stored = {
		.entry = {.kind = JOURNAL_FIELDS, .key = key, .flags = fields != NULL ? fields->count : 0},
		.since = version->definition.since,
		.bytes = fields != NULL ? fields->size : 0};

	salvage_journal_append_fields(&keys->journal, &stored, fields != NULL ? fields->fields : NULL);
}

void key_fields_define(recorder_keys *keys, const message *defined)
{
	const key_entry *entry = key_table_find(classes_of(keys), defined->key);
	key_version *version;

	if (entry == NULL || entry->version == 0)
		return;
	version = key_table_newest(classes_of(keys), entry);
	if (version->has_fields)
		return;
	version->fields = class_fields_copy(&classes_of(keys)->allocator, defined->more.fields.list,
					    defined->more.fields.bytes, defined->more.fields.count);
	if (version->fields == NULL)
		return;
	version->has_fields = 1;
	journal_fields_of(keys, defined->key, version, version->fields);
}

void key_fields_use(recorder_keys *keys, mprof_key key, uint64_t counter)
{
	const key_entry *entry;
	key_version *version;
	class_fields *fields;

	if (!key_is_valid(key, keys->shared->keys_are_ids))
		return;
	entry = key_table_find(classes_of(keys), key);
	if (entry == NULL || entry->version == 0)
		return;
	version = key_table_version(classes_of(keys), entry, counter);
	fields = version->fields;
	if (fields == NULL || version->id == 0)
		return;
	version->fields = NULL;
	journal_fields_of(keys, key, version, NULL);
	fields->class_id = version->id;
	/* This may define classes, so it moves the versions. */
	for (uint32_t i = 0; i < fields->count; i++) {
		mprof_key declaring = fields->fields[i].class_key;

		fields->fields[i].class_key = declaring == 0 ? 0 : keys_class_id(keys, declaring, counter);
	}
	field_queue_add(&keys->fields, fields);
}

static void journal_fields_of_version(void *user, mprof_key key, const key_version *version)
{
	if (version->fields != NULL)
		journal_fields_of(user, key, version, version->fields);
}

void key_fields_write_journal(recorder_keys *keys)
{
	key_table_visit(classes_of(keys), journal_fields_of_version, keys);
}

int key_fields_recover(recorder_keys *keys, const journal_entry *entry)
{
	const journal_fields *stored = (const journal_fields *)(const void *)entry;
	key_table *table = classes_of(keys);
	key_version *version;

	if (entry->kind != JOURNAL_FIELDS || entry->key == 0)
		return 1;
	version = key_table_version_since(table, entry->key, stored->since);
	if (version == NULL)
		return 1;
	key_table_forget_fields(table, version);
	version->has_fields = 1;
	if (entry->flags == 0)
		return 1;
	version->fields = class_fields_copy(&table->allocator, stored->fields, (size_t)stored->bytes, entry->flags);
	return version->fields != NULL;
}
