/* SPDX-License-Identifier: MIT */
/**
 * \file model/samples.h
 * \brief What samples hit: a tree of call chains, and sums over it for each method and each part of native code.
 *
 * Frames become *places*, numbered from 0: a method, or the function, module or location of native code. The tree is a
 * call tree whose methods are places and whose self times are samples.
 */
#ifndef MODEL_SAMPLES_H
#define MODEL_SAMPLES_H

#include "model/call_tree.h"
#include "model/record_table.h"

#include <mprof/reader.h>

typedef struct sample_place {
	uint32_t kind; /**< An mprof_sample_kind. */
	uint32_t id;
	uint32_t active; /**< For who computes sums: frames of the place on the path looked at. */
	uint64_t self;   /**< As of the last samples_sum(), as total. */
	uint64_t total;
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
} sample_model;

/** Returns 0 if there is no memory; samples_destroy() is right then too. */
int samples_init(sample_model *samples, const mprof_allocator *allocator);
void samples_destroy(sample_model *samples);

/** Samples of a call chain that the reader knows; one that it does not know hits an unknown method. 0 if no memory. */
int samples_add_stack(sample_model *samples, const mprof_reader *reader, uint32_t stack, uint64_t count);

/** Samples of which no chain is known, only what they hit. 0 if there is no memory. */
int samples_add_place(sample_model *samples, uint32_t kind, uint32_t id, uint64_t count);

/** Computes the sums of all nodes and places. */
void samples_sum(sample_model *samples);

#endif
