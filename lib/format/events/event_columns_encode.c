/* SPDX-License-Identifier: MIT */
/* Collects events in columns and encodes them. */
#include "format/events/event_columns_encode.h"

#include "base/checked.h"
#include "format/events/events_encode.h"
#include "format/values/int_column.h"
#include "format/values/losses.h"

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

/* Events are added in batches of this many, so that room for them is reserved once. */
#define BATCH_EVENTS 1024

void event_columns_init(event_columns *columns, const mprof_allocator *allocator)
{
	memset(columns, 0, sizeof(*columns));
	columns->allocator = *allocator;
	encode_buffer_init(&columns->rows, allocator, SIZE_MAX);
}

void event_columns_destroy(event_columns *columns)
{
	allocator_release(&columns->allocator, columns->symbols, columns->capacities[EVENT_COLUMN_SYMBOLS]);
	for (size_t i = FIRST_NUMBERS; i <= LAST_NUMBERS; i++)
		allocator_release(&columns->allocator, columns->values[i],
				  columns->capacities[i] * sizeof(*columns->values[i]));
	encode_buffer_destroy(&columns->rows);
}

void event_columns_clear(event_columns *columns)
{
	memset(columns->counts, 0, sizeof(columns->counts));
	encode_buffer_clear(&columns->rows);
	columns->last_object = 0;
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

/* Reserves the room in the block that all events take in the worst case, and \p more. */
static int reserve_block(const event_columns *columns, encode_buffer *block, size_t more)
{
	size_t values = 0;

	for (size_t i = FIRST_NUMBERS; i <= LAST_NUMBERS; i++)
		values += columns->counts[i];
	/* No event has more than five values. */
	return encode_buffer_reserve(block, DIRECTORY_ROOM + COLUMNS_ROOM +
						    (columns->counts[EVENT_COLUMN_SYMBOLS] + more) / 2 + 1 +
						    (values + 5 * more) * VALUE_ROOM + columns->rows.length +
						    more * EVENT_ROOM + EVENTS_TAIL_ROOM);
}

static inline void add_value(event_columns *columns, event_column column, uint64_t value)
{
	columns->values[column][columns->counts[column]++] = value;
}

static inline void add_symbol(event_columns *columns, event_symbol symbol)
{
	columns->symbols[columns->counts[EVENT_COLUMN_SYMBOLS]++] = (uint8_t)symbol;
}

/* The symbol of an event; #EVENT_SYMBOL_ROW if the columns have none for it. */
static inline event_symbol symbol_of(const event_encoder *encoder, const event_rule *rule, const mprof_event *event)
{
	if (rule->layout == EVENT_LAYOUT_IMPLICIT_LEAVE)
		return EVENT_SYMBOL_LEAVE_IMPLICIT;
	if (rule->layout == EVENT_LAYOUT_PACKED_ID)
		return rule->byte == EVENT_GROUP_ENTER ? EVENT_SYMBOL_ENTER : EVENT_SYMBOL_LEAVE;
	if (rule->layout == EVENT_LAYOUT_ALLOCATION) {
		uint32_t size = id_map_get(encoder->defined.object_sizes, event->id);

		return size != 0 && size == event->value ? EVENT_SYMBOL_ALLOCATION_FIXED : EVENT_SYMBOL_ALLOCATION;
	}
	return EVENT_SYMBOL_ROW;
}

/* Adds the optional fields of an allocation. Returns 0, adding nothing, if one of them cannot be written. */
static int add_fields(event_columns *columns, const event_encoder *encoder, uint32_t fields, const mprof_event *event)
{
	uint64_t numbers[EVENT_FIELD_COUNT] = {0};
	mprof_event_detail own;
	const mprof_event_detail *detail;

	if (!event_detail_is_valid(event->more.detail))
		return 0;
	detail = event_detail_of(event, &own);
	for (uint32_t left = fields; left != 0; left = EVENT_FIELDS_NEXT(left)) {
		uint32_t field = EVENT_FIELDS_FIRST(left);

		if (!event_field_value(encoder, field, event, detail, &numbers[field]))
			return 0;
	}
	for (uint32_t left = fields; left != 0; left = EVENT_FIELDS_NEXT(left)) {
		switch (EVENT_FIELDS_FIRST(left)) {
		case EVENT_FIELD_CALLER:
			add_value(columns, EVENT_COLUMN_CALLERS, numbers[EVENT_FIELD_CALLER]);
			break;
		case EVENT_FIELD_STACK:
			add_value(columns, EVENT_COLUMN_STACKS, numbers[EVENT_FIELD_STACK]);
			break;
		default:
			add_value(columns, EVENT_COLUMN_OBJECTS,
				  event_column_fold_address(numbers[EVENT_FIELD_OBJECT] - columns->last_object));
			columns->last_object = numbers[EVENT_FIELD_OBJECT];
			break;
		}
	}
	return 1;
}

/* Adds the values of an event that has a symbol. Returns 0, adding nothing, if it cannot be written. */
static inline int add_columns(event_columns *columns, event_encoder *encoder, event_symbol symbol,
			      const event_rule *rule, const mprof_event *event)
{
	switch (symbol) {
	case EVENT_SYMBOL_ENTER:
	case EVENT_SYMBOL_LEAVE:
		if (!event_id_is_known(encoder, encoder->defined.method_ids, event->id))
			return 0;
		add_value(columns, EVENT_COLUMN_METHODS, event->id);
		break;
	case EVENT_SYMBOL_LEAVE_IMPLICIT:
		break;
	default:
		if (!event_id_is_known(encoder, encoder->defined.class_ids, event->id) ||
		    (rule->fields != 0 && !add_fields(columns, encoder, rule->fields, event)))
			return 0;
		add_value(columns, EVENT_COLUMN_CLASSES, event->id);
		if (symbol == EVENT_SYMBOL_ALLOCATION)
			add_value(columns, EVENT_COLUMN_SIZES, event->value);
		return 1;
	}
	add_value(columns, EVENT_COLUMN_TIMES, event->counter - encoder->last_counter);
	return 1;
}

mprof_status event_columns_add_event(event_columns *columns, event_encoder *encoder, const mprof_event *event)
{
	const event_rule *rule = event_rule_for(encoder, event);
	event_symbol symbol = symbol_of(encoder, rule, event);
	uint64_t written = encoder->written;
	mprof_status status;
	size_t taken;

	if (symbol == EVENT_SYMBOL_ROW) {
		status = events_encode(encoder, &columns->rows, event, 1, &taken);
		/* A lossy encoder leaves out an event that it cannot represent. */
		if (encoder->written > written)
			add_symbol(columns, symbol);
		return status;
	}
	if (!add_columns(columns, encoder, symbol, rule, event))
		return event_refused_status(rule, event);
	add_symbol(columns, symbol);
	encoder->written++;
	if (__builtin_expect(rule->can_lose | encoder->lossy, 0) &&
	    event_loss_is_counted(encoder, rule, event, encoder->last_counter))
		losses_shorten_event(encoder->stats, event->kind);
	if (event_rule_has_time(rule))
		encoder->last_counter = event->counter;
	return MPROF_OK;
}

mprof_status event_columns_add(event_columns *columns, event_encoder *encoder, encode_buffer *block,
			       const mprof_event *events, size_t count, size_t *taken)
{
	mprof_status status = MPROF_OK;

	*taken = 0;
	while (*taken < count && status == MPROF_OK && !event_columns_is_full(columns)) {
		size_t room = EVENT_COLUMNS_MAX_EVENTS - columns->counts[EVENT_COLUMN_SYMBOLS];
		size_t batch = count - *taken < BATCH_EVENTS ? count - *taken : BATCH_EVENTS;

		if (batch > room)
			batch = room;
		if (!event_columns_reserve(columns, batch) || !reserve_block(columns, block, batch)) {
			encode_buffer_truncate(block, block->length);
			return MPROF_ERR_MEMORY;
		}
		for (; batch > 0 && status == MPROF_OK; batch--) {
			status = event_columns_add_event(columns, encoder, &events[*taken]);
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

static void encode_symbols(const event_columns *columns, encode_buffer *block)
{
	const size_t count = columns->counts[EVENT_COLUMN_SYMBOLS];
	size_t i = 0;
	uint8_t *out;

	if (!encode_buffer_reserve(block, (count + 1) / 2))
		return;
	out = block->bytes + block->length;
	for (; count - i >= 8; i += 8, out += 4)
		bytes_store_32(out, pack_symbols(bytes_load_64(columns->symbols + i)));
	for (; i + 1 < count; i += 2)
		*out++ = (uint8_t)(columns->symbols[i] | columns->symbols[i + 1] << EVENT_SYMBOL_BITS);
	if (count % 2 != 0)
		*out++ = columns->symbols[count - 1];
	block->length += (count + 1) / 2;
}

static void encode_column(const event_columns *columns, event_column column, encode_buffer *block)
{
	if (column == EVENT_COLUMN_SYMBOLS)
		encode_symbols(columns, block);
	else if (column == EVENT_COLUMN_ROWS)
		encode_bytes(block, columns->rows.bytes, columns->rows.length);
	else
		int_column_encode(block, columns->values[column], columns->counts[column]);
}

size_t event_columns_encode(const event_columns *columns, encode_buffer *block)
{
	size_t lengths[EVENT_COLUMNS];
	size_t column_count = 0;
	size_t start = block->length;
	size_t directory_start;
	size_t length;

	/* The lengths precede the columns but are known only after these, which are therefore moved. */
	if (!encode_buffer_reserve(block, DIRECTORY_ROOM))
		return 0;
	block->length += DIRECTORY_ROOM;
	for (size_t i = 0; i < EVENT_COLUMNS; i++) {
		lengths[i] = block->length;
		encode_column(columns, (event_column)i, block);
		lengths[i] = block->length - lengths[i];
		if (lengths[i] > 0)
			column_count = i + 1;
	}
	if (block->status != MPROF_OK)
		return 0;
	length = block->length - start - DIRECTORY_ROOM;
	block->length = start;
	encode_varint(block, columns->counts[EVENT_COLUMN_SYMBOLS]);
	directory_start = block->length;
	encode_varint(block, column_count);
	for (size_t i = 0; i < column_count; i++)
		encode_varint(block, lengths[i]);
	memmove(block->bytes + block->length, block->bytes + start + DIRECTORY_ROOM, length);
	block->length += length;
	return block->length - directory_start;
}
