/* SPDX-License-Identifier: MIT */
#include "model/memory_undo.h"

#include "base/array.h"
#include "model/memory.h"

#include <string.h>

/* Maximum number of changes of each kind that one action makes: it allocates, moves and displaces blocks. */
#define MOST_CHANGES 4

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

void memory_undo_begin(memory_model *model)
{
	memory_undo *undo = &model->undo;

	undo->is_active = 1;
	undo->pass++;
	undo->sums = model->sums;
	undo->site_count = model->site_count;
}

void memory_undo_forget(memory_undo *undo)
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
	int has_room = array_reserve(&undo->allocator, &sites, &undo->sites_capacity, undo->noted_sites + MOST_CHANGES,
				     sizeof(*undo->sites)) &&
		       array_reserve(&undo->allocator, &threads, &undo->threads_capacity,
				     undo->noted_threads + MOST_CHANGES, sizeof(*undo->threads)) &&
		       array_reserve(&undo->allocator, &blocks, &undo->blocks_capacity,
				     undo->noted_blocks + MOST_CHANGES, sizeof(*undo->blocks)) &&
		       array_reserve(&undo->allocator, &actions, &undo->actions_capacity,
				     undo->noted_actions + MOST_CHANGES, sizeof(*undo->actions));

	undo->sites = sites;
	undo->threads = threads;
	undo->blocks = blocks;
	undo->actions = actions;
	return has_room;
}

void memory_undo_note_site(memory_model *model, uint32_t number)
{
	memory_undo *undo = &model->undo;
	memory_site *site = &model->sites[number];

	/* New sites are removed as a whole. */
	if (site->noted == undo->pass || number >= undo->site_count)
		return;
	undo->sites[undo->noted_sites].number = number;
	undo->sites[undo->noted_sites++].before = *site;
	site->noted = undo->pass;
}

void memory_undo_note_thread(memory_model *model, uint32_t number)
{
	memory_undo *undo = &model->undo;
	memory_thread *thread = &model->threads[number];

	if (thread->noted == undo->pass)
		return;
	undo->threads[undo->noted_threads].number = number;
	undo->threads[undo->noted_threads++].before = *thread;
	thread->noted = undo->pass;
}

void memory_undo_note_block(memory_model *model, const memory_block *block, int is_added)
{
	memory_undo *undo = &model->undo;

	undo->blocks[undo->noted_blocks].block = *block;
	undo->blocks[undo->noted_blocks++].was_added = is_added;
}

void memory_undo_note_action(memory_model *model, size_t place)
{
	memory_undo *undo = &model->undo;

	undo->actions[undo->noted_actions].place = place;
	undo->actions[undo->noted_actions++].kind = model->order.actions[place].kind;
}

/* During the pass the table never has more blocks than it had at some time before, so it need not grow. */
static void restore_blocks(memory_model *model)
{
	const memory_undo *undo = &model->undo;

	for (size_t i = undo->noted_blocks; i-- > 0;) {
		const noted_block *noted = &undo->blocks[i];

		if (noted->was_added)
			memory_blocks_remove(&model->blocks, memory_blocks_find(&model->blocks, noted->block.address));
		else
			(void)memory_blocks_add(&model->blocks, &noted->block);
	}
}

static void put_sites_back(memory_model *model)
{
	const memory_undo *undo = &model->undo;

	for (size_t i = 0; i < undo->noted_sites; i++)
		model->sites[undo->sites[i].number] = undo->sites[i].before;
	while (model->site_count > undo->site_count)
		hash_map_remove(&model->site_numbers, model->sites[--model->site_count].stack);
}

void memory_undo_all(memory_model *model)
{
	memory_undo *undo = &model->undo;

	restore_blocks(model);
	put_sites_back(model);
	for (size_t i = 0; i < undo->noted_threads; i++)
		model->threads[undo->threads[i].number] = undo->threads[i].before;
	for (size_t i = 0; i < undo->noted_actions; i++)
		model->order.actions[undo->actions[i].place].kind = undo->actions[i].kind;
	model->sums = undo->sums;
	memory_undo_forget(undo);
}
