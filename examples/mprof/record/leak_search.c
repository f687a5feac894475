/* SPDX-License-Identifier: MIT */
/*
 * Marks the blocks that are reachable.
 *
 * A block that pointers to starts lead to from a root is reached. One that can be reached only through a pointer to the
 * inside of a block is interior, as is what it leads to. Interior blocks are searched after all that are reached, so
 * each block is read once at most in either state. The others are unreachable. Those that others of these lead to are
 * indirect; of a circle that nothing else leads to, the block with the lowest address is not.
 */
#include "record/leak_search.h"

#include "shared/key_map.h"

#include <mprof/format.h>

#include <stdlib.h>
#include <string.h>

/*
 * Small blocks are read with the page that they are in, and the latest pages are kept: blocks that were allocated
 * together refer to each other.
 */
#define PAGE_SIZE ((size_t)4096)
#define KEPT_PAGES 8192
#define MAX_SMALL (4 * PAGE_SIZE)

/* While the search runs. */
enum { STATE_UNKNOWN = 100, STATE_REACHED = 0 };

typedef struct work_list {
	uint32_t *numbers;
	size_t count;
} work_list;

typedef struct page_content {
	uint64_t start;
	int is_read; /* 0: it cannot be read. */
	uint64_t words[PAGE_SIZE / sizeof(uint64_t)];
} page_content;

/* The blocks that start in a page, an entry of a key_map. */
typedef struct page_blocks {
	uint64_t number; /* Address divided by the size of a page. */
	uint32_t first;
	uint32_t count;
} page_blocks;

typedef struct search {
	const leak_copy *copy;
	leak_block *blocks;
	size_t count;
	uint64_t low;  /* No block is below this address, ... */
	uint64_t high; /* ... and none reaches this one. */
	key_map pages; /* Of page_blocks. */
	work_list reached;
	work_list interior;
	uint32_t current;   /* The block that is being read. */
	page_content *kept; /* Each page has one entry that it may be in. */
} search;

static uint64_t block_end(const leak_block *block)
{
	return block->address + (block->size != 0 ? block->size : 1);
}

/* The number of the last of these blocks that does not start above an address; the first one does not. */
static size_t find_below(const search *state, size_t low, size_t high, uint64_t address)
{
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (state->blocks[middle].address <= address)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The block that a word refers to, or NULL. */
static leak_block *find_target(const search *state, uint64_t word)
{
	const page_blocks *found;
	leak_block *block;

	if (word < state->low || word >= state->high)
		return NULL;
	found = key_map_find(&state->pages, word / PAGE_SIZE);
	/* Nearly all words that refer to a block have its address, or one soon after that. */
	if (found != NULL && state->blocks[found->first].address <= word)
		block = &state->blocks[find_below(state, found->first, found->first + found->count, word)];
	else if (found != NULL)
		block = &state->blocks[found->first - 1];
	else
		block = &state->blocks[find_below(state, 0, state->count, word)];
	return word < block_end(block) ? block : NULL;
}

static void push(const search *state, work_list *list, const leak_block *block)
{
	list->numbers[list->count++] = (uint32_t)(block - state->blocks);
}

/* Words of a root, or of a block that is reached. */
static void visit_reached(void *user, uint64_t address, const uint64_t *words, size_t count)
{
	search *state = user;

	(void)address;
	for (size_t i = 0; i < count; i++) {
		leak_block *block = find_target(state, words[i]);

		if (block == NULL || block->reachability == STATE_REACHED)
			continue;
		if (block->address == words[i]) {
			block->reachability = STATE_REACHED;
			push(state, &state->reached, block);
		} else if (block->reachability == STATE_UNKNOWN) {
			block->reachability = MPROF_REACHABILITY_INTERIOR;
			push(state, &state->interior, block);
		}
	}
}

/* Words of a block that is interior. */
static void visit_interior(void *user, uint64_t address, const uint64_t *words, size_t count)
{
	search *state = user;

	(void)address;
	for (size_t i = 0; i < count; i++) {
		leak_block *block = find_target(state, words[i]);

		if (block == NULL || block->reachability != STATE_UNKNOWN)
			continue;
		block->reachability = MPROF_REACHABILITY_INTERIOR;
		push(state, &state->interior, block);
	}
}

/* Words of a block that is unreachable. The first one of those that lead to each other is number current. */
static void visit_unreachable(void *user, uint64_t address, const uint64_t *words, size_t count)
{
	search *state = user;

	(void)address;
	for (size_t i = 0; i < count; i++) {
		leak_block *block = find_target(state, words[i]);

		if (block == NULL || block == &state->blocks[state->current])
			continue;
		if (block->reachability == STATE_UNKNOWN)
			push(state, &state->reached, block);
		if (block->reachability == STATE_UNKNOWN || block->reachability == MPROF_REACHABILITY_UNREACHABLE)
			block->reachability = MPROF_REACHABILITY_INDIRECT;
	}
}

/* The page with an address; NULL if it cannot be read. */
static const page_content *read_page(const search *state, uint64_t address)
{
	const uint64_t start = address & ~(uint64_t)(PAGE_SIZE - 1);
	page_content *page = &state->kept[start / PAGE_SIZE % KEPT_PAGES];

	if (page->start != start) {
		page->start = start;
		page->is_read = leak_copy_read(state->copy, start, page->words, PAGE_SIZE) == PAGE_SIZE;
	}
	return page->is_read ? page : NULL;
}

static void read_block(search *state, const leak_block *block, leak_visit visit)
{
	const leak_range all = {(block->address + 7) & ~UINT64_C(7), (block->address + block->size) & ~UINT64_C(7), 0};
	uint64_t start = all.start;

	if (block->size > MAX_SMALL) {
		leak_copy_scan(state->copy, &all, visit, state);
		return;
	}
	while (start < all.end) {
		const page_content *page = read_page(state, start);
		const uint64_t next = (start | (PAGE_SIZE - 1)) + 1;
		const uint64_t end = next < all.end ? next : all.end;

		if (page != NULL)
			visit(state, start, page->words + start % PAGE_SIZE / sizeof(uint64_t),
			      (size_t)(end - start) / sizeof(uint64_t));
		start = end;
	}
}

/* A root without the blocks in it, which large allocations are. */
static uint64_t scan_root(search *state, const leak_range *root)
{
	leak_range rest = *root;
	uint64_t start = root->start;
	uint64_t bytes = 0;
	size_t next = 0;

	if (state->count > 0 && start >= state->low)
		next = find_below(state, 0, state->count, start);
	while (start < root->end) {
		uint64_t end = root->end;

		while (next < state->count && block_end(&state->blocks[next]) <= start)
			next++;
		if (next < state->count && state->blocks[next].address < end)
			end = state->blocks[next].address > start ? state->blocks[next].address : start;
		rest.start = start;
		rest.end = end;
		leak_copy_scan(state->copy, &rest, visit_reached, state);
		bytes += end - start;
		if (end == root->end)
			break;
		start = block_end(&state->blocks[next++]);
	}
	return bytes;
}

static void mark_reachable(search *state)
{
	while (state->reached.count > 0)
		read_block(state, &state->blocks[state->reached.numbers[--state->reached.count]], visit_reached);
	while (state->interior.count > 0) {
		const leak_block *block = &state->blocks[state->interior.numbers[--state->interior.count]];

		/* It may have been reached after all. */
		if (block->reachability == MPROF_REACHABILITY_INTERIOR)
			read_block(state, block, visit_interior);
	}
}

static void mark_unreachable(search *state)
{
	for (size_t i = 0; i < state->count; i++) {
		if (state->blocks[i].reachability != STATE_UNKNOWN)
			continue;
		state->blocks[i].reachability = MPROF_REACHABILITY_UNREACHABLE;
		state->current = (uint32_t)i;
		read_block(state, &state->blocks[i], visit_unreachable);
		while (state->reached.count > 0)
			read_block(state, &state->blocks[state->reached.numbers[--state->reached.count]],
				   visit_unreachable);
	}
}

static void release(search *state)
{
	if (state == NULL)
		return;
	key_map_clear(&state->pages);
	free(state->kept);
	free(state->reached.numbers);
	free(state->interior.numbers);
	free(state);
}

/* Returns 0 without memory. */
static int prepare(search *state)
{
	for (size_t i = 0; i < KEPT_PAGES; i++)
		state->kept[i].start = UINT64_MAX;
	for (size_t i = 0; i < state->count; i++) {
		page_blocks *page = key_map_put(&state->pages, state->blocks[i].address / PAGE_SIZE);

		if (page == NULL)
			return 0;
		state->blocks[i].reachability = STATE_UNKNOWN;
		if (page->count++ == 0)
			page->first = (uint32_t)i;
	}
	return 1;
}

/* Returns NULL without memory. */
static search *create(const leak_copy *copy, leak_block *blocks, size_t count)
{
	search *state = count < UINT32_MAX ? calloc(1, sizeof(*state)) : NULL;

	if (state == NULL)
		return NULL;
	state->copy = copy;
	state->blocks = blocks;
	state->count = count;
	state->low = count > 0 ? blocks[0].address : UINT64_MAX;
	state->high = count > 0 ? block_end(&blocks[count - 1]) : 0;
	state->pages.value_size = sizeof(page_blocks) - sizeof(uint64_t);
	state->kept = malloc(KEPT_PAGES * sizeof(*state->kept));
	state->reached.numbers = malloc((count + 1) * sizeof(*state->reached.numbers));
	state->interior.numbers = malloc((count + 1) * sizeof(*state->interior.numbers));
	if (state->kept != NULL && state->reached.numbers != NULL && state->interior.numbers != NULL && prepare(state))
		return state;
	release(state);
	return NULL;
}

int leak_search(const leak_copy *copy, leak_block *blocks, size_t count, uint64_t *root_bytes)
{
	search *state = create(copy, blocks, count);

	*root_bytes = 0;
	if (state == NULL)
		return 0;
	for (size_t i = 0; i < copy->roots.count; i++)
		*root_bytes += scan_root(state, &copy->roots.ranges[i]);
	mark_reachable(state);
	mark_unreachable(state);
	release(state);
	return 1;
}
