/* SPDX-License-Identifier: MIT */
/* Notes the changes that provisional processing makes, and restores the state before it. */
#include "model/memory_undo.h"

#include "base/array.h"

#include <string.h>

/* Maximum number of changes of each kind that one action makes: it allocates, moves and displaces blocks. */
#define MAX_CHANGES 4

void memory_undo_init(memory_undo *undo, const mprof_allocator *allocator)
{
	memset(undo, 0, sizeof(*undo));
	undo->allocator = *allocator;
}

void memory_undo_destroy(memory_undo *undo)
{
	allocator_release(&undo->allocator, undo->sites, undo->sites_capacity * sizeof(*undo->sites));
	allocator_release(&undo->allocator, undo->threads, undo->threads_capacity * sizeof(*undo->threads));
	allocator_release(&undo->allocator, undo->blocks, undo->blocks_capacity * sizeof(*undo->blocks));
	allocator_release(&undo->allocator, undo->actions, undo->actions_capacity * sizeof(*undo->actions));
	memory_undo_init(undo, &undo->allocator);
}

void memory_undo_begin(memory_undo *undo, const memory_state *state)
{
	undo->is_active = 1;
	undo->pass++;
	undo->sums = state->sums;
	undo->site_count = state->site_count;
}

void memory_undo_commit(memory_undo *undo)
{
	undo->is_active = 0;
	undo->noted_sites = 0;
	undo->noted_threads = 0;
	undo->noted_blocks = 0;
	undo->noted_actions = 0;
}

int memory_undo_reserve(memory_undo *undo)
{
	void *sites = undo->sites;
	void *threads = undo->threads;
	void *blocks = undo->blocks;
	void *actions = undo->actions;
	/* Arrays that have grown before one is refused stay as they are. */
	int has_room = array_reserve(&undo->allocator, &sites, &undo->sites_capacity, undo->noted_sites + MAX_CHANGES,
				     sizeof(*undo->sites)) &&
		       array_reserve(&undo->allocator, &threads, &undo->threads_capacity,
				     undo->noted_threads + MAX_CHANGES, sizeof(*undo->threads)) &&
		       array_reserve(&undo->allocator, &blocks, &undo->blocks_capacity,
				     undo->noted_blocks + MAX_CHANGES, sizeof(*undo->blocks)) &&
		       array_reserve(&undo->allocator, &actions, &undo->actions_capacity,
				     undo->noted_actions + MAX_CHANGES, sizeof(*undo->actions));

	undo->sites = sites;
	undo->threads = threads;
	undo->blocks = blocks;
	undo->actions = actions;
	return has_room;
}

void memory_undo_note_site(memory_undo *undo, memory_state *state, uint32_t number)
{
	memory_site *site = &state->sites[number];

	/* New sites are removed as a whole. */
	if (site->noted == undo->pass || number >= undo->site_count)
		return;
	undo->sites[undo->noted_sites].number = number;
	undo->sites[undo->noted_sites++].before = *site;
	site->noted = undo->pass;
}

void memory_undo_note_thread(memory_undo *undo, memory_state *state, uint32_t number)
{
	memory_thread *thread = &state->threads[number];

	if (thread->noted == undo->pass)
		return;
	undo->threads[undo->noted_threads].number = number;
	undo->threads[undo->noted_threads++].before = *thread;
	thread->noted = undo->pass;
}

void memory_undo_note_block(memory_undo *undo, const memory_block *block, int is_added)
{
	undo->blocks[undo->noted_blocks].block = *block;
	undo->blocks[undo->noted_blocks++].was_added = is_added;
}

void memory_undo_note_action(memory_undo *undo, const memory_state *state, size_t index)
{
	undo->actions[undo->noted_actions].index = index;
	undo->actions[undo->noted_actions++].kind = state->order.actions[index].kind;
}

/* While changes are reverted, the table never has more blocks than at some time of the pass: it need not grow. */
static void restore_blocks(const memory_undo *undo, memory_state *state)
{
	for (size_t i = undo->noted_blocks; i-- > 0;) {
		const noted_block *noted = &undo->blocks[i];

		if (noted->was_added)
			memory_blocks_remove(&state->blocks, memory_blocks_find(&state->blocks, noted->block.address));
		else
			(void)memory_blocks_add(&state->blocks, &noted->block);
	}
}

static void restore_sites(const memory_undo *undo, memory_state *state)
{
	for (size_t i = 0; i < undo->noted_sites; i++)
		state->sites[undo->sites[i].number] = undo->sites[i].before;
	while (state->site_count > undo->site_count)
		hash_map_remove(&state->site_numbers, state->sites[--state->site_count].stack);
}

void memory_undo_revert(memory_undo *undo, memory_state *state)
{
	restore_blocks(undo, state);
	restore_sites(undo, state);
	for (size_t i = 0; i < undo->noted_threads; i++)
		state->threads[undo->threads[i].number] = undo->threads[i].before;
	for (size_t i = 0; i < undo->noted_actions; i++)
		state->order.actions[undo->actions[i].index].kind = undo->actions[i].kind;
	state->sums = undo->sums;
	memory_undo_commit(undo);
}
