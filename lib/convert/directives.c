/* SPDX-License-Identifier: MIT */
#include "convert/directives.h"

#include "format/dialect.h"

#define BIT(directive) MPROF_DIRECTIVE_BIT(directive)

/* These mean the same wherever they are known. */
#define COMMON_DIRECTIVES                                                                                              \
	(BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) | BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) |                             \
	 BIT(MPROF_DIRECTIVE_ELEMENT_IDS) | BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) | BIT(MPROF_DIRECTIVE_METHOD_FLAGS))

/* These take no room in a log that does not use them. */
#define FREE_DIRECTIVES                                                                                                \
	(BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |                                  \
	 BIT(MPROF_DIRECTIVE_DETAILED_EVENTS))

/* Flags that Mono's readers know. */
#define MONO_FLAGS ((UINT32_C(1) << 18) - 1)

/*
 * What each revision of Mono's profiler asks of the runtime, whatever it records. Its readers print a table only if the
 * flag of it is set.
 */
#define MONO_CONSTANT_FLAGS                                                                                            \
	(MPROF_INTRO_FLAG_DOMAIN | MPROF_INTRO_FLAG_ASSEMBLY | MPROF_INTRO_FLAG_MODULE | MPROF_INTRO_FLAG_CLASS |      \
	 MPROF_INTRO_FLAG_METHOD)

static int has_allocation_chains(const log_declarations *source)
{
	const uint64_t chains = BIT(MPROF_DIRECTIVE_ALLOCATION_STACK) | BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID);

	return (source->directives & chains) != 0;
}

static uint64_t directives_of_mprof2(const log_declarations *source)
{
	uint64_t directives = (source->directives & COMMON_DIRECTIVES) | FREE_DIRECTIVES;

	if (source->dialect == MPROF_DIALECT_MPROF2)
		return directives | source->directives;
	if (has_allocation_chains(source))
		directives |= BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID);
	if (dialect_has_stack_sections(source->dialect))
		directives |= BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS);
	return directives;
}

static uint64_t directives_of_mono(const log_declarations *source)
{
	uint64_t directives = source->directives & COMMON_DIRECTIVES;

	/* Monitors have stack sections too, in the logs of Mono even where these are not declared. */
	if (has_allocation_chains(source) || (source->flags & MPROF_INTRO_FLAG_MONITOR) != 0)
		directives |= BIT(MPROF_DIRECTIVE_ALLOCATION_STACK);
	return directives;
}

log_declarations declarations_translate(const log_declarations *source, mprof_dialect target)
{
	const dialect_rules *rules = dialect_get(target);
	log_declarations made = {rules->dialect, 0, source->flags};

	if (made.dialect == MPROF_DIALECT_MPROF2)
		made.directives = directives_of_mprof2(source);
	else if (dialect_has_stack_sections(made.dialect))
		made.directives = directives_of_mono(source);
	made.directives &= rules->directives;
	if (made.dialect != MPROF_DIALECT_MPROF2)
		made.flags &= MONO_FLAGS;
	if (dialect_has_stack_sections(made.dialect) && !dialect_has_stack_sections(source->dialect))
		made.flags |= MONO_CONSTANT_FLAGS;
	return made;
}
