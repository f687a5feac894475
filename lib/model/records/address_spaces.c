/* SPDX-License-Identifier: MIT */
/* Numbers the parts of address spaces, so that an address and its process become one number. */
#include "model/records/address_spaces.h"

#include "base/allocator.h"

#include <string.h>

/* Above the addresses that stand for themselves, and below 2^62, the limit of handles. */
#define REGION_BIT (UINT64_C(1) << 61)
#define REGION_SHIFT 32
#define REGION_LOW UINT64_C(0xffffffff)
#define MAX_REGIONS (UINT64_C(1) << (61 - REGION_SHIFT))

void address_spaces_init(address_spaces *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	hash_map_init(&all->first, allocator);
}

void address_spaces_destroy(address_spaces *all)
{
	allocator_release(&all->first.index.allocator, all->regions, all->capacity * sizeof(*all->regions));
	hash_map_destroy(&all->first);
}

static int is_region(const address_region *region, uint64_t process, uint64_t high)
{
	return region->process == process && region->high == high;
}

/* Adds a region. Returns 0 if there is no memory. */
static int add_region(address_spaces *all, uint64_t hash, const address_region *region)
{
	void *regions = all->regions;
	const int has_room = array_reserve(&all->first.index.allocator, &regions, &all->capacity, all->count + 1,
					   sizeof(*all->regions));

	all->regions = regions;
	if (!has_room || all->count >= MAX_REGIONS || !hash_map_put(&all->first, hash, all->count + 1))
		return 0;
	all->regions[all->count] = *region;
	all->latest = all->count++;
	return 1;
}

static int find_region(address_spaces *all, uint64_t process, uint64_t high)
{
	const uint64_t hash = hash_key(hash_mix(all->first.index.seed, process), high);
	const uint64_t *first = hash_map_get(&all->first, hash);
	const address_region region = {process, high, first != NULL ? *first : 0};

	for (uint64_t number = region.next; number != 0; number = all->regions[number - 1].next) {
		if (is_region(&all->regions[number - 1], process, high)) {
			all->latest = (size_t)number - 1;
			return 1;
		}
	}
	return add_region(all, hash, &region);
}

int address_spaces_key(address_spaces *all, uint64_t process, uint64_t address, uint64_t *key)
{
	const uint64_t high = address >> REGION_SHIFT;

	*key = address;
	if (process == 0 && address < REGION_BIT)
		return 1;
	if ((all->count == 0 || !is_region(&all->regions[all->latest], process, high)) &&
	    !find_region(all, process, high))
		return 0;
	*key = REGION_BIT | (uint64_t)all->latest << REGION_SHIFT | (address & REGION_LOW);
	return 1;
}

uint64_t address_spaces_find(const address_spaces *all, uint64_t key, uint64_t *process)
{
	const address_region *region;

	*process = 0;
	if ((key & REGION_BIT) == 0)
		return key;
	region = &all->regions[(key & ~REGION_BIT) >> REGION_SHIFT];
	*process = region->process;
	return region->high << REGION_SHIFT | (key & REGION_LOW);
}
