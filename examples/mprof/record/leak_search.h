/* SPDX-License-Identifier: MIT */
/**
 * \file record/leak_search.h
 * \brief Searches memory for pointers to blocks: which of them are reachable from its roots.
 */
#ifndef RECORD_LEAK_SEARCH_H
#define RECORD_LEAK_SEARCH_H

#include "record/leak_copy.h"

/** A block of native memory. */
typedef struct leak_block {
	uint64_t address;
	uint64_t size;
	uint32_t reachability; /**< The result, an #mprof_reachability; 0: reachable by its start. */
} leak_block;

/**
 * Searches the roots and, from there, all blocks that they lead to. Every aligned word that contains the address of the
 * start or the inside of a block counts as a pointer. \p blocks: in ascending order of addresses, without overlaps.
 * Takes 8 bytes of memory for each, and up to 64 for each page that they start in. \p root_bytes receives the size of
 * the roots. Returns 0 if there is no memory.
 */
int leak_search(const leak_copy *copy, leak_block *blocks, size_t count, uint64_t *root_bytes);

#endif
