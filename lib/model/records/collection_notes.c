/* SPDX-License-Identifier: MIT */
/* Keeps what events state about collections, their phases and the generations that they changed. */
#include "model/records/collection_notes.h"

#include "base/allocator.h"
#include "base/checked.h"
#include "model/records/lists.h"

#include <string.h>

void collection_notes_init(collection_notes *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	all->allocator = *allocator;
	hash_map_init(&all->indices, allocator);
}

void collection_notes_destroy(collection_notes *all)
{
	for (size_t i = 0; i < all->count; i++) {
		text_release(&all->allocator, all->notes[i].name);
		text_release(&all->allocator, all->notes[i].cause);
	}
	for (size_t i = 0; i < all->generation_count; i++)
		text_release(&all->allocator, all->generations[i].name);
	allocator_release(&all->allocator, all->generations, all->generation_capacity * sizeof(*all->generations));
	allocator_release(&all->allocator, all->notes, all->capacity * sizeof(*all->notes));
	hash_map_destroy(&all->indices);
}

/* The note of a collection, which is added if it has no note yet; NULL without memory. */
static collection_note *note_of(collection_notes *all, uint64_t number)
{
	const uint64_t *index = hash_map_get(&all->indices, number);
	void *notes = all->notes;
	int is_reserved;

	if (index != NULL)
		return &all->notes[*index];
	is_reserved = array_reserve(&all->allocator, &notes, &all->capacity, all->count + 1, sizeof(*all->notes));
	all->notes = notes;
	if (!is_reserved || !hash_map_put(&all->indices, number, all->count))
		return NULL;
	all->notes[all->count] = (collection_note){.name = NULL};
	return &all->notes[all->count++];
}

/* Keeps a text of an event unless there is one. Returns 0 if there is no memory. */
static int keep_text(const collection_notes *all, char **kept, const meaning_event *known, meaning_text text)
{
	char copy[MEANING_TEXT_ROOM];

	meaning_event_copy(known, text, copy);
	if (copy[0] == '\0' || *kept != NULL)
		return 1;
	*kept = text_copy(&all->allocator, copy);
	return *kept != NULL;
}

/* Adds what an event states about a generation. Returns 0 if there is no memory. */
static int add_generation(collection_notes *all, const meaning_event *known)
{
	generation_note added = {.collection = known->numbers[MEANING_COLLECTION],
				 .before = known->numbers[MEANING_BEFORE],
				 .after = known->numbers[MEANING_AFTER],
				 .capacity = known->numbers[MEANING_CAPACITY],
				 .has_before = meaning_event_has(known, MEANING_BEFORE),
				 .has_after = meaning_event_has(known, MEANING_AFTER),
				 .has_capacity = meaning_event_has(known, MEANING_CAPACITY)};
	void *generations = all->generations;
	const int is_reserved = array_reserve(&all->allocator, &generations, &all->generation_capacity,
					      all->generation_count + 1, sizeof(added));

	all->generations = generations;
	if (!is_reserved || !keep_text(all, &added.name, known, MEANING_GENERATION))
		return 0;
	all->generations[all->generation_count++] = added;
	return 1;
}

static int add_collection(const collection_notes *all, collection_note *note, const meaning_event *known)
{
	if (meaning_event_has(known, MEANING_PINNED_OBJECTS) || meaning_event_has(known, MEANING_PINNED_BYTES)) {
		note->has_pinned = 1;
		note->pinned_objects = known->numbers[MEANING_PINNED_OBJECTS];
		note->pinned_bytes = known->numbers[MEANING_PINNED_BYTES];
	}
	return keep_text(all, &note->name, known, MEANING_COLLECTOR) &&
	       keep_text(all, &note->cause, known, MEANING_CAUSE);
}

int collection_notes_add(collection_notes *all, const meaning_event *known)
{
	collection_note *note;

	if (known->numbers[MEANING_COLLECTION] == 0)
		return 1;
	if (known->type == MEANING_GC_GENERATION)
		return add_generation(all, known);
	if (known->type != MEANING_GC && known->type != MEANING_GC_PHASE)
		return 1;
	note = note_of(all, known->numbers[MEANING_COLLECTION]);
	if (note == NULL)
		return 0;
	if (known->type == MEANING_GC)
		return add_collection(all, note, known);
	note->has_phases = 1;
	note->pause += known->numbers[MEANING_IS_PAUSE] != 0 ? known->numbers[MEANING_DURATION] : 0;
	return 1;
}

const collection_note *collection_notes_find(const collection_notes *all, uint64_t number)
{
	const uint64_t *index = hash_map_get(&all->indices, number);

	return index != NULL ? &all->notes[*index] : NULL;
}
