/* SPDX-License-Identifier: MIT */
/* Stores what blocks specify for later blocks: directives, object sizes, known IDs and inferred layouts. */
#include "parser/log_state.h"

#include "base/array.h"
#include "parser/detect.h"
#include "parser/parser_internal.h"

#include <string.h>

/* A counter that differs from the wall-clock time by at most this many microseconds is itself a wall-clock time. */
#define CLOCK_PRECISION UINT64_C(1000000)

int parser_directives_reserve(mprof_parser *parser)
{
	void *changes = parser->directives.changes;
	int reserved = array_reserve(&parser->allocator, &changes, &parser->directives.capacity,
				     parser->directives.count + 1, sizeof(*parser->directives.changes));

	parser->directives.changes = changes;
	return reserved;
}

/* The change that the DIRECTIVES block at this offset made, or NULL if it is not recorded. */
static directive_change *change_find(const mprof_parser *parser, uint64_t offset)
{
	for (size_t i = 0; i < parser->directives.count; i++) {
		if (parser->directives.changes[i].offset == offset)
			return &parser->directives.changes[i];
	}
	return NULL;
}

static int adds_nothing(const directive_change *known, const directive_change *change)
{
	return (change->declared & ~known->declared) == 0 &&
	       (change->unreadable_kinds & ~known->unreadable_kinds) == 0 && change->is_lost <= known->is_lost;
}

void parser_directives_add(mprof_parser *parser, uint64_t declared, uint64_t unreadable_kinds, int is_lost)
{
	const directive_change change = {parser->block.offset, declared, unreadable_kinds, is_lost};
	directive_change *known = change_find(parser, change.offset);

	if (known != NULL)
		*known = change;
	else if (!adds_nothing(&parser->directives.in_force, &change))
		/* Repeated declarations are not stored, so a log cannot consume memory with them. */
		parser->directives.changes[parser->directives.count++] = change;
	parser_directives_restore(parser, change.offset + 1);
}

void parser_directives_restore(mprof_parser *parser, uint64_t offset)
{
	directive_change *joined = &parser->directives.in_force;

	memset(joined, 0, sizeof(*joined));
	for (size_t i = 0; i < parser->directives.count; i++) {
		const directive_change *change = &parser->directives.changes[i];

		if (change->offset >= offset)
			continue;
		joined->declared |= change->declared;
		joined->unreadable_kinds |= change->unreadable_kinds;
		joined->is_lost |= change->is_lost;
	}
	parser->decoding.directives = joined->declared;
}

static int store_object_sizes(mprof_parser *parser)
{
	mapping_cursor entries;
	mprof_mapping entry;

	block_mappings_begin(&entries, &parser->decoding, parser_content(parser), parser_content_length(parser),
			     &parser->body);
	while (mapping_cursor_next(&entries, &entry) && !entry.is_method) {
		/* The first of several definitions is kept, as for names. */
		if (entry.size != 0 && id_map_get(&parser->object_sizes, entry.id) == 0 &&
		    !id_map_put(&parser->object_sizes, entry.id, entry.size))
			return 0;
	}
	return 1;
}

int parser_store_object_sizes(mprof_parser *parser)
{
	const prepared_source *source = &parser->prepared_source;
	int stored;

	/* Set only if the directive that adds sizes is in force. Other MAPPING blocks need no second pass. */
	if (!parser->body.mapping.has_object_sizes)
		return 1;
	/* The map may move. Blocks prepared without the new sizes are valid: a size that is known never changes. */
	if (source->pause != NULL)
		source->pause(source->user);
	stored = store_object_sizes(parser);
	if (source->resume != NULL)
		source->resume(source->user);
	return stored;
}

/* Whether the counters of a log are wall-clock times. */
static int counter_is_wall_clock(const mprof_clock *clock)
{
	return clock->counter - clock->time + CLOCK_PRECISION <= 2 * CLOCK_PRECISION;
}

/*
 * Mono did not record the numbers of collections at first, and no field of a log shows whether it does. Numbers and a
 * counter in processor ticks were introduced on the same day; earlier versions, and versions for other processors, use
 * wall-clock times as counters. Numbers are therefore certain if the counter is not a wall-clock time, if a feature
 * that was introduced after numbers is used, or if a number itself occurs.
 */
static int implies_collection_numbers(const mprof_block *block)
{
	switch (block->kind) {
	case MPROF_BLOCK_INTRO:
		return !counter_is_wall_clock(&block->start);
	case MPROF_BLOCK_DIRECTIVES:
	case MPROF_BLOCK_HEAP_SUMMARY:
		return 1;
	case MPROF_BLOCK_HEAP_DATA:
		return block->as.heap_data.number != 0;
	default:
		return 0;
	}
}

static void infer_collection_numbers(mprof_parser *parser)
{
	if (implies_collection_numbers(&parser->block))
		parser->events.numbers = COLLECTION_NUMBERS_SURE;
}

static void add_known_ids(known_ids *known, const mapping_lists *lists)
{
	known_id_add(&known->class_id, lists->highest_class);
	known_id_add(&known->method_id, lists->highest_method);
}

static void infer_statistical_layout(mprof_parser *parser, const statistical_result *result)
{
	parser->decoding.known = result->known;
	/*
	 * A likely layout is kept, too, so that a block is decoded in the same way whichever blocks were read before
	 * it.
	 */
	if (result->is_sure || (result->is_likely && parser->decoding.statistical == STATISTICAL_LAYOUT_NONE))
		parser->decoding.statistical = result->layout;
	if (result->is_caller_count_first)
		parser_set_unity_dialect(parser);
}

void parser_infer_layouts(mprof_parser *parser)
{
	infer_collection_numbers(parser);
	if (!parser->decoding.rules->has_guessed_layouts)
		return;
	if (parser->block.kind == MPROF_BLOCK_MAPPING)
		add_known_ids(&parser->decoding.known, &parser->body.mapping);
	else if (parser->block.kind == MPROF_BLOCK_STATISTICAL)
		infer_statistical_layout(parser, &parser->body.statistical);
	else if (parser->block.kind == MPROF_BLOCK_HEAP_DATA && parser->body.heap.is_sure)
		parser->decoding.heap = parser->body.heap.layout;
}
