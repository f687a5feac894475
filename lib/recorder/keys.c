/* SPDX-License-Identifier: MIT */
#include "recorder/keys.h"

#include "recorder/recorder_internal.h"
#include "writer/parts.h"

#include <inttypes.h>
#include <stdio.h>

void recorder_note_status(mprof_recorder *recorder, mprof_status status)
{
	if (status == MPROF_OK || recorder->status != MPROF_OK)
		return;
	/* What was refused for the limit is counted by who wrote it; the log goes on to its end. */
	if (status == MPROF_ERR_LIMIT && writer_is_full(recorder->writer)) {
		recorder->limit_reached = 1;
		return;
	}
	recorder->status = status;
	recorder->error.struct_size = sizeof(recorder->error);
	mprof_writer_get_error(recorder->writer, &recorder->error);
}

/* Adds a definition. Returns 0 without memory. */
static int define(mprof_recorder *recorder, key_subject subject, mprof_key key, const key_definition *definition)
{
	key_change change = key_table_define(&recorder->keys[subject], key, definition);

	if (change == KEY_CHANGED && subject == SUBJECT_METHOD)
		stacks_methods_changed(&recorder->stacks, definition->since);
	return change != KEY_NO_MEMORY;
}

void keys_define(mprof_recorder *recorder, const message *defined)
{
	key_definition definition = {.owner = defined->owner,
				     .name = defined->name,
				     .name_length = defined->name_length,
				     .flags = defined->flags,
				     .object_size = defined->object_size,
				     .source_file = defined->source_file,
				     .source_file_length = defined->source_file_length,
				     .source_line = defined->source_line,
				     .since = defined->counter};

	/* Without memory for it, the key counts as one that nobody named. */
	(void)define(recorder, defined->kind == MESSAGE_DEFINE_METHOD ? SUBJECT_METHOD : SUBJECT_CLASS, defined->key,
		     &definition);
}

/* Defines a key that no message defined: by the client's function, or by a name made from the key. */
static int define_unknown(mprof_recorder *recorder, key_subject subject, mprof_key key)
{
	mprof_description description;
	key_definition definition = {0};
	char made_up[40];
	int is_none = key == key_for_none(recorder->keys_are_ids);

	mprof_description_init(&description, sizeof(description));
	if (is_none || recorder->resolve[subject] == NULL ||
	    recorder->resolve[subject](recorder->resolve_user, key, &description) != 0 || description.name == NULL ||
	    !recorder_name_is_writable(recorder, description.name, description.name_length)) {
		recorder->unresolved_keys++;
		mprof_description_init(&description, sizeof(description));
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
	    recorder_name_is_writable(recorder, description.source_file, description.source_file_length)) {
		definition.source_file = description.source_file;
		definition.source_file_length = description.source_file_length;
		definition.source_line = description.source_line;
	}
	return define(recorder, subject, key, &definition);
}

static void write_class(mprof_recorder *recorder, const key_version *version)
{
	const key_definition *said = &version->said;
	mprof_class_definition definition = {.struct_size = sizeof(mprof_class_definition),
					     .id = version->id,
					     .name = said->name,
					     .name_length = said->name_length,
					     .size = said->object_size};
	const uint64_t *element = hash_map_get(&recorder->elements, said->owner);

	if (said->owner != 0 && element != NULL)
		definition.assembly_id = (uint32_t)*element;
	recorder_note_status(recorder, mprof_writer_define_class(recorder->writer, &definition));
}

/*
 * The class of methods that have none, where there must be one: Mono's own decoder ends when it comes to print one
 * without. Its ID is of the table's, not of a key; IDs that the client chose leave no room for it.
 */
static uint32_t no_class(mprof_recorder *recorder)
{
	static const char name[] = "(no class)";
	mprof_class_definition definition = {
		.struct_size = sizeof(mprof_class_definition), .name = name, .name_length = sizeof(name) - 1};

	if (!recorder->methods_need_class || recorder->keys_are_ids)
		return 0;
	if (recorder->no_class_id == 0) {
		definition.id = recorder->no_class_id = recorder->keys[SUBJECT_CLASS].next_id++;
		recorder_note_status(recorder, mprof_writer_define_class(recorder->writer, &definition));
	}
	return recorder->no_class_id;
}

static void write_method(mprof_recorder *recorder, const key_version *version, uint32_t class_id)
{
	mprof_method_definition definition = {.struct_size = sizeof(mprof_method_definition),
					      .id = version->id,
					      .class_id = class_id,
					      .flags = version->said.flags,
					      .name = version->said.name,
					      .name_length = version->said.name_length,
					      .source_file = version->said.source_file,
					      .source_file_length = version->said.source_file_length,
					      .source_line = version->said.source_line};

	recorder_note_status(recorder, mprof_writer_define_method(recorder->writer, &definition));
}

/* A key without an ID yet, or with several versions. Returns 0 only for want of memory. */
static uint32_t find_id(mprof_recorder *recorder, key_subject subject, mprof_key key, uint64_t counter)
{
	key_table *table = &recorder->keys[subject];
	key_entry *entry = key_table_find(table, key);
	key_version *version;
	uint32_t class_id = 0;

	if (entry == NULL || entry->version == 0) {
		if (!define_unknown(recorder, subject, key))
			return 0;
		entry = key_table_find(table, key);
	}
	version = key_table_version(table, entry, counter);
	if (version->id != 0)
		return version->id;
	if (subject == SUBJECT_METHOD && key_is_valid(version->said.owner, recorder->keys_are_ids))
		class_id = recorder_class_id(recorder, version->said.owner, counter);
	else if (subject == SUBJECT_METHOD)
		class_id = no_class(recorder);
	key_table_assign(table, entry, version);
	if (subject == SUBJECT_METHOD)
		write_method(recorder, version, class_id);
	else
		write_class(recorder, version);
	key_table_forget_name(table, version);
	return version->id;
}

static uint32_t id_of(mprof_recorder *recorder, key_subject subject, mprof_key key, uint64_t counter)
{
	const key_entry *entry;

	if (!key_is_valid(key, recorder->keys_are_ids))
		key = key_for_none(recorder->keys_are_ids);
	entry = key_table_find(&recorder->keys[subject], key);
	if (entry != NULL && entry->id != 0)
		return entry->id;
	return find_id(recorder, subject, key, counter);
}

uint32_t recorder_method_id(mprof_recorder *recorder, mprof_key key, uint64_t counter)
{
	return id_of(recorder, SUBJECT_METHOD, key, counter);
}

uint32_t recorder_class_id(mprof_recorder *recorder, mprof_key key, uint64_t counter)
{
	return id_of(recorder, SUBJECT_CLASS, key, counter);
}
