/* SPDX-License-Identifier: MIT */
/* Encodes events in a list or in columns. Each is checked first; after that only room can be missing. */
#include "format/events/events_encode.h"

#include "base/allocator.h"
#include "format/values/int_column.h"
#include "format/values/varint.h"

#include <string.h>

/* Room is reserved for this many events at once: little compared to a block, but enough to amortize the call. */
#define BATCH_EVENTS 256

/* The columns of numbers. */
#define FIRST_NUMBERS EVENT_COLUMN_METHODS
#define LAST_NUMBERS EVENT_COLUMN_OBJECTS

/* Room for the number of events, the number of columns and their lengths. */
#define DIRECTORY_ROOM ((size_t)(2 + EVENT_COLUMNS) * 5)

/*
 * The most bytes of a value in its column: with a width of 0, an exception of a position and a high part. The bytes
 * before the values of all columns.
 */
#define VALUE_ROOM (3 + MPROF_VARINT_MAX_LENGTH)
#define COLUMNS_ROOM ((size_t)EVENT_COLUMNS * 16)

static inline int is_allocation(const event_rule *rule)
{
	return rule->layout == EVENT_LAYOUT_ALLOCATION || rule->layout == EVENT_LAYOUT_ALLOCATION_UNPACKED;
}

/* Whether the size of an allocation can be omitted: it is the fixed object size of the class. */
static inline int has_fixed_size(const event_encoder *encoder, const mprof_event *event)
{
	uint32_t size = id_map_get(encoder->checker.defined.object_sizes, event->id);

	return size != 0 && size == event->value;
}

static inline uint8_t *put_number(uint8_t *out, uint64_t value)
{
	return varint_word_put_mostly_short(out, value);
}

/* Encodes a byte with the low five bits of the value, and a varint of the others. */
static inline uint8_t *put_packed(uint8_t *out, const event_rule *rule, uint64_t value)
{
	*out++ = (uint8_t)(rule->byte | (value & EVENT_PACKED_MASK) << EVENT_PACKED_SHIFT);
	return put_number(out, value >> EVENT_PACKED_BITS);
}

/* Encodes an ID like put_packed(), but with a single store: the varint has at most 4 bytes. */
static inline uint8_t *put_packed_id(uint8_t *out, uint32_t group, uint32_t id)
{
	uint64_t byte = group | (id & EVENT_PACKED_MASK) << EVENT_PACKED_SHIFT;
	uint64_t word = varint_word_split_short(id >> EVENT_PACKED_BITS);
	uint32_t last_byte = varint_word_last_byte(word);

	bytes_store_64(out, varint_word_end(word, last_byte) << 8 | byte);
	return out + 1 + last_byte + 1;
}

static uint8_t *put_fields(uint8_t *out, uint32_t fields, const mprof_event *event, const mprof_event_detail *detail)
{
	for (; fields != 0; fields = EVENT_FIELDS_NEXT(fields)) {
		switch (EVENT_FIELDS_FIRST(fields)) {
		case EVENT_FIELD_HANDLE:
			out = put_number(out, event->value << EVENT_HANDLE_TYPE_BITS | detail->handle_type);
			break;
		case EVENT_FIELD_CALLER:
			out = put_number(out, detail->caller);
			break;
		case EVENT_FIELD_STACK:
			out = put_number(out, detail->stack);
			break;
		case EVENT_FIELD_OBJECT:
			out = put_number(out, detail->object);
			break;
		default:
			out = put_number(out, event->value);
			break;
		}
	}
	return out;
}

static inline uint8_t *put_allocation(const event_encoder *encoder, uint8_t *out, const event_rule *rule,
				      const mprof_event *event, const mprof_event_detail *detail)
{
	if (rule->layout == EVENT_LAYOUT_ALLOCATION_UNPACKED) {
		*out++ = rule->byte;
		out = put_number(out, event->id);
		out = put_number(out, event->value);
	} else if (has_fixed_size(encoder, event) && (event->id & EVENT_PACKED_MASK) != 0) {
		/* If the low five bits of the ID were 0, the event code would be 0, which ends the list. */
		out = put_packed_id(out, EVENT_GROUP_ALLOCATION_FIXED, event->id);
	} else {
		out = put_packed_id(out, rule->byte, event->id);
		out = put_number(out, event->value);
	}
	return rule->fields == 0 ? out : put_fields(out, rule->fields, event, detail);
}

/*
 * Returns the number of the collection that an event belongs to. In dialects that count collections, the encoder
 * replaces 0: the start of a collection and, as in Mono, a new heap size get the next number, other events that of the
 * latest collection. A heap size gets that number too if the caller numbers collections.
 */
static uint32_t assign_collection_number(event_encoder *encoder, const mprof_event *event)
{
	int is_resize = event->kind == MPROF_EVENT_GC_RESIZE;
	uint32_t number = event->id;

	if (number == 0 && encoder->checker.counts_collections) {
		int is_next = event->kind == MPROF_EVENT_GC_START || (is_resize && !encoder->is_numbered);

		number = is_next ? encoder->last_number + 1 : encoder->collection;
		encoder->has_counted |= !is_resize;
	}
	if (event->kind == MPROF_EVENT_GC_START)
		encoder->is_numbered = event->id != 0;
	if (number > encoder->last_number)
		encoder->last_number = number;
	if (!is_resize)
		encoder->collection = number;
	return number;
}

static inline uint8_t *put_collection(event_encoder *encoder, uint8_t *out, const event_rule *rule,
				      const mprof_event *event, uint64_t time)
{
	uint64_t generation = event->value < EVENT_GENERATION_MASK ? event->value : EVENT_GENERATION_MASK;
	uint64_t number = assign_collection_number(encoder, event);

	*out++ = rule->byte;
	if (rule->layout == EVENT_LAYOUT_COLLECTION) {
		number = number << EVENT_GENERATION_BITS | generation;
		out = put_number(out, encoder->checker.counts_collections ? (uint32_t)number : number);
		return put_number(out, time);
	}
	out = put_number(out, event->value);
	if (rule->layout == EVENT_LAYOUT_RESIZE_TIMED)
		out = put_number(out, time);
	return put_number(out, number);
}

static inline uint8_t *put_memory_address(uint8_t *out, uint64_t address, uint64_t *previous)
{
	uint32_t rest;

	out = put_number(out, memory_address_encode(address, *previous, &rest));
	*previous = address;
	return rest == 0 ? out : put_number(out, rest);
}

/* Encodes a native memory event (section 4.7). */
static inline uint8_t *put_memory(event_encoder *encoder, uint8_t *out, const event_rule *rule,
				  const mprof_event *event, const mprof_event_detail *detail, uint64_t time)
{
	const int is_freed = rule->layout == EVENT_LAYOUT_MEMORY_FREED;

	*out++ = is_freed && detail->stack != 0 ? rule->byte | EVENT_MEMORY_FREED_STACK_BIT : rule->byte;
	out = put_number(out, time);
	if (rule->layout == EVENT_LAYOUT_MEMORY_RESIZED) {
		out = put_number(out, detail->started != 0 ? event->counter - detail->started : 0);
		out = put_memory_address(out, detail->object, &encoder->last_address);
	}
	out = put_memory_address(out, event->value, &encoder->last_address);
	if (!is_freed)
		out = put_number(out, detail->size);
	return is_freed && detail->stack == 0 ? out : put_number(out, detail->stack);
}

/* Encodes that an object is freed or resized (section 4.10). */
static uint8_t *put_object(event_encoder *encoder, uint8_t *out, const event_rule *rule, const mprof_event *event,
			   const mprof_event_detail *detail, uint64_t time)
{
	*out++ = rule->byte;
	out = put_number(out, event->id);
	out = put_number(out, time);
	out = put_memory_address(out, detail->object, &encoder->last_object);
	if (rule->layout == EVENT_LAYOUT_OBJECT_FREED)
		return put_number(out, event->value);
	out = put_memory_address(out, event->value, &encoder->last_object);
	return put_number(out, detail->size);
}

/* Encodes an event of a type (section 4.9). */
static uint8_t *put_sized(uint8_t *out, const event_rule *rule, const mprof_event *event,
			  const mprof_event_detail *detail, uint64_t time)
{
	*out++ = rule->byte;
	out = put_number(out, event->id);
	out = put_number(out, detail->argument_size);
	if (detail->argument_size > 0)
		memcpy(out, detail->arguments, detail->argument_size);
	return put_number(out + detail->argument_size, time);
}

/* Encodes an event that has a time. */
static inline __attribute__((always_inline)) uint8_t *put_timed(event_encoder *encoder, uint8_t *out,
								const event_rule *rule, const mprof_event *event,
								const mprof_event_detail *detail, uint64_t time)
{
	if (rule->layout == EVENT_LAYOUT_PACKED_ID) {
		out = put_packed_id(out, rule->byte, event->id);
	} else if (rule->layout == EVENT_LAYOUT_IMPLICIT_LEAVE) {
		return put_packed(out, rule, time);
	} else if (rule->layout == EVENT_LAYOUT_ID) {
		*out++ = rule->byte;
		out = put_number(out, event->id);
	} else if (rule->layout == EVENT_LAYOUT_DETAILED) {
		*out++ = rule->byte;
		out = put_number(out, event->id);
		out = put_number(out, time);
		return put_fields(out, rule->fields, event, detail);
	} else if (event_layout_is_memory(rule->layout)) {
		return put_memory(encoder, out, rule, event, detail, time);
	} else if (event_layout_is_object(rule->layout)) {
		return put_object(encoder, out, rule, event, detail, time);
	} else if (rule->layout == EVENT_LAYOUT_SIZED) {
		return put_sized(out, rule, event, detail, time);
	} else if (rule->layout != EVENT_LAYOUT_VALUE) {
		return put_collection(encoder, out, rule, event, time);
	} else {
		*out++ = rule->byte;
		out = put_number(out, event->value);
	}
	return put_number(out, time);
}

/* Encodes a checked event, for which room is reserved. Returns its end. */
static inline __attribute__((always_inline)) uint8_t *put_event(event_encoder *encoder, uint8_t *out,
								const checked_event *checked, const mprof_event *event,
								uint64_t *last_counter)
{
	const event_rule *rule = checked->rule;
	const uint64_t time = event->counter - *last_counter;

	if (is_allocation(rule))
		return put_allocation(encoder, out, rule, event, checked->detail);
	if (rule->layout != EVENT_LAYOUT_RESIZE)
		*last_counter = event->counter;
	return put_timed(encoder, out, rule, event, checked->detail, time);
}

/* The room that the arguments of events need, apart from those that are longer than an event may have. */
static size_t argument_room(const event_encoder *encoder, const mprof_event *events, size_t count)
{
	const event_definitions *defined = &encoder->checker.defined;
	size_t room = 0;

	/* Without types, no event of a type passes the check: most logs need no pass over the events here. */
	if (encoder->checker.rules[MPROF_EVENT_TYPED].layout != EVENT_LAYOUT_SIZED ||
	    (*defined->type_count == 0 && !defined->any))
		return 0;
	for (size_t i = 0; i < count; i++) {
		mprof_event_detail copy;
		const mprof_event_detail *detail;

		if (events[i].kind != MPROF_EVENT_TYPED)
			continue;
		detail = event_detail_complete(&events[i], &copy);
		if (detail != NULL && detail->argument_size <= MPROF_ARGUMENTS_MAX_SIZE)
			room += detail->argument_size;
	}
	return room;
}

/* Checks and encodes events for which room is reserved. This is the hot loop of the writer. */
static mprof_status put_events(event_encoder *encoder, uint8_t **cursor, const mprof_event *events, size_t count,
			       size_t *taken)
{
	uint64_t last_counter = encoder->last_counter;
	uint64_t left_out = 0;
	uint8_t *out = *cursor;
	mprof_status status = MPROF_OK;
	size_t i;

	for (i = 0; i < count; i++) {
		mprof_event_detail copy;
		const checked_event checked = event_check(&encoder->checker, &events[i], last_counter, &copy);

		if (__builtin_expect(checked.status != MPROF_OK, 0)) {
			status = checked.status;
			break;
		}
		if (__builtin_expect(checked.rule == NULL, 0)) {
			left_out++;
			continue;
		}
		out = put_event(encoder, out, &checked, &events[i], &last_counter);
	}
	encoder->last_counter = last_counter;
	encoder->written += i - left_out;
	*cursor = out;
	*taken += i;
	return status;
}

/* The number of events, at most \p batch, for which the buffer has room. \p room receives what they need. */
static size_t events_that_fit(const event_encoder *encoder, const encode_buffer *buffer, const mprof_event *events,
			      size_t batch, size_t *room)
{
	const size_t remaining = buffer->limit - buffer->length - EVENTS_TAIL_ROOM;

	if (batch > remaining / EVENT_ROOM)
		batch = remaining / EVENT_ROOM;
	*room = batch * EVENT_ROOM + argument_room(encoder, events, batch);
	while (batch > 0 && *room > remaining) {
		batch--;
		*room -= EVENT_ROOM + argument_room(encoder, &events[batch], 1);
	}
	return batch;
}

mprof_status events_encode(event_encoder *encoder, encode_buffer *buffer, const mprof_event *events, size_t count,
			   size_t *taken)
{
	mprof_status status = MPROF_OK;

	*taken = 0;
	while (*taken < count && status == MPROF_OK) {
		size_t batch = count - *taken < BATCH_EVENTS ? count - *taken : BATCH_EVENTS;
		size_t room;
		uint8_t *cursor;

		batch = events_that_fit(encoder, buffer, events + *taken, batch, &room);
		if (batch == 0)
			return MPROF_ERR_LIMIT;
		if (!encode_buffer_reserve(buffer, room + EVENTS_TAIL_ROOM)) {
			buffer->status = MPROF_OK;
			return MPROF_ERR_MEMORY;
		}
		cursor = buffer->bytes + buffer->length;
		status = put_events(encoder, &cursor, events + *taken, batch, taken);
		buffer->length = (size_t)(cursor - buffer->bytes);
	}
	return status;
}

void event_encode_section(encode_buffer *buffer, size_t kept, const uint32_t *frames, size_t count)
{
	encode_byte(buffer, EVENT_BYTE_STACK_SECTION);
	encode_varint(buffer, kept);
	encode_varint(buffer, count);
	for (size_t i = 0; i < count; i++)
		encode_varint(buffer, frames[i]);
}

void event_columns_init(event_columns *columns, const mprof_allocator *allocator)
{
	memset(columns, 0, sizeof(*columns));
	columns->allocator = *allocator;
	encode_buffer_init(&columns->rows, allocator, SIZE_MAX);
	typed_split_init(&columns->split, allocator);
}

void event_columns_destroy(event_columns *columns)
{
	allocator_release(&columns->allocator, columns->symbols, columns->capacities[EVENT_COLUMN_SYMBOLS]);
	for (size_t i = FIRST_NUMBERS; i <= LAST_NUMBERS; i++)
		allocator_release(&columns->allocator, columns->values[i],
				  columns->capacities[i] * sizeof(*columns->values[i]));
	encode_buffer_destroy(&columns->rows);
	allocator_release(&columns->allocator, columns->typed, columns->typed_capacity * sizeof(*columns->typed));
	typed_split_destroy(&columns->split);
}

void event_columns_clear(event_columns *columns)
{
	memset(columns->counts, 0, sizeof(columns->counts));
	encode_buffer_clear(&columns->rows);
	columns->last_object = 0;
	columns->typed_count = 0;
}

int event_columns_reserve(event_columns *columns, size_t more)
{
	for (size_t i = EVENT_COLUMN_SYMBOLS; i <= LAST_NUMBERS; i++) {
		void *values = i == EVENT_COLUMN_SYMBOLS ? (void *)columns->symbols : columns->values[i];
		size_t size = i == EVENT_COLUMN_SYMBOLS ? sizeof(*columns->symbols) : sizeof(*columns->values[i]);
		int is_reserved = array_reserve(&columns->allocator, &values, &columns->capacities[i],
						columns->counts[i] + more, size);

		if (i == EVENT_COLUMN_SYMBOLS)
			columns->symbols = values;
		else
			columns->values[i] = values;
		if (!is_reserved)
			return 0;
	}
	return 1;
}

/* Reserves the room in the block that all events take in the worst case, and \p more with their arguments. */
static int reserve_block(const event_columns *columns, encode_buffer *block, size_t more, size_t arguments)
{
	size_t values = 0;

	for (size_t i = FIRST_NUMBERS; i <= LAST_NUMBERS; i++)
		values += columns->counts[i];
	/* No event has more than five values. */
	return encode_buffer_reserve(block, DIRECTORY_ROOM + COLUMNS_ROOM +
						    (columns->counts[EVENT_COLUMN_SYMBOLS] + more) / 2 + 1 +
						    (values + 5 * more) * VALUE_ROOM + columns->rows.length +
						    more * EVENT_ROOM + arguments + EVENTS_TAIL_ROOM);
}

static inline void add_value(event_columns *columns, event_column column, uint64_t value)
{
	columns->values[column][columns->counts[column]++] = value;
}

static inline void add_symbol(event_columns *columns, event_symbol symbol)
{
	columns->symbols[columns->counts[EVENT_COLUMN_SYMBOLS]++] = (uint8_t)symbol;
}

/* Adds the values of a checked allocation. Returns its symbol. */
static inline event_symbol add_allocation(event_columns *columns, const event_encoder *encoder,
					  const checked_event *checked, const mprof_event *event)
{
	add_value(columns, EVENT_COLUMN_CLASSES, event->id);
	for (uint32_t remaining = checked->rule->fields; remaining != 0; remaining = EVENT_FIELDS_NEXT(remaining)) {
		switch (EVENT_FIELDS_FIRST(remaining)) {
		case EVENT_FIELD_CALLER:
			add_value(columns, EVENT_COLUMN_CALLERS, checked->detail->caller);
			break;
		case EVENT_FIELD_STACK:
			add_value(columns, EVENT_COLUMN_STACKS, checked->detail->stack);
			break;
		default:
			add_value(columns, EVENT_COLUMN_OBJECTS,
				  event_column_fold_address(checked->detail->object - columns->last_object));
			columns->last_object = checked->detail->object;
			break;
		}
	}
	if (has_fixed_size(encoder, event))
		return EVENT_SYMBOL_ALLOCATION_FIXED;
	add_value(columns, EVENT_COLUMN_SIZES, event->value);
	return EVENT_SYMBOL_ALLOCATION;
}

/* Notes an event of a type that was added to the rows at start. Without memory it remains there. */
static __attribute__((noinline)) void note_typed(event_columns *columns, size_t start)
{
	void *typed = columns->typed;
	int is_reserved = array_reserve(&columns->allocator, &typed, &columns->typed_capacity, columns->typed_count + 1,
					sizeof(*columns->typed));

	columns->typed = typed;
	if (!is_reserved)
		return;
	columns->typed[columns->typed_count++] = (typed_row){.event = (uint32_t)columns->counts[EVENT_COLUMN_SYMBOLS],
							     .time = (uint32_t)columns->counts[EVENT_COLUMN_TIMES],
							     .start = (uint32_t)start,
							     .end = (uint32_t)columns->rows.length};
}

/* Inlined, it would take registers from the frequent events. */
static __attribute__((noinline)) void add_row(event_columns *columns, event_encoder *encoder,
					      const checked_event *checked, const mprof_event *event)
{
	encode_buffer *rows = &columns->rows;
	uint8_t *end = put_event(encoder, rows->bytes + rows->length, checked, event, &encoder->last_counter);

	rows->length = (size_t)(end - rows->bytes);
}

/* Adds the values of a checked event. Returns its symbol. */
static inline event_symbol add_values(event_columns *columns, event_encoder *encoder, const checked_event *checked,
				      const mprof_event *event)
{
	const event_symbol symbol = (event_symbol)checked->rule->symbol;

	if (symbol == EVENT_SYMBOL_ROW) {
		const size_t start = columns->rows.length;

		add_row(columns, encoder, checked, event);
		if (checked->rule->layout == EVENT_LAYOUT_SIZED && columns->shapes != NULL)
			note_typed(columns, start);
		return symbol;
	}
	if (symbol == EVENT_SYMBOL_ALLOCATION)
		return add_allocation(columns, encoder, checked, event);
	if (symbol != EVENT_SYMBOL_LEAVE_IMPLICIT)
		add_value(columns, EVENT_COLUMN_METHODS, event->id);
	add_value(columns, EVENT_COLUMN_TIMES, event->counter - encoder->last_counter);
	encoder->last_counter = event->counter;
	return symbol;
}

/* Checks and adds an event for which room is reserved. */
static inline mprof_status add_event(event_columns *columns, event_encoder *encoder, const mprof_event *event)
{
	mprof_event_detail copy;
	const checked_event checked = event_check(&encoder->checker, event, encoder->last_counter, &copy);

	if (checked.status != MPROF_OK || checked.rule == NULL)
		return checked.status;
	add_symbol(columns, add_values(columns, encoder, &checked, event));
	encoder->written++;
	return MPROF_OK;
}

/* Reserves room for events of which all may be rows. */
static int reserve_rows(event_columns *columns, size_t more, size_t arguments)
{
	if (encode_buffer_reserve(&columns->rows, more * EVENT_ROOM + arguments))
		return 1;
	columns->rows.status = MPROF_OK;
	return 0;
}

mprof_status event_columns_add_event(event_columns *columns, event_encoder *encoder, const mprof_event *event)
{
	return reserve_rows(columns, 1, argument_room(encoder, event, 1)) ? add_event(columns, encoder, event)
									  : MPROF_ERR_MEMORY;
}

mprof_status event_columns_add(event_columns *columns, event_encoder *encoder, encode_buffer *block,
			       const mprof_event *events, size_t count, size_t *taken)
{
	mprof_status status = MPROF_OK;

	*taken = 0;
	while (*taken < count && status == MPROF_OK && !event_columns_is_full(columns)) {
		size_t room = EVENT_COLUMNS_MAX_EVENTS - columns->counts[EVENT_COLUMN_SYMBOLS];
		size_t batch = count - *taken < BATCH_EVENTS ? count - *taken : BATCH_EVENTS;
		size_t arguments;

		if (batch > room)
			batch = room;
		arguments = argument_room(encoder, events + *taken, batch);
		if (!event_columns_reserve(columns, batch) || !reserve_rows(columns, batch, arguments) ||
		    !reserve_block(columns, block, batch, arguments)) {
			encode_buffer_truncate(block, block->length);
			return MPROF_ERR_MEMORY;
		}
		for (; batch > 0 && status == MPROF_OK && !event_columns_is_full(columns); batch--) {
			status = add_event(columns, encoder, &events[*taken]);
			*taken += status == MPROF_OK;
		}
	}
	return status;
}

/* Moves the low halves of eight bytes to the lowest four bytes. */
static inline uint32_t pack_symbols(uint64_t symbols)
{
	symbols = (symbols | symbols >> 4) & UINT64_C(0x00ff00ff00ff00ff);
	symbols = (symbols | symbols >> 8) & UINT64_C(0x0000ffff0000ffff);
	return (uint32_t)(symbols | symbols >> 16);
}

static void encode_symbols(const event_columns *columns, const uint8_t *symbols, encode_buffer *block)
{
	const size_t count = columns->counts[EVENT_COLUMN_SYMBOLS];
	size_t i = 0;
	uint8_t *out;

	if (!encode_buffer_reserve(block, (count + 1) / 2))
		return;
	out = block->bytes + block->length;
	for (; count - i >= 8; i += 8, out += 4)
		bytes_store_32(out, pack_symbols(bytes_load_64(symbols + i)));
	for (; i + 1 < count; i += 2)
		*out++ = (uint8_t)(symbols[i] | symbols[i + 1] << EVENT_SYMBOL_BITS);
	if (count % 2 != 0)
		*out++ = symbols[count - 1];
	block->length += (count + 1) / 2;
}

/* split: the columns that differ if events of types are in columns; NULL if none is. */
static void encode_column(const event_columns *columns, const typed_split *split, event_column column,
			  encode_buffer *block)
{
	switch (column) {
	case EVENT_COLUMN_SYMBOLS:
		encode_symbols(columns, split != NULL ? split->symbols : columns->symbols, block);
		break;
	case EVENT_COLUMN_ROWS:
		encode_bytes(block, split != NULL ? split->rows : columns->rows.bytes,
			     split != NULL ? split->row_length : columns->rows.length);
		break;
	case EVENT_COLUMN_GROUPS:
		if (split != NULL)
			encode_bytes(block, split->groups.bytes, split->groups.length);
		break;
	case EVENT_COLUMN_SHAPES:
		if (split != NULL)
			encode_bytes(block, split->shapes.bytes, split->shapes.length);
		break;
	default:
		if (column == EVENT_COLUMN_TIMES && split != NULL)
			encode_bytes(block, split->times.bytes, split->times.length);
		else
			int_column_encode(block, columns->values[column], columns->counts[column]);
		break;
	}
}

/* Returns NULL if all events of types remain rows. */
static const typed_split *split_typed(event_columns *columns)
{
	const typed_source source = {.symbols = columns->symbols,
				     .event_count = columns->counts[EVENT_COLUMN_SYMBOLS],
				     .times = columns->values[EVENT_COLUMN_TIMES],
				     .time_count = columns->counts[EVENT_COLUMN_TIMES],
				     .rows = columns->rows.bytes,
				     .row_length = columns->rows.length,
				     .typed = columns->typed,
				     .typed_count = columns->typed_count,
				     .shapes = columns->shapes};

	return columns->typed_count >= TYPED_SPLIT_MIN_EVENTS && typed_split_build(&columns->split, &source)
		       ? &columns->split
		       : NULL;
}

/* Appends the number of columns and their lengths. */
static void encode_directory(const typed_split *split, const size_t lengths[EVENT_COLUMNS], encode_buffer *block)
{
	size_t count = EVENT_COLUMNS;

	while (count > 0 && lengths[count - 1] == 0)
		count--;
	encode_varint(block, split != NULL ? EVENT_COLUMNS + split->column_count : count);
	for (size_t i = 0; i < count; i++)
		encode_varint(block, lengths[i]);
	if (split != NULL)
		encode_bytes(block, split->lengths.bytes, split->lengths.length);
}

size_t event_columns_encode(event_columns *columns, encode_buffer *block)
{
	const typed_split *split = split_typed(columns);
	const size_t room = DIRECTORY_ROOM + (split != NULL ? split->lengths.length : 0);
	size_t lengths[EVENT_COLUMNS];
	size_t start = block->length;
	size_t directory_start;
	size_t length;

	/* The lengths precede the columns but are known only after these, which are therefore moved. */
	if (!encode_buffer_reserve(block, room))
		return 0;
	block->length += room;
	for (size_t i = 0; i < EVENT_COLUMNS; i++) {
		lengths[i] = block->length;
		encode_column(columns, split, (event_column)i, block);
		lengths[i] = block->length - lengths[i];
	}
	if (split != NULL)
		encode_bytes(block, split->arguments.bytes, split->arguments.length);
	if (block->status != MPROF_OK)
		return 0;
	length = block->length - start - room;
	block->length = start;
	encode_varint(block, columns->counts[EVENT_COLUMN_SYMBOLS]);
	directory_start = block->length;
	encode_directory(split, lengths, block);
	memmove(block->bytes + block->length, block->bytes + start + room, length);
	block->length += length;
	return block->length - directory_start;
}
