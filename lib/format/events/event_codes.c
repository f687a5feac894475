/* SPDX-License-Identifier: MIT */
/* The table of all event codes, and the selection of those that a dialect has with given directives. */
#include "format/events/event_codes.h"

#include "format/events/event_kinds.h"

#include <string.h>

typedef struct code_definition {
	uint8_t byte;
	uint8_t kind;
	uint8_t flags;
	uint8_t layout;    /* An event_layout, or 0 for the layout of the byte's group. */
	uint8_t dialects;  /* The dialects that have the event, as DIALECT(). */
	uint8_t directive; /* The directive that must be declared, or 0. */
	uint16_t fields;   /* As EVENT_FIELDS(); for allocations, directives determine them. */
} code_definition;

#define DIALECT(dialect) (1 << (dialect))
#define MPROF2 DIALECT(MPROF_DIALECT_MPROF2)
#define MONO (DIALECT(MPROF_DIALECT_MONO) | DIALECT(MPROF_DIALECT_UNITY))
#define CLASSIC (DIALECT(MPROF_DIALECT_DROP) | MONO)
#define ALL (DIALECT(MPROF_DIALECT_MAIL) | CLASSIC | MPROF2)

#define EXTENDED MPROF_DIRECTIVE_EXTENDED_EVENTS
#define IMPLICIT MPROF_DIRECTIVE_IMPLICIT_LEAVE
#define SIZES MPROF_DIRECTIVE_CLASS_SIZES
#define DETAILED MPROF_DIRECTIVE_DETAILED_EVENTS
#define MEMORY MPROF_DIRECTIVE_MEMORY_EVENTS
#define SWITCHES MPROF_DIRECTIVE_STACK_SWITCHES
#define CLAUSES MPROF_DIRECTIVE_EXCEPTION_CLAUSES
#define CODE MPROF_DIRECTIVE_METHOD_CODE
#define HOLDERS MPROF_DIRECTIVE_MONITOR_HOLDERS
#define TYPED MPROF_DIRECTIVE_TYPED_EVENTS
#define OBJECTS MPROF_DIRECTIVE_OBJECT_EVENTS

#define OF_OBJECT EVENT_FIELDS(EVENT_FIELD_OBJECT, 0, 0)
#define OF_CLASSIC_MONITOR EVENT_FIELDS(EVENT_FIELD_VALUE, EVENT_FIELD_OBJECT, 0)
#define OF_MONITOR EVENT_FIELDS(EVENT_FIELD_VALUE, EVENT_FIELD_OBJECT, EVENT_FIELD_STACK)
#define OF_HOLDER EVENT_FIELDS(EVENT_FIELD_VALUE, EVENT_FIELD_OBJECT, 0)
#define OF_CLAUSE EVENT_FIELDS(EVENT_FIELD_VALUE, EVENT_FIELD_CALLER, 0)
#define OF_CODE EVENT_FIELDS(EVENT_FIELD_VALUE, 0, 0)
#define OF_HANDLE EVENT_FIELDS(EVENT_FIELD_HANDLE, EVENT_FIELD_OBJECT, EVENT_FIELD_STACK)
#define OF_DELETED_HANDLE EVENT_FIELDS(EVENT_FIELD_HANDLE, EVENT_FIELD_STACK, 0)

/*
 * Section 4 of doc/format.md describes the events that only mprof2 has; doc/dialects.md describes those of other
 * dialects.
 */
static const code_definition definitions[] = {
	{EVENT_GROUP_ENTER, MPROF_EVENT_METHOD_ENTER, 0, 0, ALL, 0, 0},
	{EVENT_GROUP_IMPLICIT_LEAVE, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0, 0, MPROF2, IMPLICIT, 0},
	{EVENT_GROUP_LEAVE, MPROF_EVENT_METHOD_LEAVE, 0, 0, ALL, 0, 0},
	{EVENT_GROUP_ALLOCATION, MPROF_EVENT_ALLOCATION, 0, 0, ALL, 0, 0},
	{EVENT_GROUP_ALLOCATION_FIXED, MPROF_EVENT_ALLOCATION, 0, 0, MPROF2, SIZES, 0},
	{0x05, MPROF_EVENT_METHOD_JIT_START, 0, 0, ALL, 0, 0},
	{0x85, MPROF_EVENT_METHOD_JIT_END, 0, 0, ALL, 0, 0},
	{0xa5, MPROF_EVENT_METHOD_JIT_END, MPROF_EVENT_FLAG_FAILED, 0, ALL, 0, 0},
	{0x0d, MPROF_EVENT_METHOD_FREED, 0, 0, ALL, 0, 0},
	{0x15, MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 0, 0, MPROF2, EXTENDED, 0},
	{0x1d, MPROF_EVENT_METHOD_LEAVE_TAIL, 0, 0, MPROF2, EXTENDED, 0},
	{0x06, MPROF_EVENT_CLASS_LOAD_START, 0, 0, ALL, 0, 0},
	{0x86, MPROF_EVENT_CLASS_LOAD_END, 0, 0, ALL, 0, 0},
	{0xa6, MPROF_EVENT_CLASS_LOAD_END, MPROF_EVENT_FLAG_FAILED, 0, ALL, 0, 0},
	{0x0e, MPROF_EVENT_CLASS_UNLOAD_START, 0, 0, ALL, 0, 0},
	{0x8e, MPROF_EVENT_CLASS_UNLOAD_END, 0, 0, ALL, 0, 0},
	{0x16, MPROF_EVENT_EXCEPTION, 0, 0, ALL, 0, 0},
	{0x0f, MPROF_EVENT_THREAD_START, 0, 0, ALL, 0, 0},
	{0x8f, MPROF_EVENT_THREAD_END, 0, 0, ALL, 0, 0},
	{0x17, MPROF_EVENT_GC_START, 0, 0, ALL, 0, 0},
	{0x97, MPROF_EVENT_GC_END, 0, 0, ALL, 0, 0},
	{0x1f, MPROF_EVENT_GC_MARK_START, 0, 0, ALL, 0, 0},
	{0x9f, MPROF_EVENT_GC_MARK_END, 0, 0, ALL, 0, 0},
	{0x27, MPROF_EVENT_GC_SWEEP_START, 0, 0, ALL, 0, 0},
	{0xa7, MPROF_EVENT_GC_SWEEP_END, 0, 0, ALL, 0, 0},
	{0x2f, MPROF_EVENT_GC_RESIZE, 0, 0, ALL, 0, 0},
	{0x37, MPROF_EVENT_GC_STOP_WORLD_START, 0, 0, CLASSIC, 0, 0},
	{0xb7, MPROF_EVENT_GC_STOP_WORLD_END, 0, 0, CLASSIC, 0, 0},
	{0x3f, MPROF_EVENT_GC_START_WORLD_START, 0, 0, CLASSIC, 0, 0},
	{0xbf, MPROF_EVENT_GC_START_WORLD_END, 0, 0, CLASSIC, 0, 0},
	{0x37, MPROF_EVENT_GC_STOP_WORLD_START, 0, 0, MPROF2, EXTENDED, 0},
	{0xb7, MPROF_EVENT_GC_STOP_WORLD_END, 0, 0, MPROF2, EXTENDED, 0},
	{0x3f, MPROF_EVENT_GC_START_WORLD_START, 0, 0, MPROF2, EXTENDED, 0},
	{0xbf, MPROF_EVENT_GC_START_WORLD_END, 0, 0, MPROF2, EXTENDED, 0},
	{0x47, MPROF_EVENT_FINALIZATION_START, 0, 0, MPROF2, EXTENDED, 0},
	{0xc7, MPROF_EVENT_FINALIZATION_END, 0, 0, MPROF2, EXTENDED, 0},
	{0x57, MPROF_EVENT_RECORDING_RESUMED, 0, 0, MPROF2, EXTENDED, 0},
	{0x67, MPROF_EVENT_STACK_SWITCH, 0, 0, MPROF2, SWITCHES, 0},
	{0xe7, MPROF_EVENT_STACK_END, 0, 0, MPROF2, SWITCHES, 0},
	{0x1e, MPROF_EVENT_MONITOR, 0, EVENT_LAYOUT_DETAILED, MPROF2, DETAILED, OF_MONITOR},
	{0x46, MPROF_EVENT_HANDLE_CREATED, 0, EVENT_LAYOUT_DETAILED, MPROF2, DETAILED, OF_HANDLE},
	{0xc6, MPROF_EVENT_HANDLE_DELETED, 0, EVENT_LAYOUT_DETAILED, MPROF2, DETAILED, OF_DELETED_HANDLE},
	{0x4e, MPROF_EVENT_FINALIZER_START, 0, EVENT_LAYOUT_DETAILED, MPROF2, DETAILED, OF_OBJECT},
	{0xce, MPROF_EVENT_FINALIZER_END, 0, EVENT_LAYOUT_DETAILED, MPROF2, DETAILED, OF_OBJECT},
	{0x56, MPROF_EVENT_ALLOCATION_AT_JIT, 0, EVENT_LAYOUT_ALLOCATION_UNPACKED, MPROF2, DETAILED, 0},
	{0x5e, MPROF_EVENT_EXCEPTION_CLAUSE, 0, EVENT_LAYOUT_DETAILED, MPROF2, CLAUSES, OF_CLAUSE},
	{0x45, MPROF_EVENT_METHOD_CODE, 0, EVENT_LAYOUT_DETAILED, MPROF2, CODE, OF_CODE},
	{0x9e, MPROF_EVENT_MONITOR_HOLDER, 0, EVENT_LAYOUT_DETAILED, MPROF2, HOLDERS, OF_HOLDER},
	{0x4f, MPROF_EVENT_MEMORY_ALLOCATED, 0, EVENT_LAYOUT_MEMORY_ALLOCATED, MPROF2, MEMORY, 0},
	{0xcf, MPROF_EVENT_MEMORY_FREED, 0, EVENT_LAYOUT_MEMORY_FREED, MPROF2, MEMORY, 0},
	{0xcf | EVENT_MEMORY_FREED_STACK_BIT, MPROF_EVENT_MEMORY_FREED, 0, EVENT_LAYOUT_MEMORY_FREED_STACK, MPROF2,
	 MEMORY, 0},
	{0x5f, MPROF_EVENT_MEMORY_RESIZED, 0, EVENT_LAYOUT_MEMORY_RESIZED, MPROF2, MEMORY, 0},
	{EVENT_BYTE_TYPED, MPROF_EVENT_TYPED, 0, EVENT_LAYOUT_SIZED, MPROF2, TYPED, 0},
	{0xd7, MPROF_EVENT_OBJECT_FREED, 0, EVENT_LAYOUT_OBJECT_FREED, MPROF2, OBJECTS, 0},
	{0xf7, MPROF_EVENT_OBJECT_RESIZED, 0, EVENT_LAYOUT_OBJECT_RESIZED, MPROF2, OBJECTS, 0},
	{0x1e, MPROF_EVENT_MONITOR, 0, EVENT_LAYOUT_DETAILED, MONO, 0, OF_CLASSIC_MONITOR},
	{0x47, MPROF_EVENT_ALLOCATION_AT_JIT, 0, EVENT_LAYOUT_ALLOCATION_UNPACKED, MONO, 0, 0},
	{EVENT_BYTE_STACK_SECTION, MPROF_EVENT_STACK_SECTION, 0, EVENT_LAYOUT_STACK_SECTION, MONO, 0, 0},
	{0x07, MPROF_EVENT_UNKNOWN, 0, EVENT_LAYOUT_LEFTOVER, CLASSIC, 0, 0},
};

#define DEFINITION_COUNT (sizeof(definitions) / sizeof(definitions[0]))

static event_layout layout_of_group(uint32_t byte)
{
	switch (byte & EVENT_GROUP_MASK) {
	case EVENT_GROUP_ENTER:
	case EVENT_GROUP_LEAVE:
		return EVENT_LAYOUT_PACKED_ID;
	case EVENT_GROUP_IMPLICIT_LEAVE:
		return EVENT_LAYOUT_IMPLICIT_LEAVE;
	case EVENT_GROUP_ALLOCATION:
		return EVENT_LAYOUT_ALLOCATION;
	case EVENT_GROUP_ALLOCATION_FIXED:
		return EVENT_LAYOUT_ALLOCATION_FIXED;
	case EVENT_GROUP_METHOD:
	case EVENT_GROUP_CLASS:
		return EVENT_LAYOUT_ID;
	case EVENT_GROUP_OTHER:
		return EVENT_LAYOUT_VALUE;
	default:
		return EVENT_LAYOUT_INVALID;
	}
}

static void table_set(event_code *table, const code_definition *definition)
{
	/* A packed kind has 32 byte values, any other kind one. */
	uint32_t step = definition->byte < EVENT_GROUP_METHOD ? 1 << EVENT_PACKED_SHIFT : 256;

	for (uint32_t byte = definition->byte; byte < 256; byte += step) {
		table[byte].kind = definition->kind;
		table[byte].flags = definition->flags;
		table[byte].layout = definition->layout != 0 ? definition->layout : (uint8_t)layout_of_group(byte);
		table[byte].fields = definition->fields;
	}
}

/* Section 4.1: the order is caller, stack, object. */
static uint16_t allocation_fields(uint64_t directives)
{
	uint32_t fields = 0;

	if ((directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT)) != 0)
		fields = EVENT_FIELD_OBJECT;
	if ((directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID)) != 0)
		fields = fields << 4 | EVENT_FIELD_STACK;
	if ((directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER)) != 0)
		fields = fields << 4 | EVENT_FIELD_CALLER;
	return (uint16_t)fields;
}

static void table_set_allocations(event_code table[256], uint64_t directives)
{
	uint16_t fields = allocation_fields(directives);

	for (uint32_t byte = 0; byte < 256; byte++) {
		if (event_kind_rows[table[byte].kind].category == MPROF_EVENT_CATEGORY_ALLOCATION)
			table[byte].fields = fields;
	}
}

/* Collection events have numbers in mono and unity, and in mprof2 if directive 21 is declared. */
static void table_set_collections(event_code table[256], const dialect_rules *rules, uint64_t directives)
{
	if (!rules->counts_collections && (directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS)) == 0)
		return;
	for (uint32_t byte = 0; byte < 256; byte++) {
		if (event_kind_rows[table[byte].kind].category != MPROF_EVENT_CATEGORY_COLLECTION)
			continue;
		table[byte].layout = EVENT_LAYOUT_COLLECTION;
		if (table[byte].kind == MPROF_EVENT_GC_RESIZE)
			table[byte].layout =
				rules->counts_collections ? EVENT_LAYOUT_RESIZE : EVENT_LAYOUT_RESIZE_TIMED;
	}
}

/* With directive 25 exceptions have call stacks. */
static void table_set_exceptions(event_code table[256], const dialect_rules *rules, uint64_t directives)
{
	if ((directives & rules->directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXCEPTION_STACK_ID)) == 0)
		return;
	for (uint32_t byte = 0; byte < 256; byte++) {
		if (table[byte].kind != MPROF_EVENT_EXCEPTION)
			continue;
		table[byte].layout = EVENT_LAYOUT_DETAILED;
		table[byte].fields = EVENT_FIELDS(EVENT_FIELD_STACK, 0, 0);
	}
}

static int is_in_dialect(const code_definition *definition, const dialect_rules *rules)
{
	return (definition->dialects & DIALECT(rules->dialect)) != 0;
}

void event_codes_build(event_code table[256], const dialect_rules *rules, uint64_t directives)
{
	const int has_lengths =
		(directives & rules->directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_TYPED_EVENTS)) != 0;

	directives &= rules->directives;
	memset(table, 0, 256 * sizeof(*table));
	if (rules->reserves_event_codes) {
		for (uint32_t byte = 0; byte < 256; byte++) {
			if ((byte & EVENT_GROUP_MASK) >= EVENT_GROUP_METHOD)
				table[byte].layout = EVENT_LAYOUT_UNKNOWN;
			/* Section 4.9: readers pass over later events by their length. */
			if ((byte & EVENT_GROUP_MASK) == EVENT_GROUP_OTHER && has_lengths)
				table[byte].layout = EVENT_LAYOUT_SIZED;
		}
	}
	for (size_t i = 0; i < DEFINITION_COUNT; i++) {
		uint32_t directive = definitions[i].directive;

		if (is_in_dialect(&definitions[i], rules) &&
		    (directive == 0 || (directives & MPROF_DIRECTIVE_BIT(directive)) != 0))
			table_set(table, &definitions[i]);
	}
	table_set_allocations(table, directives);
	table_set_collections(table, rules, directives);
	table_set_exceptions(table, rules, directives);
	/* Byte 0 ends the list, although its bits 0 to 2 are those of an allocation of fixed size. */
	memset(&table[0], 0, sizeof(table[0]));
	table[0].layout = EVENT_LAYOUT_END;
}

int event_codes_byte(const dialect_rules *rules, uint32_t kind, uint32_t flags)
{
	for (size_t i = 0; kind != MPROF_EVENT_UNKNOWN && i < DEFINITION_COUNT; i++) {
		if (definitions[i].kind == kind && definitions[i].flags == flags &&
		    is_in_dialect(&definitions[i], rules))
			return definitions[i].byte;
	}
	return -1;
}
