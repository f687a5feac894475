/* SPDX-License-Identifier: MIT */
/**
 * \file model/age_state.h
 * \brief The state of the analysis of the managed heap: what is alive, and statistics by call site. object_ages.c
 * changes it; age_undo.c restores an earlier one.
 */
#ifndef MODEL_AGE_STATE_H
#define MODEL_AGE_STATE_H

#include "model/allocation_estimates.h"
#include "model/live_objects.h"
#include "model/memory_order.h"
#include "model/move_set.h"

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
	memory_order order; /**< Allocations, collections and resizes that are held back. */
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

#endif
