/* SPDX-License-Identifier: MIT */
/**
 * \file heap/address_set.h
 * \brief A set of addresses that numbers them in ascending order, without storing them.
 *
 * All addresses are multiples of a granule, so a bit for each granule is enough. A page has the bits of 512 granules,
 * and the number of its first address; the number of an address is that plus the number of bits before its own. For
 * objects of 50 bytes and a granule of 8 bytes this takes about one byte for each object.
 */
#ifndef HEAP_ADDRESS_SET_H
#define HEAP_ADDRESS_SET_H

#include "base/hash_map.h"

/** Not the number of an address. */
#define ADDRESS_SET_NONE UINT32_MAX

/** Words of 64 granules in a page. */
#define ADDRESS_PAGE_WORDS 8

/** The largest granule is two to the power of this. */
#define ADDRESS_SET_MAX_SHIFT 12

typedef struct address_page {
	uint64_t key; /**< The addresses divided by the size of a page. */
	uint64_t words[ADDRESS_PAGE_WORDS];
	uint32_t first;                     /**< Number of addresses in the pages before; set by address_set_sort(). */
	uint16_t ranks[ADDRESS_PAGE_WORDS]; /**< Number of addresses in the words before; likewise. */
} address_page;

typedef struct address_set {
	hash_index index; /**< Slots are positions of pages + 1, as 32-bit numbers. */
	address_page *pages;
	size_t page_count;
	size_t page_capacity;
	size_t latest;  /**< Position of the page that address_set_add() used last. */
	uint32_t shift; /**< The granule is two to the power of this. */
} address_set;

/** \p shift: all addresses are multiples of two to the power of this, at most #ADDRESS_SET_MAX_SHIFT. */
void address_set_init(address_set *set, const mprof_allocator *allocator, uint32_t shift);
void address_set_destroy(address_set *set);

/** Adds an address. Returns 1; 0 if the set has it; -1, changing nothing, if there is no memory. */
int address_set_add(address_set *set, uint64_t address);

/** Numbers the addresses, after the last one was added and before any is looked up. */
void address_set_sort(address_set *set);

/** The number of an address, or #ADDRESS_SET_NONE. */
uint32_t address_set_find(const address_set *set, uint64_t address);

/**
 * Like address_set_find(), faster for an address near another one that was found. \p position is 0, or what the search
 * for that one left there; it is only changed if the page of the address is found.
 */
uint32_t address_set_find_near(const address_set *set, uint64_t address, size_t *position);

/** Prefetches what address_set_find_near() is likely to read. */
void address_set_prefetch_near(const address_set *set, uint64_t address, size_t position);

/** The address with a number, which must be smaller than the count of addresses. */
uint64_t address_set_get(const address_set *set, uint32_t number);

#endif
