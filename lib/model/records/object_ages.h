/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/object_ages.h
 * \brief The managed heap: what is alive, what was alive at the peak, and how many collections objects survive.
 *
 * Objects of all threads are tracked, whatever the window of the profile is, so that each death and each move is
 * matched. An allocation counts if it is inside the window and of a chosen thread.
 *
 * Threads may free objects themselves, which has a time, and counts as a death without a collection.
 *
 * The recorder writes all events of threads that precede a report of the collector before that report. So allocations
 * and collections are held back until a HEAP_DATA block, and those with an earlier counter are then processed in the
 * order of their counters. Deaths and moves are processed in the order of the log.
 *
 * All memory of the model comes from the optional part of the budget. When that is used up, objects are counted and not
 * tracked, and sites share one.
 */
#ifndef MODEL_RECORDS_OBJECT_AGES_H
#define MODEL_RECORDS_OBJECT_AGES_H

#include <mprof/profile.h>
#include <mprof/reader.h>

#include "base/hash_map.h"
#include "base/memory_budget.h"
#include "model/records/allocation_estimates.h"
#include "model/records/folded_stacks.h"
#include "model/records/record_table.h"
#include "model/records/replay.h"
#include "model/records/window.h"

typedef struct live_object {
	uint64_t address; /**< 0 marks an empty slot of the table. */
	uint64_t size;
	uint32_t site;
	uint32_t epoch;    /**< Number of collections that had begun when it was allocated. */
	uint64_t identity; /**< Number of its allocation, from 1. */
} live_object;

/** The objects that are alive, by address. */
typedef struct live_objects {
	hash_index index;
} live_objects;

/** Objects that the collector is moving. */
typedef struct move_set {
	mprof_allocator allocator;
	live_object *objects; /**< With their new addresses; not in the table of live objects. */
	size_t count;
	size_t capacity;
	hash_map targets; /**< The index in objects of the latest object that moved to an address. */
	size_t indexed;   /**< Number of objects in targets; they are added when the first address is looked up. */
} move_set;

typedef enum age_measure {
	AGE_ALLOCATED,
	AGE_DEAD,
	AGE_LIVE,
	AGE_PEAK, /**< As of the peak in age_site::peak. */
	AGE_TEMPORARY,
	AGE_MEASURES
} age_measure;

typedef struct age_amount {
	uint64_t objects;
	uint64_t bytes;
} age_amount;

/** The objects of a call site, or all that count. */
typedef struct age_site {
	age_amount amounts[AGE_MEASURES];
	uint64_t dead_ages;   /**< Sum of the ages of dead objects. */
	uint64_t live_epochs; /**< Sum of the epochs of live objects. */
	/**
	 * Number of the peak (age_sums::peak) at which the amount AGE_PEAK was saved. If there was a later peak, the
	 * site has not changed since: AGE_LIVE is then its amount at that peak.
	 */
	uint64_t peak;
} age_site;

/** Estimates for a site whose objects are sampled. */
typedef struct age_estimates {
	allocation_estimate amounts[AGE_MEASURES];
} age_estimates;

/** A collection that began, or a new size of the heap. */
typedef struct heap_change {
	uint64_t counter;
	uint32_t kind; /**< An #mprof_heap_change. */
	uint32_t generation;
	uint64_t number;
	uint64_t heap_bytes;
	age_amount before;
	/**
	 * Of a collection: objects found dead. Of a resize: those of the collection before it that had been found until
	 * then, because the log has the others later.
	 */
	age_amount collected;
} heap_change;

/** All totals, so that they can be restored as a whole. */
typedef struct age_sums {
	age_site all;
	age_site folded; /**< Objects of no site of their own. */
	age_amount heap; /**< Objects of all threads that exist. */
	uint64_t peak;   /**< Number of times the peak was raised. */
	uint64_t peak_counter;
	uint32_t epoch;       /**< Collections that began. */
	uint64_t allocations; /**< Allocations of all threads: the identity of the latest object. */
	size_t history_count;
	heap_change last_collection; /**< A copy of the entry that deaths belong to, while there is one. */
	size_t last_collection_index;
	uint64_t heap_bytes;    /**< Of the latest resize. */
	uint64_t latest;        /**< The latest counter. */
	mprof_age_stats counts; /**< What was not as expected, by the columns of the table; its other columns are 0. */
} age_sums;

typedef struct age_state {
	live_objects objects;
	move_set moving; /**< The open set of moves. */
	age_site *sites; /**< By number of the site. */
	age_estimates *estimates;
	size_t site_count;
	size_t site_capacity;
	size_t estimate_capacity; /**< 0 while no objects are sampled. */
	heap_change *history;
	size_t history_capacity;
	age_sums sums;
} age_state;

/** An object that was added to the table or removed. */
typedef struct noted_object {
	live_object object;
	int was_added;
} noted_object;

/** An action that was processed before its turn. */
typedef struct early_action {
	replay_action *action;
	uint32_t kind; /**< That it had. */
} early_action;

typedef struct age_undo {
	mprof_allocator allocator;
	age_sums sums;
	age_site *sites;
	age_estimates *estimates;
	size_t site_count;
	size_t estimate_count;
	live_object *moving; /**< The open set of moves. */
	size_t moving_count;
	noted_object *objects;
	size_t object_count;
	size_t object_capacity;
	early_action *actions;
	size_t action_count;
	size_t action_capacity;
} age_undo;

typedef struct traced_address {
	uint64_t address;
	uint64_t counter;
	uint32_t age; /**< Collections since the allocation. */
} traced_address;

typedef struct object_trace {
	memory_budget *budget;
	uint64_t identity; /**< Of the object; 0: none is traced. */
	traced_address *addresses;
	size_t count;
	size_t capacity;
	int is_incomplete; /**< max_memory was reached. */
} object_trace;

/** The objects of a class, as of the last object_ages_finish(). Begins with the ID for the record_table. */
typedef struct age_class {
	uint32_t id;
	uint32_t sites;
	age_site sums; /**< AGE_PEAK is as of the peak of the heap. */
} age_class;

typedef struct object_ages {
	int is_enabled;
	int lacks_classes; /**< max_memory was too small for all classes. */
	int has_frees;     /**< Threads free objects. */
	memory_budget *budget;
	const profile_window *window;
	uint64_t interval; /**< allocation_estimates::interval. */
	folded_stacks stacks;
	site_table keys;   /**< key.stack: number of the folded call stack; key.detail: the caller; key.other: flags. */
	hash_map replaced; /**< Addresses of objects that others replaced, with the epoch: their deaths may follow. */
	record_table classes;
	replay replay; /**< Holds back allocations, collections and resizes. */
	age_state state;
	age_undo undo;
	uint32_t last_snapshot;   /**< The model ends before this snapshot of the log, from 1; 0: it does not. */
	uint32_t snapshots;       /**< Snapshots that began. */
	uint32_t snapshot_number; /**< The number of the latest in the log. */
	int has_ended;            /**< That snapshot has been reached: only what happened before is added. */
	uint64_t end;             /**< Its counter, if it has been reached. */
	object_trace trace;
	size_t trace_count; /**< Of the trace, before what is processed provisionally. */
} object_ages;

/** \p budget and \p window must outlive the model. */
void object_ages_init(object_ages *ages, memory_budget *budget, const profile_window *window);
void object_ages_destroy(object_ages *ages);

/**
 * Adds the allocations, collections and resizes of a thread. \p interval is that of sampled call stacks, 0 if none.
 * Returns 0 if the allocator refused; reaching the limit of the budget is not a failure.
 */
int object_ages_add(object_ages *ages, const mprof_reader *reader, uint64_t thread, uint64_t interval,
		    const mprof_event *events, size_t count);

/** A HEAP_DATA block follows. If the snapshot that the model ends before begins, all that happened later is ignored. */
void object_ages_begin_heap(object_ages *ages, const mprof_heap_data_block *block);

/** Adds events of a HEAP_DATA block. Returns 0 if the allocator refused. */
int object_ages_add_heap(object_ages *ages, const mprof_event *events, size_t count);

/** Steps of object_ages_finish(). */
uint64_t object_ages_steps(const object_ages *ages);

/**
 * Processes what is held back provisionally: the next event undoes that first. Then sums up the classes. Returns 0 if
 * the allocator refused or it was stopped; nothing is processed halfway, and the same call starts again.
 */
int object_ages_finish(object_ages *ages, progress *going);

/** The object at an address, or NULL. Valid until one is added or removed. */
const live_object *object_ages_find(const object_ages *ages, uint64_t address);

/** The amount of a site at the peak of the heap. */
age_amount object_ages_peak(const object_ages *ages, const age_site *site);

/** Sum of the ages of the dead and live objects of a site. */
uint64_t object_ages_sum(const object_ages *ages, const age_site *site);

#endif
