/* SPDX-License-Identifier: MIT */
/**
 * \file model/code_units.h
 * \brief Code units that were loaded and unloaded: assemblies, modules and AppDomains.
 */
#ifndef MODEL_CODE_UNITS_H
#define MODEL_CODE_UNITS_H

#include "base/hash_map.h"

#include <mprof/parser.h>

typedef struct code_unit_record {
	uint32_t kind; /**< Bits of #mprof_element_kind. */
	uint32_t id;
	char *name;
	char *assembly;      /**< Base name of an assembly; NULL if the log has none. */
	uint64_t load_start; /**< A counter, as are load_end and unload_end. */
	uint64_t load_end;
	uint64_t unload_end;
	int is_unloaded;
} code_unit_record;

typedef struct code_unit_list {
	hash_map latest; /**< By a hash of type and ID, or of type and name: index of the code unit loaded last. */
	code_unit_record *records;
	size_t count;
	size_t capacity;
} code_unit_list;

void code_units_init(code_unit_list *all, const mprof_allocator *allocator);
void code_units_destroy(code_unit_list *all);

/** Adds a LOADED block. Returns 0, changing nothing, if there is no memory. */
int code_units_loaded(code_unit_list *all, const mprof_block *block);

/** Adds an UNLOADED block; one of a code unit that was never loaded is ignored. */
void code_units_unloaded(code_unit_list *all, const mprof_block *block);

#endif
