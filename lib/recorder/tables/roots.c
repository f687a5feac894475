/* SPDX-License-Identifier: MIT */
/* Keeps the areas of roots sorted, and writes them when a heap snapshot refers to one. */
#include "recorder/tables/roots.h"

#include "base/allocator.h"
#include "base/sort.h"

#include <string.h>

/* Changes are merged when there are more than this, and more than sorted areas. */
#define MAX_CHANGES 1024

/* Maximum number of areas in one block. */
#define AREAS_IN_BLOCK 64

static void release_entry(const mprof_allocator *allocator, root_entry *entry)
{
	if (entry->name != NULL)
		allocator_release(allocator, entry->name, strlen(entry->name) + 1);
	entry->name = NULL;
}

/* Roots with different names, in the log and in memory as long as the recorder exists. */
#define MAX_NAMED 65536

static uint64_t named_slot_hash(const void *owner, const void *slot)
{
	return ((const root_table *)owner)->named[*(const uint32_t *)slot - 1].hash;
}

static int named_slot_matches(const void *owner, const void *slot, const void *key)
{
	const uint32_t position = *(const uint32_t *)slot;
	const named_root *wanted = key;
	const named_root *found;

	if (position == 0)
		return 0;
	found = &((const root_table *)owner)->named[position - 1];
	return found->hash == wanted->hash && found->kind == wanted->kind && found->length == wanted->length &&
	       memcmp(found->name, wanted->name, wanted->length) == 0;
}

static const hash_index_type named_slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 64,
	.used_eighths = 6,
	.is_used = hash_index_has_position,
	.hash = named_slot_hash,
};

void root_table_init(root_table *roots, const mprof_allocator *allocator, recorder_keys *keys)
{
	memset(roots, 0, sizeof(*roots));
	roots->allocator = *allocator;
	roots->keys = keys;
	hash_index_init(&roots->names, allocator);
}

void root_table_destroy(root_table *roots)
{
	if (roots->keys == NULL)
		return;
	for (size_t i = 0; i < roots->count; i++)
		release_entry(&roots->allocator, &roots->entries[i]);
	allocator_release(&roots->allocator, roots->entries, roots->capacity * sizeof(*roots->entries));
	for (size_t i = 0; i < roots->named_count; i++)
		allocator_release(&roots->allocator, roots->named[i].name, roots->named[i].length);
	allocator_release(&roots->allocator, roots->named, roots->named_capacity * sizeof(*roots->named));
	hash_index_destroy(&roots->names, &named_slots);
	memset(roots, 0, sizeof(*roots));
}

static int compare_roots(const void *a, const void *b)
{
	const root_entry *left = a;
	const root_entry *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return left->order < right->order ? -1 : 1;
}

/*
 * Merges the changes. Of changes with the same start the last one counts. Unregistered areas are kept for snapshots
 * that were taken before.
 */
static void sort_changes(root_table *roots)
{
	const mprof_allocator *allocator = &roots->allocator;
	size_t kept = 0;

	if (roots->sorted == roots->count)
		return;
	for (size_t i = 0; i < roots->count; i++)
		roots->entries[i].order = (uint32_t)i;
	sort_in_place(roots->entries, roots->count, sizeof(*roots->entries), compare_roots);
	for (size_t i = 0; i < roots->count; i++) {
		root_entry *entry = &roots->entries[i];
		root_entry *before = kept > 0 ? &roots->entries[kept - 1] : NULL;

		if (before == NULL || before->start != entry->start) {
			roots->entries[kept++] = *entry;
		} else if (entry->is_gone) {
			before->is_gone = 1;
			before->gone = entry->counter;
			release_entry(allocator, entry);
		} else {
			release_entry(allocator, before);
			*before = *entry;
		}
	}
	roots->count = kept;
	roots->sorted = kept;
	roots->has_gone = 1;
}

static void sort_many_changes(root_table *roots)
{
	if (roots->count - roots->sorted > MAX_CHANGES && roots->count - roots->sorted > roots->sorted)
		sort_changes(roots);
}

/* Adds an entry with a copy of the name. Returns NULL if there is no memory. */
static const root_entry *add_entry(root_table *roots, const root_entry *added, const char *name)
{
	void *entries = roots->entries;
	root_entry *entry;

	if (!array_reserve(&roots->allocator, &entries, &roots->capacity, roots->count + 1, sizeof(*roots->entries)))
		return NULL;
	roots->entries = entries;
	entry = &roots->entries[roots->count++];
	*entry = *added;
	entry->name = NULL;
	if (name[0] != '\0') {
		size_t size = strlen(name) + 1;

		entry->name = allocator_allocate(&roots->allocator, size);
		if (entry->name != NULL)
			memcpy(entry->name, name, size);
	}
	return entry;
}

static void journal_change(root_table *roots, const root_entry *entry)
{
	const char *name = entry->name != NULL ? entry->name : "";
	const journal_root stored = {
		.entry = {.kind = JOURNAL_ROOT, .key = entry->start, .id = entry->id, .flags = entry->kind},
		.size = entry->size,
		.thread = entry->thread,
		.class_key = entry->class_key,
		.counter = entry->counter,
		.gone = entry->gone,
		.is_gone = entry->is_gone,
		.name_length = (uint32_t)strlen(name)};

	salvage_journal_append_root(&roots->keys->journal, &stored, name);
}

static int recover_area(root_table *roots, const journal_root *stored)
{
	const root_entry entry = {.start = stored->entry.key,
				  .size = stored->size,
				  .thread = stored->thread,
				  .class_key = stored->class_key,
				  .counter = stored->counter,
				  .kind = stored->entry.flags,
				  .id = stored->entry.id,
				  .is_gone = stored->is_gone != 0,
				  .gone = stored->gone};

	/* The recorder refuses other kinds. */
	if (entry.kind > MPROF_ROOT_GLOBAL)
		return 1;
	if (add_entry(roots, &entry, stored->name) == NULL)
		return 0;
	sort_many_changes(roots);
	return 1;
}

/* When the ID was assigned, the changes were sorted. */
static void recover_id(root_table *roots, const journal_entry *stored)
{
	size_t low = 0;
	size_t high;

	sort_changes(roots);
	high = roots->sorted;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (roots->entries[middle].start < stored->key)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < roots->sorted && roots->entries[low].start == stored->key)
		roots->entries[low].id = stored->id;
}

int root_table_recover(root_table *roots, const journal_entry *entry)
{
	if (entry->kind == JOURNAL_ROOT)
		return recover_area(roots, (const journal_root *)(const void *)entry);
	if (entry->kind == JOURNAL_ROOT_ID)
		recover_id(roots, entry);
	return 1;
}

void root_table_change(root_table *roots, const message *changed)
{
	const mprof_root_area *area = &changed->more.root;
	const root_entry change = {.start = area->start,
				   .size = area->size,
				   .thread = area->thread,
				   .class_key = area->class_key,
				   .counter = changed->counter,
				   .kind = area->kind,
				   .is_gone = changed->kind == MESSAGE_ROOT_UNREGISTERED};
	const root_entry *entry = add_entry(roots, &change, area->name);

	if (entry == NULL)
		return;
	journal_change(roots, entry);
	sort_many_changes(roots);
}

void root_table_write_journal(root_table *roots)
{
	for (size_t i = 0; i < roots->count; i++)
		journal_change(roots, &roots->entries[i]);
}

void root_table_forget(root_table *roots, uint64_t counter)
{
	size_t kept = 0;
	int has_gone = 0;

	if (!roots->has_gone)
		return;
	for (size_t i = 0; i < roots->sorted; i++) {
		root_entry *entry = &roots->entries[i];

		if (entry->is_gone && (int64_t)(entry->gone - counter) < 0) {
			release_entry(&roots->allocator, entry);
			continue;
		}
		has_gone |= entry->is_gone != 0;
		roots->entries[kept++] = *entry;
	}
	memmove(&roots->entries[kept], &roots->entries[roots->sorted],
		(roots->count - roots->sorted) * sizeof(*roots->entries));
	roots->count -= roots->sorted - kept;
	roots->sorted = kept;
	roots->has_gone = has_gone;
}

/* The sorted area that contained an address at a counter, or NULL. */
static root_entry *find_area(const root_table *roots, uint64_t slot, uint64_t counter)
{
	root_entry *entry;
	size_t low = 0;
	size_t high = roots->sorted;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (roots->entries[middle].start <= slot)
			low = middle + 1;
		else
			high = middle;
	}
	/* An area that was unregistered by then does not hide an earlier one. */
	while (low > 0 && roots->entries[low - 1].is_gone && (int64_t)(counter - roots->entries[low - 1].gone) >= 0)
		low--;
	entry = low > 0 ? &roots->entries[low - 1] : NULL;
	return entry != NULL && slot - entry->start < entry->size ? entry : NULL;
}

/* Assigns IDs to all areas and writes them: if one is used, most are. */
static void write_new_areas(root_table *roots)
{
	recorder_output *output = roots->keys->output;
	mprof_record records[AREAS_IN_BLOCK];
	size_t count = 0;

	for (size_t i = 0; i < roots->sorted; i++) {
		root_entry *entry = &roots->entries[i];

		if (entry->id != 0 || entry->size == 0)
			continue;
		entry->id = ++roots->next_id;
		salvage_journal_append(&roots->keys->journal,
				       &(journal_entry){.kind = JOURNAL_ROOT_ID, .key = entry->start, .id = entry->id});
		records[count] = (mprof_record){.kind = MPROF_RECORD_ROOT,
						.id = entry->id,
						.as.root.kind = entry->kind,
						.as.root.address = entry->start,
						.as.root.size = entry->size,
						.as.root.thread = entry->thread,
						.as.root.name = entry->name};
		if (entry->class_key != 0)
			records[count].as.root.class_id = keys_class_id(roots->keys, entry->class_key, entry->counter);
		if (++count == AREAS_IN_BLOCK) {
			output_write_records(output, MPROF_BLOCK_ROOTS, records, count);
			count = 0;
		}
	}
	output_write_records(output, MPROF_BLOCK_ROOTS, records, count);
}

uint32_t root_table_find_id(root_table *roots, uint64_t slot, uint64_t counter, mprof_root_kind *kind)
{
	const root_entry *entry;

	sort_changes(roots);
	entry = slot != 0 ? find_area(roots, slot, counter) : NULL;
	if (entry == NULL)
		return 0;
	if (entry->id == 0)
		write_new_areas(roots);
	*kind = (mprof_root_kind)entry->kind;
	return entry->id;
}

/* Writes the definition of a root, and keeps it. Returns 0 if there is no memory or no room. */
static uint32_t add_named(root_table *roots, named_root added)
{
	char text[HEAP_NOTE_TEXT + 1];
	mprof_record record = {.kind = MPROF_RECORD_ROOT, .as.root.kind = added.kind, .as.root.name = text};
	void *named = roots->named;
	char *name;
	int is_reserved;

	if (roots->named_count == MAX_NAMED || !output_is_writing(roots->keys->output))
		return 0;
	is_reserved = array_reserve(&roots->allocator, &named, &roots->named_capacity, roots->named_count + 1,
				    sizeof(*roots->named));
	roots->named = named;
	if (!is_reserved || !hash_index_reserve(&roots->names, &named_slots, roots))
		return 0;
	name = allocator_allocate(&roots->allocator, added.length);
	if (name == NULL)
		return 0;
	memcpy(text, added.name, added.length);
	text[added.length] = '\0';
	memcpy(name, added.name, added.length);
	added.name = name;
	added.id = ++roots->next_id;
	record.id = added.id;
	roots->named[roots->named_count++] = added;
	*(uint32_t *)hash_index_take_slot(&roots->names, &named_slots, added.hash) = (uint32_t)roots->named_count;
	output_write_records(roots->keys->output, MPROF_BLOCK_ROOTS, &record, 1);
	return added.id;
}

uint32_t root_table_name_id(root_table *roots, uint32_t kind, const char *name, uint32_t length)
{
	named_root wanted = {roots->names.seed, (char *)(uintptr_t)name, length, kind, 0};
	const uint32_t *slot;

	if (length == 0)
		return 0;
	for (uint32_t i = 0; i < length; i++)
		wanted.hash = hash_mix(wanted.hash, (unsigned char)name[i]);
	wanted.hash = hash_key(wanted.hash, kind);
	slot = hash_index_find(&roots->names, &named_slots, wanted.hash, named_slot_matches, roots, &wanted);
	return slot != NULL ? roots->named[*slot - 1].id : add_named(roots, wanted);
}
