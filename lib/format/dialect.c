/* SPDX-License-Identifier: MIT */
#include "format/dialect.h"

#include "base/bytes.h"

#include <string.h>

#define BIT(directive) MPROF_DIRECTIVE_BIT(directive)

#define MONO_DIRECTIVES                                                                                                \
	(BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) | BIT(MPROF_DIRECTIVE_ALLOCATION_STACK) |                              \
	 BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) | BIT(MPROF_DIRECTIVE_ELEMENT_IDS) |                                   \
	 BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) | BIT(MPROF_DIRECTIVE_METHOD_FLAGS))

static const dialect_rules all_rules[] = {
	{MPROF_DIALECT_MAIL, 1, 6, 0, 0, 1, 1},
	{MPROF_DIALECT_DROP, 1, 6, 0, 0, 0, 0},
	{MPROF_DIALECT_MONO, 1, 10, 0, MONO_DIRECTIVES, 0, 0},
	{MPROF_DIALECT_UNITY, 1, 10, 0, MONO_DIRECTIVES, 0, 0},
	{MPROF_DIALECT_MPROF2, 2, 6, 4,
	 BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) | BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) |
		 BIT(MPROF_DIRECTIVE_ELEMENT_IDS) | BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) |
		 BIT(MPROF_DIRECTIVE_METHOD_FLAGS) | BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) |
		 BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) | BIT(MPROF_DIRECTIVE_CLASS_SIZES) |
		 BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) | BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) |
		 BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS),
	 1, 1},
};

typedef struct block_code {
	uint8_t code;
	uint8_t kind;
} block_code;

/* The seven blocks of the mail come first; the rest are of mprof2 alone. */
static const block_code block_codes[] = {
	{1, MPROF_BLOCK_INTRO},        {2, MPROF_BLOCK_LOADED},      {3, MPROF_BLOCK_UNLOADED},
	{4, MPROF_BLOCK_MAPPING},      {5, MPROF_BLOCK_EVENTS},      {6, MPROF_BLOCK_STATISTICAL},
	{7, MPROF_BLOCK_END},          {10, MPROF_BLOCK_DIRECTIVES}, {8, MPROF_BLOCK_HEAP_DATA},
	{9, MPROF_BLOCK_HEAP_SUMMARY}, {32, MPROF_BLOCK_SESSION},    {33, MPROF_BLOCK_THREAD},
	{34, MPROF_BLOCK_LOST},        {35, MPROF_BLOCK_SAMPLES},    {36, MPROF_BLOCK_STACKS},
	{37, MPROF_BLOCK_CODE},        {38, MPROF_BLOCK_METRICS},    {39, MPROF_BLOCK_MARK},
	{40, MPROF_BLOCK_ROOTS},
};

#define MAIL_BLOCK_COUNT 7

static size_t block_code_count(const dialect_rules *rules)
{
	return rules->dialect == MPROF_DIALECT_MPROF2 ? sizeof(block_codes) / sizeof(block_codes[0]) : MAIL_BLOCK_COUNT;
}

const dialect_rules *dialect_get(mprof_dialect dialect)
{
	if (dialect == MPROF_DIALECT_DEFAULT)
		dialect = MPROF_DIALECT_MPROF2;
	for (size_t i = 0; i < sizeof(all_rules) / sizeof(all_rules[0]); i++) {
		if (all_rules[i].dialect == dialect)
			return &all_rules[i];
	}
	return NULL;
}

mprof_block_kind dialect_block_kind(const dialect_rules *rules, uint32_t code)
{
	for (size_t i = 0; i < block_code_count(rules); i++) {
		if (block_codes[i].code == code)
			return (mprof_block_kind)block_codes[i].kind;
	}
	return MPROF_BLOCK_UNKNOWN;
}

uint32_t dialect_block_code(const dialect_rules *rules, mprof_block_kind kind)
{
	for (size_t i = 0; i < block_code_count(rules); i++) {
		if (block_codes[i].kind == kind)
			return block_codes[i].code;
	}
	return 0;
}

uint64_t dialect_directive_blocks(mprof_directive directive)
{
	switch (directive) {
	case MPROF_DIRECTIVE_ALLOCATION_CALLER:
	case MPROF_DIRECTIVE_ALLOCATION_STACK:
	case MPROF_DIRECTIVE_ALLOCATION_OBJECT:
	case MPROF_DIRECTIVE_IMPLICIT_LEAVE:
	case MPROF_DIRECTIVE_ALLOCATION_STACK_ID:
	case MPROF_DIRECTIVE_DETAILED_EVENTS:
	case MPROF_DIRECTIVE_COLLECTION_NUMBERS:
		return MPROF_BLOCK_BIT(MPROF_BLOCK_EVENTS);
	case MPROF_DIRECTIVE_ELEMENT_IDS:
		return MPROF_BLOCK_BIT(MPROF_BLOCK_LOADED) | MPROF_BLOCK_BIT(MPROF_BLOCK_UNLOADED);
	case MPROF_DIRECTIVE_ASSEMBLY_IDS:
		return MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING) | MPROF_BLOCK_BIT(MPROF_BLOCK_LOADED);
	case MPROF_DIRECTIVE_METHOD_FLAGS:
		return MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING);
	case MPROF_DIRECTIVE_CLASS_SIZES:
		return MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING) | MPROF_BLOCK_BIT(MPROF_BLOCK_EVENTS) |
		       MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_DATA);
	case MPROF_DIRECTIVE_EXTENDED_EVENTS:
		break;
	}
	return 0;
}

dialect_guess dialect_guess_from(const uint8_t *bytes, size_t length)
{
	static const uint8_t intro_code[2] = {1, 0};

	if (memcmp(bytes, intro_code, length < 2 ? length : 2) != 0)
		return DIALECT_GUESS_NONE;
	if (length < 7)
		return DIALECT_GUESS_MORE_BYTES;
	if (bytes[6] == 0x82)
		return DIALECT_GUESS_MPROF2;
	if (bytes[6] == 0x81)
		return DIALECT_GUESS_SHORT_HEADER;
	if (bytes[6] > 0x82)
		return DIALECT_GUESS_NEWER;
	if (bytes[6] != 0)
		return DIALECT_GUESS_NONE;
	if (length < DIALECT_GUESS_LENGTH)
		return DIALECT_GUESS_MORE_BYTES;
	if (bytes_load_32(bytes + 6) != 0)
		return DIALECT_GUESS_NONE;
	if (bytes[10] == 0x81)
		return DIALECT_GUESS_LONG_HEADER;
	return bytes_load_32(bytes + 10) == 1 ? DIALECT_GUESS_FIXED_INTS : DIALECT_GUESS_NONE;
}

const char *dialect_foreign_name(const uint8_t *bytes, size_t length)
{
	static const struct {
		const char *start;
		size_t length;
		const char *message;
	} formats[] = {
		{"\x01ZPM", 4, "this is a Mono .mlpd log, not mprof; mprof-report reads it"},
		{"\x1f\x8b", 2, "this is gzip-compressed data in a place where plain bytes are expected"},
		{"\x28\xb5\x2f\xfd", 4, "this is a zstd-compressed file; decompress it first"},
		{"\xfd\x37zXZ", 5, "this is an xz-compressed file; decompress it first"},
		{"BZh", 3, "this is a bzip2-compressed file; decompress it first"},
		{"PK\x03\x04", 4, "this is a zip archive, not an mprof log"},
		{"MZ", 2, "this is a program (.exe or .dll), not an mprof log"},
		{"\x7f" "ELF", 4, "this is a native program or library, not an mprof log"},
		{"PERFILE2", 8, "this is a perf.data file, not an mprof log"},
		{"{", 1, "this looks like JSON, not an mprof log"},
		{"<", 1, "this looks like XML or HTML, not an mprof log"},
	};

	if (length == 0)
		return "the file is empty";
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (length >= formats[i].length && memcmp(bytes, formats[i].start, formats[i].length) == 0)
			return formats[i].message;
	}
	return "the file does not start like an mprof log";
}
