/* SPDX-License-Identifier: MIT */
#include "parser/log_state.h"

#include "base/array.h"
#include "parser/detect.h"
#include "parser/parser_internal.h"

#include <string.h>

/* Counters that are so close to the time of day, in microseconds, are such times themselves. */
#define CLOCK_PRECISION 1000000

int parser_directives_reserve(mprof_parser *parser)
{
	void *changes = parser->directive_changes;
	int reserved = array_reserve(&parser->allocator, &changes, &parser->directive_change_capacity,
				     parser->directive_change_count + 1, sizeof(*parser->directive_changes));

	parser->directive_changes = changes;
	return reserved;
}

/* What is known of the block, or NULL. */
static parser_directives *change_find(const mprof_parser *parser, uint64_t offset)
{
	for (size_t i = 0; i < parser->directive_change_count; i++) {
		if (parser->directive_changes[i].offset == offset)
			return &parser->directive_changes[i];
	}
	return NULL;
}

static int says_nothing_new(const parser_directives *known, const parser_directives *change)
{
	return (change->declared & ~known->declared) == 0 &&
	       (change->unreadable_kinds & ~known->unreadable_kinds) == 0 && change->is_lost <= known->is_lost;
}

void parser_directives_add(mprof_parser *parser, uint64_t declared, uint64_t unreadable_kinds, int is_lost)
{
	const parser_directives change = {parser->block.offset, declared, unreadable_kinds, is_lost};
	parser_directives *known = change_find(parser, change.offset);

	if (known != NULL)
		*known = change;
	else if (!says_nothing_new(&parser->directives, &change))
		/* A log can say the same as often as it likes, and takes no memory by it. */
		parser->directive_changes[parser->directive_change_count++] = change;
	parser_directives_restore(parser, change.offset + 1);
}

void parser_directives_restore(mprof_parser *parser, uint64_t offset)
{
	parser_directives *joined = &parser->directives;

	memset(joined, 0, sizeof(*joined));
	for (size_t i = 0; i < parser->directive_change_count; i++) {
		const parser_directives *change = &parser->directive_changes[i];

		if (change->offset >= offset)
			continue;
		joined->declared |= change->declared;
		joined->unreadable_kinds |= change->unreadable_kinds;
		joined->is_lost |= change->is_lost;
	}
	parser->decoding.directives = joined->declared;
}

int parser_learn_sizes(mprof_parser *parser)
{
	size_t length = (size_t)parser->block.length - parser->decoding.rules->checksum_length;
	mapping_cursor entries;
	mprof_mapping entry;

	if ((parser->decoding.directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES)) == 0)
		return 1;
	block_mappings_begin(&entries, &parser->decoding, parser_content(parser), length, &parser->body);
	while (mapping_cursor_next(&entries, &entry) && !entry.is_method) {
		/* Of several definitions the first one stays, as with names. */
		if (entry.size != 0 && id_map_get(&parser->object_sizes, entry.id) == 0 &&
		    !id_map_put(&parser->object_sizes, entry.id, entry.size))
			return 0;
	}
	return 1;
}

/* Whether the counters of a log are times of day. */
static int counts_time(const mprof_clock *clock)
{
	return clock->counter - clock->time + CLOCK_PRECISION <= 2 * CLOCK_PRECISION;
}

/*
 * Mono told no numbers of collections at first, and nothing in a log says whether it does. It began to count ticks of
 * the processor on the same day as collections; before, and on other processors, counters are times of day. What came
 * later than numbers tells as well, and so does a number itself.
 */
static int tells_numbers(const mprof_block *block)
{
	switch (block->kind) {
	case MPROF_BLOCK_INTRO:
		return !counts_time(&block->start);
	case MPROF_BLOCK_DIRECTIVES:
	case MPROF_BLOCK_HEAP_SUMMARY:
		return 1;
	case MPROF_BLOCK_HEAP_DATA:
		return block->as.heap_data.number != 0;
	default:
		return 0;
	}
}

static void learn_numbers(mprof_parser *parser)
{
	if (tells_numbers(&parser->block))
		parser->numbers = COLLECTION_NUMBERS_SURE;
}

static void learn_mappings(mprof_parser *parser, known_ids *known)
{
	mapping_cursor entries;
	mprof_mapping entry;

	block_mappings_begin(&entries, &parser->decoding, parser_content(parser), (size_t)parser->block.length,
			     &parser->body);
	while (mapping_cursor_next(&entries, &entry))
		known_id_add(entry.is_method ? &known->method_id : &known->class_id, entry.id);
}

static void learn_hits(mprof_parser *parser, const hits_reading *reading)
{
	parser->decoding.known = reading->known;
	/* A guess is kept as well, so that blocks read alike in any order, whatever is known by then. */
	if (reading->is_sure || (reading->is_likely && parser->decoding.hits == HITS_FORM_NONE))
		parser->decoding.hits = reading->form;
	if (reading->is_chain_first)
		parser_detect_chain_first(parser);
}

void parser_learn_hints(mprof_parser *parser)
{
	learn_numbers(parser);
	if (!parser->decoding.rules->has_guessed_forms)
		return;
	if (parser->block.kind == MPROF_BLOCK_MAPPING)
		learn_mappings(parser, &parser->decoding.known);
	else if (parser->block.kind == MPROF_BLOCK_STATISTICAL)
		learn_hits(parser, &parser->body.hits);
	else if (parser->block.kind == MPROF_BLOCK_HEAP_DATA && parser->body.heap.is_sure)
		parser->decoding.heap = parser->body.heap.form;
}
