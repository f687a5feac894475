/* SPDX-License-Identifier: MIT */
/**
 * \file format/events/events_encode.h
 * \brief Encodes events (doc/format.md, section 4).
 */
#ifndef FORMAT_EVENTS_EVENTS_ENCODE_H
#define FORMAT_EVENTS_EVENTS_ENCODE_H

#include <mprof/writer.h>

#include "base/id_map.h"
#include "format/values/dialect.h"
#include "format/values/encode_buffer.h"
#include "format/events/event_codes.h"
#include "format/events/event_detail.h"

/** What the ID of an event identifies. */
typedef enum event_id_space {
	EVENT_ID_NONE, /**< The event has no ID. */
	EVENT_ID_METHOD,
	EVENT_ID_CLASS
} event_id_space;

/** How an event of a kind with certain flags is written. */
typedef struct event_rule {
	uint8_t layout;         /**< An #event_layout; EVENT_LAYOUT_INVALID if it cannot be written. */
	uint8_t byte;           /**< The event code; the bits of a packed ID or time are 0. */
	uint8_t id_space;       /**< An #event_id_space. */
	uint8_t degraded;       /**< 1: the code is that of a more general kind (only if lossy). */
	uint8_t written_fields; /**< The fields of the detail that the log contains, a bit for each #event_field. */
	uint8_t can_lose;       /**< 1: the event may have an optional field that the log cannot contain. */
	uint16_t fields;        /**< Optional fields, as EVENT_FIELDS(). */
} event_rule;

/** The rule for an event is at index kind + flags * EVENT_RULE_KINDS. */
#define EVENT_RULE_KINDS 256
#define EVENT_RULE_FLAGS 4
#define EVENT_RULE_COUNT (EVENT_RULE_KINDS * EVENT_RULE_FLAGS)

/** The definitions that events may refer to. All are borrowed, and may grow between calls. */
typedef struct event_definitions {
	const id_set *method_ids;
	const id_set *class_ids;
	const id_map *object_sizes;  /**< Fixed object sizes by class; empty without directive 18. */
	const uint32_t *stack_count; /**< Stack IDs from 1 to this number are defined. */
	int any;                     /**< 1: IDs that are not in these sets are permitted, too. */
} event_definitions;

typedef struct event_encoder {
	event_rule rules[EVENT_RULE_COUNT];
	event_definitions defined;
	mprof_writer_stats *stats; /**< Counts events that are left out or shortened. Borrowed. */
	uint64_t last_counter;     /**< Counter of the last event with a time. The owner initializes it to the base. */
	uint64_t last_address;     /**< Address in the last native memory event. The owner initializes it to 0. */
	uint32_t collection;       /**< Number of the latest collection; 0 if it has none. */
	uint32_t last_number;      /**< The highest collection number so far. */
	int has_counted;           /**< 1: the encoder assigned a number to a collection. */
	int is_numbered;           /**< 1: the caller numbered the latest collection that started. */
	int counts_collections;    /**< 1: collections without a number (0) are assigned the next one. */
	uint64_t written;          /**< Events written. Initialized to 0 by the owner. */
	int lossy;
} event_encoder;

/** The bit of event_rule::written_fields for a field. */
#define WRITES_FIELD(field) (1 << (field))

/** The rule for an event; its layout is #EVENT_LAYOUT_INVALID if the event cannot be written. */
static inline const event_rule *event_rule_for(const event_encoder *encoder, const mprof_event *event)
{
	static const event_rule none = {EVENT_LAYOUT_INVALID, 0, EVENT_ID_NONE, 0, 0, 0, 0};

	if (__builtin_expect(event->flags >= EVENT_RULE_FLAGS, 0)) {
		/* A reader resolved an implicit leave: with a method ID it can be written as an explicit one. */
		if (event->kind == MPROF_EVENT_METHOD_LEAVE && event->flags == MPROF_EVENT_FLAG_IMPLICIT)
			return &encoder->rules[event->id != 0 ? MPROF_EVENT_METHOD_LEAVE
							      : MPROF_EVENT_METHOD_LEAVE_IMPLICIT];
		return &none;
	}
	return &encoder->rules[event->kind + event->flags * EVENT_RULE_KINDS];
}

/** Whether an event may refer to a class or a method by this ID. */
static inline int event_id_is_known(const event_encoder *encoder, const id_set *ids, uint32_t id)
{
	return __builtin_expect(id_set_has(ids, id), 1) || encoder->defined.any;
}

static inline int event_rule_is_allocation(const event_rule *rule)
{
	return rule->layout == EVENT_LAYOUT_ALLOCATION || rule->layout == EVENT_LAYOUT_ALLOCATION_UNPACKED;
}

static inline int event_rule_has_time(const event_rule *rule)
{
	return !event_rule_is_allocation(rule) && rule->layout != EVENT_LAYOUT_RESIZE;
}

/** Returns the valid detail of an event with all fields, or an empty one if none. \p own is scratch space. */
static inline const mprof_event_detail *event_detail_of(const mprof_event *event, mprof_event_detail *own)
{
	static const mprof_event_detail unknown = {.struct_size = sizeof(unknown)};

	return event->more.detail != NULL ? event_detail_read(event->more.detail, own) : &unknown;
}

static inline int event_handle_fits(const mprof_event *event, const mprof_event_detail *detail)
{
	return detail->handle_type <= EVENT_HANDLE_TYPE_MASK && event->value <= UINT64_MAX >> EVENT_HANDLE_TYPE_BITS;
}

/** Computes the number that an optional field is written as. Returns 0 if it is out of range or an undefined ID. */
static inline int event_field_value(const event_encoder *encoder, uint32_t field, const mprof_event *event,
				    const mprof_event_detail *detail, uint64_t *number)
{
	switch (field) {
	case EVENT_FIELD_HANDLE:
		*number = event->value << EVENT_HANDLE_TYPE_BITS | detail->handle_type;
		return event_handle_fits(event, detail);
	case EVENT_FIELD_CALLER:
		*number = detail->caller;
		return detail->caller == 0 || event_id_is_known(encoder, encoder->defined.method_ids, detail->caller);
	case EVENT_FIELD_STACK:
		*number = detail->stack;
		return detail->stack <= *encoder->defined.stack_count || encoder->defined.any;
	case EVENT_FIELD_OBJECT:
		*number = detail->object;
		return 1;
	default:
		*number = event->value;
		return 1;
	}
}

/** Whether number and generation fit the varint they share. Dialects that count collections limit it to 32 bits. */
static inline int event_collection_fits(const event_encoder *encoder, const mprof_event *event)
{
	return event->value <= EVENT_GENERATION_MASK &&
	       (!encoder->counts_collections || event->id <= UINT32_MAX >> EVENT_GENERATION_BITS);
}

/** Returns the reason why an event could not be written. */
static inline mprof_status event_refused_status(const event_rule *rule, const mprof_event *event)
{
	mprof_event_detail own;

	if ((rule->fields != 0 || event_layout_is_memory(rule->layout)) && !event_detail_is_valid(event->more.detail))
		return MPROF_ERR_ARGUMENT;
	if (EVENT_FIELDS_FIRST(rule->fields) == EVENT_FIELD_HANDLE &&
	    !event_handle_fits(event, event_detail_of(event, &own)))
		return MPROF_ERR_ARGUMENT;
	return rule->layout == EVENT_LAYOUT_COLLECTION ? MPROF_ERR_UNSUPPORTED : MPROF_ERR_UNDEFINED_ID;
}

/** Whether the event has an optional field that the log cannot contain, by the directives or the dialect. */
static inline int event_loses_field(const event_rule *rule, const mprof_event *event)
{
	mprof_event_detail own;
	const mprof_event_detail *detail;

	if (!rule->can_lose)
		return 0;
	if (rule->layout == EVENT_LAYOUT_VALUE)
		return event->id != 0;
	if (!event_detail_is_valid(event->more.detail))
		return 0;
	detail = event_detail_of(event, &own);
	return (detail->caller != 0 && (rule->written_fields & WRITES_FIELD(EVENT_FIELD_CALLER)) == 0) ||
	       (detail->stack != 0 && (rule->written_fields & WRITES_FIELD(EVENT_FIELD_STACK)) == 0) ||
	       (detail->object != 0 && (rule->written_fields & WRITES_FIELD(EVENT_FIELD_OBJECT)) == 0);
}

/**
 * Whether a part of the event is missing in the log, and must be counted. Readers assign the counter of the previous
 * event, \p last_counter, to an event without a time.
 */
static inline int event_loss_is_counted(const event_encoder *encoder, const event_rule *rule, const mprof_event *event,
					uint64_t last_counter)
{
	/* Lost: how a method was left, the time of a heap size, or a number out of range. */
	if (encoder->lossy &&
	    (rule->degraded || (rule->layout == EVENT_LAYOUT_RESIZE && event->counter != last_counter) ||
	     (rule->layout == EVENT_LAYOUT_COLLECTION && !event_collection_fits(encoder, event))))
		return 1;
	return event_loses_field(rule, event);
}

/**
 * The room, in bytes, that events_encode() keeps free after the events: for the end of the list, a CLOCK and a
 * checksum. A buffer passed to events_encode() must have it. A block that was started can therefore always be ended
 * without another allocation.
 */
#define EVENTS_TAIL_ROOM (1 + 2 * MPROF_VARINT_MAX_LENGTH + 4)

/**
 * Maximum size of an encoded event, that of resized memory: a byte, five varints of 64 bits, two remainders of
 * addresses, an ID. The last 8 bytes are for stores of varints, which write eight bytes at a time.
 */
#define EVENT_ROOM (1 + 5 * MPROF_VARINT_MAX_LENGTH + 2 + 5 + 8)

/** Initializes an encoder for a dialect and the directives declared. \p defined is copied; \p stats is borrowed. */
void event_encoder_init(event_encoder *encoder, const dialect_rules *rules, uint64_t directives, int lossy,
			const event_definitions *defined, mprof_writer_stats *stats);

/** Maximum length of a stack section in bytes: a byte, and varints of 32 bits. */
#define EVENT_SECTION_ROOM(frames) (1 + (2 + (frames)) * 5)

/**
 * Appends a stack section: \p kept outermost frames of the previous stack stay, and \p frames replace the others,
 * innermost first.
 */
void event_encode_section(encode_buffer *buffer, size_t kept, const uint32_t *frames, size_t count);

/**
 * Appends events up to the first one that cannot be written. \p taken receives the number of events written or, if
 * lossy, left out. encode_buffer::status does not change.
 *
 * \return #MPROF_OK
 * \return #MPROF_ERR_UNDEFINED_ID: an event refers to an ID that is not defined
 * \return #MPROF_ERR_ARGUMENT: a handle is out of range, or a detail is invalid
 * \return #MPROF_ERR_UNSUPPORTED: the dialect or the directives cannot represent an event, and the encoder is not lossy
 * \return #MPROF_ERR_MEMORY: out of memory
 * \return #MPROF_ERR_LIMIT: the events exceed encode_buffer::limit
 */
mprof_status events_encode(event_encoder *encoder, encode_buffer *buffer, const mprof_event *events, size_t count,
			   size_t *taken);

#endif
