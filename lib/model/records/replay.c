/* SPDX-License-Identifier: MIT */
/* Applies the actions that are held back. */
#include "model/records/replay.h"

/* Maximum number of actions held back: then the older half is applied. */
#define MAX_HELD_BACK ((size_t)1 << 20)

void replay_init(replay *replay, const replay_type *type, void *model, memory_budget *budget)
{
	replay->type = type;
	replay->model = model;
	replay->budget = budget;
	replay->is_provisional = 0;
	action_queue_init(&replay->queue, &budget->paths, sizeof(replay_action));
}

void replay_destroy(replay *replay)
{
	action_queue_destroy(&replay->queue);
}

void replay_revert(replay *replay)
{
	if (replay->is_provisional)
		replay->type->revert(replay->model);
	replay->is_provisional = 0;
}

static int apply_at(replay *replay, size_t index)
{
	replay_action *actions = replay->queue.actions;

	return replay->type->apply(replay->model, actions + index, actions + replay->queue.count);
}

/* Applies the first \p count actions, which are sorted, and removes those that were applied. */
static int apply_first(replay *replay, size_t count, progress *going)
{
	size_t index = 0;

	while (index < count && apply_at(replay, index)) {
		index++;
		if (going != NULL)
			(void)progress_step(going);
	}
	action_queue_drop(&replay->queue, index);
	return index == count;
}

int replay_limit(replay *replay)
{
	if (replay->queue.count < MAX_HELD_BACK)
		return 1;
	(void)action_queue_sort(&replay->queue, NULL);
	return apply_first(replay, MAX_HELD_BACK / 2, NULL);
}

int replay_hold_back(replay *replay, replay_action *actions, size_t count)
{
	if (action_queue_add(&replay->queue, actions, count))
		return 1;
	if (!memory_budget_is_exceeded(replay->budget))
		return 0;
	(void)action_queue_sort(&replay->queue, NULL);
	if (!apply_first(replay, (replay->queue.count + 1) / 2, NULL))
		return 0;
	if (action_queue_add(&replay->queue, actions, count))
		return 1;
	if (!memory_budget_is_exceeded(replay->budget))
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (!replay->type->apply(replay->model, &actions[i], actions + count))
			return 0;
	}
	return 1;
}

int replay_until(replay *replay, uint64_t counter, progress *going)
{
	const action_queue *queue = &replay->queue;
	size_t count = 0;

	replay_revert(replay);
	if (!action_queue_sort(&replay->queue, going))
		return 0;
	while (count < queue->count &&
	       counter_is_before(((const replay_action *)queue->actions)[count].counter, counter))
		count++;
	return apply_first(replay, count, going);
}

uint64_t replay_steps(const replay *replay)
{
	return replay->is_provisional ? 0 : 2 * (uint64_t)replay->queue.count;
}

int replay_provisionally(replay *replay, progress *going)
{
	action_queue *queue = &replay->queue;

	if (replay->is_provisional || queue->count == 0)
		return 1;
	if (!action_queue_sort(queue, going))
		return 0;
	if (!replay->type->begin(replay->model))
		return memory_budget_is_exceeded(replay->budget) && apply_first(replay, queue->count, going);
	replay->is_provisional = 1;
	for (size_t index = 0; index < queue->count; index++) {
		int has_room = replay->type->reserve(replay->model);

		if (!has_room && memory_budget_is_exceeded(replay->budget)) {
			replay->type->commit(replay->model);
			replay->is_provisional = 0;
			action_queue_drop(queue, index);
			return apply_first(replay, queue->count, going);
		}
		if (!has_room || !progress_step(going) || !apply_at(replay, index)) {
			replay_revert(replay);
			return 0;
		}
	}
	return 1;
}
