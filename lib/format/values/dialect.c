/* SPDX-License-Identifier: MIT */
/* The dialects: codes, versions and directives. */
#include "format/values/dialect.h"

#include "base/bytes.h"
#include "base/caller_structs.h"

#include <string.h>

#define BIT(directive) MPROF_DIRECTIVE_BIT(directive)

/*
 * The 2007 mail has codes for INTRO and the six kinds after it, in the order in which it describes them. Kinds that
 * were added later follow.
 */
static const dialect_code mail_codes[] = {
	{1, MPROF_BLOCK_INTRO},
	{2, MPROF_BLOCK_LOADED},
	{3, MPROF_BLOCK_UNLOADED},
	{4, MPROF_BLOCK_MAPPING},
	{5, MPROF_BLOCK_EVENTS},
	{6, MPROF_BLOCK_STATISTICAL},
	{7, MPROF_BLOCK_END},
	{10, MPROF_BLOCK_DIRECTIVES},
	{8, MPROF_BLOCK_HEAP_DATA},
	{9, MPROF_BLOCK_HEAP_SUMMARY},
	{32, MPROF_BLOCK_SESSION},
	{33, MPROF_BLOCK_THREAD},
	{34, MPROF_BLOCK_LOST},
	{35, MPROF_BLOCK_SAMPLES},
	{36, MPROF_BLOCK_STACKS},
	{37, MPROF_BLOCK_CODE},
	{38, MPROF_BLOCK_METRICS},
	{39, MPROF_BLOCK_MARK},
	{40, MPROF_BLOCK_ROOTS},
	{41, MPROF_BLOCK_WATERMARK},
	{42, MPROF_BLOCK_FIELDS},
	{43, MPROF_BLOCK_EVENTS},
	{45, MPROF_BLOCK_INDEX},
	{46, MPROF_BLOCK_TYPES},
	{47, MPROF_BLOCK_TEXTS},
	{49, MPROF_BLOCK_TIMELINES},
	{50, MPROF_BLOCK_PROCESSES},
	{51, MPROF_BLOCK_CLOCKS},
	{55, MPROF_BLOCK_APPLICATION},
	{57, MPROF_BLOCK_CLOCK_PAIRS},
	{48, MPROF_BLOCK_TYPED},
	{52, MPROF_BLOCK_POSITIONS},
	{53, MPROF_BLOCK_CODE_RANGES},
	{58, MPROF_BLOCK_OBJECT_LABELS},
	{59, MPROF_BLOCK_REFERENCE_NAMES},
	{60, MPROF_BLOCK_REACHABILITY},
};

/* The codes of Mono's own writers. Those with short headers (drop) have only the first eight. */
static const dialect_code mono_codes[] = {
	{1, MPROF_BLOCK_INTRO},       {2, MPROF_BLOCK_END},       {3, MPROF_BLOCK_MAPPING},
	{4, MPROF_BLOCK_LOADED},      {5, MPROF_BLOCK_UNLOADED},  {6, MPROF_BLOCK_EVENTS},
	{7, MPROF_BLOCK_STATISTICAL}, {8, MPROF_BLOCK_HEAP_DATA}, {9, MPROF_BLOCK_HEAP_SUMMARY},
	{10, MPROF_BLOCK_DIRECTIVES},
};

#define MAIL_BLOCK_COUNT 7
#define DROP_BLOCK_COUNT 8
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define MONO_DIRECTIVES                                                                                                \
	(BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) | BIT(MPROF_DIRECTIVE_ALLOCATION_STACK) |                              \
	 BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) | BIT(MPROF_DIRECTIVE_ELEMENT_IDS) |                                   \
	 BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) | BIT(MPROF_DIRECTIVE_METHOD_FLAGS))

#define MPROF2_DIRECTIVES                                                                                              \
	(BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) | BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) |                             \
	 BIT(MPROF_DIRECTIVE_ELEMENT_IDS) | BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) | BIT(MPROF_DIRECTIVE_METHOD_FLAGS) |    \
	 BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |                                  \
	 BIT(MPROF_DIRECTIVE_CLASS_SIZES) | BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID) |                                 \
	 BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) | BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS) |                              \
	 BIT(MPROF_DIRECTIVE_MEMORY_EVENTS) | BIT(MPROF_DIRECTIVE_STACK_SWITCHES) |                                    \
	 BIT(MPROF_DIRECTIVE_SOURCE_LINES) | BIT(MPROF_DIRECTIVE_EXCEPTION_STACK_ID) |                                 \
	 BIT(MPROF_DIRECTIVE_REFERENCE_OFFSETS) | BIT(MPROF_DIRECTIVE_EXCEPTION_CLAUSES) |                             \
	 BIT(MPROF_DIRECTIVE_METHOD_CODE) | BIT(MPROF_DIRECTIVE_MONITOR_HOLDERS) | BIT(MPROF_DIRECTIVE_TYPED_EVENTS) | \
	 BIT(MPROF_DIRECTIVE_OBJECT_EVENTS) | BIT(MPROF_DIRECTIVE_POSITIONS) | BIT(MPROF_DIRECTIVE_TYPED_COLUMNS) |    \
	 BIT(MPROF_DIRECTIVE_SIZED_METRICS) | BIT(MPROF_DIRECTIVE_PROCESSES))

/* Flags that Mono's readers accept. */
#define MONO_INTRO_FLAGS ((UINT32_C(1) << 18) - 1)

/*
 * Every revision of Mono's profiler requests these events from the runtime, whatever it records. Mono's readers print a
 * table only if the corresponding flag is set.
 */
#define MONO_CONSTANT_INTRO_FLAGS                                                                                      \
	(MPROF_INTRO_FLAG_DOMAIN | MPROF_INTRO_FLAG_ASSEMBLY | MPROF_INTRO_FLAG_MODULE | MPROF_INTRO_FLAG_CLASS |      \
	 MPROF_INTRO_FLAG_METHOD)

/* Mono's own reader stores a call stack in an array of 32 frames. */
#define MONO_MAX_SAMPLE_FRAMES 32

/* Common to Mono's own writers and their forks. */
#define MONO_COLUMNS                                                                                                   \
	.version = 1, .codes = mono_codes, .intro_flags = MONO_INTRO_FLAGS, .default_runtime = "mono",                 \
	.names_unknown_assembly = 1, .has_guessed_layouts = 1, .has_sample_tokens = 1, .repeats_base_counter = 1,      \
	.has_bad_monitor_times = 1, .has_inline_definitions = 1, .methods_need_class = 1,                              \
	.numbers_snapshots_like_collections = 1

/* Common to the writers since Mono 2.0. */
#define MONO_2_COLUMNS                                                                                                 \
	MONO_COLUMNS, .header_length = 10, .directives = MONO_DIRECTIVES, .code_count = COUNT_OF(mono_codes),          \
		      .max_sample_frames = MONO_MAX_SAMPLE_FRAMES

static const dialect_rules all_rules[] = {
	{.dialect = MPROF_DIALECT_MAIL,
	 .version = 1,
	 .header_length = 6,
	 .codes = mail_codes,
	 .code_count = MAIL_BLOCK_COUNT,
	 .intro_flags = MONO_INTRO_FLAGS,
	 .default_runtime = "",
	 .can_write = 1,
	 .has_mail_variants = 1},
	{.dialect = MPROF_DIALECT_DROP,
	 MONO_COLUMNS,
	 .header_length = 6,
	 .code_count = DROP_BLOCK_COUNT,
	 .max_sample_frames = 1,
	 .can_write = 1,
	 .has_early_heap_layouts = 1,
	 .has_sample_counts = 1},
	{.dialect = MPROF_DIALECT_MONO,
	 MONO_2_COLUMNS,
	 .constant_intro_flags = MONO_CONSTANT_INTRO_FLAGS,
	 .can_write = 1,
	 .counts_collections = 1,
	 .has_stack_sections = 1,
	 .has_failed_loads_as_allocations = 1},
	{.dialect = MPROF_DIALECT_UNITY,
	 MONO_2_COLUMNS,
	 .constant_intro_flags = MONO_CONSTANT_INTRO_FLAGS,
	 .can_write = 1,
	 .is_caller_count_first = 1,
	 .counts_collections = 1,
	 .has_stack_sections = 1},
	{.dialect = MPROF_DIALECT_UNITY_FIXED, MONO_2_COLUMNS, .has_fixed_ints = 1},
	{.dialect = MPROF_DIALECT_MPROF2,
	 .version = 2,
	 .header_length = 6,
	 .checksum_length = 4,
	 .directives = MPROF2_DIRECTIVES,
	 .codes = mail_codes,
	 .code_count = COUNT_OF(mail_codes),
	 .column_code = 43,
	 .compressed_code = 44,
	 .intro_flags = DIALECT_INTRO_FLAGS,
	 .default_runtime = "",
	 .can_write = 1,
	 .directives_name_blocks = 1,
	 .has_heap_records = 1,
	 .reserves_event_codes = 1},
};

const dialect_rules *dialect_get(mprof_dialect dialect)
{
	if (dialect == MPROF_DIALECT_DEFAULT)
		dialect = MPROF_DIALECT_MPROF2;
	for (size_t i = 0; i < COUNT_OF(all_rules); i++) {
		if (all_rules[i].dialect == dialect)
			return &all_rules[i];
	}
	return NULL;
}

mprof_block_kind dialect_block_kind(const dialect_rules *rules, uint32_t code)
{
	for (size_t i = 0; i < rules->code_count; i++) {
		if (rules->codes[i].code == code)
			return (mprof_block_kind)rules->codes[i].kind;
	}
	return MPROF_BLOCK_UNKNOWN;
}

uint32_t dialect_block_code(const dialect_rules *rules, mprof_block_kind kind)
{
	for (size_t i = 0; i < rules->code_count; i++) {
		if (rules->codes[i].kind == kind)
			return rules->codes[i].code;
	}
	return 0;
}

mprof_status mprof_dialect_get_info(uint32_t dialect, mprof_dialect_info *info)
{
	const dialect_rules *rules = dialect_get(dialect);
	mprof_dialect_info copy = {.struct_size = sizeof(copy)};

	if (info == NULL || rules == NULL)
		return MPROF_ERR_ARGUMENT;
	copy.name = mprof_dialect_get_name(rules->dialect);
	copy.directives.bits[0] = rules->directives;
	for (size_t i = 0; i < rules->code_count; i++)
		mprof_number_set_add(&copy.blocks, rules->codes[i].kind);
	copy.version = rules->version;
	copy.can_write = rules->can_write;
	copy.has_stack_sections = rules->has_stack_sections;
	copy.counts_collections = rules->counts_collections;
	return struct_copy_out(info, &copy, sizeof(copy));
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

int dialect_guess_is_long(const uint8_t *bytes)
{
	return bytes_load_16(bytes) == 1 && bytes[10] == 0x81;
}

const char *dialect_foreign_name(const uint8_t *bytes, size_t length)
{
	static const struct {
		const char *start;
		size_t length;
		const char *message;
	} formats[] = {
		{"\x01ZPM", 4, "this is a Mono .mlpd log, not mprof; mprof-report reads it"},
		{"\x1f\x8b", 2, "this is gzip-compressed data where plain bytes are expected"},
		{"\x28\xb5\x2f\xfd", 4, "this is a zstd-compressed file; decompress it first"},
		{"\xfd\x37zXZ", 5, "this is an xz-compressed file; decompress it first"},
		{"BZh", 3, "this is a bzip2-compressed file; decompress it first"},
		{"PK\x03\x04", 4, "this is a zip archive, not an mprof log"},
		{"MZ", 2, "this is a program (.exe or .dll), not an mprof log"},
		{"\x7f"
		 "ELF",
		 4, "this is a native program or library, not an mprof log"},
		{"PERFILE2", 8, "this is a perf.data file, not an mprof log"},
		{"Nettrace", 8, "this is a .nettrace file of .NET, not an mprof log"},
		{"FLR", 4, "this is a recording of the JDK Flight Recorder, not an mprof log"},
		{"JAVA PROFILE", 12, "this is a heap dump of Java (HPROF), not an mprof log"},
		{"SQLite format 3", 16, "this is a database of SQLite, not an mprof log"},
		/* The first field of pprof's Profile: a ValueType, which begins with its type. */
		{"\x0a\x04\x08", 3, "this looks like a profile of pprof, not an mprof log"},
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

#define IN(kind) MPROF_BLOCK_BIT(MPROF_BLOCK_##kind)

static const directive_row rows[] = {
	{MPROF_DIRECTIVE_ALLOCATION_CALLER, IN(EVENTS), "the dialect cannot represent the method that allocates"},
	{MPROF_DIRECTIVE_ALLOCATION_STACK, IN(EVENTS), "the dialect cannot represent the call stack of an allocation"},
	{MPROF_DIRECTIVE_ALLOCATION_OBJECT, IN(EVENTS), "the dialect cannot represent the address of an object"},
	{MPROF_DIRECTIVE_ELEMENT_IDS, IN(LOADED) | IN(UNLOADED), "the dialect cannot represent the ID of a code unit"},
	{MPROF_DIRECTIVE_ASSEMBLY_IDS, IN(MAPPING) | IN(LOADED),
	 "the dialect cannot represent the assembly of a class"},
	{MPROF_DIRECTIVE_METHOD_FLAGS, IN(MAPPING), "the dialect cannot represent whether a method is a wrapper"},
	{MPROF_DIRECTIVE_IMPLICIT_LEAVE, IN(EVENTS), "the dialect has no implicit leaves"},
	{MPROF_DIRECTIVE_EXTENDED_EVENTS, 0, "the dialect has no events in addition to those of mail"},
	{MPROF_DIRECTIVE_CLASS_SIZES, IN(MAPPING) | IN(EVENTS) | IN(HEAP_DATA),
	 "the dialect cannot represent the object size of a class"},
	{MPROF_DIRECTIVE_ALLOCATION_STACK_ID, IN(EVENTS), "the dialect cannot represent the stack ID of an allocation"},
	{MPROF_DIRECTIVE_DETAILED_EVENTS, IN(EVENTS), "the dialect has no events with details"},
	{MPROF_DIRECTIVE_COLLECTION_NUMBERS, IN(EVENTS), "the dialect cannot represent the number of a collection"},
	{MPROF_DIRECTIVE_SOURCE_LINES, IN(MAPPING), "the dialect cannot represent the source line of a method"},
	{MPROF_DIRECTIVE_MEMORY_EVENTS, IN(EVENTS), "the dialect has no events of native memory"},
	{MPROF_DIRECTIVE_STACK_SWITCHES, IN(EVENTS), "the dialect has no switches between call stacks"},
	{MPROF_DIRECTIVE_EXCEPTION_STACK_ID, IN(EVENTS), "the dialect cannot represent the call stack of an exception"},
	{MPROF_DIRECTIVE_REFERENCE_OFFSETS, IN(HEAP_DATA), "the dialect cannot represent the offset of a reference"},
	{MPROF_DIRECTIVE_EXCEPTION_CLAUSES, IN(EVENTS), "the dialect has no events of exception clauses"},
	{MPROF_DIRECTIVE_METHOD_CODE, IN(EVENTS), "the dialect has no events of the code of methods"},
	{MPROF_DIRECTIVE_MONITOR_HOLDERS, IN(EVENTS), "the dialect has no events of the holders of monitors"},
	{MPROF_DIRECTIVE_TYPED_EVENTS, IN(EVENTS), "the dialect has no events that a log describes"},
	{MPROF_DIRECTIVE_OBJECT_EVENTS, IN(EVENTS), "the dialect has no events of objects that are freed or resized"},
	{MPROF_DIRECTIVE_TYPED_COLUMNS, IN(EVENTS), "the dialect has no columns for events that a log describes"},
	{MPROF_DIRECTIVE_POSITIONS, IN(STACKS), "the dialect cannot represent the line of a frame"},
	{MPROF_DIRECTIVE_SIZED_METRICS, IN(METRICS),
	 "the dialect cannot represent a named unit, a histogram or the time of a value"},
	{MPROF_DIRECTIVE_PROCESSES, IN(EVENTS) | IN(HEAP_DATA),
	 "the dialect cannot keep the memory of processes apart"},
};

/*
 * The table of directives: the only place that states which blocks each of them changes, and what a log without it
 * cannot contain. Section 3.7 of doc/format.md and the comment of mprof_writer_options::directives describe the same.
 */

const directive_row *directive_find(uint32_t directive)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].directive == directive)
			return &rows[i];
	}
	return NULL;
}
