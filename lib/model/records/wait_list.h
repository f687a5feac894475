/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/wait_list.h
 * \brief Waits of threads, spans of the type mprof.wait, by kind, name and call site (doc/format.md, 4.11).
 */
#ifndef MODEL_RECORDS_WAIT_LIST_H
#define MODEL_RECORDS_WAIT_LIST_H

#include "base/hash_map.h"
#include "base/memory_budget.h"
#include "model/records/durations.h"
#include "model/records/meanings.h"

/** Waits of one kind and name at one call site. */
typedef struct wait_record {
	char *kind;
	char *name;
	uint32_t stack;   /**< 0 if not known. */
	uint32_t call;    /**< Node of the call tree if stack is 0. */
	uint32_t is_rest; /**< Of all for which there is no record; kind and name are NULL. */
	uint64_t begun;   /**< Waits that began inside the window. */
	uint64_t ended;   /**< Those of them that have ended inside it. */
} wait_record;

typedef struct wait_list {
	wait_record *records;
	size_t count;
	size_t capacity;
	hash_index numbers;       /**< Of records, plus 1. */
	size_t rest;              /**< The number of the record of the rest plus 1; 0: none. */
	call_durations durations; /**< By number of the record plus 1. */
	memory_budget *budget;
} wait_list;

void wait_list_init(wait_list *all, memory_budget *budget);
void wait_list_destroy(wait_list *all);

/**
 * The record of a wait that is at the node \p call of the call tree, unless the event has a call stack. Returns its
 * number plus 1, or 0 if there is no memory. \p counts: 1 if the wait begins inside the window, else 0.
 */
uint32_t wait_list_find(wait_list *all, const meaning_event *known, uint32_t call, uint32_t counts);

/** Counts a wait that ended; \p number and \p counts are those of wait_list_find(). Returns 0 if there is no memory. */
int wait_list_end(wait_list *all, uint32_t number, uint64_t duration, uint32_t counts);

#endif
