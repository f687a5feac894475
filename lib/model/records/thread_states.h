/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/thread_states.h
 * \brief What threads did, events of the type mprof.thread.state, by thread and state (doc/format.md, 4.11).
 */
#ifndef MODEL_RECORDS_THREAD_STATES_H
#define MODEL_RECORDS_THREAD_STATES_H

#include "base/hash_map.h"
#include "base/memory_budget.h"
#include "model/records/meanings.h"

/** A state of a thread. Times are in counters. */
typedef struct thread_state_record {
	uint64_t thread;
	char *state;      /**< "" if not known; NULL if is_rest is set. */
	uint32_t is_rest; /**< All for which there is no record. */
	uint32_t has_priority;
	uint64_t priority; /**< The latest one in this state. */
	uint64_t count;    /**< How often it began inside the window. */
	uint64_t ended;    /**< Time inside the window until the state changed. */
	uint64_t open;     /**< Time inside the window of a state that has not changed, as of the last finish. */
} thread_state_record;

typedef struct thread_states {
	thread_state_record *records; /**< In the order of first appearance. */
	size_t count;
	size_t capacity;
	hash_index numbers; /**< Of records, plus 1. */
	uint32_t rest;      /**< The number of the record of the rest plus 1; 0: none. */
	memory_budget *budget;
} thread_states;

/** The state that a thread is in. All bytes 0: none. */
typedef struct thread_state {
	uint32_t number; /**< Of its record, plus 1; 0: none. */
	uint32_t has_priority;
	uint64_t priority;
	uint64_t since; /**< The nearest counter inside the window. */
} thread_state;

void thread_states_init(thread_states *all, memory_budget *budget);
void thread_states_destroy(thread_states *all);

/**
 * A thread changes its state or its priority. \p clamped: the nearest counter inside the window. \p counts: 1 if the
 * event is inside the window, else 0. Returns 0 if there is no memory.
 */
int thread_states_change(thread_states *all, thread_state *now, const meaning_event *known, uint64_t thread,
			 uint64_t clamped, uint32_t counts);

/** The thread has ended, and is in no state. */
void thread_states_end(thread_states *all, thread_state *now, uint64_t clamped);

/** Starts to show states that have not changed; thread_states_show_open() shows that of a thread until \p clamped. */
void thread_states_begin_show(thread_states *all);
void thread_states_show_open(thread_states *all, const thread_state *now, uint64_t clamped);

#endif
