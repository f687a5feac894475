/* SPDX-License-Identifier: MIT */
/* Reads the arguments of events that have a meaning, and counts what they state. */
#include "model/records/meanings.h"

#include "base/allocator.h"
#include "model/records/lists.h"

#include <string.h>

static const char *const type_names[MEANING_TYPE_COUNT] = {
	[MEANING_GC] = "mprof.gc",
	[MEANING_GC_PHASE] = "mprof.gc.phase",
	[MEANING_GC_GENERATION] = "mprof.gc.generation",
	[MEANING_LOG] = "mprof.log",
	[MEANING_WAIT] = "mprof.wait",
	[MEANING_THREAD_STATE] = "mprof.thread.state",
	[MEANING_EXCEPTION] = "mprof.exception",
};

/* How an argument is found: by its role, or by its name. */
typedef struct argument_rule {
	const char *name;
	uint32_t role; /* 0: none. */
} argument_rule;

static const argument_rule numbers[MEANING_NUMBER_COUNT] = {
	[MEANING_COLLECTION] = {"collection", 0},
	[MEANING_IS_PAUSE] = {"is_pause", 0},
	[MEANING_DURATION] = {"", MPROF_ROLE_DURATION},
	[MEANING_BEFORE] = {"before", 0},
	[MEANING_AFTER] = {"after", 0},
	[MEANING_CAPACITY] = {"capacity", 0},
	[MEANING_PINNED_OBJECTS] = {"pinned_objects", 0},
	[MEANING_PINNED_BYTES] = {"pinned_bytes", 0},
	[MEANING_SEVERITY] = {"severity", MPROF_ROLE_SEVERITY},
	[MEANING_STACK] = {"", MPROF_ROLE_STACK},
	[MEANING_PRIORITY] = {"priority", 0},
	[MEANING_CLASS] = {"class", 0},
};

static const argument_rule texts[MEANING_TEXT_COUNT] = {
	[MEANING_NAME] = {"", MPROF_ROLE_NAME}, [MEANING_COLLECTOR] = {"collector", 0},
	[MEANING_CAUSE] = {"cause", 0},         [MEANING_GENERATION] = {"generation", 0},
	[MEANING_SOURCE] = {"source", 0},       [MEANING_MESSAGE] = {"text", MPROF_ROLE_MESSAGE},
	[MEANING_KIND] = {"kind", 0},           [MEANING_STATE] = {"state", 0},
};

meaning_type meaning_of_type(const mprof_reader *reader, uint32_t id)
{
	mprof_record record;

	if (mprof_reader_lookup_record(reader, MPROF_RECORD_TYPE, id, &record, sizeof(record)) != MPROF_OK)
		return MEANING_TYPE_COUNT;
	for (meaning_type found = MEANING_NOTHING + 1; found < MEANING_TYPE_COUNT; found++) {
		if (strcmp(record.as.type.name, type_names[found]) == 0)
			return found;
	}
	return MEANING_NOTHING;
}

/* What events of a type are, which is looked up once. Returns 0 if there is no memory. */
static int find_type(meanings *all, const mprof_reader *reader, uint32_t id, meaning_type *type)
{
	const uint32_t known = id_map_get(&all->types, id);

	*type = known != 0 ? (meaning_type)(known - 1) : meaning_of_type(reader, id);
	if (known != 0)
		return 1;
	if (*type == MEANING_TYPE_COUNT) {
		*type = MEANING_NOTHING;
		return 1;
	}
	return id_map_put(&all->types, id, (uint32_t)*type + 1);
}

/* The index of the rule that an argument meets, or \p count. */
static size_t find_rule(const argument_rule *rules, size_t count, const mprof_argument_record *argument)
{
	size_t index = 0;

	while (index < count && (rules[index].role == 0 || rules[index].role != argument->role) &&
	       (rules[index].name[0] == '\0' || strcmp(rules[index].name, argument->name) != 0))
		index++;
	return index;
}

/* A text in the event, or one that the log defines. */
static void take_text(const mprof_reader *reader, const mprof_argument_record *argument,
		      const mprof_argument_value *value, meaning_event *known)
{
	const size_t text = find_rule(texts, MEANING_TEXT_COUNT, argument);
	mprof_record record;

	if (text == MEANING_TEXT_COUNT)
		return;
	if (argument->kind == MPROF_ARGUMENT_TEXT && value->bytes != NULL) {
		known->texts[text] = (const char *)value->bytes;
		known->lengths[text] = value->length;
	} else if (argument->kind == MPROF_ARGUMENT_TEXT_ID && value->number <= UINT32_MAX &&
		   mprof_reader_lookup_record(reader, MPROF_RECORD_TEXT, (uint32_t)value->number, &record,
					      sizeof(record)) == MPROF_OK) {
		known->texts[text] = record.as.text.text;
		known->lengths[text] = strlen(record.as.text.text);
	}
}

/* Bytes, doubles and negative numbers have no meaning. */
static void take_number(const mprof_argument_record *argument, const mprof_argument_value *value, meaning_event *known)
{
	const size_t number = find_rule(numbers, MEANING_NUMBER_COUNT, argument);

	if (number == MEANING_NUMBER_COUNT || argument->encoding == MPROF_ENCODING_BYTES ||
	    argument->kind == MPROF_ARGUMENT_DOUBLE ||
	    (argument->encoding == MPROF_ENCODING_SIGNED && value->number > INT64_MAX))
		return;
	known->numbers[number] = value->number;
	known->has_numbers |= UINT32_C(1) << number;
}

int meanings_read(meanings *all, const mprof_reader *reader, const mprof_event *event, meaning_event *known)
{
	mprof_record type;
	size_t position = 0;

	memset(known, 0, sizeof(*known));
	if (!find_type(all, reader, event->id, &known->type))
		return 0;
	if (known->type == MEANING_NOTHING || event->more.detail == NULL ||
	    mprof_reader_lookup_record(reader, MPROF_RECORD_TYPE, event->id, &type, sizeof(type)) != MPROF_OK)
		return 1;
	known->form = type.as.type.form;
	for (uint32_t i = 0; i < type.as.type.argument_count; i++) {
		mprof_argument_value value;
		mprof_record argument;

		if (mprof_reader_lookup_record(reader, MPROF_RECORD_ARGUMENT, type.as.type.first_argument + i,
					       &argument, sizeof(argument)) != MPROF_OK ||
		    mprof_argument_decode(event->more.detail, argument.as.argument.encoding, &position, &value) != 1)
			return 1;
		take_text(reader, &argument.as.argument, &value, known);
		take_number(&argument.as.argument, &value, known);
	}
	return 1;
}

void meaning_event_copy(const meaning_event *known, meaning_text text, char copy[MEANING_TEXT_ROOM])
{
	const size_t length = known->texts[text] != NULL ? strnlen(known->texts[text], known->lengths[text]) : 0;
	size_t taken = length < MEANING_TEXT_ROOM ? length : MEANING_TEXT_ROOM - 1;

	/* Not in the middle of a character: bytes after its first one are 10xxxxxx. */
	while (taken > 0 && taken < length && ((unsigned char)known->texts[text][taken] & 0xc0) == 0x80)
		taken--;
	if (taken > 0)
		memcpy(copy, known->texts[text], taken);
	copy[taken] = '\0';
}

/*
 * Records that are found by a number and texts.
 */

/* Of the number and the texts by which a record is found, not of further ones. */
static uint64_t hash_of(const text_records *all, const text_key *key)
{
	uint64_t hash = hash_key(all->numbers.seed, key->number);

	for (size_t i = 0; i < all->key_texts; i++)
		hash = hash_mix_text(hash, key->texts[i]) + 1;
	return hash;
}

static uint64_t slot_hash(const void *owner, const void *slot)
{
	return hash_of(owner, text_records_at(owner, *(const uint32_t *)slot - 1));
}

static int slot_matches(const void *owner, const void *slot, const void *searched)
{
	const uint32_t position = *(const uint32_t *)slot;
	const text_records *all = owner;
	const text_key *wanted = searched;
	const text_key *key;
	int is_same;

	if (position == 0)
		return 0;
	key = text_records_at(all, position - 1);
	is_same = key->number == wanted->number;
	for (size_t i = 0; is_same && i < all->key_texts; i++)
		is_same = strcmp(key->texts[i], wanted->texts[i]) == 0;
	return is_same;
}

static const hash_index_type slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 16,
	.used_eighths = 4,
	.is_used = hash_index_has_position,
	.hash = slot_hash,
};

/* \p key_texts: texts of the key; \p limit: what more records would have is counted together. */
static void text_records_init(text_records *all, memory_budget *budget, size_t size, size_t key_texts, size_t limit)
{
	memset(all, 0, sizeof(*all));
	all->budget = budget;
	all->size = size;
	all->key_texts = key_texts;
	all->limit = limit;
	hash_index_init(&all->numbers, &budget->paths);
}

static void release_texts(const mprof_allocator *allocator, const text_key *key)
{
	for (size_t i = 0; i < TEXT_KEY_TEXTS; i++)
		text_release(allocator, key->texts[i]);
}

static void text_records_destroy(text_records *all)
{
	for (size_t i = 0; i < all->count; i++)
		release_texts(&all->budget->allocator, text_records_at(all, i));
	allocator_release(&all->budget->allocator, all->records, all->capacity * all->size);
	hash_index_destroy(&all->numbers, &slots);
}

/* Copies a key and its texts; of those that follow the key, "" is NULL. Returns 0 and keeps nothing without memory. */
static int copy_texts(const text_records *all, const mprof_allocator *allocator, text_key *copy, const text_key *key)
{
	int is_copied = 1;

	*copy = (text_key){.number = key->number, .is_rest = key->is_rest};
	for (size_t i = 0; i < TEXT_KEY_TEXTS && is_copied; i++) {
		if (key->texts[i] == NULL || (i >= all->key_texts && key->texts[i][0] == '\0'))
			continue;
		copy->texts[i] = text_copy(allocator, key->texts[i]);
		is_copied = copy->texts[i] != NULL;
	}
	if (!is_copied)
		release_texts(allocator, copy);
	return is_copied;
}

/* Returns the number of the new record plus 1, or 0 if \p allocator has no memory. */
static uint32_t add_record(text_records *all, const mprof_allocator *allocator, const text_key *key)
{
	void *records = all->records;
	const int is_reserved = array_reserve(allocator, &records, &all->capacity, all->count + 1, all->size);
	text_key copy;

	all->records = records;
	if (!is_reserved || !copy_texts(all, allocator, &copy, key))
		return 0;
	memset(all->records + all->count * all->size, 0, all->size);
	memcpy(all->records + all->count * all->size, &copy, sizeof(copy));
	return (uint32_t)++all->count;
}

/*
 * Finds or adds the record of a key. Returns its number plus 1: that of the record of the rest if there are too many,
 * or if the budget has no room for one more; 0 if there is no memory.
 */
static uint32_t find_record(text_records *all, const text_key *wanted)
{
	const uint64_t hash = hash_of(all, wanted);
	const uint32_t *slot = hash_index_find(&all->numbers, &slots, hash, slot_matches, all, wanted);
	uint32_t number = 0;

	if (slot != NULL)
		return *slot;
	if (all->count < all->limit && hash_index_reserve(&all->numbers, &slots, all))
		number = add_record(all, &all->budget->paths, wanted);
	if (number != 0) {
		*(uint32_t *)hash_index_take_slot(&all->numbers, &slots, hash) = number;
		return number;
	}
	if (all->rest == 0) {
		text_key rest = {.is_rest = 1};

		for (size_t i = all->key_texts; i < TEXT_KEY_TEXTS; i++)
			rest.texts[i] = wanted->texts[i];
		all->rest = add_record(all, &all->budget->allocator, &rest);
	}
	return all->rest;
}

/*
 * Messages.
 */

/* More sources are no list that somebody reads: their messages are counted together. */
#define MAX_MESSAGES 4096

/* Fatal. Others are not known. */
#define MAX_SEVERITY 6

int meanings_add_message(meanings *all, const meaning_event *known, uint64_t counter, uint64_t thread)
{
	char source[MEANING_TEXT_ROOM];
	char text[MEANING_TEXT_ROOM];
	text_key wanted = {.texts = {source, text}};
	message_record *record;
	uint32_t number;

	meaning_event_copy(known, MEANING_SOURCE, source);
	meaning_event_copy(known, MEANING_MESSAGE, text);
	if (known->numbers[MEANING_SEVERITY] <= MAX_SEVERITY)
		wanted.number = known->numbers[MEANING_SEVERITY];
	number = find_record(&all->messages, &wanted);
	if (number == 0)
		return 0;
	record = text_records_at(&all->messages, number - 1);
	/* Blocks of several threads are in no order of time. */
	if (record->count == 0 || counter < record->first) {
		record->first = counter;
		record->thread = thread;
	}
	if (record->count == 0 || counter > record->last)
		record->last = counter;
	record->count++;
	return 1;
}

/*
 * Waits.
 */

/* The waits of more call sites are counted together. */
#define MAX_WAITS 65536

void wait_list_init(wait_list *all, memory_budget *budget)
{
	text_records_init(&all->records, budget, sizeof(wait_record), 2, MAX_WAITS);
	call_durations_init(&all->durations, budget, 0);
}

void wait_list_destroy(wait_list *all)
{
	text_records_destroy(&all->records);
	call_durations_destroy(&all->durations);
}

uint32_t wait_list_find(wait_list *all, const meaning_event *known, uint32_t call, uint32_t counts)
{
	char kind[MEANING_TEXT_ROOM];
	char name[MEANING_TEXT_ROOM];
	text_key wanted = {.texts = {kind, name}};
	uint32_t number;

	meaning_event_copy(known, MEANING_KIND, kind);
	meaning_event_copy(known, MEANING_NAME, name);
	if (known->numbers[MEANING_STACK] <= UINT32_MAX)
		wanted.number = known->numbers[MEANING_STACK] << 32;
	if (wanted.number == 0)
		wanted.number = call;
	number = find_record(&all->records, &wanted);
	if (number != 0)
		wait_list_at(all, number - 1)->begun += counts;
	return number;
}

int wait_list_end(wait_list *all, uint32_t number, uint64_t duration, uint32_t counts)
{
	wait_list_at(all, number - 1)->ended += counts;
	(void)call_durations_add(&all->durations, number, duration);
	return !all->durations.has_failed;
}

/*
 * States of threads.
 */

/* More states are counted together: a text that differs from event to event is no state. */
#define MAX_STATES 65536

static thread_state_record *state_at(const meanings *all, size_t index)
{
	return text_records_at(&all->states, index);
}

/* A thread that is seen in one state after another gives its time to the former. */
static void pass_time(meanings *all, const thread_state *now, uint64_t clamped)
{
	if (now->number != 0 && (int64_t)(clamped - now->since) > 0)
		state_at(all, now->number - 1)->ended += clamped - now->since;
}

int meanings_change_state(meanings *all, thread_state *now, const meaning_event *known, uint64_t thread,
			  uint64_t clamped, uint32_t counts)
{
	const int has_state = known->texts[MEANING_STATE] != NULL;
	char state[MEANING_TEXT_ROOM];
	thread_state_record *record;

	if (meaning_event_has(known, MEANING_PRIORITY)) {
		now->has_priority = 1;
		now->priority = known->numbers[MEANING_PRIORITY];
	}
	/* One that states only a priority begins no state, unless nothing is known of the thread. */
	if (has_state || now->number == 0) {
		uint32_t number;

		meaning_event_copy(known, MEANING_STATE, state);
		number = find_record(&all->states, &(text_key){.number = thread, .texts = {state}});
		if (number == 0)
			return 0;
		pass_time(all, now, clamped);
		now->number = number;
		now->since = clamped;
		now->is_known = state[0] != '\0';
		now->is_running = strcmp(state, "running") == 0;
		state_at(all, number - 1)->count += counts;
	}
	record = state_at(all, now->number - 1);
	if (now->has_priority && counts && !record->key.is_rest) {
		record->has_priority = 1;
		record->priority = now->priority;
	}
	return 1;
}

void meanings_end_state(meanings *all, thread_state *now, uint64_t clamped)
{
	pass_time(all, now, clamped);
	memset(now, 0, sizeof(*now));
}

void meanings_begin_show(meanings *all)
{
	for (size_t i = 0; i < all->states.count; i++)
		state_at(all, i)->open = 0;
}

void meanings_show_state(meanings *all, const thread_state *now, uint64_t clamped)
{
	if (now->number != 0 && (int64_t)(clamped - now->since) > 0)
		state_at(all, now->number - 1)->open += clamped - now->since;
}

/*
 * Texts of exceptions.
 */

static void init_exceptions(exception_texts *all, memory_budget *budget)
{
	all->budget = budget;
	record_table_init(&all->records, &budget->allocator, sizeof(exception_text));
}

static void destroy_exceptions(exception_texts *all)
{
	for (size_t i = 0; i < all->records.count; i++) {
		exception_text *record = record_table_at(&all->records, i);

		text_release(&all->budget->allocator, record->text);
	}
	record_table_destroy(&all->records);
}

int exception_texts_add(exception_texts *all, uint32_t number, const char *text, uint64_t counter)
{
	exception_text *record = record_table_get(&all->records, number);
	char *copy;

	if (record == NULL)
		return 0;
	/* Blocks of several threads are in no order of time. */
	if (record->count > 0 && counter < record->counter) {
		record->count++;
		return 1;
	}
	copy = text_copy(&all->budget->paths, text);
	if (copy == NULL && !memory_budget_is_exceeded(all->budget))
		return 0;
	text_release(&all->budget->allocator, record->text);
	record->text = copy;
	record->counter = counter;
	record->count++;
	return 1;
}

/*
 * Collections.
 */

static void init_notes(collection_notes *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	all->allocator = *allocator;
	hash_map_init(&all->indices, allocator);
}

static void destroy_notes(collection_notes *all)
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

void meanings_init(meanings *all, memory_budget *budget)
{
	id_map_init(&all->types, &budget->allocator);
	text_records_init(&all->messages, budget, sizeof(message_record), 1, MAX_MESSAGES);
	text_records_init(&all->states, budget, sizeof(thread_state_record), 1, MAX_STATES);
	init_exceptions(&all->class_texts, budget);
	init_exceptions(&all->site_texts, budget);
	init_notes(&all->collections, &budget->allocator);
}

void meanings_destroy(meanings *all)
{
	id_map_destroy(&all->types);
	text_records_destroy(&all->messages);
	text_records_destroy(&all->states);
	destroy_exceptions(&all->class_texts);
	destroy_exceptions(&all->site_texts);
	destroy_notes(&all->collections);
}
