/* SPDX-License-Identifier: MIT */
/* Stores what blocks contain about the log as a whole: names, definitions, clocks, losses. */
#include "reader/learn.h"

#include "base/checksum.h"
#include "format/blocks/block_decode.h"
#include "format/blocks/records.h"
#include "format/values/clock_conversion.h"
#include "format/values/dialect.h"
#include "parser/parser.h"
#include "reader/call_stacks.h"
#include "reader/code_names.h"
#include "reader/errors.h"
#include "reader/reader_internal.h"

#include <string.h>

/* Kinds of blocks that are loaded for what they define even if the caller does not want them. */
#define DEFINING_KINDS                                                                                                 \
	(MPROF_BLOCK_BIT(MPROF_BLOCK_INTRO) | MPROF_BLOCK_BIT(MPROF_BLOCK_DIRECTIVES) |                                \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING) | MPROF_BLOCK_BIT(MPROF_BLOCK_END) | MPROF_BLOCK_BIT(MPROF_BLOCK_LOST) | \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_STACKS) | MPROF_BLOCK_BIT(MPROF_BLOCK_CODE) |                                     \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_ROOTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_METRICS) |                                   \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_FIELDS) | MPROF_BLOCK_BIT(MPROF_BLOCK_TYPES) |                                    \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_TEXTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_TIMELINES) |                                 \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_PROCESSES) | MPROF_BLOCK_BIT(MPROF_BLOCK_CLOCKS) |                                \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_STATISTICAL) | MPROF_BLOCK_BIT(MPROF_BLOCK_SESSION) |                             \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_POSITIONS) | MPROF_BLOCK_BIT(MPROF_BLOCK_CODE_RANGES))

/* Those of them whose definitions the parser passes on while it loads the block. */
#define STORED_KINDS                                                                                                   \
	(MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING) | MPROF_BLOCK_BIT(MPROF_BLOCK_STACKS) |                                  \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_CODE) | MPROF_BLOCK_BIT(MPROF_BLOCK_ROOTS) |                                      \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_METRICS) | MPROF_BLOCK_BIT(MPROF_BLOCK_FIELDS) |                                  \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_TYPES) | MPROF_BLOCK_BIT(MPROF_BLOCK_TEXTS) |                                     \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_TIMELINES) | MPROF_BLOCK_BIT(MPROF_BLOCK_PROCESSES) |                             \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_CLOCKS) | MPROF_BLOCK_BIT(MPROF_BLOCK_POSITIONS) |                                \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_CODE_RANGES))

uint64_t reader_defining_kinds(void)
{
	return DEFINING_KINDS;
}

/* Returns the index of the first offset that is not below \p offset. */
static size_t first_from(const learned_blocks *blocks, uint64_t offset)
{
	size_t low = 0;
	size_t high = blocks->count;

	if (high == 0 || blocks->offsets[high - 1] < offset)
		return high;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (blocks->offsets[middle] < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Whether the block at an offset was added. */
static int learned_blocks_has(const learned_blocks *blocks, uint64_t offset)
{
	const size_t index = first_from(blocks, offset);

	return index < blocks->count && blocks->offsets[index] == offset;
}

static int has_stored(void *user, const mprof_block *block)
{
	const mprof_reader *reader = user;

	return (STORED_KINDS & MPROF_BLOCK_BIT(block->kind)) != 0 &&
	       learned_blocks_has(&reader->learned, block->offset);
}

int reader_has_learned(mprof_reader *reader, const mprof_block *block)
{
	return has_stored(reader, block);
}

/* Keeps the first reason. If one definition cannot be stored, the others still are, except if out of memory. */
static void note_status(reader_learning *learning, mprof_status status)
{
	if (learning->status == MPROF_OK || status == MPROF_ERR_MEMORY)
		learning->status = status;
}

static void store_mapping(void *user, const mprof_mapping *mapping)
{
	mprof_reader *reader = user;
	reader_learning *learning = &reader->learning;

	if (learning->status != MPROF_ERR_MEMORY)
		note_status(learning, name_table_add(&reader->names, mapping, learning->block_offset));
}

/* Stores a record of a CODE_RANGES block. A range that is defined a second time has no second place. */
static mprof_status store_code(mprof_reader *reader, const mprof_record *record)
{
	const size_t count = definition_table_count(&reader->definitions, MPROF_RECORD_CODE_RANGE);
	mprof_record range = *record;
	mprof_status status = MPROF_OK;
	mprof_status placed = MPROF_OK;

	if (record->kind == MPROF_RECORD_CODE_RANGE) {
		status = definition_table_add(&reader->definitions, record);
		range.as.code_range.process = reader_process_of_addresses(reader, range.as.code_range.process);
	}
	if (record->kind != MPROF_RECORD_CODE_RANGE ||
	    definition_table_count(&reader->definitions, MPROF_RECORD_CODE_RANGE) > count)
		placed = code_ranges_add(&reader->code.ranges, &range);
	return placed != MPROF_OK ? placed : status;
}

static void store_record(void *user, const mprof_record *record)
{
	mprof_reader *reader = user;
	mprof_status status = MPROF_OK;

	if (reader->learning.status == MPROF_ERR_MEMORY)
		return;
	if (record_is_of_code_ranges(record->kind))
		status = store_code(reader, record);
	else if (record_is_definition(record->kind))
		status = definition_table_add(&reader->definitions, record);
	else if (record->kind == MPROF_RECORD_FIELD)
		status = field_table_add(&reader->fields, record);
	/* After blocks that were skipped or damaged, a gap in the IDs is not a fault of this block. */
	if (status == MPROF_ERR_MALFORMED && reader->misses_something)
		status = MPROF_OK;
	note_status(&reader->learning, status);
}

static int begin_storing(void *user, const mprof_block *block)
{
	mprof_reader *reader = user;
	reader_learning *learning = &reader->learning;

	learning->status = MPROF_OK;
	learning->block_offset = block->offset;
	if ((STORED_KINDS & MPROF_BLOCK_BIT(block->kind)) == 0 || has_stored(reader, block))
		return 0;
	learning->names = name_table_mark(&reader->names);
	learning->definitions = definition_table_mark(&reader->definitions);
	learning->field_count = field_table_count(&reader->fields);
	learning->code = code_ranges_mark(&reader->code.ranges);
	return 1;
}

/* What a block defines before its damage is not certain to be a definition, so all of it is removed. */
static void end_storing(void *user, int is_valid)
{
	mprof_reader *reader = user;
	reader_learning *learning = &reader->learning;

	if (is_valid)
		return;
	learning->status = MPROF_OK;
	code_ranges_roll_back(&reader->code.ranges, &learning->code);
	field_table_roll_back(&reader->fields, learning->field_count);
	definition_table_roll_back(&reader->definitions, &learning->definitions);
	name_table_roll_back(&reader->names, &learning->names);
}

void reader_learn_init(mprof_reader *reader)
{
	const parser_definitions definitions = {
		has_stored, begin_storing, end_storing, {store_mapping, store_record, reader}};

	parser_set_definitions(reader->parser, &definitions);
}

/*
 * Adds the block at an offset. Returns MPROF_OK, also if the block was added before; MPROF_ERR_LIMIT;
 * MPROF_ERR_MEMORY.
 */
static mprof_status learned_blocks_add(learned_blocks *blocks, memory_budget *budget, uint64_t offset)
{
	const size_t index = first_from(blocks, offset);
	void *offsets = blocks->offsets;
	mprof_status status;

	if (index < blocks->count && blocks->offsets[index] == offset)
		return MPROF_OK;
	status = memory_budget_reserve(budget, &offsets, &blocks->capacity, blocks->count + 1, sizeof(uint64_t));
	blocks->offsets = offsets;
	if (status != MPROF_OK)
		return status;
	memmove(blocks->offsets + index + 1, blocks->offsets + index, (blocks->count - index) * sizeof(uint64_t));
	blocks->offsets[index] = offset;
	blocks->count++;
	return MPROF_OK;
}

static mprof_status end_definitions(mprof_reader *reader, const mprof_block *block)
{
	mprof_status status = reader->learning.status;

	if (status != MPROF_OK)
		return reader_fail_names(reader, status, block);
	status = learned_blocks_add(&reader->learned, &reader->budget, block->offset);
	/* If the limit leaves no room for the offset, the block is decoded again when it is read again. */
	return status == MPROF_ERR_MEMORY ? reader_fail_names(reader, status, block) : MPROF_OK;
}

static mprof_status store_runtime(mprof_reader *reader, const mprof_block *block)
{
	char *copy;

	if (reader->runtime != NULL)
		return MPROF_OK;
	copy = allocator_allocate(&reader->allocator, block->as.intro.runtime_length + 1);
	if (copy == NULL)
		return reader_fail_names(reader, MPROF_ERR_MEMORY, block);
	memcpy(copy, block->as.intro.runtime, block->as.intro.runtime_length + 1);
	reader->runtime = copy;
	reader->runtime_length = block->as.intro.runtime_length;
	reader->intro = *block;
	reader->intro.as.intro.runtime = copy;
	return MPROF_OK;
}

/* A block that is read again after a seek is not counted twice. */
static mprof_status add_losses(mprof_reader *reader, const mprof_block *block)
{
	uint64_t sum = 0;

	if (hash_map_get(&reader->lost_by_block, block->offset) != NULL)
		return MPROF_OK;
	for (size_t i = 0; i < block->as.lost.count; i++)
		sum += block->as.lost.counts[i];
	if (!hash_map_put(&reader->lost_by_block, block->offset, sum))
		return reader_fail_names(reader, MPROF_ERR_MEMORY, block);
	reader->lost_events += sum;
	return MPROF_OK;
}

/*
 * A log of mprof2 defines call stacks and native code by ID. The additional definitions for its statistical samples get
 * IDs from this one on, which the log does not reach.
 */
#define FIRST_OWN_ID (DEFINITION_MAX_STACKS / 2)

static mprof_status store_intro(mprof_reader *reader, const mprof_block *block)
{
	mprof_status status = store_runtime(reader, block);
	const uint8_t *bytes;
	size_t length;

	/* These identify the log that a saved index belongs to. */
	bytes = parser_block_bytes(reader->parser, &length);
	reader->intro_length = length;
	reader->intro_checksum = checksum_update(0, bytes, length);
	if (status == MPROF_OK &&
	    dialect_has_block(dialect_get(mprof_parser_get_dialect(reader->parser)), MPROF_BLOCK_STACKS))
		definition_interner_set_first_id(&reader->interner, FIRST_OWN_ID);
	return status;
}

/* Reads a number without a sign. Returns 0 if the text is another one. */
static int parse_number(const char *text, uint64_t *value)
{
	uint64_t found = 0;

	for (; *text >= '0' && *text <= '9'; text++) {
		const uint64_t digit = (uint64_t)(*text - '0');

		if (found > (UINT64_MAX - digit) / 10)
			return 0;
		found = found * 10 + digit;
	}
	if (*text != '\0')
		return 0;
	*value = found;
	return 1;
}

/* The clocks of the system are those of the first block that states them, of which the clock pair is kept, too. */
static void note_system_clock(mprof_reader *reader, const mprof_block *block, const char *key, const char *value)
{
	const int is_monotonic = strcmp(key, "monotonic_ns") == 0;
	system_clocks *clocks = &reader->system_clocks;

	if (!is_monotonic && strcmp(key, "boottime_ns") != 0)
		return;
	if (clocks->is_known && clocks->offset != block->offset)
		return;
	if (parse_number(value, is_monotonic ? &clocks->monotonic_ns : &clocks->boottime_ns)) {
		clocks->is_known = 1;
		clocks->offset = block->offset;
		clocks->pair = block->start;
	}
}

static void learn_session(mprof_reader *reader, const mprof_block *block)
{
	content_cursor properties;
	const char *key;
	const char *value;

	if (!parser_get_properties(reader->parser, &properties))
		return;
	while (block_property_decode(&properties, &key, &value)) {
		double rate;

		if (strcmp(key, RATE_KEY) == 0 && rate_text_parse(value, &rate))
			time_scale_state(&reader->scale, rate, block->offset);
		note_system_clock(reader, block, key, value);
		if (strcmp(key, "snapshots_before_shutdown") == 0)
			reader->shutdown.is_stated = parse_number(value, &reader->shutdown.snapshots);
		if (strcmp(key, "object_ids") == 0)
			reader->has_object_numbers = strcmp(value, "numbers") == 0;
		if (strcmp(key, "reference_offsets") == 0)
			reader->has_slots = strcmp(value, "slots") == 0;
		if (strcmp(key, "name_style") == 0)
			name_table_set_style(&reader->names, value);
		if (strcmp(key, "signatures") == 0)
			reader->hides_signatures = strcmp(value, "hidden") == 0;
	}
}

mprof_status reader_learn(mprof_reader *reader, const mprof_block *block)
{
	if (block->has_clocks) {
		time_scale_add(&reader->scale, &block->start);
		time_scale_add(&reader->scale, &block->end);
	}
	switch (block->kind) {
	case MPROF_BLOCK_INTRO:
		return store_intro(reader, block);
	case MPROF_BLOCK_LOST:
		return add_losses(reader, block);
	case MPROF_BLOCK_SESSION:
		learn_session(reader, block);
		return MPROF_OK;
	case MPROF_BLOCK_STATISTICAL:
		return reader_samples_learn(reader, block);
	case MPROF_BLOCK_MAPPING:
		return end_definitions(reader, block);
	case MPROF_BLOCK_HEAP_SUMMARY:
	case MPROF_BLOCK_OBJECT_LABELS:
	case MPROF_BLOCK_REFERENCE_NAMES:
	case MPROF_BLOCK_REACHABILITY:
		/* Their records define nothing. */
		return MPROF_OK;
	default:
		return block_has_records(block->kind) ? end_definitions(reader, block) : MPROF_OK;
	}
}

void reader_learn_destroy(mprof_reader *reader)
{
	learned_blocks *blocks = &reader->learned;

	allocator_release(&reader->budget.allocator, blocks->offsets, blocks->capacity * sizeof(*blocks->offsets));
}
