/* SPDX-License-Identifier: MIT */
#include "parser/parser_internal.h"

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

void parser_known_learn(mprof_parser *parser)
{
	if (!parser->decoding.rules->has_guessed_forms)
		return;
	if (parser->block.kind == MPROF_BLOCK_MAPPING)
		learn_mappings(parser, &parser->decoding.known);
	else if (parser->block.kind == MPROF_BLOCK_STATISTICAL)
		learn_hits(parser, &parser->body.hits);
	else if (parser->block.kind == MPROF_BLOCK_HEAP_DATA && parser->body.heap.is_sure)
		parser->decoding.heap = parser->body.heap.form;
}
