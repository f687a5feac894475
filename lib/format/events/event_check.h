/* SPDX-License-Identifier: MIT */
/**
 * \file format/events/event_check.h
 * \brief Decides whether an event of a caller can be written, and completes it, before it is encoded.
 *
 * All that can be wrong with an event is found here, and what the log cannot contain of it is counted here. So encoders
 * fail only for lack of room.
 */
#ifndef FORMAT_EVENTS_EVENT_CHECK_H
#define FORMAT_EVENTS_EVENT_CHECK_H

#include <mprof/writer.h>

#include "base/caller_structs.h"
#include "base/id_map.h"
#include "format/events/event_codes.h"
#include "format/values/dialect.h"
#include "format/values/losses.h"

/** What has to be checked of an event. */
typedef enum event_check_bit {
	EVENT_CHECK_METHOD = 1,    /**< The ID is that of a method. */
	EVENT_CHECK_CLASS = 2,     /**< The ID is that of a class. */
	EVENT_CHECK_ID = 3,        /**< It has such an ID. */
	EVENT_CHECK_OPTIONAL = 4,  /**< The ID may be 0. */
	EVENT_CHECK_KIND = 8,      /**< The log cannot contain the event. */
	EVENT_CHECK_DETAIL = 16,   /**< The detail is written. */
	EVENT_CHECK_PARTS = 32,    /**< A part may be out of range or missing in the log. */
	EVENT_CHECK_SHORTENED = 64 /**< A part is missing: the code is that of a more general kind (only if lossy). */
} event_check_bit;

/** How an event of a kind with certain flags is checked and written. */
typedef struct event_rule {
	uint8_t checks;         /**< Bits of #event_check_bit. */
	uint8_t layout;         /**< An #event_layout; EVENT_LAYOUT_INVALID if the event cannot be written. */
	uint8_t byte;           /**< The event code; the bits of a packed ID or time are 0. */
	uint8_t symbol;         /**< In columns: an #event_symbol. Allocations: that of any size. */
	uint8_t written_fields; /**< Optional fields, a bit for each #event_field; of native memory: the call stack. */
	uint8_t lost_fields;    /**< Bits of fields of the detail that the log cannot contain. */
	uint16_t fields;        /**< The optional fields in their order, as EVENT_FIELDS(). */
} event_rule;

/** The bit of an #event_field. */
#define EVENT_FIELD_BIT(field) (1 << (field))

/** The rule for an event is at index kind + flags * EVENT_RULE_KINDS. */
#define EVENT_RULE_KINDS 256
#define EVENT_RULE_FLAGS 4
#define EVENT_RULE_COUNT (EVENT_RULE_KINDS * EVENT_RULE_FLAGS)

/** The definitions that events may refer to. All are borrowed, and may grow between calls. */
typedef struct event_definitions {
	const id_set *ids[EVENT_CHECK_ID]; /**< At #EVENT_CHECK_METHOD and #EVENT_CHECK_CLASS. */
	const id_map *object_sizes;        /**< Fixed object sizes by class; empty without directive 18. */
	const uint32_t *stack_count;       /**< Stack IDs from 1 to this number are defined. */
	const uint32_t *type_count;        /**< Types from 1 to this number are defined. */
	int any;                           /**< 1: IDs that are not in these sets are permitted, too. */
} event_definitions;

typedef struct event_checker {
	event_rule rules[EVENT_RULE_COUNT];
	event_definitions defined;
	mprof_writer_stats *stats; /**< Counts events that are left out or shortened. Borrowed. */
	int counts_collections;    /**< 1: collections without a number (0) are assigned the next one. */
	int lossy;
} event_checker;

/** What event_check() found. */
typedef struct checked_event {
	const event_rule *rule;           /**< NULL if the event is left out. */
	const mprof_event_detail *detail; /**< The complete detail, if the rule has #EVENT_CHECK_DETAIL. */
	mprof_status status;              /**< As of event_check(). */
} checked_event;

/** Initializes a checker for a dialect and the directives declared. \p defined is copied; \p stats is borrowed. */
void event_checker_init(event_checker *checker, const dialect_rules *rules, uint64_t directives, int lossy,
			const event_definitions *defined, mprof_writer_stats *stats);

/**
 * Completes the detail of an event, which may be compiled for a smaller or larger struct. Returns the detail itself or
 * \p copy, which is scratch space; a detail of which all is 0 if the event has none; NULL if struct_size is invalid, or
 * if fields that are unknown to this library are not 0.
 */
static inline const mprof_event_detail *event_detail_complete(const mprof_event *event, mprof_event_detail *copy)
{
	static const mprof_event_detail none = {.struct_size = sizeof(none)};
	const mprof_event_detail *detail = event->more.detail;

	if (detail == NULL)
		return &none;
	if (__builtin_expect(detail->struct_size == sizeof(*detail), 1))
		return detail;
	return struct_copy_in(copy, detail, sizeof(*copy)) == MPROF_OK ? copy : NULL;
}

static inline const event_rule *event_rule_for(const event_checker *checker, const mprof_event *event)
{
	static const event_rule none = {.checks = EVENT_CHECK_KIND, .layout = EVENT_LAYOUT_INVALID};

	if (__builtin_expect(event->flags >= EVENT_RULE_FLAGS, 0)) {
		/* A reader resolved an implicit leave: with a method ID it can be written as an explicit one. */
		if (event->kind == MPROF_EVENT_METHOD_LEAVE && event->flags == MPROF_EVENT_FLAG_IMPLICIT)
			return &checker->rules[event->id != 0 ? MPROF_EVENT_METHOD_LEAVE
							      : MPROF_EVENT_METHOD_LEAVE_IMPLICIT];
		return &none;
	}
	return &checker->rules[event->kind + event->flags * EVENT_RULE_KINDS];
}

static inline int event_id_is_known(const event_checker *checker, const id_set *ids, uint32_t id)
{
	return __builtin_expect(id_set_has(ids, id), 1) || checker->defined.any;
}

/** Whether the ID of an event, whose rule has #EVENT_CHECK_ID, is valid. */
static inline int event_id_is_valid(const event_checker *checker, const event_rule *rule, uint32_t id)
{
	const id_set *ids = checker->defined.ids[rule->checks & EVENT_CHECK_ID];

	return event_id_is_known(checker, ids, id) || (id == 0 && (rule->checks & EVENT_CHECK_OPTIONAL) != 0);
}

/** Checks the type and the arguments of an event of a type. */
static inline mprof_status event_check_typed(const event_checker *checker, const mprof_event *event,
					     const mprof_event_detail *detail)
{
	if (detail->argument_size > MPROF_ARGUMENTS_MAX_SIZE)
		return MPROF_ERR_ARGUMENT;
	if ((event->id == 0 || event->id > *checker->defined.type_count) && !checker->defined.any)
		return MPROF_ERR_UNDEFINED_ID;
	return MPROF_OK;
}

/** Checks the fields of a complete detail that are written: handle type, caller, call stack and arguments. */
static inline mprof_status event_check_detail(const event_checker *checker, const event_rule *rule,
					      const mprof_event *event, const mprof_event_detail *detail)
{
	const uint32_t fields = rule->written_fields;

	if ((fields & EVENT_FIELD_BIT(EVENT_FIELD_HANDLE)) != 0 &&
	    (detail->handle_type > EVENT_HANDLE_TYPE_MASK || event->value > UINT64_MAX >> EVENT_HANDLE_TYPE_BITS))
		return MPROF_ERR_ARGUMENT;
	if ((fields & EVENT_FIELD_BIT(EVENT_FIELD_CALLER)) != 0 && detail->caller != 0 &&
	    !event_id_is_known(checker, checker->defined.ids[EVENT_CHECK_METHOD], detail->caller))
		return MPROF_ERR_UNDEFINED_ID;
	if ((fields & EVENT_FIELD_BIT(EVENT_FIELD_STACK)) != 0 && detail->stack > *checker->defined.stack_count &&
	    !checker->defined.any)
		return MPROF_ERR_UNDEFINED_ID;
	return rule->layout == EVENT_LAYOUT_SIZED ? event_check_typed(checker, event, detail) : MPROF_OK;
}

/** Refuses an event that the log cannot contain, or counts it if lossy. For event_check(). */
mprof_status event_check_kind(const event_checker *checker, const mprof_event *event);

/** Whether the event has a field of a detail that the log cannot contain. For event_check(). */
int event_loses_field(const event_rule *rule, const mprof_event *event, mprof_event_detail *copy);

/** Whether number and generation fit the varint they share. Dialects that count collections limit it to 32 bits. */
static inline int event_collection_fits(const event_checker *checker, const mprof_event *event)
{
	return event->value <= EVENT_GENERATION_MASK &&
	       (!checker->counts_collections || event->id <= UINT32_MAX >> EVENT_GENERATION_BITS);
}

/** Checks what is written of an event only in a certain range, or not at all. For event_check(). */
static inline mprof_status event_check_parts(const event_checker *checker, const event_rule *rule,
					     const mprof_event *event, uint64_t last_counter, mprof_event_detail *copy)
{
	int is_shortened = (rule->checks & EVENT_CHECK_SHORTENED) != 0;

	if (rule->layout == EVENT_LAYOUT_COLLECTION) {
		if (event_collection_fits(checker, event))
			return MPROF_OK;
		if (!checker->lossy)
			return MPROF_ERR_UNSUPPORTED;
		is_shortened = 1;
	} else if (rule->layout == EVENT_LAYOUT_RESIZE) {
		/* Readers assign the counter of the previous event. */
		is_shortened = checker->lossy && event->counter != last_counter;
	} else if (rule->layout == EVENT_LAYOUT_VALUE) {
		is_shortened = event->id != 0;
	} else if (rule->lost_fields != 0 && event_loses_field(rule, event, copy)) {
		is_shortened = 1;
	}
	if (is_shortened)
		losses_shorten_event(checker->stats, event->kind);
	return MPROF_OK;
}

/**
 * Checks an event and counts what of it is lost. An event that passes must be written. \p last_counter is that of the
 * previous event with a time; \p copy is scratch space for the detail. checked_event::status is:
 *
 * - #MPROF_OK;
 * - #MPROF_ERR_UNSUPPORTED: the dialect or the directives cannot represent the event, and the checker is not lossy;
 * - #MPROF_ERR_ARGUMENT: a handle is out of range, the arguments are too long, or the detail is invalid;
 * - #MPROF_ERR_UNDEFINED_ID: the event refers to an ID that is not defined.
 */
static inline __attribute__((always_inline)) checked_event
event_check(const event_checker *checker, const mprof_event *event, uint64_t last_counter, mprof_event_detail *copy)
{
	const event_rule *rule = event_rule_for(checker, event);
	checked_event checked = {rule, NULL, MPROF_OK};

	if ((rule->checks & EVENT_CHECK_ID) != 0 && !event_id_is_valid(checker, rule, event->id)) {
		checked.status = MPROF_ERR_UNDEFINED_ID;
		return checked;
	}
	/* Most events have no more to check. */
	if ((rule->checks & ~EVENT_CHECK_ID) == 0)
		return checked;
	if ((rule->checks & EVENT_CHECK_KIND) != 0) {
		checked.rule = NULL;
		checked.status = event_check_kind(checker, event);
		return checked;
	}
	if ((rule->checks & EVENT_CHECK_DETAIL) != 0) {
		checked.detail = event_detail_complete(event, copy);
		checked.status = checked.detail != NULL ? event_check_detail(checker, rule, event, checked.detail)
							: MPROF_ERR_ARGUMENT;
	}
	if ((rule->checks & EVENT_CHECK_PARTS) != 0 && checked.status == MPROF_OK)
		checked.status = event_check_parts(checker, rule, event, last_counter, copy);
	return checked;
}

#endif
