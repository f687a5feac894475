/* SPDX-License-Identifier: MIT */
#include "parser/parser_internal.h"

#include "base/array.h"

#include <string.h>

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
