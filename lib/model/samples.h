/* SPDX-License-Identifier: MIT */
/**
 * \file model/samples.h
 * \brief What samples hit: a tree of call chains, and sums over it for each method and each part of native code.
 *
 * Frames become *places*, numbered from 0: a method, or the function, module or location of native code. The tree is a
 * call tree whose methods are places and whose self times are samples. Samples for whose chains there is no memory are
 * those of the root itself.
 */
#ifndef MODEL_SAMPLES_H
#define MODEL_SAMPLES_H

#include "model/call_tree.h"
#include "base/memory_budget.h"
#include "model/record_table.h"

#include <mprof/reader.h>

typedef struct sample_place {
	uint32_t kind; /**< An mprof_sample_kind. */
	uint32_t id;
	uint32_t active; /**< For who computes sums: frames of the place on the path looked at. */
	uint32_t mark;   /**< For who looks at a chain: sample_model::mark of the last one with this place. */
	uint64_t self;   /**< As of the last samples_show(), as total. */
	uint64_t total;
	uint64_t folded_self; /**< Since the last samples_show(), of samples that have no node, as folded_total. */
	uint64_t folded_total;
} sample_place;

/** Where a call chain is in the tree. Of a chain that nobody asked for as yet the node is the root. */
typedef struct sample_stack {
	uint32_t id;
	uint32_t node;
} sample_stack;

typedef struct sample_model {
	hash_map numbers; /**< Place by kind and ID. */
	sample_place *places;
	size_t place_count;
	size_t place_capacity;
	record_table stacks;
	call_tree tree;
	uint32_t *path; /**< Room for a walk from a chain to its outermost frame. */
	size_t path_capacity;
	mprof_allocator allocator;   /**< For places. */
	const memory_budget *budget; /**< What a refusal of memory is asked of. */
	uint32_t mark;
	int has_folded; /**< Places have what was folded since the last samples_show(). */
} sample_model;

/** Returns 0 if there is no memory; samples_destroy() is right then too. */
int samples_init(sample_model *samples, memory_budget *budget);
void samples_destroy(sample_model *samples);

/** Samples of a call chain that the reader knows; one that it does not know hits an unknown method. 0 if no memory. */
int samples_add_stack(sample_model *samples, const mprof_reader *reader, uint32_t stack, uint64_t count);

/** Samples of which no chain is known, only what they hit. 0 if there is no memory. */
int samples_add_place(sample_model *samples, uint32_t kind, uint32_t id, uint64_t count);

/** Called for a place whose sums may have changed. Returns 0 to stop. */
typedef int (*samples_visit)(void *user, const sample_place *place);

/**
 * Adds what was gathered to the sums of nodes and places. \p prepare is called for all places that are concerned before
 * anything changes, and \p show after; a place may come more than once, the last time with its final sums. Returns 0,
 * changing nothing, if \p prepare does.
 */
int samples_show(sample_model *samples, samples_visit prepare, samples_visit show, void *user);

#endif
