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

#include <mprof/format.h>

#include <stdlib.h>
#include <string.h>

/* Small blocks are read with what follows them, since blocks that were allocated together refer to each other. */
#define WINDOW_SIZE ((size_t)16 << 10)

/* While the search runs. */
enum { STATE_UNKNOWN = 100, STATE_REACHED = 0 };

typedef struct work_list {
	uint32_t *numbers;
	size_t count;
} work_list;

typedef struct search {
	const leak_copy *copy;
	leak_block *blocks;
	size_t count;
	uint64_t low;  /* No block is below this address, ... */
	uint64_t high; /* ... and none reaches this one. */
	work_list reached;
	work_list interior;
	uint32_t current; /* The block that is being read. */
	uint64_t window_start;
	size_t window_length;
	uint64_t window[WINDOW_SIZE / sizeof(uint64_t)];
} search;

static uint64_t block_end(const leak_block *block)
{
	return block->address + (block->size != 0 ? block->size : 1);
}

/* The number of the last block that does not start above an address; the address is not below the first one. */
static size_t find_below(const search *state, uint64_t address)
{
	size_t low = 0;
	size_t high = state->count;

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
	leak_block *block;

	if (word < state->low || word >= state->high)
		return NULL;
	block = &state->blocks[find_below(state, word)];
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

static void read_block(search *state, const leak_block *block, leak_visit visit)
{
	const uint64_t start = (block->address + 7) & ~UINT64_C(7);
	const uint64_t end = block->address + block->size;
	const leak_range range = {start, end, 0};

	if (start >= end || end - start < sizeof(uint64_t))
		return;
	if (end - start <= WINDOW_SIZE &&
	    (start < state->window_start || end > state->window_start + state->window_length)) {
		state->window_start = start;
		state->window_length = leak_copy_read(state->copy, start, state->window, WINDOW_SIZE);
	}
	/* It is large, or some of it cannot be read. */
	if (start < state->window_start || end > state->window_start + state->window_length) {
		leak_copy_scan(state->copy, &range, visit, state);
		return;
	}
	visit(state, start, state->window + (start - state->window_start) / sizeof(uint64_t),
	      (size_t)(end - start) / sizeof(uint64_t));
}

/* A root without the blocks in it, which large allocations are. */
static uint64_t scan_root(search *state, const leak_range *root)
{
	leak_range part = *root;
	uint64_t start = root->start;
	uint64_t bytes = 0;
	size_t next = 0;

	if (state->count > 0 && start >= state->low)
		next = find_below(state, start);
	while (start < root->end) {
		uint64_t end = root->end;

		while (next < state->count && block_end(&state->blocks[next]) <= start)
			next++;
		if (next < state->count && state->blocks[next].address < end)
			end = state->blocks[next].address > start ? state->blocks[next].address : start;
		part.start = start;
		part.end = end;
		leak_copy_scan(state->copy, &part, visit_reached, state);
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

int leak_search(const leak_copy *copy, leak_block *blocks, size_t count, uint64_t *root_bytes)
{
	search *state = calloc(1, sizeof(*state));
	int has_memory = 0;

	*root_bytes = 0;
	if (state != NULL && count < UINT32_MAX) {
		state->reached.numbers = malloc((count + 1) * sizeof(*state->reached.numbers));
		state->interior.numbers = malloc((count + 1) * sizeof(*state->interior.numbers));
		has_memory = state->reached.numbers != NULL && state->interior.numbers != NULL;
	}
	if (has_memory) {
		state->copy = copy;
		state->blocks = blocks;
		state->count = count;
		state->low = count > 0 ? blocks[0].address : UINT64_MAX;
		state->high = count > 0 ? block_end(&blocks[count - 1]) : 0;
		for (size_t i = 0; i < count; i++)
			blocks[i].reachability = STATE_UNKNOWN;
		for (size_t i = 0; i < copy->roots.count; i++)
			*root_bytes += scan_root(state, &copy->roots.ranges[i]);
		mark_reachable(state);
		mark_unreachable(state);
	}
	if (state != NULL) {
		free(state->reached.numbers);
		free(state->interior.numbers);
	}
	free(state);
	return has_memory;
}
