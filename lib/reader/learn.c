/* SPDX-License-Identifier: MIT */
/* Stores the names, definitions, clocks and losses that blocks contain. */
#include "reader/learn.h"

#include "base/checksum.h"
#include "format/record_lists.h"
#include "format/dialect.h"
#include "parser/parser.h"
#include "reader/errors.h"
#include "reader/reader_internal.h"
#include "reader/samples.h"

#include <string.h>

/* Kinds of blocks that are loaded for what they define even if the caller does not want them. */
#define DEFINING_KINDS                                                                                                 \
	(MPROF_BLOCK_BIT(MPROF_BLOCK_INTRO) | MPROF_BLOCK_BIT(MPROF_BLOCK_DIRECTIVES) |                                \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING) | MPROF_BLOCK_BIT(MPROF_BLOCK_END) | MPROF_BLOCK_BIT(MPROF_BLOCK_LOST) | \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_STACKS) | MPROF_BLOCK_BIT(MPROF_BLOCK_CODE) |                                     \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_ROOTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_METRICS) |                                   \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_FIELDS) | MPROF_BLOCK_BIT(MPROF_BLOCK_STATISTICAL))

/* Definitions fetched from the parser at a time. */
#define MAPPING_BATCH 64
#define RECORD_BATCH 64

uint64_t reader_defining_kinds(void)
{
	return DEFINING_KINDS;
}

/*
 * Stores all names of the loaded MAPPING block. If a name cannot be stored, the others still are, except if out of
 * memory.
 */
static mprof_status store_names(mprof_reader *reader, const mprof_block *block)
{
	mprof_mapping mappings[MAPPING_BATCH];
	mprof_status result = MPROF_OK;
	size_t count;

	while (mprof_parser_next_mappings(reader->parser, mappings, sizeof(*mappings), MAPPING_BATCH, &count) ==
	       MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			mprof_status status = name_table_add(&reader->names, &mappings[i], block->offset);

			if (status == MPROF_ERR_MEMORY)
				return reader_fail_names(reader, status, block);
			if (result == MPROF_OK)
				result = status;
		}
	}
	parser_rewind(reader->parser);
	return result == MPROF_OK ? MPROF_OK : reader_fail_names(reader, result, block);
}

/*
 * Stores all definitions of the loaded block. If one cannot be stored, the others still are, except if out of memory.
 */
static mprof_status store_block_definitions(mprof_reader *reader, const mprof_block *block)
{
	mprof_record records[RECORD_BATCH];
	mprof_status result = MPROF_OK;
	size_t count;

	while (mprof_parser_next_records(reader->parser, records, sizeof(*records), RECORD_BATCH, &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			mprof_status status = MPROF_OK;

			if (record_is_definition(records[i].kind))
				status = definition_table_add(&reader->definitions, &records[i]);
			else if (records[i].kind == MPROF_RECORD_FIELD)
				status = field_table_add(&reader->fields, &records[i]);
			if (status == MPROF_ERR_MEMORY)
				return reader_fail_names(reader, status, block);
			/*
			 * If blocks were skipped or damaged, a gap in the IDs is a consequence of that and not a fault
			 * of this block.
			 */
			if (status == MPROF_ERR_MALFORMED && reader->misses_something)
				status = MPROF_OK;
			if (result == MPROF_OK)
				result = status;
		}
	}
	parser_rewind(reader->parser);
	return result == MPROF_OK ? MPROF_OK : reader_fail_names(reader, result, block);
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
#define FIRST_OWN_ID (DEFINITION_MOST_STACKS / 2)

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

mprof_status reader_learn(mprof_reader *reader, const mprof_block *block)
{
	if (block->has_clocks) {
		time_scale_add(&reader->scale, &block->start);
		time_scale_add(&reader->scale, &block->end);
	}
	switch (block->kind) {
	case MPROF_BLOCK_INTRO:
		return store_intro(reader, block);
	case MPROF_BLOCK_MAPPING:
		return store_names(reader, block);
	case MPROF_BLOCK_LOST:
		return add_losses(reader, block);
	case MPROF_BLOCK_STATISTICAL:
		return reader_samples_learn(reader, block);
	case MPROF_BLOCK_STACKS:
	case MPROF_BLOCK_CODE:
	case MPROF_BLOCK_ROOTS:
	case MPROF_BLOCK_METRICS:
	case MPROF_BLOCK_FIELDS:
		return store_block_definitions(reader, block);
	default:
		return MPROF_OK;
	}
}
