/* SPDX-License-Identifier: MIT */
/* Finds the types of events that have a meaning, and reads their arguments. */
#include "model/records/meanings.h"

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

void meanings_init(meanings *all, const mprof_allocator *allocator)
{
	id_map_init(&all->types, allocator);
}

void meanings_destroy(meanings *all)
{
	id_map_destroy(&all->types);
}

/* What events of a type are, which is looked up once. Returns 0 if there is no memory. */
static int find_type(meanings *all, const mprof_reader *reader, uint32_t id, meaning_type *type)
{
	const uint32_t known = id_map_get(&all->types, id);
	mprof_record record;

	*type = known != 0 ? (meaning_type)(known - 1) : MEANING_NOTHING;
	if (known != 0 ||
	    mprof_reader_lookup_record(reader, MPROF_RECORD_TYPE, id, &record, sizeof(record)) != MPROF_OK)
		return 1;
	for (meaning_type found = MEANING_NOTHING + 1; found < MEANING_TYPE_COUNT; found++) {
		if (strcmp(record.as.type.name, type_names[found]) == 0)
			*type = found;
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
