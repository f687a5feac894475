/* SPDX-License-Identifier: MIT */
/* Adds up which blocks of native memory are reachable. */
#include "model/records/reachability.h"

#include "base/allocator.h"
#include "base/sort.h"

#include <string.h>

void reachability_init(reachability *all, memory_budget *budget, int with_blocks)
{
	memset(all, 0, sizeof(*all));
	all->budget = budget;
	all->with_blocks = with_blocks;
	hash_map_init(&all->searched, &budget->paths);
}

void reachability_destroy(reachability *all)
{
	const mprof_allocator *allocator = &all->budget->paths;

	allocator_release(allocator, all->listed, all->listed_capacity * sizeof(*all->listed));
	allocator_release(allocator, all->sites, all->site_capacity * sizeof(*all->sites));
	allocator_release(allocator, all->blocks, all->block_capacity * sizeof(*all->blocks));
	hash_map_destroy(&all->searched);
}

/* Returns 0 after a refusal of the allocator; with the limit reached, nothing is known any more. */
static int lack_memory(reachability *all)
{
	if (!memory_budget_is_exceeded(all->budget))
		return 0;
	all->is_cut = 1;
	return 1;
}

int reachability_add(reachability *all, address_spaces *spaces, const mprof_record *record)
{
	const mprof_memory_block_record *block = &record->as.memory_block;
	void *listed = all->listed;
	uint64_t key;

	/* A search at another time than the end states nothing about the end. */
	if (record->kind == MPROF_RECORD_MEMORY_SEARCH && record->id == 1) {
		all->has_searches = 1;
		return hash_map_put(&all->searched, record->as.memory_search.process, 1) || lack_memory(all);
	}
	if (record->kind != MPROF_RECORD_MEMORY_BLOCK || all->is_cut)
		return 1;
	if (!address_spaces_key(spaces, block->process, block->address, &key) ||
	    !array_reserve(&all->budget->paths, &listed, &all->listed_capacity, all->listed_count + 1,
			   sizeof(*all->listed)))
		return lack_memory(all);
	all->listed = listed;
	all->listed[all->listed_count++] = (listed_block){key, record->id};
	return 1;
}

uint64_t reachability_steps(const reachability *all, const memory_model *memory)
{
	const size_t live = all->with_blocks || all->listed_count > 0 ? memory_block_capacity(memory) : 0;

	return all->listed_count + 2 * (uint64_t)live + sort_steps(live);
}

static void add_to_part(reachability *all, size_t site, reachability_part part, uint64_t size)
{
	reachability_sums *const sums[] = {&all->total, site < all->site_count ? &all->sites[site] : &all->folded};

	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		sums[i]->blocks[part]++;
		sums[i]->bytes[part] += size;
	}
}

static void add_listed(reachability *all, const memory_model *memory, const listed_block *listed)
{
	const memory_block *block = memory_find_block(memory, listed->key);
	size_t site;

	if (block == NULL || !memory_block_is_counted(block))
		return;
	site = memory_block_site(memory, block);
	switch (listed->reachability) {
	case MPROF_REACHABILITY_INDIRECT:
		add_to_part(all, site, PART_INDIRECT, block->size);
		add_to_part(all, site, PART_UNREACHABLE, block->size);
		break;
	case MPROF_REACHABILITY_UNREACHABLE:
		add_to_part(all, site, PART_UNREACHABLE, block->size);
		break;
	case MPROF_REACHABILITY_INTERIOR:
		add_to_part(all, site, PART_INTERIOR, block->size);
		break;
	default:
		add_to_part(all, site, PART_UNSEARCHED, block->size);
		break;
	}
}

static int was_searched(const reachability *all, const address_spaces *spaces, const memory_block *block)
{
	uint64_t process;

	(void)address_spaces_find(spaces, block->address, &process);
	return hash_map_get(&all->searched, process) != NULL;
}

/* Blocks of processes that were not searched. Returns 0 if it was stopped. */
static int add_unsearched(reachability *all, const memory_model *memory, const address_spaces *spaces, progress *going)
{
	const memory_block *block;

	for (size_t position = 0; memory_next_block(memory, &position, &block);) {
		if (!progress_step(going))
			return 0;
		if (memory_block_is_counted(block) && !was_searched(all, spaces, block))
			add_to_part(all, memory_block_site(memory, block), PART_UNSEARCHED, block->size);
	}
	return 1;
}

static int compare_blocks(const void *first, const void *second)
{
	const live_block *left = first;
	const live_block *right = second;

	return left->block.address < right->block.address ? -1 : left->block.address > right->block.address;
}

static live_block *find_live(const reachability *all, uint64_t key)
{
	size_t low = 0;
	size_t high = all->block_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (all->blocks[middle].block.address < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < all->block_count && all->blocks[low].block.address == key ? &all->blocks[low] : NULL;
}

/* Returns 0 if the allocator refused or it was stopped. */
static int list_blocks(reachability *all, const memory_model *memory, progress *going)
{
	const memory_block *block;

	all->block_count = 0;
	for (size_t position = 0; memory_next_block(memory, &position, &block);) {
		void *blocks = all->blocks;

		if (!progress_step(going))
			return 0;
		if (!memory_block_is_counted(block))
			continue;
		if (!array_reserve(&all->budget->paths, &blocks, &all->block_capacity, all->block_count + 1,
				   sizeof(*all->blocks))) {
			/* A part of the list would look like all of it. */
			all->block_count = 0;
			return lack_memory(all);
		}
		all->blocks = blocks;
		all->blocks[all->block_count++] =
			(live_block){.block = *block, .stack = memory_block_stack(memory, block)};
	}
	if (!sort_with_progress(all->blocks, all->block_count, sizeof(*all->blocks), compare_blocks, going)) {
		all->block_count = 0;
		return 0;
	}
	for (size_t i = 0; all->is_searched && i < all->listed_count; i++) {
		live_block *found = find_live(all, all->listed[i].key);

		if (found != NULL)
			found->reachability = all->listed[i].reachability;
	}
	return 1;
}

static int clear_sums(reachability *all, const memory_model *memory)
{
	void *sites = all->sites;

	all->is_searched = 0;
	all->site_count = 0;
	memset(&all->total, 0, sizeof(all->total));
	memset(&all->folded, 0, sizeof(all->folded));
	if (!array_reserve(&all->budget->paths, &sites, &all->site_capacity, memory->state.site_count,
			   sizeof(*all->sites)))
		return lack_memory(all);
	all->sites = sites;
	all->site_count = memory->state.site_count;
	if (all->site_count > 0)
		memset(all->sites, 0, all->site_count * sizeof(*all->sites));
	return 1;
}

int reachability_show(reachability *all, const memory_model *memory, const address_spaces *spaces, int is_at_end,
		      int has_processes, progress *going)
{
	if (!progress_begin(going, reachability_steps(all, memory)))
		return 0;
	all->is_searched = 0;
	if (is_at_end && all->has_searches) {
		if (!clear_sums(all, memory))
			return 0;
		for (size_t i = 0; i < all->listed_count; i++) {
			if (!progress_step(going))
				return 0;
			add_listed(all, memory, &all->listed[i]);
		}
		if (has_processes && !add_unsearched(all, memory, spaces, going))
			return 0;
		all->is_searched = !all->is_cut;
	}
	return !all->with_blocks || list_blocks(all, memory, going);
}

const reachability_sums *reachability_of_site(const reachability *all, size_t site)
{
	return all->is_searched && site < all->site_count ? &all->sites[site] : NULL;
}
