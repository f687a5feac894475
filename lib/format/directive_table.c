/* SPDX-License-Identifier: MIT */
/*
 * The table of directives: the only place that states which blocks each of them changes, and what a log without it
 * cannot contain. Section 3.7 of doc/format.md and the comment of mprof_writer_options::directives describe the same.
 */
#include "format/directive_table.h"

#define IN(kind) MPROF_BLOCK_BIT(MPROF_BLOCK_##kind)

static const directive_row rows[] = {
	{MPROF_DIRECTIVE_ALLOCATION_CALLER, IN(EVENTS), "the dialect cannot represent the method that allocates"},
	{MPROF_DIRECTIVE_ALLOCATION_STACK, IN(EVENTS), "the dialect cannot represent the call stack of an allocation"},
	{MPROF_DIRECTIVE_ALLOCATION_OBJECT, IN(EVENTS), "the dialect cannot represent the address of an object"},
	{MPROF_DIRECTIVE_ELEMENT_IDS, IN(LOADED) | IN(UNLOADED), "the dialect cannot represent the ID of a code unit"},
	{MPROF_DIRECTIVE_ASSEMBLY_IDS, IN(MAPPING) | IN(LOADED),
	 "the dialect cannot represent the assembly of a class"},
	{MPROF_DIRECTIVE_METHOD_FLAGS, IN(MAPPING), "the dialect cannot represent whether a method is a wrapper"},
	{MPROF_DIRECTIVE_IMPLICIT_LEAVE, IN(EVENTS), "the dialect has no implicit leaves"},
	{MPROF_DIRECTIVE_EXTENDED_EVENTS, 0, "the dialect has no events in addition to those of mail"},
	{MPROF_DIRECTIVE_CLASS_SIZES, IN(MAPPING) | IN(EVENTS) | IN(HEAP_DATA),
	 "the dialect cannot represent the object size of a class"},
	{MPROF_DIRECTIVE_ALLOCATION_STACK_ID, IN(EVENTS), "the dialect cannot represent the stack ID of an allocation"},
	{MPROF_DIRECTIVE_DETAILED_EVENTS, IN(EVENTS), "the dialect has no events with details"},
	{MPROF_DIRECTIVE_COLLECTION_NUMBERS, IN(EVENTS), "the dialect cannot represent the number of a collection"},
	{MPROF_DIRECTIVE_SOURCE_LINES, IN(MAPPING), "the dialect cannot represent the source line of a method"},
	{MPROF_DIRECTIVE_MEMORY_EVENTS, IN(EVENTS), "the dialect has no events of native memory"},
	{MPROF_DIRECTIVE_STACK_SWITCHES, IN(EVENTS), "the dialect has no switches between call stacks"},
	{MPROF_DIRECTIVE_EXCEPTION_STACK_ID, IN(EVENTS), "the dialect cannot represent the call stack of an exception"},
	{MPROF_DIRECTIVE_REFERENCE_OFFSETS, IN(HEAP_DATA), "the dialect cannot represent the offset of a reference"},
	{MPROF_DIRECTIVE_EXCEPTION_CLAUSES, IN(EVENTS), "the dialect has no events of exception clauses"},
	{MPROF_DIRECTIVE_METHOD_CODE, IN(EVENTS), "the dialect has no events of the code of methods"},
	{MPROF_DIRECTIVE_MONITOR_HOLDERS, IN(EVENTS), "the dialect has no events of the holders of monitors"},
};

const directive_row *directive_find(uint32_t directive)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].directive == directive)
			return &rows[i];
	}
	return NULL;
}
