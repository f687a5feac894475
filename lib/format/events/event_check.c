/* SPDX-License-Identifier: MIT */
/* The rules by which events are checked, and the checks that few events need. */
#include "format/events/event_check.h"

#include "format/events/event_columns.h"
#include "format/events/event_kinds.h"
#include "format/values/losses.h"

#include <string.h>

/* The fields of the detail that a log contains only with certain directives or in certain dialects. */
#define LOSABLE_FIELDS                                                                                                 \
	(EVENT_FIELD_BIT(EVENT_FIELD_CALLER) | EVENT_FIELD_BIT(EVENT_FIELD_STACK) | EVENT_FIELD_BIT(EVENT_FIELD_OBJECT))

static uint32_t bits_of_fields(uint32_t fields)
{
	uint32_t bits = 0;

	for (; fields != 0; fields = EVENT_FIELDS_NEXT(fields))
		bits |= EVENT_FIELD_BIT(EVENT_FIELDS_FIRST(fields));
	return bits;
}

static uint32_t checks_of_id(uint32_t byte, uint32_t layout)
{
	const uint32_t optional = layout == EVENT_LAYOUT_DETAILED ? EVENT_CHECK_OPTIONAL : 0;

	/* In some dialects its code is not one of the group. */
	if (layout == EVENT_LAYOUT_ALLOCATION_UNPACKED || event_layout_is_object(layout))
		return EVENT_CHECK_CLASS;
	switch (byte & EVENT_GROUP_MASK) {
	case EVENT_GROUP_ENTER:
	case EVENT_GROUP_LEAVE:
	case EVENT_GROUP_METHOD:
		return EVENT_CHECK_METHOD | optional;
	case EVENT_GROUP_ALLOCATION:
	case EVENT_GROUP_CLASS:
		return EVENT_CHECK_CLASS | optional;
	default:
		return 0;
	}
}

static event_symbol symbol_of(uint32_t byte, uint32_t layout)
{
	switch (layout) {
	case EVENT_LAYOUT_PACKED_ID:
		return byte == EVENT_GROUP_ENTER ? EVENT_SYMBOL_ENTER : EVENT_SYMBOL_LEAVE;
	case EVENT_LAYOUT_IMPLICIT_LEAVE:
		return EVENT_SYMBOL_LEAVE_IMPLICIT;
	case EVENT_LAYOUT_ALLOCATION:
		return EVENT_SYMBOL_ALLOCATION;
	default:
		return EVENT_SYMBOL_ROW;
	}
}

static event_rule rule_of(const event_code codes[256], const dialect_rules *rules, uint32_t kind, uint32_t flags)
{
	event_rule rule = {.checks = EVENT_CHECK_KIND, .layout = EVENT_LAYOUT_INVALID, .symbol = EVENT_SYMBOL_ROW};
	int byte = event_codes_byte(rules, kind, flags);

	/* A caller specifies the call stack of each event; the writer creates stack sections where they are needed. */
	if (byte <= 0 || codes[byte].kind != kind || kind == MPROF_EVENT_STACK_SECTION)
		return rule;
	rule.layout = codes[byte].layout;
	rule.byte = (uint8_t)byte;
	rule.symbol = (uint8_t)symbol_of(rule.byte, rule.layout);
	rule.fields = codes[byte].fields;
	rule.checks = (uint8_t)checks_of_id(rule.byte, rule.layout);
	rule.written_fields = (uint8_t)bits_of_fields(rule.fields);
	if (event_layout_is_memory(rule.layout))
		rule.written_fields = EVENT_FIELD_BIT(EVENT_FIELD_STACK);
	if (event_layout_is_object(rule.layout))
		rule.written_fields = EVENT_FIELD_BIT(EVENT_FIELD_OBJECT);
	if (rule.written_fields != 0 || rule.layout == EVENT_LAYOUT_SIZED)
		rule.checks |= EVENT_CHECK_DETAIL;
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
			rule->checks |= EVENT_CHECK_PARTS | EVENT_CHECK_SHORTENED;
		}
	}
}

/* Completes a rule with the parts of an event that the log may lack. written: fields that are written elsewhere. */
static void add_parts(event_rule *rule, uint32_t kind, uint32_t written)
{
	int has_parts = 0;

	switch (rule->layout) {
	case EVENT_LAYOUT_VALUE:
		/* The number of a collection. */
		has_parts = event_kind_rows[kind].category == MPROF_EVENT_CATEGORY_COLLECTION;
		break;
	case EVENT_LAYOUT_COLLECTION:
	case EVENT_LAYOUT_RESIZE:
		has_parts = 1;
		break;
	case EVENT_LAYOUT_ALLOCATION:
	case EVENT_LAYOUT_ALLOCATION_UNPACKED:
	case EVENT_LAYOUT_DETAILED:
		rule->lost_fields = LOSABLE_FIELDS & ~(bits_of_fields(rule->fields) | written);
		break;
	default:
		/* Other events have no detail; their pointer is not valid. */
		if (kind == MPROF_EVENT_EXCEPTION && rule->layout != EVENT_LAYOUT_INVALID)
			rule->lost_fields = LOSABLE_FIELDS & ~written;
		break;
	}
	if (has_parts || rule->lost_fields != 0)
		rule->checks |= EVENT_CHECK_PARTS;
}

void event_checker_init(event_checker *checker, const dialect_rules *rules, uint64_t directives, int lossy,
			const event_definitions *defined, mprof_writer_stats *stats)
{
	event_code codes[256];
	uint32_t written = 0;

	event_codes_build(codes, rules, directives);
	for (uint32_t i = 0; i < EVENT_RULE_COUNT; i++)
		checker->rules[i] = rule_of(codes, rules, i % EVENT_RULE_KINDS, i / EVENT_RULE_KINDS);
	if (lossy)
		degrade_rules(checker->rules);
	/* The owner of the encoder writes a stack section before an event. */
	if ((directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK)) != 0)
		written = EVENT_FIELD_BIT(EVENT_FIELD_STACK);
	for (uint32_t i = 0; i < EVENT_RULE_COUNT; i++)
		add_parts(&checker->rules[i], i % EVENT_RULE_KINDS, written);
	checker->defined = *defined;
	checker->stats = stats;
	checker->counts_collections = rules->counts_collections;
	checker->lossy = lossy;
}

mprof_status event_check_kind(const event_checker *checker, const mprof_event *event)
{
	if (!checker->lossy)
		return MPROF_ERR_UNSUPPORTED;
	losses_leave_out_event(checker->stats, event->kind);
	return MPROF_OK;
}

int event_loses_field(const event_rule *rule, const mprof_event *event, mprof_event_detail *copy)
{
	const mprof_event_detail *detail = event_detail_complete(event, copy);

	return detail != NULL &&
	       ((detail->caller != 0 && (rule->lost_fields & EVENT_FIELD_BIT(EVENT_FIELD_CALLER)) != 0) ||
		(detail->stack != 0 && (rule->lost_fields & EVENT_FIELD_BIT(EVENT_FIELD_STACK)) != 0) ||
		(detail->object != 0 && (rule->lost_fields & EVENT_FIELD_BIT(EVENT_FIELD_OBJECT)) != 0));
}
