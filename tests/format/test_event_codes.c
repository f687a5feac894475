/* SPDX-License-Identifier: MIT */
/* The event byte: each of the 256, with and without directives, in both directions. */
#include "format/event_codes.h"

#include <criterion/criterion.h>

#define ALL_DIRECTIVES                                                                                                 \
	(MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS))

typedef struct full_code {
	uint8_t byte;
	uint8_t kind;
	uint8_t flags;
	uint8_t is_extended;
} full_code;

/* The table of doc/format.md, 4.2. */
static const full_code full_codes[] = {
	{0x05, MPROF_EVENT_METHOD_JIT_START, 0, 0},
	{0x85, MPROF_EVENT_METHOD_JIT_END, 0, 0},
	{0xa5, MPROF_EVENT_METHOD_JIT_END, MPROF_EVENT_FAILED, 0},
	{0x0d, MPROF_EVENT_METHOD_FREED, 0, 0},
	{0x15, MPROF_EVENT_METHOD_LEAVE_EXCEPTION, 0, 1},
	{0x1d, MPROF_EVENT_METHOD_LEAVE_TAIL, 0, 1},
	{0x06, MPROF_EVENT_CLASS_LOAD_START, 0, 0},
	{0x86, MPROF_EVENT_CLASS_LOAD_END, 0, 0},
	{0xa6, MPROF_EVENT_CLASS_LOAD_END, MPROF_EVENT_FAILED, 0},
	{0x0e, MPROF_EVENT_CLASS_UNLOAD_START, 0, 0},
	{0x8e, MPROF_EVENT_CLASS_UNLOAD_END, 0, 0},
	{0x16, MPROF_EVENT_EXCEPTION, 0, 0},
	{0x0f, MPROF_EVENT_THREAD_START, 0, 0},
	{0x8f, MPROF_EVENT_THREAD_END, 0, 0},
	{0x17, MPROF_EVENT_GC_START, 0, 0},
	{0x97, MPROF_EVENT_GC_END, 0, 0},
	{0x1f, MPROF_EVENT_GC_MARK_START, 0, 0},
	{0x9f, MPROF_EVENT_GC_MARK_END, 0, 0},
	{0x27, MPROF_EVENT_GC_SWEEP_START, 0, 0},
	{0xa7, MPROF_EVENT_GC_SWEEP_END, 0, 0},
	{0x2f, MPROF_EVENT_GC_RESIZE, 0, 0},
	{0x37, MPROF_EVENT_GC_STOP_WORLD_START, 0, 1},
	{0xb7, MPROF_EVENT_GC_STOP_WORLD_END, 0, 1},
	{0x3f, MPROF_EVENT_GC_START_WORLD_START, 0, 1},
	{0xbf, MPROF_EVENT_GC_START_WORLD_END, 0, 1},
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

static void check_packed(event_code code, uint32_t byte, int has_implicit)
{
	static const uint8_t kinds[8] = {0, MPROF_EVENT_METHOD_ENTER, MPROF_EVENT_METHOD_LEAVE_IMPLICIT,
					 MPROF_EVENT_METHOD_LEAVE, MPROF_EVENT_ALLOCATION};
	static const uint8_t forms[8] = {EVENT_FORM_INVALID, EVENT_FORM_PACKED_ID, EVENT_FORM_IMPLICIT_LEAVE,
					 EVENT_FORM_PACKED_ID, EVENT_FORM_ALLOCATION};
	int is_there = (byte & 7) != 2 || has_implicit;

	cr_assert_eq(code.kind, is_there ? kinds[byte & 7] : 0, "byte %02x", byte);
	cr_assert_eq(code.flags, 0);
	if (byte == 0)
		cr_assert_eq(code.form, EVENT_FORM_END);
	else
		cr_assert_eq(code.form, is_there ? forms[byte & 7] : EVENT_FORM_INVALID, "byte %02x", byte);
}

static void check_full(event_code code, uint32_t byte, int has_extended, event_form otherwise)
{
	const full_code *known = full_code_of(byte);

	if (known == NULL || (known->is_extended && !has_extended)) {
		cr_assert_eq(code.kind, MPROF_EVENT_UNKNOWN, "byte %02x", byte);
		cr_assert_eq(code.form, otherwise, "byte %02x", byte);
		return;
	}
	cr_assert_eq(code.kind, known->kind, "byte %02x", byte);
	cr_assert_eq(code.flags, known->flags, "byte %02x", byte);
	cr_assert_eq(code.form, (byte & 7) == 7 ? EVENT_FORM_VALUE : EVENT_FORM_ID, "byte %02x", byte);
}

static void check_table(mprof_dialect dialect, uint64_t directives, int has_implicit, int has_extended)
{
	event_form otherwise = dialect == MPROF_DIALECT_MPROF2 ? EVENT_FORM_UNKNOWN : EVENT_FORM_INVALID;
	event_code table[256];

	event_codes_build(table, dialect_get(dialect), directives);
	for (uint32_t byte = 0; byte < 256; byte++) {
		if ((byte & 7) < 5)
			check_packed(table[byte], byte, has_implicit);
		else
			check_full(table[byte], byte, has_extended, otherwise);
	}
}

Test(event_codes, mprof2)
{
	check_table(MPROF_DIALECT_MPROF2, 0, 0, 0);
	check_table(MPROF_DIALECT_MPROF2, MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE), 1, 0);
	check_table(MPROF_DIALECT_MPROF2, MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS), 0, 1);
	check_table(MPROF_DIALECT_MPROF2, ALL_DIRECTIVES, 1, 1);
	check_table(MPROF_DIALECT_MPROF2, UINT64_MAX, 1, 1);
}

Test(event_codes, mail_has_no_directives)
{
	check_table(MPROF_DIALECT_MAIL, 0, 0, 0);
	check_table(MPROF_DIALECT_MAIL, ALL_DIRECTIVES, 0, 0);
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
		MPROF_EVENT_UNKNOWN,       MPROF_EVENT_ALLOCATION_AT_JIT, MPROF_EVENT_MONITOR,   MPROF_EVENT_SAMPLE,
		MPROF_EVENT_STACK_SECTION, MPROF_EVENT_HEAP_OBJECT,       MPROF_EVENT_HEAP_FREE, MPROF_EVENT_KIND_COUNT,
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

	event_codes_build(table, dialect_get(MPROF_DIALECT_MPROF2), ALL_DIRECTIVES);
	for (uint32_t byte = 1; byte < 256; byte++) {
		int base;

		if (table[byte].kind == MPROF_EVENT_UNKNOWN)
			continue;
		base = event_codes_byte(table[byte].kind, table[byte].flags);
		cr_assert_eq((uint32_t)base, (byte & 7) < 5 ? byte & 7 : byte);
	}
}
