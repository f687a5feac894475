/* SPDX-License-Identifier: MIT */
#include "convert/directives.h"

#define BIT(directive) MPROF_DIRECTIVE_BIT(directive)

/* These take no room in a log that does not use them. */
#define FREE_DIRECTIVES                                                                                                \
	(BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |                                  \
	 BIT(MPROF_DIRECTIVE_DETAILED_EVENTS))

/* Directives by which allocations have call stacks. */
#define STACK_DIRECTIVES (BIT(MPROF_DIRECTIVE_ALLOCATION_STACK) | BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID))

/* All that the copy could declare; what its dialect lacks is taken away after. */
static uint64_t wanted_directives(const log_declarations *source)
{
	uint64_t directives = source->directives | FREE_DIRECTIVES;

	if ((source->directives & STACK_DIRECTIVES) != 0)
		directives |= STACK_DIRECTIVES;
	/* Monitors have stack sections too, in the logs of Mono even where these are not declared. */
	if ((source->flags & MPROF_INTRO_FLAG_MONITOR) != 0)
		directives |= BIT(MPROF_DIRECTIVE_ALLOCATION_STACK);
	if (source->rules->counts_collections)
		directives |= BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS);
	return directives;
}

log_declarations declarations_translate(const log_declarations *source, const dialect_rules *target)
{
	log_declarations made = {target, wanted_directives(source) & target->directives,
				 source->flags & target->intro_flags};

	/* A source that has flags of this kind says by them what was recorded. */
	if (source->rules->constant_intro_flags == 0)
		made.flags |= target->constant_intro_flags;
	return made;
}
