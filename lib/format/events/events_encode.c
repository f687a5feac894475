/* SPDX-License-Identifier: MIT */
/* Encodes events, and checks them before. */
#include "format/events/events_encode.h"

#include "format/events/event_kinds.h"
#include "format/values/losses.h"
#include "format/values/varint.h"

#include <string.h>

/* Whether the size of an allocation can be omitted: it is the fixed object size of the class. */
static inline int event_has_fixed_size(const event_encoder *encoder, const mprof_event *event)
{
	uint32_t size = id_map_get(encoder->defined.object_sizes, event->id);

	/* If the low five bits of the ID were 0, the event code would be 0, which ends the list. */
	return size != 0 && size == event->value && (event->id & EVENT_PACKED_MASK) != 0;
}

/* Room is reserved for this many events at once: little compared to a block, but enough to amortize the call. */
#define BATCH_EVENTS 256

static event_id_space id_space_of(uint32_t byte)
{
	switch (byte & EVENT_GROUP_MASK) {
	case EVENT_GROUP_ENTER:
	case EVENT_GROUP_LEAVE:
	case EVENT_GROUP_METHOD:
		return EVENT_ID_METHOD;
	case EVENT_GROUP_ALLOCATION:
	case EVENT_GROUP_CLASS:
		return EVENT_ID_CLASS;
	default:
		return EVENT_ID_NONE;
	}
}

static uint8_t written_fields_of(uint32_t fields)
{
	uint32_t written_fields = 0;

	for (; fields != 0; fields = EVENT_FIELDS_NEXT(fields))
		written_fields |= WRITES_FIELD(EVENT_FIELDS_FIRST(fields));
	return (uint8_t)written_fields;
}

static event_rule rule_of(const event_code codes[256], const dialect_rules *rules, uint32_t kind, uint32_t flags)
{
	event_rule rule = {EVENT_LAYOUT_INVALID, 0, EVENT_ID_NONE, 0, 0, 0, 0};
	int byte = event_codes_byte(rules, kind, flags);

	/* A caller specifies the call stack of each event; the writer creates stack sections where they are needed. */
	if (byte > 0 && codes[byte].kind == kind && kind != MPROF_EVENT_STACK_SECTION) {
		rule.layout = codes[byte].layout;
		rule.byte = (uint8_t)byte;
		rule.id_space = (uint8_t)id_space_of((uint32_t)byte);
		rule.fields = codes[byte].fields;
		rule.written_fields = written_fields_of(rule.fields);
	}
	return rule;
}

/* Kinds that the dialect lacks are written as more general kinds. */
static void degrade_rules(event_rule rules[EVENT_RULE_COUNT])
{
	static const struct {
		uint8_t kind;
		uint8_t instead;
	} replacements[] = {
		/* The leave is kept without its reason: if it were left out, call stacks would be wrong. */
		{MPROF_EVENT_METHOD_LEAVE_EXCEPTION, MPROF_EVENT_METHOD_LEAVE},
		{MPROF_EVENT_METHOD_LEAVE_TAIL, MPROF_EVENT_METHOD_LEAVE},
		{MPROF_EVENT_ALLOCATION_AT_JIT, MPROF_EVENT_ALLOCATION},
	};

	for (size_t i = 0; i < sizeof(replacements) / sizeof(replacements[0]); i++) {
		event_rule *rule = &rules[replacements[i].kind];

		if (rule->layout == EVENT_LAYOUT_INVALID) {
			*rule = rules[replacements[i].instead];
			rule->degraded = 1;
		}
	}
}

/* Whether an event of a kind can have an optional field that the log cannot contain. */
static uint8_t rule_can_lose(const event_rule *rule, uint32_t kind)
{
	const uint32_t all =
		WRITES_FIELD(EVENT_FIELD_CALLER) | WRITES_FIELD(EVENT_FIELD_STACK) | WRITES_FIELD(EVENT_FIELD_OBJECT);

	/* The number of a collection. */
	if (rule->layout == EVENT_LAYOUT_VALUE)
		return event_kind_rows[kind].category == MPROF_EVENT_CATEGORY_COLLECTION;
	/* Other events have no detail; their pointer is not valid. */
	if (!event_rule_is_allocation(rule) && rule->layout != EVENT_LAYOUT_DETAILED && kind != MPROF_EVENT_EXCEPTION)
		return 0;
	return (rule->written_fields & all) != all;
}

void event_encoder_init(event_encoder *encoder, const dialect_rules *rules, uint64_t directives, int lossy,
			const event_definitions *defined, mprof_writer_stats *stats)
{
	event_code codes[256];

	memset(encoder, 0, sizeof(*encoder));
	event_codes_build(codes, rules, directives);
	for (uint32_t i = 0; i < EVENT_RULE_COUNT; i++)
		encoder->rules[i] = rule_of(codes, rules, i % EVENT_RULE_KINDS, i / EVENT_RULE_KINDS);
	if (lossy)
		degrade_rules(encoder->rules);
	encoder->counts_collections = rules->counts_collections;
	/* The owner of the encoder writes a stack section before an event. */
	if ((directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK)) != 0) {
		for (uint32_t i = 0; i < EVENT_RULE_COUNT; i++)
			encoder->rules[i].written_fields |= WRITES_FIELD(EVENT_FIELD_STACK);
	}
	for (uint32_t i = 0; i < EVENT_RULE_COUNT; i++)
		encoder->rules[i].can_lose = rule_can_lose(&encoder->rules[i], i % EVENT_RULE_KINDS);
	encoder->defined = *defined;
	encoder->stats = stats;
	encoder->lossy = lossy;
}

static inline uint8_t *put_number(uint8_t *out, uint64_t value)
{
	return varint_word_put_mostly_short(out, value);
}

static inline int id_is_defined(const event_encoder *encoder, const event_rule *rule, uint32_t id)
{
	const event_definitions *defined = &encoder->defined;

	return event_id_is_known(encoder, rule->id_space == EVENT_ID_METHOD ? defined->method_ids : defined->class_ids,
				 id);
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

/* Encodes optional fields. Returns their end, or NULL if one of them cannot be written. */
static uint8_t *put_fields(const event_encoder *encoder, uint8_t *out, uint32_t fields, const mprof_event *event)
{
	mprof_event_detail own;
	const mprof_event_detail *detail;

	if (!event_detail_is_valid(event->more.detail))
		return NULL;
	detail = event_detail_of(event, &own);
	for (; fields != 0; fields = EVENT_FIELDS_NEXT(fields)) {
		uint64_t number;

		if (!event_field_value(encoder, EVENT_FIELDS_FIRST(fields), event, detail, &number))
			return NULL;
		out = put_number(out, number);
	}
	return out;
}

/* Encodes an allocation. Returns its end, or NULL if it cannot be written. */
static inline uint8_t *put_allocation(const event_encoder *encoder, uint8_t *out, const event_rule *rule,
				      const mprof_event *event)
{
	if (!event_id_is_known(encoder, encoder->defined.class_ids, event->id))
		return NULL;
	if (rule->layout == EVENT_LAYOUT_ALLOCATION_UNPACKED) {
		*out++ = rule->byte;
		out = put_number(out, event->id);
		out = put_number(out, event->value);
	} else if (event_has_fixed_size(encoder, event)) {
		out = put_packed_id(out, EVENT_GROUP_ALLOCATION_FIXED, event->id);
	} else {
		out = put_packed_id(out, rule->byte, event->id);
		out = put_number(out, event->value);
	}
	return rule->fields == 0 ? out : put_fields(encoder, out, rule->fields, event);
}

static uint8_t *put_detailed(const event_encoder *encoder, uint8_t *out, const event_rule *rule,
			     const mprof_event *event, uint64_t time)
{
	if (event->id != 0 && !id_is_defined(encoder, rule, event->id))
		return NULL;
	*out++ = rule->byte;
	out = put_number(out, event->id);
	out = put_number(out, time);
	return put_fields(encoder, out, rule->fields, event);
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

	if (number == 0 && encoder->counts_collections) {
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

/* Encodes a collection event with its number. Returns its end, or NULL if it does not fit and loss is not permitted. */
static uint8_t *put_collection(event_encoder *encoder, uint8_t *out, const event_rule *rule, const mprof_event *event,
			       uint64_t time)
{
	uint64_t generation = event->value < EVENT_GENERATION_MASK ? event->value : EVENT_GENERATION_MASK;
	uint64_t number;

	if (rule->layout == EVENT_LAYOUT_COLLECTION && !encoder->lossy && !event_collection_fits(encoder, event))
		return NULL;
	number = assign_collection_number(encoder, event);
	*out++ = rule->byte;
	if (rule->layout == EVENT_LAYOUT_COLLECTION) {
		number = number << EVENT_GENERATION_BITS | generation;
		out = put_number(out, encoder->counts_collections ? (uint32_t)number : number);
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

/* Encodes a native memory event (section 4.7). Returns its end, or NULL if it cannot be written. */
static uint8_t *put_memory(event_encoder *encoder, uint8_t *out, const event_rule *rule, const mprof_event *event,
			   uint64_t time)
{
	const int is_freed = rule->layout == EVENT_LAYOUT_MEMORY_FREED;
	mprof_event_detail own;
	const mprof_event_detail *detail;
	uint64_t stack;

	if (!event_detail_is_valid(event->more.detail))
		return NULL;
	detail = event_detail_of(event, &own);
	if (!event_field_value(encoder, EVENT_FIELD_STACK, event, detail, &stack))
		return NULL;
	*out++ = is_freed && stack != 0 ? rule->byte | EVENT_MEMORY_FREED_STACK_BIT : rule->byte;
	out = put_number(out, time);
	if (rule->layout == EVENT_LAYOUT_MEMORY_RESIZED) {
		out = put_number(out, detail->started != 0 ? event->counter - detail->started : 0);
		out = put_memory_address(out, detail->object, &encoder->last_address);
	}
	out = put_memory_address(out, event->value, &encoder->last_address);
	if (!is_freed)
		out = put_number(out, detail->size);
	return is_freed && stack == 0 ? out : put_number(out, stack);
}

/* Encodes an event that has a time. Returns its end, or NULL if it cannot be written. */
static inline uint8_t *put_timed(event_encoder *encoder, uint8_t *out, const event_rule *rule, const mprof_event *event,
				 uint64_t time)
{
	if (rule->layout == EVENT_LAYOUT_PACKED_ID) {
		if (!event_id_is_known(encoder, encoder->defined.method_ids, event->id))
			return NULL;
		out = put_packed_id(out, rule->byte, event->id);
	} else if (rule->layout == EVENT_LAYOUT_IMPLICIT_LEAVE) {
		return put_packed(out, rule, time);
	} else if (rule->layout == EVENT_LAYOUT_ID) {
		if (!id_is_defined(encoder, rule, event->id))
			return NULL;
		*out++ = rule->byte;
		out = put_number(out, event->id);
	} else if (rule->layout == EVENT_LAYOUT_DETAILED) {
		return put_detailed(encoder, out, rule, event, time);
	} else if (event_layout_is_memory(rule->layout)) {
		return put_memory(encoder, out, rule, event, time);
	} else if (rule->layout != EVENT_LAYOUT_VALUE) {
		return put_collection(encoder, out, rule, event, time);
	} else {
		*out++ = rule->byte;
		out = put_number(out, event->value);
	}
	return put_number(out, time);
}

/* Encodes events for which room is reserved. This is the hot loop of the writer. */
static mprof_status put_events(event_encoder *encoder, uint8_t **cursor, const mprof_event *events, size_t count,
			       size_t *taken)
{
	uint64_t last_counter = encoder->last_counter;
	uint64_t skipped = 0;
	uint8_t *out = *cursor;
	mprof_status status = MPROF_OK;
	size_t i;

	for (i = 0; i < count; i++) {
		const mprof_event *event = &events[i];
		const event_rule *rule = event_rule_for(encoder, event);
		uint8_t *end;

		if (__builtin_expect(rule->layout == EVENT_LAYOUT_INVALID, 0)) {
			if (!encoder->lossy) {
				status = MPROF_ERR_UNSUPPORTED;
				break;
			}
			losses_leave_out_event(encoder->stats, event->kind);
			skipped++;
			continue;
		}
		if (event_rule_is_allocation(rule))
			end = put_allocation(encoder, out, rule, event);
		else
			end = put_timed(encoder, out, rule, event, event->counter - last_counter);
		if (__builtin_expect(end == NULL, 0)) {
			status = event_refused_status(rule, event);
			break;
		}
		out = end;
		if (__builtin_expect(rule->can_lose | encoder->lossy, 0) &&
		    event_loss_is_counted(encoder, rule, event, last_counter))
			losses_shorten_event(encoder->stats, event->kind);
		if (event_rule_has_time(rule))
			last_counter = event->counter;
	}
	encoder->last_counter = last_counter;
	encoder->written += i - skipped;
	*cursor = out;
	*taken += i;
	return status;
}

mprof_status events_encode(event_encoder *encoder, encode_buffer *buffer, const mprof_event *events, size_t count,
			   size_t *taken)
{
	mprof_status status = MPROF_OK;

	*taken = 0;
	while (*taken < count && status == MPROF_OK) {
		size_t batch = count - *taken < BATCH_EVENTS ? count - *taken : BATCH_EVENTS;
		size_t fits = (buffer->limit - buffer->length - EVENTS_TAIL_ROOM) / EVENT_ROOM;
		uint8_t *cursor;

		if (fits < batch)
			batch = fits;
		if (batch == 0)
			return MPROF_ERR_LIMIT;
		if (!encode_buffer_reserve(buffer, batch * EVENT_ROOM + EVENTS_TAIL_ROOM)) {
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
