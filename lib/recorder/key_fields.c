/* SPDX-License-Identifier: MIT */
/* Keeps the fields of classes with the versions of their keys, and queues them when they are used. */
#include "recorder/key_fields.h"

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

static void journal_version_of(void *user, mprof_key key, const key_version *version)
{
	if (version->fields != NULL)
		journal_fields_of(user, key, version, version->fields);
}

void key_fields_write_journal(recorder_keys *keys)
{
	key_table_visit(classes_of(keys), journal_version_of, keys);
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
