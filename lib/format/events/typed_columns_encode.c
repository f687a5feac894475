/* SPDX-License-Identifier: MIT */
/* Moves events of types to columns. */
#include "format/events/typed_columns_encode.h"

#include "base/allocator.h"
#include "format/events/event_columns.h"
#include "format/values/int_column.h"
#include "format/values/varint.h"

#include <string.h>

/*
 * How the arguments of the types of a log are encoded (doc/format.md, 3.25).
 *
 * It is only a help to store events well: a type that is missing, for lack of memory or because another writer defined
 * it, changes nothing but the size of the log.
 */

void type_shapes_init(type_shapes *shapes, const mprof_allocator *allocator)
{
	memset(shapes, 0, sizeof(*shapes));
	shapes->allocator = *allocator;
}

void type_shapes_destroy(type_shapes *shapes)
{
	allocator_release(&shapes->allocator, shapes->encodings, shapes->encoding_capacity);
	allocator_release(&shapes->allocator, shapes->types, shapes->type_capacity * sizeof(*shapes->types));
}

void type_shapes_add_argument(type_shapes *shapes, uint32_t id, uint32_t encoding)
{
	void *encodings = shapes->encodings;
	int is_reserved;

	if (id != shapes->encoding_count + 1)
		return;
	is_reserved = array_reserve(&shapes->allocator, &encodings, &shapes->encoding_capacity, id, 1);
	shapes->encodings = encodings;
	if (is_reserved)
		shapes->encodings[shapes->encoding_count++] = (uint8_t)encoding;
}

void type_shapes_add_type(type_shapes *shapes, uint32_t id, uint32_t first_argument, uint32_t argument_count)
{
	void *types = shapes->types;
	int is_reserved;

	if (id != shapes->type_count + 1)
		return;
	is_reserved = array_reserve(&shapes->allocator, &types, &shapes->type_capacity, id, sizeof(*shapes->types));
	shapes->types = types;
	if (is_reserved)
		shapes->types[shapes->type_count++] = (type_shape){first_argument, argument_count};
}

/* Returns the number of arguments of a type, and their encodings; -1 if they are not known. */
static int type_shapes_find(const type_shapes *shapes, uint32_t id, const uint8_t **encodings)
{
	const type_shape *shape;

	if (id == 0 || id > shapes->type_count)
		return -1;
	shape = &shapes->types[id - 1];
	if (shape->count == 0)
		return 0;
	if (shape->first == 0 || shape->first > shapes->encoding_count ||
	    shape->count > shapes->encoding_count - (shape->first - 1))
		return -1;
	*encodings = shapes->encodings + shape->first - 1;
	return (int)shape->count;
}

/* An event remains a row. */
#define NO_GROUP UINT16_MAX

/* The most columns of an argument: of lengths, texts and indices. */
#define ARGUMENT_COLUMNS 3

/* The events of a type that has columns. */
typedef struct split_group {
	const uint8_t *encodings;
	uint32_t type;
	uint32_t argument_count;
	uint32_t event_count;
	uint32_t number; /* In the block; NO_GROUP if the type has too few events. */
} split_group;

/* The arguments of a row. Positions are in bytes from the start of the rows. */
typedef struct row_arguments {
	uint64_t time;
	uint32_t next; /* Of the next argument. */
	uint32_t end;
	uint16_t group;
} row_arguments;

/* What is kept in typed_split::memory, in this order. */
typedef struct split_state {
	const typed_source *source;
	uint64_t *times;   /* Also the indices of a dictionary, before. */
	uint64_t *values;  /* Of a column, or the groups. */
	uint64_t *lengths; /* Of the entries of a dictionary. */
	row_arguments *arguments;
	split_group *groups;
	uint32_t *order;  /* The events that become columns, by group. */
	uint32_t *firsts; /* The events that have the first occurrence of each entry of a dictionary. */
	uint64_t *hashes; /* Of the entries. */
	uint8_t *symbols;
	uint8_t *rows;
	size_t group_count;
	size_t moved;       /* Events that become columns. */
	size_t byte_count;  /* Bytes of their arguments. */
	size_t entry_count; /* Entries of all dictionaries. */
} split_state;

/* Takes the next part of the memory; without memory, it only counts. */
static void *take(uint8_t *memory, size_t *used, size_t size)
{
	void *part = memory != NULL ? memory + *used : NULL;

	*used += (size + 7) / 8 * 8;
	return part;
}

/* Divides the memory. Returns how much is needed. */
static size_t divide_memory(split_state *state, uint8_t *memory)
{
	const typed_source *source = state->source;
	const size_t count = source->typed_count;
	size_t used = 0;

	state->times = take(memory, &used, (source->time_count + count) * sizeof(*state->times));
	state->values = take(memory, &used, count * sizeof(*state->values));
	state->lengths = take(memory, &used, count * sizeof(*state->lengths));
	state->arguments = take(memory, &used, count * sizeof(*state->arguments));
	state->groups = take(memory, &used, TYPED_COLUMNS_MAX_GROUPS * sizeof(*state->groups));
	state->order = take(memory, &used, count * sizeof(*state->order));
	state->firsts = take(memory, &used, count * sizeof(*state->firsts));
	state->hashes = take(memory, &used, count * sizeof(*state->hashes));
	state->symbols = take(memory, &used, source->event_count);
	state->rows = take(memory, &used, source->row_length);
	return used;
}

static int reserve_memory(typed_split *split, split_state *state)
{
	const size_t needed = divide_memory(state, NULL);

	if (needed > split->capacity) {
		allocator_release(&split->allocator, split->memory, split->capacity);
		split->capacity = 0;
		split->memory = allocator_allocate(&split->allocator, needed);
		if (split->memory == NULL)
			return 0;
		split->capacity = needed;
	}
	divide_memory(state, split->memory);
	return 1;
}

/* Decodes a varint that has the shortest form. Returns 0 if it has not. */
static int take_number(const uint8_t **cursor, const uint8_t *end, uint64_t *number)
{
	const uint8_t *start = *cursor;
	const uint8_t *next = varint_get(start, end, number);

	if (next == NULL || (size_t)(next - start) != varint_length(*number))
		return 0;
	*cursor = next;
	return 1;
}

/* Whether the bytes are the arguments of a group, neither less nor more, as a reader puts them together. */
static int arguments_fit(const split_group *group, const uint8_t *cursor, const uint8_t *end)
{
	for (uint32_t i = 0; i < group->argument_count; i++) {
		uint64_t number = sizeof(uint64_t);

		if (group->encodings[i] != MPROF_ENCODING_FIXED && !take_number(&cursor, end, &number))
			return 0;
		if (group->encodings[i] < MPROF_ENCODING_FIXED)
			continue;
		if (number > (uint64_t)(end - cursor))
			return 0;
		cursor += number;
	}
	return cursor == end;
}

/* Finds the group of a type, or adds it. Returns NULL if there is no room, or its arguments are not known. */
static split_group *find_group(typed_split *split, split_state *state, uint32_t type)
{
	const uint32_t known = id_map_get(&split->groups_of, type);
	split_group *group = &state->groups[state->group_count];
	int count;

	if (known != 0)
		return &state->groups[known - 1];
	if (state->group_count == TYPED_COLUMNS_MAX_GROUPS)
		return NULL;
	*group = (split_group){.type = type, .number = NO_GROUP};
	count = type_shapes_find(state->source->shapes, type, &group->encodings);
	if (count < 0 || !id_map_put(&split->groups_of, type, (uint32_t)state->group_count + 1))
		return NULL;
	group->argument_count = (uint32_t)count;
	state->group_count++;
	return group;
}

/* Finds the arguments of all rows, and counts the events of each group. */
static void read_rows(typed_split *split, split_state *state)
{
	const typed_source *source = state->source;

	id_map_clear(&split->groups_of);
	for (size_t i = 0; i < source->typed_count; i++) {
		const uint8_t *cursor = source->rows + source->typed[i].start + 1;
		const uint8_t *end = source->rows + source->typed[i].end;
		row_arguments *arguments = &state->arguments[i];
		split_group *group;
		uint64_t type;
		uint64_t length;

		arguments->group = NO_GROUP;
		if (!take_number(&cursor, end, &type) || !take_number(&cursor, end, &length) ||
		    length > (uint64_t)(end - cursor))
			continue;
		arguments->next = (uint32_t)(cursor - source->rows);
		arguments->end = arguments->next + (uint32_t)length;
		group = find_group(split, state, (uint32_t)type);
		if (group == NULL || !arguments_fit(group, cursor, cursor + length))
			continue;
		cursor += length;
		if (!take_number(&cursor, end, &arguments->time))
			continue;
		arguments->group = (uint16_t)(group - state->groups);
		group->event_count++;
	}
}

/* Groups with fewer events take no less room as columns than as rows. */
#define MIN_GROUP_EVENTS 16

/* Chooses the groups that become columns, and numbers them. */
static void choose_groups(split_state *state)
{
	size_t columns = EVENT_COLUMNS;
	uint32_t number = 0;

	for (size_t i = 0; i < state->group_count; i++) {
		split_group *group = &state->groups[i];

		if (group->event_count < MIN_GROUP_EVENTS ||
		    columns + (size_t)group->argument_count * ARGUMENT_COLUMNS > EVENT_COLUMNS_MAX)
			continue;
		columns += (size_t)group->argument_count * ARGUMENT_COLUMNS;
		group->number = number++;
	}
}

/* Stores the groups of the events that become columns, and the order of the latter by group. */
static void sort_events(split_state *state)
{
	uint32_t next = 0;

	for (size_t i = 0; i < state->group_count; i++) {
		split_group *group = &state->groups[i];
		const uint32_t count = group->number != NO_GROUP ? group->event_count : 0;

		/* Where its next event is put. */
		group->event_count = next;
		next += count;
	}
	state->moved = 0;
	state->byte_count = 0;
	for (size_t i = 0; i < state->source->typed_count; i++) {
		row_arguments *arguments = &state->arguments[i];
		split_group *group;

		if (arguments->group == NO_GROUP)
			continue;
		group = &state->groups[arguments->group];
		if (group->number == NO_GROUP) {
			arguments->group = NO_GROUP;
			continue;
		}
		state->order[group->event_count++] = (uint32_t)i;
		state->values[state->moved++] = group->number;
		state->byte_count += arguments->end - arguments->next;
	}
}

/* Copies symbols, times and rows, with the events in columns. */
static void copy_others(split_state *state, typed_split *split)
{
	const typed_source *source = state->source;
	size_t time = 0;
	size_t times = 0;
	size_t row = 0;

	split->row_length = 0;
	memcpy(state->symbols, source->symbols, source->event_count);
	for (size_t i = 0; i <= source->typed_count; i++) {
		const int is_end = i == source->typed_count;
		const typed_row *typed = &source->typed[i];
		const size_t time_end = is_end ? source->time_count : typed->time;
		const size_t row_end = is_end ? source->row_length : typed->start;

		if (!is_end && state->arguments[i].group == NO_GROUP)
			continue;
		memcpy(state->times + times, source->times + time, (time_end - time) * sizeof(*source->times));
		times += time_end - time;
		time = time_end;
		memcpy(state->rows + split->row_length, source->rows + row, row_end - row);
		split->row_length += row_end - row;
		if (is_end)
			break;
		row = typed->end;
		state->times[times++] = state->arguments[i].time;
		state->symbols[typed->event] = EVENT_SYMBOL_TYPED;
	}
	split->symbols = state->symbols;
	split->rows = state->rows;
	int_column_encode(&split->times, state->times, times);
}

/* Appends the length of a column that was appended to the arguments. */
static void end_column(typed_split *split, size_t start)
{
	encode_varint(&split->lengths, split->arguments.length - start);
	split->column_count++;
}

static void put_numbers(typed_split *split, const uint64_t *values, size_t count)
{
	const size_t start = split->arguments.length;

	int_column_encode(&split->arguments, values, count);
	end_column(split, start);
}

/* Decodes the next argument of count events, in their order: numbers, or the lengths of texts, which are next. */
static void read_values(split_state *state, const uint32_t *order, size_t count, uint32_t encoding)
{
	const uint8_t *rows = state->source->rows;

	for (size_t i = 0; i < count; i++) {
		row_arguments *arguments = &state->arguments[order[i]];
		const uint8_t *cursor = rows + arguments->next;

		if (encoding == MPROF_ENCODING_FIXED) {
			state->values[i] = bytes_load_64(cursor);
			cursor += sizeof(uint64_t);
		} else {
			cursor = varint_get(cursor, rows + arguments->end, &state->values[i]);
		}
		arguments->next = (uint32_t)(cursor - rows);
	}
}

/* A text of an event whose lengths were read. */
static const uint8_t *text_of(const split_state *state, uint32_t event)
{
	return state->source->rows + state->arguments[event].next;
}

/* A text that may be in the dictionary. */
typedef struct searched_text {
	const uint8_t *text;
	size_t length;
} searched_text;

static uint64_t hash_of_entry(const void *owner, const void *slot)
{
	return ((const split_state *)owner)->hashes[*(const uint32_t *)slot - 1];
}

static int entry_matches(const void *owner, const void *slot, const void *key)
{
	const split_state *state = owner;
	const uint32_t entry = *(const uint32_t *)slot;
	const searched_text *searched = key;

	return entry != 0 && state->lengths[entry - 1] == searched->length &&
	       (searched->length == 0 ||
		memcmp(text_of(state, state->firsts[entry - 1]), searched->text, searched->length) == 0);
}

static const hash_index_type entry_slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 64,
	.used_eighths = 4,
	.is_used = hash_index_has_position,
	.hash = hash_of_entry,
};

static uint64_t hash_text(uint64_t hash, const uint8_t *text, size_t length)
{
	hash = hash_mix(hash, length);
	for (; length >= sizeof(uint64_t); length -= sizeof(uint64_t), text += sizeof(uint64_t))
		hash = hash_mix(hash, bytes_load_64(text));
	for (; length > 0; length--)
		hash = hash_mix(hash, *text++);
	return hash_key(hash, 0);
}

/*
 * Finds the texts that are equal: stores the length of each entry, the first event that has it, and the entry of each
 * event. Returns the number of entries; 0 if a dictionary would hardly be smaller, or there is no memory.
 */
static size_t build_dictionary(hash_index *index, split_state *state, const uint32_t *order, size_t count,
			       uint64_t *indices)
{
	uint32_t entries = 0;

	/* Clearing the table of a much longer column would take longer than this one. */
	if (index->capacity / 16 > count)
		hash_index_destroy(index, &entry_slots);
	if (index->capacity > 0)
		memset(index->slots, 0, index->capacity * sizeof(uint32_t));
	index->count = 0;
	for (size_t i = 0; i < count; i++) {
		const searched_text searched = {text_of(state, order[i]), (size_t)state->values[i]};
		const uint64_t hash = hash_text(index->seed, searched.text, searched.length);
		const uint32_t *found = hash_index_find(index, &entry_slots, hash, entry_matches, state, &searched);

		if (found == NULL) {
			if (2 * (size_t)entries >= count || !hash_index_reserve(index, &entry_slots, state))
				return 0;
			state->firsts[entries] = order[i];
			state->lengths[entries] = searched.length;
			state->hashes[entries] = hash;
			*(uint32_t *)hash_index_take_slot(index, &entry_slots, hash) = ++entries;
			indices[i] = entries - 1;
		} else {
			indices[i] = *found - 1;
		}
	}
	return entries;
}

static void put_texts(typed_split *split, const split_state *state, const uint32_t *order, const uint64_t *lengths,
		      size_t count)
{
	const size_t start = split->arguments.length;

	for (size_t i = 0; i < count; i++)
		encode_bytes(&split->arguments, text_of(state, order[i]), (size_t)lengths[i]);
	end_column(split, start);
}

/* Appends the columns of an argument of texts, of which state->values has the lengths. */
static void put_text_argument(typed_split *split, split_state *state, const uint32_t *order, size_t count)
{
	const size_t entries = build_dictionary(&split->entries, state, order, count, state->times);

	if (entries > 0 && entries <= TYPED_COLUMNS_MAX_ENTRIES - state->entry_count) {
		state->entry_count += entries;
		encode_byte(&split->shapes, TYPED_COLUMNS_DICTIONARY);
		encode_varint(&split->shapes, entries);
		put_numbers(split, state->lengths, entries);
		put_texts(split, state, state->firsts, state->lengths, entries);
		put_numbers(split, state->times, count);
	} else {
		encode_byte(&split->shapes, MPROF_ENCODING_BYTES);
		put_numbers(split, state->values, count);
		put_texts(split, state, order, state->values, count);
	}
	for (size_t i = 0; i < count; i++)
		state->arguments[order[i]].next += (uint32_t)state->values[i];
}

/* Appends the groups, in the order of their numbers, and the columns of their arguments. */
static void put_groups(typed_split *split, split_state *state)
{
	uint32_t first = 0;

	int_column_encode(&split->groups, state->values, state->moved);
	encode_varint(&split->shapes, state->byte_count);
	state->entry_count = 0;
	for (size_t i = 0; i < state->group_count; i++) {
		const split_group *group = &state->groups[i];
		const uint32_t *order = state->order + first;
		const uint32_t count = group->event_count - first;

		if (group->number == NO_GROUP)
			continue;
		encode_varint(&split->shapes, group->type);
		encode_varint(&split->shapes, group->argument_count);
		for (uint32_t argument = 0; argument < group->argument_count; argument++) {
			const uint8_t encoding = group->encodings[argument];

			read_values(state, order, count, encoding);
			if (encoding == MPROF_ENCODING_BYTES) {
				put_text_argument(split, state, order, count);
			} else {
				encode_byte(&split->shapes, encoding);
				put_numbers(split, state->values, count);
			}
		}
		first = group->event_count;
	}
}

/* Whether the block is smaller. The times of the events in columns are in those of the block. */
static int is_smaller(const typed_split *split, const split_state *state)
{
	const size_t times = state->source->time_count + state->moved;
	const uint64_t times_added = (uint64_t)split->times.length * state->moved / times;
	const size_t removed = state->source->row_length - split->row_length;

	return times_added + split->groups.length + split->shapes.length + split->lengths.length +
		       split->arguments.length <
	       removed;
}

static void clear_buffers(typed_split *split)
{
	encode_buffer_clear(&split->times);
	encode_buffer_clear(&split->groups);
	encode_buffer_clear(&split->shapes);
	encode_buffer_clear(&split->lengths);
	encode_buffer_clear(&split->arguments);
	split->column_count = 0;
}

static int buffers_are_complete(const typed_split *split)
{
	return split->times.status == MPROF_OK && split->groups.status == MPROF_OK &&
	       split->shapes.status == MPROF_OK && split->lengths.status == MPROF_OK &&
	       split->arguments.status == MPROF_OK;
}

void typed_split_init(typed_split *split, const mprof_allocator *allocator)
{
	memset(split, 0, sizeof(*split));
	split->allocator = *allocator;
	id_map_init(&split->groups_of, allocator);
	hash_index_init(&split->entries, allocator);
	encode_buffer_init(&split->times, allocator, SIZE_MAX);
	encode_buffer_init(&split->groups, allocator, SIZE_MAX);
	encode_buffer_init(&split->shapes, allocator, SIZE_MAX);
	encode_buffer_init(&split->lengths, allocator, SIZE_MAX);
	encode_buffer_init(&split->arguments, allocator, SIZE_MAX);
}

void typed_split_destroy(typed_split *split)
{
	allocator_release(&split->allocator, split->memory, split->capacity);
	id_map_destroy(&split->groups_of);
	hash_index_destroy(&split->entries, &entry_slots);
	encode_buffer_destroy(&split->times);
	encode_buffer_destroy(&split->groups);
	encode_buffer_destroy(&split->shapes);
	encode_buffer_destroy(&split->lengths);
	encode_buffer_destroy(&split->arguments);
}

int typed_split_build(typed_split *split, const typed_source *source)
{
	split_state state = {.source = source};

	if (!reserve_memory(split, &state))
		return 0;
	clear_buffers(split);
	read_rows(split, &state);
	choose_groups(&state);
	sort_events(&state);
	if (state.moved == 0)
		return 0;
	put_groups(split, &state);
	copy_others(&state, split);
	return buffers_are_complete(split) && is_smaller(split, &state);
}
