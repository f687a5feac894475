/* SPDX-License-Identifier: MIT */
/* Native memory: allocations, frees, peaks and leaks. */
#include "model/records/memory.h"

#include "base/allocator.h"

#include <string.h>

/* Kinds of actions. */
enum {
	MEMORY_ALLOCATE,
	MEMORY_FREE,
	MEMORY_LEAVE,  /* A resize starts: another thread may be given the address. */
	MEMORY_ARRIVE, /* A resize ends: the memory of the thread's last MEMORY_LEAVE is at this address. */
	MEMORY_DONE    /* Applied before its turn. */
};

/* Marks an empty slot of the table. */
#define MEMORY_NO_SITE UINT32_MAX

/* The site of a block that is tracked, so that its free is matched, but not counted. */
#define MEMORY_UNCOUNTED (UINT32_MAX - 1)

/* The site that all call stacks share for which there was no memory. */
#define MEMORY_FOLDED (UINT32_MAX - 2)

static inline int is_block(const void *slot)
{
	return ((const memory_block *)slot)->site != MEMORY_NO_SITE;
}

static uint64_t hash_of_block(const void *owner, const void *slot)
{
	return hash_key(((const memory_blocks *)owner)->index.seed, ((const memory_block *)slot)->address);
}

static inline int is_block_at(const void *owner, const void *slot, const void *address)
{
	(void)owner;
	/* An empty slot has an address, too, and any address may be searched. */
	return ((const memory_block *)slot)->address == *(const uint64_t *)address && is_block(slot);
}

/* All bytes of an empty slot are set, which makes its site MEMORY_NO_SITE. */
static const hash_index_type block_slots = {
	.size = sizeof(memory_block),
	.first_capacity = 64,
	.used_eighths = 4,
	.empty_byte = 0xff,
	.is_used = is_block,
	.hash = hash_of_block,
};

static void memory_blocks_init(memory_blocks *blocks, const mprof_allocator *allocator)
{
	hash_index_init(&blocks->index, allocator);
}

static void memory_blocks_destroy(memory_blocks *blocks)
{
	hash_index_destroy(&blocks->index, &block_slots);
}

/* The block at an address, or NULL. Valid until a block is added or removed. */
static memory_block *memory_blocks_find(const memory_blocks *blocks, uint64_t address)
{
	return hash_index_find(&blocks->index, &block_slots, hash_key(blocks->index.seed, address), is_block_at, blocks,
			       &address);
}

/* Adds a block at an address that has none. Returns 0 if there is no memory. */
static int memory_blocks_add(memory_blocks *blocks, const memory_block *block)
{
	memory_block *slot;

	if (!hash_index_reserve(&blocks->index, &block_slots, blocks))
		return 0;
	slot = hash_index_take_slot(&blocks->index, &block_slots, hash_key(blocks->index.seed, block->address));
	*slot = *block;
	return 1;
}

/* Removes a block that memory_blocks_find() returned. */
static void memory_blocks_remove(memory_blocks *blocks, memory_block *block)
{
	hash_index_remove(&blocks->index, &block_slots, blocks, block);
}

/* Maximum number of changes of each kind that one action makes: it allocates, moves and displaces blocks. */
#define MAX_CHANGES 4

static void memory_undo_init(memory_undo *undo, const mprof_allocator *allocator)
{
	memset(undo, 0, sizeof(*undo));
	undo->allocator = *allocator;
}

static void memory_undo_destroy(memory_undo *undo)
{
	allocator_release(&undo->allocator, undo->sites, undo->sites_capacity * sizeof(*undo->sites));
	allocator_release(&undo->allocator, undo->threads, undo->threads_capacity * sizeof(*undo->threads));
	allocator_release(&undo->allocator, undo->blocks, undo->blocks_capacity * sizeof(*undo->blocks));
	allocator_release(&undo->allocator, undo->actions, undo->actions_capacity * sizeof(*undo->actions));
	memory_undo_init(undo, &undo->allocator);
}

static int begin_noting(void *of)
{
	memory_model *model = of;

	model->undo.pass++;
	model->undo.sums = model->state.sums;
	model->undo.site_count = model->state.site_count;
	return 1;
}

static void commit_noted(void *of)
{
	memory_undo *undo = &((memory_model *)of)->undo;

	undo->noted_sites = 0;
	undo->noted_threads = 0;
	undo->noted_blocks = 0;
	undo->noted_actions = 0;
}

static int reserve_notes(void *of)
{
	memory_undo *undo = &((memory_model *)of)->undo;
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

/*
 * Note a change, in memory that reserve_notes() has reserved. Sites, threads and actions are noted before they change;
 * a block is noted as added or removed.
 */
static void memory_undo_note_site(memory_undo *undo, memory_state *state, uint32_t number)
{
	memory_site *site = &state->sites[number];

	/* New sites are removed as a whole. */
	if (site->noted == undo->pass || number >= undo->site_count)
		return;
	undo->sites[undo->noted_sites].number = number;
	undo->sites[undo->noted_sites++].before = *site;
	site->noted = undo->pass;
}

static void memory_undo_note_thread(memory_undo *undo, memory_state *state, uint32_t number)
{
	memory_thread *thread = &state->threads[number];

	if (thread->noted == undo->pass)
		return;
	undo->threads[undo->noted_threads].number = number;
	undo->threads[undo->noted_threads++].before = *thread;
	thread->noted = undo->pass;
}

static void memory_undo_note_block(memory_undo *undo, const memory_block *block, int is_added)
{
	undo->blocks[undo->noted_blocks].block = *block;
	undo->blocks[undo->noted_blocks++].was_added = is_added;
}

static void memory_undo_note_action(memory_model *model, const replay_action *action)
{
	memory_undo *undo = &model->undo;

	undo->actions[undo->noted_actions].index = (size_t)(action - (replay_action *)model->replay.queue.actions);
	undo->actions[undo->noted_actions++].kind = action->kind;
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

static void revert_noted(void *of)
{
	memory_model *model = of;
	const memory_undo *undo = &model->undo;
	replay_action *actions = model->replay.queue.actions;

	restore_blocks(undo, &model->state);
	restore_sites(undo, &model->state);
	for (size_t i = 0; i < undo->noted_threads; i++)
		model->state.threads[undo->threads[i].number] = undo->threads[i].before;
	for (size_t i = 0; i < undo->noted_actions; i++)
		actions[undo->actions[i].index].kind = undo->actions[i].kind;
	model->state.sums = undo->sums;
	commit_noted(model);
}

/*
 * The number shared by threads that are not chosen and have no number of their own, because there was no memory. The
 * next higher number is shared by those that are chosen.
 */
#define MEMORY_OTHER_THREADS (UINT32_MAX - 2)

/*
 * The counters of two processors may differ slightly, and a processor may read the counter a little early. An address
 * may therefore seem to be allocated again before it was freed; the free is then among the next actions.
 */
#define LOOK_AHEAD 64

static uint32_t add_site(memory_model *model, uint32_t stack)
{
	void *sites = model->state.sites;

	if (!array_reserve(&model->state.site_numbers.index.allocator, &sites, &model->state.site_capacity,
			   model->state.site_count + 1, sizeof(*model->state.sites)))
		return MEMORY_NO_SITE;
	model->state.sites = sites;
	if (!hash_map_put(&model->state.site_numbers, stack, model->state.site_count))
		return MEMORY_NO_SITE;
	memset(&model->state.sites[model->state.site_count], 0, sizeof(*model->state.sites));
	model->state.sites[model->state.site_count].stack = stack;
	return (uint32_t)model->state.site_count++;
}

/*
 * The number of a site; MEMORY_NO_SITE if the allocator refused. After the first call stack was folded no sites are
 * added, so that existing sites have all allocations of their call stacks.
 */
static uint32_t site_of(memory_model *model, uint32_t stack)
{
	const uint64_t *number = hash_map_get(&model->state.site_numbers, stack);
	uint32_t created;

	if (number != NULL)
		return (uint32_t)*number;
	if (model->state.sums.folded.allocations > 0)
		return MEMORY_FOLDED;
	created = add_site(model, stack);
	return created == MEMORY_NO_SITE && memory_budget_is_exceeded(model->budget) ? MEMORY_FOLDED : created;
}

/* Saves the sums of the site at the last peak, before they change. */
static void keep_peak(memory_model *model, memory_site *site)
{
	if (site->peak == model->state.sums.peak)
		return;
	site->peak = model->state.sums.peak;
	site->peak_live = site->live;
	site->peak_bytes = site->live_bytes;
}

void memory_site_get_peak(const memory_model *model, const memory_site *site, uint64_t *live, uint64_t *bytes)
{
	*live = site->peak == model->state.sums.peak ? site->peak_live : site->live;
	*bytes = site->peak == model->state.sums.peak ? site->peak_bytes : site->live_bytes;
}

const memory_block *memory_find_block(const memory_model *model, uint64_t address)
{
	return memory_blocks_find(&model->state.blocks, address);
}

int memory_next_block(const memory_model *model, size_t *position, const memory_block **block)
{
	const hash_index *index = &model->state.blocks.index;

	while (*position < index->capacity) {
		*block = hash_index_slot(index, &block_slots, (*position)++);
		if (is_block(*block))
			return 1;
	}
	return 0;
}

size_t memory_block_capacity(const memory_model *model)
{
	return model->state.blocks.index.capacity;
}

int memory_block_is_counted(const memory_block *block)
{
	return block->site != MEMORY_UNCOUNTED;
}

size_t memory_block_site(const memory_model *model, const memory_block *block)
{
	return block->site == MEMORY_FOLDED ? model->state.site_count : block->site;
}

uint32_t memory_block_stack(const memory_model *model, const memory_block *block)
{
	return block->site == MEMORY_FOLDED ? 0 : model->state.sites[block->site].stack;
}

size_t memory_site_count(const memory_model *model)
{
	return model->state.site_count + (model->state.sums.folded.allocations > 0);
}

/* Returns a site that the caller will change, after its earlier state was noted where that is needed. */
static memory_site *change_site(memory_model *model, uint32_t number)
{
	memory_site *site = number == MEMORY_FOLDED ? &model->state.sums.folded : &model->state.sites[number];

	if (model->replay.is_provisional && number != MEMORY_FOLDED)
		memory_undo_note_site(&model->undo, &model->state, number);
	keep_peak(model, site);
	return site;
}

/* The state of a thread, to be changed: keeps its peak and what undo needs. NULL for threads without a number. */
static memory_thread *change_thread(memory_model *model, uint32_t number)
{
	if (number >= MEMORY_OTHER_THREADS)
		return NULL;
	if (model->replay.is_provisional)
		memory_undo_note_thread(&model->undo, &model->state, number);
	return &model->state.threads[number];
}

static memory_block remove_block(memory_model *model, memory_block *found)
{
	const memory_block block = *found;

	if (model->replay.is_provisional)
		memory_undo_note_block(&model->undo, found, 0);
	memory_blocks_remove(&model->state.blocks, found);
	return block;
}

/* Whether an action counts: its thread is chosen and its time is inside the window. */
static int is_inside(const memory_model *model, const replay_action *action)
{
	int is_counted = action->thread >= MEMORY_OTHER_THREADS ? action->thread > MEMORY_OTHER_THREADS
								: model->state.threads[action->thread].is_counted;

	return is_counted && window_has_counter(model->window, action->counter);
}

/* Removes a counted block from the live sums. Returns its site. */
static memory_site *end_block(memory_model *model, const memory_block *block)
{
	memory_site *site = change_site(model, block->site);

	site->live--;
	site->live_bytes -= block->size;
	model->state.sums.totals.live--;
	model->state.sums.totals.live_bytes -= block->size;
	return site;
}

/* Counts the end of a block that was freed or resized at \p counter. */
static void end_life(memory_model *model, const memory_block *block, uint64_t counter, int is_temporary)
{
	memory_site *site;
	uint64_t lifetime = counter_is_before(counter, block->counter) ? 0 : counter - block->counter;

	/* A block that is freed after the end of the window counts as live at that end. */
	if (block->site == MEMORY_UNCOUNTED || window_is_over(model->window, counter))
		return;
	site = end_block(model, block);
	site->shortest = site->frees == 0 || lifetime < site->shortest ? lifetime : site->shortest;
	site->longest = lifetime > site->longest ? lifetime : site->longest;
	site->lifetimes = site->lifetimes > UINT64_MAX - lifetime ? UINT64_MAX : site->lifetimes + lifetime;
	site->frees++;
	site->temporaries += (uint64_t)is_temporary;
	model->state.sums.totals.frees++;
	model->state.sums.totals.temporaries += (uint64_t)is_temporary;
}

/* Whether the block is the thread's last allocation, which is then cleared. Called when the thread frees the block. */
static int clear_last_allocation(memory_model *model, const memory_block *block, uint32_t number)
{
	memory_thread *thread = change_thread(model, number);

	if (thread == NULL || !thread->has_last || thread->last_address != block->address || block->thread != number)
		return 0;
	thread->has_last = 0;
	return 1;
}

static void handle_free(memory_model *model, const replay_action *action)
{
	memory_block *found = memory_blocks_find(&model->state.blocks, action->address);
	memory_block block;

	if (found == NULL) {
		model->state.sums.totals.unmatched_frees += (uint64_t)is_inside(model, action);
		return;
	}
	block = remove_block(model, found);
	end_life(model, &block, action->counter, clear_last_allocation(model, &block, action->thread));
}

/*
 * Starts a resize. The block counts until the resize ends, but is not found at its address any more, which another
 * thread may be given meanwhile.
 */
static void handle_leave(memory_model *model, const replay_action *action)
{
	memory_thread *thread = change_thread(model, action->thread);
	memory_block *found = memory_blocks_find(&model->state.blocks, action->address);

	if (thread == NULL) {
		handle_free(model, action);
		return;
	}
	/* A start that is processed before its turn may precede the end of the thread's last resize. */
	if (thread->is_resizing)
		end_life(model, &thread->moving, action->counter, thread->moving_is_temporary);
	thread->is_resizing = found != NULL;
	if (found == NULL) {
		model->state.sums.totals.unmatched_frees += (uint64_t)is_inside(model, action);
		return;
	}
	thread->moving = remove_block(model, found);
	thread->moving_is_temporary = clear_last_allocation(model, &thread->moving, action->thread);
}

/*
 * Ends the block at an address that is allocated again. If one of the next actions frees it, that action is processed
 * now; otherwise the free is missing.
 */
static void free_block_at(memory_model *model, replay_action *action, const replay_action *end)
{
	memory_block *found = memory_blocks_find(&model->state.blocks, action->address);
	memory_block lost;

	if (found == NULL)
		return;
	for (replay_action *next = action + 1; next < end && next <= action + LOOK_AHEAD; next++) {
		if (next->address != action->address || next->thread == action->thread)
			continue;
		if (next->kind != MEMORY_FREE && next->kind != MEMORY_LEAVE)
			continue;
		if (next->kind == MEMORY_FREE)
			handle_free(model, next);
		else
			handle_leave(model, next);
		if (model->replay.is_provisional)
			memory_undo_note_action(model, next);
		next->kind = MEMORY_DONE;
		return;
	}
	lost = remove_block(model, found);
	if (lost.site == MEMORY_UNCOUNTED || window_is_over(model->window, action->counter))
		return;
	end_block(model, &lost);
	model->state.sums.totals.missing_frees++;
}

static void raise_peak(memory_model *model, uint64_t counter)
{
	if (model->state.sums.totals.live_bytes <= model->state.sums.totals.peak_bytes)
		return;
	model->state.sums.peak++;
	model->state.sums.totals.peak_bytes = model->state.sums.totals.live_bytes;
	model->state.sums.totals.peak_live = model->state.sums.totals.live;
	model->state.sums.peak_counter = counter;
}

/* The size class: 0 for 0, otherwise one more than the position of the highest bit. */
static uint32_t size_class_of(uint64_t size)
{
	return size == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(size);
}

/* Counts an allocation. A block that is not tracked does not count as live, since its end would not be found. */
static void count_block(memory_model *model, const memory_block *block, int is_tracked)
{
	memory_site *site = change_site(model, block->site);
	memory_size_class *sizes = &model->state.sums.sizes[size_class_of(block->size)];

	site->allocations++;
	site->bytes += block->size;
	model->state.sums.totals.allocations++;
	model->state.sums.totals.bytes += block->size;
	sizes->allocations++;
	sizes->bytes += block->size;
	if (!is_tracked)
		return;
	site->live++;
	site->live_bytes += block->size;
	model->state.sums.totals.live++;
	model->state.sums.totals.live_bytes += block->size;
	raise_peak(model, block->counter);
}

static int handle_allocate(memory_model *model, replay_action *action, const replay_action *end)
{
	memory_block block = {action->address, action->size, action->counter, MEMORY_UNCOUNTED, action->thread};
	memory_thread *thread;
	int is_tracked;

	free_block_at(model, action, end);
	if (is_inside(model, action))
		block.site = site_of(model, action->stack);
	if (block.site == MEMORY_NO_SITE)
		return 0;
	is_tracked = memory_blocks_add(&model->state.blocks, &block);
	if (!is_tracked && !memory_budget_is_exceeded(model->budget))
		return 0;
	model->state.sums.totals.untracked += (uint64_t)!is_tracked;
	if (is_tracked && model->replay.is_provisional)
		memory_undo_note_block(&model->undo, &block, 1);
	thread = change_thread(model, action->thread);
	if (thread != NULL) {
		thread->last_address = action->address;
		thread->has_last = is_tracked;
	}
	if (block.site != MEMORY_UNCOUNTED)
		count_block(model, &block, is_tracked);
	return 1;
}

/* Ends a resize: the old block ends and the new one begins at the same time. */
static int handle_arrive(memory_model *model, replay_action *action, const replay_action *end)
{
	memory_thread *thread = change_thread(model, action->thread);

	if (thread != NULL) {
		if (thread->is_resizing)
			end_life(model, &thread->moving, action->counter, thread->moving_is_temporary);
		thread->is_resizing = 0;
	}
	if (!handle_allocate(model, action, end))
		return 0;
	model->state.sums.totals.resizes += (uint64_t)is_inside(model, action);
	return 1;
}

static int apply_action(void *of, replay_action *action, const replay_action *end)
{
	memory_model *model = of;

	if (model->state.sums.has_reached && counter_is_before(action->counter, model->state.sums.reached)) {
		/* The start of a resize is counted with its end. */
		model->state.sums.totals.late_events += action->kind != MEMORY_LEAVE;
	} else {
		model->state.sums.reached = action->counter;
		model->state.sums.has_reached = 1;
	}
	switch (action->kind) {
	case MEMORY_ALLOCATE:
		return handle_allocate(model, action, end);
	case MEMORY_FREE:
		handle_free(model, action);
		return 1;
	case MEMORY_LEAVE:
		handle_leave(model, action);
		return 1;
	case MEMORY_ARRIVE:
		return handle_arrive(model, action, end);
	default:
		return 1;
	}
}

static const replay_type memory_replay = {apply_action, begin_noting, reserve_notes, commit_noted, revert_noted};

void memory_init(memory_model *model, memory_budget *budget, const profile_window *window)
{
	memset(model, 0, sizeof(*model));
	model->budget = budget;
	model->window = window;
	replay_init(&model->replay, &memory_replay, model, budget);
	memory_blocks_init(&model->state.blocks, &budget->paths);
	memory_undo_init(&model->undo, &budget->paths);
	hash_map_init(&model->state.site_numbers, &budget->paths);
	hash_map_init(&model->state.thread_numbers, &budget->paths);
}

void memory_destroy(memory_model *model)
{
	const mprof_allocator *allocator = &model->state.site_numbers.index.allocator;

	replay_destroy(&model->replay);
	memory_blocks_destroy(&model->state.blocks);
	memory_undo_destroy(&model->undo);
	allocator_release(allocator, model->state.sites, model->state.site_capacity * sizeof(*model->state.sites));
	allocator_release(allocator, model->state.threads,
			  model->state.thread_capacity * sizeof(*model->state.threads));
	hash_map_destroy(&model->state.site_numbers);
	hash_map_destroy(&model->state.thread_numbers);
}

int memory_process_until(memory_model *model, uint64_t watermark)
{
	return replay_until(&model->replay, watermark, NULL);
}

uint64_t memory_steps(const memory_model *model)
{
	return replay_steps(&model->replay);
}

int memory_process_provisionally(memory_model *model, progress *going)
{
	return progress_begin(going, memory_steps(model)) && replay_provisionally(&model->replay, going);
}

/* The number of a thread; UINT32_MAX if the allocator refused. */
static uint32_t add_thread(memory_model *model, uint64_t id)
{
	void *threads = model->state.threads;

	if (!array_reserve(&model->state.thread_numbers.index.allocator, &threads, &model->state.thread_capacity,
			   model->state.thread_count + 1, sizeof(*model->state.threads)))
		return UINT32_MAX;
	model->state.threads = threads;
	if (!hash_map_put(&model->state.thread_numbers, id, model->state.thread_count))
		return UINT32_MAX;
	memset(&model->state.threads[model->state.thread_count], 0, sizeof(*model->state.threads));
	model->state.threads[model->state.thread_count].is_counted = window_has_thread(model->window, id);
	return (uint32_t)model->state.thread_count++;
}

static uint32_t thread_number(memory_model *model, uint64_t id)
{
	const uint64_t *number = hash_map_get(&model->state.thread_numbers, id);
	uint32_t created;

	if (number != NULL)
		return (uint32_t)*number;
	created = add_thread(model, id);
	if (created != UINT32_MAX || !memory_budget_is_exceeded(model->budget))
		return created;
	model->has_other_threads = 1;
	return MEMORY_OTHER_THREADS + (uint32_t)window_has_thread(model->window, id);
}

int memory_add(memory_model *model, uint64_t thread, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	/* A resize starts with one action and ends with another one. */
	replay_action actions[2] = {{.counter = event->counter, .address = event->value, .kind = MEMORY_ALLOCATE}};

	replay_revert(&model->replay);
	if (!replay_limit(&model->replay))
		return 0;
	actions[0].thread = thread_number(model, thread);
	if (actions[0].thread == UINT32_MAX)
		return 0;
	if (detail != NULL) {
		actions[0].size = detail->size;
		actions[0].stack = detail->stack;
	}
	if (event->kind == MPROF_EVENT_MEMORY_RESIZED && detail != NULL) {
		actions[1] = actions[0];
		actions[1].kind = MEMORY_ARRIVE;
		actions[0].kind = MEMORY_LEAVE;
		actions[0].address = detail->object;
		actions[0].counter =
			counter_is_before(event->counter, detail->started) ? event->counter : detail->started;
		return replay_hold_back(&model->replay, actions, 2);
	}
	if (event->kind == MPROF_EVENT_MEMORY_FREED)
		actions[0].kind = MEMORY_FREE;
	return replay_hold_back(&model->replay, actions, 1);
}
