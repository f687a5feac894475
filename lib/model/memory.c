/* SPDX-License-Identifier: MIT */
#include "model/memory.h"

#include "base/array.h"

#include <string.h>

/* Actions that are held back at most where no watermark comes: then the older half is handled. */
#define MOST_HELD_BACK ((size_t)1 << 20)

/*
 * The counters of two processors may differ by a little, and a processor may read the counter a little early. So an
 * address may seem to be given out again before it was free; the free is then one of the next actions.
 */
#define LOOK_AHEAD 64

void memory_init(memory_model *model, const mprof_allocator *allocator, const profile_window *window)
{
	memset(model, 0, sizeof(*model));
	model->allocator = *allocator;
	model->window = window;
	memory_order_init(&model->order, allocator);
	memory_blocks_init(&model->blocks, allocator);
	hash_map_init(&model->site_numbers, allocator);
	hash_map_init(&model->thread_numbers, allocator);
}

void memory_destroy(memory_model *model)
{
	memory_order_destroy(&model->order);
	memory_blocks_destroy(&model->blocks);
	hash_map_destroy(&model->site_numbers);
	hash_map_destroy(&model->thread_numbers);
	allocator_release(&model->allocator, model->sites, model->site_capacity * sizeof(*model->sites));
	allocator_release(&model->allocator, model->threads, model->thread_capacity * sizeof(*model->threads));
}

/* The number of a site; MEMORY_NO_SITE if there is no memory. */
static uint32_t site_of(memory_model *model, uint32_t stack)
{
	const uint64_t *number = hash_map_get(&model->site_numbers, stack);
	void *sites = model->sites;

	if (number != NULL)
		return (uint32_t)*number;
	if (!array_reserve(&model->allocator, &sites, &model->site_capacity, model->site_count + 1,
			   sizeof(*model->sites)))
		return MEMORY_NO_SITE;
	model->sites = sites;
	if (!hash_map_put(&model->site_numbers, stack, model->site_count))
		return MEMORY_NO_SITE;
	memset(&model->sites[model->site_count], 0, sizeof(*model->sites));
	model->sites[model->site_count].stack = stack;
	return (uint32_t)model->site_count++;
}

/* Remembers what the site had at the last peak, before that changes. */
static void keep_peak(memory_model *model, memory_site *site)
{
	if (site->peak == model->peak)
		return;
	site->peak = model->peak;
	site->peak_live = site->live;
	site->peak_bytes = site->live_bytes;
}

void memory_site_get_peak(const memory_model *model, const memory_site *site, uint64_t *live, uint64_t *bytes)
{
	*live = site->peak == model->peak ? site->peak_live : site->live;
	*bytes = site->peak == model->peak ? site->peak_bytes : site->live_bytes;
}

/* Whether what a thread does at a moment counts by itself. */
static int is_inside(const memory_model *model, const memory_action *action)
{
	return model->threads[action->thread].is_wanted && window_has_counter(model->window, action->counter);
}

/* A block that counts is no more. */
static void end_block(memory_model *model, const memory_block *block)
{
	memory_site *site = &model->sites[block->site];

	keep_peak(model, site);
	site->live--;
	site->live_bytes -= block->size;
	model->live--;
	model->live_bytes -= block->size;
}

/* It was freed, or resized, at a moment that is known. */
static void end_life(memory_model *model, const memory_block *block, uint64_t counter, int is_temporary)
{
	memory_site *site;
	uint64_t lifetime = memory_is_before(counter, block->counter) ? 0 : counter - block->counter;

	/* What is freed after the window exists at its end. */
	if (block->site == MEMORY_UNCOUNTED || window_is_over(model->window, counter))
		return;
	site = &model->sites[block->site];
	end_block(model, block);
	site->shortest = site->frees == 0 || lifetime < site->shortest ? lifetime : site->shortest;
	site->longest = lifetime > site->longest ? lifetime : site->longest;
	site->lifetimes = site->lifetimes > UINT64_MAX - lifetime ? UINT64_MAX : site->lifetimes + lifetime;
	site->frees++;
	site->temporaries += (uint64_t)is_temporary;
	model->frees++;
	model->temporaries += (uint64_t)is_temporary;
}

/* Whether the block is the thread's last allocation. Asked when the thread frees it. */
static int take_last(memory_model *model, const memory_block *block, uint32_t number)
{
	memory_thread *thread = &model->threads[number];

	if (!thread->has_last || thread->last_address != block->address || block->thread != number)
		return 0;
	thread->has_last = 0;
	return 1;
}

static void handle_free(memory_model *model, const memory_action *action)
{
	memory_block *found = memory_blocks_find(&model->blocks, action->address);
	memory_block block;

	if (found == NULL) {
		model->unmatched_frees += (uint64_t)is_inside(model, action);
		return;
	}
	block = *found;
	memory_blocks_remove(&model->blocks, found);
	end_life(model, &block, action->counter, take_last(model, &block, action->thread));
}

/* What is resized counts until that is done, but is not found at its address. */
static void handle_leave(memory_model *model, const memory_action *action)
{
	memory_thread *thread = &model->threads[action->thread];
	memory_block *found = memory_blocks_find(&model->blocks, action->address);

	thread->is_resizing = found != NULL;
	if (found == NULL) {
		model->unmatched_frees += (uint64_t)is_inside(model, action);
		return;
	}
	thread->moving = *found;
	memory_blocks_remove(&model->blocks, found);
	thread->moving_is_temporary = take_last(model, &thread->moving, action->thread);
}

/* Frees what is at an address that is given out again, by one of the next actions, or without one. */
static void make_room(memory_model *model, size_t place, const memory_action *action)
{
	memory_block *found = memory_blocks_find(&model->blocks, action->address);
	memory_action *next = model->order.actions + place + 1;
	memory_action *end = model->order.actions + model->order.count;
	memory_block lost;

	if (found == NULL)
		return;
	for (; next < end && next <= action + LOOK_AHEAD; next++) {
		if (next->address != action->address || next->thread == action->thread)
			continue;
		if (next->kind != MEMORY_FREE && next->kind != MEMORY_LEAVE)
			continue;
		if (next->kind == MEMORY_FREE)
			handle_free(model, next);
		else
			handle_leave(model, next);
		next->kind = MEMORY_DONE;
		return;
	}
	lost = *found;
	memory_blocks_remove(&model->blocks, found);
	if (lost.site == MEMORY_UNCOUNTED || window_is_over(model->window, action->counter))
		return;
	end_block(model, &lost);
	model->missing_frees++;
}

static void raise_peak(memory_model *model, uint64_t counter)
{
	if (model->live_bytes <= model->peak_bytes)
		return;
	model->peak++;
	model->peak_bytes = model->live_bytes;
	model->peak_live = model->live;
	model->peak_counter = counter;
}

/* The class of sizes: 0 for 0, otherwise one more than the position of the highest bit. */
static uint32_t size_class_of(uint64_t size)
{
	return size == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(size);
}

static void count_block(memory_model *model, const memory_block *block, const memory_action *action)
{
	memory_site *site = &model->sites[block->site];

	keep_peak(model, site);
	site->allocations++;
	site->bytes += action->size;
	site->live++;
	site->live_bytes += action->size;
	model->allocations++;
	model->bytes += action->size;
	model->live++;
	model->live_bytes += action->size;
	model->sizes[size_class_of(action->size)].allocations++;
	model->sizes[size_class_of(action->size)].bytes += action->size;
	raise_peak(model, action->counter);
}

static int handle_allocate(memory_model *model, size_t place, const memory_action *action)
{
	memory_thread *thread = &model->threads[action->thread];
	memory_block block = {action->address, action->size, action->counter, MEMORY_UNCOUNTED, action->thread};

	make_room(model, place, action);
	if (is_inside(model, action))
		block.site = site_of(model, action->stack);
	if (block.site == MEMORY_NO_SITE || !memory_blocks_add(&model->blocks, &block))
		return 0;
	thread->last_address = action->address;
	thread->has_last = 1;
	if (block.site != MEMORY_UNCOUNTED)
		count_block(model, &block, action);
	return 1;
}

/* The old block ends and the new one begins at once. */
static int handle_arrive(memory_model *model, size_t place, const memory_action *action)
{
	memory_thread *thread = &model->threads[action->thread];

	if (thread->is_resizing)
		end_life(model, &thread->moving, action->counter, thread->moving_is_temporary);
	thread->is_resizing = 0;
	if (!handle_allocate(model, place, action))
		return 0;
	model->resizes += (uint64_t)is_inside(model, action);
	return 1;
}

static int handle(memory_model *model, size_t place)
{
	const memory_action *action = &model->order.actions[place];

	if (model->has_reached && memory_is_before(action->counter, model->reached)) {
		/* The start of a resize comes with its end. */
		model->late_events += action->kind != MEMORY_LEAVE;
	} else {
		model->reached = action->counter;
		model->has_reached = 1;
	}
	switch (action->kind) {
	case MEMORY_ALLOCATE:
		return handle_allocate(model, place, action);
	case MEMORY_FREE:
		handle_free(model, action);
		return 1;
	case MEMORY_LEAVE:
		handle_leave(model, action);
		return 1;
	case MEMORY_ARRIVE:
		return handle_arrive(model, place, action);
	default:
		return 1;
	}
}

/* Handles the first actions of those held back, which are sorted. Those that were handled go, even if one fails. */
static int handle_first(memory_model *model, size_t count)
{
	size_t place = 0;

	while (place < count && handle(model, place))
		place++;
	memory_order_drop(&model->order, place);
	return place == count;
}

int memory_pass(memory_model *model, uint64_t watermark)
{
	size_t count = 0;

	if (!memory_order_sort(&model->order))
		return 0;
	while (count < model->order.count && memory_is_before(model->order.actions[count].counter, watermark))
		count++;
	return handle_first(model, count);
}

int memory_settle(memory_model *model)
{
	return memory_order_sort(&model->order) && handle_first(model, model->order.count);
}

/* The number of a thread; UINT32_MAX if there is no memory. */
static uint32_t thread_of(memory_model *model, uint64_t id)
{
	const uint64_t *number = hash_map_get(&model->thread_numbers, id);
	void *threads = model->threads;

	if (number != NULL)
		return (uint32_t)*number;
	if (!array_reserve(&model->allocator, &threads, &model->thread_capacity, model->thread_count + 1,
			   sizeof(*model->threads)))
		return UINT32_MAX;
	model->threads = threads;
	if (!hash_map_put(&model->thread_numbers, id, model->thread_count))
		return UINT32_MAX;
	memset(&model->threads[model->thread_count], 0, sizeof(*model->threads));
	model->threads[model->thread_count].is_wanted = window_has_thread(model->window, id);
	return (uint32_t)model->thread_count++;
}

/* Of a resize both parts, or neither. */
static int add_resize(memory_model *model, const mprof_event *event, memory_action *action)
{
	memory_action leave = *action;

	leave.kind = MEMORY_LEAVE;
	leave.address = event->more.detail->object;
	leave.counter = event->more.detail->started;
	if (memory_is_before(event->counter, leave.counter))
		leave.counter = event->counter;
	if (!memory_order_add(&model->order, &leave))
		return 0;
	action->kind = MEMORY_ARRIVE;
	if (memory_order_add(&model->order, action))
		return 1;
	model->order.count--;
	return 0;
}

int memory_add(memory_model *model, uint64_t thread, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	memory_action action = {.counter = event->counter, .address = event->value, .kind = MEMORY_ALLOCATE};

	if (model->order.count >= MOST_HELD_BACK &&
	    (!memory_order_sort(&model->order) || !handle_first(model, MOST_HELD_BACK / 2)))
		return 0;
	action.thread = thread_of(model, thread);
	if (action.thread == UINT32_MAX)
		return 0;
	if (detail != NULL) {
		action.size = detail->size;
		action.stack = detail->stack;
	}
	if (event->kind == MPROF_EVENT_MEMORY_RESIZED && detail != NULL)
		return add_resize(model, event, &action);
	if (event->kind == MPROF_EVENT_MEMORY_FREED)
		action.kind = MEMORY_FREE;
	return memory_order_add(&model->order, &action);
}
