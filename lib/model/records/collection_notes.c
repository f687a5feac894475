/* SPDX-License-Identifier: MIT */
/* Reads the events that name collections and their phases. */
#include "model/records/collection_notes.h"

#include "base/allocator.h"
#include "base/checked.h"

#include <string.h>

/* What events of a type are. */
typedef enum note_type { NOTE_NOTHING, NOTE_COLLECTION, NOTE_PHASE } note_type;

/* The arguments of an event that have a meaning. */
typedef struct note_facts {
	uint64_t collection;
	uint64_t duration;
	int is_pause;
	const char *name; /* Not NUL-terminated; NULL if the event has none, as the next one. */
	size_t name_length;
	const char *cause;
	size_t cause_length;
} note_facts;

void collection_notes_init(collection_notes *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	all->allocator = *allocator;
	id_map_init(&all->types, allocator);
	hash_map_init(&all->indices, allocator);
}

static void release_text(const collection_notes *all, char *text)
{
	if (text != NULL)
		allocator_release(&all->allocator, text, strlen(text) + 1);
}

void collection_notes_destroy(collection_notes *all)
{
	for (size_t i = 0; i < all->count; i++) {
		release_text(all, all->notes[i].name);
		release_text(all, all->notes[i].cause);
	}
	allocator_release(&all->allocator, all->notes, all->capacity * sizeof(*all->notes));
	id_map_destroy(&all->types);
	hash_map_destroy(&all->indices);
}

/* What events of a type are, which is looked up once. Returns 0 if there is no memory. */
static int find_type(collection_notes *all, const mprof_reader *reader, uint32_t id, note_type *type)
{
	const uint32_t known = id_map_get(&all->types, id);
	mprof_record record;

	*type = known != 0 ? (note_type)(known - 1) : NOTE_NOTHING;
	if (known != 0 ||
	    mprof_reader_lookup_record(reader, MPROF_RECORD_TYPE, id, &record, sizeof(record)) != MPROF_OK)
		return 1;
	if (strcmp(record.as.type.name, "mprof.gc") == 0)
		*type = NOTE_COLLECTION;
	else if (strcmp(record.as.type.name, "mprof.gc.phase") == 0)
		*type = NOTE_PHASE;
	return id_map_put(&all->types, id, (uint32_t)*type + 1);
}

/* A text in the event, or one that the log defines. */
static void take_text(const mprof_reader *reader, const mprof_argument_record *argument,
		      const mprof_argument_value *value, const char **text, size_t *length)
{
	mprof_record record;

	if (argument->kind == MPROF_ARGUMENT_TEXT && value->bytes != NULL) {
		*text = (const char *)value->bytes;
		*length = value->length;
	} else if (argument->kind == MPROF_ARGUMENT_TEXT_ID && value->number <= UINT32_MAX &&
		   mprof_reader_lookup_record(reader, MPROF_RECORD_TEXT, (uint32_t)value->number, &record,
					      sizeof(record)) == MPROF_OK) {
		*text = record.as.text.text;
		*length = strlen(record.as.text.text);
	}
}

static void take_argument(const mprof_reader *reader, const mprof_argument_record *argument,
			  const mprof_argument_value *value, note_facts *facts)
{
	if (argument->role == MPROF_ROLE_DURATION)
		facts->duration = value->number;
	else if (strcmp(argument->name, "collection") == 0)
		facts->collection = value->number;
	else if (strcmp(argument->name, "is_pause") == 0)
		facts->is_pause = value->number != 0;
	else if (strcmp(argument->name, "collector") == 0)
		take_text(reader, argument, value, &facts->name, &facts->name_length);
	else if (strcmp(argument->name, "cause") == 0)
		take_text(reader, argument, value, &facts->cause, &facts->cause_length);
}

static void take_arguments(const mprof_reader *reader, const mprof_event *event, note_facts *facts)
{
	mprof_record type;
	size_t position = 0;

	if (mprof_reader_lookup_record(reader, MPROF_RECORD_TYPE, event->id, &type, sizeof(type)) != MPROF_OK)
		return;
	for (uint32_t i = 0; i < type.as.type.argument_count; i++) {
		mprof_argument_value value;
		mprof_record argument;

		if (mprof_reader_lookup_record(reader, MPROF_RECORD_ARGUMENT, type.as.type.first_argument + i,
					       &argument, sizeof(argument)) != MPROF_OK ||
		    mprof_argument_decode(event->more.detail, argument.as.argument.encoding, &position, &value) != 1)
			return;
		take_argument(reader, &argument.as.argument, &value, facts);
	}
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

/* Keeps a text unless there is one. Returns 0 if there is no memory. */
static int keep_text(const collection_notes *all, char **kept, const char *text, size_t length)
{
	if (text == NULL || length == 0 || *kept != NULL || memchr(text, '\0', length) != NULL)
		return 1;
	*kept = allocator_allocate(&all->allocator, length + 1);
	if (*kept == NULL)
		return 0;
	memcpy(*kept, text, length);
	(*kept)[length] = '\0';
	return 1;
}

int collection_notes_add(collection_notes *all, const mprof_reader *reader, const mprof_event *event)
{
	note_facts facts = {.collection = 0};
	collection_note *note;
	note_type type;

	if (!find_type(all, reader, event->id, &type))
		return 0;
	if (type == NOTE_NOTHING || event->more.detail == NULL)
		return 1;
	take_arguments(reader, event, &facts);
	if (facts.collection == 0)
		return 1;
	note = note_of(all, facts.collection);
	if (note == NULL)
		return 0;
	if (type == NOTE_PHASE) {
		note->has_phases = 1;
		note->pause += facts.is_pause ? facts.duration : 0;
		return 1;
	}
	return keep_text(all, &note->name, facts.name, facts.name_length) &&
	       keep_text(all, &note->cause, facts.cause, facts.cause_length);
}

const collection_note *collection_notes_find(const collection_notes *all, uint64_t number)
{
	const uint64_t *index = hash_map_get(&all->indices, number);

	return index != NULL ? &all->notes[*index] : NULL;
}
