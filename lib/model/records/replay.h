/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/replay.h
 * \brief Holds actions back until no earlier one can follow, and applies them to a model in the order of time.
 *
 * Statistics of a growing log are requested while older actions of other threads may still follow. The actions held
 * back are then applied provisionally, and that is undone before anything is added.
 */
#ifndef MODEL_RECORDS_REPLAY_H
#define MODEL_RECORDS_REPLAY_H

#include "base/action_queue.h"
#include "base/memory_budget.h"

typedef struct replay_action {
	uint64_t counter;
	uint64_t address;
	uint64_t size;
	uint32_t stack;  /**< Call stack, 0 if not known; or as defined by the model. */
	uint32_t thread; /**< Number of the thread. */
	uint32_t kind;   /**< As defined by the model. */
} replay_action;

/** The functions of a model. */
typedef struct replay_type {
	/**
	 * Applies an action. The ones after it, up to \p end, are those that are known to follow. Returns 0 if the
	 * allocator refused; reaching the limit of the budget is not a failure.
	 */
	int (*apply)(void *model, replay_action *action, const replay_action *end);

	/** Starts noting changes. Returns 0, changing nothing, if there is no memory. */
	int (*begin)(void *model);

	/** Reserves memory for noting all changes of one action. Returns 0 if there is no memory. */
	int (*reserve)(void *model);

	/** Makes all changes since begin() final. */
	void (*commit)(void *model);

	/** Reverts all changes since begin(). */
	void (*revert)(void *model);
} replay_type;

typedef struct replay {
	const replay_type *type;
	void *model;
	memory_budget *budget;
	action_queue queue; /**< #replay_action. */
	int is_provisional; /**< What is held back was applied nevertheless: changes are noted. */
} replay;

/** \p model, the argument of the functions, and \p budget must outlive the replay. */
void replay_init(replay *replay, const replay_type *type, void *model, memory_budget *budget);
void replay_destroy(replay *replay);

/** Undoes replay_provisionally(). Call it before anything is added to the model. */
void replay_revert(replay *replay);

/** If too many actions are held back, applies the older half. Returns 0 if the allocator refused. */
int replay_limit(replay *replay);

/**
 * Holds actions back, after replay_revert(). If max_memory is reached, the older half is applied now, and if necessary
 * the new ones too. Returns 0 if the allocator refused.
 */
int replay_hold_back(replay *replay, replay_action *actions, size_t count);

/**
 * Applies the actions held back that are before a counter. \p going may be NULL. Returns 0 if the allocator refused, or
 * if sorting was stopped; applying is not stopped.
 */
int replay_until(replay *replay, uint64_t counter, progress *going);

/** Steps of replay_provisionally(). */
uint64_t replay_steps(const replay *replay);

/**
 * Applies all actions held back provisionally. Returns 0, having undone it, if the allocator refused or it was stopped.
 * If max_memory does not suffice to note all changes, they become final, so that the statistics are complete.
 */
int replay_provisionally(replay *replay, progress *going);

#endif
