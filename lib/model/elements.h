/* SPDX-License-Identifier: MIT */
/**
 * \file model/elements.h
 * \brief Code units that were loaded and unloaded: assemblies, modules and AppDomains.
 */
#ifndef MODEL_ELEMENTS_H
#define MODEL_ELEMENTS_H

#include "base/hash_map.h"

#include <mprof/parser.h>

typedef struct element_record {
	uint32_t kind; /**< Bits of #mprof_element_kind. */
	uint32_t id;
	char *name;
	char *assembly;      /**< Base name, NULL if the log has none. */
	uint64_t load_start; /**< A counter, as are the others. */
	uint64_t load_end;
	uint64_t unload_end;
	int is_unloaded;
} element_record;

typedef struct element_list {
	hash_map latest; /**< Index of the code unit loaded last, by a hash of its type and of its ID or name. */
	element_record *records;
	size_t count;
	size_t capacity;
} element_list;

void elements_init(element_list *all, const mprof_allocator *allocator);
void elements_destroy(element_list *all);

/** Adds a LOADED block. Returns 0, changing nothing, if there is no memory. */
int elements_loaded(element_list *all, const mprof_block *block);

/** Adds an UNLOADED block; one of a code unit that was never loaded is ignored. */
void elements_unloaded(element_list *all, const mprof_block *block);

#endif
