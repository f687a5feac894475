/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/address_spaces.h
 * \brief Keeps equal addresses and handles of different processes apart (section 3.30 of doc/format.md).
 */
#ifndef MODEL_RECORDS_ADDRESS_SPACES_H
#define MODEL_RECORDS_ADDRESS_SPACES_H

#include "base/hash_map.h"

/** Part of an address space, of 4 GiB. */
typedef struct address_region {
	uint64_t process;
	uint64_t high; /**< The high half of its addresses. */
	uint64_t next; /**< Another region with the same hash, as its number plus 1; 0: none. */
} address_region;

typedef struct address_spaces {
	hash_map first; /**< By a hash of process and high half: the number of a region plus 1. */
	address_region *regions;
	size_t count;
	size_t capacity;
	size_t latest; /**< The region that was found last. */
} address_spaces;

void address_spaces_init(address_spaces *all, const mprof_allocator *allocator);
void address_spaces_destroy(address_spaces *all);

/**
 * A number that stands for an address, or a handle, of a process, and differs from all others. Of the process 0, which
 * is that of a log without processes, it is the address itself, if that is below 2^61. Returns 0 if there is no memory.
 */
int address_spaces_key(address_spaces *all, uint64_t process, uint64_t address, uint64_t *key);

/** The address and the process of a number that address_spaces_key() returned. */
uint64_t address_spaces_find(const address_spaces *all, uint64_t key, uint64_t *process);

#endif
