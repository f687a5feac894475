/* SPDX-License-Identifier: MIT */
/* Chooses the directives and flags that the copy declares. */
#include "convert/directives.h"

/* Directives that are always declared: they cost no bytes per event in a log that does not need them. */
#define FREE_DIRECTIVES                                                                                                \
	(MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |  \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS))

/* Directives that give allocations call stacks. */
#define STACK_DIRECTIVES                                                                                               \
	(MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK) |                                                       \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID))

/* All directives useful for the copy. The caller removes those that its dialect does not have. */
static uint64_t wanted_directives(const log_declarations *source)
{
	uint64_t directives = source->directives | FREE_DIRECTIVES;

	if ((source->directives & STACK_DIRECTIVES) != 0)
		directives |= STACK_DIRECTIVES;
	/* Monitor events have stack sections too. Logs of Mono have them even if they are not declared. */
	if ((source->flags & MPROF_INTRO_FLAG_MONITOR) != 0)
		directives |= MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK);
	if (source->rules->counts_collections)
		directives |= MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS);
	return directives;
}

log_declarations declarations_translate(const log_declarations *source, const dialect_rules *target)
{
	log_declarations made = {target, wanted_directives(source) & target->directives,
				 source->flags & target->intro_flags};

	/* If the dialect of the source has constant flags too, its own flags are right and are kept. */
	if (source->rules->constant_intro_flags == 0)
		made.flags |= target->constant_intro_flags;
	return made;
}
