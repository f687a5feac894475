/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/reachability.h
 * \brief Which blocks of native memory that exist at the end are reachable (doc/format.md, 3.37): sums for each site,
 * and a list of these blocks.
 *
 * The sums are made when a profile is finished, from the blocks that the model of memory has then. Memory comes from
 * the optional part of the budget; when that is used up, nothing is known of any block.
 */
#ifndef MODEL_RECORDS_REACHABILITY_H
#define MODEL_RECORDS_REACHABILITY_H

#include <mprof/format.h>

#include "model/records/address_spaces.h"
#include "model/records/memory.h"

/** A block that the log lists. */
typedef struct listed_block {
	uint64_t key; /**< Its address, as address_spaces_key() returns it. */
	uint32_t reachability;
} listed_block;

/** The parts of live blocks that have sums. */
typedef enum reachability_part {
	PART_UNREACHABLE,
	PART_INDIRECT, /**< A part of the former. */
	PART_INTERIOR,
	PART_UNSEARCHED,
	PART_COUNT
} reachability_part;

typedef struct reachability_sums {
	uint64_t blocks[PART_COUNT];
	uint64_t bytes[PART_COUNT];
} reachability_sums;

/** A block that exists at the end. */
typedef struct live_block {
	memory_block block; /**< With its address as a key. */
	uint32_t stack;
	uint32_t reachability;
} live_block;

typedef struct reachability {
	memory_budget *budget;
	hash_map searched; /**< The processes whose memory was searched. */
	int has_searches;
	listed_block *listed;
	size_t listed_count;
	size_t listed_capacity;
	int is_cut;      /**< There was no memory for all that the log lists. */
	int with_blocks; /**< The blocks are listed. */

	/* As of the last reachability_show(). */
	int is_searched;
	reachability_sums total;
	reachability_sums folded;
	reachability_sums *sites; /**< By number of the site. */
	size_t site_count;
	size_t site_capacity;
	live_block *blocks; /**< In ascending order of their keys. */
	size_t block_count;
	size_t block_capacity;
} reachability;

void reachability_init(reachability *all, memory_budget *budget, int with_blocks);
void reachability_destroy(reachability *all);

/** Adds a record of a REACHABILITY block, or another one, which it ignores. Returns 0 if the allocator refused. */
int reachability_add(reachability *all, address_spaces *spaces, const mprof_record *record);

/** Steps of reachability_show(). */
uint64_t reachability_steps(const reachability *all, const memory_model *memory);

/**
 * Makes the sums. \p is_at_end: the blocks of \p memory are those of the end of the log. \p has_processes: the log may
 * have several processes. Returns 0 if the allocator refused or it was stopped; another call then starts again.
 */
int reachability_show(reachability *all, const memory_model *memory, const address_spaces *spaces, int is_at_end,
		      int has_processes, progress *going);

/** The sums of a site, by its number; NULL if nothing is known of it. */
const reachability_sums *reachability_of_site(const reachability *all, size_t site);

#endif
