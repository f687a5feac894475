/* SPDX-License-Identifier: MIT */
/**
 * \file format/event_rules.h
 * \brief How an event is written, and what is missing in the log then: for the encoders of rows and of columns.
 */
#ifndef FORMAT_EVENT_RULES_H
#define FORMAT_EVENT_RULES_H

#include "format/event_codes.h"
#include "format/event_detail.h"
#include "format/event_encoder.h"

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

/** Whether the size of an allocation can be omitted: it is the fixed object size of the class. */
static inline int event_has_fixed_size(const event_encoder *encoder, const mprof_event *event)
{
	uint32_t size = id_map_get(encoder->defined.object_sizes, event->id);

	/* If the low five bits of the ID were 0, the event code would be 0, which ends the list. */
	return size != 0 && size == event->value && (event->id & EVENT_PACKED_MASK) != 0;
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

#endif
