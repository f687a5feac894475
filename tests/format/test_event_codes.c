/* SPDX-License-Identifier: MIT */
/* The event byte: each of the 256, with and without directives, in both directions. */
#include "format/event_codes.h"

#include <criterion/criterion.h>

#define IMPLICIT MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE)
#define EXTENDED MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS)
#define SIZES MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES)
#define DETAILED MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS)
#define CALLER MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER)
#define STACK MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID)
#define OBJECT MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT)

typedef struct full_code {
	uint8_t byte;
	uint8_t kind;
	uint8_t flags;
	uint64_t directive; /* Without which it is not known. */
	uint16_t extras;
} full_code;

/* The tables of doc/format.md, 4.2 and 4.4. */
static const full_code full_codes[] = {
	{0x05, MPROF_EVENT_METHOD_JIT_START, 0, 0, 0},
	{0x85, MPROF_EVENT_METHOD_JIT_END, 0, 0, 0},
	{0xa5, MPROF_EVENT_METHOD_JIT_END, MPROF_EVENT_FAILED, 0, 0},
	{0x0d, MPROF_EVENT_METHOD_FREED, 0, 0, 0},
	{0x15, MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 0, EXTENDED, 0},
	{0x1d, MPROF_EVENT_METHOD_LEAVE_TAIL, 0, EXTENDED, 0},
	{0x06, MPROF_EVENT_CLASS_LOAD_START, 0, 0, 0},
	{0x86, MPROF_EVENT_CLASS_LOAD_END, 0, 0, 0},
	{0xa6, MPROF_EVENT_CLASS_LOAD_END, MPROF_EVENT_FAILED, 0, 0},
	{0x0e, MPROF_EVENT_CLASS_UNLOAD_START, 0, 0, 0},
	{0x8e, MPROF_EVENT_CLASS_UNLOAD_END, 0, 0, 0},
	{0x16, MPROF_EVENT_EXCEPTION, 0, 0, 0},
	{0x0f, MPROF_EVENT_THREAD_START, 0, 0, 0},
	{0x8f, MPROF_EVENT_THREAD_END, 0, 0, 0},
	{0x17, MPROF_EVENT_GC_START, 0, 0, 0},
	{0x97, MPROF_EVENT_GC_END, 0, 0, 0},
	{0x1f, MPROF_EVENT_GC_MARK_START, 0, 0, 0},
	{0x9f, MPROF_EVENT_GC_MARK_END, 0, 0, 0},
	{0x27, MPROF_EVENT_GC_SWEEP_START, 0, 0, 0},
	{0xa7, MPROF_EVENT_GC_SWEEP_END, 0, 0, 0},
	{0x2f, MPROF_EVENT_GC_RESIZE, 0, 0, 0},
	{0x37, MPROF_EVENT_GC_STOP_WORLD_START, 0, EXTENDED, 0},
	{0xb7, MPROF_EVENT_GC_STOP_WORLD_END, 0, EXTENDED, 0},
	{0x3f, MPROF_EVENT_GC_START_WORLD_START, 0, EXTENDED, 0},
	{0xbf, MPROF_EVENT_GC_START_WORLD_END, 0, EXTENDED, 0},
	{0x47, MPROF_EVENT_FINALIZATION_START, 0, EXTENDED, 0},
	{0xc7, MPROF_EVENT_FINALIZATION_END, 0, EXTENDED, 0},
	{0x57, MPROF_EVENT_RECORDING_RESUMED, 0, EXTENDED, 0},
	{0x1e, MPROF_EVENT_MONITOR, 0, DETAILED,
	 EVENT_EXTRAS(EVENT_EXTRA_VALUE, EVENT_EXTRA_OBJECT, EVENT_EXTRA_STACK)},
	{0x46, MPROF_EVENT_HANDLE_CREATED, 0, DETAILED,
	 EVENT_EXTRAS(EVENT_EXTRA_HANDLE, EVENT_EXTRA_OBJECT, EVENT_EXTRA_STACK)},
	{0xc6, MPROF_EVENT_HANDLE_DELETED, 0, DETAILED, EVENT_EXTRAS(EVENT_EXTRA_HANDLE, EVENT_EXTRA_STACK, 0)},
	{0x4e, MPROF_EVENT_FINALIZER_START, 0, DETAILED, EVENT_EXTRAS(EVENT_EXTRA_OBJECT, 0, 0)},
	{0xce, MPROF_EVENT_FINALIZER_END, 0, DETAILED, EVENT_EXTRAS(EVENT_EXTRA_OBJECT, 0, 0)},
};

#define FULL_CODE_COUNT (sizeof(full_codes) / sizeof(full_codes[0]))

static const full_code *full_code_of(uint32_t byte)
{
	for (size_t i = 0; i < FULL_CODE_COUNT; i++) {
		if (full_codes[i].byte == byte)
			return &full_codes[i];
	}
	return NULL;
}

static void check_packed(event_code code, uint32_t byte, uint64_t directives)
{
	static const uint8_t kinds[8] = {MPROF_EVENT_ALLOCATION, MPROF_EVENT_METHOD_ENTER,
					 MPROF_EVENT_METHOD_LEAVE_IMPLICIT, MPROF_EVENT_METHOD_LEAVE,
					 MPROF_EVENT_ALLOCATION};
	static const uint8_t forms[8] = {EVENT_FORM_ALLOCATION_FIXED, EVENT_FORM_PACKED_ID, EVENT_FORM_IMPLICIT_LEAVE,
					 EVENT_FORM_PACKED_ID, EVENT_FORM_ALLOCATION};
	static const uint64_t needed[8] = {SIZES, 0, IMPLICIT};
	int is_there = byte != 0 && (directives & needed[byte & 7]) == needed[byte & 7];

	cr_assert_eq(code.kind, is_there ? kinds[byte & 7] : 0, "byte %02x", byte);
	cr_assert_eq(code.flags, 0);
	if (byte == 0)
		cr_assert_eq(code.form, EVENT_FORM_END);
	else
		cr_assert_eq(code.form, is_there ? forms[byte & 7] : EVENT_FORM_INVALID, "byte %02x", byte);
	if (code.kind != MPROF_EVENT_ALLOCATION)
		cr_assert_eq(code.extras, 0, "byte %02x", byte);
}

static event_form full_form(uint32_t byte, const full_code *known)
{
	if (known->extras != 0)
		return EVENT_FORM_DETAILED;
	return (byte & 7) == 7 ? EVENT_FORM_VALUE : EVENT_FORM_ID;
}

static void check_full(event_code code, uint32_t byte, uint64_t directives, event_form otherwise)
{
	const full_code *known = full_code_of(byte);

	if (known == NULL || (known->directive & ~directives) != 0) {
		cr_assert_eq(code.kind, MPROF_EVENT_UNKNOWN, "byte %02x", byte);
		cr_assert_eq(code.form, otherwise, "byte %02x", byte);
		cr_assert_eq(code.extras, 0, "byte %02x", byte);
		return;
	}
	cr_assert_eq(code.kind, known->kind, "byte %02x", byte);
	cr_assert_eq(code.flags, known->flags, "byte %02x", byte);
	cr_assert_eq(code.form, full_form(byte, known), "byte %02x", byte);
	cr_assert_eq(code.extras, known->extras, "byte %02x", byte);
}

/* The directives are those declared; of a mail log none is in force whatever is said. */
static void check_table(mprof_dialect dialect, uint64_t directives)
{
	int is_mprof2 = dialect == MPROF_DIALECT_MPROF2;
	event_code table[256];

	event_codes_build(table, dialect_get(dialect), directives);
	for (uint32_t byte = 0; byte < 256; byte++) {
		if ((byte & 7) < 5)
			check_packed(table[byte], byte, is_mprof2 ? directives : 0);
		else
			check_full(table[byte], byte, is_mprof2 ? directives : 0,
				   is_mprof2 ? EVENT_FORM_UNKNOWN : EVENT_FORM_INVALID);
	}
}

Test(event_codes, mprof2)
{
	check_table(MPROF_DIALECT_MPROF2, 0);
	for (uint32_t directive = 0; directive < 64; directive++)
		check_table(MPROF_DIALECT_MPROF2, MPROF_DIRECTIVE_BIT(directive));
	check_table(MPROF_DIALECT_MPROF2, UINT64_MAX);
}

Test(event_codes, mail_has_no_directives)
{
	check_table(MPROF_DIALECT_MAIL, 0);
	check_table(MPROF_DIALECT_MAIL, UINT64_MAX);
}

static void expect_allocation_extras(uint64_t directives, uint32_t extras)
{
	event_code table[256];

	event_codes_build(table, dialect_get(MPROF_DIALECT_MPROF2), directives | SIZES);
	for (uint32_t byte = 1; byte < 256; byte++) {
		if ((byte & 7) == 0 || (byte & 7) == 4)
			cr_assert_eq(table[byte].extras, extras, "byte %02x", byte);
	}
}

Test(event_codes, extras_of_allocations)
{
	expect_allocation_extras(0, 0);
	expect_allocation_extras(CALLER, EVENT_EXTRAS(EVENT_EXTRA_CALLER, 0, 0));
	expect_allocation_extras(STACK, EVENT_EXTRAS(EVENT_EXTRA_STACK, 0, 0));
	expect_allocation_extras(OBJECT, EVENT_EXTRAS(EVENT_EXTRA_OBJECT, 0, 0));
	expect_allocation_extras(CALLER | OBJECT, EVENT_EXTRAS(EVENT_EXTRA_CALLER, EVENT_EXTRA_OBJECT, 0));
	expect_allocation_extras(STACK | OBJECT, EVENT_EXTRAS(EVENT_EXTRA_STACK, EVENT_EXTRA_OBJECT, 0));
	expect_allocation_extras(CALLER | STACK | OBJECT,
				 EVENT_EXTRAS(EVENT_EXTRA_CALLER, EVENT_EXTRA_STACK, EVENT_EXTRA_OBJECT));
}

Test(event_codes, bytes_from_kinds)
{
	cr_assert_eq(event_codes_byte(MPROF_EVENT_METHOD_ENTER, 0), 1);
	cr_assert_eq(event_codes_byte(MPROF_EVENT_METHOD_LEAVE_IMPLICIT, 0), 2);
	cr_assert_eq(event_codes_byte(MPROF_EVENT_METHOD_LEAVE, 0), 3);
	cr_assert_eq(event_codes_byte(MPROF_EVENT_ALLOCATION, 0), 4);
	for (size_t i = 0; i < FULL_CODE_COUNT; i++)
		cr_assert_eq(event_codes_byte(full_codes[i].kind, full_codes[i].flags), full_codes[i].byte);
}

Test(event_codes, what_has_no_byte)
{
	static const uint8_t kinds[] = {
		MPROF_EVENT_UNKNOWN,       MPROF_EVENT_ALLOCATION_AT_JIT, MPROF_EVENT_SAMPLE,
		MPROF_EVENT_STACK_SECTION, MPROF_EVENT_HEAP_OBJECT,       MPROF_EVENT_HEAP_FREE,
		MPROF_EVENT_HEAP_ROOT,     MPROF_EVENT_HEAP_MOVE,         MPROF_EVENT_HEAP_REFERENCES,
		MPROF_EVENT_KIND_COUNT,
	};

	for (size_t i = 0; i < sizeof(kinds); i++)
		cr_assert_eq(event_codes_byte(kinds[i], 0), -1);
	cr_assert_eq(event_codes_byte(MPROF_EVENT_METHOD_ENTER, MPROF_EVENT_FAILED), -1);
	cr_assert_eq(event_codes_byte(MPROF_EVENT_METHOD_JIT_START, MPROF_EVENT_FAILED), -1);
	cr_assert_eq(event_codes_byte(MPROF_EVENT_METHOD_JIT_END, MPROF_EVENT_NATIVE), -1);
	cr_assert_eq(event_codes_byte(MPROF_EVENT_METHOD_JIT_END, MPROF_EVENT_NATIVE | MPROF_EVENT_FAILED), -1);
	cr_assert_eq(event_codes_byte(UINT32_MAX, 0), -1);
}

Test(event_codes, bytes_and_tables_agree)
{
	event_code table[256];

	event_codes_build(table, dialect_get(MPROF_DIALECT_MPROF2), UINT64_MAX);
	for (uint32_t byte = 1; byte < 256; byte++) {
		int base;

		if (table[byte].kind == MPROF_EVENT_UNKNOWN)
			continue;
		base = event_codes_byte(table[byte].kind, table[byte].flags);
		if (table[byte].form == EVENT_FORM_ALLOCATION_FIXED)
			cr_assert_eq(base, EVENT_GROUP_ALLOCATION);
		else
			cr_assert_eq((uint32_t)base, (byte & 7) < 5 ? byte & 7 : byte);
	}
}
