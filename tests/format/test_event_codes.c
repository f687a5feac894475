/* SPDX-License-Identifier: MIT */
/* The event code: all 256 bytes, with and without directives, decoded and encoded. */
#include "format/events/event_codes.h"
#include "format/events/event_kinds.h"

#include <criterion/criterion.h>

#define IMPLICIT MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE)
#define EXTENDED MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS)
#define SIZES MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES)
#define DETAILED MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS)
#define NUMBERS MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS)
#define MEMORY MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MEMORY_EVENTS)
#define SWITCHES MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_STACK_SWITCHES)
#define EXCEPTIONS MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXCEPTION_STACK_ID)
#define CLAUSES MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXCEPTION_CLAUSES)
#define CODE MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_METHOD_CODE)
#define TYPED MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_TYPED_EVENTS)
#define OBJECTS MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_OBJECT_EVENTS)
#define HOLDERS MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MONITOR_HOLDERS)
#define CALLER MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER)
#define STACK MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID)
#define OBJECT MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT)

#define IN(dialect) (1 << MPROF_DIALECT_##dialect)
#define IN_MONO (IN(MONO) | IN(UNITY))
#define IN_CLASSIC (IN(DROP) | IN_MONO)
#define IN_ALL (IN(MAIL) | IN_CLASSIC | IN(MPROF2))

typedef struct full_code {
	uint8_t byte;
	uint8_t kind;
	uint8_t flags;
	uint8_t dialects;   /* Dialects that have it without a directive. */
	uint64_t directive; /* Directive with which mprof2 has it as well. */
	uint16_t fields;
	uint8_t layout; /* 0 for the layout of its group. */
} full_code;

/* The tables of doc/format.md, 4.2 and 4.4, and of doc/dialects.md. */
static const full_code full_codes[] = {
	{0x05, MPROF_EVENT_METHOD_JIT_START, 0, IN_ALL, 0, 0, 0},
	{0x85, MPROF_EVENT_METHOD_JIT_END, 0, IN_ALL, 0, 0, 0},
	{0xa5, MPROF_EVENT_METHOD_JIT_END, MPROF_EVENT_FLAG_FAILED, IN_ALL, 0, 0, 0},
	{0x0d, MPROF_EVENT_METHOD_FREED, 0, IN_ALL, 0, 0, 0},
	{0x15, MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 0, 0, EXTENDED, 0, 0},
	{0x1d, MPROF_EVENT_METHOD_LEAVE_TAIL, 0, 0, EXTENDED, 0, 0},
	{0x06, MPROF_EVENT_CLASS_LOAD_START, 0, IN_ALL, 0, 0, 0},
	{0x86, MPROF_EVENT_CLASS_LOAD_END, 0, IN_ALL, 0, 0, 0},
	{0xa6, MPROF_EVENT_CLASS_LOAD_END, MPROF_EVENT_FLAG_FAILED, IN_ALL, 0, 0, 0},
	{0x0e, MPROF_EVENT_CLASS_UNLOAD_START, 0, IN_ALL, 0, 0, 0},
	{0x8e, MPROF_EVENT_CLASS_UNLOAD_END, 0, IN_ALL, 0, 0, 0},
	{0x16, MPROF_EVENT_EXCEPTION, 0, IN_ALL, 0, 0, 0},
	{0x0f, MPROF_EVENT_THREAD_START, 0, IN_ALL, 0, 0, 0},
	{0x8f, MPROF_EVENT_THREAD_END, 0, IN_ALL, 0, 0, 0},
	{0x17, MPROF_EVENT_GC_START, 0, IN_ALL, 0, 0, 0},
	{0x97, MPROF_EVENT_GC_END, 0, IN_ALL, 0, 0, 0},
	{0x1f, MPROF_EVENT_GC_MARK_START, 0, IN_ALL, 0, 0, 0},
	{0x9f, MPROF_EVENT_GC_MARK_END, 0, IN_ALL, 0, 0, 0},
	{0x27, MPROF_EVENT_GC_SWEEP_START, 0, IN_ALL, 0, 0, 0},
	{0xa7, MPROF_EVENT_GC_SWEEP_END, 0, IN_ALL, 0, 0, 0},
	{0x2f, MPROF_EVENT_GC_RESIZE, 0, IN_ALL, 0, 0, 0},
	{0x37, MPROF_EVENT_GC_STOP_WORLD_START, 0, IN_CLASSIC, EXTENDED, 0, 0},
	{0xb7, MPROF_EVENT_GC_STOP_WORLD_END, 0, IN_CLASSIC, EXTENDED, 0, 0},
	{0x3f, MPROF_EVENT_GC_START_WORLD_START, 0, IN_CLASSIC, EXTENDED, 0, 0},
	{0xbf, MPROF_EVENT_GC_START_WORLD_END, 0, IN_CLASSIC, EXTENDED, 0, 0},
	{0x47, MPROF_EVENT_FINALIZATION_START, 0, 0, EXTENDED, 0, 0},
	{0xc7, MPROF_EVENT_FINALIZATION_END, 0, 0, EXTENDED, 0, 0},
	{0x57, MPROF_EVENT_RECORDING_RESUMED, 0, 0, EXTENDED, 0, 0},
	{0x67, MPROF_EVENT_STACK_SWITCH, 0, 0, SWITCHES, 0, 0},
	{0xe7, MPROF_EVENT_STACK_END, 0, 0, SWITCHES, 0, 0},
	{0x1e, MPROF_EVENT_MONITOR, 0, 0, DETAILED,
	 EVENT_FIELDS(EVENT_FIELD_VALUE, EVENT_FIELD_OBJECT, EVENT_FIELD_STACK), EVENT_LAYOUT_DETAILED},
	{0x45, MPROF_EVENT_METHOD_CODE, 0, 0, CODE, EVENT_FIELDS(EVENT_FIELD_VALUE, 0, 0), EVENT_LAYOUT_DETAILED},
	{0x5e, MPROF_EVENT_EXCEPTION_CLAUSE, 0, 0, CLAUSES, EVENT_FIELDS(EVENT_FIELD_VALUE, EVENT_FIELD_CALLER, 0),
	 EVENT_LAYOUT_DETAILED},
	{0x9e, MPROF_EVENT_MONITOR_HOLDER, 0, 0, HOLDERS, EVENT_FIELDS(EVENT_FIELD_VALUE, EVENT_FIELD_OBJECT, 0),
	 EVENT_LAYOUT_DETAILED},
	{0x46, MPROF_EVENT_HANDLE_CREATED, 0, 0, DETAILED,
	 EVENT_FIELDS(EVENT_FIELD_HANDLE, EVENT_FIELD_OBJECT, EVENT_FIELD_STACK), EVENT_LAYOUT_DETAILED},
	{0xc6, MPROF_EVENT_HANDLE_DELETED, 0, 0, DETAILED, EVENT_FIELDS(EVENT_FIELD_HANDLE, EVENT_FIELD_STACK, 0),
	 EVENT_LAYOUT_DETAILED},
	{0x4e, MPROF_EVENT_FINALIZER_START, 0, 0, DETAILED, EVENT_FIELDS(EVENT_FIELD_OBJECT, 0, 0),
	 EVENT_LAYOUT_DETAILED},
	{0xce, MPROF_EVENT_FINALIZER_END, 0, 0, DETAILED, EVENT_FIELDS(EVENT_FIELD_OBJECT, 0, 0),
	 EVENT_LAYOUT_DETAILED},
	{0x56, MPROF_EVENT_ALLOCATION_AT_JIT, 0, 0, DETAILED, 0, EVENT_LAYOUT_ALLOCATION_UNPACKED},
	{0x4f, MPROF_EVENT_MEMORY_ALLOCATED, 0, 0, MEMORY, 0, EVENT_LAYOUT_MEMORY_ALLOCATED},
	{0xcf, MPROF_EVENT_MEMORY_FREED, 0, 0, MEMORY, 0, EVENT_LAYOUT_MEMORY_FREED},
	{0xdf, MPROF_EVENT_MEMORY_FREED, 0, 0, MEMORY, 0, EVENT_LAYOUT_MEMORY_FREED_STACK},
	{0x5f, MPROF_EVENT_MEMORY_RESIZED, 0, 0, MEMORY, 0, EVENT_LAYOUT_MEMORY_RESIZED},
	{0x6f, MPROF_EVENT_TYPED, 0, 0, TYPED, 0, EVENT_LAYOUT_SIZED},
	{0xd7, MPROF_EVENT_OBJECT_FREED, 0, 0, OBJECTS, 0, EVENT_LAYOUT_OBJECT_FREED},
	{0xf7, MPROF_EVENT_OBJECT_RESIZED, 0, 0, OBJECTS, 0, EVENT_LAYOUT_OBJECT_RESIZED},
	{0x1e, MPROF_EVENT_MONITOR, 0, IN_MONO, 0, EVENT_FIELDS(EVENT_FIELD_VALUE, EVENT_FIELD_OBJECT, 0),
	 EVENT_LAYOUT_DETAILED},
	{0x47, MPROF_EVENT_ALLOCATION_AT_JIT, 0, IN_MONO, 0, 0, EVENT_LAYOUT_ALLOCATION_UNPACKED},
	{0x4f, MPROF_EVENT_STACK_SECTION, 0, IN_MONO, 0, 0, EVENT_LAYOUT_STACK_SECTION},
	{0x07, MPROF_EVENT_UNKNOWN, 0, IN_CLASSIC, 0, 0, EVENT_LAYOUT_LEFTOVER},
};

#define FULL_CODE_COUNT (sizeof(full_codes) / sizeof(full_codes[0]))

static int is_in(const full_code *code, mprof_dialect dialect, uint64_t directives)
{
	return (code->dialects & 1 << dialect) != 0 ||
	       (dialect == MPROF_DIALECT_MPROF2 && (code->directive & directives) != 0);
}

static const full_code *full_code_of(uint32_t byte, mprof_dialect dialect, uint64_t directives)
{
	for (size_t i = 0; i < FULL_CODE_COUNT; i++) {
		if (full_codes[i].byte == byte && is_in(&full_codes[i], dialect, directives))
			return &full_codes[i];
	}
	return NULL;
}

static void check_packed(event_code code, uint32_t byte, uint64_t directives)
{
	static const uint8_t kinds[8] = {MPROF_EVENT_ALLOCATION, MPROF_EVENT_METHOD_ENTER,
					 MPROF_EVENT_METHOD_LEAVE_IMPLICIT, MPROF_EVENT_METHOD_LEAVE,
					 MPROF_EVENT_ALLOCATION};
	static const uint8_t layouts[8] = {EVENT_LAYOUT_ALLOCATION_FIXED, EVENT_LAYOUT_PACKED_ID,
					   EVENT_LAYOUT_IMPLICIT_LEAVE, EVENT_LAYOUT_PACKED_ID,
					   EVENT_LAYOUT_ALLOCATION};
	static const uint64_t needed[8] = {SIZES, 0, IMPLICIT};
	int is_there = byte != 0 && (directives & needed[byte & 7]) == needed[byte & 7];

	cr_assert_eq(code.kind, is_there ? kinds[byte & 7] : 0, "byte %02x", byte);
	cr_assert_eq(code.flags, 0);
	if (byte == 0)
		cr_assert_eq(code.layout, EVENT_LAYOUT_END);
	else
		cr_assert_eq(code.layout, is_there ? layouts[byte & 7] : EVENT_LAYOUT_INVALID, "byte %02x", byte);
	if (code.kind != MPROF_EVENT_ALLOCATION)
		cr_assert_eq(code.fields, 0, "byte %02x", byte);
}

static event_layout full_layout(const full_code *known, mprof_dialect dialect, uint64_t directives)
{
	int is_mono = (IN_MONO & 1 << dialect) != 0;

	if (known->layout != 0)
		return (event_layout)known->layout;
	if (known->kind == MPROF_EVENT_EXCEPTION && (directives & EXCEPTIONS) != 0)
		return EVENT_LAYOUT_DETAILED;
	if ((known->byte & 7) != 7)
		return EVENT_LAYOUT_ID;
	if (known->kind < MPROF_EVENT_GC_START || known->kind > MPROF_EVENT_GC_START_WORLD_END ||
	    (!is_mono && (directives & NUMBERS) == 0))
		return EVENT_LAYOUT_VALUE;
	if (known->kind == MPROF_EVENT_GC_RESIZE)
		return is_mono ? EVENT_LAYOUT_RESIZE : EVENT_LAYOUT_RESIZE_TIMED;
	return EVENT_LAYOUT_COLLECTION;
}

static event_layout layout_of_reserved(uint32_t byte, mprof_dialect dialect, uint64_t directives)
{
	if (dialect != MPROF_DIALECT_MPROF2)
		return EVENT_LAYOUT_INVALID;
	return (byte & 7) == 7 && (directives & TYPED) != 0 ? EVENT_LAYOUT_SIZED : EVENT_LAYOUT_UNKNOWN;
}

static void check_full(event_code code, uint32_t byte, mprof_dialect dialect, uint64_t directives)
{
	const full_code *known = full_code_of(byte, dialect, directives);

	if (known == NULL) {
		cr_assert_eq(code.kind, MPROF_EVENT_UNKNOWN, "byte %02x", byte);
		cr_assert_eq(code.layout, layout_of_reserved(byte, dialect, directives), "byte %02x", byte);
		cr_assert_eq(code.fields, 0, "byte %02x", byte);
		return;
	}
	cr_assert_eq(code.kind, known->kind, "byte %02x", byte);
	cr_assert_eq(code.flags, known->flags, "byte %02x", byte);
	cr_assert_eq(code.layout, full_layout(known, dialect, directives), "byte %02x", byte);
	if (code.kind == MPROF_EVENT_EXCEPTION && (directives & EXCEPTIONS) != 0)
		cr_assert_eq(code.fields, EVENT_FIELDS(EVENT_FIELD_STACK, 0, 0));
	else if (code.kind != MPROF_EVENT_ALLOCATION_AT_JIT)
		cr_assert_eq(code.fields, known->fields, "byte %02x", byte);
}

/* \p directives are the declared ones. Directives of mprof2 are never in force in other dialects. */
static void check_table(mprof_dialect dialect, uint64_t directives)
{
	uint64_t in_force = dialect == MPROF_DIALECT_MPROF2 ? directives : 0;
	event_code table[256];

	event_codes_build(table, dialect_get(dialect), directives);
	for (uint32_t byte = 0; byte < 256; byte++) {
		if ((byte & 7) < 5)
			check_packed(table[byte], byte, in_force);
		else
			check_full(table[byte], byte, dialect, in_force);
	}
}

static void check_tables(mprof_dialect dialect)
{
	check_table(dialect, 0);
	for (uint32_t directive = 0; directive < 64; directive++)
		check_table(dialect, MPROF_DIRECTIVE_BIT(directive));
	check_table(dialect, UINT64_MAX);
}

Test(event_codes, mprof2)
{
	check_tables(MPROF_DIALECT_MPROF2);
}

Test(event_codes, mail_has_no_directives)
{
	check_tables(MPROF_DIALECT_MAIL);
}

Test(event_codes, drop_has_events_of_stopping_the_world_and_stray_records)
{
	check_tables(MPROF_DIALECT_DROP);
}

Test(event_codes, mono_has_monitors_stack_sections_and_allocations_at_jit)
{
	check_tables(MPROF_DIALECT_MONO);
}

Test(event_codes, unity_has_what_mono_has)
{
	check_tables(MPROF_DIALECT_UNITY);
}

static void expect_extras(mprof_dialect dialect, uint64_t directives, uint32_t fields)
{
	uint32_t at_jit = dialect == MPROF_DIALECT_MPROF2 ? 0x56 : 0x47;
	event_code table[256];

	event_codes_build(table, dialect_get(dialect), directives);
	for (uint32_t byte = 1; byte < 256; byte++) {
		if (byte == at_jit || (byte & 7) == 4 || (dialect == MPROF_DIALECT_MPROF2 && (byte & 7) == 0))
			cr_assert_eq(table[byte].fields, fields, "byte %02x", byte);
	}
}

static void expect_allocation_extras(uint64_t directives, uint32_t fields)
{
	expect_extras(MPROF_DIALECT_MPROF2, directives | SIZES | DETAILED, fields);
}

Test(event_codes, extras_of_allocations)
{
	expect_allocation_extras(0, 0);
	expect_allocation_extras(CALLER, EVENT_FIELDS(EVENT_FIELD_CALLER, 0, 0));
	expect_allocation_extras(STACK, EVENT_FIELDS(EVENT_FIELD_STACK, 0, 0));
	expect_allocation_extras(OBJECT, EVENT_FIELDS(EVENT_FIELD_OBJECT, 0, 0));
	expect_allocation_extras(CALLER | OBJECT, EVENT_FIELDS(EVENT_FIELD_CALLER, EVENT_FIELD_OBJECT, 0));
	expect_allocation_extras(STACK | OBJECT, EVENT_FIELDS(EVENT_FIELD_STACK, EVENT_FIELD_OBJECT, 0));
	expect_allocation_extras(CALLER | STACK | OBJECT,
				 EVENT_FIELDS(EVENT_FIELD_CALLER, EVENT_FIELD_STACK, EVENT_FIELD_OBJECT));
}

Test(event_codes, extras_of_allocations_in_mono)
{
	expect_extras(MPROF_DIALECT_MONO, 0, 0);
	expect_extras(MPROF_DIALECT_MONO, CALLER, EVENT_FIELDS(EVENT_FIELD_CALLER, 0, 0));
	expect_extras(MPROF_DIALECT_MONO, OBJECT, EVENT_FIELDS(EVENT_FIELD_OBJECT, 0, 0));
	expect_extras(MPROF_DIALECT_MONO, UINT64_MAX, EVENT_FIELDS(EVENT_FIELD_CALLER, EVENT_FIELD_OBJECT, 0));
	expect_extras(MPROF_DIALECT_DROP, UINT64_MAX, 0);
}

static int byte_of(mprof_dialect dialect, uint32_t kind, uint32_t flags)
{
	return event_codes_byte(dialect_get(dialect), kind, flags);
}

Test(event_codes, bytes_from_kinds)
{
	static const mprof_dialect dialects[] = {MPROF_DIALECT_MAIL, MPROF_DIALECT_DROP, MPROF_DIALECT_MONO,
						 MPROF_DIALECT_UNITY, MPROF_DIALECT_MPROF2};

	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
		cr_assert_eq(byte_of(dialects[i], MPROF_EVENT_METHOD_ENTER, 0), 1);
		cr_assert_eq(byte_of(dialects[i], MPROF_EVENT_METHOD_LEAVE, 0), 3);
		cr_assert_eq(byte_of(dialects[i], MPROF_EVENT_ALLOCATION, 0), 4);
		for (size_t j = 0; j < FULL_CODE_COUNT; j++) {
			const full_code *code = &full_codes[j];

			/* Freed memory has two codes; the encoder uses the one without a call stack. */
			if (code->kind != MPROF_EVENT_UNKNOWN && code->layout != EVENT_LAYOUT_MEMORY_FREED_STACK &&
			    is_in(code, dialects[i], UINT64_MAX))
				cr_assert_eq(byte_of(dialects[i], code->kind, code->flags), code->byte);
		}
	}
	cr_assert_eq(byte_of(MPROF_DIALECT_MPROF2, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0), 2);
}

Test(event_codes, what_has_no_byte)
{
	static const uint8_t kinds[] = {
		MPROF_EVENT_UNKNOWN,   MPROF_EVENT_SAMPLE,    MPROF_EVENT_HEAP_OBJECT,     MPROF_EVENT_HEAP_FREE,
		MPROF_EVENT_HEAP_ROOT, MPROF_EVENT_HEAP_MOVE, MPROF_EVENT_HEAP_REFERENCES, EVENT_KIND_COUNT,
	};

	for (size_t i = 0; i < sizeof(kinds); i++) {
		cr_assert_eq(byte_of(MPROF_DIALECT_MPROF2, kinds[i], 0), -1);
		cr_assert_eq(byte_of(MPROF_DIALECT_MONO, kinds[i], 0), -1);
	}
	cr_assert_eq(byte_of(MPROF_DIALECT_MPROF2, MPROF_EVENT_METHOD_ENTER, MPROF_EVENT_FLAG_FAILED), -1);
	cr_assert_eq(byte_of(MPROF_DIALECT_MPROF2, MPROF_EVENT_METHOD_JIT_START, MPROF_EVENT_FLAG_FAILED), -1);
	cr_assert_eq(byte_of(MPROF_DIALECT_MPROF2, MPROF_EVENT_METHOD_JIT_END, MPROF_EVENT_FLAG_NATIVE), -1);
	cr_assert_eq(byte_of(MPROF_DIALECT_MPROF2, MPROF_EVENT_METHOD_JIT_END,
			     MPROF_EVENT_FLAG_NATIVE | MPROF_EVENT_FLAG_FAILED),
		     -1);
	cr_assert_eq(byte_of(MPROF_DIALECT_MPROF2, UINT32_MAX, 0), -1);
}

Test(event_codes, what_other_dialects_have_has_no_byte)
{
	cr_assert_eq(byte_of(MPROF_DIALECT_MPROF2, MPROF_EVENT_STACK_SECTION, 0), -1);
	cr_assert_eq(byte_of(MPROF_DIALECT_MONO, MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0), -1);
	cr_assert_eq(byte_of(MPROF_DIALECT_MONO, MPROF_EVENT_FINALIZATION_START, 0), -1);
	cr_assert_eq(byte_of(MPROF_DIALECT_MONO, MPROF_EVENT_HANDLE_CREATED, 0), -1);
	cr_assert_eq(byte_of(MPROF_DIALECT_DROP, MPROF_EVENT_MONITOR, 0), -1);
	cr_assert_eq(byte_of(MPROF_DIALECT_DROP, MPROF_EVENT_ALLOCATION_AT_JIT, 0), -1);
	cr_assert_eq(byte_of(MPROF_DIALECT_MAIL, MPROF_EVENT_GC_STOP_WORLD_START, 0), -1);
}

Test(event_codes, bytes_and_tables_agree)
{
	event_code table[256];

	event_codes_build(table, dialect_get(MPROF_DIALECT_MPROF2), UINT64_MAX);
	for (uint32_t byte = 1; byte < 256; byte++) {
		int base;

		if (table[byte].kind == MPROF_EVENT_UNKNOWN)
			continue;
		base = byte_of(MPROF_DIALECT_MPROF2, table[byte].kind, table[byte].flags);
		if (table[byte].layout == EVENT_LAYOUT_ALLOCATION_FIXED)
			cr_assert_eq(base, EVENT_GROUP_ALLOCATION);
		else if (table[byte].layout == EVENT_LAYOUT_MEMORY_FREED_STACK)
			cr_assert_eq(base, 0xcf);
		else
			cr_assert_eq((uint32_t)base, (byte & 7) < 5 ? byte & 7 : byte);
	}
}
