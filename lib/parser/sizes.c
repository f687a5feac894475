/* SPDX-License-Identifier: MIT */
#include "parser/parser_internal.h"

int parser_sizes_learn(mprof_parser *parser)
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
