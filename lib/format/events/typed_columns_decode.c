/* SPDX-License-Identifier: MIT */
/* Decodes the columns of events of types. */
#include "format/events/typed_columns_decode.h"

#include "format/events/event_columns.h"
#include "format/values/varint.h"

#include <string.h>

/* Bytes of a column of the block. */
typedef struct column_bytes {
	size_t start; /* Position in the content. */
	size_t length;
} column_bytes;

/* The groups and the columns of their arguments, from the first one to the last. */
typedef struct columns_walk {
	const uint8_t *content;
	const uint8_t *shape; /* The next group or argument. */
	const uint8_t *shape_end;
	const uint8_t *directory; /* The length of the next column. */
	const uint8_t *directory_end;
	size_t remaining; /* Columns that are left. */
	size_t position;  /* Of the next column. */
	size_t end;       /* Of the columns. */
	const char *fault;
	size_t fault_position;
} columns_walk;

/* The events of a group have the same type, and arguments of the same encodings. */
typedef struct column_group {
	uint32_t type;
	uint32_t argument_count;
} column_group;

typedef struct argument_column {
	uint32_t storage;     /* An mprof_argument_encoding, or TYPED_COLUMNS_DICTIONARY. */
	uint32_t entry_count; /* Of its dictionary. */
	column_bytes numbers; /* The arguments, or the lengths of texts. */
	column_bytes texts;
	column_bytes indices; /* The entries of the dictionary that the arguments are. */
} argument_column;

static const char bad_shape[] = "the description of the arguments in columns is damaged";
static const char too_few_columns[] = "a column ends before the events do";
static const char too_many_columns[] = "a column has more values than events";

const char *typed_columns_fault_text(int_column_fault fault)
{
	switch (fault) {
	case INT_COLUMN_TRUNCATED:
		return too_few_columns;
	case INT_COLUMN_BAD_WIDTH:
		return "invalid width of the values of a column";
	case INT_COLUMN_TOO_LONG:
		return too_many_columns;
	case INT_COLUMN_TOO_LARGE:
		return "an ID of a column exceeds 32 bits";
	default:
		return "invalid exception in a column";
	}
}

/* Records a fault. Returns 0. */
static int walk_fail(columns_walk *walk, size_t position, const char *what)
{
	walk->fault = what;
	walk->fault_position = position;
	return 0;
}

static int next_number(columns_walk *walk, uint64_t limit, uint64_t *number)
{
	const uint8_t *end = varint_get(walk->shape, walk->shape_end, number);

	if (end == NULL || *number > limit)
		return walk_fail(walk, (size_t)(walk->shape - walk->content), bad_shape);
	walk->shape = end;
	return 1;
}

/* Starts before the first group. byte_count receives the bytes of all arguments. */
static int walk_begin(columns_walk *walk, const typed_columns *columns, const uint8_t *content, size_t *byte_count)
{
	uint64_t number = 0;
	int is_valid;

	*walk = (columns_walk){.content = content,
			       .shape = content + columns->shapes,
			       .shape_end = content + columns->shapes + columns->shapes_length,
			       .directory = content + columns->directory,
			       .directory_end = content + columns->start,
			       .remaining = columns->column_count,
			       .position = columns->start,
			       .end = columns->start + columns->length};
	is_valid = next_number(walk, TYPED_COLUMNS_MAX_BYTES, &number);
	*byte_count = (size_t)number;
	return is_valid;
}

/* Returns 0 after the last group, and after a fault. */
static int next_group(columns_walk *walk, column_group *group)
{
	uint64_t type;
	uint64_t count;

	if (walk->shape == walk->shape_end || !next_number(walk, UINT32_MAX, &type) ||
	    !next_number(walk, MPROF_TYPE_MAX_ARGUMENTS, &count))
		return 0;
	*group = (column_group){(uint32_t)type, (uint32_t)count};
	return 1;
}

static int next_column(columns_walk *walk, column_bytes *column)
{
	uint64_t length = 0;

	if (walk->remaining == 0)
		return walk_fail(walk, walk->end, too_few_columns);
	/* The directory was decoded before, so the length is there. */
	walk->directory = varint_get(walk->directory, walk->directory_end, &length);
	walk->remaining--;
	if (length > walk->end - walk->position)
		return walk_fail(walk, walk->end, too_few_columns);
	*column = (column_bytes){walk->position, (size_t)length};
	walk->position += column->length;
	return 1;
}

static int next_argument(columns_walk *walk, argument_column *argument)
{
	uint64_t entries = 0;

	memset(argument, 0, sizeof(*argument));
	if (walk->shape == walk->shape_end || *walk->shape > TYPED_COLUMNS_DICTIONARY)
		return walk_fail(walk, (size_t)(walk->shape - walk->content), bad_shape);
	argument->storage = *walk->shape++;
	if (argument->storage == TYPED_COLUMNS_DICTIONARY && !next_number(walk, TYPED_COLUMNS_MAX_ENTRIES, &entries))
		return 0;
	argument->entry_count = (uint32_t)entries;
	if (!next_column(walk, &argument->numbers))
		return 0;
	if (argument->storage < MPROF_ENCODING_BYTES)
		return 1;
	return next_column(walk, &argument->texts) &&
	       (argument->storage == MPROF_ENCODING_BYTES || next_column(walk, &argument->indices));
}

static int check_numbers(columns_walk *walk, const column_bytes *bytes, size_t count, uint64_t limit,
			 int_column *column)
{
	const int_column_fault fault =
		int_column_init(column, walk->content + bytes->start, bytes->length, count, limit);

	return fault == INT_COLUMN_VALID || walk_fail(walk, bytes->start, typed_columns_fault_text(fault));
}

/* Values that are decoded at once. */
#define PIECE 256

/* Checks that texts have the lengths of a column. */
static int check_texts(columns_walk *walk, const argument_column *argument, int_column *lengths)
{
	uint64_t values[PIECE];
	uint64_t sum = 0;

	while (lengths->remaining > 0) {
		const size_t count = lengths->remaining < PIECE ? lengths->remaining : PIECE;

		int_column_read_64(lengths, walk->content + argument->numbers.start, values, count);
		for (size_t i = 0; i < count; i++)
			sum += values[i];
	}
	if (sum == argument->texts.length)
		return 1;
	return walk_fail(walk, argument->texts.start,
			 sum > argument->texts.length ? too_few_columns : too_many_columns);
}

static int check_argument(columns_walk *walk, const argument_column *argument, size_t event_count)
{
	const int has_texts = argument->storage >= MPROF_ENCODING_BYTES;
	const int has_dictionary = argument->storage == TYPED_COLUMNS_DICTIONARY;
	int_column column;

	if (!check_numbers(walk, &argument->numbers, has_dictionary ? argument->entry_count : event_count,
			   has_texts ? UINT32_MAX : UINT64_MAX, &column) ||
	    (has_texts && !check_texts(walk, argument, &column)))
		return 0;
	return !has_dictionary || check_numbers(walk, &argument->indices, event_count, UINT32_MAX, &column);
}

/* Counts the events of each group. */
static int count_groups(columns_walk *walk, const typed_columns *columns, uint32_t counts[TYPED_COLUMNS_MAX_GROUPS])
{
	const column_bytes bytes = {columns->groups, columns->groups_length};
	uint64_t values[PIECE];
	int_column column;

	if (!check_numbers(walk, &bytes, columns->event_count, UINT32_MAX, &column))
		return 0;
	while (column.remaining > 0) {
		const size_t count = column.remaining < PIECE ? column.remaining : PIECE;

		int_column_read_64(&column, walk->content + bytes.start, values, count);
		for (size_t i = 0; i < count; i++) {
			if (values[i] >= TYPED_COLUMNS_MAX_GROUPS)
				return walk_fail(walk, bytes.start, bad_shape);
			counts[values[i]]++;
		}
	}
	return 1;
}

/* Checks the columns of all groups. */
static int check_groups(columns_walk *walk, typed_columns *columns, const uint32_t *counts)
{
	size_t events = 0;
	uint32_t number = 0;
	column_group group;

	while (next_group(walk, &group)) {
		if (number == TYPED_COLUMNS_MAX_GROUPS || counts[number] == 0)
			return walk_fail(walk, (size_t)(walk->shape - walk->content), bad_shape);
		for (uint32_t i = 0; i < group.argument_count; i++) {
			argument_column argument;

			if (!next_argument(walk, &argument) || !check_argument(walk, &argument, counts[number]))
				return 0;
			columns->entry_count += argument.entry_count;
			if (columns->entry_count > TYPED_COLUMNS_MAX_ENTRIES)
				return walk_fail(walk, argument.numbers.start,
						 "the dictionaries of arguments have too many entries");
		}
		events += counts[number++];
	}
	if (walk->fault != NULL)
		return 0;
	if (events != columns->event_count)
		return walk_fail(walk, columns->shapes, bad_shape);
	if (walk->remaining > 0 || walk->position != walk->end)
		return walk_fail(walk, walk->position, too_many_columns);
	return 1;
}

const char *typed_columns_check(typed_columns *columns, const uint8_t *content, size_t *fault)
{
	uint32_t counts[TYPED_COLUMNS_MAX_GROUPS];
	columns_walk walk;

	*fault = columns->groups;
	if (columns->event_count == 0)
		return columns->groups_length + columns->shapes_length + columns->column_count > 0 ? too_many_columns
												   : NULL;
	memset(counts, 0, sizeof(counts));
	if (walk_begin(&walk, columns, content, &columns->byte_count) && count_groups(&walk, columns, counts))
		check_groups(&walk, columns, counts);
	*fault = walk.fault_position;
	return walk.fault;
}

/* An entry of a dictionary. */
typedef struct dictionary_entry {
	const uint8_t *bytes;
	size_t length;
} dictionary_entry;

/* An argument of a group while the events of the group are put together. */
typedef struct argument_reader {
	uint32_t storage;
	uint32_t entry_count;
	const uint8_t *start;            /* Of the column. */
	int_column column;               /* The numbers, lengths or indices. */
	const uint8_t *text;             /* The next text. */
	const dictionary_entry *entries; /* The dictionary. */
} argument_reader;

/* Values of a group that are decoded at once. */
#define GROUP_VALUES 2048

/* The most arguments leave values for several events. */
_Static_assert(GROUP_VALUES / MPROF_TYPE_MAX_ARGUMENTS >= 8, "room for the values of several events");

/* Room for whole words after the last argument. */
#define SLACK 16

/* The memory of typed_columns_expand(). The events, their order, the dictionaries and the arguments follow. */
typedef struct expand_memory {
	argument_reader readers[MPROF_TYPE_MAX_ARGUMENTS];
	uint64_t values[GROUP_VALUES];
	uint32_t firsts[TYPED_COLUMNS_MAX_GROUPS + 1]; /* Where the events of each group start in the order. */
	uint16_t *order;                               /* The positions of the events, by group. */
	typed_event *events;
	dictionary_entry *entries; /* The next dictionary. */
	uint8_t *out;              /* The next argument. */
	const uint8_t *start;      /* The first argument. */
	const uint8_t *end;        /* Where the last argument ends. */
} expand_memory;

size_t typed_columns_memory(const typed_columns *columns)
{
	/* At most some megabytes: all three numbers are limited. */
	return columns->event_count == 0 ? 0
					 : sizeof(expand_memory) + columns->entry_count * sizeof(dictionary_entry) +
						   columns->event_count * (sizeof(typed_event) + sizeof(uint16_t)) +
						   columns->byte_count + SLACK;
}

static expand_memory *divide_memory(const typed_columns *columns, void *memory)
{
	expand_memory *divided = memory;

	memset(divided->firsts, 0, sizeof(divided->firsts));
	divided->entries = (void *)(divided + 1);
	divided->events = (void *)(divided->entries + columns->entry_count);
	divided->order = (void *)(divided->events + columns->event_count);
	divided->out = (uint8_t *)(divided->order + columns->event_count);
	divided->start = divided->out;
	divided->end = divided->out + columns->byte_count;
	return divided;
}

/* Stores the positions of the events by group. */
static void sort_events(const typed_columns *columns, const uint8_t *content, expand_memory *memory)
{
	uint32_t *next = memory->firsts;
	uint64_t values[PIECE];
	int_column column;

	/* Twice: to count the events of each group, then to store their positions. */
	for (int is_counted = 0; is_counted <= 1; is_counted++) {
		size_t position = 0;

		(void)int_column_init(&column, content + columns->groups, columns->groups_length, columns->event_count,
				      UINT32_MAX);
		while (column.remaining > 0) {
			const size_t count = column.remaining < PIECE ? column.remaining : PIECE;

			int_column_read_64(&column, content + columns->groups, values, count);
			for (size_t i = 0; i < count; i++, position++) {
				if (is_counted)
					memory->order[next[values[i]]++] = (uint16_t)position;
				else
					next[values[i] + 1]++;
			}
		}
		for (size_t i = 0; !is_counted && i < TYPED_COLUMNS_MAX_GROUPS; i++)
			next[i + 1] += next[i];
	}
	/* Each is now where the next group starts. */
	memmove(next + 1, next, TYPED_COLUMNS_MAX_GROUPS * sizeof(*next));
	next[0] = 0;
}

static void read_dictionary(const argument_column *argument, const uint8_t *content, expand_memory *memory,
			    argument_reader *reader)
{
	const uint8_t *text = content + argument->texts.start;
	int_column lengths;

	reader->entries = memory->entries;
	reader->entry_count = argument->entry_count;
	(void)int_column_init(&lengths, content + argument->numbers.start, argument->numbers.length,
			      argument->entry_count, UINT32_MAX);
	for (uint32_t i = 0; i < argument->entry_count; i++) {
		uint64_t length;

		int_column_read_64(&lengths, content + argument->numbers.start, &length, 1);
		*memory->entries++ = (dictionary_entry){text, (size_t)length};
		text += length;
	}
}

/* Starts the arguments of a group. */
static void read_arguments(columns_walk *walk, const column_group *group, uint32_t event_count, expand_memory *memory)
{
	for (uint32_t i = 0; i < group->argument_count; i++) {
		argument_reader *reader = &memory->readers[i];
		argument_column argument;
		const column_bytes *bytes = &argument.numbers;

		(void)next_argument(walk, &argument);
		reader->storage = argument.storage;
		reader->text = walk->content + argument.texts.start;
		if (argument.storage == TYPED_COLUMNS_DICTIONARY) {
			read_dictionary(&argument, walk->content, memory, reader);
			bytes = &argument.indices;
		}
		reader->start = walk->content + bytes->start;
		(void)int_column_init(&reader->column, reader->start, bytes->length, event_count, UINT64_MAX);
	}
}

/* Appends a text. Returns 0 if it exceeds the room. */
static inline int put_text(expand_memory *memory, const uint8_t *text, size_t length)
{
	const size_t room = (size_t)(memory->end - memory->out);

	if (length > room || varint_length(length) > room - length)
		return 0;
	memory->out = varint_put(memory->out, length);
	if (length > 0)
		memcpy(memory->out, text, length);
	memory->out += length;
	return 1;
}

/* Appends an argument. Returns 0 if it exceeds the room, or is no entry of its dictionary. */
static inline int put_argument(expand_memory *memory, argument_reader *reader, uint64_t value)
{
	const uint8_t *text = reader->text;

	switch (reader->storage) {
	case MPROF_ENCODING_FIXED:
		bytes_store_64(memory->out, value);
		memory->out += sizeof(value);
		break;
	case MPROF_ENCODING_BYTES:
		reader->text += value;
		return put_text(memory, text, (size_t)value);
	case TYPED_COLUMNS_DICTIONARY:
		return value < reader->entry_count &&
		       put_text(memory, reader->entries[value].bytes, reader->entries[value].length);
	default:
		memory->out = varint_word_put_mostly_short(memory->out, value);
		break;
	}
	/* The slack has room for the number after the last argument. */
	return memory->out <= memory->end;
}

/* Appends the arguments of count events, whose values are in memory, stride for each argument. */
static int put_events(expand_memory *memory, const column_group *group, const uint16_t *order, size_t count,
		      size_t stride)
{
	for (size_t i = 0; i < count; i++) {
		const uint8_t *start = memory->out;

		for (uint32_t argument = 0; argument < group->argument_count; argument++) {
			if (!put_argument(memory, &memory->readers[argument], memory->values[argument * stride + i]))
				return 0;
		}
		if (memory->out - start > MPROF_ARGUMENTS_MAX_SIZE)
			return 0;
		memory->events[order[i]] =
			(typed_event){group->type, (uint32_t)(start - memory->start), (uint32_t)(memory->out - start)};
	}
	return 1;
}

/* Puts the events of a group together. */
static int expand_group(columns_walk *walk, const column_group *group, const uint16_t *order, uint32_t event_count,
			expand_memory *memory)
{
	const size_t stride = group->argument_count == 0 ? event_count : GROUP_VALUES / group->argument_count;

	read_arguments(walk, group, event_count, memory);
	for (size_t done = 0; done < event_count; done += stride) {
		const size_t remaining = event_count - done;
		const size_t count = remaining < stride ? remaining : stride;

		for (uint32_t i = 0; i < group->argument_count; i++)
			int_column_read_64(&memory->readers[i].column, memory->readers[i].start,
					   memory->values + i * stride, count);
		if (!put_events(memory, group, order + done, count, stride))
			return 0;
	}
	return 1;
}

void typed_columns_expand(typed_columns *columns, const uint8_t *content, void *memory)
{
	expand_memory *divided = divide_memory(columns, memory);
	columns_walk walk;
	column_group group;
	size_t byte_count;
	uint32_t number = 0;

	columns->events = NULL;
	columns->bytes = divided->start;
	sort_events(columns, content, divided);
	(void)walk_begin(&walk, columns, content, &byte_count);
	for (; next_group(&walk, &group); number++) {
		const uint32_t first = divided->firsts[number];

		if (!expand_group(&walk, &group, divided->order + first, divided->firsts[number + 1] - first, divided))
			return;
	}
	if (divided->out == divided->end)
		columns->events = divided->events;
}
