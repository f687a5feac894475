/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/age_state.h
 * \brief The state of the analysis of the managed heap: what is alive, and statistics by call site. object_ages.c
 * changes it, and restores an earlier one.
 */
#ifndef MODEL_RECORDS_AGE_STATE_H
#define MODEL_RECORDS_AGE_STATE_H

#include "base/hash_map.h"
#include "model/records/allocation_estimates.h"
#include "model/records/replay.h"

typedef struct live_object {
	uint64_t address; /**< 0 marks an empty slot of the table. */
	uint64_t size;
	uint32_t site;
	uint32_t epoch;    /**< Number of collections that had begun when it was allocated. */
	uint64_t identity; /**< Number of its allocation, from 1. */
} live_object;

typedef struct live_objects {
	hash_index index;
} live_objects;

void live_objects_init(live_objects *objects, const mprof_allocator *allocator);
void live_objects_destroy(live_objects *objects);

/** The object at an address, or NULL. Valid until an object is added or removed. */
live_object *live_objects_find(const live_objects *objects, uint64_t address);

/** Makes room for one more object. Returns 0, changing nothing, if there is no memory. */
int live_objects_reserve(live_objects *objects);

/** Adds an object at an address that has none, after live_objects_reserve(). */
void live_objects_add(live_objects *objects, const live_object *object);

/** Removes an object that live_objects_find() returned. */
void live_objects_remove(live_objects *objects, live_object *object);

typedef struct move_set {
	mprof_allocator allocator;
	live_object *objects; /**< With their new addresses; not in the table of live objects. */
	size_t count;
	size_t capacity;
	hash_map targets; /**< The index in objects of the latest object that moved to an address. */
	size_t indexed;   /**< Number of objects in targets; they are added when the first address is looked up. */
} move_set;

void move_set_init(move_set *set, const mprof_allocator *allocator);
void move_set_destroy(move_set *set);

/** Adds an object, which has its new address. Returns 0, changing nothing, if there is no memory. */
int move_set_add(move_set *set, const live_object *object);

/**
 * Finds the object of the set that moved to an address; *\p found is NULL if there is none, and valid until the set
 * changes. Returns 0 if there is no memory.
 */
int move_set_find(move_set *set, uint64_t address, live_object **found);

/** Moves an object that move_set_find() found to another address. */
void move_set_move_again(move_set *set, live_object *object, uint64_t to);

/** Removes the first \p count objects. */
void move_set_drop(move_set *set, size_t count);

/** The site of an object that is tracked, so that its death is matched, but not counted. */
#define AGE_UNCOUNTED (UINT32_MAX - 1)

/** The site shared by all objects for whose sites there was no memory. */
#define AGE_FOLDED (UINT32_MAX - 2)

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
	uint64_t heap_bytes; /**< Of the latest resize. */
	uint64_t latest;     /**< The latest counter. */
	uint64_t without_address;
	uint64_t untracked;
	uint64_t deaths_read;
	uint64_t unmatched_deaths;
	uint64_t missing_deaths;
	uint64_t unmatched_moves;
	uint64_t uncertain_moves;
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
} age_undo;

void age_undo_init(age_undo *undo, const mprof_allocator *allocator);
void age_undo_destroy(age_undo *undo);

/** Saves the statistics and starts noting changes of the table. Returns 0, changing nothing, if there is no memory. */
int age_undo_begin(age_undo *undo, const age_state *state);

/** Reserves memory for noting the changes of one event. Returns 0 if there is no memory. */
int age_undo_reserve(age_undo *undo, const age_state *state);

/** Notes that an object was added to the table or removed, in memory that age_undo_reserve() has reserved. */
void age_undo_note(age_undo *undo, const live_object *object, int was_added);

/** Makes all changes since age_undo_begin() final. */
void age_undo_commit(age_undo *undo);

/** Reverts all changes since age_undo_begin(). */
void age_undo_revert(age_undo *undo, age_state *state);

#endif
